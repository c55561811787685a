/* SPDX-License-Identifier: MIT */
/*
 * histogram.c - distributions as tools print them: buckets with bars, or percentiles
 *
 * One reader reads the buckets of bcc, bpftrace, DTrace, perf ftrace latency, sysbench, RocksDB and
 * Prometheus. It also reads the percentiles of HdrHistogram, wrk, ab, hey, redis-benchmark, fio and
 * k6. hdr_log.c decodes the logs of HdrHistogram. histogram_line.c parses lines. This file makes
 * series from the parsed lines, each with a key and a unit. The counters between k6's percentiles
 * become a second capture.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "formats/above.h"
#include "formats/counters/counter_label.h"
#include "formats/format.h"
#include "formats/histograms/hdr_log.h"
#include "formats/histograms/histogram_line.h"
#include "formats/histograms/load_line.h"
#include "formats/unread_rows.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(histogram);

/* maximum number of lines of other kinds between two histograms of one capture */
#define HISTOGRAM_GAP       3u
#define HISTOGRAM_BLANKS    6u
#define HISTOGRAM_KEY_LINES 160u /* maximum number of lines of a key that is a stack */
/* maximum length of the line above a title, if this line can be the key of the series */
#define HISTOGRAM_KEY_BYTES   48u
#define HISTOGRAM_ABOVE_LINES 8u
#define HISTOGRAM_BELOW_LINES 12u
/* minimum number of buckets and percentiles of a histogram, if it has a title */
#define HISTOGRAM_MIN 2u
/*
 * Two times are taken as equal if their ratio is at least this. perf ftrace prints "1 s" for
 * 2^20 us, and a true second is 0.954 times 2^20 us.
 */
#define HISTOGRAM_UNIT_PART 0.95
#define HISTOGRAM_KEY_TEXT  200u
/*
 * only in captures with at most this many series, the lines above each series are searched for a
 * heading such as "before:", or for the measured function
 */
#define HISTOGRAM_SIDES 64u
/*
 * maximum number of lines between the title of fio's percentiles and the earlier lines with the
 * rate and the largest value
 */
#define HISTOGRAM_MAX_LINES 4u
#define HISTOGRAM_MIN_PARTS 4u /* minimum number of percentiles of a table without a title */
/* assumed number of values of a table of percentiles that does not print their number */
#define HISTOGRAM_VALUES 1e6

static const struct diag_kind histogram_lines = { "histogram-lines", DIAG_INFO,
						  "lines between histograms that were not read" };
static const struct diag_kind histogram_past = { "histogram-past-limit", DIAG_DATALOSS,
						 "counters or buckets past the limit" };
static const struct diag_kind histogram_order = { "histogram-order", DIAG_DATALOSS,
						  "buckets that are not above the one before" };
static const struct diag_kind histogram_encoded = {
	"histogram-encoded", DIAG_DATALOSS,
	"encoded histograms of an unknown version, of another range or damaged"
};

/* State of histogram_find() while it reads the lines of a text. */
struct histogram_scan {
	/*
	 * Offset of the first line that describes the next rows: a key, a name, or column headings.
	 * SIZE_MAX: no such line.
	 */
	size_t lead;
	size_t counts; /* offset of the first counter of k6 above its percentiles; SIZE_MAX: none */
	/*
	 * offset of the last line of another kind, which may be a key; SIZE_MAX: there is none, or
	 * it is too long
	 */
	size_t above;
	unsigned int others, blanks;
	/* inside a key of several lines: number of its lines read so far; 0: not inside a key */
	unsigned int key;
	unsigned int rows, parts; /* number of buckets; number of percentiles */
	bool has_head;
	bool is_sure;
	bool is_load; /* the rows are percentiles of k6 */
};

static void histogram_scan_reset(struct histogram_scan *s)
{
	*s = (struct histogram_scan){ .lead = SIZE_MAX, .counts = SIZE_MAX, .above = SIZE_MAX };
}

/* Handle a line without values. False: too many such lines; the histograms end before this line. */
static bool histogram_scan_other(struct histogram_scan *s, const struct histogram_line *l,
				 struct str line, size_t at)
{
	s->blanks = l->kind == HISTOGRAM_BLANK ? s->blanks + 1 : 0;
	if (l->kind == HISTOGRAM_HEAD || l->kind == HISTOGRAM_KEY || l->kind == HISTOGRAM_OPEN) {
		if (s->lead == SIZE_MAX)
			s->lead = l->has_key_above && s->above != SIZE_MAX ? s->above : at;
		s->has_head |= l->kind == HISTOGRAM_HEAD;
		s->key = l->kind == HISTOGRAM_OPEN;
		return true;
	}
	if (l->kind == HISTOGRAM_BLANK || str_eq(str_trim(line), STR("...")))
		return s->blanks <= HISTOGRAM_BLANKS;
	s->above = str_trim(line).len <= HISTOGRAM_KEY_BYTES ? at : SIZE_MAX;
	if (s->rows + s->parts == 0)
		s->lead = SIZE_MAX;
	return ++s->others <= HISTOGRAM_GAP;
}

static bool histogram_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct histogram_scan s;
	struct str line;

	histogram_scan_reset(&s);
	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		struct histogram_line l;

		if (s.key && s.key++ < HISTOGRAM_KEY_LINES) {
			struct str end = str_trim(line);

			if (!str_take(&end, STR("]:")))
				continue;
			s.key = 0;
			if (end.len == 0)
				continue;
			/*
			 * "]: 12" is the end of a stack with a count; another reader reads such
			 * stacks
			 */
			if (s.is_sure)
				return true;
			histogram_scan_reset(&s);
			continue;
		}
		s.key = 0;
		histogram_line_parse(line, &l);
		if (l.kind == HISTOGRAM_COUNT) {
			s.counts = s.counts == SIZE_MAX ? at : s.counts;
			s.others = s.blanks = 0;
			if (s.is_load)
				ret->to = text.len - rest.len;
			continue;
		}
		if (l.kind < HISTOGRAM_BUCKET || l.kind == HISTOGRAM_STATED) {
			if (l.kind == HISTOGRAM_STATED && s.rows)
				ret->to = text.len - rest.len;
			if (l.kind == HISTOGRAM_STATED || histogram_scan_other(&s, &l, line, at))
				continue;
			if (s.is_sure)
				return true;
			histogram_scan_reset(&s);
			continue;
		}
		if (s.rows + s.parts == 0)
			*ret = (struct extent){ .from = s.lead < at ? s.lead : at, .score = 98 };
		if (s.rows + s.parts == 0 && l.kind == HISTOGRAM_POINTS && s.counts < ret->from)
			ret->from = s.counts;
		s.is_load |= l.kind == HISTOGRAM_POINTS;
		s.others = s.blanks = 0;
		s.rows += l.kind == HISTOGRAM_BUCKET || l.kind == HISTOGRAM_UPTO;
		s.parts += l.kind != HISTOGRAM_BUCKET && l.kind != HISTOGRAM_UPTO;
		/*
		 * bars, enough percentiles, or enough rows after a title prove that the text is a
		 * histogram
		 */
		s.is_sure |= l.is_sure || (s.has_head && s.rows + s.parts >= HISTOGRAM_MIN) ||
			     s.parts >= HISTOGRAM_MIN_PARTS;
		ret->to = text.len - rest.len;
	}
	return s.is_sure;
}

static unsigned int histogram_probe(struct str head)
{
	struct extent e;

	return histogram_find(head, 0, &e) ? e.score : 0;
}

struct histogram_reader {
	struct capture *c;
	const struct region *in;
	struct dossier *dossier;
	/* capture for the counters of k6 that are printed between percentiles; NULL: none yet */
	struct capture *counts;
	/*
	 * name of the last metric of k6. It is put before the name of a part of this metric in a
	 * following line: "{ expected_response:true }"
	 */
	struct str metric;
	struct distribution *d;
	bool is_open; /* a series has begun, to which buckets are added */
	/* the next lines are part of a key of several lines, which ends with "]:" */
	bool is_in_key;
	str_id key, name;
	struct str unit;
	double scale; /* factor from printed values to the unit of the series */
	/*
	 * the last bucket has not been added yet, because its end is the start of the next bucket
	 */
	bool is_pending;
	uint32_t line;
	double low;
	uint64_t count;
	double part, value; /* percentage and value of the previous percentile */
	uint64_t upto;      /* number of values up to the previous percentile */
	uint64_t total;     /* number of all values, from the title; 0: unknown */
	/* largest value and mean of the next series, as fio prints them; 0: unknown */
	double max, mean;
	double rate; /* requests per second of the next series, as fio prints them */
	/* sums of the encoded histograms, which become series after the last line */
	struct hdr_log hdr;
	size_t at;          /* offset in the region of the current line */
	VEC(size_t) starts; /* starts[i]: offset `at` of the line at which series i began */
};

static void histogram_add(struct histogram_reader *r, double low, double high, uint64_t count,
			  uint32_t line)
{
	if (distribution_add(r->d, low * r->scale, high * r->scale, count, line) < 0)
		diag_count(&r->c->diag, &histogram_order, line);
}

static void histogram_close(struct histogram_reader *r)
{
	if (r->is_open && r->is_pending && r->count)
		histogram_add(r, r->low, (double)INFINITY, r->count, r->line);
	r->is_open = r->is_pending = false;
}

/* Nanoseconds of the unit in a name such as "@read_us" or "@usecs"; 0: not a unit of time. */
static double histogram_scale(struct str name)
{
	size_t at;

	(void)str_take(&name, STR("@"));
	at = str_rfind_char(name, '_');
	return histogram_line_unit(at < name.len ? str_skip(name, at + 1) : name);
}

static void histogram_begin(struct histogram_reader *r, struct str unit, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);
	struct str name = strings_get(strings, r->name);
	double ns = unit.len ? histogram_line_unit(unit) : 0;
	struct distribution_series *s;
	str_id id = STR_ID_NONE;

	if (ns <= 0 && r->unit.len)
		ns = histogram_line_unit(r->unit);
	if (ns <= 0)
		ns = histogram_scale(name);
	r->scale = ns > 0 ? ns : 1;
	if (ns > 0)
		id = strings_add(strings, STR("ns"));
	else if (r->unit.len && !str_eq(r->unit, STR("value")))
		id = strings_add(strings, r->unit);
	else if (str_contains(name, STR("bytes")) || str_contains(name, STR("size")))
		id = strings_add(strings, STR("bytes"));
	s = distribution_begin(r->d, r->key, id, line);
	*VEC_PUSH(&r->starts) = r->at;
	s->name = r->name;
	s->stated_max = r->max;
	s->mean = r->mean;
	s->in_flight = r->rate * r->mean / 1e9;
	r->max = r->mean = r->rate = 0;
	r->is_open = true;
	r->is_pending = false;
	r->part = r->value = 0;
	r->upto = 0;
}

/*
 * Set r->scale from the unit of the row @l. perf ftrace changes the unit from row to row. Its
 * buckets are powers of two, so it prints 1024 us as "1 ms" (__cmd_latency() in
 * tools/perf/builtin-ftrace.c). Therefore the scale of a new unit is set so that its first row
 * starts at the end of the previous row.
 */
static void histogram_rescale(struct histogram_reader *r, const struct histogram_line *l)
{
	const struct distribution_series *s = &r->d->series.data[r->d->series.len - 1];
	double scale = histogram_line_unit(l->text);
	double last = s->n_buckets ? r->d->buckets.data[r->d->buckets.len - 1].high : 0;

	/* the row has no unit, or has the same unit as the previous row */
	if (scale <= 0 || (scale <= r->scale && scale >= r->scale * HISTOGRAM_UNIT_PART))
		return;
	if (l->low * scale < last && l->low * scale >= last * HISTOGRAM_UNIT_PART)
		scale = last / l->low;
	r->scale = scale;
}

static void histogram_bucket(struct histogram_reader *r, const struct histogram_line *l,
			     uint32_t line)
{
	/* the lower bound has not grown, so a new series begins here, without a title */
	if (r->is_open && r->is_pending && l->low <= r->low)
		histogram_close(r);
	if (!r->is_open)
		histogram_begin(r, l->text, line);
	if (r->is_pending)
		histogram_add(r, r->low, l->low, r->count, r->line);
	if (l->text.len)
		histogram_rescale(r, l);
	r->is_pending = !l->has_high;
	r->low = l->low;
	r->count = l->count;
	r->line = line;
	if (l->has_high)
		histogram_add(r, l->low, l->high, l->count, line);
}

static void histogram_percentile(struct histogram_reader *r, const struct histogram_line *l,
				 uint32_t line)
{
	struct distribution_series *s;
	uint64_t upto =
		l->count ? l->count : (uint64_t)llround(l->percentile / 100 * (double)r->total);
	uint64_t count;
	double value;

	if (r->is_open && l->percentile < r->part)
		histogram_close(r);
	if (!r->is_open)
		histogram_begin(r, l->name.len ? STR_NONE : l->text, line);
	s = &r->d->series.data[r->d->series.len - 1];
	s->is_percentiles = true;
	s->is_relative |= upto == 0 && l->percentile > 0;
	value = l->low * (l->text.len && !l->name.len ? histogram_line_unit(l->text) : r->scale);
	count = s->is_relative   ? (uint64_t)((l->percentile - r->part) / 100 * HISTOGRAM_VALUES)
		: upto > r->upto ? upto - r->upto
				 : 0;
	if (value < r->value || distribution_add(r->d, r->value, value, count, line) < 0)
		diag_count(&r->c->diag, &histogram_order, line);
	r->part = l->percentile;
	r->value = value > r->value ? value : r->value;
	r->upto = upto;
}

/* Begin another series if the name or key changes. Each line has the name and key of its series. */
static void histogram_named(struct histogram_reader *r, const struct histogram_line *l)
{
	struct strings *strings = capture_strings(r->c);
	str_id name = strings_add(strings, l->name);
	str_id key = l->text.len ? strings_add(strings, l->text) : STR_ID_NONE;

	if (r->is_open && name.v == r->name.v && key.v == r->key.v)
		return;
	histogram_close(r);
	r->name = name;
	r->key = key;
	r->unit = STR_NONE;
	r->total = 0;
}

/* Add a bucket whose count includes the counts of all lower buckets. */
static void histogram_upto(struct histogram_reader *r, const struct histogram_line *l,
			   uint32_t line)
{
	histogram_named(r, l);
	/* the upper bound has not grown: the same series begins again, measured at another time */
	if (r->is_open && l->high <= r->value)
		histogram_close(r);
	if (!r->is_open) {
		histogram_begin(r, STR_NONE, line);
		r->value = l->high > 0 ? 0 : -(double)INFINITY;
	}
	histogram_add(r, r->value, l->high, l->count > r->upto ? l->count - r->upto : 0, line);
	if (l->count < r->upto)
		diag_count(&r->c->diag, &histogram_order, line);
	r->value = l->high;
	r->upto = l->count;
}

/* Make a series from @load, a line of k6 that has all percentiles of a metric. */
static void histogram_points(struct histogram_reader *r, const struct load_line *load,
			     uint32_t line)
{
	char key[HISTOGRAM_KEY_TEXT];
	int n = snprintf(key, sizeof(key), STR_FMT "%s" STR_FMT,
			 STR_ARG(load->is_part ? r->metric : STR_NONE), load->is_part ? " " : "",
			 STR_ARG(load->name));

	histogram_close(r);
	r->key = strings_add(
		capture_strings(r->c),
		(struct str){ key, (size_t)n < sizeof(key) ? (size_t)n : sizeof(key) - 1 });
	r->name = STR_ID_NONE;
	r->total = load->count;
	r->unit = load->is_time ? STR("ns") : STR_NONE;
	for (size_t i = 0; i < load->n_points; i++) {
		const struct load_point *point = &load->points[i];

		histogram_percentile(r,
				     &(struct histogram_line){ .low = point->value,
							       .percentile = point->percentile },
				     line);
	}
	histogram_close(r);
}

static void histogram_count(struct histogram_reader *r, const struct load_line *load, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);

	if (!r->counts) {
		r->counts = format_add_capture(&format_histogram, r->in, r->dossier);
		r->counts->format = "k6";
		capture_counters(r->counts)->tool = strings_add(strings, STR("k6"));
		r->counts->counters->n_intervals = 1;
	}
	for (size_t i = 0; i < load->n_cells; i++) {
		const struct load_cell *cell = &load->cells[i];
		char name[HISTOGRAM_KEY_TEXT];
		int n = snprintf(name, sizeof(name), STR_FMT "%s", STR_ARG(load->name),
				 cell->suffix);
		struct str text = { name, (size_t)n < sizeof(name) ? (size_t)n : sizeof(name) - 1 };

		if (counters_add(r->counts->counters, strings,
				 (struct counter){
					 .name = strings_add(strings, text),
					 .unit = cell->unit.len ? strings_add(strings, cell->unit)
								: STR_ID_NONE,
					 .value = (int64_t)cell->value,
					 .decimals = (uint8_t)cell->decimals,
					 .spread = -1,
					 .running = -1,
					 .line = line }) < 0)
			diag_count(&r->c->diag, &histogram_past, line);
	}
}

static void histogram_load(struct histogram_reader *r, struct str line, uint32_t number)
{
	struct load_line load;

	if (!load_line_parse(line, &load))
		return;
	if (!load.is_part)
		r->metric = load.name;
	if (load.n_points)
		histogram_points(r, &load, number);
	else
		histogram_count(r, &load, number);
}

/*
 * Handle a title or a key, which ends the current series. Its name, unit and key are stored for the
 * next series.
 */
static void histogram_title(struct histogram_reader *r, const struct histogram_line *l,
			    struct str above)
{
	struct strings *strings = capture_strings(r->c);

	histogram_close(r);
	r->total = l->count;
	if (l->name.len)
		r->name = strings_add(strings, l->name);
	if (l->kind == HISTOGRAM_HEAD) {
		r->unit = l->text;
		if (l->has_key_above)
			r->key = above.len ? strings_add(strings, above) : STR_ID_NONE;
		return;
	}
	r->key = l->text.len ? strings_add(strings, l->text) : STR_ID_NONE;
	r->is_in_key = l->kind == HISTOGRAM_OPEN;
}

/*
 * Handle a line inside a key that is a stack. The first line of the stack, the innermost function,
 * becomes the key of the series. False: @line is not inside such a key.
 */
static bool histogram_key_line(struct histogram_reader *r, struct str line)
{
	if (!r->is_in_key)
		return false;
	if (str_starts(line, STR("]")))
		r->is_in_key = false;
	else if (r->key.v == 0 && line.len)
		r->key = strings_add(capture_strings(r->c), str_sub(line, 0, 120));
	return true;
}

static bool histogram_has_percentiles(const struct histogram_reader *r)
{
	return r->is_open && r->d->series.data[r->d->series.len - 1].is_percentiles;
}

/*
 * The value of @key in a line of fio about @what. Example: " max=" in "clat (usec): min=161,
 * max=10531, avg=322.60" for the @what "clat". 0: another line, or a value with a suffix. Source:
 * fio, stat.c, display_lat().
 */
static double histogram_stat(struct str line, struct str what, struct str key)
{
	struct str unit, value;
	double number;

	line = str_trim(line);
	if (!str_take(&line, what) || !str_take(&line, STR(" (")))
		return 0;
	unit = str_sub(line, 0, str_find_char(line, ')'));
	value = str_skip(line, str_find(line, key));
	if (!str_take(&value, key))
		return 0;
	value = str_ltrim(value);
	return str_double(&value, &number) && str_starts(value, STR(","))
		       ? number * histogram_line_unit(unit)
		       : 0;
}

/*
 * The rate in a line of fio: "read: IOPS=29.8k, BW=466MiB/s", or in fio 2 "read : io=3733MB,
 * bw=466MB/s, iops=29838, runt=8007msec". 0: another line. Source: fio, stat.c, show_ddir_status().
 */
static double histogram_rate(struct str line)
{
	struct str value = line;
	double number;

	line = str_trim(line);
	if (!str_glob(STR("read*: *|write*: *|trim*: *"), line))
		return 0;
	value = str_skip(line, str_find(line, STR("IOPS=")));
	if (!value.len)
		value = str_skip(line, str_find(line, STR("iops=")));
	value = str_ltrim(str_skip(value, 5));
	if (!str_double(&value, &number))
		return 0;
	return str_starts(value, STR("k"))   ? number * 1e3
	       : str_starts(value, STR("M")) ? number * 1e6
					     : number;
}

/* If @line is "slat (usec): min=2, max=69992, avg=5.37, ...", add a note with it to @c. */
static void histogram_submission(struct capture *c, struct str line, uint32_t number)
{
	double max = histogram_stat(line, STR("slat"), STR(" max="));
	double mean = histogram_stat(line, STR("slat"), STR(" avg="));
	char text[64];
	int n = snprintf(text, sizeof(text), "longest %.3f, mean %.3f", max / 1e6, mean / 1e6);

	if (max > 0 && mean > 0 && n > 0 && (size_t)n < sizeof(text))
		capture_note(c, STR(DISTRIBUTION_NOTE_SUBMISSION), (struct str){ text, (size_t)n },
			     number);
}

/*
 * Add a note with the number of jobs to @c. @above: the text before the line with the rate of all
 * jobs, @rate; its last line is "job: (groupid=0, jobs=48): err= 0". @number: number of that line.
 */
static void histogram_jobs(struct capture *c, struct str above, double rate, uint32_t number)
{
	size_t end = str_rfind_char(above, '\n');
	struct str line = str_skip(above, end == above.len ? 0 : end + 1);
	struct str jobs = str_skip(line, str_find(line, STR(", jobs=")) + 7);
	uint64_t n;
	char text[64];
	int len;

	if (!str_contains(line, STR(": (groupid=")) || !str_u64(&jobs, &n) || n == 0)
		return;
	len = snprintf(text, sizeof(text), "%llu job%s, %.10g requests a second",
		       (unsigned long long)n, n == 1 ? "" : "s", rate);
	if (len > 0 && (size_t)len < sizeof(text))
		capture_note(c, STR(DISTRIBUTION_NOTE_JOBS), (struct str){ text, (size_t)len },
			     number);
}

/*
 * Set the largest value, mean and rate for the series of fio with the title @title. fio prints them
 * in the lines before the title. @number: line number of the title.
 */
static void histogram_stats_above(struct histogram_reader *r, struct str title, uint32_t number)
{
	struct str doc = r->in->doc ? r->in->doc->text : STR_NONE;
	struct str what = str_sub(title, 0, str_find(title, STR(" percentiles (")));
	struct str above;

	r->max = r->mean = r->rate = 0;
	if (what.len == title.len || !doc.p || title.p < doc.p || title.p > doc.p + doc.len)
		return;
	above = (struct str){ doc.p, (size_t)(title.p - doc.p) };
	/*
	 * Each pass removes the last line of `above`, and reads the line before it. In the first
	 * pass, the removed line is the start of the line with the title.
	 */
	for (unsigned int n = 0; n <= HISTOGRAM_MAX_LINES && r->rate <= 0; n++) {
		size_t end = str_rfind_char(above, '\n');
		struct str line;
		double max, mean;

		if (end == above.len)
			break;
		above.len = end;
		end = str_rfind_char(above, '\n');
		line = str_skip(above, end == above.len ? 0 : end + 1);
		histogram_submission(r->c, line, number > n + 1 ? number - n - 1 : 0);
		max = histogram_stat(line, what, STR(" max="));
		/*
		 * Prefer the mean of "lat", the whole time of a request. If requests are not
		 * queued, fio prints no "lat" but only "clat"; then the mean of `what` is used.
		 */
		mean = histogram_stat(line, STR("lat"), STR(" avg="));
		if (mean <= 0 && r->mean <= 0)
			mean = histogram_stat(line, what, STR(" avg="));
		r->max = max > 0 ? max : r->max;
		r->mean = mean > 0 ? mean : r->mean;
		r->rate = histogram_rate(line);
		if (r->rate > 0 && end < above.len)
			histogram_jobs(r->c, str_sub(above, 0, end), r->rate,
				       number > n + 2 ? number - n - 2 : 0);
	}
	/* the mean and rate found above belong to reads and writes, not to fsync */
	if (str_starts(what, STR("sync")))
		r->mean = r->rate = 0;
}

static void histogram_take_encoded(struct histogram_reader *r, struct str line, uint32_t number)
{
	struct hdr_interval interval;

	histogram_close(r);
	if (!hdr_log_parse(line, &interval) || hdr_log_add(&r->hdr, &interval, number) < 0)
		diag_count(&r->c->diag, &histogram_encoded, number);
}

static void histogram_take(struct histogram_reader *r, struct str line, struct str *above,
			   uint32_t number)
{
	struct histogram_line l;

	if (histogram_key_line(r, line))
		return;
	histogram_line_parse(line, &l);
	switch (l.kind) {
	case HISTOGRAM_BLANK:
		return;
	case HISTOGRAM_BUCKET:
		histogram_bucket(r, &l, number);
		break;
	case HISTOGRAM_UPTO:
		histogram_upto(r, &l, number);
		break;
	case HISTOGRAM_PERCENTILE:
		if (l.name.len)
			histogram_named(r, &l);
		histogram_percentile(r, &l, number);
		break;
	case HISTOGRAM_FIO:
		while (histogram_line_fio(&line, &l))
			histogram_percentile(r, &l, number);
		break;
	case HISTOGRAM_POINTS:
	case HISTOGRAM_COUNT:
		histogram_load(r, line, number);
		break;
	case HISTOGRAM_ENCODED:
		histogram_take_encoded(r, line, number);
		break;
	case HISTOGRAM_STATED:
		if (r->d->series.len && l.low > 0)
			r->d->series.data[r->d->series.len - 1].stated_sum = l.low;
		break;
	case HISTOGRAM_OTHER:
		/* "..." means that some percentiles were not printed */
		if (histogram_has_percentiles(r) && str_eq(line, STR("...")))
			return;
		histogram_close(r);
		unread_rows_count(r->c, &histogram_lines, line, number);
		*above = str_sub(line, 0, HISTOGRAM_KEY_BYTES);
		return;
	default:
		histogram_title(r, &l, *above);
		histogram_stats_above(r, line, number);
		break;
	}
	*above = STR_NONE;
}

/* Whether @word looks like the name of a function: a word with '_' or '::', and no option. */
static bool histogram_is_function(struct str word)
{
	bool has_mark = false;

	for (size_t i = 0; i < word.len; i++) {
		if (!char_is_word(word.p[i]) && word.p[i] != ':')
			return false;
		has_mark |= i && (word.p[i] == '_' || (word.p[i] == ':' && word.p[i - 1] == ':'));
	}
	return has_mark && !char_is_digit(word.p[0]);
}

/*
 * The function whose durations a line above the values announces: the line of funclatency,
 * 'Tracing 1 functions for "f"... Hit Ctrl-C to end.', or words such as "the latency of f()".
 * Empty: none.
 */
static struct str histogram_function(struct str line)
{
	static const char *const words[] = { "latency of ", "latencies of ", "funclatency " };

	if (str_glob(STR("Tracing * functions for \"*\"*"), line)) {
		line = str_skip(line, str_find_char(line, '"') + 1);
		return str_sub(line, 0, str_find_char(line, '"'));
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t at = str_find(line, str_of(words[i]));
		struct str word = str_skip(line, at + strlen(words[i]));

		if (at == line.len)
			continue;
		word = str_sub(word, 0, str_find_char(word, ' '));
		while (word.len && memchr(".,;:()'\"`", word.p[word.len - 1], 10))
			word.len--;
		while (word.len && memchr("'\"`", word.p[0], 3))
			word = str_skip(word, 1);
		if (histogram_is_function(word))
			return word;
	}
	return STR_NONE;
}

/*
 * Set the key of each series without a key from the lines above it that name the measured
 * function.
 */
static void histogram_traced(const struct histogram_reader *r)
{
	for (size_t i = 0; i < r->d->series.len; i++) {
		struct distribution_series *s = &r->d->series.data[i];
		struct str above = above_region(r->in);
		struct str line;

		if (s->key.v || s->name.v || !above.p)
			continue;
		/* the text before this series in the region is searched, too */
		above.len += r->starts.data[i];
		for (unsigned int n = 0; n < HISTOGRAM_ABOVE_LINES && above_line(&above, &line);
		     n++) {
			struct histogram_line l;

			line = str_trim(line);
			histogram_line_parse(line, &l);
			if (l.kind >= HISTOGRAM_BUCKET)
				break;
			line = histogram_function(line);
			if (line.len == 0)
				continue;
			s->key = strings_add(capture_strings(r->c), line);
			break;
		}
	}
}

/* Add the lines above the region that name the tool and the measured quantity to @c, as notes. */
static void histogram_above(struct capture *c, const struct region *in)
{
	struct str above = above_region(in);
	struct str line;

	for (unsigned int n = 0; n < HISTOGRAM_ABOVE_LINES && above_line(&above, &line); n++) {
		line = str_trim(line);
		if (line.len < 120 &&
		    (str_starts(line, STR("Tracing ")) || str_starts(line, STR("# ")) ||
		     str_starts(line, STR("$ ")) || str_ends(line, STR("Hit Ctrl-C to end."))))
			capture_note(c, STR("title"), line, 0);
	}
}

/*
 * Add notes to @c from lines of fio below the region: the CPU time of the job, and its requests in
 * flight. Source: fio, stat.c, show_thread_status_normal(): "cpu : usr=3.88%, sys=96.02%, ctx=69",
 * "IO depths : 1=0.1%, 2=0.1%, ..., >=64=99.9%".
 */
static void histogram_below(struct capture *c, const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str below, line;
	size_t end = (size_t)(in->text.p + in->text.len - doc.p);

	if (!doc.p || in->text.p < doc.p || end > doc.len)
		return;
	below = str_skip(doc, end);
	for (unsigned int n = 0; n < HISTOGRAM_BELOW_LINES && str_line(&below, &line); n++) {
		line = str_trim(line);
		if (str_glob(STR("cpu *: usr=*%, sys=*%*"), line)) {
			capture_note(c, STR(DISTRIBUTION_NOTE_CPU),
				     str_skip(line, str_find(line, STR("usr="))), 0);
		} else if (str_glob(STR("IO depths *: 1=*%*>=64=*%"), line)) {
			capture_note(c, STR(DISTRIBUTION_NOTE_DEPTH),
				     str_skip(line, str_find(line, STR("1="))), 0);
			return;
		}
	}
}

/*
 * Mark each series as the base or the changed side of a comparison, by the heading above it:
 * "before:", "with the patch". If headings name only one of both, no series is marked.
 */
static void histogram_sides(const struct histogram_reader *r)
{
	bool has[SIDE_CHANGED + 1] = { false };

	for (size_t i = 0; i < r->d->series.len; i++) {
		struct distribution_series *s = &r->d->series.data[i];
		struct region part = *r->in;
		struct str label;

		part.text = str_skip(part.text, r->starts.data[i]);
		label = counter_label(&part);
		s->side = (uint8_t)side_of_words(label);
		if (s->side != SIDE_UNKNOWN)
			s->label = strings_add(capture_strings(r->c), label);
		has[s->side] = true;
	}
	VEC_FOREACH (s, &r->d->series) {
		if (!has[SIDE_BASE] || !has[SIDE_CHANGED])
			s->side = SIDE_UNKNOWN;
		if (s->side == SIDE_UNKNOWN)
			s->label = STR_ID_NONE;
	}
}

static int histogram_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_histogram, in, d);
	struct histogram_reader r = {
		.c = c, .in = in, .dossier = d, .d = capture_distribution(c), .scale = 1
	};
	struct str text = in->text;
	struct str above = STR_NONE;
	struct str line;
	size_t n_values = 0;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		r.at = (size_t)(line.p - in->text.p);
		histogram_take(&r, str_trim(line), &above, region_line(in, n));
	}
	histogram_close(&r);
	if (hdr_log_fill(&r.hdr, r.d, capture_strings(c)) < 0)
		diag_count(&c->diag, &histogram_past, c->last_line);
	while (r.starts.len < r.d->series.len)
		*VEC_PUSH(&r.starts) = 0;
	hdr_log_fini(&r.hdr);
	if (r.d->series.len > 1 && r.d->series.len <= HISTOGRAM_SIDES)
		histogram_sides(&r);
	if (r.d->series.len <= HISTOGRAM_SIDES)
		histogram_traced(&r);
	VEC_FREE(&r.starts);
	histogram_above(c, in);
	histogram_below(c, in);
	VEC_FOREACH (s, &r.d->series)
		n_values += s->count > 0;
	return n_values ? OK : fail(err, ERR_FORMAT, "no value in the histogram");
}

const struct format format_histogram = {
	.name = "histogram",
	.title = "distribution",
	.summary =
		"distributions of bcc, bpftrace, DTrace and perf ftrace, percentiles of load tools",
	.kinds = KIND_DISTRIBUTION | KIND_COUNTERS,
	.probe = histogram_probe,
	.find = histogram_find,
	.read = histogram_read,
};
