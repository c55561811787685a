#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that wait in known ways: does assay name the reason and the holder, and does time add up?

  tests/compare/wait_truth.py build/assay [--short] [--table] [NAME...]

Each program prints the wall-clock and CPU time of its threads. For each thread, the states that
assay shows must add up to the wall-clock time within 1 % with the rest named, and the running
time must be the CPU time plus what interrupts and the hypervisor took from it, within 1 % of the
wall-clock time: switches show neither. TAP on stdout, with --table also the
table of docs/record.md: of the waiting thread the main reason, who held it up for how much of
that wait, and how far its states are from the wall-clock time that it measured. Skipped with a word
where switches cannot be recorded. On a busy machine a program runs again, up to five times.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int ends[2], more[2], ready, message, ticket;
static long long now(clockid_t c)
{ struct timespec t; clock_gettime(c, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static void nap(int ms) { struct timespec t = { 0, ms * 1000000L }; nanosleep(&t, 0); }
/* Time in the run queue; 0 where the kernel does not say. */
static long long queued(void)
{ long long ns = 0; FILE *f = fopen("/proc/thread-self/schedstat", "re");
  if (f) { if (fscanf(f, "%*d %lld", &ns) != 1) ns = 0; fclose(f); }
  return ns; }
/* On a CPU without CPU time: interrupts and the hypervisor had it, which no switch shows. */
static __thread long long taken;
__attribute__((noinline)) static void crunch(int ms)
{ long long from = now(CLOCK_MONOTONIC) - queued(), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  long long end = cpu + ms * 1000000LL; volatile long n = 0;
  while (now(CLOCK_THREAD_CPUTIME_ID) < end) for (int i = 0; i < 20000; i++) n += i;
  cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
  taken += now(CLOCK_MONOTONIC) - queued() - from - cpu; }
static char get(int fd) { char c = 0; return read(fd, &c, 1) == 1 ? c : 0; }
static void put(int fd) { if (write(fd, "x", 1) != 1) abort(); }

static void hold_asleep(void) { pthread_mutex_lock(&lock); nap(300); pthread_mutex_unlock(&lock); }
static void hold_working(void) { pthread_mutex_lock(&lock); crunch(300); pthread_mutex_unlock(&lock); }
static void take(void) { nap(50); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static void one(void) { pthread_mutex_lock(&lock); nap(150); pthread_mutex_unlock(&lock); }
static void two(void) { nap(30); pthread_mutex_lock(&lock); crunch(100); pthread_mutex_unlock(&lock); }
static void three(void) { nap(60); pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static void wr(void) { pthread_rwlock_wrlock(&rwlock); nap(300); pthread_rwlock_unlock(&rwlock); }
static void rd(void) { nap(50); pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock); }
static void flush(void) {
  int fd = open("truth.tmp", O_CREAT | O_RDWR, 0600); char *b = calloc(1, 1 << 20);
  for (int i = 0; i < 16 && write(fd, b, 1 << 20) > 0; i++) fsync(fd);
  unlink("truth.tmp"); }
static void source(void) { nap(250); put(ends[1]); }
static void middle(void) { get(ends[0]); crunch(50); put(more[1]); }
static void sink(void) { get(more[0]); }
static void fill(void) { static char b[1 << 17]; if (write(ends[1], b, sizeof(b)) < 0) abort(); }
static void drain(void) { static char b[1 << 17]; ssize_t n = 0; nap(250);
  while (n < (ssize_t)sizeof(b)) { ssize_t r = read(ends[0], b, sizeof(b)); if (r <= 0) abort(); n += r; } }
static void sleeper(void) { nap(300); }
static void parent(void) { pid_t p = fork(); if (!p) { prctl(PR_SET_NAME, "child"); crunch(250); _exit(0); }
  waitpid(p, 0, 0); }
static void vparent(void) { pid_t p = vfork(); if (!p) { prctl(PR_SET_NAME, "vchild"); nap(250); _exit(0); } waitpid(p, 0, 0); }
static void signaller(void) { nap(250); pthread_mutex_lock(&lock); ready = 1; pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock); }
static void waiter(void) { pthread_mutex_lock(&lock); while (!ready) pthread_cond_wait(&cond, &lock);
  pthread_mutex_unlock(&lock); }
static void poster(void) { nap(250); sem_post(&sem); }
static void taker(void) { sem_wait(&sem); }
static void early(void) { pthread_barrier_wait(&barrier); }
static void late(void) { crunch(250); pthread_barrier_wait(&barrier); }
static void polls(void) { struct pollfd p = { .fd = ends[0], .events = POLLIN }; poll(&p, 1, -1); }
static void locks_file(void) { int fd = open("truth.lck", O_CREAT | O_RDWR, 0600); flock(fd, LOCK_EX);
  nap(300); flock(fd, LOCK_UN); }
static void wants_file(void) { nap(50); int fd = open("truth.lck", O_CREAT | O_RDWR, 0600);
  flock(fd, LOCK_EX); }
static void sender(void) { struct { long t; char c; } m = { 1, 0 }; nap(250);
  if (msgsnd(message, &m, 1, 0)) abort(); }
static void receiver(void) { struct { long t; char c; } m; msgrcv(message, &m, 1, 0, 0); }
static void pauses(void) { sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigwait(&s, &n); }
static void kills(void) { nap(250); kill(getpid(), SIGUSR1); }
static void connects(void) { get(ends[0]); }
static void burns(void) { crunch(200); }

static struct job { const char *name; void (*work)(void); } jobs[4];
static int n_jobs;
static void job(const char *name, void (*work)(void)) { jobs[n_jobs++] = (struct job){ name, work }; }
static void *begin(void *p)
{ struct job *j = p; long long from = now(CLOCK_MONOTONIC); prctl(PR_SET_NAME, j->name); j->work();
  printf("%s %lld %lld\n", j->name, now(CLOCK_MONOTONIC) - from, now(CLOCK_THREAD_CPUTIME_ID) + taken);
  fflush(stdout); return 0; }
static void pipes(void) { if (pipe(ends) || pipe(more)) abort(); }
static void tcp(void)
{ struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t n = sizeof(a); int s = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(s, (void *)&a, n) || listen(s, 1) || getsockname(s, (void *)&a, &n)) abort();
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[1], (void *)&a, n) || (ends[0] = accept(s, 0, 0)) < 0) abort(); }
/* The lock of another process: the child holds it. */
static pthread_mutex_t *common;
static pid_t other;
static void asks(void) { nap(50); pthread_mutex_lock(common); pthread_mutex_unlock(common); }
static void shared(void)
{ pthread_mutexattr_t a; common = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(common, &a); other = fork();
  if (other) { job("asker", asks); return; }
  prctl(PR_SET_NAME, "owner");
  pthread_mutex_lock(common); nap(300); pthread_mutex_unlock(common); _exit(0); }
static void joins(void) { static struct job j = { "sleeper", sleeper }; pthread_t t;
  pthread_create(&t, 0, begin, &j); pthread_join(t, 0); }
static void one_cpu(void) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(0, &s); sched_setaffinity(0, sizeof(s), &s); }

int main(int argc, char **argv)
{
  const char *w = argc > 1 ? argv[1] : ""; pthread_t t[4]; sigset_t s; (void)ticket;
#define IS(x) (strcmp(w, x) == 0)
  if (IS("shared")) shared();
  if (IS("mutex-sleeper")) { job("holder", hold_asleep); job("taker", take); }
  if (IS("mutex-worker")) { job("holder", hold_working); job("taker", take); }
  if (IS("convoy")) { job("one", one); job("two", two); job("three", three); }
  if (IS("rwlock")) { job("writer", wr); job("reader", rd); }
  if (IS("disk")) job("flusher", flush);
  if (IS("pipe-chain")) { pipes(); job("source", source); job("middle", middle); job("sink", sink); }
  if (IS("pipe-full")) { pipes(); job("filler", fill); job("drainer", drain); }
  if (IS("timer")) job("sleeper", sleeper);
  if (IS("child")) job("parent", parent);
  if (IS("vfork")) job("vparent", vparent);
  if (IS("condition")) { job("signaller", signaller); job("waiter", waiter); }
  if (IS("semaphore")) { sem_init(&sem, 0, 0); job("poster", poster); job("taker", taker); }
  if (IS("barrier")) { pthread_barrier_init(&barrier, 0, 2); job("early", early); job("late", late); }
  if (IS("join")) { job("joiner", joins); }
  if (IS("socket")) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
    job("source", source); job("reader", connects); }
  if (IS("network")) { tcp(); job("source", source); job("reader", connects); }
  if (IS("poll")) { pipes(); job("source", source); job("poller", polls); }
  if (IS("file-lock")) { job("owner", locks_file); job("asker", wants_file); }
  if (IS("message")) { message = msgget(IPC_PRIVATE, 0600); job("sender", sender); job("receiver", receiver); }
  if (IS("signal")) { sigemptyset(&s); sigaddset(&s, SIGUSR1); sigprocmask(SIG_BLOCK, &s, 0);
    job("pauser", pauses); job("killer", kills); }
  if (IS("cpu")) { one_cpu(); job("burner-a", burns); job("burner-b", burns); }
  if (IS("quota")) job("burner", burns);
  if (!n_jobs) return 2;
  for (int i = 0; i < n_jobs; i++) pthread_create(&t[i], 0, begin, &jobs[i]);
  for (int i = 0; i < n_jobs; i++) pthread_join(t[i], 0);
  if (other) waitpid(other, 0, 0);
  if (message) msgctl(message, IPC_RMID, 0);
  return 0;
}
"""

# name: (thread, its main reason, {holder: (what it does, least and most share of the wait)})
SLEEPS = "waits: timer"
TRUTH = {
    "mutex-sleeper": ("taker", "lock", {"holder": (SLEEPS, .9, 1)}),
    "mutex-worker": ("taker", "lock", {"holder": ("running", .5, 1)}),
    "convoy": ("three", "lock", {"one": (SLEEPS, .2, .8), "two": ("running", .2, .9)}),
    "pipe-chain": ("sink", "peer", {"middle": ("waits: pipe", .5, .95)}),
    "child": ("parent", "child", {"child": ("running", .5, 1)}),
    "timer": ("sleeper", "timer", {}),
    "shared": ("asker", "lock", {"owner": (SLEEPS, .9, 1)}),
    "disk": ("flusher", "disk", {}),
    "cpu": ("burner-a", "cpu", {}),
    "quota": ("burner", "cpu", {}),
    "rwlock": ("reader", "lock|futex", {"writer": (SLEEPS, .9, 1)}),
    "pipe-full": ("filler", "peer", {"drainer": (SLEEPS, .9, 1)}),
    "vfork": ("vparent", "child", {"vchild": (SLEEPS, .9, 1)}),
    "condition": ("waiter", "condition|futex", {"signaller": (SLEEPS, .9, 1)}),
    "semaphore": ("taker", "condition|futex", {"poster": (SLEEPS, .9, 1)}),
    "barrier": ("early", "condition", {"late": ("running", .5, 1)}),
    "join": ("joiner", "condition|futex", {"sleeper": (SLEEPS, .9, 1)}),
    "socket": ("reader", "peer", {"source": (SLEEPS, .9, 1)}),
    "network": ("reader", "peer", {}),
    "poll": ("poller", "event", {}),
    "file-lock": ("asker", "lock", {"owner": (SLEEPS, .9, 1)}),
    "message": ("receiver", "condition", {"sender": (SLEEPS, .9, 1)}),
    "signal": ("pauser", "event", {}),
}
SHORT = ["mutex-sleeper", "convoy", "pipe-chain", "child", "timer"]
KINDS = ["cpu", "lock", "disk", "memory", "timer", "child", "condition", "futex", "peer", "event",
         "other", "unknown"]


class Quota:
    """A control group with a fifth of a CPU, of version 2 or 1; None where there can be none."""

    def __enter__(self):
        for root, limit, quota in (("/sys/fs/cgroup", "cpu.max", "20000 100000"),
                                   ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "20000")):
            self.path = os.path.join(root, "assay-truth-%d" % os.getpid())
            try:
                os.mkdir(self.path)
                # not "w": a folder above the groups would get a file, and no quota
                with open(os.path.join(self.path, limit), "r+", encoding="ascii") as f:
                    f.write(quota)
                return self.path
            except OSError:
                self.__exit__()
        return None

    def __exit__(self, *_):
        try:
            os.rmdir(self.path)
        except OSError:
            pass


def record(assay, folder, command):
    path = os.path.join(folder, "truth.data")
    done = subprocess.run([assay, "record", "-q", "--wall", "-o", path, "--"] + command, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not os.path.exists(path) or done.returncode:
        return None, None, done.stderr.decode("utf-8", "replace").strip()
    out = subprocess.run([assay, "report", "--off-cpu", "--json", path], stdout=subprocess.PIPE,
                         check=True).stdout
    os.unlink(path)
    return json.loads(out)["waits"][0], done.stdout.decode(), ""


def check_times(waits, printed, waiter):
    """Sums of all threads, and the figures that the program printed: complaints."""
    wrong = []
    times = {row["command"]: row for row in waits["times"]}
    if waiter not in printed.split():
        wrong.append("%s does not print its time" % waiter)
    # a kernel that loses switches leaves an end to the next sample
    lost = waits["unseen"] * 1.1e6
    for row in waits["times"]:
        states = row["ran_ns"] + sum(row[kind] for kind in KINDS)
        if states + row["rest_ns"] != row["wall_ns"]:
            wrong.append("%s: %d ns of %d" % (row["command"], states, row["wall_ns"]))
        # an exit is not recorded to its end
        if row["command"] != "truth" and row["rest_ns"] > max(row["wall_ns"] / 100, 2e6):
            wrong.append("%s: rest %.1f ms of %.1f" % (row["command"], row["rest_ns"] / 1e6,
                                                       row["wall_ns"] / 1e6))
    for line in printed.splitlines():
        name, wall, cpu = line.split()
        row = times.get(name)
        allowed = max(int(wall) / 100, 2e6) + lost
        if not row:
            wrong.append("no %s" % name)
        elif abs(row["wall_ns"] - int(wall)) > allowed:
            wrong.append("%s: wall %.1f ms, it was %.1f" % (name, row["wall_ns"] / 1e6, int(wall) / 1e6))
        elif abs(row["ran_ns"] - int(cpu)) > allowed:
            wrong.append("%s: ran %.1f ms, it was %.1f" % (name, row["ran_ns"] / 1e6, int(cpu) / 1e6))
    return wrong


def check_holders(waits, name):
    """The main reason of the waiting thread, and who held it up: complaints."""
    waiter, reason, holders = TRUTH[name]
    wrong = []
    row = next((r for r in waits["times"] if r["command"] == waiter), None)
    if not row:
        return ["no thread %s" % waiter]
    most = main_reason(row, reason)
    # libraries without frame pointers hide which function of theirs waits for a futex
    if most not in reason.split("|"):
        wrong.append("%s waits for %s, not %s" % (waiter, most, reason))
    rows = [r for r in waits.get("holders", []) if r["waiter"] == waiter]
    whole = sum(r["ns"] for r in rows)
    kinds = ("lock", "child", "condition", "futex", "peer")
    if abs(sum(r["ns"] for r in waits.get("holders", [])) - sum(r[k] for r in waits["times"] for k in kinds)) > 1:
        wrong.append("holders do not add up to the waits")
    for holder, (does, least, most_share) in holders.items():
        # on a busy machine who runs also waits for a CPU
        states = [does, "waiting for a CPU"] if does == "running" else [does]
        ns = sum(r["ns"] for r in rows
                 if r["holder"].startswith(holder + " ") and r["holder_does"] in states)
        if not whole or not least <= ns / whole <= most_share:
            wrong.append("%s is held up by %s, which is %s, %.0f %% of the time: %s" %
                         (waiter, holder, does, 100 * ns / whole if whole else 0,
                          sorted(((r["holder"], r["holder_does"], r["ns"]) for r in rows), key=lambda r: -r[2])[:4]))
    return wrong


def main_reason(row, reason):
    # a sleep before the wait, and other work on the machine, are beside the point
    beside = {"timer", "cpu"} - {reason}
    return max((k for k in KINDS if k not in beside), key=lambda k: row[k])


def table_row(waits, printed, name, tries):
    """What assay says about the waiting thread: a row of docs/record.md."""
    waiter, reason, holders = TRUTH[name]
    row = next(r for r in waits["times"] if r["command"] == waiter)
    wall = dict((line.split()[0], int(line.split()[1])) for line in printed.splitlines()).get(waiter)
    states = row["ran_ns"] + sum(row[kind] for kind in KINDS)
    held = [r for r in waits.get("holders", []) if r["waiter"] == waiter]
    whole = sum(r["ns"] for r in held)
    named = ["%s (%s) %.0f %%" % (h, does, 100 * sum(r["ns"] for r in held if r["holder"].startswith(h + " ")) / whole)
             for h, (does, _, _) in holders.items() if whole]
    return "# | %s | %s | %s | %s | %s | %d |" % (
        name, waiter, main_reason(row, reason).replace("peer", "pipe or socket"), ", ".join(named) or "-",
        "%.2f %%" % (100 * abs(states - wall) / wall) if wall else "not measured", tries)


def run(assay, folder, program, name, has_table):
    """'' or what is wrong; None, why: cannot be tested."""
    if not any(map(os.path.isdir, ("/sys/kernel/tracing/events/sched", "/sys/kernel/debug/tracing/events/sched"))):
        return None, "tracefs is not mounted: no wake-ups are recorded"
    wrong = []
    for tries in range(1, 6):
        if name == "quota":
            with Quota() as group:
                if not group:
                    return None, "no control group with a CPU quota can be made"
                command = ["sh", "-c", "echo $$ >%s/cgroup.procs && exec %s quota" % (group, program)]
                waits, printed, why = record(assay, folder, command)
        else:
            waits, printed, why = record(assay, folder, [program, name])
        if waits is None:
            return None, why
        if name == "disk" and not any(r["disk"] for r in waits["times"]):
            return None, "nothing waits for this disk"
        wrong = check_times(waits, printed, TRUTH[name][0]) + check_holders(waits, name)
        if not wrong:
            if has_table:
                print(table_row(waits, printed, name, tries))
            return "", ""
    return "; ".join(wrong), ""


def main():
    assay = os.path.abspath(sys.argv[1])
    names = [a for a in sys.argv[2:] if not a.startswith("-")]
    names = names or (SHORT if "--short" in sys.argv else list(TRUTH))
    print("1..%d" % len(names))
    # not in a file system in memory: a disk is among the waits
    folder = tempfile.mkdtemp(dir=os.path.dirname(assay))
    try:
        program = os.path.join(folder, "truth")
        with open(program + ".c", "w", encoding="ascii") as f:
            f.write(PROGRAM)
        built = shutil.which("gcc") and subprocess.run(
            ["gcc", "-O1", "-fno-omit-frame-pointer", "-pthread", "-o", program, program + ".c"],
            check=False).returncode == 0
        for number, name in enumerate(names, 1):
            wrong, why = run(assay, folder, program, name, "--table" in sys.argv) if built else (None, "no compiler")
            if wrong is None:
                print("ok %d - %s # SKIP %s" % (number, name, why))
            else:
                print("%s %d - %s%s" % ("not ok" if wrong else "ok", number, name,
                                        ": " + wrong if wrong else ""))
            sys.stdout.flush()
    finally:
        shutil.rmtree(folder)


main()
