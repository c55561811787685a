/* SPDX-License-Identifier: MIT */
/*
 * brief_calls.c - system calls for function graphs, one of them costly for a known reason
 *
 *   calls NUMBER MARK
 *
 * "1" is written to the file MARK before the calls that are traced, and "0" after them.
 * tests/bench/brief.py lists what each NUMBER plants. It is static: it runs in the VM rig.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_FDS   1000
#define N_LINKS 30

static int mark;

static void begin(void)
{
	(void)!write(mark, "1", 1);
}

static void end(void)
{
	(void)!write(mark, "0", 1);
}

/* One poll() over a thousand sockets, of which one has data. */
static void poll_once(void)
{
	static struct pollfd fds[N_FDS];
	struct rlimit limit = { 4096, 4096 };
	int pair[2];

	(void)setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < N_FDS; i += 2) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			exit(1);
		fds[i] = (struct pollfd){ .fd = pair[0], .events = POLLIN };
		fds[i + 1] = (struct pollfd){ .fd = pair[1], .events = POLLIN };
	}
	(void)!write(fds[N_FDS - 1].fd, "x", 1);
	begin();
	for (int i = 0; i < 3; i++)
		(void)poll(fds, N_FDS, -1);
	end();
}

/* fork() of a process that has written to 48 MB. */
static void fork_once(void)
{
	size_t n = (size_t)48 << 20;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	(void)madvise(p, n, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i += 4096)
		p[i] = 1;
	begin();
	pid = fork();
	if (pid == 0)
		_exit(0);
	end();
	(void)waitpid(pid, NULL, 0);
}

/* write() to a pipe that is full and whose reader sleeps for 20 ms. */
static void write_once(void)
{
	static char text[65536];
	int pipes[2];

	if (pipe(pipes))
		exit(1);
	if (fork() == 0) {
		for (int i = 0; i < 12; i++) {
			usleep(i == 7 ? 60000 : 20);
			(void)!read(pipes[0], text, 8192);
		}
		_exit(0);
	}
	(void)!write(pipes[1], text, sizeof(text));
	begin();
	for (int i = 0; i < 10; i++)
		(void)!write(pipes[1], text, 8192);
	end();
	(void)wait(NULL);
}

/* open() of a path that goes through thirty symbolic links. */
static void open_once(void)
{
	char from[64], to[64];

	(void)mkdir("/tmp/tree", 0700);
	(void)chdir("/tmp/tree");
	(void)mkdir("v0", 0700);
	close(open("v0/settings", O_CREAT | O_WRONLY, 0600));
	for (int i = 1; i <= N_LINKS; i++) {
		(void)snprintf(from, sizeof(from), "v%d", i - 1);
		(void)snprintf(to, sizeof(to), "v%d", i);
		(void)symlink(from, to);
	}
	(void)snprintf(to, sizeof(to), "v%d/settings", N_LINKS);
	begin();
	for (int i = 0; i < 5; i++)
		close(open(to, O_RDONLY));
	end();
}

/* read() of a pipe that has data: nothing is planted. */
static void read_once(void)
{
	char text[512] = "";
	int pipes[2];

	if (pipe(pipes))
		exit(1);
	(void)!write(pipes[1], text, sizeof(text));
	begin();
	for (int i = 0; i < 20; i++) {
		(void)!read(pipes[0], text, sizeof(text));
		(void)!write(pipes[1], text, sizeof(text));
	}
	end();
}

int main(int argc, char **argv)
{
	static void (*const calls[])(void) = { read_once, poll_once, fork_once, write_once,
					       open_once };
	unsigned int n = argc == 3 ? (unsigned int)atoi(argv[1]) : 99;

	if (n >= sizeof(calls) / sizeof(*calls))
		return 2;
	mark = open(argv[2], O_WRONLY);
	calls[n]();
	return 0;
}
