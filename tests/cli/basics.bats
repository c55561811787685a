#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

@test "nothing to do prints usage on stderr and exits 2" {
	run --separate-stderr "$ASSAY" </dev/null
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == "usage: assay FILE..."* ]]
}

@test "help goes to stdout and exits 0" {
	for words in "--help" "-h" "help" "report --help" "help report" "info -h"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $words
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[[ "$output" == "usage: assay"* ]]
	done
}

@test "help prints a page of docs, without its markup and within 80 columns" {
	run --separate-stderr "$ASSAY" help topics
	[ "$status" -eq 0 ]
	[[ $output == *quality*perf-data*trace-dat* ]]
	for topic in quality perf-data lock-contention record.md; do
		run --separate-stderr "$ASSAY" help "$topic"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -gt 8 ]
		[[ $output != *'**'* && $output != *'```'* ]]
	done
	[ "$("$ASSAY" help quality | wc -L)" -le 80 ]
	fails 2 help qualty
	[[ $stderr == *"did you mean quality; try 'assay help topics'" ]]
}

@test "help has lists of formats and rules, and says how to get a page" {
	run --separate-stderr "$ASSAY" help formats
	[ "$status" -eq 0 ]
	[[ $output == "formats:"*perf-data*trace-dat*"'assay help NAME' prints the page." ]]
	[[ $output != *lock-contention* ]]
	run --separate-stderr "$ASSAY" help rules
	[ "$status" -eq 0 ]
	[[ $output == "rules:"*lock-contention* && $output != *trace-dat* ]]
	run --separate-stderr "$ASSAY" help findings
	[ "$status" -eq 0 ]
	[[ $output == "rules:"* ]]
	fails 2 help formts
	[[ $stderr == *"did you mean formats; try 'assay help topics'" ]]
}

@test "an unknown name after an option names one that is like it" {
	mkdir -p one && echo 'int f(int x) { return x ? 1 : 2; }' >one/f.c
	fails 2 risk --columns cyclomatc one
	[[ $stderr == *"'cyclomatc'; did you mean cyclomatic; --list-metrics lists the metrics" ]]
	fails 2 risk --sort nestin one
	[[ $stderr == *"'nestin'; did you mean nesting; "* ]]
	fails 2 risk --sort qqqqqq one
	[[ $stderr == *"'qqqqqq'; --list-metrics lists the metrics" ]]
	printf '2000 requests\n\n' | cat - small.folded >stated.folded
	fails 2 report --per requets stated.folded
	[[ $stderr == *"only of requests; did you mean requests" ]]
	fails 2 report --per quux stated.folded
	[[ $stderr == *"only of requests" ]]
}

@test "an input without calls or samples says what to do instead" {
	run -1 --separate-stderr "$ASSAY" /bin/true
	[[ $stderr$output == *"a program or library, not a capture: assay record -- "* ]]
	printf 'Nov 28 10:00:01 host kernel: [   12.500000] eth0: link down\n' >one.log
	fails 1 convert --to chrome-trace one.log
	[[ $stderr == *"this capture has no calls; assay report shows it" ]]
	fails 1 convert --to chrome-trace small.folded
	[[ $stderr == *"has only samples; try --to speedscope or firefox" ]]
}

@test "without arguments, a terminal gets one line for each wish" {
	run script -qec "$ASSAY" /dev/null </dev/null
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 6 ]
	[[ ${lines[0]} == "assay record -- ./program "* ]]
	[ "$(printf '%s' "$output" | tr -d '\r' | wc -L)" -le 80 ]
}

@test "help fits 80 columns, but for commands to paste" {
	for cmd in $("$ASSAY" --list-cmds) --front; do
		[ "$("$ASSAY" "$cmd" --help | grep -v '^  assay ' | wc -L)" -le 80 ]
	done
}

@test "every command has help, and lists its options" {
	for cmd in $("$ASSAY" --list-cmds); do
		"$ASSAY" "$cmd" --help | grep -q "^usage: assay $cmd"
		# a server and the browser write to standard output alone
		[ "$cmd" = mcp ] || [ "$cmd" = browse ] || "$ASSAY" "$cmd" --list-opts | grep -qx -- "--output="
	done
}

@test "the version is printed" {
	run "$ASSAY" --version
	[[ "${lines[0]}" =~ ^assay\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown option is a usage error" {
	fails 2 --bogus small.folded
	[ "$stderr" = "assay: unknown option '--bogus'; try 'assay --help'" ]
	fails 2 report --childen small.folded
	[ "$stderr" = "assay: unknown option '--childen'; did you mean --children; try 'assay report --help'" ]
	fails 2 report --so
	[ "$stderr" = "assay: '--so' wants an argument; try 'assay report --help'" ]
	fails 2 report --co small.folded
	[[ "$stderr" == "assay: '--co' could be --comm or --color;"* ]]
}

@test "the --for of record is no short --force of top" {
	for words in "--for 2s" "--for=2s"; do
		# shellcheck disable=SC2086
		fails 2 top $words
		[[ "$stderr" == "assay: --for is an option of record; -b N prints N frames and ends; try 'assay top --help'" ]]
	done
}

@test "options may be abbreviated" {
	run --separate-stderr "$ASSAY" report --no-ch --percent-l 20 --js small.folded
	[ "$status" -eq 0 ]
	printf '%s' "$output" | is_json
}

@test "options may precede the command, unless a file has its name" {
	run --separate-stderr "$ASSAY" --color=never report --limit 1 "$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Self %"* ]]
	cd "$BATS_TEST_TMPDIR"
	printf 'main;work 10\n' >report
	run --separate-stderr "$ASSAY" --color=never report
	[ "$status" -eq 0 ]
	[[ "$output" == "report line 1: folded"* ]]
}

@test "a mistyped command is a usage error" {
	fails 2 reprot small.folded
	[ "$stderr" = "assay: no command and no file is called 'reprot'. Did you mean 'report'? Try 'assay --help'" ]
	fails 2 qqqqqq small.folded
	[ "$stderr" = "assay: no command and no file is called 'qqqqqq'. Try 'assay --help'" ]
}

@test "no input is a usage error" {
	fails 2 report
	[[ "$stderr" == "assay: no input;"* ]]
}

@test "an unknown format names the most similar one, an unknown sort key those that are known" {
	fails 2 --as nonsense small.folded
	[[ "$stderr" == "assay: --as does not know 'nonsense'; 'assay help formats' lists the formats" ]]
	fails 2 --as foldet small.folded
	[[ "$stderr" == "assay: --as does not know 'foldet', did you mean 'folded'?; "* ]]
	fails 2 report --sort color small.folded
	[[ "$stderr" == *"does not know 'color': it is none of"*"dso"* ]]
	fails 2 report --sort dos small.folded
	[[ "$stderr" == *"does not know 'dos'; did you mean dso: "* ]]
	fails 2 convert small.folded
	[[ "$stderr" == *"folded"*"json"* ]]
	fails 2 convert --to xml small.folded
	[[ "$stderr" == *"not 'xml'"* ]]
}

@test "--json and --csv exclude each other" {
	fails 2 report --json --csv small.folded
}

@test "a missing file names one that is like it" {
	fails 1 smal.folded
	[ "$stderr" = "assay: smal.folded: no such file; did you mean small.folded" ]
	fails 1 "$PWD/smal.folded"
	[ "$stderr" = "assay: $PWD/smal.folded: no such file; did you mean $PWD/small.folded" ]
	fails 1 quite-another.data
	[ "$stderr" = "assay: quite-another.data: no such file" ]
}

@test "a pipe or a file on standard input needs no -" {
	run bash -c "cat small.folded | '$ASSAY'"
	[ "$status" -eq 0 ]
	[[ "$output" == *"3 weighted stacks"* ]]
	run bash -c "'$ASSAY' <small.folded"
	[ "$status" -eq 0 ]
}

@test "--limit applies to each table of a function graph, in report and calls" {
	graph=$ASSAY_SOURCE/samples/udp_sendmsg.funcgraph.txt
	for cmd in report calls; do
		run "$ASSAY" $cmd --limit 2 "$graph"
		[ "$status" -eq 0 ]
		[[ $output == *"more rows; --limit 0 shows all"* ]]
		[ "${#lines[@]}" -lt 100 ]
		[ "$("$ASSAY" $cmd --limit 2 "$graph" | wc -l)" -lt "$("$ASSAY" $cmd --limit 3 "$graph" | wc -l)" ]
		run "$ASSAY" $cmd --limit 0 "$graph"
		[[ $output != *"--limit"* ]]
	done
	[ "$("$ASSAY" calls --limit 2 --json "$graph")" = "$("$ASSAY" calls --json "$graph")" ]
	# a table with as many rows as the limit is whole
	printf 'main;a 3\nmain;b 2\n' >two.folded
	run "$ASSAY" report --no-children --limit 2 two.folded
	[[ $output != *"more row"* ]]
}

@test "report prints so many rows as --limit says, and how many more there are" {
	run "$ASSAY" report --no-children --limit 2 small.folded
	[[ "$output" == *" c"*" b"*"1 more row; --limit 0 shows all"* ]]
	run "$ASSAY" report --no-children --limit 3 small.folded
	[[ "$output" != *"more row"* ]]
}

@test "standard input is read with -" {
	run --separate-stderr "$ASSAY" report --csv - <small.folded
	[ "$status" -eq 0 ]
	[[ "$output" == *"60"* ]]
	run --separate-stderr "$ASSAY" report --csv -i small.folded
	[ "$status" -eq 0 ]
	[[ "$output" == *"60"* ]]
}

@test "a pipe that closes early is no crash" {
	run bash -c "'$ASSAY' report small.folded | head -1"
	[ "$status" -eq 0 ]
}

@test "a full disk is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	run --separate-stderr bash -c "'$ASSAY' report small.folded >/dev/full"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"No space left"* ]]
	for words in --version --limits --help --list-cmds --describe "help report" "top --help" \
		"record --help" "explain --list-rules" "risk --list-metrics"; do
		run --separate-stderr bash -c "'$ASSAY' $words >/dev/full"
		[ "$status" -eq 1 ]
		[[ "$stderr" == "assay: cannot write the output: No space left"* ]]
	done
}
