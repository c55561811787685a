/* SPDX-License-Identifier: MIT */
/*
 * Replaces zlib, and the parser of C, in a reader that a malicious file has taken over: tries
 * the action in $HOSTILE once, prints the result to standard error, and exits. Preloaded by
 * tests/cli/sandbox.bats; not part of the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int inflateInit2_(void *z, int bits, const char *version, int size);
EXPORTED void *ts_parser_parse_string(void *parser, const void *old, const char *text,
				      unsigned int len);

static void hostile_say(const char *what, bool is_done)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "hostile: %s %s (%s)\n", what,
			 is_done ? "DONE" : "stopped", is_done ? "" : strerror(errno));

	(void)!write(STDERR_FILENO, line, (size_t)n);
}

static bool hostile_connect(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	/* no listener: a refused connection means that the call was allowed */
	return fd >= 0 &&
	       (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == ECONNREFUSED);
}

static bool hostile_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static bool hostile_open(const char *path, int flags)
{
	return open(path, flags, 0600) >= 0;
}

static bool hostile_exec(void)
{
	(void)execl("/bin/true", "true", (char *)NULL);
	return false;
}

static bool hostile_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

/* Size, owner and times of a file that nobody named, by the call that C libraries use as fstat().
 */
static bool hostile_stat(void)
{
	struct stat st;

	return fstatat(AT_FDCWD, "/etc/shadow", &st, AT_EMPTY_PATH) == 0;
}

/* A capability left in any set, for a program or a bug to use. */
static bool hostile_capability(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	errno = 0;
	return syscall(SYS_capget, &head, data) != 0
		       ? errno != EPERM
		       : data[0].permitted || data[0].inheritable || data[1].permitted;
}

/* Leave a process that keeps all descriptors and writes when the command is over. */
static void hostile_outlive(void)
{
	if (fork() > 0)
		_exit(1);
	(void)sleep(2);
	hostile_say("outlive the command", true);
	_exit(1);
}

static void hostile_hang(void)
{
	for (volatile unsigned int i = 0;; i++)
		continue;
}

static void hostile_fill(void)
{
	for (;;) {
		char *p = malloc(1 << 24);

		if (!p)
			_exit(124); /* as base/alloc.c does */
		memset(p, 1, 1 << 24);
	}
}

/* Memory is exhausted in a library without checks, and errno is wrong. */
static void hostile_careless(void)
{
	volatile int *volatile p;

	do
		p = malloc(1 << 14);
	while (p);
	errno = 0;
	*p = 1;
}

static void hostile_try(void)
{
	const char *what = getenv("HOSTILE");

	if (!what)
		return;
	if (strcmp(what, "crash") == 0)
		__builtin_trap();
	if (strcmp(what, "null") == 0)
		*(volatile int *)(getenv("HOSTILE") - what) = 1;
	if (strcmp(what, "outlive") == 0)
		hostile_outlive();
	if (strcmp(what, "hang") == 0)
		hostile_hang();
	if (strcmp(what, "memory") == 0)
		hostile_fill();
	if (strcmp(what, "careless") == 0)
		hostile_careless();
	if (strcmp(what, "abort") == 0)
		abort();
	hostile_say("read /etc/passwd", hostile_open("/etc/passwd", O_RDONLY));
	hostile_say("read its own folder", hostile_open(".", O_RDONLY | O_DIRECTORY));
	hostile_say("write a file", hostile_open("hostile-was-here", O_WRONLY | O_CREAT));
	hostile_say("remove a file", unlink("victim") == 0);
	hostile_say("rename a file", rename("victim", "hostile-was-here") == 0);
	hostile_say("connect", hostile_connect());
	hostile_say("make a socket", hostile_unix());
	hostile_say("exec", hostile_exec());
	hostile_say("signal", kill(getppid(), SIGCONT) == 0);
	hostile_say("trace", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0);
	hostile_say("map code", hostile_code());
	hostile_say("stat a file", hostile_stat());
	hostile_say("keep a capability", hostile_capability());
	hostile_say("give a file away", chmod("victim", 0777) == 0);
	_exit(1);
}

int inflateInit2_(void *z, int bits, const char *version, int size)
{
	(void)z;
	(void)bits;
	(void)version;
	(void)size;
	hostile_try();
	return -1;
}

void *ts_parser_parse_string(void *parser, const void *old, const char *text, unsigned int len)
{
	(void)parser;
	(void)old;
	(void)text;
	(void)len;
	hostile_try();
	return NULL;
}
