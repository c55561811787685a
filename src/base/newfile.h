/* SPDX-License-Identifier: MIT */
/*
 * newfile.h - the only way to write files
 *
 * A file is written under a temporary name in the folder of its final place. When the file is
 * complete, it is renamed. Other processes see either the old file or the complete new file. A
 * symbolic link of another user is not followed. An output that is not a regular file (a pipe, a
 * terminal, /dev/null, a descriptor of this process) is written directly.
 *
 * These outputs are refused: a file that is also an input, under any name; a symbolic link or a
 * pipe of another user; a folder; a block device. These are refused unless the user forces it: a
 * write-protected file, and a file that is not an earlier output of the same kind.
 *
 * No other source file may create files or open them for writing; tools/check-layers.sh checks this
 * rule.
 */
#ifndef BASE_NEWFILE_H
#define BASE_NEWFILE_H

#include "base/status.h"
#include "base/str.h"

#include <sys/types.h>

#define NEWFILE_HEAD 4096u /* number of bytes at the start of a file that identify its kind */

struct newfile_kind {
	const char *name; /* words for this kind in messages: "an SVG graph of assay" */
	bool (*is)(struct str head);
};

struct newfile_spec {
	/* name of the output, as the user gave it; "-": standard output */
	const char *path;
	/* an existing file may be overwritten if it is of this kind; NULL: any kind */
	const struct newfile_kind *kind;
	/* overwrite files of any kind, and write-protected files */
	bool is_forced;
	bool is_private; /* only the owner may read the file */
	/* refuse an output that is not a regular file, such as a pipe or terminal */
	bool is_file;
	bool keeps_old; /* an existing file will be renamed to PLACE.old */
	/* paths of the inputs, which must not be overwritten; "-": standard input */
	const char *const *inputs;
	size_t n_inputs;
};

/* An output file. NEWFILE_NONE: no file. Owner: caller, newfile_fini(). */
struct newfile {
	int fd;      /* descriptor for writing; -1: the file is not created yet */
	int folder;  /* descriptor of the file's folder; -1: the output is written directly */
	char *place; /* name of the finished file in `folder` */
	/*
	 * temporary name in `folder`; NULL: the file has its final name already, or is not created
	 * yet
	 */
	char *part;
	pid_t maker; /* only this process removes `part` */
	mode_t mode; /* mode for the new file, copied from the replaced file; 0: the default */
	bool is_private;
};

#define NEWFILE_NONE                    \
	{                               \
		.fd = -1, .folder = -1, \
	}

/*
 * Find the file that spec->path names, and check that it may be replaced. An output that is written
 * directly is opened. Errors: ERR_USAGE: the output is refused; ERR_IO. The message in @err does
 * not contain the path.
 */
MUST_CHECK int newfile_find(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
/*
 * Create an empty temporary file in the folder of @f, open for reading and writing. If @f is
 * written directly, do nothing. exit() removes the file if it is still unfinished. If several files
 * are unfinished, exit() removes only the first of them. Errors: ERR_IO.
 */
MUST_CHECK int newfile_make(struct newfile *f, struct error *err);
/*
 * Call newfile_find(), then newfile_make(). Errors: ERR_USAGE: the output is refused; ERR_IO. After
 * an error, @ret is unchanged and nothing needs to be released.
 */
MUST_CHECK int newfile_open(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
bool newfile_is_straight(const struct newfile *f);

/*
 * Rename the file into place. It stays open for further writes. @keeps_old: rename an existing file
 * that is not empty to PLACE.old. Errors: ERR_IO: the existing file is still in place (but an older
 * PLACE.old may be lost), and the new file still has the temporary name f->part.
 */
MUST_CHECK int newfile_put(struct newfile *f, bool keeps_old, struct error *err);
/*
 * Rename the file to PLACE@suffix. Never replaces a file. Errors: ERR_LIMIT: a file with this name
 * exists; ERR_IO.
 */
MUST_CHECK int newfile_put_new(struct newfile *f, const char *suffix, struct error *err);
/*
 * Close the file. If @is_complete, sync the file and rename it into place, unless newfile_put() has
 * renamed it already. If not @is_complete, remove the file. False with errno: the sync, close or
 * rename failed; the temporary file is then removed. Afterwards newfile_make() can create another
 * file.
 */
bool newfile_place(struct newfile *f, bool is_complete);
/*
 * Close the file and keep it under its temporary name, because the user cannot make its content
 * again.
 */
void newfile_leave(struct newfile *f);
/* Release everything. A temporary file that is not in place is removed if this process made it. */
void newfile_fini(struct newfile *f);

/*
 * Open a file without a name, for reading and writing. The file is in the folder of @f. If @f is
 * NULL or written directly, the file is in $TMPDIR, else in /tmp. Returns -1 with errno.
 */
int newfile_scratch(const struct newfile *f);
/*
 * Create the file @name in @folder (AT_FDCWD: the working directory), open for reading and writing,
 * close-on-exec. Returns -1 with errno; EEXIST: the file exists already.
 */
int newfile_exclusive(int folder, const char *name, mode_t mode);
/*
 * Rename the file @name of newfile_exclusive() to @path, which must be in the same folder. False
 * with errno.
 */
bool newfile_exclusive_put(const char *name, const char *path);
/*
 * Open a file with a kernel setting (in procfs or sysfs) for writing. Never creates a file. Returns
 * -1 with errno.
 */
int newfile_setting(const char *path);
/* Open /dev/null for reading and writing. Returns -1 with errno. */
int newfile_null(void);

/*
 * Find the input that is the same regular file as @fd. @n: number of @inputs. NULL: there is none.
 */
const char *newfile_is_input(int fd, const char *const *inputs, size_t n);
/*
 * Identity of the file, folder or pipe behind a path. All names of a file give an equal identity.
 * Zeroed: there is no such file.
 */
struct newfile_identity {
	dev_t dev;
	ino_t ino;
	/*
	 * false if the file does not exist, and for character devices, such as terminals and
	 * /dev/null
	 */
	bool is_there;
};

/* Identify @path; "-" is standard input. Cost: one stat(). */
struct newfile_identity newfile_identify(const char *path);

/*
 * Write all of @data, with several write() calls if needed. False with errno: an unknown part of
 * @data may be written.
 */
bool newfile_write(int fd, const void *data, size_t len);

#endif
