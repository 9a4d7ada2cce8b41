#!/bin/sh
# Finds hookman for this project's Claude Code hooks and hands the call over.
# Written by `hookman install --project`; the hooks are in hookman.toml next to it.

folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 0
# Programs that import these hooks from Claude Code do not set it.
export CLAUDE_PROJECT_DIR="${CLAUDE_PROJECT_DIR:-${folder%/*}}"

for hookman in "$(command -v hookman 2>/dev/null)" "$HOME/.local/bin/hookman" "$HOME/.cargo/bin/hookman"; do
    case $hookman in
        /*) [ -x "$hookman" ] && exec "$hookman" "$@" --project "${folder%/*}" ;;
    esac
done

# A gate that must hold blocks even where hookman is missing: the client reads
# exit code 2 as a block and standard error as the reason. What is in doubt is
# such a gate, as for hookman itself: a manifest that is there and cannot be
# read, a word that is none of the three, a key in escapes. Only whole lines
# are taken for comments, because a # further on may be part of a string.
unread=
for file in "$folder/hookman.toml" "$folder/hookman.local.toml"; do
    if [ -e "$file" ] || [ -L "$file" ]; then
        { [ -f "$file" ] && [ -r "$file" ]; } || unread=yes
    fi
done
code() {
    for file in "$folder/hookman.toml" "$folder/hookman.local.toml"; do
        if [ -f "$file" ]; then cat "$file" && echo; fi
    done 2>/dev/null | tr -d '\000' | tr '\r' '\n' | LC_ALL=C sed '/^[[:space:]]*#/d'
}
has() {
    code | LC_ALL=C grep -Eiq "$1"
}
begin='(^|[{,])[[:space:]]*([a-z0-9_-]+[.])*'
name='on[_-]?er+or'
key="${begin}[\"']*${name}[\"']*[[:space:]]*"
on_error() {
    has "${begin}[\"']*on[a-z_-]*[\"']*[[:space:]]*[=:]?[[:space:]]*[\"']*$1"
}
is_closed() {
    [ -n "$unread" ] || on_error closed ||
        has "${begin}($name|\"$name\"|'$name')[[:space:]]*[.]" || has '[\][ux][0-9a-f]+[^"]*"[[:space:]]*[.=]' ||
        code | LC_ALL=C grep -Eio "$key=[[:space:]]*[\"']*[a-z]*" |
        LC_ALL=C grep -Eivq "[\"'=[:space:]](open|ask)\$"
}
why='This project has hooks that must not be skipped, and hookman, which runs them, is not installed. Ask the user to install it@PLACE@'
holds=
case $2 in
    PreToolUse)
        if is_closed; then holds=closed; elif on_error ask; then holds=ask; fi
        ;;
    UserPromptSubmit | UserPromptExpansion)
        if is_closed || on_error ask; then holds=closed; fi
        ;;
esac
# Other agents take a question for a yes.
case " $* " in
    *' --host '*) [ -z "$holds" ] || holds=closed ;;
esac
# Copilot heeds a reason in an answer alone, and goes on with a prompt after exit code 2.
case " $* " in
    *' --host copilot '*) words=yes ;;
    *' --host '*) words= ;;
    *) words=${COPILOT_CLI:-} ;;
esac
decided() {
    printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s","permissionDecisionReason":"%s"}}\n' "$1" "$why"
}
case $holds:${words:+words}:$2 in
    closed:words:PreToolUse)
        decided deny
        exit 0
        ;;
    closed:words:*)
        printf '{"decision":"block","reason":"%s"}\n' "$why"
        exit 0
        ;;
    closed:*)
        echo "$why" >&2
        exit 2
        ;;
    ask:*)
        decided ask
        exit 0
        ;;
esac

# Said once a session, because a message at every call is one nobody reads.
session=$(tr ',' '\n' | sed -n 's/.*"session_id"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9_-]\{1,128\}\)".*/\1/p' | head -n 1)
state=${HOOKMAN_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/hookman}/sessions/${session:-unknown}
[ -e "$state/launcher-told" ] && exit 0
(umask 077 && mkdir -p "$state" && : >"$state/launcher-told") 2>/dev/null
printf '%s\n' '{"systemMessage":"The hooks of this project did not run, because hookman, which runs them, is not installed@PLACE@"}'
exit 0
