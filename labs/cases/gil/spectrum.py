# SPDX-License-Identifier: MIT
"""spectrum - analyse blocks of a signal with four workers

spectrum.py threads|processes SECONDS
"""
import multiprocessing
import sys
import threading
import time


def block_power(seed):
    total = 0
    for i in range(20000):
        total += (seed * i) % 17
    return total


def work(end):
    seed = 0
    while time.monotonic() < end:
        block_power(seed)
        seed += 1


def main():
    kind = threading.Thread if sys.argv[1] == "threads" else multiprocessing.Process
    end = time.monotonic() + float(sys.argv[2])
    workers = [kind(target=work, args=(end,)) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()


main()
