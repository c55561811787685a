/* SPDX-License-Identifier: MIT */
/*
 * Two runs of a benchmark that prints a rate for each operation (mdtest): which operations are
 * slower in one of them, and which are alike.
 *
 * Thresholds: 1.5 times as slow is a note, 3 times a warning; a factor below 1.2 counts as alike.
 * The printed minimum and maximum of the slowest operation must not overlap.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/operation_rates_names.h"
#include "explain/rule.h"

DECLARE_RULE(operation_rates);

#define OPERATION_NOTE  1.5
#define OPERATION_LEAD  3.0
#define OPERATION_ALIKE 1.2
#define OPERATION_ROWS  16u
#define OPERATION_NAMED 3u
#define OPERATION_SURE  90u

/* One operation in the slow and in the fast run. */
struct operation {
	const struct counter *slow, *fast;
	double ratio; /* of the rates, at least 1 if `slow` is slower */
};

struct operation_pair {
	struct rule_input slow, fast;
	struct operation rows[OPERATION_ROWS]; /* the slowest first */
	size_t n;
};

static struct str operation_key(const struct capture *c, const struct counter *row)
{
	return strings_get(capture_strings(c), row->key);
}

static bool operation_is(const struct capture *c)
{
	return c->counters && c->excerpt_of == INDEX_NONE &&
	       str_glob(STR(OPERATION_TOOLS), strings_get(capture_strings(c), c->counters->tool));
}

/* The figure @names of the operation @key in @c. NULL: none, or it is 0. */
static const struct counter *operation_row(const struct capture *c, str_id key, const char *names)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->key.v == key.v && row->value > 0 &&
		    str_glob(str_of(names), strings_get(capture_strings(c), row->name)))
			return row;
	}
	return NULL;
}

/* Do all settings that both runs print have equal values? */
static bool operation_is_same(const struct capture *a, const struct capture *b)
{
	VEC_FOREACH (x, &a->counters->rows) {
		if (!str_glob(STR(OPERATION_SETTINGS), strings_get(capture_strings(a), x->name)))
			continue;
		VEC_FOREACH (y, &b->counters->rows) {
			if (x->name.v == y->name.v && x->key.v == y->key.v && x->value != y->value)
				return false;
		}
	}
	return true;
}

/* Add the operation of @row, a rate of the slow run, to @p. The slowest operation is first. */
static void operation_add(struct operation_pair *p, const struct counter *row)
{
	const struct counter *fast = operation_row(p->fast.capture, row->key, OPERATION_RATES);
	struct operation o = { row, fast, fast ? counter_value(fast) / counter_value(row) : 0 };
	size_t i = p->n;

	if (!fast || p->n == OPERATION_ROWS || row->value <= 0)
		return;
	for (; i > 0 && p->rows[i - 1].ratio < o.ratio; i--)
		p->rows[i] = p->rows[i - 1];
	p->rows[i] = o;
	p->n++;
}

/* Compare the captures @slow and @fast. */
static void operation_compare(const struct rule_input *in, uint32_t slow, uint32_t fast,
			      struct operation_pair *p)
{
	const struct dossier *d = in->facts->dossier;

	*p = (struct operation_pair){ .slow = *in, .fast = *in };
	p->slow.capture = d->captures.data[slow];
	p->slow.number = slow;
	p->fast.capture = d->captures.data[fast];
	p->fast.number = fast;
	VEC_FOREACH (row, &p->slow.capture->counters->rows) {
		if (str_glob(STR(OPERATION_RATES),
			     strings_get(capture_strings(p->slow.capture), row->name)))
			operation_add(p, row);
	}
}

/* Do the printed ranges of the slowest operation not overlap? */
static bool operation_is_apart(const struct operation_pair *p)
{
	str_id key = p->rows[0].slow->key;
	const struct counter *max = operation_row(p->slow.capture, key, "max");
	const struct counter *min = operation_row(p->fast.capture, key, "min");

	return !max || !min || counter_value(max) < counter_value(min);
}

/* "; also File creation 3.2 times, File read 2.2 times; alike: File stat" */
static const char *operation_others(struct findings *out, const struct operation_pair *p)
{
	const char *text = "";
	const char *alike = "";

	for (size_t i = 1; i < p->n; i++) {
		struct str key = operation_key(p->slow.capture, p->rows[i].slow);

		if (i <= OPERATION_NAMED && p->rows[i].ratio >= OPERATION_NOTE)
			text = finding_name(out, "%s%s " STR_FMT " %.1f times", text,
					    *text ? "," : "; also", STR_ARG(key), p->rows[i].ratio);
		else if (p->rows[i].ratio < OPERATION_ALIKE &&
			 p->rows[i].ratio > 1 / OPERATION_ALIKE)
			alike = finding_name(out, "%s%s" STR_FMT, alike, *alike ? ", " : "",
					     STR_ARG(key));
	}
	return finding_name(out, "%s%s%s", text, *alike ? "; alike: " : "", alike);
}

/* Are the slow operations those that change a directory, while lookups are alike? */
static bool operation_is_directory(const struct operation_pair *p)
{
	bool has_look = false;

	for (size_t i = 0; i < p->n; i++) {
		struct str key = operation_key(p->slow.capture, p->rows[i].slow);

		if (str_glob(STR(OPERATION_LOOKS), key)) {
			has_look = true;
			if (p->rows[i].ratio >= OPERATION_ALIKE)
				return false;
		}
	}
	return has_look &&
	       str_glob(STR(OPERATION_CHANGES), operation_key(p->slow.capture, p->rows[0].slow));
}

/* A name for the run @c, which is compared with @other: its file, or its lines. */
static const char *operation_run(struct findings *out, const struct capture *c,
				 const struct capture *other)
{
	if (c->path.v != other->path.v)
		return finding_name(out, "'" STR_FMT "'",
				    STR_ARG(strings_get(capture_strings(c), c->path)));
	return finding_name(out, "the run of lines %u-%u", c->first_line, c->last_line);
}

static void operation_finding(struct findings *out, const struct operation_pair *p)
{
	const struct operation *o = &p->rows[0];
	struct finding *f = finding_add(out, &p->slow, &rule_operation_rates,
					o->ratio >= OPERATION_LEAD ? FINDING_WARNING : FINDING_NOTE,
					OPERATION_SURE);

	finding_claim(out, f,
		      STR_FMT
		      " is %.1f times as slow in %s as in %s: %.0f instead of %.0f a second%s",
		      STR_ARG(operation_key(p->slow.capture, o->slow)), o->ratio,
		      operation_run(out, p->slow.capture, p->fast.capture),
		      operation_run(out, p->fast.capture, p->slow.capture), counter_value(o->slow),
		      counter_value(o->fast), operation_others(out, p));
	f->impact = 100 * (1 - 1 / o->ratio);
	finding_figure(f, "fast run against the slow one", o->ratio, 0, "times");
	finding_evidence(out, f, &p->slow, o->slow->line, "the slow run");
	finding_evidence(out, f, &p->fast, o->fast->line, "the fast run");
	if (operation_is_directory(p))
		finding_usual_cause(out, f,
				    "The operations that change a directory are slow, and lookups "
				    "are not. The tasks wait for each other at the directory (its "
				    "lock in the kernel or the server), or each change waits for "
				    "the server or the disk");
	finding_because(out, f, "both runs are printed\nwhat else differs between the runs");
	finding_next(out, f,
		     "repeat both with -u (a directory for each task): if the slow run then "
		     "catches up, the tasks wait for the lock of the directory");
	finding_next(out, f,
		     "assay record --wall -- COMMAND during the slow run: where tasks wait");
}

static void operation_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct operation_pair best = { .n = 0 }, p;
	size_t runs = 0;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (!operation_is(d->captures.data[i]))
			continue;
		runs++;
		for (uint32_t k = 0; k < d->captures.len; k++) {
			if (k == i || !operation_is(d->captures.data[k]) ||
			    !operation_is_same(d->captures.data[i], d->captures.data[k]))
				continue;
			operation_compare(in, i, k, &p);
			if (p.n && operation_is_apart(&p) &&
			    (!best.n || p.rows[0].ratio > best.rows[0].ratio))
				best = p;
		}
	}
	if (best.n && best.rows[0].ratio >= OPERATION_NOTE)
		operation_finding(out, &best);
	else if (runs > 1)
		finding_clean(out, in, &rule_operation_rates,
			      "the runs reach about the same rates, or had other settings");
	else if (runs)
		finding_not_assessed(
			out, in, &rule_operation_rates,
			"a second run with the same settings, on another mount, kernel "
			"or server",
			"there is one run");
}

const struct rule rule_operation_rates = {
	.id = "operation-rates",
	.title = "An operation of a benchmark is slower in one of two runs",
	.needs = RULE_DOSSIER,
	.check = operation_check,
	.is_measured = true,
};
