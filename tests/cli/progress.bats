#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

# A slow input: some now, the rest after so many seconds.
slow() {
	[ -p "$1" ] || mkfifo "$1"
	{
		cat small.folded
		sleep "$2"
		cat small.folded
	} >"$1" &
}

@test "long work is told on a terminal, and erased" {
	command -v script >/dev/null || skip "script is not here"
	for seconds in 1.3 5 20; do # it is looked at when something is read: a busy machine may begin late
		slow in.folded $seconds
		TERM=xterm script -qec "'$ASSAY' report --csv in.folded >out.csv" /dev/null </dev/null >seen
		[ ! -s seen ] || break
	done
	grep -q 'reading in.folded: [0-9]* bytes, [0-9]* bytes/s' seen
	[ "$(tail -c 4 seen)" = "$(printf '\r\033[K')" ]
	[ -s out.csv ]
}

@test "nothing is told where stderr is no terminal" {
	slow in.folded 1.3
	run --separate-stderr "$ASSAY" report --csv in.folded
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}
