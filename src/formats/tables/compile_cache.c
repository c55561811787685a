/* SPDX-License-Identifier: MIT */
/*
 * compile_cache.c - statistics of ccache and sccache
 *
 *     Cacheable calls:    412 / 3820 (10.79%)      cache hit (direct)        1204
 *       Hits:             310 /  412 (75.24%)      cache miss                 377
 *     Uncacheable calls: 3408 / 3820 (89.21%)      unsupported compiler option 9
 *
 *     Compile requests executed     812
 *     Cache hits                    610
 *
 * The first example is ccache 4, the one to its right ccache 3, the last sccache. A row has a
 * count. In ccache 4, it also has the total of which this count is a part. Definition: ccache,
 * version 4: src/ccache/core/statistics.cpp, format_human_readable(); version 3: ccache.c, stats.c;
 * sccache, src/server.rs (ServerStats::print()).
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(compile_cache);

static const struct diag_kind cache_lines = { "compile-cache-lines", DIAG_INFO,
					      "lines between the counts that were not read" };
static const struct diag_kind cache_past = { "compile-cache-past-limit", DIAG_DATALOSS,
					     "counts past the limit" };

/* Indices in cache_columns: the count, and the total of which it is a part. */
enum { CACHE_COUNT, CACHE_OF, CACHE_N };

static const struct line_column cache_columns[] = { { "count", NULL, false },
						    { "of", NULL, false } };

/* names of rows that only ccache and sccache print */
#define CACHE_SURE                                                                       \
	"Cacheable calls|Uncacheable calls|cache hit (direct)|cache hit (preprocessed)|" \
	"Preprocessed|Compile requests executed|Non-cacheable calls|"                    \
	"Non-cacheable compilations"
/*
 * Names of rows that other tools may print, too. In ccache's source, the table Statistic has the
 * names of its reasons.
 */
#define CACHE_NAMES                                                                               \
	"Hits|Misses|Direct|Preprocessed|Uncacheable|Errors|Successful lookups|Cache size*|"      \
	"Files|Cleanups|Reads|Writes|Files in cache|cache hit*|cache miss*|called for *|"         \
	"compiler *|couldn't *|unsupported *|no input file|multiple source files|output to *|"    \
	"preprocessor error|bad compiler arguments|autoconf *|ccache *|can't use *|could not *|"  \
	"cleanups performed|files in cache|cache size|max cache size|stats zeroed|Compile *|"     \
	"Cache hits*|Cache misses*|Cache timeouts|Cache read errors|Cache write errors|"          \
	"Forced recaches|Compilation failures|Cache errors*|Non-compilation calls|Unsupported *|" \
	"Average *|Failed distributed*|Max cache size|Called for *|Compilation failed|"           \
	"Autoconf *|Bad compiler*|Could not *|Multiple source files|No input file|Output to *|"   \
	"Compiler *|Preprocessing failed|Forced recache|Missing cache file|Disabled"
#define CACHE_HEADS "Local storage|Primary storage|Secondary storage|Remote storage|Summary"

/*
 * The heading above sccache's list of reasons. The name of a reason is free text: "incremental
 * 31".
 */
#define CACHE_REASONS "Non-cacheable reasons:"
/* maximum length of a reason, in bytes; a longer one is truncated */
#define CACHE_REASON 96u

struct cache_row {
	struct str name;
	double values[CACHE_N];
};

/*
 * The number of bytes that the unit @s stands for, such as "MB" or "GiB". False: @s is no such
 * unit.
 */
static bool cache_unit(struct str s, double *ret)
{
	static const struct {
		const char *names;
		double bytes;
	} units[] = { { "B|bytes", 1 },   { "kB|KB", 1e3 }, { "KiB", 1024 },       { "MB", 1e6 },
		      { "MiB", 1048576 }, { "GB", 1e9 },    { "GiB", 1073741824 }, { "TB", 1e12 } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_glob(str_of(units[i].names), s)) {
			*ret = units[i].bytes;
			return true;
		}
	}
	return false;
}

/* Parse "Hits:   310 /  412 (75.24%)" or "cache miss    377". */
static bool cache_row_of(struct str line, struct cache_row *ret)
{
	struct str rest = str_trim(line);
	size_t end = str_find(rest, STR(":"));
	double unit;

	*ret = (struct cache_row){ .values = { NAN, NAN } };
	if (end >= rest.len)
		end = str_find(rest, STR("  "));
	if (end >= rest.len || end == 0)
		return false;
	ret->name = str_trim(str_sub(rest, 0, end));
	rest = str_ltrim(str_skip(rest, end));
	(void)str_take(&rest, STR(":"));
	rest = str_ltrim(rest);
	if (!str_double(&rest, &ret->values[CACHE_COUNT]) || ret->values[CACHE_COUNT] < 0)
		return false;
	rest = str_ltrim(rest);
	if (str_take(&rest, STR("/"))) {
		rest = str_ltrim(rest);
		if (!str_double(&rest, &ret->values[CACHE_OF]))
			return false;
		rest = str_ltrim(rest);
	}
	if (rest.len == 0 || rest.p[0] == '(' || str_eq(rest, STR("%")) || str_eq(rest, STR("s")))
		return true;
	if (!cache_unit(rest, &unit))
		return false;
	ret->values[CACHE_COUNT] *= unit;
	return true;
}

static enum line_kind cache_kind(struct str line)
{
	struct str t = str_trim(line);
	struct cache_row row;

	if (t.len == 0)
		return LINE_BLANK;
	if (str_ends(t, STR(":")) && str_glob(STR(CACHE_HEADS), str_sub(t, 0, t.len - 1)))
		return LINE_TAIL;
	if (!cache_row_of(line, &row))
		return LINE_OTHER;
	if (str_glob(STR(CACHE_SURE), row.name))
		return LINE_SURE;
	return str_glob(STR(CACHE_NAMES), row.name) ? LINE_ROW : LINE_OTHER;
}

static struct str cache_name(struct str line)
{
	struct cache_row row;

	return cache_row_of(line, &row) && str_glob(STR(CACHE_SURE), row.name) ? row.name
									       : STR_NONE;
}

/* .gap: settings, such as the folder of the cache, may be between the counts. */
static const struct line_table cache_table = {
	.kind = cache_kind, .name = cache_name, .gap = 4, .min_rows = UINT32_MAX, .score = 97
};

static unsigned int compile_cache_probe(struct str head)
{
	return line_table_probe(&cache_table, head);
}

/*
 * Length of sccache's list of reasons, including its heading, at the start of @text; 0: no such
 * list.
 */
static size_t cache_reasons(struct str text)
{
	struct str rest = text;
	struct str line;
	struct cache_row row;
	size_t end = 0;

	do {
		if (!str_line(&rest, &line))
			return 0;
	} while (str_trim(line).len == 0);
	if (!str_eq(str_trim(line), STR(CACHE_REASONS)))
		return 0;
	while (str_line(&rest, &line) && cache_row_of(line, &row))
		end = text.len - rest.len;
	return end;
}

static bool compile_cache_find(struct str text, size_t from, struct extent *ret)
{
	if (!line_table_find(&cache_table, text, from, ret))
		return false;
	ret->to += cache_reasons(str_skip(text, ret->to));
	return true;
}

/* Add @row. @line: line number of the row. False: the limit of rows is reached. */
static bool cache_add(struct capture *c, const struct cache_row *row, bool is_reason, uint32_t line)
{
	char buf[sizeof(CACHE_REASONS) + CACHE_REASON];
	struct str name = row->name;

	if (is_reason) {
		name = str_sub(name, 0, CACHE_REASON);
		(void)snprintf(buf, sizeof(buf), "Non-cacheable reason: " STR_FMT, STR_ARG(name));
		name = str_of(buf);
	}
	return line_table_add(
		c, symbols_add_text(capture_symbols(c), name, STR_NONE, SPACE_UNKNOWN, 0),
		row->values, NULL, line);
}

static int compile_cache_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_compile_cache, in, d);
	struct str text = in->text;
	struct str line;
	bool is_reason = false;

	line_table_columns(c, "statistic", NULL, cache_columns, CACHE_N);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum line_kind kind = cache_kind(line);
		bool is_heading = str_eq(str_trim(line), STR(CACHE_REASONS));
		struct cache_row row;

		is_reason = is_heading || (is_reason && kind != LINE_BLANK);
		if (kind == LINE_OTHER && !is_reason)
			diag_count(&c->diag, &cache_lines, region_line(in, n));
		if ((kind != LINE_ROW && kind != LINE_SURE && !is_reason) ||
		    !cache_row_of(line, &row))
			continue;
		if (!cache_add(c, &row, is_reason, region_line(in, n)))
			diag_count(&c->diag, &cache_past, region_line(in, n));
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no count");
}

const struct format format_compile_cache = {
	.name = "compile-cache",
	.summary = "statistics of ccache and sccache",
	.kinds = KIND_METRICS,
	.probe = compile_cache_probe,
	.find = compile_cache_find,
	.read = compile_cache_read,
};
