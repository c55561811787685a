#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The browser on a terminal: each view of each sample at four sizes, and random keys.

Each screen must be equal to the one that is drawn anew (^L), since only lines that change are
written. The lines of findings, reports and listings must be those of the command in the last line.

Arguments: views, keys; both without one.
KEYS=5000: the number of random keys (1000). SECONDS=600: the most time they take (25).
SEED=7: other keys. The inputs share the keys, and take them at the same time.
"""
import glob
import multiprocessing
import os
import random
import re
import shlex
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
from pty_screen import Screen  # noqa: E402  pylint: disable=wrong-import-position

ASSAY = os.environ.get("ASSAY", os.path.join(TOP, "build", "assay"))
SAMPLES = sorted(os.path.basename(path) for path in glob.glob(os.path.join(TOP, "samples", "*.txt")))
SIZES = [(80, 24), (60, 20), (120, 40), (200, 60)]
KINDS = [("dark and light, UTF-8", {}), ("ASCII", {"LC_ALL": "C"}), ("no colour", {"NO_COLOR": "1"}),
         ("dumb", {"TERM": "dumb"})]
HEAD = 3
KEYS = ["j", "k", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\r", "\r", "\x1b",
        "\x1b", "\x7f", *"1234567890", *"fastbdecEC+nNwyh?lgG", "\t", "/", "/a\r", "/e\x1b", "\x1b[200~x", "\x1bOP", "ü", "\0",
        "\x06", "\x02", "=", "i", "\x1b[<0;5;6M", "\x1b[<0;5;6m"]


def start(path, size, env=None):
    screen = Screen([ASSAY, "browse", path], *size, env=env)
    if not screen.until("q quit", 30):
        raise AssertionError("no page of %s: %s" % (path, screen.plain))
    settle(screen)
    return screen


def is_busy(pid):
    """Whether a process of the program computes."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
            state = f.read().rpartition(")")[2].split()[0]
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="utf-8") as f:
            children = f.read().split()
    except (OSError, IndexError):
        return False
    return state in "RD" or any(is_busy(int(child)) for child in children)


def settle(screen, quiet=0.02):
    """Wait for the page that follows a key: until nothing is written and nothing computes."""
    idle = 0
    for _ in range(1000):
        frames = screen.frames
        screen.settle(quiet if not idle else 0.005)
        is_idle = screen.frames == frames and not is_busy(screen.pid) and "looking for findings" not in screen.text()
        idle = idle + 1 if is_idle else 0
        if idle == 3 or screen.status is not None:
            return


def press(screen, key):
    screen.send(key)
    # the program waits for the rest of a sequence
    settle(screen, 0.08 if key.endswith("\x1b") else 0.02)


def redraw(screen):
    """The screen that is drawn anew."""
    before, frames = screen.text(), screen.frames
    screen.send("\x0c")
    for _ in range(20):
        if screen.frames == frames and screen.status is None:
            screen.take(1)
    if screen.frames == frames:
        raise AssertionError("the screen is not drawn anew; status %s:\n%s" % (screen.status, before))
    screen.settle(0.01)
    if screen.text() != before:
        raise AssertionError("this screen\n%s\nis drawn anew as\n%s" % (before, screen.text()))


def printed(command, columns, env):
    """What the command of the last line prints."""
    words = shlex.split(command)
    run = subprocess.run([ASSAY, *words[1:]], capture_output=True, text=True, check=False,
                         env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": str(columns), **(env or {})})
    if run.returncode not in (0, 1):
        raise AssertionError("%s: status %d: %s" % (command, run.returncode, run.stderr))
    return {plain(line) for line in run.stdout.splitlines()}


def plain(line):
    # groups of digits are for terminals only
    return re.sub("[\u202f,]", "", line).rstrip()


def current(screen):
    """The name of the view, from the first line."""
    found = re.search(r"\[\d ([a-z]+)", screen.lines()[0])
    return found.group(1) if found else ""


def command_of(screen):
    press(screen, "w")
    lines = screen.lines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith("assay "))
    words = [lines[at].strip()]
    while lines[at + 1].strip():
        at += 1
        words.append(lines[at].strip())
    press(screen, "\x1b")
    return " ".join(words)


def views(path, size, env=None):
    """Each view by its number; those that print text must be what their command prints."""
    screen = start(path, size, env)
    n = 0
    for key in "1234567890":
        press(screen, key)
        redraw(screen)
        view = current(screen)
        if "[%s " % key not in screen.lines()[0]:
            continue  # this input has nothing for that view
        n += 1
        if not (screen.lines()[-1].startswith(" assay ") or size[0] < 80):
            raise AssertionError("the last line has no command:\n" + screen.text())
        if view in ("findings", "all", "calls", "log", "metrics") and size[0] == 80:
            known = printed(command_of(screen), size[0], env)
            for line in screen.lines()[HEAD + 1:-1]:  # after the heading, which names other inputs
                if plain(line) and plain(line) not in known:
                    raise AssertionError("the command does not print this line of %s:\n%s" % (view, line))
        press(screen, "\x1b[6~")
        redraw(screen)
        press(screen, "\r")
        redraw(screen)
    for key in ("?", "w"):
        press(screen, key)
        redraw(screen)
    screen.resize(*SIZES[0])
    settle(screen)
    redraw(screen)
    press(screen, "q")
    while screen.status is None:
        screen.take(1)
    if screen.end() != 0 or screen.is_page:
        raise AssertionError("status %s, page mode %s" % (screen.status, screen.is_page))
    return n


def random_keys(path, n, seed, until):
    draw = random.Random(seed)
    screen = start(path, draw.choice(SIZES))
    done = 0
    for _ in range(n):
        key = draw.choice(KEYS)
        if draw.random() < 0.03:
            screen.resize(draw.randint(1, 150), draw.randint(1, 50))
            settle(screen)
        press(screen, key)
        if screen.status is not None:
            raise AssertionError("ended by key %r with status %s: %s" % (key, screen.status, screen.plain[-500:]))
        done += 1
        if done % 4 == 0:
            redraw(screen)
        if time.monotonic() > until:
            break
    redraw(screen)
    screen.end()
    return done


def check(name, work):
    check.n += 1
    try:
        note = work()
        print("ok %d %s%s" % (check.n, name, " # %s" % note if note else ""), flush=True)
    except AssertionError as e:
        check.bad += 1
        print("not ok %d %s" % (check.n, name))
        print("\n".join("# " + line for line in str(e).splitlines()), flush=True)


def main():
    parts = sys.argv[1:] or ["views", "keys"]
    n_keys, seed = int(os.environ.get("KEYS", "1000")), int(os.environ.get("SEED", "1"))
    seconds = float(os.environ.get("SECONDS", "25"))
    check.n = check.bad = 0
    os.chdir(os.path.join(TOP, "samples"))  # short names
    print("1..%d" % (("views" in parts) * (len(SAMPLES) * len(SIZES) + len(KINDS)) + ("keys" in parts)))
    if "views" in parts:
        for path in SAMPLES:
            for size in SIZES:
                check("%s at %d x %d" % (path, *size), lambda path=path, size=size: "%d views" % views(path, size))
        for name, env in KINDS:
            check("sample with %s" % name, lambda env=env: "%d views" % views(SAMPLES[1], SIZES[0], env))
    if "keys" in parts:
        # a key mostly waits, so the inputs share the time
        with multiprocessing.Pool(len(SAMPLES)) as pool:
            check("random keys", lambda: "%d keys" % sum(pool.starmap(
                random_keys, [(path, n_keys // len(SAMPLES), seed + i, time.monotonic() + seconds)
                              for i, path in enumerate(SAMPLES)])))
    return check.bad > 0


sys.exit(main())
