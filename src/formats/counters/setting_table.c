/* SPDX-License-Identifier: MIT */
/*
 * setting_table.c - tables made by hand: the speed of one thing with different settings
 *
 * The table is Markdown or drawn, or has tabs between its cells:
 *
 *     |                       | appends/sec | time per append |
 *     | --------------------- | ----------: | --------------: |
 *     | `sync_each = true`    |     **224** |         4.47 ms |
 *     | `sync_each = false`   |      85,014 |        0.012 ms |
 *
 * Either the rows or the columns are the settings, and there must be at least two. A label names a
 * setting if it contains '=', begins with "+ " or "--", or contains a word such as "on", "disabled"
 * or "without". If the rows are the settings, the columns are the measures; if the columns are the
 * settings, the rows are the measures. At least one measure must be a rate or a time: its title or
 * the unit of its cells shows this. Each number becomes a counter, whose name is the measure and
 * whose key is the setting.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/names/scaling_words.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/counters/hand_cells.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

DECLARE_FORMAT(setting_table);

#define SETTING_CELLS 10u
#define SETTING_ROWS  24u /* maximum number of rows */
#define SETTING_LABEL 72u
#define SETTING_LINE  1024u
/* low score: if a tool prints such a table, the reader for this tool is preferred */
#define SETTING_SCORE 55u

#define SETTING_WORDS                                                                        \
	"on|off|true|false|yes|no|none|with|without|enabled|disabled|enable|disable|loaded|" \
	"unloaded|default|defaults|baseline|vanilla|unset|cached|uncached|plain"

static const struct diag_kind setting_cells = { "setting-table-cells", DIAG_INFO,
						"cells without a number that can be read" };
static const struct diag_kind setting_lines = { "setting-table-lines", DIAG_INFO,
						"lines between rows of the table" };

struct setting_head {
	enum hand_layout layout;
	size_t n;
	struct str titles[SETTING_CELLS];
	bool has_columns; /* the columns are the settings */
};

/* Does @label name a setting: "sync = true", "cache off", "+ index", "--no-gc"? */
static bool setting_is_label(struct str label)
{
	struct str rest = hand_cells_plain(label);

	if (rest.len == 0 || rest.len > SETTING_LABEL)
		return false;
	if (str_find_char(rest, '=') < rest.len || str_starts(rest, STR("+ ")) ||
	    str_starts(rest, STR("--")))
		return true;
	while (rest.len) {
		size_t from = 0, n = 0;
		char word[16];

		while (from < rest.len && !char_is_word(rest.p[from]))
			from++;
		rest = str_skip(rest, from);
		while (n < rest.len && char_is_word(rest.p[n]) && n < sizeof(word)) {
			word[n] = (char)(rest.p[n] >= 'A' && rest.p[n] <= 'Z' ? rest.p[n] | 0x20
									      : rest.p[n]);
			n++;
		}
		if (n && n < sizeof(word) && str_glob(STR(SETTING_WORDS), (struct str){ word, n }))
			return true;
		rest = str_skip(rest, n ? n : 1);
	}
	return false;
}

static bool setting_split(enum hand_layout layout, struct str line, struct str *ret, size_t *ret_n)
{
	if (line.len < 4 || line.len > SETTING_LINE || hand_cells_is_rule(line))
		return false;
	*ret_n = hand_cells_split(layout, line, ret, SETTING_CELLS);
	return *ret_n >= 2;
}

static bool setting_head_of(struct str line, struct setting_head *ret)
{
	size_t n_settings = 0;

	ret->layout = hand_cells_is_drawn(line) ? HAND_DRAWN : HAND_TABS;
	if (!setting_split(ret->layout, line, ret->titles, &ret->n))
		return false;
	for (size_t i = 0; i < ret->n; i++) {
		ret->titles[i] = hand_cells_plain(ret->titles[i]);
		n_settings += i && setting_is_label(ret->titles[i]);
	}
	ret->has_columns = n_settings >= 2;
	return !scaling_words_is_count(ret->titles[0]);
}

/*
 * Is a cell a rate, time or latency? Its unit @unit or the title of its measure shows this. If the
 * columns are the settings, the title of the measure is @row, the label of the row. Otherwise it is
 * the title of column @column.
 */
static bool setting_is_judged(const struct setting_head *h, size_t column, struct str row,
			      struct str unit)
{
	return scaling_value_of(h->has_columns ? row : h->titles[column], unit) != SCALING_NONE;
}

/*
 * Find the rows at the start of @text, under the titles @h. Returns the offset of their end; 0:
 * none.
 */
static size_t setting_run(const struct setting_head *h, struct str text)
{
	struct str rest = text;
	size_t to = 0, rows = 0, settings = 0;
	size_t judged[SETTING_CELLS] = { 0 };
	struct str line;
	bool is_judged = false;

	while (str_line(&rest, &line)) {
		struct str cells[SETTING_CELLS];
		struct str label;
		size_t n, of_row = 0;

		if (rows == 0 && hand_cells_is_rule(line))
			continue;
		if (rows >= SETTING_ROWS || !setting_split(h->layout, line, cells, &n) || n != h->n)
			break;
		label = hand_cells_plain(cells[0]);
		settings += setting_is_label(label);
		for (size_t i = 1; i < n; i++) {
			struct hand_number number;

			if (!hand_cells_number(cells[i], &number) ||
			    !setting_is_judged(h, i, label, number.unit))
				continue;
			of_row += setting_is_label(h->titles[i]);
			judged[i]++;
		}
		is_judged |= h->has_columns && of_row >= 2;
		rows++;
		to = text.len - rest.len;
	}
	for (size_t i = 1; i < h->n && !h->has_columns; i++)
		is_judged |= judged[i] >= 2;
	return is_judged && (h->has_columns || (rows >= 2 && settings >= 2)) ? to : 0;
}

static bool setting_table_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct setting_head h;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		size_t to;

		if (!setting_head_of(line, &h))
			continue;
		to = setting_run(&h, rest);
		if (to == 0)
			continue;
		*ret = (struct extent){ .from = at,
					.to = text.len - rest.len + to,
					.score = SETTING_SCORE };
		return true;
	}
	return false;
}

static unsigned int setting_table_probe(struct str head)
{
	struct extent e;

	return setting_table_find(head, 0, &e) ? SETTING_SCORE : 0;
}

/* The id of @label, after removal of marks for code and bold text. */
static str_id setting_string(struct strings *strings, struct str label)
{
	char text[SETTING_LABEL];
	size_t n = 0;

	for (size_t i = 0; i < label.len && n < sizeof(text); i++) {
		if (label.p[i] != '`' && label.p[i] != '*')
			text[n++] = label.p[i];
	}
	return strings_add(strings, str_trim((struct str){ text, n }));
}

static void setting_add(struct capture *c, struct str name, struct str key,
			const struct hand_number *cell, uint32_t line)
{
	struct strings *strings = capture_strings(c);

	if (counters_add(capture_counters(c), strings,
			 (struct counter){ .name = setting_string(strings, name),
					   .key = setting_string(strings, key),
					   .unit = cell->unit.len ? strings_add(strings, cell->unit)
								  : STR_ID_NONE,
					   .value = cell->number.value,
					   .decimals = cell->number.decimals,
					   .spread = -1,
					   .running = -1,
					   .line = line }) < 0)
		diag_count(&c->diag, &setting_cells, line);
}

static void setting_row(struct capture *c, const struct setting_head *h, const struct str *cells,
			uint32_t line)
{
	struct str label = str_sub(hand_cells_plain(cells[0]), 0, SETTING_LABEL);

	for (size_t i = 1; i < h->n; i++) {
		struct str title = str_sub(h->titles[i], 0, SETTING_LABEL);
		struct hand_number number;

		if (hand_cells_number(cells[i], &number))
			setting_add(c, h->has_columns ? label : title,
				    h->has_columns ? title : label, &number, line);
		else if (hand_cells_plain(cells[i]).len)
			diag_count(&c->diag, &setting_cells, line);
	}
}

static int setting_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_setting_table, in, d);
	struct setting_head head = { .n = 0 };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str cells[SETTING_CELLS];
		size_t width;

		if (head.n == 0) {
			if (!setting_head_of(line, &head))
				head.n = 0;
		} else if (setting_split(head.layout, line, cells, &width) && width == head.n) {
			setting_row(c, &head, cells, region_line(in, n));
		} else if (!hand_cells_is_rule(line)) {
			unread_rows_count(c, &setting_lines, line, region_line(in, n));
		}
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no row of a table of settings");
	c->counters->n_intervals = 1;
	c->counters->tool = strings_add(capture_strings(c), STR("table of settings"));
	return OK;
}

const struct format format_setting_table = {
	.name = "setting-table",
	.title = "counters",
	.summary = "tables of times or rates with different settings",
	.kinds = KIND_COUNTERS,
	.probe = setting_table_probe,
	.find = setting_table_find,
	.read = setting_table_read,
};
