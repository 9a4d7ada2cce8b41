//! The commands that a line runs in the end, and what looking for them costs.

use std::borrow::Cow;

use super::super::tests::{check, show_word};
use super::super::{Word, split};
use super::{Invocation, each_invocation, each_suspect};

fn show_invocations(line: &str) -> String {
    let mut shown = Vec::new();
    let complete = each_invocation(line, &mut |invocation| {
        if invocation.program.is_empty() {
            return;
        }
        let words = std::iter::once(invocation.program.to_owned());
        let words = words.chain(invocation.arguments.iter().map(show_word));
        shown.push(words.collect::<Vec<_>>().join(" "));
    });
    if !complete {
        shown.push("…".to_owned());
    }
    shown.join(" ¦ ")
}

#[test]
fn wrappers_are_looked_into() {
    let rows = [
        ("/bin/rm -rf a", "rm -rf a"),
        ("./rm a", "rm a"),
        ("../x/rm a", "rm a"),
        ("C:/Git/git.exe push", "git push"),
        (r"'C:\Program Files\Git\git.EXE' push", "git push"),
        ("sudo rm -rf a", "sudo rm -rf a ¦ rm -rf a"),
        ("sudo -u root -E rm a", "sudo -u root -E rm a ¦ rm a"),
        ("sudo --user=root A=1 rm a", "sudo --user=root A=1 rm a ¦ rm a"),
        ("sudo -- rm a", "sudo -- rm a ¦ rm a"),
        ("doas -u me rm a", "doas -u me rm a ¦ rm a"),
        ("env A=1 -i -u B rm a", "env A=1 -i -u B rm a ¦ rm a"),
        ("env", "env"),
        ("A=1 command rm a", "command rm a ¦ rm a"),
        ("command -v rm", "command -v rm"),
        ("exec -a x rm a", "exec -a x rm a ¦ rm a"),
        ("nohup rm a &", "nohup rm a ¦ rm a"),
        ("time rm a", "rm a"),
        ("/usr/bin/time -f %e rm a", "time -f %e rm a ¦ rm a"),
        ("nice -n 5 ionice -c 3 rm a", "nice -n 5 ionice -c 3 rm a ¦ ionice -c 3 rm a ¦ rm a"),
        ("timeout -k 5 --signal=KILL 10s rm a", "timeout -k 5 --signal=KILL 10s rm a ¦ rm a"),
        ("stdbuf -oL -e 0 rm a", "stdbuf -oL -e 0 rm a ¦ rm a"),
        ("setsid -w rm a", "setsid -w rm a ¦ rm a"),
        ("busybox rm a", "busybox rm a ¦ rm a"),
        ("ls | xargs rm -f", "ls ¦ xargs rm -f ¦ rm -f {}"),
        ("ls | xargs -0 -n 1 -I {} rm {}", "ls ¦ xargs -0 -n 1 -I {} rm {} ¦ rm {}"),
        (
            r#"xargs -I{} -P4 sh -c 'rm "$1"' _ {}"#,
            r#"xargs -I{} -P4 sh -c rm␣"$1" _ {} ¦ sh -c rm␣"$1" _ {} ¦ rm {}"#,
        ),
        (r"find . -name x -exec rm -f {} \; -print", "find . -name x -print ¦ rm -f ./{}/x"),
        ("find . -exec rm {} + -execdir mv {} b ';'", "find . ¦ rm ./{} ¦ mv ./{} b"),
        ("find . -delete", "find . -delete"),
        (r#"bash -c "rm -rf a; ls""#, "bash -c rm␣-rf␣a;␣ls ¦ rm -rf a ¦ ls"),
        ("sh -ec 'rm a'", "sh -ec rm␣a ¦ rm a"),
        ("bash -o pipefail -lc 'rm a'", "bash -o pipefail -lc rm␣a ¦ rm a"),
        ("bash --norc -c 'rm a' rm", "bash --norc -c rm␣a rm ¦ rm a"),
        ("zsh script.sh -c 'rm a'", "zsh script.sh -c rm␣a"),
        (r#"eval "rm -rf a""#, "eval rm␣-rf␣a ¦ rm -rf a"),
        (r#"eval rm '-rf' "a b""#, "eval rm -rf a␣b ¦ rm -rf a b"),
        (r#"bash -c "bash -c 'rm a'""#, "bash -c bash␣-c␣'rm␣a' ¦ bash -c rm␣a ¦ rm a"),
        (
            r#"sudo bash -c "cd /x && rm -rf y""#,
            "sudo bash -c cd␣/x␣&&␣rm␣-rf␣y ¦ bash -c cd␣/x␣&&␣rm␣-rf␣y ¦ cd /x ¦ rm -rf y",
        ),
        (r#"bash -c "$(rm a)""#, "rm a ¦ bash -c ‹$(rm␣a)› ¦ rm a ¦ rm a ¦ a ¦ $(rm a)"),
        ("bash <<'EOF'\nrm -rf a\nEOF", "bash ¦ rm -rf a"),
        ("bash -s <<EOF\nrm a\nEOF", "bash -s ¦ rm a"),
        ("sh <<< 'rm a'", "sh ¦ rm a"),
        ("cat <<EOF\nrm a\nEOF", "cat"),
        (
            r#"pwsh -NoProfile -Command "Remove-Item a""#,
            "pwsh -NoProfile -Command Remove-Item␣a ¦ Remove-Item a",
        ),
        ("echo rm -rf a", "echo rm -rf a"),
        (r#"grep -r "rm -rf" ."#, "grep -r rm␣-rf ."),
        ("man rm", "man rm"),
        ("which git", "which git"),
    ];
    check(&rows, show_invocations);
}

#[test]
fn scripts_are_found_wherever_a_shell_is_given_them() {
    let rows = [
        ("echo 'rm -rf x' | sh", "echo rm␣-rf␣x ¦ sh ¦ rm -rf x"),
        ("printf 'rm %s' '-rf x' | bash -s", "printf rm␣%s -rf␣x ¦ bash -s ¦ rm -rf x"),
        ("bash <(echo rm -rf a)", "echo rm -rf a ¦ bash ‹<(echo␣rm␣-rf␣a)› ¦ rm -rf a"),
        ("source /dev/stdin <<EOF\nrm -rf a\nEOF", "source /dev/stdin ¦ rm -rf a"),
        ("bash -s -- x <<EOF\nrm -rf $1\nEOF", "bash -s -- x ¦ rm -rf x"),
        (r#"sh -c '"$@"' _ rm -rf a"#, r#"sh -c "$@" _ rm -rf a ¦ rm -rf a"#),
        (r#"sh -c 'rm -rf "$1"' _ "a b""#, r#"sh -c rm␣-rf␣"$1" _ a␣b ¦ rm -rf a␣b"#),
        (
            "git submodule foreach 'git clean -fd'",
            "git submodule foreach git␣clean␣-fd ¦ git clean -fd",
        ),
        ("git rebase -i --exec 'rm -rf a' main", "git rebase -i --exec rm␣-rf␣a main ¦ rm -rf a"),
        ("su -c 'rm -rf a' bob", "su -c rm␣-rf␣a bob ¦ rm -rf a"),
        ("su - bob -c 'rm -rf a'", "su - bob -c rm␣-rf␣a ¦ rm -rf a"),
        ("flock /tmp/l rm -rf a", "flock /tmp/l rm -rf a ¦ rm -rf a"),
        ("flock -n /tmp/l -c 'rm -rf a'", "flock -n /tmp/l -c rm␣-rf␣a ¦ rm -rf a"),
        ("parallel rm -rf ::: a b", "parallel rm -rf ::: a b ¦ rm -rf a ¦ rm -rf b"),
        ("script -qc 'rm -rf a' /dev/null", "script -qc rm␣-rf␣a /dev/null ¦ rm -rf a"),
        ("trap 'rm -rf a' EXIT", "trap rm␣-rf␣a EXIT ¦ rm -rf a"),
        ("sudo -nu root rm -rf a", "sudo -nu root rm -rf a ¦ rm -rf a"),
        ("ls | xargs -0I {} rm -rf {}", "ls ¦ xargs -0I {} rm -rf {} ¦ rm -rf {}"),
        ("env -S 'rm -rf a'", "env -S rm␣-rf␣a ¦ rm -rf a"),
        (
            r#"env -iS "bash -c 'rm -rf b'" x"#,
            "env -iS bash␣-c␣'rm␣-rf␣b' x ¦ bash -c rm␣-rf␣b x ¦ rm -rf b",
        ),
        ("bash -n <<EOF\nrm -rf a\nEOF", "bash -n"),
        ("find . -name -delete", "find . -name -delete"),
        ("(cat <<EOF\nrm -rf b\nEOF\n) | bash", "cat ¦ bash ¦ rm -rf b"),
        ("if true; then echo rm -rf a; fi | sh", "true ¦ echo rm -rf a ¦ sh ¦ rm -rf a"),
        ("ssh host 'rm -rf a'", "ssh host rm␣-rf␣a ¦ rm -rf a"),
        ("ssh -p 22 host rm -rf a '&&' ls", "ssh -p 22 host rm -rf a && ls ¦ rm -rf a ¦ ls"),
        ("docker exec -it c rm -rf /x", "docker exec -it c rm -rf /x ¦ rm -rf /x"),
        (
            "kubectl exec -it pod -n x -- rm -rf /x",
            "kubectl exec -it pod -n x -- rm -rf /x ¦ rm -rf /x",
        ),
        (": > file", "truncate -s0 file ¦ :"),
        ("cat img > /dev/sda", "dd of=/dev/sda ¦ cat img"),
        ("echo x >&2; ls 2>/dev/null >/dev/null", "echo x ¦ ls"),
        ("git -c alias.wipe='!rm -rf /' wipe", "git -c alias.wipe=!rm␣-rf␣/ wipe ¦ rm -rf /"),
        (r"printf '\x72\x6d\x20-rf\x20/' | bash", r"printf \x72\x6d\x20-rf\x20/ ¦ bash ¦ rm -rf /"),
        ("watch -n 1 rm -rf x", "watch -n 1 rm -rf x ¦ rm -rf x"),
        ("tar -cI 'rm -rf /' -f -", "tar -cI rm␣-rf␣/ -f - ¦ rm -rf /"),
        (
            r#"tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT"#,
            r#"mktemp -d ¦ trap rm␣-rf␣"$tmp" EXIT ¦ rm -rf ‹$(mktemp␣-d)›"#,
        ),
        (r#"echo "a" | tee x | sh"#, "echo a ¦ tee x ¦ sh ¦ a"),
        ("command -v rm", "command -v rm"),
        (
            "echo cm0gLXJmIC8= | base64 -d | sh",
            "echo cm0gLXJmIC8= ¦ base64 -d ¦ sh ¦ foreign-script base64 ¦ …",
        ),
        ("cat <<'EOF' | sudo bash\nrm -rf /x\nEOF", "cat ¦ sudo bash ¦ bash ¦ rm -rf /x"),
        (
            r#"bash -c "bash -c 'rm -rf a'""#,
            "bash -c bash␣-c␣'rm␣-rf␣a' ¦ bash -c rm␣-rf␣a ¦ rm -rf a",
        ),
        (
            r#"pwsh -c "Remove-Item a -Recurse""#,
            "pwsh -c Remove-Item␣a␣-Recurse ¦ Remove-Item a -Recurse",
        ),
        ("cmd /c rd /s /q a", "cmd /c rd /s /q a ¦ rd /s /q a"),
        ("find . -exec echo -delete + -print", "find . ¦ echo -delete + -print"),
        ("rm -rf ~/{,.ssh}", "rm -rf ‹~/› ‹~/.ssh›"),
        ("sort <(rm -rf a) | uniq", "rm -rf a ¦ sort ‹<(rm␣-rf␣a)› ¦ uniq"),
        ("at now <<< 'rm -rf a'", "at now ¦ rm -rf a"),
        ("bash -o noexec -c 'rm -rf a'", "bash -o noexec -c rm␣-rf␣a"),
        ("bash -n +n -c 'rm -rf a'", "bash -n +n -c rm␣-rf␣a ¦ rm -rf a"),
        ("bash -- -c 'rm -rf a'", "bash -- -c rm␣-rf␣a"),
        ("cat a | bash", "cat a ¦ bash ¦ cat a {} ¦ a {}"),
        ("curl x | sh", "curl x ¦ sh ¦ foreign-script curl"),
        ("sh < script", "sh"),
        (
            "echo 'rm -rf a' | xargs -I% sh -c '%'",
            "echo rm␣-rf␣a ¦ xargs -I% sh -c % ¦ sh -c rm␣-rf␣a ¦ rm -rf a",
        ),
        ("echo a b | xargs rm -rf", "echo a b ¦ xargs rm -rf ¦ rm -rf a b"),
        ("git bisect run rm -rf a", "git bisect run rm -rf a ¦ rm -rf a"),
        (
            "git rebase --exec='rm -rf a' -x'rm -rf b'",
            "git rebase --exec=rm␣-rf␣a -xrm␣-rf␣b ¦ rm -rf a ¦ rm -rf b",
        ),
        (
            "git filter-branch --tree-filter 'rm -rf a' HEAD",
            "git filter-branch --tree-filter rm␣-rf␣a HEAD ¦ rm -rf a",
        ),
        ("git -c core.pager='rm -rf a' log", "git -c core.pager=rm␣-rf␣a log ¦ rm -rf a"),
        ("rsync -e 'rm -rf a' b c", "rsync -e rm␣-rf␣a b c ¦ rm -rf a"),
        ("echo x > /dev/null 2>/dev/tty; cat < /dev/sda", "echo x ¦ cat"),
        ("true > a; echo x > b; > c", "truncate -s0 a ¦ true ¦ echo x ¦ truncate -s0 c"),
        (
            "pwsh -EncodedCommand cgBtACAAYQA=",
            "pwsh -EncodedCommand cgBtACAAYQA= ¦ foreign-script powershell ¦ …",
        ),
    ];
    check(&rows, show_invocations);
}

#[test]
fn variables_and_braces_that_the_line_sets_are_followed() {
    let rows = [
        ("echo $[1<<2]; rm -rf a", "echo ‹$[1<<2]› ¦ rm -rf a"),
        ("OPTS=-rf; rm $OPTS a", "rm -rf a"),
        (r#"cmd=(rm -rf build); "${cmd[@]}""#, "rm -rf build"),
        ("{rm,-rf,x}", "rm -rf x"),
        ("declare -a cmd=(rm -rf build)", "declare -a cmd="),
        ("for d in a b; do rm -rf $d; done", "rm -rf a b"),
        ("for c in ls rm; do $c -rf x; done", "ls rm -rf x ¦ ls -rf x ¦ rm -rf x"),
        ("while read x; do echo $x; done < f | sh", "read x ¦ echo {} ¦ sh ¦ {}"),
        (
            "git -c alias.wipe='reset --hard' wipe HEAD",
            "git -c alias.wipe=reset␣--hard wipe HEAD ¦ git reset --hard HEAD",
        ),
        ("git -c 'alias.status=reset --hard' status", "git -c alias.status=reset␣--hard status"),
        (r#"read T <<< rm; "$T" -rf /"#, "read T ¦ rm -rf /"),
        (r#"set -- rm -rf x; "$@""#, "set -- rm -rf x ¦ rm -rf x"),
        (
            r#"eval "$(printf '%s' rm; printf '%s' ' -rf /')""#,
            "printf %s rm ¦ printf %s ␣-rf␣/ ¦ eval ‹$(printf␣'%s'␣rm;␣printf␣'%s'␣'␣-rf␣/')› ¦ printf %s rm ¦ printf %s ␣-rf␣/ ¦ hidden-program ‹$(printf␣'%s'␣rm;␣printf␣'%s'␣'␣-rf␣/')› ¦ printf ¦ %s ¦ rm ¦ printf ¦ %s ¦ -rf / ¦ ') ¦ …",
        ),
        ("x=$(echo rm); $x -rf a", "echo rm ¦ rm -rf a"),
        (r#"TOOL=rmx; "${TOOL%x}" -rf /"#, "rm -rf /"),
        (
            r#"bash -c 'for f in "$@"; do rm -rf "$f"; done' _ a b"#,
            r#"bash -c for␣f␣in␣"$@";␣do␣rm␣-rf␣"$f";␣done _ a b ¦ rm -rf a b"#,
        ),
        (r#"f() { rm -rf "$1"; }; f x"#, "f x ¦ rm -rf x"),
        (r#"run() { "$@"; }; run git reset --hard"#, "run git reset --hard ¦ git reset --hard"),
        (r#"w() { cd "$1" && shift && "$@"; }; w a rm b"#, "w a rm b ¦ cd a ¦ shift ¦ rm b"),
        (
            r#"function f { local d=$1; (rm -rf "$d"); }; f a; f b; rm $d"#,
            "f a ¦ local d=a ¦ rm -rf a ¦ f b ¦ local d=b ¦ rm -rf b ¦ rm ‹$d›",
        ),
        (
            r#"try() { if "$@"; then :; else try "$@"; fi; }; bash -c 'x' ; eval "try rm a""#,
            "bash -c x ¦ x ¦ eval try␣rm␣a ¦ try rm a ¦ rm a ¦ : ¦ try rm a",
        ),
        (
            r#"find . -type f -exec sh -c 'rm -f "$1"' _ {} \;"#,
            r#"find . -type f ¦ sh -c rm␣-f␣"$1" _ ./{} ¦ rm -f ./{}"#,
        ),
        ("rm -rf ${DIR:-/}", "rm -rf /"),
        (r#"timeout 5 bash -c "$CODE""#, "timeout 5 bash -c ‹$CODE› ¦ bash -c ‹$CODE› ¦ $CODE"),
        ("export A=rm; $A -rf x", "export A=rm ¦ rm -rf x"),
        ("A=rm B=$A; $B -rf x", "rm -rf x"),
        ("A=1 cmd $A", "cmd ‹$A›"),
        (r#"a=(x y); a+=(z); echo "${a[@]}" "${a[1]}" ${a[*]}"#, "echo x y z y x y z"),
        (
            r#"x='a b'; echo $x "$x" ${x% b} ${x/a/c} ${x:2} ${x^^} ${y:-d} ${x:+e} ${y-"f g"}"#,
            "echo a b a␣b a c b b A B d ‹${x:+e}› f␣g",
        ),
        ("unset x; echo ${x:-rm} ${x+y}", "unset x ¦ echo rm ‹${x+y}›"),
        (
            r#"echo a{b,c{d,e}}f {1..3} '{a,b}' "{a,b}""#,
            "echo abf acdf abf acef ‹{1..3}› {a,b} {a,b}",
        ),
        (r#"echo $'a\tb' "a\$b" 'c'"d"\e"#, "echo a	b a$b cde"),
        (
            r#"bash -c 'echo "$#" "$*" $2' _ a b"#,
            r#"bash -c echo␣"$#"␣"$*"␣$2 _ a b ¦ echo ‹$#› a␣b b"#,
        ),
        ("printf -v T rm; $T -rf x", "printf -v T rm ¦ rm -rf x"),
        ("alias x='rm -rf a'; x b", "alias x=rm␣-rf␣a ¦ x b ¦ rm -rf a b"),
        (
            "git config alias.x '!rm -rf a'; git x b",
            "git config alias.x !rm␣-rf␣a ¦ git x b ¦ rm -rf a b",
        ),
        ("rm${IFS}-rf${IFS}x", "rm -rf x"),
        ("make -f - <<'E'\nall:\n\t@rm -rf a\nE", "make -f - ¦ rm -rf a"),
        (
            r"printf 'all:\n\trm -rf a\n' > Makefile; make",
            r"printf all:\n\trm␣-rf␣a\n ¦ make ¦ rm -rf a",
        ),
        (
            r#"eval "$(ssh-agent -s)""#,
            "ssh-agent -s ¦ eval ‹$(ssh-agent␣-s)› ¦ ssh-agent -s ¦ ssh-agent -s ¦ -s ¦ $(ssh-agent -s)",
        ),
        ("exec 3<<< 'rm -rf a'; bash <&3", "exec ¦ bash ¦ …"),
        ("hash -p /bin/rm ls; ls -rf a", "hash -p /bin/rm ls ¦ ls -rf a ¦ rm -rf a"),
        (r#"ls | while read f; do rm -rf "$f"; done"#, "ls ¦ read f ¦ rm -rf {}"),
    ];
    check(&rows, show_invocations);
}

#[test]
fn programs_on_the_line_are_looked_through() {
    let rows = [
        (
            r#"python -c 'import os; os.system("rm -rf /some/path")'"#,
            r#"python -c import␣os;␣os.system("rm␣-rf␣/some/path") ¦ rm -rf /some/path"#,
        ),
        (
            r#"python3 -c "import shutil; shutil.rmtree('build')""#,
            "python3 -c import␣shutil;␣shutil.rmtree('build') ¦ rm -rf build",
        ),
        ("python3 - <<EOF\nimport shutil\nshutil.rmtree(\"x\")\nEOF", "python3 - ¦ rm -rf x"),
        (
            r#"node -e "require('fs').rmSync('a', {recursive: true})""#,
            "node -e require('fs').rmSync('a',␣{recursive:␣true}) ¦ rm -rf a",
        ),
        (
            r#"node -e 'require("child_process").execSync("rm -rf a")'"#,
            r#"node -e require("child_process").execSync("rm␣-rf␣a") ¦ rm -rf a"#,
        ),
        (
            r#"perl -e 'unlink "a"; system("rm -rf b"); `rm -rf c`'"#,
            r#"perl -e unlink␣"a";␣system("rm␣-rf␣b");␣`rm␣-rf␣c` ¦ unlink a ¦ rm -rf b ¦ rm -rf c"#,
        ),
        (
            r#"ruby -e 'require "fileutils"; FileUtils.rm_rf("x")'"#,
            r#"ruby -e require␣"fileutils";␣FileUtils.rm_rf("x") ¦ rm -rf x"#,
        ),
        (
            r#"python -c 'import subprocess; subprocess.run(["rm", "-rf", "x"], cwd="/tmp")'"#,
            r#"python -c import␣subprocess;␣subprocess.run(["rm",␣"-rf",␣"x"],␣cwd="/tmp") ¦ rm -rf x"#,
        ),
        (r#"python -c '# os.remove("/home/test")'"#, r#"python -c #␣os.remove("/home/test")"#),
        (
            r#"python -c 'from pathlib import Path; Path("a").unlink()'"#,
            r#"python -c from␣pathlib␣import␣Path;␣Path("a").unlink() ¦ unlink a"#,
        ),
        (
            r#"awk 'BEGIN{system("rm -rf x")}'"#,
            r#"awk BEGIN{system("rm␣-rf␣x")} ¦ rm -rf x ¦ rm -rf x"#,
        ),
        (
            r#"node -e 'require("child_process").spawnSync("rm", ["-rf", "a"])'"#,
            r#"node -e require("child_process").spawnSync("rm",␣["-rf",␣"a"]) ¦ rm -rf a"#,
        ),
        (
            r#"deno eval 'Deno.removeSync("a", {recursive: true})'"#,
            r#"deno eval Deno.removeSync("a",␣{recursive:␣true}) ¦ rm -rf a"#,
        ),
        (
            r#"php -r 'unlink("a"); exec("rm -rf b");'"#,
            r#"php -r unlink("a");␣exec("rm␣-rf␣b"); ¦ unlink a ¦ rm -rf b"#,
        ),
        (
            r#"lua -e 'os.remove("a") os.execute("rm -rf b")'"#,
            r#"lua -e os.remove("a")␣os.execute("rm␣-rf␣b") ¦ unlink a ¦ rm -rf b"#,
        ),
        (
            r#"Rscript -e 'unlink("a", recursive=TRUE)'"#,
            r#"Rscript -e unlink("a",␣recursive=TRUE) ¦ rm -rf a"#,
        ),
        (
            r#"osascript -e 'do shell script "rm -rf a"'"#,
            r#"osascript -e do␣shell␣script␣"rm␣-rf␣a" ¦ rm -rf a"#,
        ),
        (
            r#"python -c 'getattr(os, "unlink")("a")'"#,
            r#"python -c getattr(os,␣"unlink")("a") ¦ unlink a"#,
        ),
        (
            r#"python -c 'items.remove("a"); print("os.remove(b)")'"#,
            r#"python -c items.remove("a");␣print("os.remove(b)")"#,
        ),
        ("perl -ne 'print if /rm -rf/' log", "perl -ne print␣if␣/rm␣-rf/ log"),
        ("awk '/rm -rf/ {print}' log", "awk /rm␣-rf/␣{print} log"),
        (
            r#"uv run python -c 'import shutil; shutil.rmtree("a")'"#,
            r#"uv run python -c import␣shutil;␣shutil.rmtree("a") ¦ python -c import␣shutil;␣shutil.rmtree("a") ¦ rm -rf a"#,
        ),
    ];
    check(&rows, show_invocations);
}

#[test]
fn statements_for_databases_are_shown() {
    let rows = [
        (
            "psql -c 'SELECT 1; DROP TABLE users' db",
            "psql -c SELECT␣1;␣DROP␣TABLE␣users db ¦ sql drop table users",
        ),
        ("mysql -e DROP DATABASE test", "mysql -e DROP DATABASE test ¦ sql drop database test"),
        (
            "psql <<EOF\nDELETE FROM a;\nDELETE FROM b WHERE x=1;\nEOF",
            "psql ¦ sql delete from a ¦ sql delete from b where x 1",
        ),
        (
            "echo 'drop table x' | sqlite3 a.db",
            "echo drop␣table␣x ¦ sqlite3 a.db ¦ sql drop table x",
        ),
        ("mongosh --eval 'db.users.drop()'", "mongosh --eval db.users.drop() ¦ mongo drop"),
        ("redis-cli FLUSHALL", "redis-cli FLUSHALL"),
        (
            "sqlite3 db \"delete from a -- where\n;\"",
            "sqlite3 db delete␣from␣a␣--␣where⏎; ¦ sql delete from a",
        ),
        (r#"psql -c "select 'drop table x'""#, "psql -c select␣'drop␣table␣x'"),
        (
            "psql -c 'WITH a AS (SELECT 1) DELETE FROM b'",
            "psql -c WITH␣a␣AS␣(SELECT␣1)␣DELETE␣FROM␣b ¦ sql delete from b",
        ),
        (r#"echo "drop table a" > notes.sql"#, "echo drop␣table␣a"),
    ];
    check(&rows, show_invocations);
}

#[test]
fn deep_nesting_and_long_chains_are_given_up() {
    let nested = format!("rm a; {}rm b{}", "$(".repeat(1000), ")".repeat(1000));
    let split = split(&nested);
    assert_eq!((split.complete, split.commands[0].source.as_ref()), (false, "rm a"));

    let mut seen = 0;
    let chain = format!("{}rm a", "sudo ".repeat(100));
    assert!(each_invocation(&chain, &mut |call| seen += usize::from(call.program == "rm")));
    assert_eq!(seen, 1);

    let script = (0..20).fold("rm a".to_owned(), |script, _| format!("eval {script:?}"));
    assert!(!each_invocation(&script, &mut |_| ()));
}

/// A substitution in a script is in the line, too, so scripts in scripts could be read again and
/// again.
#[test]
fn nested_scripts_do_not_multiply() {
    let line = format!("{}ls{}", "bash -c \"$(".repeat(40), ")\"".repeat(40));
    let mut seen = 0;
    assert!(!each_invocation(&line, &mut |_| seen += 1));
    assert!(seen < 2000, "{seen}");
}

/// Parts that a line is made of by repeating them, up to 1 MiB.
const HOSTILE: &[&str] = &[
    "function a | ",
    "x=\"$x b\"; ",
    "x=$x$x; ",
    "x+=($x b); ",
    "a;",
    "a ",
    ">a ",
    ">a",
    "<<a ",
    "cat <<A\n$(",
    "$(",
    "${",
    "`",
    "\\`",
    "\"$(\"",
    "$((",
    "((#((\n) )",
    "a[ ",
    "{a,",
    "{ ",
    "sudo ",
    "docker run a ",
    "xargs ",
    "eval \"",
    "echo $x | tee f g h; ",
    "( echo a | sh ); ",
    "python -c 'a(a(a(",
    "psql -c 'drop a;",
    "git config alias.x 'x'; git x; ",
    "f() { f $1; }; f x; ",
    "docker run a & ",
    "while true; do a & ",
    "f() { ",
    "f() { \"$@\"; \"$@\"; }; f f f f f f f f x; ",
    "-aaaaaaaa",
];

/// Words that are shown and bytes of them: what reading a line costs, in memory as in time.
fn work(line: &str) -> (usize, usize) {
    let (mut words, mut bytes) = (0, 0);
    let mut count = |invocation: &Invocation<'_>| {
        words += 1 + invocation.arguments.len() + invocation.redirections.len();
        bytes += invocation.arguments.iter().map(|word| word.text.len()).sum::<usize>();
    };
    if !each_invocation(line, &mut count) {
        each_suspect(line, &mut count);
    }
    (words, bytes)
}

/// Values that grow with each command took gigabytes where the line has 314 bytes.
#[test]
fn no_line_takes_more_work_than_its_share() {
    let bomb = format!("true || :; x=a; {}rm -rf ~", "x=\"$x b\"; ".repeat(29));
    assert!(work(&bomb).1 < 4096, "{:?}", work(&bomb));
    let used = format!("x='{}'; {}rm -rf ~", "ls a; ".repeat(8000), "${x:-$x} ".repeat(8000));
    assert!(work(&used).1 < 4 << 20, "{:?}", work(&used));
    let read = format!("read x <<< '{}'; {}", "-x rm a;".repeat(8000), "${x:-$x} ".repeat(8000));
    assert!(work(&read).1 < 4 << 20, "{:?}", work(&read));
    for (at, part) in HOSTILE.iter().enumerate() {
        // One at full length of each kind is enough for a build without optimisation.
        let length = if at % 7 == 0 { 1 << 20 } else { 1 << 16 };
        let line = format!("true || :; x=a; {}", part.repeat(length / part.len()));
        let (words, bytes) = work(&line);
        assert!(words < 300_000 && bytes < 4 << 20, "{part}: {words} words, {bytes} bytes");
        let kept = split(&line).commands;
        let count: usize = kept.iter().map(|it| it.words.len() + it.assignments.len() + 1).sum();
        let bytes =
            |word: &Word<'_>| if let Cow::Owned(text) = &word.text { text.len() } else { 0 };
        let copied: usize = kept.iter().flat_map(|command| &command.words).map(bytes).sum();
        assert!(count <= 16_384 && copied <= 4 << 20, "{part}: {count} words, {copied} bytes");
    }
}
