#!/bin/sh
# Sources are as clang-format 14 lays them out, and free of // comments.
set -u
cd "$(dirname "$0")/.." || exit 1
# sources that are the input of a test are as they are
files=$(git ls-files 'src/*.[ch]' 'tests/*.[ch]' 'labs/*.[ch]' | grep -v -e '^tests/data/' -e '^tests/fuzz/corpus/')
bad=0
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror || { echo "make format-all lays them out"; bad=1; }
# shellcheck disable=SC2086
if grep -nE '(^|[[:space:];{}])//( |$)' $files; then
	echo "use /* */ for comments that stay"
	bad=1
fi
# shellcheck disable=SC2086
for f in $files; do
	head -n 1 "$f" | grep -q 'SPDX-License-Identifier: MIT' || { echo "$f: no SPDX line"; bad=1; }
done
exit $bad
