#!/bin/sh
# Sources are as clang-format 14 lays them out, and free of // comments.
# Their layout is checked again only if they changed since the last check without a mistake.
set -u
cd "$(dirname "$0")/.." || exit 1
# sources that are the input of a test are as they are
files=$(git ls-files 'src/*.[ch]' 'tests/*.[ch]' 'labs/*.[ch]' | grep -v -e '^tests/data/' -e '^tests/fuzz/corpus/')
bad=0
stamp=build/checked-format
now=$(mktemp)
trap 'rm -f "$now"' EXIT
if [ -e "$stamp" ] && [ -z "$(find .clang-format tools/check-format.sh -newer "$stamp")" ]; then
	# shellcheck disable=SC2086
	changed=$(find $files -newer "$stamp")
else
	changed=$files
fi
if [ -n "$changed" ] &&
	! printf '%s\n' "$changed" | xargs -P "$(nproc)" -n 40 clang-format --dry-run -Werror; then
	echo "make format-all lays them out"
	bad=1
elif [ -d build ]; then
	touch -r "$now" "$stamp"
fi
# shellcheck disable=SC2086
if grep -nE '(^|[[:space:];{}])//( |$)' $files; then
	echo "use /* */ for comments that stay"
	bad=1
fi
# shellcheck disable=SC2086
if ! awk 'FNR == 1 && !/SPDX-License-Identifier: MIT/ { print FILENAME ": no SPDX line"; bad = 1 }
	FNR > 1 { nextfile } END { exit bad }' $files; then
	bad=1
fi
exit $bad
