/* SPDX-License-Identifier: MIT */
/*
 * newfile.h - the one door through which files are written
 *
 * A file is written beside its place, under a name that nobody had, and put there by a
 * rename once it is whole: who reads the place sees the old file or the new one, never
 * a part, and no link that somebody else laid there is followed. What is not a regular
 * file (a pipe, a terminal, /dev/null, a descriptor of this process) is written straight.
 *
 * Refused are: a file that is an input too, under whatever name; a symbolic link or a
 * pipe of another user; a folder; a disk; and, unless forced, a file that is no earlier
 * output of the same kind, or that is write-protected.
 *
 * No other file of the program creates files or opens them for writing:
 * tools/check-layers.sh looks.
 */
#ifndef BASE_NEWFILE_H
#define BASE_NEWFILE_H

#include "base/str.h"

#include <sys/types.h>

#define NEWFILE_HEAD 4096u /* bytes by which a kind knows its files */

struct newfile_kind {
	const char *name; /* "an SVG graph of assay" */
	bool (*is)(struct str head);
};

struct newfile_spec {
	const char *path;                /* as the user named it; "-": standard output */
	const struct newfile_kind *kind; /* what may be overwritten; NULL: anything */
	bool is_forced;                  /* the same as NULL, and write-protected files */
	bool is_private;                 /* nobody else may read it */
	bool is_file;                    /* what would be written straight is refused */
	bool keeps_old;                  /* what is there will become PLACE.old */
	const char *const *inputs;       /* files and folders that are read; "-" is one */
	size_t n_inputs;
};

/* Zeroed but for the descriptors: nothing. Owner: caller, newfile_fini(). */
struct newfile {
	int fd;      /* to write; -1: not made yet */
	int folder;  /* of the place, -1: it is written straight */
	char *place; /* name in the folder */
	char *part;  /* name there until it is put in place; NULL: it is, or is not made */
	pid_t maker; /* the process that removes the part */
	mode_t mode; /* of a file that is replaced; 0: as a new one */
	bool is_private;
};

#define NEWFILE_NONE                    \
	{                               \
		.fd = -1, .folder = -1, \
	}

/*
 * Find the place and see what is there. What is written straight is open then.
 * Errors: ERR_USAGE: refused; ERR_IO. The sentence does not name the path.
 */
MUST_CHECK int newfile_find(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
/*
 * Make the file beside the place, empty, open for reading and writing; nothing where it
 * is written straight. One at a time is also removed when the program ends by exit()
 * before it is put in place. Errors: ERR_IO.
 */
MUST_CHECK int newfile_make(struct newfile *f, struct error *err);
/* Both. Errors: as they have; nothing is to be released then. */
MUST_CHECK int newfile_open(const struct newfile_spec *spec, struct newfile *ret,
			    struct error *err);
bool newfile_is_straight(const struct newfile *f);

/*
 * Put what was made in place, and go on writing if that is wanted: it stays open. With
 * @keeps_old what was there becomes PLACE.old, unless it is empty. Errors: ERR_IO; what
 * was there is there then (an older PLACE.old may be gone), and the part is under f->part.
 */
MUST_CHECK int newfile_put(struct newfile *f, bool keeps_old, struct error *err);
/*
 * Put it at PLACE@suffix, and never in place of another. Errors: ERR_LIMIT: one is
 * there; ERR_IO.
 */
MUST_CHECK int newfile_put_new(struct newfile *f, const char *suffix, struct error *err);
/*
 * Close it: on the disk and in place if @is_complete and not there before, else removed.
 * False with errno: it could not be put there and is removed. newfile_make() makes another.
 */
bool newfile_place(struct newfile *f, bool is_complete);
/* Close it; the part stays where it is, for a user who could not make it again. */
void newfile_leave(struct newfile *f);
/* Release all; what this process made and did not put in place is removed. */
void newfile_fini(struct newfile *f);

/* A file without a name, open for both, in the folder of @f; NULL or straight: a temporary one. */
int newfile_scratch(const struct newfile *f);
/* A new file @name of @folder (AT_FDCWD), open for both, close-on-exec. -1: errno (EEXIST). */
int newfile_exclusive(int folder, const char *name, mode_t mode);
/* @name, which that made, becomes @path, in the same folder. False: errno. */
bool newfile_exclusive_put(const char *name, const char *path);
/* A setting that the kernel shows as a file: open to be written, never created. -1: errno. */
int newfile_setting(const char *path);
/* /dev/null, open for reading and writing. -1: errno. */
int newfile_null(void);

/* Whether @fd is a regular file that one of @n inputs is, too: NULL, or which. */
const char *newfile_is_input(int fd, const char *const *inputs, size_t n);
/* What a path names: the same file, folder or pipe under all its names. Zeroed: nothing. */
struct newfile_identity {
	dev_t dev;
	ino_t ino;
	bool is_there; /* and can be told from others: not a terminal, /dev/null ... */
};

/* "-" is standard input. One stat(). */
struct newfile_identity newfile_identify(const char *path);

/* All of @data, however often that takes. False with errno: what is written is a part of it. */
bool write_all(int fd, const void *data, size_t len);

#endif
