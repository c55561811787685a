/* SPDX-License-Identifier: MIT */
/*
 * Makes one call fail: a malloc, read, rename ... of a program and its forked processes, which
 * count together. Preloaded by tests/faults/run.py.
 *
 * The call stack identifies a place: the return addresses of the innermost frames, relative to
 * their objects. $FAULTS names a file of struct faults, which is mapped and shared, and counts
 * the calls at each place.
 */
#undef _FILE_OFFSET_BITS /* so that open() and open64() can both be defined */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fts.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORTED       __attribute__((visibility("default")))
#define FAULTS_STACKS  (1u << 16)
#define FAULTS_FRAMES  32
#define FAULTS_OBJECTS 96u
#define FAULTS_TEXT    8192u

/* In the order of CALLS in tests/faults/run.py. */
enum fault_call {
	FAULT_MALLOC,
	FAULT_CALLOC,
	FAULT_REALLOC,
	FAULT_ALIGNED,
	FAULT_READ,
	FAULT_SHORT_READ,
	FAULT_READ_AGAIN,
	FAULT_PREAD,
	FAULT_SHORT_PREAD,
	FAULT_WRITE,
	FAULT_SHORT_WRITE,
	FAULT_WRITE_AGAIN,
	FAULT_PWRITE,
	FAULT_WRITEV,
	FAULT_SHORT_WRITEV,
	FAULT_MMAP,
	FAULT_MREMAP,
	FAULT_RENAME,
	FAULT_LINK,
	FAULT_OPEN,
	FAULT_OPENAT,
	FAULT_FOPEN,
	FAULT_LINE,
	FAULT_OPENDIR,
	FAULT_READDIR,
	FAULT_FSTAT,
	FAULT_FTRUNCATE,
	FAULT_FSYNC,
	FAULT_CLOSE,
	FAULT_FORK,
	FAULT_THREAD,
	FAULT_PIPE,
	FAULT_SOCKET,
	FAULT_SEND,
	FAULT_SEND_AGAIN,
	FAULT_RECEIVE,
	FAULT_RECEIVE_AGAIN,
	FAULT_POLL_AGAIN,
	FAULT_WAIT_AGAIN,
	FAULT_SETRLIMIT,
	FAULT_PERF_EVENT,
	FAULT_STAT,
	FAULT_DUP,
	FAULT_MKDIR,
	FAULT_FTS,
	FAULT_FLUSH,
	FAULT_MEMFD,
	FAULT_IOCTL,
	FAULT_SIGNALFD,
	FAULT_EPOLL,
	FAULT_EPOLL_AGAIN,
	FAULT_ORDER,
	FAULT_CALLS
};

struct faults_stack {
	_Atomic uint64_t key; /* 0: empty */
	_Atomic uint64_t used;
};

struct faults {
	uint64_t key;     /* hash of the failing place: of its stack and its call */
	uint64_t at;      /* the use of the place that fails, from 1; 0: only count */
	uint64_t onwards; /* later failures: 1: all of that kind; 2: all memory mappings */
	uint64_t show;    /* write the stack of the failed call to text */
	_Atomic uint64_t matched;
	_Atomic uint64_t failed;
	struct faults_stack stacks[FAULTS_STACKS];
	char text[FAULTS_TEXT]; /* stack of the failed call, a frame a line */
};

struct faults_object {
	uintptr_t start;
	uintptr_t end;
};

static struct faults *faults;
static struct faults_object faults_objects[FAULTS_OBJECTS];
static size_t n_faults_objects;
static __thread bool faults_are_busy;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
pid_t __libc_fork(void);

/* The real function, which the one in this library replaces. */
#define REAL(name)                                                    \
	({                                                            \
		static __typeof__(&name) real_;                       \
		if (!real_)                                           \
			*(void **)(&real_) = dlsym(RTLD_NEXT, #name); \
		real_;                                                \
	})

static void *faults_map(void *at, size_t n, int prot, int flags, long fd, off64_t offset)
{
#ifdef __s390x__
	/* on s390x, mmap() reads its arguments from memory */
	unsigned long args[6] = { (uintptr_t)at,       n,
				  (unsigned long)prot, (unsigned long)flags,
				  (unsigned long)fd,   (unsigned long)offset };

	return (void *)REAL(syscall)(SYS_mmap, args);
#else
	return (void *)REAL(syscall)(SYS_mmap, at, n, prot, flags, fd, offset);
#endif
}

static int faults_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct faults_object *o = &faults_objects[n_faults_objects];

	(void)size;
	(void)arg;
	if (n_faults_objects == FAULTS_OBJECTS)
		return 1;
	*o = (struct faults_object){ UINTPTR_MAX, 0 };
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		o->start = start < o->start ? start : o->start;
		o->end = start + p->p_memsz > o->end ? start + p->p_memsz : o->end;
	}
	n_faults_objects++;
	return 0;
}

__attribute__((constructor)) static void faults_init(void)
{
	const char *path = getenv("FAULTS");
	long fd = path ? REAL(syscall)(SYS_openat, AT_FDCWD, path, O_RDWR, 0) : -1;
	void *frames[2];
	void *p;

	if (fd < 0)
		return;
	/* exclude the recorded command, git and pagers */
	(void)unsetenv("LD_PRELOAD");
	(void)unsetenv("FAULTS");
	(void)dl_iterate_phdr(faults_object, NULL);
	(void)backtrace(frames, 2); /* the first call loads libgcc, which allocates */
	p = faults_map(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)REAL(syscall)(SYS_close, fd);
	if (p != MAP_FAILED)
		faults = p;
}

/* Key of a place. Independent of load addresses; repeated frames of a recursion count once. */
static uint64_t faults_key(enum fault_call call)
{
	void *frames[FAULTS_FRAMES];
	int n = backtrace(frames, FAULTS_FRAMES);
	uint64_t hash = UINT64_C(1469598103934665603);

	/* frames 0 and 1 are in this library, frame 2 may be */
	for (int i = 2; i < n; i++) {
		uintptr_t at = (uintptr_t)frames[i];
		size_t o = 0;

		if (i > 2 && frames[i] == frames[i - 1])
			continue;
		while (o < n_faults_objects &&
		       (at < faults_objects[o].start || at >= faults_objects[o].end))
			o++;
		if (o < n_faults_objects)
			at -= faults_objects[o].start;
		else
			at = 0;
		hash = (hash ^ (at + o * 0x9e3779b9u)) * UINT64_C(1099511628211);
		hash ^= hash >> 29;
	}
	return hash << 8 | (unsigned int)call;
}

static void faults_count(uint64_t key)
{
	for (size_t i = 0; i < FAULTS_STACKS; i++) {
		struct faults_stack *s = &faults->stacks[((key >> 16) + i) % FAULTS_STACKS];
		uint64_t was = 0;

		if (atomic_load(&s->key) == key ||
		    atomic_compare_exchange_strong(&s->key, &was, key) || was == key) {
			atomic_fetch_add(&s->used, 1);
			return;
		}
	}
}

static unsigned int faults_family(enum fault_call call)
{
	if (call <= FAULT_ALIGNED || call == FAULT_MMAP || call == FAULT_MREMAP)
		return FAULT_MALLOC;
	if (call == FAULT_PWRITE || call == FAULT_WRITEV)
		return FAULT_WRITE;
	return call;
}

static void faults_show(void)
{
	void *frames[FAULTS_FRAMES];
	int n = backtrace(frames, FAULTS_FRAMES);
	char **names = backtrace_symbols(frames, n);
	size_t len = 0;

	/* frames 0 and 1 are in this library, frame 2 may be */
	for (int i = 2; names && i < n && len < FAULTS_TEXT; i++)
		len += (size_t)snprintf(faults->text + len, FAULTS_TEXT - len, "%s\n", names[i]);
	free(names);
}

/* Not inlined, so that this function is one of the skipped frames. */
__attribute__((noinline)) static bool faults_now(enum fault_call call, int error)
{
	int was = errno;
	uint64_t key;
	bool is_now = false;

	if (!faults || faults_are_busy)
		return false;
	faults_are_busy = true;
	if (atomic_load(&faults->failed)) {
		is_now = faults->onwards == 2
				 ? call == FAULT_MMAP || call == FAULT_MREMAP
				 : faults->onwards &&
					   faults_family(call) == faults_family(faults->key & 255);
	} else if (!faults->at || (faults->key & 255) == call) {
		key = faults_key(call);
		if (!faults->at)
			faults_count(key);
		else if (key == faults->key)
			is_now = atomic_fetch_add(&faults->matched, 1) + 1 == faults->at;
		if (is_now)
			atomic_store(&faults->failed, 1);
		if (is_now && faults->show)
			faults_show();
	}
	errno = is_now ? error : was;
	faults_are_busy = false;
	return is_now;
}

EXPORTED void *malloc(size_t size);
EXPORTED void *calloc(size_t n, size_t size);
EXPORTED void *realloc(void *old, size_t size);
EXPORTED void *memalign(size_t alignment, size_t size);
EXPORTED void *aligned_alloc(size_t alignment, size_t size);
EXPORTED int posix_memalign(void **ret, size_t alignment, size_t size);
EXPORTED ssize_t read(int fd, void *p, size_t n);
EXPORTED ssize_t pread(int fd, void *p, size_t n, off_t at);
EXPORTED ssize_t pread64(int fd, void *p, size_t n, off64_t at);
EXPORTED ssize_t write(int fd, const void *p, size_t n);
EXPORTED ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at);
EXPORTED ssize_t writev(int fd, const struct iovec *v, int n);
EXPORTED void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
EXPORTED void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t offset);
EXPORTED void *mremap(void *at, size_t old, size_t n, int flags, ...);
EXPORTED int rename(const char *from, const char *to);
EXPORTED int renameat(int of, const char *from, int in, const char *to);
EXPORTED int linkat(int of, const char *from, int in, const char *to, int flags);
EXPORTED int open(const char *path, int flags, ...);
EXPORTED int open64(const char *path, int flags, ...) __attribute__((alias("open")));
/* glibc calls these for open() with flags that the compiler does not know (_FORTIFY_SOURCE) */
EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
EXPORTED int openat(int folder, const char *path, int flags, ...);
EXPORTED int openat64(int folder, const char *path, int flags, ...)
	__attribute__((alias("openat")));
EXPORTED FILE *fopen64(const char *path, const char *mode);
EXPORTED FILE *fdopen(int fd, const char *mode);
EXPORTED char *fgets(char *line, int n, FILE *f);
EXPORTED ssize_t __getdelim(char **line, size_t *n, int end, FILE *f);
EXPORTED DIR *opendir(const char *path);
EXPORTED struct dirent64 *readdir64(DIR *dir);
EXPORTED int fstat64(int fd, struct stat64 *st);
EXPORTED int ftruncate64(int fd, off64_t n);
EXPORTED int fsync(int fd);
EXPORTED int close(int fd);
EXPORTED pid_t fork(void);
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			    void *arg);
EXPORTED int pipe2(int fds[2], int flags);
EXPORTED int socketpair(int domain, int type, int protocol, int fds[2]);
EXPORTED ssize_t sendmsg(int fd, const struct msghdr *m, int flags);
EXPORTED ssize_t recvmsg(int fd, struct msghdr *m, int flags);
EXPORTED int poll(struct pollfd *fds, nfds_t n, int timeout);
EXPORTED pid_t waitpid(pid_t pid, int *status, int options);
EXPORTED int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit);
EXPORTED int stat64(const char *path, struct stat64 *st);
EXPORTED int lstat64(const char *path, struct stat64 *st);
EXPORTED int dup2(int from, int to);
EXPORTED int fcntl64(int fd, int what, ...);
EXPORTED int mkdir(const char *path, mode_t mode);
EXPORTED FTSENT64 *fts64_read(FTS64 *tree);
EXPORTED int fflush(FILE *f);
EXPORTED int memfd_create(const char *name, unsigned int flags);
EXPORTED int ioctl(int fd, unsigned long what, ...);
EXPORTED int signalfd(int fd, const sigset_t *set, int flags);
EXPORTED void qsort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));
EXPORTED void qsort_r(void *items, size_t n, size_t size,
		      int (*compare)(const void *, const void *, void *), void *arg);
EXPORTED int epoll_create1(int flags);
EXPORTED int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event);
EXPORTED int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout);
EXPORTED long syscall(long number, ...);

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

void *memalign(size_t alignment, size_t size)
{
	return faults_now(FAULT_ALIGNED, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return faults_now(FAULT_ALIGNED, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *p = faults_now(FAULT_ALIGNED, ENOMEM) ? NULL : __libc_memalign(alignment, size);

	if (p)
		*ret = p;
	return p ? 0 : ENOMEM;
}

ssize_t read(int fd, void *p, size_t n)
{
	if (faults_now(FAULT_READ, EIO) || faults_now(FAULT_READ_AGAIN, EINTR))
		return -1;
	if (n > 1 && faults_now(FAULT_SHORT_READ, 0))
		n /= 2;
	return REAL(syscall)(SYS_read, fd, p, n);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	if (faults_now(FAULT_PREAD, EIO))
		return -1;
	if (n > 1 && faults_now(FAULT_SHORT_PREAD, 0))
		n /= 2;
	return REAL(syscall)(SYS_pread64, fd, p, n, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	return pread64(fd, p, n, at);
}

/* Writes to standard error succeed: the test reads them. */
ssize_t write(int fd, const void *p, size_t n)
{
	if (fd == STDERR_FILENO)
		return REAL(syscall)(SYS_write, fd, p, n);
	if (faults_now(FAULT_WRITE, ENOSPC) || faults_now(FAULT_WRITE_AGAIN, EINTR))
		return -1;
	if (n > 1 && faults_now(FAULT_SHORT_WRITE, 0))
		n /= 2;
	return REAL(syscall)(SYS_write, fd, p, n);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	return faults_now(FAULT_PWRITE, ENOSPC) ? -1 : REAL(syscall)(SYS_pwrite64, fd, p, n, at);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	if (faults_now(FAULT_WRITEV, ENOSPC))
		return -1;
	if (n > 0 && v[0].iov_len > 1 && faults_now(FAULT_SHORT_WRITEV, 0))
		return REAL(syscall)(SYS_write, fd, v[0].iov_base, v[0].iov_len / 2);
	return REAL(writev)(fd, v, n);
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

void *mremap(void *at, size_t old, size_t n, int flags, ...)
{
	if (faults_now(FAULT_MREMAP, ENOMEM))
		return MAP_FAILED;
	return (void *)REAL(syscall)(SYS_mremap, at, old, n, flags, NULL);
}

int rename(const char *from, const char *to)
{
	return faults_now(FAULT_RENAME, EIO)
		       ? -1
		       : (int)REAL(syscall)(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int of, const char *from, int in, const char *to)
{
	return faults_now(FAULT_RENAME, EIO)
		       ? -1
		       : (int)REAL(syscall)(SYS_renameat2, of, from, in, to, 0);
}

int linkat(int of, const char *from, int in, const char *to, int flags)
{
	return faults_now(FAULT_LINK, EIO) ? -1 : REAL(linkat)(of, from, in, to, flags);
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
		       : (int)REAL(syscall)(SYS_openat, AT_FDCWD, path, flags, mode);
}

int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int openat(int folder, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return faults_now(FAULT_OPENAT, ENOSPC)
		       ? -1
		       : (int)REAL(syscall)(SYS_openat, folder, path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return faults_now(FAULT_FOPEN, EMFILE) ? NULL : REAL(fopen64)(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	return faults_now(FAULT_FOPEN, ENOMEM) ? NULL : REAL(fdopen)(fd, mode);
}

char *fgets(char *line, int n, FILE *f)
{
	if (!faults_now(FAULT_LINE, EIO))
		return REAL(fgets)(line, n, f);
	f->_flags |= _IO_ERR_SEEN;
	return NULL;
}

ssize_t __getdelim(char **line, size_t *n, int end, FILE *f)
{
	if (!faults_now(FAULT_LINE, EIO))
		return REAL(__getdelim)(line, n, end, f);
	f->_flags |= _IO_ERR_SEEN;
	return -1;
}

DIR *opendir(const char *path)
{
	return faults_now(FAULT_OPENDIR, EMFILE) ? NULL : REAL(opendir)(path);
}

struct dirent64 *readdir64(DIR *dir)
{
	return faults_now(FAULT_READDIR, EIO) ? NULL : REAL(readdir64)(dir);
}

int fstat64(int fd, struct stat64 *st)
{
	return faults_now(FAULT_FSTAT, EIO) ? -1 : REAL(fstat64)(fd, st);
}

int ftruncate64(int fd, off64_t n)
{
	return faults_now(FAULT_FTRUNCATE, ENOSPC) ? -1 : REAL(ftruncate64)(fd, n);
}

int fsync(int fd)
{
	return faults_now(FAULT_FSYNC, EIO) ? -1 : (int)REAL(syscall)(SYS_fsync, fd);
}

/* A failed close() closes as well. */
int close(int fd)
{
	bool is_bad = faults_now(FAULT_CLOSE, EIO);
	int r = (int)REAL(syscall)(SYS_close, fd);

	if (is_bad && r == 0)
		errno = EIO;
	return is_bad ? -1 : r;
}

pid_t fork(void)
{
	return faults_now(FAULT_FORK, EAGAIN) ? -1 : __libc_fork();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	return faults_now(FAULT_THREAD, EAGAIN) ? EAGAIN
						: REAL(pthread_create)(thread, attr, run, arg);
}

int pipe2(int fds[2], int flags)
{
	return faults_now(FAULT_PIPE, EMFILE) ? -1 : (int)REAL(syscall)(SYS_pipe2, fds, flags);
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
	return faults_now(FAULT_SOCKET, EMFILE) ? -1
						: REAL(socketpair)(domain, type, protocol, fds);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (faults_now(FAULT_SEND, ENOBUFS) || faults_now(FAULT_SEND_AGAIN, EINTR))
		return -1;
	return REAL(sendmsg)(fd, m, flags);
}

ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	if (faults_now(FAULT_RECEIVE, ENOMEM) || faults_now(FAULT_RECEIVE_AGAIN, EINTR))
		return -1;
	return REAL(recvmsg)(fd, m, flags);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return faults_now(FAULT_POLL_AGAIN, EINTR) ? -1 : REAL(poll)(fds, n, timeout);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return faults_now(FAULT_WAIT_AGAIN, EINTR) ? -1 : REAL(waitpid)(pid, status, options);
}

int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *limit)
{
	return faults_now(FAULT_SETRLIMIT, EPERM) ? -1 : REAL(setrlimit64)(what, limit);
}

int stat64(const char *path, struct stat64 *st)
{
	return faults_now(FAULT_STAT, EIO) ? -1 : REAL(stat64)(path, st);
}

int lstat64(const char *path, struct stat64 *st)
{
	return faults_now(FAULT_STAT, EIO) ? -1 : REAL(lstat64)(path, st);
}

int dup2(int from, int to)
{
	return faults_now(FAULT_DUP, EMFILE) ? -1 : REAL(dup2)(from, to);
}

/* Only commands that duplicate a descriptor can fail. */
int fcntl64(int fd, int what, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	if ((what == F_DUPFD || what == F_DUPFD_CLOEXEC) && faults_now(FAULT_DUP, EMFILE))
		return -1;
	return REAL(fcntl64)(fd, what, arg);
}

int mkdir(const char *path, mode_t mode)
{
	return faults_now(FAULT_MKDIR, ENOSPC) ? -1 : REAL(mkdir)(path, mode);
}

FTSENT64 *fts64_read(FTS64 *tree)
{
	return faults_now(FAULT_FTS, EIO) ? NULL : REAL(fts64_read)(tree);
}

int fflush(FILE *f)
{
	if (f != stdout || !faults_now(FAULT_FLUSH, ENOSPC))
		return REAL(fflush)(f);
	f->_flags |= _IO_ERR_SEEN;
	return EOF;
}

int memfd_create(const char *name, unsigned int flags)
{
	return faults_now(FAULT_MEMFD, EMFILE) ? -1 : REAL(memfd_create)(name, flags);
}

int ioctl(int fd, unsigned long what, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, what);
	arg = va_arg(ap, void *);
	va_end(ap);
	return faults_now(FAULT_IOCTL, EIO) ? -1 : REAL(ioctl)(fd, what, arg);
}

int signalfd(int fd, const sigset_t *set, int flags)
{
	return faults_now(FAULT_SIGNALFD, EMFILE) ? -1 : REAL(signalfd)(fd, set, flags);
}

/* Reverse the input of a sort: equal elements may come out in any order. */
static void faults_reverse(char *items, size_t n, size_t size)
{
	for (size_t i = 0; i < n / 2; i++) {
		char *a = items + i * size;
		char *b = items + (n - 1 - i) * size;

		for (size_t k = 0; k < size; k++) {
			char c = a[k];

			a[k] = b[k];
			b[k] = c;
		}
	}
}

void qsort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n > 1 && faults_now(FAULT_ORDER, 0))
		faults_reverse(items, n, size);
	REAL(qsort)(items, n, size, compare);
}

void qsort_r(void *items, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
	     void *arg)
{
	if (n > 1 && faults_now(FAULT_ORDER, 0))
		faults_reverse(items, n, size);
	REAL(qsort_r)(items, n, size, compare, arg);
}

int epoll_create1(int flags)
{
	return faults_now(FAULT_EPOLL, EMFILE) ? -1 : REAL(epoll_create1)(flags);
}

int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
	return faults_now(FAULT_EPOLL, ENOSPC) ? -1 : REAL(epoll_ctl)(epoll, what, fd, event);
}

int epoll_wait(int epoll, struct epoll_event *events, int n, int timeout)
{
	return faults_now(FAULT_EPOLL_AGAIN, EINTR) ? -1
						    : REAL(epoll_wait)(epoll, events, n, timeout);
}

long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && faults_now(FAULT_PERF_EVENT, EMFILE))
		return -1;
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
