/* SPDX-License-Identifier: MIT */
/*
 * Impossible symbols. In the C library: a string function enters the kernel, although only a system
 * call wrapper can do that. In the kernel: samples are in data. Such symbols come from a different
 * build. The figures are right, but the names are wrong.
 *
 * Thresholds: 10 % of the profile enters the kernel through such a function. With less, broken
 * unwinding may be the cause, which proves nothing about symbols. Samples in kernel data must have
 * more than PROFILE_DATA_PCT of the profile.
 */
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/foreign_names_names.h"
#include "explain/rule.h"

#include <stdlib.h>

DECLARE_RULE(foreign_names);

#define FOREIGN_PCT     10.0
#define FOREIGN_SURE    90
#define FOREIGN_DATA    99 /* certainty for samples in kernel data: no CPU executes data */
#define FOREIGN_CALLERS 64

struct foreign_caller {
	sym_id sym;
	double pct;
	uint32_t line;
};

struct foreign {
	struct foreign_caller callers[FOREIGN_CALLERS];
	size_t n;
	/*
	 * percentage of the profile that is in system calls, if the calling user function is known
	 */
	double all;
};

static void foreign_add(struct foreign *f, sym_id sym, double pct, uint32_t line)
{
	f->all += pct;
	for (size_t i = 0; i < f->n; i++) {
		if (f->callers[i].sym.v == sym.v) {
			f->callers[i].pct += pct;
			return;
		}
	}
	if (f->n < FOREIGN_CALLERS)
		f->callers[f->n++] = (struct foreign_caller){ sym, pct, line };
}

static bool foreign_is_kernel(const struct symbols *symbols, sym_id sym)
{
	return symbols_get(symbols, sym)->space == SPACE_KERNEL;
}

/* Properties of a symbol, computed once per symbol. */
enum foreign_known {
	FOREIGN_IS_KNOWN = 1 << 0,
	FOREIGN_IS_KERNEL = 1 << 1,
	FOREIGN_IS_ENTRY = 1 << 2,
	FOREIGN_IS_LIBC = 1 << 3,
};

static bool foreign_is_libc(const struct symbols *symbols, sym_id sym)
{
	return str_glob(STR(SIGNATURE_LIBC), symbols_module(symbols, sym));
}

/*
 * Find the user functions that enter the kernel, in printed trees. Trees print no modules, so only
 * the names show which function is user code.
 */
static void foreign_of_trees(const struct rule_input *in, struct foreign *ret)
{
	const struct profile *p = in->capture->profile;
	const struct symbols *symbols = capture_symbols(in->capture);

	if (p->table.columns & ROW_HAS_CHILDREN || p->table.order == CHAIN_CALLER)
		return;
	VEC_FOREACH (row, &p->table.rows) {
		uint32_t end;

		if (row->tree == INDEX_NONE || row->tree >= p->table.nodes.len ||
		    !foreign_is_kernel(symbols, row->sym))
			continue;
		end = profile_tree_end(&p->table, (size_t)(row - p->table.rows.data));
		for (uint32_t i = row->tree; i < end && i < p->table.nodes.len; i++) {
			const struct profile_node *n = &p->table.nodes.data[i];
			const struct profile_node *up =
				n->parent != INDEX_NONE ? &p->table.nodes.data[n->parent] : NULL;
			struct str name = symbols_name(symbols, n->sym);
			struct str above = up ? symbols_name(symbols, up->sym) : STR_NONE;

			/* the user function is the first node after the kernel entry code */
			if (n->is_other || !str_glob(STR(FOREIGN_ENTRIES), above) ||
			    str_starts(name, STR("entry_")))
				continue;
			foreign_add(ret, n->sym, profile_value(p, n->weight), n->line);
		}
	}
}

static uint8_t foreign_known_of(const struct symbols *symbols, uint8_t *known, sym_id sym)
{
	uint8_t ret = FOREIGN_IS_KNOWN;

	if (known[sym.v])
		return known[sym.v];
	if (foreign_is_kernel(symbols, sym)) {
		ret |= FOREIGN_IS_KERNEL;
		if (str_glob(STR(FOREIGN_ENTRIES), symbols_canonical(symbols, sym)))
			ret |= FOREIGN_IS_ENTRY;
	} else if (foreign_is_libc(symbols, sym)) {
		ret |= FOREIGN_IS_LIBC;
	}
	known[sym.v] = ret;
	return ret;
}

static void foreign_of_samples(const struct rule_input *in, struct foreign *ret)
{
	const struct profile *p = in->capture->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	uint8_t *known = xcalloc(symbols->rows.len + 1, sizeof(*known));
	double total = 0;

	for (size_t i = 0; i < p->samples.n; i++)
		total += (double)p->samples.weight.data[i];
	for (size_t i = 0; i < p->samples.n && total > 0; i++) {
		stack_id at = p->samples.stack.data[i];
		uint8_t entry = 0;
		uint8_t here = 0;

		while (at.v) {
			here = foreign_known_of(symbols, known, stacks_sym(&p->stacks, at));
			if (!(here & FOREIGN_IS_KERNEL))
				break;
			entry = here;
			at = stacks_parent(&p->stacks, at);
		}
		if (at.v && entry & FOREIGN_IS_ENTRY && here & FOREIGN_IS_LIBC)
			foreign_add(ret, stacks_sym(&p->stacks, at),
				    (double)p->samples.weight.data[i] / total * 100, 0);
	}
	free(known);
}

static void foreign_finding(const struct rule_input *in, struct findings *out,
			    const struct foreign_caller *who)
{
	struct str name = facts_short_name(in->facts, who->sym, 96);
	struct finding *f = finding_add(out, in, &rule_foreign_names, FINDING_NOTE, FOREIGN_SURE);
	size_t n = 0;
	double doubtful = 0;

	VEC_FOREACH (row, &in->profile->functions) {
		struct str other = facts_name(in->facts, row->sym);

		if (!foreign_is_libc(capture_symbols(in->capture), row->sym) ||
		    !str_glob(STR(FOREIGN_NEVER), other))
			continue;
		doubtful += row->self;
		if (n++ >= 3)
			continue;
		finding_subject(f, row->sym, SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, row->line, STR_FMT " %.2f %%: doubtful",
				 STR_ARG(other), row->self);
	}
	finding_claim(out, f,
		      "libc symbols are wrong: they come from a different build. %.1f %% of %s "
		      "%s under " STR_FMT ", which makes no system calls",
		      who->pct, in->profile->unit.of,
		      in->profile->unit.is_plural ? "appear" : "appears", STR_ARG(name));
	finding_cause(out, f, "The symbols come from a different libc than the one that ran");
	finding_because(out, f, "only system call wrappers enter the kernel");
	finding_figure(f, "enters the kernel below this name", who->pct, 0, "%");
	finding_figure(f, "self time under wrong names", doubtful, 0, "%");
	finding_subject(f, who->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, who->line, STR_FMT " %.2f %%", STR_ARG(name), who->pct);
	finding_next(out, f,
		     "perf buildid-list -i perf.data; file /lib/*/libc.so.6: if the build ids "
		     "differ, run perf report on the machine that recorded it");
}

/* Add a finding about samples in kernel data. Returns false if there are too few. */
static bool foreign_kernel(const struct rule_input *in, struct findings *out)
{
	const struct top_summary *s = &in->profile->summary;
	struct finding *f;
	size_t n = 0;

	if (s->data.pct <= PROFILE_DATA_PCT)
		return false;
	f = finding_add(out, in, &rule_foreign_names, FINDING_WARNING, FOREIGN_DATA);
	f->impact = s->data.pct;
	finding_claim(out, f,
		      "Kernel symbols are wrong: they come from a different build. %.1f %% of %s "
		      "%s in data such as " STR_FMT ", where no code runs",
		      s->data.pct, in->profile->unit.of, in->profile->unit.is_plural ? "are" : "is",
		      STR_ARG(facts_name(in->facts, s->data_example)));
	finding_cause(out, f, "The symbols come from a different kernel than the one that ran");
	finding_because(out, f, "no code runs in data");
	finding_figure(f, "in kernel data", s->data.pct, s->data.err, "%");
	VEC_FOREACH (row, &in->profile->functions) {
		struct str name = facts_name(in->facts, row->sym);

		if (symbol_name_is_kernel_data(name) && n++ < 3)
			finding_evidence(out, f, in, row->line, STR_FMT " %.2f %%", STR_ARG(name),
					 row->self);
	}
	finding_next(out, f,
		     "uname -r, on both machines; perf report on the machine that recorded it, or "
		     "with its "
		     "/proc/kallsyms (perf report --kallsyms)");
	return true;
}

static void foreign_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	struct foreign found = { .n = 0 };
	const struct foreign_caller *who = NULL;

	if (in->profile->functions.len == 0 || foreign_kernel(in, out))
		return;
	if (p->table.nodes.len && p->recovery != RECOVERY_EXACT)
		foreign_of_trees(in, &found);
	else if (p->samples.n)
		foreign_of_samples(in, &found);
	if (found.n == 0) {
		finding_not_assessed(out, in, &rule_foreign_names, "perf record -a -g",
				     "no call chain shows who enters the kernel");
		return;
	}
	for (size_t i = 0; i < found.n; i++) {
		if (str_glob(STR(FOREIGN_NEVER), facts_name(in->facts, found.callers[i].sym)) &&
		    (!who || found.callers[i].pct > who->pct))
			who = &found.callers[i];
	}
	if (who && who->pct >= FOREIGN_PCT)
		foreign_finding(in, out, who);
	else
		finding_clean(out, in, &rule_foreign_names,
			      "the functions that enter the kernel (%.1f %%) have plausible names",
			      found.all);
}

static const char *const foreign_overrules[] = { "text-conversion", "byte-loop", NULL };

const struct rule rule_foreign_names = {
	.id = "foreign-names",
	.title = "Wrong libc or kernel symbols",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.is_about_names = true,
	.doubts_libc = true,
	.overrules = foreign_overrules,
	.check = foreign_check,
};
