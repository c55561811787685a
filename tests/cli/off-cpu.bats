#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# Switches, wake-ups and samples of the CPU as perf script prints them.
setup_file() {
	cp "$ASSAY_SOURCE/tests/golden/rules/waiting-lock-fires.d/input.script" "$BATS_FILE_TMPDIR/waits.script"
}

# seconds that the front page says for "Ran", "Ready", "Waited"
front() {
	"$ASSAY" --off-cpu "$BATS_FILE_TMPDIR/waits.script" | sed -n "s/^  $1  *\([0-9.]*\) s.*/\1/p"
}

@test "folded stacks of the wall clock have nanoseconds that add up to the front page" {
	"$ASSAY" convert --off-cpu --to folded "$BATS_FILE_TMPDIR/waits.script" >wall.folded
	for state in running:Ran ready:Ready waiting:Waited; do
		sum=$(awk -v mark=";[${state%:*}]" 'index($0, mark) { s += $NF } END { printf "%.3f", s / 1e9 }' wall.folded)
		[ "$sum" = "$(front "${state#*:}")" ]
	done
	[ "$(grep -c -v -F -e '[running]' -e '[ready]' -e '[waiting]' wall.folded)" -eq 0 ]
}

@test "the flame graph tells running from waiting, with the front page's sums" {
	"$ASSAY" flame --off-cpu -o wall.svg "$BATS_FILE_TMPDIR/waits.script"
	grep -q "ran $(front Ran) s, ready $(front Ready) s, waited $(front Waited) s" wall.svg
	grep -q '>running ' wall.svg
	grep -q '>waiting ' wall.svg
	grep -q '>ready, without a CPU ' wall.svg
	fails 2 flame --diff --off-cpu "$BATS_FILE_TMPDIR/waits.script" "$BATS_FILE_TMPDIR/waits.script"
}

@test "the page has the wall clock beside both halves of it" {
	"$ASSAY" html --off-cpu -o wall.html "$BATS_FILE_TMPDIR/waits.script"
	grep -q wall-clock wall.html
	grep -q 'waiting-lock' wall.html
}

@test "the report's weights are those of the front page" {
	"$ASSAY" report --off-cpu --no-children --json --sort wait "$BATS_FILE_TMPDIR/waits.script" >waits.json
	python3 - waits.json "$(front Ready)" "$(front Waited)" <<-'END'
		import json, sys
		rows = [r for c in json.load(open(sys.argv[1]))["captures"] for r in c["rows"]]
		sums = {r["wait"]: "%.3f" % (r["weight"] / 1e9) for r in rows}
		assert sums == {"runnable": sys.argv[2], "blocked": sys.argv[3]}, sums
	END
}

@test "explain finds waits unasked, and refuses them where there are none" {
	run "$ASSAY" explain "$BATS_FILE_TMPDIR/waits.script"
	[[ $output == *"waiting-lock"* ]]
	printf 'a;main 10\n' >plain.folded
	fails 1 explain --off-cpu plain.folded
	[[ $stderr == *"no context switches recorded"* ]]
}

@test "two recordings are shown one by one, never added up" {
	cp "$BATS_FILE_TMPDIR/waits.script" first.script
	cp "$BATS_FILE_TMPDIR/waits.script" second.script
	"$ASSAY" --off-cpu first.script second.script >out
	[ "$(grep -c '^On and off the CPU' out)" -eq 2 ]
	grep '^On and off the CPU' out | grep -q second.script
	[ "$(sed -n 's/^  Ran  *\([0-9.]*\) s.*/\1/p' out | sort -u)" = "$(front Ran)" ]
	"$ASSAY" flame --off-cpu -o wall.svg first.script second.script
	grep -q "ran $(front Ran) s, ready" wall.svg
}

# The ids of threads in fields are those of the first namespace, in samples those of the recorder's.
@test "a recording made in a PID namespace says what it says outside" {
	input=$ASSAY_SOURCE/tests/golden/report/off-cpu-namespace.d/input.script
	mkdir inside outside
	cp "$input" inside/x.script
	awk '{
		while (match($0, /pid=1[0-9]+/)) {
			printf "%s%d", substr($0, 1, RSTART + 3), substr($0, RSTART + 4, RLENGTH - 4) - 90000
			$0 = substr($0, RSTART + RLENGTH)
		}
		print
	}' "$input" >outside/x.script
	[ "$(grep -c 'pid=1[0-9][0-9][0-9][0-9][0-9]' outside/x.script)" -eq 0 ]
	for side in inside outside; do
		cd $side
		"$ASSAY" report --no-children --sort tid,parallelism x.script >parallelism
		"$ASSAY" report --no-children --latency --sort comm,tid,sym x.script >divided
		"$ASSAY" report --off-cpu --no-children --sort tid,reason,sym,waker_tid x.script >waits
		"$ASSAY" explain --off-cpu x.script >explain
		cd ..
	done
	grep -q convoy outside/divided
	# switches and wake-ups are no tables of their own, wherever they stand in the file
	[ "$(grep -c 'Total ' outside/parallelism outside/divided | grep -c ':1$')" -eq 2 ]
	diff -r -x x.script inside outside
}
