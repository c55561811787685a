#!/usr/bin/env python3
"""A reader that its input has taken over, in each kind of command.

  tests/cli/evil_reader.py [ACTION...]   ASSAY names the program, HOSTILE_LIB the reader
                                         (tests/preload/hostile.c); TAP on stdout, then the table

Each action of tests/preload/hostile.c is tried in a page, in a file of -o, in `risk`, and in the
commands that run for long: `top`, `browse` and `mcp`. A cell of the table says what stopped it:

  N refused   the kernel refused each of N attempts
  N started   so many processes or threads could be started, and none is left
  crash, time, memory, protocol   the command ended with a sentence that names this
  ended       the reader ended, and the command with it
  by user     nothing but the user ends it, who can: ^C
  goes on     the call fails, and the server answers the next one
"""
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_client import Client  # noqa: E402
from tap import Tap  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASSAY = os.path.abspath(os.environ.get("ASSAY", os.path.join(TOP, "build/assay")))
LIBRARY = os.environ.get("HOSTILE_LIB")
ACTIONS = ["all", "calls", "crash", "null", "abort", "outlive", "forks", "threads", "half", "ask", "pass", "race",
           "flood", "busy", "output", "hang", "sleep", "memory", "careless"]
# These do no more than a slow reader: where no limit of time ends them, the user does.
SLOW = {"busy", "output", "hang", "sleep"}
# What a reader may do, and says so: send messages, and with trees of sources, which it opens itself, look at files.
MAY = {"send half a message", "ask and not listen", "flood"}
MAY_WITH_TREES = {"read its own folder", "stat a file", "keep a capability"}
SECONDS = 60
SLOW_SECONDS = 4  # after these, the user ends the command
SENTENCES = {"reading crashed": "crash", "reader died by signal": "crash", "took more than": "time", "needs more than": "memory",
             "violated the sandbox": "protocol"}
tap = Tap()


def left_over(action):
    """Processes of this action that are still there, except this one."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if f"HOSTILE={action}".encode() in f.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def gained(text, may):
    """What the reader did although it must not."""
    done = set(re.findall(r"hostile: ([a-zA-Z_ /0-9]*) DONE", text)) - may
    if re.search(r"hostile: outlive", text):
        done.add("outlive")
    return done


def refused(text):
    """How a reader was stopped, by what it and assay said."""
    n = len(set(re.findall(r"hostile: ([a-zA-Z_ /0-9]*) stopped", text)))
    started = re.search(r"hostile: (\d+) (processes|threads)", text)
    for sentence, word in SENTENCES.items():
        if sentence in text:
            return word
    if started:
        return f"{started.group(1)} started"
    return f"{n} refused" if n else "ended"


def run(words, action):
    """(status, stdout, stderr) of a command with a reader that does @action; status None: it hangs."""
    env = dict(os.environ, HOSTILE=action, LD_PRELOAD=LIBRARY, LC_ALL="C.UTF-8")
    with open("out", "wb") as out, open("said", "wb") as said:
        # few descriptors, so that a parent that collects them runs out
        p = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=said,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        status = None
        for seconds, number in ((SLOW_SECONDS if action in SLOW else SECONDS, signal.SIGINT), (20, signal.SIGKILL)):
            try:
                status = p.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                p.send_signal(number)
        if status is None:
            p.wait()
    with open("out", "rb") as out, open("said", "rb") as said:
        return status, out.read(), said.read().decode(errors="replace")


def judge(place, action, status, out, said, may=frozenset()):
    """Check one action in a command that ends; the cell of the table."""
    name = f"{action} in {place}"
    bad = gained(said, MAY | may)
    left = left_over(action)
    ends = status not in (None, 0) or (action in SLOW and status is not None)
    is_same = os.path.exists("victim") and not os.path.exists("hostile-was-here") and not os.path.exists("out.html")
    tap.ok(ends and not bad and not left and is_same and (not out or action == "output" or place == "top"), name,
           f"status {status}, gained {bad}, left {left}, {len(out)} bytes\n{said[:800]}")
    cell = refused(said)
    if action in ("half", "flood"):
        tap.ok(cell == "protocol", f"{action} in {place} is named", said[:300])
    return "by user" if cell == "ended" and action in SLOW else cell


def in_commands(action, has_parser):
    """An action in commands that read one input or tree: {place: cell}"""
    limits = ["--limit", "seconds=1", "--limit", "memory=200M"]
    cells = {}
    for place, words, may in (("a page", ["report", "evil.gz"], set()),
                              ("-o", ["html", "-o", "out.html", "evil.gz"], set()),
                              ("risk", ["risk", "src"], MAY_WITH_TREES)):
        if place == "risk" and not has_parser:
            continue
        cells[place] = judge(place, action, *run([ASSAY, words[0], *limits, *words[1:]], action), may)
    return cells


def in_top(action, busy):
    """An action in the second process of `assay top`."""
    words = [ASSAY, "top", "--once", "--limit", "memory=300M", "-d", "300ms", "-p", str(busy)]
    return judge("top", action, *run(words, action))


def in_browse(action):
    """An action in the second process of `assay browse`, on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"HOSTILE": action, "LD_PRELOAD": LIBRARY, "LC_ALL": "C.UTF-8", "TERM": "xterm"})
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        os.execv(ASSAY, [ASSAY, "browse", "--limit", "memory=300M", "evil.gz"])
    said = b""
    keys = [(SLOW_SECONDS if action in SLOW else SECONDS, None), (20, signal.SIGKILL)]
    status = None
    for seconds, number in keys:
        end = time.monotonic() + seconds
        while status is None and time.monotonic() < end:
            try:
                part = os.read(terminal, 1 << 16) if select.select([terminal], [], [], 0.1)[0] else b""
            except OSError:  # the end of a pseudo-terminal
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                break
            said += part if len(said) < 100000 else b""
        if status is not None:
            break
        if number:
            os.kill(pid, number)
            os.waitpid(pid, 0)
        else:
            os.write(terminal, b"\x03")
    os.close(terminal)
    return judge("browse", action, status, b"", said.decode(errors="replace"))


def in_mcp(action):
    """An action in a call of `assay mcp`, twice."""
    os.environ.update({"HOSTILE": action, "LD_PRELOAD": LIBRARY})
    c = Client(ASSAY, "--seconds", "3", ".")
    for name in ("HOSTILE", "LD_PRELOAD"):
        del os.environ[name]
    folder = f"/proc/{c.process.pid}/fd"
    c.ask("tools/list")
    before = len(os.listdir(folder))
    began = time.monotonic()
    answers = [c.call("report", files=["evil.gz"]) for _ in range(2)]
    seconds = time.monotonic() - began
    text = json.dumps(answers)
    is_error = all(a["isError"] for a in answers) or action == "output"
    left = [pid for pid in left_over(action) if pid != c.process.pid]
    goes_on = "tools" in c.ask("tools/list")["result"] and len(os.listdir(folder)) == before
    c.process.stdin.close()
    bad = gained(text, MAY)
    ends = c.process.wait(60) == 0
    is_good = is_error and goes_on and ends and not bad and not left and len(text) < 200000 and seconds < SECONDS
    tap.ok(is_good, f"{action} in mcp",
           f"gained {bad}, left {left}, {seconds:.0f} s, goes on {goes_on}\n{text[:800]}")
    return "goes on"


def spin():
    """A process that only uses CPU time, for `top`."""
    return subprocess.Popen(["sh", "-c", "while :; do :; done"])


def why_not():
    """Why this cannot be tested here, or None."""
    if not LIBRARY:
        return "needs $HOSTILE_LIB, in a build without sanitizers"
    limits = subprocess.run([ASSAY, "--limits"], capture_output=True, text=True, check=True).stdout
    if "with a filter of system calls" not in limits:
        return "this system has no seccomp"
    if int(os.uname().release.split(".")[0]) < 6:
        return "needs a kernel that counts filters"
    return None


def main():
    """Each action in each place; the table."""
    why = why_not()
    if why:
        tap.skip("evil reader", why)
        sys.exit(tap.end())
    os.chdir(tempfile.mkdtemp())
    subprocess.run("printf 'main;a;b 3\\nmain;a 1\\n' | gzip >evil.gz; mkdir src; echo victim >victim;"
                   "printf 'int f(int a)\\n{\\n\\treturn a;\\n}\\n' >src/f.c", shell=True, check=True)
    features = subprocess.run([ASSAY, "--version"], capture_output=True, text=True, check=True).stdout
    has_parser = subprocess.run([ASSAY, "risk", "src"], capture_output=True, check=False).returncode == 0
    has_json = re.search(r"^with .*json", features, re.M)
    can_sample = subprocess.run([ASSAY, "record", "-q", "-o", "probe.data", "--", "true"], capture_output=True,
                                check=False).returncode == 0
    rows = []
    for action in sys.argv[1:] or ACTIONS:
        cells = in_commands(action, has_parser)
        if can_sample:
            busy = spin()
            cells["top"] = in_top(action, busy.pid)
            busy.kill()
            busy.wait()
        cells["browse"] = in_browse(action)
        if has_json:
            cells["mcp"] = in_mcp(action)
        rows.append((action, cells))
    places = list(rows[0][1])
    print("# | action | " + " | ".join(places) + " |")
    print("# " + "|---" * (len(places) + 1) + "|")
    for action, cells in rows:
        print("# | " + " | ".join([action] + [cells.get(p, "") for p in places]) + " |")
    sys.exit(tap.end())


if __name__ == "__main__":
    main()
