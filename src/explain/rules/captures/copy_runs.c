/* SPDX-License-Identifier: MIT */
/*
 * dd copied the same number of bytes twice, and one run took much longer.
 *
 * dd sends one record after another, so its rate is one over the time of a record. Two runs are
 * compared if they copy equally many bytes in equally many records with the same operands, as far
 * as the text shows these. Below labels of their own, the files may differ.
 *
 * Thresholds: a factor of 1.5 is a note, a factor of 3 a warning: single runs of dd on one machine
 * often differ by a fifth. The longer run takes at least 0.5 s. Runs that read a file through the
 * page cache, and have no labels, are a note: the second run finds the file in memory.
 */
#include "analyses/counters/dd_run.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/copy_runs_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(copy_runs);

#define COPY_NOTE    1.5
#define COPY_LEAD    3.0
#define COPY_SECONDS 0.5
#define COPY_RUNS    32u
#define COPY_NAME    60u
#define COPY_SURE    75u

struct copy_run {
	const struct capture *c;
	uint32_t number;
	uint32_t line;
	struct dd_run dd;
};

/* Read the figures of capture @number, if it is a run of dd. */
static bool copy_run_of(const struct dossier *d, uint32_t number, struct copy_run *ret)
{
	const struct capture *c = d->captures.data[number];

	*ret = (struct copy_run){ .c = c, .number = number };
	if (c->excerpt_of != INDEX_NONE || !dd_run_of(c, &ret->dd))
		return false;
	ret->line = ret->dd.elapsed->line;
	return true;
}

/* The label of a run up to its first comma: "With bfq" of "With bfq, I get". Empty: it has none. */
static struct str copy_label(const struct copy_run *r)
{
	struct str label = strings_get(capture_strings(r->c), r->c->counters->label);

	return str_sub(str_sub(label, 0, str_find(label, STR(", "))), 0, COPY_NAME);
}

static const char *copy_name(struct findings *out, const struct copy_run *r,
			     const struct copy_run *other)
{
	struct str label = copy_label(r);

	if (label.len && !str_eq(label, copy_label(other)))
		return finding_name(out, "'" STR_FMT "'", STR_ARG(label));
	return finding_name(out, "the run of line %u", r->line);
}

/* Whether @label names an I/O scheduler of the kernel. */
static bool copy_is_scheduler(struct str label)
{
	struct str word;

	while (str_word(&label, &word)) {
		if (str_glob(STR(IO_SCHEDULERS), word))
			return true;
	}
	return false;
}

/* Whether the text has a label for each of both runs, and the labels differ. */
static bool copy_is_labelled(const struct copy_run *a, const struct copy_run *b)
{
	struct str x = copy_label(a), y = copy_label(b);

	return x.len && y.len && !str_eq(x, y);
}

/* Whether two operands are equal, or both name a file where @may_differ says that files differ. */
static bool copy_is_operand(struct str a, struct str b, bool may_differ)
{
	static const char files[] = "if=*|of=*";
	static const char devices[] = "*=/dev/zero|*=/dev/null|*=/dev/*random|*=/dev/full";

	return str_eq(a, b) || (may_differ && str_eq(str_sub(a, 0, 3), str_sub(b, 0, 3)) &&
				str_glob(str_of(files), a) && !str_glob(str_of(devices), a) &&
				!str_glob(str_of(devices), b));
}

/* Whether both runs do the same work, as far as the text shows it. */
static bool copy_is_same_work(const struct copy_run *a, const struct copy_run *b)
{
	bool may_differ = copy_is_labelled(a, b);
	struct str x = a->dd.command, y = b->dd.command;
	struct str p, q;

	if (a->dd.bytes != b->dd.bytes ||
	    (a->dd.records > 0 && b->dd.records > 0 && a->dd.records != b->dd.records))
		return false;
	if (!x.len || !y.len)
		return true;
	while (str_word(&x, &p)) {
		if (!str_word(&y, &q) || !copy_is_operand(p, q, may_differ))
			return false;
	}
	return !str_word(&y, &q);
}

/* Whether the page cache may have the input of @r, so far as its command shows. */
static bool copy_may_be_cached(const struct copy_run *r)
{
	return !r->dd.command.len ||
	       (dd_run_has(&r->dd, "if=*") &&
		!dd_run_has(&r->dd, "if=/dev/zero|if=/dev/*random|iflag=*direct*"));
}

static void copy_finding(const struct rule_input *in, struct findings *out,
			 const struct copy_run *good, const struct copy_run *bad)
{
	struct rule_input here = *in, there = *in;
	double ratio = bad->dd.seconds / good->dd.seconds;
	bool is_scheduler =
		copy_is_scheduler(copy_label(good)) && copy_is_scheduler(copy_label(bad));
	bool is_cached = copy_may_be_cached(bad);
	bool is_likely_cached = is_cached && bad->dd.command.len && !copy_is_labelled(good, bad);
	struct finding *f;

	here.capture = bad->c;
	here.number = bad->number;
	there.capture = good->c;
	there.number = good->number;
	f = finding_add(out, &here, &rule_copy_runs,
			ratio >= COPY_LEAD && !is_likely_cached ? FINDING_WARNING : FINDING_NOTE,
			COPY_SURE);
	f->capture = INDEX_NONE; /* the finding is about both runs */
	f->impact = 100 - 100 / ratio;
	finding_claim(out, f,
		      "dd takes %s for %s in %s, and %s in %s: %s times as long for the same bytes",
		      finding_duration(out, (uint64_t)(bad->dd.seconds * 1e9)),
		      finding_bytes(out, bad->dd.bytes), copy_name(out, bad, good),
		      finding_duration(out, (uint64_t)(good->dd.seconds * 1e9)),
		      copy_name(out, good, bad), finding_amount(out, 3, ratio));
	finding_figure(f, "longer run", bad->dd.seconds, 0, "s");
	finding_figure(f, "shorter run", good->dd.seconds, 0, "s");
	finding_figure(f, "copied", bad->dd.bytes, 0, "bytes");
	finding_evidence(out, f, &here, bad->line, "the longer run");
	finding_evidence(out, f, &there, good->line, "the shorter run");
	finding_usual_cause(
		out, f, "%s%s",
		is_scheduler
			? "The I/O scheduler: dd has one request in flight, and a scheduler that "
			  "waits for the next request of a process or group (idling) delays each "
			  "one. A journal that writes for dd runs in another process"
			: "Each record takes longer, and dd sends one after another: a slower "
			  "device or file system, a flush for each record, or a wait in the "
			  "kernel",
		is_scheduler || !is_cached ? ""
					   : ". Or the other run found the file in the page cache");
	finding_because(out, f, "dd measures the time\nwhere a record waits");
	finding_next(
		out, f,
		is_scheduler
			? "head /sys/block/*/queue/scheduler /sys/block/*/queue/iosched/*idle*: "
			  "set the idle times to 0, and repeat the slow run"
			: "perf trace -s dd ... on both sides: which call takes longer");
	finding_next(out, f,
		     "blktrace -d DEVICE -o - | blkparse -i -: pauses between completion (C) and "
		     "the next issue (D)");
}

static void copy_runs_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct copy_run runs[COPY_RUNS];
	size_t n = 0, compared = 0, good = 0, bad = 0;
	double most = 0;

	for (uint32_t i = 0; i < d->captures.len && n < COPY_RUNS; i++)
		n += copy_run_of(d, i, &runs[n]);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			double ratio = runs[k].dd.seconds / runs[i].dd.seconds;

			if (i == k || runs[k].dd.seconds < COPY_SECONDS ||
			    !copy_is_same_work(&runs[i], &runs[k]))
				continue;
			compared++;
			if (ratio <= most)
				continue;
			most = ratio;
			good = i;
			bad = k;
		}
	}
	if (most >= COPY_NOTE)
		copy_finding(in, out, &runs[good], &runs[bad]);
	else if (compared)
		finding_clean(out, in, &rule_copy_runs,
			      "runs of dd with equally many bytes take "
			      "about as long");
	else if (n)
		finding_not_assessed(out, in, &rule_copy_runs, "the same dd on both sides", "%s",
				     n == 1 ? "dd was measured only once"
					    : "no two runs of dd have the same bytes and command, "
					      "and one takes 0.5 s");
}

const struct rule rule_copy_runs = {
	.id = "copy-runs",
	.title = "dd takes longer for the same bytes",
	.needs = RULE_DOSSIER,
	.is_measured = true,
	.check = copy_runs_check,
};
