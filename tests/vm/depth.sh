# Runs in the guest of the VM rig: one workload traced at several depths, and
# with only its three functions traced (root-only: the real duration).
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
uname -r >kernel.txt
roots='do_sys_openat2 vfs_write vfs_unlink'
fg_reset
opt funcgraph-proc 1
/vm/load files 20
for f in $roots; do echo "$f" >>"$T/set_graph_function"; done
for d in 1 2 3 5 0; do
	echo $d >"$T/max_graph_depth"
	traced /vm/load files 20
	fg_save "depth$d.all"
	grep -e '^#' -e ' load-' "depth$d.all" >"depth$d.txt"
done
echo 0 >"$T/max_graph_depth"
echo >"$T/set_graph_function"
echo nop >"$T/current_tracer"
for f in $roots; do echo "$f" >>"$T/set_ftrace_filter"; done
echo function_graph >"$T/current_tracer"
traced /vm/load files 20
fg_save root-only.all
grep -e '^#' -e ' load-' root-only.all >root-only.txt
rm -f ./*.all
exit 0
