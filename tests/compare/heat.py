#!/usr/bin/env python3
"""A program that sends over packet sockets, recorded here, meets the metrics of af_packet.c.

  ASSAY_C_TREES=linux-source-6.1/net tests/compare/heat.py build/assay

The program sends to itself over loopback, through a packet socket and a ring.
The recording must meet functions of net/packet by name, and the page must name
one that is hot and risky. TAP; skipped with a word without perf, rights or sources.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
int main(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP) };
	struct tpacket_req ring = { 4096 * 4, 64, 2048, 512 };
	char frame[200];
	int out = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
	int in = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
	time_t end = time(NULL) + 3;

	if (out < 0 || in < 0)
		return 2;
	to.sll_ifindex = (int)if_nametoindex("lo");
	setsockopt(in, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring));
	memset(frame, 0, sizeof(frame));
	frame[12] = 8;
	frame[14] = 0x45;
	while (time(NULL) < end)
		for (int i = 0; i < 1000; i++)
			if (sendto(out, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
				return 2;
	return 0;
}
"""


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def skip(why):
    print("1..0 # SKIP " + why)
    return 0


def main():
    trees = [t for t in os.environ.get("ASSAY_C_TREES", "").split(":")
             if os.path.exists(os.path.join(t, "packet", "af_packet.c"))]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not trees:
        return skip("no kernel's net/ in ASSAY_C_TREES")
    if not shutil.which("perf") or not compiler:
        return skip("no perf or no compiler")
    with tempfile.TemporaryDirectory() as folder:
        source, program, data = (os.path.join(folder, n) for n in ("p.c", "p", "p.data"))
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM)
        if run(compiler, "-O1", "-o", program, source).returncode:
            return skip("the program does not compile")
        # a network of its own, where that may be had
        inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up 2>/dev/null; exec "$0"', program]
        done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-g", "-o", data, *inside)
        if done.returncode or not os.path.exists(data):
            return skip("packet sockets cannot be recorded here: " + done.stderr.strip()[-120:])
        packet = os.path.join(trees[0], "packet")
        done = run(sys.argv[1], "risk", packet, "--heat", data, "--json")
        if "this build cannot" in done.stderr:
            return skip(done.stderr.strip())
        page = json.loads(done.stdout)
        text = run(sys.argv[1], "risk", packet, "--heat", data).stdout
    names = {f["name"]: f["heat"] for f in page["functions"]}
    both = page.get("hot_and_risky", {})
    print("1..2")
    print("# %s" % ", ".join("%s %.2f %%" % x for x in sorted(names.items(), key=lambda x: -x[1])[:6]))
    print("# %.2f %% of the time meets %d functions; hot and risky: %s, rank %s" %
          (page["heat"]["matched_pct"], page["heat"]["matched_functions"], both.get("name"), both.get("rank")))
    sends = any(n in names for n in ("packet_snd", "packet_sendmsg"))
    takes = any(n in names for n in ("tpacket_rcv", "packet_rcv"))
    print("%sok 1 - sending and receiving meet the functions of af_packet.c" % ("" if sends and takes else "not "))
    named = both.get("file", "").endswith(".c") and both["name"] in text
    print("%sok 2 - the page names what is hot and risky" % ("" if named else "not "))
    return 0 if sends and takes and named else 1


if __name__ == "__main__":
    sys.exit(main())
