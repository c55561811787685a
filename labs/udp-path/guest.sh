# Runs in the guest of the VM rig: function graphs of udp_sendmsg. Each of the last
# four differs from the first in what its name says.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
. /vm/net.sh
UDP=/vm/lab-udp
cd "$OUT" || exit 1
uname -r >kernel.txt
udp_net || exit 1
# conntrack, which it needs, is there by now
insmod /vm/xt_CT.ko || exit 1

graph() { # name bytes segment per-flow warm
	fg_reset
	echo udp_sendmsg >"$T/set_graph_function"
	echo 0 >"$T/tracing_on"
	echo >"$T/trace"
	"$UDP" send 10.9.0.2 7777 3 "$2" "$3" "$4" "$5" "$T/tracing_on"
	fg_save "$1.txt"
}
graph base 2800 1300 1 0
udp_notrack -A || exit 1
graph notrack 2800 1300 1 0
udp_notrack -D
graph small 1300 0 1 0
graph warm 2800 1300 1 5
udp_notrack -A
graph all 1300 0 1 5
kill "$sink"
exit 0
