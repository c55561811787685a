/* SPDX-License-Identifier: MIT */
#include "symbols/kernel/kallsyms_index.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/symtab.h"

#include <endian.h>
#include <errno.h>
#include <unistd.h>

#define INDEX_BLOCK      32u /* number of symbols in a block */
#define INDEX_READ_BYTES (UINT32_C(1) << 16)
#define INDEX_LINE_MIN   20u /* length of the shortest line: "ffffffff81000000 T a" */
#define INDEX_NAME_AT    19u

struct index_block {
	uint64_t first; /* address of the first symbol of the block */
	/* file offsets of the first line of the block, and of the line after the block */
	uint64_t at, until;
	struct symtab *table; /* symbols of the block; NULL: the block is not parsed yet */
};

struct kallsyms_index {
	int fd;
	VEC(struct index_block) blocks;
	uint64_t text; /* address of _text; 0: missing */
};

/* State of the pass over the file that creates the index. */
struct index_scan {
	struct kallsyms_index *x;
	uint64_t last; /* address in the previous line; addresses must be in ascending order */
	uint64_t at;   /* file offset of the next line */
	size_t n;      /* number of symbols so far */
};

#define INDEX_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Parse eight hex digits in lower case, as the kernel prints them. */
static bool index_hex8(const char *p, uint64_t *ret)
{
	uint64_t text;
	uint64_t is_letter;
	uint64_t v;

	memcpy(&text, p, sizeof(text));
	text = be64toh(text);
	is_letter = text >> 6 & INDEX_EACH(1);
	v = (text & INDEX_EACH(0x0f)) + is_letter * 9;
	if (v & INDEX_EACH(0x10) || ((v + INDEX_EACH(6)) >> 4 & INDEX_EACH(1)) != is_letter ||
	    v + INDEX_EACH('0') + is_letter * ('a' - '0' - 10) != text)
		return false;
	v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	*ret = (v | v >> 16) & UINT32_MAX;
	return true;
}

static bool index_has_type(char type)
{
	char kind = (char)(type | 0x20);

	return kind == 't' || kind == 'w' || kind == 'd' || kind == 'b';
}

/*
 * Check one line and add its symbol to the index. @line: without its newline. Returns false if the
 * line does not have the kernel's format, or is not in address order.
 */
static bool index_line(struct index_scan *s, struct str line)
{
	const char *p = line.p;
	uint64_t high;
	uint64_t low;

	if (line.len < INDEX_LINE_MIN || !index_hex8(p, &high) || !index_hex8(p + 8, &low) ||
	    p[16] != ' ' || p[18] != ' ' || (unsigned char)p[INDEX_NAME_AT] <= ' ')
		return false;
	if (p[line.len - 1] == ']')
		/* symbols of modules are not indexed; a tab must precede their "[module]" */
		return memchr(p, '\t', line.len) != NULL;
	if (!index_has_type(p[17]) || p[INDEX_NAME_AT] == '$')
		return true;
	high = high << 32 | low;
	if (high < s->last)
		return false;
	s->last = high;
	if (s->n++ % INDEX_BLOCK == 0)
		*VEC_PUSH(&s->x->blocks) = (struct index_block){ .first = high, .at = s->at };
	s->x->blocks.data[s->x->blocks.len - 1].until = s->at + line.len + 1;
	if (str_eq(str_skip(line, INDEX_NAME_AT), STR("_text")))
		s->x->text = high;
	return true;
}

static bool index_scan(struct kallsyms_index *x)
{
	CLEANUP(freep) char *text = xmalloc(INDEX_READ_BYTES);
	struct index_scan s = { .x = x };
	ssize_t n;

	/*
	 * read a buffer at a time; a line that is incomplete at the end of the buffer is read again
	 */
	while ((n = pread(x->fd, text, INDEX_READ_BYTES, (off_t)s.at)) > 0) {
		const char *p = text;
		const char *end = text + n;
		const char *eol;

		for (; (eol = memchr(p, '\n', (size_t)(end - p))) != NULL; p = eol + 1) {
			struct str line = { p, (size_t)(eol - p) };

			if (!index_line(&s, line))
				return false;
			s.at += line.len + 1;
		}
		if (p == text)
			return false;
	}
	return n == 0 && s.last != 0;
}

struct kallsyms_index *kallsyms_index_open(int fd)
{
	struct kallsyms_index *x = xcalloc(1, sizeof(*x));

	x->fd = fd;
	if (index_scan(x))
		return x;
	x->fd = -1;
	kallsyms_index_free(x);
	return NULL;
}

void kallsyms_index_free(struct kallsyms_index *x)
{
	if (!x)
		return;
	VEC_FOREACH (b, &x->blocks) {
		if (b->table)
			symtab_fini(b->table);
		free(b->table);
	}
	VEC_FREE(&x->blocks);
	if (x->fd >= 0)
		(void)close(x->fd);
	free(x);
}

/*
 * Parse the lines of the block @b into b->table. Its last symbol ends where the next block starts.
 */
static void index_read(struct kallsyms_index *x, struct index_block *b)
{
	const struct index_block *next = b + 1 < x->blocks.data + x->blocks.len ? b + 1 : NULL;
	size_t len = (size_t)(b->until - b->at);
	CLEANUP(freep) char *text = xmalloc(len + 1);
	struct kallsyms k = { 0 };

	b->table = xcalloc(1, sizeof(*b->table));
	for (size_t at = 0; at < len;) {
		ssize_t n = pread(x->fd, text + at, len - at, (off_t)(b->at + at));

		if (n == 0 || (n < 0 && errno != EINTR))
			return;
		at += n > 0 ? (size_t)n : 0;
	}
	kallsyms_add(&k, (struct str){ text, len });
	*b->table = k.modules.data[0].table;
	memset(&k.modules.data[0].table, 0, sizeof(k.modules.data[0].table));
	kallsyms_fini(&k);
	symtab_finish(b->table, false);
	if (next && b->table->entries.len)
		b->table->entries.data[b->table->entries.len - 1].end = next->first;
}

struct symtab_entry *kallsyms_index_find(struct kallsyms_index *x, uint64_t address,
					 struct symtab **ret_table)
{
	size_t low = VEC_PARTITION(&x->blocks, it, it->first <= address);
	struct index_block *b;

	if (low == 0)
		return NULL;
	b = &x->blocks.data[low - 1];
	if (!b->table)
		index_read(x, b);
	*ret_table = b->table;
	return symtab_find(b->table, address);
}

uint64_t kallsyms_index_text(const struct kallsyms_index *x)
{
	return x->text;
}

void kallsyms_index_reset(struct kallsyms_index *x)
{
	VEC_FOREACH (b, &x->blocks) {
		for (size_t i = 0; b->table && i < b->table->entries.len; i++)
			b->table->entries.data[i].sym = SYM_ID_NONE;
	}
}
