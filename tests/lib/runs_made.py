#!/usr/bin/env python3
"""A recording of a command, made here byte by byte: cpu-clock, a sample each millisecond (--period).

  runs_made.py FILE [--period MS] [--wall MS] [--no-command] [--no-end] [--seed N] STACK=SAMPLES...

STACK is a chain, outermost first: main;work;copy; with @FROM-TO behind it, in parts of 1, it
runs in this part of the time only. Its functions are those of one module,
named by PERF_RECORD_KSYMBOL. The samples of all stacks are mixed (--seed). --no-command: of
a process that ran already; --no-end: of a command that did not end while it was recorded.
"""
import random
import struct
import sys

IP, TID, TIME, CALLCHAIN, PERIOD = 1, 2, 4, 1 << 5, 1 << 8
TYPE = IP | TID | TIME | CALLCHAIN | PERIOD
FREQ, ENABLE_ON_EXEC, SAMPLE_ID_ALL = 1 << 10, 1 << 12, 1 << 18
COMM, EXIT, SAMPLE, KSYMBOL = 3, 4, 9, 17
KERNEL, COMM_EXEC = 1, 1 << 13
CONTEXT_KERNEL = (1 << 64) - 128
TEXT, STEP, PID, MS = 0xffffffffa0000000, 0x1000, 70, 1000000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time):
    return struct.pack("<IIQ", PID, PID, time)


def text(name):
    raw = name.encode() + b"\0"
    return raw.ljust((len(raw) + 7) // 8 * 8, b"\0")


def sample(time, chain, period):
    frames = [CONTEXT_KERNEL] + [at + (4 if i == 0 else 9) for i, at in enumerate(reversed(chain))]
    return record(SAMPLE, KERNEL, struct.pack("<QIIQQQ%dQ" % len(frames), frames[1], PID, PID, time, period,
                                              len(frames), *frames))


def records(stacks, wall_ms, seed, has_end, period_ms, spans):
    start = 1000 * MS
    names = sorted({name for stack in stacks for name in stack})
    at = {name: TEXT + STEP * i for i, name in enumerate(names)}
    order = [stack for stack, n in stacks.items() for _ in range(n)]
    rng = random.Random(seed)
    rng.shuffle(order)
    if spans:  # all others evenly, those with a span in it
        order.sort(key=lambda stack: rng.uniform(*spans.get(stack, (0, 1))))
    out = [record(KSYMBOL, 0, struct.pack("<QIHH", at[n], STEP, 1, 0) + text(n) + trailer(10)) for n in names]
    out.append(record(COMM, COMM_EXEC, struct.pack("<II", PID, PID) + text("made") + trailer(start)))
    chains = {stack: [at[name] for name in stack] for stack in stacks}
    wall = (wall_ms or len(order) * period_ms) * MS
    for i, stack in enumerate(order):
        out.append(sample(start + wall * (i + 1) // (len(order) + 1), chains[stack], period_ms * MS))
    if has_end:
        out.append(record(EXIT, 0, struct.pack("<IIIIQ", PID, 1, PID, 1, start + wall) + trailer(start + wall)))
    return b"".join(out)


def recording(stacks, wall_ms=0, seed=1, is_command=True, has_end=True, period_ms=1,
              spans=None):
    """The file of a run: @stacks maps chains (tuples, outermost first) to numbers of samples."""
    flags = FREQ | SAMPLE_ID_ALL | (ENABLE_ON_EXEC if is_command else 0)
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000, TYPE, 0, flags).ljust(112, b"\0")
    data = records(stacks, wall_ms, seed, has_end, period_ms, spans)
    ids = 104 + len(attr) + 16
    start = ids + 8
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 128, 104, 128, start, len(data), 0, 0) + bytes(32)
    return head + attr + struct.pack("<QQ", ids, 8) + struct.pack("<Q", 1) + data


def main():
    words, options = sys.argv[2:], {}
    while words and words[0].startswith("--"):
        word = words.pop(0)
        if word == "--wall":
            options["wall_ms"] = int(words.pop(0))
        elif word == "--seed":
            options["seed"] = int(words.pop(0))
        elif word == "--period":
            options["period_ms"] = int(words.pop(0))
        else:
            options[{"--no-command": "is_command", "--no-end": "has_end"}[word]] = False
    stacks = {}
    for word in words:
        name, n = word.rsplit("=", 1)
        name, _, span = name.partition("@")
        stack = tuple(name.split(";"))
        stacks[stack] = int(n)
        if span:
            options.setdefault("spans", {})[stack] = tuple(float(at) for at in span.split("-"))
    with open(sys.argv[1], "wb") as f:
        f.write(recording(stacks, **options))


if __name__ == "__main__":
    main()
