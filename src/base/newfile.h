/* SPDX-License-Identifier: MIT */
/*
 * newfile.h - a file that is written beside its place and put there when it is whole
 *
 * Who reads the place sees the old file or the new one, never a part.
 */
#ifndef BASE_NEWFILE_H
#define BASE_NEWFILE_H

#include <stdbool.h>
#include <stddef.h>

/* All of @data, however often that takes. False with errno: what is written is a part of it. */
bool write_all(int fd, const void *data, size_t len);

/*
 * A new file beside @path with the permissions @mode, close-on-exec; its name, to be
 * released by newfile_place(), in *@ret_name. -1 with errno, and *@ret_name is NULL.
 * One at a time is also removed when the program ends by exit() before it is placed.
 */
int newfile_create(const char *path, unsigned int mode, char **ret_name);

/*
 * Close @fd; put @name at @path if @is_complete, once it is on the disk, or remove it.
 * Releases @name. False with errno: it could not be put there and is removed.
 */
bool newfile_place(int fd, char *name, const char *path, bool is_complete);

/*
 * @name, which the caller keeps, is a part of a file until newfile_end(): removed when the
 * program ends by exit() before. Of several at a time the first is.
 */
void newfile_begin(const char *name);
void newfile_end(const char *name);

#endif
