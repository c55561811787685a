#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of the documents: a terminal with the output of a command, as SVG.

usage: gen-picture.py [--check]

A command of PICTURES runs on a pseudo-terminal, with build/assay first on PATH; its first lines are drawn.
--check draws nothing, and fails if a picture is not the output of today.
"""
import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios

from pty_screen import Screen

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# file, lines, columns, command, keys of a program with pages
PICTURES = [("docs/front.svg", 40, 80, ["assay", "samples/consensus-io_uring.perf-report.txt"], ""),
            ("docs/browse.svg", 24, 90, ["assay", "browse", "samples/consensus-io_uring.perf-report.txt"], "jj")]
FONT, WIDE, HIGH, PAD = 14, 8.43, 18, 16
STYLES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "7": "v"}


def run(columns, command):
    """All that @command prints on a terminal, escape sequences included."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", PAGER="cat")
        for name in ("COLUMNS", "NO_COLOR"):
            os.environ.pop(name, None)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 200, columns, 0, 0))
        os.execvp(command[0], command)
    out = b""
    try:
        while part := os.read(fd, 65536):
            out += part
    except OSError:  # Linux ends a pseudo-terminal by EIO
        pass
    os.waitpid(pid, 0)
    return out.decode("utf-8", "replace").replace("\r\n", "\n")


def page(rows, columns, command, keys):
    """The screen of a program with pages after @keys, escape sequences of styles included."""
    screen = Screen(command, columns, rows, {"NO_COLOR": ""})
    if not screen.until("q quit"):
        sys.exit("gen-picture: no page: " + screen.plain)
    screen.until(" more: ")  # the findings
    for key in keys:
        screen.send(key)
        screen.settle(0.2)
    lines = []
    for row in screen.cells:
        line, style = "", ""
        for c, now in row:
            line += ("\x1b[0m" + ("\x1b[%sm" % now if now else "") if now != style else "") + c
            style = now
        lines.append(line.rstrip() + ("\x1b[0m" if style else ""))
    screen.end()
    return "\n".join(lines)


def spans(line, style):
    """A line as SVG, and the style at its end."""
    out, at = [], 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            codes = [c for c in part[2:-1].split(";") if c not in ("", "0")]
            style = " ".join(STYLES[c] for c in codes if c in STYLES)
        elif part:
            text = html.escape(part, quote=False)
            out.append('<tspan x="%.1f"%s>%s</tspan>' % (PAD + at * WIDE, ' class="%s"' % style if style else "", text))
            at += len(part)
    return "".join(out), style


def picture(n_lines, columns, command, keys):
    """The first lines of the output of @command as an SVG document."""
    printed = page(n_lines, columns, command, keys) if keys else run(columns, command)
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-ln-z]", "", printed).split("\n")[:n_lines]
    prompt = "$ " + " ".join(command)
    width, height = 2 * PAD + columns * WIDE, 2 * PAD + (len(lines) + 1) * HIGH
    svg = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img">' % (width, height),
           "<title>%s</title>" % html.escape(prompt),
           "<style>text{font:%dpx ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6d6d6;white-space:pre}" % FONT,
           ".b{font-weight:bold;fill:#fff}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#7ee787}.y{fill:#e3b341}.v{fill:#fff;font-weight:bold;text-decoration:underline}</style>",
           '<rect width="100%" height="100%" rx="8" fill="#161b22"/>']
    style = ""
    for i, line in enumerate([prompt, *lines]):
        text, style = spans(line, style)
        svg.append('<text y="%d" xml:space="preserve">%s</text>' % (PAD + FONT + i * HIGH, text))
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def main():
    os.chdir(TOP)
    os.environ["PATH"] = os.path.join(TOP, "build") + ":" + os.environ["PATH"]
    bad = 0
    for path, *how in PICTURES:
        svg = picture(*how)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as f:
                f.write(svg)
            continue
        with open(path, encoding="utf-8") as f:
            if f.read() != svg:
                print("%s is not what '%s' prints: run tools/gen-picture.py" % (path, " ".join(how[2])))
                bad = 1
    return bad


sys.exit(main())
