/* SPDX-License-Identifier: MIT */
#include "base/confined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define CONFINED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CONFINED_ASAN 1
#endif
#endif
#ifndef CONFINED_ASAN
#define CONFINED_ASAN 0
#endif

#define CONFINED_IN_FD      3
#define CONFINED_OUT_FD     4
#define CONFINED_PIPE_BYTES (1 << 20)
#define CONFINED_NO_START   125 /* exit status: the child could not be confined */

#if defined(__x86_64__)
#define CONFINED_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINED_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define CONFINED_ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef CONFINED_ARCH
#define CONFINED_ALLOW(nr)                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(nr), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Allowed as long as argument @n has none of @bits set. */
#define CONFINED_ALLOW_WITHOUT(nr, n, bits)                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(nr), 0, 4),                          \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n])), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1),                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),                       \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Calls on memory and on descriptors that are open; none opens, maps code, signals or forks. */
static bool confined_seccomp(void)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINED_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		CONFINED_ALLOW(__NR_write),
		CONFINED_ALLOW(__NR_read),
		CONFINED_ALLOW(__NR_pread64),
		CONFINED_ALLOW(__NR_lseek),
		CONFINED_ALLOW(__NR_brk),
		CONFINED_ALLOW(__NR_munmap),
		CONFINED_ALLOW(__NR_mremap),
		CONFINED_ALLOW(__NR_madvise),
		CONFINED_ALLOW(__NR_fstat),
		CONFINED_ALLOW(__NR_close),
		CONFINED_ALLOW(__NR_futex),
		CONFINED_ALLOW(__NR_getrandom),
		CONFINED_ALLOW(__NR_rt_sigreturn),
		CONFINED_ALLOW(__NR_rt_sigprocmask),
		CONFINED_ALLOW(__NR_sigaltstack), /* these two for AddressSanitizer */
		CONFINED_ALLOW(__NR_gettid),
		CONFINED_ALLOW(__NR_exit),
		CONFINED_ALLOW(__NR_exit_group),
		CONFINED_ALLOW_WITHOUT(__NR_mmap, 2, PROT_EXEC),
		CONFINED_ALLOW_WITHOUT(__NR_mprotect, 2, PROT_EXEC),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_filter copy[ARRAY_LEN(code)];
	struct sock_fprog program = { .len = ARRAY_LEN(code), .filter = copy };

	for (size_t i = 0; i < ARRAY_LEN(code); i++)
		copy[i] = code[i];
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
static bool confined_seccomp(void)
{
	return false;
}
#endif

/* No file can be opened by name any more, on kernels that have Landlock. */
static void confined_landlock(void)
{
#ifdef SYS_landlock_create_ruleset
	uint64_t handled = 0x1fff; /* every right of the first version */
	long fd = syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);

	if (fd < 0)
		return;
	(void)syscall(SYS_landlock_restrict_self, (int)fd, 0);
	(void)close((int)fd);
#endif
}

static uint64_t confined_memory_now(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f) {
		if (fscanf(f, "%llu", &pages) != 1)
			pages = 0;
		(void)fclose(f);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool confined_limit(int what, uint64_t value)
{
	struct rlimit now;
	struct rlimit limit = { .rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < limit.rlim_max)
		limit.rlim_cur = limit.rlim_max = now.rlim_max;
	return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

/* Close all but the two descriptors, which become CONFINED_IN_FD and CONFINED_OUT_FD. */
static bool confined_descriptors(int in_fd, int out_fd)
{
	int in = in_fd >= 0 ? fcntl(in_fd, F_DUPFD, 10) : -1;
	int out = fcntl(out_fd, F_DUPFD, 10);

	if (out < 0 || (in_fd >= 0 && in < 0) || dup2(out, CONFINED_OUT_FD) < 0)
		return false;
	if (in >= 0 && dup2(in, CONFINED_IN_FD) < 0)
		return false;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 5u, ~0u, 0u) != 0)
#endif
	{
		long n = sysconf(_SC_OPEN_MAX);

		for (int fd = 5; fd < (n > 65536 || n < 0 ? 65536 : (int)n); fd++)
			(void)close(fd);
	}
	(void)close(0);
	(void)close(1);
	(void)close(2);
	return true;
}

static void confined_child(const struct confined_options *o, int out_fd, confined_run *run,
			   void *arg)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS, SIGXCPU };
	bool limits = true;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < ARRAY_LEN(signals) && !CONFINED_ASAN; i++)
		(void)signal(signals[i], SIG_DFL);
	if (!CONFINED_ASAN)
		limits &= confined_limit(RLIMIT_AS, confined_memory_now() + o->memory);
	limits &= confined_limit(RLIMIT_CPU, o->seconds);
	limits &= confined_limit(RLIMIT_CORE, 0);
	limits &= confined_limit(RLIMIT_NPROC, 0);
	limits &= confined_limit(RLIMIT_FSIZE, 0);
	if (!limits || !confined_descriptors(o->in_fd, out_fd) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		_exit(CONFINED_NO_START);
	confined_landlock();
	(void)confined_seccomp();
	_exit(run(arg, o->in_fd >= 0 ? CONFINED_IN_FD : -1, CONFINED_OUT_FD));
}

int confined_start(struct confined *c, const struct confined_options *options, confined_run *run,
		   void *arg, struct error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return fail(err, ERR_IO, "cannot make a pipe: %m");
	(void)fcntl(fds[1], F_SETPIPE_SZ, CONFINED_PIPE_BYTES);
	c->seconds = options->seconds;
	c->fd = fds[0];
	c->pid = fork();
	if (c->pid < 0) {
		(void)close(fds[0]);
		(void)close(fds[1]);
		return fail(err, ERR_IO, "cannot start another process: %m");
	}
	if (c->pid == 0)
		confined_child(options, fds[1], run, arg);
	(void)close(fds[1]);
	return OK;
}

ssize_t confined_read(struct confined *c, void *buf, size_t size)
{
	for (;;) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		ssize_t n = poll(&p, 1, (int)(c->seconds * 1000));

		if (n == 0)
			return ERR_CANCELED;
		if (n > 0) {
			n = read(c->fd, buf, size);
			if (n >= 0)
				return n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return ERR_IO;
	}
}

int confined_finish(struct confined *c, bool kill_it, struct error *err)
{
	int status = 0;

	(void)close(c->fd);
	if (kill_it)
		(void)kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return fail(err, ERR_IO, "lost sight of the process that reads it: %m");
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && kill_it)
		return fail(err, ERR_CANCELED, "reading it was given up");
	/* the kernel says SIGKILL where the two limits of processor time are equal */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return fail(err, ERR_CANCELED, "reading it took more than %u s, or was ended",
			    c->seconds);
	if (WIFSIGNALED(status))
		return fail(err, ERR_FORMAT, "it is damaged: the library that reads it crashed");
	if (WEXITSTATUS(status) == CONFINED_NO_START)
		return fail(err, ERR_IO, "cannot confine the process that reads it");
	if (WEXITSTATUS(status) != 0)
		return fail(err, ERR_FORMAT, "it is damaged: the library that reads it gave up");
	return OK;
}
