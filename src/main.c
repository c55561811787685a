/* SPDX-License-Identifier: MIT */
#include "cmds/cmd.h"
#include "config.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int main_list(void)
{
	for (const struct cmd *const *c = cmds; *c; c++)
		printf("%s\n", (*c)->name);
	return 0;
}

static void main_usage(FILE *to)
{
	(void)fprintf(to, "usage: assay FILE...\n"
			  "       assay COMMAND [options] FILE...\n\n"
			  "What is this, is the data good enough, where does the cost go.\n\n"
			  "commands:\n");
	for (const struct cmd *const *c = cmds; *c; c++)
		(void)fprintf(to, "  %-10s %s\n", (*c)->name, (*c)->summary);
	(void)fprintf(to, "\n'assay COMMAND --help' says more; - is standard input.\n");
}

static const struct cmd *main_find(const char *name)
{
	for (const struct cmd *const *c = cmds; *c; c++) {
		if (strcmp(name, (*c)->name) == 0)
			return *c;
	}
	return NULL;
}

/* `assay help`, `assay help COMMAND`. */
static int main_help(int argc, char **argv)
{
	char help[] = "--help";
	const struct cmd *c = argc > 2 ? main_find(argv[2]) : NULL;
	char *words[] = { argv[argc > 2 ? 2 : 0], help, NULL };

	if (c)
		return c->run(2, words);
	main_usage(stdout);
	return 0;
}

/* A plain word that names no file was meant as a command. */
static bool main_is_mistyped(const char *word)
{
	for (const char *p = word; *p; p++) {
		if (!(*p >= 'a' && *p <= 'z') && !(*p == '-' && p > word))
			return false;
	}
	return access(word, F_OK) != 0;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct cmd *c = main_find(word);

	(void)setlocale(LC_CTYPE, "");
	if (argc < 2) {
		main_usage(stderr);
		return 2;
	}
	if (c)
		return c->run(argc - 1, argv + 1);
	if (strcmp(word, "--list-cmds") == 0)
		return main_list();
	if (strcmp(word, "--version") == 0) {
		printf("assay %s\n", ASSAY_VERSION);
		return 0;
	}
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 ||
	    (strcmp(word, "help") == 0 && access("help", F_OK) != 0))
		return main_help(argc, argv);
	if (main_is_mistyped(word)) {
		(void)fprintf(stderr,
			      "assay: there is no command and no file '%s'; try 'assay --help'\n",
			      word);
		return 2;
	}
	return front_run(argc, argv);
}
