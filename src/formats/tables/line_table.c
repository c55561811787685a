/* SPDX-License-Identifier: MIT */
#include "formats/tables/line_table.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"

#include <math.h>

#define LINE_TABLE_BLANKS 12u

bool line_table_find(const struct line_table *t, struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str first = STR_NONE; /* name of the first row */
	struct str line;
	size_t rows = 0;
	unsigned int others = 0;
	unsigned int blanks = 0;
	bool has_head = false;
	bool has_begin = false;
	bool has_sure = false;
	size_t at = from;

	while (str_line(&rest, &line)) {
		enum line_kind kind = t->kind(line);
		size_t next = text.len - rest.len;

		/*
		 * titles after rows begin another table, which may be of another recording, so end
		 * this table here
		 */
		if (kind == LINE_HEAD && has_begin && rows && (has_head || rows >= t->min_rows))
			return true;
		if (t->name && kind == LINE_ROW) {
			struct str name = t->name(line);

			if (rows >= t->min_rows && others && name.len && str_eq(name, first))
				return true;
			first = rows ? first : name;
		}
		has_sure |= kind == LINE_SURE;
		if (kind == LINE_PART)
			kind = LINE_HEAD;
		else if (kind == LINE_SURE)
			kind = LINE_ROW;
		if (kind == LINE_HEAD || kind == LINE_ROW) {
			if (!has_begin)
				*ret = (struct extent){ .from = at, .score = t->score };
			has_begin = true;
			has_head |= kind == LINE_HEAD || has_sure;
			rows += kind == LINE_ROW;
			if (kind == LINE_ROW)
				ret->to = next;
			others = blanks = 0;
		} else if (has_begin && kind == LINE_TAIL) {
			if (rows)
				ret->to = next;
			others = blanks = 0;
		} else if (has_begin) {
			others += kind == LINE_OTHER;
			blanks += kind == LINE_BLANK;
			if (others > t->gap || blanks > LINE_TABLE_BLANKS) {
				if (rows && (has_head || rows >= t->min_rows))
					return true;
				has_begin = has_head = has_sure = false;
				rows = 0;
			}
		}
		at = next;
	}
	return has_begin && rows && (has_head || rows >= t->min_rows);
}

unsigned int line_table_probe(const struct line_table *t, struct str head)
{
	struct extent e;

	return line_table_find(t, head, 0, &e) ? 85 : 0;
}

void line_table_columns(struct capture *c, const char *name_column, const char *cost,
			const struct line_column *columns, size_t n)
{
	struct metrics *m = capture_metrics(c);
	struct strings *strings = capture_strings(c);

	m->name_column = strings_add(strings, str_of(name_column));
	m->is_tool = true;
	for (size_t i = 0; i < n; i++) {
		if (cost && strcmp(columns[i].name, cost) == 0)
			m->cost = (uint32_t)i;
		*VEC_PUSH(&m->columns) = (struct metric_column){
			.name = strings_add(strings, str_of(columns[i].name)),
			.unit = columns[i].unit ? strings_add(strings, str_of(columns[i].unit))
						: STR_ID_NONE,
			.is_text = columns[i].is_text,
			.is_integer = !columns[i].is_text,
		};
	}
}

bool line_table_add(struct capture *c, sym_id name, const double *values, const struct str *texts,
		    uint32_t line)
{
	struct metrics *m = c->metrics;

	if (m->n_rows >= LIMIT_ROWS)
		return false;
	for (size_t i = 0; i < m->columns.len; i++) {
		struct metric_column *col = &m->columns.data[i];

		*VEC_PUSH(&m->values) = col->is_text ? (double)NAN : values[i];
		if (!col->is_text && !isnan(values[i]) && values[i] != floor(values[i]))
			col->is_integer = false;
		if (texts)
			*VEC_PUSH(&m->texts) = col->is_text && texts[i].len
						       ? strings_add(capture_strings(c), texts[i])
						       : STR_ID_NONE;
	}
	*VEC_PUSH(&m->names) = name;
	*VEC_PUSH(&m->lines) = line;
	m->n_rows++;
	return true;
}

bool line_table_duration(struct str *s, double *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
		      { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	struct str rest = str_ltrim(*s);
	struct str word;
	double v;

	if (rest.len == 0 || !char_is_digit(rest.p[0]) || !str_double(&rest, &v) ||
	    !str_word(&rest, &word))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(word, str_of(units[i].unit))) {
			*ret_ns = v * units[i].ns;
			*s = rest;
			return true;
		}
	}
	return false;
}

bool line_table_percent(struct str *s, bool is_signed, double *ret)
{
	struct str rest = str_ltrim(*s);
	bool is_negative = str_starts(rest, STR("-"));
	bool has_sign = is_negative || str_starts(rest, STR("+"));
	double scale = 0.1;
	double v = 0;
	size_t digits = 0;

	if (has_sign != is_signed)
		return false;
	rest = str_skip(rest, has_sign);
	while (digits < rest.len && char_is_digit(rest.p[digits]) && digits < 9)
		v = v * 10 + (rest.p[digits++] - '0');
	if (digits == 0)
		return false;
	rest = str_skip(rest, digits);
	if (rest.len && (rest.p[0] == '.' || rest.p[0] == ',')) {
		rest = str_skip(rest, 1);
		for (; rest.len && char_is_digit(rest.p[0]); rest = str_skip(rest, 1)) {
			v += scale * (rest.p[0] - '0');
			scale /= 10;
		}
	}
	if (!str_take(&rest, STR("%")))
		return false;
	*ret = is_negative ? -v : v;
	*s = rest;
	return true;
}

struct str line_table_unnumbered(struct str line)
{
	struct str rest = str_ltrim(line);
	size_t digits = 0;

	while (digits < rest.len && char_is_digit(rest.p[digits]))
		digits++;
	if (digits && digits < rest.len && rest.p[digits] == '\t')
		return str_skip(rest, digits + 1);
	return line;
}
