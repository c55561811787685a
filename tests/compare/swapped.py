#!/usr/bin/env python3
"""A recording as a machine of the other byte order would have written it.

  tests/compare/swapped.py perf.data swapped.data

For tests: perf reads such files, so what assay makes of one can be compared. Samples
with raw data, registers or stacks are not swapped; header sections that tests do not
need, and records that perf wrote for itself, are left out.
Source: the kernel's include/uapi/linux/perf_event.h and tools/perf/util/session.c.
"""
import struct
import sys

IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, IDENTIFIER = (
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1 << 16)
DROPPED = {73, 74, 78}  # thread map, CPU map, event update
WORDS = {69, 79}  # id index, time conversion: u64 only
TEXTS = {3, 4, 5, 6, 8, 9}


class Cursor:
    """Takes values of the file's order and gives them in the other one."""

    def __init__(self, raw):
        self.raw, self.at, self.out = raw, 0, b""

    def left(self):
        return len(self.raw) - self.at

    def value(self, form):
        size = struct.calcsize("<" + form)
        (v,) = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += size
        self.out += struct.pack(">" + form, v)
        return v

    def values(self, forms):
        return [self.value(form) for form in forms]

    def bytes(self, n):
        self.out += self.raw[self.at:self.at + n]
        self.at += n


def attr(c, size):
    start = c.at
    c.values("IIQQ")
    sample_type, read_format = c.values("QQ")
    c.out += bytes(int("{:08b}".format(b)[::-1], 2) for b in c.raw[c.at:c.at + 8])  # bit fields
    c.at += 8
    c.values("IIQQQQIIQIHHII"[:14])
    while c.at - start < size:
        c.value("Q")
    return sample_type, read_format


def trailer_size(kind):
    return 8 * sum(bool(kind & bit) for bit in (TID, TIME, ID, STREAM, CPU, IDENTIFIER))


def trailer(c, kind):
    for bit, forms in ((TID, "II"), (TIME, "Q"), (ID, "Q"), (STREAM, "Q"), (CPU, "II"), (IDENTIFIER, "Q")):
        if kind & bit:
            c.values(forms)


def sample(c, kind, read_format):
    for bit, forms in ((IDENTIFIER, "Q"), (IP, "Q"), (TID, "II"), (TIME, "Q"), (ADDR, "Q"), (ID, "Q"),
                       (STREAM, "Q"), (CPU, "II"), (PERIOD, "Q")):
        if kind & bit:
            c.values(forms)
    while c.left():  # counts and a chain: words all
        c.value("Q")


def body(kind_of_record, misc, c, kind, read_format):
    if kind_of_record == 9:
        return sample(c, kind, read_format)
    if kind_of_record in WORDS or kind_of_record in (2, 5, 6, 13):
        end = 0 if kind_of_record in WORDS else trailer_size(kind)
        while c.left() > end:
            c.value("Q")
        return trailer(c, kind) if end else None
    if kind_of_record >= 64:
        return c.bytes(c.left())
    if kind_of_record in (1, 10):
        c.values("IIQQQ")
    if kind_of_record == 10:
        if misc & 1 << 14:
            c.bytes(24)
        else:
            c.values("IIQQ")
        c.values("II")
    if kind_of_record == 3:
        c.values("II")
    if kind_of_record in (4, 7):
        c.values("IIIIQ")
    if kind_of_record == 16:
        c.values("II")
        while c.left() > trailer_size(kind):
            c.value("Q")
    if kind_of_record == 17:
        c.values("QIHH")
    if kind_of_record == 18:
        c.values("HHI")
    if kind_of_record == 19:
        c.value("Q")
    c.bytes(c.left() - trailer_size(kind))
    return trailer(c, kind)


def records(raw, kind, read_format):
    out, at = b"", 0
    while at + 8 <= len(raw):
        kind_of_record, misc, size = struct.unpack_from("<IHH", raw, at)
        c = Cursor(raw[at + 8:at + size])
        at += size
        if kind_of_record not in DROPPED:
            body(kind_of_record, misc, c, kind, read_format)
            out += struct.pack(">IHH", kind_of_record, misc, size) + c.out
    return out


def text(c):
    c.bytes(c.value("I"))


def feature(number, raw):
    c = Cursor(raw)
    if number == 2:  # build ids
        while c.left() >= 36:
            size = struct.unpack_from("<H", raw, c.at + 6)[0]
            c.values("IHHI")
            c.bytes(size - 12)
    elif number in TEXTS:
        text(c)
    elif number == 7:
        c.values("II")
    elif number == 10:
        c.value("Q")
    elif number == 11:
        for _ in range(c.value("I")):
            text(c)
    elif number == 12:
        events, size = c.values("II")
        for _ in range(events):
            attr(c, size)
            ids = c.value("I")
            text(c)
            c.values("Q" * ids)
    else:
        return None
    return c.out


def swapped(raw):
    """None if the recording has parts that are not swapped here."""
    _, header, attr_size, attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<8s6Q", raw)
    bits = struct.unpack_from("<4Q", raw, 72)
    attrs, ids, kind, read_format = b"", b"", 0, 0
    ids_at = header + attrs_size
    for at in range(attrs_at, attrs_at + attrs_size, attr_size):
        c = Cursor(raw[at:at + attr_size - 16])
        kind, read_format = attr(c, attr_size - 16)
        where, size = struct.unpack_from("<QQ", raw, at + attr_size - 16)
        attrs += c.out + struct.pack(">QQ", ids_at + len(ids), size)
        ids += b"".join(raw[i:i + 8][::-1] for i in range(where, where + size, 8))
    if kind & ~(IP | TID | TIME | ADDR | READ | CHAIN | ID | CPU | PERIOD | STREAM | IDENTIFIER):
        return None
    data = records(raw[data_at:data_at + data_size], kind, read_format)
    sections, table = {}, data_at + data_size
    for number in range(256):
        if bits[number // 64] >> number % 64 & 1:
            where, size = struct.unpack_from("<QQ", raw, table)
            table += 16
            section = feature(number, raw[where:where + size])
            if section is not None:
                sections[number] = section
    out = struct.pack(">8s8Q", b"2ELIFREP", header, attr_size, header, len(attrs), ids_at + len(ids), len(data), 0, 0)
    out += struct.pack(">4Q", *(sum(1 << n % 64 for n in sections if n // 64 == word) for word in range(4)))
    out = out.ljust(header, b"\0") + attrs + ids + data
    end = len(out) + 16 * len(sections)
    for number in sorted(sections):
        out += struct.pack(">QQ", end, len(sections[number]))
        end += len(sections[number])
    return out + b"".join(sections[number] for number in sorted(sections))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as f:
        made = swapped(f.read())
    with open(sys.argv[2], "wb") as f:
        f.write(made)
