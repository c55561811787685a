/* SPDX-License-Identifier: MIT */
/*
 * The hottest instruction of an annotated function, and its usual meaning: a division, an atomic
 * operation, a load that misses the cache, a busy wait.
 *
 * Most events show the sample at a later instruction (skid): the next row, or the first row that
 * needs a loaded value. So the hottest row may be innocent. analyses/instruction.h then searches
 * backwards for the slow instruction, and the finding says so.
 *
 * In a recording, nobody selected the function, and in any loop over data a load has most of the
 * samples. So such a load shows a place, but no cause: it is a note that follows other findings.
 *
 * Thresholds: in a function of n instructions the mean share is 1/n. A note needs 5 % and four
 * times the mean, or 50 %; a warning needs 20 %. The share is certain, but the cause is only the
 * usual one. So the certainty of the finding is at most 75 %.
 */
#include "analyses/categories.h"
#include "analyses/code_loops.h"
#include "analyses/event_unit.h"
#include "analyses/instruction.h"
#include "analyses/roles.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/words/code_words.h"

DECLARE_RULE(costly_instruction);

#define COSTLY_NOTE_PCT 5.0
#define COSTLY_LEAD_PCT 20.0
#define COSTLY_AVERAGE  4.0
/*
 * From this share on, the finding is a note even if the share is less than four times the mean. (In
 * a short loop the mean is high.)
 */
#define COSTLY_MOST_PCT 50.0
#define COSTLY_SURE     75u
/*
 * Certainty for loads, since a cache miss is only the likely cause. Also used if the slow
 * instruction is two rows before the hottest row.
 */
#define COSTLY_LOAD_SURE 70u
#define COSTLY_FEW_SURE  60u
/* if the function has fewer samples, the certainty is COSTLY_FEW_SURE */
#define COSTLY_FEW 100u
/* if the function has fewer samples, the share of one instruction is mostly chance */
#define COSTLY_LEAST 20u
/*
 * In a recording, the hottest instruction must have this percentage of its function: with less, it
 * does not explain why the function is slow. A listing has no such limit, because a user selected
 * its function.
 */
#define COSTLY_RECORDED_PCT 30.0
/* The caller is named if it has at least this part (0 to 1) of the function's samples. */
#define COSTLY_CALLER_PART 0.5

static bool costly_is_worth(const struct code *code, const struct code_function *f,
			    const struct code_row *row)
{
	double n = 0;

	for (uint32_t i = f->first; i < f->first + f->n; i++)
		n += !code->rows.data[i].is_source;
	return row->self >= COSTLY_MOST_PCT ||
	       (row->self >= COSTLY_NOTE_PCT &&
		row->self >= COSTLY_AVERAGE * code_sum(code, f) / n);
}

/* The source line of the instruction, " (a.c:9)"; empty: unknown. */
static const char *costly_source(const struct rule_input *in, struct findings *out,
				 const struct code_row *row)
{
	struct str file = strings_get(capture_strings(in->capture), row->file);

	return file.len && row->number
		       ? finding_name(out, " (" STR_FMT ":%u)", STR_ARG(file), row->number)
		       : "";
}

static void costly_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct code_row *row)
{
	finding_evidence(out, f, in, row->line, "%.1f %% " STR_FMT "%s", row->self,
			 STR_ARG(code_words_text(in, row)), costly_source(in, out, row));
}

/*
 * The inlined function to which the profile charges the samples of @row. SYM_ID_NONE: the function
 * of the listing itself.
 */
static sym_id costly_inlined(const struct rule_input *in, const struct code_row *row)
{
	const struct fact_function *fn =
		in->profile && row->inlined.v
			? facts_by_name(in->profile,
					symbols_get(&in->facts->dossier->symbols, row->inlined)
						->canonical)
			: NULL;

	return fn && fn->self > 0 ? row->inlined : SYM_ID_NONE;
}

/* Name the caller of the sampled function @sym if it has most of the samples. */
static void costly_caller(const struct rule_input *in, struct findings *out, struct finding *f,
			  sym_id sym)
{
	const struct fact_function *fn =
		in->profile
			? facts_by_name(in->profile,
					symbols_get(&in->facts->dossier->symbols, sym)->canonical)
			: NULL;
	struct str name = facts_name(in->facts, sym);
	struct fact_caller caller;
	char pattern[1024]; /* for a name; templates of C++ have long ones */

	if (!fn || name.len >= sizeof(pattern) || str_glob(STR("*[*?|]*"), name))
		return;
	memcpy(pattern, name.p, name.len);
	pattern[name.len] = '\0';
	if (facts_callers(in->profile, pattern, NULL, &caller, 1) &&
	    caller.pct >= fn->self * COSTLY_CALLER_PART)
		finding_caller(out, f, in, &caller);
}

static void costly_why(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct instruction_blame *blame)
{
	const struct code_row *row = &in->code->rows.data[blame->row];

	finding_usual_cause(out, f, "%s", instruction_of(blame->kind)->cause);
	if (blame->is_operand)
		finding_because(
			out, f,
			"the place is measured; the instruction needs the value loaded by '" STR_FMT
			"' and waits for it",
			STR_ARG(code_words_text(in, row)));
	else if (blame->is_far)
		finding_because(out, f,
				"the place is measured; samples skid past a slow instruction, most "
				"likely '" STR_FMT "', two instructions before",
				STR_ARG(code_words_text(in, row)));
	else if (blame->is_skid)
		finding_because(
			out, f,
			"the place is measured; samples skid to the instruction after a slow "
			"one, here '" STR_FMT "'",
			STR_ARG(code_words_text(in, row)));
	else
		finding_because(out, f, "the place is measured; the reason is the usual one");
	finding_next(out, f, "%s", instruction_of(blame->kind)->next);
}

/*
 * Add a finding if the hot row is in a loop that only reads and compares. The thread then waits for
 * a variable that another thread changes, so the load is the cause, unlike in other loops. False:
 * there is no such loop.
 */
static bool costly_spin(const struct rule_input *in, struct findings *out,
			const struct code_function *fn, uint32_t hot)
{
	const struct code *code = in->code;
	struct code_loops loops = { 0 };
	const struct code_loop *loop;
	const struct code_row *row;
	double of_all = code_words_of_all(in, fn);
	struct finding *f;
	uint32_t load = INDEX_NONE;
	double self = 0;

	code_loops_find(code, capture_strings(in->capture), fn, &loops);
	loop = code_loops_around(&loops, hot);
	if (loop && instruction_only_reads(code, capture_strings(in->capture),
					   &loops.rows.data[loop->rows_at], loop->n, &load))
		self = loop->self;
	code_loops_fini(&loops);
	if (load == INDEX_NONE || self < COSTLY_RECORDED_PCT)
		return false;
	row = &code->rows.data[load];
	f = finding_add(out, in, &rule_costly_instruction,
			self >= COSTLY_MOST_PCT && !(fn->samples && fn->samples < COSTLY_FEW)
				? FINDING_WARNING
				: FINDING_NOTE,
			COSTLY_SURE);
	f->title = "Busy wait";
	f->impact = of_all > 0 ? self * of_all / 100 : self;
	finding_claim_of_code(
		out, f,
		"%.1f %% of %s%s" STR_FMT
		" %s a busy wait: a loop that only reads a variable and compares it, '" STR_FMT
		"'%s",
		self, code_words_unit(in).of, fn->sym.v ? " of " : "",
		STR_ARG(facts_name(in->facts, fn->sym)),
		code_words_unit(in).is_plural ? "are" : "is", STR_ARG(code_words_text(in, row)),
		costly_source(in, out, row));
	code_words_share(f, "share of its function", self, row->half, fn->samples);
	if (of_all > 0)
		finding_figure(f, "function's share of the profile", of_all, 0, "%");
	costly_evidence(in, out, f, row);
	if (fn->sym.v) {
		finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
		costly_caller(in, out, f, fn->sym);
	}
	finding_cause(out, f,
		      "The thread spins instead of sleeping until another thread, a signal or a "
		      "device changes the variable");
	finding_because(out, f,
			"no instruction of the loop changes what it reads or where it reads");
	finding_next(out, f,
		     "wait on a condition variable, a futex or an event; or spin briefly, then "
		     "sleep");
	return true;
}

/* Is @kind also usual in healthy code, such as a loop over data or a system call wrapper? */
static bool costly_is_usual(enum instruction_kind kind)
{
	return kind == INSTRUCTION_LOAD || kind == INSTRUCTION_CHASE || kind == INSTRUCTION_SYSCALL;
}

static void costly_finding(const struct rule_input *in, struct findings *out,
			   const struct code_function *fn, uint32_t hot)
{
	const struct code *code = in->code;
	const struct code_row *row = &code->rows.data[hot];
	struct instruction_blame blame =
		instruction_blame(code, capture_strings(in->capture), fn, hot);
	const struct code_row *blamed = &code->rows.data[blame.row];
	const struct event_unit unit = code_words_unit(in);
	double of_all = code_words_of_all(in, fn);
	bool is_few = fn->samples && fn->samples < COSTLY_FEW;
	bool is_place = in->profile && costly_is_usual(blame.kind);
	bool leads = row->self >= COSTLY_LEAD_PCT && !is_few && blame.kind != INSTRUCTION_HALT &&
		     !is_place;
	sym_id inlined = costly_inlined(in, row);
	struct finding *f;

	if (blame.kind == INSTRUCTION_OTHER) {
		finding_not_assessed(
			out, in, &rule_costly_instruction,
			"perf record -e cycles:pp, then perf annotate",
			STR_FMT " has %.1f %%, and this kind of instruction does not explain it",
			STR_ARG(code_words_text(in, row)), row->self);
		return;
	}
	f = finding_add(out, in, &rule_costly_instruction, leads ? FINDING_WARNING : FINDING_NOTE,
			is_few                                           ? COSTLY_FEW_SURE
			: blame.kind == INSTRUCTION_LOAD || blame.is_far ? COSTLY_LOAD_SURE
									 : COSTLY_SURE);
	f->is_general = is_place;
	f->impact = of_all > 0 ? row->self * of_all / 100 : row->self;
	finding_claim_of_code(
		out, f, "%.1f %% of %s%s" STR_FMT " %s %s that %s%s: '" STR_FMT "'%s", row->self,
		unit.of, fn->sym.v ? " of " : "", STR_ARG(facts_name(in->facts, fn->sym)),
		unit.is_plural ? "are" : "is",
		blame.is_far ? "two instructions after one" : "at an instruction",
		instruction_of(blame.kind)->does, blame.is_far ? ", and most likely its time" : "",
		STR_ARG(code_words_text(in, blamed)), costly_source(in, out, blamed));
	code_words_share(f, "share of its function", row->self, row->half, fn->samples);
	if (of_all > 0)
		finding_figure(f, "function's share of the profile", of_all, 0, "%");
	costly_evidence(in, out, f, row);
	if (blame.row != hot)
		costly_evidence(in, out, f, blamed);
	if (fn->sym.v)
		finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
	if (inlined.v)
		finding_subject(f, inlined, SUBJECT_EXPLAINED);
	if (fn->sym.v)
		costly_caller(in, out, f, inlined.v ? inlined : fn->sym);
	costly_why(in, out, f, &blame);
}

/*
 * Is @sym a function of a recording whose name shows its work, such as memcmp()? Then its callers
 * matter more than its instructions, and other rules name the callers. A PLT entry is such a
 * function, too: its jump always goes to one function.
 */
static bool costly_is_known_work(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	struct str name = sym.v ? facts_name(in->facts, sym) : STR_NONE;
	struct str module = symbols_module(symbols, sym);
	enum symbol_space space = (enum symbol_space)symbols_get(symbols, sym)->space;
	const struct fact_function *fn =
		in->profile && sym.v
			? facts_by_name(in->profile, symbols_get(symbols, sym)->canonical)
			: NULL;

	return fn && (str_ends(name, STR("@plt")) ||
		      (role_cause(role_of_name(name, module, space)) &&
		       (!facts_is_guessed(fn) || category_is_meant(fn->category, STR("libc")) ||
			!role_is_by_word(name, module, space))));
}

static void costly_function(const struct rule_input *in, struct findings *out,
			    const struct code_function *f)
{
	const struct code *code = in->code;
	uint32_t hot = INDEX_NONE;

	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &code->rows.data[i];

		if (!row->is_source && row->self > 0 &&
		    (hot == INDEX_NONE || row->self > code->rows.data[hot].self))
			hot = i;
	}
	if (hot == INDEX_NONE)
		finding_not_assessed(out, in, &rule_costly_instruction, "perf annotate --stdio",
				     "no instruction has a share");
	else if (f->samples && f->samples < COSTLY_LEAST)
		finding_not_assessed(
			out, in, &rule_costly_instruction,
			"perf record -F 999, longer: 100 samples of the function",
			"only %llu samples of " STR_FMT ": too few for one instruction",
			(unsigned long long)f->samples, STR_ARG(facts_name(in->facts, f->sym)));
	else if (costly_is_known_work(in, f->sym))
		finding_not_assessed(out, in, &rule_costly_instruction, "perf annotate --stdio",
				     "the name of " STR_FMT " shows its work",
				     STR_ARG(facts_name(in->facts, f->sym)));
	else if (costly_spin(in, out, f, hot))
		return;
	else if (costly_is_worth(code, f, &code->rows.data[hot]) &&
		 (!in->profile || code->rows.data[hot].self >= COSTLY_RECORDED_PCT))
		costly_finding(in, out, f, hot);
	else
		finding_clean(out, in, &rule_costly_instruction,
			      "the hottest instruction has only %.1f %%",
			      code->rows.data[hot].self);
}

static void costly_check(const struct rule_input *in, struct findings *out)
{
	if (!in->code->is_percent)
		return; /* rule source-line reports listings with only source lines */
	/*
	 * In a listing that was made from samples (in->profile is set), the event must count time:
	 * the causes of this rule do not hold for other events.
	 */
	if (in->profile && in->profile->unit.kind != EVENT_TIME)
		return;
	VEC_FOREACH (f, &in->code->functions)
		costly_function(in, out, f);
}

const struct rule rule_costly_instruction = {
	.id = "costly-instruction",
	.title = "Hot instruction",
	.needs = RULE_CODE,
	.check = costly_check,
};
