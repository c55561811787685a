#!/usr/bin/env bats
# Places of outputs, files they may overwrite, and closed descriptors.
bats_require_minimum_version 1.5.0
load assay.bash

@test "an input is never overwritten, whatever name -o gives it and by force" {
	ln small.folded hard
	ln -s small.folded soft
	cp small.folded before
	for words in "" report info explain flame html "convert --to folded" "diff -f small.folded"; do
		for name in small.folded ./small.folded hard soft; do
			# shellcheck disable=SC2086
			fails 2 $words --force -o "$name" small.folded
			[[ "$stderr" == "assay: $name: is also an input and would be lost"* ]]
		done
	done
	fails 2 risk -f -o small.folded --heat small.folded "$ASSAY_SOURCE/tests/data/risk"
	fails 2 convert -f --to csv -o small.folded --redact=small.folded soft
	fails 2 report -f -o small.folded --kallsyms small.folded before
	run "$ASSAY" calls -f -o hard small.folded
	[ "$status" -eq 2 ]
	cmp before small.folded
	[ -h soft ]
}

@test "an input is not written through standard output either" {
	cp small.folded before
	run --separate-stderr sh -c '"$ASSAY" convert --to folded small.folded >>small.folded'
	[ "$status" -eq 2 ]
	[[ "$stderr" == "assay: small.folded: standard output is also this input" ]]
	run --separate-stderr sh -c '"$ASSAY" convert --to folded -o /dev/stdout small.folded >>small.folded'
	[ "$status" -eq 2 ]
	run --separate-stderr sh -c '"$ASSAY" convert --to folded - <small.folded >>small.folded'
	[ "$status" -eq 2 ]
	cmp before small.folded
}

@test "a file in a folder that is read is kept, an earlier output there is replaced" {
	mkdir src
	cp "$ASSAY_SOURCE/tests/data/risk/shapes.c" src/shapes.c
	run "$ASSAY" risk src
	[[ "$output" != *"has no tree-sitter"* ]] || skip "this build has no tree-sitter"
	fails 2 risk --force --json -o src/shapes.c src
	[[ "$stderr" == "assay: src/shapes.c: is inside the input 'src' and would be lost"* ]]
	cmp src/shapes.c "$ASSAY_SOURCE/tests/data/risk/shapes.c"
	for _ in 1 2; do
		run "$ASSAY" risk --json -o src/risk.json src
		[ "$status" -eq 0 ]
	done
	is_json <src/risk.json
}

@test "what is no earlier output of the same kind stays, but for --force" {
	for words in report "report --csv" "report --json" info explain "explain --sarif" flame html \
		"convert --to folded" "convert --to perf-script" "convert --to pprof" \
		"convert --to speedscope" "convert --to firefox" "convert --to json" "convert --to csv" \
		"" "diff before.folded" "diff --csv before.folded" "diff --json before.folded"; do
		cp small.folded before.folded
		printf 'Notes, by hand:\n  the server was slow  again\n' >notes.txt
		# shellcheck disable=SC2086
		fails 2 $words -o notes.txt small.folded
		[[ "$stderr" == "assay: notes.txt: exists and is not "*"; --force (-f) overwrites it" ]]
		grep -q "by hand" notes.txt
		for _ in 1 2; do
			# shellcheck disable=SC2086
			run --separate-stderr "$ASSAY" $words -f -o notes.txt small.folded
			[ "$status" -eq 0 ]
			[ -z "$output$stderr" ]
		done
		# again, without --force: it is known
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" $words -o notes.txt small.folded
		[ "$status" -eq 0 ] || { echo "$words: $stderr"; return 1; }
		: >notes.txt
		# shellcheck disable=SC2086
		"$ASSAY" $words -o notes.txt small.folded
		[ -s notes.txt ]
	done
	"$ASSAY" calls -o calls.txt "$ASSAY_SOURCE/samples/sendto-sockmap.ftrace.txt"
	"$ASSAY" calls -o calls.txt "$ASSAY_SOURCE/samples/sendto-sockmap.ftrace.txt"
	"$ASSAY" convert --to chrome -o c.json "$ASSAY_SOURCE/samples/sendto-sockmap.ftrace.txt"
	"$ASSAY" convert --to chrome -o c.json "$ASSAY_SOURCE/samples/sendto-sockmap.ftrace.txt"
	for words in "" "--csv" "--max-lines 3" "--family compat --format seed"; do
		for _ in 1 2; do
			# shellcheck disable=SC2086
			run "$ASSAY" risk $words -f -o risk.out "$ASSAY_SOURCE/tests/data/risk"
			# shellcheck disable=SC2086
			run --separate-stderr "$ASSAY" risk $words -o risk.out "$ASSAY_SOURCE/tests/data/risk"
			[[ "$stderr" != *"--force"* ]]
		done
	done
}

# A foreign file: refused_for NAME WORDS...
refused_for() {
	cp "$1" "$1.before"
	fails 2 "${@:2}" -o "$1" small.folded
	[[ "$stderr" == "assay: $1: exists and is not "*"; --force (-f) overwrites it" ]] ||
		{ echo "$*: $stderr"; return 1; }
	cmp "$1" "$1.before"
}

@test "files of others that look like an output stay" {
	mkdir d
	echo text >d/x
	tar czf d.tar.gz d
	gzip -nc small.folded >perf.data.gz
	printf 'name,qty\r\nnut,3\r\n' >parts.csv
	printf '{\n  "name": "assay",\n  "dependencies": {"assay-tools": "1"}\n}\n' >package.json
	printf 'Shopping:\n  Buy milk    and bread\n  Total       12 EUR\n' >list.txt
	printf '# To display the perf.data header info, please use --header\n#\n' >perf.txt
	printf 'a.c:8:2: warning: unused variable [-Wunused]\n' >gcc.log
	printf 'Chapter 1\nIt rained.\n' >book.txt
	printf 'eggs 12\nmilk 2\n' >items.txt
	printf 'a;b 1\nand more text\n' >mixed.txt
	printf 'Shopping list:\n\tmilk\n' >tabs.txt
	printf 'Room 7:\n\tmilk\n' >room.txt
	for name in d.tar.gz perf.data.gz; do
		refused_for $name convert --to pprof
	done
	refused_for parts.csv report --csv
	refused_for parts.csv convert --to csv
	for words in "report --json" "convert --to speedscope" "convert --to json" "explain --sarif"; do
		# shellcheck disable=SC2086
		refused_for package.json $words
	done
	for name in list.txt perf.txt gcc.log book.txt; do
		refused_for $name report
		refused_for $name explain
	done
	for name in book.txt items.txt mixed.txt; do
		refused_for $name convert --to folded
	done
	for name in tabs.txt room.txt; do
		refused_for $name convert --to perf-script
	done
	# perf's output and assay's output in perf's format are indistinguishable
	"$ASSAY" report --format perf -o like-perf.txt small.folded
	refused_for like-perf.txt report --format perf
}

# bats test_tags=once
@test "every command that writes pages knows its own" {
	local data=$ASSAY_SOURCE/samples
	for file in "$data"/*.txt; do
		for words in "" report info explain "report --csv" "report --json" "convert --to json" \
			"convert --to csv"; do
			for _ in 1 2; do
				# shellcheck disable=SC2086
				run --separate-stderr "$ASSAY" $words -o own "$file"
				[[ "$stderr" != *"--force"* ]] || { echo "$words $file: $stderr"; return 1; }
			done
			rm -f own
		done
	done
	printf 'app 7/7 [000] %s: 3 %s: \n\t401000 work (/bin/app)\n\n' 1.5 cycles 2.5 instructions >two
	for words in "report --group" "convert --to perf-script"; do
		for _ in 1 2; do
			# shellcheck disable=SC2086
			run --separate-stderr "$ASSAY" $words -o own two
			[ "$status" -eq 0 ] || { echo "$words: $stderr"; return 1; }
		done
		rm -f own
	done
	# a tracepoint has no count, a sample without callers stands in one line
	printf 'app 7 [000] 1.500000: sched:sched_switch: prev_pid=7 next_pid=0\n' >event
	printf 'app 7 [000] 1.500000:    250000 cycles:  401000 work (/bin/app)\n' >flat
	for file in event flat; do
		cp $file own
		"$ASSAY" convert --to perf-script -o own $file
		"$ASSAY" convert --to perf-script -o own $file
		rm -f own
	done
	for words in "" "--list-metrics" "--list-metrics --csv" "--json" "--sarif --max-lines 3"; do
		for _ in 1 2; do
			# shellcheck disable=SC2086
			run --separate-stderr "$ASSAY" risk $words -o own "$ASSAY_SOURCE/tests/data/risk"
			[[ "$stderr" != *"--force"* ]] || [[ "$words" = --list-metrics ]] ||
				{ echo "$words: $stderr"; return 1; }
		done
		rm -f own
	done
}

@test "a write-protected file stays, but for --force" {
	[ "$(id -u)" -ne 0 ] || skip "root may write all"
	"$ASSAY" flame -o x.svg small.folded
	chmod 444 x.svg
	fails 2 flame -o x.svg small.folded
	[[ "$stderr" == "assay: x.svg: it is write-protected"* ]]
	"$ASSAY" flame -f -o x.svg small.folded
}

@test "a recording takes the place of recordings alone, and never of what its command names" {
	needs_rights -- true
	printf '<svg></svg>\n' >x.svg
	fails 2 record -q -o x.svg -- true
	[[ "$stderr" == "assay: x.svg: exists and is not a recording"* ]]
	[ "$(cat x.svg)" = "<svg></svg>" ]
	[ ! -e x.svg.old ]
	"$ASSAY" record -q -f -o x.svg -- true
	[ "$(cat x.svg.old)" = "<svg></svg>" ]
	fails 2 record -q -f -o x.svg -- wc x.svg
	[[ "$stderr" == "assay: x.svg: is also an input"* ]]
	fails 2 record -q --ring 1s -f -o x.svg -- wc x.svg
	fails 2 record -q -f -o x.svg -- wc x.svg.old
	[[ "$stderr" == "assay: x.svg: would be renamed to x.svg.old, which is an input"* ]]
	[ "$(cat x.svg.old)" = "<svg></svg>" ]
	fails 2 top -b 1 -f -o x.svg -- wc x.svg
	printf 'notes\n' >notes
	fails 2 top -b 1 -o notes -- true
	fails 2 record -q --ring 1s -o notes -- true
	[ "$(cat notes)" = notes ]
	# one that never ran changes nothing
	cp x.svg before
	run "$ASSAY" record -q -o x.svg -- ./nosuch
	[ "$status" -eq 127 ]
	cmp before x.svg
	[ "$(find . -name 'x.svg*' | sort | tr '\n' ' ')" = "./x.svg ./x.svg.old " ]
}

@test "the link of another user is not followed, an own one is" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	needs_rights -- true
	mkdir open
	chmod 1777 open
	printf 'secret\n' >victim
	ln -s "$PWD/victim" open/full
	ln -s "$PWD/new" open/dangling
	chown -h 12345 open/full open/dangling
	for name in full dangling; do
		fails 2 record -q -f -o "open/$name" -- true
		[[ "$stderr" == "assay: open/$name: it is a symbolic link of another user (12345)"* ]]
		fails 2 flame -f -o "open/$name" small.folded
		[[ "$stderr" == "assay: open/$name: it is a symbolic link of another user (12345)"* ]]
	done
	[ "$(cat victim)" = secret ]
	[ ! -e new ]
	mkfifo open/pipe
	chown 12345 open/pipe
	fails 2 flame -o open/pipe small.folded
	[[ "$stderr" == "assay: open/pipe: is a pipe of another user"* ]]
	# a link among the folders of its path
	mkdir inside
	ln -s "$PWD/inside" open/hop
	chown -h 12345 open/hop
	fails 2 flame -o open/hop/x.svg small.folded
	[[ "$stderr" == "assay: open/hop/x.svg: 'hop' in its path is a symbolic link of another user (12345)"* ]]
	[ ! -e inside/x.svg ]
	chown -h 0 open/hop
	"$ASSAY" flame -o open/hop/x.svg small.folded
	grep -q '<svg' inside/x.svg
	ln -s ../own.svg open/own
	"$ASSAY" flame -o open/own small.folded
	[ -h open/own ]
	grep -q '<svg' own.svg
	"$ASSAY" record -q -f -o open/own -- true
	[ -h open/own ]
	[ "$(head -c 8 own.svg)" = PERFILE2 ]
	[ "$(stat -c %a own.svg)" = 600 ]
	grep -q '<svg' own.svg.old
}

@test "pipes, devices and descriptors are written as they are" {
	"$ASSAY" flame small.folded >want
	"$ASSAY" flame -o - small.folded | cmp want
	"$ASSAY" flame -o /dev/stdout small.folded | cmp want
	"$ASSAY" flame -o /dev/stdout small.folded >got
	cmp want got
	(echo head; "$ASSAY" flame -o /dev/stdout small.folded) >got
	(echo head; cat want) | cmp - got
	[ -h /dev/stdout ]
	"$ASSAY" flame -o >(cat >got2) small.folded
	waits_for cmp -s want got2
	mkfifo fifo
	cat fifo >got3 &
	"$ASSAY" flame -o fifo small.folded
	wait
	cmp want got3
	[ -p fifo ]
	"$ASSAY" flame -o /dev/null small.folded
	[ -c /dev/null ]
	fails 1 flame -o /dev/full small.folded
	[[ "$stderr" == "assay: /dev/full: cannot write the output: No space left"* ]]
	fails 1 flame -o /dev/stdin small.folded <small.folded
}

@test "a recording goes through a pipe, too" {
	needs_rights -- true
	busy='i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'
	"$ASSAY" record -q -o - -- sh -c "$busy" >a.data
	[ "$(head -c 8 a.data)" = PERFILE2 ]
	"$ASSAY" report a.data >page
	grep -q "perf-data (profile)" page
	run --separate-stderr "$ASSAY" record -o /dev/null -- sh -c "$busy"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run --separate-stderr "$ASSAY" record -q -o /dev/full -- sh -c "$busy"
	[ "$status" -eq 1 ]
}

@test "names that are none, folders, and what cannot be written" {
	fails 2 flame -o '' small.folded
	[[ "$stderr" == "assay: -o wants the name of a file, not ''" ]]
	mkdir folder
	for name in folder folder/ . /; do
		fails 2 flame -o "$name" small.folded
		[[ "$stderr" == "assay: $name: is a folder; name a file in it" ]]
	done
	fails 1 flame -o x.svg/ small.folded
	fails 1 flame -o nodir/x small.folded
	fails 1 flame -o "$(printf '%0300d' 1)" small.folded
	[[ "$stderr" == *"File name too long" ]]
	fails 1 flame -o "$(printf '%05000d' 1)" small.folded
	"$ASSAY" flame -o "$(printf '%0255d' 1)" small.folded
	ln -s loop loop
	fails 1 flame -o loop small.folded
	[ "$(find . -name '*.tmp*' | wc -l)" -eq 0 ]
}

@test "a new file has the rights that the umask leaves" {
	(umask 077; "$ASSAY" flame -o x.svg small.folded)
	[ "$(stat -c %a x.svg)" = 600 ]
	(umask 002; "$ASSAY" flame -o y.svg small.folded)
	[ "$(stat -c %a y.svg)" = 664 ]
	chmod 640 y.svg
	"$ASSAY" flame -o y.svg small.folded
	[ "$(stat -c %a y.svg)" = 640 ]
}

@test "lists and pages of checks go where -o says, too" {
	for words in "--list-rules" "--why broken-chains"; do
		# shellcheck disable=SC2086
		"$ASSAY" explain $words >want
		# shellcheck disable=SC2086
		run --separate-stderr "$ASSAY" explain $words -f -o got
		[ "$status" -eq 0 ]
		[ -z "$output$stderr" ]
		cmp want got
	done
}

@test "closed descriptors: nothing goes where it does not belong, and nothing hangs" {
	"$ASSAY" report small.folded >want
	# no file contains the message about missing files
	run sh -c '"$ASSAY" report -o page small.folded nosuch 2>&-'
	[ "$status" -eq 1 ]
	cmp want page
	run sh -c '"$ASSAY" report small.folded nosuch 2>&- >page2'
	cmp want page2
	for words in "report small.folded" "flame small.folded" --help --limits --version "flame --help" \
		"convert --to folded small.folded" "risk --list-metrics"; do
		run --separate-stderr sh -c "\"\$ASSAY\" $words >&-"
		[ "$status" -eq 1 ] || { echo "$words"; return 1; }
		[[ "$stderr" == "assay: "*"cannot write the output: standard output is closed" ]]
	done
	run sh -c '"$ASSAY" report -o page3 small.folded >&- 2>&- <&-'
	[ "$status" -eq 0 ]
	cmp want page3
	for words in report "convert --to folded" "explain"; do
		run --separate-stderr timeout 20 sh -c "\"\$ASSAY\" $words - <&-"
		[ "$status" -eq 1 ]
		[[ "$stderr" == "assay: -: cannot read the file: it is closed" ]]
	done
	needs_rights -- true
	timeout 60 "$ASSAY" record -q -o a.data -- true <&- >&- 2>&-
	[ "$(head -c 8 a.data)" = PERFILE2 ]
}

@test "an input that is named twice would count twice" {
	ln small.folded hard
	for words in report "" explain flame html "convert --to folded"; do
		# shellcheck disable=SC2086
		fails 2 $words small.folded hard
		[[ "$stderr" == "assay: hard: it is named twice and would count twice" ]]
		# shellcheck disable=SC2086
		fails 2 $words - - <small.folded
		[[ "$stderr" == "assay: -: standard input is named twice, but can be read only once" ]]
	done
	fails 2 diff small.folded hard -- small.folded
	"$ASSAY" diff small.folded hard
	"$ASSAY" flame --diff -o d.svg small.folded hard
}

@test "each of many inputs is looked at once, not once for each other" {
	command -v strace >/dev/null || skip "no strace"
	mkdir many
	for i in $(seq 40); do
		printf 'main;f %d\n' "$i" >"many/$i"
	done
	# LeakSanitizer does not work under strace
	ASAN_OPTIONS=detect_leaks=0 strace -qq -o trace -e trace=stat,newfstatat,statx "$ASSAY" info many/* >/dev/null
	[ "$(grep -c 'many/17"' trace)" -le 8 ]
	# the second name of any is found, however many lie between
	ln many/3 many/zz
	fails 2 info many/*
	[[ "$stderr" == "assay: many/zz: it is named twice and would count twice" ]]
}

# A desktop that notes what it shall open.
desktop() {
	mkdir -p bin
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" >opened\nexit %s\n' "$1" >bin/xdg-open
	chmod +x bin/xdg-open
	PATH=$PWD/bin:$PATH
}

@test "a file that is written is named on a terminal, with its size" {
	command -v script >/dev/null || skip "script is not here"
	printf 'app;main;work 6000\n' >a.folded
	script -qec "'$ASSAY' flame -o cpu.svg a.folded; '$ASSAY' report -o a.txt a.folded" /dev/null </dev/null >seen
	grep -qE '^assay: wrote cpu.svg \([0-9]+ kB\)' seen
	grep -qE '^assay: wrote a.txt \([0-9]+ bytes\)' seen
	run --separate-stderr "$ASSAY" flame -o cpu.svg a.folded
	[ -z "$stderr" ]
}

@test "--open opens the complete file" {
	printf 'app;main;work 6000\n' >a.folded
	desktop 0
	"$ASSAY" flame --open -o ./-cpu.svg a.folded
	[ "$(cat opened)" = "$PWD/-cpu.svg" ]
	"$ASSAY" html --open -o page.html a.folded
	[ "$(cat opened)" = "$PWD/page.html" ]
	rm opened
	run "$ASSAY" html --open -o other.html missing.folded
	[ "$status" -ne 0 ]
	[ ! -e opened ]
	run "$ASSAY" flame --open a.folded
	[ "$status" -eq 2 ]
	[[ "$output" == *"--open needs a file: -o FILE"* ]]
	desktop 3
	run "$ASSAY" html --open -o page.html a.folded
	[ "$status" -eq 1 ]
	[[ "$output" == *"page.html: xdg-open cannot open the file"* ]]
	grep -q '<!doctype html>' page.html
}
