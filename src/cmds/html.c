/* SPDX-License-Identifier: MIT */
/*
 * html.c - `assay html`: findings, flame graphs, tables and timelines as one page
 */
#include "cmds/cmd.h"
#include "cmds/evidence.h"
#include "cmds/show_findings.h"
#include "config.h"
#include "explain/explain.h"
#include "render/web_page.h"

#include <stdio.h>
#include <unistd.h>

struct html_command {
	struct session s;
	const char *title;
};

/* What `assay explain --json` prints. */
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
	evidence_quote(session->dossier, &f);
	view_begin(v, "assay-explain-1");
	show_findings_quality(&s);
	show_findings(&s, &f, 0);
	show_checks(&s, &f);
	r = view_end(v, &err);
	arena_fini(&s.scratch);
	findings_fini(&f);
	return r;
}

/* What `assay report --json` prints, and of calls what `assay calls --json` does. */
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
		/* elements are found by their place: leave none out */
		view_object(v, NULL, NULL);
		view_field(v, "why_not", NULL, cell_text(str_of(err.msg)));
		view_object_end(v);
	}
	view_list_end(v);
	r = view_end(v, &err);
	arena_fini(&s.scratch);
	return r;
}

/* One block of a capture; its id goes into the list of what the page has. */
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
	web_block_init(&b);
	r = html_block(out, has, "flame", at, &b, web_flame(&b, c, &session->cats), err);
	web_block_init(&b);
	if (html_block(out, has, "samples", at, &b, web_samples(&b, c, &session->cats), err) < 0)
		r = ERR_LIMIT;
	web_block_init(&b);
	if (html_block(out, has, "calls", at, &b, web_calls(&b, c, &session->cats), err) < 0)
		r = ERR_LIMIT;
	web_block_init(&b);
	if (html_block(out, has, "log", at, &b, web_log(&b, c), err) < 0)
		r = ERR_LIMIT;
	json_object_end(has);
	return r;
}

static struct str html_title(const struct html_command *c, struct out *text)
{
	const struct args_list *inputs = &c->s.inputs;

	if (c->title)
		return str_of(c->title);
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
	r = html_explain(&c->s, &text);
	web_page_json(out, "explain", out_view(&text));
	for (uint32_t i = 0; r == OK && i < c->s.dossier->captures.len; i++)
		r = html_capture(&c->s, i, out, &has, err);
	text.len = 0;
	if (r == OK)
		r = html_report(&c->s, &text);
	if (r == OK)
		r = web_page_packed(out, "report", out_view(&text), err);
	json_array_end(&has);
	json_object_end(&has);
	web_page_json(out, "index", out_view(&index));
	web_page_end(out);
	out_fini(&text);
	out_fini(&index);
	out_fini(&title);
	return r == OK ? EXIT_DONE : EXIT_FAILED;
}

static int html_show(struct html_command *c)
{
	struct error err = { "" };
	int status = html_write(c, &err);

	if (status != EXIT_DONE && *err.msg)
		complain(NULL, "%s", err.msg);
	return status;
}

static int html_run(int argc, char **argv)
{
	struct html_command c = { .title = NULL };
	struct args_option options[] = {
		{ "title", 0, ARGS_TEXT, "TEXT", "heading of the page", "the names of the files",
		  &c.title },
		ARGS_HEADING("which samples"),
		SESSION_CHOICE(&c.s),
		SESSION_LEAVES(&c.s),
		SESSION_SYMBOLS(&c.s),
		SESSION_OPTIONS(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay html",
		.operands = "FILE...",
		.summary = "Findings, flame graphs, tables and timelines: one page that works "
			   "offline.",
		.options = options,
		.tail = "example:\n  assay html -o page.html perf.data",
	};
	int status;

	session_init(&c.s);
	c.s.is_json = true; /* names as programs get them */
	c.s.has_pager = false;
	if (session_parse(&c.s, &spec, argc, argv, &status)) {
		if (!c.s.output && isatty(STDOUT_FILENO)) {
			complain(NULL, "a page is not for a terminal; name a file: -o page.html");
			status = EXIT_USAGE;
		} else if (session_load(&c.s, &spec, &status) && c.s.dossier->captures.len)
			status = html_show(&c);
	}
	return session_finish(&c.s, status);
}

const struct cmd cmd_html = {
	.name = "html",
	.summary = "findings, flame graphs and timelines as one offline page",
	.run = html_run,
};
