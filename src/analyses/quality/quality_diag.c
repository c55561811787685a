/* SPDX-License-Identifier: MIT */
/* Reasons about damaged input, and about rows of a table that the reader could not read. */
#include "analyses/quality/quality_reasons.h"

#include "analyses/quality/quality.h"
#include "base/plural.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"

#include <math.h>

/* Number of input lines from which the reader stored at least one figure in @c. */
static uint64_t diag_rows_read(const struct capture *c)
{
	uint64_t n = c->metrics ? c->metrics->n_rows : 0;
	uint32_t last = 0;

	if (c->counters) {
		/* the cells of one input line are adjacent */
		VEC_FOREACH (row, &c->counters->rows) {
			n += row->line != last;
			last = row->line;
		}
	}
	if (c->distribution) {
		VEC_FOREACH (bucket, &c->distribution->buckets) {
			n += bucket->line != last;
			last = bucket->line;
		}
	}
	return n;
}

/*
 * The input line at which the damage @e was first found, for a sentence: " (L13)", or " (first:
 * L13)" if it was found several times. Empty: unknown.
 */
static const char *diag_place(const struct diag_entry *e, char buffer[32])
{
	buffer[0] = '\0';
	if (e->first_line)
		(void)snprintf(buffer, 32, " (%sL%u)", e->count > 1 ? "first: " : "",
			       e->first_line);
	return buffer;
}

static void diag_unread(const struct capture *c, const struct diag_entry *e, struct quality *q)
{
	unsigned long long all = e->count + diag_rows_read(c);
	char first[32];

	quality_add(q, e->kind->counter, QUALITY_CAUTION, (double)e->count, "rows", e->first_line,
		    "%llu of %llu row%s %s not read%s", (unsigned long long)e->count, all,
		    plural(all), e->count == 1 ? "was" : "were", diag_place(e, first));
}

/* Add a reason if @e is about a part of the text that is missing. False: it is not. */
static bool quality_diag_part(const struct diag_entry *e, struct quality *q)
{
	char first[32];

	if (strcmp(e->kind->counter, DIAG_CUT_LINE) == 0) {
		quality_add(q, e->kind->counter, QUALITY_CAUTION, NAN, "", e->first_line,
			    "The text ends inside a line%s", diag_place(e, first));
		q->extent = QUALITY_CUT;
		q->cut_line = e->first_line;
		return true;
	}
	if (strcmp(e->kind->counter, DIAG_OMITTED_LINES) != 0)
		return false;
	quality_add(q, e->kind->counter, QUALITY_CAUTION, (double)e->count, "places", e->first_line,
		    "Lines are left out of the text%s", diag_place(e, first));
	quality_part(q, "lines left out%s", diag_place(e, first));
	return true;
}

void quality_diag(const struct capture *c, struct quality *q)
{
	char first[32];

	VEC_FOREACH (e, &c->diag.entries) {
		if (e->kind->severity == DIAG_INFO || e->count == 0)
			continue;
		if (strcmp(e->kind->counter, DIAG_UNREAD_ROWS) == 0)
			diag_unread(c, e, q);
		else if (quality_diag_part(e, q))
			continue;
		/*
		 * e->kind->sentence is in the plural, so print ": 1" after it instead of "1" before
		 * it
		 */
		else if (e->count == 1)
			quality_add(q, e->kind->counter, QUALITY_CAUTION, 1, "", e->first_line,
				    "%s: 1%s", e->kind->sentence, diag_place(e, first));
		else
			quality_add(q, e->kind->counter, QUALITY_CAUTION, (double)e->count, "",
				    e->first_line, "%llu %s%s", (unsigned long long)e->count,
				    e->kind->sentence, diag_place(e, first));
	}
}
