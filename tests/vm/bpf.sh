# Runs in the guest of the VM rig: the same workload recorded by assay record --graph through
# tracefs and through each kind of BPF probes; leftovers after SIGKILL; a buffer that is too
# small. /vm/assay.sh runs assay with its libraries; the files are looked at on the host.
# The argument: "all", or "fentry" where the kernel has nothing else.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
uname -r >kernel.txt
what=${1:-all}
functions=__sys_sendto,udp_sendmsg
# where functions are attached to one by one
few='ip_make_skb,udp_send_skb,ip_send_skb,udp_rcv,ip_rcv,__icmp_send,ip_route_output_*'
ip link set lo up
/vm/load udp 127.0.0.1 7777 5 100 0 >/dev/null

settings() {
	for f in current_tracer set_graph_function max_graph_depth tracing_thresh set_ftrace_filter \
		set_ftrace_pid set_event_pid tracing_on trace_clock events/enable; do
		echo "$f: $(cat "$T/$f")"
	done
	for f in "$T"/options/*; do echo "$f: $(cat "$f")"; done
	ls "$T/instances"
	echo "functions with a probe: $(wc -l <"$T/enabled_functions")"
}
take() { # name, options
	name=$1
	shift
	/vm/assay.sh record --graph $functions "$@" -o "$name.dat" --no-report -- \
		/vm/load udp 127.0.0.1 7777 25 100 0 >"$name.log" 2>&1
	echo "status $?" >>"$name.log"
}
# Until the probes of a recorder that runs in the background are there.
armed() {
	n=0
	until [ "$(wc -l <"$T/enabled_functions")" -gt "$1" ] || [ $n -gt 600 ]; do
		sleep 0.1
		n=$((n + 1))
	done
}
killed() { # name, options
	name=$1
	shift
	before=$(wc -l <"$T/enabled_functions")
	/vm/assay.sh record --graph udp_sendmsg --graph-only udp_sendmsg --depth 3 "$@" -o killed.dat \
		--no-report -a --for 100s >"$name.log" 2>&1 &
	recorder=$!
	armed "$before"
	settings >"settings.while-$name"
	kill -9 $recorder
	wait $recorder 2>/dev/null
	n=0
	while [ "$(wc -l <"$T/enabled_functions")" -ne "$before" ] && [ $n -lt 300 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	sleep 1
	settings >"settings.after-$name"
	rm -f ./killed.dat*
}
# not as the kernel sets them
echo vfs_read >"$T/set_graph_function"
echo 7 >"$T/max_graph_depth"
settings >settings.before

take few-tracefs --graph-by tracefs --graph-only "$few"
take few-fentry --graph-by fentry --graph-only "$few"
killed killed-fentry --graph-by fentry
if [ "$what" = all ]; then
	take few-multi --graph-by kprobe.multi --graph-only "$few"
	take all-tracefs --graph-by tracefs
	take all-session --graph-by kprobe.session
	killed killed-session --graph-by kprobe.session
	killed killed-tracefs --graph-by tracefs
	/vm/assay.sh record --graph __sys_sendto --graph-only udp_sendmsg --graph-by kprobe.session \
		--buffer 16K -o lost.dat --no-report -- /vm/load udp 127.0.0.1 7777 3000 100 0 \
		>lost.log 2>&1
	echo "status $?" >>lost.log
fi
settings >settings.after
exit 0
