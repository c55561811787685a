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

# Thirty others, judged by hand before the first run. PATH:LINE is a sentence of the mail itself. 0: the figure is a
# sum, of a part of a function, or of another recording: it may not be judged false, nor true.
LATER = """
given/perf-report/xdp-amd-srso.org:318 1
given/perf-top-mail/pppoe-rcv-nft.eml:82 1
given/ftrace-function-graph/filesystems-thaw-fgraph.eml:131 1
given/perf-report-mail/posix-lock-kmem-accounting.eml:187 0
given/perf-diff/ext4-dioread-nolock-regression.eml:225 0
given/perf-report-mail/iouring-fsnotify-lockref.eml:200 0
given/perf-top/haproxy-resolvers-tolower.commit.txt:17 0
given2/cortex-distributor-unmarshal.txt 2
given2/lightning-autoclean-memmove.txt 1
given2/lnd-writemessage-buffer.txt 1
given2/ovn-dp-refcount-memory.txt 1
given2/nix-drv-parser-istream.txt 3
given2/rubocop-callback-building.txt 2
given/perf-report/rocksdb-ticker-atomics.commit.txt 1
given/perf-report-mail/iouring-buffered-io-context.eml 0
given/perf-report-mail/iouring-fsnotify-lockref.eml 2
given/perf-report-mail/iowq-wqe-lock.eml 2
given/perf-report-mail/raid5-hang-671.eml 2
given/perf-report-mail/release-pages-lru-lock.eml 3
given/perf-top/haproxy-thread-groups.commit.txt 2
given/perf-top-mail/arm-smmu-cmdq.eml 2
given/perf-top-mail/ceph-mon-rocksdb.eml 0
given/perf-top-mail/ext4-fast-commit-lock.eml 1
given/perf-top-mail/fork-tasklist-lock.eml 1
given/perf-top-mail/memcg-stat-text-parse.eml 2
given/perf-top-mail/raid-degraded-slow-write.eml 2
given/perf-top-mail/riscv-memcpy.eml 2
given/perf-top-mail/shrinker-rwsem.eml 3
given/perf-top-mail/virtio-indirect-kmalloc.eml 3
given/perf-top-mail/xdp-redirect-memcpy.eml 3
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


def of_line(assay, mail, line):
    """Outcomes of the figures of a mail that are in the sentence at @line."""
    done = subprocess.run([assay, "check", "--json", "--text", mail, mail], capture_output=True, text=True, check=False)
    claims = json.loads(done.stdout)["claims"] if done.stdout else []
    return [(c["outcome"], c["claim"]) for c in claims if abs(int(c["claim"].split(":")[0].split()[1]) - line) <= 1]


def score(assay, corpus, said, rows, folder):
    """(sentences that are right, figures that are judged false, raised figures that are judged true)"""
    right = wrong = fooled = 0
    for path, least in zip(rows[::2], map(int, rows[1::2]), strict=True):
        path, _, line = path.partition(":")
        claims = of_line(assay, corpus + path, int(line)) if line else judged(assay, corpus + path, said[path], folder)
        n_false, n_true = (sum(o == outcome for o, _ in claims) for outcome in ("false", "true"))
        is_right = not n_false and (n_true >= least if least else n_true == 0)
        right += is_right
        wrong += n_false
        if not is_right:
            print("#", path, line, least, claims)
        if not line:
            claims = judged(assay, corpus + path,
                            re.sub(r"(\d+(?:\.\d+)?)(\s*(?:%|us|calls|times))", raised, said[path]), folder)
            fooled += sum(o == "true" for o, _ in claims)
            for outcome, claim in claims:
                if outcome == "true":
                    print("# raised:", path, claim)
    return right, wrong, fooled


def main(assay, shared):
    corpus = shared + "/corpus/"
    said = sentences(corpus)
    with tempfile.TemporaryDirectory() as folder:
        sets = [(name, *score(assay, corpus, said, rows.split(), folder)) for name, rows in (("", ROWS), ("later ", LATER))]
    number, failed = 0, False
    print("1..%d" % (3 * len(sets)))
    for name, right, wrong, fooled in sets:
        for passed, text in ((right >= 28, f"{right} of 30 {name}sentences are right"),
                             (wrong == 0, f"{wrong} figures of the {name}sentences are judged false"),
                             (fooled == 0, f"{fooled} raised figures of the {name}sentences are judged true")):
            number += 1
            failed |= not passed
            print("%sok %d - %s" % ("" if passed else "not ", number, text))
    return failed


sys.exit(main(*sys.argv[1:]))
