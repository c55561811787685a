/* SPDX-License-Identifier: MIT */
#include "formats/histograms/histogram_line.h"

#include "base/status.h"
#include "formats/histograms/hdr_log.h"
#include "formats/histograms/load_line.h"

#include <math.h>

#define HISTOGRAM_LINE_BYTES 400u
/* maximum number of values; a double represents each number up to this one exactly */
#define LINE_TOTAL_MAX (UINT64_C(1) << 53)

double histogram_line_unit(struct str word)
{
	static const struct {
		const char *words;
		double ns;
	} units[] = {
		{ "ns|nsec|nsecs|nanoseconds", 1 },
		{ "us|usec|usecs|microseconds|\xc2\xb5s", 1e3 },
		{ "ms|msec|msecs|milliseconds", 1e6 },
		{ "s|sec|secs|seconds", 1e9 },
		{ "m|min", 60e9 },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_glob(str_of(units[i].words), word))
			return units[i].ns;
	}
	return 0;
}

/*
 * Take a whole number. bpftrace abbreviates numbers with K, M, G, T and P, which are powers of
 * 1024: 4K is 4096.
 */
static bool line_number(struct str *s, double *ret)
{
	static const char letters[] = "KMGTP";
	struct str rest = str_ltrim(*s);
	bool is_negative = str_take(&rest, STR("-"));
	uint64_t v;

	if (!str_u64(&rest, &v))
		return false;
	*ret = (double)v;
	for (size_t i = 0; rest.len && i < sizeof(letters) - 1; i++) {
		if (rest.p[0] == letters[i]) {
			*ret = ldexp(*ret, (int)(10 * (i + 1)));
			rest = str_skip(rest, 1);
			break;
		}
	}
	*ret = is_negative ? -*ret : *ret;
	*s = rest;
	return true;
}

static bool line_take(struct str *s, struct str word)
{
	struct str rest = str_ltrim(*s);

	if (!str_take(&rest, word))
		return false;
	*s = rest;
	return true;
}

/* Whether @s, the text after a count, is a bar: "|@@@   |". */
static bool line_is_bar(struct str s)
{
	s = str_trim(s);
	if (s.len == 0 || s.p[0] != '|')
		return false;
	for (size_t i = 1; i < s.len; i++) {
		if (!memchr("@*# |", s.p[i], 5))
			return false;
	}
	return true;
}

static bool line_count(struct str *s, struct histogram_line *l)
{
	*s = str_ltrim(*s);
	return str_u64(s, &l->count);
}

/* Parse a bucket of bcc: "  16 -> 31 : 12 |*** |", or for one value "  3 : 12 |*** |". */
static bool line_arrow(struct str s, struct histogram_line *l)
{
	double high;

	if (!line_number(&s, &l->low))
		return false;
	high = l->low;
	if (line_take(&s, STR("->")) && !line_number(&s, &high))
		return false;
	if (!line_take(&s, STR(":")) || !line_count(&s, l) || !line_is_bar(s))
		return false;
	l->high = high + 1;
	return l->has_high = true;
}

/*
 * Parse a bucket of bpftrace or RocksDB:
 *   [16, 32) 12 |@@|       [1] 5 |@|       (..., 0) 1 |@|
 *   [ 0, 1 ] 12 3.0% …
 */
static bool line_bracket(struct str s, struct histogram_line *l)
{
	/* RocksDB also prints buckets that begin with "(", as in "(1, 2 ]" */
	bool is_from_any = str_take(&s, STR("(..."));
	bool is_closed;

	if (!is_from_any &&
	    ((!str_take(&s, STR("[")) && !str_take(&s, STR("("))) || !line_number(&s, &l->low)))
		return false;
	l->high = l->low + 1;
	l->has_high = true;
	if (line_take(&s, STR(","))) {
		if (line_take(&s, STR("...")))
			l->high = (double)INFINITY;
		else if (!line_number(&s, &l->high))
			return false;
	}
	if (is_from_any)
		l->low = -(double)INFINITY;
	is_closed = line_take(&s, STR("]"));
	if ((!is_closed && !line_take(&s, STR(")"))) || !line_count(&s, l))
		return false;
	return (is_closed && str_find_char(s, '%') < s.len) || line_is_bar(s);
}

/* Parse a bucket of DTrace or sysbench: "  1024 |@@@@    12", "< 0 |  0", ">= 100 |@ 3". */
static bool line_value(struct str s, struct histogram_line *l)
{
	bool is_below = str_take(&s, STR("<"));
	size_t n = 0;

	if (!is_below)
		(void)str_take(&s, STR(">="));
	s = str_ltrim(s);
	if (!str_double(&s, &l->low) || !line_take(&s, STR("|")))
		return false;
	while (n < s.len && memchr("@* ", s.p[n], 3))
		n++;
	s = str_skip(s, n);
	if (!str_u64(&s, &l->count) || str_trim(s).len || !isfinite(l->low))
		return false;
	if (is_below) {
		l->high = l->low;
		l->low = -(double)INFINITY;
		l->has_high = true;
	}
	return true;
}

/* Parse a bucket of perf ftrace latency: "  1 - 2    us |   12 | ### |", "  1 - ... s |  0 | |". */
static bool line_duration(struct str s, struct histogram_line *l)
{
	struct str word;

	if (!line_number(&s, &l->low) || !line_take(&s, STR("-")))
		return false;
	if (line_take(&s, STR("...")))
		l->high = (double)INFINITY;
	else if (!line_number(&s, &l->high))
		return false;
	if (!str_word(&s, &word) || histogram_line_unit(word) <= 0 || !line_take(&s, STR("|")) ||
	    !line_count(&s, l) || !line_is_bar(s))
		return false;
	l->text = word;
	return l->has_high = true;
}

/*
 * Parse a percentile: "50% 1.21ms" (wrk), "99.9% <= 3 milliseconds" (redis-benchmark), "95% in 0.02
 * secs" (hey), "99% 130" (ab).
 */
static bool line_percent(struct str s, struct histogram_line *l)
{
	struct str word;

	if (!char_is_digit(s.p[0]) || !str_double(&s, &l->percentile) || !str_take(&s, STR("%")) ||
	    l->percentile > 100)
		return false;
	(void)(line_take(&s, STR("<=")) || line_take(&s, STR("in ")));
	s = str_ltrim(s);
	if (s.len == 0 || !char_is_digit(s.p[0]) || !str_double(&s, &l->low) || !isfinite(l->low))
		return false;
	s = str_ltrim(s);
	if (s.len == 0 || str_eq(s, STR("(longest request)")))
		return true;
	if (!str_word(&s, &word) || histogram_line_unit(word) <= 0)
		return false;
	l->text = word;
	if (line_take(&s, STR("(cumulative count")))
		return line_count(&s, l);
	return str_trim(s).len == 0;
}

/*
 * Parse a bucket of cbstats timings or mctimings, "12us - 14us : ( 52.2389%)  7852 ###". The bucket
 * is read as a percentile: 52 % of all values are up to 14 us. Its count is not used. In excerpts
 * some buckets are missing, so the sum of the counts is too small.
 */
static bool line_cumulative(struct str s, struct histogram_line *l)
{
	struct str word;
	double low;

	if (!line_number(&s, &low) || !str_word(&s, &word) || histogram_line_unit(word) <= 0 ||
	    !line_take(&s, STR("-")) || !line_number(&s, &l->low) || !str_word(&s, &l->text) ||
	    histogram_line_unit(l->text) <= 0 || !line_take(&s, STR(":")) ||
	    !line_take(&s, STR("(")))
		return false;
	s = str_ltrim(s);
	return str_double(&s, &l->percentile) && l->percentile >= 0 && l->percentile <= 100 &&
	       str_take(&s, STR("%)")) && line_count(&s, &(struct histogram_line){ .low = 0 });
}

/*
 * Parse a percentile of HdrHistogram, "  1.210  0.500000  1234  2.00". The columns are: value;
 * fraction of all values up to this value; number of values up to this value; 1 / (1 - fraction).
 */
static bool line_spectrum(struct str s, struct histogram_line *l)
{
	struct str part;
	double last;

	if (!char_is_digit(s.p[0]) || !str_double(&s, &l->low) || !isfinite(l->low) ||
	    !str_word(&s, &part) || part.len < 8 || !str_double(&part, &l->percentile) ||
	    part.len || !(l->percentile >= 0 && l->percentile <= 1) || !line_count(&s, l))
		return false;
	l->percentile *= 100;
	s = str_trim(s);
	return s.len == 0 || str_eq(s, STR("inf")) || (str_double(&s, &last) && s.len == 0);
}

/*
 * Titles above buckets or percentiles. pattern: a str_glob pattern. unit: "" if the title has no
 * unit. has_key_above: the line above the title is the key of the series.
 */
static const struct {
	const char *pattern;
	const char *unit;
	bool has_key_above;
} line_heads[] = {
	{ "value*- distribution -*count|value*- Distribution -*count", "", true },
	{ "*DURATION*COUNT*GRAPH*", "", false },
	{ "Value*Percentile*TotalCount*", "ms", false },
	{ "Latency Distribution*|Latency distribution*|Latency by percentile distribution*", "",
	  false },
	{ "Percentage of the requests served within a certain time (ms)", "ms", false },
	{ "*percentiles (nsec)*", "ns", false },
	{ "*percentiles (usec)*", "us", false },
	{ "*percentiles (msec)*", "ms", false },
};

static bool line_head(struct str s, struct histogram_line *l)
{
	size_t colon = str_find_char(s, ':');
	struct str rest = str_skip(s, colon + 1);

	if (line_take(&rest, STR("count")) && line_take(&rest, STR("distribution")) &&
	    str_trim(rest).len == 0) {
		l->text = str_trim(str_sub(s, 0, colon));
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(line_heads); i++) {
		if (str_glob(str_of(line_heads[i].pattern), s)) {
			l->text = str_of(line_heads[i].unit);
			l->name = line_heads[i].has_key_above ? STR_NONE : str_sub(s, 0, 60);
			l->has_key_above = line_heads[i].has_key_above;
			return true;
		}
	}
	return false;
}

/* Parse a title of cbstats timings: "disk_insert (101277 total)". */
static bool line_totalled(struct str s, struct histogram_line *l)
{
	size_t open = str_rfind_char(s, '(');
	struct str rest = str_skip(s, open + 1);
	uint64_t total;

	if (open == 0 || open >= s.len || s.p[open - 1] != ' ' || !str_u64(&rest, &total) ||
	    !str_eq(rest, STR(" total)")))
		return false;
	l->text = str_sub(str_rtrim(str_sub(s, 0, open)), 0, 120);
	l->count = total < LINE_TOTAL_MAX ? total : 0;
	return true;
}

/*
 * Parse a line with the name or key of a distribution:
 *   @usecs[ls]:    @lat:    @us[    disk = sda    Function = f [12]
 */
static bool line_key(struct str s, struct histogram_line *l)
{
	size_t open = str_find_char(s, '[');
	size_t equals;

	(void)str_take(&s, STR("Bucket ")); /* older tools of bcc print "Bucket disk = 'xvdb'" */
	equals = str_find(s, STR(" = "));
	if (s.len == 0)
		return false;
	if (s.p[0] == '@' && str_ends(s, STR(":"))) {
		l->name = str_sub(s, 0, open < s.len ? open : s.len - 1);
		l->text = open < s.len ? str_sub(s, open + 1, s.len - 2) : STR_NONE;
		return true;
	}
	if (s.p[0] == '@' && s.p[s.len - 1] == '[') {
		l->kind = HISTOGRAM_OPEN;
		l->name = str_sub(s, 0, s.len - 1);
		return true;
	}
	l->text = str_sub(s, 0, 120);
	return equals > 0 && equals < 24 && equals < s.len && s.p[0] != '-' &&
	       str_find_char(str_sub(s, 0, equals), ' ') == equals;
}

static bool line_stated(struct str s, struct histogram_line *l)
{
	struct str word;
	size_t at = str_find(s, STR("total: "));

	if (!str_starts(s, STR("avg = ")) || at == s.len)
		return false;
	s = str_skip(s, at + 7);
	if (!str_double(&s, &l->low) || !str_word(&s, &word))
		return false;
	word.len -= word.p[word.len - 1] == ',';
	l->low *= histogram_line_unit(word);
	return true;
}

/*
 * Parse a line of the statistics that follow the buckets of perf ftrace latency. The times are in
 * microseconds.
 */
static bool line_sums(struct str s, struct histogram_line *l)
{
	static const char *const others[] = { "avg time:", "max time:", "min time:", "count:" };
	bool is_total = str_take(&s, STR("total time:"));

	if (str_starts(s, STR("# statistics")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(others) && !is_total; i++) {
		if (str_take(&s, str_of(others[i]))) {
			s = str_ltrim(s);
			return str_double(&s, &(double){ 0 }) && s.len == 0;
		}
	}
	s = str_ltrim(s);
	if (!is_total || !str_double(&s, &l->low) || s.len)
		return false;
	l->low *= 1000;
	return true;
}

/*
 * Split a line of the text format of Prometheus: name{labels} value [timestamp]. Source:
 * prometheus/docs, "Exposition formats".
 */
static bool line_exposed_parts(struct str s, struct histogram_line *l, struct str *ret_labels,
			       double *ret_value)
{
	size_t open = str_find_char(s, '{');
	size_t close = str_rfind_char(s, '}');
	size_t end = open < s.len ? open : str_find_char(s, ' ');
	uint64_t stamp;

	l->name = str_sub(s, 0, end);
	for (size_t i = 0; i < end; i++) {
		if (s.p[i] != '_' && s.p[i] != ':' && !char_is_digit(s.p[i]) &&
		    !((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z'))
			return false;
	}
	if (open < s.len && close == s.len)
		return false;
	*ret_labels = open < s.len ? str_sub(s, open + 1, close) : STR_NONE;
	s = str_ltrim(str_skip(s, open < s.len ? close + 1 : end));
	*ret_value = (double)NAN;
	if (end == 0 || (!str_take(&s, STR("NaN")) && !str_double(&s, ret_value)))
		return false;
	s = str_ltrim(s);
	return s.len == 0 || (str_u64(&s, &stamp) && s.len == 0);
}

/*
 * Take the label @name, such as "le", from @labels. *@ret becomes its value. *@labels becomes the
 * text of the labels before it. If it is the first label, *@labels becomes the text of the labels
 * after it.
 */
static bool line_label(struct str *labels, struct str name, double *ret)
{
	struct str value = *labels;
	struct str before;
	size_t at;

	/* skip a label with a longer name that ends with @name: "handle" ends with "le" */
	while (at = str_find(value, name), at > 0 && at < value.len && value.p[at - 1] != ',')
		value = str_skip(value, at + 1);
	value = str_skip(value, at);
	before = str_sub(*labels, 0, labels->len - value.len);
	if (!str_take(&value, name))
		return false;
	if (str_take(&value, STR("+Inf")))
		*ret = (double)INFINITY;
	else if (!str_double(&value, ret))
		return false;
	if (!str_take(&value, STR("\"")))
		return false;
	(void)str_take(&value, STR(","));
	if (str_ends(before, STR(",")))
		before.len--;
	*labels = before.len ? before : value;
	return true;
}

/* Parse a line of a histogram or summary of Prometheus, or a comment between such lines. */
static bool line_exposed(struct str s, struct histogram_line *l)
{
	struct str labels;
	double value, part;

	if (str_starts(s, STR("# HELP ")) || str_starts(s, STR("# TYPE "))) {
		l->kind = HISTOGRAM_BLANK;
		return true;
	}
	if (!line_exposed_parts(s, l, &labels, &value) || value < 0)
		return false;
	if (isnan(value)) {
		l->kind = HISTOGRAM_BLANK;
		return labels.len > 0;
	}
	if (str_ends(l->name, STR("_bucket")) && line_label(&labels, STR("le=\""), &l->high) &&
	    value <= (double)LINE_TOTAL_MAX) {
		l->name.len -= strlen("_bucket");
		l->kind = HISTOGRAM_UPTO;
		l->count = (uint64_t)value;
	} else if (line_label(&labels, STR("quantile=\""), &part) && part >= 0 && part <= 1) {
		l->kind = HISTOGRAM_PERCENTILE;
		l->percentile = part * 100;
		l->low = value;
	} else if (str_ends(l->name, STR("_sum"))) {
		double ns;

		l->name.len -= strlen("_sum");
		ns = histogram_line_unit(str_skip(l->name, str_rfind_char(l->name, '_') + 1));
		l->kind = HISTOGRAM_STATED;
		l->low = value * (ns > 0 ? ns : 1);
		return true;
	} else {
		l->kind = HISTOGRAM_BLANK;
		return str_ends(l->name, STR("_count"));
	}
	l->text = labels;
	return l->is_sure = true;
}

bool histogram_line_fio(struct str *line, struct histogram_line *ret)
{
	size_t at = str_find(*line, STR("th=["));
	size_t start = at;
	struct str value = str_ltrim(str_skip(*line, at + 4));
	struct str part;

	while (start > 0 && (char_is_digit(line->p[start - 1]) || line->p[start - 1] == '.'))
		start--;
	part = str_sub(*line, start, at);
	*ret = (struct histogram_line){ .kind = HISTOGRAM_PERCENTILE };
	if (at == line->len || !str_double(&part, &ret->percentile) || !(ret->percentile <= 100) ||
	    value.len == 0 || !char_is_digit(value.p[0]) || !str_double(&value, &ret->low))
		return false;
	*line = value;
	return true;
}

void histogram_line_parse(struct str line, struct histogram_line *ret)
{
	static const struct {
		bool (*take)(struct str s, struct histogram_line *l);
		enum histogram_item kind;
		bool is_sure;
	} takers[] = {
		{ line_arrow, HISTOGRAM_BUCKET, true },
		{ line_bracket, HISTOGRAM_BUCKET, true },
		{ line_duration, HISTOGRAM_BUCKET, true },
		{ line_cumulative, HISTOGRAM_PERCENTILE, true },
		{ line_value, HISTOGRAM_BUCKET, false },
		{ line_spectrum, HISTOGRAM_PERCENTILE, false },
		{ line_percent, HISTOGRAM_PERCENTILE, false },
		{ line_stated, HISTOGRAM_STATED, false },
		{ line_sums, HISTOGRAM_STATED, false },
		/* line_exposed() sets kind and is_sure itself */
		{ line_exposed, HISTOGRAM_UPTO, false },
		{ line_head, HISTOGRAM_HEAD, false },
		{ line_totalled, HISTOGRAM_KEY, false },
		/* line_key() sets the kind HISTOGRAM_OPEN if the key continues on the next lines */
		{ line_key, HISTOGRAM_KEY, false },
	};
	struct str s = str_trim(line);
	struct hdr_interval interval;
	struct load_line load;

	if (hdr_log_parse(s, &interval) || hdr_log_is_title(s)) {
		*ret = (struct histogram_line){ .kind = hdr_log_is_title(s) ? HISTOGRAM_HEAD
									    : HISTOGRAM_ENCODED,
						.is_sure = true };
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(takers) && s.len && s.len <= HISTOGRAM_LINE_BYTES; i++) {
		*ret = (struct histogram_line){ .kind = takers[i].kind,
						.is_sure = takers[i].is_sure };
		if (takers[i].take(s, ret))
			return;
	}
	*ret = (struct histogram_line){ .kind = s.len ? HISTOGRAM_OTHER : HISTOGRAM_BLANK };
	if (s.len <= HISTOGRAM_LINE_BYTES && str_contains(s, STR("th=["))) {
		ret->kind = HISTOGRAM_FIO;
		ret->is_sure = true;
	} else if (load_line_parse(s, &load)) {
		ret->kind = load.n_points ? HISTOGRAM_POINTS : HISTOGRAM_COUNT;
		ret->is_sure = load.n_points > 0;
	}
}
