#!/usr/bin/env python3
"""What assay reads from the text of iostat, beside iostat's own JSON before and after it.

usage: iostat.py ASSAY    (TAP; skipped without iostat)
Both print means since boot, which move little from one run to the next: each figure must lie
between those of the two runs around it.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
ENV = dict(os.environ, LC_ALL="C")


def run(*args):
    """The output of a command."""
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False, env=ENV).stdout


def own(options):
    """{(title, device): value} of iostat's JSON"""
    host = json.loads(run("iostat", *options, "-o", "JSON", "1", "1"))["sysstat"]["hosts"][0]
    statistics = host["statistics"][0]
    ret = {(k, ""): v for k, v in statistics["avg-cpu"].items()}
    for disk in statistics["disk"]:
        ret.update({(k, disk["disk_device"]): v for k, v in disk.items() if k != "disk_device"})
    return ret


def got(path):
    """The same, as assay reads the text."""
    captures = json.loads(run(ASSAY, "report", "--json", path))["captures"]
    return {(c["name"].lstrip("%"), c.get("key") or ""): c["value"]
            for capture in captures for c in capture.get("counters", [])}


def main():
    """Compare the layouts, and print the verdict."""
    if not shutil.which("iostat"):
        print("1..0 # SKIP iostat is missing")
        return 0
    failed = 0
    layouts = ((), ("-x",), ("-xm",))
    print(f"1..{len(layouts)}")
    for n, options in enumerate(layouts):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "text")
            before = own(options)
            with open(path, "w", encoding="utf-8") as f:
                f.write(run("iostat", *options, "1", "1"))
            after = own(options)
            have = got(path)
        bad = [f"{k}: {have.get(k)}, not {v} to {after[k]}" for k, v in before.items() if k in after
               and (k not in have or not min(v, after[k]) - 0.011 <= have[k] <= max(v, after[k]) + 0.011)]
        failed += bool(bad)
        print(f"{'not ' if bad else ''}ok {n + 1} - iostat {' '.join(options)}: {len(before)} figures")
        for line in bad[:5]:
            print("# " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
