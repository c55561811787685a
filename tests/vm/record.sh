# Runs in the guest of the VM rig: assay record --graph, and its leftovers.
# /vm/assay.sh runs assay with its libraries; the files are looked at on the host.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
uname -r >kernel.txt
functions=__sys_sendto,udp_sendmsg
sends=25
ip link set lo up

# Everything that a recording may change, as it stands.
settings() {
	for f in current_tracer set_graph_function set_graph_notrace max_graph_depth tracing_thresh \
		set_ftrace_filter set_ftrace_pid set_event_pid tracing_on trace_clock \
		events/enable; do
		echo "$f: $(cat "$T/$f")"
	done
	for f in "$T"/options/*; do echo "$f: $(cat "$f")"; done
	ls "$T/instances"
}
# not as the kernel sets them
echo vfs_read >"$T/set_graph_function"
echo 7 >"$T/max_graph_depth"
opt funcgraph-irqs 0
settings >settings.before

/vm/assay.sh record --graph $functions -o plain.dat --no-report -- /vm/load udp 127.0.0.1 7777 $sends 100 0 \
	>plain.log 2>&1
echo "status $?" >>plain.log
settings >settings.after-plain

# a process that runs already, until it ends
sh -c "while [ ! -e /tmp/go ]; do sleep 0.1; done; exec /vm/load udp 127.0.0.1 7777 $sends 100 0" \
	>/dev/null &
/vm/assay.sh record --graph $functions --depth 3 -o depth3.dat --no-report -p $! >depth3.log 2>&1 &
recorder=$!
until grep -qs 1 "$T"/instances/assay-*/tracing_on; do sleep 0.2; done
echo >/tmp/go
wait $recorder
echo "status $?" >>depth3.log
settings >settings.after-depth3

# all processes, calls of a millisecond and more, until somebody ends it
/vm/assay.sh record --graph ksys_read,do_nanosleep,__x64_sys_clock_nanosleep --threshold 1000 \
	-o long.dat --no-report -a >long.log 2>&1 &
recorder=$!
until grep -qs 1 "$T"/instances/assay-*/tracing_on; do sleep 0.2; done
/vm/load nap 3 20 >/dev/null
kill -INT $recorder
wait $recorder
echo "status $?" >>long.log
settings >settings.after-long

/vm/assay.sh record --graph no_such_function -o none.dat --no-report -- /vm/load nap 1 1 >none.log 2>&1
echo "status $?" >>none.log
settings >settings.after-none

# somebody else has the graph tracer
mkdir "$T/instances/other"
echo do_nanosleep >"$T/instances/other/set_ftrace_filter"
echo function_graph >"$T/instances/other/current_tracer"
/vm/assay.sh record --graph vfs_read -o refused.dat --no-report -- /vm/load nap 1 1 >refused.log 2>&1
echo "status $?" >>refused.log
cat "$T/instances/other/current_tracer" >>refused.log
echo nop >"$T/instances/other/current_tracer"
rmdir "$T/instances/other"
settings >settings.after-refused

/vm/assay.sh record --graph $functions -o killed.dat --no-report -a --for 100s >killed.log 2>&1 &
recorder=$!
until grep -qs 1 "$T"/instances/assay-*/tracing_on; do sleep 0.2; done
cat "$T/set_graph_function" "$T/max_graph_depth" >settings.while
kill -9 $recorder
n=0
while [ -n "$(ls "$T/instances")" ] && [ $n -lt 300 ]; do sleep 0.2; n=$((n + 1)); done
sleep 1
settings >settings.after-kill
ls -a >files.txt
rm -f ./*.dat.tmp*

# the same by trace-cmd
trace-cmd record -o theirs.dat -p function_graph -g __sys_sendto -g udp_sendmsg \
	-F /vm/load udp 127.0.0.1 7777 $sends 100 0 >theirs.log 2>&1
rm -f ./*.dat.cpu*
exit 0
