/* SPDX-License-Identifier: MIT */
/*
 * session.h - common parts of all commands
 *
 * Common options, reading of the inputs (each failure is one message on stderr), the output
 * (standard output through a pager, or a file that appears when complete), and the exit status.
 */
#ifndef CMDS_SESSION_H
#define CMDS_SESSION_H

#include "analyses/categories.h"
#include "base/args.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "formats/format.h"
#include "render/terminal.h"
#include "transform/select.h"

struct capture;
struct off_cpu;
struct recover_result;
struct str;
struct view;

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_FINDINGS = 3, /* explain: at or above --fail-on */
};

enum session_format { SHOW_TEXT, SHOW_JSON, SHOW_CSV };

/* C sources of the command line, combined into one capture of metrics. */
struct session_sources {
	uint32_t capture; /* INDEX_NONE: none */
	uint32_t n_files;
	uint32_t n_errors; /* functions with unparsed text */
	uint64_t bytes;
};

struct session {
	/* options, targets of SESSION_OPTIONS */
	struct args_list inputs;
	const char *output;
	const struct newfile_kind *kind; /* of the output, outputs.h; NULL: by is_json, is_csv */
	size_t side_b;  /* index of the first input of the second side of a comparison; 0: none */
	bool is_forced; /* overwrite any output file */
	const char *as;
	bool is_json;
	bool is_csv;
	bool has_pager;
	bool has_sandbox;
	bool is_raw;
	/* inputs may be folders and C files; set before session_load() */
	bool takes_sources;
	struct args_list sources;     /* these, and those of --risk */
	struct args_list named;       /* files named by other options */
	bool has_cache;               /* cache measured C sources; target of SESSION_CACHE */
	unsigned int colour;          /* enum terminal_colour */
	struct symbols_wanted wanted; /* targets of SESSION_SYMBOLS */
	/* data that the command does not need; set before session_load() */
	struct read_options read;
	/*
	 * with --off-cpu: running and waiting as one capture, wall_clock.h; set before
	 * session_load()
	 */
	enum session_wall { SESSION_WALL_NONE, SESSION_WALL_BESIDE, SESSION_WALL_ONLY } wall;
	bool finds_off_cpu; /* convert switches if there are any; set before session_load() */
	bool is_off_cpu;    /* --off-cpu: convert switches of threads to off-CPU time */

	/* sample filters, targets of SESSION_CHOICE and SESSION_LEAVES */
	struct args_list chosen[SELECT_KINDS];
	struct select_spec select;
	const struct str *fields; /* sample fields to read; set before session_load() */
	size_t n_fields;
	bool filters_rows_itself; /* the command filters printed rows itself */

	struct progress progress; /* printed to stderr, if that is a terminal */
	struct dossier *dossier;
	struct category_cache cats;
	VEC(struct off_cpu) off_cpu;          /* by input, as input_ends; is_done: it has waits */
	VEC(struct recover_result) recovered; /* by capture of the dossier */
	VEC(struct select_result) selected;   /* by capture of the dossier */
	VEC(uint32_t) input_ends;             /* by input: number of captures up to its end */
	unsigned int n_failed;
	unsigned int n_cut; /* inputs read only in part, which was reported */
	unsigned int n_inputs;
	struct session_sources measured;

	/* private */
	const char *const *words; /* arguments of the command line */
	bool is_confined;         /* session_confine() was called, with any result */

	/* private, after session_open() */
	struct out out;
	struct pager pager;
	struct newfile file; /* of -o */
	bool is_refused;     /* it must not be overwritten, which was reported */
};

/* Options of every command that reads captures. */
#define SESSION_OPTIONS(s)                                                                         \
	ARGS_HEADING("input and output"), { "input",                                               \
					    'i',                                                   \
					    ARGS_LIST,                                             \
					    "FILE",                                                \
					    "read it, as without -i; - is standard input",         \
					    NULL,                                                  \
					    &(s)->inputs },                                        \
		{ "as", 0,       ARGS_TEXT, "FORMAT", "take inputs as this format, do not guess",  \
		  NULL, &(s)->as },                                                                \
		{ "raw", 0,           ARGS_FLAG, NULL, "do not undo mail quoting and markup",      \
		  NULL,  &(s)->is_raw },                                                           \
		{ "output",                                                                        \
		  'o',                                                                             \
		  ARGS_TEXT,                                                                       \
		  "FILE",                                                                          \
		  "write there; it appears when it is complete",                                   \
		  NULL,                                                                            \
		  &(s)->output },                                                                  \
		{ "color", 0, ARGS_CHOICE, "auto|always|never", "colours", "auto", &(s)->colour }, \
		{ "pager",                                                                         \
		  0,                                                                               \
		  ARGS_FLAG,                                                                       \
		  NULL,                                                                            \
		  "page long text on a terminal (--no-pager: do not)",                             \
		  NULL,                                                                            \
		  &(s)->has_pager },                                                               \
	{                                                                                          \
		"sandbox", 0, ARGS_FLAG, NULL,                                                     \
			"read in a process without rights (--no-sandbox: in this one)", NULL,      \
			&(s)->has_sandbox                                                          \
	}
/* For commands without another meaning of --force. */
#define SESSION_FORCE(s)                                                                         \
	{                                                                                        \
		"force", 'f', ARGS_FLAG, NULL, "overwrite the file of -o, whatever it is", NULL, \
			&(s)->is_forced                                                          \
	}
/* Options for resolving addresses of recordings. */
#define SESSION_SYMBOLS(s)                                                                          \
	ARGS_HEADING("names of addresses in perf.data"), { "inline",                                \
							   0,                                       \
							   ARGS_FLAG,                               \
							   NULL,                                    \
							   "show inlined functions as frames",      \
							   NULL,                                    \
							   &(s)->wanted.inlines },                  \
		{ "srcline",                                                                        \
		  0,                                                                                \
		  ARGS_FLAG,                                                                        \
		  NULL,                                                                             \
		  "tell lines of one function apart: 'name file.c:12'",                             \
		  NULL,                                                                             \
		  &(s)->wanted.lines },                                                             \
		{ "debuginfod",                                                                     \
		  0,                                                                                \
		  ARGS_FLAG,                                                                        \
		  NULL,                                                                             \
		  "fetch files that are not here from DEBUGINFOD_URLS",                             \
		  NULL,                                                                             \
		  &(s)->wanted.debuginfod },                                                        \
		{ "symfs",           0, ARGS_TEXT, "DIR", "look for files below this folder", NULL, \
		  &(s)->wanted.symfs },                                                             \
		{ "kallsyms",                                                                       \
		  0,                                                                                \
		  ARGS_TEXT,                                                                        \
		  "FILE",                                                                           \
		  "the recorded kernel's symbols (/proc/kallsyms)",                                 \
		  NULL,                                                                             \
		  &(s)->wanted.kallsyms },                                                          \
	{                                                                                           \
		"vmlinux", 'k', ARGS_TEXT, "FILE", "the recorded kernel's file with symbols",       \
			NULL, &(s)->wanted.vmlinux                                                  \
	}
/* Sample filters with perf's option names, applied by select_apply() after reading. */
#define SESSION_CHOICE(s)                                                                              \
	{ "comm",                                                                                      \
	  'c',                                                                                         \
	  ARGS_LIST,                                                                                   \
	  "NAMES",                                                                                     \
	  "only these commands; * and ? match",                                                        \
	  NULL,                                                                                        \
	  &(s)->chosen[SELECT_COMM] },                                                                 \
		{ "comms", 0, ARGS_LIST, NULL, NULL, NULL, &(s)->chosen[SELECT_COMM] },                \
		{ "pid",                                                                               \
		  0,                                                                                   \
		  ARGS_LIST,                                                                           \
		  "PIDS",                                                                              \
		  "only these processes",                                                              \
		  NULL,                                                                                \
		  &(s)->chosen[SELECT_PID] },                                                          \
		{ "tid", 0, ARGS_LIST, "TIDS", "only these threads", NULL, &(s)->chosen[SELECT_TID] }, \
		{ "cpu",                                                                               \
		  'C',                                                                                 \
		  ARGS_LIST,                                                                           \
		  "CPUS",                                                                              \
		  "only these CPUs: 0,2-4",                                                            \
		  NULL,                                                                                \
		  &(s)->chosen[SELECT_CPU] },                                                          \
	{                                                                                              \
		"time", 0, ARGS_LIST, "TIMES",                                                         \
			"only from START to STOP, in seconds (\"12.5,13\", \"12.5,\") or as a "        \
			"share (10%-20%, 10%/2)",                                                      \
			NULL, &(s)->chosen[SELECT_TIME]                                                \
	}
/* Filters by leaf function; not for commands that filter rows themselves. */
#define SESSION_LEAVES(s)                                                              \
	{ "dso",                                                                       \
	  'd',                                                                         \
	  ARGS_LIST,                                                                   \
	  "NAMES",                                                                     \
	  "only samples in these shared objects",                                      \
	  NULL,                                                                        \
	  &(s)->chosen[SELECT_DSO] },                                                  \
		{ "dsos", 0, ARGS_LIST, NULL, NULL, NULL, &(s)->chosen[SELECT_DSO] },  \
		{ "symbol",                                                            \
		  'S',                                                                 \
		  ARGS_LIST,                                                           \
		  "NAMES",                                                             \
		  "only samples in these functions",                                   \
		  NULL,                                                                \
		  &(s)->chosen[SELECT_SYMBOL] },                                       \
	{                                                                              \
		"symbols", 0, ARGS_LIST, NULL, NULL, NULL, &(s)->chosen[SELECT_SYMBOL] \
	}
#define SESSION_CACHE(s)                                                                     \
	{                                                                                    \
		"cache", 0, ARGS_FLAG, NULL,                                                 \
			"keep measured sources for the next run (--no-cache: do not)", NULL, \
			&(s)->has_cache                                                      \
	}
/* C sources in addition to captures. */
#define SESSION_SOURCES(s)                                                                   \
	{ "risk",                                                                            \
	  0,                                                                                 \
	  ARGS_LIST,                                                                         \
	  "DIR",                                                                             \
	  "C sources: which of their risky functions are hot; a folder or *.c as FILE does " \
	  "the same",                                                                        \
	  NULL,                                                                              \
	  &(s)->sources },                                                                   \
		SESSION_CACHE(s)
#define SESSION_OFF_CPU(s)                                                                      \
	{                                                                                       \
		"off-cpu", 0, ARGS_FLAG, NULL,                                                  \
			"switches of threads as time off the CPU, by stack; --sort waker: who " \
			"woke them",                                                            \
			NULL, &(s)->is_off_cpu                                                  \
	}
/* All sample options, for commands about every kind of sample. */
#define SESSION_SAMPLES(s) \
	ARGS_HEADING("which samples"), SESSION_CHOICE(s), SESSION_OFF_CPU(s), SESSION_LEAVES(s)
#define SESSION_JSON(s)                                                                   \
	{                                                                                 \
		"json", 0, ARGS_FLAG, NULL, "one JSON object; names as documented", NULL, \
			&(s)->is_json                                                     \
	}
#define SESSION_CSV(s)                                                                       \
	{                                                                                    \
		"csv", 0, ARGS_FLAG, NULL, "the main table as comma separated values", NULL, \
			&(s)->is_csv                                                         \
	}

/* Set defaults; release with session_finish(). */
void session_init(struct session *s);
/*
 * Parse @argv; operands are added to the inputs. Answers -h, --list-opts and usage errors
 * itself. False: the command is finished, with @ret_status.
 */
bool session_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		   int *ret_status);
/*
 * Print the help of @spec, its list of options, or its table, on standard output. Returns the
 * exit status.
 */
int session_print(const struct args_spec *spec, enum args_outcome outcome);
/*
 * Read all inputs, confined (cmds/run/confine.h). Read failures are reported on stderr. False:
 * usage error (an unknown --as, no input), @ret_status is set.
 */
bool session_load(struct session *s, const struct args_spec *spec, int *ret_status);
/* Waits of the input with @c; is_done false: none. Cost: O(captures). */
const struct off_cpu *session_waits_of(const struct session *s, const struct capture *c);
/*
 * For cmds/run/confine.c: open the file of -o, or check that standard output is not an input
 * (failures are reported); put it in place, or remove it.
 */
int session_open_output(struct session *s);
int session_place(struct session *s, bool is_complete);
bool session_wants_pager(const struct session *s);
/* Open the output. NULL after a message on failure. */
struct out *session_open(struct session *s);
/* Make a view of it in the requested format. Owner: caller, view_free(). */
struct view *session_view(struct session *s);
/*
 * Release everything and return the exit status: @status, or EXIT_FAILED if an input or the
 * output failed. With EXIT_DONE the output is completed; otherwise the file of -o stays
 * unchanged.
 */
int session_finish(struct session *s, int status);

/* Show progress as "reading a.data" until progress_end(); @path is escaped. */
void session_progress(struct session *s, const char *doing, const char *path);
/* Print "assay: <what>: <sentence>" on stderr; @what may be NULL. Names are escaped. */
void complain(const char *what, const char *fmt, ...) PRINTF(2, 3);

#endif
