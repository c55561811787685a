/* SPDX-License-Identifier: MIT */
#include "analyses/compare/compare.h"

#include "analyses/compare/compare_build.h"
#include "analyses/compare/compare_names.h"
#include "analyses/quality/quality.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* in percent: if the rows of a report add up to less, objects and categories are not compared */
#define COMPARE_SHOWN_MIN     95.0
#define COMPARE_NO_OBJECT_MAX 0.02
/*
 * in percent: if the similarity of the sides (compare.overlap) is smaller, they are probably two
 * different programs
 */
#define COMPARE_OVERLAP_MIN 20.0

const char *compare_verdict_name(enum compare_verdict v)
{
	static const char *const names[] = { "same", "more", "less", "cannot-tell" };

	return v < COMPARE_VERDICT_COUNT ? names[v] : "";
}

const char *compare_spread_name(enum compare_spread s)
{
	static const char *const names[] = { "runs",  "runs-of-one", "slices", "slices-of-one",
					     "calls", "assumed",     "given",  "unknown" };

	return s < ARRAY_LEN(names) ? names[s] : "";
}

const char *compare_level_name(enum compare_level level)
{
	static const char *const names[] = { "symbol", "children", "dso", "category", "stack" };

	return level < COMPARE_LEVEL_COUNT ? names[level] : "";
}

/*
 * Index of the ':' before modifiers at the end of an event: 6 in "cycles:uppp". event.len if there
 * are none, as in "sched:sched_switch".
 */
static size_t compare_modifiers(struct str event)
{
	size_t colon = str_rfind_char(event, ':');

	if (colon == 0 || colon + 1 >= event.len)
		return event.len;
	for (size_t i = colon + 1; i < event.len; i++) {
		if (!memchr("ukhpPGHISDWebRX", event.p[i], 15) && !char_is_digit(event.p[i]))
			return event.len;
	}
	return colon;
}

struct str compare_event(struct str event)
{
	static const struct {
		struct str from, to;
	} same[] = {
		{ STR("cpu-cycles"), STR("cycles") },
		{ STR("cpu_cycles"), STR("cycles") },
		{ STR("branch-instructions"), STR("branches") },
		{ STR("faults"), STR("page-faults") },
		{ STR("cs"), STR("context-switches") },
	};
	size_t slash;

	event = str_trim(event);
	event = str_sub(event, 0, compare_modifiers(event));
	slash = str_find_char(event, '/');
	/* PMU syntax: cpu/…/, cpu_core/…/ */
	if (slash < event.len && str_starts(event, STR("cpu"))) {
		event = str_skip(event, slash + 1);
		event = str_sub(event, 0, str_find_char(event, '/'));
	}
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		if (str_eq(event, same[i].from))
			return same[i].to;
	}
	return event;
}

unsigned int compare_event_spaces(struct str event)
{
	struct str words = str_skip(event, compare_modifiers(event));
	bool user = memchr(words.p ? words.p : "", 'u', words.len) != NULL;
	bool kernel = memchr(words.p ? words.p : "", 'k', words.len) != NULL;
	size_t slash = str_rfind_char(event, '/');

	/* modifiers after the closing slash: cpu/cycles/u */
	if (words.len == 0 && slash + 1 < event.len) {
		words = str_skip(event, slash + 1);
		user = str_find_char(words, 'u') < words.len;
		kernel = str_find_char(words, 'k') < words.len;
	}
	return user == kernel ? 0 : user ? 1 : 2;
}

#define COMPARE_SENTENCE_MAX 600u
/*
 * if the fraction of broken call chains differs by more than this between the sides, callers are
 * not compared. A chain is broken if its outermost frame is an address without mapped code
 */
#define COMPARE_CHAINS_MAX 0.10
/*
 * if less than this fraction of the call chains is unbroken, the output warns not to trust callers
 */
#define COMPARE_CHAINS_MIN 0.50

/* Format into @text; longer text is truncated. */
static struct str PRINTF(3, 0)
	compare_vsentence(char *text, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(text, size, fmt, ap);

	return (struct str){ text, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1 };
}

static void PRINTF(4, 5)
	compare_say(struct compare *c, bool is_warning, const char *id, const char *fmt, ...)
{
	char text[COMPARE_SENTENCE_MAX];
	struct str sentence;
	va_list ap;

	va_start(ap, fmt);
	sentence = compare_vsentence(text, sizeof(text), fmt, ap);
	va_end(ap);
	VEC_FOREACH (note, &c->notes) {
		if (str_eq(note->sentence, sentence))
			return; /* another run of a side has already added this note */
	}
	*VEC_PUSH(&c->notes) =
		(struct compare_note){ id, is_warning, arena_str(&c->arena, sentence) };
}

static void PRINTF(3, 4) compare_refuse(struct compare *c, const char *id, const char *fmt, ...)
{
	char text[COMPARE_SENTENCE_MAX];
	struct str sentence;
	va_list ap;

	va_start(ap, fmt);
	sentence = compare_vsentence(text, sizeof(text), fmt, ap);
	va_end(ap);
	*VEC_PUSH(&c->refusals) = (struct compare_note){ id, true, arena_str(&c->arena, sentence) };
}

static struct str compare_note_of(const struct capture *c, const char *key)
{
	struct strings *s = capture_strings(c);

	VEC_FOREACH (note, &c->notes) {
		if (str_eq_nocase(strings_get(s, note->key), str_of(key)))
			return strings_get(s, note->value);
	}
	return STR_NONE;
}

/* Words for the modifiers of an event: "in user space only". */
static const char *compare_space_words(unsigned int spaces)
{
	return spaces == 1 ? " in user space only" : spaces == 2 ? " in the kernel only" : "";
}

static void compare_events(struct compare *c, const struct capture *a, const struct capture *b)
{
	struct strings *s = capture_strings(a);
	struct str ea = strings_get(s, a->profile->event), eb = strings_get(s, b->profile->event);
	struct str na = compare_event(ea), nb = compare_event(eb);
	unsigned int sa = compare_event_spaces(ea), sb = compare_event_spaces(eb);

	if (ea.len == 0 || eb.len == 0) {
		if (ea.len || eb.len)
			compare_say(c, true, "event-unknown",
				    "%s does not name its event (%s: " STR_FMT
				    "): assumed to be the same",
				    ea.len ? "B" : "A", ea.len ? "A" : "B",
				    STR_ARG(ea.len ? ea : eb));
		else
			compare_say(c, false, "event-unknown",
				    "neither names its event: assumed to be the same");
		return;
	}
	if (!str_eq(na, nb))
		compare_refuse(c, "event",
			       "they counted different things: A " STR_FMT ", B " STR_FMT
			       "; a share of one is no share of the other",
			       STR_ARG(ea), STR_ARG(eb));
	else if (sa != sb)
		compare_refuse(c, "space",
			       "they counted different parts of " STR_FMT
			       ": A%s, B%s; the totals are not of the same work",
			       STR_ARG(na), sa ? compare_space_words(sa) : " all of it",
			       sb ? compare_space_words(sb) : " all of it");
}

/* Check whether the run @r can be compared with @first, the first run of side A. */
static void compare_check_run(struct compare *c, const struct capture *first,
			      const struct compare_run *r, char side, bool is_ok)
{
	if (!r->capture->profile)
		compare_refuse(c, "kind", "%c holds %s, no profile: there are no shares to compare",
			       side, capture_kind_name(r->capture->kinds));
	else if (!is_ok)
		compare_refuse(c, "empty", "%c has no samples and no rows with figures", side);
	else if (r->capture != first && first->profile)
		compare_events(c, first, r->capture);
}

static void compare_check_units(struct compare *c, const struct compare_run *a,
				const struct compare_run *b)
{
	enum weight_unit ua = a->profile->unit, ub = b->profile->unit;

	if ((ua == WEIGHT_BYTES) != (ub == WEIGHT_BYTES) && ua != WEIGHT_PERCENT &&
	    ub != WEIGHT_PERCENT)
		compare_refuse(c, "unit", "one counts bytes, the other does not");
}

/* Compare the recordings' headers: note differences of machine, kernel and program. */
static void compare_headers(struct compare *c, const struct capture *a, const struct capture *b)
{
	static const struct {
		const char *key, *id, *words;
	} keys[] = {
		{ "os release", "kernel", "the kernels differ" },
		{ "hostname", "machine", "the machines differ" },
		{ "cpudesc", "cpu", "the processors differ" },
		{ "nrcpus online", "cpus", "the numbers of CPUs differ" },
		{ "arch", "arch", "the architectures differ" },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct str va = compare_note_of(a, keys[i].key);
		struct str vb = compare_note_of(b, keys[i].key);

		if (va.len && vb.len && !str_eq(va, vb))
			compare_say(c, true, keys[i].id, "%s: A " STR_FMT ", B " STR_FMT,
				    keys[i].words, STR_ARG(va), STR_ARG(vb));
	}
}

static void compare_quality(struct compare *c, const struct compare_run *r, char side,
			    const char *run)
{
	const struct profile *p = r->profile;
	double shown = 100 * r->shown / r->total;

	if (p->has_lost && p->lost && r->samples > 0)
		compare_say(c, true, "lost",
			    "%c%s lost %" PRIu64 " samples, %.2g %% of all: shares may be off by "
			    "as much",
			    side, run, p->lost,
			    100 * (double)p->lost / (r->samples + (double)p->lost));
	else if (p->has_lost && p->lost)
		compare_say(c, true, "lost",
			    "%c%s lost %" PRIu64 " samples: it is unknown how far shares are off",
			    side, run, p->lost);
	if (p->n_samples_err)
		compare_say(c, false, "samples-rounded",
			    "%c%s: %" PRIu64 " samples as printed, ± %" PRIu64
			    "; the smaller number was taken",
			    side, run, p->n_samples, p->n_samples_err);
	if (!r->from_samples && isnan(r->samples))
		compare_say(c, true, "samples-unknown",
			    "%c%s does not state its number of samples: chance cannot be judged, "
			    "intervals are of rounding only",
			    side, run);
	if (!r->from_samples && r->shown > 0 && shown < COMPARE_SHOWN_MIN)
		compare_say(c, true, "cut",
			    "%c%s shows %.4g %% of its total: a function that is not in it may "
			    "have up to %.3g %%",
			    side, run, shown, 100 * r->bound / r->total);
	if (r->from_samples && r->grain == 0 && profile_sample_unit(p) == WEIGHT_UNKNOWN)
		compare_say(c, true, "amounts",
			    "%c%s: its weights look like amounts, not like counts of samples: each "
			    "stack was taken as one sample",
			    side, run);
}

/* Set up both sides and their runs, and check whether they can be compared. */
static void compare_open(struct compare_build *b)
{
	const struct compare_spec *spec = b->spec;
	const struct compare_side *sides[2] = { &spec->a, &spec->b };
	bool is_ok = true;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < sides[s]->n && i < COMPARE_RUNS_MAX; i++) {
			struct compare_run *r = &b->runs[s][i];
			bool ok = compare_run_init(r, sides[s]->captures[i]);

			b->n_runs[s] = i + 1;
			compare_check_run(b->ret, spec->a.captures[0], r, s ? 'B' : 'A', ok);
			is_ok &= ok;
		}
	}
	if (!is_ok)
		return;
	compare_check_units(b->ret, &b->runs[0][0], &b->runs[1][0]);
	compare_headers(b->ret, spec->a.captures[0], spec->b.captures[0]);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			char run[8] = "";

			if (b->n_runs[s] > 1)
				snprintf(run, sizeof(run), "%zu", i + 1);
			compare_quality(b->ret, &b->runs[s][i], s ? 'B' : 'A', run);
		}
	}
}

/*
 * Fraction of a side's call chains that are not broken; NaN: the side has no chains.
 * *@ret_has_stacks: whether a run of the side has samples with callers.
 */
static double compare_chains(const struct compare_build *b, int side, bool *ret_has_stacks)
{
	uint64_t all = 0, broken = 0;

	*ret_has_stacks = false;
	for (size_t i = 0; i < b->n_runs[side]; i++) {
		const struct compare_run *r = &b->runs[side][i];
		struct quality_chains chains;

		*ret_has_stacks |= r->from_samples && !r->profile->has_no_callers;
		quality_chains_of(r->capture, &chains);
		all += chains.all;
		broken += chains.broken;
	}
	return all ? 1 - (double)broken / (double)all : NAN;
}

/*
 * If the fractions of broken call chains differ by more than COMPARE_CHAINS_MAX, set
 * @b->chains_differ: children and stacks are then not compared. Callers that are missing from
 * broken chains would look like differences between the programs.
 */
static void compare_check_chains(struct compare_build *b)
{
	bool has_stacks[2];
	double whole[2] = { compare_chains(b, 0, &has_stacks[0]),
			    compare_chains(b, 1, &has_stacks[1]) };
	int worse = isnan(whole[1]) || whole[1] < whole[0];
	char side = worse ? 'B' : 'A', other = worse ? 'A' : 'B';

	if (!has_stacks[0] || !has_stacks[1] || (isnan(whole[0]) && isnan(whole[1])))
		return;
	if (isnan(whole[0]) || isnan(whole[1])) {
		b->chains_differ = "only one side has call chains";
		compare_say(b->ret, true, "chains",
			    "only %c has call chains: functions with callees and stacks cannot be "
			    "compared",
			    isnan(whole[0]) ? 'B' : 'A');
	} else if (fabs(whole[0] - whole[1]) > COMPARE_CHAINS_MAX) {
		b->chains_differ = "call chains are broken on one side";
		compare_say(
			b->ret, true, "chains",
			"%.0f %% of %c's call chains are broken, %.0f %% of %c's: functions with "
			"callees and stacks cannot be compared",
			100 * (1 - whole[worse]), side, 100 * (1 - whole[!worse]), other);
	} else if (fmin(whole[0], whole[1]) < COMPARE_CHAINS_MIN) {
		compare_say(b->ret, true, "chains",
			    "call chains are broken on both sides (A %.0f %%, B %.0f %%): do not "
			    "trust callers",
			    100 * (1 - whole[0]), 100 * (1 - whole[1]));
	}
}

static void compare_totals(struct compare_build *b)
{
	struct compare_total *totals[2] = { &b->ret->a, &b->ret->b };

	for (int s = 0; s < 2; s++) {
		struct compare_total *t = totals[s];

		*t = (struct compare_total){ .shown_pct = 0 };
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const struct compare_run *r = &b->runs[s][i];

			t->weight += r->total /
				     pow(10, r->from_samples ? profile_sample_decimals(r->profile)
							     : r->profile->decimals);
			t->samples += r->samples;
			t->seconds += r->seconds;
			t->shown_pct += (r->from_samples ? 100 : 100 * r->shown / r->total) /
					(double)b->n_runs[s];
			t->unit = r->divisor;
		}
	}
}

double compare_events_of(const struct compare_run *r)
{
	const struct profile *p = r->profile;

	if (p->has_event_count && p->event_count)
		return (double)p->event_count;
	if (r->from_samples &&
	    (p->unit == WEIGHT_EVENTS || p->unit == WEIGHT_NS || p->unit == WEIGHT_BYTES))
		return r->total / pow(10, profile_sample_decimals(p));
	return NAN;
}

/* Singular of a unit of work: "request" for "requests". */
static struct str compare_one_of(struct str things)
{
	/* a compound unit, as in "thousand-messages", has no singular */
	if (str_find_char(things, '-') < things.len)
		return things;
	if (str_glob(STR("*sses|*shes|*ches|*xes"), things))
		return str_sub(things, 0, things.len - 2);
	if (str_ends(things, STR("s")) && !str_ends(things, STR("ss")))
		return str_sub(things, 0, things.len - 1);
	return things;
}

bool compare_counts_ns(const struct capture *c)
{
	return c->profile->unit == WEIGHT_NS || str_eq(top_divide_unit(c), STR("ns"));
}

/*
 * Choose the unit for times by A's total time: ms from 10 ms on, µs from 10 µs on, else ns.
 * *@ret_factor converts nanoseconds to this unit.
 */
static struct str compare_time_unit(double total_ns, double *ret_factor)
{
	if (total_ns >= 1e7 || total_ns <= 0) {
		*ret_factor = 1e-6;
		return STR("ms");
	}
	*ret_factor = total_ns >= 1e4 ? 1e-3 : 1;
	return total_ns >= 1e4 ? STR("\xc2\xb5s") : STR("ns");
}

/*
 * Set the unit of a comparison of rates, such as "cycles per request". Set compare_run.scale of
 * each run, the factor from weights to this unit. @done: the unit of work, "requests". Rates are
 * numbers of events if all runs have event counts, else numbers of samples.
 */
static int compare_rates(struct compare_build *b, struct str done, struct error *err)
{
	struct str per = str_sub(done, 0, 60);
	bool has_events = true, has_samples = true;
	const struct capture *a = b->spec->a.captures[0];
	struct str event = strings_get(capture_strings(a), a->profile->event);
	bool is_ns = compare_counts_ns(a);
	struct str what = event.len ? str_sub(event, 0, 80) : STR("events");
	double factor = 1;
	char unit[200];

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			has_events &= !isnan(compare_events_of(&b->runs[s][i]));
			has_samples &= !isnan(b->runs[s][i].samples);
		}
	}
	if (!has_events && !has_samples)
		return fail(err, ERR_USAGE,
			    "one of them does not state its total: only shares can be compared");
	if (!has_events)
		what = STR("samples");
	else if (is_ns)
		what = compare_time_unit(compare_events_of(&b->runs[0][0]) / b->runs[0][0].divisor,
					 &factor);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			struct compare_run *r = &b->runs[s][i];
			double all = has_events ? compare_events_of(r) : r->samples;

			r->scale = all / r->total * factor;
		}
	}
	if (str_glob(STR("*?ies"), per)) /* "queries": the singular is "query" */
		snprintf(unit, sizeof(unit), STR_FMT " per " STR_FMT "y", STR_ARG(what),
			 STR_ARG(str_sub(per, 0, per.len - 3)));
	else
		snprintf(unit, sizeof(unit), STR_FMT " per " STR_FMT, STR_ARG(what),
			 STR_ARG(compare_one_of(per)));
	b->ret->unit = arena_str(&b->ret->arena, str_of(unit));
	return OK;
}

static int compare_find_anchor(struct compare_build *b, struct error *err)
{
	struct str name = compare_base_name(b->spec->anchor);
	bool has_both = false;

	/* the first function of this name that is on both sides; without one, the first */
	VEC_FOREACH (g, &b->names.functions) {
		struct str n = strings_get(&b->names.strings, g->name[g->name[0].v ? 0 : 1]);
		bool is_both = g->name[0].v && g->name[1].v;

		if (has_both || g->merged || !str_eq(compare_base_name(n), name) ||
		    (b->anchor != INDEX_NONE && !is_both))
			continue;
		b->anchor = (uint32_t)(g - b->names.functions.data);
		has_both = is_both;
	}
	if (b->anchor == INDEX_NONE)
		return fail(err, ERR_USAGE, "neither side has a function '" STR_FMT "'",
			    STR_ARG(str_sub(b->spec->anchor, 0, 120)));
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			struct compare_run *r = &b->runs[s][i];

			compare_anchor(b, r);
			if (!(r->anchor > 0))
				return fail(
					err, ERR_USAGE,
					"%c has nothing in '" STR_FMT "': it cannot be the measure",
					s ? 'B' : 'A', STR_ARG(str_sub(b->spec->anchor, 0, 120)));
			r->divisor = r->anchor;
		}
	}
	b->ret->unit = STR("% of the anchor");
	return OK;
}

static int compare_normalise(struct compare_build *b, struct error *err)
{
	const struct compare_spec *spec = b->spec;

	b->is_rate = spec->norm != COMPARE_TOTAL;
	b->ret->unit = STR("%");
	if (spec->norm == COMPARE_ANCHOR)
		return compare_find_anchor(b, err);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			struct compare_run *r = &b->runs[s][i];
			uint64_t seconds;

			if (spec->norm == COMPARE_REQUEST)
				r->divisor = s ? spec->done_b : spec->done_a;
			else if (spec->norm == COMPARE_TOTAL)
				r->divisor = r->total;
			else if (r->seconds > 0)
				r->divisor = r->seconds;
			else if (top_fact(r->capture, STR("seconds"), &seconds))
				r->divisor = (double)seconds;
			else
				return fail(err, ERR_USAGE,
					    "%c does not say how long it was recorded: --per "
					    "second needs samples with times",
					    s ? 'B' : 'A');
		}
	}
	if (spec->norm == COMPARE_SECOND)
		return compare_rates(b, STR("second"), err);
	if (spec->norm == COMPARE_REQUEST)
		return compare_rates(b, spec->anchor.len ? spec->anchor : STR("request"), err);
	return OK;
}

/* Set compare.scale. Convert `margin` and `want` from percent of A's total to compare.unit. */
static void compare_scale(struct compare_build *b)
{
	struct compare *c = b->ret;
	const struct compare_run *a = &b->runs[0][0];
	double margin = b->spec->margin > 0 ? b->spec->margin : COMPARE_MARGIN;

	c->scale = b->spec->norm == COMPARE_TOTAL    ? 100
		   : b->spec->norm == COMPARE_ANCHOR ? 100 * a->total / a->anchor
						     : compare_value(a, a->total);
	c->margin = margin * c->scale / 100;
	c->want = b->spec->want * c->scale / 100;
}

/* Reason why the table of @level cannot be made; NULL: it can. */
static const char *compare_lacks(const struct compare_build *b, enum compare_level level)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const struct compare_run *r = &b->runs[s][i];
			const char *why = compare_run_lacks(r, level);

			if (why)
				return why;
			if (level == COMPARE_DSO &&
			    compare_without_object(b, r) > COMPARE_NO_OBJECT_MAX)
				return "a side does not say in which objects its functions are";
			if ((level == COMPARE_DSO || level == COMPARE_CATEGORY) &&
			    !r->from_samples && 100 * r->shown < COMPARE_SHOWN_MIN * r->total)
				return "a report was cut: sums over what it shows are no sums";
		}
	}
	return NULL;
}

static void compare_matched(struct compare_build *b)
{
	const struct compare_names *n = &b->names;
	struct compare *c = b->ret;

	c->matched_base = n->n_base;
	c->matched_inlined = n->n_inlined;
	c->matched_dso = n->n_dso;
	c->matched_objects = n->aliases.len;
	if (n->aliases.len) {
		struct out text = { .fd = -1 };

		out_str(&text, strings_get(&n->strings, n->aliases.data[0].a));
		out_z(&text, " = ");
		out_str(&text, strings_get(&n->strings, n->aliases.data[0].b));
		c->object_example = arena_str(&c->arena, out_view(&text));
		out_fini(&text);
	}
	if (n->example != INDEX_NONE) {
		const struct compare_group *g = &n->functions.data[n->example];
		struct out text = { .fd = -1 };

		out_str(&text, strings_get(&n->strings, g->name[0]));
		out_z(&text, " = ");
		out_str(&text, strings_get(&n->strings, g->name[1]));
		c->matched_example = arena_str(&c->arena, out_view(&text));
		out_fini(&text);
	}
}

/*
 * Leave out the table of @level: its differences would come from the way of recording, not from the
 * programs.
 */
static void compare_without(struct compare_build *b, enum compare_level level)
{
	struct compare_table *t = &b->ret->tables[level];

	if (t->missing.len)
		return;
	VEC_FREE(&t->rows);
	memset(t, 0, sizeof(*t));
	t->missing = str_of(b->chains_differ);
}

static int compare_run_all(struct compare_build *b, struct error *err)
{
	unsigned int n_tables = 0;
	int e;

	compare_names_init(&b->names, b->spec->a.captures, b->n_runs[0], b->spec->b.captures,
			   b->n_runs[1]);
	compare_matched(b);
	compare_check_chains(b);
	e = compare_normalise(b, err);
	if (e < 0)
		return e;
	compare_scale(b);
	compare_totals(b);
	compare_wholes(b);
	compare_spread_init(b);
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++) {
		const char *why = compare_lacks(b, (enum compare_level)i);

		if (why)
			b->ret->tables[i].missing = str_of(why);
		else if (!b->spec->is_only_paths || i == COMPARE_SYMBOL)
			compare_judge(b, (enum compare_level)i);
	}
	compare_parts(b);
	compare_moves(b);
	compare_bursts(b);
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++)
		n_tables += b->ret->tables[i].missing.len == 0;
	if (b->spec->has_paths) {
		b->ret->paths.missing = b->ret->tables[COMPARE_STACK].missing;
		if (b->ret->paths.missing.len == 0)
			compare_judge_paths(b);
	}
	if (b->chains_differ) {
		compare_without(b, COMPARE_CHILDREN);
		compare_without(b, COMPARE_STACK);
	}
	if (n_tables == 0) {
		compare_refuse(b->ret, "table", "they have no figures in common: " STR_FMT,
			       STR_ARG(b->ret->tables[COMPARE_SYMBOL].missing));
		return fail(err, ERR_UNSUPPORTED, "they have no figures in common");
	}
	if (!b->spec->is_of_lines && b->ret->overlap < COMPARE_OVERLAP_MIN &&
	    b->ret->tables[COMPARE_SYMBOL].rows.len && b->ret->a.shown_pct > 50 &&
	    b->ret->b.shown_pct > 50)
		compare_say(b->ret, true, "overlap",
			    "they have only %.2g %% in common, function by function: are these the "
			    "same program?",
			    b->ret->overlap);
	return OK;
}

static void compare_build_fini(struct compare_build *b)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++)
			compare_run_fini(&b->runs[s][i]);
	}
	compare_spread_fini(b);
	compare_names_fini(&b->names);
	VEC_FREE(&b->stacks.parent);
	VEC_FREE(&b->stacks.function);
	idmap_fini(&b->stacks.map);
}

int compare_profiles(const struct compare_spec *spec, struct category_cache *cats,
		     struct compare *ret, struct error *err)
{
	struct compare_build *b = xcalloc(1, sizeof(*b));
	int e = OK;

	memset(ret, 0, sizeof(*ret));
	b->spec = spec;
	b->cats = cats;
	b->ret = ret;
	b->anchor = INDEX_NONE;
	ret->norm = spec->norm;
	ret->alpha = COMPARE_ALPHA;
	ret->unit = STR("%");
	if (spec->a.n == 0 || spec->b.n == 0)
		e = fail(err, ERR_USAGE, "a side is empty");
	else
		compare_open(b);
	if (ret->refusals.len) {
		bool is_hopeless = false;

		VEC_FOREACH (r, &ret->refusals)
			is_hopeless |= strcmp(r->id, "kind") == 0 || strcmp(r->id, "empty") == 0;
		if (is_hopeless || !spec->is_forced)
			e = fail(err, ERR_UNSUPPORTED, "%s", ret->refusals.data[0].sentence.p);
	}
	if (e == OK)
		e = compare_run_all(b, err);
	compare_build_fini(b);
	free(b);
	return e;
}

void compare_fini(struct compare *c)
{
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++)
		VEC_FREE(&c->tables[i].rows);
	VEC_FREE(&c->paths.rows);
	VEC_FREE(&c->notes);
	VEC_FREE(&c->refusals);
	VEC_FREE(&c->renames);
	VEC_FREE(&c->parts);
	VEC_FREE(&c->moves);
	VEC_FREE(&c->bursts);
	arena_fini(&c->arena);
}
