#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures in sentences of others: does `assay check --text` judge them as they are? Speaks TAP.

usage: said.py ASSAY SHARED
The sentences are those that the index of the corpus has about 30 captures. All their figures are right, by hand;
the number is the least number of figures that name a function. Then each figure is raised by 70 %: none of them may
be judged true.
"""
import csv
import json
import re
import subprocess
import sys
import tempfile

ROWS = """
given/perf-report/haproxy-pattern-trees.commit.txt 2
given/perf-report/ovn-patch-run.commit.txt 1
given/perf-report/ovs-per-numa-stats.commit.txt 2
given/perf-report-mail/ext4-bug217965-bugzilla.eml 2
given/perf-report-mail/ext4-mb-stripe-6.12.eml 1
given/perf-report-mail/iouring-percpu-ref.eml 1
given/perf-report-mail/iouring-sq-thread-smp-mb.eml 1
given/perf-report-mail/posix-lock-kmem-accounting.eml 2
given/perf-report-mail/sqpoll-stime-getrusage.eml 2
given/perf-report-mail/wb-percpu-alloc-lock.eml 1
given/perf-top/haproxy-leastconn-lock.commit.txt 2
given/perf-top/haproxy-stktable-shards.commit.txt 2
given/perf-top/zfs-reaper-kswapd.commit.txt 1
given/perf-top-mail/aesni-cbcmac-fpu.eml 1
given/perf-top-mail/ath11k-rx-parse.eml 1
given/perf-top-mail/iouring-cqring-store-release.eml 2
given/perf-top-mail/megaraid-run-hw-queues.eml 1
given/perf-top-mail/stmmac-cpu.eml 2
given/perf-top-mail/tip-migrate-disable.eml 1
given/perf-top-mail/xfsrepair-dir-hash.eml 1
given2/postgres-3tb-compaction.txt 1
given2/loki-compactor-fsync.txt 1
given2/git-commit-lstat.txt 1
given2/haproxy-cli-one-char.txt 1
given2/uftrace-bitfield.txt 1
given2/mysql-add-index-flush-list.txt 2
given2/pebble-nilpacer-interface-compare.txt 1
given2/rails-delegate-bottleneck.txt 1
given2/ovs-bundle-pvector-insert.txt 1
given2/syncthing-new-timer.txt 1
"""


def sentences(corpus):
    said = {}
    for name, key, column in (("index.tsv", "path", "evidence"), ("index2.tsv", "name", "a good tool could say")):
        with open(corpus + name, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
                said[row[key] if key == "path" else "given2/" + row[key] + ".txt"] = row[column]
    return said


def raised(match):
    digits = len(match[1].partition(".")[2])
    return f"{1.7 * float(match[1]):.{digits}f}{match[2]}"


def judged(assay, capture, sentence, folder):
    with open(folder + "/said.txt", "w", encoding="utf-8") as f:
        f.write(sentence + ".\n")
    done = subprocess.run([assay, "check", "--json", "--text", f.name, capture], capture_output=True, text=True, check=False)
    return [(c["outcome"], c["claim"]) for c in json.loads(done.stdout)["claims"]] if done.stdout else []


def main(assay, shared):
    corpus = shared + "/corpus/"
    said = sentences(corpus)
    right, wrong, fooled, rows = 0, 0, 0, ROWS.split()
    with tempfile.TemporaryDirectory() as folder:
        for path, least in zip(rows[::2], rows[1::2], strict=True):
            claims = judged(assay, corpus + path, said[path], folder)
            n_false = sum(o == "false" for o, _ in claims)
            is_right = not n_false and sum(o == "true" for o, _ in claims) >= int(least)
            right += is_right
            wrong += n_false
            if not is_right:
                print("#", path, claims)
            claims = judged(assay, corpus + path,
                            re.sub(r"(\d+(?:\.\d+)?)(\s*(?:%|us|calls|times))", raised, said[path]), folder)
            fooled += sum(o == "true" for o, _ in claims)
    print("1..3")
    for number, (passed, text) in enumerate(((right >= 28, f"{right} of {len(rows) // 2} sentences are right"),
                                             (wrong == 0, f"{wrong} figures are judged false"),
                                             (fooled == 0, f"{fooled} raised figures are judged true")), 1):
        print("%sok %d - %s" % ("" if passed else "not ", number, text))
    return not (right >= 28 and wrong == 0 and fooled == 0)


sys.exit(main(*sys.argv[1:]))
