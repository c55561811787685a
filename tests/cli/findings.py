#!/usr/bin/env python3
"""Findings of `assay explain` in the samples, with their order and figures.

Conclusions were drawn from the samples by other means; each is a rule with words
and figures that its finding must have, most important first. Then every capture of
the samples, with --goldens of the goldens and, where it is at hand, of the corpus
(ASSAY_SHARED) is explained: no finding may lack a claim, a figure, a place or a next step, and no
share may be outside 0 to 100 %; a basis is no limit, a usual cause names a cause, and a next step begins with an
action (tools/rule_text.py). TAP on stdout.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tap import Tap  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from rule_text import LIMIT, NO_ACTION  # noqa: E402

SOURCE = os.environ.get("ASSAY_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ASSAY = os.environ.get("ASSAY") or os.path.join(SOURCE, "build", "assay")
SHARED = os.environ.get("ASSAY_SHARED") or os.path.join(SOURCE, "..", "shared")

# rule, words of the claim or cause, figures (value, how near), lines of the evidence
CONCLUSIONS = {
    "consensus-io_uring.perf-report.txt": [
        ("never-sleeping-loop", "98.7 %.*0.7 %, at most 1.8 %.*eventfd is always ready",
         [(98.72, 0.005), (0.74, 0.005), (6130723, 1), (45367, 1)], [376, 594]),
        ("syscall-border", "52.7 %", [(52.71, 0.005)], [16, 35, 51]),
        ("no-symbols", "7.3 % .*178 addresses.*0x29fa0 to 0x2a1fd", [(7.33, 0.005), (2.87, 0.005)],
         []),
        ("broken-chains", "Call chains are broken: 32 of 35.*0x6c", [], []),
        ("foreign-names", "__res_context_search", [], [362]),
    ],
    "ovsdb-raft-mail.txt": [
        ("crash-in-progress", "crashing, not slow: 52.2 %.*35 of 67.*40–64 %.*json_serialize",
         [(52.24, 0.005)], []),
        ("crash-loop", "libc-2.23.so.0x7e45b", [(3, 0)], [231, 289, 379, 384]),
        ("damaged-state", "cannot read a file it wrote.*Use after free", [(3, 0)], [401, 231]),
        ("restart-failure", "cannot be parsed", [(1, 0)], [401]),
        ("emulated-device", "16.4 %.*cp_start_xmit", [(16.42, 0.005)], []),
        ("failed-transactions", "5 transactions", [(5, 0)], [749]),
        ("long-poll", "1278 ms, ovsdb-server-nb 1373 ms.*99.3 % on the CPU.*own code computes too long",
         [(61669, 0), (240.89, 0.005)], [578, 674, 575]),
        ("memory-growth", "24.2 to 139.0 MiB.*17588 cells", [(405.12, 0.005)], []),
        ("overlapping-roles", "2.05 s", [(2.05, 0.005)], [499, 469]),
        ("prerequisite-race", "54603 more.*914 to 3246", [(54603, 0), (3246, 1)], []),
        ("wakeup-storm", "117 times per second.*431 sessions", [(50281, 1)], [549, 593]),
        ("election-storm", "5 elections of ovsdb-server-nb@node2.*consequence", [(4, 0), (5, 0)], [267, 281]),
        ("few-samples", "67 samples", [(67, 0)], []),
    ],
    "af_packet.metrics.txt": [
        ("extractor-defects", "14 functions", [(14, 0)], []),
        ("few-positives", "2 ones in 100 rows", [(2, 0)], [21, 40]),
    ],
}
# Forbidden claims: rules whose finding would be wrong there.
WRONG = {
    "consensus-io_uring.perf-report.txt": {"lock-contention", "copying", "text-conversion",
                                           "wakeup-churn", "page-fault-storm", "hot-function"},
    "ovsdb-raft-mail.txt": {"page-fault-storm", "lock-contention", "text-conversion",
                            "hot-function", "linear-scan", "costly-work", "hot-caller"},
    "af_packet.metrics.txt": {"hot-function", "lock-waits", "false-sharing", "sched-latency"},
}


def explain(path):
    run = subprocess.run([ASSAY, "explain", "--json", path], capture_output=True, check=False)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return None


def words_of(finding):
    return " ".join([finding["claim"], finding.get("cause") or "",
                     finding.get("sure_because") or ""])


def check_sample(tap, name, conclusions):
    answer = explain(os.path.join(SOURCE, "samples", name))
    findings = answer["findings"]
    last = -1
    for rule, words, figures, lines in conclusions:
        at = next((i for i, f in enumerate(findings)
                   if f["rule"] == rule and re.search(words, words_of(f), re.S)), None)
        tap.ok(at is not None, "%s: %s: %s" % (name, rule, words),
               "\n".join(f["rule"] + ": " + words_of(f)[:200] for f in findings
                         if f["rule"] == rule))
        if at is None:
            continue
        values = [g["value"] for g in findings[at]["figures"]]
        for value, near in figures:
            tap.ok(any(abs(v - value) <= near for v in values),
                   "%s: %s says %s" % (name, rule, value), str(values))
        cited = {e["line"] for e in findings[at]["evidence"]}
        tap.ok(set(lines) <= cited, "%s: %s cites lines %s" % (name, rule, lines), str(cited))
        if conclusions[0][0] == rule or last >= 0:
            tap.ok(at > last, "%s: %s stands in order" % (name, rule), "at %d" % (at + 1))
        last = at
    wrong = {f["rule"] for f in findings if "overruled_by" not in f} & WRONG.get(name, set())
    tap.ok(not wrong, "%s: nothing wrong is claimed" % name, str(wrong))


def defects(answer):
    for f in answer["findings"]:
        where = f["rule"] + ": " + f["claim"][:80]
        if not f["claim"] or not f["figures"] or not f["evidence"] or not f["next"]:
            yield where + ": lacks a claim, a figure, a place or a next step"
        if LIMIT.search(f.get("sure_because") or ""):
            yield where + ": the basis says what is not known: " + f["sure_because"]
        if f.get("cause_is") == "usual" and LIMIT.search(f["cause"]):
            yield where + ": the usual cause names none: " + f["cause"]
        for n in f["next"]:
            if NO_ACTION.match(n):
                yield where + ": no action: " + n
        for e in f["evidence"]:
            if not e["path"]:
                yield where + ": a place without a file"
        for g in f["figures"]:
            if not isinstance(g["value"], (int, float)):
                yield where + ": " + g["name"] + " is no number"
            elif g["unit"] == "%" and not -1e-6 <= g["value"] <= 100.5 and not g["name"].startswith("change ") and g["name"] not in (
                    "sum of the shares", "shown", "rated writes done (Percentage Used)"):  # the device counts past 100
                yield "%s: %s is %s %%" % (where, g["name"], g["value"])
        if not 0 <= f["sure"] <= 100:
            yield where + ": sure %s" % f["sure"]


# An excerpt does not show the rest: no statement about all threads, or about how many others exist.
UNBOUND = re.compile(r"threads in the dump|goroutines in the dump|there are only|only \d+ other")


def unbound(answer):
    if answer["quality"].get("extent") != "excerpt":
        return
    for f in answer["findings"]:
        for text in [f["claim"]] + [g["name"] for g in f["figures"]]:
            if UNBOUND.search(text):
                yield "%s: of an excerpt: %s" % (f["rule"], text[:80])


def main():
    tap = Tap()
    for name, conclusions in CONCLUSIONS.items():
        check_sample(tap, name, conclusions)
    with_goldens = "--goldens" in sys.argv[1:]
    paths = glob.glob(os.path.join(SOURCE, "samples", "*.txt"))
    if with_goldens:
        paths += glob.glob(os.path.join(SOURCE, "tests", "golden", "*", "*.d", "input*"))
    paths.sort()
    index = os.path.join(SHARED, "corpus", "index.tsv")
    if os.path.exists(index):
        with open(index, newline="", encoding="utf-8") as stream:
            paths += [os.path.join(SHARED, "corpus", row["path"]) for row in csv.DictReader(
                stream, delimiter="\t", quoting=csv.QUOTE_NONE) if row["split"] == "given"]
    else:
        tap.skip("findings in the corpus have figures and places", "../shared/corpus is missing")
    read = found = 0
    wrong = []
    for path in paths:
        answer = explain(path)
        if answer:
            read += 1
            found += len(answer["findings"])
            wrong += ["%s: %s" % (os.path.basename(path), d)
                      for d in [*defects(answer), *unbound(answer)]]
    tap.ok(not wrong, "%d findings in %d captures have figures and places" % (found, read),
           "\n".join(wrong[:20]))
    tap.ok(read > (100 if with_goldens else 3), "captures were explained", str(read))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
