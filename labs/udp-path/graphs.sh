# Function graphs of three datagrams, by 'assay record --graph', on this machine or in the guest
# of the VM rig. Each of the last four differs from the first in what its name says.
# shellcheck shell=dash disable=SC1091,SC2154,SC2039
VM=${VM:-/vm}
ASSAY=${ASSAY:-$VM/assay.sh}
UDP=$VM/lab-udp
. "$VM/net.sh"
cd "$OUT" || exit 1
uname -r >kernel.txt
if [ ! -e /sys/class/net/v0 ]; then
	udp_net || exit 1
fi
# conntrack, which it needs, is there by now
if [ -e "$VM/xt_CT.ko" ]; then
	insmod "$VM/xt_CT.ko" || exit 1
fi

# Warm-up packets are sent by another system call.
graph() { # name bytes segment per-flow warm
	"$ASSAY" record --graph __sys_sendto --no-report -o "$1.dat" -- \
		"$UDP" send 10.9.0.2 7777 3 "$2" "$3" "$4" "$5" >"$1.log" 2>&1 || exit 1
}
graph base 2800 1300 1 0
udp_notrack -A || exit 1
graph notrack 2800 1300 1 0
udp_notrack -D
graph small 1300 0 1 0
graph warm 2800 1300 3 5
udp_notrack -A
graph all 1300 0 3 5
udp_notrack -D
[ -z "$sink" ] || kill "$sink"
exit 0
