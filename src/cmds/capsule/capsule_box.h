/* SPDX-License-Identifier: MIT */
/* capsule_box.h - the members of a capsule (archive of evidence and findings) that is being made */
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

/* A zeroed box is empty. Owner: caller, capsule_box_fini(). */
struct capsule_box {
	VEC(struct capsule_member) members;
	VEC(struct document *) documents; /* inputs whose data is borrowed by members */
	/* owns the names of members, and data that is not borrowed */
	struct arena arena;
};

void capsule_box_fini(struct capsule_box *b);
/* Add a member. The box borrows @data. */
void capsule_box_add(struct capsule_box *b, struct str name, struct str data);
/*
 * Add @data of the file @path as the member FOLDER/NAME. @folder ends with '/'. NAME is the last
 * component of @path, with '_' for unusual characters. If the box has this name, a number is added.
 * Returns the member's name.
 */
struct str capsule_box_file(struct capsule_box *b, struct str folder, struct str path,
			    struct str data);
/*
 * Append the archive to @out: @about as the member "capsule.json", the checksums, then all members.
 * Errors: those of ustar_add().
 */
MUST_CHECK int capsule_box_write(const struct capsule_box *b, struct str about, struct out *out,
				 struct error *err);

#endif
