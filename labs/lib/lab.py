"""What the labs' run scripts share: steps, recording, tables, the check against 'expected'.

A run script is Python, is started in a cage by labs/run, and looks like

    import os, sys
    sys.path.insert(0, os.environ["LAB_LIB"])
    from lab import Lab

    lab = Lab("lab-lock")                        # programs that it needs
    lab.record("before", [lab.program("lab-lock"), "shared", "4", "1000"])
    lab.explain("before")
    lab.diff("fixed", "before", "after", per="1000-events")
    lab.finish()

All files are made in the cage's own /run/lab. Figures are printed as they are
measured, tables in Markdown, so that README.md can show them as they are.
"""
import fnmatch
import glob
import itertools
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

import guest
from expected import Expected

SKIP = 77


def figure(x):
    """Three digits that count."""
    if x == 0:
        return "0"
    if abs(x) >= 1000:
        return "%.0f" % x
    return "%.3g" % x


def spread(values, scale=1.0):
    """'median (least to most)'."""
    values = [v * scale for v in values]
    if len(values) == 1:
        return figure(values[0])
    return "%s (%s to %s)" % (figure(statistics.median(values)), figure(min(values)),
                              figure(max(values)))


class Lab:
    def __init__(self, *programs, commands=()):
        self.folder = os.environ["LAB_FOLDER"]
        self.build = os.environ["LAB_BUILD"]
        self.assay = os.environ["LAB_ASSAY"]
        self.short = bool(os.environ.get("LAB_SHORT"))
        self.work = "/run/lab"
        self.explained, self.diffs, self.values = {}, {}, {}
        self.unchecked = []  # besides lines of 'expected': what a lab could not look at
        self.daemons = []
        os.chdir(self.work)
        for name in programs:
            if not os.path.exists(self.program(name)):
                if os.environ.get("LAB_INSTALLED"):
                    self.skip("%s is not installed: this lab needs the source tree of assay, whose build "
                              "makes it" % name)
                self.skip("%s was not built: its library is not here (tools/setup with "
                          "ASSAY_SETUP=labs installs it)" % name)
        for command in commands:
            if not shutil.which(command):
                self.skip("'%s' is not here (tools/setup with ASSAY_SETUP=labs installs it)"
                          % command)

    def program(self, name):
        """Path of a program (or BPF object) of labs/meson.build."""
        own = os.path.join(self.build, os.path.basename(self.folder), name)
        return own if os.path.exists(own) else os.path.join(self.build, name)

    @staticmethod
    def say(text=""):
        print(text, flush=True)

    def skip(self, why):
        self.say("skipped: " + why)
        sys.exit(SKIP)

    def fail(self, why):
        self.say("FAILED: " + why)
        sys.exit(1)

    # processes ---------------------------------------------------------------

    def sh(self, command, check=True, **kw):
        """Run @command (a string for the shell, or a list), give what it printed."""
        done = subprocess.run(command, shell=isinstance(command, str), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, **kw)
        if check and done.returncode:
            self.fail("'%s' ended with %d: %s" % (
                command if isinstance(command, str) else " ".join(command), done.returncode,
                done.stdout.strip()[-1500:]))
        return done.stdout

    def start(self, command, log=None, **kw):
        """Start @command in the background; the cage ends it if nobody else does."""
        out = open(log, "w", encoding="utf-8") if log else subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True, **kw)
        self.daemons.append(process)
        return process

    def stop(self, *processes, timeout=5):
        for p in processes or self.daemons:
            if p.poll() is None:
                p.send_signal(signal.SIGTERM)
        for p in processes or self.daemons:
            try:
                p.wait(timeout)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()

    @staticmethod
    def cpu_ns(process):
        """CPU time of a running process so far."""
        with open("/proc/%d/schedstat" % process.pid, encoding="ascii") as f:
            return int(f.read().split()[0])

    @staticmethod
    def numbers(text):
        """The 'name value' lines that lab programs print."""
        found = {}
        for line in text.splitlines():
            words = line.split()
            if len(words) == 2:
                try:
                    found[words[0]] = float(words[1])
                except ValueError:
                    pass
        return found

    def measure(self, command, times):
        """name -> values of @times runs."""
        return self.measure_in_turn({"": command}, times)[""]

    def measure_in_turn(self, commands, times):
        """For each of @commands name -> values of @times runs. In turn, so that the machine's
        moods meet all of them."""
        rows = {key: {} for key in commands}
        for _ in range(times):
            for key, command in commands.items():
                for name, value in self.numbers(self.sh(command)).items():
                    rows[key].setdefault(name, []).append(value)
        return rows

    # recording ---------------------------------------------------------------

    def needs_recording(self):
        """Skip unless samples can be taken here."""
        if self.recorder():
            return
        self.skip("samples cannot be taken here: neither 'assay record' nor 'perf record' works "
                  "(kernel.perf_event_paranoid, or no perf)")

    def recorder(self):
        for tool in ("assay", "perf"):
            command = self.record_command(tool, "try.data", ["true"], 99, [])
            if not command:
                continue
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  check=False)
            if done.returncode == 0 and os.path.exists("try.data"):
                os.unlink("try.data")
                return tool
        return None

    def record_command(self, tool, path, command, hz, target):
        """The one place that knows how samples are taken: of @command, or of @target."""
        if tool == "assay":
            have = subprocess.run([self.assay, "--list-cmds"], stdout=subprocess.PIPE, text=True,
                                  check=False).stdout.split()
            if "record" not in have or os.environ.get("LAB_RECORDER") == "perf":
                return None
            head = [self.assay, "record", "-q", "-e", "cpu-clock", "-F", str(hz), "-o", path]
        elif shutil.which("perf"):
            head = ["perf", "record", "-q", "-N", "-e", "cpu-clock", "-F", str(hz), "-g",
                    "-k", "CLOCK_MONOTONIC", "-o", path]  # -k: perf keeps the time of day
        else:
            return None
        return [*head, *target] if target else [*head, "--", *command]

    def record(self, name, command, hz=1999, pid=None):
        """Sample @command into NAME.data, or the process @pid while it runs; what it printed."""
        path = name + ".data"
        tool = self.recorder()
        if not tool:
            self.needs_recording()
        if not pid:
            out = self.sh(self.record_command(tool, path, command, hz, []))
        else:
            recorder = self.start(self.record_command(tool, path, command, hz, ["-p", str(pid)]),
                                  log="record.log")
            self.wait_for("the recorder", lambda: os.path.exists(path) or
                          recorder.poll() is not None, 10)
            time.sleep(0.3)
            out = self.sh(command)
            recorder.send_signal(signal.SIGINT)
            recorder.wait()
            self.daemons.remove(recorder)
        if not os.path.exists(path):
            self.fail("'%s' left no %s: %s" % (tool, path, out[-500:]))
        return self.numbers(out)

    # function graphs --------------------------------------------------------------

    def graphs(self, files=(), modules=(), timeout=800):
        """Run the lab's graphs.sh, which records function graphs with 'assay record --graph', on
        this machine, or else in a guest of the VM rig; folder of what it left, or None.
        @files stand in its folder $VM, and in a guest also kernel @modules."""
        reason = self.cannot_graph()
        if not reason:
            return self.graphs_here(files, timeout)
        self.say("no function graph of this kernel: %s" % reason)
        return self.vm("graphs.sh", files, modules, timeout)

    def cannot_graph(self):
        """Why 'assay record --graph' does not work on this machine, or None."""
        if os.environ.get("LAB_GRAPHS") == "vm":
            return "LAB_GRAPHS=vm"
        self.sh("mount -t tracefs none /sys/kernel/tracing", check=False)
        done = subprocess.run([self.assay, "record", "--graph", "__sys_sendto", "--no-report", "-q",
                               "-o", "try.dat", "--", "true"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        is_made = os.path.exists("try.dat")
        if is_made:
            os.unlink("try.dat")
        if done.returncode == 0 and is_made:
            return None
        return done.stdout.strip().removeprefix("assay: ")[-300:] or "assay record --graph fails"

    def graphs_here(self, files, timeout):
        """graphs.sh in this cage."""
        os.makedirs("vm/files", exist_ok=True)
        for path in [*files, self.program("lab-load")]:
            shutil.copy(path, "vm/files")
        env = dict(os.environ, VM=os.path.abspath("vm/files"), OUT=os.path.abspath("vm"),
                   ASSAY=self.assay)
        done = subprocess.run(["sh", os.path.join(self.folder, "graphs.sh")], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, env=env,
                              timeout=timeout)
        if done.returncode:
            self.fail("graphs.sh ended with %d: %s" % (done.returncode, done.stdout[-800:]))
        self.say("function graphs of this kernel:")
        return "vm"

    def vm(self, script, files=(), modules=(), timeout=800):
        """Run the lab's @script in a guest of the VM rig; folder of what it left, or None.
        @files and kernel @modules stand in its /vm, and assay.sh, which runs assay.

        The rig (tests/vm/rig, or VMRIG) boots a kernel of Debian in QEMU. labs/run fetched that
        kernel before the cage was closed. One CPU, and time is a count of instructions (-i 0):
        how busy this machine is does not show.
        """
        rig, cache = os.environ.get("LAB_VMRIG"), os.environ.get("LAB_VMCACHE")
        if not rig:
            self.say("no function graph of the VM rig: " +
                     os.environ.get("LAB_VM_WHY_NOT", "it is not here"))
            return None
        os.makedirs("vm", exist_ok=True)
        files = [*files, *(found for name in modules for found in glob.glob(os.path.join(
            cache, "kernel/debian-6.12/x/lib/modules/*/kernel/**/" + name), recursive=True))]
        command = [os.path.join(rig, "run"), "-k", "debian-6.12", "-c", "1", "-i", "0",
                   "-f", self.program("lab-load") + ":/vm/lab-load", "-t", str(timeout), "-o", "vm",
                   *guest.assay_files(self.assay, os.path.join(self.work, "guest")),
                   *(word for path in files for word in ("-f", "%s:/vm/%s" % (
                       path, os.path.basename(path)))),
                   os.path.join(self.folder, script)]
        for _ in range(2):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False, env=dict(os.environ, VMRIG_CACHE=cache))
            if done.returncode != 125:
                break
        if done.returncode:
            self.fail("the guest ended with %d: %s" % (done.returncode, done.stdout[-800:]))
        return "vm"

    # assay -------------------------------------------------------------------

    def has(self, feature):
        """Whether assay was built with it."""
        return feature in self.run_assay("--version").partition("\nwithout")[0]

    def run_assay(self, *args):
        return self.sh([self.assay, *args], check=False)

    def explain(self, name, *paths, options=()):
        """Explain NAME.data (or @paths) under the name that 'expected' uses."""
        paths = paths or (name + ".data",)
        done = subprocess.run([self.assay, "explain", "--json", *options, *paths],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode:
            self.fail("assay explain: " + done.stderr.strip())
        page = json.loads(done.stdout)
        self.explained[name] = page
        self.save(name + ".explain.json", done.stdout)
        self.say("%s, assay explain:" % name)
        for n, f in enumerate(page["findings"][:4], 1):
            self.say("  %d. %s [%s]" % (n, f["claim"], f["rule"]))
        if len(page["findings"]) > 4:
            self.say("     and %d more" % (len(page["findings"]) - 4))
        if not page["findings"]:
            self.say("  no findings")
        return page

    def share(self, name, patterns):
        """Self time, in percent of NAME.data, of functions that match one of @patterns."""
        page = json.loads(self.run_assay("report", "--json", "--no-children", name + ".data"))
        return sum(r["self"] for r in page["captures"][0]["rows"]
                   if any(fnmatch.fnmatch(r["symbol"], p) for p in patterns))

    def diff(self, name, a, b, per=None, options=()):
        """assay diff of two recordings, under @name."""
        args = [self.assay, "diff", "--json", "--all", *(["--per", per] if per else []), *options,
                a + ".data", b + ".data"]
        done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode not in (0, 3):
            self.fail("assay diff: " + done.stderr.strip() + done.stdout[:500])
        page = json.loads(done.stdout)
        self.diffs[name] = page
        self.save(name + ".diff.json", done.stdout)
        self.say("assay diff%s %s.data %s.data:" % (" --per " + per if per else "", a, b))
        self.say("  " + page["summary"])
        return page

    # figures -----------------------------------------------------------------

    def save(self, name, text):
        with open(os.path.join(self.work, name), "w", encoding="utf-8") as f:
            f.write(text)

    def value(self, name, value):
        """A figure for 'expected'."""
        self.values[name] = value

    def control(self, name, runs, again):
        """How far medians of equal runs are apart by chance, as the value control-NAME: a ratio of
        at least 1 that 99 of 100 ways to split these runs in two halves do not exceed."""
        both = [*runs, *again]
        apart = []
        for half in itertools.combinations(range(len(both)), len(runs)):
            one = statistics.median(both[i] for i in half)
            other = statistics.median(v for i, v in enumerate(both) if i not in half)
            apart.append(max(one / other, other / one))
        apart.sort()
        self.value("control-" + name, apart[math.ceil(0.99 * len(apart)) - 1])
        self.say("control: equal runs (%s, twice) differ by a factor of up to %.3f by chance"
                 % (name, self.values["control-" + name]))

    def table(self, head, rows):
        """A Markdown table, aligned."""
        rows = [[str(c) for c in r] for r in rows]
        width = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
        self.say()
        for row in [head, ["-" * w for w in width], *rows]:
            self.say("| " + " | ".join(c.ljust(w) for c, w in zip(row, width)) + " |")
        self.say()

    def finish(self, is_part=False):
        """Check against 'expected', copy what is kept, end. @is_part: only a part was asked for."""
        counts = {True: 0, False: 0, None: len(self.unchecked)}
        words = {True: "ok ", False: "NOT", None: "-  not checked:"}
        self.say("expected:")
        rules = Expected(os.path.join(self.folder, "expected"))
        for ok, sentence in rules.check(self.explained, self.diffs, self.values, is_part):
            counts[ok] += 1
            self.say("  %s %s" % (words[ok], sentence))
        for what in self.unchecked:
            self.say("  %s %s" % (words[None], what))
        self.say("checked: %d as expected, %d not, %d not checked" % (
            counts[True], counts[False], counts[None]))
        self.save("values.json", json.dumps(self.values, indent=1) + "\n")
        keep = os.environ.get("LAB_KEEP")
        if keep:
            for name in sorted(os.listdir(self.work)):
                path = os.path.join(self.work, name)
                if os.path.isfile(path):
                    shutil.copy(path, keep)
        self.stop()
        sys.exit(1 if counts[False] else 0)

    # waiting -----------------------------------------------------------------

    def wait_for(self, what, claim, seconds=20):
        """Until claim() holds; fails with @what otherwise."""
        end = time.monotonic() + seconds
        while not claim():
            if time.monotonic() > end:
                self.fail("%s did not happen within %d s" % (what, seconds))
            time.sleep(0.02)
