#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

recordings() {
	printf 'app;main;work 6000\napp;main;copy 1000\napp;main;rare 3\n' >a.folded
	printf 'app;main;work 6000\napp;main;copy 2000\napp;main;rare 4\n' >b.folded
}

# The bold sentence above the first indented line.
headline() {
	sed '/^ /,$d' <<<"$output" | paste -sd' '
}

@test "exit status as in diff(1): 0 nothing shown, 3 differences" {
	recordings
	run "$ASSAY" diff a.folded a.folded
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "No difference found in shares, totals not compared: "* ]]
	run "$ASSAY" diff a.folded b.folded
	[ "$status" -eq 3 ]
	[[ "${lines[0]}" == "B spends "*" more in copy "* ]]
}

@test "a difference is written to a file in full" {
	recordings
	run "$ASSAY" diff -o out.txt a.folded b.folded
	[ "$status" -eq 3 ]
	grep -q copy out.txt
}

@test "what cannot be compared is refused with the reason, unless forced" {
	cp "$ASSAY_SOURCE/samples/consensus-io_uring.perf-report.txt" "$ASSAY_SOURCE/samples/ovsdb-raft-mail.txt" .
	run "$ASSAY" diff consensus-io_uring.perf-report.txt ovsdb-raft-mail.txt
	[ "$status" -eq 1 ]
	[[ "$output" == *"counted different things: A cycles, B cpu-clock"* ]]
	run "$ASSAY" diff --json consensus-io_uring.perf-report.txt ovsdb-raft-mail.txt
	[ "$status" -eq 1 ]
	is_json <<<"$output"
	[[ "$output" == *'"comparable": false'* ]]
	run "$ASSAY" diff --force consensus-io_uring.perf-report.txt ovsdb-raft-mail.txt
	[ "$status" -eq 3 ]
	[[ "$output" == *"Forced"*"are these the"* ]]
}

@test "a log and a table of metrics are no sides" {
	recordings
	cp "$ASSAY_SOURCE/samples/af_packet.metrics.txt" .
	fails 2 diff a.folded af_packet.metrics.txt
	[[ "$stderr" == *"has nothing to compare"* ]]
}

@test "several runs a side, with options on either side of --" {
	recordings
	cp a.folded a2.folded
	sed 's/2000/2040/' b.folded >b2.folded
	run "$ASSAY" diff a.folded a2.folded -- b.folded b2.folded --json
	[ "$status" -eq 3 ]
	is_json <<<"$output"
	[[ "$output" == *'"from": "runs"'* ]]
	fails 2 diff a.folded a2.folded b.folded
	[[ "$stderr" == *"'--' must separate the sides"* ]]
	fails 2 diff a.folded --
	fails 2 diff -- b.folded
}

@test "rates and anchors" {
	recordings
	run "$ASSAY" diff --per 1000-requests a.folded b.folded --csv
	[ "$status" -eq 3 ]
	[[ "$output" == *"copy,,,unknown,1,2,"* ]]
	run "$ASSAY" diff --anchor work a.folded b.folded --csv
	[ "$status" -eq 3 ]
	[[ "$output" == *"work,,,unknown,100,100,"* ]]
	fails 2 diff --anchor nobody a.folded b.folded
	[[ "$stderr" == *"neither side has a function 'nobody'"* ]]
	fails 2 diff --per requests a.folded b.folded
	[[ "$stderr" == *"A does not say how many requests"* ]]
	fails 2 diff --per second a.folded b.folded
	fails 2 diff --per 0-requests a.folded b.folded
	fails 2 diff --want x a.folded b.folded
}

@test "a file with no clear pair lists what it holds" {
	{
		for i in 1 2 3; do
			printf "# Samples: 1K of event 'cycles'\n#\n# Overhead  Command  Shared Object  Symbol\n#\n"
			printf '    60.00%%  x  x  [.] alpha\n    30.00%%  x  x  [.] beta\n    1%s.00%%  x  x  [.] gamma\n\nand then\n\n' "$i"
		done
	} >three.txt
	run --separate-stderr "$ASSAY" diff three.txt
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"no clear pair"*"1  lines"*"3  lines"* ]]
	run "$ASSAY" diff three.txt --a 1 --b 3
	[ "$status" -eq 0 ]
	fails 2 diff three.txt --a 1
	run --separate-stderr "$ASSAY" diff three.txt --a 1 --b 9
	[ "$status" -eq 2 ]
	fails 2 diff small.folded
}

@test "hostile names are escaped" {
	printf 'app;a\033[31m 500\napp;b 500\n' >x.folded
	printf 'app;a\033[31m 900\napp;b 100\n' >y.folded
	run "$ASSAY" diff x.folded y.folded
	[ "$status" -eq 3 ]
	[[ "$output" != *$'\033'* ]]
}

@test "pairs in the mails of the corpus give a table" {
	given=$ASSAY_SHARED/corpus/given
	[ -d "$given" ] || skip "../shared/corpus is missing"
	for pair in perf-report-mail/iowq-wqe-lock.eml perf-report-mail/iouring-percpu-ref.eml \
		perf-top-mail/xfs-debug-verifiers.eml perf-report/ovs-per-numa-stats.commit.txt \
		perf-report/xdp-page-pool06.org perf-top/haproxy-prng-shared.commit.txt; do
		run "$ASSAY" diff "$given/$pair" --json
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		is_json <<<"$output"
		[[ "$output" == *'"comparable": true'* && "$output" == *'"symbol": '* ]]
	done
}

@test "traces of calls are compared by call, and with nothing else" {
	recordings
	cp "$ASSAY_SOURCE/samples/udp_sendmsg.funcgraph.txt" .
	run "$ASSAY" diff udp_sendmsg.funcgraph.txt udp_sendmsg.funcgraph.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"µs a call"* ]]
	fails 2 diff --per second udp_sendmsg.funcgraph.txt udp_sendmsg.funcgraph.txt
	run "$ASSAY" diff a.folded udp_sendmsg.funcgraph.txt
	[ "$status" -eq 1 ]
	[[ "$output" == *"B holds calls, no profile"* ]]
}

@test "rates of time have a unit that shows them, for one thing that was done" {
	for f in alpha beta; do
		for i in {100..149}; do
			printf 'prog 7/7 1.%s: 1000000 cpu-clock: \n\t401136 %s+0x1 (/bin/prog)\n\n' $i $f
		done
	done >a.script
	run "$ASSAY" diff --per 1000000-events a.script a.script --json
	[[ "$output" == *'"ns per event"'* ]]
	run "$ASSAY" diff --per 1000-queries a.script a.script --json
	[[ "$output" == *'"µs per query"'* ]]
	run "$ASSAY" diff --per 10-matches a.script a.script --json
	[[ "$output" == *'"ms per match"'* ]]
}

# A recording of a command: made FILE [OPTION]... STACK=SAMPLES...
made() {
	python3 "$ASSAY_SOURCE/tests/lib/runs_made.py" "$@"
}

@test "a total that grew without a shift of shares is found, with its function and caller" {
	made a.data 'main;has_dup;memcmp=700' 'main;other=200'
	made b.data --seed 2 'main;has_dup;memcmp=840' 'main;other=240'
	run "$ASSAY" diff a.data b.data
	[ "$status" -eq 3 ]
	[[ "$(headline)" == "B takes 0.18 s more CPU time: 0.90 to 1.08 s (+20 %, 95 %: +10 to +30 %), 78 % ("*") of it in memcmp called from has_dup" ]]
	[[ "$output" == *"Assumed: 3 % of CPU time"* && "$output" == *"no difference found: "* ]]
	run "$ASSAY" diff b.data a.data --json
	[ "$status" -eq 3 ]
	is_json <<<"$output"
	[[ "$output" == *'"id": "cpu"'*'"change": -16.6667'*'"verdict": "less"'*'"spread_from": "assumed"'*'"caller": "has_dup"'* ]]
}

@test "no difference means neither in shares nor in totals" {
	made a.data 'main;work=900'
	made b.data --seed 2 'main;work=909'
	run "$ASSAY" diff a.data b.data
	[ "$status" -eq 0 ]
	[[ "$(headline)" == "No difference found in CPU time (0.9000 to 0.9090 s, +1.0 %, 95 %: -7.1 to +9.8 %); no difference found in shares: "* ]]
	run "$ASSAY" diff --spread 0.2 a.data b.data
	[ "$status" -eq 3 ]
	[[ "$output" == *"(standard deviation, given by"* ]]
	# all samples in one function: even so, a change of 0.00 points is not visible
	[[ "$output" == *"Smallest detectable change: 0."[1-9]*" points (hottest function)"* ]]
}

@test "three runs a side find 20 %, and say how many show 1 %" {
	for i in 1 2 3; do
		made a$i.data --seed $i "main;work=$((900 + 9 * i))"
		made b$i.data --seed 1$i "main;work=$((1090 + 9 * i))"
	done
	run "$ASSAY" diff a?.data -- b?.data
	[ "$status" -eq 3 ]
	[[ "${lines[0]}" == "B takes 0.19 s more CPU time: "* ]]
	[[ "$output" == *"3 and 3. CPU time varies by 0.9 % from run to run (standard deviation, measured)"* ]]
	[[ "$output" == *"To see a change of 1 %, record "*" more runs of each"* ]]
}

@test "wall time alone can differ" {
	made a.data --wall 1000 'main;work=300'
	made b.data --wall 2000 'main;work=301'
	run "$ASSAY" diff a.data b.data
	[ "$status" -eq 3 ]
	[[ "$(headline)" == "B takes 1.0 s longer: 1.0 to 2.0 s of wall time (+100 %, 95 %: "*"); no difference found in CPU time "* ]]
}

@test "totals are of commands that ended; --per run states that others are whole runs" {
	made a.data 'main;work=900'
	for option in --no-command --no-end; do
		made b.data $option 'main;work=1200'
		run "$ASSAY" diff a.data b.data
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == "No difference found in shares, totals not compared: "* ]]
		[[ "$output" == *"one of them is no recording of a command from start to end"* ]]
		run "$ASSAY" diff --per run a.data b.data
		[ "$status" -eq 3 ]
		[[ "${lines[0]}" == "B takes 0.30 s more CPU time: "* ]]
		[[ "$output" == *"ms per run"* ]]
	done
}

@test "a real command that does half as much again takes more CPU time" {
	needs_rights -- true
	command -v python3 >/dev/null || skip "no python3"
	for n in 3 6; do
		"$ASSAY" record -q -o $n.data -- python3 -c "sum(i * i for i in range(${n}000000))"
	done
	run "$ASSAY" diff 3.data 6.data
	[ "$status" -eq 3 ]
	[[ "${lines[0]}" == "B takes "*" s more CPU time: "* ]]
	[[ "$output" == *"Wall time"* ]]
}

# perf stat -r: FILE RUNS SECONDS, each known to 2 %
repeated() {
	printf "\n Performance counter stats for './x' (%s runs):\n\n" "$2"
	printf '%18s msec task-clock   #    0.990 CPUs utilized   ( +-  2.00%% )\n\n' "$3"
} >"$1"

@test "the spread of three runs is known by t, not by z" {
	repeated a.txt 3 1,000.00
	repeated b.txt 3 1,070.00
	run "$ASSAY" diff a.txt b.txt
	[ "$status" -eq 0 ]
	repeated a.txt 30 1,000.00
	repeated b.txt 30 1,070.00
	run "$ASSAY" diff a.txt b.txt
	[ "$status" -eq 3 ]
}

# script FILE OBJECT: two functions of it, and one of libc
script() {
	local i
	for i in {100..199}; do
		printf 'prog 7/7 1.%s: 1000000 cpu-clock: \n\t401136 walk+0x1 (%s)\n\t401200 main+0x9 (%s)\n\n' "$i" "$2" "$2"
		printf 'prog 7/7 2.%s: 1000000 cpu-clock: \n\t401156 sort+0x1 (%s)\n\t401200 main+0x9 (%s)\n\n' "$i" "$2" "$2"
	done >"$1"
}

@test "a program under another name is one object, in tables, picture and page" {
	script a.script /build/a/slow
	script b.script /build/b/slow2
	run "$ASSAY" diff a.script b.script
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 object under another name (slow = slow2)"* ]]
	run "$ASSAY" diff --by dso a.script b.script --csv
	[[ "$output" == *"/build/a/slow,/build/b/slow2,"*",100,100,"* ]]
	"$ASSAY" flame --diff -o a.svg a.script b.script
	grep -q 'in B 0 frames more, 0 less' a.svg
	fails_to grep -q 'only in A' a.svg
	"$ASSAY" html --diff -o a.html a.script b.script
	[ -s a.html ]
}

@test "record --repeat runs two commands in turn and compares them" {
	needs_rights -- true
	command -v python3 >/dev/null || skip "no python3"
	cat >work.py <<-'EOF'
		import sys
		open("order", "a").write(sys.argv[1])
		sum(i * i for i in range(int(sys.argv[2])))
	EOF
	run "$ASSAY" record --repeat 3 -o cmp.data -- python3 work.py a 2000000 --vs python3 work.py b 20000000
	[ "$status" -eq 3 ]
	[ "$(cat order)" = abbaab ]
	# lines break where the figures end
	output=$(tr -s ' \n' ' ' <<<"$output")
	[[ "$output" == *"B takes "*" more CPU time: "*"3 and 3. CPU time varies by "* ]] || { echo "$output"; return 1; }
	run "$ASSAY" diff cmp.data.a? -- cmp.data.b?
	[ "$status" -eq 3 ]
	# the header names the command of the run alone
	run "$ASSAY" info cmp.data.b1
	[ "$status" -eq 0 ]
	[[ "$output" == *"work.py b"* && "$output" != *"--vs"* ]]
}

@test "record --repeat keeps other files, and ends where a command cannot start" {
	needs_rights -- true
	echo mine >cmp.data.a1
	run "$ASSAY" record --repeat 2 -o cmp.data -- true --vs true
	[ "$status" -ne 0 ]
	[ "$(cat cmp.data.a1)" = mine ]
	run -127 "$ASSAY" record --repeat 2 -o new.data -- ./missing --vs true
	[ ! -e new.data.b1 ]
	fails 2 record --repeat 2 -- true --vs
	fails 2 record --repeat 65 -- true --vs true
	fails 2 record --repeat 2 --ring 1s -- true --vs true
}

@test "a burst that is over went away, and is no difference" {
	made a.data --no-command 'main;work;copy=400' 'main;work=400' 'main;idle=100'
	made b.data --no-command --seed 2 'main;work;copy=390' 'main;work=380' 'main;work;evict@0.4-0.5=60' 'main;idle=95'
	run "$ASSAY" diff a.data b.data
	[ "$status" -eq 0 ]
	[[ "$(headline)" == "No difference found"*"; 6.5 points in evict went away: B spends them from 0."*" s only" ]]
	[[ "$output" != *"  Burst "* ]]
	# of a run that took longer it is a line of its own
	made a.data 'main;work=900'
	made b.data --seed 2 'main;work=1000' 'main;work;evict@0.4-0.45=150'
	run "$ASSAY" diff a.data b.data
	[ "$status" -eq 3 ]
	[[ "$output" == *"  Burst       12.9 points in evict went away: B spends them from "* ]]
	run "$ASSAY" diff --json b.data a.data
	is_json <<<"$output"
	[[ "$output" == *'"symbol": "evict"'*'"side": "a"'* ]]
}

@test "moved is not slower: one line, with the total" {
	for i in 1 2 3; do
		made a$i.data --seed $i "main;has_dup;memcmp=$((700 + i))" 'main;has_dup=100' 'main;other=200'
		made b$i.data --seed 1$i "main;has_dup=$((800 + i))" 'main;other=200'
	done
	run "$ASSAY" diff a?.data -- b?.data
	[ "$status" -eq 3 ]
	[[ "$(headline)" == "70."*" points moved from memcmp to has_dup, which called it in A; CPU time is the same within 0."*" % ("* ]]
	run "$ASSAY" diff a1.data b1.data
	[[ "$(headline)" == *"; no difference found in CPU time ("* ]]
	run "$ASSAY" diff --json a1.data b1.data
	is_json <<<"$output"
	[[ "$output" == *'"how": "to-caller"'* ]]
}
