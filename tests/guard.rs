//! What the guards say to the commands of `guard/commands.tsv`.

#![cfg(test)]

use std::path::Path;
use std::time::Duration;

use hookman::builtin::catalogue;
use hookman::builtin::command_guard;
use hookman::builtin::context::{Context, no_late_options};
use hookman::builtin::real_host::RealHost;
use hookman::client::event::Event;
use hookman::client::host::CLAUDE;
use hookman::client::payload::Payload;
use hookman::session::memory::MemoryStore;
use serde_json::{Map, Value, json};

const COMMANDS: &str = include_str!("guard/commands.tsv");
const FILES: &str = include_str!("guard/files.tsv");
const ONE_STRIKE: &str = include_str!("guard/one-strike.tsv");
/// Destructive lines in disguise, and everyday lines written otherwise.
const OBFUSCATED: &str = include_str!("../benches/guards/obfuscated.tsv");
const DISGUISED: &str = include_str!("guard/disguised.txt");
const REWRITTEN: &str = include_str!("../benches/guards/rewritten.tsv");
/// The file may grow, and may not shrink.
const HARMFUL: usize = 391;
const HARMLESS: usize = 360;
/// As well the commands that use protected files, and those that use none.
const PROTECTED: usize = 120;
const SPARED: usize = 100;

const CATEGORIES: &[&str] = &[
    "files",
    "git",
    "databases",
    "processes",
    "permissions",
    "disks",
    "containers",
    "clouds",
    "default-branch",
    "foreign-code",
    "secrets",
];

/// The ids of the rules that a guard with these options names, or what else it says.
fn found(entry: &str, options: &Map<String, Value>, command: &str) -> String {
    // A directory without a repository, whose branch would decide what a bare push means.
    found_in("/", entry, options, command)
}

fn found_in(cwd: &str, entry: &str, options: &Map<String, Value>, command: &str) -> String {
    let payload = json!({"cwd": cwd, "tool_name": "Bash", "tool_input": {"command": command}});
    let payload = payload.to_string();
    let answer = catalogue::find(entry).unwrap().kind.answer(&Context {
        name: entry,
        fence: None,
        event: Event::PreToolUse,
        payload: &Payload::parse(&payload).unwrap(),
        caller: &CLAUDE,
        text: &payload,
        options: &serde_json::to_string(options).unwrap(),
        late: &no_late_options,
        watches: false,
        store: &MemoryStore::default(),
        host: &RealHost::new(Path::new(""), Duration::ZERO),
    });
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => return failure.to_string(),
    };
    let said = answer.reason.iter().chain(&answer.context).cloned().collect::<String>();
    let ids = said.split("(rule ").skip(1).filter_map(|rest| rest.split(')').next());
    let ids: Vec<&str> = ids.collect();
    match answer.decision {
        None if ids.is_empty() => "-".to_owned(),
        None => format!("advice: {}", ids.join(",")),
        Some(_) => ids.join(","),
    }
}

fn options(entry: &str, overrides: &Value) -> Map<String, Value> {
    let entry = catalogue::find(entry).unwrap();
    let options = entry.compile(&entry.resolve(overrides.as_object().unwrap()).unwrap());
    Map::clone(&options.unwrap())
}

fn every_category() -> Map<String, Value> {
    let levels: Map<String, Value> =
        CATEGORIES.iter().map(|name| ((*name).to_owned(), "one-strike".into())).collect();
    // What blocks would hide what other rules find.
    let rules = catalogue::find("destructive-guard").unwrap().options["rules"].as_array().unwrap();
    let blocks = rules.iter().filter(|rule| rule["level"] == "block");
    let single: Map<String, Value> =
        blocks.map(|rule| (rule["id"].as_str().unwrap().to_owned(), "one-strike".into())).collect();
    options("destructive-guard", &json!({"categories": levels, "levels": single}))
}

fn unescaped(text: &str) -> String {
    let mut unescaped = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => unescaped.push('\n'),
                Some('t') => unescaped.push('\t'),
                Some('r') => unescaped.push('\r'),
                Some('\\') | None => unescaped.push('\\'),
                Some(other) => unescaped.extend(['\\', other]),
            },
            _ => unescaped.push(letter),
        }
    }
    unescaped
}

pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, String)> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split_once('\t').unwrap()).map(|(ids, command)| (ids, unescaped(command)))
}

#[test]
fn harm_is_found_and_what_looks_like_it_is_not() {
    let options = every_category();
    let (mut harmful, mut harmless, mut wrong) = (0, 0, Vec::new());
    for (expected, command) in rows(COMMANDS) {
        *if expected == "-" { &mut harmless } else { &mut harmful } += 1;
        let found = found("destructive-guard", &options, &command);
        if found != expected {
            wrong.push(format!("{command}: expected {expected}, found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(harmful >= HARMFUL && harmless >= HARMLESS, "{harmful} {harmless}");
}

#[test]
fn one_strike_finds_what_files_and_git_lose() {
    let options = options("one-strike", &json!({}));
    let wrong: Vec<String> = rows(ONE_STRIKE)
        .map(|(expected, command)| (expected, found("one-strike", &options, &command), command))
        .filter(|(expected, found, _)| expected != found)
        .map(|(expected, found, command)| format!("{command}: expected {expected}, found {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_disguise_hides_harm() {
    let options = every_category();
    let told = |command: &str| found("destructive-guard", &options, command);
    let rows: Vec<_> = rows(OBFUSCATED).map(|(_, row)| row).collect();
    let commands = rows.iter().map(|row| row.split_once('\t').unwrap().0);
    let more: Vec<String> =
        DISGUISED.lines().filter(|row| !row.starts_with('#')).map(unescaped).collect();
    let commands = commands.chain(more.iter().map(String::as_str));
    let missed: Vec<&str> = commands.filter(|it| told(it) == "-").collect();
    assert!(rows.len() >= 100 && missed.is_empty(), "{}: {missed:#?}", rows.len());
}

#[test]
fn everyday_lines_pass_in_any_writing() {
    for overrides in [json!({}), json!({"careful": true})] {
        let options = options("destructive-guard", &overrides);
        let told = |command: &str| found("destructive-guard", &options, command);
        let rows: Vec<_> = rows(REWRITTEN).map(|(_, command)| command).collect();
        let stopped: Vec<&String> = rows.iter().filter(|it| told(it) != "-").collect();
        assert!(rows.len() >= 240 && stopped.is_empty(), "{overrides}: {stopped:#?}");
    }
}

#[test]
fn each_rule_finds_the_command_that_its_list_shows() {
    for name in ["destructive-guard", "one-strike", "work-item-gate"] {
        let rules = command_guard::rules(&catalogue::find(name).unwrap().options);
        let levels: Map<String, Value> =
            rules.iter().map(|rule| (rule.id.clone(), "one-strike".into())).collect();
        let options = options(name, &json!({"levels": levels, "allow": []}));
        let wrong: Vec<String> = rules
            .iter()
            .map(|rule| (rule, found(name, &options, &rule.example)))
            .filter(|(rule, found)| !found.split(',').any(|id| id == rule.id))
            .map(|(rule, found)| format!("{}: `{}` finds {found}", rule.id, rule.example))
            .collect();
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
    }
}

#[test]
fn protected_files_are_found_in_commands() {
    let options = options("protect", &json!({}));
    let folder = tempfile::tempdir().unwrap();
    for name in [".env", ".env.local", ".env.production"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let folder = folder.path().to_str().unwrap();
    let wrong: Vec<String> = rows(FILES)
        .filter_map(|(expected, command)| {
            let found = found_in(folder, "protect", &options, &command);
            (found != expected).then(|| format!("{command}: expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let harmful = rows(FILES).filter(|(expected, _)| *expected != "-").count();
    let harmless = rows(FILES).count() - harmful;
    assert!(harmful >= PROTECTED && harmless >= SPARED, "{harmful} {harmless}");
}

#[test]
fn lines_that_would_take_long_are_given_up() {
    let options = options("protect", &json!({}));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "").unwrap();
    let moves: Vec<String> = (0..500).map(|at| format!("cd d{at}; ")).collect();
    let rows = [
        format!("cat {}", "[".repeat(1 << 16)),
        format!("cat .{}", "*e*n*v".repeat(1 << 13)),
        format!("{}cat *", moves.concat()),
    ];
    for command in rows {
        let found = found_in(folder.path().to_str().unwrap(), "protect", &options, &command);
        assert!(found.contains("more files than can be looked at"), "{found}");
    }
}

#[test]
fn careful_mode_and_single_levels_are_held() {
    let command = "git reset --hard; kill -9 1; docker rm -f a";
    let rows = [
        (json!({}), "git-reset-hard"),
        (json!({"level": "advise"}), "advice: git-reset-hard,kill-hard,docker-remove"),
        (json!({"levels": {"kill-hard": "block"}}), "kill-hard,git-reset-hard"),
        (json!({"careful": true}), "git-reset-hard,kill-hard,docker-remove"),
        (json!({"categories": {"git": "off"}}), "advice: kill-hard,docker-remove"),
        (json!({"categories": {"git": "ask"}, "skip": ["kill-hard"]}), "git-reset-hard"),
        (
            json!({"categories": {"git": "block"}, "levels": {"git-reset-hard": "off"}}),
            "advice: kill-hard,docker-remove",
        ),
    ];
    for (overrides, expected) in rows {
        let options = options("destructive-guard", &overrides);
        assert_eq!(found("destructive-guard", &options, command), expected, "{overrides}");
    }
    let allowed = options("destructive-guard", &json!({"allow": ["data"]}));
    assert_eq!(found("destructive-guard", &allowed, "rm -rf data"), "-");
    assert_eq!(found("destructive-guard", &allowed, "rm -rf data src"), "rm");
}

#[test]
fn what_has_no_way_back_is_stopped_as_it_comes() {
    let options = options("destructive-guard", &json!({}));
    let rows = [
        ("rm -rf /", "rm-system"),
        ("rm -rf ~", "rm-system"),
        ("rm -rf *", "rm-here,rm,rm-pattern"),
        ("rm -rf .git", "rm-git,rm"),
        ("cat a.img > /dev/sda", "dd-device"),
        ("git push -f origin main", "git-push-default"),
        ("psql -c 'DROP DATABASE prod'", "sql-drop-database,sql-drop"),
        ("kill -9 -1", "kill-all"),
        ("rm -rf src", "rm"),
        ("git reset --hard", "git-reset-hard"),
        ("git push -f origin topic", "git-push-force"),
        ("rm -rf node_modules", "-"),
        ("kill -9 5", "advice: kill-hard"),
        ("git branch -D topic", "advice: git-branch-delete"),
        ("kubectl delete pod a", "advice: kubectl-delete"),
        ("kubectl delete deployment a", "kubectl-delete"),
        ("docker image prune -a", "advice: docker-prune"),
        ("docker volume prune -f", "docker-prune"),
        ("docker rm -fv a", "docker-remove"),
        ("docker rm -f a", "advice: docker-remove"),
        ("docker compose rm -fsv", "compose-down"),
        ("gh release delete v1", "gh-delete"),
        ("gh secret delete A", "gh-delete"),
        ("gh label delete a", "advice: gh-delete"),
        ("git push --prune origin", "git-push-delete"),
        ("kubectl apply --prune --all -f .", "kubectl-force"),
        ("terraform apply -auto-approve -replace=a.b", "terraform-apply"),
        ("kind delete cluster", "vm-delete"),
        ("minikube delete", "vm-delete"),
        ("docker container prune -f", "docker-prune"),
        ("docker rm -f $(docker ps -aq)", "docker-remove"),
        ("podman rm -fa", "docker-remove"),
        ("rm a.txt", "-"),
        ("echo \"$(rm a", "the payload: the command could not be read to its end"),
    ];
    for (command, expected) in rows {
        let found = found("destructive-guard", &options, command);
        assert_eq!(found, expected, "{command}");
    }
}

#[test]
fn the_gate_of_work_items_lets_looking_through() {
    let options = options("work-item-gate", &json!({}));
    let rows = [
        ("gh issue create --title x", "gh-issue"),
        ("gh issue close 4", "gh-issue"),
        ("gh -R me/app issue edit 4", "gh-issue"),
        ("gh project item-add 1", "gh-project"),
        ("gh api graphql -f query='mutation { x }'", "gh-mutation"),
        ("gh api repos/me/app/issues -f title=x", "gh-api-issues"),
        ("bash -c 'gh issue create'", "gh-issue"),
        ("gh issue list", "-"),
        ("gh issue view 4", "-"),
        ("gh project item-list 1", "-"),
        ("gh api graphql -f query='query { x }'", "-"),
        ("gh api graphql -f query='\n  mutation($a: ID!) { x(a: $a) }'", "gh-mutation"),
        ("gh api graphql -f query='query { search(query: \"mutation\") { id } }'", "-"),
        ("gh api graphql -F query=@- <<'E'\nmutation { x }\nE", "gh-mutation"),
        ("echo 'mutation { x }' | gh api graphql -F query=@-", "gh-mutation"),
        ("gh api graphql -f query=\"$(cat <<'E'\nmutation { x }\nE\n)\"", "gh-mutation"),
        ("gh api graphql --input body.json", "gh-mutation"),
        ("gh api graphql -F query=@mutation.graphql", "gh-mutation"),
        ("gh api graphql -f query=\"$(cat q.graphql)\"", "gh-mutation"),
        ("gh api graphql -F query=@- <<'E'\nquery { x }\nE", "-"),
        ("gh api -X GET repos/me/app/issues -f state=open", "-"),
        ("gh api repos/me/app/issues --method GET -f state=open", "-"),
        ("gh api repos/me/app/issues/4 -X PATCH -f state=closed", "gh-api-issues"),
        ("gh issue create --help", "-"),
        ("gh api repos/me/app/pages", "-"),
        ("gh workflow run ci", "-"),
        ("gh pr create", "-"),
        ("gh repo view", "-"),
        ("echo gh issue create", "-"),
        ("~/.claude/skills/lib/work-items-project/story-create x", "-"),
    ];
    for (command, expected) in rows {
        assert_eq!(found("work-item-gate", &options, command), expected, "{command}");
    }
}

#[test]
fn a_file_is_told_from_a_branch() {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join(".git");
    for made in ["refs/heads", "refs/tags", "worktrees/side"] {
        std::fs::create_dir_all(git.join(made)).unwrap();
    }
    std::fs::write(git.join("refs/heads/docs"), "").unwrap();
    std::fs::write(git.join("packed-refs"), "# pack-refs\n1234 refs/tags/v1\n").unwrap();
    for name in ["docs", "v1", "a.txt", "side/a.txt", "side/docs"] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let side = format!("gitdir: {}\n", git.join("worktrees/side").display());
    std::fs::write(folder.path().join("side/.git"), side).unwrap();
    let options = options("destructive-guard", &json!({}));
    let cwd = folder.path().to_str().unwrap();
    let rows = [
        ("git checkout a.txt", "git-checkout"),
        ("git checkout -q a.txt", "git-checkout"),
        ("git checkout side", "git-checkout"),
        ("cd side && git checkout a.txt", "git-checkout"),
        ("git checkout docs", "-"),
        ("git checkout v1", "-"),
        ("git checkout b.txt", "-"),
        ("git checkout -b a.txt", "-"),
        ("cd side && git checkout docs", "-"),
        ("cd other && git checkout a.txt", "-"),
        ("cd \"$A\" && git checkout a.txt", "-"),
    ];
    for (command, expected) in rows {
        assert_eq!(found_in(cwd, "destructive-guard", &options, command), expected, "{command}");
    }
}
