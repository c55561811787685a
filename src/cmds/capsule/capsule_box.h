/* SPDX-License-Identifier: MIT */
/* capsule_box.h - the members of a capsule (archive of evidence and findings) while it is made */
#ifndef CMDS_CAPSULE_BOX_H
#define CMDS_CAPSULE_BOX_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct document;
struct out;

struct capsule_member {
	struct str name;
	struct str data;
};

/* A zeroed struct is an empty box. Owner: caller, capsule_box_fini(). */
struct capsule_box {
	VEC(struct capsule_member) members;
	VEC(struct document *) documents; /* open inputs; members borrow their data */
	/* has the names of the members, and data that is not in `documents` */
	struct arena arena;
};

void capsule_box_fini(struct capsule_box *b);
/* Add a member. The box copies @name and borrows @data. */
void capsule_box_add(struct capsule_box *b, struct str name, struct str data);
/*
 * Add @data as a member whose name is @folder followed by NAME. @folder ends with '/'. NAME is the
 * last component of @path; unusual characters become '_'. If the box already has this name, a
 * number is added. The box borrows @data. Returns the member's name.
 */
struct str capsule_box_file(struct capsule_box *b, struct str folder, struct str path,
			    struct str data);
/*
 * Append the archive to @out: first @about as the member "capsule.json", then the checksums, then
 * all members of the box. Errors: as ustar_add().
 */
MUST_CHECK int capsule_box_write(const struct capsule_box *b, struct str about, struct out *out,
				 struct error *err);

#endif
