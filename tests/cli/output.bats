#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# Run words with a terminal as standard output.
on_terminal() {
	TERM=xterm script -qec "$(printf '%q ' "$@")" /dev/null </dev/null
}

needs_terminal() {
	command -v script >/dev/null || skip "no script(1)"
	on_terminal true >/dev/null 2>&1 || skip "no pseudo-terminal"
}

@test "no colour and no pager when stdout is not a terminal" {
	run "$ASSAY" small.folded
	[ "$status" -eq 0 ]
	[[ "$output" != *$'\033'* ]]
}

@test "colour on a terminal, and NO_COLOR and --color" {
	needs_terminal
	run on_terminal "$ASSAY" --no-pager small.folded
	[[ "$output" == *$'\033['* ]]
	run on_terminal env NO_COLOR=1 "$ASSAY" --no-pager small.folded
	[[ "$output" != *$'\033['* ]]
	run on_terminal "$ASSAY" --no-pager --color=never small.folded
	[[ "$output" != *$'\033['* ]]
	run "$ASSAY" --color=always small.folded
	[[ "$output" == *$'\033['* ]]
}

@test "the pager is used on a terminal only" {
	needs_terminal
	run on_terminal env ASSAY_PAGER="sed s/^/paged:/" "$ASSAY" small.folded
	[[ "$output" == *"paged:"* ]]
	run on_terminal env ASSAY_PAGER="sed s/^/paged:/" "$ASSAY" --no-pager small.folded
	[[ "$output" != *"paged:"* ]]
	run env ASSAY_PAGER="sed s/^/paged:/" "$ASSAY" small.folded
	[[ "$output" != *"paged:"* ]]
}

@test "every command's JSON parses and names its schema" {
	for words in front report info "convert --to json"; do
		args=$words
		[ "$words" = front ] && args=
		# shellcheck disable=SC2086
		"$ASSAY" $args --json small.folded >out 2>/dev/null || "$ASSAY" $args small.folded >out
		is_json <out
		grep -q "\"schema\": \"assay-${words%% *}-1\"" out
	done
}

@test "names of the input cannot act: escapes in text, formulas in CSV" {
	for i in $(seq 200); do echo "main;run;f$i 1"; done >hostile.folded
	printf 'main;a\033[31mb 30\nmain;\302\233evil 5\nmain;=cmd|calc 20\nmain;bad\377utf 10\n' \
		>>hostile.folded
	for words in "" report info "report --csv" "report -g callee" "convert --to csv"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $words hostile.folded
		[ "$status" -eq 0 ]
		[[ "$output" != *$'\033'* ]]
		[[ "$output" != *$'\007'* ]]
	done
	run "$ASSAY" report --csv hostile.folded
	[[ "$output" == *"\"'=cmd|calc\""* ]]
	"$ASSAY" report --json hostile.folded | is_json
}

@test "-o writes the file at once, or not at all" {
	echo old >out.csv
	run --separate-stderr "$ASSAY" convert --to csv -f -o out.csv small.folded
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q main out.csv
	echo old >out.csv
	run --separate-stderr "$ASSAY" convert --to csv -f -o out.csv gone.folded
	[ "$status" -eq 1 ]
	[ "$(cat out.csv)" = old ]
	[ "$(find . -name 'out.csv*' | wc -l)" -eq 1 ]
	run --separate-stderr "$ASSAY" report -o nodir/out small.folded
	[ "$status" -eq 1 ]
	[[ "$stderr" == "assay: nodir/out: "* ]]
	[ "$("$ASSAY" convert --to csv -o /dev/stdout small.folded | grep -c main)" -eq 3 ]
}

@test "folded stacks come back as they went in" {
	"$ASSAY" convert --to folded small.folded | sort >back
	sort small.folded | diff - back
}

@test "text is as wide as COLUMNS or the terminal, 120 columns in a file, not cut with --wide" {
	needs_terminal
	printf 'main;%0300d 3\n' 7 >long.folded
	run "$ASSAY" report long.folded
	[ "$(printf '%s\n' "$output" | wc -L)" -eq 120 ]
	run env COLUMNS=70 "$ASSAY" report long.folded
	[ "$(printf '%s\n' "$output" | wc -L)" -le 70 ]
	run env COLUMNS=170 "$ASSAY" report long.folded
	[ "$(printf '%s\n' "$output" | wc -L)" -gt 120 ]
	run env COLUMNS=70 "$ASSAY" report --wide long.folded
	[[ "$output" == *"$(printf '%0300d' 7)"* ]]
	run "$ASSAY" report --wide long.folded
	[[ "$output" == *"$(printf '%0300d' 7)"* ]]
	run on_terminal bash -c "stty cols 60; '$ASSAY' report --no-pager long.folded"
	while IFS= read -r line; do
		line=$(printf '%s' "$line" | sed 's/\x1b\[[0-9;]*m//g; s/\r//')
		[ "${#line}" -le 60 ]
	done <<<"$output"
}

@test "a pipe is as wide as the terminal at which it is read" {
	needs_terminal
	printf 'main;%0300d 3\n' 7 >long.folded
	run on_terminal bash -c "stty cols 70; '$ASSAY' report long.folded | cat"
	[ "$(printf '%s\n' "$output" | tr -d '\r' | wc -L)" -eq 70 ]
	run on_terminal bash -c "stty cols 70; '$ASSAY' report long.folded >page; wc -L <page"
	[[ "$output" == 120* ]]
}

@test "without UTF-8 nothing but ASCII is drawn" {
	run env LC_ALL=C "$ASSAY" small.folded
	[ -z "$(printf '%s' "$output" | tr -d '\000-\177')" ]
}

@test "a recovered report is printed again as perf printed it" {
	sample=$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt
	"$ASSAY" report --format perf "$sample" | sed 's/ *$//' >again
	sed -n '849,9488p' "$sample" | sed 's/ *$//' | diff - again
	fails 2 report --format perf --json "$sample"
	fails 2 report --format perf --sort dso "$sample"
}

@test "a terminal without a command gets six wishes" {
	needs_terminal
	run on_terminal "$ASSAY"
	[ "$(printf '%s\n' "$output" | grep -c "^assay ")" -eq 6 ]
}

@test "findings and five rows of a profile fit the first screen of 80x24" {
	cp "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" mail.txt
	COLUMNS=80 "$ASSAY" mail.txt >page
	head -n 23 page >screen
	for number in 1 2 3; do
		grep -q "^  $number\. " screen
	done
	grep -q "^  Data " screen
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+ .* L[0-9]+$' screen)" -ge 5 ]
	# programs get the captures in the order of the input
	"$ASSAY" --json mail.txt |
		python3 -c 'import json, sys
lines = [c["source"]["first_line"] for c in json.load(sys.stdin)["captures"]]
assert lines == sorted(lines), lines'
}
