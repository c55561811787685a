#!/usr/bin/env bats
# Recordings while a CPU goes offline and comes online. These tests run alone: while a CPU is away,
# a recording that begins has no events on it, so the counts of other tests would be short.
bats_require_minimum_version 1.5.0
load assay.bash

setup() {
	assay_setup
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	needs_rights -- true
}

# teardown() puts the CPU back even if a test fails or is interrupted.
teardown() {
	[ -z "${off:-}" ] || echo 1 >"$off"
}

# A CPU that can be taken away: $off.
needs_spare_cpu() {
	local cpu
	cpu=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
	[ "$cpu" != 0 ] || skip "one CPU only"
	spare=/sys/devices/system/cpu/cpu$cpu/online
	[ -w "$spare" ] || skip "CPU $cpu cannot go offline here"
	all=$(cat /sys/devices/system/cpu/online)
}

@test "a CPU that goes offline and returns: the recording goes on, and the missing samples are named" {
	needs_spare_cpu
	"$ASSAY" record --no-report -a --for 5s -o off.data 2>said &
	pid=$!
	"$ASSAY" record --no-report -a --ring 5s --for 5s -o ring.data 2>ring.said &
	ring=$!
	waits_for [ -s off.data ]
	sleep 1
	off=$spare
	echo 0 >"$off" 2>why || skip "$(cat why)"
	sleep 1.5
	echo 1 >"$off"
	off=
	wait $pid
	wait $ring
	[ "$(cat /sys/devices/system/cpu/online)" = "$all" ]
	grep -q "^assay: CPUs went offline or came online ($all, then " said || { cat said; return 1; }
	grep -q "^assay: CPUs went offline or came online ($all, then " ring.said || { cat ring.said; return 1; }
	"$ASSAY" info --json off.data | is_json
	"$ASSAY" info --json ring.data | is_json
}

@test "a CPU that comes online during a recording is named as one without samples" {
	needs_spare_cpu
	off=$spare
	echo 0 >"$off" 2>why || { off=; skip "$(cat why)"; }
	"$ASSAY" record --no-report -a --for 3s -o on.data 2>said &
	pid=$!
	waits_for [ -s on.data ]
	sleep 0.5
	echo 1 >"$off"
	off=
	wait $pid
	grep -q "^assay: CPUs went offline or came online (.*, then $all)" said || { cat said; return 1; }
}
