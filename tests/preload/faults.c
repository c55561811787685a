/* SPDX-License-Identifier: MIT */
/*
 * Makes one call fail: the Nth malloc, read, rename ... of a program and of the
 * processes that it forks, which count together. Preloaded by tests/faults/run.py.
 *
 * $FAULTS names a file of struct faults, which is mapped and shared.
 */
#undef _FILE_OFFSET_BITS /* both names of each call are ours */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* In the order of CALLS in tests/faults/run.py. */
enum fault_call {
	FAULT_MALLOC,
	FAULT_CALLOC,
	FAULT_REALLOC,
	FAULT_READ,
	FAULT_PREAD,
	FAULT_WRITE,
	FAULT_SHORT_WRITE,
	FAULT_MMAP,
	FAULT_MREMAP,
	FAULT_RENAME,
	FAULT_OPEN,
	FAULT_FSYNC,
	FAULT_FORK,
	FAULT_SOCKET,
	FAULT_SEND,
	FAULT_RECEIVE,
	FAULT_CALLS
};

struct faults {
	uint64_t call; /* which call fails */
	uint64_t at;   /* at its so manieth use; 0: none */
	_Atomic uint64_t used[FAULT_CALLS];
};

static struct faults *faults;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
pid_t __libc_fork(void);

EXPORTED void *malloc(size_t size);
EXPORTED void *calloc(size_t n, size_t size);
EXPORTED void *realloc(void *old, size_t size);
EXPORTED ssize_t read(int fd, void *p, size_t n);
EXPORTED ssize_t pread(int fd, void *p, size_t n, off_t at);
EXPORTED ssize_t pread64(int fd, void *p, size_t n, off64_t at);
EXPORTED ssize_t write(int fd, const void *p, size_t n);
EXPORTED void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
EXPORTED void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t offset);
EXPORTED int rename(const char *from, const char *to);
EXPORTED int open(const char *path, int flags, ...);
EXPORTED int open64(const char *path, int flags, ...) __attribute__((alias("open")));
EXPORTED int fsync(int fd);
EXPORTED pid_t fork(void);
EXPORTED int socketpair(int domain, int type, int protocol, int fds[2]);
EXPORTED ssize_t sendmsg(int fd, const struct msghdr *m, int flags);
EXPORTED ssize_t recvmsg(int fd, struct msghdr *m, int flags);

static void *faults_map(void *at, size_t n, int prot, int flags, long fd, off64_t offset)
{
#ifdef __s390x__
	/* the arguments are in memory there */
	unsigned long args[6] = { (uintptr_t)at,       n,
				  (unsigned long)prot, (unsigned long)flags,
				  (unsigned long)fd,   (unsigned long)offset };

	return (void *)syscall(SYS_mmap, args);
#else
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
#endif
}

__attribute__((constructor)) static void faults_init(void)
{
	const char *path = getenv("FAULTS");
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0) : -1;
	void *p;

	if (fd < 0)
		return;
	p = faults_map(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)syscall(SYS_close, fd);
	if (p != MAP_FAILED)
		faults = p;
}

static bool faults_now(enum fault_call call, int error)
{
	uint64_t n;

	if (!faults)
		return false;
	n = atomic_fetch_add(&faults->used[call], 1) + 1;
	if (faults->call != call || faults->at != n)
		return false;
	errno = error;
	return true;
}

void *malloc(size_t size)
{
	return faults_now(FAULT_MALLOC, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return faults_now(FAULT_CALLOC, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return faults_now(FAULT_REALLOC, ENOMEM) ? NULL : __libc_realloc(old, size);
}

ssize_t read(int fd, void *p, size_t n)
{
	return faults_now(FAULT_READ, EIO) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	return faults_now(FAULT_PREAD, EIO) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	return pread64(fd, p, n, at);
}

/* What is said on standard error arrives: it is what the test looks at. */
ssize_t write(int fd, const void *p, size_t n)
{
	if (fd == STDERR_FILENO)
		return syscall(SYS_write, fd, p, n);
	if (faults_now(FAULT_WRITE, ENOSPC))
		return -1;
	if (faults_now(FAULT_SHORT_WRITE, 0) && n > 1)
		n /= 2;
	return syscall(SYS_write, fd, p, n);
}

void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t offset)
{
	if (faults_now(FAULT_MMAP, ENOMEM))
		return MAP_FAILED;
	return faults_map(at, n, prot, flags, fd, offset);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	return mmap64(at, n, prot, flags, fd, offset);
}

int rename(const char *from, const char *to)
{
	return faults_now(FAULT_RENAME, EIO)
		       ? -1
		       : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return faults_now(FAULT_OPEN, EMFILE)
		       ? -1
		       : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fsync(int fd)
{
	return faults_now(FAULT_FSYNC, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

pid_t fork(void)
{
	return faults_now(FAULT_FORK, EAGAIN) ? -1 : __libc_fork();
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
	return faults_now(FAULT_SOCKET, EMFILE)
		       ? -1
		       : (int)syscall(SYS_socketpair, domain, type, protocol, fds);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	return faults_now(FAULT_SEND, ENOBUFS) ? -1 : syscall(SYS_sendmsg, fd, m, flags);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	return faults_now(FAULT_RECEIVE, ENOMEM) ? -1 : syscall(SYS_recvmsg, fd, m, flags);
}
