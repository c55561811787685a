/* SPDX-License-Identifier: MIT */
#include "base/command/standard.h"
#include "base/limits.h"
#include "base/rights/rights.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "cmds/help.h"
#include "cmds/run/cmd.h"
#include "config.h"
#include "explain/rule.h"
#include "formats/format.h"
#include "formats/registry.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Flush standard output and check that all output was written. Returns the exit status, 0 or 1. */
static int main_printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	(void)fprintf(stderr, "assay: cannot write the output: %s\n",
		      errno == EBADF ? "standard output is closed" : strerror(errno));
	return 1;
}

static int main_list(void)
{
	for (const struct cmd *const *c = cmds; *c; c++)
		printf("%s\n", (*c)->name);
	return main_printed();
}

static int main_help(int argc, char **argv)
{
	int status = help_run(argc, argv);

	return status ? status : main_printed();
}

/*
 * Whether @word is probably a mistyped command: it has the form of a command, and no file has this
 * name.
 */
static bool main_is_mistyped(const char *word)
{
	for (const char *p = word; *p; p++) {
		if (!(*p >= 'a' && *p <= 'z') && !(*p == '-' && p > word))
			return false;
	}
	return access(word, F_OK) != 0;
}

/*
 * Print an error for @word, which is neither a command nor a file. Suggest the most similar
 * command.
 */
static int main_mistyped(const char *word)
{
	struct suggest like;

	suggest_init(&like, str_of(word));
	for (const struct cmd *const *c = cmds; *c; c++)
		suggest_try(&like, str_of((*c)->name));
	(void)fprintf(
		stderr, "assay: no command and no file is called '%s'%s%s%s Try 'assay --help'\n",
		word, like.best[0] ? ". Did you mean '" : ".", like.best, like.best[0] ? "'?" : "");
	return 2;
}

/* Whether standard input is a pipe or a file, as in `cat mail | assay`. */
static bool main_has_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

/*
 * Whether @text, the argument of --limit, sets a reading limit: "samples=5M". Otherwise it is a
 * number of rows of a table, such as "20".
 */
static bool main_is_limit(const char *text)
{
	return text && text[0] >= 'a' && text[0] <= 'z' && strchr(text, '=');
}

/*
 * Apply each `--limit NAME=VALUE` before "--", and remove these arguments from @argv. Returns false
 * after printing an error for a wrong argument.
 */
static bool main_limits(int *argc, char **argv)
{
	struct error err = { "" };
	int n = 1;
	bool is_over = false;

	for (int i = 1; i < *argc; i++) {
		const char *value = NULL;

		is_over |= strcmp(argv[i], "--") == 0;
		if (!is_over && strcmp(argv[i], "--limit") == 0 && main_is_limit(argv[i + 1]))
			value = argv[++i];
		else if (!is_over && strncmp(argv[i], "--limit=", 8) == 0 &&
			 main_is_limit(argv[i] + 8))
			value = argv[i] + 8;
		if (!value) {
			argv[n++] = argv[i];
		} else if (limits_set(value, &err) < 0) {
			(void)fprintf(stderr, "assay: %s\n", err.msg);
			return false;
		}
	}
	argv[n] = NULL;
	*argc = n;
	return true;
}

static void main_print_limit(size_t i)
{
	static const char *const units[] = { " bytes", "", " s" };
	const struct limit *l = &limits_table[i];
	uint64_t now = i < LIMITS_COUNT ? limits_now[i] : l->standard;

	printf("%-18s %14llu%-6s  %s%s\n", l->name, (unsigned long long)now, units[l->unit],
	       l->what, l->most ? "" : " (fixed)");
}

/* `assay --limits`: print all limits, and how the process that reads inputs is confined. */
static int main_print_limits(void)
{
	int landlock = rights_landlock_version();

	for (size_t i = 0; i < limits_table_len; i++)
		main_print_limit(i);
	printf("\nset by --limit NAME=VALUE; K, M, G, T are powers of 1024 of bytes, of 1000 "
	       "else\n");
	printf("inputs are read in a process of limited memory and time, %s filter of system "
	       "calls, %s",
	       rights_has_seccomp() ? "with a" : "without a",
	       landlock ? "Landlock" : "no Landlock");
	if (landlock)
		printf(" (version %d)", landlock);
	printf("; --no-sandbox switches that off\n");
	return main_printed();
}

/* `assay --version`: print the features and libraries of this build. */
static int main_version(void)
{
	static const struct {
		const char *name;
		bool is_there;
	} features[] = {
		{ "zstd", HAVE_ZSTD },           { "lzma", HAVE_LZMA },
		{ "json", HAVE_JSON },           { "dwarf", HAVE_LIBDW },
		{ "demangle", HAVE_LIBIBERTY },  { "traceevent", HAVE_TRACEEVENT },
		{ "sources", HAVE_TREE_SITTER }, { "git", HAVE_LIBGIT2 },
		{ "charts", HAVE_UPLOT },        { "bpf", HAVE_BPF },
		{ "disassembly", HAVE_ZYDIS },
	};

	printf("assay %s\n", ASSAY_VERSION);
	for (unsigned int is_there = 2; is_there-- > 0;) {
		const char *before = is_there ? "with " : "without ";

		for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
			if (features[i].is_there != (is_there == 1))
				continue;
			printf("%s%s", before, features[i].name);
			before = ", ";
		}
		if (*before == ',')
			printf("\n");
	}
	printf("built with %s\n", ASSAY_LIBRARIES);
	return main_printed();
}

/*
 * `assay --describe`: print tables of commands, formats, rules and limits, for manual pages and
 * completions.
 */
static int main_describe(void)
{
	printf("program\tassay\t%s\n", ASSAY_VERSION);
	for (const struct cmd *const *c = cmds; *c; c++)
		printf("command\t%s\t%s\n", (*c)->name, (*c)->summary);
	for (const struct format *const *f = formats; *f; f++)
		printf("format\t%s\t%s\n", (*f)->name, (*f)->summary);
	for (const struct rule *const *r = rules; *r; r++)
		printf("rule\t%s\t%s\n", (*r)->id, (*r)->title);
	for (size_t i = 0; i < limits_table_len; i++)
		printf("limit\t%s\t%llu\t%s\n", limits_table[i].name,
		       (unsigned long long)limits_table[i].standard, limits_table[i].what);
	return main_printed();
}

/*
 * Find a command that follows options, and move it before them: `assay --color=never report FILE`.
 * A word that is also the name of a file is not taken for a command. NULL: no command.
 */
static const struct cmd *main_command_first(int argc, char **argv)
{
	int at = 1;

	while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0)
		at++;
	if (at == 1 || at == argc || !help_find(argv[at]) || access(argv[at], F_OK) == 0)
		return NULL;
	for (char *command = argv[at]; at > 0; at--)
		argv[at] = at > 1 ? argv[at - 1] : command;
	return help_find(argv[1]);
}

int main(int argc, char **argv)
{
	const char *word;
	const struct cmd *c;

	if (!standard_open())
		return 1;
	/*
	 * ignore this signal: write() beyond the file size limit (ulimit -f) then fails with EFBIG
	 */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)setlocale(LC_CTYPE, "");
	if (!main_limits(&argc, argv))
		return 2;
	word = argc > 1 ? argv[1] : "";
	c = help_find(word);
	if (argc < 2 && main_has_input()) {
		char from_stdin[] = "-";
		char *words[] = { argv[0], from_stdin, NULL };

		return front_run(2, words);
	}
	if (argc < 2) {
		(isatty(STDERR_FILENO) ? help_wishes : help_usage)(stderr);
		return 2;
	}
	if (c)
		return c->run(argc - 1, argv + 1);
	if (strcmp(word, "--limits") == 0)
		return main_print_limits();
	if (strcmp(word, "--list-cmds") == 0)
		return main_list();
	if (strcmp(word, "--version") == 0)
		return main_version();
	if (strcmp(word, "--describe") == 0)
		return main_describe();
	/* `assay --front --describe` prints the options of `assay FILE` */
	if (strcmp(word, "--front") == 0)
		return front_run(argc - 1, argv + 1);
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 ||
	    (strcmp(word, "help") == 0 && access("help", F_OK) != 0))
		return main_help(argc, argv);
	if (main_is_mistyped(word)) {
		return main_mistyped(word);
	}
	c = main_command_first(argc, argv);
	return c ? c->run(argc - 1, argv + 1) : front_run(argc, argv);
}
