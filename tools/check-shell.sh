#!/bin/sh
# Scripts are clean to shellcheck.
set -u
cd "$(dirname "$0")/.." || exit 1
files=$(git ls-files | while read -r f; do
	[ -f "$f" ] && head -n 1 "$f" 2>/dev/null | grep -aqE '^#!.*\b(ba)?sh$' && echo "$f"
done)
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 8 shellcheck -x
