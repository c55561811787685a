/* SPDX-License-Identifier: MIT */
/*
 * Slow events in the output of tools that print only events above a threshold, or each slow event.
 *
 * Each row of such a list is a slow event, so neither a share nor a percentile is needed. The
 * thresholds are times that users notice: 100 ms for an event loop (the default of asyncio, since
 * all other tasks wait meanwhile) or a request of a block device, 10 ms for a file or a CPU. Ten
 * times as much is a warning.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/over_threshold_names.h"
#include "explain/rule.h"

DECLARE_RULE(over_threshold);

/* minimum value for a warning, as a multiple of the minimum value for a note */
#define OVER_LEAD 10.0
#define OVER_SURE 75u
/* maximum number of findings; each is about another key, the longest time first */
#define OVER_MOST 2u

struct over_tool {
	/* str_glob pattern of the tool that printed the input, such as "asyncio" */
	const char *tool;
	uint64_t ns;        /* minimum duration of an event for a note */
	const char *before; /* words of the claim before the quoted key; NULL: none */
	const char *after;  /* words of the claim after the quoted key */
	const char *cause;
	const char *because;
	const char *next;
};

static const struct over_tool over_tools[] = { OVER_TOOLS };

static const struct over_tool *over_tool(const struct capture *c)
{
	struct str tool = capture_note_of(c, STR("printed by"));

	for (size_t i = 0; i < ARRAY_LEN(over_tools); i++) {
		if (str_glob(str_of(over_tools[i].tool), tool))
			return &over_tools[i];
	}
	return NULL;
}

static void over_finding(const struct rule_input *in, struct findings *out,
			 const struct over_tool *t, const struct spread *s)
{
	struct str key = strings_get(capture_strings(in->capture), s->series->key);
	const char *what = finding_name(out, "%s%s'" STR_FMT "' %s", t->before ? t->before : "",
					t->before ? " " : "", STR_ARG(key), t->after);
	bool is_lead = s->max.high >= (double)t->ns * OVER_LEAD;
	struct finding *f = finding_add(out, in, &rule_over_threshold,
					is_lead ? FINDING_WARNING : FINDING_NOTE, OVER_SURE);

	if (s->series->count > 1)
		finding_claim(out, f, "%s: %llu times, up to %s, %s in all", what,
			      (unsigned long long)s->series->count,
			      spread_words_range(in, out, s->series, s->max),
			      spread_words_range(in, out, s->series, s->sum));
	else
		finding_claim(out, f, "%s for %s", what,
			      spread_words_range(in, out, s->series, s->max));
	f->impact = is_lead ? 20 : 5;
	finding_figure(f, "events", (double)s->series->count, 0, "");
	spread_words_figure(in, out, f, "longest", s->series, s->max);
	spread_words_figure(in, out, f, "sum", s->series, s->sum);
	spread_words_evidence(in, out, f, s, s->max);
	finding_usual_cause(out, f, "%s", t->cause);
	finding_because(out, f, "%s", t->because);
	finding_next(out, f, "%s", t->next);
}

/*
 * Find the series with the longest value. With @below, only series whose longest value is below
 * that of @below are searched. NULL: none.
 */
static const struct spread *over_longest(const struct rule_input *in, const struct spread *below)
{
	const struct spread *ret = NULL;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (s != below && (!below || s->max.high < below->max.high) &&
		    (!ret || s->max.high > ret->max.high))
			ret = s;
	}
	return ret;
}

static void over_check(const struct rule_input *in, struct findings *out)
{
	const struct over_tool *t = over_tool(in->capture);
	const struct spread *s = NULL;
	unsigned int n = 0;

	if (!t)
		return;
	while (n < OVER_MOST && (s = over_longest(in, s)) && s->max.high >= (double)t->ns) {
		over_finding(in, out, t, s);
		n++;
	}
	if (n == 0 && (s = over_longest(in, NULL)))
		finding_clean(out, in, &rule_over_threshold, "the longest takes only %s",
			      spread_words_range(in, out, s->series, s->max));
}

const struct rule rule_over_threshold = {
	.id = "over-threshold",
	.title = "Slow events",
	.needs = RULE_DISTRIBUTION,
	.check = over_check,
	.is_general = true,
	.is_measured = true,
};
