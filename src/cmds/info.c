/* SPDX-License-Identifier: MIT */
/*
 * info.c - `assay info`: the parts of each input, the captures in these parts, and the unread parts
 */
#include "analyses/calls/call_events.h"
#include "base/arena.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "formats/format.h"
#include "render/view.h"

#include <inttypes.h>

DECLARE_CMD(info);

/* Print the number of frames in the call trees of a printed report. */
static void info_tables(struct show *s, const struct capture *c)
{
	const struct profile *p = c->profile;

	if (!p || p->table.rows.len == 0)
		return;
	view_field(s->v, "tree_frames", NULL, cell_count(p->table.nodes.len));
}

/* Format the number of events in a trace: ", 445 events"; "" if it has none. */
static const char *info_events(struct show *s, const struct capture *c)
{
	struct call_events events;
	uint64_t n;

	call_events_count(c, &events);
	n = events.count;
	call_events_fini(&events);
	if (c->calls)
		view_field(s->v, "events", NULL, cell_count(n));
	return n ? show_format(s, ", %" PRIu64 " events", n).p : "";
}

/*
 * Describe an excerpt: "; an excerpt of …", with the line range of the whole capture. For a capture
 * that is no excerpt: "".
 */
static const char *info_excerpt(struct show *s, const struct capture *c)
{
	const struct capture *whole;

	if (c->excerpt_of == INDEX_NONE)
		return "";
	whole = s->session->dossier->captures.data[c->excerpt_of];
	return show_format(
		       s, "; an excerpt of " STR_FMT "%s" STR_FMT,
		       STR_ARG(whole->path.v == c->path.v ? STR("") : show_string(s, whole->path)),
		       whole->path.v == c->path.v ? "" : " ",
		       STR_ARG(show_lines(s, whole->first_line, whole->last_line)))
		.p;
}

static void info_capture(struct show *s, const struct dossier_region *r, const char *lines)
{
	const struct capture *c = s->session->dossier->captures.data[r->capture];
	uint64_t records = show_records(c);

	view_field(s->v, "capture", NULL, cell_count(r->capture));
	view_field(s->v, "kind", NULL, cell_word(capture_kind_name(c->kinds)));
	view_field(s->v, "records", NULL, cell_count(records));
	if (c->excerpt_of != INDEX_NONE)
		view_field(s->v, "excerpt_of", NULL, cell_count(c->excerpt_of));
	view_line(s->v, lines, STR_FMT " (%s), %" PRIu64 " %s%s%s", STR_ARG(show_title(s, c)),
		  capture_kind_name(c->kinds), records, show_records_name(c, records),
		  info_events(s, c), info_excerpt(s, c));
	info_tables(s, c);
	show_stated(s, c);
	show_skipped(s, &c->diag, NULL);
}

/* Format the line range of a part of an input: "13-133", "9"; "all" for a binary input. */
static const char *info_lines(struct show *s, const struct dossier_region *r)
{
	if (!r->first_line)
		return "all";
	if (r->first_line == r->last_line)
		return show_format(s, "%" PRIu32, r->first_line).p;
	return show_format(s, "%" PRIu32 "-%" PRIu32, r->first_line, r->last_line).p;
}

static void info_region(struct show *s, const struct dossier_region *r)
{
	const char *lines = info_lines(s, r);

	view_object(s->v, NULL, NULL);
	view_field(s->v, "format", NULL, r->format ? cell_word(r->format) : cell_null());
	view_field(s->v, "first_line", NULL, cell_line(r->first_line));
	view_field(s->v, "last_line", NULL, cell_line(r->last_line));
	view_field(s->v, "declined", NULL, r->declined ? cell_word(r->declined) : cell_none());
	if (r->capture < s->session->dossier->captures.len)
		info_capture(s, r, lines);
	else
		view_line(s->v, lines, "%s", r->declined ? r->declined : "no capture");
	view_object_end(s->v);
}

static void info_input(struct show *s, const struct dossier_input *in)
{
	struct str lines = in->lines ? show_format(s, ", %" PRIu32 " lines", in->lines) : STR("");
	struct str encoding = show_string(s, in->encoding);

	view_object(s->v, NULL, NULL);
	view_field(s->v, "path", NULL, cell_text(show_string(s, in->path)));
	view_field(s->v, "bytes", NULL, cell_count(in->bytes));
	view_field(s->v, "lines", NULL, cell_count(in->lines));
	view_field(s->v, "encoding", NULL, show_name(s, in->encoding));
	view_field(s->v, "unrecognised_lines", NULL, cell_count(in->unrecognised_lines));
	view_heading(s->v, show_string(s, in->path), "%" PRIu64 " bytes" STR_FMT "%s" STR_FMT,
		     in->bytes, STR_ARG(lines), encoding.len ? ", undone: " : "",
		     STR_ARG(encoding));
	view_list(s->v, "regions");
	VEC_FOREACH (r, &in->regions) {
		arena_clear(&s->scratch);
		info_region(s, r);
	}
	view_list_end(s->v);
	show_skipped(s, &in->diag, "input");
	if (in->unrecognised_lines)
		view_line(s->v, "not read", STR_FMT " outside of captures",
			  STR_ARG(show_plural(s, in->unrecognised_lines, "non-blank line",
					      "non-blank lines")));
	view_object_end(s->v);
}

static int info_show(struct session *session)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-info-1");
	view_list(v, "inputs");
	VEC_FOREACH (in, &session->dossier->inputs)
		info_input(&s, in);
	view_list_end(v);
	return show_end(&s, status);
}

static int info_run(int argc, char **argv)
{
	struct session s;
	struct args_option options[] = {
		SESSION_JSON(&s),
		SESSION_OPTIONS(&s),
		SESSION_FORCE(&s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay info",
		.operands = "FILE...",
		.summary =
			"List the captures in an input by line, and the parts that were skipped.",
		.options = options,
	};
	int status;

	session_init(&s);
	s.in.read.without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD;
	if (session_parse(&s, &spec, argc, argv, &status) && session_load(&s, &spec, &status) &&
	    s.dossier->inputs.len)
		status = info_show(&s);
	return session_finish(&s, status);
}

const struct cmd cmd_info = {
	.name = "info",
	.summary = "list the captures in an input by line, and skipped parts",
	.run = info_run,
};
