/* SPDX-License-Identifier: MIT */
/*
 * A unit of systemd whose start delays the start of the machine or of another unit. The input is
 * the output of one of three commands of systemd-analyze:
 * - critical-chain: each unit starts after the units printed below it. So if a unit takes a third
 *   of the time, the other units wait for it.
 * - blame: a list of units with their durations. Units start in parallel, so the list does not show
 *   if another unit waits.
 * - time: the duration of each phase: firmware, loader, kernel, initrd, userspace.
 *
 * Thresholds for a chain: a fifth of its time and half a second are a note, a third and two seconds
 * a warning; with less, a change saves little. For a list: five seconds, since plain services start
 * within one. For the phases: half of the whole start and ten seconds, since a machine starts in 20
 * s.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/slow_start_unit_names.h"
#include "explain/words/table_words.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

DECLARE_RULE(slow_start_unit);

#define CHAIN_NOTE_PCT 20.0
#define CHAIN_NOTE_NS  500e6
#define CHAIN_LEAD_PCT 33.0
#define CHAIN_LEAD_NS  2e9
#define BLAME_NS       5e9
#define PHASE_PCT      50.0
#define PHASE_NS       10e9
#define CHAIN_SURE     72u
#define BLAME_SURE     50u
/*
 * Tolerance, ns. If a unit became complete after the next unit began, and by more than this, the
 * next unit did not wait for it.
 */
#define CHAIN_SLACK_NS 100e6

static const struct {
	const char *units, *cause, *next;
} start_units[] = { START_UNITS };

struct start_table {
	const struct rule_input *in;
	const struct metrics *m;
	size_t at, takes, depth;
	/*
	 * For each row of a chain: the row of the next unit to start. The next unit is printed
	 * further up.
	 */
	size_t *after;
};

static double start_at(const struct start_table *t, size_t row)
{
	return metrics_value(t->m, row, t->at);
}

static double start_takes(const struct start_table *t, size_t row)
{
	return metrics_value(t->m, row, t->takes);
}

static double start_depth(const struct start_table *t, size_t row)
{
	return metrics_value(t->m, row, t->depth);
}

/* Time at which the unit of @row was complete; NaN: not printed. */
static double start_end(const struct start_table *t, size_t row)
{
	return start_at(t, row) + start_takes(t, row);
}

/* The row of the unit that starts after @row; SIZE_MAX: none. */
static size_t start_after(const struct start_table *t, size_t row)
{
	return t->after[row];
}

/* Number of rows of the first chain. All rows of a chain are indented more than its first row. */
static size_t start_chain_rows(const struct start_table *t)
{
	size_t n = 1;

	while (n < t->m->n_rows && start_depth(t, n) > start_depth(t, 0))
		n++;
	return n;
}

/* Set t->after for the @n rows of a chain. Cost: O(@n), since each row is skipped at most once. */
static void start_find_after(struct start_table *t, size_t n)
{
	for (size_t row = 0; row < n; row++) {
		size_t i = row ? row - 1 : SIZE_MAX;

		while (i != SIZE_MAX && start_depth(t, i) >= start_depth(t, row))
			i = t->after[i];
		t->after[row] = i;
	}
}

/*
 * How long (ns) the unit of @row delays the unit that starts after it. A device has no printed
 * duration ("+"). Its start is then counted from the time at which the previous unit was complete.
 */
static double start_holds(const struct start_table *t, size_t row)
{
	size_t above = start_after(t, row);
	double ns = start_takes(t, row);

	if (str_glob(STR(WAITS_ITSELF), table_words_name(t->in, row)))
		return 0;
	if (above != SIZE_MAX && start_end(t, row) > start_at(t, above) + CHAIN_SLACK_NS)
		return 0;
	if (ns <= 0 && str_ends(table_words_name(t->in, row), STR(".device"))) {
		bool has_below =
			row + 1 < t->m->n_rows && start_depth(t, row + 1) > start_depth(t, row);

		ns = start_at(t, row) - (has_below ? start_end(t, row + 1) : 0);
	}
	return ns > 0 ? ns : 0;
}

/* Add the known cause and next steps for the unit @name. */
static void start_texts(struct findings *out, struct finding *f, struct str name, bool is_chain)
{
	finding_value(out, f, "UNIT", name);
	for (size_t i = 0; i < ARRAY_LEN(start_units); i++) {
		if (str_glob(str_of(start_units[i].units), name)) {
			finding_usual_cause(out, f, "%s", start_units[i].cause);
			finding_next(out, f, "%s", start_units[i].next);
			return;
		}
	}
	if (is_chain) {
		finding_usual_cause(out, f,
				    "The units above it on the chain are ordered after it "
				    "(After=), and wait until its start is complete");
		finding_next(out, f,
			     "journalctl -b -o short-monotonic -u UNIT: what it does "
			     "during its start");
		finding_next(out, f,
			     "systemctl show -p After,Requires,Wants WAITER: does it "
			     "need UNIT?");
		return;
	}
	finding_usual_cause(out, f, "A long start delays only the units that are ordered after it");
	finding_next(out, f,
		     "systemd-analyze critical-chain: is UNIT on it? Otherwise nothing "
		     "waits for it");
}

/* Report the unit that takes the largest part of the time of the chain, which has @n rows. */
static void start_check_chain(const struct start_table *t, size_t n, struct findings *out)
{
	bool has_root = start_depth(t, 0) <= 0;
	bool is_later = has_root && isnan(start_at(t, 0)) && n > 1;
	double whole = is_later ? start_end(t, 1) + start_takes(t, 0) : start_end(t, 0);
	struct str first = table_words_name(t->in, 0);
	struct str name, above;
	size_t most = 0;
	size_t after;
	double ns, pct;
	struct finding *f;

	ns = start_holds(t, most);
	for (size_t i = 1; i < n; i++) {
		double holds = start_holds(t, i);

		if (holds > ns) {
			most = i;
			ns = holds;
		}
	}
	if (isnan(whole) || whole <= 0 || ns > whole) {
		finding_not_assessed(out, t->in, &rule_slow_start_unit,
				     "systemd-analyze critical-chain UNIT",
				     "the chain has no time of its first unit");
		return;
	}
	pct = 100 * ns / whole;
	name = table_words_name(t->in, most);
	if (pct < CHAIN_NOTE_PCT || ns < CHAIN_NOTE_NS) {
		finding_clean(out, t->in, &rule_slow_start_unit,
			      "no unit takes %.0f %% and %.1f s of the chain: at most %s",
			      CHAIN_NOTE_PCT, CHAIN_NOTE_NS / 1e9,
			      finding_duration(out, (uint64_t)ns));
		return;
	}
	f = finding_add(out, t->in, &rule_slow_start_unit,
			pct >= CHAIN_LEAD_PCT && ns >= CHAIN_LEAD_NS ? FINDING_WARNING
								     : FINDING_NOTE,
			CHAIN_SURE);
	f->impact = pct;
	after = start_after(t, most);
	above = after == SIZE_MAX ? STR_NONE : table_words_name(t->in, after);
	if (most == 0)
		finding_claim(out, f,
			      STR_FMT " itself takes %s of its %s to start: the longest of its "
				      "chain",
			      STR_ARG(name), finding_duration(out, (uint64_t)ns),
			      finding_duration(out, (uint64_t)whole));
	else if (after > 0 && after != SIZE_MAX)
		finding_claim(
			out, f, STR_FMT " waits %s of its %s for " STR_FMT " (through " STR_FMT ")",
			STR_ARG(first), finding_duration(out, (uint64_t)ns),
			finding_duration(out, (uint64_t)whole), STR_ARG(name), STR_ARG(above));
	else
		finding_claim(out, f, STR_FMT " waits %s of its %s for " STR_FMT, STR_ARG(first),
			      finding_duration(out, (uint64_t)ns),
			      finding_duration(out, (uint64_t)whole), STR_ARG(name));
	finding_figure(f, "share of the chain", pct, 0, "%");
	finding_figure(f, "start of the unit", ns / 1e9, 0, "s");
	finding_evidence(out, f, t->in, t->m->lines.data[most], STR_FMT, STR_ARG(name));
	finding_value(out, f, "WAITER", first);
	start_texts(out, f, name, true);
	finding_because(out, f,
			"the times and the order are those of systemd\n"
			"whether a unit starts by its socket, and so later than the chain says");
}

/* Report the unit that takes longest to start. */
static void start_check_blame(const struct start_table *t, struct findings *out)
{
	size_t most = SIZE_MAX;
	struct str name;
	double ns;
	struct finding *f;

	for (size_t i = 0; i < t->m->n_rows; i++) {
		if (!str_glob(STR(WAITS_ITSELF), table_words_name(t->in, i)) &&
		    (most == SIZE_MAX || start_takes(t, i) > start_takes(t, most)))
			most = i;
	}
	ns = most == SIZE_MAX ? 0 : start_takes(t, most);
	if (ns < BLAME_NS) {
		finding_clean(out, t->in, &rule_slow_start_unit,
			      "no unit takes %.0f s to start: at most %s", BLAME_NS / 1e9,
			      finding_duration(out, (uint64_t)ns));
		return;
	}
	name = table_words_name(t->in, most);
	f = finding_add(out, t->in, &rule_slow_start_unit, FINDING_NOTE, BLAME_SURE);
	finding_claim(out, f, STR_FMT " takes longest to start: %s", STR_ARG(name),
		      finding_duration(out, (uint64_t)ns));
	finding_figure(f, "start of the unit", ns / 1e9, 0, "s");
	finding_evidence(out, f, t->in, t->m->lines.data[most], STR_FMT, STR_ARG(name));
	start_texts(out, f, name, false);
	finding_because(out, f,
			"systemd measures the start of each unit\n"
			"whether anything waits for it: units start in parallel");
}

/*
 * Report the phase of the start (kernel, initrd, userspace, …) that takes at least half of the
 * time.
 */
static void start_check_phases(const struct start_table *t, struct findings *out)
{
	double whole = 0;
	size_t most = 0;
	struct str name;
	struct finding *f;

	for (size_t i = 0; i < t->m->n_rows; i++) {
		whole += start_takes(t, i);
		if (start_takes(t, i) > start_takes(t, most))
			most = i;
	}
	name = table_words_name(t->in, most);
	if (start_takes(t, most) < PHASE_NS || start_takes(t, most) < whole * PHASE_PCT / 100) {
		finding_clean(out, t->in, &rule_slow_start_unit,
			      "no part takes %.0f s and %.0f %% of the start", PHASE_NS / 1e9,
			      PHASE_PCT);
		return;
	}
	f = finding_add(out, t->in, &rule_slow_start_unit, FINDING_NOTE, CHAIN_SURE);
	f->impact = 100 * start_takes(t, most) / whole;
	finding_claim(out, f, "The start of the machine is mainly %s" STR_FMT ": %s of %s",
		      str_eq(name, STR("kernel")) || str_eq(name, STR("initrd")) ? "the " : "",
		      STR_ARG(name), finding_duration(out, (uint64_t)start_takes(t, most)),
		      finding_duration(out, (uint64_t)whole));
	finding_figure(f, "share of the start", f->impact, 0, "%");
	finding_evidence(out, f, t->in, t->m->lines.data[most], STR_FMT, STR_ARG(name));
	finding_because(out, f,
			"systemd measures the parts\n"
			"which step of the part takes long");
	if (str_eq(name, STR("userspace")))
		finding_next(out, f,
			     "systemd-analyze critical-chain: which unit the target "
			     "waits for");
	else if (str_eq(name, STR("kernel")) || str_eq(name, STR("initrd")))
		finding_next(out, f,
			     "journalctl -b -k -o short-monotonic: the longest gap between "
			     "two messages");
	else
		finding_next(out, f,
			     "check the setup of the firmware or the boot loader: timeouts of "
			     "menus, network boot, tests of memory");
}

static void slow_start_unit_check(const struct rule_input *in, struct findings *out)
{
	struct start_table t = {
		.in = in,
		.m = in->capture->metrics,
		.at = table_words_column(in, "at"),
		.takes = table_words_column(in, "takes"),
		.depth = table_words_column(in, "depth"),
	};

	if (strcmp(in->capture->format, "systemd-boot") != 0 || t.m->n_rows == 0)
		return;
	if (!isnan(start_depth(&t, 0))) {
		size_t n = start_chain_rows(&t);

		t.after = xmalloc(n * sizeof(*t.after));
		start_find_after(&t, n);
		start_check_chain(&t, n, out);
		free(t.after);
	} else if (str_find_char(table_words_name(in, 0), '.') < table_words_name(in, 0).len)
		start_check_blame(&t, out);
	else
		start_check_phases(&t, out);
}

const struct rule rule_slow_start_unit = {
	.id = "slow-start-unit",
	.title = "A unit holds up the start",
	.needs = RULE_METRICS,
	.check = slow_start_unit_check,
};
