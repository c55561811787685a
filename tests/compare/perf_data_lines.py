#!/usr/bin/env python3
"""Lines of source as keys: `--sort srcline` and `srcfile`, as perf has them.

  tests/compare/perf_data_lines.py build/assay

A C++ program with inlined functions is recorded here; rows by line, by function and
line and by file must be those of perf. Lines of the kernel are checked against
addr2line, on a file made here with the kernel's build id: perf 6.1 has none.
TAP on stdout.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from perf_data import DEEP, LOAD, compile_program, record, run, tell

INLINED = ("srcline", "sym,srcline", "srcfile", "dso,srcfile")
SEVERAL = ("sym,srcline",)
SHIFT = 0x2000000  # as if the kernel had been moved when it started


def perf_lines(path, keys, *options):
    rows = collections.Counter()
    out = run(["perf", "report", "--stdio", "-i", path, "--no-children", "-g", "none", "-F", "sample," + keys,
               "-w", "9" + ",2000" * len(keys.split(",")), "-t", ";", *options]).stdout
    for line in out.decode("utf-8", "replace").splitlines():
        if not line.startswith("#") and line.strip():
            samples, *cells = [w.strip()[:360] for w in line.split(";", len(keys.split(",")))]
            # functions without a name are several rows, or one
            rows[tuple(as_in_dwarf(cell) for cell in cells)] += int(samples)
    return rows


def as_in_dwarf(cell):
    """
    What addr2line of binutils 2.40, which perf asks, has wrong: the file of a symbol without debug
    information, with line 0; and a short file for a line of the long one that it includes, as in
    glibc, where strpbrk-sse4.c of five lines includes strcspn-sse4.c.
    """
    if re.match(r"[^?+]*:0$", cell):
        return "??:0"
    cell = re.sub(r"^strpbrk-sse4\.c:([0-9]{2,})$", r"strcspn-sse4.c:\1", cell)
    return re.sub(r"^dl-get-cpu-features\.c(:[0-9]{3}|)$", r"dl-cacheinfo.h\1", cell)


def is_source_of_header(theirs, ours):
    """Whether perf names the source, "ctype-info.c:41", for that line of a header, "ctype.h:41"."""
    return re.search(r"\.c(:[0-9]+|)$", theirs) and re.search(r"\.h(:[0-9]+|)$", ours) and \
        theirs.partition(":")[2] == ours.partition(":")[2]


def as_ours(theirs, ours):
    """
    Where perf 6.1 and the files disagree: it gives the first entry of the PLT to the function before
    it (objdump says whose it is), names a file for functions without lines, by the symbol table, and
    the source for a header that it includes; of an address without a function it says ??:0 at times,
    and mostly the place, as assay does.
    """
    for row, n in (theirs - ours).items():
        right = next((own for own in (ours - theirs) if len(own) == len(row) and all(
            a == b or (re.search(r"\b_init", a) and "@plt" in b) or (re.match(r"[^?:]+\.[cS]$", a) and not b)
            or is_source_of_header(a, b) or (a == "??:0" and re.search(r"\[[0-9a-f]+\]$", b))
            for a, b in zip(row, own))), None)
        if right:
            n = min(n, (ours - theirs)[right])
            theirs[row] -= n
            theirs[right] += n
    return +theirs


def assay_lines(assay, path, keys, *options):
    rows = collections.Counter()
    out = run([assay, "report", "--json", "--no-children", "--sort", keys, *options, path]).stdout
    for capture in json.loads(out or '{"captures": []}')["captures"]:
        for row in capture["rows"]:
            level = {"kernel": "k", "bpf": "k"}.get(row.get("space", ""), ".")
            rows[tuple(("[%s] %s" % (level, row["symbol"]) if key == "sym" else row[key])[:360]
                       for key in keys.split(","))] += row["samples"]
    return rows


def busiest(path, n):
    """Functions of the kernel and where each begins, far apart from each other."""
    out = run(["perf", "script", "-i", path, "-F", "ip,sym,symoff", "-G"]).stdout.decode("utf-8", "replace")
    found = collections.Counter(
        (m[2], int(m[1], 16) - int(m[3], 16))
        for m in re.finditer(r"(?m)^\s*(ffffffff[0-9a-f]+) ([a-z_0-9]+)\+0x([0-9a-f]+)", out))
    chosen = {}
    for (name, start), _ in found.most_common():
        if len(chosen) < n and name not in chosen and \
                all(abs(start - other) > 0x8000 for other in chosen.values()):
            chosen[name] = start
    return chosen


def make_vmlinux(path, folder):
    """A file that is the recorded kernel by its build id, with lines of its own."""
    listed = run(["perf", "buildid-list", "-i", path]).stdout.decode()
    number = re.search(r"(?m)^([0-9a-f]+) \[kernel.kallsyms\]", listed)
    with open("/proc/kallsyms", encoding="ascii") as f:
        text = re.search(r"(?m)^([0-9a-f]+) \S _text$", f.read())
    functions = busiest(path, 6)
    if not number or not text or not int(text[1], 16) or not functions or not shutil.which("addr2line"):
        return None
    name = os.path.join(folder, "vmlinux")
    flags = ["-Wl,--section-start=.first=%#x" % (int(text[1], 16) - SHIFT)]
    with open(name + ".c", "w", encoding="ascii") as f:
        f.write("#define INLINE static inline __attribute__((always_inline))\n"
                "INLINE long mix(long a) { __asm__ volatile(\"imul %0, %0\" : \"+r\"(a));\n return a * 31; }\n"
                "INLINE long twice(long a) { return mix(a) +\n mix(a + 1); }\n"
                "__attribute__((section(\".first\"))) void _text(void) { }\n")
        for function, start in functions.items():
            f.write("__attribute__((section(\".k.%s\"))) long %s(long a) { long s = 0;\n" % (function, function))
            f.writelines(" s ^= twice(s + %d);\n" % i for i in range(60))
            f.write(" return s; }\n")
            flags.append("-Wl,--section-start=.k.%s=%#x" % (function, start - SHIFT))
    done = run(["gcc", "-O2", "-g", "-w", "-ffreestanding", "-fno-pic", "-no-pie", "-nostdlib", "-static",
                "-mcmodel=kernel", "-fcf-protection=none", "-fno-asynchronous-unwind-tables",
                "-fno-unwind-tables", "-Wl,-e,_text", "-Wl,--build-id=0x" + number[1], *flags,
                "-o", name, name + ".c"])
    return name if done.returncode == 0 else None


def kernel_lines(assay, path, folder, number):
    vmlinux = make_vmlinux(path, folder)
    if not vmlinux:
        print("ok %d - lines of the kernel # SKIP no such file can be made here" % number)
        return
    out = run(["perf", "script", "-i", path, "-F", "ip,sym", "-G"]).stdout.decode("utf-8", "replace")
    places = [m[1] for m in re.finditer(r"(?m)^\s*(ffffffff[0-9a-f]+) ", out)]
    asked = "\n".join("%#x" % (int(place, 16) - SHIFT) for place in places)
    told = subprocess.run(["addr2line", "-s", "-e", vmlinux], input=asked.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode()
    theirs = collections.Counter((line.split(" ")[0],) for line in told.splitlines() if "?" not in line)
    ours = assay_lines(assay, path, "srcline", "--vmlinux", vmlinux)
    ours = collections.Counter({row: n for row, n in ours.items() if row[0].startswith("vmlinux.c")})
    tell(number, "lines of the kernel", 1, ours, theirs)


def main():
    assay = os.path.abspath(sys.argv[1])
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        if not shutil.which("perf") or not record("try", ["-e", "cpu-clock"], ["true"], folder):
            print("1..0 # SKIP perf is not here or may not record")
            return
        program = compile_program("lines", DEEP, ["-O2", "-g", "-fno-omit-frame-pointer"], folder)
        both = ["sh", "-c", "%s; %s" % (" ".join(program or ["true"]), LOAD)]
        path = None
        for name, options, command, tried in (("inlined", ["-g"], program, INLINED), ("several", [], both, SEVERAL)):
            path = command and record(name, ["-e", "cpu-clock", "-F", "2000", *options], command, folder)
            for keys in tried:
                number += 1
                if not path or not shutil.which("addr2line"):
                    print("ok %d - %s by %s # SKIP perf cannot record it here" % (number, name, keys))
                    continue
                ours = assay_lines(assay, path, keys)
                tell(number, "%s by %s" % (name, keys), 1, ours, as_ours(perf_lines(path, keys), ours))
        number += 1
        if path:
            kernel_lines(assay, path, folder, number)
        else:
            print("ok %d - lines of the kernel # SKIP perf cannot record it here" % number)
    print("1..%d" % number)


if __name__ == "__main__":
    main()
