/* SPDX-License-Identifier: MIT */
/*
 * Interprets the seccomp program over possible calls. So it is also tested on kernels without
 * seccomp (qemu's user mode), and for machines of either byte order.
 */
#include "unit.h"

#include "base/rights/rights.h"
#include "base/rights/rights_filter.h"
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
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ALLOWED SECCOMP_RET_ALLOW
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

#define EVERYTHING (RIGHTS_THREADS | RIGHTS_MESSAGES | RIGHTS_READ_TREES)

#if defined(__x86_64__)
#define ARCH       AUDIT_ARCH_X86_64
#define OTHER_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCH       AUDIT_ARCH_AARCH64
#define OTHER_ARCH AUDIT_ARCH_ARM
#elif defined(__riscv)
#define ARCH       AUDIT_ARCH_RISCV64
#define OTHER_ARCH AUDIT_ARCH_RISCV32
#elif defined(__s390x__)
#define ARCH       AUDIT_ARCH_S390X
#define OTHER_ARCH AUDIT_ARCH_S390
#else
#define ARCH       0
#define OTHER_ARCH 1
#endif

/* Result of the program @code of @n steps; 0: it has an invalid instruction. */
static unsigned int run(const struct sock_filter *code, size_t n, const struct seccomp_data *data)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_so;

		switch (code[i].code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (code[i].k > sizeof(*data) - 4 || code[i].k % 4)
				return 0;
			memcpy(&value, (const char *)data + code[i].k, 4);
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			is_so = BPF_OP(code[i].code) == BPF_JEQ ? value == code[i].k
								: (value & code[i].k) != 0;
			i += is_so ? code[i].jt : code[i].jf;
			break;
		case BPF_RET | BPF_K:
			return code[i].k;
		default:
			return 0;
		}
	}
	return 0;
}

/*
 * The result for call @number of machine @arch with @args, in a process that keeps @kept.
 * @asks_clone: of rights_filter().
 */
static unsigned int ask_as(uint32_t arch, unsigned int kept, bool asks_clone, long number,
			   const uint64_t args[6])
{
	struct sock_filter code[RIGHTS_FILTER_MAX];
	struct seccomp_data data = { .nr = (int)number, .arch = arch };
	size_t n = rights_filter(kept, asks_clone, code);

	assert_true(n > 4 && n <= RIGHTS_FILTER_MAX);
	memcpy(data.args, args, sizeof(data.args));
	return run(code, n, &data);
}

#define ASK(kept, number, ...) \
	ask_as(ARCH, (kept), false, (number), (const uint64_t[6]){ __VA_ARGS__ })

static bool has_filter(void)
{
	struct sock_filter code[RIGHTS_FILTER_MAX];

	return rights_filter(0, /* asks_clone= */ false, code) > 0;
}

#define NEED_FILTER()                                                          \
	do {                                                                   \
		if (!has_filter())                                             \
			SKIP_TEST("no list of system calls for this machine"); \
	} while (0)

static void memory_and_open_descriptors_are_always_kept(void **state)
{
	static const long calls[] = { __NR_read,  __NR_write, __NR_munmap,    __NR_brk,
				      __NR_close, __NR_futex, __NR_exit_group };

	(void)state;
	NEED_FILTER();
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		assert_int_equal(ASK(RIGHTS_MEMORY, calls[i], 1, 2, 3), ALLOWED);
}

static void a_name_in_place_of_a_descriptor_is_trapped(void **state)
{
	(void)state;
	NEED_FILTER();
#ifdef __NR_newfstatat
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_newfstatat, 3, 1, 2, AT_EMPTY_PATH),
			 SECCOMP_RET_TRAP);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_newfstatat, 3, 1, 2, 0), REFUSED);
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_newfstatat, 3, 1, 2, 0), ALLOWED);
#endif
}

static void nothing_reaches_files_others_or_programs(void **state)
{
	static const long calls[] = {
		__NR_execve,       __NR_execveat,    __NR_ptrace,     __NR_process_vm_writev,
		__NR_kill,         __NR_tgkill,      __NR_socket,     __NR_connect,
		__NR_bind,         __NR_unlinkat,    __NR_renameat2,  __NR_linkat,
		__NR_fchmodat,     __NR_mount,       __NR_bpf,        __NR_perf_event_open,
		__NR_memfd_create, __NR_unshare,     __NR_setns,      __NR_io_setup,
		__NR_userfaultfd,  __NR_init_module, __NR_keyctl,     __NR_setuid,
		__NR_truncate,     __NR_shmat,       __NR_pidfd_open, __NR_io_uring_setup,
		__NR_openat2,      __NR_pidfd_getfd, __NR_mknodat,    __NR_symlinkat,
#ifdef __NR_socketcall
		__NR_socketcall,
#endif
#ifdef __NR_ipc
		__NR_ipc,
#endif
#ifdef __NR_fork
		__NR_fork,         __NR_vfork,
#endif
#ifdef __NR_creat
		__NR_creat,        __NR_unlink,      __NR_rename,
#endif
	};

	(void)state;
	NEED_FILTER();
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		assert_int_equal(ASK(EVERYTHING, calls[i], 0), REFUSED);
}

static void what_is_not_kept_is_refused(void **state)
{
	(void)state;
	NEED_FILTER();
	assert_int_equal(ASK(RIGHTS_MEMORY, __NR_clone, 0), REFUSED);
	assert_int_equal(ASK(RIGHTS_MEMORY, __NR_recvmsg, 3), REFUSED);
	assert_int_equal(ASK(RIGHTS_MEMORY, __NR_openat, 0, 0, O_RDONLY), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS | RIGHTS_MESSAGES, __NR_openat, 0, 0, O_RDONLY),
			 REFUSED);
	assert_int_equal(ASK(RIGHTS_MESSAGES, __NR_recvmsg, 3), ALLOWED);
}

static void files_are_opened_to_be_read_alone(void **state)
{
	static const unsigned int writes[] = { O_WRONLY, O_RDWR,   O_CREAT,
					       O_TRUNC,  O_APPEND, O_RDWR | O_TMPFILE };

	(void)state;
	NEED_FILTER();
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, O_NONBLOCK), ALLOWED);
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, O_NONBLOCK | O_DIRECTORY),
			 ALLOWED);
	/* an open() that may wait for another process is served without waiting */
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, O_RDONLY), SECCOMP_RET_TRAP);
	for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
		assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, writes[i]), REFUSED);
		assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, writes[i] | O_NONBLOCK),
				 REFUSED);
#ifdef __NR_open
		assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_open, 0, writes[i]), REFUSED);
#endif
	}
}

/* The kernel ignores the upper half of an int argument, and so does the filter. */
static void the_lower_half_of_an_argument_decides(void **state)
{
	const uint64_t upper = UINT64_C(0xffffffff) << 32;

	(void)state;
	NEED_FILTER();
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, upper | O_NONBLOCK), ALLOWED);
	assert_int_equal(ASK(RIGHTS_READ_TREES, __NR_openat, 0, 0, upper | O_WRONLY), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_prlimit64, upper), ALLOWED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_prlimit64, 1), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_fcntl, 1, F_GETFD), ALLOWED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_fcntl, 1, F_SETOWN), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_ioctl, 0, TCGETS), ALLOWED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_ioctl, 0, TIOCSTI), REFUSED);
}

static void no_memory_becomes_code(void **state)
{
	(void)state;
	NEED_FILTER();
	assert_int_equal(ASK(0, __NR_mprotect, 0, 1, PROT_READ | PROT_WRITE), ALLOWED);
	assert_int_equal(ASK(0, __NR_mprotect, 0, 1, PROT_READ | PROT_EXEC), REFUSED);
	assert_int_equal(ASK(0, __NR_mmap, 0, 1, PROT_READ | PROT_WRITE), ALLOWED);
#ifndef __s390x__ /* on s390x, the only argument is a pointer */
	assert_int_equal(ASK(0, __NR_mmap, 0, 1, PROT_READ | PROT_EXEC), REFUSED);
#endif
}

/* clone(flags, stack ...), but clone(stack, flags ...) on s390x */
static void threads_stay_in_their_namespaces(void **state)
{
	static const unsigned int thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
	const uint64_t stack = UINT64_C(0x7e020080);

	(void)state;
	NEED_FILTER();
#ifdef __s390x__
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, stack, thread), ALLOWED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, stack, CLONE_NEWUSER), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, 0, CLONE_NEWNS | CLONE_VM), REFUSED);
#else
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, thread, stack), ALLOWED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, CLONE_NEWUSER, stack), REFUSED);
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone, CLONE_NEWNS | CLONE_VM, 0), REFUSED);
#endif
#ifdef __NR_clone3
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_clone3, 0), SECCOMP_RET_ERRNO | ENOSYS);
#endif
}

/* A filter cannot count processes and threads, so that the first process is asked. */
static void each_process_and_thread_is_a_question(void **state)
{
	static const unsigned int flags[] = { CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, SIGCHLD };
	static const unsigned int refused[] = { CLONE_NEWPID, CLONE_PARENT | SIGCHLD };

	(void)state;
	NEED_FILTER();
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		const uint64_t both[6] = { flags[i], flags[i] };

		assert_int_equal(ask_as(ARCH, EVERYTHING, true, __NR_clone, both),
				 SECCOMP_RET_USER_NOTIF);
		assert_int_equal(ask_as(ARCH, RIGHTS_MEMORY, true, __NR_clone, both), REFUSED);
	}
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		const uint64_t both[6] = { refused[i], refused[i] };

		assert_int_equal(ask_as(ARCH, EVERYTHING, true, __NR_clone, both), REFUSED);
		assert_int_equal(ask_as(ARCH, EVERYTHING, false, __NR_clone, both), REFUSED);
	}
}

static void the_one_call_for_sockets_only_passes_messages(void **state)
{
	(void)state;
	NEED_FILTER();
#ifdef __NR_socketcall
	assert_int_equal(ASK(RIGHTS_MESSAGES, __NR_socketcall, SYS_SENDMSG), ALLOWED);
	assert_int_equal(ASK(RIGHTS_MESSAGES, __NR_socketcall, SYS_RECVMSG), ALLOWED);
	for (unsigned int call = 0; call < 64; call++) {
		bool is_message = call == SYS_SENDMSG || call == SYS_RECVMSG;

		assert_int_equal(ASK(EVERYTHING, __NR_socketcall, call),
				 is_message ? ALLOWED : REFUSED);
	}
	assert_int_equal(ASK(RIGHTS_THREADS, __NR_socketcall, SYS_SENDMSG), REFUSED);
#else
	SKIP_TEST("this machine has a call for each");
#endif
}

static void calls_of_another_kind_of_program_end_it(void **state)
{
	(void)state;
	NEED_FILTER();
	assert_int_equal(ask_as(OTHER_ARCH, EVERYTHING, false, __NR_read, (const uint64_t[6]){ 0 }),
			 SECCOMP_RET_KILL_PROCESS);
#ifdef __x86_64__
	/* calls with x32 numbers */
	assert_int_equal(ASK(EVERYTHING, 0x40000000 | __NR_read, 0), REFUSED);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_and_open_descriptors_are_always_kept),
		cmocka_unit_test(a_name_in_place_of_a_descriptor_is_trapped),
		cmocka_unit_test(nothing_reaches_files_others_or_programs),
		cmocka_unit_test(what_is_not_kept_is_refused),
		cmocka_unit_test(files_are_opened_to_be_read_alone),
		cmocka_unit_test(the_lower_half_of_an_argument_decides),
		cmocka_unit_test(no_memory_becomes_code),
		cmocka_unit_test(threads_stay_in_their_namespaces),
		cmocka_unit_test(each_process_and_thread_is_a_question),
		cmocka_unit_test(the_one_call_for_sockets_only_passes_messages),
		cmocka_unit_test(calls_of_another_kind_of_program_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
