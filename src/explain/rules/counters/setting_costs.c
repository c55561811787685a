/* SPDX-License-Identifier: MIT */
/*
 * A setting makes an operation slower. The input is a table of times or rates with different
 * settings. For each measure, the slowest setting is compared with the fastest one.
 *
 * Thresholds: 1.5 times as slow is a note, 3 times a warning. A table shows that a setting matters,
 * but not why. setting-costs.names has explanations for some names of settings.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/names/scaling_words.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/setting_costs_names.h"

DECLARE_RULE(setting_costs);

#define SETTING_NOTE  1.5
#define SETTING_LEAD  3.0
#define SETTING_SURE  85u
#define SETTING_LABEL 80u /* maximum number of bytes of a label to examine */

static const struct setting_kind {
	const char *words;
	const char *cause;
} setting_kinds[] = { SETTING_KINDS };

/* The slowest and the fastest setting of one measure. */
struct setting_pair {
	const struct counter *slow, *fast;
	enum scaling_value value;
	double times;
};

static struct str setting_text(const struct rule_input *in, str_id id)
{
	return strings_get(capture_strings(in->capture), id);
}

static enum scaling_value setting_value(const struct rule_input *in, const struct counter *row)
{
	return scaling_value_of(setting_text(in, row->name), setting_text(in, row->unit));
}

/*
 * Compare the settings of the measure @first. Member `times` is 0 if they cannot be compared: a
 * value is unknown, or the rows have different units ("800 ms" and "2 s").
 */
static struct setting_pair setting_compare(const struct rule_input *in, const struct counter *first)
{
	struct setting_pair p = { .value = setting_value(in, first) };

	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (row->name.v != first->name.v || row->value == 0)
			continue;
		if (row->unit.v != first->unit.v)
			return p;
		if (!p.slow || counter_value(row) > counter_value(p.slow))
			p.slow = row;
		if (!p.fast || counter_value(row) < counter_value(p.fast))
			p.fast = row;
	}
	if (p.value == SCALING_NONE || !p.slow || counter_value(p.fast) <= 0)
		return p;
	p.times = counter_value(p.slow) / counter_value(p.fast);
	if (p.value == SCALING_RATE) {
		const struct counter *most = p.slow;

		p.slow = p.fast;
		p.fast = most;
	}
	return p;
}

static const char *setting_amount(const struct rule_input *in, struct findings *out,
				  const struct counter *row)
{
	struct str unit = setting_text(in, row->unit);

	return finding_name(out, "%.*f%s" STR_FMT, row->decimals, counter_value(row),
			    unit.len ? " " : "", STR_ARG(unit));
}

static const char *setting_cause(const struct rule_input *in, const struct setting_pair *p)
{
	struct str slow = setting_text(in, p->slow->key);
	char label[SETTING_LABEL];
	size_t n = 0;

	for (; n < slow.len && n < sizeof(label); n++)
		label[n] = char_lower(slow.p[n]);
	for (size_t i = 0; i < ARRAY_LEN(setting_kinds); i++) {
		if (str_glob(str_of(setting_kinds[i].words), (struct str){ label, n }))
			return setting_kinds[i].cause;
	}
	return NULL;
}

static void setting_finding(const struct rule_input *in, struct findings *out,
			    const struct setting_pair *p)
{
	const char *cause = setting_cause(in, p);
	struct str name = setting_text(in, p->slow->name);
	struct finding *f = finding_add(out, in, &rule_setting_costs,
					p->times >= SETTING_LEAD ? FINDING_WARNING : FINDING_NOTE,
					SETTING_SURE);

	f->impact = 100 * (1 - 1 / p->times);
	if (p->value == SCALING_RATE)
		finding_claim(
			out, f,
			"'" STR_FMT "' reaches 1/%.*f of '" STR_FMT "': %s against %s " STR_FMT,
			STR_ARG(setting_text(in, p->slow->key)), p->times < 10 ? 1 : 0, p->times,
			STR_ARG(setting_text(in, p->fast->key)), setting_amount(in, out, p->slow),
			setting_amount(in, out, p->fast), STR_ARG(name));
	else
		finding_claim(out, f,
			      "'" STR_FMT "' takes %.*f times as long as '" STR_FMT "': " STR_FMT
			      " %s against %s",
			      STR_ARG(setting_text(in, p->slow->key)), p->times < 10 ? 1 : 0,
			      p->times, STR_ARG(setting_text(in, p->fast->key)), STR_ARG(name),
			      setting_amount(in, out, p->slow), setting_amount(in, out, p->fast));
	finding_figure(f, "ratio", p->times, 0, "times");
	finding_evidence(out, f, in, p->slow->line, STR_FMT, STR_ARG(name));
	if (p->fast->line != p->slow->line)
		finding_evidence(out, f, in, p->fast->line, STR_FMT, STR_ARG(name));
	if (cause)
		finding_usual_cause(out, f, "%s", cause);
	finding_because(out, f, "%s",
			cause ? "the figures are printed; the reason is that of the setting's name"
			      : "the figures are printed\n"
				"why the setting costs this");
	finding_next(out, f,
		     "repeat the run with and without the setting under perf record -g, or strace "
		     "-c -w: what it adds");
}

static void setting_costs_check(const struct rule_input *in, struct findings *out)
{
	const struct counters *k = in->capture->counters;
	struct setting_pair most = { .times = 0 };

	if (!str_eq(str_of(in->capture->format), STR("setting-table")))
		return;
	VEC_FOREACH (row, &k->rows) {
		struct setting_pair p = setting_compare(in, row);

		if (p.times > most.times)
			most = p;
	}
	if (most.times >= SETTING_NOTE)
		setting_finding(in, out, &most);
	else if (most.times > 0)
		finding_clean(out, in, &rule_setting_costs,
			      "the slowest setting takes %.2f times as long as the fastest",
			      most.times);
}

const struct rule rule_setting_costs = {
	.id = "setting-costs",
	.title = "A setting makes it slower",
	.needs = RULE_COUNTERS,
	.check = setting_costs_check,
	.is_measured = true,
};
