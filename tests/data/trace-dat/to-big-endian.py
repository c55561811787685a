#!/usr/bin/env python3
"""A trace.dat of version 6 as a big-endian machine would have written it.

  to-big-endian.py v6.dat v6-big-endian.dat

Every number changes its byte order, in the frame of the file, in the pages and in
the fields of records, which are found by the formats in the file. The text that
`trace-cmd report` prints of both is the same.
"""
import re
import struct
import sys


class Walk:
    def __init__(self, raw):
        self.raw, self.at, self.out = raw, 0, bytearray()

    def copy(self, n):
        got = self.raw[self.at:self.at + n]
        self.out += got
        self.at += n
        return got

    def text(self):
        return self.copy(self.raw.index(b"\0", self.at) + 1 - self.at)[:-1]

    def number(self, n):
        got = self.raw[self.at:self.at + n]
        self.out += got[::-1]
        self.at += n
        return int.from_bytes(got, "little")

    def blob(self, n):
        return self.copy(self.number(n))


def fields_of(text):
    """(offset, size, count) of each field; its name; the event's number."""
    found = []
    for line in text.splitlines():
        m = re.match(r"\s*field:(.*?);\s*offset:(\d+);\s*size:(\d+);", line)
        if m:
            declared, offset, size = m.group(1), int(m.group(2)), int(m.group(3))
            kind = declared.rsplit(None, 1)[0]
            array = re.search(r"\[(\d*)\]$", declared)
            width = 1 if "char" in kind else size
            if array and width > 1:
                width = 8 if "long" in kind or "u64" in kind else 4
            found.append((offset, size, width, declared))
    return int(re.search(r"^ID: (\d+)", text, re.M).group(1)), found


def swap_record(raw, fields):
    out = bytearray(raw)
    for offset, size, width, declared in fields:
        size = size or (len(raw) - offset if declared.endswith("[]") else 0)
        for at in range(offset, min(offset + size, len(raw)), width):
            out[at:at + width] = raw[at:at + width][::-1]
    return bytes(out)


def swap_page(page, formats):
    out = bytearray(len(page))
    stamp, commit = struct.unpack_from("<QQ", page)
    struct.pack_into(">QQ", out, 0, stamp, commit)
    at, end = 16, 16 + (commit & 0xfffff)

    def word():
        nonlocal at
        (v,) = struct.unpack_from("<I", page, at)
        struct.pack_into(">I", out, at, v)
        at += 4
        return v

    while at + 4 <= end:
        (head,) = struct.unpack_from("<I", page, at)
        kind, delta = head & 31, head >> 5
        struct.pack_into(">I", out, at, kind << 27 | delta)
        at += 4
        if kind == 29 and delta == 0:
            break
        if kind in (30, 31):
            word()
            continue
        size = 4 * kind if 0 < kind < 29 else (word() - 4 + 3) & ~3
        raw = page[at:at + size]
        if kind == 29:
            out[at:at + size] = raw
        else:
            out[at:at + size] = swap_record(raw, formats[struct.unpack_from("<H", raw)[0]])
        at += size
    if commit >> 31 & 1 and commit >> 30 & 1:
        (lost,) = struct.unpack_from("<Q", page, end)
        struct.pack_into(">Q", out, end, lost)
    return bytes(out)


def main():
    raw = open(sys.argv[1], "rb").read()
    w = Walk(raw)
    formats = {}
    w.copy(10)
    assert w.text() == b"6"
    w.at += 1
    w.out += b"\1"
    w.copy(1)
    page_size = w.number(4)
    for _ in range(2):
        w.text()
        w.blob(8)
    for _ in range(w.number(4)):
        ident, fields = fields_of(w.blob(8).decode())
        formats[ident] = fields
    for _ in range(w.number(4)):
        w.text()
        for _ in range(w.number(4)):
            ident, fields = fields_of(w.blob(8).decode())
            formats[ident] = fields
    w.blob(4)
    w.blob(4)
    w.blob(8)
    cpus = w.number(4)
    word = w.copy(10)
    if word.startswith(b"options"):
        while True:
            option = w.number(2)
            if not option:
                break
            size = w.number(4)
            assert option != 3, "an instance: not made here"
            if option == 8:
                w.number(size)
            else:
                w.copy(size)
        word = w.copy(10)
    assert word.startswith(b"flyrecord")
    places = [(w.number(8), w.number(8)) for _ in range(cpus)]
    w.out += raw[w.at:]
    for offset, size in places:
        for at in range(offset, offset + size, page_size):
            w.out[at:at + page_size] = swap_page(raw[at:at + page_size], formats)
    with open(sys.argv[2], "wb") as f:
        f.write(w.out)


main()
