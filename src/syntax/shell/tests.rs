//! Lines and what is found in them, as tables.

use proptest::prelude::*;

use super::{Command, Word, each_invocation, split};

/// Commands with ` ¦ ` between them; a blank inside a word is `␣`, a line end `⏎`, an empty word
/// `∅`, a word with an expansion is in `‹›`, an assignment in `{}`, what a here-document feeds
/// to a command after ` ◁ `, and `…` ends a line that could not be read to its end.
fn show(line: &str) -> String {
    let split = split(line);
    let is_bare =
        |command: &&Command<'_>| !(command.words.is_empty() && command.assignments.is_empty());
    let mut shown: Vec<String> = split.commands.iter().filter(is_bare).map(show_command).collect();
    if !split.complete {
        shown.push("…".to_owned());
    }
    shown.join(" ¦ ")
}

fn show_command(command: &Command<'_>) -> String {
    let assignments = command.assignments.iter().map(|word| format!("{{{}}}", show_word(word)));
    let words = command.words.iter().map(show_word);
    let mut shown = assignments.chain(words).collect::<Vec<_>>().join(" ");
    if let Some(input) = &command.input {
        shown.push_str(" ◁ ");
        shown.push_str(&visible(&input.text));
    }
    shown
}

pub(super) fn show_word(word: &Word<'_>) -> String {
    let text = if word.text.is_empty() { "∅".to_owned() } else { visible(&word.text) };
    if word.expanded { format!("‹{text}›") } else { text }
}

fn visible(text: &str) -> String {
    text.replace(' ', "␣").replace('\n', "⏎")
}

#[track_caller]
pub(super) fn check(rows: &[(&str, &str)], show: fn(&str) -> String) {
    let rows = rows.iter().map(|(line, expected)| (line, expected, show(line)));
    let wrong: Vec<_> = rows.filter(|(_, expected, found)| found != *expected).collect();
    assert!(wrong.is_empty(), "line, expected, found: {wrong:#?}");
}

#[test]
fn words_come_without_their_quotes() {
    let rows = [
        ("ls", "ls"),
        ("ls -l  /tmp", "ls -l /tmp"),
        ("  ls\t-a  ", "ls -a"),
        (r#"echo 'a b' "c d" e\ f"#, "echo a␣b c␣d e␣f"),
        (r#"echo a'b'"c"\d"#, "echo abcd"),
        (r#"echo '' """#, "echo ∅ ∅"),
        (r"echo 'it'\''s'", "echo it's"),
        (r#"echo "a \"b\" \$c \d""#, r#"echo a␣"b"␣$c␣\d"#),
        ("echo '$x `y` $(z)'", "echo $x␣`y`␣$(z)"),
        (r"echo $'a\tb\'c' $'\x72m'", "echo a\tb'c rm"),
        (r#"echo $"hi""#, "echo hi"),
        (r#"git commit -m "git push -f; rm -rf /""#, "git commit -m git␣push␣-f;␣rm␣-rf␣/"),
        ("git commit -m 'then rm -rf .'", "git commit -m then␣rm␣-rf␣."),
        ("git push origin my-feature", "git push origin my-feature"),
        (r"\rm -rf a", "rm -rf a"),
        (r#"r\m 'r'm "rm""#, "rm rm rm"),
        ("rm \\\n -rf a", "rm -rf a"),
        ("r\\\nm a", "rm a"),
        ("echo a#b # rm -rf c", "echo a#b"),
        ("# rm -rf a\nls", "ls"),
        ("echo größe 'für'", "echo größe für"),
        (r#"A=1 B="x y" env"#, "{A=1} {B=x␣y} env"),
        ("A=1", "{A=1}"),
        ("A+=x B[1]=2 cmd", "{A+=x} {B[1]=2} cmd"),
        ("1A=x cmd", "1A=x cmd"),
        ("cmd A=1", "cmd A=1"),
        ("a=(1 $(two) 3) cmd", "two ¦ {a=} cmd"),
    ];
    check(&rows, show);
}

#[test]
fn separators_and_keywords_end_commands() {
    let rows = [
        ("a; b & c && d || e | f |& g", "a ¦ b ¦ c ¦ d ¦ e ¦ f ¦ g"),
        ("a\nb\n\nc", "a ¦ b ¦ c"),
        ("a;b", "a ¦ b"),
        ("a&&b||c", "a ¦ b ¦ c"),
        ("git stash;", "git stash"),
        ("(rm -rf a)", "rm -rf a"),
        ("(cd x && rm -rf y); ls", "cd x ¦ rm -rf y ¦ ls"),
        ("{ rm -rf a; ls; }", "rm -rf a ¦ ls"),
        ("! rm a", "rm a"),
        ("time rm a", "rm a"),
        ("time -p rm a", "rm a"),
        ("if a; then b; elif c; then d; else e; fi", "a ¦ b ¦ c ¦ d ¦ e"),
        ("while a; do b; done", "a ¦ b"),
        ("until a; do b; done < in", "a ¦ b"),
        ("for x in 1 2 $(three); do rm $x; done", "three ¦ rm ‹$x›"),
        ("for ((i=0; i<3; i++)); do rm a; done", "rm a"),
        ("select x in a b; do c; done", "c"),
        ("case $x in a) rm a;; b|c) rm b ;; *) d; esac; e", "rm a ¦ rm b ¦ d ¦ e"),
        ("case x in (a) b;& c) d;;& esac", "b ¦ d"),
        ("case x in\n a)\n  rm b\n  ;;\nesac\nls", "rm b ¦ ls"),
        ("$(case x in a) b;; esac) c", "b ¦ ‹$(case␣x␣in␣a)␣b;;␣esac)› c"),
        ("f() { rm -rf a; }", "rm -rf a"),
        ("function f { rm a; }", "rm a"),
        ("function f() { rm a; }", "rm a"),
        ("f ( ) (rm a)", "rm a"),
        ("[[ a && b < c || $(d) ]] && rm e", "d ¦ rm e"),
        ("[[ $x =~ ^(a|b)$ ]]; rm c", "rm c"),
        ("[ -f a ] && rm a", "[ -f a ] ¦ rm a"),
        ("coproc rm a", "rm a"),
        ("coproc JOB { rm a; }", "rm a"),
        ("coproc JOB (rm a)", "rm a"),
        ("coproc while a; do b; done", "a ¦ b"),
        ("echo if then done", "echo if then done"),
        (r#""if" a"#, "if a"),
    ];
    check(&rows, show);
}

#[test]
fn commands_inside_words_are_found() {
    let rows = [
        (
            r#"rm $x ${y} "$z" *.txt a?b [ab] ~/c {a,b} {1..3}"#,
            "rm ‹$x› ‹${y}› ‹$z› ‹*.txt› ‹a?b› ‹[ab]› ‹~/c› ‹{a,b}› ‹{1..3}›",
        ),
        ("echo {} a{b}c", "echo {} a{b}c"),
        ("echo $(rm a)", "rm a ¦ echo ‹$(rm␣a)›"),
        (r#"echo "x $(rm "a b") y""#, r#"rm a␣b ¦ echo ‹x␣$(rm␣"a␣b")␣y›"#),
        ("echo `rm a`", "rm a ¦ echo ‹`rm␣a`›"),
        (r#"echo "`rm a`""#, "rm a ¦ echo ‹`rm␣a`›"),
        (r"echo `a \`b c\` d`", r"a `b c` d ¦ echo ‹`a␣\`b␣c\`␣d`› ¦ …"),
        ("echo $(a $(b $(c)))", "c ¦ b ‹$(c)› ¦ a ‹$(b␣$(c))› ¦ echo ‹$(a␣$(b␣$(c)))›"),
        ("x=$(rm a)", "rm a ¦ {‹x=$(rm␣a)›}"),
        ("cat <(rm a) >(rm b)", "rm a ¦ rm b ¦ cat ‹<(rm␣a)› ‹>(rm␣b)›"),
        ("diff <(a b)<(c)", "a b ¦ c ¦ diff ‹<(a␣b)› ‹<(c)›"),
        ("echo $((1 + 2))", "echo ‹$((1␣+␣2))›"),
        ("echo $((1 + $(rm a)))", "rm a ¦ echo ‹$((1␣+␣$(rm␣a)))›"),
        ("echo $((a) b)", "a ¦ b ¦ echo ‹$((a)␣b)›"),
        ("((i++)); rm a", "rm a"),
        (
            r#"echo ${x:-$(rm a)} ${y:-`rm b`} ${z:-"}"} w"#,
            r#"rm a ¦ rm b ¦ echo ‹${x:-$(rm␣a)}› ‹${y:-`rm␣b`}› ‹${z:-"}"}› w"#,
        ),
        (r#"echo "${x:-'}' }" b"#, "echo ‹${x:-'}'␣}› b"),
        ("echo $ $% a$", "echo $ $% a$"),
        ("$RM -rf a", "‹$RM› -rf a"),
        (r#"echo "$(echo ")" '"' ; rm a)""#, r#"echo ) " ¦ rm a ¦ echo ‹$(echo␣")"␣'"'␣;␣rm␣a)›"#),
        (r"echo ${x:-$'}\''} b", r"echo ‹${x:-$'}\''}› b"),
        ("echo ${x:-<(rm a)} b", "rm a ¦ echo ‹${x:-<(rm␣a)}› b"),
        (r#"echo "${x:-<(rm a)}" b"#, "echo ‹${x:-<(rm␣a)}› b"),
        ("echo ${x:-$(echo '}')} b", "echo } ¦ echo ‹${x:-$(echo␣'}')}› b"),
        (
            r#"echo "$(cat <<< "$(rm a)")" b"#,
            r#"rm a ¦ cat ◁ $(rm␣a) ¦ echo ‹$(cat␣<<<␣"$(rm␣a)")› b"#,
        ),
        ("$(rm -rf a)", "rm -rf a ¦ ‹$(rm␣-rf␣a)›"),
        ("`rm -rf a`", "rm -rf a ¦ ‹`rm␣-rf␣a`›"),
        (r"echo \$(rm a)", "echo $ ¦ rm a"),
        ("(( x = $(rm a) ))", "rm a"),
    ];
    check(&rows, show);
}

#[test]
fn redirections_are_left_out() {
    let rows = [
        ("rm a > out 2>&1 < in", "rm a"),
        ("a >out 2>>err &>both >&2 >|c <>d", "a"),
        (">out a b", "a b"),
        ("2>err rm a", "rm a"),
        ("rm 2 >x", "rm 2"),
        ("a >$(rm b)", "rm b ¦ a"),
        (r#"a <<< "rm -rf b""#, "a ◁ rm␣-rf␣b"),
        ("a &>> b & c", "a ¦ c"),
        ("a>b;c", "a ¦ c"),
        ("a 2>&-", "a"),
        ("cmd 3<&0 10>x", "cmd"),
    ];
    check(&rows, show);
}

#[test]
fn here_documents_are_data_and_what_follows_is_not() {
    let rows = [
        ("cat <<EOF\nrm -rf a\nEOF", "cat ◁ rm␣-rf␣a⏎"),
        ("cat <<EOF\nrm -rf a\nEOF\nrm -rf b", "cat ◁ rm␣-rf␣a⏎ ¦ rm -rf b"),
        ("cat <<'EOF'\n$(rm -rf a)\nEOF\nls", "cat ◁ $(rm␣-rf␣a)⏎ ¦ ls"),
        ("cat <<\"EOF\"\n`rm -rf a`\nEOF\nls", "cat ◁ `rm␣-rf␣a`⏎ ¦ ls"),
        ("cat <<\\EOF\n$(rm -rf a)\nEOF\nls", "cat ◁ $(rm␣-rf␣a)⏎ ¦ ls"),
        (
            "cat <<EOF\n$(rm -rf a) and `rm b`\nEOF\nls",
            "cat ◁ $(rm␣-rf␣a)␣and␣`rm␣b`⏎ ¦ rm -rf a ¦ rm b ¦ ls",
        ),
        ("cat <<EOF\n\\$(rm -rf a) \"quote\nEOF\nls", r#"cat ◁ \$(rm␣-rf␣a)␣"quote⏎ ¦ ls"#),
        ("cat <<-EOF\n\tbody\n\tEOF\nls", "cat ◁ \tbody⏎ ¦ ls"),
        ("cat <<-EOF\n\tbody\n  EOF\n\tEOF\nls", "cat ◁ \tbody⏎␣␣EOF⏎ ¦ ls"),
        ("cat <<EOF | grep x; rm a\nbody\nEOF\nrm b", "cat ◁ body⏎ ¦ grep x ¦ rm a ¦ rm b"),
        ("cat <<A <<B\none\nA\ntwo\nB\nrm c", "cat ◁ two⏎ ¦ rm c"),
        ("cat <<EOF && rm a\nbody", "cat ◁ body ¦ rm a"),
        (
            "git commit -m \"$(cat <<'EOF'\nIt's rm -rf a\nEOF\n)\" && git push",
            "cat ◁ It's␣rm␣-rf␣a⏎ ¦ git commit -m ‹$(cat␣<<'EOF'⏎It's␣rm␣-rf␣a⏎EOF⏎)› ¦ git push",
        ),
        ("x=$(cat <<EOF\nhi\nEOF)\nrm a", "cat ◁ hi⏎ ¦ {‹x=$(cat␣<<EOF⏎hi⏎EOF)›} ¦ rm a"),
        ("bash <<EOF\nrm -rf a\nEOF", "bash ◁ rm␣-rf␣a⏎"),
        ("cat <<EOF\r\nbody\r\nEOF\r\nrm a", "cat ◁ body\r⏎ ¦ rm a"),
        ("(cat <<EOF\nbody\nEOF\n) && rm a", "cat ◁ body⏎ ¦ rm a"),
    ];
    check(&rows, show);
}

#[test]
fn an_open_end_is_told_and_hides_nothing_before_it() {
    let rows = [
        ("echo 'rm -rf a", "echo rm␣-rf␣a ¦ …"),
        (r#"echo "rm -rf a"#, "echo rm␣-rf␣a ¦ …"),
        ("a; b $(c", "a ¦ c ¦ b ‹$(c› ¦ …"),
        ("a; echo `b", "a ¦ b ¦ echo ‹`b› ¦ …"),
        ("a ) b", "a ¦ b ¦ …"),
        ("(a", "a ¦ …"),
        (r"a \", r"a \"),
        (r#"a "$(b"#, "b ¦ a ‹$(b› ¦ …"),
        ("case x in", "…"),
        ("[[ a", "…"),
    ];
    check(&rows, show);
}

fn is_made_of(line: &str, command: &Command<'_>) -> bool {
    let decodes = line.contains("$'");
    let mut words = command.assignments.iter().chain(&command.words);
    words.all(|word| decodes || word.text.chars().all(|letter| line.contains(letter)))
}

proptest! {
    #[test]
    fn any_text_is_split_into_words_of_its_own_letters(
        line in "([a-z ]|[;&|(){}<>$`'\"\\\\#=\\[\\]*?~!\n\t-]|EOF|<<|\\$\\(|case x in|esac|\\[\\[|bash -c |é){0,60}"
    ) {
        for command in split(&line).commands {
            prop_assert!(is_made_of(&line, &command), "{command:?}");
        }
        each_invocation(&line, &mut |_| ());
    }

    #[test]
    fn any_characters_at_all_do_no_harm(line in any::<String>()) {
        for command in split(&line).commands {
            prop_assert!(is_made_of(&line, &command), "{command:?}");
        }
        each_invocation(&line, &mut |_| ());
    }
}
