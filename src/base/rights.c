/* SPDX-License-Identifier: MIT */
#include "base/rights.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RIGHTS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define RIGHTS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define RIGHTS_ARCH AUDIT_ARCH_RISCV64
#endif

/* linux/landlock.h, which older systems lack, in the words of its seventh version */
#define LANDLOCK_CREATE   444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION  1u
#define LANDLOCK_BENEATH  1
#define LANDLOCK_READ     (UINT64_C(1) << 2 | UINT64_C(1) << 3) /* files, folders */
#define LANDLOCK_FILE     (UINT64_C(1) << 2)

#define RIGHTS_WRITES \
	(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))
#define RIGHTS_SPACES 0x7e020080u /* CLONE_NEW* */

bool rights_limit_soft(int what, uint64_t soft, uint64_t hard)
{
	struct rlimit now;
	struct rlimit limit = { .rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard };

	if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < limit.rlim_max)
		limit.rlim_max = now.rlim_max;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

bool rights_limit(int what, uint64_t value)
{
	return rights_limit_soft(what, value, value);
}

bool rights_no_new(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

int rights_landlock_version(void)
{
	long version = RIGHTS_SANITIZED ? 0 : syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);

	return version > 0 ? (int)version : 0;
}

static void rights_allow_tree(int ruleset, const char *path)
{
	struct __attribute__((packed)) {
		uint64_t allowed;
		int32_t parent_fd;
	} rule = { LANDLOCK_READ, open(path, O_PATH | O_CLOEXEC | O_DIRECTORY) };

	if (rule.parent_fd < 0) {
		rule.allowed = LANDLOCK_FILE;
		rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	}
	if (rule.parent_fd < 0)
		return;
	(void)syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_BENEATH, &rule, 0);
	(void)close(rule.parent_fd);
}

bool rights_landlock(const char *const *trees, size_t n_trees)
{
	struct {
		uint64_t files;
		uint64_t net;
		uint64_t scopes;
	} handled = { 0x1fff, 0, 0 }; /* every right of the first version */
	size_t size = sizeof(handled.files);
	int version = rights_landlock_version();
	long fd;
	bool is_done;

	if (version <= 0)
		return false;
	if (version >= 2)
		handled.files |= UINT64_C(1) << 13;
	if (version >= 3)
		handled.files |= UINT64_C(1) << 14;
	if (version >= 4) {
		handled.net = 3;
		size = 2 * sizeof(uint64_t);
	}
	if (version >= 5)
		handled.files |= UINT64_C(1) << 15;
	if (version >= 6) {
		handled.scopes = 3;
		size = sizeof(handled);
	}
	fd = syscall(LANDLOCK_CREATE, &handled, size, 0);
	if (fd < 0)
		return false;
	for (size_t i = 0; i < n_trees; i++)
		rights_allow_tree((int)fd, trees[i]);
	is_done = syscall(LANDLOCK_RESTRICT, (int)fd, 0) == 0;
	(void)close((int)fd);
	return is_done;
}

bool rights_has_seccomp(void)
{
#ifdef RIGHTS_ARCH
	/* no filter is given: EFAULT says that one could be */
	return !RIGHTS_SANITIZED && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 &&
	       errno == EFAULT;
#else
	return false;
#endif
}

#ifdef RIGHTS_ARCH
enum rights_when {
	WHEN_ALWAYS,
	WHEN_WITHOUT, /* argument has none of the bits */
	WHEN_WITH,    /* it has one of them */
	WHEN_IS,      /* it is this */
};

struct rights_call {
	unsigned int kept; /* enum rights_kept that needs it; 0: all */
	long number;
	enum rights_when when;
	unsigned int argument;
	unsigned int value;
};

/* None of these opens a file to be written, maps code, starts a program or reaches another process.
 */
static const struct rights_call rights_calls[] = {
	{ 0, __NR_write, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_read, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_madvise, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_mmap, WHEN_WITHOUT, 2, PROT_EXEC },
	{ 0, __NR_munmap, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_mremap, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_mprotect, WHEN_WITHOUT, 2, PROT_EXEC },
	{ 0, __NR_brk, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_pread64, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_lseek, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_fstat, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_close, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_futex, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_getrandom, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_rt_sigreturn, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_rt_sigprocmask, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_gettid, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_exit, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_exit_group, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_newfstatat
	/* fstat() of some C libraries: of an open descriptor, never of a name alone */
	{ 0, __NR_newfstatat, WHEN_WITH, 3, AT_EMPTY_PATH },
	{ RIGHTS_READ_TREES, __NR_newfstatat, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_clone, WHEN_WITHOUT, 0, RIGHTS_SPACES },
	{ RIGHTS_THREADS, __NR_set_robust_list, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_rseq
	{ RIGHTS_THREADS, __NR_rseq, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_set_tid_address, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_sched_getaffinity, WHEN_IS, 0, 0 },
	{ RIGHTS_THREADS, __NR_sched_yield, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_rt_sigaction, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_sigaltstack, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_wait4, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_pipe2, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_poll
	{ RIGHTS_THREADS, __NR_poll, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_ppoll, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_DUPFD },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_DUPFD_CLOEXEC },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_GETFD },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_SETFD },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_GETFL },
	{ RIGHTS_THREADS, __NR_fcntl, WHEN_IS, 1, F_SETPIPE_SZ },
#ifdef __NR_dup2
	{ RIGHTS_THREADS, __NR_dup2, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_dup3, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_close_range
	{ RIGHTS_THREADS, __NR_close_range, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_prlimit64, WHEN_IS, 0, 0 },
#ifdef __NR_getrlimit
	{ RIGHTS_THREADS, __NR_getrlimit, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_setrlimit, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_THREADS, __NR_prctl, WHEN_IS, 0, PR_SET_PDEATHSIG },
	{ RIGHTS_THREADS, __NR_prctl, WHEN_IS, 0, PR_SET_NO_NEW_PRIVS },
	{ RIGHTS_THREADS, __NR_prctl, WHEN_IS, 0, PR_SET_SECCOMP },
	{ RIGHTS_THREADS, __NR_getpid, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_getppid, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_getrusage, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_sysinfo, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_uname, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_clock_gettime, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_clock_nanosleep, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_writev, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_pwrite64, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_ftruncate, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_fadvise64, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_THREADS, __NR_ioctl, WHEN_IS, 1, TCGETS },
	{ RIGHTS_THREADS, __NR_ioctl, WHEN_IS, 1, TIOCGWINSZ },
	{ RIGHTS_MESSAGES, __NR_sendmsg, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_MESSAGES, __NR_recvmsg, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_open
	{ RIGHTS_READ_TREES, __NR_open, WHEN_WITHOUT, 1, RIGHTS_WRITES },
	{ RIGHTS_READ_TREES, __NR_access, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_readlink, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_stat, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_lstat, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_READ_TREES, __NR_openat, WHEN_WITHOUT, 2, RIGHTS_WRITES },
	{ RIGHTS_READ_TREES, __NR_getdents64, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_statx, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_faccessat, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_faccessat2
	{ RIGHTS_READ_TREES, __NR_faccessat2, WHEN_ALWAYS, 0, 0 },
#endif
	{ RIGHTS_READ_TREES, __NR_readlinkat, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_getcwd, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_fstatfs, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_getuid, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_geteuid, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_getgid, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_getegid, WHEN_ALWAYS, 0, 0 },
};

#define RIGHTS_LOAD(field) \
	(struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(field))
#define RIGHTS_RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (unsigned)(what))
#define RIGHTS_IF(op, k, f) \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, (unsigned)(k), 0, (f))
#define RIGHTS_UNLESS(op, k, t) \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, (unsigned)(k), (t), 0)

/* At @code: allow @c, or go on behind it with the number loaded. */
static size_t rights_rule(struct sock_filter *code, const struct rights_call *c)
{
	if (c->when == WHEN_ALWAYS) {
		code[0] = RIGHTS_IF(BPF_JEQ, c->number, 1);
		code[1] = RIGHTS_RETURN(SECCOMP_RET_ALLOW);
		return 2;
	}
	code[0] = RIGHTS_IF(BPF_JEQ, c->number, 4);
	code[1] = RIGHTS_LOAD(offsetof(struct seccomp_data, args) + 8 * c->argument);
	if (c->when == WHEN_WITHOUT)
		code[2] = RIGHTS_UNLESS(BPF_JSET, c->value, 1);
	else
		code[2] = RIGHTS_IF(c->when == WHEN_IS ? BPF_JEQ : BPF_JSET, c->value, 1);
	code[3] = RIGHTS_RETURN(SECCOMP_RET_ALLOW);
	code[4] = RIGHTS_LOAD(offsetof(struct seccomp_data, nr));
	return 5;
}

bool rights_seccomp(unsigned int kept)
{
	struct sock_filter code[8 + 5 * ARRAY_LEN(rights_calls)];
	struct sock_fprog program = { .filter = code };
	size_t n = 0;

	if (RIGHTS_SANITIZED)
		return false;
	code[n++] = RIGHTS_LOAD(offsetof(struct seccomp_data, arch));
	code[n++] = RIGHTS_UNLESS(BPF_JEQ, RIGHTS_ARCH, 1);
	code[n++] = RIGHTS_RETURN(SECCOMP_RET_KILL_PROCESS);
	code[n++] = RIGHTS_LOAD(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_LEN(rights_calls); i++) {
		if (rights_calls[i].kept == 0 || (rights_calls[i].kept & kept))
			n += rights_rule(code + n, &rights_calls[i]);
	}
#ifdef __NR_clone3
	/* its flags are in memory: the C library takes clone() then */
	code[n++] = RIGHTS_IF(BPF_JEQ, __NR_clone3, 1);
	code[n++] = RIGHTS_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
	code[n++] = RIGHTS_RETURN(SECCOMP_RET_ERRNO | EPERM);
	program.len = (unsigned short)n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
bool rights_seccomp(unsigned int kept)
{
	(void)kept;
	return false;
}
#endif

static void rights_close_from(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0u) == 0)
		return;
#endif
	for (unsigned int fd = first; fd <= last && fd < 65536; fd++)
		(void)close((int)fd);
}

void rights_close(const int *keep, size_t n_keep)
{
	unsigned int from = 0;

	for (;;) {
		unsigned int next = UINT_MAX;

		for (size_t i = 0; i < n_keep; i++) {
			if (keep[i] >= 0 && (unsigned int)keep[i] >= from &&
			    (unsigned int)keep[i] < next)
				next = (unsigned int)keep[i];
		}
		if (next == UINT_MAX)
			break;
		if (next > from)
			rights_close_from(from, next - 1);
		from = next + 1;
	}
	rights_close_from(from, UINT_MAX);
}
