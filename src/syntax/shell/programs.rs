//! Programs by what they do with their arguments: one table for the walk and for whoever asks.

/// A list of names, which the formatter leaves as it is written.
macro_rules! names {
    ($($name:literal)*) => { &[$($name),*] };
}
pub(crate) use names;

/// A language as far as its comments and quotes differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    Awk,
    Other,
}

pub(super) struct Interpreter {
    pub(super) name: &'static str,
    pub(super) language: Language,
    /// Options that take the next word.
    pub(super) values: &'static str,
    pub(super) programs: &'static [&'static str],
}

const fn written_in(
    name: &'static str,
    language: Language,
    values: &'static str,
    programs: &'static [&'static str],
) -> Interpreter {
    Interpreter { name, language, values, programs }
}

const EVAL: &[&str] = &["-e", "--eval", "-p", "-pe", "--print"];
const E: &[&str] = &["-e", "-E", "--eval"];

pub(super) static INTERPRETERS: &[Interpreter] = &[
    written_in("python", Language::Python, "-c -m -W -X", &["-c"]),
    written_in("pypy", Language::Python, "-c -m -W -X", &["-c"]),
    written_in("node", Language::JavaScript, "-e --eval -p -pe --print -r --require", EVAL),
    written_in("nodejs", Language::JavaScript, "-e --eval -p -pe --print -r --require", EVAL),
    written_in("bun", Language::JavaScript, "-e --eval -p --print", EVAL),
    written_in("tsx", Language::JavaScript, "-e --eval -p --print", EVAL),
    written_in("deno", Language::JavaScript, "--ext", &[]),
    written_in("osascript", Language::Other, "-e -l", E),
    written_in("perl", Language::Perl, "-e -E -I", E),
    written_in("ruby", Language::Ruby, "-e -I -r -C", E),
    written_in("php", Language::Php, "-r -d -f -B -R -E", &["-r", "-B", "-R", "-E"]),
    written_in("lua", Language::Lua, "-e -l", E),
    written_in("luajit", Language::Lua, "-e -l", E),
    written_in("R", Language::Other, "-e -f", E),
    written_in("Rscript", Language::Other, "-e", E),
    written_in("julia", Language::Ruby, "-e -E --eval --print", E),
    written_in("swift", Language::JavaScript, "-e", E),
    written_in("elixir", Language::Ruby, "-e --eval", E),
    written_in("groovy", Language::JavaScript, "-e", E),
    written_in("awk", Language::Awk, "-F -v -f", &[]),
    written_in("gawk", Language::Awk, "-F -v -f -e", E),
    written_in("mawk", Language::Awk, "-F -v -f", &[]),
];

pub(super) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    let is_version = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    INTERPRETERS.iter().find(|it| program.strip_prefix(it.name).is_some_and(is_version))
}

/// Returns whether a program runs a script that it is given.
pub fn is_interpreter(program: &str) -> bool {
    is_shell(program) || matches!(program, "." | "source") || interpreter(program).is_some()
}

/// Returns whether the word after this option is the text of a program, as after `perl -ne`.
pub fn takes_text(program: &str, option: &str) -> bool {
    let is_bundle = || {
        let letters = option.strip_prefix('-').and_then(|it| it.strip_suffix('e'));
        letters.is_some_and(|it| it.bytes().all(|it| it.is_ascii_lowercase()))
    };
    interpreter(program).is_some_and(|it| {
        it.programs.contains(&option) || it.programs.contains(&"-e") && is_bundle()
    })
}

/// Clients of databases that take SQL, and those of stores of documents.
pub(super) static CLIENTS: &[&str] = names!(
    "psql" "mysql" "mariadb" "sqlite3" "sqlite" "sqlcmd" "duckdb" "clickhouse-client"
    "clickhouse" "cqlsh" "cockroach" "pgcli" "mycli" "litecli" "usql" "bq" "snowsql" "turso"
    "wrangler" "isql" "bsqldb" "sqlplus" "trino" "presto" "beeline" "hive" "spark-sql" "influx"
    "mysqlsh" "osql" "impala-shell" "vsql" "libsql" "heroku" "Invoke-Sqlcmd"
);
pub(super) static DOCUMENTS: &[&str] = &["mongosh", "mongo"];
/// Shells that read scripts of `sh`, and others.
static POSIX: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"];
static SHELLS: &[&str] = &["csh", "fish", "nu", "tcsh"];

/// The words that a shell of POSIX or bash knows by itself, keywords among them.
static BUILT_IN: &[&str] = names!(
    "!" "." ":" "[" "[[" "alias" "bg" "break" "builtin" "caller" "case" "cd" "command" "compgen"
    "complete" "continue" "coproc" "declare" "dirs" "disown" "do" "done" "echo" "elif" "else"
    "enable" "esac" "eval" "exec" "exit" "export" "false" "fc" "fg" "fi" "for" "function" "getopts"
    "hash" "history" "if" "in" "jobs" "kill" "let" "local" "logout" "mapfile" "popd" "printf"
    "pushd" "pwd" "read" "readarray" "readonly" "return" "select" "set" "shift" "shopt" "source"
    "suspend" "test" "then" "time" "times" "trap" "true" "type" "typeset" "ulimit" "umask" "unalias"
    "unset" "until" "wait" "while" "{" "}"
);

/// Programs that print what comes from the network.
pub(super) static NETWORK: &[&str] = names!(
    "curl" "wget" "fetch" "aria2c" "http" "https" "iwr" "irm" "Invoke-WebRequest"
    "Invoke-RestMethod" "nc" "ncat" "netcat" "socat"
);

/// Programs that make another text of their input, which nobody can read on the line.
pub(super) static DECODERS: &[&str] = names!("base32" "base64" "fc" "gpg" "gunzip" "gzip" "history" "openssl" "rev" "tr" "uudecode" "xxd" "zcat");

/// Returns whether a shell runs a word by itself, without a program of that name.
pub fn is_built_in(word: &str) -> bool {
    BUILT_IN.contains(&word)
}

pub(super) fn is_powershell(program: &str) -> bool {
    program.eq_ignore_ascii_case("pwsh") || program.eq_ignore_ascii_case("powershell")
}

/// Returns whether a program is a shell that reads scripts of `sh`.
pub fn is_posix_shell(program: &str) -> bool {
    POSIX.contains(&program)
}

pub fn is_shell(program: &str) -> bool {
    is_posix_shell(program)
        || SHELLS.contains(&program)
        || is_powershell(program)
        || program.eq_ignore_ascii_case("cmd")
}

pub fn writes_to_device(path: &str) -> bool {
    if path == "/proc/sysrq-trigger" || path.starts_with(r"\\.\") {
        return true;
    }
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "shm"];
    let folders = ["std", "fd/", "tcp/", "udp/", "shm/", "pts/", "tty", "mqueue/"];
    !harmless.contains(&device) && !folders.iter().any(|folder| device.starts_with(folder))
}

/// A program that runs a command in its arguments.
pub(super) struct Wrapper {
    /// The program and, where only one of its subcommands runs something, that.
    pub(super) name: &'static str,
    /// Options that take the next word.
    pub(super) values: &'static str,
    /// Options with which nothing is run.
    pub(super) inert: &'static [&'static str],
    /// Options whose value is read by a shell, or by `env -S`.
    pub(super) scripts: &'static [&'static str],
    /// The number of operands that come before the command.
    pub(super) operands: usize,
    /// True if `NAME=value` may come before the command.
    pub(super) assigns: bool,
    /// True if the words are joined and read by a shell.
    pub(super) joins: bool,
    /// Without one of these options nothing that it runs leaves a trace; none where it always may.
    pub(super) needs: &'static [&'static str],
    /// The only programs that it runs by their names; none where it runs any.
    pub(super) only: &'static [&'static str],
}

const NONE: Wrapper = Wrapper {
    name: "",
    values: "",
    inert: &[],
    scripts: &[],
    operands: 0,
    assigns: false,
    joins: false,
    needs: &[],
    only: &[],
};

const fn wrapper(name: &'static str, values: &'static str, operands: usize) -> Wrapper {
    Wrapper { name, values, operands, ..NONE }
}

/// It runs a command in a new container, whose own files nobody misses.
const fn container(name: &'static str) -> Wrapper {
    Wrapper { needs: &["-v", "--volume", "--mount", "--volumes-from"], ..wrapper(name, RUN, 1) }
}

const fn joining(name: &'static str, values: &'static str, operands: usize) -> Wrapper {
    Wrapper { joins: true, ..wrapper(name, values, operands) }
}

/// With `-c`, and with nothing else, it runs a shell's text.
const fn commanded(name: &'static str, values: &'static str, operands: usize) -> Wrapper {
    Wrapper { scripts: &["-c", "--command"], ..wrapper(name, values, operands) }
}

/// It runs the programs of a project's packages, and its own subcommands by any other name.
const fn packaged(name: &'static str) -> Wrapper {
    Wrapper { only: PACKAGED, ..wrapper(name, "--cwd --filter -F -C --dir", 0) }
}

const PACKAGED: &[&str] = names!(
    "cdk" "del-cli" "firebase" "knex" "netlify" "prisma" "rimraf" "sequelize" "sequelize-cli"
    "serverless" "shx" "sls" "supabase" "typeorm" "vercel" "wrangler"
);

const fn called(name: &'static str) -> Wrapper {
    Wrapper { scripts: &["-c", "--call"], ..wrapper(name, "-c -p --call --package", 0) }
}

const SUDO: &str = "-C -D -g -h -p -R -r -T -t -U -u --chdir --chroot --close-from \
                    --command-timeout --group --host --other-user --prompt --role --type --user";
const SSH: &str = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";
const EXEC: &str = "-e -u -w --env --env-file --user --workdir --detach-keys --index";
const RUN: &str = "-v -w -e -u -p -m -h -l --volume --mount --volumes-from --workdir --env --env-file --user \
                   --publish --memory --hostname --label --name --network --net --entrypoint --platform --cpus \
                   --add-host --gpus --shm-size --device --tmpfs --pull --restart --ulimit --cap-add --cap-drop \
                   --security-opt --ipc --pid --userns --cidfile --log-driver --log-opt --dns";
const POD: &str = "-c -n --container --namespace --context --kubeconfig --cluster --user";
const PARALLEL: &str = "-a -C -d -E -I -j -L -n -N -P -s -S -U --arg-file --colsep --delay --jobs --joblog \
                        --max-args --results --retries --sshlogin --tempdir --timeout --workdir --wd --halt \
                        --load --memfree --nice --tagstring";
const ANY: usize = usize::MAX;

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        inert: &["-e", "-l", "-V", "--edit", "--list", "--version"],
        assigns: true,
        ..wrapper("sudo", SUDO, 0)
    },
    wrapper("doas", "-C -u", 0),
    wrapper("pkexec", "--user", 0),
    wrapper("gosu", "", 1),
    wrapper("su-exec", "", 1),
    Wrapper {
        scripts: &["-S", "--split-string"],
        assigns: true,
        ..wrapper("env", "-C -P -S -u --chdir --split-string --unset", 0)
    },
    Wrapper { inert: &["-v", "-V"], ..wrapper("command", "", 0) },
    wrapper("exec", "-a", 0),
    wrapper("builtin", "", 0),
    wrapper("noglob", "", 0),
    wrapper("busybox", "", 0),
    wrapper("toybox", "", 0),
    wrapper("nohup", "", 0),
    wrapper("setsid", "", 0),
    wrapper("time", "-f -o --format --output", 0),
    wrapper("nice", "-n --adjustment", 0),
    wrapper("ionice", "-c -n --class --classdata", 0),
    wrapper("chrt", "-T -P -D", 1),
    wrapper("taskset", "", 1),
    wrapper("timeout", "-k -s --kill-after --signal", 1),
    wrapper("stdbuf", "-e -i -o --error --input --output", 0),
    wrapper("unbuffer", "", 0),
    wrapper("rlwrap", "", 0),
    wrapper("chroot", "--userspec --groups", 1),
    wrapper("unshare", "-S -G -R -w --setuid --setgid --root --wd --map-user --map-group", 0),
    wrapper("nsenter", "-t -S -G --target --setuid --setgid", 0),
    wrapper("setpriv", "--reuid --regid --groups --inh-caps --bounding-set", 0),
    wrapper("prlimit", "", 0),
    wrapper("setarch", "", 1),
    wrapper("arch", "", 0),
    wrapper("strace", "-a -b -E -e -I -o -O -P -p -s -S -u -X", 0),
    wrapper("ltrace", "-a -e -l -n -o -p -s -S -u -w -x", 0),
    wrapper("xvfb-run", "-e -f -n -p -s -w", 0),
    wrapper("caffeinate", "-t -w", 0),
    wrapper("fakeroot", "-i -s -l", 0),
    wrapper("eatmydata", "", 0),
    wrapper("torsocks", "", 0),
    wrapper("proxychains", "-f", 0),
    wrapper("proxychains4", "-f", 0),
    wrapper("dbus-run-session", "", 0),
    wrapper("systemd-run", "-u -p -E -M -H -t --unit --property --setenv --slice --uid --gid", 0),
    wrapper("systemd-inhibit", "--what --who --why --mode", 0),
    wrapper("chronic", "", 0),
    wrapper("winpty", "", 0),
    wrapper("xcrun", "", 0),
    wrapper("sshpass", "-p -f -d -P", 0),
    commanded("su", "-c -g -G -s -w --command --group --shell --session-command", ANY),
    commanded("sg", "-c --command", ANY),
    commanded("runuser", "-c -g -G -s -u -w --command --group --shell --user", 0),
    commanded("script", "-B -c -E -I -m -O -o -T -t --command --log-io --log-out", 1),
    commanded("flock", "-c -E -w --command --conflict-exit-code --timeout", 1),
    commanded("vagrant ssh", "-c --command", ANY),
    commanded("gcloud compute ssh", "--command --zone --project", ANY),
    Wrapper {
        scripts: &["--run", "--command"],
        ..wrapper("nix-shell", "--run --command -p -A -I --arg", ANY)
    },
    joining("ssh", SSH, 1),
    joining("watch", "-n --interval", 0),
    joining("parallel", PARALLEL, 0),
    joining("adb shell", "", 0),
    joining("hyperfine", "-w -r -m -M -p -c -L --warmup --runs --prepare --cleanup", 0),
    joining("tmux new-session", "-c -e -F -f -n -s -t -x -y", 0),
    joining("tmux new", "-c -e -F -f -n -s -t -x -y", 0),
    joining("tmux new-window", "-c -e -F -n -t", 0),
    joining("tmux split-window", "-c -e -F -l -p -t", 0),
    joining("tmux run-shell", "-d -t", 0),
    wrapper("screen", "-S -c -e -h -p -s -t -T", 0),
    wrapper("wsl", "-d -u --cd --distribution --user", 0),
    container("docker run"),
    container("docker container run"),
    container("podman run"),
    wrapper("docker exec", EXEC, 1),
    wrapper("docker container exec", EXEC, 1),
    wrapper("docker compose exec", EXEC, 1),
    wrapper("docker-compose exec", EXEC, 1),
    wrapper("docker compose run", RUN, 1),
    wrapper("docker-compose run", RUN, 1),
    wrapper("podman-compose run", RUN, 1),
    wrapper("podman compose run", RUN, 1),
    wrapper("podman exec", EXEC, 1),
    wrapper("kubectl exec", POD, 1),
    wrapper("oc exec", POD, 1),
    wrapper("oc rsh", POD, 1),
    wrapper("lxc exec", "--cwd --env --user --group", 1),
    wrapper("incus exec", "--cwd --env --user --group", 1),
    wrapper("devcontainer exec", "--workspace-folder --container-id --id-label --config", 0),
    wrapper("distrobox enter", "-n --name", 1),
    wrapper("toolbox run", "-c --container -d -r", 0),
    joining("heroku run", "-a -e -r -s --app --env --remote --size --type", 0),
    joining("heroku run:detached", "-a -e -r -s --app --env --remote --size --type", 0),
    Wrapper {
        scripts: &["-C", "--command"],
        ..wrapper("fly ssh console", "-C --command -a --app", ANY)
    },
    Wrapper {
        scripts: &["-C", "--command"],
        ..wrapper("flyctl ssh console", "-C --command -a --app", ANY)
    },
    wrapper("aws-vault exec", "", 1),
    wrapper("op run", "--env-file", 0),
    wrapper("doppler run", "-p -c --project --config", 0),
    wrapper("direnv exec", "", 1),
    wrapper("uv run", "-p --python --with --project --directory --env-file --extra --group", 0),
    wrapper("uvx", "--with --from -p --python", 0),
    wrapper("pipx run", "--spec", 0),
    wrapper("poetry run", "", 0),
    wrapper("pipenv run", "", 0),
    wrapper("pdm run", "", 0),
    wrapper("rye run", "", 0),
    wrapper("hatch run", "", 0),
    wrapper("conda run", "-n -p --name --prefix --cwd", 0),
    wrapper("bundle exec", "", 0),
    called("npx"),
    called("npm exec"),
    called("npm x"),
    wrapper("bunx", "", 0),
    wrapper("pnpm exec", "", 0),
    wrapper("pnpm dlx", "", 0),
    wrapper("yarn exec", "", 0),
    wrapper("yarn dlx", "-p", 0),
    wrapper("mise exec", "", 0),
    wrapper("mise x", "", 0),
    wrapper("asdf exec", "", 0),
    packaged("yarn"),
    packaged("pnpm"),
    wrapper("shx", "", 0),
    wrapper("sail", "", 0),
    wrapper("ddev", "", 0),
    wrapper("lando", "", 0),
    wrapper("firejail", "", 0),
    wrapper("dotenv", "-e -v -c -p", 0),
    wrapper("dotenvx run", "-f --env-file", 0),
    wrapper("infisical run", "--env --path --projectId", 0),
    wrapper("chamber exec", "", 1),
    wrapper("nix develop", "", 0),
];

/// Returns whether a program runs commands where other programs and files are found: for another user,
/// on another machine, in a container or with a tool's own places.
pub fn runs_elsewhere(program: &str) -> bool {
    const WHOLE: &[&str] = names!("bunx" "npx" "nix-shell" "runuser" "ssh" "su" "sudo" "uvx" "wsl");
    let is_tool = |it: &Wrapper| it.name.split_once(' ').is_some_and(|(name, _)| name == program);
    WHOLE.contains(&program) || WRAPPERS.iter().any(is_tool)
}

/// Wrappers that without a command have a shell read their input; `sudo` only with `-s` or `-i`.
pub(super) const READ_SCRIPTS: &[&str] =
    &["ssh", "su", "sudo", "doas", "chroot", "script", "parallel"];

/// Programs that are no wrappers and have a shell read the values of these options.
pub(super) static EMBEDDED: &[(&str, &str)] = &[
    ("rsync", "-e --rsh --rsync-path"),
    (
        "tar",
        "-I -F --use-compress-program --to-command --info-script --new-volume-script \
         --checkpoint-action --rsh-command",
    ),
    ("scp", "-o"),
    ("sftp", "-o"),
    ("ncat", "-c -e --exec --sh-exec --lua-exec"),
    ("nc", "-c -e"),
    ("split", "--filter"),
    ("sort", "--compress-program"),
    ("man", "-P --pager"),
    ("entr", "-s"),
    ("ansible", "-a --args"),
    ("vim", "-c --cmd"),
    ("vi", "-c --cmd"),
    ("nvim", "-c --cmd"),
    ("concurrently", ""),
    ("socat", ""),
];
