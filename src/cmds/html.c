/* SPDX-License-Identifier: MIT */
/* html.c - `assay html`: findings, flame graphs, tables and timelines as one HTML file */
#include "analyses/compare/compare.h"
#include "analyses/flame/flame.h"
#include "analyses/quality/quality.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "cmds/capsule/capsule_box.h"
#include "cmds/capsule/capsule_evidence.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/diff/diff_show.h"
#include "cmds/run/cmd.h"
#include "cmds/run/outputs.h"
#include "cmds/run/secret.h"
#include "cmds/run/session.h"
#include "cmds/show/evidence.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "config.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/redact.h"
#include "core/strings.h"
#include "document/capsule.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "render/view.h"
#include "render/web/web_page.h"
#include "transform/transform.h"
#include "transform/wall_clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

DECLARE_CMD(html);

/* file name that replaces the redacted inputs in the commands of findings */
#define HTML_REDACTED "FILE.capsule"

struct html_command {
	struct session s;
	const char *title;
	/*
	 * value of --redact: file with the key for replacing names; "": use a random key; NULL: do
	 * not replace names
	 */
	const char *redact;
	struct session redacted; /* reads the inputs again, with replaced names */
	struct out capsule;      /* the inputs with replaced names */
	/* the session whose captures the page shows: `s`, or `redacted` with --redact */
	struct session *from;

	/* option --diff: compare two sides */
	bool is_diff;
	const char *event;
	struct diff_wish wish;
	double margin;
	struct diff_operands operands;
	struct diff_side sides[2];
	bool is_refused; /* the sides are not comparable; the page says why */
};

/* Write the output of `assay explain --json`. */
static int html_explain(struct session *session, struct out *out)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(session->dossier);
	CLEANUP(view_freep) struct view *v = view_json(out);
	struct explain_options options = { .only = STR_NONE };
	struct findings f = { .rows = VEC_INIT };
	struct show s = { .session = session, .v = v };
	struct error err = { "" };
	int r;

	explain_run(facts, &options, &f);
	/* redacted inputs are only in memory, so their lines cannot be read again and quoted */
	if (session->in.paths.items.len)
		evidence_quote(session->dossier, &f);
	view_begin(v, "assay-explain-1");
	if (f.rows.len == 0)
		view_field(v, "no_finding", NULL, cell_text(show_no_finding(&s, &f)));
	show_findings_quality(&s);
	show_findings(&s, &f, 0);
	show_checks(&s, &f);
	r = view_end(v, &err);
	show_fini(&s);
	findings_fini(&f);
	return r;
}

/*
 * Write the output of `assay report --json`. For captures of calls, this is the output of `assay
 * calls --json`.
 */
static int html_report(struct session *session, struct out *out)
{
	CLEANUP(view_freep) struct view *v = view_json(out);
	struct show s = { .session = session, .v = v };
	struct error err = { "" };
	int r;

	view_begin(v, "assay-report-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < session->dossier->captures.len; i++) {
		if (show_capture(&s, i, &err) == OK)
			continue;
		/*
		 * the page finds a capture by its index in this list, so even a capture that cannot
		 * be shown needs an element
		 */
		view_object(v, NULL, NULL);
		view_field(v, "why_not", NULL, cell_text(str_of(err.msg)));
		view_object_end(v);
	}
	view_list_end(v);
	r = view_end(v, &err);
	show_fini(&s);
	return r;
}

/*
 * Write the block @b of a capture into the page, and add its name and id to the JSON object @has.
 * Do neither if @is_there is false, because the capture has no such block. Always release @b.
 */
static int html_block(struct out *out, struct json *has, const char *name, uint32_t capture,
		      struct web_block *b, bool is_there, struct error *err)
{
	char id[32];
	int r = OK;

	if (is_there) {
		(void)snprintf(id, sizeof(id), "%s-%u", name, capture);
		r = web_page_block(out, id, b, err);
		json_key(has, name);
		json_z(has, id);
	}
	web_block_fini(b);
	return r;
}

/* Write the verdict on the data of @c, with the reasons that limit conclusions. */
static void html_quality(struct session *session, const struct capture *c, struct json *has)
{
	struct quality q;

	quality_of(c, &session->cats, &q);
	json_key(has, "quality");
	json_object(has);
	json_key(has, "verdict");
	json_z(has, quality_verdict_name(q.verdict));
	json_key(has, "doubts");
	json_array(has);
	VEC_FOREACH (r, &q.reasons) {
		if (r->severity != QUALITY_INFO)
			json_str(has, r->sentence);
	}
	json_array_end(has);
	json_object_end(has);
	quality_fini(&q);
}

static int html_capture(struct session *session, uint32_t at, struct out *out, struct json *has,
			struct error *err)
{
	const struct capture *c = session->dossier->captures.data[at];
	const struct strings *strings = &session->dossier->strings;
	struct web_block b;
	int r;

	json_object(has);
	json_key(has, "kind");
	json_z(has, capture_kind_name(c->kinds));
	json_key(has, "format");
	json_z(has, c->format);
	json_key(has, "path");
	json_str(has, strings_get(strings, c->path));
	json_key(has, "first_line");
	json_u64(has, c->first_line);
	json_key(has, "last_line");
	json_u64(has, c->last_line);
	json_key(has, "is_excerpt");
	json_bool(has, c->excerpt_of != INDEX_NONE);
	json_key(has, "event");
	json_str(has, c->profile ? strings_get(strings, c->profile->event) : STR(""));
	/*
	 * only the option --off-cpu makes a wall-clock capture; the page then shows this capture
	 * first
	 */
	json_key(has, "is_first");
	json_bool(has, wall_clock_is(c));
	html_quality(session, c, has);
	web_block_init(&b);
	r = html_block(out, has, "flame", at, &b, web_profile_flame(&b, c, &session->cats), err);
	web_block_init(&b);
	if (html_block(out, has, "samples", at, &b, web_profile_samples(&b, c, &session->cats),
		       err) < 0)
		r = ERR_LIMIT;
	web_block_init(&b);
	if (html_block(out, has, "calls", at, &b, web_calls(&b, c, &session->cats), err) < 0)
		r = ERR_LIMIT;
	web_block_init(&b);
	if (html_block(out, has, "log", at, &b, web_log(&b, c), err) < 0)
		r = ERR_LIMIT;
	web_block_init(&b);
	if (html_block(out, has, "charts", at, &b, web_charts(&b, c), err) < 0)
		r = ERR_LIMIT;
	json_object_end(has);
	return r;
}

/* Write the output of `assay diff --json`, and a block with the stacks of both sides. */
static int html_difference(struct html_command *c, struct compare *d, int compared, struct out *out,
			   struct json *has, struct error *err)
{
	static const struct diff_show_options options = { .by = DIFF_BY_ALL };
	struct out text = { .fd = -1 };
	CLEANUP(view_freep) struct view *v = view_json(&text);
	struct show s = { .session = &c->s, .v = v };
	struct web_block b;
	int r;

	if (compared == OK)
		(void)diff_show(&s, c->sides, d, &options);
	else
		diff_show_refusal(&s, c->sides, d);
	r = view_end(v, err);
	show_fini(&s);
	if (r == OK)
		r = web_page_packed(out, "difference", out_view(&text), err);
	out_fini(&text);
	json_key(has, "difference");
	json_z(has, "difference");
	if (r != OK || compared != OK)
		return r;
	flame_diff_names(d, &c->s.dossier->symbols);
	web_block_init(&b);
	if (web_diff(&b, d, &c->s.dossier->symbols, &c->s.cats)) {
		r = web_page_block(out, "stacks", &b, err);
		json_key(has, "stacks");
		json_z(has, "stacks");
	}
	web_block_fini(&b);
	return r;
}

/* Compare the sides. If they are not comparable, a message on stderr and the page say so. */
static int html_compare(struct html_command *c, struct out *out, struct json *has,
			struct error *err)
{
	struct compare_spec spec = {
		.norm = COMPARE_TOTAL,
		.margin = c->margin,
		.is_forced = c->s.to.is_forced,
		.has_paths = true,
	};
	struct compare d = { .scale = 0 };
	struct compare_side *sides[2] = { &spec.a, &spec.b };
	int r;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < c->sides[s].n && i < COMPARE_RUNS_MAX; i++)
			sides[s]->captures[sides[s]->n++] = c->sides[s].captures[i];
	}
	if (!spec.a.captures[0]->profile && !spec.b.captures[0]->profile)
		r = compare_calls(&spec, &d, err);
	else
		r = compare_profiles(&spec, &c->s.cats, &d, err);
	VEC_FOREACH (e, &d.refusals)
		complain(NULL, "%s: " STR_FMT, r == OK ? "forced" : "these cannot be compared",
			 STR_ARG(e->sentence));
	if (r == ERR_UNSUPPORTED) {
		complain(NULL, "--force compares them all the same");
		c->is_refused = true;
	}
	if (r == OK || r == ERR_UNSUPPORTED)
		r = html_difference(c, &d, r, out, has, err);
	compare_fini(&d);
	return r;
}

static struct str html_title(const struct html_command *c, struct out *text)
{
	const struct args_list *inputs = &c->s.in.paths;

	if (c->title)
		return str_of(c->title);
	if (c->redact)
		return STR("redacted");
	for (size_t i = 0; i < inputs->items.len && i < 3; i++) {
		struct str path = str_of(inputs->items.data[i]);

		out_z(text, i ? ", " : "");
		out_str(text, str_skip(path, str_rfind_char(path, '/') < path.len
						     ? str_rfind_char(path, '/') + 1
						     : 0));
	}
	if (inputs->items.len > 3)
		out_printf(text, " and %zu more", inputs->items.len - 3);
	return out_view(text);
}

static int html_write(struct html_command *c, struct error *err)
{
	struct out text = { .fd = -1 };
	struct out index = { .fd = -1 };
	struct out title = { .fd = -1 };
	struct json has;
	struct out *out = session_open(&c->s);
	struct str heading;
	int r;

	if (!out)
		return EXIT_FAILED;
	heading = html_title(c, &title);
	web_page_begin(out, heading);
	json_init(&has, &index, false);
	json_object(&has);
	json_key(&has, "title");
	json_str(&has, heading);
	json_key(&has, "version");
	json_z(&has, ASSAY_VERSION);
	json_key(&has, "captures");
	json_array(&has);
	r = html_explain(c->from, &text);
	web_page_json(out, "explain", out_view(&text));
	for (uint32_t i = 0; r == OK && i < c->from->dossier->captures.len; i++)
		r = html_capture(c->from, i, out, &has, err);
	text.len = 0;
	if (r == OK)
		r = html_report(c->from, &text);
	if (r == OK)
		r = web_page_packed(out, "report", out_view(&text), err);
	json_array_end(&has);
	if (r == OK && c->is_diff)
		r = html_compare(c, out, &has, err);
	json_object_end(&has);
	web_page_json(out, "index", out_view(&index));
	web_page_end(out);
	out_fini(&text);
	out_fini(&index);
	out_fini(&title);
	return r == OK ? EXIT_DONE : EXIT_FAILED;
}

/*
 * Read the inputs again from a capsule with replaced names, which is made as by `assay capsule
 * --redact`. The page then contains no original name. False: a message was printed.
 */
static bool html_redact(struct html_command *c)
{
	struct capsule_box box = { .members = VEC_INIT };
	struct redact_key key;
	struct error err = { "" };
	unsigned int n_left_out = 0;
	bool is_good = false;

	if (secret_read(c->redact, &key, &err) < 0) {
		complain(c->redact[0] ? c->redact : NULL, "%s", err.msg);
		return false;
	}
	if (capsule_evidence_redact(&c->s, NULL, &key, &box, &n_left_out)) {
		is_good =
			capsule_box_write(&box, STR("{\n  \"schema\": \"" CAPSULE_SCHEMA "\"\n}\n"),
					  &c->capsule, &err) == OK;
		if (!is_good)
			complain(NULL, "%s", err.msg);
	}
	capsule_box_fini(&box);
	if (!is_good)
		return false;
	session_load_bytes(&c->redacted, out_view(&c->capsule), HTML_REDACTED);
	c->from = &c->redacted;
	return n_left_out == 0;
}

static int html_show(struct html_command *c)
{
	struct error err = { "" };
	uint32_t list = INDEX_NONE;
	int status;

	c->wish.event = str_of(c->event);
	c->from = &c->s;
	if (c->redact && !html_redact(c))
		return EXIT_FAILED;
	if (c->is_diff && diff_pick(&c->s, c->s.in.side_b, &c->wish, c->sides, &list, &err) < 0) {
		complain(NULL, "%s", err.msg);
		if (list != INDEX_NONE)
			diff_list(&c->s, list);
		return EXIT_USAGE;
	}
	status = html_write(c, &err);
	if (status != EXIT_DONE && *err.msg)
		complain(NULL, "%s", err.msg);
	return status;
}

static bool html_check_redact(const struct html_command *c)
{
	bool is_chosen = c->is_diff;

	for (size_t i = 0; i < ARRAY_LEN(c->s.in.chosen); i++)
		is_chosen |= c->s.in.chosen[i].items.len != 0;
	if (is_chosen) {
		complain(NULL, "--redact takes no choice of samples and no --diff; write redacted "
			       "files first: assay capsule --redact=KEYFILE -o OUT FILE");
		return false;
	}
	VEC_FOREACH (path, &c->s.in.paths.items) {
		if (strcmp(*path, "-") == 0) {
			complain("-", "standard input is read only once, but --redact reads it "
				      "again; save it to a file first");
			return false;
		}
	}
	return true;
}

static bool html_check(struct html_command *c, const char *command)
{
	if (!c->s.to.path && isatty(STDOUT_FILENO)) {
		complain(NULL, "the page is not for a terminal; name a file: -o page.html");
		return false;
	}
	/* the operands "A -- B" have the same effect as the option --diff */
	c->is_diff |= c->operands.has_dashes && c->operands.n_before &&
		      c->operands.n_before < c->operands.n;
	if (c->redact && !html_check_redact(c))
		return false;
	if (c->is_diff)
		return diff_split(&c->operands, command, &c->s.in.side_b);
	if (c->event || c->wish.a || c->wish.b) {
		complain(NULL, "--event, --a and --b need --diff");
		return false;
	}
	return true;
}

static void html_session(struct session *s)
{
	session_init(s);
	s->to.is_json = true; /* print names as JSON does, not shortened for text */
	s->to.has_pager = false;
	s->to.kind = &output_html;
	s->change.wall = TRANSFORM_WALL_ADDED;
	s->change.drops_helpers = true;
}

static int html_run(int argc, char **argv)
{
	struct html_command c = { .margin = COMPARE_MARGIN, .capsule = { .fd = -1 } };
	struct args_option options[] = {
		OPT_DEFAULT(TEXT, "title", 0, "TEXT", "the names of the files", &c.title,
			    "title of the page"),
		SESSION_OPEN(&c.s),
		OPT(MAYBE, "redact", 0, "KEYFILE", &c.redact,
		    "replace names, hosts, paths and addresses by words, like assay capsule; "
		    "without KEYFILE the key is random"),
		ARGS_HEADING("differences"),
		OPT_FLAG("diff", 0, &c.is_diff,
			 "compare two recordings, or several of each side (A1 A2 -- B1 B2), like "
			 "assay diff"),
		OPT(TEXT, "event", 'e', "EVENT", &c.event,
		    "only this event of inputs with several"),
		OPT(COUNT, "a", 0, "N", &c.wish.a, "use the Nth capture of A's file"),
		OPT(COUNT, "b", 0, "N", &c.wish.b, "use the Nth capture of B's file"),
		OPT_DEFAULT(NUMBER, "margin", 0, "P", "0.5", &c.margin,
			    "functions are equal if they differ by less than P percentage points"),
		OPT_FLAG("force", 'f', &c.s.to.is_forced,
			 "compare in spite of different events or units; overwrite the file of -o, "
			 "even one of another kind"),
		SESSION_SAMPLES(&c.s),
		SESSION_SYMBOLS(&c.s),
		SESSION_OPTIONS(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay html",
		.operands = "FILE... | --diff A B | A1 A2... -- B1 B2...",
		.summary = "Write findings, flame graphs, tables and timelines as one HTML page "
			   "that works offline.",
		.options = options,
		.tail = "examples:\n  assay html -o page.html perf.data\n"
			"  assay html --diff -o page.html before.data after.data",
	};
	int status;

	html_session(&c.s);
	html_session(&c.redacted);
	if (diff_parse(&c.s, &spec, argc, argv, &c.operands, &status)) {
		c.redacted.change.is_off_cpu = c.s.change.is_off_cpu;
		if (!html_check(&c, spec.command))
			status = EXIT_USAGE;
		else if (session_load(&c.s, &spec, &status) && c.s.dossier->captures.len)
			status = html_show(&c);
	}
	/*
	 * if the sides could not be compared, the page is complete, but the exit status is an error
	 */
	(void)session_finish(&c.redacted, EXIT_FAILED);
	out_fini(&c.capsule);
	status = session_finish(&c.s, status);
	return status == EXIT_DONE && c.is_refused ? EXIT_FAILED : status;
}

const struct cmd cmd_html = {
	.name = "html",
	.summary = "write findings, flame graphs and timelines as one offline page",
	.run = html_run,
};
