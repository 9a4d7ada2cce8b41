#!/bin/sh
# Finds hookman for this project's Claude Code hooks and hands the call over.
# Written by `hookman install --project`; the hooks are in hookman.toml beside it.

folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 0

for hookman in "$(command -v hookman 2>/dev/null)" "$HOME/.local/bin/hookman" "$HOME/.cargo/bin/hookman"; do
    case $hookman in
        /*) [ -x "$hookman" ] && exec "$hookman" "$@" --project "${folder%/*}" ;;
    esac
done

# A gate that must hold blocks even where hookman is missing: the client reads
# exit code 2 as a block and standard error as the reason.
if grep -Eqs "^[^#]*on_error[[:space:]]*=[[:space:]]*[\"']closed[\"']" \
    "$folder/hookman.toml" "$folder/hookman.local.toml"; then
    case $2 in
        PreToolUse | UserPromptSubmit | UserPromptExpansion)
            echo "This project has hooks that must not be skipped, and hookman, which runs them, is not installed. Install it from its README, or ask the user." >&2
            exit 2
            ;;
    esac
fi

# Said once a session, because a message at every call is one nobody reads.
session=$(tr ',' '\n' | sed -n 's/.*"session_id"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9_-]\{1,128\}\)".*/\1/p' | head -n 1)
state=${HOOKMAN_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/hookman}/sessions/${session:-unknown}
[ -e "$state/launcher-told" ] && exit 0
(umask 077 && mkdir -p "$state" && : >"$state/launcher-told") 2>/dev/null
printf '%s\n' '{"systemMessage":"This project has hooks that hookman runs, and hookman is not installed, so they did not run. Install it from its README."}'
exit 0
