#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# Skip where this machine lets nobody, or not this user, sample.
needs_rights() {
	"$ASSAY" record -q -o probe.data "$@" >/dev/null 2>why || skip "$(tail -1 why)"
}

# A program that spends 70, 20 and 10 % of its time in three functions.
spin() {
	cat >spin.c <<-'C'
		#define SPIN(name) __attribute__((noinline)) unsigned long name(long n) { \
			unsigned long x = 1; \
			for (long i = 0; i < n * 1000; i++) { \
				x = x * 1664525 + 1013904223; __asm__ volatile("" : "+r"(x)); \
			} return x; }
		SPIN(seventy) SPIN(twenty) SPIN(ten)
		int main(void) { for (;;) { seventy(70); twenty(20); ten(10); } }
	C
	cc -O1 -g0 -fno-omit-frame-pointer -o spin spin.c || skip "no compiler"
}

@test "top --batch: shares of a program with known ones, findings, as JSON" {
	needs_rights -- true
	spin
	run --separate-stderr timeout 60 "$ASSAY" top --json --batch 2 -d 1500ms -F 1999 -- ./spin
	[ "$status" -eq 0 ]
	python3 -c '
import json, math, sys
frames, at, text = [], 0, sys.stdin.read()
while text[at:].strip():
    while text[at].isspace(): at += 1
    frame, at = json.JSONDecoder().raw_decode(text, at)
    frames.append(frame)
assert len(frames) == 2, len(frames)
for f in frames:
    n = f["window"]["samples"]
    assert n > 20 and f["window"]["lost"] == 0, f["window"]
    shares = {r["symbol"]: r["self"] for r in f["rows"]}
    # four sigmas, and 1.5 for the cost of loops
    for name, want in (("seventy", 70), ("twenty", 20), ("ten", 10)):
        err = 4 * math.sqrt(want * (100 - want) / n) + 1.5
        assert abs(shares[name] - want) < err, (name, shares[name], err)
assert frames[1]["window"]["samples"] > frames[0]["window"]["samples"]
assert frames[1]["cost"] > 0
assert any("seventy" in g["claim"] for g in frames[1]["findings"]), frames[1]["findings"]
' <<<"$output"
}

@test "top --once prints a plain frame, of the process asked for" {
	needs_rights -- true
	spin
	./spin & pid=$!
	run --separate-stderr timeout 60 "$ASSAY" top --once -d 700ms -n 2 -p $pid
	kill $pid
	[ "$status" -eq 0 ]
	[[ $output == *" samples of "*", process $pid"* ]]
	[[ $output == *"seventy"*"twenty"* ]]
	[[ $output != *"ten"$'\n'* ]]
	[[ $output != *$'\033'* ]]
}

@test "top: rows by thread, command, file, kind; the window forgets" {
	needs_rights -- true
	spin
	for by in thread comm dso kind; do
		run --separate-stderr timeout 60 "$ASSAY" top --once -d 400ms --by $by -- ./spin
		[ "$status" -eq 0 ]
		[[ $output == *"spin"* || $by == kind ]]
	done
	# a machine that stalls for a second has longer slices
	for i in 1 2 3; do
		run --separate-stderr timeout 60 "$ASSAY" top --json --batch 8 -d 300ms --window 600ms -- ./spin
		python3 -c '
import json, sys
text = sys.stdin.read()
last = json.loads("{" + text.rsplit("\n{", 1)[1])
sys.exit(last["window"]["seconds"] > 3)' <<<"$output" && break
	done
	[ "$i" -lt 3 ]
}

@test "top ends with the command, shows the last of it and passes its status on" {
	needs_rights -- true
	run --separate-stderr timeout 60 "$ASSAY" top -d 30s -- sh -c 'i=0; while [ $i -lt 90000 ]; do i=$((i+1)); done; exit 5'
	[ "$status" -eq 5 ]
	[[ $output == *"ENDED"*" samples of "* ]]
}

@test "top: the end is shown, also where it comes while a page is drawn" {
	needs_rights -- true
	local ms i=0
	for ms in 060 075 100 120 140 160 180 200 240; do
		timeout 30 "$ASSAY" top -d 50ms -F 997 -- \
			timeout 0.$ms sh -c 'while :; do :; done' 2>/dev/null >pages || [ $? -eq 124 ]
		grep ' in [0-9.]* s' pages | tail -1 >last
		grep -q '  ENDED ' last || { cat last; return 1; }
		i=$((i + 1))
	done
	[ "$i" -eq 9 ]
}

@test "top without a sample says so" {
	needs_rights -- true
	run --separate-stderr timeout 60 "$ASSAY" top --once -d 300ms -- sleep 5
	[ "$status" -eq 0 ]
	[[ $output == *" in "*" s, "* ]]
}

@test "top: SIGINT ends it, its reader leaving ends it" {
	needs_rights -- true
	"$ASSAY" top -d 200ms >out.txt 2>/dev/null &
	pid=$!
	waits_for grep -q " samples of " out.txt
	kill -INT $pid
	wait $pid
	grep -q " samples of " out.txt
	timeout 30 "$ASSAY" top -d 200ms 2>/dev/null | head -1 >first
	[ -s first ]
}

@test "top: what reads symbols has no rights and no events, what records only those it needs" {
	needs_rights -- true
	"$ASSAY" --limits | grep -q "with a filter of system calls" ||
		skip "this build or kernel has no filter of system calls"
	"$ASSAY" top -d 200ms >out.txt 2>/dev/null &
	pid=$!
	waits_for grep -q " samples of " out.txt
	reader=$(pgrep -P $pid)
	grep -q "^Seccomp:.*2" "/proc/$reader/status"
	grep -q "^NoNewPrivs:.*1" "/proc/$reader/status"
	run ls -l "/proc/$reader/fd"
	[[ $output != *perf_event* ]]
	# CAP_SYS_ADMIN is bit 21
	caps=$(sed -n 's/^CapPrm:\t*//p' "/proc/$pid/status")
	(((0x$caps >> 21 & 1) == 0))
	kill -INT $pid
	wait $pid
}

@test "top: options that cannot be" {
	fails 2 top --delay 1ms
	fails 2 top -p 1 -- true
	fails 2 top --by colour
	fails 2 top --window 2h
	needs_rights -- true
	fails 1 top --once -p 4194000
	[ "$stderr" = "assay: there is no process 4194000" ]
}

@test "top whose page cannot be written fails and says so" {
	needs_rights -- true
	[ -c /dev/full ] || skip "no /dev/full"
	for words in "" --json; do
		# shellcheck disable=SC2086
		run --separate-stderr bash -c "'$ASSAY' top --once -d 100ms $words -- true >/dev/full"
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"assay: cannot write the output: No space left on device" ]]
	done
	# who has seen enough is no error
	run --separate-stderr bash -c "set -o pipefail; '$ASSAY' top --batch 3 -d 100ms -- sleep 1 | head -1"
	[[ "$stderr" != *"cannot write"* ]]
}
