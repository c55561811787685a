/* SPDX-License-Identifier: MIT */
/* top.c - `assay top`: a live profile, updated periodically */
#include "cmds/top.h"

#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/record/record_words.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "record/perf/record.h"
#include "transform/select.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

DECLARE_CMD(top);

#define TOP_DELAY_NS   UINT64_C(2000000000)
#define TOP_DELAY_MIN  UINT64_C(50000000)
#define TOP_WINDOW_NS  UINT64_C(10000000000)
#define TOP_WINDOW_MAX UINT64_C(3600000000000)
#define TOP_MEMORY     (UINT64_C(128) << 20)
#define TOP_ROWS       20u

struct top_args {
	struct session session;
	struct args_list pids, tids, events;
	bool is_system_wide;
	const char *cpus;
	uint64_t frequency;
	const char *chains;
	bool has_chains;
	bool has_only_user, has_only_kernel, has_no_inherit;
	const char *delay;
	const char *window;
	const char *memory;
	const char *output;
	/*
	 * value of --for, an option of `record` that `top` refuses. Without this entry, --for would
	 * be accepted as an abbreviation of --force.
	 */
	const char *duration;
	uint64_t frames;
	bool is_once;
	uint64_t rows;
	bool is_by_children;
	unsigned int group;
	char target[128];
};

static int top_target(struct top_args *a, int argc, char **argv, int first, struct top_options *o,
		      struct error *err)
{
	struct record_spec *spec = &o->spec;
	int status = record_ids(&a->pids, "--pid", spec, false, err);

	if (status == OK)
		status = record_ids(&a->tids, "--tid", spec, true, err);
	if (status < 0)
		return status;
	if (first < argc)
		spec->argv = argv + first;
	if ((spec->argv != NULL) + (spec->pids.len || spec->tids.len) + a->is_system_wide > 1)
		return fail(err, ERR_USAGE, "a command, -p and -a exclude each other");
	spec->is_system_wide = !spec->argv && !spec->pids.len && !spec->tids.len;
	spec->cpus = a->cpus;
	if (spec->argv)
		(void)snprintf(a->target, sizeof(a->target), "%.100s", spec->argv[0]);
	else if (spec->is_system_wide)
		(void)snprintf(a->target, sizeof(a->target), "all processes");
	else if (spec->pids.len + spec->tids.len == 1)
		(void)snprintf(a->target, sizeof(a->target), "%s %" PRIu32,
			       spec->pids.len ? "process" : "thread",
			       spec->pids.len ? spec->pids.data[0] : spec->tids.data[0]);
	else
		(void)snprintf(a->target, sizeof(a->target), "%zu of them",
			       spec->pids.len + spec->tids.len);
	o->target = a->target;
	return OK;
}

static int top_times(const struct top_args *a, struct top_options *o, struct error *err)
{
	int status = OK;

	o->delay_ns = TOP_DELAY_NS;
	o->window_ns = TOP_WINDOW_NS;
	o->max_bytes = TOP_MEMORY;
	if (a->delay)
		status = args_time(str_of(a->delay), &o->delay_ns, err);
	if (status == OK && a->window)
		status = args_time(str_of(a->window), &o->window_ns, err);
	if (status == OK && a->memory)
		status = args_size(str_of(a->memory), &o->max_bytes, err);
	if (status < 0)
		return status;
	if (o->delay_ns < TOP_DELAY_MIN)
		return fail(err, ERR_USAGE, "-d must be at least 50ms");
	if (o->window_ns > TOP_WINDOW_MAX)
		return fail(err, ERR_USAGE, "--window must be at most 1h");
	/* a window shorter than the time between updates would lose samples between them */
	if (o->window_ns < o->delay_ns)
		o->window_ns = o->delay_ns;
	return OK;
}

static int top_fill(struct top_args *a, struct top_options *o, struct error *err)
{
	struct record_spec *spec = &o->spec;
	int status = top_times(a, o, err);

	if (status == OK)
		status = record_chain(a->chains, spec, err);
	if (status == OK && spec->chains == RECORD_UNWOUND)
		return fail(err, ERR_USAGE, "--call-graph takes fp, dwarf[,BYTES] or no, not '%s'",
			    a->chains);
	if (status < 0)
		return status;
	if (a->has_only_user && a->has_only_kernel)
		return fail(err, ERR_USAGE,
			    "--all-user and --all-kernel exclude each other: nothing is left");
	VEC_FOREACH (text, &a->events.items)
		*VEC_PUSH(&spec->events) = *text;
	if (spec->events.len > 1)
		return fail(err, ERR_USAGE, "-e takes only one event");
	spec->frequency = a->frequency;
	spec->has_no_kernel = a->has_only_user;
	spec->has_no_user = a->has_only_kernel;
	spec->has_no_inherit = a->has_no_inherit;
	o->frames = a->is_once ? 1 : a->frames;
	o->is_batch = o->frames || a->session.to.is_json || !isatty(STDOUT_FILENO) ||
		      str_eq(str_of(getenv("TERM")), STR("dumb")) || !getenv("TERM");
	spec->is_argv_mute = !o->is_batch;
	o->output = a->output;
	o->is_forced = a->session.to.is_forced;
	o->rows = a->rows;
	o->group = a->group;
	o->is_sorted_by_children = a->is_by_children;
	return OK;
}

static int top_options_run(struct top_args *a, int argc, char **argv, int first)
{
	struct top_options o = { .frames = 0 };
	struct error err = { "" };
	int status = OK;

	if (a->duration)
		status = fail(&err, ERR_USAGE,
			      "--for is an option of record; -b N prints N frames and ends");
	if (status == OK)
		status = top_target(a, argc, argv, first, &o, &err);
	if (status == OK)
		status = top_fill(a, &o, &err);
	for (enum select_kind k = 0; k < SELECT_KINDS && status == OK; k++) {
		VEC_FOREACH (text, &a->session.in.chosen[k].items) {
			if (status == OK)
				status = select_parse(&a->session.change.select, k, str_of(*text),
						      &err);
		}
	}
	if (status < 0) {
		complain(NULL, "%s; try 'assay top --help'", err.msg);
		status = EXIT_USAGE;
	} else {
		o.spec.command_line = argv;
		status = top_run(&a->session, &o);
	}
	VEC_FREE(&o.spec.pids);
	VEC_FREE(&o.spec.tids);
	VEC_FREE(&o.spec.events);
	return status;
}

static int top_command(int argc, char **argv)
{
	struct top_args a = { .rows = TOP_ROWS };
	struct session *s = &a.session;
	struct args_option options[] = {
		ARGS_HEADING("target"),
		OPT_FLAG("all-cpus", 'a', &a.is_system_wide, "all processes; the default"),
		OPT(LIST, "pid", 'p', "PIDS", &a.pids, "these processes with all threads"),
		OPT(LIST, "tid", 't', "TIDS", &a.tids, "these threads"),
		OPT(TEXT, "cpu", 'C', "CPUS", &a.cpus, "only on these CPUs: 0,2-4"),
		OPT_FLAG("no-inherit", 'i', &a.has_no_inherit, "do not follow child processes"),
		OPT_FLAG("all-user", 0, &a.has_only_user, "user space only"),
		OPT_FLAG("all-kernel", 0, &a.has_only_kernel, "kernel only"),
		OPT_DEFAULT(LIST, "event", 'e', "EVENT", "cycles, else cpu-clock", &a.events,
			    "event as in perf: a name, a tracepoint, rNNN"),
		OPT_DEFAULT(COUNT, "freq", 'F', "HZ", "997; less on many CPUs", &a.frequency,
			    "samples per second and CPU"),
		OPT_DEFAULT(TEXT, "call-graph", 0, "fp|dwarf[,BYTES]|no", "fp", &a.chains,
			    "call chains by frame pointers or from stack dumps"),
		OPT_FLAG("g", 'g', &a.has_chains, NULL),
		ARGS_HEADING("output"),
		OPT_DEFAULT(TEXT, "delay", 'd', "TIME", "2s", &a.delay, "time between updates"),
		OPT_DEFAULT(TEXT, "window", 0, "TIME", "10s", &a.window,
			    "show the samples of the last TIME"),
		OPT_DEFAULT(TEXT, "memory", 0, "SIZE", "128M", &a.memory,
			    "memory for these samples; less shortens the window"),
		OPT(LIST, "comm", 'c', "NAMES", &s->in.chosen[SELECT_COMM],
		    "only these commands (comm); * and ? match"),
		OPT(LIST, "comms", 0, NULL, &s->in.chosen[SELECT_COMM], NULL),
		OPT_DEFAULT(CHOICE, "by", 0, "symbol|thread|comm|dso|kind", "symbol", &a.group,
			    "rows by; key t changes it"),
		OPT_FLAG("children", 0, &a.is_by_children,
			 "sort by function with callees; key s changes it"),
		OPT_DEFAULT(TEXT, "output", 'o', "FILE", "assay-top-DATE-TIME.data", &a.output,
			    "file written by key w; an older file becomes FILE.old"),
		OPT_FLAG("force", 'f', &s->to.is_forced,
			 "replace the file of -o, even if it is no recording"),
		OPT(TEXT, "for", 0, NULL, &a.duration, NULL),
		ARGS_HEADING("without a terminal"),
		OPT(COUNT, "batch", 'b', "N", &a.frames, "print N updates, then exit"),
		OPT_FLAG("once", 0, &a.is_once, "print one update, then exit"),
		OPT_DEFAULT(COUNT, "rows", 'n', "N", "20", &a.rows, "rows of an update; 0: all"),
		OPT_FLAG("json", 0, &s->to.is_json, "print each update as a JSON object"),
		ARGS_HEADING("symbols"),
		OPT_DEFAULT(TEXT, "kallsyms", 0, "FILE", "/proc/kallsyms", &s->in.wanted.kallsyms,
			    "symbols of the kernel"),
		OPT(TEXT, "vmlinux", 'k', "FILE", &s->in.wanted.vmlinux,
		    "vmlinux of the kernel with symbols"),
		ARGS_HEADING("other options"),
		OPT_DEFAULT(CHOICE, "color", 0, "auto|always|never", "auto", &s->to.colour,
			    "when to use colours"),
		OPT_FLAG("sandbox", 0, &s->in.has_sandbox,
			 "read symbols in a process without rights (--no-sandbox: with the user's "
			 "rights)"),
		ARGS_END,
	};
	const struct args_spec spec = {
		.command = "assay top",
		.operands = "[-- COMMAND [ARG...]]",
		.summary = "Show the hot functions of this machine live, with findings. Key ? "
			   "lists the keys.",
		.options = options,
		.has_command = true,
	};
	struct error err = { "" };
	int status = EXIT_DONE;
	int first = 0;
	int r;

	session_init(s);
	s->words = (const char *const *)argv;
	r = args_parse(&spec, argc, argv, &first, &err);
	if (r < 0) {
		complain(NULL, "%s; try 'assay top --help'", err.msg);
		status = EXIT_USAGE;
	} else if (r != ARGS_RUN) {
		status = session_print(&spec, (enum args_outcome)r);
	} else {
		status = top_options_run(&a, argc, argv, first);
	}
	VEC_FREE(&a.pids.items);
	VEC_FREE(&a.tids.items);
	VEC_FREE(&a.events.items);
	return session_finish(s, status);
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "show the hot functions of this machine, live",
	.run = top_command,
};
