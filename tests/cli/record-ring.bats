#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

@test "--ring keeps the last of it; SIGUSR2 and a condition write a file beside" {
	needs_rights -- true
	echo mine >r.data.001
	"$ASSAY" record --no-report --ring 400ms --when 'runnable>=1' -o r.data -- \
		sh -c 'while :; do :; done' 2>said &
	pid=$!
	waits_for [ -e r.data.002 ]
	sleep 1
	kill -USR2 $pid
	waits_for grep -q SIGUSR2 said
	kill -INT $pid
	wait $pid || true
	[ "$(cat r.data.001)" = mine ]
	grep -q "r.data.002: .* samples of the last 0.*: runnable>=1 (it is " said
	grep -q "r.data.003: .* of the last 0.400 s, .*: SIGUSR2" said
	grep -q "r.data: .* in 0.400 s" said
	for file in r.data r.data.002 r.data.003; do
		run --separate-stderr "$ASSAY" report --csv --no-children --sort comm,dso "$file"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		# mapped long before the kept records
		[[ $output == *",sh,"* ]]
		[[ $output != *"[unknown]"* ]]
	done
	run ls
	[[ $output != *part* ]]
}

@test "--ring takes a size, and so many files before the end" {
	needs_rights -- true
	"$ASSAY" record --no-report --ring 64K -F 4999 --when 'runnable>=1' --when 'load>=0' \
		--ring-files 1 -o s.data -- sh -c 'while :; do :; done' 2>said &
	pid=$!
	waits_for [ -e s.data.001 ]
	sleep 1
	kill -USR2 $pid
	sleep 0.3
	kill -TERM $pid
	wait $pid || true
	[ -e s.data.001 ]
	[ ! -e s.data.002 ]
	grep -q "1 files were written before the end" said
	[ "$(stat -c %s s.data)" -lt 200000 ]
	"$ASSAY" info s.data >/dev/null
}

@test "without --ring, SIGUSR2 makes what is there readable" {
	needs_rights -- true
	"$ASSAY" record -q -o u.data -- sh -c 'echo $$ >child; while :; do :; done' &
	pid=$!
	waits_for [ -s child ]
	sleep 0.7
	kill -USR2 $pid
	sleep 0.3
	kill -KILL $pid
	wait $pid || true
	kill -KILL "$(cat child)"
	run "$ASSAY" report --csv u.data
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -gt 1 ]
}

@test "conditions and sizes that cannot be are refused before anything starts" {
	fails 2 record --ring 10x -- true
	fails 2 record --when 'cpu>90%' -- true
	[[ $stderr == *"need --ring"* ]]
	fails 2 record --ring 1s --when 'cpu>120%' -- true
	[[ $stderr == *"can never hold"* ]]
	fails 2 record --ring 1s --when 'heat>1' -- true
	fails 2 record --ring 1s --max-size 1M -- true
	fails 2 record --ring 1s --graph vfs_read -- true
	needs_rights -- true
	fails 1 record --ring 1s --when 'cpu:4194000>1%' -- true
	[[ $stderr == *"no such process"* ]]
	mkfifo pipe
	fails 2 record --ring 1s -o pipe -- true
	[ -p pipe ]
}

@test "where the last file cannot be written, that is said and the command ended" {
	needs_rights -- true
	mkdir small
	mount -t tmpfs -o size=64k none small 2>/dev/null || skip "nothing can be mounted here"
	"$ASSAY" record --no-report --ring 2s -o small/r.data -- \
		sh -c 'trap "" INT; : >started; while :; do :; done' 2>said &
	pid=$!
	waits_for [ -e started ]
	sleep 1
	head -c 100000 /dev/zero >small/full 2>/dev/null || true
	kill -INT $pid
	wait $pid && ended=0 || ended=$?
	files=$(ls small)
	umount small
	[ "$ended" -eq 1 ]
	grep -q "cannot write it: No space left" said
	[ "$files" = full ]
}
