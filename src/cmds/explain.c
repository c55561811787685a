/* SPDX-License-Identifier: MIT */
/* explain.c - `assay explain`: findings, and the checks that found nothing or could not judge */
#include "cmds/explain.h"

#include "explain/explain.h"

#include "base/arena.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/outputs.h"
#include "cmds/run/pages.h"
#include "cmds/run/session.h"
#include "cmds/show/evidence.h"
#include "cmds/show/sarif.h"
#include "cmds/show/show.h"
#include "cmds/show/show_findings.h"
#include "cmds/show/show_front.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

DECLARE_CMD(explain);

enum explain_fail_on { FAIL_NEVER, FAIL_NOTE, FAIL_WARNING, FAIL_ERROR };

/* if there are at least this many findings, the page begins with a list of their titles */
#define EXPLAIN_TITLES 4u
/* number of columns that a title cannot use: its number, and the right margin */
#define EXPLAIN_MARGIN  9u
#define EXPLAIN_COLUMNS 100u /* maximum width of a line of prose, in columns */

struct explain_args {
	struct session session;
	const char *rules;
	const char *why;
	/* enum explain_fail_on: the lowest severity of a finding that causes exit status 3 */
	unsigned int fail_on;
	uint64_t number; /* number of the only finding to show; 0: show all */
	bool is_list;
	bool is_verbose;
	bool is_sarif;
	bool is_at_fail_on; /* a finding has at least the severity fail_on */
};

/* Report that no rule has the name @id, and suggest a similar one. */
static void explain_no_rule(const char *option, struct str id)
{
	struct suggest like;

	suggest_init(&like, id);
	for (const struct page *p = rule_pages; p->id; p++)
		suggest_try(&like, str_of(p->id));
	complain(option, "no rule is called '" STR_FMT "'%s%s; --list-rules lists the rules",
		 STR_ARG(id), like.best[0] ? "; did you mean " : "", like.best);
}

/*
 * Convert a comma-separated list of rule names to a pattern: "a,b" to "a|b". False: a name is
 * unknown; a message was printed.
 */
static bool explain_rule_names(const char *list, struct out *pattern)
{
	struct str rest = str_of(list);

	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str id = str_trim(str_sub(rest, 0, comma));
		bool is_known = false;

		for (const struct rule *const *r = rules; *r; r++)
			is_known |= id.len && str_glob(id, str_of((*r)->id));
		if (!is_known) {
			explain_no_rule("--rule", id);
			return false;
		}
		out_printf(pattern, "%s" STR_FMT, pattern->len ? "|" : "", STR_ARG(id));
		rest = str_skip(rest, comma + 1);
	}
	return true;
}

static int explain_list(struct session *s)
{
	struct out *out = session_open(s);

	for (const struct rule *const *r = rules; out && *r; r++)
		out_printf(out, "%-26s %s\n", (*r)->id, (*r)->title);
	return out ? EXIT_DONE : EXIT_FAILED;
}

static int explain_why(struct session *s, const char *id)
{
	struct str page = pages_find(rule_pages, str_of(id));

	if (page.len)
		return pages_print(s, page);
	explain_no_rule("--why", str_of(id));
	return EXIT_USAGE;
}

static void explain_mark_fail_on(struct explain_args *a, const struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		if (a->fail_on != FAIL_NEVER && row->overruled_by == INDEX_NONE &&
		    (unsigned int)row->severity + FAIL_NOTE >= a->fail_on)
			a->is_at_fail_on = true;
	}
}

/* For each capture, print which samples the filters of the user select. */
static void explain_chosen(struct show *s)
{
	if (select_is_empty(&s->session->change.select))
		return;
	view_list(s->v, "captures");
	for (uint32_t i = 0; i < s->session->change.selected.len; i++) {
		if (!s->session->change.selected.data[i].is_done)
			continue;
		view_object(s->v, NULL, NULL);
		show_source(s, s->session->dossier->captures.data[i]);
		show_selected(s, i);
		view_object_end(s->v);
		arena_clear(&s->scratch);
	}
	view_list_end(s->v);
}

/*
 * The first clause of the claim of @row. It is shortened after a whole word if it is longer than
 * @room columns.
 */
static struct str explain_title(struct show *s, const struct finding *row, size_t room)
{
	struct str all = show_front_clause(row->claim);
	struct str text = all;

	while (text.len && utf8_width(text) > room) {
		size_t len = text.len - 1;

		while (len && text.p[len] != ' ')
			len--;
		/* the dots after a shortened title need columns, too */
		room = room > 3 && text.len == all.len ? room - 3 : room;
		text = str_sub(text, 0, len);
	}
	return text.len && text.len < all.len ? show_format(s, STR_FMT "...", STR_ARG(text)) : all;
}

/*
 * In text: if there are many findings, print the number of findings of each severity, and all
 * titles.
 */
static void explain_titles(struct show *s, const struct findings *f)
{
	size_t columns = s->v->width;
	size_t width = columns > 2 * EXPLAIN_MARGIN && columns < EXPLAIN_COLUMNS ? columns
										 : EXPLAIN_COLUMNS;
	size_t counts[FINDING_ERROR + 1] = { 0 };
	struct str text = STR("");
	size_t n = 0;

	VEC_FOREACH (row, &f->rows) {
		counts[row->severity] += row->overruled_by == INDEX_NONE;
		n += row->overruled_by == INDEX_NONE;
	}
	if (n < EXPLAIN_TITLES)
		return;
	for (int i = FINDING_ERROR; i >= FINDING_NOTE; i--) {
		if (counts[i])
			text = show_format(s, STR_FMT "%s%zu %s%s", STR_ARG(text),
					   text.len ? ", " : "", counts[i],
					   finding_severity_name((enum finding_severity)i),
					   counts[i] == 1 ? "" : "s");
	}
	view_heading(s->v, show_format(s, "%zu findings:", n), STR_FMT, STR_ARG(text));
	for (uint32_t i = 0; i < f->rows.len; i++) {
		const struct finding *row = &f->rows.data[i];

		if (row->overruled_by == INDEX_NONE)
			view_item(s->v, show_format(s, "%" PRIu32 ".", i + 1).p, STR_FMT,
				  STR_ARG(explain_title(s, row, width - EXPLAIN_MARGIN)));
	}
	arena_clear(&s->scratch);
}

void explain_page(struct show *s, const struct findings *f, bool has_rules)
{
	struct str below;

	explain_chosen(s);
	if (!s->only)
		explain_titles(s, f);
	show_findings_quality(s);
	/*
	 * If the user chose the rules, the other rules did not run. The heading "No check found a
	 * cause" could then be wrong, so it is omitted.
	 */
	below = has_rules ? STR("") : show_unexplained(s, f);
	if (below.len)
		view_heading(s->v, STR("No check found a cause:"), STR_FMT, STR_ARG(below));
	else if (f->rows.len == 0 && (has_rules || !show_few_checks(s, f)))
		view_heading(s->v, STR("No finding"), "%s", "");
	show_findings(s, f, 0);
	if (!s->only) {
		show_unread(s);
		show_checks(s, f);
	}
}

static int explain_view(struct explain_args *a, const struct findings *f)
{
	CLEANUP(view_freep) struct view *v = session_view(&a->session);
	struct show s = { .session = &a->session,
			  .v = v,
			  .only = (uint32_t)a->number,
			  .is_verbose = a->is_verbose || a->rules };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-explain-1");
	explain_page(&s, f, a->rules != NULL);
	return show_end(&s, EXIT_DONE);
}

static int explain_sarif(struct session *session, const struct findings *f)
{
	struct out *out;

	session->to.has_pager = false;
	out = session_open(session);
	if (!out)
		return EXIT_FAILED;
	sarif_write(session->dossier, f, out);
	return EXIT_DONE;
}

static int explain_show(struct explain_args *a, struct str only)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(a->session.dossier);
	struct explain_options options = { .only = only };
	struct findings f = { .rows = VEC_INIT };
	int status;

	explain_run(facts, &options, &f);
	evidence_quote(a->session.dossier, &f);
	explain_mark_fail_on(a, &f);
	if (a->number > f.rows.len) {
		complain("--finding", "there are %zu findings", f.rows.len);
		findings_fini(&f);
		return EXIT_USAGE;
	}
	status = a->is_sarif ? explain_sarif(&a->session, &f) : explain_view(a, &f);
	findings_fini(&f);
	return status;
}

/* Handle options that need no input. Returns false if the command must read its inputs. */
static bool explain_answer(struct explain_args *a, int *ret_status)
{
	if (a->is_list)
		*ret_status = explain_list(&a->session);
	else if (a->why)
		*ret_status = explain_why(&a->session, a->why);
	else if (a->is_sarif && a->session.to.is_json) {
		complain(NULL, "--json and --sarif exclude each other; try 'assay explain --help'");
		*ret_status = EXIT_USAGE;
	} else
		return false;
	return true;
}

static int explain_cmd(int argc, char **argv)
{
	struct explain_args a = { .fail_on = FAIL_NEVER };
	struct out only = { .fd = -1 };
	struct args_option options[] = {
		OPT(TEXT, "rule", 0, "ID[,ID]", &a.rules, "run only these rules; * and ? match"),
		OPT_DEFAULT(CHOICE, "fail-on", 0, "never|note|warning|error", "never", &a.fail_on,
			    "exit with 3 if a finding is at least this severe"),
		OPT(COUNT, "finding", 0, "N", &a.number, "show only the Nth finding"),
		OPT_FLAG("verbose", 'v', &a.is_verbose,
			 "also list rules without a finding, and certainty in percent"),
		OPT_FLAG("list-rules", 0, &a.is_list, "list all rules"),
		OPT(TEXT, "why", 0, "ID", &a.why,
		    "describe a rule: symptoms, damage, fix, false positives"),
		OPT_FLAG("sarif", 0, &a.is_sarif, "print findings as SARIF 2.1.0, for CI systems"),
		SESSION_JSON(&a.session),
		SESSION_SAMPLES(&a.session),
		SESSION_SYMBOLS(&a.session),
		ARGS_HEADING("C sources (a folder as FILE)"),
		SESSION_SOURCES(&a.session),
		SESSION_OPTIONS(&a.session),
		SESSION_FORCE(&a.session),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay explain",
		.operands = "FILE...",
		.summary = "List what is wrong, with evidence, cause and next steps.",
		.options = options,
	};
	int status;

	session_init(&a.session);
	session_for_findings(&a.session);
	a.session.sources.is_taken = true;
	if (session_parse(&a.session, &spec, argc, argv, &status) && !explain_answer(&a, &status)) {
		a.session.to.kind = a.is_sarif ? &output_json : NULL;
		if (a.rules && !explain_rule_names(a.rules, &only))
			status = EXIT_USAGE;
		else if (session_load(&a.session, &spec, &status) &&
			 a.session.dossier->captures.len)
			status = explain_show(&a, out_view(&only));
	}
	out_fini(&only);
	status = session_finish(&a.session, status);
	return status == EXIT_DONE && a.is_at_fail_on ? EXIT_FINDINGS : status;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "list what is wrong, with evidence, cause and next steps",
	.run = explain_cmd,
};
