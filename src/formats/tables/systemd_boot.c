/* SPDX-License-Identifier: MIT */
/*
 * systemd_boot.c - times of units while the system starts, from systemd-analyze
 *
 *     ingest.service @9.205s +412ms
 *     └─network-online.target @9.201s
 *       └─NetworkManager-wait-online.service @2.871s +6.328s
 *
 *     6.328s NetworkManager-wait-online.service
 *      412ms ingest.service
 *
 *     Startup finished in 1.204s (kernel) + 9.617s (userspace) = 10.821s
 *
 * The three examples are from the commands critical-chain, blame and time. In a chain, "@" is the
 * time at which the start of the unit began, and "+" is the time that this start took. Without "+",
 * "@" is the time at which the unit became active. A unit starts after the units that are printed
 * below it. Definition: systemd, src/analyze/analyze-critical-chain.c, analyze-blame.c,
 * analyze-time-data.c (pretty_boot_time), format_timespan() of src/basic/time-util.c.
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

DECLARE_FORMAT(systemd_boot);

static const struct diag_kind boot_lines = { "systemd-boot-lines", DIAG_INFO,
					     "lines between units that were not read" };
static const struct diag_kind boot_past = { "systemd-boot-past-limit", DIAG_DATALOSS,
					    "units past the limit" };

/* a table must be recognised within this number of its first lines */
#define BOOT_HEAD_LINES 16u

/* Indices in boot_columns. */
enum { BOOT_AT, BOOT_TAKES, BOOT_DEPTH, BOOT_N };

static const struct line_column boot_columns[] = { { "at", "ns", false },
						   { "takes", "ns", false },
						   { "depth", NULL, false } };

struct boot_row {
	struct str name;
	double values[BOOT_N];
};

/* Take one number of a time span with its unit: "1min" or "3.588s". @ret_ns: the unit in ns. */
static bool boot_part(struct str *s, double *ret_value, double *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 },   { "min", 60e9 },
		      { "s", 1e9 },  { "h", 3600e9 }, { "d", 86400e9 } };
	struct str rest = *s;

	if (rest.len == 0 || !char_is_digit(rest.p[0]) || !str_double(&rest, ret_value))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_take(&rest, str_of(units[i].unit)) &&
		    (rest.len == 0 || char_is_blank(rest.p[0]))) {
			*ret_ns = units[i].ns;
			*s = rest;
			return true;
		}
	}
	return false;
}

/*
 * Take a time span, "1min 3.588s". Each number must have a smaller unit than the number before it.
 */
static bool boot_span(struct str *s, double *ret_ns)
{
	struct str rest = str_ltrim(*s);
	double last = INFINITY;
	double value, unit;

	*ret_ns = 0;
	if (!boot_part(&rest, &value, &unit))
		return false;
	do {
		*ret_ns += value * unit;
		*s = rest;
		last = unit;
		rest = str_ltrim(rest);
	} while (boot_part(&rest, &value, &unit) && unit < last);
	return true;
}

/* Whether @s is the name of a unit. */
static bool boot_unit(struct str s)
{
	static const char *const kinds[] = { ".service", ".socket", ".target",    ".device",
					     ".mount",   ".swap",   ".automount", ".timer",
					     ".path",    ".slice",  ".scope" };

	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_word(s.p[i]) && !strchr("-.:@\\%", s.p[i]))
			return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct str kind = str_of(kinds[i]);

		if (s.len > kind.len && str_ends(s, kind))
			return true;
	}
	return false;
}

/* Number of columns of @s, whose characters are all one column wide. */
static size_t boot_columns_of(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += (s.p[i] & 0xc0) != 0x80; /* no byte that continues a character in UTF-8 */
	return n;
}

/*
 * Remove the branches of the tree, in Unicode or ASCII, that are drawn before a unit. Returns
 * whether there are any.
 */
static bool boot_branch(struct str *s)
{
	static const char *const marks[] = { "└─", "├─", "│", "`-", "|-", "|" };
	bool has_branch = false;
	size_t i = 0;

	while (i < ARRAY_LEN(marks)) {
		*s = str_ltrim(*s);
		for (i = 0; i < ARRAY_LEN(marks); i++) {
			if (str_take(s, str_of(marks[i]))) {
				has_branch = true;
				break;
			}
		}
	}
	return has_branch;
}

/*
 * Parse a unit of a chain, "  └─dbus.service @4.520s +206ms". The first unit of a chain, at depth
 * 0, must have "@" or "+".
 */
static bool boot_chain_row(struct str line, struct boot_row *ret)
{
	struct str rest = str_rtrim(line);
	bool has_branch = boot_branch(&rest);
	size_t columns = boot_columns_of(str_sub(line, 0, (size_t)(rest.p - line.p)));

	*ret = (struct boot_row){ .values = { NAN, 0, 0 } };
	if (!str_word(&rest, &ret->name) || !boot_unit(ret->name))
		return false;
	/* a branch has two columns for each level: "│ └─" */
	ret->values[BOOT_DEPTH] = has_branch ? (double)(columns / 2) : 0;
	rest = str_ltrim(rest);
	if (str_take(&rest, STR("@")) && !boot_span(&rest, &ret->values[BOOT_AT]))
		return false;
	rest = str_ltrim(rest);
	if (str_take(&rest, STR("+")) && !boot_span(&rest, &ret->values[BOOT_TAKES]))
		return false;
	if (!has_branch && isnan(ret->values[BOOT_AT]) && ret->values[BOOT_TAKES] <= 0)
		return false;
	return str_trim(rest).len == 0;
}

/* Parse a row of blame: "1min 3.588s NetworkManager-wait-online.service". */
static bool boot_blame_row(struct str line, struct boot_row *ret)
{
	struct str rest = str_trim(line);

	*ret = (struct boot_row){ .values = { NAN, 0, NAN } };
	if (!boot_span(&rest, &ret->values[BOOT_TAKES]) || !str_word(&rest, &ret->name))
		return false;
	return boot_unit(ret->name) && str_trim(rest).len == 0;
}

/* Take one summand, "3.204s (kernel)", from the line with the sum of all times. */
static bool boot_phase(struct str *s, struct boot_row *ret)
{
	struct str rest = *s;
	size_t end;

	*ret = (struct boot_row){ .values = { NAN, 0, NAN } };
	if (!boot_span(&rest, &ret->values[BOOT_TAKES]))
		return false;
	rest = str_ltrim(rest);
	end = str_find_char(rest, ')');
	if (!str_starts(rest, STR("(")) || end >= rest.len)
		return false;
	ret->name = str_sub(rest, 1, end);
	*s = str_skip(rest, end + 1);
	return true;
}

static bool boot_is_sum(struct str *line)
{
	*line = str_trim(*line);
	return str_take(line, STR("Startup finished in "));
}

static bool boot_is_header(struct str line)
{
	return str_starts(line, STR("The time when unit became active or started is printed")) ||
	       str_starts(line, STR("The time after the unit is active or started is printed")) ||
	       str_starts(line, STR("The time the unit takes to start is printed after")) ||
	       str_starts(line, STR("The time the unit took to start is printed after"));
}

static enum line_kind boot_chain_kind(struct str line)
{
	struct boot_row row;
	struct str t = str_trim(line);

	if (t.len == 0)
		return LINE_BLANK;
	if (boot_is_header(t))
		return LINE_PART;
	if (!boot_chain_row(line, &row))
		return LINE_OTHER;
	return row.values[BOOT_DEPTH] <= 0 ? LINE_HEAD : LINE_ROW;
}

static enum line_kind boot_blame_kind(struct str line)
{
	struct boot_row row;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	return boot_blame_row(line, &row) ? LINE_ROW : LINE_OTHER;
}

static enum line_kind boot_sum_kind(struct str line)
{
	struct boot_row row;

	if (boot_is_sum(&line) && boot_phase(&line, &row))
		return LINE_SURE;
	return LINE_OTHER;
}

static const struct line_table boot_tables[] = {
	{ .kind = boot_chain_kind, .gap = 0, .min_rows = 3, .score = 98 },
	{ .kind = boot_blame_kind, .gap = 0, .min_rows = 2, .score = 98 },
	{ .kind = boot_sum_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 98 },
};

/*
 * Whether a table of the kind @t begins with the first line of @text. Only the first
 * BOOT_HEAD_LINES lines are read.
 */
static bool boot_begins(const struct line_table *t, struct str text)
{
	struct str rest = text;
	struct str line;
	struct extent e;

	for (unsigned int n = 0; n < BOOT_HEAD_LINES && str_line(&rest, &line); n++)
		;
	return line_table_find(t, str_sub(text, 0, text.len - rest.len), 0, &e) && e.from == 0;
}

static bool systemd_boot_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str line;

	/*
	 * test line by line, because a search for each table up to the end of @text would take
	 * quadratic time
	 */
	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		for (size_t i = 0; i < ARRAY_LEN(boot_tables); i++) {
			enum line_kind kind = boot_tables[i].kind(line);

			if (kind != LINE_OTHER && kind != LINE_BLANK &&
			    boot_begins(&boot_tables[i], str_skip(text, at)))
				return line_table_find(&boot_tables[i], text, at, ret);
		}
	}
	return false;
}

static unsigned int systemd_boot_probe(struct str head)
{
	struct extent e;

	return systemd_boot_find(head, 0, &e) ? 85 : 0;
}

static void boot_add(struct capture *c, const struct boot_row *row, uint32_t line)
{
	if (!line_table_add(
		    c, symbols_add_text(capture_symbols(c), row->name, STR_NONE, SPACE_UNKNOWN, 0),
		    row->values, NULL, line))
		diag_count(&c->diag, &boot_past, line);
}

/* Add a row for each summand of "Startup finished in 1.2s (kernel) + 9.6s (userspace) = 10.8s". */
static void boot_phases(struct capture *c, struct str line, uint32_t number)
{
	struct boot_row row;

	while (boot_phase(&line, &row)) {
		boot_add(c, &row, number);
		line = str_ltrim(line);
		(void)str_take(&line, STR("+"));
	}
}

static int systemd_boot_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_systemd_boot, in, d);
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "unit", NULL, boot_columns, BOOT_N);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str t = line;
		struct boot_row row;

		if (boot_is_sum(&t))
			boot_phases(c, t, region_line(in, n));
		else if (boot_blame_row(line, &row) || boot_chain_row(line, &row))
			boot_add(c, &row, region_line(in, n));
		else if (str_trim(line).len && !boot_is_header(str_trim(line)))
			diag_count(&c->diag, &boot_lines, region_line(in, n));
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no unit");
}

const struct format format_systemd_boot = {
	.name = "systemd-boot",
	.summary = "times of units at the start, of systemd-analyze",
	.kinds = KIND_METRICS,
	.probe = systemd_boot_probe,
	.find = systemd_boot_find,
	.read = systemd_boot_read,
};
