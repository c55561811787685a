#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
# User interface of assay record --graph. The recordings themselves: tools/check-vm and
# tests/compare/graph_bpf.py, in a guest.

load assay.bash

@test "a graph by BPF has calls of the functions, or one sentence says why there is none" {
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr "$ASSAY" record --graph do_nanosleep --graph-only hrtimer_nanosleep \
		--graph-by bpf --no-report -o t.dat -- sleep 0.01
	if [ "$status" -ne 0 ]; then
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		[ ! -e t.dat ]
		skip "${stderr#assay: }"
	fi
	"$ASSAY" --version | grep -q 'with .*traceevent' || skip "no libtraceevent"
	run "$ASSAY" calls t.dat
	[[ $output == *do_nanosleep* ]]
}

@test "what traces calls is one of the words of the help" {
	run --separate-stderr "$ASSAY" record --graph vfs_read --graph-by magic -- true
	[ "$status" -eq 2 ]
	[[ $stderr == *kprobe.session* ]]
}
