/* SPDX-License-Identifier: MIT */
/*
 * newfile.h - the only way to write files
 *
 * A file is written next to its place under a temporary name and renamed when it is complete. Other
 * processes see the old file or the complete new file, never a part of it. Symbolic links that
 * another user put there are not followed. Anything but a regular file (a pipe, a terminal,
 * /dev/null, a descriptor of this process) is written directly.
 *
 * Refused: a file that is also an input, under any name; a symbolic link or a pipe of another
 * user; a folder; a block device. Refused unless forced: a file that is not an earlier output
 * of the same kind, and a write-protected file.
 *
 * No other source file creates files or opens them for writing: tools/check-layers.sh checks
 * it.
 */
#ifndef BASE_NEWFILE_H
#define BASE_NEWFILE_H

#include "base/status.h"
#include "base/str.h"

#include <sys/types.h>

#define NEWFILE_HEAD 4096u /* number of bytes at the start of a file that identify its kind */

struct newfile_kind {
	const char *name; /* "an SVG graph of assay" */
	bool (*is)(struct str head);
};

struct newfile_spec {
	const char *path;                /* as the user named it; "-": standard output */
	const struct newfile_kind *kind; /* kind of file that may be overwritten; NULL: any */
	bool is_forced;                  /* overwrite any kind, and write-protected files */
	bool is_private;                 /* readable by the owner only */
	/* refuse pipes, terminals and all other outputs that would be written directly */
	bool is_file;
	bool keeps_old; /* rename an existing file to PLACE.old */
	/* paths of inputs, which must not be overwritten; "-" is standard input */
	const char *const *inputs;
	size_t n_inputs;
};

/* An output file. NEWFILE_NONE is empty. Owner: caller, newfile_fini(). */
struct newfile {
	int fd;      /* for writing; -1: not created yet */
	int folder;  /* descriptor of the file's folder; -1: written directly */
	char *place; /* name in the folder */
	char *part;  /* temporary name in the folder; NULL: already in place, or not created */
	pid_t maker; /* the process that removes `part` */
	mode_t mode; /* mode of the replaced file; 0: default of a new file */
	bool is_private;
};

#define NEWFILE_NONE                    \
	{                               \
		.fd = -1, .folder = -1, \
	}

/*
 * Find the file that spec->path names, and check whether it may be replaced. If it is written
 * directly, it is open afterwards. Errors: ERR_USAGE: refused; ERR_IO. The message does not contain
 * the path.
 */
MUST_CHECK int newfile_find(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
/*
 * Create an empty temporary file in the folder of @f, open for reading and writing. Does nothing if
 * @f is written directly. exit() removes the file if it is not in place by then. If several files
 * are unfinished, exit() removes only the first of them. Errors: ERR_IO.
 */
MUST_CHECK int newfile_make(struct newfile *f, struct error *err);
/* newfile_find(), then newfile_make(). Errors: as these; on failure nothing needs releasing. */
MUST_CHECK int newfile_open(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
bool newfile_is_straight(const struct newfile *f);

/*
 * Rename the file into place; it stays open for more writes. With @keeps_old an existing file
 * that is not empty becomes PLACE.old. Errors: ERR_IO; the existing file is then still in place
 * (an older PLACE.old may be lost), and the temporary file remains under f->part.
 */
MUST_CHECK int newfile_put(struct newfile *f, bool keeps_old, struct error *err);
/*
 * Rename the file to PLACE@suffix, never replacing another. Errors: ERR_LIMIT: the name exists;
 * ERR_IO.
 */
MUST_CHECK int newfile_put_new(struct newfile *f, const char *suffix, struct error *err);
/*
 * Close the file. If @is_complete, sync it and rename it into place, unless newfile_put() did so.
 * Otherwise remove it. False with errno: the sync, close or rename failed, and the file is removed.
 * Afterwards newfile_make() can start another file.
 */
bool newfile_place(struct newfile *f, bool is_complete);
/*
 * Close the file but keep it under its temporary name, for a user who cannot reproduce its content.
 */
void newfile_leave(struct newfile *f);
/*
 * Release everything; remove the temporary file if this process made it and did not put it in
 * place.
 */
void newfile_fini(struct newfile *f);

/*
 * Open an unnamed file for reading and writing in the folder of @f. If @f is NULL or written
 * directly: in $TMPDIR, else in /tmp. -1: errno.
 */
int newfile_scratch(const struct newfile *f);
/*
 * Create file @name in @folder (AT_FDCWD), open for reading and writing, close-on-exec. -1:
 * errno (EEXIST).
 */
int newfile_exclusive(int folder, const char *name, mode_t mode);
/* Rename @name, created by newfile_exclusive(), to @path in the same folder. False: errno. */
bool newfile_exclusive_put(const char *name, const char *path);
/* Open a kernel setting (procfs, sysfs) for writing; never creates. -1: errno. */
int newfile_setting(const char *path);
/* Open /dev/null for reading and writing. -1: errno. */
int newfile_null(void);

/* Return the input (of @n) that is the same regular file as @fd; NULL: none is. */
const char *newfile_is_input(int fd, const char *const *inputs, size_t n);
/*
 * Identity of the file, folder or pipe behind a path, equal under all its names. Zeroed: there is
 * no such file.
 */
struct newfile_identity {
	dev_t dev;
	ino_t ino;
	bool is_there; /* false also for character devices, such as terminals and /dev/null */
};

/* Identify @path; "-" is standard input. Cost: one stat(). */
struct newfile_identity newfile_identify(const char *path);

/*
 * Write all of @data, in as many write() calls as needed. False with errno: a part of @data may be
 * written.
 */
bool newfile_write(int fd, const void *data, size_t len);

#endif
