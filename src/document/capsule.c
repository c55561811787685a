/* SPDX-License-Identifier: MIT */
#include "document/capsule.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/ustar.h"
#include "core/diag.h"

#include <stdio.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CAPSULE_BEGIN  "{\n  \"schema\": \"assay-capsule-"
#define CAPSULE_DIGITS 16u

static const struct diag_kind capsule_cut = { "capsule-cut", DIAG_DATALOSS,
					      "capsules that end too early; what came before is "
					      "there",
					      true };
static const struct diag_kind capsule_changed = {
	"capsule-checksum", DIAG_DATALOSS, "members of a capsule that differ from their checksum"
};
static const struct diag_kind capsule_skipped = {
	"capsule-skipped", DIAG_INFO, "members of a capsule that are not read: links, other paths"
};
static const struct diag_kind capsule_many = { "capsule-past-limit", DIAG_DATALOSS,
					       "inputs of a capsule past the limit" };

/* Whether @text is a tar archive whose first member is capsule.json; *@ret receives its content. */
static bool capsule_about(struct str text, struct str *ret)
{
	struct ustar t = { .rest = text };
	struct ustar_member m;

	if (!ustar_is(text) || !ustar_next(&t, &m) || !str_eq(m.name, STR(CAPSULE_ABOUT)) ||
	    !str_starts(m.data, STR(CAPSULE_BEGIN)))
		return false;
	*ret = m.data;
	return true;
}

bool capsule_is(struct str text)
{
	struct str about;

	return capsule_about(text, &about);
}

void capsule_checksum(struct str data, char ret[17])
{
	(void)snprintf(ret, CAPSULE_DIGITS + 1, "%016llx",
		       (unsigned long long)XXH64(data.p, data.len, 0));
}

/*
 * Whether the checksum of member @m equals the one in @sums. Lines of @sums are like those of
 * xxhsum: a checksum, two blanks and a name. Also true if @sums does not list the member.
 */
static bool capsule_is_unchanged(struct str sums, const struct ustar_member *m)
{
	char digits[CAPSULE_DIGITS + 1];
	struct str line;

	while (str_line(&sums, &line)) {
		if (line.len < CAPSULE_DIGITS + 2 ||
		    !str_eq(str_skip(line, CAPSULE_DIGITS + 2), m->name))
			continue;
		capsule_checksum(m->data, digits);
		return str_starts(line, str_of(digits));
	}
	return true;
}

/* Whether the member @m of a capsule is an input: a file in the folder "evidence". */
static bool capsule_is_input(const struct ustar_member *m)
{
	return str_starts(m->name, STR(CAPSULE_EVIDENCE)) &&
	       m->name.len > sizeof(CAPSULE_EVIDENCE) - 1;
}

/* Take the next input of a capsule. Its folder, "evidence", is removed from m->name. */
static bool capsule_next(struct ustar *t, struct ustar_member *m)
{
	while (ustar_next(t, m)) {
		if (capsule_is_input(m))
			return str_take(&m->name, STR(CAPSULE_EVIDENCE));
	}
	return false;
}

/* Verify the checksums of all inputs in the capsule @text, and count damage in @diag. */
static void capsule_check(struct str text, struct diag *diag)
{
	struct ustar t = { .rest = text };
	struct str sums = STR_NONE;
	struct ustar_member m;
	size_t n = 0;

	while (ustar_next(&t, &m)) {
		if (str_eq(m.name, STR(CAPSULE_CHECKSUMS)) && m.data.len < LIMIT_CAPSULE_SUMS_BYTES)
			sums = m.data;
		if (!capsule_is_input(&m) || n++ > LIMIT_CAPSULE_INPUTS)
			continue;
		if (!m.is_cut && !capsule_is_unchanged(sums, &m))
			diag_count(diag, &capsule_changed, 0);
	}
	if (t.is_damaged)
		diag_count(diag, &capsule_cut, 0);
	if (t.n_skipped)
		diag_add(diag, &capsule_skipped, t.n_skipped, 0);
}

int capsule_open(struct str text, size_t at, struct diag *diag, struct capsule *ret,
		 struct error *err)
{
	struct ustar t = { .rest = text };
	struct ustar_member m;
	struct str about;

	*ret = (struct capsule){ .n_evidence = 0 };
	if (!capsule_about(text, &about) ||
	    !str_starts(about, STR("{\n  \"schema\": \"" CAPSULE_SCHEMA "\"")))
		return fail(err, ERR_UNSUPPORTED,
			    "a capsule of a later version of assay; unpack it with 'tar xf', and "
			    "name the files in its folder evidence");
	if (at == 0)
		capsule_check(text, diag);
	while (ustar_next(&t, &m)) {
		if (!capsule_is_input(&m))
			continue;
		if (ret->n_evidence == LIMIT_CAPSULE_INPUTS) {
			if (at == 0)
				diag_count(diag, &capsule_many, 0);
			continue;
		}
		if (ret->n_evidence++ == at) {
			ret->name = str_skip(m.name, sizeof(CAPSULE_EVIDENCE) - 1);
			ret->text = m.data;
		}
	}
	if (at >= ret->n_evidence)
		return fail(err, ERR_FORMAT, "a capsule without evidence");
	if (ret->text.len == 0)
		return fail(err, ERR_FORMAT, "the evidence in the capsule is empty");
	return OK;
}

size_t capsule_find(struct str text, struct str name)
{
	struct ustar t = { .rest = text };
	struct ustar_member m;

	for (size_t i = 0; i < LIMIT_CAPSULE_INPUTS && capsule_next(&t, &m); i++) {
		if (str_eq(m.name, name))
			return i;
	}
	return SIZE_MAX;
}
