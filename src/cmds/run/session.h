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
#include "base/command/args.h"
#include "base/command/progress.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "formats/format.h"
#include "render/terminal.h"
#include "transform/select.h"
#include "transform/transform.h"

struct capture;
struct off_cpu;
struct str;
struct view;

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_FINDINGS = 3, /* explain: at or above --fail-on */
};

enum session_format { SHOW_TEXT, SHOW_JSON, SHOW_CSV };

/* The inputs to read. Owner: session_input.c. Set before session_load(). */
struct session_input {
	struct args_list paths;
	struct args_list named; /* files named by other options */
	size_t side_b; /* index of the first path of the second side of a comparison; 0: none */
	const char *as;
	bool is_raw;
	bool has_sandbox;
	struct symbols_wanted wanted; /* targets of SESSION_SYMBOLS */
	struct read_options read;     /* data that the command does not need */
	const struct str *fields;     /* sample fields to read */
	size_t n_fields;
	struct args_list
		chosen[SELECT_KINDS]; /* filters as given: SESSION_CHOICE, SESSION_LEAVES */
	const char *hint_for;         /* a missing path, and a file with a similar name */
	char hint[512];
};

/* C sources of the command line, combined into one capture of metrics. Owner: risk/sources.c. */
struct session_sources {
	bool is_taken;          /* paths may be folders and C files; set before session_load() */
	struct args_list paths; /* these, and those of --risk */
	bool reads_trees;       /* the confined process may read folders of sources */
	bool reads_history;     /* the command reads git repositories of its inputs */
	bool has_cache;         /* cache measured C sources; target of SESSION_CACHE */
	uint32_t capture;       /* INDEX_NONE: none */
	uint32_t n_files;
	uint32_t n_errors; /* functions with unparsed text */
	uint64_t bytes;
};

/* Destination and form of the result. Owner: session_output.c. */
struct session_output {
	const char *path;                /* -o */
	const struct newfile_kind *kind; /* of the file, outputs.h; NULL: by is_json, is_csv */
	bool is_forced;                  /* overwrite any file */
	bool is_json;
	bool is_csv;
	bool is_wide; /* tables in a pipe or file are not cut */
	bool has_pager;
	unsigned int colour; /* enum terminal_colour */

	/* after session_open() */
	struct out out;
	struct pager pager;
	struct newfile file; /* of -o */
	bool is_refused;     /* the file must not be overwritten; a message was printed */
};

/* What was read. Owner: session_load.c. */
struct session_loaded {
	VEC(uint32_t) input_ends; /* by input: number of captures up to its end */
	unsigned int n_inputs;
	unsigned int n_failed;
	unsigned int n_cut; /* inputs read only in part, which was reported */
};

struct session {
	struct session_input in;
	struct session_sources sources;
	struct session_output to;
	struct transform change; /* changes of captures after reading: filters, waits */
	struct session_loaded loaded;
	struct dossier *dossier;
	struct category_cache cats;
	struct progress progress; /* printed to stderr, if that is a terminal */

	/* private */
	const char *const *words; /* arguments of the command line */
	bool is_confined;         /* session_confine() was called, with any result */
};

#define SESSION_PIPED_COLUMNS 120u /* width of tables in a pipe or file, without --wide */

/* Options of every command that reads captures. */
#define SESSION_OPTIONS(s)                                                                         \
	ARGS_HEADING("input and output"),                                                          \
		OPT(LIST, "input", 'i', "FILE", &(s)->in.paths,                                    \
		    "input file, the same as FILE without -i; - is standard input"),               \
		OPT(TEXT, "as", 0, "FORMAT", &(s)->in.as,                                          \
		    "read inputs as this format, without detection"),                              \
		OPT_FLAG("raw", 0, &(s)->in.is_raw,                                                \
			 "do not remove quote marks, markup and line wraps of mails"),             \
		OPT(TEXT, "output", 'o', "FILE", &(s)->to.path,                                    \
		    "write to FILE, which appears when it is complete"),                           \
		OPT_DEFAULT(CHOICE, "color", 0, "auto|always|never", "auto", &(s)->to.colour,      \
			    "when to use colours"),                                                \
		OPT_FLAG("pager", 0, &(s)->to.has_pager,                                           \
			 "show long output in a pager (--no-pager: directly)"),                    \
		OPT_FLAG("wide", 0, &(s)->to.is_wide,                                              \
			 "full names in tables: no limit of 120 columns in a pipe or file"),       \
		OPT_FLAG("sandbox", 0, &(s)->in.has_sandbox,                                       \
			 "read inputs in a process without rights (--no-sandbox: with the user's " \
			 "rights)")
/* For commands without another meaning of --force. */
#define SESSION_FORCE(s)                           \
	OPT_FLAG("force", 'f', &(s)->to.is_forced, \
		 "overwrite the file of -o, even one of another kind")
/* Options for resolving addresses of recordings. */
#define SESSION_SYMBOLS(s)                                                                       \
	ARGS_HEADING("symbols for addresses in perf.data"),                                      \
		OPT_FLAG("inline", 0, &(s)->in.wanted.inlines,                                   \
			 "inlined functions as frames; default of explain, brief and the front " \
			 "page"),                                                                \
		OPT_FLAG("srcline", 0, &(s)->in.wanted.lines,                                    \
			 "one row for each source line: 'name file.c:12'"),                      \
		OPT_FLAG("debuginfod", 0, &(s)->in.wanted.debuginfod,                            \
			 "download missing debug files from DEBUGINFOD_URLS"),                   \
		OPT(TEXT, "symfs", 0, "DIR", &(s)->in.wanted.symfs,                              \
		    "look for objects and debug files below DIR"),                               \
		OPT(TEXT, "kallsyms", 0, "FILE", &(s)->in.wanted.kallsyms,                       \
		    "symbols of the recorded kernel: its /proc/kallsyms"),                       \
		OPT(TEXT, "vmlinux", 'k', "FILE", &(s)->in.wanted.vmlinux,                       \
		    "the recorded kernel's vmlinux with symbols")
/* Sample filters with perf's option names, applied by select_apply() after reading. */
#define SESSION_CHOICE(s)                                                                         \
	OPT(LIST, "comm", 'c', "NAMES", &(s)->in.chosen[SELECT_COMM],                             \
	    "only these commands (comm); * and ? match"),                                         \
		OPT(LIST, "comms", 0, NULL, &(s)->in.chosen[SELECT_COMM], NULL),                  \
		OPT(LIST, "pid", 0, "PIDS", &(s)->in.chosen[SELECT_PID], "only these processes"), \
		OPT(LIST, "tid", 0, "TIDS", &(s)->in.chosen[SELECT_TID], "only these threads"),   \
		OPT(LIST, "cpu", 'C', "CPUS", &(s)->in.chosen[SELECT_CPU],                        \
		    "only these CPUs: 0,2-4"),                                                    \
		OPT(LIST, "time", 0, "TIMES", &(s)->in.chosen[SELECT_TIME],                       \
		    "only samples from START to STOP: in seconds (12.5,13 or "                    \
		    "12.5,), or in percent of the recording (10%-20%)")
/* Filters by leaf function; not for commands that filter rows themselves. */
#define SESSION_LEAVES(s)                                                         \
	OPT(LIST, "dso", 'd', "NAMES", &(s)->in.chosen[SELECT_DSO],               \
	    "only samples in these shared objects"),                              \
		OPT(LIST, "dsos", 0, NULL, &(s)->in.chosen[SELECT_DSO], NULL),    \
		OPT(LIST, "symbol", 'S', "NAMES", &(s)->in.chosen[SELECT_SYMBOL], \
		    "only samples in these functions"),                           \
		OPT(LIST, "symbols", 0, NULL, &(s)->in.chosen[SELECT_SYMBOL], NULL)
#define SESSION_CACHE(s)                              \
	OPT_FLAG("cache", 0, &(s)->sources.has_cache, \
		 "reuse metrics of unchanged sources (--no-cache: measure again)")
/* C sources in addition to captures. */
#define SESSION_SOURCES(s)                                             \
	OPT(LIST, "risk", 0, "DIR", &(s)->sources.paths,               \
	    "C sources: also show which of their risky functions are " \
	    "hot; a FILE that is a folder or *.c means the same"),     \
		SESSION_CACHE(s)
#define SESSION_OFF_CPU(s)                                                                        \
	OPT_FLAG("off-cpu", 0, &(s)->change.is_off_cpu,                                           \
		 "show the waits of threads instead of CPU samples; --sort waker shows who woke " \
		 "them")
/* All sample options, for commands about every kind of sample. */
#define SESSION_SAMPLES(s) \
	ARGS_HEADING("samples"), SESSION_CHOICE(s), SESSION_OFF_CPU(s), SESSION_LEAVES(s)
#define SESSION_JSON(s) \
	OPT_FLAG("json", 0, &(s)->to.is_json, "print one JSON object (assay help output)")
#define SESSION_CSV(s) OPT_FLAG("csv", 0, &(s)->to.is_csv, "print the main table as CSV")

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
/* Make a view of the output in the requested format. Owner: caller, view_free(). */
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
