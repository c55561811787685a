/* SPDX-License-Identifier: MIT */
/* top.c - `assay top`: current profile, updated periodically */
#include "cmds/top.h"

#include "base/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/record_words.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "record/perf/record.h"
#include "transform/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

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
	const char *duration; /* an option of record; undeclared, it would abbreviate --force */
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
		return fail(err, ERR_USAGE, "-d: not more often than every 50ms");
	if (o->window_ns > TOP_WINDOW_MAX)
		return fail(err, ERR_USAGE, "--window: an hour at most");
	/* a window holds several updates; an update longer than the window extends it */
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
	if (status < 0)
		return status;
	if (a->has_only_user && a->has_only_kernel)
		return fail(err, ERR_USAGE,
			    "--all-user and --all-kernel exclude each other: nothing is left");
	VEC_FOREACH (text, &a->events.items)
		*VEC_PUSH(&spec->events) = *text;
	if (spec->events.len > 1)
		return fail(err, ERR_USAGE, "-e: one event at a time");
	spec->frequency = a->frequency;
	spec->has_no_kernel = a->has_only_user;
	spec->has_no_user = a->has_only_kernel;
	spec->has_no_inherit = a->has_no_inherit;
	o->frames = a->is_once ? 1 : a->frames;
	o->is_batch = o->frames || a->session.is_json || !isatty(STDOUT_FILENO) ||
		      str_eq(str_of(getenv("TERM")), STR("dumb")) || !getenv("TERM");
	spec->is_argv_mute = !o->is_batch;
	o->output = a->output;
	o->is_forced = a->session.is_forced;
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
		VEC_FOREACH (text, &a->session.chosen[k].items) {
			if (status == OK)
				status = select_parse(&a->session.select, k, str_of(*text), &err);
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
		ARGS_HEADING("what is sampled"),
		{ "all-cpus", 'a', ARGS_FLAG, NULL, "all processes: also without a target", NULL,
		  &a.is_system_wide },
		{ "pid", 'p', ARGS_LIST, "PIDS", "these processes, all their threads", NULL,
		  &a.pids },
		{ "tid", 't', ARGS_LIST, "TIDS", "these threads", NULL, &a.tids },
		{ "cpu", 'C', ARGS_TEXT, "CPUS", "only on these CPUs: 0,2-4", NULL, &a.cpus },
		{ "no-inherit", 'i', ARGS_FLAG, NULL, "not the children of it", NULL,
		  &a.has_no_inherit },
		{ "all-user", 0, ARGS_FLAG, NULL, "nothing of the kernel", NULL, &a.has_only_user },
		{ "all-kernel", 0, ARGS_FLAG, NULL, "only the kernel", NULL, &a.has_only_kernel },
		{ "event", 'e', ARGS_LIST, "EVENT", "as in perf: a name, a tracepoint, rNNN",
		  "cycles, else cpu-clock", &a.events },
		{ "freq", 'F', ARGS_COUNT, "HZ", "samples a second and CPU",
		  "997; less on many CPUs", &a.frequency },
		{ "call-graph", 0, ARGS_TEXT, "fp|dwarf[,BYTES]|no",
		  "call chains, by frame pointers or dumped stacks", "fp", &a.chains },
		{ "g", 'g', ARGS_FLAG, NULL, NULL, NULL, &a.has_chains },
		ARGS_HEADING("what is shown"),
		{ "delay", 'd', ARGS_TEXT, "TIME", "from one update to the next", "2s", &a.delay },
		{ "window", 0, ARGS_TEXT, "TIME", "shares are of the samples of the last TIME",
		  "10s", &a.window },
		{ "memory", 0, ARGS_TEXT, "SIZE",
		  "of these samples, at most; the window is shorter then", "128M", &a.memory },
		{ "comm", 'c', ARGS_LIST, "NAMES", "only these commands; * and ? match", NULL,
		  &s->chosen[SELECT_COMM] },
		{ "comms", 0, ARGS_LIST, NULL, NULL, NULL, &s->chosen[SELECT_COMM] },
		{ "by", 0, ARGS_CHOICE, "symbol|thread|comm|dso|kind", "rows; t changes it",
		  "symbol", &a.group },
		{ "children", 0, ARGS_FLAG, NULL,
		  "sort by shares with those of callees; s changes it", NULL, &a.is_by_children },
		{ "output", 'o', ARGS_TEXT, "FILE",
		  "what w writes; what was there becomes FILE.old", "assay-top-DATE-TIME.data",
		  &a.output },
		{ "force", 'f', ARGS_FLAG, NULL,
		  "replace the file of -o, though it is no recording", NULL, &s->is_forced },
		{ "for", 0, ARGS_TEXT, NULL, NULL, NULL, &a.duration },
		ARGS_HEADING("without a terminal"),
		{ "batch", 'b', ARGS_COUNT, "N", "print N frames and end", NULL, &a.frames },
		{ "once", 0, ARGS_FLAG, NULL, "print one", NULL, &a.is_once },
		{ "rows", 'n', ARGS_COUNT, "N", "of a printed frame; 0: all", "20", &a.rows },
		{ "json", 0, ARGS_FLAG, NULL, "each frame is a JSON object", NULL, &s->is_json },
		ARGS_HEADING("names of addresses"),
		{ "kallsyms", 0, ARGS_TEXT, "FILE", "the kernel's symbols", "/proc/kallsyms",
		  &s->wanted.kallsyms },
		{ "vmlinux", 'k', ARGS_TEXT, "FILE", "the kernel's file with symbols", NULL,
		  &s->wanted.vmlinux },
		ARGS_HEADING("other"),
		{ "color", 0, ARGS_CHOICE, "auto|always|never", "colours", "auto", &s->colour },
		{ "sandbox", 0, ARGS_FLAG, NULL,
		  "read symbols in a process without rights (--no-sandbox: with all)", NULL,
		  &s->has_sandbox },
		ARGS_END,
	};
	const struct args_spec spec = {
		.command = "assay top",
		.operands = "[-- COMMAND [ARG...]]",
		.summary = "Where the time goes now, with findings; ? shows the keys.",
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
	.summary = "where the time goes now: sample, show, again and again",
	.run = top_command,
};
