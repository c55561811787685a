/* SPDX-License-Identifier: MIT */
#include "cmds/show/show.h"

#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "analyses/syscalls/syscalls.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/findings.h"
#include "formats/format.h"
#include "formats/registry.h"
#include "render/view.h"
#include "transform/select.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SHOW_NOTES_BRIEF 4u
#define SHOW_COMMS       12u
#define SHOW_INTRO       72u
/* a longer path is printed only in the first command of a page; later commands have FILE instead */
#define SHOW_PATH 32u

int show_end(struct show *s, int status)
{
	struct error err = { "" };

	/* EPIPE: the reader closed the pipe, and the exit status must still report the findings */
	if (view_end(s->v, &err) < 0 && s->session->to.out.error != EPIPE)
		status = EXIT_FAILED;
	show_fini(s);
	return status;
}

struct str show_string(const struct show *s, str_id id)
{
	return strings_get(&s->session->dossier->strings, id);
}

struct str show_file(struct show *s)
{
	const struct dossier *d = s->session->dossier;
	struct str path = d->inputs.len == 1 ? show_string(s, d->inputs.data[0].path) : STR("-");
	bool is_again = s->has_path && path.len > SHOW_PATH;

	return str_eq(path, STR("-")) || is_again ? STR("FILE")
						  : finding_quoted(&s->scratch, path, false);
}

struct cell show_name(const struct show *s, str_id id)
{
	return id.v ? cell_text(show_string(s, id)) : cell_none();
}

struct str show_format(struct show *s, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	return arena_str(
		&s->scratch,
		(struct str){ buf, (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1 });
}

struct str show_lines(struct show *s, uint32_t first, uint32_t last)
{
	if (first == 0)
		return STR("");
	if (last <= first)
		return show_format(s, "line %" PRIu32, first);
	return show_format(s, "lines %" PRIu32 "-%" PRIu32, first, last);
}

#define SHOW_FACTS 64u /* maximum number of earlier captures to search for the same fact */

struct show_step {
	double of;
	const char *name;
};

struct str show_plural(struct show *s, uint64_t n, const char *one, const char *many)
{
	return show_format(s, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

/*
 * Format @value with three significant digits and @unit. @steps: @n scales, the largest first. Uses
 * the first scale that is at most @value; if there is none, the last scale.
 */
static struct str show_scaled(struct show *s, double value, const struct show_step *steps, size_t n,
			      struct str unit)
{
	size_t i = 0;

	while (i + 1 < n && value < steps[i].of)
		i++;
	value /= steps[i].of;
	return show_format(s, "%.*f %s" STR_FMT,
			   value >= 99.95   ? 0
			   : value >= 9.995 ? 1
					    : 2,
			   value, steps[i].name, STR_ARG(unit));
}

struct str show_amount(struct show *s, double value, struct str unit)
{
	static const struct show_step times[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" }
	};
	/* profilers and the kernel print bytes in powers of 1024 */
	static const struct show_step bytes[] = {
		{ 0x1p40, "TiB" },
		{ 0x1p30, "GiB" },
		{ 0x1p20, "MiB" },
		{ 0x1p10, "KiB" },
	};
	static const struct show_step counts[] = { { 1e12, "T " }, { 1e9, "G " }, { 1e6, "M " } };

	if (str_eq(unit, STR("ns")))
		return show_scaled(s, value, times, ARRAY_LEN(times), STR(""));
	if (str_eq(unit, STR("bytes")) && value >= 1024)
		return show_scaled(s, value, bytes, ARRAY_LEN(bytes), STR(""));
	if (value < 1e6)
		return show_format(s, "%.0f " STR_FMT, value, STR_ARG(unit));
	return show_scaled(s, value, counts, ARRAY_LEN(counts), unit);
}

struct str show_pct(struct show *s, double pct, double err)
{
	if (err < 0.005)
		return show_format(s, "%.2f %%", pct);
	return show_format(s, "%.2f ± %.2f %%", pct, err);
}

void show_source(struct show *s, const struct capture *c)
{
	view_object(s->v, "source", NULL);
	view_field(s->v, "path", NULL, cell_text(show_string(s, c->path)));
	view_field(s->v, "first_line", NULL,
		   c->first_line ? cell_line(c->first_line) : cell_none());
	view_field(s->v, "last_line", NULL, c->last_line ? cell_line(c->last_line) : cell_none());
	view_object_end(s->v);
}

/*
 * Whether the front page has already printed the counter of @kind as a reason to doubt the data.
 * @diag: all counters of the capture.
 */
static bool show_is_said(const struct show *s, const struct diag *diag,
			 const struct diag_kind *kind)
{
	VEC_FOREACH (said, &s->said) {
		if (&said->capture->diag == diag && strcmp(said->id, kind->counter) == 0)
			return true;
	}
	return false;
}

void show_skipped(struct show *s, const struct diag *diag, const char *title)
{
	static const struct view_column columns[] = {
		{ "counter", NULL, 0 },  { "severity", NULL, 0 },   { "count", NULL, 0 },
		{ "sentence", NULL, 0 }, { "first_line", NULL, 0 },
	};
	static const struct view_table table = {
		.key = "skipped",
		.columns = columns,
		.n_columns = ARRAY_LEN(columns),
		.is_json_only = true,
	};

	view_table(s->v, &table);
	VEC_FOREACH (e, &diag->entries) {
		struct cell cells[] = {
			cell_word(e->kind->counter),
			cell_word(diag_severity_name(e->kind->severity)),
			cell_count(e->count),
			cell_word(e->kind->sentence),
			cell_line(e->first_line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	VEC_FOREACH (e, &diag->entries) {
		if ((s->is_brief && e->kind->severity == DIAG_INFO && !e->kind->is_change) ||
		    show_is_said(s, diag, e->kind))
			continue;
		if (e->first_line)
			view_line(s->v, title, "%s: %" PRIu64 ", first at line %" PRIu32,
				  e->kind->sentence, e->count, e->first_line);
		else
			view_line(s->v, title, "%s: %" PRIu64, e->kind->sentence, e->count);
		title = NULL;
	}
}

/*
 * Whether the page prints the fact @f of @c. It does not if an earlier capture has the same fact
 * from the same line.
 */
static bool show_is_new_fact(const struct show *s, const struct capture *c,
			     const struct capture_fact *f)
{
	const struct dossier *d = s->session->dossier;

	for (size_t i = 0; s->is_brief && i < d->captures.len && i < SHOW_FACTS; i++) {
		const struct capture *other = d->captures.data[i];

		if (other == c)
			break;
		VEC_FOREACH (g, &other->facts) {
			if (g->name.v == f->name.v && g->value == f->value && g->line == f->line)
				return false;
		}
	}
	return true;
}

static bool show_has_new_fact(const struct show *s, const struct capture *c)
{
	VEC_FOREACH (f, &c->facts) {
		if (show_is_new_fact(s, c, f))
			return true;
	}
	return false;
}

/*
 * Write the part `facts`: {"requests": 10000}. It includes facts that the input states outside of
 * the capture.
 */
static void show_facts(struct show *s, const struct capture *c)
{
	struct out sentence = { .fd = -1 };

	if (c->facts.len == 0)
		return;
	view_object(s->v, "facts", NULL);
	VEC_FOREACH (f, &c->facts) {
		struct str name = show_string(s, f->name);
		bool is_again = false, is_same = false;

		for (const struct capture_fact *g = c->facts.data; g < f; g++) {
			is_again |= g->name.v == f->name.v;
			is_same |= g->name.v == f->name.v && g->value == f->value;
		}
		if (!is_again)
			view_field(s->v, arena_str(&s->scratch, name).p, NULL,
				   cell_count(f->value));
		if (is_same || !show_is_new_fact(s, c, f))
			continue;
		out_printf(&sentence, "%s%" PRIu64 " " STR_FMT, sentence.len ? ", " : "", f->value,
			   STR_ARG(name));
		if (f->line)
			out_printf(&sentence, " (L%" PRIu32 ")", f->line);
	}
	view_object_end(s->v);
	if (sentence.len)
		view_line(s->v, "Stated", STR_FMT, STR_ARG(out_view(&sentence)));
	out_fini(&sentence);
}

/*
 * Whether @key is the key of a note about the recording machine or file, or of a title that the
 * tool printed. The front page prints such notes only with --header.
 */
static bool show_is_machine(struct str key)
{
	static const char *const keys[] = {
		"hostname",     "os release",     "perf version", "arch",      "nrcpus online",
		"nrcpus avail", "cpudesc",        "cpuid",        "cpu model", "total memory",
		"captured on",  "header version", "data offset",  "data size", "feat offset",
		"cmdline",      "title",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return false;
}

/* Whether to print @note in text. */
static bool show_has_note(const struct show *s, const struct capture_note *note)
{
	if (s->profile && s->profile->has_header)
		return true;
	/* the title of the capture already names the tool */
	if (str_eq(show_string(s, note->key), STR("printed by")))
		return false;
	return !note->is_detail && !(s->is_brief && show_is_machine(show_string(s, note->key)));
}

static void show_notes(struct show *s, const struct capture *c)
{
	bool has_details = s->profile && s->profile->has_header;
	size_t n = 0;

	if (c->title.v)
		view_field(s->v, "title", NULL, show_name(s, c->title));
	if (c->command.v) {
		view_field(s->v, "command", NULL, show_name(s, c->command));
		view_line(s->v, c->counters && c->counters->is_attached ? "Process" : "Command",
			  STR_FMT, STR_ARG(show_string(s, c->command)));
	}
	if (c->notes.len == 0)
		return;
	view_list(s->v, "notes");
	VEC_FOREACH (note, &c->notes) {
		view_object(s->v, NULL, NULL);
		view_field(s->v, "key", NULL, show_name(s, note->key));
		view_field(s->v, "value", NULL, show_name(s, note->value));
		view_field(s->v, "line", NULL, cell_line(note->line));
		view_object_end(s->v);
		if (!show_has_note(s, note) ||
		    (n++ >= SHOW_NOTES_BRIEF && s->is_brief && !has_details))
			continue;
		view_line(s->v, n == 1 ? "Header" : NULL, STR_FMT ": " STR_FMT,
			  STR_ARG(show_string(s, note->key)), STR_ARG(show_string(s, note->value)));
	}
	view_list_end(s->v);
}

void show_stated(struct show *s, const struct capture *c)
{
	show_facts(s, c);
	show_notes(s, c);
}

static void show_quality(struct show *s, const struct capture *c)
{
	struct quality q;

	quality_of(c, &s->session->cats, &q);
	view_object(s->v, "quality", NULL);
	view_field(s->v, "verdict", NULL, cell_word(quality_verdict_name(q.verdict)));
	view_field(s->v, "extent", NULL,
		   q.extent == QUALITY_EXTENT_UNKNOWN ? cell_none()
						      : cell_word(quality_extent_name(q.extent)));
	view_list(s->v, "reasons");
	VEC_FOREACH (r, &q.reasons) {
		view_object(s->v, NULL, NULL);
		view_field(s->v, "id", NULL, cell_word(r->id));
		view_field(s->v, "severity", NULL, cell_word(quality_severity_name(r->severity)));
		view_field(s->v, "sentence", NULL, cell_text(r->sentence));
		view_field(s->v, "figure", NULL, cell_real(r->figure, -1));
		view_field(s->v, "unit", NULL, *r->unit ? cell_word(r->unit) : cell_none());
		view_field(s->v, "line", NULL, cell_line(r->line));
		view_object_end(s->v);
	}
	view_list_end(s->v);
	view_object_end(s->v);
	for (size_t i = 0; !s->is_brief && i < q.reasons.len; i++) {
		const struct quality_reason *r = &q.reasons.data[i];
		const char *verdict = q.verdict == QUALITY_CANNOT_TELL
					      ? "cannot tell"
					      : quality_verdict_name(q.verdict);

		if (i == 0)
			view_line(s->v, "Data", "%s: " STR_FMT, verdict, STR_ARG(r->sentence));
		else
			view_line(s->v, NULL, "- " STR_FMT, STR_ARG(r->sentence));
	}
	if (q.reasons.len == 0 && !s->is_brief)
		view_line(s->v, "Data", "%s", quality_verdict_name(q.verdict));
	quality_fini(&q);
}

/* The tool that printed the data of a capture: "jstack"; "" if unknown. */
static struct str show_tool(const struct show *s, const struct capture *c)
{
	str_id id = c->counters  ? c->counters->tool
		    : c->threads ? c->threads->dialect
				 : (str_id){ 0 };
	struct str tool = id.v ? show_string(s, id) : capture_note_of(c, STR("printed by"));

	return str_eq(tool, STR("table")) ? STR("") : tool;
}

struct str show_title(struct show *s, const struct capture *c)
{
	struct str title = str_of(format_title(c->format));
	struct str tool = show_tool(s, c);

	if (c->calls && tool.len)
		return tool;
	if (!tool.len || str_eq(title, str_of(c->format)))
		return title;
	return show_format(s, STR_FMT " of " STR_FMT, STR_ARG(title), STR_ARG(tool));
}

/*
 * The kind of data in brackets: " (profile)". Returns "" if the title of the format already says
 * it. If view_budget() chooses the rows, returns the size of the capture in brackets instead.
 */
static struct str show_kind(struct show *s, const struct capture *c)
{
	const char *kind = capture_kind_name(c->kinds);
	const char *title = format_title(c->format);

	if (s->is_budget)
		return show_format(s, " (" STR_FMT ")", STR_ARG(show_size(s, c)));
	return strcmp(title, c->format) != 0 || str_ends(str_of(title), str_of(kind))
		       ? STR("")
		       : show_format(s, " (%s)", kind);
}

/*
 * The text that introduces a capture among several: ", 'With the cache'". It is the sentence above
 * the capture, or else the command that printed it. Empty: there is no such text.
 */
static struct str show_intro(struct show *s, const struct capture *c)
{
	str_id intro = c->title.v ? c->title : c->command;

	if (!intro.v || s->session->dossier->captures.len < 2)
		return STR("");
	return show_format(s, ", '" STR_FMT "%s'",
			   STR_ARG(str_sub(show_string(s, intro), 0, SHOW_INTRO)),
			   show_string(s, intro).len > SHOW_INTRO ? "..." : "");
}

static void show_head(struct show *s, const struct capture *c)
{
	struct str lines = show_lines(s, c->first_line, c->last_line);
	struct str intro = show_intro(s, c);

	view_field(s->v, "kind", NULL, cell_word(capture_kind_name(c->kinds)));
	view_field(s->v, "format", NULL, cell_word(c->format));
	show_source(s, c);
	if (s->has_title && lines.len)
		view_heading(s->v, show_format(s, "L" STR_FMT ":", STR_ARG(str_skip(lines, 1))),
			     STR_FMT STR_FMT STR_FMT, STR_ARG(show_title(s, c)),
			     STR_ARG(show_kind(s, c)), STR_ARG(intro));
	else if (s->has_title)
		view_heading(s->v, show_title(s, c), STR_FMT STR_FMT, STR_ARG(show_kind(s, c)),
			     STR_ARG(intro));
	else if (!show_front_is_single(s))
		view_heading(s->v, show_string(s, c->path), STR_FMT "%s" STR_FMT STR_FMT STR_FMT,
			     STR_ARG(lines), lines.len ? ": " : "", STR_ARG(show_title(s, c)),
			     STR_ARG(show_kind(s, c)), STR_ARG(intro));
	if (!show_front_is_single(s))
		s->has_title = s->session->dossier->inputs.len == 1;
	if (c->excerpt_of == INDEX_NONE)
		return;
	view_field(s->v, "excerpt_of", NULL, cell_count(c->excerpt_of));
}

/*
 * If the capture is an excerpt of another one, print a note about that and return true. The front
 * page then prints nothing else about the excerpt.
 */
static bool show_excerpt(struct show *s, const struct capture *c)
{
	const struct dossier *d = s->session->dossier;
	const struct capture *whole;

	if (c->excerpt_of >= d->captures.len)
		return false;
	whole = d->captures.data[c->excerpt_of];
	view_line(s->v, "Excerpt", "of " STR_FMT "%s" STR_FMT "; not counted again",
		  STR_ARG(whole->path.v == c->path.v ? STR("") : show_string(s, whole->path)),
		  whole->path.v == c->path.v ? "" : " ",
		  STR_ARG(show_lines(s, whole->first_line, whole->last_line)));
	return true;
}

/*
 * Print the commands that the profile has, because the value of --comm matches no sample. The value
 * may have a typing error.
 */
static void show_known_comms(struct show *s, const struct profile *p)
{
	struct out names = { .fd = -1 };
	size_t n = 0;

	for (size_t i = 0; i < p->threads.len && n < SHOW_COMMS; i++) {
		bool is_again = false;

		for (size_t k = 0; k < i; k++)
			is_again |= p->threads.data[k].comm.v == p->threads.data[i].comm.v;
		if (is_again)
			continue;
		out_printf(&names, "%s" STR_FMT, n++ ? ", " : "",
			   STR_ARG(show_string(s, p->threads.data[i].comm)));
		if (n == SHOW_COMMS)
			out_z(&names, ", ...");
	}
	if (n)
		view_line(s->v, NULL, "commands in it: " STR_FMT, STR_ARG(out_view(&names)));
	out_fini(&names);
}

void show_selected(struct show *s, uint32_t capture)
{
	const struct select_result *r = &s->session->change.selected.data[capture];
	struct out options = { .fd = -1 };
	size_t n = 0;

	if (!r->is_done)
		return;
	view_object(s->v, "selected", NULL);
	view_field(s->v, "of", NULL, cell_count(r->of));
	view_field(s->v, "samples", NULL, cell_count(r->kept));
	view_list(s->v, "filters");
	for (enum select_kind k = 0; k < SELECT_KINDS; k++)
		n += r->counts[k].is_asked;
	for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
		struct out value = { .fd = -1 };

		if (!r->counts[k].is_asked)
			continue;
		VEC_FOREACH (text, &s->session->in.chosen[k].items)
			out_printf(&value, "%s%s", value.len ? "," : "", *text);
		view_object(s->v, NULL, NULL);
		view_field(s->v, "option", NULL, cell_word(select_kind_name(k)));
		view_field(s->v, "value", NULL, cell_text(out_view(&value)));
		view_field(s->v, "samples", NULL, cell_count(r->counts[k].samples));
		view_object_end(s->v);
		out_printf(&options, "%s--%s " STR_FMT, options.len ? " and " : "",
			   select_kind_name(k), STR_ARG(out_view(&value)));
		if (n > 1)
			out_printf(&options, " (%" PRIu64 ")", r->counts[k].samples);
		out_fini(&value);
	}
	view_list_end(s->v);
	view_object_end(s->v);
	view_line(s->v, "Chosen", "of " STR_FMT " %" PRIu64 " match%s " STR_FMT,
		  STR_ARG(show_plural(s, r->of, "sample", "samples")), r->kept,
		  r->kept == 1 ? "es" : "", STR_ARG(out_view(&options)));
	if (r->counts[SELECT_COMM].is_asked && r->counts[SELECT_COMM].samples == 0)
		show_known_comms(s, s->session->dossier->captures.data[capture]->profile);
	out_fini(&options);
}

void show_header(struct show *s, uint32_t capture)
{
	const struct capture *c = s->session->dossier->captures.data[capture];

	arena_clear(&s->scratch);
	view_object(s->v, NULL, NULL);
	show_head(s, c);
	show_stated(s, c);
	view_object_end(s->v);
}

/*
 * Whether to show the profile of @c. For a dump of threads, groups of threads are shown instead of
 * the profile, unless the user requested sort keys or a tree.
 */
static bool show_has_profile(const struct show *s, const struct capture *c)
{
	return c->profile &&
	       (!c->threads || (s->profile && (s->profile->has_keys || s->profile->has_tree)));
}

/* Print the end of a capture on the front page: its size and its header. */
static void show_rest(struct show *s, uint32_t capture)
{
	const struct capture *c = s->session->dossier->captures.data[capture];
	bool has_any = (show_has_profile(s, c) &&
			!str_eq(show_string(s, c->profile->event), STR("plan-time")) &&
			!show_profile_is_titled(s, c->profile)) ||
		       c->command.v || show_has_new_fact(s, c);

	VEC_FOREACH (note, &c->notes)
		has_any |= show_has_note(s, note);
	if (has_any)
		view_heading(s->v, STR("Details"), "%s", "");
	if (show_has_profile(s, c)) {
		show_profile_head(s, c);
		show_profile_stacks(s, capture);
	}
	show_stated(s, c);
	if (show_has_profile(s, c))
		show_per_hint(s, c);
}

int show_capture(struct show *s, uint32_t capture, struct error *err)
{
	const struct capture *c = s->session->dossier->captures.data[capture];
	bool is_excerpt;
	int r = OK;

	arena_clear(&s->scratch);
	view_object(s->v, NULL, NULL);
	show_head(s, c);
	is_excerpt = show_excerpt(s, c) && s->is_brief;
	if (show_has_profile(s, c) && (!s->is_brief || is_excerpt))
		show_profile_head(s, c);
	show_selected(s, capture);
	if (!is_excerpt) {
		if (!s->is_brief)
			show_stated(s, c);
		if (!c->is_measured && !c->threads &&
		    (!c->profile || !c->profile->is_selected || c->profile->samples.n))
			show_quality(s, c);
		if (c->threads)
			show_threads(s, c);
		if (show_has_profile(s, c))
			r = show_profile(s, capture, err);
		if (c->distribution)
			show_distribution(s, c);
		if (syscalls_is(c))
			show_syscalls(s, c);
		else if (r == OK && c->kinds & KIND_CALLS)
			r = show_calls(s, capture, err);
		if (c->kinds & KIND_CODE)
			show_code(s, c);
		if (c->kinds & KIND_LOG)
			show_log(s, c);
		if (c->kinds & KIND_COUNTERS)
			show_counters(s, c);
		if (c->is_measured)
			show_sources(s, c);
		else if (c->kinds & KIND_METRICS && !syscalls_is(c))
			show_metrics(s, c);
		if (s->is_brief)
			show_rest(s, capture);
	}
	show_skipped(s, &c->diag, "Skipped");
	view_object_end(s->v);
	return r;
}
