/* SPDX-License-Identifier: MIT */
#include "explain/words/table_words.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/facts.h"

#include <stdio.h>

size_t table_words_column(const struct rule_input *in, const char *name)
{
	const struct metrics *m = in->capture->metrics;

	for (size_t i = 0; i < m->columns.len; i++) {
		if (str_eq(strings_get(capture_strings(in->capture), m->columns.data[i].name),
			   str_of(name)))
			return i;
	}
	return TABLE_NO_COLUMN;
}

struct str table_words_text(const struct rule_input *in, size_t row, size_t column)
{
	const struct metrics *m = in->capture->metrics;
	size_t at = row * m->columns.len + column;

	if (column == TABLE_NO_COLUMN || at >= m->texts.len)
		return STR_NONE;
	return strings_get(capture_strings(in->capture), m->texts.data[at]);
}

struct str table_words_name(const struct rule_input *in, size_t row)
{
	return facts_name(in->facts, in->capture->metrics->names.data[row]);
}

const char *table_words_duration(double ns, char buffer[32])
{
	static const struct {
		double from, unit;
		const char *name;
	} units[] = { { 3600e9, 3600e9, "h" }, { 60e9, 60e9, "min" }, { 1e9, 1e9, "s" },
		      { 1e6, 1e6, "ms" },      { 1e3, 1e3, "µs" },    { 0, 1, "ns" } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (ns >= units[i].from) {
			(void)snprintf(buffer, 32, "%.4g %s", ns / units[i].unit, units[i].name);
			break;
		}
	}
	return buffer;
}
