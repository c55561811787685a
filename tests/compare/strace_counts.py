#!/usr/bin/env python3
"""A log of strace and its table of the same run: calls, errors and time of each system call.

usage: strace_counts.py ASSAY    (TAP; skipped without strace or a compiler)
strace -C writes the log and below it the table that it counted itself, both by wall-clock time
(-w). assay reads both. Each call of the log has whole microseconds, so that the times may differ
by one a call. Calls that do not return, exit and exit_group, are only in the log.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ASSAY = os.path.abspath(sys.argv[1])
C = r"""
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static void on_alarm(int n) { (void)n; }
static void *reader(void *arg)
{
	char b[256];
	for (int i = 0; i < 120; i++) {
		int fd = open(i % 3 ? "/etc/passwd" : "/nonexistent/file", O_RDONLY);
		if (fd >= 0) {
			while (read(fd, b, sizeof(b)) > 0) {}
			close(fd);
		}
		(void)!write(-1, b, 1);
	}
	return arg;
}
int main(void)
{
	struct itimerval every = { { 0, 3000 }, { 0, 3000 } };
	pthread_t t[3];
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, reader, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	if (fork() == 0) { reader(NULL); _exit(0); }
	while (wait(NULL) < 0 && errno == EINTR) {}
	every.it_interval.tv_usec = every.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &every, NULL);
	usleep(40000); /* a table with a sleep of 40 ms is one of wall-clock time */
	return 0;
}
"""


def skip(why):
    """End without a verdict."""
    print("1..0 # SKIP " + why)
    sys.exit(0)


def rows(capture):
    """{call: (calls, errors, nanoseconds)}"""
    return {r["call"]: (r["calls"], r["errors"], r.get("wall_ns") or 0) for r in capture["rows"]}


def differences(log, table):
    """Sentences about calls whose figures differ by more than printing explains."""
    ret = []
    for name in sorted(set(log) | set(table)):
        a, b = log.get(name), table.get(name)
        if b is None and name in ("exit", "exit_group"):
            continue
        if a is None or b is None:
            ret.append(f"{name}: log {a}, table {b}")
            continue
        if a[:2] != b[:2] or abs(a[2] - b[2]) > 1000 * a[0] + 1000:
            ret.append(f"{name}: log {a}, table {b}")
    return ret


def main():
    """Run the program once, and print the verdict."""
    cc = shutil.which("cc") or shutil.which("gcc")
    if not shutil.which("strace") or not cc:
        skip("strace or a C compiler is missing")
    with tempfile.TemporaryDirectory() as work:
        source, program, log = (os.path.join(work, n) for n in ("p.c", "p", "log"))
        with open(source, "w", encoding="utf-8") as f:
            f.write(C)
        subprocess.run([cc, "-pthread", "-o", program, source], check=True)
        done = subprocess.run(["strace", "-f", "-C", "-w", "-T", "-o", log, program], check=False,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            skip("strace cannot trace here: " + done.stderr.strip().split("\n", maxsplit=1)[0])
        out = subprocess.run([ASSAY, "report", "--json", log], stdout=subprocess.PIPE, check=False)
        captures = json.loads(out.stdout)["captures"]
        kinds = [c["format"] for c in captures]
        print("1..2")
        ok = kinds == ["strace", "syscall-counts"]
        print(("" if ok else "not ") + "ok 1 - the log and the table below it are read")
        found = differences(rows(captures[0]), rows(captures[-1])) if ok else [str(kinds)]
        print(("" if not found else "not ") + "ok 2 - calls, errors and times of each call agree")
        for line in found:
            print("# " + line)
        sys.exit(0 if ok and not found else 1)


if __name__ == "__main__":
    main()
