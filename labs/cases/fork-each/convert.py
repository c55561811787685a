# SPDX-License-Identifier: MIT
"""convert - turn the names of uploads into names that are safe in a path

convert.py tool|own SECONDS
"""
import re
import subprocess
import sys
import time


def safe_name(name, by_tool):
    if by_tool:
        done = subprocess.run(["sed", "s/[^a-z0-9.]/_/g"], input=name, capture_output=True,
                              text=True, check=True)
        return done.stdout.strip()
    return re.sub("[^a-z0-9.]", "_", name)


def main():
    end = time.monotonic() + float(sys.argv[2])
    count = 0
    while time.monotonic() < end:
        if safe_name("my picture (%d).png" % count, sys.argv[1] == "tool"):
            count += 1
    print("names", count)


main()
