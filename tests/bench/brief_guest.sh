# Runs in the guest of the VM rig: function graphs in which one thing is costly.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
if [ -e /vm/net.sh ]; then
	. /vm/net.sh
	UDP=/vm/lab-udp
	udp_net && insmod /vm/xt_CT.ko && has_net=1
fi

graph() { # name function command...
	name=$1
	fg_reset
	echo "$2" >"$T/set_graph_function"
	shift 2
	echo 0 >"$T/tracing_on"
	echo >"$T/trace"
	"$@"
	fg_save "$name.txt"
}

call() { # name function number
	graph "$1" "$2" /vm/calls "$3" "$T/tracing_on"
}

call graph-read "ksys_read" 0
call graph-poll "do_sys_poll" 1
call graph-fork "kernel_clone" 2
call graph-write "ksys_write" 3
call graph-open "do_sys_openat2" 4
[ "$has_net" ] || exit 0
udp_notrack -A
graph graph-segments udp_sendmsg "$UDP" send 10.9.0.2 7777 3 2800 1300 1 5 "$T/tracing_on"
graph graph-flows udp_sendmsg "$UDP" send 10.9.0.2 7777 3 1300 0 1 0 "$T/tracing_on"
kill "$sink"
exit 0
