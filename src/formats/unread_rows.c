/* SPDX-License-Identifier: MIT */
#include "formats/unread_rows.h"

#include "base/str.h"
#include "base/text/cells.h"
#include "core/capture.h"
#include "core/diag.h"

/* maximum length in bytes of a row; a longer line is no row */
#define UNREAD_LINE_BYTES 1024u

static const struct diag_kind unread_rows = { DIAG_UNREAD_ROWS, DIAG_DATALOSS,
					      "rows of a table that were not read" };

struct unread_shape {
	unsigned int words, numbers;
	bool is_pair; /* "name: 12", "name = 12", "a_name 12" */
	/*
	 * the line has a total or a mean of other rows, such as "Total 12 5". It does not count as
	 * an unread row, because assay computes totals itself.
	 */
	bool is_total;
};

static struct unread_shape unread_shape_of(struct str line)
{
	struct unread_shape ret = { .words = 0 };
	/* the words before this word name a value: "name:", "name =", "a_name" */
	bool is_named = false;
	struct str word;

	if (line.len > UNREAD_LINE_BYTES)
		return ret;
	while (str_word(&line, &word)) {
		if (cell_is_time(word))
			continue;
		ret.words++;
		if (cell_is_number(word)) {
			ret.is_pair |= is_named && ret.numbers == 0;
			ret.numbers++;
		} else {
			ret.is_total |=
				str_glob(STR("total|total:|Total|Total:|TOTAL|Average:"), word);
			/* a single word needs a '_' to be a name: "page 12" is prose */
			is_named = (ret.words == 1 && str_find_char(word, '_') < word.len) ||
				   (ret.words <= 2 && str_ends(word, STR(":"))) ||
				   (ret.words == 2 && str_eq(word, STR("=")));
		}
	}
	return ret;
}

static bool unread_has_row(const struct unread_shape *s)
{
	if (s->is_total)
		return false;
	/*
	 * a line with a name and one number has at most three words: name, number, unit, as in
	 * "name: 12 kB"
	 */
	if (s->is_pair && s->numbers == 1)
		return s->words <= 3;
	return s->numbers >= 2 && s->numbers * 2 >= s->words;
}

bool unread_rows_is_row(struct str line)
{
	struct unread_shape s = unread_shape_of(line);

	return unread_has_row(&s);
}

bool unread_rows_is_like(struct str line, struct str row)
{
	struct unread_shape a = unread_shape_of(line);
	struct unread_shape b = unread_shape_of(row);

	/* names of pairs must have the same indentation; for other rows, indentation may differ */
	if (a.is_pair && line.len - str_ltrim(line).len != row.len - str_ltrim(row).len)
		return false;
	return unread_has_row(&a) && unread_has_row(&b) && a.is_pair == b.is_pair &&
	       a.numbers <= b.numbers + 1 && b.numbers <= a.numbers + 1;
}

void unread_rows_add(struct capture *c, uint32_t number)
{
	diag_count(&c->diag, &unread_rows, number);
}

void unread_rows_count(struct capture *c, const struct diag_kind *other, struct str line,
		       uint32_t number)
{
	if (str_trim(line).len == 0)
		return;
	if (unread_rows_is_row(line))
		unread_rows_add(c, number);
	else
		diag_count(&c->diag, other, number);
}
