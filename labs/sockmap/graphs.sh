# Function graphs by 'assay record --graph', on this machine or in the guest of the VM rig: the
# way of a message that is redirected to the other socket's transmit side (through TCP/IP), and
# to its receive queue (past it).
# shellcheck shell=dash disable=SC2154
VM=${VM:-/vm}
ASSAY=${ASSAY:-$VM/assay.sh}
LOAD=$VM/lab-load
cd "$OUT" || exit 1
uname -r >kernel.txt
# once untraced: connections, first allocations
"$LOAD" sockmap 3 0 0 || exit 1
"$LOAD" sockmap 3 1 0 || exit 1

graph() { # name ingress
	"$ASSAY" record --graph __sys_sendto --no-report -o "$1.dat" -- "$LOAD" sockmap 8 "$2" 1 \
		>"$1.log" 2>&1 || exit 1
}
graph through 0
graph past 1
# the same by BPF, which has return values: no kernel of Debian's prints them
"$ASSAY" record --graph __sys_sendto --graph-only 'tcp_bpf_*,sk_psock_*' --graph-by bpf \
	-o returned.dat --no-report -- "$LOAD" sockmap 8 1 1 >returned.log 2>&1
exit 0
