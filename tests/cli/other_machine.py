#!/usr/bin/env python3
"""Recordings of other machines show no name of this one.

  tests/cli/other_machine.py        ASSAY names the program, ELSEWHERE_LIB what makes this
                                    machine another one; TAP on stdout

Each symbol of this machine's kernel is called not_of_this_recording. Recordings are made
here, each with one thing that says which machine it is of; and those of the virtual
machines are read as they are, without their build ids, and as a pipe.
"""
import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from perf_data_made import ASSAY, CPU, IDENTIFIER, IP, KERNEL, PERIOD, Recording, TID, TIME, USER  # noqa: E402
from tap import Tap  # noqa: E402

TEXT, END, RODATA = 0xffffffff9d400000, 0xffffffff9e20bb08, 0xffffffff9e400000
MARK = "not_of_this_recording"
KALLSYMS = """%x T _text
%x T not_of_this_recording
%x T _etext
%x D __start_rodata
%x d not_of_this_recording_data
%x T _sinittext
%x T _einittext
%x B _end
ffffffffc0201000 t not_of_this_recording_of_a_module\t[virtio_blk]
""" % (TEXT, TEXT + 0x10, END, RODATA, RODATA + 0x100000, TEXT + 0x2000000, TEXT + 0x2100000, TEXT + 0x2c00000)
PID = 4100000 + os.getpid() % 90000  # no process has it
UPTIME = time.clock_gettime(time.CLOCK_BOOTTIME)
tap = Tap()


def libc():
    with open("/proc/self/maps") as f:
        return next(line.split()[5] for line in f if "/libc.so" in line or "/libc-" in line)


class Here:
    """Reads recordings with this machine made another one."""

    def __init__(self, folder):
        self.folder = folder
        self.kallsyms = self.write("kallsyms", KALLSYMS.encode())
        notes = struct.pack("III", 4, 20, 3) + b"GNU\0" + bytes(range(20))
        self.env = dict(os.environ, LD_PRELOAD=os.environ.get("ELSEWHERE_LIB", ""), HOME=folder,
                        ELSEWHERE_KALLSYMS=self.kallsyms, ELSEWHERE_NOTES=self.write("notes", notes),
                        ELSEWHERE_HOST="web7", ELSEWHERE_RELEASE="6.1.0-made")

    def write(self, name, raw):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(raw)
        return path

    def report(self, raw, *options, written=None):
        path = self.write("made.data", raw)
        if written:
            os.utime(path, (written, written))
        done = subprocess.run([ASSAY, "report", "-n", "--no-children", *options, path], env=self.env,
                              capture_output=True, text=True)
        return done.stdout + done.stderr


class Made(Recording):
    """A recording of the simulated machine, with the given changes."""

    def __init__(self, host="web7", release="6.1.0-made", arch=None, text=TEXT, end=END, at=None, header=True):
        super().__init__("<" if sys.byteorder == "little" else ">")
        self.attr(1, 0, IDENTIFIER | IP | TID | TIME | CPU | PERIOD, [1])
        self.at = int((UPTIME - 5 if at is None else at) * 1e9)
        if header:
            self.features = {3: self.counted_text(host), 4: self.counted_text(release),
                             6: self.counted_text(arch or os.uname().machine)}
        if text:
            name = "[kernel.kallsyms]_text"
            self.record(1, KERNEL, self.pack("IIQQQ", 0xffffffff, 0, text, end - text, text) + self.text(name) +
                        self.trailer(0, 0, 0, 1))

    def kernel(self, n=50, at=TEXT + 0x1000):
        for _ in range(n):
            self.at += 1000
            self.sample(KERNEL, at, PID, self.at, 0, [])
        return self

    def code(self, name, size=0x100000, step=0x200, stat=None):
        """Samples all over a mapped file; @stat is the kernel's data about it."""
        start = 0x7f0000000000
        if stat:
            self.record(10, USER, self.pack("IIQQQIIQQII", PID, PID, start, size, 0, os.major(stat.st_dev),
                                            os.minor(stat.st_dev), stat.st_ino, 0, 5, 2) + self.text(name) +
                        self.trailer(PID, PID, self.at, 1))
        else:
            self.mmap(PID, start, size, name, self.at)
        for offset in range(0, size, step):
            self.at += 1000
            self.sample(USER, start + offset, PID, self.at, 0, [])
        return self


def named(text, module):
    """Rows of @module that have a name."""
    return [line for line in text.splitlines() if module in line and "[.] " in line and "[.] 0x" not in line and
            "[.] 0000" not in line]


def kernel(here):
    same = here.report(Made().kernel().bytes())
    tap.ok(MARK in same, "a recording of this host, release and boot has the names of this kernel", same)
    tap.ok(MARK in here.report(Made(header=False).kernel().bytes()),
           "one without a header has them where the kernel lies at the same random place")
    other = {"another host": Made(host="web8"), "another release": Made(release="6.1.1-made"),
             "another architecture": Made(arch="sparc"),
             "another place of the kernel": Made(text=TEXT + 0x200000, end=END + 0x200000),
             "another size of the kernel": Made(end=END + 8),
             "times later than the uptime": Made(at=UPTIME + 3600),
             "no header and no place of the kernel": Made(header=False, text=0),
             "no header and another place": Made(header=False, text=TEXT + 0x200000, end=END + 0x200000)}
    for what, made in other.items():
        text = here.report(made.kernel().bytes())
        tap.ok(MARK not in text and "0xffffffff9d401000" in text, "the kernel has no names: " + what, text)
    text = here.report(Made().kernel().bytes(), written=time.time() - UPTIME - 3600)
    tap.ok(MARK not in text, "the kernel has no names: written before this machine was started", text)


def sentence(here):
    text = " ".join(here.report(Made(release="6.17.0-41-generic").kernel().bytes()).split())
    tap.ok("is in unknown functions (1 address): the recorded kernel is 6.17.0-41-generic, this machine's "
           "is 6.1.0-made; provide /proc/kallsyms of that machine (--kallsyms FILE), its vmlinux (--vmlinux FILE) or a "
           "perf archive" in text, "one sentence says which share has no names, why, and what to bring", text)
    tap.ok(text.count("is in unknown functions") == 1, "it is said once", text)
    text = here.report(Made(release="6.17.0-41-generic").kernel().bytes(), "--kallsyms", here.kallsyms)
    tap.ok(MARK in text, "a table that is brought is used", text)


def programs(here):
    path = libc()
    name = os.path.basename(path)
    tap.ok(len(named(here.report(Made().code(path).bytes()), name)) > 10,
           "a program without a build id has the names of the file here where the machine is this one")
    for what, made in {"another host": Made(host="web8"), "another release": Made(release="6.1.1-made"),
                       "no header": Made(header=False, text=0)}.items():
        text = here.report(made.code(path).bytes())
        tap.ok(named(text, name) == [], "a program has no names of the file here: " + what, named(text, name)[:3])
    with open(path, "rb") as f:
        new = here.write("new.so", f.read())
    text = here.report(Made().code(new).bytes(), written=time.time() - 3)
    tap.ok(named(text, "new.so") == [] and "newer than the recording" in " ".join(text.split()),
           "nor where the file is newer than the recording", text[:800])
    tap.ok(len(named(here.report(Made().code(new).bytes()), "new.so")) > 10, "else it has")
    old = time.time() - 3600
    os.utime(new, (old, old))
    os.link(new, new + ".link")
    text = here.report(Made().code(new, stat=os.stat(new)).bytes(), written=time.time() - 3)
    tap.ok(len(named(text, "new.so")) > 10, "a link that was made later leaves the recorded file what it was", text[:800])
    text = here.report(Made().code(new).bytes(), written=time.time() - 3)
    tap.ok(named(text, "new.so") == [], "a copy of old content that was put there later gives no names")
    os.utime(new)
    text = here.report(Made().code(new, stat=os.stat(new)).bytes(), written=time.time() - 3)
    tap.ok(named(text, "new.so") == [], "nor does the recorded file where it was written later")
    stat = os.stat(path)
    other = os.stat(sys.executable)
    text = here.report(Made(header=False, text=0).code(path, stat=stat).bytes())
    tap.ok(len(named(text, name)) > 10, "without a header a file is known by its device and inode")
    text = here.report(Made(host="web8").code(path, stat=stat).bytes())
    tap.ok(named(text, name) == [], "but not of another host")
    if other.st_dev == stat.st_dev:
        text = here.report(Made().code(path, stat=other).bytes())
        tap.ok(named(text, name) == [], "a file that took the place of the recorded one gives no names")
    text = here.report(Made(host="web8").code(path).bytes(), "--symfs", "/")
    tap.ok(len(named(text, name)) > 10, "files that the user brings are used")


def vdso(here):
    what = "the vDSO of another kernel has no names of this one's"

    def names(made):
        return named(here.report(made.code("[vdso]", 0x2000, 0x20).bytes()), "[vdso]")

    if names(Made()):
        tap.ok(names(Made(release="6.1.1-made")) == [], what)
    else:
        tap.skip(what, "no vDSO here")


def jit(here):
    path = "/tmp/perf-%d.map" % PID
    with open(path, "w") as f:
        f.write("7f0000000000 100000 made_by_a_jit\n")
    try:
        tap.ok("made_by_a_jit" in here.report(Made().code("//anon").bytes()), "JIT code has the names of its map")
        for what, made in {"another host": Made(host="web8"), "times later than the uptime": Made(at=UPTIME + 3600),
                           "no header": Made(header=False, text=0)}.items():
            text = here.report(made.code("//anon").bytes())
            tap.ok("made_by_a_jit" not in text, "JIT code has no names of another process: " + what, text)
        os.makedirs(os.path.join(here.folder, "brought", "tmp"))
        shutil.copy(path, os.path.join(here.folder, "brought", "tmp"))
        text = here.report(Made(host="web8").code("//anon").bytes(), "--symfs", os.path.join(here.folder, "brought"))
        tap.ok("made_by_a_jit" in text, "a map that the user brings is used", text)
    finally:
        os.unlink(path)


def plausible(here):
    """2 of 100 samples in data are more than 1 %, 1 of 100 is not."""
    for in_data, is_kept in ((1, True), (2, False)):
        made = Made(host="web8").kernel(100 - in_data).kernel(in_data, RODATA + 0x1000)
        text = here.report(made.bytes(), "--kallsyms", here.kallsyms)
        tap.ok((MARK in text) == is_kept,
               "a table that puts %d %% into data is %s" % (in_data, "kept" if is_kept else "dropped"), text)
    tap.ok("(__start_rodata), so it is of another kernel" in " ".join(text.split()), "and it is said", text)
    tap.ok("0xffffffff9d401000" in text, "addresses stay", text)
    made = Made(host="web8").kernel(98).kernel(2, RODATA + 0x200000)
    text = here.report(made.bytes(), "--kallsyms", here.kallsyms)
    tap.ok("[k] " + MARK not in text, "data without a telling name is known by its address", text)
    made = Made().kernel(98).kernel(2, RODATA + 0x1000)
    tap.ok(MARK not in here.report(made.bytes()), "so is this machine's table, whatever the header says")
    path = here.write("made.data", Made(host="web8").kernel(98).kernel(2, RODATA + 0x1000).bytes())
    done = subprocess.run([ASSAY, "convert", "--to", "perf-script", "--kallsyms", here.kallsyms, path], env=here.env,
                          capture_output=True, text=True)
    tap.ok(MARK not in done.stdout and done.stdout.count("cpu-clock") == 100,
           "an export has each sample once, without those names", done.stdout[:500] + done.stderr)


def build_id(path):
    with open(path, "rb") as f:
        raw = f.read()
    note = struct.pack("III", 4, 20, 3) + b"GNU\0"
    at = raw.find(note)
    return raw[at + len(note):at + len(note) + 20] if at >= 0 else None


def copies(here):
    """A library that is gone is named by perf's copy, though that has exported names only."""
    for path in (p for name in ("libz", "libelf", "liblzma", "libzstd") for p in glob.glob("/usr/lib/*/%s.so.?" % name)):
        ident = build_id(path)
        place = ident and os.path.join(ident.hex()[:2], ident.hex()[2:])
        if place and not os.path.exists("/usr/lib/debug/.build-id/%s.debug" % place):
            break
    else:
        tap.skip("a copy in the build-id cache", "no library without debug symbols here")
        return
    made = Made(host="web8").code("/gone/library.so", 0x40000, 0x100)
    name = made.text("/gone/library.so")
    made.features[2] = made.pack("IHHi", 0, 0, 36 + len(name), PID) + ident + b"\0" * 4 + name
    tap.ok(named(here.report(made.bytes()), "library.so") == [], "a library that is gone has no names")
    folder = os.path.join(here.folder, ".debug", ".build-id", place)
    os.makedirs(folder)
    shutil.copy(path, os.path.join(folder, "elf"))
    tap.ok(len(named(here.report(made.bytes()), "library.so")) > 10,
           "but where its stripped copy is in the build-id cache")


def modules(here):
    made = Made(host="web8")
    made.record(1, KERNEL, made.pack("IIQQQ", 0xffffffff, 0, 0xffffffffc0201000, 0x8000, 0) +
                made.text("/lib/modules/6.1.0/kernel/drivers/block/virtio_blk.ko") + made.trailer(0, 0, 0, 1))
    text = here.report(made.kernel(at=0xffffffffc0201234).bytes())
    tap.ok("[virtio_blk]   [k] 0x0000000000000234" in text, "without a name it is the place in the module", text)
    text = here.report(made.bytes(), "--kallsyms", here.kallsyms)
    tap.ok("[k] not_of_this_recording_of_a_module" in text, "names of modules come from the table", text)


def without_build_ids(raw):
    """The section of build ids is there and empty."""
    raw = bytearray(raw)
    data_at, data_size = struct.unpack_from("<QQ", raw, 40)
    features = int.from_bytes(raw[72:104], "little")
    if not features >> 2 & 1:
        return bytes(raw)
    row = bin(features & 3).count("1")
    struct.pack_into("<Q", raw, data_at + data_size + 16 * row + 8, 0)
    return bytes(raw)


def piped(raw):
    """As perf record -o - wrote it before 4.18: events and records, nothing of the header."""
    attr_size, attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<QQQQQ", raw, 16)
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for at in range(attrs_at, attrs_at + attrs_size, attr_size):
        ids_at, ids_size = struct.unpack_from("<QQ", raw, at + attr_size - 16)
        body = raw[at:at + attr_size - 16] + raw[ids_at:ids_at + ids_size]
        out += struct.pack("<IHH", 64, 0, 8 + len(body)) + body
    return out + raw[data_at:data_at + data_size]


def recorded(here):
    shared = os.environ.get("ASSAY_SHARED", "")
    found = sorted(glob.glob(os.path.join(shared, "vm", "captures", "*", "perf", "*.data.zst")))
    if not found:
        tap.skip("recordings of the virtual machines", "they are not here")
    for path in found:
        raw = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        for what, made in {"": raw, " without build ids": without_build_ids(raw), " in a pipe": piped(raw)}.items():
            text = here.report(made)
            tap.ok(MARK not in text and "[k] 0xffffffff8" in text,
                   "%s%s has no name of this machine" % ("/".join(path.split("/")[-3:]), what), text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        here = Here(folder)
        if not here.env["LD_PRELOAD"]:
            tap.skip("recordings of other machines", "nothing can be preloaded in this build")
            return tap.end()
        for part in (kernel, sentence, programs, vdso, jit, copies, modules, plausible, recorded):
            part(here)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
