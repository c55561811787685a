/* SPDX-License-Identifier: MIT */
/*
 * Say here which kind of problem this is. Thresholds: say here why these, with a source.
 */
#include "core/capture.h"
#include "core/dossier.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(@SNAKE@);

#define @UPPER@_LEAST 5u
#define @UPPER@_SURE  60u /* begin with 60: known cases raise it (docs/score.md) */

static void @SNAKE@_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	size_t n = d->captures.len;
	struct rule_input first = *in; /* where the evidence is */
	struct finding *f;

	if (n < 2) {
		finding_not_assessed(out, in, &rule_@SNAKE@, "say here what to record",
				     "only one capture");
		return;
	}
	if (n < @UPPER@_LEAST) {
		finding_clean(out, in, &rule_@SNAKE@, "%zu captures", n);
		return;
	}
	f = finding_add(out, in, &rule_@SNAKE@, FINDING_NOTE, @UPPER@_SURE);
	finding_claim(out, f, "Say here what %zu captures show", n);
	finding_figure(f, "captures", (double)n, 0, "");
	first.capture = d->captures.data[0];
	finding_evidence(out, f, &first, first.capture->first_line, "the first");
	finding_usual_cause(out, f, "say here the usual reason, in one clause");
	finding_because(out, f, "say here why the cause is that certain");
	finding_next(out, f, "say here what to look at or to change");
}

const struct rule rule_@SNAKE@ = {
	.id = "@NAME@",
	.title = "say here the problem as an engineer would search for it",
	.needs = RULE_DOSSIER,
	.check = @SNAKE@_check,
};
