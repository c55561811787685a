# SPDX-License-Identifier: MIT
"""A program on a pseudo-terminal, and the screen that it draws.

Only the sequences that render/screen.h writes are known; any other is an error, so a program
that writes more fails its test.
"""
import base64
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")
CLIPBOARD = re.compile(r"\x1b\]52;c;([^\x07]*)\x07")


def length(first):
    """Bytes of the character of UTF-8 that begins with the byte @first."""
    return 4 if first >= 0xf0 else 3 if first >= 0xe0 else 2


class Screen:
    """@command on a terminal of @columns by @rows cells; @env is added to the environment."""

    def __init__(self, command, columns, rows, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(env or {})})
            for name in ("COLUMNS", "LINES"):
                os.environ.pop(name, None)
            # the size is set before the program starts
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp(command[0], command)
        self.status = None
        self.bytes = 0  # that the program has written
        self.frames = 0
        self.plain = ""  # what it wrote outside of page mode
        self.is_page = False
        self.clipboard = ""
        self.rest = b""
        self.clear(columns, rows)

    def clear(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[(" ", "")] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.style = ""

    def resize(self, columns, rows):
        if (columns, rows) == (self.columns, self.rows):
            return  # no signal is sent
        self.clear(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def take(self, seconds):
        """Read what is there, waiting @seconds for the first byte. False: nothing came, or the end."""
        if self.status is not None or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:  # Linux ends a pseudo-terminal by EIO
            data = b""
        if not data:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return False
        self.bytes += len(data)
        data = self.rest + data
        # a sequence or a character that is not complete waits for its rest
        cut = re.search(rb"\x1b\][^\x07]*$|\x1b[^A-Za-z]*$|[\xc0-\xff][\x80-\xbf]*$", data)
        at = len(data)
        if cut and not (cut.group()[0] >= 0xc0 and len(cut.group()) >= length(cut.group()[0])):
            at = cut.start()
        self.rest = data[at:]
        self.draw(data[:at].decode("utf-8", "replace"))
        return True

    def settle(self, quiet=0.03, limit=20.0):
        """Read until nothing was written for @quiet seconds."""
        end = time.monotonic() + limit
        while self.take(quiet) and time.monotonic() < end:
            pass

    def until(self, wanted, limit=20.0):
        """Read until the screen, or the text outside of page mode, has @wanted. False: it never has."""
        end = time.monotonic() + limit
        while time.monotonic() < end and self.status is None:
            if wanted in self.text() or (not self.is_page and wanted in self.plain):
                return True
            self.take(0.1)
        return wanted in self.text() or wanted in self.plain

    def draw(self, text):
        for match in CLIPBOARD.finditer(text):
            self.clipboard = base64.b64decode(match.group(1)).decode()
        text = CLIPBOARD.sub("", text)
        at = 0
        for match in SEQUENCE.finditer(text):
            self.put(text[at:match.start()])
            at = match.end()
            self.sequence(*match.groups())
        self.put(text[at:])

    def sequence(self, private, numbers, end):
        if private:
            if numbers == "1049":
                self.is_page = end == "h"
            elif numbers == "2026" and end == "l":
                self.frames += 1
            elif numbers not in ("25", "2026", "1000", "1002", "1006"):
                raise ValueError("unknown sequence ?%s%s" % (numbers, end))
        elif end == "H":
            row, _, column = numbers.partition(";")
            self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
            assert self.row < self.rows, "line %d of %d" % (self.row, self.rows)
        elif end == "K":
            self.cells[self.row][self.column:] = [(" ", "")] * (self.columns - self.column)
        elif end == "J":
            self.clear(self.columns, self.rows)
        elif end == "m":
            self.style = "" if numbers in ("", "0") else numbers
        else:
            raise ValueError("unknown sequence %s%s" % (numbers, end))

    def put(self, text):
        if not self.is_page:
            self.plain += text
            return
        for c in text:
            if c == "\x18":
                continue
            if c < " ":
                raise ValueError("control character %r on the page" % c)
            if self.column >= self.columns:
                raise ValueError("line %d is wider than %d columns" % (self.row, self.columns))
            self.cells[self.row][self.column] = (c, self.style)
            self.column += 1

    def lines(self):
        return ["".join(c for c, _ in row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def end(self):
        """End the program, if it runs. Returns its exit status."""
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            end = time.monotonic() + 5
            while self.status is None and time.monotonic() < end:
                self.take(0.1)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.status
