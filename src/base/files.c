/* SPDX-License-Identifier: MIT */
#include "base/files.h"

#include "base/status.h"
#include "base/str.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum files_op { FILES_OP_OPEN, FILES_OP_IS_FOLDER, FILES_OP_WISH, FILES_OP_TELL };

struct files_request {
	uint32_t op;
	/*
	 * meaning depends on `op`. FILES_OP_OPEN: enum files_kind; FILES_OP_WISH: enum files_wish;
	 * FILES_OP_TELL: enum files_news
	 */
	uint32_t what;
	/* FILES_OP_OPEN: a list of paths; a NUL ends each path, and an empty path ends the list */
	char text[FILES_TEXT_MAX];
};

struct files_answer {
	int32_t error; /* 0: success */
	uint32_t at;   /* FILES_OP_OPEN: index of the opened path in the list */
	char text[FILES_TEXT_MAX];
};

/* one variable for the whole process, because its rights are those of the whole process */
static struct {
	int broker;
	int statm;
	bool is_confined;
	bool stays_below; /* see files_stay_below() */
	pthread_mutex_t lock;
} files_process = { .broker = -1, .statm = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

void files_confine(int broker, int statm)
{
	files_process.broker = broker;
	files_process.statm = statm;
	files_process.is_confined = true;
}

void files_stay_below(void)
{
	files_process.stays_below = true;
}

bool files_are_confined(void)
{
	return files_process.is_confined;
}

ssize_t files_read(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t files_read_head(int fd, void *p, size_t n)
{
	size_t len = 0;

	while (len < n) {
		ssize_t got = pread(fd, (char *)p + len, n - len, (off_t)len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

uint64_t files_memory_now(void)
{
	char text[64];
	int fd = files_process.is_confined ? files_process.statm
					   : open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	struct str view = { text, n > 0 ? (size_t)n : 0 };
	uint64_t pages = 0;

	if (fd >= 0 && !files_process.is_confined)
		(void)close(fd);
	if (!str_u64(&view, &pages))
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool files_put(int fd, const void *p, size_t len, int passed, int flags)
{
	struct iovec io = { .iov_base = (void *)(uintptr_t)p, .iov_len = len };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	ssize_t n;

	if (passed >= 0) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &passed, sizeof(int));
	}
	do
		n = sendmsg(fd, &m, flags | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len;
}

bool files_send(int fd, const void *p, size_t len, int passed)
{
	return files_put(fd, p, len, passed, 0);
}

bool files_receive(int fd, void *p, size_t len, int *ret_passed)
{
	struct iovec io = { .iov_base = p, .iov_len = len };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1 };
	int passed = -1;
	ssize_t n;

	/*
	 * if the caller wants no descriptor, pass no control buffer: the kernel then closes any
	 * descriptor that arrives with the message
	 */
	if (ret_passed) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
	}

	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n > 0 && ret_passed) {
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
			if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
			    c->cmsg_len == CMSG_LEN(sizeof(int)))
				memcpy(&passed, CMSG_DATA(c), sizeof(int));
		}
	}
	if (ret_passed)
		*ret_passed = passed;
	return n == (ssize_t)len;
}

/* Send a request to the parent process and read its answer. Returns 0 or an errno. */
static int files_ask(enum files_op op, unsigned int what, struct str text,
		     struct files_answer *answer, int *ret_passed)
{
	struct files_request request = { .op = op, .what = what };
	bool is_answered;

	*ret_passed = -1;
	if (text.len >= sizeof(request.text))
		return ENAMETOOLONG;
	memcpy(request.text, text.p, text.len);
	(void)pthread_mutex_lock(&files_process.lock);
	is_answered = files_send(files_process.broker, &request, sizeof(request), -1) &&
		      files_receive(files_process.broker, answer, sizeof(*answer), ret_passed);
	(void)pthread_mutex_unlock(&files_process.lock);
	if (!is_answered)
		/*
		 * the parent is gone: end the process, because otherwise files would be missing
		 * from the output without a warning
		 */
		_exit(FILES_LOST);
	answer->text[sizeof(answer->text) - 1] = '\0';
	return answer->error;
}

static bool files_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool files_looks_kallsyms(struct str head)
{
	size_t n = 0;

	while (n < head.len && files_is_hex(head.p[n]))
		n++;
	return (n == 8 || n == 16) && head.len > n + 2 && head.p[n] == ' ' && head.p[n + 2] == ' ';
}

/* Whether the last component of @path is @before, then a process id, then @after. */
static bool files_names_pid(const char *path, struct str before, struct str after)
{
	struct str name = str_of(path);
	size_t slash = str_rfind_char(name, '/');
	uint64_t pid;

	if (slash < name.len)
		name = str_skip(name, slash + 1);
	return str_take(&name, before) && str_u64(&name, &pid) && str_eq(name, after);
}

bool files_names_jitdump(const char *path)
{
	return files_names_pid(path, STR("jit-"), STR(".dump"));
}

bool files_is_trusted(const struct stat *st)
{
	uid_t reader = geteuid();

	return S_ISREG(st->st_mode) && !(st->st_mode & S_IWOTH) &&
	       (reader == 0 || st->st_uid == 0 || st->st_uid == reader);
}

/* As close(), but keeps errno. */
static void files_close_quietly(int fd)
{
	int error = errno;

	(void)close(fd);
	errno = error;
}

int files_open_regular(const char *path, unsigned int flags, struct stat *ret)
{
	char name[64];
	struct stat now;
	int place = open(path, O_PATH | O_CLOEXEC | (int)flags);
	int fd = -1;

	if (place < 0)
		return -1;
	errno = EACCES;
	if (fstat(place, ret) == 0 && S_ISREG(ret->st_mode)) {
		(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0 && errno == ENOENT) {
			/*
			 * /proc is not mounted: open the path again, and check that it is still the
			 * same file
			 */
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (int)flags);
			if (fd >= 0 && (fstat(fd, &now) < 0 || now.st_ino != ret->st_ino ||
					now.st_dev != ret->st_dev)) {
				(void)close(fd);
				fd = -1;
				errno = EACCES;
			}
		}
	}
	files_close_quietly(place);
	return fd;
}

/*
 * Whether @path is in a folder of debug information or in the cache of build ids. assay searches
 * these folders on its own, even if no recording names a file in them.
 */
static bool files_is_own_place(struct str path)
{
	return str_starts(path, STR("/usr/lib/debug/")) || str_contains(path, STR("/.debug/")) ||
	       str_contains(path, STR("/.build-id/"));
}

/* Whether a file that begins with @head is a jitdump, of either byte order. */
static bool files_looks_jitdump(struct str head)
{
	return str_starts(head, STR("DTiJ")) || str_starts(head, STR("JiTD"));
}

/*
 * Whether the kernel generates the content of the open file on each read, as for files in /proc and
 * /sys.
 */
static bool files_is_generated(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC;
}

/* Whether @path ends like the name of a source file in a compiled language. */
static bool files_names_source(struct str path)
{
	return str_glob(STR("*.c|*.h|*.cc|*.cpp|*.cxx|*.c++|*.hh|*.hpp|*.hxx|*.inc|*.inl|*.ipp|"
			    "*.tcc|*.S|*.s|*.asm|*.rs|*.go|*.zig|*.d|*.nim|*.cr|*.swift|*.m|*.mm|"
			    "*.f|*.F|*.f90|*.F90|*.f95|*.f03|*.f08|*.adb|*.ads|*.pas|*.pp|*.hs|"
			    "*.ml|*.cu|*.cuh|*.java|*.kt|*.scala|*.v"),
			path);
}

/*
 * Whether the open file, which begins with @head, is a program, a library, a kernel, a kernel
 * module or debug information. False for core dumps, and for files that the kernel generates in
 * /proc or /sys.
 */
static bool files_looks_elf(int fd, struct str head)
{
	uint16_t type;
	bool is_little = head.len > EI_DATA && head.p[EI_DATA] == ELFDATA2LSB;

	if (!str_starts(head, STR(ELFMAG)) || head.len < EI_NIDENT + sizeof(type))
		return false;
	type = is_little ? (uint16_t)((uint8_t)head.p[EI_NIDENT] | (uint8_t)head.p[EI_NIDENT + 1]
									   << 8)
			 : (uint16_t)((uint8_t)head.p[EI_NIDENT] << 8 |
				      (uint8_t)head.p[EI_NIDENT + 1]);
	return (type == ET_EXEC || type == ET_DYN || type == ET_REL) && !files_is_generated(fd);
}

/* Whether the open file is of @kind. If not, errno has the reason. */
static bool files_is_kind(int fd, const char *path, enum files_kind kind)
{
	char bytes[32];
	struct stat st;
	struct str head = { bytes, 0 };
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return false;
	errno = EACCES;
	n = S_ISREG(st.st_mode) ? files_read_head(fd, bytes, sizeof(bytes)) : -1;
	if (n < 0 || (files_is_own_place(str_of(path)) && !files_is_trusted(&st)))
		return false;
	errno = EACCES;
	head.len = (size_t)n;
	switch (kind) {
	case FILES_NAMED:
		return true;
	case FILES_ELF:
		return files_looks_elf(fd, head);
	case FILES_KALLSYMS:
		return files_looks_kallsyms(head);
	case FILES_PERF_MAP:
		return files_is_trusted(&st) && files_names_pid(path, STR("perf-"), STR(".map")) &&
		       (head.len == 0 || files_is_hex(head.p[0]));
	case FILES_JITDUMP:
		return files_is_trusted(&st) && files_names_jitdump(path) &&
		       files_looks_jitdump(head);
	case FILES_KERNEL_NOTES:
		return strcmp(path, "/sys/kernel/notes") == 0;
	case FILES_SOURCE:
		return files_names_source(str_of(path)) && !memchr(head.p, '\0', head.len) &&
		       !files_is_generated(fd);
	default:
		return false;
	}
}

bool files_first_line(const char *path, char *ret, size_t size)
{
	struct stat st;
	int fd = files_open_regular(path, O_NOFOLLOW, &st);
	ssize_t n;
	char *end;

	if (fd < 0)
		return false;
	n = files_read_head(fd, ret, size);
	(void)close(fd);
	if (n <= 0)
		return false;
	end = memchr(ret, '\n', (size_t)n);
	if (!end && (size_t)n == size)
		return false;
	*(end ? end : ret + n) = '\0';
	return !memchr(ret, '\0', (size_t)(end ? end - ret : n));
}

/* The PID in the path "/proc/PID/root/tmp/perf-PID.map"; 0: @path does not have this form. */
static uint32_t files_map_process(const char *path)
{
	char expected[96];
	struct str rest = str_of(path);
	uint64_t pid;

	if (!str_take(&rest, STR("/proc/")) || !str_u64(&rest, &pid) || pid > UINT32_MAX)
		return 0;
	(void)snprintf(expected, sizeof(expected), "/proc/%u/root/tmp/perf-%u.map", (unsigned)pid,
		       (unsigned)pid);
	return strcmp(path, expected) == 0 ? (uint32_t)pid : 0;
}

/*
 * The id that the process @pid has in its own namespace: the last number of the line
 * "NSpid:\t4321\t1" of its status. 0: unknown.
 */
static uint32_t files_inner_pid(uint32_t pid)
{
	char text[4096];
	char path[64];
	struct str rest = { text, 0 };
	struct str line;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/status", (unsigned)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : files_read_head(fd, text, sizeof(text));
	if (fd >= 0)
		(void)close(fd);
	rest.len = n > 0 ? (size_t)n : 0;
	while (str_line(&rest, &line)) {
		uint64_t inner;

		if (!str_take(&line, STR("NSpid:")))
			continue;
		line = str_trim(line);
		line = str_skip(line, str_rfind_char(line, '\t') < line.len
					      ? str_rfind_char(line, '\t') + 1
					      : 0);
		return str_u64(&line, &inner) && inner <= UINT32_MAX ? (uint32_t)inner : 0;
	}
	return 0;
}

/*
 * Open /tmp/perf-PID.map below the root folder of the process @pid, which may run in a container.
 * PID is the process's id in its own namespace. The container's files are untrusted: symbolic links
 * are not followed, and the file must belong to root or to the user of the process.
 */
static int files_open_inside(uint32_t pid)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS };
	struct stat process;
	struct stat st;
	char path[64];
	int root;
	int found = -1;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/%u/root", (unsigned)pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/%u", (unsigned)pid);
	if (stat(path, &process) == 0) {
		(void)snprintf(path, sizeof(path), "tmp/perf-%u.map",
			       (unsigned)files_inner_pid(pid));
		found = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	}
	if (found >= 0 && fstat(found, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == process.st_uid || st.st_uid == 0)) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} else if (found >= 0) {
		errno = EACCES;
	}
	if (found >= 0)
		(void)close(found);
	(void)close(root);
	return fd;
}

/*
 * Open a regular file below the working directory. A path that contains a symbolic link is refused.
 */
static int files_open_below(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	struct stat st;
	char name[64];
	int place = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	int fd = -1;

	if (place < 0)
		return errno == ENOSYS ? files_open_regular(path, O_NOFOLLOW, &st) : -1;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	if (fstat(place, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	else
		errno = EACCES;
	files_close_quietly(place);
	return fd;
}

static int files_open_here(const char *path, enum files_kind kind)
{
	uint32_t pid = kind == FILES_PERF_MAP ? files_map_process(path) : 0;
	struct stat st;
	int fd;

	if (kind == FILES_NAMED && files_process.stays_below)
		return files_open_below(path);
	if (kind == FILES_NAMED)
		return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	fd = pid ? files_open_inside(pid) : files_open_regular(path, 0, &st);
	if (fd >= 0 && !files_is_kind(fd, path, kind)) {
		files_close_quietly(fd);
		return -1;
	}
	return fd;
}

static bool files_is_folder_here(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool files_is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
	       error == EISDIR || error == ELOOP || error == ENAMETOOLONG;
}

/*
 * Write the first paths, as many as fit, into the message @text; its length goes to *@ret_len.
 * Returns the number of these paths.
 */
static size_t files_pack(const char *const *paths, size_t n, char text[FILES_TEXT_MAX],
			 size_t *ret_len)
{
	size_t len = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		size_t size = strlen(paths[i]) + 1;

		if (size == 1 || size >= FILES_TEXT_MAX - len)
			break; /* an empty path would end the list */
		memcpy(text + len, paths[i], size);
		len += size;
	}
	*ret_len = len;
	return i;
}

static int files_ask_open(struct str paths, enum files_kind kind, size_t *ret_at)
{
	struct files_answer answer = { .at = 0 };
	int fd;
	int error = files_ask(FILES_OP_OPEN, kind, paths, &answer, &fd);

	if (kind != FILES_NAMED && (error == EMFILE || error == ENFILE || error == ENOMEM))
		/* the file may exist, so do not report it as missing: end the process */
		_exit(FILES_LOST);
	if (error) {
		if (fd >= 0)
			(void)close(fd);
		fd = -1;
	}
	*ret_at = answer.at;
	errno = error ? error : EACCES;
	return fd;
}

int files_open_first(const char *const *paths, size_t n, enum files_kind kind, size_t *ret_at)
{
	char text[FILES_TEXT_MAX];
	size_t fit;
	int fd = -1;

	*ret_at = 0;
	errno = ENOENT;
	for (size_t i = 0; i < n && fd < 0 && files_is_absent(errno); i += fit ? fit : 1) {
		size_t at = 0;
		size_t len = 0;

		fit = files_process.broker < 0 ? 1 : files_pack(paths + i, n - i, text, &len);
		if (files_process.broker < 0)
			fd = files_open_here(paths[i], kind);
		else if (fit)
			fd = files_ask_open((struct str){ text, len }, kind, &at);
		else
			errno = paths[i][0] ? ENAMETOOLONG : ENOENT;
		*ret_at = i + at;
	}
	return fd;
}

int files_open(const char *path, enum files_kind kind)
{
	size_t at;

	return files_open_first(&path, 1, kind, &at);
}

bool files_is_folder(const char *path)
{
	struct files_answer answer;
	int fd;

	if (files_process.broker < 0)
		return files_is_folder_here(path);
	return files_ask(FILES_OP_IS_FOLDER, 0, str_of(path), &answer, &fd) == 0;
}

bool files_wish(enum files_wish wish, const char *text, char ret_text[FILES_TEXT_MAX], int *ret_fd)
{
	struct files_answer answer = { .error = EACCES };
	int fd = -1;
	bool is_good;

	is_good = files_process.broker >= 0 &&
		  files_ask(FILES_OP_WISH, wish, str_of(text), &answer, &fd) == 0;
	if (ret_text)
		memcpy(ret_text, answer.text, sizeof(answer.text));
	if (ret_fd && is_good)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	return is_good;
}

void files_announce(enum files_news news, const char *text)
{
	struct files_request request = { .op = FILES_OP_TELL, .what = news };

	if (files_process.broker < 0)
		return;
	(void)snprintf(request.text, sizeof(request.text), "%s", text);
	(void)pthread_mutex_lock(&files_process.lock);
	if (!files_send(files_process.broker, &request, sizeof(request), -1))
		_exit(FILES_LOST);
	(void)pthread_mutex_unlock(&files_process.lock);
}

bool files_pair(int ret_fds[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_fds) == 0;
}

/*
 * Whether the path @name + @rest belongs to the recording @name. If @rest is empty, the path is the
 * recording itself. A recording that is a folder also has the files "/data", "/data.0" and so on.
 */
static bool files_is_part(struct str name, struct str rest)
{
	uint64_t number;

	if (rest.len == 0 || str_eq(rest, STR("/data")))
		return true;
	if (str_starts(rest, STR("/data")))
		rest = str_skip(rest, 5);
	else if (!str_ends(name, STR("/data")))
		return false;
	if (rest.len < 2 || rest.p[0] != '.')
		return false;
	rest = str_skip(rest, 1);
	return str_u64(&rest, &number) && rest.len == 0;
}

/*
 * Whether @path is an argument of the command line, the end of an argument ("-ofile",
 * "--output=file"), or a part of a named recording.
 */
static bool files_is_named(const struct files_server *s, const char *path)
{
	struct str wanted = str_of(path);

	for (const char *const *w = s->words; w && *w; w++) {
		struct str word = str_of(*w);
		size_t equals = str_find_char(word, '=');
		struct str choices[3] = { word, str_skip(word, 2), str_skip(word, equals + 1) };

		for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
			if (choices[i].len == 0 || (i == 1 && word.p[0] != '-') ||
			    (i == 2 && equals >= word.len))
				continue;
			if (str_starts(wanted, choices[i]) &&
			    files_is_part(choices[i], str_skip(wanted, choices[i].len)))
				return true;
		}
	}
	return false;
}

static void files_note(struct files_server *s, const struct files_request *r)
{
	if (r->what == FILES_COMPLETE)
		s->is_complete = true;
	if (r->what != FILES_READING)
		return;
	s->has_read = r->text[0] == '\0';
	if (r->text[0] && files_is_named(s, r->text))
		memcpy(s->reading, r->text, sizeof(s->reading));
}

/* Open the first existing path in the request. Its index goes to a->at. */
static int files_answer_open(const struct files_server *s, const struct files_request *r,
			     struct files_answer *a)
{
	const char *path = r->text;
	const char *end = r->text + sizeof(r->text);
	int fd = -1;

	a->error = ENOENT;
	for (a->at = 0; path < end && *path && fd < 0 && files_is_absent(a->error);
	     path += strlen(path) + 1) {
		errno = EACCES;
		if (r->what != FILES_NAMED || files_is_named(s, path))
			fd = files_open_here(path, (enum files_kind)r->what);
		a->error = fd < 0 ? errno : 0;
		a->at++;
	}
	a->at -= a->at > 0;
	return fd;
}

static int files_answer(struct files_server *s, const struct files_request *r,
			struct files_answer *a)
{
	int fd = -1;

	a->error = EACCES;
	if (r->op == FILES_OP_OPEN && r->what <= FILES_SOURCE)
		fd = files_answer_open(s, r, a);
	else if (r->op == FILES_OP_IS_FOLDER)
		a->error =
			files_is_named(s, r->text) && files_is_folder_here(r->text) ? 0 : ENOTDIR;
	else if (r->op == FILES_OP_WISH && s->wish)
		a->error = s->wish(s->arg, (enum files_wish)r->what, r->text, a->text, &fd)
				   ? 0
				   : EACCES;
	return fd;
}

bool files_serve(struct files_server *s)
{
	struct files_request request;
	struct files_answer answer = { .error = 0 };
	int fd;
	bool is_sent;

	if (!files_receive(s->fd, &request, sizeof(request), NULL))
		return false;
	request.text[sizeof(request.text) - 1] = '\0';
	if (request.op == FILES_OP_TELL) {
		files_note(s, &request);
		return true;
	}
	fd = files_answer(s, &request, &answer);
	/*
	 * Do not wait for the client. A correct client reads each answer before its next request,
	 * so a full socket buffer shows that the client is not correct.
	 */
	is_sent = files_put(s->fd, &answer, sizeof(answer), fd, MSG_DONTWAIT);
	if (fd >= 0)
		(void)close(fd);
	return is_sent;
}
