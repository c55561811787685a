#!/usr/bin/env bats
# Which samples: perf's words, what is said about it, what cannot be answered.

bats_require_minimum_version 1.5.0
load assay

setup() {
	cd "$BATS_TEST_TMPDIR"
	cat >two.txt <<'END'
find  10 [000]     1.000000:     250000 cpu-clock:
	ffffffff81000010 sys_read+0x10 ([kernel.kallsyms])
	          401000 main+0x0 (/usr/bin/find)

sort  11 [001]     2.000000:     250000 cpu-clock:
	          402000 compare+0x0 (/usr/bin/sort)

find  10 [002]     3.000000:     250000 cpu-clock:
	          401000 main+0x0 (/usr/bin/find)

END
	printf 'a;main;f 3\nb;main;g 1\n' >two.folded
}

@test "a command is chosen and the whole stays the whole" {
	run --separate-stderr "$ASSAY" report --no-children --comm find two.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"Chosen      of 3 samples 2 match --comm find"* ]]
	[[ "$output" == *"66.67 %"* ]]
	[[ "$output" != *sort* ]]
}

@test "--percentage relative makes what was chosen the whole" {
	run --separate-stderr "$ASSAY" report --no-children --comm find --percentage relative two.txt
	[[ "$output" == *"100.00 %"* ]]
}

@test "CPUs and times cut the recording" {
	run --separate-stderr "$ASSAY" report --no-children -C 0,2-3 --time 0.5,2.5 two.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"of 3 samples 1 matches --cpu 0,2-3 (2) and --time 0.5,2.5 (2)"* ]]
	[[ "$output" == *"100.00 %"* ]]
}

@test "the choice is in the JSON of report, explain and the front page" {
	for command in report explain ''; do
		run --separate-stderr "$ASSAY" $command --json --tid 10 two.txt
		[ "$status" -eq 0 ]
		printf '%s' "$output" | python3 -c '
import json, sys
selected = json.load(sys.stdin)["captures"][0]["selected"]
assert selected == {"of": 3, "samples": 2,
                    "filters": [{"option": "tid", "value": "10", "samples": 2}]}, selected'
	done
}

@test "convert writes what was chosen" {
	run --separate-stderr "$ASSAY" convert --to folded --dso sort two.txt
	[ "$status" -eq 0 ]
	[[ "$output" == "sort;compare "* ]]
}

@test "a command that nothing was of is answered with those there are" {
	run --separate-stderr "$ASSAY" report --comm fnid two.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"of 3 samples 0 match --comm fnid"*"commands in it: find, sort"* ]]
}

@test "what the samples do not say is an error" {
	for option in '--tid 3' '--pid 3' '-C 1' '--time 1,2' '--time 10%'; do
		run --separate-stderr "$ASSAY" report $option two.folded
		[ "$status" -eq 2 ]
		[[ "$stderr" == "assay: two.folded: folded of line 1: the samples do not say "* ]]
		[ -z "$output" ]
	done
}

@test "of a printed report rows are chosen by its columns" {
	report="$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt"
	run --separate-stderr "$ASSAY" report --pid 3 "$report"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"this report has no column of process ids"* ]]
	run --separate-stderr "$ASSAY" explain --time 1,2 "$report"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"only 'assay report' can choose rows"* ]]
}

@test "nonsense is a usage error that says what is wanted" {
	run --separate-stderr "$ASSAY" report -C 3-1 two.txt
	[ "$status" -eq 2 ]
	[ "$stderr" = "assay: --cpu wants numbers like 0,2-4, not '3-1'; try 'assay report --help'" ]
	run --separate-stderr "$ASSAY" report --time 3 two.txt
	[ "$status" -eq 2 ]
	[[ "$stderr" == "assay: --time wants START,STOP in seconds"* ]]
}
