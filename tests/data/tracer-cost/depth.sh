. /vm/fg.lib
fg_reset
W="/vm/load files 20"
$W
cap() { n=$1; shift; echo >$T/trace; traced "$@"; cat $T/trace >$OUT/$n.txt; echo "$n: $(wc -l <$OUT/$n.txt) lines"; }
uname -r >$OUT/kernel.txt
for f in do_sys_openat2 vfs_write vfs_unlink; do echo $f >>$T/set_graph_function; done
for d in 1 2 3 5 0; do echo $d >$T/max_graph_depth; cap depth$d $W; done
echo 0 >$T/max_graph_depth
echo >$T/set_graph_function
echo nop >$T/current_tracer
printf 'do_sys_openat2\nvfs_write\nvfs_unlink\n' >$T/set_ftrace_filter
echo function_graph >$T/current_tracer
cap rootonly $W
cap rootonly2 $W
