/* SPDX-License-Identifier: MIT */
/*
 * Replaces zlib, the parser of C, and in confined processes libelf, in a reader that a malicious
 * file has taken over: tries the action in $HOSTILE once, prints the result to standard error, and
 * exits. Preloaded by tests/cli/sandbox.bats and
 * evil_reader.py; not part of the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int inflateInit2_(void *z, int bits, const char *version, int size);
EXPORTED void *elf_begin(int fd, int command, void *ref);
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

/*
 * Read size, owner and times of a file that nobody named, by the call that C libraries use for
 * fstat().
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

/* Leave a process behind that keeps all descriptors and writes after the command is over. */
static void hostile_outlive(void)
{
	if (fork() > 0)
		_exit(1);
	(void)sleep(2);
	hostile_say("outlive the command", true);
	_exit(1);
}

#define HOSTILE_FORKS      100u
#define HOSTILE_GRANDFORKS 3u
#define HOSTILE_THREADS    500u

/*
 * Start HOSTILE_FORKS processes, each of which starts HOSTILE_GRANDFORKS more; all stay. The number
 * of those that could be started goes to standard error.
 */
static void hostile_forks(void)
{
	char line[64];
	char byte;
	unsigned int n = 0;
	int counter[2];

	if (pipe2(counter, 0) < 0)
		_exit(1);
	for (unsigned int i = 0; i < HOSTILE_FORKS; i++) {
		pid_t pid = fork();

		if (pid > 0)
			n++;
		if (pid != 0)
			continue;
		for (unsigned int k = 0; k < HOSTILE_GRANDFORKS; k++) {
			pid = fork();
			if (pid == 0)
				break;
			if (pid > 0)
				(void)!write(counter[1], "", 1);
		}
		(void)close(counter[1]);
		for (;;)
			(void)sleep(1);
	}
	(void)close(counter[1]);
	while (read(counter[0], &byte, 1) == 1)
		n++;
	(void)!write(STDERR_FILENO, line,
		     (size_t)snprintf(line, sizeof(line), "hostile: %u processes\n", n));
	_exit(1);
}

static int __attribute__((noreturn)) hostile_stay(void *arg)
{
	(void)arg;
	for (;;)
		(void)sleep(1);
}

static char hostile_stacks[HOSTILE_THREADS][16384] __attribute__((aligned(64)));

/* Start as many threads as the system lets; all stay. Their number goes to standard error. */
static void hostile_threads(void)
{
	const long flags =
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	char line[64];
	unsigned int n = 0;

	for (unsigned int i = 0; i < HOSTILE_THREADS; i++)
		n += clone(hostile_stay, hostile_stacks[i] + sizeof(hostile_stacks[i]), (int)flags,
			   NULL) > 0;
	(void)!write(STDERR_FILENO, line,
		     (size_t)snprintf(line, sizeof(line), "hostile: %u threads\n", n));
	_exit(1);
}

#define HOSTILE_REQUEST 4104u /* bytes of a message to the first process (base/files.c) */
#define HOSTILE_OPEN    0u    /* first word of a request to open files */
#define HOSTILE_WISH    2u    /* first word of a request that only the first process can serve */
#define HOSTILE_CREATE  2u    /* second word: create a file of the cache */
#define HOSTILE_PLACE   3u    /* second word: put it in place */

/* Send @len bytes to the first process: one of the descriptors is its socket. */
static bool hostile_send(const void *p, size_t len, int passed, int flags)
{
	struct iovec io = { .iov_base = (void *)(uintptr_t)p, .iov_len = len };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };

	if (passed >= 0) {
		struct cmsghdr *c = (struct cmsghdr *)control.bytes;

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
				       .cmsg_level = SOL_SOCKET,
				       .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(c), &passed, sizeof(int));
	}
	for (int fd = 3; fd < 64; fd++) {
		if (sendmsg(fd, &m, flags | MSG_NOSIGNAL) == (ssize_t)len)
			return true;
	}
	return false;
}

/* Receive an answer of the first process into @answer. Returns the descriptor in it, or -1. */
static int hostile_receive(unsigned char answer[HOSTILE_REQUEST])
{
	struct iovec io = { .iov_base = answer, .iov_len = HOSTILE_REQUEST };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	int passed = -1;

	for (int fd = 3; fd < 64; fd++) {
		struct msghdr m = { .msg_iov = &io,
				    .msg_iovlen = 1,
				    .msg_control = control.bytes,
				    .msg_controllen = sizeof(control.bytes) };

		if (recvmsg(fd, &m, 0) <= 0)
			continue;
		if (m.msg_controllen >= CMSG_LEN(sizeof(int)))
			memcpy(&passed, CMSG_DATA((struct cmsghdr *)control.bytes), sizeof(int));
		break;
	}
	return passed;
}

/* Send part of a message, then nothing. */
static void hostile_half(void)
{
	hostile_say("send half a message", hostile_send("\1\0\0", 3, -1, 0));
	for (;;)
		(void)sleep(1);
}

/* Send requests and never read the answers; leave a process behind that keeps the socket. */
static void hostile_ask(void)
{
	static unsigned char request[HOSTILE_REQUEST] = { HOSTILE_OPEN };
	unsigned int n = 0;

	memcpy(request + 8, "/nonexistent", 12);
	while (n < 10000 && hostile_send(request, sizeof(request), -1, MSG_DONTWAIT))
		n++;
	hostile_say("ask and not listen", n > 0);
	if (fork() > 0)
		_exit(1);
	for (;;)
		(void)sleep(1);
}

/*
 * Ask for the file $HOSTILE_PATH of the cache, have it put in place, and make it large afterwards.
 */
static void hostile_cache(void)
{
	static unsigned char request[HOSTILE_REQUEST] = { HOSTILE_WISH, [4] = HOSTILE_CREATE };
	const char *path = getenv("HOSTILE_PATH");
	int fd = -1;

	(void)snprintf((char *)request + 8, sizeof(request) - 8, "%s", path ? path : "");
	(void)hostile_send(request, sizeof(request), -1, 0);
	fd = hostile_receive(request);
	hostile_say("get a file of the cache", fd >= 0);
	memset(request, 0, sizeof(request));
	request[0] = HOSTILE_WISH;
	request[4] = HOSTILE_PLACE;
	(void)snprintf((char *)request + 8, sizeof(request) - 8, "%s", path ? path : "");
	(void)hostile_send(request, sizeof(request), -1, 0);
	(void)hostile_receive(request);
	hostile_say("make it large", fd >= 0 && ftruncate(fd, 3LL << 30) == 0);
	_exit(1);
}

#define HOSTILE_RACES 1000u

/* Receive one answer and close its descriptor. False: that is of another file than evil.gz. */
static bool hostile_take(int fd)
{
	static unsigned char answer[HOSTILE_REQUEST];
	struct iovec io = { .iov_base = answer, .iov_len = sizeof(answer) };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	unsigned char head[2] = "";
	int passed;

	if (recvmsg(fd, &m, MSG_DONTWAIT) <= 0 || m.msg_controllen < CMSG_LEN(sizeof(int)))
		return true;
	memcpy(&passed, CMSG_DATA((struct cmsghdr *)control.bytes), sizeof(int));
	(void)!pread(passed, head, sizeof(head), 0);
	(void)close(passed);
	return head[0] == 0x1f && head[1] == 0x8b;
}

/*
 * Two processes ask over the same socket at the same time, one for a file that the user named, the
 * other for one that nobody named. Each takes whichever answer comes first.
 */
static void hostile_race(void)
{
	static unsigned char request[HOSTILE_REQUEST] = { HOSTILE_OPEN };
	bool is_other = fork() == 0;
	struct iovec io = { .iov_base = request, .iov_len = sizeof(request) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	unsigned int n = 0;
	bool is_won = false;

	for (unsigned int i = 0; i < HOSTILE_RACES; i++) {
		const char *path = is_other ? "/etc/passwd" : "evil.gz";

		memset(request, 0, sizeof(request));
		memcpy(request + 8, path, strlen(path));
		for (int fd = 3; fd < 64; fd++) {
			n += sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
			is_won |= !hostile_take(fd);
		}
	}
	errno = EACCES;
	if (n)
		hostile_say(is_other ? "race for another file" : "race for its own file", is_won);
	_exit(1);
}

/* Receive one message from any peer into @answer; false: none came in 100 ms. */
static bool hostile_hear(unsigned char answer[HOSTILE_REQUEST])
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (unsigned int i = 0; i < 100; i++) {
		for (int fd = 3; fd < 64; fd++) {
			struct iovec io = { .iov_base = answer, .iov_len = HOSTILE_REQUEST };
			struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };

			if (recvmsg(fd, &m, MSG_DONTWAIT) > 0)
				return true;
		}
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

/* Send descriptors that the first process did not ask for: it must not collect them. */
static void hostile_pass(void)
{
	static unsigned char request[HOSTILE_REQUEST] = { 99 };
	unsigned int n = 0;

	while (n < 200 && hostile_send(request, sizeof(request), STDIN_FILENO, 0) &&
	       hostile_hear(request)) {
		memset(request, 0, sizeof(request));
		request[0] = 99;
		n++;
	}
	/*
	 * the first process may have at most 64 descriptors here, and this request opens one more
	 */
	memset(request, 0, sizeof(request));
	request[0] = HOSTILE_OPEN;
	memcpy(request + 8, "evil.gz", 7);
	(void)hostile_send(request, sizeof(request), -1, 0);
	errno = 0;
	if (hostile_hear(request))
		errno = (int)request[0];
	hostile_say("exhaust descriptors", errno == EMFILE || errno == ENFILE);
	_exit(1);
}

/*
 * System calls that no reader needs, with arguments that do no harm: each must be refused before
 * the kernel looks at them (EPERM).
 */
static const struct hostile_call {
	const char *name;
	long number;
	long args[5];
} hostile_calls[] = {
	{ "io_uring_setup", SYS_io_uring_setup, { 1 } },
	{ "userfaultfd", SYS_userfaultfd, { 1 } },
	{ "memfd_create", SYS_memfd_create, { (long)"x" } },
	{ "execveat", SYS_execveat, { -1, (long)"" } },
	{ "bpf", SYS_bpf, { -1 } },
	{ "perf_event_open", SYS_perf_event_open, { 0 } },
	{ "add_key", SYS_add_key, { 0 } },
	{ "keyctl", SYS_keyctl, { -1 } },
	{ "request_key", SYS_request_key, { 0 } },
	{ "process_vm_readv", SYS_process_vm_readv, { -1 } },
	{ "process_vm_writev", SYS_process_vm_writev, { -1 } },
	{ "pidfd_open", SYS_pidfd_open, { -1 } },
	{ "pidfd_getfd", SYS_pidfd_getfd, { -1, -1 } },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, { -1 } },
	{ "kcmp", SYS_kcmp, { -1, -1 } },
	{ "tgkill", SYS_tgkill, { -1, -1, 0 } },
	{ "tkill", SYS_tkill, { -1, 0 } },
	{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { -1, 0 } },
	{ "mount", SYS_mount, { 0 } },
	{ "umount2", SYS_umount2, { 0 } },
	{ "pivot_root", SYS_pivot_root, { 0 } },
	{ "chroot", SYS_chroot, { 0 } },
	{ "unshare", SYS_unshare, { 0x10000000 } },
	{ "setns", SYS_setns, { -1 } },
	{ "open_by_handle_at", SYS_open_by_handle_at, { -1, 0 } },
	{ "name_to_handle_at", SYS_name_to_handle_at, { -1, 0 } },
	{ "openat2", SYS_openat2, { -1, (long)"x" } },
	{ "symlinkat", SYS_symlinkat, { 0, -1 } },
	{ "linkat", SYS_linkat, { -1, 0, -1 } },
	{ "mkdirat", SYS_mkdirat, { -1, 0 } },
	{ "mknodat", SYS_mknodat, { -1, 0 } },
	{ "utimensat", SYS_utimensat, { -1, (long)"x" } },
	{ "fchmod", SYS_fchmod, { -1 } },
	{ "fchown", SYS_fchown, { -1 } },
	{ "fsetxattr", SYS_fsetxattr, { -1 } },
	{ "chdir", SYS_chdir, { 0 } },
	{ "flock", SYS_flock, { -1 } },
	{ "inotify_init1", SYS_inotify_init1, { -1 } },
	{ "fanotify_init", SYS_fanotify_init, { -1 } },
	{ "eventfd2", SYS_eventfd2, { 0, -1 } },
	{ "epoll_create1", SYS_epoll_create1, { -1 } },
	{ "timerfd_create", SYS_timerfd_create, { -1 } },
	{ "signalfd4", SYS_signalfd4, { -1, 0 } },
	{ "timer_create", SYS_timer_create, { -1 } },
	{ "setitimer", SYS_setitimer, { -1 } },
	{ "socketpair", SYS_socketpair, { -1 } },
	{ "bind", SYS_bind, { -1 } },
	{ "listen", SYS_listen, { -1 } },
	{ "accept4", SYS_accept4, { -1 } },
	{ "sendto", SYS_sendto, { -1 } },
	{ "recvfrom", SYS_recvfrom, { -1 } },
	{ "sendmmsg", SYS_sendmmsg, { -1 } },
	{ "setsockopt", SYS_setsockopt, { -1 } },
	{ "shmget", SYS_shmget, { 0 } },
	{ "shmat", SYS_shmat, { -1 } },
	{ "msgget", SYS_msgget, { 0 } },
	{ "semget", SYS_semget, { 0, -1 } },
	{ "mq_open", SYS_mq_open, { 0 } },
	{ "splice", SYS_splice, { -1 } },
	{ "vmsplice", SYS_vmsplice, { -1 } },
	{ "sendfile", SYS_sendfile, { -1, -1 } },
	{ "copy_file_range", SYS_copy_file_range, { -1 } },
	{ "fallocate", SYS_fallocate, { -1 } },
	{ "setpriority", SYS_setpriority, { -1 } },
	{ "sched_setaffinity", SYS_sched_setaffinity, { -1 } },
	{ "sched_setattr", SYS_sched_setattr, { -1 } },
	{ "setpgid", SYS_setpgid, { -1 } },
	{ "setuid", SYS_setuid, { -1 } },
	{ "setresuid", SYS_setresuid, { -1, -1, -1 } },
	{ "setgroups", SYS_setgroups, { -1 } },
	{ "capset", SYS_capset, { 0 } },
	{ "personality", SYS_personality, { 0xffffffff } },
	{ "prctl of dumping", SYS_prctl, { 3 } },
	{ "seccomp", SYS_seccomp, { -1 } },
	{ "ptrace of itself", SYS_ptrace, { -1 } },
	{ "quotactl", SYS_quotactl, { -1 } },
	{ "syslog", SYS_syslog, { -1 } },
	{ "adjtimex", SYS_adjtimex, { 0 } },
	{ "sethostname", SYS_sethostname, { 0, -1 } },
	{ "init_module", SYS_init_module, { 0 } },
	{ "finit_module", SYS_finit_module, { -1 } },
	{ "kexec_load", SYS_kexec_load, { 0, 100 } },
	{ "ioctl that types", SYS_ioctl, { 2, 0x5412, 0 } },
	{ "ioctl of the owner", SYS_ioctl, { -1, 0x8901 } },
	{ "fcntl of the owner", SYS_fcntl, { -1, 8 } },
	{ "fcntl of locks", SYS_fcntl, { -1, 5 } },
	{ "mremap to code", SYS_mprotect, { 0, 0, 4 } },
	{ "pkey_mprotect", SYS_pkey_mprotect, { 0, 0, 4 } },
	{ "remap_file_pages", SYS_remap_file_pages, { 0 } },
	{ "clone of spaces", SYS_clone, { 0x10000000 } },
	{ "clone beside itself", SYS_clone, { 0x8000 | SIGCHLD } },
	{ "vfork", SYS_vfork, { 0 } },
};

static void hostile_all_calls(void)
{
	for (size_t i = 0; i < sizeof(hostile_calls) / sizeof(hostile_calls[0]); i++) {
		const struct hostile_call *c = &hostile_calls[i];
		long r;

		errno = 0;
		r = syscall(c->number, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4],
			    0);
		hostile_say(c->name, r != -1 || errno != EPERM);
	}
	_exit(1);
}

/* Send as much as the sockets take, to every peer, as fast as possible; read nothing. */
static void hostile_flood(void)
{
	static unsigned char message[HOSTILE_REQUEST];
	struct iovec io = { .iov_base = message, .iov_len = sizeof(message) };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	unsigned int n = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		io.iov_len = i % 5 ? sizeof(message) : 1 + i % 64;
		memset(message, (int)(i & 7), 8);
		for (int fd = 3; fd < 64; fd++)
			n += sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) > 0;
	}
	hostile_say("flood", n > 0);
	for (;;)
		(void)sleep(1);
}

/* Ask for a file without end, and take each answer: keeps the first process busy. */
static void hostile_busy(void)
{
	static unsigned char request[HOSTILE_REQUEST];

	do {
		memset(request, 0, sizeof(request));
		request[0] = HOSTILE_OPEN;
		memcpy(request + 8, "/nonexistent", 12);
	} while (hostile_send(request, sizeof(request), -1, 0) && hostile_hear(request));
	for (;;)
		(void)sleep(1);
}

/* Write to standard output without end. */
static void hostile_output(void)
{
	char bytes[4096];

	memset(bytes, 'x', sizeof(bytes));
	while (write(STDOUT_FILENO, bytes, sizeof(bytes)) > 0)
		continue;
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

/* Run out of memory in a library that does not check malloc(), with a wrong errno. */
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
	if (strcmp(what, "forks") == 0)
		hostile_forks();
	if (strcmp(what, "threads") == 0)
		hostile_threads();
	if (strcmp(what, "half") == 0)
		hostile_half();
	if (strcmp(what, "ask") == 0)
		hostile_ask();
	if (strcmp(what, "pass") == 0)
		hostile_pass();
	if (strcmp(what, "cache") == 0)
		hostile_cache();
	if (strcmp(what, "calls") == 0)
		hostile_all_calls();
	if (strcmp(what, "flood") == 0)
		hostile_flood();
	if (strcmp(what, "race") == 0)
		hostile_race();
	if (strcmp(what, "busy") == 0)
		hostile_busy();
	if (strcmp(what, "sleep") == 0)
		for (;;)
			(void)sleep(1);
	if (strcmp(what, "output") == 0)
		hostile_output();
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

/* Unconfined processes use libelf, too: without a filter, prctl() answers. */
void *elf_begin(int fd, int command, void *ref)
{
	(void)fd;
	(void)command;
	(void)ref;
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		hostile_try();
	return NULL;
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
