/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/rights/confined.h"
#include "base/rights/rights.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define HAVE_ASAN true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN true
#endif
#endif
#ifndef HAVE_ASAN
#define HAVE_ASAN false
#endif

/* Run @run confined; returns its output, up to 64 bytes. */
static int confine(confined_run *run, unsigned int seconds, bool kill_it, char *text,
		   struct error *err)
{
	struct confined_options o = { .in_fd = -1, .memory = 64u << 20, .seconds = seconds };
	struct confined c;
	ssize_t n;
	size_t len = 0;

	assert_int_equal(confined_start(&c, &o, run, NULL, err), OK);
	while ((n = confined_read(&c, text + len, 63 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return confined_finish(&c, kill_it || n < 0, err);
}

static int say_hello(void *arg, int in_fd, int out_fd)
{
	(void)arg;
	return in_fd == -1 && write(out_fd, "hello", 5) == 5 ? 0 : 9;
}

static int try_to_get_out(void *arg, int in_fd, int out_fd)
{
	char line[16] = "------";

	(void)arg;
	(void)in_fd;
	line[0] = open("/etc/passwd", O_RDONLY) < 0 ? '-' : 'o';
	line[1] = open("/tmp/assay-confined", O_CREAT | O_WRONLY, 0600) < 0 ? '-' : 'c';
	line[2] = socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? '-' : 's';
	line[3] = fork() < 0 ? '-' : 'f';
	line[4] = kill(getppid(), 0) < 0 ? '-' : 'k';
	line[5] = write(1, "x", 1) < 0 ? '-' : 'w';
	return write(out_fd, line, 6) == 6 ? 0 : 9;
}

static int crash(void *arg, int in_fd, int out_fd)
{
	(void)arg;
	(void)in_fd;
	(void)!write(out_fd, "some", 4);
	__builtin_trap();
	return 0;
}

static int run_on(void *arg, int in_fd, int out_fd)
{
	(void)arg;
	(void)in_fd;
	(void)out_fd;
	for (volatile int i = 0;; i++)
		continue;
	return 0;
}

static int fill_memory(void *arg, int in_fd, int out_fd)
{
	(void)arg;
	(void)in_fd;
	for (int i = 0; i < 1000; i++) {
		char *p = malloc(1 << 20);

		if (!p)
			return write(out_fd, "full", 4) == 4 ? 0 : 9;
		memset(p, 1, 1 << 20);
	}
	return 0;
}

static int give_up(void *arg, int in_fd, int out_fd)
{
	(void)arg;
	(void)in_fd;
	(void)out_fd;
	return 7;
}

static void what_a_confined_function_writes_comes_out(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	assert_int_equal(confine(say_hello, 10, false, text, &err), OK);
	assert_string_equal(text, "hello");
}

static void it_opens_no_file_and_reaches_nobody(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	if (HAVE_ASAN)
		SKIP_TEST("a sanitizer needs calls that are refused");
	if (!rights_has_seccomp())
		SKIP_TEST("this machine has no filter of system calls");
	assert_int_equal(confine(try_to_get_out, 10, false, text, &err), OK);
	assert_string_equal(text, "------");
}

/*
 * A folder of a stranger can become a link to "/" after its path was checked: a link widens no
 * rights.
 */
static void a_tree_that_is_a_link_is_left_out(void **state)
{
	static const char *const trees[] = { "confined-link", "confined-tree/in" };
	pid_t pid;
	int status;

	(void)state;
	if (rights_landlock_version() <= 0)
		SKIP_TEST("this machine has no Landlock");
	assert_int_equal(mkdir("confined-tree", 0700), 0);
	assert_int_equal(mkdir("confined-tree/in", 0700), 0);
	assert_int_equal(symlink("/", "confined-link"), 0);
	pid = fork();
	if (pid == 0) {
		bool is_done = rights_no_new() && rights_landlock(trees, ARRAY_LEN(trees));
		bool has_own = open("confined-tree/in", O_RDONLY | O_DIRECTORY) >= 0;
		bool has_other = open("/etc/passwd", O_RDONLY) >= 0;

		_exit(!is_done ? 3 : !has_own ? 2 : has_other);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(unlink("confined-link"), 0);
	assert_int_equal(rmdir("confined-tree/in"), 0);
	assert_int_equal(rmdir("confined-tree"), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void its_crash_is_an_error_in_words(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	assert_int_equal(confine(crash, 10, false, text, &err), ERR_FORMAT);
	assert_string_equal(text, "some");
	assert_true(strstr(err.msg, "damaged") != NULL);
}

static void its_endless_loop_ends(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	assert_int_equal(confine(run_on, 1, false, text, &err), ERR_CANCELED);
	assert_true(err.msg[0] != '\0');
}

/*
 * Whether this kernel enforces rlimits; some emulators ignore them. A confined function cannot
 * check.
 */
static bool keeps_limits(void)
{
	struct rlimit now = { 0, 0 };
	int status = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(rights_limit(RLIMIT_AS, UINT64_C(1) << 40) &&
				      getrlimit(RLIMIT_AS, &now) == 0 &&
				      now.rlim_cur == (rlim_t)1 << 40
			      ? 0
			      : 1);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void its_memory_is_bounded(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	if (!keeps_limits())
		SKIP_TEST("this machine keeps no limit of memory");
	if (HAVE_ASAN)
		SKIP_TEST("AddressSanitizer needs all memory there is");
	assert_int_equal(confine(fill_memory, 10, false, text, &err), OK);
	assert_string_equal(text, "full");
}

static void another_exit_status_is_an_error(void **state)
{
	struct error err = { "" };
	char text[64];

	(void)state;
	assert_int_equal(confine(give_up, 10, false, text, &err), ERR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_confined_function_writes_comes_out),
		cmocka_unit_test(it_opens_no_file_and_reaches_nobody),
		cmocka_unit_test(a_tree_that_is_a_link_is_left_out),
		cmocka_unit_test(its_crash_is_an_error_in_words),
		cmocka_unit_test(its_endless_loop_ends),
		cmocka_unit_test(its_memory_is_bounded),
		cmocka_unit_test(another_exit_status_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
