/* SPDX-License-Identifier: MIT */
/*
 * The recorder of function graphs on plain files instead of tracefs: its writes, and that it
 * restores all of them.
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"
#include "record/perf/record.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Settings of a kernel without the graph tracer in instances; a user changed some of them. */
static const struct {
	const char *name;
	const char *text;
} files[] = {
	{ "available_tracers", "function_graph function nop" },
	{ "current_tracer", "nop" },
	{ "set_graph_function", "vfs_read" },
	{ "max_graph_depth", "7" },
	{ "tracing_thresh", "0" },
	{ "tracing_on", "1" },
	{ "trace_clock", "[local] global counter mono" },
	{ "buffer_size_kb", "7 (expanded: 1408)" },
	{ "set_ftrace_filter", "#### all functions enabled ####" },
	{ "set_ftrace_pid", "no pid" },
	{ "set_event_pid", "" },
	{ "trace", "# tracer: nop" },
	{ "saved_cmdlines", "1 init" },
	{ "printk_formats", "" },
	{ "options/funcgraph-irqs", "0" },
	{ "options/function-fork", "0" },
	{ "options/event-fork", "0" },
	{ "options/sleep-time", "1" },
	{ "events/enable", "0" },
	{ "events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" },
	{ "events/header_event", "# compressed entry header\n" },
	{ "events/sched/sched_switch/enable", "0" },
	{ "events/sched/sched_switch/format", "name: sched_switch\nID: 320\n" },
	{ "events/ftrace/funcgraph_entry/format", "name: funcgraph_entry\nID: 11\n" },
	{ "per_cpu/cpu0/trace_pipe_raw", "" },
	{ "per_cpu/cpu0/stats", "entries: 0\noverrun: 3\ncommit overrun: 0\ndropped events: 1\n"
				"read events: 5\n" },
};

struct fake {
	char root[64];
	char output[96];
};

static void fake_write(const struct fake *f, const char *name, const char *text)
{
	char path[256];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/%s", f->root, name);
	for (char *slash = strchr(path + strlen(f->root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	out = fopen(path, "w");
	assert_non_null(out);
	(void)fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static struct str fake_read(const struct fake *f, const char *name, char *buffer, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", f->root, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	n = read(fd, buffer, size - 1);
	(void)close(fd);
	assert_true(n >= 0);
	return str_trim((struct str){ buffer, (size_t)n });
}

static void fake_make(struct fake *f)
{
	(void)snprintf(f->root, sizeof(f->root), "/tmp/assay-tracefs-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		fake_write(f, files[i].name, files[i].text);
	(void)snprintf(f->output, sizeof(f->output), "%s/out.dat", f->root);
}

static int fake_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void fake_fini(struct fake *f)
{
	(void)nftw(f->root, fake_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* Compare settings in the form in which they would be written back: "mono" for "[mono] local". */
static bool fake_is_as_before(const struct fake *f)
{
	static const char *const names[] = { "current_tracer",
					     "set_graph_function",
					     "max_graph_depth",
					     "tracing_thresh",
					     "tracing_on",
					     "set_ftrace_pid",
					     "options/funcgraph-irqs",
					     "options/function-fork",
					     "options/event-fork" };
	bool is_same = true;
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *before = "";

		for (size_t k = 0; k < ARRAY_LEN(files); k++) {
			if (strcmp(files[k].name, names[i]) == 0)
				before = files[k].text;
		}
		if (strcmp(before, "no pid") == 0)
			before = "";
		if (!str_eq(fake_read(f, names[i], text, sizeof(text)), str_of(before)))
			is_same = false;
	}
	return is_same && str_eq(fake_read(f, "trace_clock", text, sizeof(text)), STR("local")) &&
	       str_eq(fake_read(f, "buffer_size_kb", text, sizeof(text)), STR("1408")) &&
	       str_eq(fake_read(f, "events/sched/sched_switch/enable", text, sizeof(text)),
		      STR("0"));
}

static int fake_record(struct fake *f, char *const *argv, struct record_result *result,
		       struct error *err)
{
	struct ftrace_options options = { .root = f->root, .depth = 3 };
	struct record_spec spec = { .argv = argv, .output = f->output };
	int status;

	*VEC_PUSH(&options.functions) = "udp_sendmsg";
	*VEC_PUSH(&options.functions) = "__sys_sendto";
	status = ftrace_record(&spec, &options, result, err);
	VEC_FREE(&options.functions);
	return status;
}

static void what_was_set_is_put_back(void **state)
{
	char sh[] = "sh";
	char c[] = "-c";
	char script[512];
	char *argv[] = { sh, c, script, NULL };
	struct record_result result;
	struct error err = { "" };
	struct fake f;
	char text[4096];

	(void)state;
	fake_make(&f);
	/* the command sees the settings of the recording */
	(void)snprintf(script, sizeof(script),
		       "cd %s && cat current_tracer set_graph_function max_graph_depth tracing_on "
		       "options/function-fork events/sched/sched_switch/enable >seen; exit 3",
		       f.root);
	assert_int_equal(fake_record(&f, argv, &result, &err), OK);
	assert_int_equal(result.status, 3);
	assert_int_equal(result.counts.samples, 5);
	assert_int_equal(result.counts.lost, 4);
	assert_str(fake_read(&f, "seen", text, sizeof(text)),
		   "function_graph\nudp_sendmsg\n__sys_sendto\n3\n111");
	assert_true(fake_is_as_before(&f));
	assert_true(str_starts(fake_read(&f, "out.dat", text, sizeof(text)),
			       STR("\x17\x08\x44tracing6")));
	record_result_fini(&result);
	fake_fini(&f);
}

/* Kill a recorder alone, or @with_command together with its command. */
static void put_back_after_a_kill(bool with_command)
{
	char sleeper[] = "sleep";
	char seconds[] = "60"; /* longer than the test takes on a busy machine */
	char *argv[] = { sleeper, seconds, NULL };
	struct fake f;
	char text[256];
	pid_t pid;
	int status;
	unsigned int tries = 0;

	fake_make(&f);
	pid = fork();
	if (pid == 0) {
		struct record_result result;
		struct error err = { "" };

		(void)setpgid(0, 0); /* the sleeper is killed with its group */
		_exit(fake_record(&f, argv, &result, &err) == OK ? 0 : 1);
	}
	assert_true(pid > 0);
	while (!str_eq(fake_read(&f, "current_tracer", text, sizeof(text)),
		       STR("function_graph")) &&
	       tries++ < 30000)
		(void)usleep(2000);
	assert_false(fake_is_as_before(&f));
	assert_int_equal(kill(with_command ? -pid : pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (tries = 0; !fake_is_as_before(&f) && tries < 30000; tries++)
		(void)usleep(2000);
	assert_true(fake_is_as_before(&f));
	(void)kill(-pid, SIGKILL);
	fake_fini(&f);
}

static void what_was_set_is_put_back_after_a_kill(void **state)
{
	(void)state;
	put_back_after_a_kill(false);
}

static void what_was_set_is_put_back_after_a_kill_of_both_processes(void **state)
{
	(void)state;
	put_back_after_a_kill(true);
}

/* Only of a recorder that has ended, and only with the name that recorders give. */
static void an_instance_that_a_killed_recorder_left_is_removed(void **state)
{
	char program[] = "true";
	char *argv[] = { program, NULL };
	struct record_result result;
	struct error err = { "" };
	struct fake f;
	char names[3][128];
	struct stat st;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	fake_make(&f);
	(void)snprintf(names[0], sizeof(names[0]), "%s/instances", f.root);
	assert_int_equal(mkdir(names[0], 0700), 0);
	(void)snprintf(names[0], sizeof(names[0]), "%s/instances/assay-%d", f.root, pid);
	(void)snprintf(names[1], sizeof(names[1]), "%s/instances/assay-%d", f.root, getppid());
	(void)snprintf(names[2], sizeof(names[2]), "%s/instances/other-%d", f.root, pid);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_int_equal(mkdir(names[i], 0700), 0);
	assert_int_equal(fake_record(&f, argv, &result, &err), OK);
	assert_int_equal(stat(names[0], &st), -1);
	assert_int_equal(stat(names[1], &st), 0);
	assert_int_equal(stat(names[2], &st), 0);
	record_result_fini(&result);
	fake_fini(&f);
}

static void a_tracer_that_is_in_use_is_left_alone(void **state)
{
	char program[] = "true";
	char *argv[] = { program, NULL };
	struct record_result result;
	struct error err = { "" };
	struct fake f;
	char text[256];

	(void)state;
	fake_make(&f);
	fake_write(&f, "current_tracer", "function_graph\n");
	assert_int_equal(fake_record(&f, argv, &result, &err), ERR_PERM);
	assert_true(strstr(err.msg, "in use"));
	record_result_fini(&result);
	fake_write(&f, "current_tracer", "nop\n");
	fake_write(&f, "trace", "# tracer: nop\n sh-1 [000] 1.0: mark: x\n");
	assert_int_equal(fake_record(&f, argv, &result, &err), ERR_PERM);
	assert_true(strstr(err.msg, "would be lost"));
	record_result_fini(&result);
	assert_str(fake_read(&f, "set_graph_function", text, sizeof(text)), "vfs_read");
	fake_write(&f, "available_tracers", "function nop\n");
	assert_int_equal(fake_record(&f, argv, &result, &err), ERR_UNSUPPORTED);
	record_result_fini(&result);
	fake_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_set_is_put_back),
		cmocka_unit_test(what_was_set_is_put_back_after_a_kill),
		cmocka_unit_test(what_was_set_is_put_back_after_a_kill_of_both_processes),
		cmocka_unit_test(an_instance_that_a_killed_recorder_left_is_removed),
		cmocka_unit_test(a_tracer_that_is_in_use_is_left_alone),
	};

	return cmocka_run_group_tests_name("ftrace_record", tests, NULL, NULL);
}
