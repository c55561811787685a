/* SPDX-License-Identifier: MIT */
/* lab.c - `assay lab`: a situation to learn from: list them, or run one and explain it */
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/lab/lab_list.h"
#include "cmds/lab/lab_runner.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "render/view.h"

#include <stdlib.h>
#include <string.h>

DECLARE_CMD(lab);

struct lab {
	struct session s;
	bool is_all;
	bool is_quick;
	bool is_matrix;
	bool is_strict;
	bool keeps;
};

static const char lab_tail[] =
	"environment: ASSAY_LABS is the folder 'labs' of assay's source, not the installed one.\n"
	"exit status: 0 as expected, 1 not as expected, 2 usage, "
	"3 as expected, but not all was checked\n"
	"\n"
	"examples:\n"
	"  assay lab\n"
	"  assay lab lock-convoy";

static const struct lab_entry *const lab_tables[] = { lab_cases, lab_systems };

/* Print the situations, by symptom. */
static int lab_list(struct lab *l)
{
	static const struct view_column columns[] = {
		{ "symptom", "Symptom", COLUMN_FLEX },
		{ "name", "Situation", 0 },
		{ "language", "Language", 0 },
	};
	static const struct view_column system_columns[] = {
		{ "title", "System", COLUMN_FLEX },
		{ "name", "Lab", 0 },
	};
	static const struct view_table tables[] = {
		{ .key = "situations",
		  .columns = columns,
		  .n_columns = ARRAY_LEN(columns),
		  .is_main = true },
		{ .key = "systems",
		  .columns = system_columns,
		  .n_columns = ARRAY_LEN(system_columns) },
	};
	CLEANUP(view_freep) struct view *v = session_view(&l->s);
	struct show s = { .session = &l->s, .v = v };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-lab-1");
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		view_table(v, &tables[t]);
		for (const struct lab_entry *e = lab_tables[t]; e->name; e++) {
			struct cell cells[] = { cell_word(e->symptom), cell_word(e->name),
						cell_word(e->language) };

			if (e->symptom[0])
				view_row(v, cells);
		}
		view_table_end(v);
	}
	view_line(v, NULL,
		  "assay lab NAME runs one as root: records it, explains it, shows the fix");
	return show_end(&s, EXIT_DONE);
}

static bool lab_is_known(const char *name)
{
	for (size_t t = 0; t < ARRAY_LEN(lab_tables); t++) {
		for (const struct lab_entry *e = lab_tables[t]; e->name; e++) {
			if (strcmp(e->name, name) == 0)
				return true;
		}
	}
	return strcmp(name, "cases") == 0; /* the lab of all cases */
}

/* Whether each of @names is known; ASSAY_LABS may have others. Prints an error if one is not. */
static bool lab_names_are_known(const struct args_list *names)
{
	const char *own = getenv("ASSAY_LABS");
	struct suggest like;

	if (own && own[0])
		return true;
	VEC_FOREACH (name, &names->items) {
		if (lab_is_known(*name))
			continue;
		suggest_init(&like, str_of(*name));
		for (size_t t = 0; t < ARRAY_LEN(lab_tables); t++) {
			for (const struct lab_entry *e = lab_tables[t]; e->name; e++)
				suggest_try(&like, str_of(e->name));
		}
		complain("lab", "no situation is called '%s'%s%s; 'assay lab' lists them", *name,
			 like.best[0] ? "; did you mean " : "", like.best);
		return false;
	}
	return true;
}

/* Whether the options fit together. Prints an error if not. */
static bool lab_options_fit(const struct lab *l)
{
	int n_chosen = l->is_all + l->is_matrix + (l->s.in.paths.items.len > 0);

	if (n_chosen > 1)
		complain("lab",
			 "names, --all and --matrix each choose what runs; give one of them");
	else if (l->s.to.is_json || l->s.to.is_csv || l->s.to.path)
		complain("lab",
			 "--json, --csv and -o are options of the list; leave them out to run "
			 "a lab");
	else
		return true;
	return false;
}

/* Become the runner, with the options and names of the command line. Returns only with an error. */
static int lab_start(const struct lab *l)
{
	const struct {
		bool is_given;
		const char *word;
	} flags[] = {
		{ l->is_all, "--all" },       { l->is_quick, "--quick" },
		{ l->is_matrix, "--matrix" }, { l->is_strict, "--strict" },
		{ l->keeps, "--keep" },
	};
	VEC(const char *) words = VEC_INIT;
	struct lab_runner runner;
	struct error err = { "" };
	int e = lab_runner_find(&runner, &err);

	if (e == OK) {
		for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
			if (flags[i].is_given)
				*VEC_PUSH(&words) = flags[i].word;
		}
		*VEC_PUSH(&words) = "--explain";
		VEC_FOREACH (name, &l->s.in.paths.items)
			*VEC_PUSH(&words) = *name;
		*VEC_PUSH(&words) = NULL;
		e = lab_runner_exec(&runner, words.data, &err);
		VEC_FREE(&words);
	}
	complain("lab", "%s", err.msg);
	return EXIT_FAILED;
}

static int lab_run(int argc, char **argv)
{
	struct lab l = { 0 };
	struct args_option options[] = {
		OPT_FLAG("all", 0, &l.is_all, "run every lab that this machine can run"),
		OPT_FLAG("quick", 0, &l.is_quick, "less work: all labs within five minutes"),
		OPT_FLAG("matrix", 0, &l.is_matrix,
			 "run all situations, and write the tables of docs/benchmark.md"),
		OPT_FLAG("strict", 0, &l.is_strict,
			 "fail if a lab, or a part of it, could not be checked"),
		OPT_FLAG("keep", 0, &l.keeps, "keep recordings and figures in the build folder"),
		ARGS_HEADING("list"),
		SESSION_JSON(&l.s),
		SESSION_CSV(&l.s),
		OPT(TEXT, "output", 'o', "FILE", &l.s.to.path,
		    "write the list to FILE, which appears when it is complete"),
		OPT_DEFAULT(CHOICE, "color", 0, "auto|always|never", "auto", &l.s.to.colour,
			    "when to use colours"),
		OPT_FLAG("pager", 0, &l.s.to.has_pager,
			 "show a long list in a pager (--no-pager: directly)"),
		ARGS_END,
	};
	const struct args_spec spec = {
		.command = "assay lab",
		.operands = "[NAME...]",
		.summary = "List situations by symptom, or run one: a real program with a planted "
			   "fault, recorded, explained and mended.",
		.options = options,
		.tail = lab_tail,
	};
	int status;

	session_init(&l.s);
	if (session_parse(&l.s, &spec, argc, argv, &status)) {
		if (l.s.in.paths.items.len == 0 && !l.is_all && !l.is_quick && !l.is_matrix)
			status = lab_list(&l);
		else if (!lab_options_fit(&l) || !lab_names_are_known(&l.s.in.paths))
			status = EXIT_USAGE;
		else
			status = lab_start(&l);
	}
	return session_finish(&l.s, status);
}

const struct cmd cmd_lab = {
	.name = "lab",
	.summary = "learn from programs with a planted fault: record, explain, mend",
	.run = lab_run,
};
