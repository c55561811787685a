/* SPDX-License-Identifier: MIT */
/* The seccomp program: the system calls that a confined process keeps. */
#include "base/rights/rights_filter.h"

#include "base/rights/rights.h"
#include "base/status.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/net.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define RIGHTS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define RIGHTS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define RIGHTS_ARCH AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define RIGHTS_ARCH AUDIT_ARCH_S390X
#endif

#define RIGHTS_WRITES \
	(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))
#define RIGHTS_SPACES 0x7e020080u /* the flags CLONE_NEW* of clone(), which create namespaces */
#ifdef __s390x__
/* index of clone()'s argument with the flags: on s390x, its first argument is the stack */
#define RIGHTS_CLONE_FLAGS 1
#else
#define RIGHTS_CLONE_FLAGS 0
#endif

bool rights_has_seccomp(void)
{
#ifdef RIGHTS_ARCH
	/*
	 * this call passes no filter; the error EFAULT shows that the kernel supports seccomp
	 * filters
	 */
	return !RIGHTS_SANITIZED && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 &&
	       errno == EFAULT;
#else
	return false;
#endif
}

#ifdef RIGHTS_ARCH
enum rights_when {
	WHEN_ALWAYS,
	WHEN_WITHOUT, /* allow the call if the argument has no bit of `value` */
	WHEN_IS,      /* allow the call if the argument is equal to `value` */
	WHEN_TRAP,    /* if the argument has a bit of `value`, rights_trap() serves the call */
	/* if the argument has no bit of `value`, rights_trap() serves the call */
	WHEN_TRAP_WITHOUT,
	WHEN_REFUSED, /* if the argument has a bit of `value`, the call fails with EPERM */
	/* as WHEN_WITHOUT, but with rights_seccomp_asking() another process decides */
	WHEN_ASKED,
};

struct rights_call {
	/*
	 * the call needs one of these flags of enum rights_kept; 0: all processes may make the call
	 */
	unsigned int kept;
	long number;
	enum rights_when when;
	unsigned int argument;
	unsigned int value;
};

/*
 * System calls that a confined process may make. Under the given conditions, they do not open a
 * file for writing, map code, start a program, or signal or connect to another process. Exception:
 * mmap() can map code on s390x.
 */
static const struct rights_call rights_calls[] = {
	{ 0, __NR_write, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_read, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_madvise, WHEN_ALWAYS, 0, 0 },
#ifdef __s390x__
	/*
	 * on s390x the arguments are in memory, which a filter cannot read, so this call can map
	 * code
	 */
	{ 0, __NR_mmap, WHEN_ALWAYS, 0, 0 },
#else
	{ 0, __NR_mmap, WHEN_WITHOUT, 2, PROT_EXEC },
#endif
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
#ifdef __NR_sigreturn
	{ 0, __NR_sigreturn, WHEN_ALWAYS, 0, 0 },
#endif
	{ 0, __NR_rt_sigprocmask, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_gettid, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_exit, WHEN_ALWAYS, 0, 0 },
	{ 0, __NR_exit_group, WHEN_ALWAYS, 0, 0 },
#ifdef __NR_newfstatat
	{ RIGHTS_READ_TREES, __NR_newfstatat, WHEN_ALWAYS, 0, 0 },
	/*
	 * Some C libraries call newfstatat() with an empty path for fstat(). With another path, the
	 * call would reveal the status of any file. So rights_trap() checks that the path is empty.
	 */
	{ 0, __NR_newfstatat, WHEN_TRAP, 3, AT_EMPTY_PATH },
#endif
	{ RIGHTS_THREADS, __NR_clone, WHEN_ASKED, RIGHTS_CLONE_FLAGS,
	  RIGHTS_SPACES | CLONE_PARENT },
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
#ifdef __NR_socketcall
	/*
	 * socketcall(), which C libraries for old kernels use; the first argument selects the
	 * operation
	 */
	{ RIGHTS_MESSAGES, __NR_socketcall, WHEN_IS, 0, SYS_SENDMSG },
	{ RIGHTS_MESSAGES, __NR_socketcall, WHEN_IS, 0, SYS_RECVMSG },
#endif
#ifdef __NR_open
	{ RIGHTS_READ_TREES, __NR_open, WHEN_REFUSED, 1, RIGHTS_WRITES },
	{ RIGHTS_READ_TREES, __NR_open, WHEN_TRAP_WITHOUT, 1, O_NONBLOCK },
	{ RIGHTS_READ_TREES, __NR_open, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_access, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_readlink, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_stat, WHEN_ALWAYS, 0, 0 },
	{ RIGHTS_READ_TREES, __NR_lstat, WHEN_ALWAYS, 0, 0 },
#endif
	/*
	 * A library that opens a named pipe in an untrusted folder would wait forever. So
	 * rights_trap() opens with O_NONBLOCK.
	 */
	{ RIGHTS_READ_TREES, __NR_openat, WHEN_REFUSED, 2, RIGHTS_WRITES },
	{ RIGHTS_READ_TREES, __NR_openat, WHEN_TRAP_WITHOUT, 2, O_NONBLOCK },
	{ RIGHTS_READ_TREES, __NR_openat, WHEN_ALWAYS, 0, 0 },
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
/* offset of the low 32 bits of argument @i; all flags to check are in these bits */
#define RIGHTS_ARGUMENT(i)                               \
	(offsetof(struct seccomp_data, args) + 8 * (i) + \
	 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))
#define RIGHTS_RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (unsigned)(what))
#define RIGHTS_IF(op, k, f) \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, (unsigned)(k), 0, (f))
#define RIGHTS_UNLESS(op, k, t) \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, (unsigned)(k), (t), 0)

static unsigned int rights_result(enum rights_when when, bool asks_clone)
{
	switch (when) {
	case WHEN_ASKED:
		return asks_clone ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
	case WHEN_TRAP:
	case WHEN_TRAP_WITHOUT:
		return SECCOMP_RET_TRAP;
	case WHEN_REFUSED:
		return SECCOMP_RET_ERRNO | EPERM;
	default:
		return SECCOMP_RET_ALLOW;
	}
}

/*
 * Write the instructions for the system call @c->number to @code. If the argument meets the
 * condition c->when, the filter returns rights_result(). For other arguments and other calls, the
 * filter goes on to the next instruction, with the call's number in the accumulator. Returns the
 * number of instructions.
 */
static size_t rights_rule(struct sock_filter *code, const struct rights_call *c, bool asks_clone)
{
	if (c->when == WHEN_ALWAYS) {
		code[0] = RIGHTS_IF(BPF_JEQ, c->number, 1);
		code[1] = RIGHTS_RETURN(SECCOMP_RET_ALLOW);
		return 2;
	}
	code[0] = RIGHTS_IF(BPF_JEQ, c->number, 4);
	code[1] = RIGHTS_LOAD(RIGHTS_ARGUMENT(c->argument));
	code[3] = RIGHTS_RETURN(rights_result(c->when, asks_clone));
	if (c->when == WHEN_WITHOUT || c->when == WHEN_TRAP_WITHOUT || c->when == WHEN_ASKED)
		code[2] = RIGHTS_UNLESS(BPF_JSET, c->value, 1);
	else
		code[2] = RIGHTS_IF(c->when == WHEN_IS ? BPF_JEQ : BPF_JSET, c->value, 1);
	code[4] = RIGHTS_LOAD(offsetof(struct seccomp_data, nr));
	return 5;
}

size_t rights_filter(unsigned int kept, bool asks_clone, struct sock_filter *ret)
{
	size_t n = 0;

	_Static_assert(8 + 5 * ARRAY_LEN(rights_calls) <= RIGHTS_FILTER_MAX, "a longer filter");
	ret[n++] = RIGHTS_LOAD(offsetof(struct seccomp_data, arch));
	ret[n++] = RIGHTS_UNLESS(BPF_JEQ, RIGHTS_ARCH, 1);
	ret[n++] = RIGHTS_RETURN(SECCOMP_RET_KILL_PROCESS);
	ret[n++] = RIGHTS_LOAD(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_LEN(rights_calls); i++) {
		if (rights_calls[i].kept == 0 || (rights_calls[i].kept & kept))
			n += rights_rule(ret + n, &rights_calls[i], asks_clone);
	}
#ifdef __NR_clone3
	/*
	 * A filter cannot check the flags of clone3(), because they are in memory. After ENOSYS the
	 * C library calls clone() instead.
	 */
	ret[n++] = RIGHTS_IF(BPF_JEQ, __NR_clone3, 1);
	ret[n++] = RIGHTS_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
	ret[n++] = RIGHTS_RETURN(SECCOMP_RET_ERRNO | EPERM);
	return n;
}
#else
size_t rights_filter(unsigned int kept, bool asks_clone, struct sock_filter *ret)
{
	(void)kept;
	(void)asks_clone;
	(void)ret;
	return 0;
}
#endif

/* RIGHTS_REGISTER(): argument @i of a trapped system call. RIGHTS_ANSWER(): set its result. */
#if defined(__x86_64__)
#define RIGHTS_REGISTER(c, i) \
	((c)->uc_mcontext.gregs[(i) == 0 ? REG_RDI : (i) == 1 ? REG_RSI : REG_RDX])
#define RIGHTS_ANSWER(c, r) ((c)->uc_mcontext.gregs[REG_RAX] = (r))
#elif defined(__aarch64__)
#define RIGHTS_REGISTER(c, i) ((c)->uc_mcontext.regs[i])
#define RIGHTS_ANSWER(c, r)   ((c)->uc_mcontext.regs[0] = (unsigned long long)(r))
#elif defined(__riscv) && __riscv_xlen == 64
#define RIGHTS_REGISTER(c, i) ((c)->uc_mcontext.__gregs[REG_A0 + (i)])
#define RIGHTS_ANSWER(c, r)   ((c)->uc_mcontext.__gregs[REG_A0] = (unsigned long)(r))
#elif defined(__s390x__)
#define RIGHTS_REGISTER(c, i) ((c)->uc_mcontext.gregs[2 + (i)])
#define RIGHTS_ANSWER(c, r)   ((c)->uc_mcontext.gregs[2] = (unsigned long)(r))
#endif

#ifdef RIGHTS_ANSWER
/*
 * Serve a trapped open(). Opens the file with O_NONBLOCK, so that the call does not wait for the
 * writer of a named pipe, and refuses pipes. O_NONBLOCK has no effect on regular files and folders.
 * Returns a descriptor, or -errno.
 */
static long rights_open(int folder, const char *path, unsigned int flags)
{
	long fd = syscall(__NR_openat, folder, path, flags | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (syscall(__NR_fstat, (int)fd, &st) == 0 && !S_ISFIFO(st.st_mode))
		return fd;
	(void)close((int)fd);
	return -ENXIO;
}

/*
 * Signal handler that serves a trapped system call. The filter also applies to the calls of this
 * function, so the process gains no right. The call newfstatat(fd, "", buffer, AT_EMPTY_PATH)
 * becomes fstat(fd, buffer).
 */
static void rights_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	const char *path = (const char *)RIGHTS_REGISTER(c, 1);
	int error = errno;
	long r = -EPERM;

	(void)number;
	if (info->si_syscall == __NR_openat)
		r = rights_open((int)RIGHTS_REGISTER(c, 0), path,
				(unsigned int)RIGHTS_REGISTER(c, 2));
#ifdef __NR_open
	if (info->si_syscall == __NR_open)
		r = rights_open(AT_FDCWD, (const char *)RIGHTS_REGISTER(c, 0),
				(unsigned int)RIGHTS_REGISTER(c, 1));
#endif
#ifdef __NR_newfstatat
	if (info->si_syscall == __NR_newfstatat && path && path[0] == '\0') {
		r = syscall(__NR_fstat, (int)RIGHTS_REGISTER(c, 0), RIGHTS_REGISTER(c, 2));
		r = r < 0 ? -errno : r;
	}
#endif
	RIGHTS_ANSWER(c, r);
	errno = error;
}
#endif

static void rights_catch(void)
{
#ifdef RIGHTS_ANSWER
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	act.sa_sigaction = rights_trap;
	(void)sigaction(SIGSYS, &act, NULL);
#endif
}

bool rights_seccomp(unsigned int kept)
{
	struct sock_filter code[RIGHTS_FILTER_MAX];
	struct sock_fprog program = { .filter = code };

	if (RIGHTS_SANITIZED)
		return false;
	rights_catch();
	program.len = (unsigned short)rights_filter(kept, /* asks_clone= */ false, code);
	return program.len > 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int rights_seccomp_asking(unsigned int kept)
{
#if defined(RIGHTS_ARCH) && defined(SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
	/*
	 * TSYNC_ESRCH makes this call fail before Linux 5.7. Kernels before 5.5 do not know the
	 * answer "continue" to a question. TSYNC_ESRCH needs TSYNC, which has no effect here,
	 * because this process has one thread.
	 */
	const unsigned int flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
				   SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
	struct sock_filter code[RIGHTS_FILTER_MAX];
	struct sock_fprog program = { .filter = code };

	if (RIGHTS_SANITIZED)
		return -1;
	rights_catch();
	program.len = (unsigned short)rights_filter(kept, /* asks_clone= */ true, code);
	return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
#else
	(void)kept;
	return -1;
#endif
}
