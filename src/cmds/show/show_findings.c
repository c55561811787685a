/* SPDX-License-Identifier: MIT */
#include "cmds/show/show_findings.h"

#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "analyses/roles.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/kinds/threads.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

/* "3 of 12" is printed as a count, not as a percentage, if the whole (12) is below this number */
#define FINDINGS_FEW 20u
/*
 * rounding error of a figure with two decimals: half a unit of the last decimal, and a little more
 */
#define FINDINGS_ROUNDING      0.0051
#define FINDINGS_QUOTE_COLUMNS 200u
/* above this percentage, a sum is more than 100 % even after rounding errors are subtracted */
#define FINDINGS_WHOLE_PCT 100.5
/* a claim longer than this is split into clauses, one per line */
#define FINDINGS_TITLE_BYTES 160u
/* a long claim is not split if at most this many bytes follow its first clause */
#define FINDINGS_CLAUSE_BYTES 80u
/*
 * If there are more lines than this, equal lines are not joined: comparing all lines would take
 * quadratic time.
 */
#define FINDINGS_COMPARED 3000u

/* Format a number: integers and large numbers without decimals, others with two decimals. */
static struct str findings_number(struct show *s, double v)
{
	if (fabs(v - round(v)) < 0.005 && fabs(v) < 1e15 && (v == floor(v) || fabs(v) >= 0.995))
		return show_format(s, "%.0f", v);
	if (fabs(v) >= 1000)
		return show_format(s, "%.0f", v);
	return show_format(s, fabs(v) < 0.01 ? "%.3g" : "%.2f", v);
}

/* Format a unit as other commands print it: " µs". */
static struct str findings_unit(struct show *s, const char *unit)
{
	if (!unit || !*unit)
		return STR("");
	return strcmp(unit, "us") == 0 ? STR(" µs") : show_format(s, " %s", unit);
}

/*
 * Whether @g is a time that finding_time() formats: microseconds, or a large number of ms or s. "20
 * min" is easier to read than "1201525 ms". @ret_ns: the time.
 */
static bool findings_is_time(const struct finding_figure *g, struct str unit, double *ret_ns)
{
	static const struct {
		const char *unit;
		double ns, from;
	} units[] = { { " µs", 1e3, 0 }, { " ms", 1e6, 10e9 }, { " s", 1e9, 600e9 } };

	if (g->low < g->high)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		*ret_ns = g->value * units[i].ns;
		if (str_eq(unit, str_of(units[i].unit)))
			return *ret_ns >= units[i].from &&
			       g->err <= (units[i].from > 0 ? g->value / 1000 : 0);
	}
	return false;
}

static void findings_figure_text(struct show *s, const struct finding_figure *g, bool is_first)
{
	struct str value = findings_number(s, g->value);
	struct str unit = findings_unit(s, g->unit);
	struct str more = STR("");
	double ns;

	if (g->of && g->of < FINDINGS_FEW) {
		view_line(s->v, is_first ? "Figures" : NULL, "%s: %.0f of %" PRIu64, g->name,
			  g->value * (double)g->of / 100, g->of);
		return;
	}
	if (findings_is_time(g, unit, &ns)) {
		view_line(s->v, is_first ? "Figures" : NULL, "%s: " STR_FMT, g->name,
			  STR_ARG(finding_time(&s->scratch, (uint64_t)llround(ns))));
		return;
	}
	if (str_eq(str_of(g->name), str_trim(unit)))
		unit = STR("");
	if (g->of)
		unit = show_format(s, STR_FMT " of %" PRIu64, STR_ARG(unit), g->of);
	/* omit an interval whose limits are printed as the same number */
	if (g->low < g->high && !str_eq(findings_number(s, g->low), findings_number(s, g->high)))
		more = show_format(s, " (95 %%: " STR_FMT " to " STR_FMT ")",
				   STR_ARG(findings_number(s, g->low)),
				   STR_ARG(findings_number(s, g->high)));
	else if (g->low < g->high)
		more = STR("");
	/* the error is at least as large as the value, so the printed interval begins at 0 */
	else if (g->value > 0 && g->err >= g->value)
		more = show_format(s, " (0 to " STR_FMT ")",
				   STR_ARG(findings_number(s, g->value + g->err)));
	/* omit an error that is smaller than the rounding of the printed digits */
	else if (g->err > FINDINGS_ROUNDING && (fabs(g->value) < 1000 || g->err >= 0.5))
		more = show_format(s, " ± " STR_FMT, STR_ARG(findings_number(s, g->err)));
	view_line(s->v, is_first ? "Figures" : NULL, "%s: " STR_FMT STR_FMT STR_FMT, g->name,
		  STR_ARG(value), STR_ARG(g->low < g->high ? unit : more),
		  STR_ARG(g->low < g->high ? more : unit));
}

static bool findings_is_none(const struct finding_figure *g)
{
	bool is_count = !g->unit || !*g->unit || strcmp(g->unit, "%") == 0;

	return is_count && !g->text && g->value == 0 && g->err <= 0 && g->low >= g->high;
}

static void findings_figures(struct show *s, const struct finding *f)
{
	size_t n = 0; /* number of printed figures */

	view_list(s->v, "figures");
	for (size_t i = 0; i < f->figures.len; i++) {
		const struct finding_figure *g = &f->figures.data[i];

		view_object(s->v, NULL, NULL);
		view_field(s->v, "name", NULL, cell_word(g->name));
		view_field(s->v, "value", NULL, cell_real(g->value, -1));
		view_field(s->v, "err", NULL,
			   cell_real(g->low < g->high ? (g->high - g->low) / 2 : g->err, -1));
		if (g->low < g->high) {
			if (g->of)
				view_field(s->v, "of", NULL, cell_count(g->of));
			view_field(s->v, "low", NULL, cell_real(g->low, -1));
			view_field(s->v, "high", NULL, cell_real(g->high, -1));
		}
		view_field(s->v, "unit", NULL, cell_word(g->unit ? g->unit : ""));
		view_object_end(s->v);
		/*
		 * omit a count of 0 next to other figures, because it only says that nothing was
		 * found
		 */
		if (!s->is_brief && f->figures.len > 1 && findings_is_none(g))
			continue;
		if (!s->is_brief && g->text)
			view_line(s->v, n == 0 ? "Figures" : NULL, "%s: %s", g->name, g->text);
		else if (!s->is_brief)
			findings_figure_text(s, g, n == 0);
		n++;
	}
	view_list_end(s->v);
}

/* Write the functions that the finding's texts name, for programs that read JSON. */
static void findings_subjects(struct show *s, const struct finding *f)
{
	static const char *const parts[] = {
		[SUBJECT_EXPLAINED] = "explained",
		[SUBJECT_LISTED] = "listed",
		[SUBJECT_CALLER] = "caller",
	};
	const struct symbols *symbols = &s->session->dossier->symbols;

	if (f->subjects.len == 0)
		return;
	view_list(s->v, "subjects");
	VEC_FOREACH (subject, &f->subjects) {
		enum role role = role_of_name(symbols_canonical(symbols, subject->sym),
					      symbols_module(symbols, subject->sym),
					      symbols_get(symbols, subject->sym)->space);

		view_object(s->v, NULL, NULL);
		view_field(s->v, "symbol", NULL, cell_text(symbols_name(symbols, subject->sym)));
		view_field(s->v, "module", NULL, cell_text(symbols_module(symbols, subject->sym)));
		view_field(s->v, "part", NULL, cell_word(parts[subject->role]));
		view_field(s->v, "role", NULL,
			   role == ROLE_NONE ? cell_null() : cell_word(role_name(role)));
		view_field(s->v, "share_pct", NULL,
			   subject->share >= 0 ? cell_real(subject->share, -1) : cell_null());
		view_object_end(s->v);
	}
	view_list_end(s->v);
}

/* a longer label is a sentence, not a name, and is not printed */
#define FINDINGS_LABEL_BYTES 32u
#define FINDINGS_ALSO        8u /* maximum number of other captures that a finding names in text */

bool show_finding_is_of_both(const struct show *s, const struct finding *f)
{
	return f->also.len == 1 && f->also.data[0].capture != f->capture &&
	       s->session->dossier->captures.len == 2;
}

/*
 * The quoted label of a table. Returns "" if the table has no label, or if it is the only table of
 * its kind.
 */
static struct str findings_label(struct show *s, const struct capture *c)
{
	const struct dossier *d = s->session->dossier;
	struct str label = show_string(s, c->counters  ? c->counters->label
					  : c->metrics ? c->metrics->label
						       : c->title);
	size_t n = 0;

	if (label.len == 0 || label.len > FINDINGS_LABEL_BYTES)
		return STR("");
	VEC_FOREACH (other, &d->captures)
		n += c->counters  ? (*other)->counters != NULL
		     : c->metrics ? (*other)->metrics != NULL
				  : (*other)->format == c->format;
	return n > 1 ? show_format(s, "'" STR_FMT "'", STR_ARG(label)) : STR("");
}

struct str show_finding_label(struct show *s, const struct finding *f)
{
	const struct dossier *d = s->session->dossier;
	struct str label = f->capture < d->captures.len
				   ? findings_label(s, d->captures.data[f->capture])
				   : STR("");

	/*
	 * the finding itself names its capture, or both sides of a comparison: no label is needed
	 */
	return f->rule->needs & RULE_DOSSIER || show_finding_is_of_both(s, f) || f->names_capture
		       ? STR("")
		       : label;
}

/*
 * Format the side of a printed comparison to which the capture belongs: " (after)"; "" if there is
 * none.
 */
static struct str findings_side(struct show *s, const struct capture *c)
{
	struct str side = capture_note_of(c, STR("side"));

	return side.len ? show_format(s, " (" STR_FMT ")", STR_ARG(side)) : STR("");
}

/*
 * The text of findings_side(). If this is empty, the label of the table in brackets: " ('after')".
 */
static struct str findings_name(struct show *s, const struct capture *c)
{
	struct str side = findings_side(s, c);
	struct str label = findings_label(s, c);

	return side.len || label.len == 0 ? side : show_format(s, " (" STR_FMT ")", STR_ARG(label));
}

/*
 * Format the value of the finding's first figure in another capture: "self share 12.3 %". If this
 * figure has no unit, return the first clause of the claim.
 */
static struct str findings_also_text(struct show *s, const struct finding *f,
				     const struct finding_also *a)
{
	struct str unit = findings_unit(s, a->unit);

	if (unit.len == 0 || f->figures.len == 0)
		return show_front_clause(a->claim);
	return show_format(s, "%s " STR_FMT STR_FMT, f->figures.data[0].name,
			   STR_ARG(findings_number(s, a->value)), STR_ARG(unit));
}

/* Print the other captures that have the same finding. */
static void findings_also(struct show *s, const struct finding *f)
{
	const struct dossier *d = s->session->dossier;

	if (f->also.len == 0)
		return;
	view_list(s->v, "also");
	for (size_t i = 0; i < f->also.len; i++) {
		const struct finding_also *a = &f->also.data[i];
		const struct capture *c = d->captures.data[a->capture];

		view_object(s->v, NULL, NULL);
		view_field(s->v, "path", NULL, show_name(s, a->place.path));
		view_field(s->v, "line", NULL,
			   a->place.line ? cell_line(a->place.line) : cell_null());
		view_field(s->v, "claim", NULL, cell_text(a->claim));
		view_object_end(s->v);
		if (!s->is_brief && i < FINDINGS_ALSO)
			view_line(s->v, i == 0 ? "Also" : NULL, STR_FMT STR_FMT ": " STR_FMT,
				  STR_ARG(a->capture == f->capture && a->place.line
						  ? show_format(s, "line %" PRIu32, a->place.line)
						  : show_lines(s, c->first_line, c->last_line)),
				  STR_ARG(findings_name(s, c)),
				  STR_ARG(findings_also_text(s, f, a)));
	}
	if (!s->is_brief && f->also.len > FINDINGS_ALSO)
		view_line(s->v, NULL, "%zu more", f->also.len - FINDINGS_ALSO);
	view_list_end(s->v);
}

/* Whether citations need no path, because @path is the only input. */
static bool findings_is_obvious(const struct show *s, str_id path)
{
	const struct dossier *d = s->session->dossier;

	return d->inputs.len == 1 && d->inputs.data[0].path.v == path.v;
}

static struct str findings_place(struct show *s, const struct finding_evidence *e)
{
	if (!e->path.v)
		return STR("");
	if (findings_is_obvious(s, e->path))
		return e->line ? show_format(s, "L%" PRIu32, e->line) : STR("");
	if (!e->line)
		return show_string(s, e->path);
	return show_format(s, STR_FMT ":%" PRIu32, STR_ARG(show_string(s, e->path)), e->line);
}

/* The thread of the dump @c whose frames contain line @line; NULL: none. */
static const struct thread_row *findings_thread_at(const struct capture *c, uint32_t line)
{
	VEC_FOREACH (row, &c->threads->rows) {
		const struct thread_frame *frames = threads_frames(c->threads, row);

		if (row->n_frames && frames[0].line <= line &&
		    frames[row->n_frames - 1].line >= line)
			return row;
	}
	return NULL;
}

/* The thread whose frames both @a and @b cite; NULL: they cite something else. */
static const struct thread_row *findings_thread_of(const struct show *s, const struct finding *f,
						   const struct finding_evidence *a,
						   const struct finding_evidence *b)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *c =
		f->capture < d->captures.len ? d->captures.data[f->capture] : NULL;
	const struct thread_row *row;

	if (!c || !c->threads || c->threads->is_sessions || a->path.v != b->path.v)
		return NULL;
	row = findings_thread_at(c, a->line);
	return row && row == findings_thread_at(c, b->line) ? row : NULL;
}

/* Whether a dump has frames between @a and @b, which cite two frames of one thread. */
static bool findings_is_gap(const struct show *s, const struct finding *f,
			    const struct finding_evidence *a, const struct finding_evidence *b)
{
	const struct thread_row *row = findings_thread_of(s, f, a, b);

	for (uint32_t i = 0; row && i < row->n_frames; i++) {
		const struct thread_frame *frame =
			threads_frames(s->session->dossier->captures.data[f->capture]->threads,
				       row) +
			i;

		if (frame->line > a->line && frame->line < b->line)
			return true;
	}
	return false;
}

static void findings_evidence(struct show *s, const struct finding *f)
{
	view_list(s->v, "evidence");
	for (size_t i = 0; i < f->evidence.len; i++) {
		const struct finding_evidence *e = &f->evidence.data[i];
		struct str text = str_sub(str_trim(e->text), 0, FINDINGS_QUOTE_COLUMNS);
		char quote[FINDINGS_QUOTE_COLUMNS];
		struct str place;
		bool is_cut;

		/* replace tabs by blanks, because tab stops of the input do not apply here */
		for (size_t k = 0; k < text.len; k++)
			quote[k] = text.p[k] == '\t' ? ' ' : text.p[k];
		is_cut = text.len < str_trim(e->text).len;

		view_object(s->v, NULL, NULL);
		view_field(s->v, "path", NULL, show_name(s, e->path));
		view_field(s->v, "line", NULL, e->line ? cell_line(e->line) : cell_null());
		view_field(s->v, "text", NULL, cell_text(e->text));
		view_object_end(s->v);
		place = findings_place(s, e);
		if (!s->is_brief && i && findings_is_gap(s, f, &f->evidence.data[i - 1], e))
			view_line(s->v, NULL, "…");
		if (!s->is_brief)
			view_line(s->v, i == 0 ? "Evidence" : NULL, STR_FMT "%s" STR_FMT "%s",
				  STR_ARG(place), place.len ? "  " : "",
				  STR_ARG(((struct str){ quote, text.len })), is_cut ? " …" : "");
	}
	view_list_end(s->v);
}

/* repeat a text below this length, because "as for finding 2" is not shorter */
#define FINDINGS_AGAIN_BYTES 40u
/* maximum number of findings, from the first on, that are searched for an equal text */
#define FINDINGS_AGAIN 256u

enum findings_text { FINDINGS_CAUSE, FINDINGS_BECAUSE, FINDINGS_NEXT };

static bool findings_is_same_text(const struct finding *a, const struct finding *b,
				  enum findings_text which)
{
	if (which == FINDINGS_CAUSE)
		return a->cause_is_usual == b->cause_is_usual && str_eq(a->cause, b->cause);
	if (which == FINDINGS_BECAUSE)
		return a->sure_because.len + a->unknown.len >= FINDINGS_AGAIN_BYTES &&
		       str_eq(a->sure_because, b->sure_because) && str_eq(a->unknown, b->unknown);
	if (a->next.len != b->next.len)
		return false;
	for (size_t i = 0; i < a->next.len; i++) {
		if (!str_eq(a->next.data[i], b->next.data[i]))
			return false;
	}
	return a->next.len > 0;
}

/*
 * Find the first finding with the same text as finding @number. Returns its number, from 1, which
 * `explain` prints instead of the text. Returns 0 if the text must be printed: no earlier finding
 * has it, the page shows only one finding, or -v is given.
 */
static uint32_t findings_again(const struct show *s, const struct findings *all, uint32_t number,
			       enum findings_text which)
{
	const struct finding *f = &all->rows.data[number];

	for (uint32_t i = 0; i < number && i < FINDINGS_AGAIN && !s->is_verbose && !s->only; i++) {
		if (all->rows.data[i].overruled_by == INDEX_NONE &&
		    findings_is_same_text(f, &all->rows.data[i], which))
			return i + 1;
	}
	return 0;
}

/* Print each of several causes, with the observation that separates it from the others. */
static void findings_causes(struct show *s, const struct finding *f)
{
	VEC_FOREACH (c, &f->causes)
		view_line(s->v, c == f->causes.data ? "Causes" : NULL, "- " STR_FMT "%s" STR_FMT,
			  STR_ARG(c->cause), c->sign.len ? ", if " : "", STR_ARG(c->sign));
}

/*
 * Print cause, certainty and next steps of finding @number. If an earlier finding has the same
 * text, print the number of that finding instead.
 */
static void findings_say(struct show *s, const struct findings *all, uint32_t number)
{
	const struct finding *f = &all->rows.data[number];
	uint32_t cause = findings_again(s, all, number, FINDINGS_CAUSE);
	uint32_t because = findings_again(s, all, number, FINDINGS_BECAUSE);
	uint32_t next = findings_again(s, all, number, FINDINGS_NEXT);

	if (f->cause.len && cause)
		view_line(s->v, f->causes.len ? "Causes" : finding_cause_label(f),
			  "as for finding %" PRIu32, cause);
	else if (f->causes.len)
		findings_causes(s, f);
	else if (f->cause.len)
		view_line(s->v, finding_cause_label(f), STR_FMT, STR_ARG(f->cause));
	if (because)
		view_line(s->v, "Confidence", "%s, as for finding %" PRIu32, finding_sure_word(f),
			  because);
	else
		view_line(s->v, "Confidence", "%s" STR_FMT "%s" STR_FMT, finding_sure_word(f),
			  STR_ARG(s->is_verbose && !f->is_place
					  ? show_format(s, " (%u %%)", f->sure)
					  : STR("")),
			  f->sure_because.len ? ": " : "", STR_ARG(f->sure_because));
	if (f->unknown.len && !because)
		view_line(s->v, "Not known", STR_FMT, STR_ARG(f->unknown));
	if (f->overruled_by != INDEX_NONE)
		view_line(s->v, "See", "%s finding %" PRIu32,
			  finding_is_evidence(f) ? "the same cost as" : "explained by",
			  f->overruled_by + 1);
	if (next)
		view_line(s->v, "Next", "as for finding %" PRIu32, next);
	for (size_t i = 0; i < f->next.len && !next; i++)
		view_line(s->v, i == 0 ? "Next" : NULL, "%s" STR_FMT, f->next.len > 1 ? "- " : "",
			  STR_ARG(f->next.data[i]));
}

/* Write several causes as a list of objects, for programs that read JSON. */
static void findings_causes_json(struct show *s, const struct finding *f)
{
	if (f->causes.len == 0)
		return;
	view_list(s->v, "causes");
	VEC_FOREACH (c, &f->causes) {
		view_object(s->v, NULL, NULL);
		view_field(s->v, "cause", NULL, cell_text(c->cause));
		view_field(s->v, "if", NULL, c->sign.len ? cell_text(c->sign) : cell_none());
		view_object_end(s->v);
	}
	view_list_end(s->v);
}

/* Write the texts of finding @number: cause, certainty, next steps and so on. */
static void findings_words(struct show *s, const struct findings *all, uint32_t number)
{
	const struct finding *f = &all->rows.data[number];

	view_field(s->v, "cause", NULL, f->cause.len ? cell_text(f->cause) : cell_null());
	if (f->cause.len)
		view_field(s->v, "cause_is", NULL,
			   cell_word(f->cause_is_usual ? "usual" : "shown"));
	findings_causes_json(s, f);
	view_field(s->v, "sure_because", NULL,
		   f->sure_because.len ? cell_text(f->sure_because) : cell_none());
	view_field(s->v, "not_known", NULL, f->unknown.len ? cell_text(f->unknown) : cell_none());
	if (f->overruled_by != INDEX_NONE)
		view_field(s->v, "overruled_by", NULL, cell_count(f->overruled_by));
	view_list(s->v, "next");
	VEC_FOREACH (n, &f->next)
		view_field(s->v, NULL, NULL, cell_text(*n));
	view_list_end(s->v);
	if (s->is_brief) {
		if (f->overruled_by == INDEX_NONE)
			show_front_finding(s, all, number);
		return;
	}
	findings_say(s, all, number);
}

/*
 * Whether the first evidence of both findings is the same line. The findings then report the same
 * problem.
 */
static bool findings_is_same_place(const struct finding *a, const struct finding *b)
{
	const struct finding_evidence *x = a->evidence.data;
	const struct finding_evidence *y = b->evidence.data;

	return a->evidence.len && b->evidence.len && x->line && x->path.v == y->path.v &&
	       x->line == y->line;
}

/*
 * Print the findings that finding @number overrules, one per line. @is_evidence: print those that
 * are about the same cost as finding @number. False: print those that finding @number explains.
 */
static void findings_overruled(struct show *s, const struct findings *f, uint32_t number,
			       bool is_evidence)
{
	size_t n = 0;

	for (uint32_t i = number + 1; !s->is_brief && i < f->rows.len; i++) {
		const struct finding *row = &f->rows.data[i];

		if (row->overruled_by != number || finding_is_evidence(row) != is_evidence ||
		    findings_is_same_place(row, &f->rows.data[number]))
			continue;
		if (n < FINDINGS_ALSO)
			view_line(s->v,
				  n             ? NULL
				  : is_evidence ? "Same cost"
						: "Explains",
				  STR_FMT " [%s]", STR_ARG(show_front_clause(row->claim)),
				  row->rule->id);
		n++;
	}
	if (n > FINDINGS_ALSO)
		view_line(s->v, NULL, "%zu more", n - FINDINGS_ALSO);
}

/* Whether the input of @c contains another recording of the same event. */
static bool findings_is_one_of(const struct dossier *d, const struct capture *c)
{
	if (!c->profile || c->threads || c->excerpt_of != INDEX_NONE)
		return false;
	VEC_FOREACH (at, &d->captures) {
		const struct capture *other = *at;

		if (other != c && other->profile && other->path.v == c->path.v &&
		    other->profile->event.v == c->profile->event.v &&
		    other->excerpt_of == INDEX_NONE && other->first_line != c->first_line)
			return true;
	}
	return false;
}

/* For each profile, write which part of its cost the findings explain. */
static void findings_accounts(struct show *s, const struct findings *f)
{
	const struct dossier *d = s->session->dossier;

	view_list(s->v, "explained");
	VEC_FOREACH (a, &f->accounts) {
		const struct capture *c = d->captures.data[a->capture];
		struct event_unit unit = event_unit_of(c);
		/* the share is of the sum of an excerpt, not of a printed total */
		bool is_text = quality_is_part(c) && c->profile && !c->profile->has_event_count &&
			       c->profile->unit != WEIGHT_PERCENT;
		struct str lines = findings_is_one_of(d, c)
					   ? show_lines(s, c->first_line, c->last_line)
					   : STR_NONE;

		view_object(s->v, NULL, NULL);
		view_field(s->v, "path", NULL, show_name(s, c->path));
		view_field(s->v, "line", NULL, cell_line(c->first_line));
		view_field(s->v, "share_pct", NULL, cell_real(a->pct, -1));
		view_field(s->v, "of", NULL, cell_text(str_of(unit.of)));
		view_object_end(s->v);
		if (!s->is_brief && f->accounts.len == 1)
			view_line(s->v, "Explained",
				  "the findings cover %.1f %% of %s%s" STR_FMT "%s", a->pct,
				  unit.of, lines.len ? " in " : "", STR_ARG(lines),
				  is_text && !lines.len ? " in the text" : "");
	}
	view_list_end(s->v);
}

/*
 * Print the title of a finding. If its claim is long, the title is the first clause, and the other
 * clauses follow, one per line.
 */
static void findings_title(struct show *s, const struct finding *row, uint32_t number)
{
	struct str rest = row->claim;
	struct str title = rest;
	size_t n = 0;

	if (rest.len > FINDINGS_TITLE_BYTES)
		title = show_front_clause(rest);
	if (rest.len - title.len <= FINDINGS_CLAUSE_BYTES)
		title = rest;
	view_heading(s->v, show_format(s, "%" PRIu32 ".", number + 1), STR_FMT " [%s, %s]",
		     STR_ARG(title), finding_severity_name(row->severity), row->rule->id);
	for (rest = str_skip(rest, title.len); rest.len; rest = str_skip(rest, title.len)) {
		/* skip the ";" or "." that ends the previous clause */
		rest = str_trim(str_skip(rest, 1));
		title = show_front_clause(rest);
		view_line(s->v, n++ ? NULL : "In full", "- " STR_FMT, STR_ARG(title));
	}
}

/*
 * If the input contains several recordings of the event, print the lines of the recording that the
 * finding is about. Shares of different recordings have different totals.
 */
static void findings_recording(struct show *s, const struct finding *row)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *c =
		row->capture < d->captures.len ? d->captures.data[row->capture] : NULL;

	if (c && row->rule->needs & RULE_PROFILE && findings_is_one_of(d, c))
		view_line(s->v, "In", STR_FMT, STR_ARG(show_lines(s, c->first_line, c->last_line)));
	else if (c && c->counters && row->also.len == 0 && show_finding_label(s, row).len)
		view_line(s->v, "In", STR_FMT STR_FMT,
			  STR_ARG(show_lines(s, c->first_line, c->last_line)),
			  STR_ARG(findings_name(s, c)));
}

static void findings_one(struct show *s, const struct findings *f, uint32_t number)
{
	const struct finding *row = &f->rows.data[number];

	if (!s->is_brief) {
		findings_title(s, row, number);
		findings_recording(s, row);
	}
	view_object(s->v, NULL, NULL);
	view_field(s->v, "rule", NULL, cell_word(row->rule->id));
	view_field(s->v, "title", NULL, cell_word(row->title ? row->title : row->rule->title));
	view_field(s->v, "claim", NULL, cell_text(row->claim));
	view_field(s->v, "severity", NULL, cell_word(finding_severity_name(row->severity)));
	view_field(s->v, "sure", NULL, cell_count(row->sure));
	view_field(s->v, "certainty", NULL, cell_word(finding_sure_word(row)));
	findings_figures(s, row);
	findings_subjects(s, row);
	findings_also(s, row);
	findings_overruled(s, f, number, true);
	if (!s->is_verbose)
		findings_overruled(s, f, number, false);
	findings_evidence(s, row);
	findings_words(s, f, number);
	view_object_end(s->v);
}

/* Whether the shares of the findings about one capture add up to more than 100 %. */
static bool findings_overlap(const struct show *s, const struct findings *f)
{
	size_t n = s->session->dossier->captures.len;
	CLEANUP(freep) double *sums = xcalloc(n + 1, sizeof(*sums));

	VEC_FOREACH (row, &f->rows) {
		if (row->overruled_by != INDEX_NONE || row->capture >= n)
			continue;
		sums[row->capture] += row->impact;
		if (sums[row->capture] > FINDINGS_WHOLE_PCT)
			return true;
	}
	return false;
}

/*
 * If all findings are about one profile, print what their percentages refer to: "of CPU time (255
 * samples of cpu-clock)". If the shares overlap, print that, too.
 */
static void findings_shares(struct show *s, const struct findings *f)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *one = NULL;
	bool are_several = false;
	struct event_unit unit = { .of = "the profile" };
	struct str text = STR("");
	struct str size;

	VEC_FOREACH (row, &f->rows) {
		const struct capture *c =
			row->capture < d->captures.len ? d->captures.data[row->capture] : NULL;

		if (!c || !c->profile || c->threads)
			continue;
		are_several |= one && one != c;
		one = c;
	}
	if (one && !are_several)
		unit = event_unit_of(one);
	if (!str_eq(str_of(unit.of), STR("the profile"))) {
		size = one->profile->has_n_samples ? show_size(s, one)
		       : one->profile->has_event_count && event_unit_is_bytes(&unit)
			       ? show_amount(s, (double)one->profile->event_count, STR("bytes"))
			       : STR("");
		text = show_format(s, "of %s%s" STR_FMT "%s", unit.of, size.len ? " (" : "",
				   STR_ARG(size), size.len ? ")" : "");
	}
	if (findings_overlap(s, f))
		text = text.len ? show_format(s, STR_FMT "; findings overlap, so do not add them",
					      STR_ARG(text))
				: STR("overlap between findings, so do not add them");
	if (text.len)
		view_line(s->v, "Shares", STR_FMT, STR_ARG(text));
}

void show_findings(struct show *s, const struct findings *f, size_t max)
{
	bool is_brief = s->is_brief;

	if (!is_brief && !s->only)
		findings_shares(s, f);

	if (f->accounts.len)
		findings_accounts(s, f);
	view_list(s->v, "findings");
	for (uint32_t i = 0; i < f->rows.len && (max == 0 || i < max); i++) {
		if (s->only && i + 1 != s->only)
			continue;
		arena_clear(&s->scratch);
		/*
		 * in text, an overruled finding was already printed as a line of the finding that
		 * overrules it
		 */
		s->is_brief = is_brief || (f->rows.data[i].overruled_by != INDEX_NONE &&
					   !s->is_verbose && !s->only);
		findings_one(s, f, i);
		s->is_brief = is_brief;
	}
	view_list_end(s->v);
}

#define FINDINGS_UNREAD 6u /* maximum number of unread parts of inputs that text lists */
/*
 * if at least this many checks have the same reason, they are printed as one line with their number
 */
#define FINDINGS_GROUP 4u
/* A line of text about checks, with the captures to which it applies. */
struct findings_line {
	struct str head; /* text before the list of captures */
	struct str tail; /* text after the list of captures */
	struct out places;
	size_t n; /* number of captures in the list `places` */
};

struct findings_lines {
	VEC(struct findings_line) rows;
};

static void findings_lines_add(struct show *s, struct findings_lines *lines, struct str head,
			       struct str tail, uint32_t capture)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *c = capture < d->captures.len ? d->captures.data[capture] : NULL;
	struct findings_line *line = NULL;

	VEC_FOREACH (l, &lines->rows) {
		if (lines->rows.len <= FINDINGS_COMPARED && str_eq(l->head, head) &&
		    str_eq(l->tail, tail))
			line = l;
	}
	if (!line) {
		line = VEC_PUSH(&lines->rows);
		*line = (struct findings_line){ .head = head,
						.tail = tail,
						.places = { .fd = -1 } };
	}
	if (!c || d->captures.len < 2)
		return;
	if (line->n++)
		out_z(&line->places, ", ");
	if (d->inputs.len > 1)
		out_printf(&line->places, STR_FMT ":%" PRIu32, STR_ARG(show_string(s, c->path)),
			   c->first_line);
	else if (line->n > 1)
		out_printf(&line->places, "%" PRIu32 "-%" PRIu32 STR_FMT, c->first_line,
			   c->last_line, STR_ARG(findings_side(s, c)));
	else
		out_printf(&line->places, STR_FMT STR_FMT,
			   STR_ARG(show_lines(s, c->first_line, c->last_line)),
			   STR_ARG(findings_side(s, c)));
}

static void findings_lines_show(struct show *s, struct findings_lines *lines)
{
	VEC_FOREACH (l, &lines->rows) {
		struct str places = out_view(&l->places);

		view_line(s->v, NULL, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(l->head),
			  places.len ? " (" : "", STR_ARG(places), places.len ? ")" : "",
			  STR_ARG(l->tail));
		out_fini(&l->places);
	}
	VEC_FREE(&lines->rows);
}

/*
 * Format "BEFORE: NAMES" in the scratch arena. Unlike show_format(), this has no limit of length.
 */
static struct str findings_join(struct show *s, struct str before, struct str names)
{
	struct out text = { .fd = -1 };
	struct str ret;

	out_str(&text, before);
	out_z(&text, ": ");
	out_str(&text, names);
	ret = arena_str(&s->scratch, out_view(&text));
	out_fini(&text);
	return ret;
}

/*
 * A check without a finding. Checks on the same capture with the same reason and the same advice
 * (`wish`) form a group. Text has only one line for a group of at least FINDINGS_GROUP checks.
 */
struct findings_check {
	uint32_t capture;
	struct str reason;
	struct str wish;
	/* number of the check; the checks of a group are in the order of these numbers */
	uint32_t at;
};

/*
 * Groups of checks on the same capture with the same reason and advice. Both arrays are indexed by
 * the number of a check.
 */
struct findings_groups {
	/* for the first check of a group: number of checks in the group; for any other check: 0 */
	uint32_t *n;
	uint32_t *next; /* next check of the same group, or INDEX_NONE */
};

static bool findings_same_reason(const struct findings_check *a, const struct findings_check *b)
{
	return a->capture == b->capture && str_eq(a->wish, b->wish) && str_eq(a->reason, b->reason);
}

static int findings_compare_checks(const void *a, const void *b)
{
	const struct findings_check *x = a;
	const struct findings_check *y = b;
	int r;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	r = str_cmp(x->reason, y->reason);
	r = r ? r : str_cmp(x->wish, y->wish);
	return r ? r : (x->at > y->at) - (x->at < y->at);
}

/*
 * Find the groups. Sorts and frees @checks. Cost: O(n log n). This matters, because there may be
 * thousands of inputs with a hundred checks each.
 */
static struct findings_groups findings_groups_new(struct findings_check *checks, size_t n)
{
	struct findings_groups g = { xcalloc(n + 1, sizeof(*g.n)),
				     xcalloc(n + 1, sizeof(*g.next)) };

	if (n)
		qsort(checks, n, sizeof(*checks), findings_compare_checks);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (!findings_same_reason(&checks[i], &checks[first]))
			first = i;
		g.n[checks[first].at]++;
		g.next[checks[i].at] =
			i + 1 < n && findings_same_reason(&checks[i + 1], &checks[first])
				? checks[i + 1].at
				: INDEX_NONE;
	}
	free(checks);
	return g;
}

static void findings_groups_fini(struct findings_groups *g)
{
	free(g->n);
	free(g->next);
}

static struct str findings_sentence(struct show *s, const struct rule *rule, struct str sentence)
{
	return show_format(s, "%s: " STR_FMT, rule->id, STR_ARG(sentence));
}

static struct findings_groups findings_not_assessed_groups(const struct findings *f)
{
	struct findings_check *checks = xcalloc(f->not_assessed.len + 1, sizeof(*checks));

	for (uint32_t i = 0; i < f->not_assessed.len; i++) {
		const struct finding_not_assessed *n = &f->not_assessed.data[i];

		checks[i] = (struct findings_check){ n->capture, n->sentence, n->to_find_out, i };
	}
	return findings_groups_new(checks, f->not_assessed.len);
}

/*
 * Print the checks of the group whose first check is @at. A small group has one line per check. A
 * group of FINDINGS_GROUP or more has a single line with the number of its checks.
 */
static void findings_not_assessed_text(struct show *s, const struct findings *f, uint32_t at,
				       const struct findings_groups *g,
				       struct findings_lines *lines)
{
	const struct finding_not_assessed *first = &f->not_assessed.data[at];
	struct str wish = show_format(s, " -> " STR_FMT, STR_ARG(first->to_find_out));

	if (g->n[at] >= FINDINGS_GROUP) {
		struct out names = { .fd = -1 };

		for (uint32_t i = at; i != INDEX_NONE; i = g->next[i])
			out_printf(&names, "%s%s", i == at ? "" : ", ",
				   f->not_assessed.data[i].rule->id);
		findings_lines_add(s, lines,
				   show_format(s, "%" PRIu32 " checks: " STR_FMT, g->n[at],
					       STR_ARG(first->sentence)),
				   findings_join(s, wish, out_view(&names)), first->capture);
		out_fini(&names);
		return;
	}
	for (uint32_t i = at; g->n[at] && i != INDEX_NONE; i = g->next[i]) {
		const struct finding_not_assessed *me = &f->not_assessed.data[i];

		findings_lines_add(s, lines, findings_sentence(s, me->rule, me->sentence), wish,
				   me->capture);
	}
}

/* Whether the check's sentence reports a share of 0. */
static bool findings_is_zero(const struct finding_clean *c)
{
	return str_starts(c->sentence, STR("0.0 % in "));
}

/*
 * Group the checks that found no problem. In each capture, the checks that report a share of 0.0 %
 * form one group.
 */
static struct findings_groups findings_clean_groups(const struct findings *f)
{
	struct findings_check *checks = xcalloc(f->clean.len + 1, sizeof(*checks));

	for (uint32_t i = 0; i < f->clean.len; i++) {
		const struct finding_clean *c = &f->clean.data[i];

		checks[i] = findings_is_zero(c)
				    ? (struct findings_check){ c->capture, STR_NONE, STR_NONE, i }
				    : (struct findings_check){ c->capture, c->sentence,
							       str_of(c->rule->id), i };
	}
	return findings_groups_new(checks, f->clean.len);
}

static void findings_clean_text(struct show *s, const struct findings *f, uint32_t at,
				const struct findings_groups *g, struct findings_lines *lines)
{
	struct out names = { .fd = -1 };

	for (uint32_t i = at; g->n[at] && i != INDEX_NONE; i = g->next[i]) {
		const struct finding_clean *me = &f->clean.data[i];

		if (g->n[at] >= FINDINGS_GROUP)
			out_printf(&names, "%s%s", i == at ? "" : ", ", me->rule->id);
		else
			findings_lines_add(s, lines, findings_sentence(s, me->rule, me->sentence),
					   STR(""), me->capture);
	}
	if (g->n[at] >= FINDINGS_GROUP)
		findings_lines_add(
			s, lines, show_format(s, "%" PRIu32 " checks found 0.0 %%", g->n[at]),
			findings_join(s, STR_NONE, out_view(&names)), f->clean.data[at].capture);
	out_fini(&names);
}

/*
 * Write the region @r of @in. Its format is known, but no reader read it. @n: number of such
 * regions written before.
 */
static void findings_unread_one(struct show *s, const struct dossier_input *in,
				const struct dossier_region *r, size_t n)
{
	struct str lines = show_lines(s, r->first_line, r->last_line);

	view_object(s->v, NULL, NULL);
	view_field(s->v, "path", NULL, cell_text(show_string(s, in->path)));
	view_field(s->v, "first_line", NULL, cell_count(r->first_line));
	view_field(s->v, "last_line", NULL, cell_count(r->last_line));
	view_field(s->v, "format", NULL, cell_word(r->format ? r->format : "unknown"));
	view_field(s->v, "declined", NULL, cell_word(r->declined));
	view_object_end(s->v);
	if (n < FINDINGS_UNREAD)
		view_line(s->v, NULL, STR_FMT "%s" STR_FMT, STR_ARG(lines), lines.len ? ": " : "",
			  STR_ARG(show_declined(s, r)));
	if (n == FINDINGS_UNREAD)
		view_line(s->v, NULL, "More: assay info " STR_FMT, STR_ARG(show_file(s)));
}

void show_unread(struct show *s)
{
	size_t n = 0;

	view_list(s->v, "not_read");
	VEC_FOREACH (in, &s->session->dossier->inputs) {
		VEC_FOREACH (r, &in->regions) {
			if (r->capture != INDEX_NONE || !r->declined)
				continue;
			if (n == 0)
				view_heading(s->v, STR("Not read"), "%s", "");
			findings_unread_one(s, in, r, n++);
		}
	}
	view_list_end(s->v);
	arena_clear(&s->scratch);
}

#define FINDINGS_REASONS 3u /* maximum number of printed reasons why checks could not judge */
/* if at most this many checks have the same reason, print their names, otherwise their number */
#define FINDINGS_JUDGES 3u

/* Checks that could not judge for the same reason. */
struct findings_open {
	struct str reason;
	size_t first; /* index of the first of these checks in findings.not_assessed */
	size_t n;     /* number of checks; a check is counted once for each capture */
};

struct findings_opens {
	/* one row per reason; the most frequent reason is first */
	VEC(struct findings_open) rows;
};

static int findings_compare_reasons(const void *a, const void *b)
{
	const struct findings_open *x = a;
	const struct findings_open *y = b;
	int r = str_cmp(x->reason, y->reason);

	return r ? r : (x->first > y->first) - (x->first < y->first);
}

static int findings_compare_opens(const void *a, const void *b)
{
	const struct findings_open *x = a;
	const struct findings_open *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Group the checks that could not judge, by their reasons. Cost: O(n log n). */
static struct findings_opens findings_open(const struct findings *f)
{
	struct findings_opens ret = { .rows = VEC_INIT };
	size_t n = 0;

	VEC_FOREACH (open, &f->not_assessed)
		*VEC_PUSH(&ret.rows) =
			(struct findings_open){ open->sentence,
						(size_t)(open - f->not_assessed.data), 1 };
	VEC_SORT(&ret.rows, findings_compare_reasons);
	for (size_t i = 0; i < ret.rows.len; i++) {
		struct findings_open *row = &ret.rows.data[i];

		if (n && str_eq(ret.rows.data[n - 1].reason, row->reason))
			ret.rows.data[n - 1].n++;
		else
			ret.rows.data[n++] = *row;
	}
	ret.rows.len = n;
	if (n)
		qsort(ret.rows.data, n, sizeof(*ret.rows.data), findings_compare_opens);
	return ret;
}

/* The checks that have the same reason: "lock-contention, rcu-work", or "44 checks". */
static struct str findings_judges(struct show *s, const struct findings *f,
				  const struct findings_open *open)
{
	struct str ret = STR("");
	const struct rule *last = NULL;

	if (open->n > FINDINGS_JUDGES)
		return show_format(s, "%zu checks", open->n);
	for (size_t i = open->first; i < f->not_assessed.len; i++) {
		const struct finding_not_assessed *row = &f->not_assessed.data[i];

		if (!str_eq(row->sentence, open->reason) || row->rule == last)
			continue;
		ret = show_format(s, STR_FMT "%s%s", STR_ARG(ret), ret.len ? ", " : "",
				  row->rule->id);
		last = row->rule;
	}
	return ret;
}

void show_not_judged(struct show *s, const struct findings *f)
{
	struct findings_opens all = findings_open(f);
	const struct findings_open *best = all.rows.data;
	struct str more = STR("");

	/*
	 * if several reasons are equally frequent, print the shortest one, because it fits into one
	 * line
	 */
	VEC_FOREACH (row, &all.rows) {
		if (row->n == best->n && row->reason.len < best->reason.len)
			best = row;
	}
	if (all.rows.len > 1)
		more = show_format(
			s, "; " STR_FMT,
			STR_ARG(show_plural(s, all.rows.len - 1, "more reason", "more reasons")));
	if (all.rows.len > 1 && best->n > FINDINGS_JUDGES)
		view_line(s->v, "Not judged", "%zu checks, %zu of them: " STR_FMT,
			  f->not_assessed.len, best->n, STR_ARG(best->reason));
	else if (all.rows.len)
		view_line(s->v, "Not judged", STR_FMT ": " STR_FMT STR_FMT,
			  STR_ARG(show_plural(s, f->not_assessed.len, "check", "checks")),
			  STR_ARG(best->reason), STR_ARG(more));
	VEC_FREE(&all.rows);
}

/*
 * "No finding" means little if few checks ran. The number of checks is sufficient if at least
 * FINDINGS_MANY_KNOWN rules ran, or if at least FINDINGS_MANY_PASSED of them found no problem.
 */
#define FINDINGS_MANY_KNOWN  10u
#define FINDINGS_MANY_PASSED 5u

/* The different rules that ran; at most FINDINGS_MANY_KNOWN of them are stored. */
struct findings_few {
	const struct rule *rows[FINDINGS_MANY_KNOWN];
	size_t n;
};

static void findings_few_add(struct findings_few *all, const struct rule *rule)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->rows[i] == rule)
			return;
	}
	if (all->n < ARRAY_LEN(all->rows))
		all->rows[all->n++] = rule;
}

/* A sentence which says that few checks ran. Empty: enough checks ran, or there is a finding. */
static struct str findings_few_text(struct show *s, const struct findings *f)
{
	struct findings_few all = { .n = 0 };
	size_t n_passed;

	if (f->rows.len)
		return STR("");
	VEC_FOREACH (row, &f->clean)
		findings_few_add(&all, row->rule);
	n_passed = all.n;
	VEC_FOREACH (row, &f->not_assessed)
		findings_few_add(&all, row->rule);
	if (all.n >= FINDINGS_MANY_KNOWN || n_passed >= FINDINGS_MANY_PASSED)
		return STR("");
	if (all.n == 0)
		return STR("assay has no check for such evidence");
	if (n_passed == 0)
		return STR("assay could not judge this evidence");
	return show_format(s, "assay looked for only " STR_FMT " here",
			   STR_ARG(show_plural(s, n_passed, "known problem", "known problems")));
}

bool show_few_checks(struct show *s, const struct findings *f)
{
	struct str few = findings_few_text(s, f);

	if (few.len)
		view_heading(s->v, STR("No finding means little:"), STR_FMT, STR_ARG(few));
	return few.len > 0;
}

/* a sentence is printed only for a function with more than this share, with callees, in percent */
#define FINDINGS_BELOW_PCT 50.0

/*
 * Whether @sym is a function of the program. main() and functions that only start threads or run
 * loops do not count.
 */
static bool findings_is_application(const struct capture *c, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(c);
	const struct symbol *row = symbols_get(symbols, sym);
	struct str name = symbols_name(symbols, sym);

	return row->space != SPACE_COMM && row->space != SPACE_KERNEL &&
	       !(row->flags & SYMBOL_ADDRESS) && name.len && name.p[0] != '[' &&
	       !start_names_have(name, ~0u) && !role_is_library_file(name) &&
	       role_of_name(name, symbols_module(symbols, sym), row->space) == ROLE_NONE;
}

/*
 * For each symbol, whether it is the outermost frame of a stack. This frame may be the name of the
 * command, not a function.
 */
static bool *findings_outermost(const struct capture *c)
{
	const struct stacks *stacks = &c->profile->stacks;
	bool *ret = xcalloc(capture_symbols(c)->rows.len, sizeof(*ret));

	for (uint32_t i = 1; i < stacks_count(stacks); i++)
		ret[stacks_sym(stacks, (stack_id){ i }).v] |=
			!stacks_parent(stacks, (stack_id){ i }).v;
	return ret;
}

/*
 * The function of the program whose share, with callees, is the smallest one above
 * FINDINGS_BELOW_PCT. NULL: there is none.
 */
static const struct top_row *findings_below(const struct capture *c, const struct top *top)
{
	const struct top_row *ret = NULL;
	bool *is_outermost = findings_outermost(c);

	VEC_FOREACH (row, &top->rows) {
		sym_id sym = { row->keys[0] };

		if (row->children_pct > FINDINGS_BELOW_PCT &&
		    (!ret || row->children_pct < ret->children_pct) && !is_outermost[sym.v] &&
		    findings_is_application(c, sym))
			ret = row;
	}
	free(is_outermost);
	return ret;
}

struct str show_unexplained(struct show *s, const struct findings *f)
{
	const struct top_spec spec = { .keys = { { .key = TOP_SYM } }, .n_keys = 1 };
	struct str ret = STR("");

	/*
	 * Print nothing if there is a finding. Also print nothing if no check could judge the data:
	 * such data is not a profile of costs.
	 */
	if (f->rows.len || f->clean.len == 0)
		return ret;
	VEC_FOREACH (c, &s->session->dossier->captures) {
		const struct top_row *row;
		struct error err;
		struct top top;
		char buffer[24];

		if (!(*c)->profile || (*c)->threads || (*c)->excerpt_of != INDEX_NONE ||
		    top_compute(*c, &s->session->cats, &spec, &top, &err) < 0)
			continue;
		row = top.has_children ? findings_below(*c, &top) : NULL;
		if (row)
			ret = show_format(s, "%.1f %% of %s is below " STR_FMT, row->children_pct,
					  event_unit_of(*c).of,
					  STR_ARG(top_key_text(*c, &top, row, 0, buffer)));
		top_fini(&top);
		break;
	}
	return ret;
}

struct str show_no_finding(struct show *s, const struct findings *f)
{
	struct str below = show_unexplained(s, f);
	struct str few = findings_few_text(s, f);

	if (below.len)
		return show_format(s, "No check found a cause: " STR_FMT, STR_ARG(below));
	if (few.len)
		return show_format(s, "No finding means little: " STR_FMT, STR_ARG(few));
	return show_format(s, "Nothing stands out: " STR_FMT " passed",
			   STR_ARG(show_plural(s, f->clean.len, "check", "checks")));
}

/* Print how many checks passed, which checks could not judge, and why. */
static void findings_checks_counted(struct show *s, const struct findings *f)
{
	struct findings_opens all = findings_open(f);

	if (f->clean.len + f->not_assessed.len)
		view_heading(s->v, STR("Checks"), "%s", "");
	if (f->clean.len)
		view_line(s->v, "Passed", "%zu (-v lists them)", f->clean.len);
	for (size_t i = 0; i < all.rows.len && i < FINDINGS_REASONS; i++)
		view_line(s->v, i == 0 ? "Not judged" : NULL, STR_FMT ": " STR_FMT,
			  STR_ARG(findings_judges(s, f, &all.rows.data[i])),
			  STR_ARG(all.rows.data[i].reason));
	if (all.rows.len > FINDINGS_REASONS)
		view_line(s->v, NULL, STR_FMT " (-v lists them)",
			  STR_ARG(show_plural(s, all.rows.len - FINDINGS_REASONS, "more reason",
					      "more reasons")));
	VEC_FREE(&all.rows);
}

void show_checks(struct show *s, const struct findings *f)
{
	struct findings_lines clean = { 0 };
	struct findings_lines open = { 0 };
	struct findings_groups clean_groups = findings_clean_groups(f);
	struct findings_groups open_groups = findings_not_assessed_groups(f);

	arena_clear(&s->scratch);
	view_list(s->v, "clean");
	if (s->is_verbose && f->clean.len)
		view_heading(s->v, STR("Passed:"), "%zu %s", f->clean.len,
			     f->clean.len == 1 ? "check" : "checks");
	VEC_FOREACH (c, &f->clean) {
		view_object(s->v, NULL, NULL);
		view_field(s->v, "rule", NULL, cell_word(c->rule->id));
		view_field(s->v, "sentence", NULL, cell_text(c->sentence));
		view_object_end(s->v);
		if (s->is_verbose)
			findings_clean_text(s, f, (uint32_t)(c - f->clean.data), &clean_groups,
					    &clean);
	}
	findings_lines_show(s, &clean);
	view_list_end(s->v);
	view_list(s->v, "not_assessed");
	if (s->is_verbose && f->not_assessed.len)
		view_heading(s->v, STR("Not judged:"), "%zu %s, and what would show it",
			     f->not_assessed.len, f->not_assessed.len == 1 ? "check" : "checks");
	VEC_FOREACH (n, &f->not_assessed) {
		view_object(s->v, NULL, NULL);
		view_field(s->v, "rule", NULL, cell_word(n->rule->id));
		view_field(s->v, "sentence", NULL, cell_text(n->sentence));
		view_field(s->v, "to_find_out", NULL, cell_text(n->to_find_out));
		view_object_end(s->v);
		if (s->is_verbose)
			findings_not_assessed_text(s, f, (uint32_t)(n - f->not_assessed.data),
						   &open_groups, &open);
	}
	findings_lines_show(s, &open);
	view_list_end(s->v);
	if (!s->is_verbose)
		findings_checks_counted(s, f);
	findings_groups_fini(&clean_groups);
	findings_groups_fini(&open_groups);
}
