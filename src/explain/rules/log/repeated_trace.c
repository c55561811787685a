/* SPDX-License-Identifier: MIT */
/*
 * Records of a log have the same stack trace again and again: one cause, many messages. Two traces
 * are the same if they have the same exception and the same innermost application function.
 *
 * Thresholds: the same trace three times for a note, 20 times for a warning.
 */
#include "explain/words/log_words.h"

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(repeated_trace);

#define TRACE_NOTE 3u
#define TRACE_LEAD 20u
#define TRACE_SURE 95u
#define TRACE_NAME 100u

struct trace_group {
	str_id what, where;
	uint32_t first, last; /* indices of the first and last record with this trace */
	uint64_t n;
};

struct trace_groups {
	struct idmap map;
	VEC(struct trace_group) rows;
};

static struct trace_group *trace_group_of(struct trace_groups *g, const struct log_trace_record *t)
{
	struct idmap_probe p = idmap_first(&g->map, hash_u64(t->what.v, t->where.v));

	while (idmap_next(&g->map, &p)) {
		struct trace_group *row = &g->rows.data[p.id];

		if (row->what.v == t->what.v && row->where.v == t->where.v)
			return row;
	}
	idmap_insert(&g->map, &p, (uint32_t)g->rows.len);
	*VEC_PUSH(&g->rows) =
		(struct trace_group){ .what = t->what, .where = t->where, .first = t->record };
	return &g->rows.data[g->rows.len - 1];
}

static void trace_finding(const struct rule_input *in, struct findings *out,
			  const struct trace_group *t, size_t groups)
{
	const struct records *r = in->capture->records;
	const struct strings *strings = capture_strings(in->capture);
	struct str what = str_sub(strings_get(strings, t->what), 0, TRACE_NAME);
	struct str where = str_sub(strings_get(strings, t->where), 0, TRACE_NAME);
	struct finding *f =
		finding_add(out, in, &rule_repeated_trace,
			    t->n >= TRACE_LEAD ? FINDING_WARNING : FINDING_NOTE, TRACE_SURE);

	finding_claim(out, f,
		      "The same stack trace comes %" PRIu64 " times: " STR_FMT "%sat " STR_FMT
		      " (%" PRIu64 " of %zu traces in the log)",
		      t->n, STR_ARG(what), what.len ? " " : "", STR_ARG(where), t->n,
		      r->traces.len);
	f->impact = log_words_pct((double)t->n, (double)r->rows.len);
	finding_figure(f, "equal stack traces", (double)t->n, 0, "");
	finding_figure(f, "stack traces", (double)r->traces.len, 0, "");
	finding_figure(f, "different ones", (double)groups, 0, "");
	finding_figure(f, "records", (double)r->rows.len, 0, "");
	log_words_cite(out, f, in, t->first);
	if (t->last != t->first)
		log_words_cite(out, f, in, t->last);
	finding_usual_cause(out, f,
			    "The same code fails each time: a request is retried, clients went "
			    "away, or a test expects it");
	finding_because(out, f,
			"the traces are printed, and counted by their root cause and place");
	finding_next(out, f,
		     "read the trace at line %u to its root cause; then what the records have in "
		     "common (client, table, version)",
		     log_words_record(in, t->first)->line);
}

static void trace_check(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct trace_groups g = { .rows = VEC_INIT };
	const struct trace_group *most = NULL;

	VEC_FOREACH (t, &r->traces) {
		struct trace_group *row = trace_group_of(&g, t);

		row->n++;
		row->last = t->record;
	}
	VEC_FOREACH (row, &g.rows)
		most = !most || row->n > most->n ? row : most;
	if (most && most->n >= TRACE_NOTE)
		trace_finding(in, out, most, g.rows.len);
	else if (most)
		finding_clean(out, in, &rule_repeated_trace,
			      "no stack trace occurs three times (%zu traces)", r->traces.len);
	VEC_FREE(&g.rows);
	idmap_fini(&g.map);
}

const struct rule rule_repeated_trace = {
	.id = "repeated-trace",
	.title = "The same exception again and again",
	.needs = RULE_LOG,
	.check = trace_check,
	.is_measured = true,
};
