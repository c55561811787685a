#!/usr/bin/env python3
"""Function graphs of one workload, by tracefs and by BPF, in a guest: the same calls.

  tests/compare/graph_bpf.py build/assay [FOLDER]

Boots Debian's 6.12 kernel in the VM rig (tests/vm/rig), which has kprobe.session and
kprobe.multi, and 6.1, which has fentry only; tests/vm/bpf.sh records there. Compared: calls of
each function outside of interrupts, return values, what a small buffer lost, settings after
SIGKILL. TAP on stdout; skipped with a word where there is no QEMU. FOLDER keeps the files, and
is not made anew where it has them.
"""
import collections
import csv
import fnmatch
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "labs", "lib"))
import guest  # noqa: E402
RIG = os.environ.get("VMRIG", os.path.join(TOP, "tests", "vm", "rig"))
CACHE = os.environ.get("VMRIG_CACHE", os.path.join(TOP, "build", "vm-cache"))
SENDS = 25
# functions that start an interrupt, or run for one
INTERRUPT = ("asm_sysvec_*", "sysvec_*", "__sysvec_*", "irq_enter*", "irq_exit*", "__irq_exit*",
             "asm_common_interrupt", "common_interrupt", "irqentry_*")
# the machine's own work, which comes when it comes: RCU, timers, wake-ups, random numbers, and
# turns of other tasks
MACHINE = ("schedule", "__schedule", "preempt_schedule*", "*cond_resched*", "rcu_core*", "run_timer_softirq", "tmigr_handle_remote", "try_to_wake_up",
           "queue_work_on",
           "wake_up_process", "*get_random_u32*", "__traceiter_*", "note_gp_changes")
# left out by the recorder, as the kernel calls them around each program (docs/record-graph.md)
OWN = ("__rcu_read_lock", "__rcu_read_unlock", "migrate_disable", "migrate_enable",
       "bpf_get_current_*", "bpf_get_smp_processor_id", "bpf_ktime_get_*", "bpf_map_*_elem",
       "bpf_ringbuf_*", "__bpf_ringbuf_*", "*htab_*", "lookup_nulls_elem_raw", "array_map_*",
       "percpu_array_*", "ringbuf_*", "rethook_*", "fprobe_*", "ftrace_*")


def match(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


class Tests:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, name, good, why=""):
        self.n += 1
        self.failed += not good
        print("%s %d %s" % ("ok" if good else "not ok", self.n, name))
        if not good:
            print("# " + str(why).replace("\n", "\n# "))


def boot(assay, work, kernel, what, folder):
    """Files of a guest with @kernel, in @folder."""
    load = os.path.join(work, "load")
    subprocess.run(["cc", "-O1", "-static", "-o", load, os.path.join(RIG, "load.c")],
                   check=True)
    command = [os.path.join(RIG, "run"), "-k", kernel, "-c", "1", "-i", "0", "-t", "900",
               "-f", load + ":/vm/load", "-f", os.path.join(RIG, "fg.lib"),
               *guest.assay_files(assay, work), "-o", folder, os.path.join(TOP, "tests/vm/bpf.sh"), what]
    for _ in range(2):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, env=dict(os.environ, VMRIG_CACHE=CACHE))
        if done.returncode != 125:
            break
    return done.returncode, done.stdout


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def calls(assay, path):
    done = subprocess.run([assay, "convert", "--to", "csv", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def counts(rows):
    """Calls by function, of the workload: not of interrupts, nor of what the machine does."""
    inside = set()
    n = collections.Counter()
    for i, row in enumerate(rows):
        parent = row["parent"]
        if match(row["symbol"], INTERRUPT + MACHINE) or (parent and int(parent) in inside):
            inside.add(i)
        elif row["comm"] == "load":
            n[row["symbol"]] += 1
    return n


def values(rows, name):
    return sorted(r["retval"] for r in rows if r["symbol"] == name)


def same_calls(t, assay, folder, ours, theirs):
    a, b = (calls(assay, os.path.join(folder, f + ".dat")) for f in (ours, theirs))
    x, y = counts(a), counts(b)
    log = read(os.path.join(folder, ours + ".log"))
    # those that it cannot attach to, which it says: they return more than a register holds
    refused = re.search(r"not in the recording: (.*)", log)
    refused = refused.group(1).split(", ") if refused else []
    differ = {f: (x[f], y[f]) for f in set(x) | set(y)
              if x[f] != y[f] and not match(f, OWN) and f not in refused}
    left_out = sum(y[f] for f in y if match(f, OWN))
    t.check("%s: %d functions, %d calls, as by tracefs (%d calls of what the programs call "
            "themselves left out; refused: %s)" % (ours, len(x), sum(x.values()), left_out,
                                                   ", ".join(refused) or "none"),
            x and not differ, "by BPF, by tracefs: %r\n%s" % (differ, log))
    t.check("%s: __sys_sendto and udp_sendmsg were called %d times each" % (ours, SENDS),
            x["__sys_sendto"] == x["udp_sendmsg"] == SENDS, (x["__sys_sendto"], x["udp_sendmsg"]))
    v = values(a, "__sys_sendto")
    t.check("%s: __sys_sendto returned the 100 bytes of a datagram, or ECONNREFUSED" % ours,
            v and set(v) <= {"0x64", "-111"} and v.count("0x64") == 13 and
            v == values(a, "udp_sendmsg"), v)


def settings(t, folder, name):
    before, after = (read(os.path.join(folder, "settings." + s)) for s in ("before", "after-" + name))
    t.check("%s: SIGKILL leaves settings and functions as they were" % name,
            before == after and read(os.path.join(folder, "settings.while-" + name)) != before,
            before + "----\n" + after)


def lost(t, assay, folder):
    """A send is two calls of two records, and two of a softirq where it was not refused."""
    log = read(os.path.join(folder, "lost.log"))
    told = re.search(r"(\d+) records were lost", log)
    there = re.search(r": (\d+) records in", log)
    sends = re.search(r"sent (\d+), failed (\d+)", log)
    told, there = (int(m.group(1)) if m else 0 for m in (told, there))
    want = 4 * 3000 + 2 * int(sends.group(1)) if sends else 0
    page = subprocess.run([assay, "calls", "--json", os.path.join(folder, "lost.dat")],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    capture = json.loads(page)["captures"][0]
    # also recorded: switches, and timer interrupts
    t.check("a small buffer: %d records and %d that were lost are the %d of the workload, and few "
            "more" % (there, told, want), want and want <= there + told <= want + 200, log)
    if want and not told: # the recorder had its turn in time, again and again
        t.check("what was lost stands in the file # SKIP nothing was lost", capture["lost"] == 0, capture["lost"])
        return
    t.check("what was lost stands in the file, at its places",
            0 < capture["lost"] <= told and
            any("%d dropped" % told in n["value"] for n in capture["notes"]), capture["notes"])


def main():
    assay = os.path.abspath(sys.argv[1])
    version = subprocess.run([assay, "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    able = version.partition("\nwithout")[0]
    for why, good in (("no VM rig", os.path.exists(os.path.join(RIG, "run"))),
                      ("no qemu-system-x86_64", shutil.which("qemu-system-x86_64")),
                      ("this assay was built without BPF", "bpf" in able),
                      ("this assay was built without libtraceevent", "traceevent" in able)):
        if not good:
            print("1..0 # SKIP " + why)
            return 0
    t = Tests()
    work = tempfile.mkdtemp()
    keep = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else work
    for kernel, what in (("debian-6.12", "all"), ("debian-6.1", "fentry")):
        folder = os.path.join(keep, kernel)
        if not os.path.exists(os.path.join(folder, "settings.after")):
            status, text = boot(assay, work, kernel, what, folder)
            t.check(kernel + " boots and records", status == 0, text)
            if status:
                continue
        same_calls(t, assay, folder, "few-fentry", "few-tracefs")
        settings(t, folder, "killed-fentry")
        if what == "all":
            same_calls(t, assay, folder, "all-session", "all-tracefs")
            same_calls(t, assay, folder, "few-multi", "few-tracefs")
            settings(t, folder, "killed-session")
            settings(t, folder, "killed-tracefs")
            lost(t, assay, folder)
    shutil.rmtree(work)
    print("1..%d" % t.n)
    return 1 if t.failed else 0


sys.exit(main())
