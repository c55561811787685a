"""Three ovsdb-server processes in a Raft cluster."""
import hashlib
import json
import os
import re
import signal

from client import DB, Client

RUN = "/run/lab"


class Cluster:
    def __init__(self, lab, name, schema, port):
        self.lab, self.name, self.port = lab, name, port
        self.servers = {}
        self.dirs = dict(os.environ, OVS_RUNDIR=RUN, OVN_RUNDIR=RUN)
        lab.sh("ovsdb-tool create-cluster %s %s tcp:127.0.0.1:%d" % (self.db(1), schema, port))
        self.begin(1)
        lab.wait_for("a leader", lambda: self.leader((1,)) == 1)
        for n in (2, 3):
            lab.sh("ovsdb-tool join-cluster %s %s tcp:127.0.0.1:%d tcp:127.0.0.1:%d" % (
                self.db(n), DB, port + n - 1, port))
            self.begin(n)
            lab.wait_for("server %d joining" % n, lambda n=n: self.is_member(n))

    # files
    def path(self, i, end):
        return "%s/%s%d.%s" % (RUN, self.name, i, end)

    def db(self, i):
        return "%s%d.db" % (self.name, i)

    def logs(self):
        return ["%s%d.log" % (self.name, i) for i in (1, 2, 3)]

    def text(self, i):
        with open(self.path(i, "log"), encoding="utf-8") as f:
            return f.read()

    # processes
    def command(self, i, *options):
        return ["ovsdb-server", "--remote=punix:" + self.path(i, "sock"),
                "--unixctl=" + self.path(i, "ctl"), "--log-file=" + self.path(i, "log"),
                "-vconsole:off", "-vfile:info", *options, self.db(i)]

    def begin(self, i):
        self.servers[i] = self.lab.start(self.command(i), env=self.dirs)

    def begin_monitored(self, i):
        """A server that a monitor starts again after a crash; its process id is in a file."""
        self.lab.start(self.command(i, "--detach", "--monitor", "--pidfile=" + self.path(i, "pid")),
                       env=self.dirs)
        self.lab.wait_for("server %d with a monitor" % i, lambda: self.is_member(i) and
                          os.path.exists(self.path(i, "pid")), 30)

    def end(self, i):
        self.servers[i].terminate()
        self.servers[i].wait()

    def pid(self, i):
        return self.servers[i].pid

    def crash(self, i):
        with open(self.path(i, "pid"), encoding="ascii") as f:
            os.kill(int(f.read()), signal.SIGSEGV)

    def stop(self):
        for process in self.servers.values():
            process.send_signal(signal.SIGCONT)
        self.lab.stop(*self.servers.values())

    def memory_kb(self, i):
        with open("/proc/%d/status" % self.pid(i), encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    # questions
    def ask(self, i, *command):
        return self.lab.sh(["timeout", "10", "ovs-appctl", "-t", self.path(i, "ctl"), *command],
                           check=False)

    def status(self, i):
        page = self.ask(i, "cluster/status", DB)
        return dict(line.split(": ", 1) for line in page.splitlines() if ": " in line)

    def is_member(self, i):
        status = self.status(i)
        return status.get("Status") == "cluster member" and \
            status.get("Leader", "unknown") != "unknown"

    def leader(self, among=(1, 2, 3)):
        return next((i for i in among if self.status(i).get("Role") == "leader"), 0)

    def wait_for_leader(self, among=(1, 2, 3), seconds=30):
        found = []

        def is_there():
            found[:] = [self.leader(among)]
            return found[0] != 0
        self.lab.wait_for("a leader", is_there, seconds)
        return found[0]

    def client(self, i):
        return Client(self.path(i, "sock"))

    def nbctl(self, *args, servers=(1, 2, 3)):
        remotes = ",".join("unix:" + self.path(i, "sock") for i in servers)
        return self.lab.sh(["timeout", "60", "ovn-nbctl", "--db=" + remotes, *args])

    def ports_in(self, i):
        """Ports that server @i itself holds."""
        return len(self.nbctl("--no-leader-only", "lsp-list", "sw", servers=(i,)).splitlines())


# damage ------------------------------------------------------------------------

def records(data):
    """(offset, header, JSON text) of each record of a database file."""
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].split()
        size = int(words[-2])
        yield end + 1, words, data[end + 1:end + 1 + size]
        at = end + 1 + size
        while data[at:at + 1] == b"\n":
            at += 1


def wrong_type(data):
    """The first record with a member of another type and the right checksum, as after a write
    from damaged memory."""
    _, words, text = next(records(data))
    page = json.loads(text)
    page["prev_servers"] = 17
    new = json.dumps(page, separators=(",", ":")).encode()
    head = [*words[:-2], b"%d" % len(new), hashlib.sha1(new).hexdigest().encode()]
    end = data.index(b"\n") + 1 + len(text)
    return b" ".join(head) + b"\n" + new + data[end:]


def flipped(data, number):
    """One bit of record @number is another one, as after damage on the disk."""
    at, _, text = list(records(data))[number]
    made = bytearray(data)
    made[at + len(text) // 2] ^= 1
    return bytes(made)
