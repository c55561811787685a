/* SPDX-License-Identifier: MIT */
#include "base/newfile.h"

#include "base/alloc.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * maximum number of symbolic links on the way to the file; the kernel's limit is the same
 * (MAXSYMLINKS)
 */
#define NEWFILE_LINKS 40u
#define NEWFILE_TRIES 100u /* maximum number of temporary names to try */
/* number of bytes of the file's name that the temporary name repeats, at most */
#define NEWFILE_NAME_MAX 240u
#define NEWFILE_DEPTH    256u /* maximum number of parent folders to examine */
#define NEWFILE_MODE     0666u
#define NEWFILE_PRIVATE  0600u

bool newfile_write(int fd, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* The temporary file that exit() removes, and the process that made it. */
static struct {
	const char *name;
	int folder;
	pid_t pid;
	bool is_registered;
} newfile_begun;

/*
 * Remove the unfinished file at exit. A process can end without a clean-up by the caller, for
 * example when memory is exhausted.
 */
static void newfile_forget(void)
{
	if (newfile_begun.name && newfile_begun.pid == getpid())
		(void)unlinkat(newfile_begun.folder, newfile_begun.name, 0);
}

static void newfile_begin(const struct newfile *f)
{
	if (newfile_begun.name)
		return;
	if (!newfile_begun.is_registered)
		newfile_begun.is_registered = atexit(newfile_forget) == 0;
	newfile_begun.name = f->part;
	newfile_begun.folder = f->folder;
	newfile_begun.pid = getpid();
}

static void newfile_end(const struct newfile *f)
{
	if (f->part && newfile_begun.name == f->part)
		newfile_begun.name = NULL;
}

int newfile_exclusive(int folder, const char *name, mode_t mode)
{
	return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

bool newfile_exclusive_put(const char *name, const char *path)
{
	return rename(name, path) == 0;
}

int newfile_setting(const char *path)
{
	return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
}

int newfile_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* Whether @folder is /proc/self/fd, the table of the descriptors of this process. */
static bool newfile_is_own_table(int folder)
{
	struct stat own;
	struct stat st;

	return stat("/proc/self/fd", &own) == 0 && fstat(folder, &st) == 0 &&
	       own.st_dev == st.st_dev && own.st_ino == st.st_ino;
}

static int newfile_refuse_io(struct error *err, int error)
{
	return fail(err, ERR_IO, "cannot write the file: %s", strerror(error));
}

/*
 * Write to the descriptor @fd of this process, which the user named as the output. f->fd becomes a
 * duplicate of @fd.
 */
static int newfile_take(struct newfile *f, int fd, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return fail(err, ERR_IO, "cannot write the file: it is %s",
			    flags < 0 || fd == STDOUT_FILENO ? "closed" : "open for reading only");
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return f->fd < 0 ? newfile_refuse_io(err, errno) : OK;
}

/*
 * Open the subfolder @name of the folder @around. @name is one component of a path. If everybody
 * may write in @around, a symbolic link of another user is refused, even if the system setting
 * protected_symlinks allows it. Returns the descriptor, or an enum status with the reason in @err.
 */
static int newfile_step(int around, const char *name, struct error *err)
{
	char target[PATH_MAX];
	struct stat st;
	struct stat link;
	ssize_t n = -1;
	int fd = openat(around, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (fstatat(around, name, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return newfile_refuse_io(err, errno);
	if (S_ISLNK(link.st_mode) && fstatat(around, ".", &st, 0) == 0 && st.st_mode & S_IWOTH) {
		if (link.st_uid != geteuid() && link.st_uid != 0)
			return fail(err, ERR_USAGE,
				    "'%.80s' in its path is a symbolic link of another user (%u), "
				    "which is not followed",
				    name, (unsigned int)link.st_uid);
		n = readlinkat(around, name, target, sizeof(target) - 1);
	}
	target[n < 0 ? 0 : n] = '\0';
	fd = openat(around, n < 0 ? name : target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? newfile_refuse_io(err, errno) : fd;
}

/*
 * Open the folder that contains the file @name, and store the descriptor in *@folder. A relative
 * @name starts at the old *@folder, which is then closed. @base receives the last component of
 * @name. Overwrites @name.
 */
static int newfile_enter(char *name, int *folder, char base[PATH_MAX], struct error *err)
{
	char *slash = strrchr(name, '/');
	char *rest = NULL;
	int at;

	(void)snprintf(base, PATH_MAX, "%s", slash ? slash + 1 : name);
	at = openat(*folder, name[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return newfile_refuse_io(err, errno);
	if (slash)
		*slash = '\0';
	for (char *part = slash ? strtok_r(name, "/", &rest) : NULL; part;
	     part = strtok_r(NULL, "/", &rest)) {
		int next = newfile_step(at, part, err);

		(void)close(at);
		if (next < 0)
			return next;
		at = next;
	}
	if (*folder >= 0)
		(void)close(*folder);
	*folder = at;
	return OK;
}

/*
 * Find the file that @path names. Symbolic links are followed if this user or root owns them.
 * f->folder receives the file's folder, @base its name there, and *@ret its status (st_mode 0: the
 * file does not exist). If @path is a descriptor of this process ("/dev/stdout"), f->fd receives a
 * duplicate of the descriptor instead.
 */
static int newfile_resolve(const char *path, struct newfile *f, char base[PATH_MAX],
			   struct stat *ret, struct error *err)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s", path) >= (int)sizeof(name))
		return newfile_refuse_io(err, ENAMETOOLONG);
	for (unsigned int i = 0; i < NEWFILE_LINKS; i++) {
		int folder = i ? f->folder : AT_FDCWD;
		int status = newfile_enter(name, &folder, base, err);
		unsigned int number;
		char rest;
		ssize_t n;

		if (status < 0)
			return status;
		f->folder = folder;
		if (!base[0])
			return fail(err, ERR_USAGE, "is a folder; name a file in it");
		if (sscanf(base, "%9u%c", &number, &rest) == 1 && newfile_is_own_table(folder))
			return newfile_take(f, (int)number, err);
		*ret = (struct stat){ .st_mode = 0 };
		if (fstatat(folder, base, ret, AT_SYMLINK_NOFOLLOW) < 0) {
			*ret = (struct stat){ .st_mode = 0 };
			return errno == ENOENT ? OK : newfile_refuse_io(err, errno);
		}
		if (!S_ISLNK(ret->st_mode))
			return OK;
		if (ret->st_uid != geteuid() && ret->st_uid != 0)
			return fail(err, ERR_USAGE,
				    "it is a symbolic link of another user (%u), which is not "
				    "followed; name the file itself",
				    (unsigned int)ret->st_uid);
		n = readlinkat(folder, base, name, sizeof(name) - 1);
		if (n < 0)
			return newfile_refuse_io(err, errno);
		name[n] = '\0';
	}
	return newfile_refuse_io(err, ELOOP);
}

static bool newfile_stats_are_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int newfile_stat_input(const char *path, struct stat *ret)
{
	return strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, ret) : stat(path, ret);
}

struct newfile_identity newfile_identify(const char *path)
{
	struct stat st;

	if (newfile_stat_input(path, &st) < 0 || S_ISCHR(st.st_mode))
		return (struct newfile_identity){ .is_there = false };
	return (struct newfile_identity){ st.st_dev, st.st_ino, true };
}

const char *newfile_is_input(int fd, const char *const *inputs, size_t n)
{
	struct stat st;
	struct stat one;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (newfile_stat_input(inputs[i], &one) == 0 && newfile_stats_are_same(&st, &one))
			return inputs[i];
	}
	return NULL;
}

/* Whether @folder is the folder with the status @above, or is inside it. */
static bool newfile_is_inside(int folder, const struct stat *above)
{
	int at = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct stat last = { .st_ino = 0 };
	struct stat st;
	bool is_found = false;

	for (unsigned int i = 0; at >= 0 && i < NEWFILE_DEPTH && !is_found; i++) {
		int next;

		if (fstat(at, &st) < 0 || (i && newfile_stats_are_same(&st, &last)))
			break;
		is_found = newfile_stats_are_same(&st, above);
		last = st;
		next = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		(void)close(at);
		at = next;
	}
	if (at >= 0)
		(void)close(at);
	return is_found;
}

/* Read the first NEWFILE_HEAD bytes of the file @base in @folder into @head. */
static struct str newfile_head(int folder, const char *base, char head[NEWFILE_HEAD])
{
	int fd = openat(folder, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && len < NEWFILE_HEAD) {
		n = read(fd, head + len, NEWFILE_HEAD - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		(void)close(fd);
	return (struct str){ head, len };
}

/*
 * Whether PLACE.old, where PLACE is the output, is an input. The rename of an existing output to
 * PLACE.old would then overwrite the input.
 */
static bool newfile_old_is_input(const struct newfile_spec *spec, const struct newfile *f)
{
	char old[NAME_MAX + 1];
	struct stat st;
	struct stat one;

	if (!spec->keeps_old ||
	    snprintf(old, sizeof(old), "%s.old", f->place) >= (int)sizeof(old) ||
	    fstatat(f->folder, old, &st, 0) < 0)
		return false;
	for (size_t i = 0; i < spec->n_inputs; i++) {
		if (newfile_stat_input(spec->inputs[i], &one) == 0 &&
		    newfile_stats_are_same(&st, &one))
			return true;
	}
	return false;
}

/*
 * Check that the existing regular file f->place, with the status @st, may be replaced. If not, the
 * reason is in @err.
 */
static int newfile_check(const struct newfile_spec *spec, const struct newfile *f,
			 const struct stat *st, struct error *err)
{
	char head[NEWFILE_HEAD];
	bool is_kind = st->st_size == 0 || !spec->kind ||
		       spec->kind->is(newfile_head(f->folder, f->place, head));

	for (size_t i = 0; i < spec->n_inputs; i++) {
		struct stat one;

		if (newfile_stat_input(spec->inputs[i], &one) < 0)
			continue;
		if (newfile_stats_are_same(&one, st))
			return fail(
				err, ERR_USAGE,
				"is also an input and would be lost; name another file with -o");
		if (!is_kind && S_ISDIR(one.st_mode) && newfile_is_inside(f->folder, &one))
			return fail(err, ERR_USAGE,
				    "is inside the input '%.80s' and would be lost; name another "
				    "file with -o",
				    spec->inputs[i]);
	}
	if (st->st_size && newfile_old_is_input(spec, f))
		return fail(err, ERR_USAGE,
			    "would be renamed to %.120s.old, which is an input; name another file "
			    "with -o",
			    f->place);
	if (spec->is_forced)
		return OK;
	if (!is_kind)
		return fail(err, ERR_USAGE, "exists and is not %s; --force (-f) overwrites it",
			    spec->kind->name);
	if (faccessat(f->folder, f->place, W_OK, AT_EACCESS) < 0)
		return fail(err, ERR_USAGE, "is write-protected; --force (-f) overwrites it");
	return OK;
}

/*
 * Open an existing pipe, terminal or device for direct writing (without a temporary file). Folders,
 * disks and pipes of other users are refused.
 */
static int newfile_straight(struct newfile *f, const char *base, const struct stat *st,
			    struct error *err)
{
	struct stat opened;

	if (S_ISDIR(st->st_mode))
		return fail(err, ERR_USAGE, "is a folder; name a file in it");
	if (S_ISBLK(st->st_mode))
		return fail(err, ERR_USAGE, "is a disk; assay never writes to disks");
	if (S_ISFIFO(st->st_mode) && st->st_uid != geteuid() && st->st_uid != 0)
		return fail(err, ERR_USAGE, "is a pipe of another user (%u)",
			    (unsigned int)st->st_uid);
	f->fd = openat(f->folder, base, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (f->fd < 0)
		return newfile_refuse_io(err, errno);
	if (fstat(f->fd, &opened) < 0 || S_ISREG(opened.st_mode) || S_ISBLK(opened.st_mode))
		/* since the check, the path was replaced by a regular file or a disk */
		return newfile_refuse_io(err, EAGAIN);
	return OK;
}

int newfile_find(const struct newfile_spec *spec, struct newfile *ret, struct error *err)
{
	struct newfile f = NEWFILE_NONE;
	char base[PATH_MAX];
	struct stat st = { .st_mode = 0 };
	const char *input;
	int status;

	f.is_private = spec->is_private;
	if (!spec->path[0])
		return fail(err, ERR_USAGE, "-o wants the name of a file, not ''");
	if (strcmp(spec->path, "-") == 0)
		status = newfile_take(&f, STDOUT_FILENO, err);
	else
		status = newfile_resolve(spec->path, &f, base, &st, err);
	if (status == OK && spec->is_file &&
	    (f.fd >= 0 || (st.st_mode && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))) {
		status = fail(err, ERR_USAGE, "cannot be replaced: not a regular file");
	} else if (status == OK && f.fd >= 0) {
		input = newfile_is_input(f.fd, spec->inputs, spec->n_inputs);
		if (input)
			status = fail(err, ERR_USAGE, "is also an input: '%.120s'", input);
	} else if (status == OK && st.st_mode && !S_ISREG(st.st_mode)) {
		status = newfile_straight(&f, base, &st, err);
	} else if (status == OK) {
		f.place = xmemdupz(base, strlen(base));
		/*
		 * a new file gets the mode of the old file only if the old file belongs to this
		 * user
		 */
		f.mode = st.st_mode && st.st_uid == geteuid() ? st.st_mode & 0777 : 0;
		status = st.st_mode ? newfile_check(spec, &f, &st, err) : OK;
	}
	if (status < 0) {
		newfile_fini(&f);
		return status;
	}
	if (!f.place && f.folder >= 0) {
		(void)close(f.folder);
		f.folder = -1;
	}
	*ret = f;
	return OK;
}

bool newfile_is_straight(const struct newfile *f)
{
	return !f->place;
}

int newfile_make(struct newfile *f, struct error *err)
{
	size_t room;
	char *name;

	if (newfile_is_straight(f))
		return OK;
	room = strlen(f->place) + sizeof(".tmp12345678");
	name = xmalloc(room);
	for (unsigned int i = 0; i < NEWFILE_TRIES && f->fd < 0; i++) {
		uint32_t number = 0;

		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			number = (uint32_t)getpid() * NEWFILE_TRIES + i;
		(void)snprintf(name, room, "%.*s.tmp%08x", (int)NEWFILE_NAME_MAX, f->place, number);
		f->fd = newfile_exclusive(f->folder, name,
					  f->is_private ? NEWFILE_PRIVATE : NEWFILE_MODE);
		if (f->fd < 0 && errno != EEXIST)
			break;
	}
	if (f->fd < 0) {
		int error = errno;

		free(name);
		return newfile_refuse_io(err, error);
	}
	f->part = name;
	f->maker = getpid();
	newfile_begin(f);
	if (f->mode && !f->is_private)
		(void)fchmod(f->fd, f->mode);
	return OK;
}

int newfile_open(const struct newfile_spec *spec, struct newfile *ret, struct error *err)
{
	struct newfile f = NEWFILE_NONE;
	int status = newfile_find(spec, &f, err);

	if (status == OK)
		status = newfile_make(&f, err);
	if (status < 0)
		newfile_fini(&f);
	else
		*ret = f;
	return status;
}

/* Forget the temporary name. Afterwards no function removes the file. */
static void newfile_release_part(struct newfile *f)
{
	newfile_end(f);
	free(f->part);
	f->part = NULL;
}

static void newfile_drop_part(struct newfile *f)
{
	if (f->part && f->maker == getpid())
		(void)unlinkat(f->folder, f->part, 0);
	newfile_release_part(f);
}

/*
 * Rename the existing file to PLACE.old. @old receives the new name; "" if there is no existing
 * file, or if it is empty or not a regular file.
 */
static int newfile_keep_old(const struct newfile *f, char old[NAME_MAX + 1], struct error *err)
{
	struct stat st;

	old[0] = '\0';
	if (fstatat(f->folder, f->place, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size == 0)
		return OK;
	if (snprintf(old, NAME_MAX + 1, "%s.old", f->place) > NAME_MAX)
		return fail(err, ERR_IO, "cannot be renamed: its name is too long");
	if (renameat(f->folder, f->place, f->folder, old) < 0)
		return fail(err, ERR_IO, "cannot be renamed to %.120s, and was not overwritten: %s",
			    old, strerror(errno));
	return OK;
}

int newfile_put(struct newfile *f, bool keeps_old, struct error *err)
{
	/* this name is not allocated: a failed allocation here would lose the recording */
	char old[NAME_MAX + 1] = "";
	int status = OK;

	if (!f->part)
		return OK;
	if (keeps_old)
		status = newfile_keep_old(f, old, err);
	if (status < 0)
		return status;
	if (renameat(f->folder, f->part, f->folder, f->place) < 0) {
		status = fail(err, ERR_IO, "cannot be renamed into place: %s", strerror(errno));
		/* restore the old file, unless another process has created a file with its name */
		if (old[0])
			(void)renameat2(f->folder, old, f->folder, f->place, RENAME_NOREPLACE);
		return status;
	}
	newfile_release_part(f);
	return OK;
}

int newfile_put_new(struct newfile *f, const char *suffix, struct error *err)
{
	char name[NAME_MAX + 1];

	if (snprintf(name, sizeof(name), "%s%s", f->place, suffix) >= (int)sizeof(name))
		return newfile_refuse_io(err, ENAMETOOLONG);
	/* linkat() never replaces a file, even if the file was created a moment ago */
	if (linkat(f->folder, f->part, f->folder, name, 0) == 0) {
		newfile_drop_part(f);
		return OK;
	}
	if (errno == EEXIST || faccessat(f->folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return ERR_LIMIT;
	/* linkat() failed because the file system has no hard links */
	if (renameat(f->folder, f->part, f->folder, name) < 0)
		return newfile_refuse_io(err, errno);
	newfile_release_part(f);
	return OK;
}

bool newfile_place(struct newfile *f, bool is_complete)
{
	int error = 0;

	/* fsync() fails with EINVAL if the file system does not support it */
	if (f->part && is_complete && fsync(f->fd) < 0 && errno != EINVAL)
		error = errno;
	if (f->fd >= 0 && close(f->fd) < 0 && is_complete && !error)
		error = errno;
	f->fd = -1;
	if (f->part && is_complete && !error &&
	    renameat(f->folder, f->part, f->folder, f->place) == 0)
		newfile_release_part(f);
	else if (f->part && is_complete && !error)
		error = errno;
	newfile_drop_part(f);
	if (error)
		errno = error;
	return !error;
}

void newfile_leave(struct newfile *f)
{
	newfile_release_part(f);
	newfile_fini(f);
}

void newfile_fini(struct newfile *f)
{
	newfile_drop_part(f);
	if (f->fd >= 0)
		(void)close(f->fd);
	if (f->folder >= 0)
		(void)close(f->folder);
	free(f->place);
	*f = (struct newfile)NEWFILE_NONE;
}

int newfile_scratch(const struct newfile *f)
{
	bool is_elsewhere = f && !newfile_is_straight(f);
	const char *around = getenv("TMPDIR");
	struct newfile part = { .fd = -1, .folder = -1, .is_private = true };
	int fd;

	if (is_elsewhere)
		part.folder = f->folder;
	else
		part.folder = open(around && around[0] ? around : "/tmp",
				   O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (part.folder < 0)
		return -1;
	fd = openat(part.folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, NEWFILE_PRIVATE);
	if (fd < 0) { /* the file system does not support O_TMPFILE */
		part.place = is_elsewhere ? f->place : (char *)(uintptr_t) "assay";
		if (newfile_make(&part, NULL) == OK)
			fd = part.fd;
		newfile_drop_part(&part);
	}
	if (!is_elsewhere)
		(void)close(part.folder);
	return fd;
}
