#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# CAP_KILL alone, of a recorder of a command.
kill_alone=0000000000000020
none=0000000000000000
# CAP_DAC_READ_SEARCH, to unwind programs of all users.
read_alone=0000000000000004

sets='grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/$PPID/status'

needs_root() {
	needs_rights -- true
	[ "$(sed -n 's/^CapEff:[ \t]*//p' /proc/self/status)" != "$none" ] || skip "no capabilities to give up"
}

@test "while a command is recorded, capabilities are given up, and it keeps its own" {
	needs_root
	run --separate-stderr "$ASSAY" record -o a.data -- sh -c "$sets; sed -n 's/^CapEff/own/p' /proc/self/status"
	[[ $output == *"CapEff:	$kill_alone"* ]]
	[[ $output == *"NoNewPrivs:	1"* ]]
	[[ $output == *"own:	$(sed -n 's/^CapEff:[ \t]*//p' /proc/self/status)"* ]]
}

@test "they are gone for good where nothing is shown afterwards" {
	needs_root
	# the last of them just after the command has begun
	"$ASSAY" record -q -o b.data -- sh -c "for i in \$(seq 300); do
		$sets | grep -q 'CapPrm:	$kill_alone' && exit; sleep 0.1; done; $sets; exit 1"
	"$ASSAY" record --no-report -a -o c.data --for 60s 2>/dev/null &
	pid=$!
	for ((i = 0; i < 200; i++)); do # on a busy machine it takes a while to begin
		if grep -q "CapEff:	$read_alone" /proc/$pid/status; then break; fi
		sleep 0.2
	done
	grep -q "CapEff:	$read_alone" /proc/$pid/status
	grep -q "CapPrm:	$read_alone" /proc/$pid/status
	kill -INT $pid
	wait $pid
	"$ASSAY" record --no-report -a --call-graph fp -o c.data --for 60s 2>/dev/null &
	pid=$!
	waits_for grep -q "CapEff:	$none" /proc/$pid/status
	grep -q "CapPrm:	$none" /proc/$pid/status
	kill -INT $pid
	wait $pid
}

@test "files of --ring are written without them, or with those that the folder takes" {
	needs_root
	"$ASSAY" record -q --ring 1s -o d.data -- sh -c "$sets" >sets
	grep -q "CapEff:	$kill_alone" sets
	[ -s d.data ]
	mkdir theirs
	chown 65534 theirs || skip "this user gives no folder away"
	chmod 700 theirs
	"$ASSAY" record -q --ring 1s -o theirs/d.data -- sh -c "$sets" >sets
	grep -q "CapEff:	000000000000002a" sets
	[ -s theirs/d.data ]
}

@test "the kernel's functions have their names on the front page" {
	needs_root
	grep -q ' T _text$' /proc/kallsyms || skip "no kernel symbols"
	[[ $(grep -m1 ' _text$' /proc/kallsyms) != 0000000000000000* ]] || skip "they are hidden"
	run "$ASSAY" record -o e.data -- sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); : </proc/self/stat; done'
	[[ $output == *"[k] "* ]]
	[[ $output != *"[k] 0x"* ]]
}
