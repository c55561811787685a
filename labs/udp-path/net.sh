# shellcheck shell=dash
# The network of this lab, the same on this machine and in the guest: a host and
# its peer in a namespace, a veth pair, VXLAN over it, conntrack and NAT on the way
# out. Sourced; needs UDP, the lab's program.

udp_net() {
	ip netns add peer
	ip link add v0 type veth peer name v1
	ip link set v1 netns peer
	ip addr add 192.168.77.1/24 dev v0
	ip link set v0 up
	ip netns exec peer ip addr add 192.168.77.2/24 dev v1
	ip netns exec peer ip link set v1 up
	ip netns exec peer ip link set lo up
	ip link add vx0 type vxlan id 42 remote 192.168.77.2 local 192.168.77.1 dstport 4789 dev v0
	ip addr add 10.9.0.1/24 dev vx0
	ip link set vx0 up
	ip netns exec peer ip link add vx0 type vxlan id 42 remote 192.168.77.1 \
		local 192.168.77.2 dstport 4789 dev v1
	ip netns exec peer ip addr add 10.9.0.2/24 dev vx0
	ip netns exec peer ip link set vx0 up
	ip addr add 10.9.0.9/24 dev vx0
	iptables-legacy -t nat -A POSTROUTING -o vx0 -p udp --dport 7777 -j SNAT --to-source 10.9.0.9
	iptables-legacy -A OUTPUT -m conntrack --ctstate NEW,ESTABLISHED -j ACCEPT
	# like a card that cuts no tunnel packets
	"$UDP" gso v0 off
	ip netns exec peer "$UDP" sink 7777 >/dev/null 2>&1 &
	sink=$!
	sleep 1
	"$UDP" send 10.9.0.2 7777 3 100 0 3 0 >/dev/null
	sleep 1
}

# The packet around the packet is not tracked.
udp_notrack() {
	iptables-legacy -t raw "$1" OUTPUT -p udp --dport 4789 -j NOTRACK
}
