/* SPDX-License-Identifier: MIT */
/*
 * dotnet_counters.c - counters of a .NET program over time, as dotnet-counters collects them as CSV
 *
 *     Timestamp,Provider,Counter Name,Counter Type,Mean/Increment
 *     11/13/2020 04:25:23,System.Runtime,ThreadPool Queue Length,Metric,13
 *
 * The layout of the date depends on the country. The unit is in brackets at the end of the name:
 * "GC Heap Size (MB)". Rows with the same time are one interval. If a name occurs again with the
 * same time, its row begins the next interval.
 *
 * Source: dotnet/diagnostics, src/Tools/dotnet-counters/Exporters/CSVExporter.cs.
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"
#include "formats/format.h"

DECLARE_FORMAT(dotnet_counters);

/*
 * maximum number of counters of one interval whose names are stored. A counter with a stored name
 * begins the next interval
 */
#define DOTNET_NAMES 128u
#define DOTNET_BYTES 512u
#define DOTNET_TOOL  "dotnet-counters"

static const struct diag_kind dotnet_counters_lines = { "dotnet-counters-lines", DIAG_INFO,
							"lines between rows of counters" };
static const struct diag_kind dotnet_counters_past = { "dotnet-counters-past-limit", DIAG_DATALOSS,
						       "counters past the limit" };

struct dotnet_counters_row {
	struct str time; /* date and time of day, as printed */
	uint32_t second; /* time of day in seconds, plus 1, as in counter.second */
	struct str provider;
	struct str name;
	struct str unit; /* unit in brackets after the name, such as "MB"; empty: none */
	struct counter_number value;
};

/*
 * Parse a date in any notation, and a time of day: "2020/11/13 4:25:21", "11/13/2020 04:25:23 PM".
 * *@ret: time of day in seconds, plus 1.
 */
static bool dotnet_counters_time(struct str s, uint32_t *ret)
{
	struct str date, time, half = STR_NONE;
	uint64_t hour, minute, second;

	if (!str_word(&s, &date) || !str_word(&s, &time))
		return false;
	for (size_t i = 0; i < date.len; i++) {
		if (!char_is_digit(date.p[i]) && !memchr("/.-", date.p[i], 3))
			return false;
	}
	(void)str_word(&s, &half);
	if (date.len < 6 || !str_u64(&time, &hour) || !str_take(&time, STR(":")) ||
	    !str_u64(&time, &minute) || !str_take(&time, STR(":")) || !str_u64(&time, &second) ||
	    time.len || hour > 23 || minute > 59 || second > 60 || str_trim(s).len)
		return false;
	if (str_glob(STR("AM|PM|am|pm"), half))
		hour = hour % 12 + ((half.p[0] | 32) == 'p' ? 12 : 0);
	else if (half.len)
		return false;
	*ret = (uint32_t)(hour * 3600 + minute * 60 + second + 1);
	return true;
}

/* Is @s the name of a provider: "System.Runtime", "Microsoft.AspNetCore.Hosting"? */
static bool dotnet_counters_is_provider(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = (char)(s.p[i] | 32);

		if (!(c >= 'a' && c <= 'z') && !char_is_digit(s.p[i]) && !memchr(".-_", s.p[i], 3))
			return false;
	}
	return s.len && !char_is_digit(s.p[0]);
}

/*
 * Remove the unit in brackets from the end of *@name, and store it in *@ret. Empty: there is no
 * unit.
 */
static void dotnet_counters_unit(struct str *name, struct str *ret)
{
	size_t open = str_rfind_char(*name, '(');

	*ret = STR_NONE;
	if (!str_ends(*name, STR(")")) || open == name->len || open == 0)
		return;
	*ret = str_sub(*name, open + 1, name->len - 1);
	*name = str_rtrim(str_sub(*name, 0, open));
}

static bool dotnet_counters_row_of(struct str line, struct dotnet_counters_row *ret)
{
	struct str fields[4];

	line = str_trim(str_sub(line, 0, DOTNET_BYTES));
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		size_t comma = str_find_char(line, ',');

		if (comma == line.len)
			return false;
		fields[i] = str_sub(line, 0, comma);
		line = str_skip(line, comma + 1);
	}
	ret->time = fields[0];
	ret->provider = fields[1];
	ret->name = str_trim(fields[2]);
	if (!str_glob(STR("Metric|Rate"), fields[3]) || ret->name.len == 0 ||
	    !dotnet_counters_is_provider(ret->provider) ||
	    !dotnet_counters_time(ret->time, &ret->second) || !counter_number(&line, &ret->value))
		return false;
	dotnet_counters_unit(&ret->name, &ret->unit);
	return line.len == 0;
}

static enum line_kind dotnet_counters_kind(struct str line)
{
	struct dotnet_counters_row row;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	if (str_eq(str_trim(line),
		   STR("Timestamp,Provider,Counter Name,Counter Type,Mean/Increment")))
		return LINE_HEAD;
	return dotnet_counters_row_of(line, &row) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table dotnet_counters_table = {
	.kind = dotnet_counters_kind, .gap = 3, .min_rows = 2, .score = 98
};

static unsigned int dotnet_counters_probe(struct str head)
{
	return line_table_probe(&dotnet_counters_table, head);
}

static bool dotnet_counters_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&dotnet_counters_table, text, from, ret);
}

/* The counters of the current interval. */
struct dotnet_counters_interval {
	struct str time;
	str_id names[DOTNET_NAMES];
	size_t n;
	uint32_t number;
};

/*
 * Begin the next interval if the time of @row differs, or if the current interval already has its
 * counter @name.
 */
static void dotnet_counters_step(struct dotnet_counters_interval *now,
				 const struct dotnet_counters_row *row, str_id name)
{
	bool is_next = now->n > 0 && !str_eq(now->time, row->time);

	for (size_t i = 0; i < now->n; i++)
		is_next |= now->names[i].v == name.v;
	if (is_next) {
		now->number++;
		now->n = 0;
	}
	now->time = row->time;
	if (now->n < DOTNET_NAMES)
		now->names[now->n++] = name;
}

static int dotnet_counters_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_dotnet_counters, in, d);
	struct strings *strings = capture_strings(c);
	struct dotnet_counters_interval now = { .n = 0 };
	struct dotnet_counters_row row;
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		str_id name;

		if (!dotnet_counters_row_of(line, &row)) {
			if (dotnet_counters_kind(line) == LINE_OTHER)
				diag_count(&c->diag, &dotnet_counters_lines, region_line(in, n));
			continue;
		}
		name = strings_add(strings, row.name);
		dotnet_counters_step(&now, &row, name);
		if (counters_add(capture_counters(c), strings,
				 (struct counter){ .name = name,
						   .key = strings_add(strings, row.provider),
						   .unit = row.unit.len
								   ? strings_add(strings, row.unit)
								   : STR_ID_NONE,
						   .value = row.value.value,
						   .decimals = row.value.decimals,
						   .spread = -1,
						   .running = -1,
						   .interval = now.number,
						   .second = row.second,
						   .line = region_line(in, n) }) < 0)
			diag_count(&c->diag, &dotnet_counters_past, region_line(in, n));
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no counter");
	c->counters->n_intervals = now.number + 1;
	c->counters->tool = strings_add(strings, STR(DOTNET_TOOL));
	c->counters->label = strings_add(strings, counter_label(in));
	return OK;
}

const struct format format_dotnet_counters = {
	.name = "dotnet-counters",
	.title = "counters of .NET",
	.summary = "counters over time, as CSV of dotnet-counters",
	.kinds = KIND_COUNTERS,
	.probe = dotnet_counters_probe,
	.find = dotnet_counters_find,
	.read = dotnet_counters_read,
};
