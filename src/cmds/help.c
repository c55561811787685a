/* SPDX-License-Identifier: MIT */
#include "cmds/help.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "cmds/run/cmd.h"
#include "cmds/run/pages.h"
#include "cmds/run/session.h"

#include <string.h>

static const struct page *const help_tables[] = { topic_pages, format_pages, rule_pages };

const struct cmd *help_find(const char *name)
{
	for (const struct cmd *const *c = cmds; *c; c++) {
		if (strcmp(name, (*c)->name) == 0)
			return *c;
	}
	return NULL;
}

void help_usage(FILE *to)
{
	(void)fprintf(to,
		      "usage: assay FILE...\n"
		      "       assay COMMAND [options] FILE...\n\n"
		      "Show what is wrong in a recording, trace, log or mail, and where the time "
		      "goes.\n\n"
		      "commands:\n");
	for (const struct cmd *const *c = cmds; *c; c++)
		(void)fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->summary);
	(void)fprintf(to, "\nmore:\n"
			  "  assay help COMMAND    options of a command\n"
			  "  assay help topics     pages about concepts and formats\n"
			  "  assay --limits        limits of memory and time\n"
			  "\nA FILE of - is standard input.\n");
}

void help_wishes(FILE *to)
{
	(void)fprintf(
		to,
		"assay record -- ./program     record a program, then show what is wrong\n"
		"assay FILE                    what is wrong in a recording, trace, log or mail\n"
		"assay explain FILE            the same with evidence and next steps\n"
		"assay diff A B                what changed between two recordings\n"
		"assay top                     the hot functions of this machine, live\n"
		"assay help                    all commands\n");
}

/* Values of NAME for which `assay help NAME` prints a list, not a page. */
static const char *const help_lists[] = { "topics", "formats", "rules", "findings" };

/* Print the names and titles of @pages. The first line of a page is "# id: title" or "# title". */
static void help_list(struct out *out, const char *heading, const struct page *pages)
{
	out_printf(out, "%s:\n", heading);
	for (const struct page *p = pages; p->id; p++) {
		struct str text = str_of(p->text);
		struct str title = str_sub(text, 2, str_find_char(text, '\n'));

		if (str_starts(title, str_of(p->id)))
			title = str_skip(title, strlen(p->id) + STR(": ").len);
		else if (str_starts(title, STR("assay ")) && help_find(p->id))
			title = str_of(help_find(p->id)->summary);
		out_printf(out, title.len ? "  %-20s " STR_FMT "\n" : "  %s\n", p->id,
			   STR_ARG(title));
	}
}

/* Print the list called @name. Returns the exit status; -1: no list has this name. */
static int help_print_list(struct session *s, struct str name)
{
	bool is_all = str_eq(name, STR("topics"));
	bool is_formats = is_all || str_eq(name, STR("formats"));
	bool is_rules = str_eq(name, STR("rules")) || str_eq(name, STR("findings"));
	struct out *out;

	if (!is_formats && !is_rules)
		return -1;
	out = session_open(s);
	if (!out)
		return EXIT_FAILED;
	if (is_all)
		help_list(out, "concepts", topic_pages);
	if (is_formats)
		help_list(out, is_all ? "\nformats" : "formats", format_pages);
	if (is_rules)
		help_list(out, "rules", rule_pages);
	out_z(out,
	      is_all ? "\nrules: assay help rules\n\n"
		       "'assay help TOPIC' prints a page, 'assay help record.md' the page of a "
		       "command.\n"
		     : "\n'assay help NAME' prints the page.\n");
	return EXIT_DONE;
}

/*
 * Print the list @name, or the page whose id or file name is @name, such as "quality",
 * "lock-contention" or "record.md". Returns the exit status.
 */
static int help_topic(struct session *s, const char *name)
{
	struct str id = str_of(name);
	struct suggest like;
	int status;

	if (id.len > 3 && str_eq(str_skip(id, id.len - 3), STR(".md")))
		id = str_sub(id, 0, id.len - 3);
	status = help_print_list(s, id);
	if (status >= 0)
		return status;
	suggest_init(&like, id);
	for (size_t i = 0; i < ARRAY_LEN(help_lists); i++)
		suggest_try(&like, str_of(help_lists[i]));
	for (const struct cmd *const *c = cmds; *c; c++)
		suggest_try(&like, str_of((*c)->name));
	for (size_t i = 0; i < ARRAY_LEN(help_tables); i++) {
		struct str page = pages_find(help_tables[i], id);

		if (page.len)
			return pages_print(s, page);
		for (const struct page *p = help_tables[i]; p->id; p++)
			suggest_try(&like, str_of(p->id));
	}
	complain("help", "no command and no topic is called '%s'%s%s; try 'assay help topics'",
		 name, like.best[0] ? "; did you mean " : "", like.best);
	return EXIT_USAGE;
}

/* Print the page @name through the pager. Returns the exit status. */
static int help_page(const char *name)
{
	struct session s;
	int status;

	session_init(&s);
	status = help_topic(&s, name);
	return session_finish(&s, status);
}

int help_run(int argc, char **argv)
{
	char help[] = "--help";
	const struct cmd *c = argc > 2 ? help_find(argv[2]) : NULL;
	char *words[] = { argv[argc > 2 ? 2 : 0], help, NULL };

	if (c)
		return c->run(2, words);
	if (argc > 2)
		return help_page(argv[2]);
	help_usage(stdout);
	return EXIT_DONE;
}
