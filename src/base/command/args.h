/* SPDX-License-Identifier: MIT */
/*
 * args.h - command line options as a table
 *
 * Each command has one table. Parsing (getopt_long), `-h`, completions and the man page's
 * OPTIONS all come from it. Long names may be abbreviated, as in perf; a flag `x` also has
 * `--no-x`. Options and operands may be mixed, unless the operands include a command line; `--`
 * ends the options.
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
	ARGS_FLAG,   /* bool: set by --name, cleared by --no-name */
	ARGS_TEXT,   /* const char *: the argument, borrowed from argv */
	ARGS_MAYBE,  /* const char *: the value after '=', or "" without one; no short name */
	ARGS_LIST,   /* struct args_list: each use appends */
	ARGS_COUNT,  /* uint64_t */
	ARGS_NUMBER, /* double, not negative */
	/* unsigned int: index of the chosen word in `arg`, where '|' separates the words */
	ARGS_CHOICE,
	ARGS_GROUP, /* a heading of the help; `help` is its text */
};

struct args_option {
	const char *name; /* long name; NULL ends the table (see ARGS_END) */
	char letter;      /* short name, or 0 */
	enum args_kind kind;
	const char *arg; /* placeholder of the argument: "FILE", "a|b"; NULL for flags */
	/*
	 * description for the help: one phrase, lower case, no final dot; NULL: an alias without
	 * help
	 */
	const char *help;
	const char *standard; /* the default value, as the help prints it; NULL: none printed */
	void *target;
};

/*
 * Entries of an option table: OPT(TEXT, "output", 'o', "FILE", &output, "write to FILE"). @kind is
 * a member of enum args_kind without ARGS_.
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
	const char *tail; /* examples, printed after the options; may be NULL */
	bool has_command; /* the first operand ends the options: the rest is a command line */
};

enum args_outcome {
	ARGS_RUN,          /* run the command; operands start at ret_first */
	ARGS_HELP,         /* -h or --help was given */
	ARGS_LIST_OPTIONS, /* --list-opts was given */
	ARGS_DESCRIBE,     /* --describe was given: for manual pages and completions */
};

/*
 * Parse @argv, whose first element is the command's name, into the targets. Moves operands to the
 * end; the first is argv[*ret_first]. Returns enum args_outcome, or ERR_USAGE with the reason in
 * @err.
 */
MUST_CHECK int args_parse(const struct args_spec *spec, int argc, char **argv, int *ret_first,
			  struct error *err);
/* Print the help page, @width columns wide (0: 80). */
void args_help(const struct args_spec *spec, struct out *out, unsigned int width);
/*
 * Print the table for other programs, one line per entry. Its fields are separated by tabs:
 *   usage   command operands summary
 *   group   title
 *   option  name letter kind argument default help
 *   tail    line
 */
void args_describe(const struct args_spec *spec, struct out *out);
/* Print the long options, one per line. */
void args_list(const struct args_spec *spec, struct out *out);
/*
 * Split @list at commas. Each piece must equal one of @words (NULL-terminated) or be a prefix
 * of exactly one. Appends the indices to @ret, at most @max. Errors: ERR_USAGE, naming the
 * piece and the words.
 */
MUST_CHECK int args_words(const char *list, const char *const *words, unsigned int *ret, size_t max,
			  size_t *ret_n, struct error *err);

/*
 * Parse "10" (seconds), "10s", "500ms", "2m", "1h" into nanoseconds; 0 is refused. Errors:
 * ERR_USAGE.
 */
MUST_CHECK int args_time(struct str text, uint64_t *ret_ns, struct error *err);
/* Parse "100", "512K", "64M", "2G" into bytes; 0 is refused. Errors: ERR_USAGE. */
MUST_CHECK int args_size(struct str text, uint64_t *ret, struct error *err);

#endif
