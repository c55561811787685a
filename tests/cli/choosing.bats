#!/usr/bin/env bats
# Selection of samples: perf's options, messages, impossible selections.

bats_require_minimum_version 1.5.0
load assay

setup() {
	assay_setup
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
	# a recording is written while it is read, but not if samples are chosen
	run --separate-stderr "$ASSAY" convert --to perf-script --comm server \
		"$BATS_TEST_DIRNAME/../golden/report/perf-data.d/input.data"
	[ "$status" -eq 0 ]
	[[ "$output" == *server* && "$output" != *client* ]]
}

@test "where nothing is chosen, it is said what could be, and nothing else" {
	for command in report explain '' html 'convert --to folded' 'convert --to perf-script' \
		'diff two.txt' 'report --json' 'explain --json'; do
		while IFS='|' read -r option sentence; do
			# shellcheck disable=SC2086
			run --separate-stderr "$ASSAY" $command $option two.txt
			[ "$status" -eq 2 ] || { echo "$command $option: $status"; return 1; }
			[ -z "$output" ]
			[ "$stderr" = "assay: two.txt: no sample matches $option$sentence" ]
		done <<-'END'
			--comm fnid|; commands in it: find, sort
			--cpu 9|; CPUs in it: 0-2
			--time 100,200|; it was recorded from 1.000000 to 3.000000 s
			--time 2.5,2.6|; it was recorded from 1.000000 to 3.000000 s
			--tid 7,8|; threads in it: 10, 11
		END
	done
	fails 2 explain --dso nosuch two.txt
	[ "$stderr" = "assay: two.txt: no sample matches --dso nosuch; modules in it: /usr/bin/find, [kernel.kallsyms], /usr/bin/sort" ] ||
		[[ "$stderr" == *"; modules in it: "*"[kernel.kallsyms]"* ]]
	fails 2 explain --symbol nosuch two.txt
	[[ "$stderr" == *"; functions in it: "*"compare"* ]]
	# each alone matches some
	fails 2 explain --comm find --dso sort two.txt
	[ "$stderr" = "assay: two.txt: no sample matches --comm find (2) and --dso sort (1)" ]
	echo old >out
	fails 2 explain --comm fnid -f -o out two.txt
	[ "$(cat out)" = old ]
}

@test "one input of several may have none of what is chosen" {
	sed 's/^find/cat /' two.txt | grep -v '^sort' | sed '/compare/d' >cats.txt
	run --separate-stderr "$ASSAY" report --comm find two.txt cats.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"2 match --comm find"*"0 match --comm find"* ]]
	run --separate-stderr "$ASSAY" explain --comm find two.txt cats.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"cats.txt:1: poor, do not use for: small shares"*"No sample was selected: no conclusion possible"* ]]
}

@test "rows of a report that nothing matches: what could be" {
	report="$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt"
	for option in '--comm nosuch' '--dso nosuch' '--symbol nosuch' '--category nosuch'; do
		# shellcheck disable=SC2086
		fails 2 report $option "$report"
		[[ "$stderr" == *": nothing matches $option; "* ]]
	done
	fails 2 report --dso nosuch two.txt
	[[ "$stderr" == *": nothing matches --dso nosuch; modules in it: "* ]]
	fails 2 report --parent nosuch two.txt
	fails 2 report --json --symbol nosuch two.txt
}

@test "calls that no pattern matches: status 2, and what could be" {
	trace="$ASSAY_SOURCE/samples/sendto-sockmap.ftrace.txt"
	for option in --total --under --only --expand; do
		fails 2 calls "$option" nosuch "$trace"
		[[ "$stderr" == "assay: $option: no call matches 'nosuch'; --by function lists"* ]]
	done
	fails 2 calls --expand 99999 "$trace"
	run "$ASSAY" calls --total nosuch --total 'tcp*' "$trace"
	[ "$status" -eq 0 ]
	fails 2 flame --capture 9 "$trace"
	fails 2 convert --capture 9 --to folded "$trace"
	[[ "$stderr" == "assay: --capture: there is no capture 9 of 1; assay info counts them" ]]
}

@test "an option about data that the samples lack is an error" {
	for option in '--tid 3' '--pid 3' '-C 1' '--time 1,2' '--time 10%'; do
		run --separate-stderr "$ASSAY" report $option two.folded
		[ "$status" -eq 2 ]
		[[ "$stderr" == "assay: two.folded: folded of line 1: the samples have no "* ]]
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
	[[ "$stderr" == *"only 'assay report' can select rows"* ]]
}

@test "nonsense is a usage error that says what is wanted" {
	run --separate-stderr "$ASSAY" report -C 3-1 two.txt
	[ "$status" -eq 2 ]
	[ "$stderr" = "assay: --cpu wants numbers like 0,2-4, not '3-1'; try 'assay report --help'" ]
	run --separate-stderr "$ASSAY" report --time 3 two.txt
	[ "$status" -eq 2 ]
	[[ "$stderr" == "assay: --time wants START,STOP in seconds"* ]]
}
