/* SPDX-License-Identifier: MIT */
/*
 * ustar.h - tar archives in memory, in the ustar format of POSIX.1-1988
 *
 * The writer writes regular files only, without owner and time, so that equal contents give equal
 * archives. The reader accepts any ustar archive, but ignores the field `prefix` of long names. It
 * skips members that are not regular files, and names that lead out of the folder. It unpacks
 * nothing to disk.
 */
#ifndef BASE_USTAR_H
#define BASE_USTAR_H

#include "base/status.h"
#include "base/str.h"

struct out;

#define USTAR_BLOCK    512u
#define USTAR_NAME_MAX 99u

struct ustar_member {
	struct str name; /* borrowed from the archive */
	struct str data;
	bool is_cut; /* the archive ends before the end of this member */
};

/* Position of a reader in an archive, and the members that it skipped. */
struct ustar {
	struct str rest;
	/*
	 * number of skipped members: links, devices, folders, and names that lead out of the folder
	 */
	size_t n_skipped;
	/* the reader stopped at a block that is not a header, or the archive is truncated */
	bool is_damaged;
};

/* Whether @head, the start of a file, begins with the tar header of a regular file. */
bool ustar_is(struct str head);
/*
 * Take the next regular file. False: the archive ends here or is damaged. Cost: O(skipped members).
 */
bool ustar_next(struct ustar *t, struct ustar_member *ret);
/*
 * Append a regular file. Errors: ERR_LIMIT: @name has more than USTAR_NAME_MAX bytes, or @data has
 * 8 GiB or more.
 */
MUST_CHECK int ustar_add(struct out *o, struct str name, struct str data, struct error *err);
/* Append the two blocks of zeros that end an archive. */
void ustar_end(struct out *o);

#endif
