/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/command/progress.h"
#include "base/status.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A pseudo terminal and its other end. fd -1: not available. */
struct terminal {
	int fd;
	int other;
	char text[512];
};

static struct terminal *terminal_open(void)
{
	struct terminal *t = xcalloc(1, sizeof(*t));

	(void)setenv("TERM", "xterm", 1);
	t->fd = -1;
	t->other = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->other >= 0 && grantpt(t->other) == 0 && unlockpt(t->other) == 0)
		t->fd = open(ptsname(t->other), O_RDWR | O_NOCTTY);
	return t;
}

static void terminal_close(struct terminal **held)
{
	struct terminal *t = *held;

	if (t->fd >= 0)
		(void)close(t->fd);
	if (t->other >= 0)
		(void)close(t->other);
	free(t);
}

/* The text that was written to the terminal. */
static struct str terminal_text(struct terminal *t)
{
	ssize_t n;

	(void)fcntl(t->other, F_SETFL, O_NONBLOCK);
	n = read(t->other, t->text, sizeof(t->text));
	return (struct str){ t->text, n > 0 ? (size_t)n : 0 };
}

static void test_long_work_is_shown_and_erased(void **state)
{
	struct progress p;
	CLEANUP(terminal_close) struct terminal *t = terminal_open();
	struct str s;

	(void)state;
	if (t->fd < 0)
		SKIP_TEST("no pseudo terminal");
	progress_init(&p, t->fd);
	assert_int_equal(p.fd, t->fd);
	p.after_ns = 0;
	progress_start(&p, STR("reading a.data"));
	progress_bytes(&p, 43, 100);
	s = terminal_text(t);
	assert_true(str_starts(s, STR("\rreading a.data: 43 %, ")));
	assert_true(str_ends(s, STR("/s\033[K")));
	assert_true(p.next_ns >= p.began_ns + PROGRESS_EVERY_NS);
	p.next_ns = UINT64_MAX; /* not due again, however slow this machine is */
	progress_bytes(&p, 44, 100);
	assert_int_equal(terminal_text(t).len, 0);
	progress_end(&p);
	s = terminal_text(t);
	assert_true(str_eq(s, STR("\r\033[K")));
	progress_end(&p); /* nothing left to erase */
	assert_int_equal(terminal_text(t).len, 0);
}

static void test_things_are_counted_and_long_names_cut(void **state)
{
	struct progress p;
	CLEANUP(terminal_close) struct terminal *t = terminal_open();
	char name[200];
	struct str s;

	(void)state;
	if (t->fd < 0)
		SKIP_TEST("no pseudo terminal");
	for (size_t i = 0; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	progress_init(&p, t->fd);
	p.after_ns = 0;
	progress_start(&p, (struct str){ name, sizeof(name) });
	progress_count(&p, 1, 4, "files");
	s = terminal_text(t);
	assert_int_equal(s.len, 1 + 62 + strlen(": 25 %, 1 of 4 files\033[K"));
	assert_true(str_ends(s, STR("\xc3\xa4: 25 %, 1 of 4 files\033[K")));
}

static void test_short_work_is_not_shown(void **state)
{
	struct progress p;
	CLEANUP(terminal_close) struct terminal *t = terminal_open();

	(void)state;
	if (t->fd < 0)
		SKIP_TEST("no pseudo terminal");
	progress_init(&p, t->fd);
	assert_int_equal(p.after_ns, PROGRESS_AFTER_NS);
	p.after_ns = UINT64_MAX / 2; /* longer than any test */
	progress_start(&p, STR("reading a.data"));
	progress_bytes(&p, 43, 100);
	progress_end(&p);
	assert_int_equal(terminal_text(t).len, 0);
}

static void test_nothing_is_shown_without_a_terminal(void **state)
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
	CLEANUP(terminal_close) struct terminal *t = terminal_open();

	(void)state;
	if (t->fd < 0)
		SKIP_TEST("no pseudo terminal");
	(void)setenv("TERM", "dumb", 1);
	progress_init(&p, t->fd);
	assert_int_equal(p.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_work_is_shown_and_erased),
		cmocka_unit_test(test_things_are_counted_and_long_names_cut),
		cmocka_unit_test(test_short_work_is_not_shown),
		cmocka_unit_test(test_nothing_is_shown_without_a_terminal),
		cmocka_unit_test(test_a_terminal_that_cannot_erase_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
