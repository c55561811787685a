/* SPDX-License-Identifier: MIT */
/*
 * benchmark.c - output of poop, hyperfine and time, with one capture per command; and tables of
 * benchmarks (bench_rows.h), with one capture per table
 *
 * Sources: printMeasurement() of poop's main.zig; src/output and src/benchmark of hyperfine;
 * time(1p), the builtins of bash, zsh and tcsh, formats of GNU time's time.c; fish, src/timer.rs,
 * get_delta().
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/bench_rows.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/counter_number.h"

#include "formats/format.h"
#include "formats/unread_rows.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(benchmark);

/* minimum number of rows of time(1), such as real, user and sys, if no title precedes them */
#define BENCH_LEAST 3u
/* maximum number of consecutive unknown lines inside a benchmark */
#define BENCH_GAP   2u
#define BENCH_SCORE 97u
#define BENCH_NAME  80u
/* maximum length of the translation of "copied" in the output of dd, in bytes */
#define BENCH_DD_WORD 24u
/* maximum distance in lines from a command to the output of time, and maximum length of its text */
#define BENCH_ABOVE 8u
#define BENCH_TIMED 512u

static const struct diag_kind bench_lines = { "benchmark-lines", DIAG_INFO,
					      "lines within a benchmark" };
static const struct diag_kind bench_past = { "benchmark-rows-past-limit", DIAG_DATALOSS,
					     "rows past the limit" };

/* Take a value and its unit from @s: "102s", "92.9 ms", "381G", "108MB" (108000000 bytes). */
static bool bench_value(struct str *s, struct counter_number *ret, struct str *unit)
{
	static const char scales[] = "KMGT";
	struct str rest = *s;
	size_t n = 0;
	size_t at;

	if (!counter_number(&rest, ret))
		return false;
	if (!ret->is_scaled)
		rest = str_ltrim(rest);
	while (n < rest.len && !char_is_space(rest.p[n]) && !strchr(",])%", rest.p[n]) &&
	       !char_is_digit(rest.p[n]) && (unsigned char)rest.p[n] < 0x80)
		n++;
	*unit = ret->is_scaled ? STR_NONE : str_sub(rest, 0, n);
	at = unit->len == 2 && unit->p[1] == 'B' ? str_find_char(STR(scales), unit->p[0]) : 4;
	if (at < 4) {
		for (size_t i = 0; i < 3 * (at + 1); i++) {
			if (ret->decimals)
				ret->decimals--;
			else if (__builtin_mul_overflow(ret->value, 10, &ret->value))
				return false;
		}
		*unit = STR("bytes");
	} else if (unit->len && !str_glob(STR("s|ms|us|ns|B"), *unit) &&
		   !str_eq(*unit, STR("\xc2\xb5s"))) {
		return false;
	}
	*s = ret->is_scaled ? rest : str_skip(rest, n);
	return true;
}

static double bench_in_base(const struct counter_number *n, struct str unit)
{
	double scale = str_eq(unit, STR("ms"))   ? 1e-3
		       : str_eq(unit, STR("us")) ? 1e-6
		       : str_eq(unit, STR("ns")) ? 1e-9
						 : 1;

	return counter_number_double(n) * scale;
}

/* Take a mean and its standard deviation, "1.23 s ± 0.02 s". The deviation may be missing. */
static bool bench_mean(struct str *s, struct bench_cell *cell)
{
	struct counter_number sigma;
	struct str unit;
	struct str rest;
	double mean;

	cell->deviation = -1;
	if (!bench_value(s, &cell->value, &cell->unit))
		return false;
	rest = str_ltrim(*s);
	if (!str_take(&rest, STR("\xc2\xb1")) && !str_take(&rest, STR("+-")))
		return true;
	rest = str_ltrim(rest);
	if (!bench_value(&rest, &sigma, &unit))
		return false;
	mean = bench_in_base(&cell->value, cell->unit);
	if (mean > 0)
		cell->deviation = 100 * bench_in_base(&sigma, unit) / mean;
	*s = rest;
	return true;
}

/*
 * Parse the first line of a benchmark: "Benchmark 1 (3 runs): COMMAND" of poop, "Benchmark #1:
 * COMMAND" of hyperfine.
 */
static bool bench_head(struct str line, struct bench_line *ret)
{
	struct str rest = line;
	uint64_t n;

	if (!str_take(&rest, STR("Benchmark ")))
		return false;
	(void)str_take(&rest, STR("#"));
	if (!str_u64(&rest, &n))
		return false;
	ret->title = str_sub(line, 0, (size_t)(rest.p - line.p));
	if (str_take(&rest, STR(" (")) &&
	    (!str_u64(&rest, &ret->runs) ||
	     (!str_take(&rest, STR(" runs)")) && !str_take(&rest, STR(" run)")))))
		return false;
	if (!str_take(&rest, STR(":")))
		return false;
	ret->command = str_trim(rest);
	ret->kind = BENCH_HEAD;
	return ret->command.len > 0;
}

/*
 * Parse a row of poop: "cpu_cycles   381G  ±  862M    380G  …  382G    0 ( 0%)   0%". The line of
 * column titles also returns true, with the kind BENCH_MORE.
 */
static bool bench_poop(struct str line, struct bench_line *ret)
{
	struct bench_cell *cell = &ret->cells[0];
	struct str rest = line;
	struct str word;

	if (!str_word(&rest, &word))
		return false;
	ret->tool = "poop";
	if (str_eq(word, STR("measurement")) && str_contains(rest, STR("mean"))) {
		ret->kind = BENCH_MORE;
		return true;
	}
	rest = str_ltrim(rest);
	if (!str_glob(STR("wall_time|peak_rss|cpu_cycles|instructions|cache_references|"
			  "cache_misses|branch_misses"),
		      word) ||
	    !bench_mean(&rest, cell) || cell->deviation < 0)
		return false;
	cell->name = word;
	ret->n = 1;
	ret->kind = BENCH_ROW;
	return true;
}

/*
 * Parse a line of hyperfine: "Time (mean ± σ):   102.6 ms ±   0.5 ms  [User: 1.2 ms, ...]". The
 * line "Range", which has the number of runs, also returns true, with the kind BENCH_MORE.
 */
static bool bench_hyperfine(struct str line, struct bench_line *ret)
{
	size_t colon = str_find_char(line, ':');
	struct str rest = str_skip(line, colon + 1);
	bool is_range = str_starts(line, STR("Range (min"));
	size_t at, from;

	if (line.p[0] != 'R' && line.p[0] != 'T')
		return false;
	at = str_find(rest, STR(" runs"));
	ret->tool = "hyperfine";
	if (is_range && colon < line.len) {
		ret->kind = BENCH_MORE;
		from = str_rfind_char(str_sub(rest, 0, at), ' ');
		rest = str_skip(rest, from + 1);
		if (at < rest.len + from + 1 && !str_u64(&rest, &ret->runs))
			ret->runs = 0;
		return true;
	}
	if (!str_starts(line, STR("Time (")) || colon >= line.len ||
	    (!str_starts(line, STR("Time (mean")) && !str_starts(line, STR("Time (abs"))))
		return false;
	rest = str_ltrim(rest);
	if (!bench_mean(&rest, &ret->cells[0]))
		return false;
	ret->cells[0].name = STR("elapsed");
	ret->n = 1;
	for (size_t i = 0; i < 2; i++) {
		static const struct str titles[] = { { "User:", 5 }, { "System:", 7 } };
		struct str part = str_skip(rest, str_find(rest, titles[i]) + titles[i].len);
		struct bench_cell *cell = &ret->cells[ret->n];

		part = str_ltrim(part);
		if (part.len && bench_mean(&part, cell)) {
			cell->name = i ? STR("sys") : STR("user");
			ret->n++;
		}
	}
	ret->kind = BENCH_ROW;
	return true;
}

/* Parse a time into seconds: "0m2.407s", "1:02.50", "1:00:00", "2.40", "2.40s". */
static bool bench_clock(struct str s, struct counter_number *ret)
{
	uint64_t whole = 0;
	uint64_t part;
	struct str rest = s;

	for (unsigned int i = 0; i < 2; i++) {
		struct str after = rest;

		if (!str_u64(&after, &part) || part > 1000000 ||
		    (!str_take(&after, STR("m")) && !str_take(&after, STR(":"))))
			break;
		whole = (whole + part) * 60;
		rest = after;
	}
	if (!counter_number(&rest, ret))
		return false;
	if (ret->may_be_grouped && ret->decimals == 0)
		/*
		 * In some locales the decimal point is a comma: "0m2,407s". Set the number of
		 * decimals, so that the comma is not taken as a separator of thousands.
		 */
		ret->decimals = 3;
	(void)str_take(&rest, STR("s"));
	for (unsigned int i = 0; i < ret->decimals; i++)
		whole *= 10;
	return rest.len == 0 && ret->decimals <= 6 &&
	       !__builtin_add_overflow(ret->value, (int64_t)whole, &ret->value);
}

/*
 * Parse a line of time(1): "real 0m2.407s", "user 1.48". A tab or blanks separate name and time. A
 * time without decimals is not accepted.
 */
static bool bench_time(struct str line, struct bench_line *ret)
{
	struct str rest = line;
	struct str name, value;

	if (!str_word(&rest, &name) || !str_glob(STR("real|user|sys"), name) ||
	    !str_word(&rest, &value) || str_trim(rest).len ||
	    !bench_clock(value, &ret->cells[0].value) || ret->cells[0].value.decimals == 0)
		return false;
	ret->tool = "time";
	ret->cells[0].name = name;
	ret->cells[0].unit = STR("seconds");
	ret->cells[0].deviation = -1;
	ret->n = 1;
	ret->kind = BENCH_ROW;
	return true;
}

/*
 * Parse a line of time in fish: "Executed in  3.17 secs  fish  external", "usr time  1.81 secs 0.00
 * micros  1.81 secs". The first value is the sum of the others.
 */
static bool bench_fish(struct str line, struct bench_line *ret)
{
	static const struct {
		const char *title;
		struct str name;
	} names[] = { { "Executed in ", { "real", 4 } },
		      { "usr time ", { "user", 4 } },
		      { "sys time ", { "sys", 3 } } };
	struct bench_cell *cell = &ret->cells[0];
	struct str unit;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str rest = line;

		if (!str_take(&rest, str_of(names[i].title)))
			continue;
		rest = str_ltrim(rest);
		if (!counter_number(&rest, &cell->value) || !str_word(&rest, &unit))
			return false;
		if (str_eq(unit, STR("millis")))
			cell->value.decimals += 3;
		else if (str_eq(unit, STR("micros")))
			cell->value.decimals += 6;
		else if (str_eq(unit, STR("mins"))) {
			if (__builtin_mul_overflow(cell->value.value, 60, &cell->value.value))
				return false;
		} else if (!str_eq(unit, STR("secs")))
			return false;
		for (; cell->value.decimals > 6; cell->value.decimals--)
			cell->value.value /= 10;
		cell->name = names[i].name;
		cell->unit = STR("seconds");
		cell->deviation = -1;
		ret->tool = "time";
		ret->n = 1;
		ret->kind = BENCH_ROW;
		return true;
	}
	return false;
}

/* Parse a line of GNU time -v: "Maximum resident set size (kbytes): 2040". */
static bool bench_verbose(struct str line, struct bench_line *ret)
{
	static const char names[] =
		"User time (seconds)|System time (seconds)|Elapsed (wall clock) time*|"
		"Maximum resident set size (kbytes)|Major (requiring I/O) page faults|"
		"Minor (reclaiming a frame) page faults|Voluntary context switches|"
		"Involuntary context switches|File system inputs|File system outputs|Swaps";
	static const char others[] =
		"Percent of CPU*|Average*(kbytes)|Socket messages*|Signals delivered|"
		"Page size (bytes)|Exit status";
	size_t colon = str_find(line, STR(": "));
	struct bench_cell *cell = &ret->cells[0];
	struct str name = str_sub(line, 0, colon);
	struct str value = str_trim(str_skip(line, colon + 1));

	ret->tool = "GNU time";
	if (colon >= line.len)
		return false;
	if (str_eq(name, STR("Command being timed"))) {
		ret->kind = BENCH_COMMAND;
		ret->command = value;
		if (value.len > 1 && value.p[0] == '"' && value.p[value.len - 1] == '"')
			ret->command = str_sub(value, 1, value.len - 1);
		return true;
	}
	if (str_glob(STR(others), name)) {
		ret->kind = BENCH_MORE;
		return true;
	}
	if (!str_glob(STR(names), name) || !bench_clock(value, &cell->value))
		return false;
	cell->name = str_starts(name, STR("Elapsed")) ? STR("Elapsed (wall clock) time") : name;
	cell->unit = str_contains(name, STR("time")) ? STR("seconds") : STR_NONE;
	cell->deviation = -1;
	ret->n = 1;
	ret->kind = BENCH_ROW;
	return true;
}

static void bench_seconds(struct bench_line *ret, struct str name, struct counter_number value)
{
	if (ret->n < BENCH_CELLS)
		ret->cells[ret->n++] = (struct bench_cell){
			.name = name, .unit = STR("seconds"), .value = value, .deviation = -1
		};
}

/*
 * Parse a line with all figures of a run: "make  1.23s user 0.45s system 98% cpu 1:01.712 total" of
 * zsh, "1.23user 0.45system 0:01.71elapsed" of GNU time. The name of each value follows it, with or
 * without a blank.
 */
static bool bench_words(struct str line, struct bench_line *ret)
{
	static const struct {
		const char *word; /* name after the value */
		struct str name;
	} names[] = { { "user", { "user", 4 } },
		      { "system", { "sys", 3 } },
		      { "elapsed", { "real", 4 } },
		      { "total", { "real", 4 } } };
	struct counter_number value;
	struct str rest = line;
	struct str last = STR_NONE;
	struct str word;

	while (str_word(&rest, &word)) {
		/* fast check: every known name ends with one of these letters */
		bool may = memchr("rmdl", word.p[word.len - 1], 4) != NULL;

		for (size_t i = 0; may && i < ARRAY_LEN(names); i++) {
			struct str name = str_of(names[i].word);
			struct str number = last;

			if (!str_ends(word, name))
				continue;
			if (word.len > name.len)
				number = str_sub(word, 0, word.len - name.len);
			if (number.len && bench_clock(number, &value) && value.decimals) {
				if (ret->n == 0)
					ret->command = str_trim(
						str_sub(line, 0, (size_t)(number.p - line.p)));
				bench_seconds(ret, names[i].name, value);
			}
		}
		last = word;
	}
	ret->tool = "time";
	ret->kind = BENCH_ALL;
	return ret->n == 3;
}

/* Parse "10000+0 records in" and "10000+0 records out" of dd, the first lines of its output. */
static bool bench_dd_records(struct str line, struct bench_line *ret)
{
	uint64_t whole, part;

	ret->tool = "dd";
	ret->kind = BENCH_COMMAND;
	if (!str_u64(&line, &whole) || !str_take(&line, STR("+")) || !str_u64(&line, &part) ||
	    !str_take(&line, STR(" record")) || line.len == 0)
		return false;
	if (str_ends(line, STR(" out")) && whole <= INT64_MAX)
		ret->cells[ret->n++] = (struct bench_cell){ .name = STR("records out"),
							    .value.value = (int64_t)whole,
							    .deviation = -1 };
	return true;
}

/* Add the figures of a run of dd. */
static bool bench_dd_figures(struct bench_line *ret, uint64_t n, struct counter_number seconds)
{
	struct counter_number bytes = { .value = (int64_t)n };

	bench_seconds(ret, STR("elapsed"), seconds);
	ret->cells[ret->n++] = (struct bench_cell){
		.name = STR("copied"), .unit = STR("bytes"), .value = bytes, .deviation = -1
	};
	ret->tool = "dd";
	ret->kind = BENCH_ALL;
	return seconds.value > 0;
}

/*
 * Parse the last line of dd: "5120000 bytes (5.1 MB, 4.9 MiB) copied, 3.90981 s, 1.3 MB/s". GNU dd
 * translates the word "copied", and prints a decimal comma in some locales; busybox prints
 * "seconds". BSD prints "5120000 bytes transferred in 3.909814 secs (1309525 bytes/sec)". Sources:
 * coreutils, src/dd.c, print_xfer_stats(); FreeBSD, bin/dd/misc.c, summary().
 */
static bool bench_dd(struct str line, struct bench_line *ret)
{
	struct counter_number seconds;
	struct str rest = line;
	struct str word, unit;
	size_t close;
	uint64_t n;

	if (bench_dd_records(line, ret))
		return true;
	if (!str_u64(&rest, &n) || n > INT64_MAX || !str_take(&rest, STR(" byte")))
		return false;
	if (str_take(&rest, STR("s transferred in ")))
		return counter_number(&rest, &seconds) && str_starts(rest, STR(" secs (")) &&
		       str_ends(rest, STR(" bytes/sec)")) && bench_dd_figures(ret, n, seconds);
	/* below 1000 bytes, there are no brackets: "512 bytes copied" */
	close = str_find(rest, STR(") "));
	word = close < rest.len ? str_skip(rest, close + 2)
				: str_skip(rest, str_find_char(rest, ' ') + 1);
	close = str_find(word, STR(", "));
	rest = str_skip(word, close + 2);
	if (close == word.len || close > BENCH_DD_WORD || !counter_number(&rest, &seconds) ||
	    !str_word(&rest, &unit) || !str_glob(STR("s,|seconds,"), unit) ||
	    !str_word(&rest, &word) || !str_ends(line, STR("B/s")))
		return false;
	/* the decimal point may be a comma, which is no separator of thousands here */
	if (seconds.may_be_grouped && seconds.decimals == 0)
		seconds.decimals = 3;
	return bench_dd_figures(ret, n, seconds);
}

/* Parse a line of tcsh with all figures of a run: "1.234u 0.456s 0:01.71 98.2%". */
static bool bench_tcsh(struct str line, struct bench_line *ret)
{
	static const struct str names[] = { { "user", 4 }, { "sys", 3 }, { "real", 4 } };
	static const char ends[] = "us ";
	struct counter_number value;
	struct str rest = line;
	struct str word;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!str_word(&rest, &word) || word.len < 2)
			return false;
		if (ends[i] != ' ' && word.p[word.len - 1] != ends[i])
			return false;
		if (ends[i] == ' ' && str_find_char(word, ':') == word.len)
			return false;
		word.len -= ends[i] != ' ';
		if (!bench_clock(word, &value) || value.decimals == 0)
			return false;
		bench_seconds(ret, names[i], value);
	}
	ret->tool = "time";
	ret->kind = BENCH_ALL;
	return str_word(&rest, &word) && str_ends(word, STR("%"));
}

static void bench_classify(struct bench_context *context, struct str line, struct bench_line *ret)
{
	static bool (*const each[])(struct str, struct bench_line *) = {
		bench_head,  bench_poop, bench_hyperfine, bench_time, bench_verbose,
		bench_words, bench_tcsh, bench_fish,      bench_dd,
	};

	line = str_trim(line);
	for (size_t i = 0; line.len && i < ARRAY_LEN(each); i++) {
		*ret = (struct bench_line){ .kind = BENCH_OTHER };
		if (each[i](line, ret))
			return;
	}
	*ret = (struct bench_line){ .kind = BENCH_OTHER };
	if (line.len == 0 || !bench_rows_line(context, line, ret))
		*ret = (struct bench_line){ .kind = BENCH_OTHER };
	context->above = line;
}

struct bench_find {
	const char *tool; /* the tool that printed the lines; NULL: not known yet */
	size_t rows;
	unsigned int others;
	bool has_begin, has_head;
	/* a line had all figures of a run, or of a benchmark, so no more rows are required */
	bool is_sure;
};

static bool bench_is_whole(const struct bench_find *f)
{
	return f->rows >= BENCH_LEAST || (f->rows && (f->has_head || f->is_sure)) ||
	       (f->rows && f->tool && strcmp(f->tool, "hyperfine") == 0);
}

/* Does line @l begin the next benchmark, after the benchmark of @f? */
static bool bench_is_next(const struct bench_find *f, const struct bench_line *l)
{
	/* the two lines about records of dd come before its only line with figures */
	if (f->tool && l->tool && strcmp(l->tool, "dd") == 0 && strcmp(f->tool, "dd") == 0)
		return f->rows > 0;
	return l->kind == BENCH_HEAD || l->kind == BENCH_COMMAND || l->kind == BENCH_ALL ||
	       (l->tool && f->tool && strcmp(l->tool, f->tool) != 0) ||
	       (f->rows && l->kind == BENCH_ROW &&
		str_glob(STR("real|wall_time|elapsed"), l->cells[0].name));
}

static bool benchmark_find(struct str text, size_t from, struct extent *ret)
{
	struct bench_find f = { .tool = NULL };
	struct bench_context context = { .above = STR_NONE };
	struct str rest = str_skip(text, from);
	struct bench_line l;
	struct str line;
	size_t at = from, above = from;

	for (; str_line(&rest, &line); above = at, at = text.len - rest.len) {
		bench_classify(&context, line, &l);
		if (l.kind != BENCH_OTHER && (!f.has_begin || bench_is_next(&f, &l))) {
			if (bench_is_whole(&f))
				break;
			f = (struct bench_find){ .has_begin = true };
			ret->from = l.is_named_above ? above : at;
		}
		if (l.kind == BENCH_OTHER) {
			f.others++;
		} else {
			f.tool = l.tool ? l.tool : f.tool;
			f.has_head |= l.kind == BENCH_HEAD || l.kind == BENCH_COMMAND;
			f.rows += l.kind >= BENCH_ROW;
			f.is_sure |= l.kind > BENCH_ROW;
			f.others = 0;
			ret->to = text.len - rest.len;
		}
		if (f.others > BENCH_GAP) {
			if (bench_is_whole(&f))
				break;
			f = (struct bench_find){ .tool = NULL };
		}
	}
	if (!bench_is_whole(&f))
		return false;
	ret->score = BENCH_SCORE;
	ret->name = ret->declined = NULL;
	return true;
}

static unsigned int benchmark_probe(struct str head)
{
	struct extent e;

	return benchmark_find(head, 0, &e) ? 85 : 0;
}

static void bench_add(struct capture *c, const struct bench_cell *cell, struct str key,
		      uint32_t line)
{
	struct strings *strings = capture_strings(c);

	if (counters_add(capture_counters(c), strings,
			 (struct counter){ .name = strings_add(strings, cell->name),
					   .unit = cell->unit.len ? strings_add(strings, cell->unit)
								  : STR_ID_NONE,
					   .key = key.len ? strings_add(strings, key) : STR_ID_NONE,
					   .value = cell->value.value,
					   .decimals = cell->value.decimals,
					   .spread = cell->deviation,
					   .running = -1,
					   .line = line }) < 0)
		diag_count(&c->diag, &bench_past, line);
}

/*
 * Convert the standard deviations over the runs to standard errors of the mean, which
 * counter.spread requires; -1: unknown.
 */
static void bench_spreads(struct counters *k)
{
	VEC_FOREACH (row, &k->rows) {
		if (row->spread >= 0)
			row->spread = k->runs > 1 ? row->spread / sqrt(k->runs) : -1;
	}
}

/*
 * The label of a benchmark: its title and the first word of its command, "Benchmark 1 (sort)". It
 * is truncated to BENCH_NAME bytes.
 */
static str_id bench_label(struct capture *c, const struct bench_line *head)
{
	char label[BENCH_NAME];
	struct str command = head->command;
	struct str word = STR_NONE;
	int n;

	(void)str_word(&command, &word);
	n = snprintf(label, sizeof(label), STR_FMT " (" STR_FMT ")",
		     STR_ARG(str_sub(head->title, 0, 20)), STR_ARG(str_sub(word, 0, 40)));
	return strings_add(capture_strings(c), (struct str){ label, (size_t)n });
}

/*
 * The command in one of the lines before the region, "time ./pack -j4 x" of "~ ❯ time ./pack -j4
 * x". Only prompts of fish, zsh and the like are known here; load.c finds commands after "$" and
 * "#". Empty: no such line.
 */
static struct str bench_timed(const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return STR_NONE;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	for (unsigned int n = 0; above.len && n < BENCH_ABOVE; n++) {
		struct str line, word, before = STR_NONE;
		struct bench_line l = { .kind = BENCH_OTHER };
		size_t start;

		above.len--;
		start = str_rfind_char(above, '\n');
		start = start == above.len ? 0 : start + 1;
		line = str_trim(str_skip(above, start));
		above.len = start;
		/* the lines of the run before */
		if (bench_time(line, &l) || bench_fish(line, &l))
			break;
		while (str_word(&line, &word)) {
			bool is_prompt =
				before.len && ((unsigned char)before.p[before.len - 1] >= 0x80 ||
					       str_glob(STR("*>|*%"), before));

			if (is_prompt && str_eq(word, STR("time")))
				return str_sub((struct str){ word.p,
							     (size_t)(line.p + line.len - word.p) },
					       0, BENCH_TIMED);
			before = word;
		}
	}
	return STR_NONE;
}

static int benchmark_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_benchmark, in, d);
	struct strings *strings = capture_strings(c);
	struct str text = in->text;
	const char *tool = NULL;
	str_id label = STR_ID_NONE;
	struct bench_context context = { .above = STR_NONE };
	bool is_keyed = false;
	uint64_t runs = 0;
	struct bench_line l;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		bench_classify(&context, line, &l);
		if (l.kind == BENCH_OTHER)
			unread_rows_count(c, &bench_lines, line, region_line(in, n));
		tool = l.tool ? l.tool : tool;
		if (l.runs && (l.kind != BENCH_KEYED || runs == 0 || l.runs < runs))
			runs = l.runs;
		if (l.command.len)
			c->command = strings_add(strings, l.command);
		if (l.kind == BENCH_HEAD)
			label = bench_label(c, &l);
		is_keyed |= l.kind == BENCH_KEYED;
		for (size_t i = 0; i < l.n; i++)
			bench_add(c, &l.cells[i], l.key, region_line(in, n));
	}
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no row of a benchmark");
	if (!c->command.v && strcmp(tool, "time") == 0)
		c->command = strings_add(strings, bench_timed(in));
	c->counters->tool = strings_add(strings, str_of(tool));
	c->counters->is_titled = label.v != 0;
	/*
	 * Google Benchmark prints a line about the machine before its rows. This line is no label.
	 */
	if (label.v == 0 && strcmp(tool, "Google Benchmark") != 0)
		label = strings_add(strings, counter_label(in));
	c->counters->label = label;
	c->counters->runs = runs < UINT32_MAX ? (uint32_t)runs : 0;
	if (!is_keyed)
		bench_spreads(c->counters);
	return OK;
}

const struct format format_benchmark = {
	.name = "benchmark",
	.title = "output",
	.summary = "what poop, hyperfine and time print of a command; benchmarks of Go, C++, Rust, "
		   "Java, Python",
	.kinds = KIND_COUNTERS,
	.probe = benchmark_probe,
	.find = benchmark_find,
	.read = benchmark_read,
};
