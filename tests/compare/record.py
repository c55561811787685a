#!/usr/bin/env python3
"""Recordings made here by assay record, read by perf and by assay: no warning, the same rows.

  tests/compare/record.py build/assay

Of each option a recording: perf report, perf script, perf evlist and perf buildid-list must
read it without a word on stderr, and the table of perf report must be that of assay report.
TAP on stdout. Skipped with a word where nothing can be recorded or perf is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from perf_data import SHELL, assay_rows, differences, perf_rows

EVERYTHING = ["-a", "--for", "700ms"]
CASES = [
    ("standard", [], SHELL),
    ("frequency", ["-F", "4999"], SHELL),
    ("count", ["-e", "cpu-clock", "-c", "500000"], SHELL),
    ("no-chains", ["--call-graph", "no"], SHELL),
    ("dwarf", ["--call-graph", "dwarf,4096", "-F", "499"], SHELL),
    ("zstd", ["-z", "-F", "4999"], SHELL),
    ("zstd-level", ["-z", "--compression-level", "9", "--call-graph", "dwarf"], SHELL),
    ("all-cpus", EVERYTHING, None),
    ("all-cpus-zstd", [*EVERYTHING, "-z"], None),
    ("one-cpu", [*EVERYTHING, "-C", "0"], None),
    ("all-user", ["--all-user"], SHELL),
    ("all-kernel", ["--all-kernel"], SHELL),
    ("no-inherit", ["--no-inherit"], SHELL),
    ("namespaces", ["--namespaces"], SHELL),
    ("cgroups", ["--all-cgroups"], SHELL),
    ("two-events", ["-e", "cpu-clock,page-faults"], SHELL),
    ("page-faults", ["-e", "page-faults"], SHELL),
    ("user-only-event", ["-e", "cpu-clock:u"], SHELL),
    ("tracepoint", ["-e", "sched:sched_switch", *EVERYTHING], None),
    ("tracepoint-and-clock", ["-e", "sched:sched_switch,sched:sched_waking,cpu-clock"], SHELL),
    # copies of stacks would overrun so small a buffer
    ("buffer", ["--buffer", "64K", "--call-graph", "fp"], SHELL),
    ("max-size", ["--max-size", "100K", "-F", "4999"], SHELL),
    ("header-build-ids", ["--no-buildid-mmap"], SHELL),
    ("header-build-ids-all", ["--no-buildid-mmap", *EVERYTHING], None),
    ("own-period", ["-e", "cpu-clock/period=2000003/,software/config=2,name=faults/"], SHELL),
    ("ring", ["--ring", "300ms"], SHELL),
    ("ring-zstd", ["--ring", "300ms", "-z", "-a", "--for", "1500ms"], None),
    ("ring-size", ["--ring", "100K", "-F", "4999"], SHELL),
    ("ring-dwarf", ["--ring", "300ms", "--call-graph", "dwarf,4096", "-F", "499"], SHELL),
    ("ring-tracepoint", ["--ring", "300ms", "-e", "sched:sched_switch,cpu-clock", "--all-cgroups",
                         "--namespaces", "-a", "--for", "1s"], None),
    ("process", ["-p"], "process"),
    ("thread", ["-t"], "process"),
]


# perf's words about a recording that lost samples
LOSS = re.compile(r"Warning:|Processed \d+ (events|samples) and lost .*!|Check IO/CPU overload!")


def record(assay, name, options, command, folder):
    """(path, why not, whether assay record said that samples were lost)"""
    path = os.path.join(folder, name + ".data")
    call = [assay, "record", "--no-report", "-o", path, *options]
    target = None
    if command == "process":
        target = subprocess.Popen(["sh", "-c", "while :; do :; done"])
        call += [str(target.pid), "--for", "500ms"]
    elif command:
        call += ["--", *command]
    done = subprocess.run(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if target:
        target.kill()
        target.wait()
    words = done.stderr.decode("utf-8", "replace")
    why = words.strip().splitlines()
    lost = "samples were lost" in words
    return (path, "", lost) if os.path.exists(path) else (None, why[-1] if why else "no file", lost)


def warnings(path, lost):
    """Output of perf on stderr, command by command; of a loss only where assay said none."""
    for command in (["report", "--stdio"], ["script"], ["evlist", "-v"], ["buildid-list"]):
        done = subprocess.run(["perf", *command, "-i", path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        # of binaries without symbols perf complains about addr2line, whoever recorded
        said = [line for line in said if "addr2line" not in line]
        # on a busy machine buffers overrun; the recording is whole if assay said so itself
        said = [line for line in said if not (lost and LOSS.fullmatch(line.strip()))]
        if done.returncode or said:
            yield "perf %s: %d: %s" % (command[0], done.returncode, " / ".join(said[:3]))


def main():
    assay = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    cases = [c for c in CASES if not wanted or c[0] in wanted]
    print("1..%d" % len(cases))
    with tempfile.TemporaryDirectory() as folder:
        _, why, _ = record(assay, "probe", [], ["true"], folder)
        if not why and not shutil.which("perf"):
            why = "perf is not here"
        for number, (name, options, command) in enumerate(cases, 1):
            if why:
                print("ok %d - %s # SKIP %s" % (number, name, why))
                continue
            # a row that is cut by perf, or an end of a process that perf sorts otherwise
            for attempt in range(4):
                if attempt:
                    os.sync()
                path, refused, lost = record(assay, name, options, command, folder)
                if not path:
                    break
                told = list(warnings(path, lost))
                theirs, ours = perf_rows(path), assay_rows(assay, path)
                missing, extra = differences(ours, theirs)
                if not told and not missing and not extra:
                    break
            if not path:
                print("ok %d - %s # SKIP %s" % (number, name, refused))
                continue
            good = not told and not missing and not extra and theirs
            print("%s %d - %s: %d rows of perf, %d differ%s" %
                  ("ok" if good else "not ok", number, name, sum(theirs.values()),
                   sum(missing.values()), " (recording %d)" % (attempt + 1) if attempt else ""))
            for line in told:
                print("# " + line)
            for row in list(missing)[:5]:
                print("# only perf:  %r" % (row,))
            for row in list(extra)[:5]:
                print("# only assay: %r" % (row,))
            sys.stdout.flush()


main()
