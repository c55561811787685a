/* SPDX-License-Identifier: MIT */
/*
 * Sources: coreutils, src/df.c: field_data[], get_header(); POSIX, df; busybox, coreutils/df.c;
 * FreeBSD, bin/df/df.c: prthuman().
 */
#include "formats/listings/disk_row.h"

#include "base/status.h"
#include "formats/counters/counter_number.h"

#define DISK_BYTES 1024u /* maximum length of a row */
#define DISK_WORDS 32u

/*
 * The number of bytes in a title such as "1K-blocks", "512-blocks", "1M-blocks"; 0: another title.
 */
static uint64_t disk_unit(struct str title)
{
	static const char letters[] = "BKMGTP";
	uint64_t unit;
	size_t at;

	if (!str_u64(&title, &unit) || unit == 0 || unit > 1 << 20)
		return 0;
	if (str_eq(title, STR("-blocks")))
		return unit;
	at = title.len ? str_find_char(STR(letters), title.p[0]) : sizeof(letters);
	if (at >= sizeof(letters) - 1 || !str_ends(title, STR("-blocks")) || title.len > 9)
		return 0;
	return unit << (10 * at);
}

static enum disk_cell disk_cell(struct str title)
{
	static const struct {
		const char *titles;
		enum disk_cell cell;
	} cells[] = {
		{ "Size", DISK_SIZE },
		{ "Used", DISK_USED },
		{ "Avail|Available", DISK_FREE },
		{ "Use%|Capacity", DISK_USE },
		{ "Inodes", DISK_INODES },
		{ "IUsed|iused", DISK_INODES_USED },
		{ "IFree|ifree", DISK_INODES_FREE },
		{ "IUse%|%iused", DISK_INODES_USE },
	};

	for (size_t i = 0; i < ARRAY_LEN(cells); i++) {
		if (str_glob(str_of(cells[i].titles), title))
			return cells[i].cell;
	}
	return disk_unit(title) ? DISK_SIZE : DISK_OTHER;
}

bool disk_row_head(struct str line, struct disk_head *ret)
{
	struct str words[DISK_COLUMNS + 4];
	size_t n = 0, from = 1;
	bool has_use = false;

	*ret = (struct disk_head){ .unit = 1 };
	if (line.len > DISK_BYTES)
		return false;
	while (n < ARRAY_LEN(words) && str_word(&line, &words[n]))
		n++;
	if (n < 5 || !str_eq(words[0], STR("Filesystem")) ||
	    !str_eq(words[n - 2], STR("Mounted")) || !str_eq(words[n - 1], STR("on")))
		return false;
	ret->has_type = str_eq(words[1], STR("Type"));
	from += ret->has_type;
	for (size_t i = from; i < n - 2; i++) {
		enum disk_cell cell = disk_cell(words[i]);
		uint64_t unit = disk_unit(words[i]);

		if (ret->n == DISK_COLUMNS)
			return false;
		if (unit)
			ret->unit = unit;
		has_use |= cell == DISK_USE || cell == DISK_INODES_USE;
		ret->cells[ret->n++] = (uint8_t)cell;
	}
	return has_use;
}

/* Parse "12G", "1.5T", "640", "67%". False: not a number, such as "-". */
static bool disk_number(const struct disk_head *h, enum disk_cell cell, struct str word,
			uint64_t *ret)
{
	static const char letters[] = "KMGTPE";
	bool is_bytes = cell == DISK_SIZE || cell == DISK_USED || cell == DISK_FREE;
	/* the number without its unit, which may have two letters: "12Gi" of BSD */
	struct str rest = word;
	struct counter_number n;
	double v;

	if (word.len == 0 || !char_is_digit(word.p[0]))
		return false;
	rest.len = 0;
	while (rest.len < word.len && (char_is_digit(word.p[rest.len]) || word.p[rest.len] == '.' ||
				       word.p[rest.len] == ','))
		rest.len++;
	word = str_skip(word, rest.len);
	if (!counter_number(&rest, &n) || rest.len)
		return false;
	v = counter_number_double(&n);
	if (cell == DISK_USE || cell == DISK_INODES_USE) {
		*ret = (uint64_t)v;
		return str_eq(word, STR("%")) && v < 1e6;
	}
	if (word.len == 0 || str_eq(word, STR("B"))) {
		v *= is_bytes && word.len == 0 ? (double)h->unit : 1;
	} else {
		char c = word.p[0] == 'k' ? 'K' : word.p[0];
		size_t at = str_find_char(STR(letters), c);

		if (at >= sizeof(letters) - 1 || !str_glob(STR("?|?i|?B|?iB"), word))
			return false;
		v *= (double)(UINT64_C(1024) << (10 * at));
	}
	if (!(v < 1e19))
		return false;
	*ret = (uint64_t)v;
	return true;
}

/* Parse the cells of a row, which begin at words[at]. False: a cell is neither a number nor "-". */
static bool disk_cells(const struct disk_head *h, const struct str *words, size_t at, size_t n,
		       struct disk_row *ret)
{
	size_t values = 0;

	if (at + h->n > n)
		return false;
	for (size_t i = 0; i < h->n; i++) {
		struct str word = words[at + i];
		enum disk_cell cell = (enum disk_cell)h->cells[i];

		ret->has[cell] = disk_number(h, cell, word, &ret->values[cell]);
		if (!ret->has[cell] && !str_eq(word, STR("-")))
			return false;
		values += ret->has[cell];
	}
	return values > 0;
}

/* Find the values of a row. Returns the index in @words of the first value; 0: not found. */
static size_t disk_values(const struct disk_head *h, const struct str *words, size_t n,
			  struct disk_row *ret)
{
	/*
	 * Try each word as the first value, because the name of a device may contain blanks: "map
	 * auto_home".
	 */
	for (size_t at = 1 + h->has_type; at < n; at++) {
		*ret = (struct disk_row){ .has = { false } };
		if (disk_cells(h, words, at, n, ret))
			return at;
	}
	return 0;
}

static size_t disk_split(struct str line, struct str *words)
{
	size_t n = 0;

	while (n < DISK_WORDS && str_word(&line, &words[n]))
		n++;
	return n;
}

bool disk_row_parse(const struct disk_head *h, struct str line, struct disk_row *ret)
{
	struct str words[DISK_WORDS];
	struct str last;
	size_t n, at;

	if (h->n == 0 || line.len > DISK_BYTES)
		return false;
	line = str_trim(line);
	n = disk_split(line, words);
	at = disk_values(h, words, n, ret);
	if (at == 0 || at + h->n >= n)
		return false;
	last = words[at - 1 - h->has_type];
	ret->device = (struct str){ words[0].p, (size_t)(last.p + last.len - words[0].p) };
	if (h->has_type)
		ret->type = words[at - 1];
	ret->mount = str_skip(line, (size_t)(words[at + h->n].p - line.p));
	return true;
}

bool disk_row_begins(const struct disk_head *h, struct str line)
{
	struct str words[DISK_WORDS];
	struct disk_row row;
	size_t n, at;

	if (h->n == 0 || line.len > DISK_BYTES)
		return false;
	n = disk_split(line, words);
	if (n == 1 || (n == 2 && h->has_type))
		return str_find_char(words[0], '/') < words[0].len;
	at = disk_values(h, words, n, &row);
	return at && at + h->n == n;
}
