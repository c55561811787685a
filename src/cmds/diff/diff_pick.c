/* SPDX-License-Identifier: MIT */
#include "cmds/diff/diff_pick.h"

#include "analyses/compare/compare.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/profile.h"
#include "core/strings.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>

/* a table with fewer rows than this is probably only quoted from a report: do not compare it */
#define PICK_ROWS_MIN 3u

struct pick {
	const struct session *s;
	const struct diff_wish *wish;
};

static uint32_t pick_first(const struct session *s, uint32_t input)
{
	return input ? s->loaded.input_ends.data[input - 1] : 0;
}

/* Whether a capture has data to compare, and is no excerpt of another capture. */
static bool pick_can(const struct capture *c)
{
	if (c->excerpt_of != INDEX_NONE)
		return false;
	if (c->profile)
		return c->profile->samples.n || c->profile->table.rows.len;
	if (c->counters)
		return c->counters->rows.len > 0;
	if (c->distribution)
		return c->distribution->series.len > 0;
	return c->calls && c->calls->n;
}

/*
 * Find the @n-th comparable capture of an input, counted from 1. NULL: there is none. *@ret_count:
 * number of all comparable captures of the input.
 */
static const struct capture *pick_number(const struct session *s, uint32_t input, uint64_t n,
					 uint32_t *ret_count)
{
	const struct capture *found = NULL;
	uint32_t count = 0;

	for (uint32_t i = pick_first(s, input); i < s->loaded.input_ends.data[input]; i++) {
		if (pick_can(s->dossier->captures.data[i]) && ++count == n)
			found = s->dossier->captures.data[i];
	}
	*ret_count = count;
	return found;
}

static struct str pick_event(const struct capture *c)
{
	return c->profile ? compare_event(strings_get(capture_strings(c), c->profile->event))
			  : STR_NONE;
}

/* The kind of data that a comparison of the capture uses. */
static enum capture_kind pick_kind(const struct capture *c)
{
	return c->profile        ? KIND_PROFILE
	       : c->counters     ? KIND_COUNTERS
	       : c->distribution ? KIND_DISTRIBUTION
				 : KIND_CALLS;
}

static size_t pick_weight(const struct capture *c)
{
	if (c->counters && !c->profile)
		return c->counters->rows.len;
	if (c->distribution && !c->profile)
		return c->distribution->series.len;
	if (!c->profile)
		return c->calls->n;
	return c->profile->samples.n > c->profile->table.rows.len ? c->profile->samples.n
								  : c->profile->table.rows.len;
}

static bool pick_wanted(const struct pick *p, const struct capture *c)
{
	struct str event;

	if (!pick_can(c))
		return false;
	if (p->wish->event.len == 0)
		return true;
	event = pick_event(c);
	return str_eq(event, compare_event(p->wish->event));
}

static void pick_put(struct diff_side *side, const struct capture *c, uint32_t number, uint32_t of)
{
	if (side->n == DIFF_SIDE_MAX)
		return;
	side->captures[side->n] = c;
	side->numbers[side->n] = number;
	side->of[side->n++] = of;
}

/*
 * Add a capture of the input to @side. @number: number of the capture among the comparable captures
 * of the input, from 1. If it is 0, add the largest capture that has the same kind and event as
 * @like; if there is none, the largest of all.
 */
static int pick_of_input(const struct pick *p, uint32_t input, uint64_t number,
			 const struct capture *like, struct diff_side *side, struct error *err)
{
	const struct session *s = p->s;
	const struct capture *best = NULL;
	bool best_is_like = false;
	uint32_t n = 0, best_number = 0, of;

	if (number) {
		best = pick_number(s, input, number, &of);
		if (!best)
			return fail(err, ERR_USAGE,
				    "%s has %" PRIu32 " captures to compare, not %" PRIu64,
				    s->in.paths.items.data[input], of, number);
		pick_put(side, best, (uint32_t)number, of);
		return OK;
	}
	for (uint32_t i = pick_first(s, input); i < s->loaded.input_ends.data[input]; i++) {
		const struct capture *c = s->dossier->captures.data[i];
		bool is_like;

		if (!pick_can(c))
			continue;
		n++;
		if (!pick_wanted(p, c))
			continue;
		is_like = like && pick_kind(c) == pick_kind(like) &&
			  str_eq(pick_event(c), pick_event(like));
		if (!best || is_like > best_is_like ||
		    (is_like == best_is_like && pick_weight(c) > pick_weight(best))) {
			best = c;
			best_is_like = is_like;
			best_number = n;
		}
	}
	if (!best && n == 0 && !select_is_empty(&s->change.select))
		return fail(err, ERR_USAGE, "%s: no sample matches the selection",
			    s->in.paths.items.data[input]);
	if (!best)
		return fail(err, ERR_USAGE,
			    "%s has nothing to compare%s: diff takes profiles, function graphs, "
			    "counters and distributions",
			    s->in.paths.items.data[input],
			    p->wish->event.len ? " of that event" : "");
	pick_put(side, best, best_number, n);
	return OK;
}

/*
 * Find the two captures of @kind with at least @rows_min rows in the only input. @is_named: ignore
 * captures whose event has no name. False: there are fewer or more than two such captures.
 */
static bool pick_pair(const struct pick *p, size_t rows_min, unsigned int kind, bool is_named,
		      uint32_t pair[2])
{
	uint32_t count = 0;
	uint32_t number = 0;

	for (uint32_t i = 0; i < p->s->loaded.input_ends.data[0]; i++) {
		const struct capture *c = p->s->dossier->captures.data[i];

		number += pick_can(c);
		if (!pick_wanted(p, c) || !(c->kinds & kind) || pick_weight(c) < rows_min ||
		    (is_named && c->profile && c->profile->event.v == 0))
			continue;
		if (count < 2)
			pair[count] = number;
		count++;
	}
	return count == 2;
}

/*
 * Find the only format in which the input has exactly two comparable profiles, and return these
 * two. False: there is no such format, there are several, or the input has more than two profiles
 * in one format.
 */
static bool pick_pair_of_format(const struct pick *p, uint32_t pair[2])
{
	const struct dossier *d = p->s->dossier;
	const char *found = NULL;

	for (uint32_t i = 0; i < p->s->loaded.input_ends.data[0]; i++) {
		const char *format = d->captures.data[i]->format;
		uint32_t same[2] = { 0, 0 };
		uint32_t count = 0, number = 0;

		for (uint32_t k = 0; k < p->s->loaded.input_ends.data[0]; k++) {
			const struct capture *c = d->captures.data[k];

			number += pick_can(c);
			if (!pick_wanted(p, c) || !c->profile || c->format != format ||
			    pick_weight(c) < PICK_ROWS_MIN)
				continue;
			if (count < 2)
				same[count] = number;
			count++;
		}
		if (count > 2 || (count == 2 && found && found != format))
			return false;
		if (count == 2) {
			found = format;
			pair[0] = same[0];
			pair[1] = same[1];
		}
	}
	return found != NULL;
}

static int pick_both(const struct pick *p, struct diff_side ret[2], uint32_t *ret_list,
		     struct error *err)
{
	const struct session *s = p->s;
	uint32_t pair[2] = { 0, 0 };
	uint32_t of;
	const struct capture *a;

	(void)pick_number(s, 0, 0, &of);
	if (of < 2)
		return fail(err, ERR_USAGE,
			    "%s has %s to compare; name the file of the other side, too",
			    s->in.paths.items.data[0], of ? "one capture" : "nothing");
	if (p->wish->a && p->wish->b) {
		pair[0] = (uint32_t)p->wish->a;
		pair[1] = (uint32_t)p->wish->b;
	} else if (p->wish->a || p->wish->b) {
		return fail(err, ERR_USAGE,
			    "both sides are in one file; choose captures with --a and --b");
	} else if (!pick_pair(p, 1, KIND_PROFILE, false, pair) &&
		   !pick_pair(p, PICK_ROWS_MIN, KIND_PROFILE, false, pair) &&
		   !pick_pair(p, PICK_ROWS_MIN, KIND_PROFILE, true, pair) &&
		   !pick_pair_of_format(p, pair) && !pick_pair(p, 1, KIND_CALLS, false, pair) &&
		   !pick_pair(p, 1, KIND_COUNTERS, false, pair) &&
		   !pick_pair(p, 1, KIND_DISTRIBUTION, false, pair)) {
		*ret_list = 0;
		return fail(err, ERR_USAGE,
			    "%s holds %" PRIu32 " captures and no clear pair: choose with --a and "
			    "--b",
			    s->in.paths.items.data[0], of);
	}
	for (int side = 0; side < 2; side++) {
		a = pick_number(s, 0, pair[side], &of);
		if (!a) {
			*ret_list = 0;
			return fail(err, ERR_USAGE,
				    "%s has %" PRIu32 " captures to compare, not %" PRIu32,
				    s->in.paths.items.data[0], of, pair[side]);
		}
		pick_put(&ret[side], a, pair[side], of);
	}
	return OK;
}

int diff_pick(const struct session *s, size_t n_a, const struct diff_wish *wish,
	      struct diff_side ret[2], uint32_t *ret_list, struct error *err)
{
	struct pick p = { s, wish };

	*ret_list = INDEX_NONE;
	ret[0].n = ret[1].n = 0;
	if (s->in.paths.items.len == 1)
		return pick_both(&p, ret, ret_list, err);
	for (uint32_t i = 0; i < s->in.paths.items.len; i++) {
		int side = i < n_a ? 0 : 1;
		const struct capture *like = ret[0].n ? ret[0].captures[0] : NULL;
		int e = pick_of_input(&p, i, side ? wish->b : wish->a, like, &ret[side], err);

		if (e < 0)
			return e;
	}
	return OK;
}

void diff_list(const struct session *s, uint32_t input)
{
	uint32_t number = 0;

	for (uint32_t i = pick_first(s, input); i < s->loaded.input_ends.data[input]; i++) {
		const struct capture *c = s->dossier->captures.data[i];
		struct str event = pick_event(c);

		if (!pick_can(c))
			continue;
		complain(NULL,
			 "  %" PRIu32 "  lines %" PRIu32 "-%" PRIu32 "  %s  " STR_FMT "%s%zu %s",
			 ++number, c->first_line, c->last_line, c->format, STR_ARG(event),
			 event.len ? "  " : "", pick_weight(c),
			 c->profile && !c->profile->table.rows.len ? "samples"
			 : c->profile                              ? "rows"
			 : c->counters                             ? "counters"
			 : c->distribution                         ? "distributions"
								   : "calls");
	}
}

bool diff_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		struct diff_operands *ret, int *ret_status)
{
	int split = argc;
	char *name;
	bool ok;

	for (int i = 1; i < argc && split == argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			split = i;
	}
	if (!session_parse(s, spec, split, argv, ret_status))
		return false;
	*ret = (struct diff_operands){ .n_before = s->in.paths.items.len,
				       .n = s->in.paths.items.len,
				       .has_dashes = split < argc };
	if (!ret->has_dashes)
		return true;
	if (ret->n_before == 0)
		/*
		 * no operand precedes "--": it only ends the options, and does not begin the
		 * operands of side B
		 */
		split--;
	name = argv[split];
	argv[split] = argv[0];
	ok = session_parse(s, spec, argc - split, argv + split, ret_status);
	argv[split] = name;
	ret->n = s->in.paths.items.len;
	return ok;
}

bool diff_split(const struct diff_operands *o, const char *command, size_t *ret_n_a)
{
	*ret_n_a = o->has_dashes ? o->n_before : o->n > 1;
	if (o->has_dashes ? o->n_before && o->n_before < o->n : o->n <= 2)
		return true;
	complain(NULL, "'--' must separate the sides: %s A1 A2 -- B1 B2; try '%s --help'", command,
		 command);
	return false;
}
