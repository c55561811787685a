/* SPDX-License-Identifier: MIT */
#include "base/ustar.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

/* sizes from 8 GiB on do not fit into the eleven octal digits of a header */
#define USTAR_DATA_LIMIT (UINT64_C(1) << 33)

/* A header block. Its numbers are octal digits that end with a blank or a NUL. */
struct ustar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char sum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char owner[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char unused[12];
};
_Static_assert(sizeof(struct ustar_header) == USTAR_BLOCK, "a header is one block");

static bool ustar_octal(const char *field, size_t len, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	size_t first;

	while (i < len && field[i] == ' ')
		i++;
	first = i;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(field[i] - '0');
	*ret = v;
	return i > first && (i == len || field[i] == ' ' || field[i] == '\0');
}

/*
 * The checksum of the header: the sum of its bytes. The bytes of the checksum field count as
 * blanks.
 */
static uint64_t ustar_sum(const struct ustar_header *h)
{
	const unsigned char *p = (const unsigned char *)h;
	size_t at = offsetof(struct ustar_header, sum);
	uint64_t sum = 0;

	for (size_t i = 0; i < USTAR_BLOCK; i++)
		sum += i >= at && i < at + sizeof(h->sum) ? ' ' : p[i];
	return sum;
}

static bool ustar_is_header(const struct ustar_header *h)
{
	uint64_t sum;

	return memcmp(h->magic, "ustar", 5) == 0 && ustar_octal(h->sum, sizeof(h->sum), &sum) &&
	       sum == ustar_sum(h);
}

/* Whether @name stays in its folder: it is not absolute and has no component "..". */
static bool ustar_is_inside(struct str name)
{
	if (name.len == 0 || name.p[0] == '/')
		return false;
	while (name.len) {
		size_t slash = str_find_char(name, '/');

		if (str_eq(str_sub(name, 0, slash), STR("..")))
			return false;
		name = str_skip(name, slash + 1);
	}
	return true;
}

static const struct ustar_header *ustar_header(struct str s)
{
	return s.len < USTAR_BLOCK ? NULL : (const struct ustar_header *)(const void *)s.p;
}

bool ustar_is(struct str head)
{
	const struct ustar_header *h = ustar_header(head);

	return h && ustar_is_header(h) && (h->type == '0' || h->type == '\0');
}

/*
 * Take the header and data of the next member, of any type. False: the archive ends here or is
 * damaged.
 */
static bool ustar_take(struct ustar *t, struct ustar_member *ret, char *ret_type)
{
	const struct ustar_header *h = ustar_header(t->rest);
	uint64_t size;
	uint64_t padded;

	if (!h || !ustar_is_header(h) || !ustar_octal(h->size, sizeof(h->size), &size)) {
		/* the archive is damaged, unless a block of zeros ends it */
		t->is_damaged |= !h || h->name[0] != '\0';
		t->rest = STR_NONE;
		return false;
	}
	t->rest = str_skip(t->rest, USTAR_BLOCK);
	ret->is_cut = size > t->rest.len;
	t->is_damaged |= ret->is_cut;
	ret->name = (struct str){ h->name, strnlen(h->name, sizeof(h->name)) };
	ret->data = str_sub(t->rest, 0, ret->is_cut ? t->rest.len : (size_t)size);
	*ret_type = h->type;
	padded = size + (USTAR_BLOCK - size % USTAR_BLOCK) % USTAR_BLOCK;
	t->rest = str_skip(t->rest, padded > t->rest.len ? t->rest.len : (size_t)padded);
	return true;
}

bool ustar_next(struct ustar *t, struct ustar_member *ret)
{
	char type = '\0';

	while (ustar_take(t, ret, &type)) {
		if ((type == '0' || type == '\0') && ustar_is_inside(ret->name))
			return true;
		t->n_skipped++;
	}
	return false;
}

int ustar_add(struct out *o, struct str name, struct str data, struct error *err)
{
	struct ustar_header h = {
		.mode = "0000644",
		.uid = "0000000",
		.gid = "0000000",
		.mtime = "00000000000",
		.type = '0',
		.magic = "ustar",
		.version = { '0', '0' },
		.major = "0000000",
		.minor = "0000000",
	};
	size_t rest = data.len % USTAR_BLOCK;

	if (name.len > USTAR_NAME_MAX)
		return fail(err, ERR_LIMIT, "a name of more than %u bytes", USTAR_NAME_MAX);
	if (data.len >= USTAR_DATA_LIMIT)
		return fail(err, ERR_LIMIT, "larger than 8 GiB");
	memcpy(h.name, name.p, name.len);
	(void)snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)data.len);
	(void)snprintf(h.sum, sizeof(h.sum), "%06llo", (unsigned long long)ustar_sum(&h));
	h.sum[7] = ' ';
	out_bytes(o, &h, sizeof(h));
	out_str(o, data);
	if (rest)
		out_repeat(o, '\0', USTAR_BLOCK - rest);
	return OK;
}

void ustar_end(struct out *o)
{
	out_repeat(o, '\0', (size_t)2 * USTAR_BLOCK);
}
