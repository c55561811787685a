#!/usr/bin/env python3
"""Recordings made here meet the metrics of sources.

A program that sends over packet sockets meets those of af_packet.c, and one with two
static functions of one name each of them, as perf's own column of files tells them apart.

  tests/compare/heat.py build/assay

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

import trees

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


TWO = {
    "a.c": "int work_a(int n);\nstatic __attribute__((noinline)) int step(int n)\n{\n\tint s = 0;\n\n"
           "\tfor (volatile int i = 0; i < n; i++)\n\t\tif (i % 3)\n\t\t\ts += i;\n\treturn s;\n}\n"
           "int work_a(int n) { return step(3 * n); }\n",
    "b.c": "int work_b(int n);\nstatic __attribute__((noinline)) int step(int n)\n{\n\tint s = 0;\n\n"
           "\tfor (volatile int i = 0; i < n; i++)\n\t\ts ^= i;\n\treturn s;\n}\n"
           "int work_b(int n) { return step(n); }\n",
    "main.c": "int work_a(int n);\nint work_b(int n);\nint main(void)\n{\n\tint s = 0;\n\n"
              "\tfor (int i = 0; i < 3000; i++)\n\t\ts += work_a(40000) + work_b(40000);\n\treturn s == 7;\n}\n",
}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def skip(why):
    print("1..0 # SKIP " + why)
    return 0


def skip_packets(why, bad):
    print("ok 2 - packet sockets # SKIP %s\nok 3 - packet sockets # SKIP %s" % (why, why))
    print("ok 4 - packet sockets # SKIP " + why)
    return 1 if bad else 0


def namesakes(compiler, folder):
    """None, or why it cannot be tried; then (assay's shares, perf's shares) by file."""
    sources = os.path.join(folder, "two")
    os.mkdir(sources)
    for name, text in TWO.items():
        with open(os.path.join(sources, name), "w", encoding="ascii") as f:
            f.write(text)
    program, data = os.path.join(folder, "two.bin"), os.path.join(folder, "two.data")
    files = [os.path.join(sources, n) for n in TWO]
    if run(compiler, "-g", "-O1", "-o", program, *files).returncode:
        return "the program does not compile", None, None
    done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", data, program)
    if done.returncode:
        return "cannot be recorded here: " + done.stderr.strip()[-120:], None, None
    page = json.loads(run(sys.argv[1], "risk", sources, "--heat", data, "--json").stdout)
    if page["heat"]["matched_by_file_pct"] == 0:
        return "no lines of debug information: this build has no libdw", None, None
    mine = {os.path.basename(f["file"]): f["heat"] for f in page["functions"] if f["name"] == "step"}
    theirs = {}
    for line in run("perf", "report", "-i", data, "--stdio", "--no-children", "-s", "sym,srcfile").stdout.splitlines():
        cells = line.split()
        if len(cells) == 4 and cells[2] == "step":
            theirs[cells[3]] = float(cells[0].rstrip("%"))
    return None, mine, theirs


def main():
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not shutil.which("perf") or not compiler:
        return skip("no perf or no compiler")
    with tempfile.TemporaryDirectory() as folder:
        if "this build cannot" in run(sys.argv[1], "risk", __file__).stderr:
            return skip("this build has no tree-sitter")
        why, mine, theirs = namesakes(compiler, folder)
    print("1..4")
    good = why is None and len(mine) == 2 and mine.keys() == theirs.keys() and \
        all(abs(mine[f] - theirs[f]) <= 0.011 for f in mine)
    print("# %s" % (why or "step: assay %s, perf %s" % (mine, theirs)))
    print("%sok 1 - two static functions of one name are told apart by file%s" %
          ("" if good or why else "not ", " # SKIP " + why if why else ""))
    bad = not good and not why
    net, why = trees.packet()
    if not net:
        return skip_packets(why, bad)
    with tempfile.TemporaryDirectory() as folder:
        source, program, data = (os.path.join(folder, n) for n in ("p.c", "p", "p.data"))
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM)
        if run(compiler, "-O1", "-o", program, source).returncode:
            return skip_packets("the program does not compile", bad)
        # a network of its own, where that may be had
        inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up 2>/dev/null; exec "$0"', program]
        done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-g", "-o", data, *inside)
        if done.returncode or not os.path.exists(data):
            return skip_packets("they cannot be recorded here: " + done.stderr.strip()[-120:], bad)
        packet = os.path.join(net, "packet")
        done = run(sys.argv[1], "risk", packet, "--heat", data, "--json")
        page = json.loads(done.stdout)
        text = run(sys.argv[1], "risk", packet, "--heat", data).stdout
        front = json.loads(run(sys.argv[1], data, packet, "--json").stdout)
        # the front page has the first three findings of these
        findings = json.loads(run(sys.argv[1], "explain", data, packet, "--json").stdout)["findings"]
    names = {f["name"]: f["heat"] for f in page["functions"]}
    both = page.get("hot_and_risky", {})
    print("# %s" % ", ".join("%s %.2f %%" % x for x in sorted(names.items(), key=lambda x: -x[1])[:6]))
    print("# %.2f %% of the time meets %d functions; hot and risky: %s, rank %s" %
          (page["heat"]["matched_pct"], page["heat"]["matched_functions"], both.get("name"), both.get("rank")))
    sends = any(n in names for n in ("packet_snd", "packet_sendmsg"))
    takes = any(n in names for n in ("tpacket_rcv", "packet_rcv"))
    print("%sok 2 - sending and receiving meet the functions of af_packet.c" % ("" if sends and takes else "not "))
    named = both.get("file", "").endswith(".c") and both["name"] in text
    print("%sok 3 - the page names what is hot and risky" % ("" if named else "not "))
    joined = [p["hot_and_risky"] for c in front["captures"] for p in c.get("profiles", [])]
    on_front = [j["name"] for j in joined] == [both.get("name")] and joined[0]["rank"] == both["rank"]
    said = any(f["rule"] == "hot-risky" and both["name"] in f["claim"] for f in findings)
    print("# finding: %s" % ", ".join(f["claim"] for f in findings if f["rule"] == "hot-risky"))
    print("%sok 4 - the front page and a finding say which risky function is hot" % ("" if on_front and said else "not "))
    return 1 if bad or not (on_front and said and sends and takes and named) else 0


if __name__ == "__main__":
    sys.exit(main())
