/* SPDX-License-Identifier: MIT */
#include "explain/words/code_words.h"

#include "analyses/event_unit.h"
#include "base/stats.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdio.h>

#define CODE_WORDS_TEXT 120u

struct str code_words_text(const struct rule_input *in, const struct code_row *row)
{
	struct str text = strings_get(capture_strings(in->capture), row->text);

	return str_sub(text, 0, CODE_WORDS_TEXT);
}

/* The last profile before this capture in the same input; NULL: none. */
static const struct capture *code_words_profile(const struct rule_input *in)
{
	for (uint32_t i = in->number; i-- > 0;) {
		const struct capture *c = in->facts->dossier->captures.data[i];

		if (c->path.v == in->capture->path.v && c->profile && c->profile->event.v)
			return c;
	}
	return NULL;
}

struct event_unit code_words_unit(const struct rule_input *in)
{
	const struct code *code = in->code;
	const struct capture *profile = code_words_profile(in);
	struct event_unit ret =
		event_unit_named(strings_get(capture_strings(in->capture), code->event));

	if (code->event.v)
		return ret;
	if (profile && (code->is_percent || code->unit != WEIGHT_NS ||
			event_unit_of(profile).kind == EVENT_TIME))
		return event_unit_of(profile);
	if (code->is_percent) {
		(void)snprintf(ret.of, sizeof(ret.of), "samples");
		ret.is_plural = true;
	} else if (code->unit == WEIGHT_NS) {
		ret = event_unit_named(STR("cpu"));
	} else if (code->unit == WEIGHT_BYTES) {
		ret = event_unit_named(STR("space"));
	} else {
		ret = event_unit_named(STR("count"));
	}
	return ret;
}

double code_words_of_all(const struct rule_input *in, const struct code_function *f)
{
	str_id name = symbols_get(&in->facts->dossier->symbols, f->sym)->canonical;

	if (f->of_all >= 0)
		return f->of_all;
	for (uint32_t i = 0; i < in->facts->dossier->captures.len && f->sym.v; i++) {
		const struct profile_facts *p = in->facts->profiles[i];
		const struct fact_function *fn = p && p->capture->path.v == in->capture->path.v
							 ? facts_by_name(p, name)
							 : NULL;

		if (fn)
			return fn->self;
	}
	return 0;
}

void code_words_share(struct finding *f, const char *name, double pct, double err, uint64_t n)
{
	struct interval i;

	if (n == 0 || pct > 100) {
		finding_figure(f, name, pct, err, "%");
		return;
	}
	i = stats_wilson(pct / 100 * (double)n, (double)n, STATS_Z95);
	finding_figure_interval(f, name, pct, i.low, i.high, "%");
}
