/* SPDX-License-Identifier: MIT */
/*
 * Cache lines that move between CPUs, from perf c2c. The table has loads that hit a line modified
 * by another CPU (HITM), by offset in the line.
 *
 * If a load's offset is also written, the CPUs share the variable itself (true sharing): padding
 * does not help. If the offset is only read, the load suffers from writes to a neighbour (false
 * sharing). If several offsets are written, a load at one of them may suffer from either. The lists
 * of CPUs decide in two cases: if one CPU alone uses an offset, only other CPUs slow it down; and a
 * CPU is not slowed down by its own writes.
 *
 * Thresholds: a cache line with 10 % of all HITM loads is a note, with 30 % a warning. perf may
 * print the share of the line in all local and remote HITM loads. If it does not, the share in the
 * HITM loads of the listed lines is used; if perf prints the share in the remote HITM loads, it
 * must also reach 10 %. The table must have at least 50 HITM loads. "Nearly all" HITM loads of a
 * line are 90 %.
 */
#include "core/capture.h"
#include "explain/words/table_words.h"

#include "base/str.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(false_sharing);

#define SHARING_NOTE_PCT 10.0
#define SHARING_LEAD_PCT 30.0
#define SHARING_MIN_HITM 50.0
/*
 * a share of a line's HITM loads, or of its stores, counts as "nearly all" from this percentage on
 */
#define SHARING_ALL_PCT 90.0
#define SHARING_OFFSETS 16u
#define SHARING_CPUS    1024u
/* upper limit of the data of a program that is linked to a fixed address */
#define SHARING_FIXED_END UINT64_C(0x40000000)
#define SHARING_KERNEL    UINT64_C(0xffffffff80000000)

/* The writes from which a HITM load of an offset suffers. */
enum sharing_kind {
	SHARING_TRUE,    /* writes to the same offset */
	SHARING_FALSE,   /* writes to other offsets */
	SHARING_EITHER,  /* writes to the same or to other offsets */
	SHARING_UNKNOWN, /* no store to the line was sampled */
	SHARING_KINDS,
};

/* A set of CPUs. is_unknown is set if a row has no list of CPUs. */
struct sharing_cpus {
	uint64_t bits[SHARING_CPUS / 64];
	bool is_unknown;
};

struct sharing_offset {
	uint64_t at;
	double hits;   /* number of HITM loads at this offset */
	double stores; /* share of this offset in the line's stores, percent */
	size_t row;    /* row of this offset that has the most HITM loads */
	struct sharing_cpus readers, writers;
	/*
	 * number of CPUs that read this offset, and that write it: the largest number in a row of
	 * this offset
	 */
	double n_readers, n_writers;
	enum sharing_kind kind;
};

struct sharing {
	size_t hitm, stores, offset, line_hitm, line, source, object, cpus, list, share, remote;
	double sum; /* sum of the HITM loads of all lines */
	size_t top; /* index of the first row of the line with the most HITM loads */
	double top_hitm;
	struct sharing_offset offsets[SHARING_OFFSETS];
	size_t n;
	double listed; /* total number of HITM loads of the elements of `offsets` */
	double pct[SHARING_KINDS];
	size_t used, written;
	const struct sharing_offset *first; /* the offset with the most HITM loads */
};

static bool sharing_columns(const struct rule_input *in, struct sharing *s)
{
	*s = (struct sharing){ 0 };
	s->hitm = table_words_column(in, "HITM");
	s->stores = table_words_column(in, "stores");
	s->offset = table_words_column(in, "offset");
	s->line_hitm = table_words_column(in, "line HITM");
	s->line = table_words_column(in, "cache line");
	s->source = table_words_column(in, "source");
	s->object = table_words_column(in, "object");
	s->cpus = table_words_column(in, "CPUs");
	s->list = table_words_column(in, "CPU list");
	s->share = table_words_column(in, "line share");
	s->remote = table_words_column(in, "line remote share");
	return s->hitm != TABLE_NO_COLUMN && s->remote != TABLE_NO_COLUMN;
}

static void sharing_lines(const struct rule_input *in, struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;

	for (size_t row = 0; row < m->n_rows; row++) {
		double hitm = metrics_value(m, row, s->line_hitm);

		if (row && str_eq(table_words_text(in, row, s->line),
				  table_words_text(in, row - 1, s->line)))
			continue;
		s->sum += hitm;
		if (hitm > s->top_hitm) {
			s->top = row;
			s->top_hitm = hitm;
		}
	}
}

/*
 * Add the CPUs in the list "0{0-1,4}  1{24}" to @ret. The numbers in front of the brackets are
 * nodes.
 */
static void sharing_add_cpus(struct str list, struct sharing_cpus *ret)
{
	ret->is_unknown |= list.len == 0;
	while (list.len) {
		uint64_t first, last;

		list = str_skip(list, str_find_char(list, '{'));
		while ((str_take(&list, STR("{")) || str_take(&list, STR(","))) &&
		       str_u64(&list, &first)) {
			last = first;
			if (str_take(&list, STR("-")) && !str_u64(&list, &last))
				last = first;
			for (; first <= last && first < SHARING_CPUS; first++)
				ret->bits[first / 64] |= UINT64_C(1) << first % 64;
		}
	}
}

/*
 * Can an access by a CPU of @a be slowed down by another CPU of @b? False if both sets are the same
 * single CPU.
 */
static bool sharing_can_fight(const struct sharing_cpus *a, const struct sharing_cpus *b)
{
	size_t n = 0;

	if (a->is_unknown || b->is_unknown)
		return true;
	for (size_t i = 0; i < SHARING_CPUS / 64; i++)
		n += (size_t)__builtin_popcountll(a->bits[i] | b->bits[i]);
	return n != 1;
}

static enum sharing_kind sharing_kind_of(const struct sharing *s, const struct sharing_offset *o)
{
	bool own = o->stores > 0 && sharing_can_fight(&o->readers, &o->writers);
	bool other = false;

	for (size_t i = 0; i < s->n; i++)
		other |= &s->offsets[i] != o && s->offsets[i].stores > 0 &&
			 sharing_can_fight(&o->readers, &s->offsets[i].writers);
	if (!own && !other)
		return SHARING_UNKNOWN;
	if (!other || (own && o->stores >= SHARING_ALL_PCT))
		return SHARING_TRUE;
	return own && o->stores > 100 - SHARING_ALL_PCT ? SHARING_EITHER : SHARING_FALSE;
}

static void sharing_add(const struct rule_input *in, struct sharing *s, size_t row)
{
	const struct metrics *m = in->capture->metrics;
	struct str text = str_skip(table_words_text(in, row, s->offset), 2);
	struct str list = table_words_text(in, row, s->list);
	double hits = metrics_value(m, row, s->hitm);
	double stores = metrics_value(m, row, s->stores);
	double cpus = metrics_value(m, row, s->cpus);
	struct sharing_offset *o = NULL;
	uint64_t at;

	if (!str_hex64(&text, &at))
		return;
	for (size_t i = 0; i < s->n; i++)
		o = s->offsets[i].at == at ? &s->offsets[i] : o;
	if (!o) {
		if (s->n == SHARING_OFFSETS)
			return;
		o = &s->offsets[s->n++];
		*o = (struct sharing_offset){ .at = at, .row = row };
	}
	if (hits > metrics_value(m, o->row, s->hitm))
		o->row = row;
	o->hits += hits;
	s->listed += hits;
	if (hits > 0) {
		sharing_add_cpus(list, &o->readers);
		o->n_readers = fmax(o->n_readers, cpus);
	}
	if (stores > 0) {
		o->stores += stores;
		sharing_add_cpus(list, &o->writers);
		o->n_writers = fmax(o->n_writers, cpus);
	}
}

/*
 * Add up the accesses to each offset of the line with the most HITM loads, and judge each offset.
 */
static void sharing_offsets(const struct rule_input *in, struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;
	struct str line = table_words_text(in, s->top, s->line);

	for (size_t row = s->top;
	     row < m->n_rows && str_eq(table_words_text(in, row, s->line), line); row++)
		sharing_add(in, s, row);
	s->first = s->offsets;
	for (size_t i = 0; i < s->n; i++) {
		struct sharing_offset *o = &s->offsets[i];

		o->kind = sharing_kind_of(s, o);
		s->used += o->hits > 0 || o->stores > 0;
		s->written += o->stores > 0;
		s->pct[o->kind] += o->hits / s->top_hitm * 100;
		if (o->hits > s->first->hits)
			s->first = o;
	}
}

static void sharing_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct sharing *s)
{
	const struct metrics *m = in->capture->metrics;
	struct str line = table_words_text(in, s->top, s->line);

	for (size_t row = s->top; row < m->n_rows && f->evidence.len < 6 &&
				  str_eq(table_words_text(in, row, s->line), line);
	     row++) {
		double pct = metrics_value(m, row, s->hitm) / s->top_hitm * 100;

		if (pct < 5 && !(metrics_value(m, row, s->stores) >= 5))
			continue;
		finding_evidence(out, f, in, m->lines.data[row],
				 "offset " STR_FMT ": " STR_FMT " " STR_FMT
				 " %.1f %% of the line's HITM loads",
				 STR_ARG(table_words_text(in, row, s->offset)),
				 STR_ARG(table_words_name(in, row)),
				 STR_ARG(table_words_text(in, row, s->source)), pct);
	}
	if (f->evidence.len == 0)
		finding_evidence(out, f, in, m->lines.data[s->top], STR_FMT,
				 STR_ARG(table_words_name(in, s->top)));
}

/* The value of @column for the hottest line: its share, percent. NAN: unknown. */
static double sharing_printed(const struct rule_input *in, const struct sharing *s, size_t column)
{
	return metrics_value(in->capture->metrics, s->top, column);
}

/*
 * The share of the hottest line in all local and remote HITM loads. If this is unknown, its share
 * in the listed HITM loads.
 */
static double sharing_pct(const struct rule_input *in, const struct sharing *s)
{
	double printed = sharing_printed(in, s, s->share);

	return isnan(printed) ? s->top_hitm / s->sum * 100 : printed;
}

static void sharing_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct sharing *s)
{
	const char *base = isnan(sharing_printed(in, s, s->share))
				   ? "listed HITM loads (local + remote)"
				   : "HITM loads (local + remote)";
	struct str line = table_words_text(in, s->top, s->line);
	struct str name = str_sub(table_words_name(in, s->first->row), 0, 96);
	unsigned long long at = s->first->at;
	double pct = sharing_pct(in, s);
	double one = s->first->hits / s->top_hitm * 100;

	if (s->pct[SHARING_TRUE] >= SHARING_ALL_PCT && one >= SHARING_ALL_PCT)
		finding_claim(out, f,
			      "True sharing: %.1f %% of the %s are on the cache line at " STR_FMT
			      ", nearly all at offset 0x%llx, which CPUs read and write (" STR_FMT
			      ")",
			      pct, base, STR_ARG(line), at, STR_ARG(name));
	else if (s->pct[SHARING_FALSE] >= SHARING_ALL_PCT)
		finding_claim(out, f,
			      "False sharing: %.1f %% of the %s are on the cache line at " STR_FMT
			      ", most at offset 0x%llx (" STR_FMT "), while CPUs write %s",
			      pct, base, STR_ARG(line), at, STR_ARG(name),
			      s->written == 1 ? "another offset" : "other offsets");
	else if (s->pct[SHARING_UNKNOWN] >= SHARING_ALL_PCT)
		finding_claim(out, f,
			      "%.1f %% of the %s are on the cache line at " STR_FMT
			      ", most at offset 0x%llx (" STR_FMT "). %s: true or false sharing",
			      pct, base, STR_ARG(line), at, STR_ARG(name),
			      s->written ? "The listed stores do not explain them"
					 : "No store to the line is listed");
	else if (s->pct[SHARING_TRUE] + s->pct[SHARING_FALSE] >= SHARING_ALL_PCT)
		finding_claim(out, f,
			      "True and false sharing: %.1f %% of the %s are on the line "
			      "at " STR_FMT ", %.1f %% of these by writes to the same offset and "
			      "%.1f %% by writes to other offsets, most at offset 0x%llx (" STR_FMT
			      ")",
			      pct, base, STR_ARG(line), s->pct[SHARING_TRUE], s->pct[SHARING_FALSE],
			      at, STR_ARG(name));
	else
		finding_claim(out, f,
			      "True or false sharing: %.1f %% of the %s are on the cache line "
			      "at " STR_FMT ", in %zu field%s, most at offset 0x%llx (" STR_FMT ")",
			      pct, base, STR_ARG(line), s->used, s->used == 1 ? "" : "s", at,
			      STR_ARG(name));
}

/* Add the first step: find the variable at the address of the hottest offset. */
static void sharing_address(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct sharing *s)
{
	struct str line = str_skip(table_words_text(in, s->top, s->line), 2);
	struct str object = table_words_text(in, s->first->row, s->object);
	struct str source = table_words_text(in, s->first->row, s->source);
	const char *code = source.len && str_find_char(source, ':') < source.len
				   ? finding_name(out, "; the code is in " STR_FMT, STR_ARG(source))
				   : "";
	uint64_t address;

	if (!str_hex64(&line, &address) || line.len)
		return;
	address += s->first->at;
	if (address >= SHARING_KERNEL)
		finding_next(out, f,
			     "sudo sort /proc/kallsyms | awk '$1 <= \"%016llx\"' | tail -1: the "
			     "variable at this address, in the same boot%s",
			     (unsigned long long)address, code);
	else if (address < SHARING_FIXED_END && object.len && object.p[0] != '[' &&
		 !str_contains(object, STR(".so")))
		finding_next(out, f,
			     "nm -nC %s | awk '$1 <= \"%016llx\"' | tail -1: the variable at "
			     "0x%llx, or the heap if its end is lower%s",
			     finding_word(out, object, false), (unsigned long long)address,
			     (unsigned long long)address, code);
	else
		finding_next(out, f,
			     "perf report --mem-mode --sort=symbol_daddr,dso_daddr,symbol: the "
			     "data of this address%s",
			     code);
}

static void sharing_finding(const struct rule_input *in, struct findings *out,
			    const struct sharing *s)
{
	double pct = sharing_pct(in, s);
	double remote = sharing_printed(in, s, s->remote);
	bool is_true = s->pct[SHARING_TRUE] >= SHARING_ALL_PCT;
	bool is_false = s->pct[SHARING_FALSE] >= SHARING_ALL_PCT;
	bool is_both = s->pct[SHARING_TRUE] + s->pct[SHARING_FALSE] >= SHARING_ALL_PCT;
	struct finding *f = finding_add(out, in, &rule_false_sharing,
					pct >= SHARING_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
					is_true   ? 80
					: is_both ? 74
						  : 60);

	f->impact = pct;
	sharing_claim(in, out, f, s);
	finding_figure(f,
		       isnan(sharing_printed(in, s, s->share))
			       ? "share of the listed HITM loads, local + remote"
			       : "share of HITM loads, local + remote",
		       pct, 0, "%");
	if (!isnan(remote))
		finding_figure(f, "share of remote HITM loads", remote, 0, "%");
	finding_figure(f, "HITM loads of the line", s->top_hitm, 0, "");
	if (s->pct[SHARING_TRUE] > 0)
		finding_figure(f, "of these by true sharing", s->pct[SHARING_TRUE], 0, "%");
	if (s->pct[SHARING_FALSE] > 0)
		finding_figure(f, "of these by false sharing", s->pct[SHARING_FALSE], 0, "%");
	if (s->pct[SHARING_EITHER] > 0)
		finding_figure(f, "of these by either", s->pct[SHARING_EITHER], 0, "%");
	finding_figure(f, "offsets touched", (double)s->used, 0, "");
	finding_figure(f, "share of the hottest offset", s->first->hits / s->top_hitm * 100, 0,
		       "%");
	if (s->first->n_writers > 0)
		finding_figure(f, "CPUs that write the hottest offset, at least",
			       s->first->n_writers, 0, "");
	sharing_evidence(in, out, f, s);
	finding_cause(out, f, "%s",
		      is_true    ? "CPUs read and write one variable, such as a lock or counter. "
				   "Each write takes the cache line away from all others"
		      : is_false ? "CPUs write a field, and each write takes the cache line away "
				   "from readers of its neighbours"
		      : is_both  ? "CPUs read and write one variable, such as a lock or counter. "
				   "Each write also takes the line away from readers of its "
				   "neighbours"
				 : "CPUs write the cache line and take it away from its readers");
	finding_because(
		out, f, "%s",
		is_true   ? "the CPU itself reports the source of the data; the offset "
			    "identifies the field"
		: is_both ? "the CPU itself reports the source of the data; stores are samples\n"
			    "whether it is a lock and its data, which look alike"
			  : "the CPU itself reports the source of the data\n"
			    "whether CPUs share one field or only the line");
	sharing_address(in, out, f, s);
	finding_next(out, f, "%s",
		     is_true    ? "padding does not help: keep one copy per CPU or thread and sum "
				  "on read, or write the variable less often"
		     : is_false ? "pahole -C STRUCT: the fields at these offsets; move written "
				  "fields to a line of their own (alignas(64), "
				  "____cacheline_aligned)"
		     : is_both  ? "write the variable less often or keep one copy per CPU; give "
				  "its neighbours a line of their own, which helps these only"
				: "move the fields to lines of their own, and run perf c2c again");
}

static void sharing_check(const struct rule_input *in, struct findings *out)
{
	struct sharing s;
	double all, remote;

	if (!sharing_columns(in, &s))
		return;
	sharing_lines(in, &s);
	if (s.sum < SHARING_MIN_HITM) {
		finding_not_assessed(out, in, &rule_false_sharing,
				     "perf c2c record -a -u --ldlat 30 sleep 10, under load",
				     "%.0f hits in modified lines are too few", s.sum);
		return;
	}
	sharing_offsets(in, &s);
	all = sharing_printed(in, &s, s.share);
	remote = sharing_printed(in, &s, s.remote);
	if (all < SHARING_NOTE_PCT || (isnan(all) && remote < SHARING_NOTE_PCT))
		finding_clean(out, in, &rule_false_sharing,
			      "the line with most hits in modified lines has %.1f %% of %s",
			      isnan(all) ? remote : all, isnan(all) ? "the remote ones" : "them");
	else if (sharing_pct(in, &s) < SHARING_NOTE_PCT)
		finding_clean(out, in, &rule_false_sharing,
			      "no cache line has %.0f %% of the %.0f hits in modified lines",
			      SHARING_NOTE_PCT, s.sum);
	else
		sharing_finding(in, out, &s);
}

const struct rule rule_false_sharing = {
	.id = "false-sharing",
	.title = "False sharing",
	.needs = RULE_METRICS,
	.check = sharing_check,
};
