# Runs in the guest of the VM rig: records one workload in many ways.
# Files named same-*.txt are one trace buffer, printed with other options.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
uname -r >kernel.txt

functions='vfs_* do_sys_* *shmem* schedule* security_* kmem_cache_*'
fg_reset
for f in $functions; do echo "$f" >>"$T/set_ftrace_filter"; done
traced /vm/load files 1
fg_save same-plain.txt
opt funcgraph-proc 1
fg_save same-proc.txt
opt funcgraph-abstime 1
fg_save same-proc-abstime.txt
opt funcgraph-tail 1
fg_save same-proc-abstime-tail.txt
opt latency-format 1
fg_save same-proc-abstime-tail-latency.txt
fg_reset

echo nop >"$T/current_tracer"
for e in sched irq syscalls; do echo 1 >"$T/events/$e/enable"; done
traced /vm/load nap 2 5
fg_save events.txt
echo 0 >"$T/events/enable"
echo function >"$T/current_tracer"
echo 'vfs_*' >"$T/set_ftrace_filter"
traced /vm/load files 1
fg_save function.txt
fg_reset
echo nop >"$T/current_tracer"

trace-cmd record -o graph.dat -p function_graph -l 'vfs_*' -l '*shmem*' -l 'kmem_cache_*' \
	-e sched -F /vm/load files 1 >graph.log 2>&1
trace-cmd report -i graph.dat >graph.report.txt 2>/dev/null
trace-cmd report -t -i graph.dat >graph.nanos.txt 2>/dev/null
trace-cmd record -o events6.dat --file-version 6 -e sched -e syscalls -F /vm/load nap 1 5 \
	>events6.log 2>&1
trace-cmd report -i events6.dat >events6.report.txt 2>/dev/null
rm -f ./*.dat.cpu* ./*.log
exit 0
