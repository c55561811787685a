# SPDX-License-Identifier: MIT
"""frames - take messages of a known length off a receive buffer

frames.py slice|offset SECONDS
"""
import sys
import threading
import time


def take_all(data, moves):
    """Number of messages in data, each behind its length in two bytes."""
    count = 0
    if moves:
        while data:
            length = data[0] << 8 | data[1]
            data = data[2 + length:]
            count += 1
        return count
    at = 0
    while at < len(data):
        at += 2 + (data[at] << 8 | data[at + 1])
        count += 1
    return count


def receive(data, moves, end, counts):
    count = 0
    while time.monotonic() < end:
        count += take_all(data, moves)
    counts.append(count)


def main():
    moves = sys.argv[1] == "slice"
    end = time.monotonic() + float(sys.argv[2])
    data = (b"\x00\x40" + b"x" * 64) * 6000
    counts = []
    threads = [threading.Thread(target=receive, args=(data, moves, end, counts)) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print("messages", sum(counts))


main()
