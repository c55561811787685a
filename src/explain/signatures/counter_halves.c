/* SPDX-License-Identifier: MIT */
#include "explain/signatures/counter_halves.h"

#include "analyses/counters/counter_metrics.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Maximum number of lines from the last parsed line of the head of top to the first line of its
 * list of tasks. The lines between may also belong to the head.
 */
#define HALVES_GAP 6u

static bool halves_is_of(const struct capture *c, const char *tool)
{
	return c->counters &&
	       str_eq(strings_get(capture_strings(c), c->counters->tool), str_of(tool));
}

/*
 * If the capture of @in is the head or the list of tasks of top: index of the other half.
 * INDEX_NONE: it has no other half.
 */
static uint32_t halves_other(const struct rule_input *in)
{
	const struct dossier *d = in->facts->dossier;
	bool is_head = halves_is_of(in->capture, "top summary");
	uint32_t at = is_head ? in->number + 1 : in->number - 1;
	const struct capture *other, *head, *list;

	if ((!is_head && (in->number == 0 || !halves_is_of(in->capture, "top"))) ||
	    at >= d->captures.len)
		return INDEX_NONE;
	other = d->captures.data[at];
	head = is_head ? in->capture : other;
	list = is_head ? other : in->capture;
	return in->facts->counters[at] && halves_is_of(head, "top summary") &&
			       halves_is_of(list, "top") && head->path.v == list->path.v &&
			       list->first_line > head->last_line &&
			       list->first_line - head->last_line <= HALVES_GAP
		       ? at
		       : INDEX_NONE;
}

const struct counter_metric *counter_halves_metric(const struct rule_input *in, const char *ids)
{
	const struct counter_metric *ret = counter_metrics_find(in->counters, ids);
	uint32_t other = ret ? INDEX_NONE : halves_other(in);

	return other == INDEX_NONE ? ret : counter_metrics_find(in->facts->counters[other], ids);
}

/* The value in the column @name on line @line of the list of tasks; negative: none. */
static double halves_cell(const struct capture *c, const char *name, uint32_t line)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->line == line && row->state == COUNTER_COUNTED &&
		    str_eq(strings_get(capture_strings(c), row->name), str_of(name)))
			return counter_value(row);
	}
	return -1;
}

double counter_halves_threads(const struct rule_input *in)
{
	const struct counter_metric *busy = counter_metrics_find(in->counters, "cpu-busy");
	uint32_t other = halves_other(in);
	const struct capture *list;
	double threads = 0;
	double all = 0;

	if (other == INDEX_NONE || !busy || busy->value <= 0)
		return 0;
	list = in->facts->dossier->captures.data[other];
	/* the list has several outputs of top, so the head may belong to another output */
	if (list->counters->n_intervals > 1)
		return 0;
	VEC_FOREACH (row, &list->counters->rows) {
		if (row->state != COUNTER_COUNTED || counter_value(row) <= 0 ||
		    !str_eq(strings_get(capture_strings(list), row->name), STR("%CPU")))
			continue;
		all += counter_value(row);
		/* VIRT is 0 for a kernel thread, because it has no address space; source: top(1) */
		if (halves_cell(list, "VIRT", row->line) == 0)
			threads += counter_value(row);
	}
	return all > 0 ? busy->value * threads / all : 0;
}
