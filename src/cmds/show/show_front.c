/* SPDX-License-Identifier: MIT */
#include "cmds/show/show_front.h"

#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/format.h"
#include "render/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#define FRONT_FORMATS    4u /* maximum number of formats in the title */
#define FRONT_STEP_TITLE 6u /* width of the title of a next step */
#define FRONT_REASONS    3u /* maximum number of printed reasons to doubt the data */
/* maximum number of printed reasons to doubt the data, on a page with several captures */
#define FRONT_REASONS_SEVERAL 1u
#define FRONT_DATA_MARGIN     25u /* width of "Data", of ": " and of " (2 more)" */
/*
 * front_unknown() reports unknown lines if there are at least FRONT_UNKNOWN_LINES of them, and at
 * least the fraction FRONT_UNKNOWN_PART of all lines
 */
#define FRONT_UNKNOWN_LINES 5u
#define FRONT_UNKNOWN_PART  0.2
#define FRONT_QUOTES        4u
#define FRONT_MARGIN        12u /* width of the margin before the text of a next step */
/*
 * Factors by which view_weigh() multiplies the worth of sentences: FRONT_WORTH for findings, _NOTE
 * for notes, _DATA for reasons to doubt the data, and _REST for other sentences. FRONT_WORTH and
 * _NOTE are divided by the number of the finding (from 1), but at most by FRONT_WORTH_LAST.
 */
#define FRONT_WORTH      12.0
#define FRONT_WORTH_NOTE 3.0
#define FRONT_WORTH_LAST 6u
#define FRONT_WORTH_DATA 4.0
#define FRONT_WORTH_REST 0.3

uint64_t show_records(const struct capture *c)
{
	uint64_t n = 0;

	if (c->distribution)
		n += c->distribution->buckets.len;
	if (c->threads)
		n += c->profile->n_samples;
	else if (c->profile)
		n += c->profile->table.rows.len ? c->profile->table.rows.len
						: profile_count_samples(c->profile);
	if (c->calls)
		n += c->calls->n;
	if (c->metrics)
		n += c->metrics->n_rows;
	if (c->code)
		n += c->code->rows.len;
	if (c->counters)
		n += c->counters->rows.len;
	if (c->records)
		n += c->records->rows.len;
	return n;
}

const char *show_records_name(const struct capture *c, uint64_t n)
{
	if (c->kinds == (KIND_PROFILE | KIND_THREADS) && c->threads && c->threads->is_sessions)
		return n == 1 ? "session" : "sessions";
	if (c->kinds == (KIND_PROFILE | KIND_THREADS) &&
	    str_starts(strings_get(capture_strings(c), c->threads->dialect), STR("goroutine")))
		return n == 1 ? "goroutine" : "goroutines";
	/*
	 * call them stacks, not threads: a report about lock order has several stacks of a thread,
	 * from different times
	 */
	if (c->kinds == (KIND_PROFILE | KIND_THREADS) && threads_is_order(c->threads))
		return n == 1 ? "stack" : "stacks";
	if (c->kinds == (KIND_PROFILE | KIND_THREADS))
		return n == 1 ? "thread" : "threads";
	switch (c->kinds) {
	case KIND_DISTRIBUTION:
		return n == 1 ? "bucket" : "buckets";
	case KIND_PROFILE:
		if (c->profile->table.rows.len)
			return n == 1 ? "row" : "rows";
		return n == 1 ? "sample" : "samples";
	case KIND_CALLS:
		return n == 1 ? "call" : "calls";
	case KIND_CODE:
		return n == 1 ? "line" : "lines";
	case KIND_METRICS:
		if (c->metrics->is_tool)
			return n == 1 ? "row" : "rows";
		return n == 1 ? "function" : "functions";
	case KIND_COUNTERS:
		return n == 1 ? "counter" : "counters";
	default:
		return n == 1 ? "record" : "records";
	}
}

struct str show_size(struct show *s, const struct capture *c)
{
	const struct profile *p = c->profile;
	uint64_t n = show_records(c);
	struct str event = p && p->event.v ? show_string(s, p->event) : STR("");

	if (str_eq(event, STR("plan-time")))
		return show_plural(s, profile_count_samples(p), "step", "steps");
	if (c->kinds == KIND_PROFILE && !p->has_n_samples && !p->table.rows.len)
		return show_plural(s, n, "weighted stack", "weighted stacks");
	if (c->kinds != KIND_PROFILE || !p->has_n_samples)
		return show_plural(s, n, show_records_name(c, 1), show_records_name(c, 2));
	return show_format(s, STR_FMT "%s" STR_FMT, STR_ARG(show_samples(s, p)),
			   event.len ? " of " : "", STR_ARG(event));
}

bool show_front_is_single(const struct show *s)
{
	return s->is_brief && s->session->dossier->captures.len == 1;
}

/*
 * Append the title of a format and its number of captures: "perf-report", "table of counters
 * × 3".
 */
static void front_format(struct out *ret, struct str title, size_t n)
{
	out_printf(ret, "%s" STR_FMT, ret->len ? ", " : "", STR_ARG(title));
	if (n > 1)
		out_printf(ret, " × %zu", n);
}

/*
 * Append the number of captures by format, in order of appearance: "perf-report × 2, ovs-vlog".
 * Returns the number of formats.
 */
static size_t front_formats(struct show *s, struct out *ret)
{
	const struct dossier *d = s->session->dossier;
	struct front_kind {
		struct str title;
		size_t n;
	};
	VEC(struct front_kind) kinds = VEC_INIT;
	size_t n;

	VEC_FOREACH (c, &d->captures) {
		struct str title = show_title(s, *c);
		struct front_kind *known = NULL;

		VEC_FOREACH (kind, &kinds)
			known = str_eq(kind->title, title) ? kind : known;
		if (!known) {
			known = VEC_PUSH(&kinds);
			*known = (struct front_kind){ .title = title };
		}
		known->n++;
	}
	n = kinds.len;
	for (size_t k = 0; k < n && k < FRONT_FORMATS; k++)
		front_format(ret, kinds.data[k].title, kinds.data[k].n);
	if (n > FRONT_FORMATS)
		out_z(ret, ", ...");
	VEC_FREE(&kinds);
	return n;
}

void show_front_title(struct show *s)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *c = d->captures.data[0];
	struct out counts = { .fd = -1 };
	struct str lines, path, text;
	size_t n_formats;

	if (show_front_is_single(s)) {
		lines = show_lines(s, c->first_line, c->last_line);
		view_heading(s->v, show_string(s, c->path), STR_FMT "%s" STR_FMT ", " STR_FMT,
			     STR_ARG(lines), lines.len ? ": " : "", STR_ARG(show_title(s, c)),
			     STR_ARG(show_size(s, c)));
		return;
	}
	n_formats = front_formats(s, &counts);
	path = s->session->loaded.n_inputs == 1
		       ? show_format(s, STR_FMT ":", STR_ARG(show_string(s, c->path)))
		       : show_format(s, "%u files:", s->session->loaded.n_inputs);
	text = show_format(s, "%zu captures (" STR_FMT ")", d->captures.len,
			   STR_ARG(out_view(&counts)));
	if (utf8_width(path) + 1 + utf8_width(text) > s->v->width)
		text = show_format(s, "%zu captures of %zu kind%s", d->captures.len, n_formats,
				   n_formats == 1 ? "" : "s");
	view_heading(s->v, path, STR_FMT, STR_ARG(text));
	s->has_title = d->inputs.len == 1;
	out_fini(&counts);
}

/*
 * For a finding that both captures have, format the finding's share in the other capture: "96.2 %
 * in the other". Returns "in both" if the share is the same, or if the figure is no share.
 */
static struct str front_other(struct show *s, const struct finding *f)
{
	const struct finding_also *a = &f->also.data[0];

	if (f->figures.len == 0 || !a->unit || strcmp(a->unit, "%") != 0 ||
	    fabs(a->value - f->figures.data[0].value) < 0.05)
		return STR("in both");
	return show_format(s, "%.1f %% in the other", a->value);
}

/*
 * Format place and certainty of a finding, and the number of similar places: " (L60, likely)".
 * @says_why: omit the certainty, because the caller prints it with its reason. Empty: nothing is
 * known.
 */
static struct str front_place(struct show *s, const struct finding *f, bool says_why)
{
	struct str parts[4];
	struct str text = STR("");
	const struct finding_evidence *e = f->evidence.len ? &f->evidence.data[0] : NULL;
	struct str place = STR("");
	struct str more = STR("");

	if (show_finding_is_of_both(s, f))
		more = front_other(s, f);
	else if (f->also.len)
		more = show_format(s, "%zu more like it", f->also.len);
	if (e && e->path.v && s->session->loaded.n_inputs > 1)
		place = e->line ? show_format(s, STR_FMT ":%" PRIu32,
					      STR_ARG(show_string(s, e->path)), e->line)
				: show_string(s, e->path);
	else if (e && e->line)
		place = show_format(s, "L%" PRIu32, e->line);
	parts[0] = show_finding_label(s, f);
	parts[1] = place;
	parts[2] = str_of(says_why ? "" : finding_sure_word(f));
	parts[3] = more;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].len)
			text = show_format(s, STR_FMT "%s" STR_FMT, STR_ARG(text),
					   text.len ? ", " : "", STR_ARG(parts[i]));
	}
	return text.len ? show_format(s, " (" STR_FMT ")", STR_ARG(text)) : text;
}

enum front_end { FRONT_END_NONE, FRONT_END_CLAUSE, FRONT_END_STEP };

/*
 * Whether a clause or a step of @text ends directly before the blank at offset @at. A dot that is a
 * word of its own ends nothing: in `grep . FILE`, it is an argument.
 */
static enum front_end front_end_at(struct str text, size_t at)
{
	switch (text.p[at - 1]) {
	case '.':
		return at >= 2 && !strchr(" ./", text.p[at - 2]) ? FRONT_END_STEP : FRONT_END_NONE;
	case ':':
		return FRONT_END_STEP;
	case ';':
		return str_starts(str_skip(text, at + 1), STR("do ")) ? FRONT_END_NONE
								      : FRONT_END_CLAUSE;
	default:
		return FRONT_END_NONE;
	}
}

/*
 * Find the first end of a clause or step in @text, from offset @from on. Returns the length of the
 * text before its punctuation mark, such as ";". @least: the weakest kind of end that counts.
 * @has_colon: ": " counts, too. Ends inside brackets, quotes or a shell loop ("; do ") do not
 * count.
 */
static size_t front_length(struct str text, size_t from, bool has_colon, enum front_end least)
{
	char quote = '\0';
	int depth = 0;

	for (size_t i = 0; i + 1 < text.len; i++) {
		char c = text.p[i];
		/*
		 * a quote begins a quotation only after a blank, '(' or '='; after a letter, it is
		 * an apostrophe
		 */
		bool is_quote =
			strchr("`'\"", c) && (quote || i == 0 || strchr(" (=", text.p[i - 1]));

		if (quote || is_quote)
			quote = quote == c ? '\0' : quote ? quote : c;
		else if (c == '(' || c == ')')
			depth += c == '(' ? 1 : -1;
		else if (i > from && depth <= 0 && text.p[i + 1] == ' ' &&
			 (c != ':' || has_colon) && front_end_at(text, i + 1) >= least)
			return i;
	}
	return text.len;
}

struct str show_front_clause(struct str text)
{
	return str_sub(text, 0, front_length(text, 0, /* has_colon= */ false, FRONT_END_CLAUSE));
}

/* The first clauses of @text: as many as fit into @lines lines, but at least one clause. */
static struct str front_clauses(const struct show *s, struct str text, bool has_colon, size_t lines)
{
	size_t room = s->v->width > FRONT_MARGIN ? (s->v->width - FRONT_MARGIN) * lines : 0;
	size_t len = front_length(text, 0, has_colon, FRONT_END_CLAUSE);

	while (len < text.len) {
		size_t next = front_length(text, len + 1, has_colon, FRONT_END_CLAUSE);

		if (utf8_width(str_sub(text, 0, next)) > room)
			break;
		len = next;
	}
	return str_sub(text, 0, len);
}

/*
 * The commands of a next step, without the explanation that follows ": " or ". ". Commands and
 * clauses are separated by ";". If there are several, return as many as fit into one line.
 */
static struct str front_commands(const struct show *s, struct str text)
{
	size_t all = front_length(text, 0, /* has_colon= */ true, FRONT_END_STEP);

	return front_clauses(s, str_sub(text, 0, all), /* has_colon= */ true, 1);
}

/*
 * The commands of a next step. If there is room in one line, also the words that explain what to
 * look for.
 */
static struct str front_step(const struct show *s, struct str text)
{
	struct str commands = front_commands(s, text);
	size_t margin = FRONT_MARGIN + FRONT_STEP_TITLE;
	size_t room = s->v->width > margin ? s->v->width - margin : 0;
	size_t len;

	if (!str_starts(str_skip(text, commands.len), STR(": ")))
		return commands;
	len = front_length(text, commands.len + 1, /* has_colon= */ false, FRONT_END_CLAUSE);
	return utf8_width(str_sub(text, 0, len)) <= room ? str_sub(text, 0, len) : commands;
}

/*
 * Print a whole finding for view_budget(), which chooses sentences by weight. Claim and cause have
 * higher weights than confidence, evidence and next steps.
 */
static void front_finding_whole(struct show *s, const struct finding *f, size_t number)
{
	double worth = f->severity == FINDING_NOTE ? FRONT_WORTH_NOTE : FRONT_WORTH;

	view_weigh(s->v, worth / (double)(number < FRONT_WORTH_LAST ? number : FRONT_WORTH_LAST));
	view_item(s->v, show_format(s, "%zu.", number).p, STR_FMT STR_FMT, STR_ARG(f->claim),
		  STR_ARG(front_place(s, f, /* says_why= */ false)));
	if (f->cause.len)
		view_item(s->v, NULL, "%s: " STR_FMT, finding_cause_label(f), STR_ARG(f->cause));
	view_weigh(s->v, FRONT_WORTH_REST);
	if (f->sure_because.len)
		view_item(s->v, NULL, "Confidence: %s: " STR_FMT, finding_sure_word(f),
			  STR_ARG(f->sure_because));
	if (f->unknown.len)
		view_item(s->v, NULL, "Not known: " STR_FMT, STR_ARG(f->unknown));
	for (size_t i = 0; i < f->evidence.len && i < FRONT_QUOTES; i++) {
		const struct finding_evidence *e = &f->evidence.data[i];

		if (e->line && e->text.len)
			view_item(s->v, NULL, "L%" PRIu32 ": " STR_FMT, e->line,
				  STR_ARG(str_trim(e->text)));
		else if (e->text.len)
			view_item(s->v, NULL, "Evidence: " STR_FMT, STR_ARG(e->text));
	}
	VEC_FOREACH (next, &f->next)
		view_item(s->v, NULL, "Next: " STR_FMT, STR_ARG(*next));
	view_weigh(s->v, 1);
}

/* Whether an earlier finding has the same first next step as finding number @at. */
static bool front_is_repeated(const struct show *s, const struct findings *all, uint32_t at)
{
	struct str step = front_commands(s, all->rows.data[at].next.data[0]);

	for (uint32_t i = 0; i < at; i++) {
		const struct finding *f = &all->rows.data[i];

		if (f->overruled_by == INDEX_NONE && f->next.len &&
		    str_eq(front_commands(s, f->next.data[0]), step))
			return true;
	}
	return false;
}

/* The limit of finding @f to print instead of a cause: what is not known, or why it is not sure. */
static struct str front_limit(const struct finding *f)
{
	return f->unknown.len ? f->unknown : !finding_is_certain(f) ? f->sure_because : STR_NONE;
}

/*
 * Whether an earlier finding has the same cause as finding number @at, or with !@is_cause, the same
 * limit.
 */
static bool front_is_said(const struct findings *all, uint32_t at, bool is_cause)
{
	const struct finding *f = &all->rows.data[at];

	for (uint32_t i = 0; i < at; i++) {
		const struct finding *other = &all->rows.data[i];

		if (other->overruled_by == INDEX_NONE &&
		    (is_cause ? str_eq(other->cause, f->cause)
			      : str_eq(front_limit(other), front_limit(f))))
			return true;
	}
	return false;
}

void show_front_finding(struct show *s, const struct findings *all, uint32_t at)
{
	const struct finding *f = &all->rows.data[at];
	/*
	 * Print the cause of the first finding, and of others that are only possible. A finding
	 * without a cause has its limit instead.
	 */
	bool says_more = at == 0 || f->sure < FINDING_LIKELY;
	bool says_cause = f->cause.len && says_more && !front_is_said(all, at, true);
	bool says_why =
		!f->cause.len && says_more && front_limit(f).len && !front_is_said(all, at, false);

	if (s->is_budget) {
		front_finding_whole(s, f, at + 1);
		return;
	}
	view_item(s->v, show_format(s, "%" PRIu32 ".", at + 1).p, STR_FMT STR_FMT,
		  STR_ARG(show_front_clause(f->claim)),
		  STR_ARG(front_place(s, f, says_why && !f->unknown.len)));
	/* a certain finding needs only the first clause: its claim has the rest */
	if (says_cause)
		view_item(s->v, NULL, "%s: " STR_FMT, finding_cause_label(f),
			  STR_ARG(front_clauses(s, f->cause, /* has_colon= */ false,
						!finding_is_certain(f) ? 2 : 1)));
	if (says_why && f->unknown.len)
		view_item(s->v, NULL, "Not known: " STR_FMT,
			  STR_ARG(front_clauses(s, f->unknown, /* has_colon= */ false, 2)));
	else if (says_why)
		view_item(s->v, NULL, "%c%s. Basis: " STR_FMT, toupper(finding_sure_word(f)[0]),
			  finding_sure_word(f) + 1,
			  STR_ARG(front_clauses(s, f->sure_because, /* has_colon= */ false, 2)));
	if (f->next.len == 0)
		return;
	/* print each step only once per page */
	if (!front_is_repeated(s, all, at))
		view_item(s->v, NULL, "Next: " STR_FMT, STR_ARG(front_step(s, f->next.data[0])));
}

/*
 * Format the heaviest function of the first profile as a sentence: ". The heaviest is f with 12.30
 * %". Empty: the profile has no functions, such as events without stacks.
 */
static struct str front_heaviest(struct show *s)
{
	const struct top_spec spec = { .keys = { { .key = TOP_SYM } },
				       .n_keys = 1,
				       .no_children = true,
				       .sort_by_self = true };
	struct str ret = STR("");

	VEC_FOREACH (c, &s->session->dossier->captures) {
		struct error err;
		struct top top;
		struct str name = STR_NONE;
		char buffer[24];

		if (!(*c)->profile || (*c)->threads || (*c)->excerpt_of != INDEX_NONE ||
		    top_compute(*c, &s->session->cats, &spec, &top, &err) < 0)
			continue;
		if (top.rows.len && top.rows.data[0].self_pct > 0)
			name = top_key_text(*c, &top, &top.rows.data[0], 0, buffer);
		if (name.len)
			ret = show_format(s, ". The heaviest is " STR_FMT " with " STR_FMT,
					  STR_ARG(name),
					  STR_ARG(show_pct(s, top.rows.data[0].self_pct, 0)));
		top_fini(&top);
		break;
	}
	return ret;
}

/*
 * Format the part of the profile that the findings explain. The text follows "@n findings": "
 * account for 81.3 % of CPU time", or "; 1 accounts for 25.5 % of CPU time" if only one of them
 * explains a part. Empty: the part is unknown.
 */
static struct str front_account(struct show *s, const struct findings *f, size_t n)
{
	const struct finding_account *a = f->accounts.len == 1 ? &f->accounts.data[0] : NULL;
	const struct dossier *d = s->session->dossier;

	if (!a || a->pct <= 0)
		return STR("");
	return show_format(s, "%s %s %.*f %% of %s",
			   a->n < n ? show_format(s, "; %" PRIu32, a->n).p : "",
			   a->n == 1 ? "accounts for" : "account for", a->pct < 99.95 ? 1 : 0,
			   a->pct, event_unit_of(d->captures.data[a->capture]).of);
}

/* Format " (3 shown)" if only @max of @n findings are shown. */
static struct str front_shown(struct show *s, size_t n, size_t max)
{
	return n > max ? show_format(s, " (%zu shown)", max) : STR("");
}

/* Print the heading for findings. At least one of them is a problem, not only a note. */
static void front_wrong(struct show *s, const struct findings *f, size_t n, size_t max)
{
	struct str share = front_account(s, f, n);
	struct str shown = front_shown(s, n, max);

	if (share.len || shown.len)
		view_heading(s->v, STR("What is wrong:"), STR_FMT STR_FMT STR_FMT,
			     STR_ARG(show_plural(s, n, "finding", "findings")), STR_ARG(shown),
			     STR_ARG(share));
	else
		view_heading(s->v, STR("What is wrong"), "%s", "");
}

/*
 * If the input is a dump of threads in which no problem was found, print what to do next if the
 * program is slow or hangs.
 */
static void front_next_dump(struct show *s)
{
	VEC_FOREACH (c, &s->session->dossier->captures) {
		if (!(*c)->threads || (*c)->threads->is_sessions)
			continue;
		view_line(s->v, "Next",
			  "If it is slow: assay record -p PID. If it hangs: take two more dumps, "
			  "ten seconds apart");
		return;
	}
}

void show_front_findings(struct show *s, const struct findings *f, size_t max)
{
	size_t n_bad = 0;
	size_t n = 0; /* number of findings that are not overruled */
	struct str below = show_unexplained(s, f);

	VEC_FOREACH (row, &f->rows) {
		n += row->overruled_by == INDEX_NONE;
		n_bad += row->severity != FINDING_NOTE && row->overruled_by == INDEX_NONE;
	}
	if (n_bad) {
		front_wrong(s, f, n, max);
	} else if (n) {
		view_heading(s->v, STR("What stands out:"), STR_FMT STR_FMT ", no warning",
			     STR_ARG(show_plural(s, n, "note", "notes")),
			     STR_ARG(front_shown(s, n, max)));
	} else if (below.len) {
		view_heading(s->v, STR("No check found a cause:"), STR_FMT, STR_ARG(below));
	} else if (!show_few_checks(s, f)) {
		view_heading(s->v, STR("Nothing stands out:"), STR_FMT " passed" STR_FMT,
			     STR_ARG(show_plural(s, f->clean.len, "check", "checks")),
			     STR_ARG(front_heaviest(s)));
		front_next_dump(s);
	}
	show_findings(s, f, max);
	if (f->rows.len) {
		view_line(s->v, "Evidence", "assay explain " STR_FMT, STR_ARG(show_file(s)));
		s->has_path = true;
	}
}

/*
 * Whether one of the first @max findings already reports the reason with the name @id to doubt the
 * data.
 */
static bool front_is_found(const struct findings *f, size_t max, const char *id)
{
	for (size_t k = 0; k < f->rows.len && k < max; k++) {
		const char *doubt = f->rows.data[k].rule->doubt;

		if (doubt && strcmp(doubt, id) == 0)
			return true;
	}
	return false;
}

/* A reason to doubt the data, and the captures that have it. */
struct front_doubt {
	struct str sentence; /* the reason as a sentence; allocated in show.scratch */
	struct out places;
	/*
	 * the first reason with this sentence. If said.id is NULL, the sentence is the verdict on
	 * the data, not a single reason
	 */
	struct show_said said;
};

struct front_doubts {
	VEC(struct front_doubt) rows;
};

static void front_doubt_add(struct show *s, struct front_doubts *all, struct str sentence,
			    struct str place, struct show_said said)
{
	const struct capture *c = said.capture;

	VEC_FOREACH (d, &all->rows) {
		if (!str_eq(d->sentence, sentence))
			continue;
		/*
		 * the previous capture has the same line range, because both captures are columns
		 * of one table: do not repeat the range
		 */
		if (str_ends(out_view(&d->places),
			     show_format(s, " %" PRIu32 "-%" PRIu32, c->first_line, c->last_line)))
			return;
		if (d->places.len && s->session->loaded.n_inputs == 1)
			out_printf(&d->places, ", %" PRIu32 "-%" PRIu32, c->first_line,
				   c->last_line);
		else if (d->places.len && place.len)
			out_printf(&d->places, ", " STR_FMT, STR_ARG(place));
		return;
	}
	*VEC_PUSH(&all->rows) =
		(struct front_doubt){ arena_str(&s->scratch, sentence), { .fd = -1 }, said };
	out_str(&all->rows.data[all->rows.len - 1].places, place);
}

/*
 * Collect the reasons to doubt the data of @c. On a page with several captures, collect only one
 * sentence for each capture: its verdict if this says what the data cannot show, otherwise its
 * worst reason. Set *@is_found if a finding on the page already reports a reason.
 */
static void front_doubts(struct show *s, const struct capture *c, const struct findings *f,
			 struct front_doubts *all, bool *is_found)
{
	struct str place =
		show_front_is_single(s) ? STR("") : show_lines(s, c->first_line, c->last_line);
	struct quality q;
	struct str limits, extent;
	bool is_limited;

	quality_of(c, &s->session->cats, &q);
	limits = show_quality_limits(s, &q);
	extent = show_quality_extent(s, &q);
	is_limited = place.len && !s->is_budget && limits.len;
	if (place.len == 0 && extent.len && !s->is_budget) {
		front_doubt_add(s, all, extent, place, (struct show_said){ c, NULL });
		*VEC_PUSH(&s->said) = (struct show_said){ c, DIAG_OMITTED_LINES };
		*VEC_PUSH(&s->said) = (struct show_said){ c, DIAG_CUT_LINE };
	}
	if (is_limited)
		front_doubt_add(s, all,
				q.verdict == QUALITY_POOR ? show_quality_trust(s, &q) : limits,
				place, (struct show_said){ c, NULL });
	VEC_FOREACH (r, &q.reasons) {
		if (is_limited || r->severity == QUALITY_INFO || (r != q.reasons.data && place.len))
			break;
		if (show_quality_is_extent(r) && !s->is_budget) {
			if (place.len)
				front_doubt_add(s, all, extent, place,
						(struct show_said){ c, r->id });
			continue;
		}
		/*
		 * skip a reason that a finding reports, or that the printed verdict on the only
		 * capture already includes
		 */
		if (front_is_found(f, show_rows(s, FRONT_FINDINGS), r->id) ||
		    (place.len == 0 && show_front_is_single(s) && !s->is_budget &&
		     quality_not_for(r)))
			*is_found = true;
		else
			front_doubt_add(s, all,
					s->is_budget ? r->sentence : show_front_clause(r->sentence),
					place, (struct show_said){ c, r->id });
	}
	quality_fini(&q);
}

struct str show_declined(struct show *s, const struct dossier_region *r)
{
	const struct str mark = STR(": not read yet");
	struct str why = str_of(r->declined);
	size_t at = str_find(why, mark);

	/* omit `mark`, because the title of the line already has this meaning */
	return at == why.len ? why
			     : show_format(s, STR_FMT STR_FMT, STR_ARG(str_sub(why, 0, at)),
					   STR_ARG(str_skip(why, at + mark.len)));
}

/*
 * The number of parts of the inputs that were not read although their format is known. *@ret: line
 * range of the first such part.
 */
static size_t front_unread(struct show *s, struct str *ret)
{
	size_t n = 0;

	*ret = STR("");
	VEC_FOREACH (in, &s->session->dossier->inputs) {
		VEC_FOREACH (r, &in->regions) {
			if (r->capture != INDEX_NONE || !r->declined)
				continue;
			if (n++ == 0)
				*ret = show_lines(s, r->first_line, r->last_line);
		}
	}
	return n;
}

/*
 * The number of lines that no reader knows. Returns 0 if there are only a few, such as a sentence
 * above a table: fewer than FRONT_UNKNOWN_LINES, or less than FRONT_UNKNOWN_PART of all lines.
 * *@ret_lines: number of lines of all inputs.
 */
static uint64_t front_unknown(const struct show *s, uint64_t *ret_lines)
{
	uint64_t n = 0;

	*ret_lines = 0;
	VEC_FOREACH (in, &s->session->dossier->inputs) {
		n += in->unrecognised_lines;
		*ret_lines += in->lines;
	}
	return n >= FRONT_UNKNOWN_LINES && (double)n >= FRONT_UNKNOWN_PART * (double)*ret_lines ? n
												: 0;
}

/* A phrase for the only capture if its text is known to be whole, or to have both ends. */
static const char *front_good(struct show *s)
{
	const char *text = "good: no gap or damage found";
	struct quality q;

	if (show_front_is_single(s)) {
		quality_of(s->session->dossier->captures.data[0], &s->session->cats, &q);
		if (q.extent == QUALITY_WHOLE)
			text = "good: whole, and no damage found";
		if (q.extent == QUALITY_ENDS)
			text = "good: the first and last line are there, and no damage found";
		quality_fini(&q);
	}
	return text;
}

void show_unread_line(struct show *s, const char *title, const char *before)
{
	struct str lines;
	size_t n = front_unread(s, &lines);
	uint64_t n_lines;
	uint64_t unknown = front_unknown(s, &n_lines);

	if (n == 1 && lines.len)
		view_line(s->v, title, "%s" STR_FMT " %s not read", before, STR_ARG(lines),
			  str_starts(lines, STR("lines ")) ? "were" : "was");
	else if (n)
		view_line(s->v, title, "%s" STR_FMT " not read", before,
			  STR_ARG(show_plural(s, n, "part was", "parts were")));
	else if (unknown)
		view_line(s->v, title,
			  "%s%" PRIu64 " of " STR_FMT " are prose, or in no known form", before,
			  unknown, STR_ARG(show_plural(s, n_lines, "line", "lines")));
	else if (title)
		view_line(s->v, title, "%s", front_good(s));
}

/* Print the verdict on the data of the only capture, if it names limits. */
static bool front_verdict(struct show *s, const struct capture *c)
{
	struct quality q;
	bool is_limited;

	quality_of(c, &s->session->cats, &q);
	is_limited = show_quality_limits(s, &q).len > 0;
	if (is_limited)
		view_line(s->v, "Data", STR_FMT, STR_ARG(show_quality_trust(s, &q)));
	quality_fini(&q);
	return is_limited;
}

/*
 * Print reasons to doubt the data, and how many are omitted. Returns the number of all reasons.
 * @has_verdict: the verdict was printed directly before.
 */
static size_t front_doubts_show(struct show *s, struct front_doubts *all, bool has_verdict)
{
	size_t limit =
		show_rows(s, show_front_is_single(s) ? FRONT_REASONS : FRONT_REASONS_SEVERAL);
	size_t n = 0;

	VEC_FOREACH (doubt, &all->rows) {
		struct str place = out_view(&doubt->places);
		size_t more = n + 1 == limit ? all->rows.len - limit : 0;

		/* the number of omitted reasons is not worth a line of its own */
		if (!show_front_is_single(s) &&
		    utf8_width(place) + utf8_width(doubt->sentence) + FRONT_DATA_MARGIN >
			    s->v->width)
			more = 0;

		if (n++ < limit)
			view_line(s->v, n == 1 && !has_verdict ? "Data" : NULL,
				  "%s" STR_FMT "%s" STR_FMT "%s", has_verdict ? "- " : "",
				  STR_ARG(out_view(&doubt->places)), doubt->places.len ? ": " : "",
				  STR_ARG(doubt->sentence),
				  more ? show_format(s, " (%zu more)", more).p : "");
		if (n <= limit && doubt->said.id)
			*VEC_PUSH(&s->said) = doubt->said;
		out_fini(&doubt->places);
	}
	VEC_FREE(&all->rows);
	return n;
}

void show_front_trust(struct show *s, const struct findings *f, uint32_t lead)
{
	const struct dossier *d = s->session->dossier;
	struct front_doubts all = { .rows = VEC_INIT };
	bool is_found = false;
	bool has_verdict;
	size_t n;

	arena_clear(&s->scratch);
	view_weigh(s->v, FRONT_WORTH_DATA);
	for (uint32_t k = 0; k < d->captures.len; k++) {
		const struct capture *c = d->captures.data[show_front_order(k, lead)];

		if (c->excerpt_of == INDEX_NONE && !c->is_measured)
			front_doubts(s, c, f, &all, &is_found);
	}
	has_verdict =
		show_front_is_single(s) && !s->is_budget && front_verdict(s, d->captures.data[0]);
	n = front_doubts_show(s, &all, has_verdict);
	if (n == 0 && !is_found && !has_verdict)
		show_unread_line(s, "Data", "good as far as read: ");
	view_weigh(s->v, FRONT_WORTH_REST);
	/*
	 * after findings, do not print this line: it distracts from them, and `explain` prints it
	 */
	if (!f->rows.len || s->is_budget)
		show_not_judged(s, f);
	view_weigh(s->v, 1);
}

uint32_t show_front_lead(const struct show *s, const struct findings *f)
{
	const struct dossier *d = s->session->dossier;
	uint32_t lead = f->rows.len ? f->rows.data[0].capture : 0;
	bool is_text = !s->session->to.is_json && !s->session->to.is_csv && !s->is_budget;

	return is_text && lead < d->captures.len ? lead : 0;
}

uint32_t show_front_order(uint32_t k, uint32_t lead)
{
	return k == 0 ? lead : k <= lead ? k - 1 : k;
}
