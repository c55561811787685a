/* SPDX-License-Identifier: MIT */
/*
 * Save, change and restore the settings of tracefs. A helper process restores them, because it
 * outlives the recorder.
 *
 * All instances share the settings set_graph_function, max_graph_depth and tracing_thresh, and the
 * tracer's options. All other settings belong to one instance.
 */
#include "record/graph/ftrace_parts.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FTRACE_BUFFER_KB (UINT64_C(8) << 10)
/* maximum number of attempts, 20 ms apart, to remove an instance that is still in use */
#define FTRACE_TRIES 250u

const char *const ftrace_events[] = { "sched/sched_switch",
				      "sched/sched_waking",
				      "irq/irq_handler_entry",
				      "irq/irq_handler_exit",
				      "irq/softirq_entry",
				      "irq/softirq_exit",
				      "irq_vectors/local_timer_entry",
				      "irq_vectors/local_timer_exit",
				      "irq_vectors/reschedule_entry",
				      "irq_vectors/reschedule_exit",
				      "irq_vectors/call_function_single_entry",
				      "irq_vectors/call_function_single_exit",
				      NULL };

/*
 * Settings that are saved before tracing. settings_global and settings_shared apply to all
 * instances. settings_main belongs to the main buffer, and is saved only if the main buffer is
 * used.
 */
static const char *const settings_global[] = { "set_graph_function", "max_graph_depth",
					       "tracing_thresh", NULL };
static const char *const settings_shared[] = { "options/funcgraph-irqs", "options/funcgraph-args",
					       "options/sleep-time", "options/graph-time", NULL };
static const char *const settings_main[] = { "tracing_on",
					     "trace_clock",
					     "buffer_size_kb",
					     "buffer_percent",
					     "set_ftrace_pid",
					     "set_event_pid",
					     "set_ftrace_filter",
					     "current_tracer",
					     "options/function-fork",
					     "options/event-fork",
					     NULL };

void ftrace_path(char path[FTRACE_PATH_BYTES], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(path, FTRACE_PATH_BYTES, fmt, ap);
	va_end(ap);
}

/*
 * Write @text to the tracefs file @path. A write() may accept only one word, so write the rest
 * again. Returns 0, or the errno of the last failure.
 */
static int settings_write_file(const char *path, const char *text)
{
	int fd = newfile_setting(path);
	size_t len = strlen(text);
	size_t at = 0;
	int error = 0;

	if (fd < 0)
		return errno;
	do {
		ssize_t n = write(fd, text + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			error = errno;
		at += n > 0 ? (size_t)n : len;
	} while (at < len);
	if (close(fd) < 0 && !error)
		error = errno;
	return error;
}

static void settings_path(const struct ftrace *t, const char *name, char path[FTRACE_PATH_BYTES])
{
	ftrace_path(path, "%s/%s", t->dir, name);
}

int ftrace_write(const struct ftrace *t, const char *name, const char *text)
{
	char path[FTRACE_PATH_BYTES];

	settings_path(t, name, path);
	return settings_write_file(path, text);
}

char *ftrace_read(const struct ftrace *t, const char *name, size_t *ret_len)
{
	char path[FTRACE_PATH_BYTES];

	settings_path(t, name, path);
	return rec_slurp(path, ret_len);
}

/* Whether the content of the file @folder/@name starts with @word. */
static bool settings_is(const char *folder, const char *name, const char *word)
{
	char path[FTRACE_PATH_BYTES];
	CLEANUP(freep) char *text = NULL;

	ftrace_path(path, "%s/%s", folder, name);
	text = rec_slurp(path, NULL);
	return text && str_starts(str_of(text), str_of(word));
}

/*
 * Remove the instance @name at @path if the recorder that made it no longer exists. @name contains
 * the recorder's pid. A recorder in another PID namespace still runs, although its pid is unknown
 * here. In this case rmdir() fails, because the recorder has files of the instance open.
 */
static bool settings_remove_left(const char *name, const char *path)
{
	unsigned int pid;

	return sscanf(name, "assay-%u", &pid) == 1 && pid > 0 && kill((pid_t)pid, 0) < 0 &&
	       errno == ESRCH && rmdir(path) == 0;
}

/* Fail if another user is using the graph tracer, because all instances share its settings. */
static int settings_others(const struct ftrace *t, struct error *err)
{
	char path[FTRACE_PATH_BYTES];
	DIR *dir;
	struct dirent *e;
	int status = OK;

	if (settings_is(t->root, "current_tracer", "function_graph"))
		return fail(err, ERR_PERM,
			    "function_graph is in use in %s, and its settings are global; stop it "
			    "first: echo nop > %s/current_tracer",
			    t->root, t->root);
	ftrace_path(path, "%s/instances", t->root);
	dir = opendir(path);
	while (dir && status == OK && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || strlen(e->d_name) > 100)
			continue;
		ftrace_path(path, "%s/instances/%s", t->root, e->d_name);
		if (!settings_remove_left(e->d_name, path) &&
		    settings_is(path, "current_tracer", "function_graph"))
			status = fail(err, ERR_PERM,
				      "function_graph is in use in the instance %s, and its "
				      "settings are global",
				      e->d_name);
	}
	if (dir)
		(void)closedir(dir);
	return status;
}

static bool settings_is_locked(void)
{
	CLEANUP(freep) char *text = rec_slurp("/sys/kernel/security/lockdown", NULL);

	return text && str_contains(str_of(text), STR("[confidentiality]"));
}

int ftrace_find(struct ftrace *t, struct error *err)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *asked = t->options->root;
	int first = ENOENT;

	for (size_t i = 0; i < (asked ? 1 : ARRAY_LEN(roots)); i++) {
		const char *root = asked ? asked : roots[i];
		char path[FTRACE_PATH_BYTES];
		CLEANUP(freep) char *text = NULL;

		ftrace_path(path, "%s/available_tracers", root);
		errno = 0;
		text = rec_slurp(path, NULL);
		if (text && !str_contains(str_of(text), STR("function_graph")))
			return fail(err, ERR_UNSUPPORTED,
				    "this kernel has no function_graph tracer "
				    "(CONFIG_FUNCTION_GRAPH_TRACER)");
		ftrace_path(path, "%s/current_tracer", root);
		if (text && access(path, W_OK) < 0) {
			first = errno;
			continue;
		}
		if (text) {
			t->root = root;
			return settings_others(t, err);
		}
		if (errno && errno != ENOENT)
			first = errno;
	}
	if (settings_is_locked())
		return fail(err, ERR_PERM,
			    "the kernel is locked down (confidentiality): tracing is forbidden");
	if (first == ENOENT)
		return fail(err, ERR_NOTFOUND,
			    "tracefs is not mounted; try 'mount -t tracefs tracefs %s' (containers "
			    "may forbid it)",
			    roots[0]);
	return fail(err, ERR_PERM, "%s: %s; tracing the kernel needs root", roots[0],
		    strerror(first));
}

/*
 * Save the setting @folder/@name, so that it can be restored. If it is unreadable, this kernel does
 * not have it: save nothing.
 */
static void settings_save(struct ftrace *t, const char *folder, const char *name)
{
	char path[FTRACE_PATH_BYTES];
	char *text;
	struct str s;

	ftrace_path(path, "%s/%s", folder, name);
	text = rec_slurp(path, NULL);
	if (!text)
		return;
	s = str_trim(str_of(text));
	/*
	 * for an empty setting, tracefs shows a comment: "#### all functions enabled ####", "no
	 * pid"
	 */
	if (str_starts(s, STR("#")) || str_starts(s, STR("no pid")))
		s = STR("");
	/* tracefs shows all clocks, with the current clock in brackets: "[local] global uptime" */
	if (str_eq(str_of(name), STR("trace_clock"))) {
		s = str_skip(s, str_find_char(s, '[') + 1);
		s = str_sub(s, 0, str_find_char(s, ']'));
	}
	/*
	 * a buffer that was not used yet is small. tracefs then shows its size in kB now and after
	 * the first use: "7 (expanded: 1408)". Save the second size.
	 */
	if (str_contains(s, STR("(expanded: "))) {
		s = str_skip(s, str_find(s, STR("(expanded: ")) + 11);
		s = str_sub(s, 0, str_find_char(s, ')'));
	}
	*VEC_PUSH(&t->saved) = (struct ftrace_saved){
		.path = xmemdupz(path, strlen(path)),
		.text = xmemdupz(s.p ? s.p : "", s.len),
	};
	free(text);
}

static void settings_add_line(char **text)
{
	size_t len = strlen(*text);

	/* append a newline, so that the kernel parses the last word now and not only at close() */
	*text = xrealloc(*text, len + 2);
	(*text)[len] = '\n';
	(*text)[len + 1] = '\0';
}

/*
 * Restore all settings. The helper calls this function; without a helper, the recorder does.
 * Returns the number of failures.
 */
static unsigned int settings_restore(const struct ftrace *t)
{
	unsigned int errors = 0;

	(void)ftrace_write(t, "tracing_on", "0");
	errors += ftrace_write(t, "current_tracer", "nop") != 0;
	if (!t->is_own) {
		char name[FTRACE_PATH_BYTES];

		for (const char *const *e = ftrace_events; *e; e++) {
			ftrace_path(name, "events/%s/enable", *e);
			(void)ftrace_write(t, name, "0");
		}
		(void)ftrace_write(t, "trace", "");
	}
	for (size_t i = t->saved.len; i-- > 0;)
		errors += settings_write_file(t->saved.data[i].path, t->saved.data[i].text) != 0;
	for (unsigned int i = 0; t->is_own && i < FTRACE_TRIES; i++) {
		if (rmdir(t->dir) == 0 || errno == ENOENT)
			return errors;
		(void)poll(NULL, 0, 20);
	}
	return errors + t->is_own;
}

/*
 * Main function of the helper. Wait until the pipe closes, which shows that the recorder has ended.
 * Then restore all settings.
 */
static void settings_help(const struct ftrace *t, int fd)
{
	sigset_t all;
	char byte;
	ssize_t n;
	int null = newfile_null();

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	(void)setpgid(0, 0);
	if (chdir("/") < 0) {
		/*
		 * ignore the failure: it only means that the file system of the current folder
		 * cannot be unmounted while the helper runs
		 */
	}
	for (int i = 0; null >= 0 && i < 3; i++)
		(void)dup2(null, i);
	/*
	 * close all other descriptors, because the helper must not keep the recorder's pipes and
	 * files open
	 */
	if (fd != 3) {
		(void)dup2(fd, 3);
		fd = 3;
	}
	(void)close_range(4, ~0u, 0);
	do
		n = files_read(fd, &byte, 1);
	while (n > 0);
	_exit(settings_restore(t) ? 1 : 0);
}

static int settings_start_helper(struct ftrace *t, struct error *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return fail(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
	t->helper = fork();
	if (t->helper == 0) {
		(void)close(fds[1]);
		settings_help(t, fds[0]);
	}
	(void)close(fds[0]);
	/*
	 * The helper needs its own process group, so that Ctrl-C does not end it. Its parent also
	 * calls setpgid(), because the helper may not have run yet when the parent changes the
	 * first setting.
	 */
	if (t->helper > 0)
		(void)setpgid(t->helper, t->helper);
	if (t->helper < 0) {
		t->helper = 0;
		(void)close(fds[1]);
		return fail(err, ERR_IO, "cannot start a process: %s", strerror(errno));
	}
	t->helper_fd = fds[1];
	return OK;
}

/*
 * Check that ftrace is not in use. Also check that the main buffer is empty, because tracing clears
 * it.
 */
static int settings_main_is_idle(const struct ftrace *t, struct error *err)
{
	CLEANUP(freep) char *trace = NULL;
	struct str rest;
	struct str line;
	char path[FTRACE_PATH_BYTES];

	if (!settings_is(t->root, "current_tracer", "nop") ||
	    !settings_is(t->root, "events/enable", "0") ||
	    !settings_is(t->root, "set_ftrace_filter", "#"))
		return fail(err, ERR_PERM,
			    "ftrace is in use in %s, and this kernel has only one graph tracer "
			    "(6.12 has one per instance)",
			    t->root);
	ftrace_path(path, "%s/trace", t->root);
	trace = rec_slurp(path, NULL);
	rest = trace ? str_of(trace) : STR_NONE;
	while (str_line(&rest, &line)) {
		if (line.len && line.p[0] != '#')
			return fail(err, ERR_PERM,
				    "%s holds a trace, which would be lost (echo > %s clears it)",
				    path, path);
	}
	return OK;
}

/*
 * Choose the folder for tracing: a new instance from Linux 6.12 on, otherwise the folder of the
 * main buffer.
 */
static int settings_choose(struct ftrace *t, struct error *err)
{
	struct stat st;

	(void)snprintf(t->dir, sizeof(t->dir), "%s/instances/assay-%ld", t->root, (long)getpid());
	t->is_own = mkdir(t->dir, 0700) == 0;
	if (t->is_own) {
		CLEANUP(freep) char *tracers = ftrace_read(t, "available_tracers", NULL);

		if (tracers && str_contains(str_of(tracers), STR("function_graph")))
			return OK;
		(void)rmdir(t->dir);
		t->is_own = false;
	} else if (stat(t->root, &st) == 0 && (errno == EACCES || errno == EPERM)) {
		return fail(err, ERR_PERM, "%s: %s; tracing the kernel needs root", t->dir,
			    strerror(errno));
	}
	(void)snprintf(t->dir, sizeof(t->dir), "%s", t->root);
	return settings_main_is_idle(t, err);
}

/*
 * Write @name, the name or glob of a function, to @fd, an open tracefs file with a list of
 * functions.
 */
static int settings_function(const struct ftrace *t, int fd, const char *name, struct error *err)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s\n", name);

	if (n > 0 && (size_t)n < sizeof(line) && write(fd, line, (size_t)n) == n)
		return OK;
	return fail(
		err, ERR_NOTFOUND,
		"%s: no traceable function has this name; %s/available_filter_functions lists them",
		name, t->root);
}

static int settings_functions(const struct ftrace *t, struct error *err)
{
	char path[FTRACE_PATH_BYTES];
	const struct ftrace_options *o = t->options;
	int status = OK;

	/*
	 * first pass: write the root functions to set_graph_function. Second pass, only if the user
	 * named callees: write the root functions and these callees to set_ftrace_filter.
	 */
	for (int i = 0; i < (o->only.len ? 2 : 1) && status == OK; i++) {
		int fd;

		ftrace_path(path, "%s/%s", i ? t->dir : t->root,
			    i ? "set_ftrace_filter" : "set_graph_function");
		fd = newfile_setting(path);
		if (fd < 0)
			return fail(err, ERR_PERM, "%s: %s", path, strerror(errno));
		for (size_t k = 0; k < o->functions.len && status == OK; k++)
			status = settings_function(t, fd, o->functions.data[k], err);
		for (size_t k = 0; i && k < o->only.len && status == OK; k++)
			status = settings_function(t, fd, o->only.data[k], err);
		if (close(fd) < 0 && status == OK)
			status = fail(err, ERR_IO, "%s: %s", path, strerror(errno));
	}
	return status;
}

static int settings_number(const struct ftrace *t, const char *name, uint64_t v, struct error *err)
{
	char path[FTRACE_PATH_BYTES];
	char text[32];
	int error;

	ftrace_path(path, "%s/%s", t->root, name);
	(void)snprintf(text, sizeof(text), "%" PRIu64 "\n", v);
	error = settings_write_file(path, text);
	return error ? fail(err, ERR_IO, "%s cannot be set to %" PRIu64 ": %s", path, v,
			    strerror(error))
		     : OK;
}

/* Set options, and ignore failures, because this kernel may not have them. */
static void settings_try(struct ftrace *t)
{
	char name[FTRACE_PATH_BYTES];
	char size[32];

	(void)ftrace_write(t, "options/funcgraph-irqs", "1");
	(void)ftrace_write(t, "options/funcgraph-args", "1");
	(void)ftrace_write(t, "options/sleep-time", "1");
	(void)ftrace_write(t, "options/graph-time", "1");
	(void)ftrace_write(t, "options/record-cmd", "1");
	if (ftrace_write(t, "trace_clock", "mono\n") != 0)
		(void)ftrace_write(t, "trace_clock", "local\n");
	(void)ftrace_write(t, "buffer_percent", "25\n");
	(void)snprintf(size, sizeof(size), "%" PRIu64 "\n",
		       t->rec.spec->ring_bytes ? (t->rec.spec->ring_bytes + 1023) / 1024
					       : FTRACE_BUFFER_KB);
	if (ftrace_write(t, "buffer_size_kb", size) != 0)
		rec_note(&t->rec, "no buffer of %.*s kB for each CPU: more events may be lost",
			 (int)strlen(size) - 1, size);
	for (const char *const *e = ftrace_events; *e; e++) {
		ftrace_path(name, "events/%s/enable", *e);
		(void)ftrace_write(t, name, "1");
	}
}

int ftrace_arm(struct ftrace *t, struct error *err)
{
	int status = settings_choose(t, err);
	int error;

	if (status < 0)
		return status;
	for (const char *const *s = settings_global; *s; s++)
		settings_save(t, t->root, *s);
	for (const char *const *s = settings_shared; *s; s++)
		settings_save(t, t->root, *s);
	for (const char *const *s = settings_main; *s && !t->is_own; s++)
		settings_save(t, t->root, *s);
	VEC_FOREACH (s, &t->saved) {
		if (*s->text)
			settings_add_line(&s->text);
	}
	status = settings_start_helper(t, err);
	if (status < 0) {
		(void)settings_restore(t);
		return status;
	}
	(void)ftrace_write(t, "tracing_on", "0");
	settings_try(t);
	status = settings_functions(t, err);
	if (status == OK)
		status = settings_number(t, "max_graph_depth", t->options->depth, err);
	if (status == OK)
		status = settings_number(t, "tracing_thresh", t->options->threshold_us, err);
	if (status < 0)
		return status;
	error = ftrace_write(t, "current_tracer", "function_graph\n");
	return error ? fail(err, ERR_UNSUPPORTED, "%s/current_tracer cannot be set: %s", t->dir,
			    strerror(error))
		     : OK;
}

int ftrace_follow(struct ftrace *t, struct error *err)
{
	static const char *const files[] = { "set_ftrace_pid", "set_event_pid" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[FTRACE_PATH_BYTES];
		int fd;
		int error = 0;

		settings_path(t, files[i], path);
		fd = newfile_setting(path);
		if (fd < 0)
			return fail(err, ERR_UNSUPPORTED, "%s: %s", path, strerror(errno));
		VEC_FOREACH (tid, &t->rec.tids) {
			char line[16];
			int n = snprintf(line, sizeof(line), "%" PRIu32 "\n", *tid);

			if (write(fd, line, (size_t)n) != n)
				error = errno;
		}
		(void)close(fd);
		if (error)
			return fail(err, ERR_IO, "%s: %s", path, strerror(error));
	}
	if (t->rec.spec->has_no_inherit)
		return OK;
	if (ftrace_write(t, "options/function-fork", "1") != 0 ||
	    ftrace_write(t, "options/event-fork", "1") != 0)
		rec_note(&t->rec, "this kernel does not follow what the command starts: its own "
				  "calls only");
	return OK;
}

void ftrace_disarm(struct ftrace *t)
{
	int status = 0;
	pid_t pid;

	if (t->helper) {
		(void)close(t->helper_fd);
		do {
			pid = waitpid(t->helper, &status, 0);
		} while (pid < 0 && errno == EINTR);
		if (pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
			rec_note(&t->rec,
				 "not every tracing setting could be put back: look at %s "
				 "(set_graph_function, max_graph_depth, tracing_thresh)",
				 t->root);
		t->helper = 0;
	}
	VEC_FOREACH (s, &t->saved) {
		free(s->path);
		free(s->text);
	}
	VEC_FREE(&t->saved);
}
