#!/bin/sh
# Golden tests: every <area>/<case>.d/ holds args (one word a line), expected.txt, and maybe input*.
# The file needs names a feature of the build, as --version does; without it the case is skipped.
# Bundled captures are seen as samples/NAME, inputs of the fuzz targets as corpus/FORMAT/NAME. rules*/ID-fires.d, ID-clean.d and ID-cannot-tell.d: every rule has all three.
#   tests/golden/run.sh ASSAY            compare, TAP on stdout
#   UPDATE=1 tests/golden/run.sh ASSAY   rewrite expected.txt, then read the git diff
#   ONLY=PATTERN                         of all that only the cases whose AREA/CASE matches: 'rules/copying-*'
set -u
only=${ONLY:-*}
assay=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
# Names in the output must not depend on where the tree is: samples are seen as ./samples.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$here/../../samples" "$work/samples"
ln -s "$here/../fuzz/corpus" "$work/corpus"
export LC_ALL=C.UTF-8
unset COLUMNS
has=$("$assay" --version | grep '^with ')
n=0
failed=0
not_ok() {
	echo "not ok $n - $1"
	failed=1
}
for dir in "$here"/*/*.d; do
	# shellcheck disable=SC2254 # a pattern
	case ${dir#"$here"/} in
	$only) ;;
	*) continue ;;
	esac
	n=$((n + 1))
	if [ -e "$dir/needs" ] && ! echo "$has" | grep -qw "$(cat "$dir/needs")"; then
		echo "ok $n - ${dir#"$here"/} # SKIP no $(cat "$dir/needs") in this build"
		continue
	fi
	rm -f "$work"/input*
	for input in "$dir"/input*; do
		[ -e "$input" ] && ln -s "$input" "$work/"
	done
	# shellcheck disable=SC2046 # args holds one word a line
	(cd "$work" && set -f && "$assay" $(cat "$dir/args")) >"$work/out" 2>&1
	echo "exit $?" >>"$work/out"
	[ "${UPDATE:-0}" = 1 ] && cp "$work/out" "$dir/expected.txt"
	if diff -u "$dir/expected.txt" "$work/out" >&2; then
		echo "ok $n - ${dir#"$here"/}"
	else
		not_ok "${dir#"$here"/}"
	fi
done
if [ "${ONLY:-}" ]; then
	echo "1..$n"
	exit $failed
fi
# Servers in good health: nothing to act on is found in them.
for dir in "$here"/healthy/*.d; do
	n=$((n + 1))
	if grep -qE '\[(warning|error),' "$dir/expected.txt"; then
		not_ok "${dir#"$here"/} is called ill"
	else
		echo "ok $n - ${dir#"$here"/} is found healthy"
	fi
done
# Whole results of many inputs, by their checksums.
n=$((n + 1))
"$here/sums.py" "$assay" >"$work/out"
case $? in
0) echo "ok $n - whole results have their checksums" ;;
77) echo "ok $n - whole results have their checksums # SKIP" && cat "$work/out" ;;
*) not_ok "whole results have their checksums" && cat "$work/out" ;;
esac
# Every rule has an input that makes it speak, one that it acquits, and one that cannot tell.
for rule in $("$assay" explain --list-rules | cut -d' ' -f1); do
	n=$((n + 1))
	missing=
	for kind in fires clean cannot-tell; do
		found=
		for dir in "$here"/rules*/"$rule-$kind.d"; do
			[ -e "$dir/expected.txt" ] && found=$dir
		done
		[ "$found" ] || missing="$missing $kind"
	done
	if [ "$missing" ]; then
		not_ok "$rule has no golden:$missing"
	elif ! grep -q "$rule\]" "$here"/rules*/"$rule-fires.d/expected.txt"; then
		not_ok "$rule does not speak in its golden"
	elif ! grep -q "^Passed:" "$here"/rules*/"$rule-clean.d/expected.txt"; then
		not_ok "$rule is not clean in its golden $rule-clean"
	elif grep -q "^Passed:" "$here"/rules*/"$rule-cannot-tell.d/expected.txt"; then
		not_ok "$rule is assessed in its golden $rule-cannot-tell: change that input"
	else
		echo "ok $n - $rule has its three goldens"
	fi
done
echo "1..$n"
exit $failed
