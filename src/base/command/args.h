/* SPDX-License-Identifier: MIT */
/*
 * args.h - command line options as a table
 *
 * Each command has one table. The parser (getopt_long), `-h`, the completions and the section
 * OPTIONS of the man page all use this table. Long names may be abbreviated, as in perf. A flag `x`
 * also has the name `--no-x`. Options may stand between operands, unless the operands include a
 * command line. `--` ends the options.
 *
 * Uses getopt's global state: not thread safe, one parse at a time.
 */
#ifndef BASE_ARGS_H
#define BASE_ARGS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct out;

enum args_kind {
	ARGS_FLAG, /* bool: --name sets it, --no-name clears it */
	ARGS_TEXT, /* const char *: the argument, borrowed from argv */
	/* const char *: the text after '=' in --name=TEXT; "" if there is none. No short name */
	ARGS_MAYBE,
	ARGS_LIST,   /* struct args_list: each use of the option appends its argument */
	ARGS_COUNT,  /* uint64_t: a number without a sign */
	ARGS_NUMBER, /* double: a number that is not negative */
	/*
	 * unsigned int: index of the given word in `arg`, a list of words that are separated by '|'
	 */
	ARGS_CHOICE,
	ARGS_GROUP, /* a heading in the help page; `help` is its text */
};

struct args_option {
	const char *name; /* long name; NULL: the end of the table (ARGS_END) */
	char letter;      /* short name, or 0 */
	enum args_kind kind;
	/* placeholder of the argument in the help page: "FILE", "a|b"; NULL for flags */
	const char *arg;
	/*
	 * description for the help page: one phrase, lower case, no final dot; NULL: an alias,
	 * which the help page omits
	 */
	const char *help;
	/* the default value, as the help page prints it; NULL: the page prints none */
	const char *standard;
	void *target;
};

/*
 * Entries of an option table, such as OPT(TEXT, "output", 'o', "FILE", &output, "write to FILE").
 * @kind is a member of enum args_kind without the prefix ARGS_. The option's value is written to
 * @target.
 */
#define OPT_FLAG(name, letter, target, help) OPT(FLAG, name, letter, NULL, target, help)
#define OPT(kind, name, letter, arg, target, help) \
	OPT_DEFAULT(kind, name, letter, arg, NULL, target, help)
#define OPT_DEFAULT(kind, name, letter, arg, standard, target, help)               \
	{                                                                          \
		(name), (letter), ARGS_##kind, (arg), (help), (standard), (target) \
	}
#define ARGS_HEADING(text)                                  \
	{                                                   \
		"", 0, ARGS_GROUP, NULL, (text), NULL, NULL \
	}
#define ARGS_END                                            \
	{                                                   \
		NULL, 0, ARGS_GROUP, NULL, NULL, NULL, NULL \
	}

struct args_list {
	VEC(const char *) items; /* borrowed from argv */
};

struct args_spec {
	const char *command;  /* "assay report" */
	const char *operands; /* "FILE..." */
	const char *summary;  /* one phrase */
	const struct args_option *options;
	const char *tail; /* text after the options, such as examples; may be NULL */
	bool has_command; /* the operands are a command line: the first operand ends the options */
};

enum args_outcome {
	ARGS_RUN,          /* run the command; its operands start at argv[*ret_first] */
	ARGS_HELP,         /* -h or --help was given */
	ARGS_LIST_OPTIONS, /* --list-opts was given */
	/* --describe was given: print the table for manual pages and completions */
	ARGS_DESCRIBE,
};

/*
 * Parse @argv and write each option's value to its target. argv[0] is the command's name. Moves the
 * operands to the end of @argv; the first operand is argv[*ret_first]. Returns enum args_outcome,
 * or ERR_USAGE with the reason in @err.
 */
MUST_CHECK int args_parse(const struct args_spec *spec, int argc, char **argv, int *ret_first,
			  struct error *err);
/* Print the help page, @width columns wide (0: 80). */
void args_help(const struct args_spec *spec, struct out *out, unsigned int width);
/*
 * Print the table for other programs, one line per entry. Tabs separate the fields of a line:
 *   usage   command operands summary
 *   group   title
 *   option  name letter kind argument default help
 *   tail    line
 */
void args_describe(const struct args_spec *spec, struct out *out);
/* Print the long options, one per line. */
void args_list(const struct args_spec *spec, struct out *out);
/*
 * Split @list at commas. Each piece must be equal to one of @words (NULL-terminated), or be the
 * beginning of exactly one of them. Writes the indices of these words to @ret. Errors: ERR_USAGE: a
 * piece does not match, or there are more than @max pieces.
 */
MUST_CHECK int args_words(const char *list, const char *const *words, unsigned int *ret, size_t max,
			  size_t *ret_n, struct error *err);

/*
 * Convert "10" (seconds), "10s", "500ms", "2m" or "1h" into nanoseconds. 0 is refused. Errors:
 * ERR_USAGE.
 */
MUST_CHECK int args_time(struct str text, uint64_t *ret_ns, struct error *err);
/* Convert "100", "512K", "64M" or "2G" into bytes. 0 is refused. Errors: ERR_USAGE. */
MUST_CHECK int args_size(struct str text, uint64_t *ret, struct error *err);

#endif
