/* SPDX-License-Identifier: MIT */
/*
 * ustar.h - tar archives in memory, in the ustar format of POSIX.1-1988
 *
 * Writes regular files only, without owner and time, so that equal contents give equal archives.
 * Reads any ustar archive; members that are not regular files, and names that lead out of the
 * folder, are skipped. Nothing is unpacked to disk.
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
	bool is_cut; /* the archive ends before the member does */
};

/* Position of a reader in an archive, and the members that it skipped. */
struct ustar {
	struct str rest;
	size_t n_skipped; /* links, devices, folders, and names that lead out of the folder */
	/* reading stopped at a block that is no header, or because the archive is truncated */
	bool is_damaged;
};

/* Whether @head begins with the header of a regular file. */
bool ustar_is(struct str head);
/* Take the next regular file. False: the end, or damage. Cost: O(skipped members). */
bool ustar_next(struct ustar *t, struct ustar_member *ret);
/*
 * Append a regular file. Errors: ERR_LIMIT: the name has more than USTAR_NAME_MAX bytes, or @data
 * has 8 GiB or more.
 */
MUST_CHECK int ustar_add(struct out *o, struct str name, struct str data, struct error *err);
/* Append the end of the archive. */
void ustar_end(struct out *o);

#endif
