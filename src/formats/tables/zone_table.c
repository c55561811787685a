/* SPDX-License-Identifier: MIT */
/*
 * zone_table.c - statistics of zones that tracy-csvexport writes, with a row for each zone
 *
 * The time of a zone includes its inner zones. With the option -e it excludes them. The file does
 * not show if -e was used, so the rows are not read as a profile. Names are not quoted and may
 * contain commas, so a row is split from its end. Source: csvexport/src/csvexport.cpp of Tracy.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/tables/line_table.h"

#include <math.h>

DECLARE_FORMAT(zone_table);

#define ZONE_BYTES 2048u

static const struct diag_kind zone_lines = { "zone-table-lines", DIAG_DATALOSS,
					     "lines between zones that were not read" };

static const struct line_column zone_columns[] = {
	{ "file", NULL, true },  { "source line", NULL, false }, { "total", "ns", false },
	{ "share", "%", false }, { "count", NULL, false },       { "mean", "ns", false },
	{ "min", "ns", false },  { "max", "ns", false },         { "deviation", "ns", false },
};

enum { ZONE_FILE, ZONE_FIRST, ZONE_N = ARRAY_LEN(zone_columns) };

struct zone_row {
	double values[ZONE_N];
	struct str file, name;
};

/* The separator of the titles in @line; 0: @line has no titles of such a table. */
static char zone_separator(struct str line)
{
	static const char *const titles[] = { "name",       "src_file", "src_line", "total_ns",
					      "total_perc", "counts",   "mean_ns",  "min_ns",
					      "max_ns",     "std_ns" };
	struct str rest = str_trim(line);
	char separator = str_starts(rest, STR("name")) && rest.len > 4 ? rest.p[4] : '\0';

	for (size_t i = 0; separator && i < ARRAY_LEN(titles); i++) {
		if (!str_take(&rest, str_of(titles[i])) ||
		    (i + 1 < ARRAY_LEN(titles) && !str_take(&rest, (struct str){ &separator, 1 })))
			return '\0';
	}
	return rest.len == 0 ? separator : '\0';
}

static bool zone_row_of(struct str line, char separator, struct zone_row *ret)
{
	struct str rest = str_trim(line);
	size_t at;

	if (rest.len > ZONE_BYTES)
		return false;
	*ret = (struct zone_row){ .name = STR_NONE };
	for (size_t i = ZONE_N; i-- > ZONE_FIRST;) {
		struct str cell;

		at = str_rfind_char(rest, separator);
		cell = str_trim(str_skip(rest, at + 1));
		if (at == rest.len || cell.len == 0 || !str_double(&cell, &ret->values[i]) ||
		    cell.len || !isfinite(ret->values[i]))
			return false;
		rest = str_sub(rest, 0, at);
	}
	at = str_rfind_char(rest, separator);
	ret->file = str_skip(rest, at + 1);
	ret->name = str_sub(rest, 0, at);
	return at > 0 && at < rest.len;
}

/*
 * Parse a row with any of the separators. Used before the titles, which show the table's separator,
 * are known.
 */
static bool zone_row_any(struct str line, struct zone_row *ret)
{
	static const char separators[] = { ',', ';', '\t', '|' };

	for (size_t i = 0; i < ARRAY_LEN(separators); i++) {
		if (zone_row_of(line, separators[i], ret))
			return true;
	}
	return false;
}

static enum line_kind zone_kind(struct str line)
{
	struct zone_row row;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	if (zone_separator(line))
		return LINE_HEAD;
	return zone_row_any(line, &row) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table zone_table = {
	.kind = zone_kind, .gap = 3, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int zone_table_probe(struct str head)
{
	return line_table_probe(&zone_table, head) ? 98 : 0;
}

static bool zone_table_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&zone_table, text, from, ret);
}

static int zone_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_zone_table, in, d);
	struct str text = in->text;
	struct str line;
	char separator = ',';

	c->format = "tracy";
	line_table_columns(c, "zone", "total", zone_columns, ARRAY_LEN(zone_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str texts[ZONE_N] = { STR_NONE };
		struct zone_row row;

		if (zone_separator(line)) {
			separator = zone_separator(line);
			continue;
		}
		if (!zone_row_of(line, separator, &row)) {
			if (str_trim(line).len)
				diag_count(&c->diag, &zone_lines, region_line(in, n));
			continue;
		}
		texts[ZONE_FILE] = row.file;
		if (!line_table_add(
			    c,
			    symbols_add_text(capture_symbols(c), row.name, STR_NONE, SPACE_USER, 0),
			    row.values, texts, region_line(in, n)))
			break;
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no zone of Tracy");
}

const struct format format_zone_table = {
	.name = "zone-table",
	.title = "zones",
	.summary = "statistics of zones, of tracy-csvexport",
	.kinds = KIND_METRICS,
	.probe = zone_table_probe,
	.find = zone_table_find,
	.read = zone_table_read,
};
