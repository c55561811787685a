/* SPDX-License-Identifier: MIT */
/*
 * args.h - command line options as a table
 *
 * One table a command: parsing (getopt_long), `-h`, completions and the man
 * page's OPTIONS come from it. Long names may be abbreviated as in perf; a flag
 * `x` has a `--no-x`. Options and operands may be mixed unless a command line is
 * among the operands; `--` ends options.
 *
 * Uses getopt's global state: not thread safe, one parse at a time.
 */
#ifndef BASE_ARGS_H
#define BASE_ARGS_H

#include "base/out.h"
#include "base/vec.h"

enum args_kind {
	ARGS_FLAG,   /* bool: set by --name, cleared by --no-name */
	ARGS_TEXT,   /* const char *: the argument, borrowed from argv */
	ARGS_MAYBE,  /* const char *: the argument behind '=', or "" without one; no short name */
	ARGS_LIST,   /* struct args_list: each use appends */
	ARGS_COUNT,  /* uint64_t */
	ARGS_NUMBER, /* double, not negative */
	ARGS_CHOICE, /* unsigned int: position in `arg`, words joined by '|' */
	ARGS_GROUP,  /* a heading of the help; `help` is its text */
};

struct args_option {
	const char *name; /* long name; NULL ends the table (see ARGS_END) */
	char letter;      /* short name, or 0 */
	enum args_kind kind;
	const char *arg;      /* what the argument is: "FILE", "a|b"; NULL for flags */
	const char *help;     /* one phrase, lower case, no final dot; NULL: an alias, not told */
	const char *standard; /* the default, as the help shows it; NULL: none to show */
	void *target;
};

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
	const char *tail; /* printed behind the options: examples; may be NULL */
	bool has_command; /* the first operand ends the options: what follows is a command's */
};

enum args_outcome {
	ARGS_RUN,          /* go on; operands start at ret_first */
	ARGS_HELP,         /* -h or --help was given */
	ARGS_LIST_OPTIONS, /* --list-opts was given */
	ARGS_DESCRIBE,     /* --describe was given: for manual pages and completions */
};

/*
 * Parse @argv, whose first element is the command's name, into the targets.
 * Operands are moved to the end; the first is argv[*ret_first].
 * Returns enum args_outcome, or ERR_USAGE with a sentence in @err.
 */
MUST_CHECK int args_parse(const struct args_spec *spec, int argc, char **argv, int *ret_first,
			  struct error *err);
/* The help page, for @width columns (0: 80). */
void args_help(const struct args_spec *spec, struct out *out, unsigned int width);
/*
 * The table for programs, lines of cells between tabs: "usage" command operands
 * summary; "group" title; "option" name letter kind argument default help; "tail" line.
 */
void args_describe(const struct args_spec *spec, struct out *out);
/* Long options, one a line. */
void args_list(const struct args_spec *spec, struct out *out);
/*
 * Split @list at commas: each piece must be one of @words (NULL-terminated) or
 * the start of exactly one. Appends its positions to @ret, at most @max.
 * Errors: ERR_USAGE, naming the piece and the words.
 */
MUST_CHECK int args_words(const char *list, const char *const *words, unsigned int *ret, size_t max,
			  size_t *ret_n, struct error *err);

/* "10", "10s", "500ms", "2m", "1h" in nanoseconds, not 0. Errors: ERR_USAGE. */
MUST_CHECK int args_time(struct str text, uint64_t *ret_ns, struct error *err);
/* "100", "512K", "64M", "2G" in bytes, not 0. Errors: ERR_USAGE. */
MUST_CHECK int args_size(struct str text, uint64_t *ret, struct error *err);

#endif
