#!/usr/bin/env python3
"""Measure the front page of two builds at three widths of a terminal.

tests/bench/front-page.py BEFORE AFTER FILE...

One row a file and width: lines, lines before the first finding, and columns of the widest line,
of the first build and of the second. A file without findings has "-". The pages are printed to a
pseudo-terminal of 24 lines, without the pager.
"""
import fcntl
import os
import pty
import re
import statistics
import struct
import sys
import termios
import unicodedata

WIDTHS = (80, 120, 200)


def page(program, path, columns):
    """Lines that the program prints about a file on a terminal, without colours."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(LC_ALL="C.UTF-8", TERM="xterm", ASSAY_PAGER="cat", NO_COLOR="1")
        os.environ.pop("COLUMNS", None)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execv(program, [program, "--no-pager", path])
    out = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    os.close(terminal)
    os.waitpid(pid, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.decode("utf-8", "replace"))
    return [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def measure(lines):
    first = next((n for n, line in enumerate(lines) if re.match(r" +1\. ", line)), None)
    return len(lines), first, max(map(width, lines))


def show(values):
    return " ".join(f"{'-' if v is None else v:>6}" for v in values)


def main():
    before, after, *files = sys.argv[1:]
    print(f"{'file':<44} columns   before: lines first widest    after: lines first widest")
    sums = {columns: ([], []) for columns in WIDTHS}
    for path in files:
        for columns in WIDTHS:
            pair = [measure(page(os.path.abspath(p), path, columns)) for p in (before, after)]
            for side, figures in zip(sums[columns], pair):
                side.append(figures)
            print(f"{os.path.basename(path)[:44]:<44} {columns:>7}   {show(pair[0]):>28} {show(pair[1]):>28}")
    for columns, sides in sums.items():
        medians = [[statistics.median(v for v in column if v is not None) for column in zip(*side)]
                   for side in sides]
        print(f"{'median':<44} {columns:>7}   {show(medians[0]):>28} {show(medians[1]):>28}")


if __name__ == "__main__":
    main()
