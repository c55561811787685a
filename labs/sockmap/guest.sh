# Runs in the guest of the VM rig: the way of a message, redirected to the other
# socket's transmit side (through TCP/IP) and to its receive queue (past it).
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
. /vm/fg.lib
cd "$OUT" || exit 1
uname -r >kernel.txt
# once untraced: connections, first allocations
/vm/load sockmap 3 0 0 || exit 1
/vm/load sockmap 3 1 0 || exit 1
fg_reset
echo __sys_sendto >"$T/set_graph_function"
traced /vm/load sockmap 8 0 1
fg_save through.txt
traced /vm/load sockmap 8 1 1
fg_save past.txt
# the same by BPF, which has return values: no kernel of Debian prints them
if [ -x /vm/assay.sh ]; then
	/vm/assay.sh record --graph __sys_sendto --graph-only 'tcp_bpf_*,sk_psock_*' --graph-by bpf \
		-o returned.dat --no-report -- /vm/load sockmap 8 1 1 >returned.log 2>&1
fi
exit 0
