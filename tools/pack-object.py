#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pack a file into a C array.

usage: pack-object.py OUT.c FILE NAME HEADER

OUT.c includes HEADER and defines NAME and NAME_size.
"""
import pathlib
import sys

out, file, name, header = sys.argv[1:]
data = pathlib.Path(file).read_bytes()
lines = [",".join(str(b) for b in data[i:i + 32]) + "," for i in range(0, len(data), 32)]
pathlib.Path(out).write_text(
    '#include "%s"\n\n_Alignas(8) const unsigned char %s[] = {\n%s\n};\n'
    "const unsigned long %s_size = sizeof(%s);\n" % (header, name, "\n".join(lines), name, name),
    encoding="utf-8")
