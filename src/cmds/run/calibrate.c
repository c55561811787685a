/* SPDX-License-Identifier: MIT */
#include "cmds/run/calibrate.h"

#include "analyses/tracer/tracer_cost.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define CALIBRATE_BATCHES    60u
#define CALIBRATE_CALLS      500u /* number of system calls in a batch of calibrate_loop() */
#define CALIBRATE_FILE_BYTES (8u << 20)
/*
 * One of so many durations may be too short, because the clock was wrong. So calibrate_shortest()
 * ignores the shortest durations: one of CALIBRATE_SLIPS.
 */
#define CALIBRATE_SLIPS 256u

/*
 * The kernel function that executes getppid() has one of these names, depending on kernel and
 * architecture.
 */
static const char *const calibrate_functions[] = {
	"__do_sys_getppid",    "__x64_sys_getppid", "__arm64_sys_getppid", "__riscv_sys_getppid",
	"__s390x_sys_getppid", "__se_sys_getppid",  "sys_getppid",         "SyS_getppid",
};

struct calibrate {
	const char *root; /* folder where tracefs is mounted */
	char dir[128];    /* folder of the trace instance in use */
	/* `dir` is an instance that this process made; false: `dir` is the main buffer */
	bool is_own;
	const char *function;
	char was_on;
	sigset_t signals;
	cpu_set_t cpus;
	bool has_cpus;
};

static int calibrate_write(const struct calibrate *k, const char *name, const char *text)
{
	char path[192];
	int fd;
	ssize_t n;
	int error;

	snprintf(path, sizeof(path), "%s/%s", k->dir, name);
	fd = newfile_setting(path);
	if (fd < 0)
		return errno;
	n = write(fd, text, strlen(text));
	error = n < 0 ? errno : 0;
	close(fd);
	return error;
}

/* Append the contents of a file to @ret. */
static int calibrate_read(const char *path, struct out *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n = 0;
	int error;

	if (fd < 0)
		return errno;
	while (ret->len < CALIBRATE_FILE_BYTES && (n = files_read(fd, buf, sizeof(buf))) > 0)
		out_str(ret, (struct str){ buf, (size_t)n });
	error = n < 0 ? errno : 0;
	close(fd);
	return error;
}

static bool calibrate_holds(const struct calibrate *k, const char *name, const char *word)
{
	struct out text = { .fd = -1 };
	char path[192];
	bool holds;

	snprintf(path, sizeof(path), "%s/%s", k->dir, name);
	holds = calibrate_read(path, &text) == 0 && str_contains(out_view(&text), str_of(word));
	out_fini(&text);
	return holds;
}

static int calibrate_find(struct calibrate *k, struct error *err)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int first = 0;

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		struct out text = { .fd = -1 };
		char path[128];
		int error;
		bool has_graph;

		snprintf(path, sizeof(path), "%s/available_tracers", roots[i]);
		error = calibrate_read(path, &text);
		has_graph = str_contains(out_view(&text), STR("function_graph"));
		out_fini(&text);
		if (error == 0 && !has_graph)
			return fail(err, ERR_UNSUPPORTED,
				    "this kernel has no function_graph tracer");
		if (error == 0) {
			k->root = roots[i];
			return OK;
		}
		if (first == 0 || first == ENOENT)
			first = error;
	}
	if (first == ENOENT)
		return fail(err, ERR_NOTFOUND,
			    "tracefs is not mounted; try 'mount -t tracefs tracefs "
			    "/sys/kernel/tracing' (containers may forbid it)");
	return fail(err, ERR_PERM, "%s: %s; tracing needs root (CAP_SYS_ADMIN)", roots[0],
		    strerror(first));
}

static bool calibrate_filter(struct calibrate *k)
{
	for (size_t i = 0; i < ARRAY_LEN(calibrate_functions); i++) {
		char line[80];

		/*
		 * end the line with a newline: otherwise the kernel parses the name only when the
		 * file is closed
		 */
		snprintf(line, sizeof(line), "%s\n", calibrate_functions[i]);
		if (calibrate_write(k, "set_ftrace_filter", line) == 0 &&
		    calibrate_holds(k, "set_ftrace_filter", calibrate_functions[i])) {
			k->function = calibrate_functions[i];
			return true;
		}
	}
	return false;
}

/* Whether ftrace is not in use: the main buffer has no tracer, no filter and no depth limit. */
static bool calibrate_is_idle(const struct calibrate *k)
{
	return calibrate_holds(k, "current_tracer", "nop") &&
	       calibrate_holds(k, "set_ftrace_filter", "all functions enabled") &&
	       calibrate_holds(k, "set_graph_function", "all functions enabled") &&
	       calibrate_holds(k, "max_graph_depth", "0");
}

static void calibrate_disarm(struct calibrate *k)
{
	char on[] = { k->was_on, '\0' };

	(void)calibrate_write(k, "tracing_on", "0");
	(void)calibrate_write(k, "current_tracer", "nop");
	(void)calibrate_write(k, "set_ftrace_filter", "");
	(void)calibrate_write(k, "trace", "");
	if (k->is_own)
		(void)rmdir(k->dir);
	else
		(void)calibrate_write(k, "tracing_on", on);
}

/*
 * Turn on the tracer in a new trace instance. If that fails, use the main buffer, because the graph
 * tracer works only there before Linux 6.12. Fail if the main buffer is in use.
 */
static int calibrate_arm(struct calibrate *k, struct error *err)
{
	snprintf(k->dir, sizeof(k->dir), "%s/instances/assay-%ld", k->root, (long)getpid());
	k->is_own = mkdir(k->dir, 0700) == 0;
	k->was_on = '0';
	if (k->is_own) {
		if (calibrate_filter(k) && calibrate_write(k, "tracing_on", "0") == 0 &&
		    calibrate_write(k, "current_tracer", "function_graph") == 0)
			return OK;
		calibrate_disarm(k);
	}
	k->is_own = false;
	snprintf(k->dir, sizeof(k->dir), "%s", k->root);
	if (!calibrate_is_idle(k))
		return fail(err, ERR_PERM,
			    "ftrace is in use: %s/current_tracer, set_ftrace_filter, "
			    "set_graph_function or max_graph_depth is not at its default",
			    k->root);
	k->was_on = calibrate_holds(k, "tracing_on", "1") ? '1' : '0';
	if (!calibrate_filter(k)) {
		calibrate_disarm(k);
		return fail(err, ERR_PERM, "%s/set_ftrace_filter cannot be written", k->root);
	}
	if (calibrate_write(k, "tracing_on", "0") != 0 ||
	    calibrate_write(k, "current_tracer", "function_graph") != 0) {
		calibrate_disarm(k);
		return fail(err, ERR_PERM, "%s/current_tracer cannot be set", k->root);
	}
	return OK;
}

static double calibrate_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Measure the mean duration of a system call in each batch, in ns. */
static void calibrate_loop(double *ret)
{
	for (unsigned int i = 0; i < CALIBRATE_BATCHES; i++) {
		double start = calibrate_now();

		for (unsigned int call = 0; call < CALIBRATE_CALLS; call++)
			(void)syscall(SYS_getppid);
		ret[i] = (calibrate_now() - start) / CALIBRATE_CALLS;
	}
}

static int calibrate_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * The shortest duration in the trace, in ns. Even shorter durations that may be errors of the clock
 * are ignored (CALIBRATE_SLIPS). Negative: the trace has no duration. *@ret_calls: number of all
 * durations.
 */
static double calibrate_shortest(const struct calibrate *k, uint64_t *ret_calls)
{
	struct out text = { .fd = -1 };
	VEC(double) durations = VEC_INIT;
	char path[192];
	char call[64];
	double shortest = -1;
	struct str rest;
	struct str line;

	snprintf(path, sizeof(path), "%s/trace", k->dir);
	(void)calibrate_read(path, &text);
	snprintf(call, sizeof(call), "%s(", k->function);
	rest = out_view(&text);
	while (str_line(&rest, &line)) {
		size_t us = str_find(line, STR(" us "));
		size_t at = us;

		if (us >= line.len || !str_contains(line, str_of(call)))
			continue;
		while (at && (char_is_digit(line.p[at - 1]) || line.p[at - 1] == '.'))
			at--;
		*VEC_PUSH(&durations) = strtod(line.p + at, NULL) * 1000;
	}
	if (durations.len) {
		VEC_SORT(&durations, calibrate_compare);
		shortest = durations.data[durations.len / CALIBRATE_SLIPS];
	}
	*ret_calls = durations.len;
	VEC_FREE(&durations);
	out_fini(&text);
	return shortest;
}

/*
 * Keep this process on one CPU. Block signals that would end the process while the tracer is still
 * on.
 */
static void calibrate_pin(struct calibrate *k)
{
	sigset_t all;
	cpu_set_t one;
	int cpu = sched_getcpu();

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &k->signals);
	k->has_cpus = cpu >= 0 && cpu < CPU_SETSIZE &&
		      sched_getaffinity(0, sizeof(k->cpus), &k->cpus) == 0;
	if (!k->has_cpus)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}

static void calibrate_unpin(struct calibrate *k)
{
	if (k->has_cpus)
		(void)sched_setaffinity(0, sizeof(k->cpus), &k->cpus);
	sigprocmask(SIG_SETMASK, &k->signals, NULL);
}

static int calibrate_solve(const double *off, const double *on, double shortest,
			   struct tracer_cost_given *ret, struct error *err)
{
	double base = off[CALIBRATE_BATCHES / 2];

	ret->nested.ns = on[CALIBRATE_BATCHES / 2] - base;
	ret->nested.low_ns = on[CALIBRATE_BATCHES / 4] - base;
	ret->nested.high_ns = on[CALIBRATE_BATCHES * 3 / 4] - base;
	if (shortest < 0 || ret->nested.low_ns <= 0)
		return fail(err, ERR_LIMIT,
			    "the loop was not slower with the tracer: the machine is too busy, or "
			    "nothing was traced");
	ret->leaf_ns = shortest < ret->nested.low_ns ? shortest : ret->nested.low_ns;
	return OK;
}

int calibrate_measure(struct tracer_cost_given *ret, struct error *err)
{
	double off[CALIBRATE_BATCHES];
	double on[CALIBRATE_BATCHES];
	struct calibrate k = { .root = NULL };
	struct utsname host;
	double shortest = -1;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = calibrate_find(&k, err);
	if (r < 0)
		return r;
	calibrate_pin(&k);
	calibrate_loop(off);
	calibrate_loop(off); /* measure again: the first measurement only warms up */
	r = calibrate_arm(&k, err);
	if (r == OK) {
		(void)calibrate_write(&k, "trace", "");
		(void)calibrate_write(&k, "tracing_on", "1");
		calibrate_loop(on);
		calibrate_loop(on);
		(void)calibrate_write(&k, "tracing_on", "0");
		shortest = calibrate_shortest(&k, &ret->calls);
		calibrate_disarm(&k);
	}
	calibrate_unpin(&k);
	if (r < 0)
		return r;
	snprintf(ret->function, sizeof(ret->function), "%s", k.function);
	if (uname(&host) == 0)
		snprintf(ret->kernel, sizeof(ret->kernel), "%s %s", host.release, host.machine);
	qsort(off, CALIBRATE_BATCHES, sizeof(*off), calibrate_compare);
	qsort(on, CALIBRATE_BATCHES, sizeof(*on), calibrate_compare);
	return calibrate_solve(off, on, shortest, ret, err);
}

/* Set @ret to the number after "@key:" in the JSON @text. False: the key is missing. */
static bool calibrate_key(struct str text, const char *key, double *ret)
{
	size_t at = str_find(text, str_of(key));
	char *end;

	if (at >= text.len)
		return false;
	at += strlen(key);
	while (at < text.len &&
	       (char_is_space(text.p[at]) || text.p[at] == '"' || text.p[at] == ':'))
		at++;
	*ret = at < text.len ? strtod(text.p + at, &end) : 0;
	return at < text.len && end > text.p + at && *ret >= 0 && *ret < 1e9;
}

static int calibrate_file(const char *path, struct tracer_cost_given *ret, struct error *err)
{
	struct out text = { .fd = -1 };
	int error = calibrate_read(path, &text);
	bool ok;

	if (error) {
		out_fini(&text);
		return fail(err, ERR_IO, "%s: %s", path, strerror(error));
	}
	out_char(&text, '\0');
	ok = str_contains(out_view(&text), STR("assay-tracer-cost-1")) &&
	     calibrate_key(out_view(&text), "\"leaf_ns\"", &ret->leaf_ns) &&
	     calibrate_key(out_view(&text), "\"nested_ns\"", &ret->nested.ns) &&
	     calibrate_key(out_view(&text), "\"nested_low_ns\"", &ret->nested.low_ns) &&
	     calibrate_key(out_view(&text), "\"nested_high_ns\"", &ret->nested.high_ns);
	out_fini(&text);
	if (!ok || ret->nested.low_ns > ret->nested.ns || ret->nested.ns > ret->nested.high_ns ||
	    ret->leaf_ns > ret->nested.ns)
		return fail(err, ERR_FORMAT,
			    "%s: not a file from 'assay calls --calibrate -o FILE'", path);
	return OK;
}

int calibrate_parse(const char *text, struct tracer_cost_given *ret, struct error *err)
{
	char *end;
	double first = strtod(text, &end);
	double second = first;

	memset(ret, 0, sizeof(*ret));
	if (!char_is_digit(text[0]) || (*end != '\0' && *end != ','))
		return calibrate_file(text, ret, err);
	ret->leaf_ns = -1;
	if (*end == ',') {
		ret->leaf_ns = first;
		second = strtod(end + 1, &end);
	}
	if (*end != '\0' || !(second > 0) || second >= 1e9 || ret->leaf_ns > second)
		return fail(err, ERR_USAGE,
			    "'%s' is no cost: nanoseconds of a call altogether, or "
			    "\"INSIDE,ALTOGETHER\"",
			    text);
	ret->nested = (struct tracer_span){ second, second, second };
	return OK;
}
