/* SPDX-License-Identifier: MIT */
/*
 * diff.c - `assay diff`: compare two recordings: what costs more, what less, and what is unchanged
 */
#include "analyses/compare/compare.h"
#include "analyses/top/top.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/diff/diff_counters.h"
#include "cmds/diff/diff_distributions.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/diff/diff_show.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "render/view.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>

DECLARE_CMD(diff);

enum diff_per { DIFF_PER_TOTAL, DIFF_PER_SECOND, DIFF_PER_FACT };

struct diff {
	struct session s;
	struct diff_wish wish;
	struct diff_show_options show;
	const char *per;
	const char *anchor;
	const char *event;
	const char *want;
	double margin;
	double dispersion;
	double run_spread;

	struct diff_side sides[2];
	/* number of units of work of each side, from --per 10000-requests or from the inputs */
	double done[2];
	struct str thing; /* noun for a unit of work: "requests" */
	bool has_difference;
};

/* Parse the value of --per, such as "10000-requests", "requests" or "second". */
static int diff_per(struct diff *d, enum compare_norm *ret, struct error *err)
{
	struct str per = str_of(d->per);
	uint64_t number = 0;
	bool has_number;

	*ret = d->anchor ? COMPARE_ANCHOR : COMPARE_TOTAL;
	if (per.len == 0 || str_eq(per, STR("total")))
		return OK;
	if (d->anchor)
		return fail(err, ERR_USAGE, "--per and --anchor exclude each other");
	if (str_eq(per, STR("run")) || str_eq(per, STR("runs"))) {
		*ret = COMPARE_REQUEST;
		d->thing = STR("run");
		d->done[0] = d->done[1] = 1;
		return OK;
	}
	if (str_eq(per, STR("second")) || str_eq(per, STR("seconds")) || str_eq(per, STR("s"))) {
		*ret = COMPARE_SECOND;
		return OK;
	}
	*ret = COMPARE_REQUEST;
	has_number = str_u64(&per, &number);
	(void)str_take(&per, STR("-"));
	if (per.len == 0 || (has_number && number == 0))
		return fail(
			err, ERR_USAGE,
			"--per takes total, run, second, or what was done, as 10000-requests or, "
			"where the inputs say how many, requests");
	d->thing = per;
	for (int side = 0; side < 2; side++) {
		uint64_t n = number;

		if (!has_number && !top_fact(d->sides[side].captures[0], per, &n))
			return fail(err, ERR_USAGE,
				    "%c does not say how many " STR_FMT
				    ": give it, as --per 10000-" STR_FMT,
				    side ? 'B' : 'A', STR_ARG(per), STR_ARG(per));
		if (n == 0)
			return fail(err, ERR_USAGE, "0 " STR_FMT " were done", STR_ARG(per));
		d->done[side] = (double)n;
	}
	return OK;
}

static int diff_want(const struct diff *d, double *ret, struct error *err)
{
	struct str s = str_of(d->want);

	*ret = 0;
	if (s.len == 0)
		return OK;
	if (!str_double(&s, ret) || !(*ret > 0) || *ret > 100 ||
	    (s.len && !str_eq(str_trim(s), STR("%"))))
		return fail(err, ERR_USAGE,
			    "--want takes percentage points, for example 1%%, not '%s'", d->want);
	return OK;
}

static int diff_spec(struct diff *d, struct compare_spec *spec, struct error *err)
{
	struct compare_side *sides[2] = { &spec->a, &spec->b };
	int e;

	*spec = (struct compare_spec){
		.margin = d->margin,
		.dispersion = d->dispersion,
		.is_forced = d->s.to.is_forced,
	};
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < d->sides[s].n && i < COMPARE_RUNS_MAX; i++)
			sides[s]->captures[sides[s]->n++] = d->sides[s].captures[i];
	}
	e = diff_per(d, &spec->norm, err);
	if (e == OK)
		e = diff_want(d, &spec->want, err);
	spec->anchor = spec->norm == COMPARE_ANCHOR ? str_of(d->anchor) : d->thing;
	spec->done_a = d->done[0];
	spec->done_b = d->done[1];
	spec->run_spread = d->run_spread;
	spec->is_per_run = spec->norm == COMPARE_REQUEST && str_eq(d->thing, STR("run"));
	return e;
}

static bool diff_found(const struct diff *d, const struct compare *c)
{
	static const enum compare_level levels[] = { COMPARE_SYMBOL,   COMPARE_SYMBOL,
						     COMPARE_CHILDREN, COMPARE_DSO,
						     COMPARE_CATEGORY, COMPARE_STACK };
	uint64_t n = 0;

	for (size_t i = 0; i < c->n_wholes; i++)
		n += diff_is_change(c->wholes[i].verdict);
	for (int i = 0; i < COMPARE_LEVEL_COUNT; i++) {
		if (d->show.by == DIFF_BY_ALL || (enum compare_level)i == levels[d->show.by])
			n += c->tables[i].counts[COMPARE_MORE] + c->tables[i].counts[COMPARE_LESS];
	}
	return n > 0;
}

static int diff_page(struct diff *d, struct compare *c, int compared)
{
	CLEANUP(view_freep) struct view *v = session_view(&d->s);
	struct show s = { .session = &d->s, .v = v };
	int status = compared == OK ? EXIT_DONE : EXIT_FAILED;

	if (!v)
		return EXIT_FAILED;
	if (compared == OK && !diff_show(&s, d->sides, c, &d->show))
		/* there is no table of the requested kind; the page says why */
		status = EXIT_FAILED;
	else if (compared == OK)
		status = EXIT_DONE;
	else
		diff_show_refusal(&s, d->sides, c);
	return show_end(&s, status);
}

static bool diff_is_trace(const struct diff *d)
{
	const struct capture *a = d->sides[0].captures[0], *b = d->sides[1].captures[0];

	return !a->profile && !b->profile;
}

/* Whether the distribution of @c is to be compared: @c has neither a profile nor counters. */
static bool diff_is_distribution(const struct capture *c)
{
	return c->distribution && !c->profile && !c->counters;
}

static bool diff_is_counters(const struct capture *c)
{
	return c->counters && !c->profile;
}

/*
 * Find a pair of captures for which @is_kind holds, one from each side. For each side, prefer the
 * capture that was chosen for it. If this capture is of another kind, take the only capture of the
 * kind in the side's input; this needs two inputs, and no capture number from the user. For
 * example, a load generator prints the rate and the latencies of requests: then both are compared.
 * False: there is no such pair.
 */
static bool diff_find(const struct diff *d, bool (*is_kind)(const struct capture *c),
		      const struct capture *ret[2])
{
	const struct session *s = &d->s;
	bool is_free = s->in.paths.items.len == 2 && !d->wish.a && !d->wish.b;

	for (uint32_t side = 0; side < 2; side++) {
		const struct capture *found = d->sides[side].captures[0];
		uint32_t first = side ? s->loaded.input_ends.data[0] : 0;
		size_t n = 0;

		if (!is_kind(found)) {
			for (uint32_t i = first; is_free && i < s->loaded.input_ends.data[side];
			     i++) {
				const struct capture *c = s->dossier->captures.data[i];

				if (is_kind(c) && c->excerpt_of == INDEX_NONE) {
					found = c;
					n++;
				}
			}
			if (n != 1)
				return false;
		}
		ret[side] = found;
	}
	return true;
}

/*
 * Compare the counters and distributions of both sides, if both sides have them. False: there is
 * nothing to compare.
 */
static bool diff_compare_tables(struct diff *d, int *ret_status)
{
	CLEANUP(view_freep) struct view *v = NULL;
	const struct capture *counters[2], *spreads[2];
	bool has_counters = diff_find(d, diff_is_counters, counters);
	bool has_spreads = diff_find(d, diff_is_distribution, spreads);
	struct show s = { .session = &d->s };

	if (!has_counters && !has_spreads)
		return false;
	*ret_status = EXIT_FAILED;
	v = session_view(&d->s);
	if (!v)
		return true;
	s.v = v;
	view_begin(v, "assay-diff-1");
	if (has_counters)
		d->has_difference |= diff_counters(&s, counters[0], counters[1]);
	if (has_spreads)
		d->has_difference |= diff_distributions(&s, spreads[0], spreads[1]);
	*ret_status = show_end(&s, EXIT_DONE);
	return true;
}

static int diff_compare(struct diff *d)
{
	struct compare_spec spec;
	struct compare c = { .scale = 0 };
	struct error err = { "" };
	const struct capture *first[] = { d->sides[0].captures[0], d->sides[1].captures[0] };
	bool has_counters = first[0]->counters || first[1]->counters;
	int e, status;

	if (!first[0]->profile && !first[1]->profile && diff_compare_tables(d, &status))
		return status;
	if (has_counters || diff_is_distribution(first[0]) || diff_is_distribution(first[1])) {
		complain(NULL, "%s can only be compared with %s",
			 has_counters ? "counters" : "distributions",
			 has_counters ? "counters" : "distributions");
		return EXIT_FAILED;
	}
	e = diff_spec(d, &spec, &err);

	if (e == OK && diff_is_trace(d) && spec.norm != COMPARE_TOTAL)
		e = fail(&err, ERR_USAGE,
			 "traces are compared by call: --per and --anchor are for "
			 "profiles");
	else if (e == OK && diff_is_trace(d))
		e = compare_calls(&spec, &c, &err);
	else if (e == OK)
		e = compare_profiles(&spec, &d->s.cats, &c, &err);
	if (e == OK || e == ERR_UNSUPPORTED) {
		status = diff_page(d, &c, e);
		d->has_difference = e == OK && diff_found(d, &c);
	} else {
		complain(NULL, "%s", err.msg);
		status = e == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	compare_fini(&c);
	return status;
}

static int diff_sides(struct diff *d)
{
	struct error err = { "" };
	uint32_t list;

	d->wish.event = str_of(d->event);
	if (diff_pick(&d->s, d->s.in.side_b, &d->wish, d->sides, &list, &err) < 0) {
		complain(NULL, "%s", err.msg);
		if (list != INDEX_NONE)
			diff_list(&d->s, list);
		return EXIT_USAGE;
	}
	return diff_compare(d);
}

static int diff_run(int argc, char **argv)
{
	struct diff d = { .margin = COMPARE_MARGIN, .show = { .limit = UINT64_MAX } };
	struct args_option options[] = {
		ARGS_HEADING("comparison"),
		OPT_DEFAULT(TEXT, "per", 0, "WHAT", "total", &d.per,
			    "compare shares of the total, or amounts per run, per second, per "
			    "10000-requests, or per requests if the inputs state their number"),
		OPT(TEXT, "anchor", 0, "NAME", &d.anchor,
		    "percentages of this function with its callees"),
		OPT(TEXT, "event", 'e', "EVENT", &d.event,
		    "only this event of inputs with several"),
		OPT(COUNT, "a", 0, "N", &d.wish.a, "use the Nth capture of A's file"),
		OPT(COUNT, "b", 0, "N", &d.wish.b, "use the Nth capture of B's file"),
		OPT_FLAG("force", 'f', &d.s.to.is_forced,
			 "compare in spite of different events or units; overwrite the file of -o, "
			 "even one of another kind"),
		SESSION_CHOICE(&d.s),
		SESSION_LEAVES(&d.s),
		ARGS_HEADING("verdict"),
		OPT_DEFAULT(NUMBER, "margin", 0, "P", "0.5", &d.margin,
			    "functions are equal if they differ by less than P percentage points"),
		OPT(TEXT, "want", 0, "P%", &d.want,
		    "print how long to record to detect a change of P percentage points"),
		OPT(NUMBER, "dispersion", 0, "X", &d.dispersion,
		    "variance of samples relative to independent ones, instead of the measured "
		    "value"),
		OPT_DEFAULT(NUMBER, "spread", 0, "P", "measured between runs, else 3",
			    &d.run_spread,
			    "standard deviation of CPU time between runs, in percent"),
		ARGS_HEADING("output"),
		OPT_DEFAULT(
			CHOICE, "by", 0, "all|symbol|children|dso|category|stack", "all",
			&d.show.by,
			"rows by function, function with callees, object, kind of work or stack"),
		OPT_DEFAULT(CHOICE, "sort", 's', "delta|a|b|q|name", "delta", &d.show.sort,
			    "order of rows"),
		OPT_DEFAULT(COUNT, "limit", 'n', "N", "20", &d.show.limit,
			    "print the first N rows of each table; 0: all"),
		OPT_FLAG("all", 0, &d.show.is_all, "also show inconclusive rows"),
		SESSION_JSON(&d.s),
		SESSION_CSV(&d.s),
		SESSION_OPTIONS(&d.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay diff",
		.operands = "A B | A1 A2... -- B1 B2... | FILE",
		.summary = "Compare two recordings: differences with intervals, and what is "
			   "inconclusive.",
		.options = options,
		.tail = "One FILE with two captures, such as a mail with before and after: they "
			"are compared with each other.\nexit status: 0 no difference found, 1 not "
			"comparable or not readable, 2 usage, 3 differences\n\nexamples:\n  assay "
			"diff before.data after.data\n  assay diff --want 1% old1.data old2.data "
			"old3.data -- new1.data new2.data\n  assay diff --per 10000-requests "
			"before.txt after.txt",
	};
	struct diff_operands operands;
	int status;

	session_init(&d.s);
	if (diff_parse(&d.s, &spec, argc, argv, &operands, &status)) {
		d.s.change.drops_helpers = !d.event;
		if (!diff_split(&operands, spec.command, &d.s.in.side_b))
			status = EXIT_USAGE;
		else if (session_load(&d.s, &spec, &status) && status == EXIT_DONE)
			status = diff_sides(&d);
	}
	status = session_finish(&d.s, status);
	return status == EXIT_DONE && d.has_difference ? EXIT_FINDINGS : status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "compare two recordings, with intervals and verdicts",
	.run = diff_run,
};
