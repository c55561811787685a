/* SPDX-License-Identifier: MIT */
/*
 * lkp_report.c - the comparison table of the kernel test robot (lkp-tests)
 *
 * A row is "before ± 3%   -12.5%   after ± 2%   name". Values are means over runs. The number after
 * ± is their standard deviation in percent of the mean; it is printed only above 2 % (lkp-tests,
 * lib/compare.rb, show_perf_change).
 *
 * In rows of profiles, values are percentages, and their change is in percentage points. Such a row
 * has a name like perf-profile.self.cycles-pp.function or perf-profile.children.…. Other rows with
 * a name that ends in % have a change in points, too. A call chain has a name like
 * perf-profile.calltrace.cycles-pp.a.b.c, where b calls a: first the function, then at most four of
 * its callers.
 *
 * For each kernel after the second, the table has one more pair of columns. Profiles are read for
 * the first two kernels, metrics for the first three. The text above the table names the commits,
 * and the metric that the robot reports.
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/tables/line_table.h"
#include "formats/tables/profile_pair.h"

#include <math.h>

DECLARE_FORMAT(lkp_report);

#define LKP_CHAIN        "perf-profile.calltrace."
#define LKP_CHAIN_FRAMES 16u
/* number of lines above the table in which the commits are searched */
#define LKP_ABOVE_LINES 24u
/* number of bytes above the table in which the reported metric is searched */
#define LKP_ABOVE_BYTES (256u << 10)
#define LKP_KERNELS     3u

static const struct diag_kind lkp_past = { "lkp-rows-past-limit", DIAG_DATALOSS,
					   "rows past the limit" };
static const struct diag_kind lkp_chains = { "lkp-chains", DIAG_INFO,
					     "rows of call chains, not read" };

static const struct line_column lkp_columns[] = {
	{ METRICS_BEFORE, NULL, false }, { METRICS_BEFORE_DEV, "%", false },
	{ METRICS_CHANGE, "%", false },  { METRICS_POINTS, NULL, false },
	{ METRICS_AFTER, NULL, false },  { METRICS_AFTER_DEV, "%", false },
	{ METRICS_THIRD, NULL, false },  { METRICS_THIRD_DEV, "%", false },
};

enum {
	LKP_BEFORE,
	LKP_BEFORE_DEV,
	LKP_CHANGE,
	LKP_POINTS,
	LKP_AFTER,
	LKP_AFTER_DEV,
	LKP_THIRD,
	LKP_THIRD_DEV,
	LKP_N,
	LKP_OF_TWO = LKP_THIRD, /* number of columns for two kernels */
};

struct lkp_row {
	double v[LKP_N]; /* the values of the row; NAN: not printed */
	bool is_points;  /* the change is in percentage points, because no '%' follows it */
	bool has_third;
	struct str name;
};

/* Take a value: "12.5 ± 3%" or "12.5". The sign ± may have one of several encodings. */
static bool lkp_value(struct str *s, double *ret, double *ret_dev)
{
	struct str rest = str_ltrim(*s);
	struct str word;
	struct str after;

	if (rest.len == 0 || !(char_is_digit(rest.p[0]) || rest.p[0] == '.') ||
	    !str_double(&rest, ret) || (rest.len && !char_is_blank(rest.p[0])))
		return false;
	*ret_dev = NAN;
	after = rest;
	/* "\xc4\x85" stands for ±, if text in ISO 8859-1 was read as ISO 8859-2 */
	if (str_word(&after, &word) &&
	    (str_starts(word, STR("\xc2\xb1")) || str_starts(word, STR("\xc4\x85")) ||
	     str_eq(word, STR("+-")))) {
		struct str dev = word.len > 2 ? str_skip(word, 2) : STR_NONE;

		if (dev.len || str_word(&after, &dev)) {
			if (!line_table_percent(&dev, false, ret_dev))
				return false;
			rest = after;
		}
	}
	*s = rest;
	return true;
}

/* Take a change: "-64.5%", "+0.3" (points) or "-46.1 ± 5%". */
static bool lkp_change(struct str *s, double *ret, bool *ret_is_points)
{
	struct str rest = str_ltrim(*s);

	if (rest.len == 0 || (rest.p[0] != '+' && rest.p[0] != '-') || !str_double(&rest, ret))
		return false;
	*ret_is_points = !str_take(&rest, STR("%"));
	*s = rest;
	return true;
}

static bool lkp_is_name(struct str s)
{
	size_t dot = str_find_char(s, '.');

	if (s.len == 0 || dot == 0 || dot + 1 >= s.len || char_is_digit(s.p[0]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (char_is_blank(s.p[i]))
			return false;
	}
	return true;
}

static bool lkp_row_of(struct str line, struct lkp_row *row)
{
	struct str rest = line;
	bool is_points;
	double change, v, dev;

	*row = (struct lkp_row){ .is_points = false };
	for (size_t i = 0; i < LKP_N; i++)
		row->v[i] = NAN;
	if (!lkp_value(&rest, &row->v[LKP_BEFORE], &row->v[LKP_BEFORE_DEV]) ||
	    !lkp_change(&rest, &change, &row->is_points) ||
	    !lkp_value(&rest, &row->v[LKP_AFTER], &row->v[LKP_AFTER_DEV]))
		return false;
	row->v[row->is_points ? LKP_POINTS : LKP_CHANGE] = change;
	while (lkp_change(&rest, &change, &is_points)) {
		if (!lkp_value(&rest, &v, &dev))
			return false;
		if (!row->has_third) {
			row->v[LKP_THIRD] = v;
			row->v[LKP_THIRD_DEV] = dev;
			row->has_third = true;
		}
	}
	row->name = str_trim(rest);
	return lkp_is_name(row->name);
}

static enum line_kind lkp_kind(struct str line)
{
	struct lkp_row row;
	struct str t = str_trim(line);

	if (t.len == 0 || str_starts(t, STR("---")))
		return LINE_BLANK;
	if (str_starts(t, STR("%stddev")) && str_contains(t, STR("%change")))
		return LINE_HEAD;
	if (str_starts(t, STR("\\")) || str_starts(t, STR("|")))
		return LINE_BLANK;
	return lkp_row_of(line, &row) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table lkp_table = {
	.kind = lkp_kind, .gap = 2, .min_rows = 5, .score = 98
};

static unsigned int lkp_report_probe(struct str head)
{
	return line_table_probe(&lkp_table, head);
}

static bool lkp_report_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&lkp_table, text, from, ret);
}

/*
 * Split the name of a row, "perf-profile.self.cycles-pp.function". @ret: the function.
 * *@ret_is_self: the share is a self share. False: the row is no profile.
 */
static bool lkp_profile_name(struct str name, struct str *ret, bool *ret_is_self)
{
	size_t dot;

	if (!str_take(&name, STR("perf-profile.")))
		return false;
	*ret_is_self = str_take(&name, STR("self."));
	if (!*ret_is_self && !str_take(&name, STR("children.")))
		return false;
	dot = str_find_char(name, '.');
	*ret = str_skip(name, dot + 1);
	return ret->len > 0;
}

/*
 * Split a call chain, "cycles-pp.a.isra.0.b.c", into its functions: "a.isra.0", "b" and "c".
 * Returns the number of functions, at most @max.
 */
static size_t lkp_chain(struct str name, struct str *ret, size_t max)
{
	static const char appended[] = "isra|constprop|part|cold|llvm|lto_priv|localalias";
	size_t n = 0;

	name = str_skip(name, str_find_char(name, '.') + 1);
	while (name.len && n < max) {
		size_t dot = str_find_char(name, '.');
		struct str word = str_sub(name, 0, dot);

		if (n && word.len && (char_is_digit(word.p[0]) || str_glob(STR(appended), word)))
			ret[n - 1].len += 1 + word.len;
		else if (word.len)
			ret[n++] = word;
		name = str_skip(name, dot + 1);
	}
	return n;
}

struct lkp_reader {
	const struct region *in;
	struct dossier *d;
	struct capture *metrics; /* capture of the metrics; NULL: no metric was read yet */
	/* captures of the profiles; pair.before is NULL: no profile was read yet */
	struct profile_pair pair;
	/* symbol -> index of its row; the row has the same index in both tables of `pair` */
	struct idmap rows;
	/* commit of each kernel, from the text above the table: 8cf0c45999 ("title") */
	struct str commits[LKP_KERNELS];
	uint32_t commit_lines[LKP_KERNELS];
	/* metric that the robot reports, "fio.bw", and the verdict, "51.1% regression" */
	struct str metric, verdict;
	uint32_t metric_line;
	/* number of call chains that were not stored, because LIMIT_ROWS was reached */
	uint64_t chains;
	uint32_t chain_line; /* line of the first call chain that was not stored */
};

static sym_id lkp_symbol(struct lkp_reader *r, struct str function)
{
	return symbols_add_text(&r->d->symbols, function, STR_NONE, SPACE_KERNEL, 0);
}

static void lkp_add_chain(struct lkp_reader *r, const struct lkp_row *row, struct str chain,
			  uint32_t line)
{
	struct str names[LKP_CHAIN_FRAMES];
	sym_id syms[LKP_CHAIN_FRAMES];
	size_t n = lkp_chain(chain, names, ARRAY_LEN(names));

	for (size_t i = 0; i < n; i++)
		syms[i] = lkp_symbol(r, names[i]);
	if (!profile_rows_trace(r->pair.before, syms, n, row->v[LKP_BEFORE], line) ||
	    !profile_rows_trace(r->pair.after, syms, n, row->v[LKP_AFTER], line)) {
		if (r->chains++ == 0)
			r->chain_line = line;
	}
}

/*
 * Index of the row of @sym in both tables of r->pair. If @sym has no row, a row is added to each
 * table. The report has two lines for a function, one with its self share and one with its share
 * with callees; both lines use this row. INDEX_NONE: LIMIT_ROWS is reached, and @sym has no row.
 */
static uint32_t lkp_profile_row(struct lkp_reader *r, sym_id sym, uint32_t line)
{
	const struct profile_table *t = &r->pair.before->profile->table;
	struct idmap_probe probe = idmap_first(&r->rows, hash_u64(sym.v, 11));

	while (idmap_next(&r->rows, &probe)) {
		if (t->rows.data[probe.id].sym.v == sym.v)
			return probe.id;
	}
	if (t->rows.len >= LIMIT_ROWS)
		return INDEX_NONE;
	idmap_insert(&r->rows, &probe, (uint32_t)t->rows.len);
	profile_rows_add(r->pair.before, sym, STR_ID_NONE, ' ', 0, 0, 0, line);
	profile_rows_add(r->pair.after, sym, STR_ID_NONE, ' ', 0, 0, 0, line);
	return (uint32_t)t->rows.len - 1;
}

static void lkp_note_commit(struct lkp_reader *r, struct capture *c, struct str key, size_t kernel)
{
	if (r->commits[kernel].len)
		capture_note(c, key, r->commits[kernel], r->commit_lines[kernel]);
}

static void lkp_begin_profile(struct lkp_reader *r)
{
	profile_pair_begin(&r->pair, &format_lkp_report, r->in, r->d);
	r->pair.before->is_averaged = r->pair.after->is_averaged = true;
	/* a row adds the columns of its shares later, because some tables have no self shares */
	r->pair.before->profile->table.columns = ROW_HAS_SYMBOL;
	r->pair.after->profile->table.columns = ROW_HAS_SYMBOL;
	lkp_note_commit(r, r->pair.before, STR("commit"), 0);
	lkp_note_commit(r, r->pair.after, STR("commit"), 1);
}

static void lkp_set(struct capture *c, uint32_t at, bool is_self, double pct, double dev,
		    uint32_t line)
{
	profile_rows_set(c, at, is_self, pct, line);
	profile_rows_spread(c, at, is_self, pct * dev / 100);
}

static void lkp_add_profile(struct lkp_reader *r, const struct lkp_row *row, struct str function,
			    bool is_self, uint32_t line)
{
	uint32_t at;
	sym_id sym;

	if (!r->pair.before)
		lkp_begin_profile(r);
	sym = lkp_symbol(r, function);
	at = lkp_profile_row(r, sym, line);
	if (at == INDEX_NONE) {
		diag_count(&r->pair.before->diag, &lkp_past, line);
		return;
	}
	lkp_set(r->pair.before, at, is_self, row->v[LKP_BEFORE], row->v[LKP_BEFORE_DEV], line);
	lkp_set(r->pair.after, at, is_self, row->v[LKP_AFTER], row->v[LKP_AFTER_DEV], line);
}

static void lkp_begin_metrics(struct lkp_reader *r, bool has_third)
{
	r->metrics = format_add_capture(&format_lkp_report, r->in, r->d);
	r->metrics->is_averaged = true;
	line_table_columns(r->metrics, "figure", NULL, lkp_columns, has_third ? LKP_N : LKP_OF_TWO);
	lkp_note_commit(r, r->metrics, STR(METRICS_NOTE_BEFORE), 0);
	lkp_note_commit(r, r->metrics, STR(METRICS_NOTE_AFTER), 1);
	if (has_third)
		lkp_note_commit(r, r->metrics, STR(METRICS_NOTE_THIRD), 2);
	if (r->metric.len) {
		capture_note(r->metrics, STR(METRICS_NOTE_METRIC), r->metric, r->metric_line);
		capture_note(r->metrics, STR(METRICS_NOTE_VERDICT), r->verdict, r->metric_line);
	}
}

static void lkp_add_metric(struct lkp_reader *r, const struct lkp_row *row, uint32_t line)
{
	if (!r->metrics)
		lkp_begin_metrics(r, row->has_third);
	(void)line_table_add(r->metrics,
			     symbols_add_text(capture_symbols(r->metrics), row->name, STR_NONE,
					      SPACE_UNKNOWN, 0),
			     row->v, NULL, line);
}

/*
 * Read the call chains in a second pass, because they need the two captures that the first pass
 * makes from the rows of functions.
 */
static void lkp_read_chains(struct lkp_reader *r)
{
	struct str text = r->in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct lkp_row row;

		if (lkp_row_of(line, &row) && str_take(&row.name, STR(LKP_CHAIN)))
			lkp_add_chain(r, &row, row.name, region_line(r->in, n));
	}
}

/*
 * Take the metric and the verdict from "noticed a 51.1% regression of fio.bw on:" or "Subject: …
 * fio.bw 51.1% regression". *@ret_is_whole: @line has the first of these forms.
 */
static bool lkp_reported(struct str line, struct str *ret_metric, struct str *ret_verdict,
			 bool *ret_is_whole)
{
	struct str rest = line;
	struct str before = STR_NONE;
	struct str word;

	while (str_word(&rest, &word)) {
		struct str pct = word;
		struct str after = rest;
		struct str next;
		double v;

		(void)str_take(&pct, STR("-"));
		if (line_table_percent(&pct, false, &v) && pct.len == 0 &&
		    str_word(&after, &next) &&
		    (str_eq(next, STR("regression")) || str_eq(next, STR("improvement")))) {
			*ret_verdict = (struct str){ word.p, (size_t)(next.p + next.len - word.p) };
			*ret_is_whole = str_word(&after, &next) && str_eq(next, STR("of"));
			*ret_metric = *ret_is_whole && str_word(&after, &next) ? next : before;
			return lkp_is_name(*ret_metric);
		}
		before = word;
	}
	return false;
}

/* Read the commits, which are in the lines from "commit:" to the next empty line. */
static void lkp_read_commits(struct lkp_reader *r, struct str above, uint32_t number)
{
	struct str line;
	size_t n = LKP_KERNELS; /* LKP_KERNELS: the line "commit:" was not reached yet */

	for (; str_line(&above, &line); number++) {
		struct str t = str_trim(line);

		if (str_eq(t, STR("commit:"))) {
			n = 0;
			memset(r->commits, 0, sizeof(r->commits));
		} else if (t.len == 0) {
			n = n ? LKP_KERNELS : 0;
		} else if (n < LKP_KERNELS) {
			r->commit_lines[n] = document_line(r->in->doc, number);
			r->commits[n++] = t;
		}
	}
}

/*
 * Read the text above the table: the reported metric and the commits. If lines "noticed a …" report
 * metrics, the metric of the last such line is used. Without such a line, the metric of the first
 * subject that reports one is used.
 */
static void lkp_read_above(struct lkp_reader *r)
{
	struct str all = r->in->doc->text;
	size_t end = (size_t)(r->in->text.p - all.p);
	uint32_t number = r->in->first_line;
	size_t from = end;
	struct str line;
	bool is_found = false;

	if (r->in->text.p < all.p || end > all.len)
		return;
	for (uint32_t lines = 0; from > 0 && end - from < LKP_ABOVE_BYTES && number > 1; lines++) {
		if (lines == LKP_ABOVE_LINES)
			lkp_read_commits(r, str_sub(all, from, end), number);
		do
			from--;
		while (from > 0 && all.p[from - 1] != '\n');
		number--;
	}
	if (r->in->first_line - number <= LKP_ABOVE_LINES)
		lkp_read_commits(r, str_sub(all, from, end), number);
	all = str_sub(all, from, end);
	for (; str_line(&all, &line); number++) {
		struct str metric, verdict;
		bool is_whole;

		if (!lkp_reported(line, &metric, &verdict, &is_whole) ||
		    (!is_whole && (is_found || r->metric.len)))
			continue;
		r->metric = metric;
		r->verdict = verdict;
		r->metric_line = document_line(r->in->doc, number);
		is_found |= is_whole;
	}
}

static int lkp_report_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct lkp_reader r = { .in = in, .d = d };
	struct str text = in->text;
	struct str line;

	lkp_read_above(&r);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct lkp_row row;
		struct str function;
		bool is_self;

		if (!lkp_row_of(line, &row))
			continue;
		if (lkp_profile_name(row.name, &function, &is_self)) {
			lkp_add_profile(&r, &row, function, is_self, region_line(in, n));
		} else if (str_starts(row.name, STR("perf-profile."))) {
			if (r.chains++ == 0)
				r.chain_line = region_line(in, n);
		} else {
			lkp_add_metric(&r, &row, region_line(in, n));
		}
	}
	idmap_fini(&r.rows);
	if (!r.metrics && !r.pair.before)
		return fail(err, ERR_FORMAT, "no row of a comparison");
	if (r.chains && r.pair.before) {
		r.chains = 0;
		lkp_read_chains(&r);
	}
	if (r.chains)
		diag_add(r.pair.before ? &r.pair.before->diag : &r.metrics->diag, &lkp_chains,
			 r.chains, r.chain_line);
	return OK;
}

const struct format format_lkp_report = {
	.name = "lkp-report",
	.summary = "two kernels compared by the kernel test robot",
	.kinds = KIND_PROFILE | KIND_METRICS,
	.probe = lkp_report_probe,
	.find = lkp_report_find,
	.read = lkp_report_read,
};
