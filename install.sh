#!/bin/sh
# Gets hookman, puts it where it stays, and registers it with Claude Code.
# `install.sh --help` says how to call it; docs/install.md says what it does.
#
# The whole script is in functions, and the last line calls the first of them, so that
# a download that breaks off runs nothing.
set -eu

# scripts/release fills these in for the copy that it publishes; a checkout has its own.
REPOSITORY=
KEY=

main() {
    version=
    directory=${HOOKMAN_INSTALL_DIR:-}
    hooks=yes
    assent=
    remove=
    read_arguments "$@"

    [ -n "${HOME:-}" ] || fail 'HOME is not set'
    PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    share=${XDG_DATA_HOME:-$HOME/.local/share}
    fish=${XDG_CONFIG_HOME:-$HOME/.config}/fish/completions
    : "${directory:=$HOME/.local/bin}"
    case $directory in
        /*) ;;
        *) directory=$(pwd)/$directory ;;
    esac
    program=$directory/hookman

    if [ -n "$remove" ]; then
        uninstall
        return
    fi
    check_directory
    work=$(mktemp -d) || fail 'no temporary directory could be made'
    trap 'rm -rf -- "$work"; rm -f -- "$directory/.hookman.$$"' EXIT
    trap 'exit 130' INT TERM HUP
    find_checkout
    if [ -n "$checkout" ] && [ -z "$version" ]; then
        binary=$(sh "$checkout/scripts/build") || fail 'the build failed'
    elif ! get_release; then
        build_crate
    fi
    place
    place_beside
    if [ "$hooks" = yes ]; then
        asking "$program" install --binary "$program"
    fi
}

usage() {
    cat <<'END'
Gets hookman, puts it where it stays, and registers it with Claude Code.

Usage: install.sh [OPTION…]

In a checkout it builds what is there with cargo. Elsewhere it downloads the
release for this platform and checks its signature and its checksum before it
places anything; where there is no release to be had it builds the published
crate with cargo.

  --version V   this version, such as 0.1.0 (default: the checkout, else the
                newest release)
  --dir D       where the program goes (default: ~/.local/bin)
  --no-hooks    place the program and change no settings
  --yes         register the hooks without asking
  --uninstall   take the hooks out of the settings, and remove the program and
                what came with it
  --help        this text

HOOKMAN_INSTALL_DIR   as --dir
HOOKMAN_RELEASES      another place for releases, such as a mirror; it must be
                      laid out as https://github.com/OWNER/REPOSITORY/releases
                      is. What it serves is checked with the same key.
END
}

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
            --version | --dir)
                [ $# -gt 1 ] || fail "$1 needs a value; --help lists the options"
                case $1 in
                    --version) version=${2#v} ;;
                    --dir) directory=$2 ;;
                esac
                shift
                ;;
            --version=*) version=${1#--version=} version=${version#v} ;;
            --dir=*) directory=${1#--dir=} ;;
            --no-hooks) hooks=no ;;
            -y | --yes) assent=--yes ;;
            --uninstall) remove=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *) fail "there is no option $1; --help lists them" ;;
        esac
        shift
    done
    case $version in
        *[!0-9A-Za-z.+-]*) fail "$version is no version; one looks like 0.1.0" ;;
    esac
    if [ -n "$remove" ] && [ "$hooks" = no ]; then
        fail '--uninstall takes the hooks out too: without the program they would only fail'
    fi
}

say() {
    printf '%s\n' "$1"
}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 2
}

# asking COMMAND…: runs a command that may ask, also where this script is read from a pipe.
asking() {
    if [ -n "$assent" ]; then
        "$@" --yes
    elif [ ! -t 0 ] && [ -t 1 ] && (: </dev/tty) 2>/dev/null; then
        "$@" </dev/tty
    else
        "$@"
    fi
}

check_directory() {
    if [ -e "$directory" ] && [ ! -d "$directory" ]; then
        fail "$directory is not a directory; move it elsewhere, or choose another one with --dir"
    fi
    if [ -d "$program" ]; then
        fail "$program is a directory, where the program should be; move it elsewhere, or choose another place with --dir"
    fi
    if [ -L "$program" ]; then
        fail "$program is a link to $(readlink "$program"); update hookman where that came from, remove the link, or choose another place with --dir"
    fi
    mkdir -p -- "$directory" || fail "$directory cannot be made; choose another one with --dir"
    [ -w "$directory" ] || fail "$directory cannot be written to; choose another one with --dir"
}

# Sets `checkout` if this script lies in one, and takes the repository and the key from it.
find_checkout() {
    checkout=
    case $0 in
        */install.sh | install.sh) ;;
        *) return 0 ;;
    esac
    [ -f "$0" ] || return 0
    folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
    if [ -f "$folder/scripts/build" ] && grep -qx 'name = "hookman"' "$folder/Cargo.toml" 2>/dev/null; then
        checkout=$folder
        REPOSITORY=$(sed -n 's/^repository = "\(.*\)"/\1/p' "$folder/Cargo.toml")
        KEY=$(grep '^ssh-' "$folder/packaging/release-key.pub" || :)
    fi
}

# Sets `target` to the platform's name in releases.
find_target() {
    case $(uname -s) in
        Linux) system=unknown-linux-musl ;;
        Darwin) system=apple-darwin ;;
        *) return 1 ;;
    esac
    case $(uname -m) in
        x86_64 | amd64) processor=x86_64 ;;
        aarch64 | arm64) processor=aarch64 ;;
        *) return 1 ;;
    esac
    # A shell that Rosetta translates is told that the processor is another.
    if [ "$system" = apple-darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" = 1 ]; then
        processor=aarch64
    fi
    target=$processor-$system
}

# Downloads the release and sets `binary`. Fails, with `reason` set, where there is none to
# be had; ends the script where what came is not what was signed.
get_release() {
    reason="there are no releases for $(uname -s) on $(uname -m)"
    find_target || return 1
    releases=${HOOKMAN_RELEASES:-}
    if [ -z "$releases" ]; then
        reason='this copy of install.sh knows no releases'
        case $REPOSITORY in
            '' | */OWNER/*) return 1 ;;
        esac
        releases=$REPOSITORY/releases
    fi
    reason='this copy of install.sh has no key to check releases with'
    [ -n "$KEY" ] || return 1
    reason='there is no ssh-keygen (of OpenSSH 8.1 or newer) to check the signature of the release with'
    command -v ssh-keygen >/dev/null 2>&1 || return 1
    reason='there is no curl or wget to download the release with'
    command -v curl >/dev/null 2>&1 || command -v wget >/dev/null 2>&1 || return 1

    from=$releases/latest/download
    [ -z "$version" ] || from=$releases/download/v$version
    reason="$from/SHA256SUMS cannot be downloaded"
    fetch "$from/SHA256SUMS" && fetch "$from/SHA256SUMS.sig" || return 1
    printf 'hookman %s\n' "$KEY" >"$work/signers"
    ssh-keygen -Y verify -f "$work/signers" -I hookman -n hookman-release \
        -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" >"$work/verdict" 2>&1 ||
        fail "the signature of $from/SHA256SUMS is not that of the release key, so nothing was installed ($(tail -n 1 "$work/verdict"))"

    # Names of archives have the version in them, so an old release cannot pass for a new one.
    archive=$(sed -n "s/^[0-9a-f]\{64\}  \(hookman-${version:-.*}-$target\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
    reason="the release has no archive for $target"
    [ -n "$archive" ] || return 1
    asked=$version
    version=${archive#hookman-} version=${version%-"$target".tar.gz}
    there=$("$program" --version 2>/dev/null) || there=
    if [ -z "$asked" ] && older "$version" "${there#hookman }"; then
        fail "$program is ${there#hookman }, which is newer than the newest release there, $version, so nothing was installed; --version $version puts that in its place"
    fi
    fetch "$releases/download/v$version/$archive" ||
        fail "$releases/download/v$version/$archive did not come whole, so nothing was installed; try again"
    grep -qxF "$(checksum "$work/$archive")  $archive" "$work/SHA256SUMS" ||
        fail "the checksum of $archive is not the one that was signed, so nothing was installed; try again"
    tar -xzf "$work/$archive" -C "$work" || fail "$archive cannot be unpacked"
    binary=$work/${archive%.tar.gz}/hookman
    [ "$("$binary" --version 2>/dev/null)" = "hookman $version" ] ||
        fail "the program in $archive does not run here, so nothing was installed"
    say "checked the signature and the checksum of hookman $version"
}

# fetch URL: downloads a file into `work`: at most 64 MiB, within five minutes where the tools can tell.
fetch() (
    ulimit -f 131072 || :
    if command -v curl >/dev/null 2>&1; then
        case $1 in
            https:*) set -- "$1" --proto '=https' --tlsv1.2 --retry 2 ;;
        esac
        url=$1
        shift
        curl "$@" --fail --silent --show-error --location --connect-timeout 30 --max-time 300 --max-filesize 67108864 -o "$work/${url##*/}" "$url"
    else
        limit=
        command -v timeout >/dev/null 2>&1 && limit='timeout 300'
        $limit wget -q --tries=2 --timeout=60 -O "$work/${1##*/}" "$1"
    fi
)

# older ONE OTHER: whether version ONE is older than version OTHER.
older() {
    printf '%s\n%s\n' "$1" "$2" | sed 's/[-+].*//' | {
        IFS=. read -r a b c
        IFS=. read -r x y z
        [ "$a" -lt "$x" ] || { [ "$a" -eq "$x" ] && { [ "$b" -lt "$y" ] || { [ "$b" -eq "$y" ] && [ "$c" -lt "$z" ]; }; }; }
    } 2>/dev/null
}

checksum() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1"
    else
        shasum -a 256 <"$1"
    fi | cut -d ' ' -f 1
}

# Builds the published crate and sets `binary`.
build_crate() {
    command -v cargo >/dev/null 2>&1 ||
        fail "$reason, and there is no cargo to build hookman with; get Rust from https://rustup.rs and run this again"
    say "$reason; building the published crate with cargo instead"
    host=$(rustc -vV | sed -n 's/^host: //p')
    case $host in
        # As in scripts/build.
        *-linux-gnu) export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static -C relocation-model=static" ;;
    esac
    set -- --locked --target "$host" --root "$work/crate" --features self-update
    [ -z "$version" ] || set -- "$@" --version "$version"
    cargo install hookman "$@" || fail 'the build failed'
    binary=$work/crate/bin/hookman
}

place() {
    if cmp -s "$binary" "$program"; then
        say "$program is up to date"
    else
        # A copy beside the target and a rename: a running session never meets half a program.
        cp -- "$binary" "$directory/.hookman.$$"
        chmod 755 "$directory/.hookman.$$"
        mv -f -- "$directory/.hookman.$$" "$program"
        say "installed $program"
    fi
    case ":$PATH:" in
        *":$directory:"*) ;;
        *) say "note: $directory is not on your PATH" ;;
    esac
}

# The completions only load what the program prints, so they are always its own.
MARK="# Written by hookman's install.sh; install.sh --uninstall removes it."

place_beside() {
    if command -v bash >/dev/null 2>&1; then
        put "$share/bash-completion/completions/hookman" "$MARK
eval \"\$(hookman completions bash)\""
    fi
    if command -v zsh >/dev/null 2>&1; then
        put "$share/zsh/site-functions/_hookman" "#compdef hookman
$MARK
eval \"\$(hookman completions zsh)\"
\$_comps[hookman] \"\$@\""
        case ${SHELL:-} in
            */zsh) say "note: for completions in zsh, have fpath=($share/zsh/site-functions \$fpath) before compinit in ~/.zshrc" ;;
        esac
    fi
    if command -v fish >/dev/null 2>&1; then
        put "$fish/hookman.fish" "$MARK
hookman completions fish | source"
    fi
    "$program" man "$share/man/man1" >/dev/null || say "note: the manual pages could not be written"
}

# put FILE TEXT: writes a file, unless there is one that this script did not write.
put() {
    if [ -e "$1" ] && ! grep -qxF "$MARK" "$1"; then
        say "note: $1 is not hookman's, so it was left as it is"
    elif ! { mkdir -p -- "$(dirname -- "$1")" && printf '%s\n' "$2" >"$1"; } 2>/dev/null; then
        say "note: $1 could not be written"
    fi
}

uninstall() {
    if [ -x "$program" ]; then
        asking "$program" uninstall || fail 'the hooks are still in the settings, so the program was left where it is'
    elif [ ! -e "$program" ]; then
        say "there is no $program"
    fi
    for file in "$share/bash-completion/completions/hookman" "$share/zsh/site-functions/_hookman" "$fish/hookman.fish"; do
        if [ -f "$file" ] && grep -qxF "$MARK" "$file"; then
            rm -f -- "$file"
        fi
    done
    for file in "$share"/man/man1/hookman.1 "$share"/man/man1/hookman-*.1; do
        if [ -f "$file" ] && grep -q '^\.TH hookman' "$file"; then
            rm -f -- "$file"
        fi
    done
    if [ -e "$program" ]; then
        rm -f -- "$program"
        say "removed $program"
    fi
    say 'hookman.toml and what hookman remembers of sessions stay; docs/install.md says where they are'
}

main "$@"
