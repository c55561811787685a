#!/usr/bin/env python3
"""What assay reads from the text of sar, beside sadf's own figures from the same binary log.

usage: sysstat.py ASSAY    (TAP; skipped without sysstat)
sar records four intervals of one second. Each report of it as text is read by assay; sadf -d
prints the same log with a ';' between the figures. Every figure must be equal, by title, owner
(CPU, device) and interval.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
REPORTS = ["-u ALL -P ALL", "-w", "-W", "-B", "-b", "-r ALL", "-S", "-q LOAD", "-v", "-H",
           "-d", "-F", "-n DEV", "-n EDEV", "-n TCP", "-n ETCP", "-n UDP", "-n IP", "-n EIP",
           "-n ICMP", "-n EICMP", "-n SOCK", "-n NFS", "-n NFSD", "-n SOFT", "-n IP6", "-n TCP",
           "-n UDP6", "-n SOCK6"]
ENV = dict(os.environ, LC_ALL="C", S_TIME_FORMAT="ISO")
KEYS = ("CPU", "DEV", "IFACE", "FILESYSTEM", "TTY")


def run(*args):
    """The output of a command."""
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False, env=ENV).stdout


def wanted(text):
    """{(title, owner, interval): value} of the output of sadf -d"""
    ret, titles, times = {}, [], []
    for line in text.splitlines():
        words = line.split(";")
        if line.startswith("#"):
            titles = words
            continue
        if len(words) != len(titles) or "RESTART" in line:
            continue
        if words[2] not in times:
            times.append(words[2])
        owner = ""
        for title, word in zip(titles[3:], words[3:]):
            if title in KEYS:
                owner = "all" if (title, word) == ("CPU", "-1") else word
        for title, word in zip(titles[3:], words[3:]):
            if title not in KEYS:
                ret[title, owner, times.index(words[2]) + 1] = float(word)
    return ret


def got(path):
    """The same, as assay reads it."""
    ret = {}
    for capture in json.loads(run(ASSAY, "report", "--json", path) or '{"captures":[]}')["captures"]:
        for c in capture.get("counters", []):
            ret[c["name"], c.get("key") or "", c["interval"]] = c["value"]
    return ret


def main():
    """Record, compare each report, and print the verdict."""
    if not shutil.which("sar") or not shutil.which("sadf"):
        print("1..0 # SKIP sysstat is missing")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "sa")
        run("sar", "-A", "-o", log, "1", "4")
        print(f"1..{len(REPORTS)}")
        for n, report in enumerate(REPORTS):
            want = wanted(run("sadf", "-d", log, "--", *report.split()))
            if not want:
                print(f"ok {n + 1} - sar {report} # SKIP the log has nothing of it")
                continue
            path = os.path.join(work, "text")
            with open(path, "w", encoding="utf-8") as f:
                f.write(run("sar", "-f", log, *report.split()))
            have = got(path)
            bad = [f"{k}: {have.get(k)}, not {v}" for k, v in want.items() if have.get(k) != v]
            failed += bool(bad)
            print(f"{'not ' if bad else ''}ok {n + 1} - sar {report}: {len(want)} figures")
            for line in bad[:5]:
                print("# " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
