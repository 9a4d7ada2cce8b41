#!/bin/sh
# Blocks `git commit --no-verify`. The client's JSON is on standard input; exit code 2 blocks, with standard
# error as the reason.
if grep -q -e '"command" *: *"[^"]*git commit[^"]*--no-verify'; then
    echo "the checks before a commit are there for a reason: leave --no-verify out" >&2
    exit 2
fi
