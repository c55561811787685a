/* SPDX-License-Identifier: MIT */
/*
 * session.h - the parts that all commands share
 *
 * These are the common options, the inputs, the output and the exit status. Each input that cannot
 * be read is reported in one message on stderr. Output goes to standard output through a pager, or
 * to a file that appears when it is complete.
 */
#ifndef CMDS_SESSION_H
#define CMDS_SESSION_H

#include "analyses/categories.h"
#include "base/command/args.h"
#include "base/command/progress.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "formats/format.h"
#include "render/terminal.h"
#include "transform/select.h"
#include "transform/transform.h"

struct go_packages;
struct capture;
struct off_cpu;
struct str;
struct view;

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_FINDINGS = 3, /* explain: a finding has at least the severity of --fail-on */
};

enum session_format { SHOW_TEXT, SHOW_JSON, SHOW_CSV };

/* The inputs to read. Set before session_load(), by session_input.c. */
struct session_input {
	struct args_list paths;
	struct args_list named; /* input files named by other options, such as --kallsyms */
	/* index in `paths` of the first path of side B of a comparison; 0: no side B */
	size_t side_b;
	const char *as;
	bool is_raw;
	bool has_sandbox;
	/* which symbols to resolve; set by the options of SESSION_SYMBOLS */
	struct symbols_wanted wanted;
	/* which data of samples the reader may omit, because the command does not need it */
	struct read_options read;
	/* rules need the times of samples if there are recordings and other files */
	bool finds_times;
	const struct str *fields; /* names of the fields of events to read */
	size_t n_fields;
	/* values of the options in SESSION_CHOICE and SESSION_LEAVES, by kind of filter */
	struct args_list chosen[SELECT_KINDS];
	/* `hint_for`: an input file that does not exist; `hint`: a file with a similar name */
	const char *hint_for;
	char hint[512];
};

/* C sources of the command line, combined into one capture of metrics. Filled by risk/sources.c. */
struct session_sources {
	bool is_taken; /* in.paths may contain folders and C files; set before session_load() */
	struct args_list paths; /* folders and C files that are operands or values of --risk */
	bool reads_trees;       /* the confined process needs to read folders of sources */
	/* the confined process needs to read the git repositories of its inputs */
	bool reads_history;
	/* reuse metrics of unchanged sources; set by the option of SESSION_CACHE */
	bool has_cache;
	uint32_t capture; /* number of the capture of metrics; INDEX_NONE: none */
	uint32_t n_files;
	uint32_t n_errors; /* number of functions with text that could not be parsed */
	uint64_t bytes;
};

/* Destination and format of the output. Set by session_output.c. */
struct session_output {
	const char *path; /* file of -o; NULL: standard output */
	/*
	 * kind of file that -o may replace (outputs.h); NULL: the kind that this command writes:
	 * text, JSON or CSV
	 */
	const struct newfile_kind *kind;
	bool is_forced; /* overwrite the file of -o even if it is of another kind */
	bool is_opened; /* open the file of -o in the program of the desktop when it is complete */
	bool is_json;
	bool is_csv;
	/*
	 * packages of Go functions. Text output omits their paths: "loom.Weave" instead of
	 * "example.org/mill/loom.Weave". Borrowed; NULL: omit no paths
	 */
	const struct go_packages *packages;
	bool is_wide; /* do not limit the width of tables, even if the output is a pipe or file */
	bool has_pager;
	unsigned int colour; /* enum terminal_colour */

	/* the open output and its pager; set by session_open() */
	struct out out;
	struct pager pager;
	struct newfile file; /* the file of -o while it is written */
	bool is_refused;     /* the file of -o must not be overwritten; a message was printed */
};

/* The loaded inputs. Set by session_load.c. */
struct session_loaded {
	/* for each input, the index after its last capture, in dossier.captures */
	VEC(uint32_t) input_ends;
	unsigned int n_inputs;
	unsigned int n_failed;
	unsigned int n_cut; /* number of truncated inputs; a message was printed for each */
};

struct session {
	struct session_input in;
	struct session_sources sources;
	struct session_output to;
	/* filters and other changes that are applied to the captures after reading */
	struct transform change;
	struct session_loaded loaded;
	struct dossier *dossier;
	struct category_cache cats;
	struct progress progress; /* progress messages on stderr, if stderr is a terminal */

	/* the remaining members are private to session*.c */
	const char *const *words; /* the arguments of the command line, before parsing */
	bool is_confined;         /* session_confine() was called, even if it failed */
};

/* width of tables if the output is a pipe or file, without --wide */
#define SESSION_PIPED_COLUMNS 120u

/* clang-format would indent all rows of these lists except the first. */
/* clang-format off */

/* Options of every command that reads captures. */
#define SESSION_OPTIONS(s) \
	ARGS_HEADING("input and output"), \
	OPT(LIST, "input", 'i', "FILE", &(s)->in.paths, \
	    "input file, the same as FILE without -i; - is standard input"), \
	OPT(TEXT, "as", 0, "FORMAT", &(s)->in.as, \
	    "read inputs as this format, without detection"), \
	OPT_FLAG("raw", 0, &(s)->in.is_raw, \
		 "do not remove quote marks, markup and line wraps of mails"), \
	OPT(TEXT, "output", 'o', "FILE", &(s)->to.path, \
	    "write to FILE, which appears when it is complete"), \
	OPT_DEFAULT(CHOICE, "color", 0, "auto|always|never", "auto", &(s)->to.colour, \
		    "when to use colours"), \
	OPT_FLAG("pager", 0, &(s)->to.has_pager, \
		 "show long output in a pager (--no-pager: directly)"), \
	OPT_FLAG("wide", 0, &(s)->to.is_wide, \
		 "full names in tables: no limit of 120 columns in a pipe or file"), \
	OPT_FLAG("sandbox", 0, &(s)->in.has_sandbox, \
		 "read inputs in a process without rights (--no-sandbox: with the user's " \
		 "rights)")
/*
 * The option --force, for commands in which it only allows -o to overwrite a file of another kind.
 */
#define SESSION_FORCE(s) \
	OPT_FLAG("force", 'f', &(s)->to.is_forced, \
		 "overwrite the file of -o, even one of another kind")
#define SESSION_OPEN(s) \
	OPT_FLAG("open", 0, &(s)->to.is_opened, "then open the file of -o with xdg-open")
/* Options for resolving addresses of recordings. */
#define SESSION_SYMBOLS(s) \
	ARGS_HEADING("symbols for addresses in perf.data"), \
	OPT_FLAG("inline", 0, &(s)->in.wanted.inlines, \
		 "inlined functions as frames; default of explain, brief and the front " \
		 "page"), \
	OPT_FLAG("srcline", 0, &(s)->in.wanted.lines, \
		 "one row for each source line: 'name file.c:12'"), \
	OPT_FLAG("debuginfod", 0, &(s)->in.wanted.debuginfod, \
		 "download missing debug files from DEBUGINFOD_URLS"), \
	OPT(TEXT, "symfs", 0, "DIR", &(s)->in.wanted.symfs, \
	    "look for objects and debug files below DIR"), \
	OPT(TEXT, "kallsyms", 0, "FILE", &(s)->in.wanted.kallsyms, \
	    "symbols of the recorded kernel: its /proc/kallsyms"), \
	OPT(TEXT, "vmlinux", 'k', "FILE", &(s)->in.wanted.vmlinux, \
	    "the recorded kernel's vmlinux with symbols")
/* Filters of samples, with perf's option names. select_apply() applies them after reading. */
#define SESSION_CHOICE(s) \
	OPT(LIST, "comm", 'c', "NAMES", &(s)->in.chosen[SELECT_COMM], \
	    "only these commands (comm); * and ? match"), \
	OPT(LIST, "comms", 0, NULL, &(s)->in.chosen[SELECT_COMM], NULL), \
	OPT(LIST, "pid", 0, "PIDS", &(s)->in.chosen[SELECT_PID], "only these processes"), \
	OPT(LIST, "tid", 0, "TIDS", &(s)->in.chosen[SELECT_TID], "only these threads"), \
	OPT(LIST, "cpu", 'C', "CPUS", &(s)->in.chosen[SELECT_CPU], \
	    "only these CPUs: 0,2-4"), \
	OPT(LIST, "time", 0, "TIMES", &(s)->in.chosen[SELECT_TIME], \
	    "only samples from START to STOP: in seconds (12.5,13 or " \
	    "12.5,), or in percent of the recording (10%-20%)")
/*
 * Filters of samples by the sampled function. Commands without these options have filters for the
 * rows of their tables instead.
 */
#define SESSION_LEAVES(s) \
	OPT(LIST, "dso", 'd', "NAMES", &(s)->in.chosen[SELECT_DSO], \
	    "only samples in these shared objects"), \
	OPT(LIST, "dsos", 0, NULL, &(s)->in.chosen[SELECT_DSO], NULL), \
	OPT(LIST, "symbol", 'S', "NAMES", &(s)->in.chosen[SELECT_SYMBOL], \
	    "only samples in these functions"), \
	OPT(LIST, "symbols", 0, NULL, &(s)->in.chosen[SELECT_SYMBOL], NULL)
#define SESSION_CACHE(s) \
	OPT_FLAG("cache", 0, &(s)->sources.has_cache, \
		 "reuse metrics of unchanged sources (--no-cache: measure again)")
/* The options for C sources in addition to captures. */
#define SESSION_SOURCES(s) \
	OPT(LIST, "risk", 0, "DIR", &(s)->sources.paths, \
	    "C sources: also show which of their risky functions are " \
	    "hot; a FILE that is a folder or *.c means the same"), \
	SESSION_CACHE(s)
#define SESSION_OFF_CPU(s) \
	OPT_FLAG("off-cpu", 0, &(s)->change.is_off_cpu, \
		 "show the waits of threads instead of CPU samples; --sort waker shows who woke " \
		 "them")
/* All options that select samples. */
#define SESSION_SAMPLES(s) \
	ARGS_HEADING("samples"), SESSION_CHOICE(s), SESSION_OFF_CPU(s), SESSION_LEAVES(s)
#define SESSION_JSON(s) \
	OPT_FLAG("json", 0, &(s)->to.is_json, "print one JSON object (assay help output)")
#define SESSION_CSV(s) OPT_FLAG("csv", 0, &(s)->to.is_csv, "print the main table as CSV")
/* clang-format on */

/* Set defaults. Release with session_finish(). */
void session_init(struct session *s);
/*
 * Parse @argv, and add operands to the inputs. Handles -h, --list-opts and usage errors. False: the
 * command is finished, with @ret_status.
 */
bool session_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		   int *ret_status);
/*
 * Print the help of @spec, or its options as a list or a table, on standard output. Returns the
 * exit status.
 */
int session_print(const struct args_spec *spec, enum args_outcome outcome);
/*
 * Read all inputs, in a confined process (cmds/run/confine.h). Inputs that cannot be read are
 * reported on stderr. False: the command is finished, with @ret_status, because of a usage error or
 * because this is the parent.
 */
bool session_load(struct session *s, const struct args_spec *spec, int *ret_status);
/*
 * session_load() in two parts, for a program that confines its reading process itself, without
 * session_confine(). session_check() checks the inputs before confinement. False: a usage error; a
 * message was printed. session_read() reads the inputs. False: the command is finished, with
 * @ret_status.
 */
bool session_check(struct session *s, const struct args_spec *spec);
bool session_read(struct session *s, int *ret_status);
/* Read the data that findings need, as in `explain`. Options may change this later. */
void session_for_findings(struct session *s);
/*
 * Read the data that listings of instructions need, as in `annotate`. @functions: patterns of the
 * functions to list, borrowed; none: the hot functions. @has_rows: also read the instruction of
 * each sample, which filters need.
 */
void session_for_instructions(struct session *s, const struct str *functions, size_t n,
			      bool has_rows);
/*
 * Read @bytes as an input with the name @name. Uses the options in s->in and s->change, but does
 * not read the inputs of the command line. Failures are reported. @bytes must outlive the session.
 */
void session_load_bytes(struct session *s, struct str bytes, const char *name);
/*
 * The waits of threads in the input that contains @c. If there are none, the member is_done is
 * false. Cost: O(captures).
 */
const struct off_cpu *session_waits_of(const struct session *s, const struct capture *c);
/*
 * For cmds/run/confine.c. session_open_output() opens the file of -o. Without -o, it checks that
 * standard output is not an input. session_place() puts a complete file in place, and opens it for
 * --open; it removes an incomplete file. It reports failures and, if standard error is a terminal,
 * the new file.
 */
int session_open_output(struct session *s);
int session_place(struct session *s, bool is_complete);
bool session_wants_pager(const struct session *s);
/* Open the output and return it. NULL: it could not be opened; a message was printed. */
struct out *session_open(struct session *s);
/*
 * Return a view that writes the output as text, JSON or CSV, as requested. Owner: caller,
 * view_free().
 */
struct view *session_view(struct session *s);
/*
 * Release the session. If @status is EXIT_DONE, put the file of -o in place. Returns the exit
 * status. It is EXIT_USAGE if the file of -o must not be overwritten, and EXIT_FAILED if the output
 * failed. It is also EXIT_FAILED if @status is EXIT_DONE, but an input is unreadable or truncated.
 * Otherwise it is @status.
 */
int session_finish(struct session *s, int status);

/* Show "reading a.data" as progress until progress_end(). @doing is the verb. @path is escaped. */
void session_progress(struct session *s, const char *doing, const char *path);
/* Print "assay: WHAT: SENTENCE" on stderr; @what may be NULL. Names are escaped. */
void complain(const char *what, const char *fmt, ...) PRINTF(2, 3);

#endif
