/* SPDX-License-Identifier: MIT */
/*
 * brief.c - `assay brief`: the most important evidence, in a limited number of tokens
 *
 * The output has the same parts as the front page (the output of `assay FILE`), but with all their
 * rows. render/budget_view.c chooses the rows that fit. If an input is a short text, the whole text
 * is printed, without the quote marks ("> ") of a mail.
 */
#include "analyses/calls/call_tree.h"
#include "analyses/compare/compare.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/diff/diff_counters.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/diff/diff_show.h"
#include "cmds/run/cmd.h"
#include "cmds/run/front.h"
#include "cmds/run/outputs.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "document/document.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/transform.h"

DECLARE_CMD(brief);

#define BRIEF_TOKENS       2000u
#define BRIEF_TOKENS_LEAST 100u
#define BRIEF_TOKENS_MOST  8000u
/* an input text that needs at most this fraction of the budget is short: it is printed whole */
#define BRIEF_WHOLE_SHARE      0.5
#define BRIEF_WHOLE_WORTH      1000.0
#define BRIEF_DIFFERENCE_WORTH 4.0

struct brief {
	struct session session;
	uint64_t tokens;
	bool is_json;
};

static const struct budget_command brief_commands[] = {
	{ "hot_paths", "assay report -g caller FILE" },
	{ "hot_callers", "assay report -g callee FILE" },
	{ "times", "assay report --off-cpu FILE" },
	{ "holders", "assay report --off-cpu FILE" },
	{ "functions", "assay calls FILE" },
	{ "tree", "assay calls --tree FILE" },
	{ "modules", "assay calls FILE" },
	{ "text", "less FILE" },
	{ NULL, "assay report FILE" },
};

static bool brief_is_short(const struct brief *b, const struct dossier_input *in,
			   const struct document *doc)
{
	return !doc->is_binary && in->lines &&
	       budget_view_tokens(doc->text.len) <= BRIEF_WHOLE_SHARE * (double)b->tokens;
}

/*
 * Print the text of an input as a table with one row per line. Quote marks ("> ") at the start of
 * the lines of a mail are left out.
 */
static void brief_lines(struct show *s, const struct document *doc)
{
	static const struct view_column columns[] = { { "line", "Line", 0 } };
	static const struct view_table table = { .key = "text",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .has_no_header = true,
						 .is_whole = true };
	struct str text = doc->text;
	struct str line;

	view_table(s->v, &table);
	while (str_line(&text, &line)) {
		struct cell cell = cell_text(str_rtrim(line));

		view_row(s->v, &cell);
	}
	view_table_end(s->v);
}

/* Print the whole text of each input that is short enough. */
static void brief_texts(struct show *s, const struct brief *b)
{
	const struct document_options options = { .is_raw = b->session.in.is_raw };

	view_weigh(s->v, BRIEF_WHOLE_WORTH);
	VEC_FOREACH (in, &s->session->dossier->inputs) {
		CLEANUP(document_freep) struct document *doc = NULL;
		struct str path = show_string(s, in->path);
		struct error err;

		if (in->bytes > BRIEF_TOKENS_MOST * 4 || str_eq(path, STR("-")) || !in->lines ||
		    document_open(path.p, &options, &doc, &err) < 0 || !brief_is_short(b, in, doc))
			continue;
		view_heading(s->v, STR("The whole text"), "of " STR_FMT, STR_ARG(path));
		brief_lines(s, doc);
	}
	view_weigh(s->v, 1);
}

/*
 * If there are two inputs, print the page of `assay diff`. The first input is side A. If the inputs
 * have different kinds of data, print nothing.
 */
static void brief_difference(struct show *s, struct brief *b)
{
	const struct diff_wish wish = { .event = STR_NONE };
	const struct diff_show_options options = { .by = DIFF_BY_ALL };
	struct compare_spec spec = { .margin = COMPARE_MARGIN };
	struct compare c = { .scale = 0 };
	struct diff_side sides[2];
	struct error err = { "" };
	uint32_t list;
	bool is_trace;
	int r;

	if (b->session.loaded.n_inputs != 2 || b->session.in.paths.items.len != 2 ||
	    diff_pick(&b->session, 1, &wish, sides, &list, &err) < 0)
		return;
	view_weigh(s->v, BRIEF_DIFFERENCE_WORTH);
	if (sides[0].captures[0]->counters || sides[1].captures[0]->counters) {
		if (sides[0].captures[0]->counters && sides[1].captures[0]->counters)
			(void)diff_counters(s, sides[0].captures[0], sides[1].captures[0]);
		view_weigh(s->v, 1);
		return;
	}
	spec.a = (struct compare_side){ .captures = { sides[0].captures[0] }, .n = 1 };
	spec.b = (struct compare_side){ .captures = { sides[1].captures[0] }, .n = 1 };
	is_trace = !sides[0].captures[0]->profile && !sides[1].captures[0]->profile;
	r = is_trace ? compare_calls(&spec, &c, &err)
		     : compare_profiles(&spec, &b->session.cats, &c, &err);
	if (r == OK)
		(void)diff_show(s, sides, &c, &options);
	else if (r == ERR_UNSUPPORTED)
		diff_show_refusal(s, sides, &c);
	view_weigh(s->v, 1);
	compare_fini(&c);
}

static int brief_show(struct brief *b)
{
	const struct budget_options options = { .tokens = (unsigned int)b->tokens,
						.is_json = b->is_json,
						.commands = brief_commands };
	struct out *out = session_open(&b->session);
	CLEANUP(view_freep) struct view *v = out ? view_budget(out, &options) : NULL;
	const struct call_tree_options tree = { .under = STR_NONE };
	struct show s = { .session = &b->session,
			  .v = v,
			  .call_tree = &tree,
			  .is_brief = true,
			  .is_budget = true };
	int status;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-brief-1");
	brief_difference(&s, b);
	status = front_parts(&s);
	brief_texts(&s, b);
	return show_end(&s, status);
}

static bool brief_check(const struct brief *b)
{
	if (b->tokens >= BRIEF_TOKENS_LEAST && b->tokens <= BRIEF_TOKENS_MOST)
		return true;
	complain("--tokens", "takes %u to %u, not %llu", BRIEF_TOKENS_LEAST, BRIEF_TOKENS_MOST,
		 (unsigned long long)b->tokens);
	return false;
}

static int brief_run(int argc, char **argv)
{
	struct brief b = { .tokens = BRIEF_TOKENS };
	struct args_option options[] = {
		OPT_DEFAULT(COUNT, "tokens", 0, "N", "2000", &b.tokens,
			    "print at most N tokens of 3.5 bytes; 100 to 8000"),
		OPT_FLAG("json", 0, &b.is_json, "the same parts as one JSON object"),
		SESSION_SAMPLES(&b.session),
		SESSION_SYMBOLS(&b.session),
		SESSION_OPTIONS(&b.session),
		SESSION_FORCE(&b.session),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay brief",
		.operands = "FILE...",
		.summary = "The evidence in a budget: what tells the cause, for a mail or a "
			   "language model.",
		.options = options,
	};
	int status;

	session_init(&b.session);
	/* read inlined functions, because findings are often about them */
	b.session.in.wanted.inlines = true;
	b.session.in.read.with_spots = true;
	b.session.change.finds_off_cpu = true;
	b.session.change.takes_trees = true;
	b.session.change.select.is_relative = true;
	if (session_parse(&b.session, &spec, argc, argv, &status)) {
		b.session.to.kind = b.is_json ? &output_json : NULL;
		if (!brief_check(&b))
			status = EXIT_USAGE;
		else if (session_load(&b.session, &spec, &status) &&
			 b.session.dossier->captures.len)
			status = brief_show(&b);
	}
	return session_finish(&b.session, status);
}

const struct cmd cmd_brief = {
	.name = "brief",
	.summary = "shorten the evidence to N tokens, for a mail or a language model",
	.run = brief_run,
};
