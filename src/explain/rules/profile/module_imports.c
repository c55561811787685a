/* SPDX-License-Identifier: MIT */
/*
 * A Python program spends its time importing modules. Imports nest, so the functions of importlib
 * and the bodies of the outer modules all have nearly the whole time with their callees, but they
 * compute nothing. The finding names the innermost module whose body still has most of the time.
 *
 * Thresholds: 30 % of the time is a note, 50 % a warning. A module has most of the time if it has
 * half of the time of all imports. If a recorded program mostly sleeps, its start may have most of
 * the CPU time but delay little. So if imports take less than a tenth of the elapsed time, the
 * finding is a note.
 */
#include "analyses/event_unit.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/module_imports_names.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"

DECLARE_RULE(module_imports);

#define IMPORTS_NOTE    30.0
#define IMPORTS_LEAD    50.0
#define IMPORTS_PART    0.5
#define IMPORTS_ELAPSED 10.0
#define IMPORTS_SURE    85u
#define IMPORTS_NAME    96u

/* The importing function with the largest inclusive share; NULL: none. */
static const struct fact_function *imports_all(const struct rule_input *in)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (f, &in->profile->functions) {
		if ((!best || f->children > best->children) &&
		    str_glob(STR(IMPORTS_FUNCTIONS), facts_name(in->facts, f->sym)))
			best = f;
	}
	return best;
}

/*
 * Among the module bodies with a share from @least to @most, the one with the smallest share. NULL:
 * none. (A body with a larger share than all imports is the program itself.)
 */
static const struct fact_function *imports_innermost(const struct rule_input *in, double least,
						     double most)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (f, &in->profile->functions) {
		if (f->children >= least && f->children <= most &&
		    (!best || f->children < best->children) &&
		    str_glob(STR(IMPORTS_BODIES), facts_name(in->facts, f->sym)))
			best = f;
	}
	return best;
}

/*
 * Whether @share, a share of the CPU time, is less than IMPORTS_ELAPSED percent of the elapsed
 * time. False: the elapsed time is unknown.
 */
static bool imports_are_short(const struct rule_input *in, double share)
{
	double pct = signature_elapsed_pct(in);

	return pct >= 0 && pct * share / 100 < IMPORTS_ELAPSED;
}

static void module_imports_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *all = imports_all(in);
	const struct fact_function *inner;
	struct finding *f;
	double share;

	if (!all)
		return;
	if (all->children < 0) {
		finding_not_assessed(out, in, &rule_module_imports,
				     "python3 -m cProfile -s cumulative SCRIPT",
				     "shares with callees are not printed");
		return;
	}
	share = all->children < 100 ? all->children : 100;
	if (share < IMPORTS_NOTE) {
		finding_clean(out, in, &rule_module_imports, "imports take %.1f %%", share);
		return;
	}
	inner = imports_innermost(in, IMPORTS_PART * share, all->children);
	f = finding_add(out, in, &rule_module_imports,
			share >= IMPORTS_LEAD && !imports_are_short(in, share) ? FINDING_WARNING
									       : FINDING_NOTE,
			IMPORTS_SURE);
	f->impact = share;
	if (inner)
		finding_claim(
			out, f,
			"%.1f %% of %s is importing modules; the innermost listed module with "
			"most of it is " STR_FMT " (%.1f %%)",
			share, in->profile->unit.of,
			STR_ARG(str_sub(facts_name(in->facts, inner->sym), 0, IMPORTS_NAME)),
			inner->children < 100 ? inner->children : 100);
	else
		finding_claim(out, f, "%.1f %% of %s is importing modules", share,
			      in->profile->unit.of);
	finding_figure(f, "import of modules, with callees", share, 0, "%");
	finding_inclusive(out, f, in, all);
	if (inner)
		finding_inclusive(out, f, in, inner);
	finding_usual_cause(out, f, "%s",
			    "An import executes the body of the module and of all that it loads: a "
			    "large package, a search through installed packages, or work at the "
			    "top level of a module");
	finding_because(out, f,
			"the functions of importlib have this time, with all that they call");
	finding_next(
		out, f,
		"python3 -X importtime PROGRAM: the time of each module, without those that it "
		"imports");
	finding_next(out, f, "import it in the function that needs it, or a smaller part of it");
}

static const char *const module_imports_explains[] = { "hot-caller", "hot-function", NULL };

const struct rule rule_module_imports = {
	.id = "module-imports",
	.title = "Importing modules takes the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_TIME | EVENT_BIT(EVENT_OTHER),
	.explains = module_imports_explains,
	.check = module_imports_check,
	.is_measured = true,
};
