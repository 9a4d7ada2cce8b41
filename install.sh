#!/bin/sh
# Builds hookman, puts it where it stays, and registers it with Claude Code.
#
# Usage: ./install.sh [ARGUMENT…]     arguments go to `hookman install`, such as --yes
#
# HOOKMAN_INSTALL_DIR   where the binary goes (default: ~/.local/bin)
set -eu

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit 2
}

main() {
    [ -n "${HOME:-}" ] || fail 'HOME is not set'
    command -v cargo >/dev/null 2>&1 || fail 'cargo was not found; install Rust first (https://rustup.rs)'

    source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
    directory=${HOOKMAN_INSTALL_DIR:-$HOME/.local/bin}
    case $directory in
        /*) ;;
        *) directory=$(pwd)/$directory ;;
    esac
    if [ -e "$directory" ] && [ ! -d "$directory" ]; then
        fail "$directory is not a directory; move it elsewhere or set HOOKMAN_INSTALL_DIR"
    fi
    if [ -d "$directory/hookman" ]; then
        fail "$directory/hookman is a directory, where the program should be; move it elsewhere or set HOOKMAN_INSTALL_DIR"
    fi
    mkdir -p -- "$directory" || fail "$directory cannot be made"
    [ -w "$directory" ] || fail "$directory cannot be written to"
    binary=$(sh "$source/scripts/build") || fail 'the build failed'

    # A copy beside the target and a rename: a running session never meets half a binary.
    cp -- "$binary" "$directory/.hookman.new"
    chmod 755 "$directory/.hookman.new"
    mv -f -- "$directory/.hookman.new" "$directory/hookman"
    printf 'installed %s\n' "$directory/hookman"
    case ":$PATH:" in
        *":$directory:"*) ;;
        *) printf 'note: %s is not on your PATH\n' "$directory" ;;
    esac

    "$directory/hookman" install --binary "$directory/hookman" "$@"
}

main "$@"
