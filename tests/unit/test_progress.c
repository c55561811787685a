/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A terminal that nobody sees; its other end in *@ret_other. -1: none can be had. */
static int terminal_open(int *ret_other)
{
	int other = posix_openpt(O_RDWR | O_NOCTTY);

	*ret_other = other;
	if (other < 0 || grantpt(other) != 0 || unlockpt(other) != 0)
		return -1;
	return open(ptsname(other), O_RDWR | O_NOCTTY);
}

/* What was written to the terminal. */
static struct str terminal_text(int other, char *buf, size_t size)
{
	ssize_t n;

	(void)fcntl(other, F_SETFL, O_NONBLOCK);
	n = read(other, buf, size);
	return (struct str){ buf, n > 0 ? (size_t)n : 0 };
}

static void test_long_work_is_told_and_erased(void **state)
{
	struct progress p;
	char buf[512];
	struct str s;
	int other;
	int fd = terminal_open(&other);

	(void)state;
	if (fd < 0)
		SKIP_TEST("no pseudo terminal");
	(void)setenv("TERM", "xterm", 1);
	progress_init(&p, fd);
	assert_int_equal(p.fd, fd);
	p.after_ns = 0;
	progress_start(&p, STR("reading a.data"));
	progress_bytes(&p, 43, 100);
	s = terminal_text(other, buf, sizeof(buf));
	assert_true(str_starts(s, STR("\rreading a.data: 43 %, ")));
	assert_true(str_ends(s, STR("/s\033[K")));
	progress_bytes(&p, 44, 100); /* too soon for another line */
	assert_int_equal(terminal_text(other, buf, sizeof(buf)).len, 0);
	progress_end(&p);
	s = terminal_text(other, buf, sizeof(buf));
	assert_true(str_eq(s, STR("\r\033[K")));
	progress_end(&p); /* nothing is left to erase */
	assert_int_equal(terminal_text(other, buf, sizeof(buf)).len, 0);
	(void)close(fd);
	(void)close(other);
}

static void test_things_are_counted_and_long_names_cut(void **state)
{
	struct progress p;
	char buf[512];
	char name[200];
	struct str s;
	int other;
	int fd = terminal_open(&other);

	(void)state;
	if (fd < 0)
		SKIP_TEST("no pseudo terminal");
	(void)setenv("TERM", "xterm", 1);
	for (size_t i = 0; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	progress_init(&p, fd);
	p.after_ns = 0;
	progress_start(&p, (struct str){ name, sizeof(name) });
	progress_count(&p, 1, 4, "files");
	s = terminal_text(other, buf, sizeof(buf));
	assert_int_equal(s.len, 1 + 62 + strlen(": 25 %, 1 of 4 files\033[K"));
	assert_true(str_ends(s, STR("\xc3\xa4: 25 %, 1 of 4 files\033[K")));
	(void)close(fd);
	(void)close(other);
}

static void test_short_work_is_not_told(void **state)
{
	struct progress p;
	char buf[64];
	int other;
	int fd = terminal_open(&other);

	(void)state;
	if (fd < 0)
		SKIP_TEST("no pseudo terminal");
	(void)setenv("TERM", "xterm", 1);
	progress_init(&p, fd);
	progress_start(&p, STR("reading a.data"));
	progress_bytes(&p, 43, 100);
	progress_end(&p);
	assert_int_equal(terminal_text(other, buf, sizeof(buf)).len, 0);
	(void)close(fd);
	(void)close(other);
}

static void test_nothing_is_told_where_no_terminal_is(void **state)
{
	struct progress p;
	char buf[8];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	(void)setenv("TERM", "xterm", 1);
	progress_init(&p, ends[1]);
	p.after_ns = 0;
	progress_start(&p, STR("reading"));
	progress_bytes(&p, 1, 2);
	progress_end(&p);
	progress_start(NULL, STR("reading"));
	progress_bytes(NULL, 1, 2);
	progress_end(NULL);
	(void)close(ends[1]);
	assert_int_equal(read(ends[0], buf, sizeof(buf)), 0);
	(void)close(ends[0]);
}

static void test_a_terminal_that_cannot_erase_is_none(void **state)
{
	struct progress p;
	int other;
	int fd = terminal_open(&other);

	(void)state;
	if (fd < 0)
		SKIP_TEST("no pseudo terminal");
	(void)setenv("TERM", "dumb", 1);
	progress_init(&p, fd);
	assert_int_equal(p.fd, -1);
	(void)close(fd);
	(void)close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_work_is_told_and_erased),
		cmocka_unit_test(test_things_are_counted_and_long_names_cut),
		cmocka_unit_test(test_short_work_is_not_told),
		cmocka_unit_test(test_nothing_is_told_where_no_terminal_is),
		cmocka_unit_test(test_a_terminal_that_cannot_erase_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
