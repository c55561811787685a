#!/usr/bin/env python3
"""perf.data files made here, of both byte orders, with features that this machine cannot record.

  tests/cli/perf_data_made.py        ASSAY names the program; TAP on stdout

The same recording is written little-endian and big-endian: what assay makes of it
must be equal. Branch stacks of call-stack mode become call chains. Every prefix and
many mutations of a file end with a status and no crash.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

ASSAY = os.environ.get("ASSAY") or os.path.abspath(sys.argv[1])
IP, TID, TIME, CALLCHAIN, ID, CPU, PERIOD, BRANCH, IDENTIFIER, READ, RAW = (
    1, 2, 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 11, 1 << 16, 1 << 4, 1 << 10)
REGS_USER, STACK_USER, DATA_SRC = 1 << 12, 1 << 13, 1 << 15
CONTEXT_KERNEL, CONTEXT_USER = (1 << 64) - 128, (1 << 64) - 512
KERNEL, USER = 1, 2
BRANCH_CALL_STACK, BRANCH_HW_INDEX = 1 << 11, 1 << 17


class Recording:
    """Records and header sections of a perf.data file in one byte order."""

    def __init__(self, order):
        self.order = order
        self.attrs = []
        self.data = b""
        self.features = {}

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def text(self, s, size=None):
        raw = s.encode() + b"\0"
        return raw.ljust(size or (len(raw) + 7) // 8 * 8, b"\0")

    def attr(self, kind, config, sample_type, ids, frequency=999, branch=0, read_format=0, regs=0, stack=0,
             defer=False, switches=False, clock=None):
        # bit fields start at the other end of their byte on the other kind of machine
        bits = [10, 18] if frequency else [18]  # freq, sample_id_all
        bits += [38, 39] if defer else []  # defer_callchain, defer_output
        bits += [26] if switches else []  # context_switch
        bits += [] if clock is None else [25]  # use_clockid
        flags = sum(1 << bit for bit in bits)
        if self.order == ">":
            flags = sum(1 << (63 - bit) for bit in bits)
        raw = self.pack("IIQQQQQ", kind, 112, config, frequency or 1, sample_type, read_format, flags)
        raw += self.pack("IIQQQQIi", 0, 0, 0, 0, branch, regs, stack, clock or 0)
        self.attrs.append((raw.ljust(112, b"\0"), ids))
        self.type = sample_type

    def record(self, kind, misc, body):
        self.data += self.pack("IHH", kind, misc, 8 + len(body)) + body

    def trailer(self, pid, tid, time, ident):
        """sample_id_all: TID TIME CPU IDENTIFIER, as far as the type has them."""
        raw = self.pack("II", pid, tid)
        raw += self.pack("Q", time) if self.type & TIME else b""
        raw += self.pack("II", 0, 0) if self.type & CPU else b""
        raw += self.pack("Q", ident) if self.type & IDENTIFIER else b""
        return raw

    def fork(self, pid, parent, time, misc=0, ident=1):
        self.record(7, misc, self.pack("IIIIQ", pid, parent, pid, parent, time) + self.trailer(pid, pid, time, ident))

    def comm(self, pid, name, time, ident=1, misc=0):
        self.record(3, misc, self.pack("II", pid, pid) + self.text(name) + self.trailer(pid, pid, time, ident))

    def mmap(self, pid, start, size, name, time, ident=1):
        self.record(1, USER, self.pack("IIQQQ", pid, pid, start, size, 0) + self.text(name) +
                    self.trailer(pid, pid, time, ident))

    def ksymbol(self, start, size, name, time, ident=1):
        self.record(17, 0, self.pack("QIHH", start, size, 1, 0) + self.text(name) + self.trailer(0, 0, time, ident))

    def sample(self, mode, ip, pid, time, cpu, chain, ident=1, branches=None, period=1000, times=None,
               fields=b"", counts=None, rest=b""):
        raw = self.pack("Q", ident) if self.type & IDENTIFIER else b""
        raw += self.pack("QIIQ", ip, pid, pid, time)
        raw += self.pack("II", cpu, 0) if self.type & CPU else b""
        raw += self.pack("Q", period) if self.type & PERIOD else b""
        if self.type & READ and counts: # of a group, each with its id
            raw += self.pack("Q", len(counts)) + b"".join(self.pack("QQ", *count) for count in counts)
        elif self.type & READ:
            raw += self.pack("QQQ", 7, *times)
        raw += self.pack("Q%dQ" % len(chain), len(chain), *chain) if self.type & CALLCHAIN else b""
        if self.type & RAW:
            fields = fields.ljust((len(fields) + 4 + 7) // 8 * 8 - 4, b"\0")
            raw += self.pack("I", len(fields)) + fields
        if self.type & BRANCH:
            raw += self.pack("QQ", len(branches), 0)
            for start, to in branches:
                raw += self.pack("QQQ", start, to, 0)
        self.record(9, mode, raw + rest)

    def counted_text(self, s):
        raw = s.encode() + b"\0"
        raw = raw.ljust((len(raw) + 63) // 64 * 64, b"\0")
        return self.pack("I", len(raw)) + raw

    def standard_features(self):
        self.features = {
            3: self.counted_text("made"), 4: self.counted_text("6.0.0-made"), 6: self.counted_text("s390x"),
            7: self.pack("II", 4, 2), 8: self.counted_text("Made CPU"), 10: self.pack("Q", 4096),
            11: self.pack("I", 2) + self.counted_text("perf") + self.counted_text("record"),
            13: (self.pack("I", 1) + self.counted_text("0-3") + self.pack("I", 2) + self.counted_text("0-1") +
                 self.counted_text("2-3") + self.pack("8I", 0, 0, 0, 0, 1, 1, 1, 1)),
            14: self.pack("IIQQ", 1, 0, 4096, 1024) + self.counted_text("0-3"),
            16: self.pack("II", 1, 1) + self.counted_text("software"),
            21: self.pack("QQ", 1000000000, 2000000000),
            27: self.pack("5I", 1, 1, 3, 5, 524288),
            29: self.pack("IIQQ", 1, 1, 1700000000000000000, 1000000000),
        }

    def bytes(self):
        header = 104
        ids, at = b"", header + sum(len(raw) + 16 for raw, _ in self.attrs)
        table = b""
        for raw, own in self.attrs:
            table += raw + self.pack("QQ", at + len(ids), 8 * len(own))
            ids += self.pack("%dQ" % len(own), *own)
        data_at = at + len(ids)
        bits = sum(1 << feature for feature in self.features)
        # a bitmap of words, each in the byte order of the file
        words = [bits >> (64 * i) & ((1 << 64) - 1) for i in range(4)]
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        out = magic + self.pack("QQQQQQQQ", header, 128, header, len(table), data_at, len(self.data), 0, 0)
        out += self.pack("4Q", *words) + table + ids + self.data
        sections, bodies = b"", b""
        end = len(out) + 16 * len(self.features)
        for feature in sorted(self.features):
            body = self.features[feature]
            sections += self.pack("QQ", end + len(bodies), len(body))
            bodies += body
        return out + sections + bodies


def ordinary(order):
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1, 2])
    r.attr(1, 2, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [3], frequency=0)
    r.standard_features()
    r.ksymbol(0xffffffffa0000000, 0x1000, "made_send", 10)
    r.ksymbol(0xffffffffa0001000, 0x1000, "made_syscall", 11)
    r.comm(70, "server", 12)
    r.comm(71, "client", 13)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    r.mmap(71, 0x400000, 0x10000, "/opt/demo/client", 15)
    for i in range(200):
        pid = 70 + i % 2
        chain = [CONTEXT_KERNEL, 0xffffffffa0000010, 0xffffffffa0001020, CONTEXT_USER, 0x400100 + 16 * (i % 5), 0x400800]
        if i % 4 == 3:
            r.sample(USER, 0x400200, pid, 1000 + 10 * i, i % 4, [CONTEXT_USER, 0x400200, 0x400800])
        elif i % 7 == 0:
            r.sample(KERNEL, 0xffffffffa0000010, pid, 1000 + 10 * i, i % 4, chain, ident=3, period=1)
        else:
            r.sample(KERNEL, 0xffffffffa0000010, pid, 1000 + 10 * i, i % 4, chain)
    r.record(2, 0, r.pack("QQ", 1, 5) + r.trailer(70, 70, 9000, 1))   # LOST
    r.record(13, 0, r.pack("Q", 2) + r.trailer(70, 70, 9001, 1))      # LOST_SAMPLES
    r.record(5, 0, r.pack("QQQ", 9002, 1, 1) + r.trailer(70, 70, 9002, 1))  # THROTTLE
    r.record(14, 0, r.trailer(70, 70, 9003, 1))                       # SWITCH
    r.record(11, 0, r.pack("QQQ", 0, 0, 0) + r.trailer(70, 70, 9004, 1))    # AUX
    r.record(47, 0, b"")                                              # of a kind to come
    return r.bytes()


def branches(order):
    """Call-stack mode: the branches are the user part of the chain."""
    r = Recording(order)
    r.attr(0, 0, IP | TID | TIME | PERIOD | CALLCHAIN | BRANCH, [1], branch=BRANCH_CALL_STACK | BRANCH_HW_INDEX | 1)
    r.ksymbol(0xffffffffa0000000, 0x1000, "made_send", 10)
    r.comm(70, "server", 12)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    calls = [(0x400300, 0x400200), (0x400500, 0x400300), (0x400900, 0x400480)]
    # in the kernel: its chain, then the branch that entered the last function and who called
    r.sample(KERNEL, 0xffffffffa0000010, 70, 1000, 0,
             [CONTEXT_KERNEL, 0xffffffffa0000010, CONTEXT_USER, 0x400abc], branches=calls)
    r.sample(USER, 0x400210, 70, 2000, 0, [CONTEXT_USER, 0x400210], branches=calls)
    return r.bytes()


def branch_stacks(order):
    """perf record -b: branches that are no chain."""
    r = Recording(order)
    r.attr(0, 0, IP | TID | TIME | PERIOD | BRANCH, [1], branch=BRANCH_HW_INDEX | 8 | 1)
    r.comm(70, "server", 12)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    for i in range(3):
        r.sample(USER, 0x400210, 70, 1000 + i, 0, [], branches=[(0x400300, 0x400200)])
    return r.bytes()


def shared_counters(order):
    r = Recording(order)
    r.attr(0, 0, IDENTIFIER | IP | TID | TIME | READ, [1], read_format=3)
    r.attr(0, 1, IDENTIFIER | IP | TID | TIME | READ, [2], read_format=3)
    r.comm(70, "server", 12)
    for i in range(40):
        r.sample(USER, 0x400210, 70, 1000 + i, 0, [], ident=1 + i % 2, times=(1000 + i, 1000 + i if i % 2 else 250))
    return r.bytes()


def newer(order):
    """Of perf and kernels to come: records, a header section."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1])
    r.features = {3: r.counted_text("made"), 40: b"12345678"}
    r.ksymbol(0xffffffffa0000000, 0x1000, "made_send", 10)
    r.ksymbol(0xffffffffa0001000, 0x1000, "made_syscall", 11)
    r.comm(70, "server", 12)
    r.sample(KERNEL, 0xffffffffa0000010, 70, 1000, 0, [CONTEXT_KERNEL, 0xffffffffa0000010, 0xffffffffa0001020])
    r.record(84, 0, b"metadata" * 4)
    r.record(99, 0, b"")
    return r.bytes()


def deferred(order, flag=True):
    """User parts of chains in records of their own: of Linux 6.19, perf record --call-graph fp,defer."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1], defer=flag)
    r.ksymbol(0xffffffffa0000000, 0x1000, "made_send", 10)
    r.ksymbol(0xffffffffa0001000, 0x1000, "made_syscall", 11)
    for pid in (70, 71, 72):
        r.comm(pid, "server%d" % pid, 12)
        r.mmap(pid, 0x400000, 0x10000, "/opt/demo/server", 14)

    def sample(pid, time, cookie, mode=KERNEL):
        chain = [CONTEXT_KERNEL, 0xffffffffa0000010, 0xffffffffa0001020] if mode == KERNEL else []
        r.sample(mode, 0xffffffffa0000010 if mode == KERNEL else 0x400300, pid, time, 0,
                 [*chain, (1 << 64) - 640, cookie])

    def rest(pid, time, cookie, *chain, claimed=None):
        r.record(22, 0, r.pack("QQ%dQ" % len(chain), cookie, claimed or len(chain), *chain) +
                 r.trailer(pid, pid, time, 1))

    sample(70, 1000, 5)            # two samples of one visit to the kernel
    sample(70, 1010, 5)
    sample(71, 1020, 5)            # the same number in another thread: never recorded
    r.comm(70, "renamed", 1030)    # the samples came before it
    rest(70, 1040, 5, CONTEXT_USER, 0x400100, 0x400800)
    sample(70, 1050, 6, USER)
    rest(70, 1060, 7, CONTEXT_USER, 0x400200)  # of no sample
    rest(70, 1070, 6, CONTEXT_USER, 0x400300, 0x400800)
    sample(72, 1080, 8)
    rest(72, 1090, 8, CONTEXT_USER, 0x400100, claimed=1 << 60)
    rest(72, 1100, 9)
    return r.bytes()


def switched(order, cpu_wide=False):
    """Switch records without the tracepoint: two threads that run alone and at once (ms)."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1], switches=True)
    r.comm(70, "server", 12)
    r.comm(71, "worker", 13)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    switches = [(0, 70, 0), (40, 71, 0), (100, 71, 1 << 13), (100, 70, 1 << 13), (300, 70, 0),
                (350, 70, 1 << 13 | 1 << 14), (360, 70, 0), (400, 70, 1 << 13)]
    samples = [(ms, 70) for ms in [*range(5, 100, 10), *range(305, 350, 10)]] + [(ms, 71) for ms in range(45, 100, 10)]
    events = sorted([(*s, None) for s in samples] + switches, key=lambda e: e[0])
    for ms, pid, misc in events:
        at = 1000000000 + ms * 1000000
        if misc is None:
            r.sample(USER, 0x400210, pid, at, 0, [CONTEXT_USER, 0x400210], period=10000000)
        else:
            r.record(15 if cpu_wide else 14, misc, (r.pack("II", 0, 0) if cpu_wide else b"") + r.trailer(pid, pid, at, 1))
    return r.bytes()


def grouped(order):
    """Samples in control groups: a unit, containers with and without systemd, a pod, the root, one unknown."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | PERIOD | CALLCHAIN | 1 << 21, [1])
    r.comm(70, "server", 12)
    pod = "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice"
    paths = ["/system.slice/nginx.service/worker", "/system.slice/docker-%s.scope" % ("ab" * 32),
             "/kubepods.slice/kubepods-burstable.slice/%s/cri-containerd-%s.scope" % (pod, "cd" * 32),
             "/docker/" + "ef" * 32, "/"]
    for i, path in enumerate(paths):
        r.record(19, 0, r.pack("Q", 100 + i) + r.text(path) + r.trailer(70, 70, 14, 1))
    for i in range(len(paths) + 1):
        r.sample(USER, 0x400210, 70, 1000 + i, 0, [CONTEXT_USER, 0x400210], rest=r.pack("Q", 100 + i))
    return r.bytes()


def spaced(order):
    """Threads in namespaces: the first ones, others from some time on, fewer kinds, a record that is cut, none."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | PERIOD | CALLCHAIN, [1])
    first = [0xeffffff9, 0xeffffffe, 0xefffffff, 0xeffffffc, 0xeffffffd, 0xeffffff8, 0xeffffffb]
    own = [4026532178, 0xeffffffe, 0xefffffff, 4026532177, 0xeffffffd, 0xeffffff8, 4026532179]

    def spaces(pid, time, numbers, count=None):
        body = r.pack("IIQ", pid, pid, len(numbers) if count is None else count)
        body += b"".join(r.pack("QQ", 4, number) for number in numbers)
        r.record(16, 0, body + r.trailer(pid, pid, time, 1))

    for pid in range(70, 75):
        r.comm(pid, "server%d" % pid, 12)
    spaces(70, 13, first)
    spaces(71, 13, own)
    spaces(72, 13, own[:4])
    spaces(73, 13, own, 1000)
    for time in 1000, 3000:
        for pid in range(70, 75):
            r.sample(USER, 0x400210, pid, time + pid, 0, [CONTEXT_USER, 0x400210])
        spaces(70, 2000, own)
    return r.bytes()


def families(order):
    """Forks: by the kernel, and made by perf for processes that ran before. Then one runs a program."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1])
    r.comm(70, "server", 12)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    r.fork(71, 70, 15)
    r.fork(72, 70, 16, misc=1 << 13)
    r.comm(72, "other", 17)
    r.mmap(72, 0x400000, 0x1000, "/opt/demo/other", 18)
    for pid in (71, 72):
        r.sample(USER, 0x402100, pid, 1000 + pid, 0, [CONTEXT_USER, 0x402100])
    r.comm(71, "tool", 2000, misc=1 << 13)
    r.sample(USER, 0x402100, 71, 2001, 0, [CONTEXT_USER, 0x402100])
    r.mmap(71, 0x400000, 0x10000, "/opt/demo/tool", 2002)
    r.sample(USER, 0x402100, 71, 2003, 0, [CONTEXT_USER, 0x402100])
    return r.bytes()


def group(order):
    """Each sample contains the counts of both events."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | READ, [1], read_format=12)
    r.attr(1, 2, IDENTIFIER | IP | TID | TIME | READ, [2], read_format=12)
    r.comm(70, "server", 12)
    for i, counts in enumerate([((500, 1), (0, 2)), ((1100, 1), (7, 2)), ((1800, 1), (7, 2)), ((1800, 1), (9, 9))]):
        r.sample(USER, 0x400210 + i, 70, 1000 + i, 0, [], counts=counts)
    return r.bytes()


def unwound(order):
    """User registers and stack after the chain; some records are shorter than their size field."""
    r = Recording(order)
    r.attr(1, 0, IP | TID | TIME | PERIOD | CALLCHAIN | REGS_USER | STACK_USER | DATA_SRC, [1], regs=0xff0fff,
           stack=16)
    r.ksymbol(0xffffffffa0000000, 0x1000, "made_send", 10)
    r.comm(70, "server", 12)
    r.mmap(70, 0x400000, 0x10000, "/opt/demo/server", 14)
    regs = r.pack("Q", 2) + r.pack("20Q", *([0x7fff0000] * 8), 0x400100, *([0] * 11))
    whole = regs + r.pack("Q2QQQ", 16, 1, 2, 16, 0)
    bare = r.pack("QQQ", 0, 0, 0) # of a thread of the kernel
    damaged = [regs[:-8], regs, regs + r.pack("QQQQ", 24, 1, 2, 16), regs + r.pack("Q2QQ", 16, 1, 2, 16),
               bare[:8], bare[:16], b"", regs + r.pack("Q", 1 << 63) + b"\0" * 64]
    for i in range(40):
        chain = [CONTEXT_KERNEL, 0xffffffffa0000010]
        r.sample(KERNEL, 0xffffffffa0000010, 70, 1000 + 10 * i, 0, chain, rest=bare if i % 4 == 0 else whole)
        r.sample(USER, 0x400100 + i % 3, 70, 1005 + 10 * i, 0, [CONTEXT_USER], rest=whole)
        if i < len(damaged):
            r.sample(USER, 0x400100, 70, 1007 + 10 * i, 0, [], rest=damaged[i])
    return r.bytes()


FORMAT = """name: made_queue
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:char name[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:unsigned int depth;\toffset:24;\tsize:4;\tsigned:0;
\tfield:int result;\toffset:28;\tsize:4;\tsigned:1;
\tfield:__data_loc char[] note;\toffset:32;\tsize:4;\tsigned:0;

print fmt: "name=%s depth=%u result=%d note=%s", REC->name, REC->depth, REC->result, __get_str(note)
"""


def tracepoints(order, described=True):
    r = Recording(order)
    r.attr(2, 77, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW, [1], frequency=0)
    text = FORMAT.encode()
    r.features = {
        1: b"\x17\x08\x44tracing" + b"0.6\0" + bytes([order == ">", 8]) + r.pack("I", 4096) +
           b"header_page\0" + r.pack("Q", 0) + b"header_event\0" + r.pack("Q", 0) + r.pack("I", 0) +
           r.pack("I", 1) + b"made\0" + r.pack("IQ", 1, len(text)) + text + r.pack("II", 0, 0),
        12: (r.pack("II", 1, 112) + r.attrs[0][0] + r.pack("I", 1) + r.counted_text("made:made_queue") +
             r.pack("Q", 1)),
    }
    if not described:
        del r.features[1]
    r.comm(70, "server", 12)
    for i in range(6):
        # a field in the record, one after it; a damaged one with an offset outside
        where = 4000 << 16 | 9000 if i == 5 else 6 << 16 | 36
        fields = (r.pack("HBBi", 77, 0, 0, 70) + ("queue%d" % (i % 2)).encode().ljust(16, b"\0") +
                  r.pack("IiI", 10 * i, -i, where) + b"hello\0")
        r.sample(KERNEL, 0xffffffffa0000010, 70, 1000000 * (i + 1), i % 2, [], period=1, fields=fields)
    return r.bytes()


SYNC_FORMAT = """name: made_sync_%s
ID: %d
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:unsigned int ino;\toffset:8;\tsize:4;\tsigned:0;

print fmt: "ino %%u", REC->ino
"""


def operations(order, lost=0, slow=250):
    """Twelve operations of 2 ms, two at a time; the ninth takes as many ms as @slow."""
    r = Recording(order)
    kinds = [("enter", 81), ("exit", 82)]
    for number, (_, event) in enumerate(kinds):
        r.attr(2, event, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW, [number + 1], frequency=0)
    formats = [(SYNC_FORMAT % kind).encode() for kind in kinds]
    r.features = {
        1: b"\x17\x08\x44tracing" + b"0.6\0" + bytes([order == ">", 8]) + r.pack("I", 4096) +
           b"header_page\0" + r.pack("Q", 0) + b"header_event\0" + r.pack("Q", 0) + r.pack("I", 0) +
           r.pack("I", 1) + b"made\0" + r.pack("I", 2) + b"".join(r.pack("Q", len(f)) + f for f in formats) +
           r.pack("II", 0, 0),
        12: r.pack("II", 2, 112) + b"".join(
            r.attrs[i][0] + r.pack("I", 1) + r.counted_text("made:made_sync_" + kinds[i][0]) + r.pack("Q", i + 1)
            for i in range(2)),
    }
    r.comm(70, "server", 12)
    events = []
    for i in range(12):
        start = 1000 + 300 * (i // 2) + i % 2
        events += [(start, 0, i), (start + (slow if i == 8 else 2), 1, i)]
    for at, which, i in sorted(events):
        r.sample(KERNEL, 0xffffffffa0000010, 70, 1000000 * at, 0, [], ident=which + 1, period=1,
                 fields=r.pack("HBBiI", kinds[which][1], 0, 0, 70, 500 + i))
    if lost:
        r.record(2, 0, r.pack("QQ", 1, lost) + r.trailer(70, 70, 9000000000, 1))
    return r.bytes()


NUMBER = 0


def compiled(order, clock=1, dump="/opt/demo/jit-70.dump"):
    """A process that maps the dump of its JIT compiler; the address of two samples is used again."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CALLCHAIN, [1], clock=clock)
    r.comm(70, "engine", 12)
    r.mmap(70, 0x10000, 0x10000, "//anon", 14)
    r.mmap(70, 0x50000, 0x1000, dump, 15)
    for time, ip in (1000, 0x10010), (1010, 0x10100), (2000, 0x10010), (2010, 0x10050):
        r.sample(USER, ip, 70, time, 0, [CONTEXT_USER, ip, 0x10104])
    return r.bytes()


def off_cpu(order):
    """Waits as perf record --off-cpu writes them since 6.16: raw bytes tell of which thread."""
    r = Recording(order)
    r.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW, [1])
    r.attr(1, 10, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW, [2], frequency=0)
    r.features[12] = event_names(r, ("cpu-clock", "offcpu-time"))
    for pid, name in (70, "waiter"), (80, "next"):
        r.comm(pid, name, 12)

    def wait(time, pid, took, chain, mode=KERNEL, cgroup=True):
        fields = r.pack("IIQQ%dQ" % len(chain), pid, pid, took, len(chain), *chain)
        r.sample(mode, 0xffffffffa0000010, 80, time, 0, [], ident=2, period=1,
                 fields=fields + (r.pack("Q", 5) if cgroup else b""))

    r.sample(USER, 0x400, 80, 900, 0, [], ident=1)
    wait(1000, 70, 500000000, [CONTEXT_USER, 0x400100, 0x400800])
    wait(1010, 70, 7000000, [CONTEXT_USER, 0x400200, 0x400800])
    wait(2 ** 64 - 2 ** 32, 70, 3000000, [CONTEXT_USER, 0x400100, 0x400800], USER)  # at the end of perf
    wait(1020, 70, 1000, [CONTEXT_USER])           # no frame
    wait(1030, 70, 1, [], cgroup=False)            # cut
    return r.bytes()


def event_names(r, names):
    """HEADER_EVENT_DESC: the attributes again, with names and ids."""
    raw = r.pack("II", len(r.attrs), len(r.attrs[0][0]))
    for (attr, ids), name in zip(r.attrs, names):
        raw += attr + r.pack("I", len(ids)) + r.counted_text(name) + r.pack("%dQ" % len(ids), *ids)
    return raw


def check_off_cpu(folder):
    for order in "<>":
        captures = json.loads(run("report", "--json", "--no-children", "--sort", "comm,sym",
                                  write(folder, "off.data", off_cpu(order))).stdout)["captures"]
        found = [c for c in captures if c["event"] == "offcpu-time"]
        rows = sorted((row["comm"], row["symbol"], row["weight"], row["samples"]) for row in found[0]["rows"])
        bad = {s["counter"]: s["count"] for s in found[0]["skipped"]}.get("perf-data-bad-record")
        ok(rows == [("waiter", "0000000000000000", 1000, 1), ("waiter", "0x0000000000400100", 503000000, 2),
                    ("waiter", "0x0000000000400200", 7000000, 1)] and bad == 1, "waits of perf record --off-cpu are of the thread that waited, byte order %s" % order,
           rows, bad)
        text = run("convert", "--to", "perf-script", write(folder, "off.data", off_cpu(order))).stdout.decode()
        chains = [re.findall(r"^\s+([0-9a-f]+) ", block, re.M) for block in text.split("offcpu-time:")[1:]]
        ok(chains == [["400100", "400800"], ["400200", "400800"], [], ["400100", "400800"]],
           "with their callers, byte order %s" % order, text)


def jitdump(order):
    """Source: tools/perf/Documentation/jitdump-specification.txt."""
    def record(kind, time, body):
        return struct.pack(order + "IIQ", kind, 16 + len(body), time) + body

    def load(time, start, size, index, name):
        return record(0, time, struct.pack(order + "IIQQQQ", 70, 70, start, start, size, index) +
                      name + b"\0" + b"\x90" * size)

    lines = (struct.pack(order + "QQ", 0x10000, 2) + struct.pack(order + "QII", 0x10000, 3, 0) + b"a.js\0" +
             struct.pack(order + "QII", 0x10010, 5, 0) + b"\xff\0")
    return (struct.pack(order + "IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 70, 500, 0) +
            record(2, 900, lines) + load(900, 0x10000, 0x40, 1, b"first") + load(910, 0x10100, 0x40, 2, b"caller") +
            record(4, 1500, bytes(24)) + load(1500, 0x10000, 0x40, 3, b"second") + record(3, 3000, b""))


def check_compiled(folder):
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "opt/demo"))

    def rows(order="<", **made):
        write(os.path.join(root, "opt/demo"), "jit-70.dump", jitdump(order))
        path = write(folder, "compiled.data", compiled(order, **made))
        report = json.loads(run("report", "--json", "--no-children", "--symfs", root, "--sort", "sym",
                                path).stdout)["captures"][0]
        return sorted((row["symbol"], row["samples"]) for row in report["rows"])

    for order in "<>":
        found = rows(order)
        ok(found == [("0x0000000000010050", 1), ("caller", 1), ("first", 1), ("second", 1)],
           "an address of a JIT compiler has the function of its time, byte order %s" % order, found)
    found = rows(clock=None)
    ok(found == [("0x0000000000010010", 2), ("0x0000000000010050", 1), ("caller", 1)],
       "times of another clock do not tell functions apart", found)
    text = run("report", "--no-children", "--symfs", root, "--sort", "sym,srcline",
               write(folder, "compiled.data", compiled("<"))).stdout.decode()
    ok(re.search(r"first +a\.js:5", text) and not re.search(r"second +a\.js", text),
       "lines of the dump are those of their code", text)
    path = write(folder, "jit-70.dump", jitdump("<"))
    unnamed = json.loads(run("report", "--json", "--no-children",
                             write(folder, "foreign.data", compiled("<", dump=path))).stdout)["captures"][0]
    ok(not {row["symbol"] for row in unnamed["rows"]} & {"first", "second", "caller"},
       "a dump of this machine names nothing in the recording of another one", unnamed["rows"])


def ok(good, name, *told):
    global NUMBER
    NUMBER += 1
    print("%s %d - %s" % ("ok" if good else "not ok", NUMBER, name))
    for line in told if not good else ():
        print("# %s" % (line,))
    sys.stdout.flush()


def run(*words):
    return subprocess.run([ASSAY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)


def write(folder, name, raw):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(raw)
    return path


def model(path):
    """The whole model of a file, the path aside."""
    text = run("convert", "--to", "json", path).stdout.decode()
    return json.loads(text.replace(path, "FILE"))


def same_in_both_orders(folder, name, make):
    little = model(write(folder, "little.data", make("<")))
    big = model(write(folder, "big.data", make(">")))
    ok(little["captures"] and little == big, "%s: both byte orders give the same model" % name,
       json.dumps(little)[:300], json.dumps(big)[:300])
    return little


def slow_operations(folder, **made):
    path = write(folder, "operations.data", operations("<", **made))
    found = json.loads(run("explain", "--json", "--rule", "slow-operation", path).stdout)["findings"]
    return [(f["claim"], [e["text"] for e in f["evidence"]], f["sure"]) for f in found], found


def skipped(name, why):
    global NUMBER
    NUMBER += 1
    print("ok %d - %s # SKIP %s" % (NUMBER, name, why))


def check_operations(folder):
    if not re.search(rb"\bwith .*traceevent", run("--version").stdout):
        skipped("tracepoints of one recording begin and end operations", "no libtraceevent")
        return
    found, raw = slow_operations(folder)
    ok(len(found) == 1 and "1 of 12 operations take more than 10 times the median of 2 ms, the longest "
       "250 ms" in found[0][0].replace("\n", " ") and "of 508" in found[0][0],
       "tracepoints of one recording begin and end operations", raw)
    ok(found and any("made_sync_exit: ino 508" in text for text in found[0][1]),
       "both ends of the operation are cited", raw)
    ok(not slow_operations(folder, slow=20)[0], "ten times the median is not slow yet")
    ok(found and slow_operations(folder, lost=5)[0][0][2] < found[0][2],
       "lost events make it less sure", slow_operations(folder, lost=5))
    captures = json.loads(run("report", "--json", write(folder, "operations.data", operations("<"))).stdout)["captures"]
    ok(len(captures) == 2, "report shows the events alone", len(captures))


def main():
    with tempfile.TemporaryDirectory() as folder:
        captures = same_in_both_orders(folder, "ordinary", ordinary)["captures"]
        path = write(folder, "made.data", ordinary("<"))
        ok([c["event"] for c in captures] == ["cpu-clock", "page-faults"], "events are named", captures[0].get("event"))
        ok(sum(c["samples"] if isinstance(c["samples"], int) else len(c["samples"]) for c in captures) == 200,
           "all samples are there")
        report = json.loads(run("report", "--json", "--sort", "comm,sym,socket,node", path).stdout)["captures"][0]
        names = {row["symbol"] for row in report["rows"]}
        ok({"made_send", "made_syscall"} <= names, "symbols that the kernel registered are used", names)
        ok({(row["socket"], row["node"]) for row in report["rows"]} == {("0", "0"), ("1", "0")},
           "CPUs have sockets and nodes", [row.get("socket") for row in report["rows"]])
        ok(report["lost"] == 7, "lost records and samples are counted", report["lost"])
        skipped = {s["counter"]: s["count"] for s in report["skipped"]}
        ok(skipped.get("perf-data-throttled") == 1 and skipped.get("perf-data-aux") == 1 and
           skipped.get("perf-data-unknown-record") == 1, "what is not used is counted by name", skipped)
        notes = {n["key"]: n["value"] for n in report["notes"]}
        ok((notes.get("nrcpus avail"), notes.get("cmdline"), notes.get("compressed"), notes.get("clockid"),
            notes.get("CPU 3"), notes.get("pmu mappings")) ==
           ("4", "perf record", "Zstd, level = 3, ratio = 5", "monotonic (1)", "Core ID 1, Socket ID 1",
            "software = 1"), "the header is told", notes)

        check_operations(folder)
        check_compiled(folder)
        check_off_cpu(folder)
        same_in_both_orders(folder, "branches", branches)
        path = write(folder, "branches.data", branches("<"))
        text = run("convert", "--to", "perf-script", path).stdout.decode()
        chains = [[line.split()[0] for line in block.splitlines()[1:]] for block in text.split("\n\n") if block]
        ok(sorted(chains) == [["210", "200", "300", "500", "900"],
                              ["ffffffffa0000010", "200", "300", "500", "900"]],
           "branches of a call stack are its user part", chains)
        folded = run("convert", "--to", "folded", path).stdout
        with open(os.path.join(folder, "branches.script"), "w") as f:
            f.write(text)
        ok(folded == run("convert", "--to", "folded", f.name).stdout and
           folded == b"server;[server];[server];[server];[server];[server] 1000\n"
                     b"server;[server];[server];[server];[server];made_send 1000\n",
           "addresses without a symbol fold as their module, as they do from perf script", folded)

        same_in_both_orders(folder, "branch stacks", branch_stacks)
        for name, make, said in ("of branches", branch_stacks, True), ("of calls", branches, False):
            path = write(folder, "stacks.data", make("<"))
            captures = json.loads(run("report", "--json", path).stdout)["captures"]
            reasons = {r["id"] for r in captures[0]["quality"]["reasons"]}
            ok(("branch-stacks" in reasons) == said, "stacks %s: which table is shown is said" % name, reasons)
        ok(b"--no-branch-stack" in run(write(folder, "stacks.data", branch_stacks("<"))).stdout,
           "the first page says that perf report shows branches")

        same_in_both_orders(folder, "shared counters", shared_counters)
        captures = json.loads(run("report", "--json", write(folder, "shared.data", shared_counters("<"))).stdout)["captures"]
        figures = [{r["id"]: r.get("figure") for r in c["quality"]["reasons"]}.get("multiplexed") for c in captures]
        ok(figures[0] is not None and 20 < figures[0] < 30 and figures[1] is None,
           "an event that shared a counter is told", figures)

        same_in_both_orders(folder, "newer", newer)
        path = write(folder, "newer.data", newer("<"))
        skipped = {s["counter"]: s["count"]
                   for s in json.loads(run("report", "--json", path).stdout)["captures"][0]["skipped"]}
        ok((skipped.get("perf-data-unknown-record"), skipped.get("perf-data-unknown-section")) == (2, 1),
           "what is newer is skipped and counted", skipped)

        same_in_both_orders(folder, "deferred", deferred)
        for flag in True, False:
            path = write(folder, "deferred.data", deferred("<", flag))
            folded = run("convert", "--to", "folded", path).stdout.decode().splitlines()
            ok(sorted(folded) == [
                "renamed;[server];[server] 1000", "server70;[server];[server];made_syscall;made_send 2000",
                "server71;made_syscall;made_send 1000", "server72;made_syscall;made_send 1000"],
               "chains get their deferred user part by thread and cookie, under the name at that time", *folded)
        capture = json.loads(run("report", "--json", path).stdout)["captures"][0]
        skipped = {s["counter"]: s["count"] for s in capture["skipped"]}
        ok((skipped.get("perf-data-deferred-chain"), skipped.get("perf-data-bad-record"),
            skipped.get("perf-data-unknown-record")) == (2, 1, None), "deferred parts that are missing are counted", skipped)
        text = run("convert", "--to", "perf-script", write(folder, "deferred.data", deferred("<"))).stdout.decode()
        chains = [[line.split()[0] for line in block.splitlines()[1:]] for block in text.split("\n\n") if block]
        ok(chains == [["ffffffffa0000010", "ffffffffa0001020", "100", "800"]] * 2 +
           [["ffffffffa0000010", "ffffffffa0001020"], ["300", "800"], ["ffffffffa0000010", "ffffffffa0001020"]],
           "they are printed with their samples, in the order of time", *chains)

        same_in_both_orders(folder, "switched", switched)
        for wide in False, True:
            path = write(folder, "switched.data", switched("<", wide))
            waits = json.loads(run("report", "--off-cpu", "--json", path).stdout)["waits"][0]
            times = {t["command"]: [t[k] // 1000000 for k in ("ran_ns", "cpu", "unknown", "wall_ns")] for t in waits["times"]}
            ok(times["server"] == [190, 10, 200, 400] and times["worker"][0] == 60,
               "waits come from switch records: running, preempted, blocked", times)
        ok("perf-data-switch-records" in run("report", "--off-cpu", "--json", path).stdout.decode(), "and that is said")
        ok(len(json.loads(run("report", "--json", path).stdout)["captures"]) == 1, "without --off-cpu they are no event")

        def shares(*words):
            done = run("report", "--json", "--no-children", *words, path)
            capture = json.loads(done.stdout)["captures"][0]
            return capture["event"], capture["event_count"] // 1000000, {
                row.get("parallelism") or row["comm"]: round(row["self"]) for row in capture["rows"]}

        ok(shares("--sort", "parallelism") == ("cpu-clock", 210, {"1": 43, "2": 57}),
           "samples have the number of threads that ran at that moment", shares("--sort", "parallelism"))
        for words in ["--latency", "--sort", "comm"], ["--sort", "latency,comm"]:
            ok(shares(*words) == ("latency", 150, {"server": 80, "worker": 20}),
               "latency is wall time, split among the threads that ran: %s" % words[0], shares(*words))
        ok(shares("--sort", "latency,parallelism") == ("latency", 150, {"1": 60, "2": 40}), "both keys together",
           shares("--sort", "latency,parallelism"))
        done = run("report", "--latency", write(folder, "plain.data", families("<")))
        ok(done.returncode == 1 and b"no context switches recorded" in done.stderr,
           "without switches there is no latency", done.stderr)

        same_in_both_orders(folder, "grouped", grouped)
        path = write(folder, "grouped.data", grouped("<"))
        rows = json.loads(run("report", "--json", "--sort", "unit,container,pod", path).stdout)["captures"][0]["rows"]
        names = sorted((row["unit"], row["container"], row["pod"], row["samples"]) for row in rows)
        uid = "01234567_89ab_cdef_0123_456789abcdef"
        ok(names == sorted([("nginx.service", "", "", 1), ("docker-%s.scope" % ("ab" * 32), "ab" * 6, "", 1),
                            ("cri-containerd-%s.scope" % ("cd" * 32), "cd" * 6, uid, 1), ("", "ef" * 6, "", 1),
                            ("", "", "", 2)]), "control groups have units, containers and pods", names)
        rows = json.loads(run("report", "--json", "--sort", "cgroup", path).stdout)["captures"][0]["rows"]
        ok(len(rows) == 6 and [row["samples"] for row in rows if row["cgroup"] == "unknown"] == [1],
           "and paths; the group without a record is unknown", [row["cgroup"] for row in rows])

        same_in_both_orders(folder, "spaced", spaced)
        path = write(folder, "spaced.data", spaced("<"))
        capture = json.loads(run("report", "--json", "--sort", "pid,cgroup_id,namespaces", path).stdout)["captures"][0]
        names = sorted((row["pid"], row["cgroup_id"], row["namespaces"], row["samples"]) for row in capture["rows"])
        ours = ("4/0xf0000153", "net:4026532178 pid:4026532177 cgroup:4026532179")
        ok(names == [("70", "4/0xeffffffb", "initial", 1), ("70", *ours, 1), ("71", *ours, 2),
                     ("72", "", "net:4026532178 pid:4026532177", 2), ("73", "", "", 2), ("74", "", "", 2)],
           "threads have the namespaces that they were last recorded in", *names)
        skipped = {s["counter"]: s["count"] for s in capture["skipped"]}
        ok(skipped.get("perf-data-bad-record") == 1, "a record that is cut is counted", skipped)

        same_in_both_orders(folder, "families", families)
        rows = json.loads(run("report", "--json", write(folder, "families.data", families("<"))).stdout)["captures"][0]["rows"]
        ok(sorted((row["comm"], row["dso"], row["samples"]) for row in rows) ==
           [("other", "[unknown]", 1), ("server", "server", 1), ("tool", "server", 1), ("tool", "tool", 1)],
           "a child has its parent's maps unless it ran before, and until others cover them",
           [(row["comm"], row["dso"], row["samples"]) for row in rows])

        same_in_both_orders(folder, "counts of a group", group)
        captures = json.loads(run("report", "--json", write(folder, "group.data", group("<"))).stdout)["captures"]
        figures = [(c["event"], c["event_count"], [row["samples"] for row in c["rows"]]) for c in captures]
        ok(figures == [("cpu-clock", 1800, [1, 1, 1]), ("page-faults", 7, [1])],
           "a sample that read counts is one of each event that has counted", figures)

        same = []
        for order in "<>":
            path = write(folder, "unwound.data", unwound(order))
            report = json.loads(run("report", "--json", "--no-children", path).stdout)["captures"][0]
            skipped = {s["counter"]: s["count"] for s in report["skipped"]}
            flat = run("report", "--no-children", "-g", "none", "-F", "sample,sym", path).stdout.decode()
            rows = sorted(int(line.split()[0]) for line in flat.splitlines() if "[k] made_send" in line or "[.] 0x" in line)
            same.append((rows, sorted(row["samples"] for row in report["rows"]),
                         skipped.get("perf-data-bad-record"), "8 records that are cut" in flat))
        ok(all(told == ([13, 13, 14, 40], [13, 13, 14, 40], 8, True) for told in same),
           "samples with a copied stack are whole with their callers and without", *same)

        for order in "<>":
            path = write(folder, "events.data", tracepoints(order))
            text = run("convert", "--to", "perf-script", path).stdout.decode().splitlines()
            if not run("report", "--sort", "name", path).stderr:
                ok(len(text) == 6 and text[:2] == [
                    "          server    70 [000]     0.001000: made:made_queue: name=queue0 depth=0 result=0 note=hello",
                    "          server    70 [001]     0.002000: made:made_queue: name=queue1 depth=10 result=-1 note=hello"],
                   "fields of tracepoints are written as text, byte order %s" % order, *text)
                rows = json.loads(run("report", "--json", "--sort", "name", path).stdout)["captures"][0]["rows"]
                ok({row["name"]: row["samples"] for row in rows} == {"queue0": 3, "queue1": 3},
                   "and are keys, byte order %s" % order, rows)
        path = write(folder, "events.data", tracepoints("<", described=False))
        done = run("convert", "--to", "perf-script", path)
        ok(done.stdout.decode().count("made:made_queue: \n") == 6, "fields that nothing describes are left out",
           done.stdout)

        whole = ordinary(">")
        statuses = {run("report", "--json", write(folder, "cut.data", whole[:n])).returncode
                    for n in range(0, len(whole), 397)}
        ok(statuses <= {0, 1}, "every cut file ends with a status", statuses)
        rng = random.Random(1)
        statuses = set()
        later = deferred("<")
        for i in range(90):
            raw = bytearray(whole if i < 60 else later)
            for _ in range(rng.randrange(1, 8)):
                raw[rng.randrange(len(raw))] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
            statuses.add(run("report", "--json", write(folder, "mutant.data", bytes(raw))).returncode)
        ok(statuses <= {0, 1}, "mutations end with a status", statuses)
    print("1..%d" % NUMBER)


def elf(base, texts, starts):
    """An ELF program of 64 bits: symbol i is 16 bytes at @base + 16 i, its name is at starts[i] of @texts."""
    symbols = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", start, 0x12, 0, 1, base + 16 * i, 16) for i, start in enumerate(starts))
    size = 16 * len(starts)
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    at = [120, 120 + len(symbols), 120 + len(symbols) + len(texts)]
    table = (at[2] + len(names) + 7) // 8 * 8
    raw = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, base, 64, table, 0, 64, 56, 1, 64, 5, 4)
    raw += struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 4096)
    raw = (raw + symbols + texts + names).ljust(table, b"\0")
    for section in ((0,) * 10, (1, 8, 6, base, 0, size, 0, 0, 16, 0),
                    (7, 2, 0, 0, at[0], len(symbols), 3, 1, 8, 24), (15, 3, 0, 0, at[1], len(texts), 0, 0, 1, 0),
                    (23, 3, 0, 0, at[2], len(names), 0, 0, 1, 0)):
        raw += struct.pack("<IIQQQQIIQQ", *section)
    return raw


def sampled(base, size, name, addresses):
    """A recording with one sample at each of @addresses of the mapped file @name."""
    r = Recording("<")
    r.attr(1, 0, IP | TID | TIME | IDENTIFIER, [1])
    r.mmap(1, base, size, name, 1)
    samples = [r.data]
    for i, address in enumerate(addresses):
        r.data = b""
        r.record(9, USER, r.pack("QQIIQ", 1, address, 1, 1, 2 + i))
        samples.append(r.data)
    r.data = b"".join(samples)
    return r.bytes()


if __name__ == "__main__":
    main()
