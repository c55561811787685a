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

tracefs=/sys/kernel/tracing

# What a recording may change.
settings() {
	local f
	for f in current_tracer set_graph_function max_graph_depth tracing_thresh tracing_on trace_clock \
		set_ftrace_filter events/enable options/funcgraph-irqs options/sleep-time; do
		[ ! -r "$tracefs/$f" ] || echo "$f: $(cat "$tracefs/$f")"
	done
	ls "$tracefs/instances"
	echo "functions with a probe: $(wc -l <"$tracefs/enabled_functions")"
}

is_as_before() {
	settings | cmp -s - before
}

is_other() {
	! is_as_before
}

# killed BY: the recorder and its command are killed at once. BPF programs go with their last descriptor,
# and a helper process restores tracefs.
killed() {
	cd "$BATS_TEST_TMPDIR"
	[ -r "$tracefs/current_tracer" ] || skip "no tracefs"
	run --separate-stderr "$ASSAY" record --graph do_nanosleep --graph-only hrtimer_nanosleep \
		--graph-by "$1" --no-report -o t.dat -- sleep 0.01
	[ "$status" -eq 0 ] || skip "${stderr#assay: }"
	settings >before
	"$ASSAY" record --graph do_nanosleep --graph-only hrtimer_nanosleep --graph-by "$1" \
		--no-report -o k.dat -- sh -c 'echo $$ >target; while :; do sleep 0.1; done' 2>said &
	pid=$!
	waits_for [ -s target ]
	waits_for is_other
	kill -9 $pid "$(cat target)"
	wait $pid || true
	waits_for is_as_before || { settings | diff before -; return 1; }
}

@test "after SIGKILL of recorder and command, settings of tracefs are as before" {
	killed tracefs
}

@test "after SIGKILL of recorder and command, programs by fentry are gone" {
	killed fentry
}

@test "after SIGKILL of recorder and command, programs by kprobe.session are gone" {
	killed kprobe.session
}
