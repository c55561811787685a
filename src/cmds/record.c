/* SPDX-License-Identifier: MIT */
/*
 * record.c - `assay record`: sample a command, processes or the machine into a perf.data file,
 * then print its front page
 */
#include "record/window/when.h"

#include "base/alloc.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/record/record_graph.h"
#include "cmds/record/record_host.h"
#include "cmds/record/record_repeat.h"
#include "cmds/record/record_runtime.h"
#include "cmds/record/record_words.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "record/graph/ftrace.h"
#include "record/perf/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

DECLARE_CMD(record);

#define RECORD_OUTPUT  "perf.data"
#define RECORD_GRAPH   "trace.dat" /* default output file of --graph */
#define RECORD_TICK_NS UINT64_C(250000000)

#define RECORD_DEFAULTS                                                                   \
	{                                                                                 \
		.level = 1, .has_map_ids = true, .has_report = true, .has_runtime = true, \
	}

struct record_options {
	struct args_list pids, tids, events;
	struct args_list cgroups, units, containers;
	struct record_graph graph;
	bool is_system_wide;
	const char *cpus;
	uint64_t frequency;
	uint64_t period;
	const char *chains;
	bool has_chains; /* option -g, record call chains; this is the default */
	const char *output;
	bool is_forced;
	const char *duration;
	const char *max_size;
	const char *ring_size;
	const char *ring;
	struct args_list conditions;
	uint64_t ring_files;
	bool is_compressed;
	uint64_t level;
	bool has_no_inherit;
	bool has_namespaces;
	bool has_cgroups;
	bool has_off_cpu;
	bool has_map_ids;
	bool has_only_user;
	bool has_only_kernel;
	bool has_report;
	bool has_runtime;
	bool is_dry;
	bool is_quiet;
	bool has_progress;
	uint64_t repeat;
	const char *host, *host_program, *ssh;
	/*
	 * If `assay record --host` started this command on another machine: name of the output file
	 * on the user's machine. NULL: the user started this command.
	 */
	const char *remote;
};

static int record_usage(struct error *err)
{
	complain(NULL, "%s; try 'assay record --help'", err->msg);
	return EXIT_USAGE;
}

int record_ids(const struct args_list *lists, const char *what, struct record_spec *spec,
	       bool are_threads, struct error *err)
{
	VEC_FOREACH (text, &lists->items) {
		struct str list = str_of(*text);

		while (list.len) {
			uint64_t id;

			if (!str_u64(&list, &id) || id == 0 || id > INT32_MAX ||
			    (list.len && !str_take(&list, STR(","))))
				return fail(err, ERR_USAGE, "%s takes numbers, not '%s'", what,
					    *text);
			if (are_threads)
				*VEC_PUSH(&spec->tids) = (uint32_t)id;
			else
				*VEC_PUSH(&spec->pids) = (uint32_t)id;
		}
	}
	return OK;
}

static int record_time(const char *text, uint64_t *ret_ns, struct error *err)
{
	return text ? args_time(str_of(text), ret_ns, err) : OK;
}

static int record_size(const char *text, uint64_t *ret, struct error *err)
{
	return text ? args_size(str_of(text), ret, err) : OK;
}

/*
 * Parse ",BYTES", the number of bytes of the stack to copy with each sample. An empty @s changes
 * nothing.
 */
static bool record_stack_bytes(struct str s, struct record_spec *spec)
{
	uint64_t bytes;

	if (s.len == 0)
		return true;
	if (!str_take(&s, STR(",")) || !str_u64(&s, &bytes) || s.len || bytes > UINT32_MAX - 8)
		return false;
	spec->stack_bytes = (uint32_t)(bytes + 7) / 8 * 8;
	return true;
}

int record_chain(const char *text, struct record_spec *spec, struct error *err)
{
	static const struct {
		const char *name;
		enum record_chains chains;
		bool has_stack;
	} words[] = { { "unwind", RECORD_UNWOUND, true },  { "fp", RECORD_FRAME_POINTERS, false },
		      { "dwarf", RECORD_DWARF, true },     { "lbr", RECORD_BRANCHES, false },
		      { "none", RECORD_NO_CHAINS, false }, { "no", RECORD_NO_CHAINS, false } };

	for (size_t i = 0; text && i < ARRAY_LEN(words); i++) {
		struct str s = str_of(text);

		if (!str_take(&s, str_of(words[i].name)) ||
		    (s.len && !(words[i].has_stack && record_stack_bytes(s, spec))))
			continue;
		spec->chains = words[i].chains;
		return OK;
	}
	return text ? fail(err, ERR_USAGE,
			   "--call-graph takes unwind[,BYTES], fp, dwarf[,BYTES], lbr or no, not "
			   "'%s'",
			   text)
		    : OK;
}

static void record_groups(const struct args_list *names, enum record_group_kind kind,
			  struct record_spec *spec)
{
	VEC_FOREACH (name, &names->items)
		*VEC_PUSH(&spec->groups) = (struct record_group){ kind, *name };
	spec->is_system_wide |= spec->groups.len != 0;
}

static int record_target(const struct record_options *o, struct record_spec *spec,
			 struct error *err)
{
	int n;
	int status = record_ids(&o->pids, "--pid", spec, false, err);

	if (status == OK)
		status = record_ids(&o->tids, "--tid", spec, true, err);
	if (status < 0)
		return status;
	spec->is_system_wide = o->is_system_wide;
	record_groups(&o->cgroups, RECORD_GROUP_PATH, spec);
	record_groups(&o->units, RECORD_GROUP_UNIT, spec);
	record_groups(&o->containers, RECORD_GROUP_CONTAINER, spec);
	if (spec->groups.len && o->graph.functions.items.len)
		return fail(err, ERR_USAGE,
			    "--graph traces processes (-p), not control groups, units or "
			    "containers");
	n = (spec->argv != NULL) + (spec->pids.len || spec->tids.len) + spec->is_system_wide;
	if (n == 0)
		return fail(err, ERR_USAGE,
			    "nothing to record; name a command (-- CMD), a process (-p PID), or "
			    "everything (-a --for 10s)");
	if (spec->argv && n > 1)
		return fail(err, ERR_USAGE,
			    "a command and -a, -p or --cgroup exclude each other; '%s' would be "
			    "started",
			    spec->argv[0]);
	if (n > 1)
		return fail(err, ERR_USAGE, "-a or --cgroup and -p exclude each other");
	return OK;
}

/* Parse the options --when and --ring. The value of --ring is a time or a size. */
static int record_keep(const struct record_options *o, struct record_spec *spec, struct error *err)
{
	if (!o->ring && (o->conditions.items.len || o->ring_files))
		return fail(err, ERR_USAGE,
			    "--when and --ring-files need --ring, which keeps the last seconds");
	if (!o->ring)
		return OK;
	if (args_time(str_of(o->ring), &spec->keep_ns, err) < 0 &&
	    args_size(str_of(o->ring), &spec->keep_bytes, err) < 0)
		return fail(err, ERR_USAGE,
			    "--ring takes a time or a size, for example 10s or 64M, not '%s'",
			    o->ring);
	if (o->max_size || o->graph.functions.items.len)
		return fail(err, ERR_USAGE, "--ring excludes --max-size and --graph");
	VEC_FOREACH (text, &o->conditions.items) {
		struct when w;

		if (when_parse(str_of(*text), &w, err) < 0)
			return ERR_USAGE;
		when_fini(&w);
		*VEC_PUSH(&spec->conditions) = *text;
	}
	spec->max_files = o->ring_files > UINT32_MAX ? UINT32_MAX : (uint32_t)o->ring_files;
	return OK;
}

static int record_fill(const struct record_options *o, struct record_spec *spec, struct error *err)
{
	int status = record_target(o, spec, err);

	if (status == OK)
		status = record_time(o->duration, &spec->duration_ns, err);
	if (status == OK)
		status = record_size(o->max_size, &spec->max_bytes, err);
	if (status == OK)
		status = record_size(o->ring_size, &spec->ring_bytes, err);
	if (status == OK)
		status = record_keep(o, spec, err);
	if (status == OK)
		status = record_chain(o->chains, spec, err);
	if (status < 0)
		return status;
	if (o->has_only_user && o->has_only_kernel)
		return fail(err, ERR_USAGE,
			    "--all-user and --all-kernel exclude each other: nothing is left");
	if (o->frequency && o->period)
		return fail(err, ERR_USAGE, "-F and -c exclude each other");
	VEC_FOREACH (text, &o->events.items)
		*VEC_PUSH(&spec->events) = *text;
	if (!o->chains)
		spec->chains = RECORD_UNWOUND;
	spec->is_forced = o->is_forced;
	spec->cpus = o->cpus;
	spec->frequency = o->frequency;
	spec->period = o->period;
	spec->has_no_kernel = o->has_only_user;
	spec->has_no_user = o->has_only_kernel;
	spec->has_no_inherit = o->has_no_inherit;
	spec->has_namespaces = o->has_namespaces;
	spec->has_cgroups = o->has_cgroups;
	spec->has_off_cpu = o->has_off_cpu;
	spec->has_no_map_ids = !o->has_map_ids;
	spec->zstd_level = o->is_compressed ? (uint32_t)o->level : 0;
	spec->shown = o->remote;
	spec->output = o->output                      ? o->output
		       : o->graph.functions.items.len ? RECORD_GRAPH
						      : RECORD_OUTPUT;
	return OK;
}

/* Format a number of bytes in @text: "4.1 MB". Returns @text. */
static const char *record_bytes(uint64_t bytes, char text[24])
{
	if (bytes < 10000)
		(void)snprintf(text, 24, "%" PRIu64 " bytes", bytes);
	else if (bytes < 10000000)
		(void)snprintf(text, 24, "%.1f kB", (double)bytes / 1e3);
	else
		(void)snprintf(text, 24, "%.1f MB", (double)bytes / 1e6);
	return text;
}

static void record_tick(void *arg, const struct record_counts *c)
{
	const struct record_spec *spec = arg;
	bool is_kept = spec->keep_ns || spec->keep_bytes;
	char size[24];

	(void)fprintf(stderr,
		      "\r\033[Krecording: %.0f s, %" PRIu64 " samples (%.0f/s), %" PRIu64
		      " lost, %s%s; Ctrl-C ends it\r",
		      (double)c->elapsed_ns / 1e9, c->samples,
		      c->elapsed_ns ? (double)c->samples * 1e9 / (double)c->elapsed_ns : 0.0,
		      c->lost, record_bytes(c->bytes, size), is_kept ? " kept" : "");
	(void)fflush(stderr);
}

/* Report that a file of --ring was written; recording continues. */
static void record_written(void *arg, const struct record_file *f)
{
	const char *clear = arg;
	char size[24];

	(void)fputs(clear, stderr);
	if (!f->path)
		complain(NULL, "%s", f->why);
	else
		complain(NULL, "%s: %" PRIu64 " samples of the last %.3f s, %s: %s", f->path,
			 f->counts.samples, (double)f->counts.elapsed_ns / 1e9,
			 record_bytes(f->counts.bytes, size), f->why);
}

static const char *record_why(const struct record_result *r)
{
	switch (r->end) {
	case RECORD_SIGNALLED:
		return "stopped by a signal";
	case RECORD_TIME_OVER:
		return "time is over";
	case RECORD_SIZE_OVER:
		return "--max-size is reached";
	case RECORD_DISK_FULL:
		return "the file could not be written any further";
	default:
		return NULL;
	}
}

/* Texts for the report at the end of a recording. */
struct record_words {
	const char *what; /* noun for the records of the recording: "samples" */
	/* words at the end of a sentence about lost records, which say how to avoid losses */
	const char *advice;
	const char *none; /* sentence to print if nothing was recorded; NULL: print none */
};

static void record_report_notes(const struct record_result *r)
{
	const char *why = record_why(r);

	VEC_FOREACH (note, &r->notes)
		complain(NULL, "%s", *note);
	if (why)
		complain(NULL, "%s", why);
}

static void record_report(const struct record_spec *spec, const struct record_result *r,
			  const struct record_words *words, const char *of)
{
	const struct record_counts *c = &r->counts;
	char size[24];

	record_report_notes(r);
	if (c->lost)
		complain(NULL,
			 "%" PRIu64 " %s were lost, %.2f %% of all: buffers were full; larger ones "
			 "%s keep them",
			 c->lost, words->what,
			 100.0 * (double)c->lost / (double)(c->lost + c->samples), words->advice);
	if (!c->samples && words->none)
		complain(NULL, "%s", words->none);
	complain(NULL, "%s: %" PRIu64 " %s%s in %.3f s, %s",
		 spec->shown ? spec->shown : spec->output, c->samples, words->what, of,
		 (double)c->elapsed_ns / 1e9, record_bytes(c->bytes, size));
}

/* Report how functions of an interpreter or virtual machine got names, or why they have none. */
static void record_report_runtime(const struct record_spec *spec, const struct record_result *r)
{
	const struct record_runtime *rt = record_runtime_of(spec->argv);
	const char *hint = record_runtime_hint(rt, spec->argv, r->pid);

	if (rt && spec->setting && !hint)
		complain(NULL, "%s functions have names by %s (--no-runtime: not set)",
			 record_runtime_language(rt), spec->setting);
	if (hint)
		complain(NULL, "%s", hint);
}

static void record_report_samples(const struct record_spec *spec, const struct record_result *r)
{
	static const struct record_words words = { "samples",
						   "(--buffer 16M) or fewer samples (-F)", NULL };
	char hint[RECORD_HINT_BYTES];
	char of[320];
	char often[32] = "";
	char others[40] = "";
	unsigned int n = 0;

	VEC_FOREACH (name, &r->events)
		n += strcmp(*name, "dummy:u") != 0;
	if (n > 1)
		(void)snprintf(others, sizeof(others), " and of %u other event%s", n - 1,
			       n == 2 ? "" : "s");
	if (r->frequency)
		(void)snprintf(often, sizeof(often), " at %" PRIu64 " Hz", r->frequency);
	(void)snprintf(of, sizeof(of), " of %s%s%s", r->events.len ? r->events.data[0] : "", often,
		       others);
	record_report(spec, r, &words, of);
	if (record_hint(spec, r, record_rate_limit(), hint))
		complain(NULL, "%s", hint);
	if (spec->argv)
		record_report_runtime(spec, r);
}

/*
 * The environment variable that the command's runtime needs, as "NAME=VALUE"; NULL: none. Owner:
 * caller, free().
 */
static char *record_setting(const struct record_options *o, const struct record_spec *spec)
{
	return o->has_runtime && o->graph.functions.items.len == 0
		       ? record_runtime_setting(record_runtime_of(spec->argv))
		       : NULL;
}

/* Execute --dry-run: print how the recording would be made. */
static int record_plan(const struct record_options *o, const struct record_spec *spec)
{
	static const char *const chains[] = {
		[RECORD_FRAME_POINTERS] = "by frame pointers",
		[RECORD_UNWOUND] = "unwound while recording, from a copy of the stack",
		[RECORD_DWARF] = "copies of the stack, for readers to unwind",
		[RECORD_BRANCHES] = "by branch records of the processor (LBR)",
		[RECORD_NO_CHAINS] = "none",
	};
	CLEANUP(freep) char *setting = record_setting(o, spec);

	if (spec->argv)
		(void)printf("Command      %s\n", spec->argv[0]);
	(void)printf("Environment  %s\n", setting ? setting : "not changed");
	(void)printf("Call chains  %s\n", chains[spec->chains]);
	(void)printf("Output       %s\n", spec->output);
	return EXIT_DONE;
}

/* Print the front page for the recording @path. Returns the exit status. */
static int record_show(const char *path, bool is_off_cpu)
{
	char off_cpu[] = "--off-cpu";
	char name[] = "assay";
	char dashes[] = "--";
	char *copy = xmemdupz(path, strlen(path));
	char *argv[] = { name, is_off_cpu ? off_cpu : dashes, is_off_cpu ? dashes : copy,
			 is_off_cpu ? copy : NULL, NULL };
	int status = front_run(is_off_cpu ? 4 : 3, argv);

	free(copy);
	return status;
}

static void record_graph_tick(void *arg, const struct record_counts *c)
{
	char size[24];

	(void)arg;
	(void)fprintf(stderr, "\r\033[Krecording: %.0f s, %s; Ctrl-C ends it\r",
		      (double)c->elapsed_ns / 1e9, record_bytes(c->bytes, size));
	(void)fflush(stderr);
}

static void record_report_calls(const struct record_spec *spec, const struct record_result *r)
{
	static const struct record_words words = {
		"records", "(--buffer 64M), fewer functions or --depth",
		"nothing was called: none of the functions ran during the recording"
	};

	record_report(spec, r, &words, "");
}

static int record_start(const struct record_options *o, struct record_spec *spec,
			struct record_result *result, struct error *err)
{
	struct ftrace_options graph;
	int status;

	if (o->graph.functions.items.len == 0)
		return record_run(spec, result, err);
	memset(result, 0, sizeof(*result));
	if (o->events.items.len || o->frequency || o->period || o->chains)
		return fail(err, ERR_USAGE,
			    "--graph traces calls and excludes the sampling options -e, -F, -c and "
			    "--call-graph");
	status = record_graph_options(&o->graph, &graph, err);
	if (status == OK)
		status = ftrace_record(spec, &graph, result, err);
	record_graph_fini(&graph);
	return status;
}

static bool record_shows_progress(const struct record_options *o, const struct record_spec *spec)
{
	return isatty(STDERR_FILENO) && !o->is_quiet &&
	       (o->has_progress || !spec->argv || !isatty(STDOUT_FILENO));
}

static int record_do(const struct record_options *o, struct record_spec *spec)
{
	static const char clear[] = "\r\033[K";
	static const char none[] = "";
	CLEANUP(freep) char *setting = record_setting(o, spec);
	struct record_result result;
	struct error err = { "" };
	bool is_shown =
		o->remote ? o->has_progress && !o->is_quiet : record_shows_progress(o, spec);
	int status;

	if (is_shown) {
		spec->tick = o->graph.functions.items.len ? record_graph_tick : record_tick;
		spec->tick_arg = spec;
		spec->tick_ns = RECORD_TICK_NS;
	}
	spec->is_last = o->graph.functions.items.len == 0 && (o->is_quiet || !o->has_report);
	if (!o->is_quiet) {
		spec->written = record_written;
		spec->written_arg = (void *)(uintptr_t)(is_shown ? clear : none);
	}
	spec->setting = setting;
	status = record_start(o, spec, &result, &err);
	if (is_shown)
		(void)fputs(clear, stderr);
	if (status < 0) {
		complain(NULL, "%s", err.msg);
		/* if the command could not be started, return 126 or 127, as a shell does */
		status = status == ERR_NOTFOUND && result.has_status && result.status >= 126
				 ? result.status
			 : status == ERR_USAGE ? EXIT_USAGE
					       : EXIT_FAILED;
	} else {
		if (!o->is_quiet && o->graph.functions.items.len)
			record_report_calls(spec, &result);
		else if (!o->is_quiet)
			record_report_samples(spec, &result);
		else if (result.end == RECORD_DISK_FULL)
			record_report_notes(&result);
		status = result.end == RECORD_DISK_FULL ? EXIT_FAILED : EXIT_DONE;
		/*
		 * if the output is a pipe, do not print the front page: the recording cannot be
		 * read again from the pipe, and the reader of the pipe would get the page after the
		 * recording
		 */
		if (o->has_report && !o->is_quiet && result.counts.samples && !result.is_straight)
			status |= record_show(spec->output, spec->has_off_cpu);
		if (result.has_status && result.end == RECORD_ENDED)
			status = result.status;
	}
	record_result_fini(&result);
	spec->setting = NULL;
	return status;
}

/* Execute --repeat. Report only the comparison of the runs, not single runs. */
static int record_several(struct record_options *o, struct record_spec *spec)
{
	struct record_repeat repeat = { .n = o->repeat, .record = record_do, .options = o };
	struct error err = { "" };

	if (o->repeat > RECORD_REPEAT_MAX || !spec->argv || o->graph.functions.items.len ||
	    o->ring) {
		(void)fail(&err, ERR_USAGE,
			   "--repeat records a command 1 to %u times, without --graph and --ring",
			   RECORD_REPEAT_MAX);
		return record_usage(&err);
	}
	o->is_quiet = true;
	o->has_report = false;
	return record_repeat(&repeat, spec);
}

/*
 * Check that a recording with the options @o works on another machine. Errors: ERR_USAGE, with the
 * reason.
 */
static int record_check_host(const struct record_options *o, const struct record_spec *spec,
			     struct error *err)
{
	if (o->graph.functions.items.len || o->ring || o->repeat || o->is_dry)
		return fail(err, ERR_USAGE,
			    "--host excludes --graph, --ring, --when, --repeat and --dry-run");
	if (spec->chains == RECORD_DWARF)
		return fail(err, ERR_USAGE,
			    "--host excludes --call-graph dwarf: only the other machine has the "
			    "programs to unwind its stacks; use --call-graph unwind");
	return OK;
}

/* Execute --host. @options: the option table of the command, whose values are in @o. */
static int record_there(const struct record_options *o, const struct record_spec *spec,
			const struct args_option *options)
{
	static const char progress[] = "--progress", dashes[] = "--", remote[] = "--remote=";
	struct record_options fresh = RECORD_DEFAULTS;
	struct record_host_words w = { .words = VEC_INIT };
	struct record_host host = {
		.host = o->host,
		.program = o->host_program,
		.ssh = o->ssh,
		.output = spec->output,
		.is_forced = o->is_forced,
		.is_quiet = o->is_quiet,
	};
	struct record_host_result result;
	struct error err = { "" };
	struct out name;

	if (record_check_host(o, spec, &err) < 0)
		return record_usage(&err);
	for (; options->name; options++) {
		if (options->target)
			record_host_words_option(
				&w, options,
				(const char *)&fresh +
					((const char *)options->target - (const char *)o));
	}
	out_init(&name);
	out_printf(&name, "%s%s", remote, spec->output);
	*VEC_PUSH(&w.words) = xmemdupz(name.data, name.len);
	out_fini(&name);
	if (record_shows_progress(o, spec))
		*VEC_PUSH(&w.words) = xmemdupz(progress, strlen(progress));
	*VEC_PUSH(&w.words) = xmemdupz(dashes, strlen(dashes));
	for (char *const *word = spec->argv; word && *word; word++)
		*VEC_PUSH(&w.words) = xmemdupz(*word, strlen(*word));
	*VEC_PUSH(&w.words) = NULL;
	host.words = w.words.data;
	record_host(&host, &result);
	record_host_words_fini(&w);
	if (result.has_file && o->has_report && !o->is_quiet && !result.is_straight)
		result.status |= record_show(spec->output, spec->has_off_cpu);
	return result.status;
}

static int record_command(int argc, char **argv)
{
	struct record_options o = RECORD_DEFAULTS;
	struct args_option options[] = {
		ARGS_HEADING("target"),
		OPT_FLAG("all-cpus", 'a', &o.is_system_wide, "all processes"),
		OPT(LIST, "pid", 'p', "PIDS", &o.pids, "these processes with all threads"),
		OPT(LIST, "tid", 't', "TIDS", &o.tids, "these threads"),
		OPT(LIST, "cgroup", 0, "PATH|NAME", &o.cgroups,
		    "only this control group and those below it"),
		OPT(LIST, "unit", 0, "NAME", &o.units, "only this systemd unit"),
		OPT(LIST, "container", 0, "ID|NAME", &o.containers,
		    "only this container of docker, podman, containerd or CRI-O"),
		OPT(TEXT, "cpu", 'C', "CPUS", &o.cpus, "only on these CPUs: 0,2-4"),
		OPT(TEXT, "host", 0, "USER@HOST", &o.host,
		    "record on that machine, by ssh; names of functions come with the recording"),
		OPT_DEFAULT(TEXT, "host-program", 0, "FILE", "the assay there, else this one",
			    &o.host_program, "copy this static assay to that machine"),
		OPT_DEFAULT(TEXT, "ssh", 0, "COMMAND", "$ASSAY_SSH, else ssh", &o.ssh,
			    "connect with this command"),
		OPT(TEXT, "remote", 0, "NAME", &o.remote, NULL),
		OPT(TEXT, "for", 0, "TIME", &o.duration, "stop after TIME: 10s, 2m"),
		OPT(COUNT, "repeat", 0, "N", &o.repeat,
		    "run the command N times; with A --vs B, alternate both and compare them like "
		    "assay diff"),
		OPT_FLAG("no-inherit", 'i', &o.has_no_inherit, "do not follow child processes"),
		OPT_FLAG("all-user", 0, &o.has_only_user, "user space only"),
		OPT_FLAG("all-kernel", 0, &o.has_only_kernel, "kernel only"),
		ARGS_HEADING("sampling"),
		OPT_DEFAULT(LIST, "event", 'e', "EVENTS", "cycles, else cpu-clock", &o.events,
			    "events as in perf: names, tracepoints, rNNN"),
		OPT_DEFAULT(COUNT, "freq", 'F', "HZ", "997; less with -a on many CPUs",
			    &o.frequency, "samples per second and CPU"),
		OPT(COUNT, "count", 'c', "N", &o.period, "one sample every N events"),
		OPT_DEFAULT(TEXT, "call-graph", 0, "unwind|fp|dwarf[,BYTES]|lbr|no", "unwind",
			    &o.chains,
			    "call chains: unwound while recording, by frame pointers, from stack "
			    "dumps when the file is read, or from branch records"),
		OPT_FLAG("g", 'g', &o.has_chains, NULL),
		OPT_FLAG("namespaces", 0, &o.has_namespaces, "record namespaces of processes"),
		OPT_FLAG("all-cgroups", 0, &o.has_cgroups, "record the cgroup of each sample"),
		OPT_FLAG("buildid-mmap", 0, &o.has_map_ids,
			 "build ids in mmap records (--no-buildid-mmap: in the header, for perf "
			 "before 5.12)"),
		OPT_FLAG("off-cpu", 0, &o.has_off_cpu,
			 "also record waits: how long threads wait, where, and who wakes them"),
		OPT_FLAG("wall", 0, &o.has_off_cpu,
			 "the same as --off-cpu: all wall-clock time, running and waiting"),
		ARGS_HEADING("tracing instead of sampling"),
		OPT(LIST, "graph", 0, "FUNCTIONS", &o.graph.functions,
		    "trace calls of these kernel functions and their callees into a trace.dat"),
		OPT(LIST, "graph-only", 0, "FUNCTIONS", &o.graph.only, "trace only these callees"),
		OPT(COUNT, "depth", 0, "N", &o.graph.depth, "trace N levels of callees"),
		OPT(COUNT, "threshold", 0, "US", &o.graph.threshold,
		    "only calls longer than US microseconds"),
		OPT_DEFAULT(CHOICE, "graph-by", 0, RECORD_GRAPH_BY,
			    "tracefs; bpf if tracefs has no graph tracer", &o.graph.by, "tracer"),
		ARGS_HEADING("output file"),
		OPT_DEFAULT(TEXT, "output", 'o', "FILE", "perf.data, trace.dat", &o.output,
			    "write to FILE; an older file becomes FILE.old"),
		OPT_FLAG("force", 'f', &o.is_forced,
			 "replace the file of -o, even if it is no recording"),
		OPT_FLAG("compress", 'z', &o.is_compressed, "compress with zstd"),
		OPT_DEFAULT(COUNT, "compression-level", 0, "N", "1", &o.level, "level of zstd"),
		OPT(TEXT, "max-size", 0, "SIZE", &o.max_size,
		    "stop when the file has this size: 64M"),
		OPT(TEXT, "ring", 0, "TIME|SIZE", &o.ring,
		    "keep only the last TIME or SIZE, in memory; write it at the end and on "
		    "SIGUSR2"),
		OPT(LIST, "when", 0, "CONDITION", &o.conditions,
		    "also write it when CONDITION becomes true: 'cpu>90% for 2s', "
		    "'psi:io:some>20%'"),
		OPT_DEFAULT(COUNT, "ring-files", 0, "N", "100", &o.ring_files,
			    "write at most N files before the end"),
		OPT_DEFAULT(TEXT, "buffer", 0, "SIZE", "by rate", &o.ring_size,
			    "buffer of each CPU"),
		OPT_FLAG("runtime", 0, &o.has_runtime,
			 "set variables that make Python, Node and Java export function names "
			 "(--no-runtime: do not)"),
		OPT_FLAG("dry-run", 0, &o.is_dry,
			 "print the settings of the recording, do not record"),
		ARGS_HEADING("result"),
		OPT_FLAG("report", 0, &o.has_report,
			 "show the findings afterwards (--no-report: only record)"),
		OPT_FLAG("quiet", 'q', &o.is_quiet, "print nothing"),
		OPT_FLAG("progress", 0, &o.has_progress,
			 "show progress, even if the command writes to the same terminal"),
		ARGS_END,
	};
	struct args_spec args = {
		.command = "assay record",
		.operands = "[--] CMD... [--vs CMD...] | -p PID | -a",
		.summary = "Record a command, processes or the whole machine into a perf.data "
			   "file, then show what is wrong.",
		.options = options,
		.has_command = true,
		.tail = "The exit status is that of the command.\n\nexamples:\n  assay record -- "
			"./program              run and explain a program\n  assay record -a "
			"--for 10s              the whole machine\n  assay record --wall -p 4711 "
			"--for 30s  waits of a process",
	};
	struct record_spec spec = { .argv = NULL };
	char name[] = "assay";
	VEC(char *) line = VEC_INIT;
	struct error err = { "" };
	int first = 0;
	int status;

	*VEC_PUSH(&line) = name;
	for (int i = 0; i <= argc; i++)
		*VEC_PUSH(&line) = argv[i];
	spec.command_line = line.data;
	status = args_parse(&args, argc, argv, &first, &err);
	if (status < 0) {
		status = record_usage(&err);
	} else if (status != ARGS_RUN) {
		status = session_print(&args, (enum args_outcome)status);
	} else {
		spec.argv = first < argc ? argv + first : NULL;
		status = record_fill(&o, &spec, &err) < 0 ? record_usage(&err)
			 : o.host                         ? record_there(&o, &spec, options)
			 : o.is_dry                       ? record_plan(&o, &spec)
			 : o.repeat                       ? record_several(&o, &spec)
							  : record_do(&o, &spec);
	}
	VEC_FREE(&line);
	VEC_FREE(&o.pids.items);
	VEC_FREE(&o.tids.items);
	VEC_FREE(&o.events.items);
	VEC_FREE(&o.cgroups.items);
	VEC_FREE(&o.units.items);
	VEC_FREE(&o.containers.items);
	VEC_FREE(&o.graph.functions.items);
	VEC_FREE(&o.graph.only.items);
	VEC_FREE(&o.conditions.items);
	VEC_FREE(&spec.pids);
	VEC_FREE(&spec.tids);
	VEC_FREE(&spec.events);
	VEC_FREE(&spec.groups);
	VEC_FREE(&spec.conditions);
	return status;
}

const struct cmd cmd_record = { "record", "record a command or the machine, and show what is wrong",
				record_command };
