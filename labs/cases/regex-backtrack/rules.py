# SPDX-License-Identifier: MIT
"""rules - check lines of a configuration against a pattern

rules.py nested|flat SECONDS
"""
import re
import sys
import time

PATTERNS = {"nested": r"^([a-z]+[0-9]*)+=$", "flat": r"^[a-z0-9]+=$"}


def line_check(pattern, line):
    return pattern.match(line) is not None


def main():
    pattern = re.compile(PATTERNS[sys.argv[1]])
    lines = ["timeout=", "retries3=", "maximumconnectionsperserver", "name="]
    end = time.monotonic() + float(sys.argv[2])
    good = count = 0
    while time.monotonic() < end:
        good += line_check(pattern, lines[count % len(lines)][:20])
        count += 1
    print("lines", count, good)


main()
