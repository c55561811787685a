#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

@test "a missing file" {
	fails 1 gone.txt
	[[ "$stderr" == "assay: gone.txt: "*"no such file"* ]]
}

@test "a directory" {
	mkdir dir
	fails 1 dir
	[[ "$stderr" == "assay: dir: "*"directory"* ]]
}

@test "an empty file" {
	: >empty
	for cmd in "" report info calls "convert --to json"; do
		# shellcheck disable=SC2086
		fails 1 $cmd empty
		[[ "$stderr" == "assay: empty: "*"empty"* ]]
	done
}

@test "binary junk" {
	head -c 100000 /dev/zero | tr '\0' '\377' >junk
	printf '\0\1\2\3' >>junk
	run --separate-stderr "$ASSAY" junk
	[ "$status" -eq 1 ]
	[[ "$stderr" == "assay: junk: "* ]]
}

@test "a mail without a capture" {
	printf 'From: a\nSubject: b\n\nHello,\nit is slow.\n' >mail
	run --separate-stderr "$ASSAY" mail
	[ "$status" -eq 1 ]
	[[ "$stderr" == "assay: mail: no capture found in "* ]]
}

@test "a truncated gzip shows what could be had" {
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;f" i % 97 ";g" i % 89 " " i }' >big.folded
	gzip -c big.folded | head -c 20000 >cut.gz
	run --separate-stderr "$ASSAY" cut.gz
	[ "$status" -eq 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ "$output" == *"folded"* ]]
	run --separate-stderr "$ASSAY" info cut.gz
	[[ "$output" == *"gzip"* ]]
	run --separate-stderr "$ASSAY" info --json cut.gz
	[ "$status" -eq 1 ]
	is_json <<<"$output"
}

@test "one bad file of several: the others are shown, status 1" {
	run --separate-stderr "$ASSAY" report --csv gone.txt small.folded
	[ "$status" -eq 1 ]
	[[ "$output" == *"60"* ]]
	[[ "$stderr" == "assay: gone.txt: "* ]]
}

@test "a hostile file name is not a terminal's command" {
	cp small.folded "$(printf 'a\033[31mb')"
	run --separate-stderr "$ASSAY" "$(printf 'a\033[31mb')" "$(printf 'gone\033[31m')"
	[ "$status" -eq 1 ]
	[[ "$output" == *'a\x1b[31mb'* ]]
	[[ "$output$stderr" != *$'\033'* ]]
}

@test "calls of what is no function graph" {
	fails 1 calls small.folded
	[[ "$stderr" == *"no function graph"* ]]
}

@test "a tracer's cost that is none" {
	printf ' 0)   1.000 us    |  a();\n 0)   1.000 us    |  b();\n 0)   1.000 us    |  a();\n' >graph.txt
	fails 2 calls --tracer-cost no-such-file graph.txt
	fails 2 calls --tracer-cost 0 graph.txt
	fails 2 calls --tracer-cost 400,300 graph.txt
	printf 'not a calibration' >cost.json
	fails 2 calls --tracer-cost cost.json graph.txt
	[[ "$stderr$output" == *"not a file from 'assay calls --calibrate"* ]]
	run "$ASSAY" calls --tracer-cost 100,300 graph.txt
	[ "$status" -eq 0 ]
	[[ "$output" == *"0.300 to 0.300"* ]]
}

@test "a recording that is cut: what is complete, and a sentence" {
	whole=$ASSAY_SOURCE/tests/fuzz/corpus/perf_data/chains
	"$ASSAY" report --csv "$whole" >whole.csv 2>err
	[ ! -s err ]
	# a byte less than the header and the data
	head -c $(($(od -An -tu8 -j40 -N8 "$whole") + $(od -An -tu8 -j48 -N8 "$whole") - 1)) \
		"$whole" >cut.data
	for cmd in "" report "report --csv" "report --json" info "convert --to folded"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $cmd cut.data
		[ "$status" -eq 1 ]
		[ -n "$output" ]
		[[ "$stderr" == "assay: cut.data: it is cut: what is complete is shown ("* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
	# the complete part is written, too
	for cmd in flame html "convert --to folded" explain; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $cmd -o "${cmd%% *}.out" cut.data
		[ "$status" -eq 1 ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		[ -s "${cmd%% *}.out" ]
	done
	# data and header sections alike
	head -c 3000 "$whole" >short.data
	run --separate-stderr "$ASSAY" report short.data
	[ "$status" -eq 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	# of several inputs each has its line
	run --separate-stderr "$ASSAY" diff cut.data short.data
	[ "$status" -eq 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	run "$ASSAY" report cut.data
	[[ "$output" == *"bytes of the data section that the file lacks"* ]]
	head -c $(($(stat -c %s "$whole") - 1)) "$whole" >cut.data
	run --separate-stderr "$ASSAY" report cut.data
	[[ "$output" == *"sections of the header past the end of the file: 1"* ]]
	[[ "$stderr" == "assay: cut.data: it is cut"* ]]
}

@test "a recording that perf record did not finish has no header, and a sentence" {
	# the size of the data, written last
	cp "$ASSAY_SOURCE/tests/fuzz/corpus/perf_data/chains" killed.data
	dd if=/dev/zero of=killed.data bs=1 seek=48 count=8 conv=notrunc 2>dd
	run --separate-stderr "$ASSAY" report killed.data
	[ "$status" -eq 1 ]
	[[ "$output" == *"did not finish"* ]]
	[[ "$output" != *"os release"* ]]
	[[ "$stderr" == "assay: killed.data: it is cut"* ]]
}

@test "what is known by name and not read is named, with what to do about it" {
	corpus=$ASSAY_SOURCE/tests/fuzz/corpus
	while read -r file words; do
		run --separate-stderr "$ASSAY" "$corpus/$file"
		[ "$status" -eq 1 ] || { echo "$file: status $status"; false; }
		[[ "$stderr" == *"$words"* ]] || { echo "$file: $stderr"; false; }
	done <<-END
		foreign_binary/gperftools-cpu go tool pprof -proto -output=new.pb.gz PROGRAM FILE
		foreign_binary/gperftools-cpu-big-32 a CPU profile of gperftools
		foreign/pprof-legacy-threads go tool pprof -proto -output=new.pb.gz PROGRAM FILE
		foreign_binary/perf-data-1 perf script -i FILE >FILE.txt
		foreign_binary/stackprof stackprof --stackcollapse
		foreign/stackprof-json stackprof --stackcollapse
		foreign/haskell-json speedscope.app opens it
		foreign/cpuprofile-2 speedscope.app opens it
		foreign_binary/art-trace ui.perfetto.dev open it
		foreign_binary/art-trace-stream ui.perfetto.dev open it
		foreign/gecko-profile-1 a profile of Firefox in an old version
		foreign/gecko-profile-3 open it in profiler.firefox.com
		foreign/gecko-profile-cleopatra Cleopatra
	END
}
