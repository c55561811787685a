/* SPDX-License-Identifier: MIT */
/* capsule_box.h - the members of a capsule that is being made */
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

/* Zeroed: empty. Owner: caller, capsule_box_fini(). */
struct capsule_box {
	VEC(struct capsule_member) members;
	VEC(struct document *) documents; /* inputs that members borrow */
	struct arena arena;               /* names and data of members */
};

void capsule_box_fini(struct capsule_box *b);
/* Add a member whose @data the box borrows. */
void capsule_box_add(struct capsule_box *b, struct str name, struct str data);
/*
 * Add the input @data as "evidence/NAME". The name is the last part of @path; unusual characters
 * become '_', and a second input of the same name gets a number. Returns the member's name.
 */
struct str capsule_box_input(struct capsule_box *b, struct str path, struct str data);
/*
 * Append the archive: @about as capsule.json, the checksums, the members. Errors: those of
 * ustar_add().
 */
MUST_CHECK int capsule_box_write(const struct capsule_box *b, struct str about, struct out *out,
				 struct error *err);

#endif
