#!/usr/bin/env bats
# Recordings stay apart: nothing is added up over captures unless somebody asks for it.

bats_require_minimum_version 1.5.0
load assay

@test "a converter writes one recording where its format would add up two" {
	printf 'main;a 3\n' >one.folded
	printf 'main;a 5\n' >two.folded
	run --separate-stderr "$ASSAY" convert --to folded one.folded two.folded
	[ "$status" -eq 0 ]
	[ "$output" = "main;a 3" ]
	[[ "$stderr" == *"this is 1 (folded), without 2 (folded of two.folded); --event NAME or --capture N chooses"* ]]
	[ "$("$ASSAY" convert --to folded --capture 2 one.folded two.folded)" = "main;a 5" ]
	"$ASSAY" convert --to pprof one.folded two.folded -o both.pprof
	[ "$("$ASSAY" info both.pprof | grep -c 'pprof (profile)')" -eq 2 ]
}

@test "crashes that two logs tell of are two findings, not one sum" {
	printf '2025-01-01T10:00:00.000Z|00001|daemon_unix(monitor)|ERR|1 crashes: pid 7 died, killed (Segmentation fault), core dumped, restarting\n2025-01-01T10:00:01.000Z|00002|daemon_unix(monitor)|ERR|2 crashes: pid 9 died, killed (Segmentation fault), core dumped, restarting\n' >one.log
	sed s/T10/T11/ one.log >two.log
	"$ASSAY" explain --json --rule crash-loop one.log two.log >out.json
	python3 - out.json <<-'END'
		import json, sys
		f = [[g["value"] for g in f["figures"] if g["name"] == "crashes"] for f in json.load(open(sys.argv[1]))["findings"]]
		assert f == [[2], [2]], f
	END
}

@test "wake-ups of one trace and switches of another make no wait" {
	head='# tracer: nop\n#\n#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n#              | |         |   ||||      |         |\n'
	printf "$head"'          waker-10    [000] d..2   100.000100: sched_wakeup: comm=worker pid=20 prio=120 target_cpu=000\n' >one.trace
	printf "$head"'            one-30    [000] d..2    50.500000: sched_switch: prev_comm=one prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=two next_pid=31 next_prio=120\n            one-30    [000] d..2   100.900000: sched_switch: prev_comm=one prev_pid=30 prev_prio=120 prev_state=S ==> next_comm=worker next_pid=20 next_prio=120\n' >two.trace
	[ "$("$ASSAY" explain --json --rule sched-wait one.trace two.trace | grep -c '"claim"')" -eq 0 ]
	cat one.trace two.trace | grep -v '50.500' >both.trace
	"$ASSAY" explain --json --rule sched-wait both.trace | grep -q "was runnable but waited"
}
