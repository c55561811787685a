/* SPDX-License-Identifier: MIT */
/*
 * A large share is in unresolved addresses. Kernel addresses: /proc/kallsyms was hidden
 * (kptr_restrict), the recording was read on another machine, or the code was generated at run
 * time. User addresses: static functions of a stripped library. Addresses of a guest ([g], [u]):
 * perf on the host has no symbols of the guest. Addresses that are close together are treated as
 * one function, so the finding names no single address.
 *
 * Threshold: 5 % in unknown functions, which can hide the third row of a profile. Any share is only
 * a note: the data lacks names, but the program may be healthy.
 */
#include "explain/signatures/signature.h"

#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(no_symbols);

#define NAMES_NOTE_PCT 5.0
/* addresses of a module belong to one group if each is at most this far from the previous one */
#define NAMES_GAP 0x100u
#define NAMES_MAX 20000u

struct names_address {
	str_id module;
	uint64_t address;
	const struct fact_function *function;
};

static int names_compare(const void *a, const void *b)
{
	const struct names_address *x = a;
	const struct names_address *y = b;

	if (x->module.v != y->module.v)
		return x->module.v < y->module.v ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* The group of close addresses with the largest share. */
struct names_cluster {
	double pct;
	uint64_t first, last;
	uint32_t line;
	str_id module;
	size_t n;
};

static struct names_cluster names_heaviest(const struct names_address *rows, size_t n)
{
	struct names_cluster best = { 0 };
	struct names_cluster now = { 0 };

	for (size_t i = 0; i < n; i++) {
		bool joins = now.n && rows[i].module.v == now.module.v &&
			     rows[i].address - now.last <= NAMES_GAP;

		if (!joins)
			now = (struct names_cluster){ .first = rows[i].address,
						      .module = rows[i].module,
						      .line = rows[i].function->line };
		now.last = rows[i].address;
		now.pct += rows[i].function->self;
		now.n++;
		if (now.pct > best.pct)
			best = now;
	}
	return best;
}

/* the two files with the largest shares in unknown functions, largest first */
struct names_files {
	str_id module[2]; /* module[1] or both are STR_ID_NONE: fewer than two such files */
	double pct[2];
};

static bool names_is_of_perf(const struct rule_input *in)
{
	return str_starts(str_of(in->capture->format), STR("perf"));
}

/*
 * Find the two files with the largest shares in unknown functions. @rows: the unresolved
 * addresses, sorted by module.
 */
static struct names_files names_files_of(const struct rule_input *in,
					 const struct names_address *rows, size_t n)
{
	/* these modules are no files: "[kernel]", "//anon", "/SYSV00000000", "perf-1234.map" */
	struct str no_file =
		names_is_of_perf(in)
			? STR("[*|/*|perf-*.map")
			: STR("[*|//*|/SYSV*|/dev/*|/memfd:*|/anon_hugepage*|*perf-*.map");
	struct names_files ret = { 0 };

	for (size_t i = 0, end; i < n; i = end) {
		struct str name = strings_get(capture_strings(in->capture), rows[i].module);
		double pct = 0;

		for (end = i; end < n && rows[end].module.v == rows[i].module.v; end++)
			pct += rows[end].function->self;
		if (name.len == 0 || str_glob(no_file, name))
			continue;
		for (size_t at = 0; at < 2; at++) {
			str_id module = rows[i].module;

			if (pct <= ret.pct[at])
				continue;
			if (at == 0) {
				ret.module[1] = ret.module[0];
				ret.pct[1] = ret.pct[0];
			}
			ret.module[at] = module;
			ret.pct[at] = pct;
			break;
		}
	}
	return ret;
}

static void names_next_files(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct names_files *files)
{
	const struct strings *strings = capture_strings(in->capture);
	bool has_two = files->pct[1] >= NAMES_NOTE_PCT;

	finding_next(out, f,
		     "debug symbols of " STR_FMT "%s" STR_FMT
		     " (-dbgsym, -debuginfo, or debuginfod), "
		     "then %s",
		     STR_ARG(strings_get(strings, files->module[0])), has_two ? " and " : "",
		     STR_ARG(has_two ? strings_get(strings, files->module[1]) : STR("")),
		     names_is_of_perf(in) ? "read the recording again" : "record again");
}

/* Whether no function of the profile has a name, because the format contains only addresses. */
static bool names_are_none(const struct rule_input *in)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	VEC_FOREACH (f, &in->profile->functions) {
		if (!(symbols_get(symbols, f->sym)->flags & SYMBOL_ADDRESS))
			return false;
	}
	return true;
}

/* maximum number of addresses in a command */
#define NAMES_FRAMES 4u

/*
 * The addresses of the heaviest stack whose innermost function is @top, innermost first: "0x12
 * 0x34". Callers are included, because all waits for locks have the same innermost function.
 * Without stacks, the address @first.
 */
static const char *names_stack(const struct rule_input *in, struct findings *out, sym_id top,
			       uint64_t first)
{
	const struct profile_facts *p = in->profile;
	const struct stacks *stacks = &in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(in->capture);
	const char *ret = "";
	stack_id best = { 0 };
	size_t n = 0;

	for (uint32_t i = 1; p->self && i < p->n_nodes; i++) {
		stack_id at = { i };

		if (p->self[i] && p->self[i] > p->self[best.v] && stacks_sym(stacks, at).v == top.v)
			best = at;
	}
	for (; best.v && n < NAMES_FRAMES; best = stacks_parent(stacks, best), n++) {
		sym_id sym = stacks_sym(stacks, best);
		struct str name = symbols_name(symbols, sym);

		if (!(symbols_get(symbols, sym)->flags & SYMBOL_ADDRESS) ||
		    !str_starts(name, STR("0x")))
			break;
		ret = finding_name(out, "%s%s" STR_FMT, ret, n ? " " : "", STR_ARG(name));
	}
	return n ? ret : finding_name(out, "0x%llx", (unsigned long long)first);
}

static const char *names_cause(const struct rule_input *in, double pct, double kernel, double guest,
			       bool is_generated)
{
	if (is_generated)
		return "The code was generated at run time (JIT), and the generator gave perf no "
		       "names";
	if (names_are_none(in))
		return "The profile holds only addresses. The program that was measured has the "
		       "names";
	if (guest > pct / 2)
		return "They belong to a virtual machine: perf on the host needs its symbols";
	return kernel > pct / 2 ? "Kernel symbols were hidden (kptr_restrict), or belong to "
				  "another machine"
				: "The library or program is stripped, or its code is generated "
				  "at run time";
}

/*
 * Is @address in the range where x86-64 and aarch64 map libraries and generated code? The program
 * itself is elsewhere.
 */
static bool names_is_mapped(uint64_t address)
{
	return (address >= 0x7e0000000000 && address < 0x800000000000) ||
	       (address >= 0xfff000000000 && address <= 0xffffffffffff);
}

/* Add the next step for addresses from a tool other than perf: find the file that has the name. */
static void names_next_address(const struct rule_input *in, struct findings *out, struct finding *f,
			       const struct names_cluster *c, const struct fact_function *top)
{
	if (names_is_mapped(c->first))
		finding_next(out, f,
			     "cat /proc/PID/maps, while the program runs: which library is at "
			     "0x%llx; then debug symbols of it (debuginfod), and record again",
			     (unsigned long long)c->first);
	else
		finding_next(
			out, f,
			"addr2line -fpie PROGRAM %s: function and line; of a library, subtract "
			"the address of its map",
			names_stack(in, out, top->sym, c->first));
}

/*
 * Whether @top, the heaviest unknown function, is in memory that contains code generated at run
 * time.
 */
static bool names_is_generated(const struct fact_function *top)
{
	return category_is_in(top->category, STR("jit"));
}

static void names_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			double pct, const struct names_cluster *c, uint32_t rows)
{
	struct str module = strings_get(capture_strings(in->capture), c->module);
	const char *verb = in->profile->unit.is_plural ? "are" : "is";

	if (rows == 1 && c->n == 1)
		finding_claim(out, f,
			      "%.1f %% of %s %s at one address without a name, 0x%llx%s" STR_FMT,
			      pct, in->profile->unit.of, verb, (unsigned long long)c->first,
			      module.len ? " of " : "", STR_ARG(module));
	else
		finding_claim(
			out, f,
			"%.1f %% of %s %s in unknown functions (%u address%s). %s%s" STR_FMT
			", %.1f %%",
			pct, in->profile->unit.of, verb, rows, rows == 1 ? "" : "es",
			c->first == c->last
				? finding_name(out, "Largest: 0x%llx", (unsigned long long)c->first)
				: finding_name(out, "Largest group: 0x%llx to 0x%llx",
					       (unsigned long long)c->first,
					       (unsigned long long)c->last),
			module.len ? " of " : "", STR_ARG(module), c->pct);
}

static void names_finding(const struct rule_input *in, struct findings *out, double pct, double err,
			  double kernel, double guest, const struct names_cluster *c,
			  const struct names_files *files, const struct fact_function *top,
			  uint32_t rows)
{
	struct finding *f = finding_add(out, in, &rule_no_symbols, FINDING_NOTE, 97);
	bool is_generated = names_is_generated(top);
	const struct profile_unnamed *unnamed = &in->capture->profile->unnamed;
	struct str why = strings_get(capture_strings(in->capture),
				     kernel > pct / 2 ? unnamed->kernel : unnamed->user);

	f->is_kind = true;
	/*
	 * The impact is half of the share, so that the finding comes after findings that name a
	 * cause.
	 */
	f->impact = pct / 2;
	names_claim(in, out, f, pct, c, rows);
	if (why.len && !(guest > pct / 2))
		finding_usual_cause(out, f, STR_FMT, STR_ARG(why));
	else
		finding_usual_cause(out, f, "%s",
				    names_cause(in, pct, kernel, guest, is_generated));
	finding_because(out, f, "the addresses are printed, and none has a name");
	finding_share(f, in, "unknown functions", pct, err);
	if (guest > 0)
		finding_figure(f, "in a virtual machine", guest, 0, "%");
	else
		finding_figure(f, "in the kernel", kernel, 0, "%");
	finding_figure(f, "largest group of addresses", c->pct, 0, "%");
	finding_function(out, f, in, top);
	if (c->n > 1)
		finding_evidence(out, f, in, c->line, "first of a group of %zu addresses", c->n);
	if (guest > pct / 2)
		finding_next(
			out, f,
			"perf kvm --host --guest --guestkallsyms=FILE --guestmodules=FILE report, "
			"with files copied from the guest: its names");
	else if (why.len && kernel > pct / 2)
		finding_next(out, f,
			     "cp /proc/kallsyms kallsyms (as root, on the machine that recorded "
			     "it), then "
			     "assay explain --kallsyms kallsyms FILE: kernel names");
	else if (kernel > pct / 2)
		finding_next(out, f,
			     "sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1; then "
			     "record again: kernel names");
	else if (is_generated)
		finding_next(
			out, f,
			"run the program with the option of its runtime that writes "
			"/tmp/perf-*.map (node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, "
			"DOTNET_PerfMapEnabled=1, python -X perf), and record again: names");
	else if (!files->module[0].v && !names_is_of_perf(in) && c->n)
		names_next_address(in, out, f, c, top);
	else if ((in->capture->first_line && names_is_of_perf(in)) || !files->module[0].v)
		finding_next(out, f,
			     "perf report --sort dso,sym on the machine that recorded it; or "
			     "install debug "
			     "symbols (debuginfod)");
	else
		names_next_files(in, out, f, files);
}

static void names_check(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	struct names_address *rows;
	const struct fact_function *top = NULL;
	double pct = 0;
	double err = 0;
	double kernel = 0;
	double guest = 0; /* share of the unknown functions that belong to a virtual machine */
	uint32_t printed = 0;
	size_t n = 0;

	if (p->functions.len == 0)
		return;
	rows = xcalloc(p->functions.len, sizeof(*rows));
	VEC_FOREACH (f, &p->functions) {
		const struct symbol *s = symbols_get(symbols, f->sym);
		struct str name = symbols_name(symbols, f->sym);
		uint64_t address;

		if (!(s->flags & SYMBOL_ADDRESS) || !str_starts(name, STR("0x")))
			continue;
		if (!top)
			top = f;
		pct += f->self;
		err += f->self_err;
		/*
		 * Count only functions that were sampled. A share of exactly 0 means that the
		 * function only calls others; but 0.00 in a printed table may be a rounded share.
		 */
		printed += f->self > 0 || f->self_err > 0;
		name = str_skip(name, 2);
		if (!str_hex64(&name, &address))
			continue;
		if (s->space == SPACE_GUEST_KERNEL || s->space == SPACE_GUEST_USER)
			guest += f->self;
		else
			kernel +=
				s->space == SPACE_KERNEL || address >> 47 == 0x1ffff ? f->self : 0;
		if (n < NAMES_MAX)
			rows[n++] = (struct names_address){ s->module, address, f };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), names_compare);
	if (top && pct >= NAMES_NOTE_PCT) {
		struct names_cluster c = names_heaviest(rows, n);

		struct names_files files = names_files_of(in, rows, n);

		names_finding(in, out, pct, err, kernel, guest, &c, &files, top, printed);
	} else {
		finding_clean(out, in, &rule_no_symbols, "%.1f %% in unknown functions", pct);
	}
	free(rows);
}

const struct rule rule_no_symbols = {
	.id = "no-symbols",
	.title = "Unknown functions (missing symbols)",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.hides_pct = NAMES_NOTE_PCT,
	.check = names_check,
	.is_about_names = true,
	.doubt = "unsymbolised",
};
