/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_box.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/ustar.h"
#include "base/vec.h"
#include "document/capsule.h"
#include "document/document.h"

#define CAPSULE_NAME_MAX 80u

void capsule_box_fini(struct capsule_box *b)
{
	VEC_FOREACH (d, &b->documents)
		document_free(*d);
	VEC_FREE(&b->documents);
	VEC_FREE(&b->members);
	arena_fini(&b->arena);
}

void capsule_box_add(struct capsule_box *b, struct str name, struct str data)
{
	*VEC_PUSH(&b->members) = (struct capsule_member){ arena_str(&b->arena, name), data };
}

static bool capsule_box_has(const struct capsule_box *b, struct str name)
{
	VEC_FOREACH (m, &b->members) {
		if (str_eq(m->name, name))
			return true;
	}
	return false;
}

static bool capsule_is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) ||
	       (c && strchr("._+-", c));
}

struct str capsule_box_file(struct capsule_box *b, struct str folder, struct str path,
			    struct str data)
{
	size_t slash = str_rfind_char(path, '/');
	struct str base = slash < path.len ? str_skip(path, slash + 1) : path;
	struct out name;

	out_init(&name);
	for (unsigned int n = 1; n == 1 || capsule_box_has(b, out_view(&name)); n++) {
		name.len = 0;
		out_str(&name, folder);
		if (n > 1)
			out_printf(&name, "%u-", n);
		for (size_t i = 0; i < base.len && i < CAPSULE_NAME_MAX; i++)
			out_char(&name, capsule_is_plain(base.p[i]) ? base.p[i] : '_');
	}
	capsule_box_add(b, out_view(&name), data);
	out_fini(&name);
	return b->members.data[b->members.len - 1].name;
}

static void capsule_sum(struct str name, struct str data, struct out *sums)
{
	char digits[17];

	capsule_checksum(data, digits);
	out_printf(sums, "%s  " STR_FMT "\n", digits, STR_ARG(name));
}

int capsule_box_write(const struct capsule_box *b, struct str about, struct out *out,
		      struct error *err)
{
	struct out sums;
	int r;

	out_init(&sums);
	capsule_sum(STR(CAPSULE_ABOUT), about, &sums);
	VEC_FOREACH (m, &b->members)
		capsule_sum(m->name, m->data, &sums);
	r = ustar_add(out, STR(CAPSULE_ABOUT), about, err);
	if (r == OK)
		r = ustar_add(out, STR(CAPSULE_CHECKSUMS), out_view(&sums), err);
	VEC_FOREACH (m, &b->members) {
		if (r == OK)
			r = ustar_add(out, m->name, m->data, err);
	}
	ustar_end(out);
	out_fini(&sums);
	return r;
}
