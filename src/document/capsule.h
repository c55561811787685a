/* SPDX-License-Identifier: MIT */
/*
 * capsule.h - read a capsule: the archive of inputs that `assay capsule` writes
 *
 * A capsule is a tar archive (base/ustar.h). Its first member is capsule.json, which begins with
 * the name of the schema. The inputs are in the folder "evidence" of the archive. docs/capsule.md
 * lists all members. A capsule is untrusted input: its sizes are bounded by the file, its names are
 * only compared and shown, and its checksums are verified.
 */
#ifndef DOCUMENT_CAPSULE_H
#define DOCUMENT_CAPSULE_H

#include "base/status.h"
#include "base/str.h"

struct diag;

#define CAPSULE_SCHEMA    "assay-capsule-1"
#define CAPSULE_ABOUT     "capsule.json"
#define CAPSULE_CHECKSUMS "checksums"
#define CAPSULE_EVIDENCE  "evidence/"
#define CAPSULE_SOURCE    "source/"

/* One input of a capsule. */
struct capsule {
	struct str name;   /* name of the input, without folder */
	struct str text;   /* bytes of the input */
	size_t n_evidence; /* number of inputs in the capsule */
};

/* Whether @text is a capsule of any version. Cost: O(1). */
bool capsule_is(struct str text);
/*
 * Find the input number @at, from 0, of the capsule @text. @ret borrows from @text. If @at is 0,
 * the checksums of all inputs are verified. Damage is counted in @diag. Errors: ERR_UNSUPPORTED: a
 * later version; ERR_FORMAT: no such input, or it is empty. Cost: O(members); if @at is 0,
 * O(bytes).
 */
MUST_CHECK int capsule_open(struct str text, size_t at, struct diag *diag, struct capsule *ret,
			    struct error *err);
/* The number of the input @name; SIZE_MAX: none. Cost: O(members). */
size_t capsule_find(struct str text, struct str name);
/* Checksum of a member: XXH64, as 16 hex digits. */
void capsule_checksum(struct str data, char ret[17]);

#endif
