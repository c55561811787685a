/* SPDX-License-Identifier: MIT */
/*
 * front.c - `assay FILE...`: kind of data, quality, main costs and findings; a screen per capture
 */
#include "cmds/run/front.h"

#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/evidence.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/go_package.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"

#include <inttypes.h>

#define FRONT_REST_BRIEF 6u
#define FRONT_UNREAD     3u /* maximum number of unread lines that are quoted */

/*
 * Print the parts of an input that were not read although their format is known. Also print how
 * much of the input was skipped.
 */
static void front_rest(struct show *s, const struct dossier_input *in)
{
	bool is_only = s->session->dossier->inputs.len == 1;
	size_t n = 0;

	show_skipped(s, &in->diag, "Input");
	VEC_FOREACH (r, &in->regions) {
		struct str lines = show_lines(s, r->first_line, r->last_line);

		if (r->capture != INDEX_NONE || !r->declined)
			continue;
		if (n++ < show_rows(s, FRONT_REST_BRIEF))
			view_line(s->v, n == 1 ? "Not read" : NULL, STR_FMT "%s" STR_FMT,
				  STR_ARG(lines), lines.len ? ": " : "",
				  STR_ARG(show_declined(s, r)));
	}
	if (n > show_rows(s, FRONT_REST_BRIEF))
		view_line(s->v, NULL, "%zu more: assay info " STR_FMT, n - FRONT_REST_BRIEF,
			  STR_ARG(is_only ? show_file(s) : show_string(s, in->path)));
	bool is_quoted =
		in->unrecognised_lines <= FRONT_UNREAD && in->unrecognised_lines == in->n_unread;

	for (uint32_t i = 0; is_quoted && i < in->n_unread; i++)
		view_line(s->v, i ? NULL : "Not read", "L%" PRIu32 ": " STR_FMT "%s",
			  in->unread[i].line, STR_ARG(show_string(s, in->unread[i].text)),
			  in->unread[i].is_cut ? "..." : "");
	if (in->unrecognised_lines && !is_quoted)
		view_line(s->v, "Not read",
			  STR_FMT " of prose or unknown text: assay info " STR_FMT,
			  STR_ARG(show_plural(s, in->unrecognised_lines, "line", "lines")),
			  STR_ARG(is_only ? show_file(s) : show_string(s, in->path)));
}

static void front_inputs(struct show *s)
{
	view_list(s->v, "inputs");
	VEC_FOREACH (in, &s->session->dossier->inputs) {
		bool has_text = in->diag.entries.len || in->unrecognised_lines;

		VEC_FOREACH (r, &in->regions)
			has_text |= r->declined != NULL;
		view_object(s->v, NULL, NULL);
		view_field(s->v, "path", NULL, cell_text(show_string(s, in->path)));
		view_field(s->v, "bytes", NULL, cell_count(in->bytes));
		view_field(s->v, "lines", NULL, cell_count(in->lines));
		view_field(s->v, "encoding", NULL, show_name(s, in->encoding));
		view_field(s->v, "unrecognised_lines", NULL, cell_count(in->unrecognised_lines));
		if (has_text)
			view_heading(s->v,
				     s->session->dossier->inputs.len == 1
					     ? STR("The rest")
					     : show_string(s, in->path),
				     "%s", s->session->dossier->inputs.len == 1 ? "" : "the rest");
		front_rest(s, in);
		view_object_end(s->v);
	}
	view_list_end(s->v);
}

/*
 * For each of the first findings, store the first line that the finding cites. Then the table of
 * counters with this line begins with the line's row.
 */
static void front_cite(struct show *s, const struct findings *f)
{
	size_t n = 0;

	VEC_FOREACH (row, &f->rows) {
		if (row->overruled_by != INDEX_NONE || row->capture == INDEX_NONE)
			continue;
		if (n++ >= show_rows(s, FRONT_FINDINGS))
			break;
		if (row->evidence.len && row->evidence.data[0].line)
			*VEC_PUSH(&s->cited) = (struct show_cited){
				s->session->dossier->captures.data[row->capture],
				row->evidence.data[0].line
			};
	}
}

/*
 * Print the first findings, the command that shows the others, and reasons to doubt the data.
 * Returns the index of the capture to show first.
 */
static uint32_t front_findings(struct show *s)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(s->session->dossier);
	struct findings f = { .rows = VEC_INIT };
	uint32_t lead;

	explain_run(facts, NULL, &f);
	lead = show_front_lead(s, &f);
	evidence_quote(s->session->dossier, &f);
	show_front_pair(s, facts, &f);
	show_front_findings(s, &f, show_rows(s, FRONT_FINDINGS));
	front_cite(s, &f);
	if (!s->session->to.is_json && !s->session->to.is_csv)
		show_front_trust(s, &f, lead);
	findings_fini(&f);
	return lead;
}

/*
 * Compute how long the threads of an input ran. The captures of the input have the indices @first
 * to @end - 1. If exactly one capture has samples in ns, the result is the sum of its samples. (The
 * sum of several captures would count the same time twice.) Otherwise the result comes from the
 * context switches, @o. False: unknown.
 */
static bool front_ran(const struct session *s, const struct off_cpu *o, uint32_t first,
		      uint32_t end, uint64_t *ret_ns)
{
	unsigned int n = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct profile *p = s->dossier->captures.data[i]->profile;

		if (!p || p->unit != WEIGHT_NS || p->is_complete)
			continue;
		*ret_ns = p->event_count;
		n++;
	}
	if (n != 1)
		/*
		 * there is no capture with samples in ns, or more than one: use the context
		 * switches
		 */
		*ret_ns = o->ran_ns;
	return *ret_ns > 0 || n == 1;
}

/*
 * Print the running time and the waits of an input. They are printed together, because one of them
 * alone would mislead.
 */
static void front_waits_of(struct show *s, const struct off_cpu *o, uint32_t first, uint32_t end)
{
	uint64_t ran;
	bool has_ran;

	if (!o->is_done)
		return;
	has_ran = front_ran(s->session, o, first, end, &ran);
	view_heading(
		s->v, STR("On and off the CPU"), STR_FMT,
		STR_ARG(s->session->loaded.n_inputs > 1 && first < end
				? show_string(s, s->session->dossier->captures.data[first]->path)
				: STR("")));
	if (has_ran)
		view_line(s->v, "Ran", "%.3f s", (double)ran / 1e9);
	view_line(s->v, "Ready", "%.3f s without getting a CPU", (double)o->runnable_ns / 1e9);
	view_line(s->v, "Waited",
		  "%.3f s in " STR_FMT " of " STR_FMT
		  "; assay report --off-cpu --sort comm,waker " STR_FMT,
		  (double)o->blocked_ns / 1e9, STR_ARG(show_plural(s, o->waits, "wait", "waits")),
		  STR_ARG(show_plural(s, o->threads, "thread", "threads")), STR_ARG(show_file(s)));
	if (o->open)
		view_line(s->v, NULL, STR_FMT " had not ended at the end of the recording",
			  STR_ARG(show_plural(s, o->open, "wait", "waits")));
	if (o->unseen)
		view_line(s->v, NULL,
			  STR_FMT " without a recorded end: counted until the thread was next seen",
			  STR_ARG(show_plural(s, o->unseen, "wait", "waits")));
	if (has_ran && o->blocked_ns > ran)
		view_line(s->v, NULL,
			  "threads waited longer than they ran, as idle ones do, too: a profile of "
			  "the CPU shows none of it");
}

/* Print the waits of each recording separately. */
static void front_waits(struct show *s)
{
	uint32_t first = 0;

	for (size_t i = 0; i < s->session->change.off_cpu.len; i++) {
		uint32_t end = s->session->loaded.input_ends.data[i];

		front_waits_of(s, &s->session->change.off_cpu.data[i], first, end);
		first = end;
	}
}

int front_parts(struct show *s)
{
	struct error err = { "" };
	int status = EXIT_DONE;
	uint32_t lead;

	show_front_title(s);
	lead = front_findings(s);
	view_list(s->v, "captures");
	for (uint32_t i = 0; i < s->session->dossier->captures.len; i++) {
		if (show_capture(s, show_front_order(i, lead), &err) < 0) {
			complain(NULL, "%s", err.msg);
			status = EXIT_FAILED;
		}
	}
	view_list_end(s->v);
	front_waits(s);
	show_all_waits(s);
	front_inputs(s);
	return status;
}

/*
 * Collect the packages of Go functions. The page omits their paths: "loom.Weave" instead of
 * "example.org/mill/loom.Weave". With --wide, and in JSON and CSV, names are complete, so collect
 * no packages.
 */
static void front_packages(struct session *session, struct go_packages *ret)
{
	const struct symbols *symbols = &session->dossier->symbols;

	if (session->to.is_wide || session->to.is_json || session->to.is_csv)
		return;
	VEC_FOREACH (row, &symbols->rows)
		go_packages_add(ret, strings_get(symbols->strings, row->name));
	go_packages_finish(ret);
	session->to.packages = ret;
}

static int front_view(struct session *session, const struct show_profile_options *profile)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v, .profile = profile, .is_brief = true };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-front-1");
	return show_end(&s, front_parts(&s));
}

static int front_show(struct session *session, const struct show_profile_options *profile)
{
	struct go_packages packages = { .rows = VEC_INIT };
	int status;

	front_packages(session, &packages);
	status = front_view(session, profile);
	session->to.packages = NULL;
	go_packages_fini(&packages);
	return status;
}

int front_run(int argc, char **argv)
{
	struct session s;
	struct show_profile_options profile = { .has_header = false };
	struct args_option options[] = {
		SESSION_JSON(&s),
		SESSION_CSV(&s),
		OPT_FLAG("header", 0, &profile.has_header,
			 "also show the recorded header: host, versions, CPUs"),
		SESSION_SAMPLES(&s),
		ARGS_HEADING("C sources (a folder as FILE)"),
		SESSION_SOURCES(&s),
		SESSION_OPTIONS(&s),
		SESSION_FORCE(&s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay",
		.operands = "FILE...",
		.summary = "Show what is wrong in a recording, trace, log or mail, and where the "
			   "time goes.",
		.options = options,
		.tail = "'assay help' lists the commands and topics.",
	};
	int status;

	session_init(&s);
	session_for_findings(&s);
	s.sources.is_taken = true;
	if (session_parse(&s, &spec, argc, argv, &status) && session_load(&s, &spec, &status) &&
	    s.dossier->captures.len)
		status = front_show(&s, &profile);
	return session_finish(&s, status);
}
