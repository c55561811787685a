/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/syscalls/syscalls.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

DECLARE_FORMAT(strace);

static struct dossier *read_text(const char *text)
{
	struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "strace");
	return d;
}

static void a_line_is_a_call_with_its_result_time_and_error(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text(
		"[pid 71] 10:00:00.000100 openat(AT_FDCWD, \"/srv/a) = 9\", O_RDONLY) = 3 "
		"<0.000020>\n"
		"[pid 71] 10:00:00.000200 read(3</srv/a>, \"x\"..., 4096) = 1024 <0.000030>\n"
		"[pid 72] 10:00:00.000300 access(\"/srv/b\", R_OK) = -1 ENOENT (No such file) "
		"<0.000040>\n");
	const struct calls *c = d->captures.data[0]->calls;

	(void)state;
	assert_int_equal(c->n, 3);
	assert_int_equal(c->lanes.len, 2);
	assert_int_equal(c->lanes.data[1].pid, 72);
	assert_int_equal(calls_duration(c, 0), 20000);
	assert_int_equal(c->start_ns.data[1] - c->start_ns.data[0], 100000);
	assert_int_equal((int64_t)c->retval.data[0], 3);
	assert_int_equal((int64_t)c->retval.data[1], 1024);
	assert_int_equal((int64_t)c->retval.data[2], -2);
	assert_str(symbols_name(&d->symbols, c->sym.data[0]), "openat");
	assert_str(strings_get(&d->strings, c->args.data[0]),
		   "AT_FDCWD, \"/srv/a) = 9\", O_RDONLY");
	assert_int_equal(c->log_of, CALLS_OF_SYSTEM);
}

static void unfinished_and_resumed_are_one_call(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("71 10:00:00.000000 read(3,  <unfinished ...>\n"
				      "72 10:00:00.100000 getpid() = 72\n"
				      "71 10:00:00.250000 <... read resumed>\"abc\", 4096) = 3\n");
	const struct calls *c = d->captures.data[0]->calls;

	(void)state;
	assert_int_equal(c->n, 2);
	assert_int_equal(calls_duration(c, 0), 250000000);
	assert_int_equal(c->state.data[0] & CALL_STATE_MASK, CALL_CLOSED);
	assert_str(strings_get(&d->strings, c->args.data[0]), "3, \"abc\", 4096");
	assert_false(calls_is_timed(c, 1));
}

static void a_call_that_does_not_return_is_open(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("strace: Process 4711 attached\n"
				      "futex(0x7f3a1c0012d0, FUTEX_WAIT_PRIVATE, 2, NULL\n");
	struct syscalls_summary s;

	(void)state;
	syscalls_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.calls, 1);
	assert_int_equal(s.threads.data[0].open, 0);
	syscalls_summary_fini(&s);
}

static void relative_times_add_up_and_midnight_is_passed(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *r = read_text("     0.000000 getpid() = 7\n     0.001500 getpid() = 7\n"
				      "     0.000500 getpid() = 7\n");
	CLEANUP(dossier_freep)
	struct dossier *m = read_text("23:59:59.900000 getpid() = 7\n00:00:00.100000 getpid() = 7\n"
				      "00:00:00.300000 getpid() = 7\n");

	(void)state;
	assert_int_equal(r->captures.data[0]->calls->start_ns.data[2], 2000000);
	assert_int_equal(m->captures.data[0]->calls->start_ns.data[2] -
				 m->captures.data[0]->calls->start_ns.data[0],
			 400000000);
}

static void perf_trace_and_truss_and_ltrace_are_dialects(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *p = read_text(
		"     0.101 ( 0.017 ms): app/77 brk()                       = 0x55981ca59000\n"
		"     0.436 (         ): app/77 read(fd: 4</etc/x>, count: 9) ...\n"
		"     0.436 ( 4.209 ms): app/77  ... [continued]: read())     = 0\n");
	CLEANUP(dossier_freep)
	struct dossier *t = read_text("4711/2:\t open(\"/etc/motd\", O_RDONLY)\t Err#2 ENOENT\n");
	CLEANUP(dossier_freep)
	struct dossier *l = read_text("app->getenv(\"HOME\") = nil\napp->strlen(\"/srv\") = 4\n"
				      "app->puts(\"x\") = 2\n");
	const struct calls *c = p->captures.data[0]->calls;

	(void)state;
	assert_int_equal(c->n, 2);
	assert_int_equal(calls_duration(c, 0), 17000);
	assert_int_equal(calls_duration(c, 1), 4209000);
	assert_str(strings_get(&p->strings, c->lanes.data[0].comm), "app");
	assert_int_equal((int64_t)t->captures.data[0]->calls->retval.data[0], -2);
	assert_int_equal(l->captures.data[0]->calls->log_of, CALLS_OF_LIBRARIES);
	assert_str(symbols_name(&l->symbols, l->captures.data[0]->calls->sym.data[1]), "strlen");
}

static void paths_of_descriptors_and_errors_are_summed(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		read_text("open(\"/srv/log\", O_WRONLY) = 5\n"
			  "write(5, \"a\", 1) = 1\nwrite(5, \"b\", 1) = 1\n"
			  "close(5) = 0\nwrite(5, \"c\", 1) = -1 EBADF (Bad file)\n"
			  "epoll_wait(6, [], 8, 0) = 0\nepoll_wait(6, [], 8, 10) = 0\n");
	const struct capture *c = d->captures.data[0];
	const struct syscall_row *write;
	struct syscalls_summary s;

	(void)state;
	syscalls_summary_init(&s, c);
	write = syscalls_row(&s, c, "write");
	assert_int_equal(write->calls, 3);
	assert_int_equal(write->errors, 1);
	assert_int_equal(write->io_calls, 2);
	assert_int_equal(write->io_bytes, 2);
	assert_str(strings_get(&d->strings, s.objects.data[0].name), "/srv/log");
	assert_int_equal(s.objects.data[0].calls, 2);
	assert_int_equal(s.errors.data[0].error, -9);
	assert_int_equal(s.polls_zero, 1);
	assert_int_equal(s.polls_empty, 1);
	syscalls_summary_fini(&s);
}

static void a_sequence_is_found_with_its_shortest_period(void **state)
{
	struct out text = { .fd = -1 };
	struct dossier *d;
	struct syscalls_summary s;

	(void)state;
	for (int i = 0; i < 10; i++)
		out_z(&text, "lseek(3, 0, SEEK_SET) = 0\nread(3, \"x\", 1) = 1\n");
	out_char(&text, '\0');
	d = read_text(text.data);
	syscalls_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.cycle.n, 2);
	assert_int_equal(s.cycle.calls, 20);
	assert_str(symbols_name(&d->symbols, s.cycle.names[0]), "lseek");
	syscalls_summary_fini(&s);
	dossier_free(d);
	out_fini(&text);
}

static void prose_and_code_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"We call read(fd, buf) and then\nwrite(fd, buf) = 12 bytes are gone\nfoo(bar)\n",
		"\tret = open(path, O_RDONLY);\n\tif (read(fd, buf, 10) = 0)\n",
		"x = f(1) = 2\n",
		"  open(\"x\", 1);\n  close(3);\n",
	};

	(void)state;
	text_claims_none(&format_strace, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_call_with_its_result_time_and_error),
		cmocka_unit_test(unfinished_and_resumed_are_one_call),
		cmocka_unit_test(a_call_that_does_not_return_is_open),
		cmocka_unit_test(relative_times_add_up_and_midnight_is_passed),
		cmocka_unit_test(perf_trace_and_truss_and_ltrace_are_dialects),
		cmocka_unit_test(paths_of_descriptors_and_errors_are_summed),
		cmocka_unit_test(a_sequence_is_found_with_its_shortest_period),
		cmocka_unit_test(prose_and_code_are_nobodys),
	};

	return cmocka_run_group_tests_name("strace", tests, NULL, NULL);
}
