# SPDX-License-Identifier: MIT
"""hub - pass on what sensors send

hub.py all|last
"""
import sys
import time

seen = {}


def reading_take(n, keeps_all):
    data = bytes(2000) + b"%d" % n
    if keeps_all:
        seen.setdefault(n % 100, []).append(data)
    else:
        seen[n % 100] = [data]


def main():
    n = 0
    while True:
        for _ in range(100):
            reading_take(n, sys.argv[1] == "all")
            n += 1
        time.sleep(0.01)


main()
