/* SPDX-License-Identifier: MIT */
/* risk_gates.c - functions that exceed a limit of --max, as compiler warnings or SARIF */
#include "base/arena.h"
#include "base/out.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/sarif.h"
#include "cmds/show/show_risk.h"
#include "core/ids.h"
#include "metrics/code/c_metrics.h"
#include "metrics/risk.h"
#include "render/escape.h"

#include <math.h>

struct gates_hit {
	uint32_t function;
	uint16_t metric;
	double most;
	double was; /* value before the change (--diff); NaN: unknown */
};

struct gates {
	const struct risk_tree *t;
	VEC(struct gates_hit) hits;
	struct arena texts;
};

/* Append the message about an exceeded limit: "cyclomatic of 'f' is 12, over 10; it was 9". */
static void gates_sentence(const struct gates *g, const struct gates_hit *h, bool is_escaped,
			   struct out *out)
{
	const struct risk_function *f = &g->t->functions.data[h->function];

	out_printf(out, "%s of '", risk_metric_info(h->metric)->title);
	if (is_escaped)
		escape_text(out, f->name);
	else
		out_str(out, f->name);
	out_printf(out, "' is %.10g, over %.10g", f->m[h->metric], h->most);
	if (!isnan(h->was))
		out_printf(out, "; it was %.10g", h->was);
}

static void gates_find(struct gates *g, const struct risk_args *a, const struct risk_tree *t_before,
		       const uint32_t *before)
{
	for (uint32_t i = 0; i < g->t->functions.len; i++) {
		const struct risk_function *f = &g->t->functions.data[i];
		const struct risk_function *old = before && before[i] != INDEX_NONE
							  ? &t_before->functions.data[before[i]]
							  : NULL;

		VEC_FOREACH (limit, &a->limits) {
			double was = old ? old->m[limit->metric] : NAN;

			if (!(f->m[limit->metric] > limit->most) || was > limit->most)
				continue;
			*VEC_PUSH(&g->hits) =
				(struct gates_hit){ i, (uint16_t)limit->metric, limit->most, was };
		}
	}
}

static void gates_text(const struct gates *g, struct out *out)
{
	VEC_FOREACH (h, &g->hits) {
		const struct risk_function *f = &g->t->functions.data[h->function];

		escape_text(out, g->t->files.data[f->file].path);
		out_printf(out, ":%u: warning: ", f->line);
		gates_sentence(g, h, true, out);
		out_printf(out, " [%s]\n", risk_metric_info(h->metric)->title);
	}
}

static void gates_sarif(struct gates *g, struct out *out)
{
	struct sarif_rule listed[RISK_METRIC_COUNT];
	VEC(struct sarif_place) places = VEC_INIT;
	bool is_listed[RISK_METRIC_COUNT] = { false };
	size_t n = 0;

	VEC_FOREACH (h, &g->hits) {
		const struct risk_function *f = &g->t->functions.data[h->function];
		const struct c_metric_info *info = risk_metric_info(h->metric);
		struct out text = { .fd = -1 };

		if (!is_listed[h->metric])
			listed[n++] = (struct sarif_rule){ info->title, info->definition };
		is_listed[h->metric] = true;
		gates_sentence(g, h, false, &text);
		out_char(&text, '.');
		*VEC_PUSH(&places) =
			(struct sarif_place){ g->t->files.data[f->file].path, f->line, info->title,
					      arena_str(&g->texts, out_view(&text)) };
		out_fini(&text);
	}
	sarif_write_places(listed, n, places.data, places.len, out);
	VEC_FREE(&places);
}

int show_risk_gates(struct risk_args *a, const struct risk_tree *t,
		    const struct risk_tree *t_before, const uint32_t *before)
{
	struct out *out = session_open(&a->session);
	struct gates g = { .t = t };

	if (!out)
		return EXIT_FAILED;
	gates_find(&g, a, t_before, before);
	if (a->is_sarif)
		gates_sarif(&g, out);
	else
		gates_text(&g, out);
	a->n_exceeded = g.hits.len;
	VEC_FREE(&g.hits);
	arena_fini(&g.texts);
	return EXIT_DONE;
}
