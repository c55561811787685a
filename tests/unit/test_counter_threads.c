/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "document/document.h"
#include "formats/load.h"

#include <stdio.h>

#define TITLES "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU %MEM     TIME+ COMMAND\n"
#define SHOP(pid, cpu, name) \
	"   " pid " shop      20   0 2093408 310220  18244 S   " cpu "  1.9   0:31.40 " name "\n"
#define THREADS SHOP("7101", "0.7", "shopd") SHOP("7105", "9.7", "Io0") SHOP("7106", "9.3", "Io1")
#define PROCESS SHOP("7101", "19.8", "shopd")

static struct dossier *threads_load(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	(void)(load_document(d, doc, "made.txt", NULL, NULL) < 0);
	return d;
}

/* The last capture of @text: 2: threads of one process, 1: threads, 0: neither. */
static int threads_kind(const char *text)
{
	CLEANUP(dossier_freep) struct dossier *d = threads_load(text);
	const struct counters *k = d->captures.data[d->captures.len - 1]->counters;

	return k->is_one_process ? 2 : k->is_threads;
}

static void threads_below_their_process_are_a_capture_of_their_own(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = threads_load(TITLES PROCESS "\nits threads:\n\n" TITLES THREADS);
	const struct capture *c = d->captures.data[1];

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_false(d->captures.data[0]->counters->is_threads);
	assert_int_equal(d->captures.data[0]->counters->n_intervals, 1);
	assert_int_equal(d->captures.data[0]->last_line, 2);
	assert_int_equal(d->captures.data[0]->counters->rows.data[0].task, 7101);
	assert_int_equal(c->first_line, 6);
	assert_int_equal(c->last_line, 9);
	assert_true(c->counters->is_one_process);
	assert_int_equal(c->counters->n_intervals, 1);
	/* NI and %CPU of each row, and the tasks in state D */
	assert_int_equal(c->counters->rows.len, 7);
	assert_int_equal(c->counters->rows.data[6].interval, 0);
	assert_str(capture_note_of(c, STR(COUNTERS_NOTE_THREADS)),
		   "VIRT 2093408 KiB, RES 310220 KiB, SHR 18244 KiB, %MEM 1.9");
}

static void snapshots_of_one_process_stay_together(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = threads_load(TITLES THREADS "\n" TITLES THREADS "\n" TITLES PROCESS);
	CLEANUP(dossier_freep)
	struct dossier *other = threads_load(TITLES THREADS "\n" TITLES SHOP(
		"81", "1.0", "bookd") SHOP("82", "1.0", "Io0") SHOP("83", "1.0", "Io1"));

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_int_equal(d->captures.data[0]->counters->n_intervals, 2);
	assert_int_equal(d->captures.data[0]->notes.len, 2);
	assert_int_equal(d->captures.data[1]->counters->n_intervals, 1);
	/* no thread is in both tables */
	assert_int_equal(other->captures.len, 2);
	assert_int_equal(other->captures.data[1]->counters->n_intervals, 1);
}

static void equal_sizes_show_threads_from_three_rows_with_two_names_on(void **state)
{
	(void)state;
	assert_int_equal(threads_kind(TITLES THREADS), 2);
	assert_int_equal(threads_kind(TITLES PROCESS SHOP("7105", "9.7", "Io0")), 0);
	/* workers after fork() have the same sizes, and one name */
	assert_int_equal(threads_kind(TITLES SHOP("71", "0.7", "shopd") SHOP("72", "9.7", "shopd")
					      SHOP("73", "9.3", "shopd")),
			 0);
	/* one process, three times */
	assert_int_equal(threads_kind(TITLES SHOP("71", "0.7", "sh") SHOP("71", "9.7", "shopd")
					      SHOP("71", "9.3", "shopd")),
			 0);
}

static void one_other_size_shows_processes(void **state)
{
	static const char *const rows[] = {
		"   7107 shop      20   0 2093409 310220  18244 S   0.7  1.9   0:31.40 Io2\n",
		"   7107 shop      20   0 2093408 310221  18244 S   0.7  1.9   0:31.40 Io2\n",
		"   7107 shop      20   0 2093408 310220  18245 S   0.7  1.9   0:31.40 Io2\n",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		(void)snprintf(text, sizeof(text), "%s%s", TITLES THREADS, rows[i]);
		assert_int_equal(threads_kind(text), 0);
	}
	/* threads of the kernel have no memory */
	assert_int_equal(threads_kind(TITLES "  1 root 20 0 0 0 0 S 0.7 0.0 0:31.40 kthreadd\n"
					     "  2 root 20 0 0 0 0 S 0.7 0.0 0:31.40 kswapd0\n"
					     "  3 root 20 0 0 0 0 S 0.7 0.0 0:31.40 kswapd1\n"),
			 0);
}

static void the_head_of_top_or_its_command_says_what_rows_are(void **state)
{
	static const char one[] =
		TITLES PROCESS SHOP("7105", "9.7", "shopd") SHOP("7106", "9.7", "shopd");
	static const struct {
		const char *above;
		int kind;
	} cases[] = {
		{ "Threads:   3 total,   1 running\n\n", 2 },
		{ "$ top -bHn1 -p 7101\n", 2 },
		{ "top -H\n", 2 },
		{ "$ top -b\n", 0 },
		{ "use top -H\n", 0 },
		/* the nearest line counts */
		{ "Threads:   3 total\na\nb\nTasks:   3 total\n\n", 0 },
		/* a head above other lines is not about this table */
		{ "Threads: 3\na\nb\nc\nd\ne\nf\ng\nh\n", 0 },
		{ "Threads: 3\na\nb\nc\nd\ne\nf\ng\n", 2 },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		(void)snprintf(text, sizeof(text), "%s%s", cases[i].above, one);
		assert_int_equal(threads_kind(text), cases[i].kind);
	}
	/* rows of other processes: which threads belong together is unknown */
	assert_int_equal(threads_kind("Threads:   3 total\n\n" TITLES THREADS
				      "  9 web 20 0 9 9 9 S 0.7 0.0 0:31.40 nginx\n"),
			 1);
	assert_int_equal(threads_kind("Tasks:   3 total\n\n" TITLES THREADS), 0);
}

static void ps_prints_the_number_of_the_thread(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = threads_load("    PID     LWP %CPU   RSS S COMMAND\n"
					 "   7101    7101  0.1 31022 S shopd\n"
					 "   7101    7105 12.1 31022 D io-0\n");
	const struct capture *c = d->captures.data[0];

	(void)state;
	assert_true(c->counters->is_one_process);
	assert_int_equal(c->counters->rows.data[1].task, 7105);
	assert_str(capture_note_of(c, STR(COUNTERS_NOTE_PROCESS)), "7101");
	assert_str(capture_note_of(c, STR(COUNTERS_NOTE_THREADS)), "RSS 31022 KiB");
	assert_int_equal(threads_kind("PID TID %CPU COMMAND\n71 71 0.1 shopd\n72 73 0.1 io-0\n"),
			 1);
	/* without -L, the thread is that of the process */
	assert_int_equal(threads_kind("PID SPID %CPU COMMAND\n71 71 0.1 shopd\n72 72 0.1 io-0\n"),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_below_their_process_are_a_capture_of_their_own),
		cmocka_unit_test(snapshots_of_one_process_stay_together),
		cmocka_unit_test(equal_sizes_show_threads_from_three_rows_with_two_names_on),
		cmocka_unit_test(one_other_size_shows_processes),
		cmocka_unit_test(the_head_of_top_or_its_command_says_what_rows_are),
		cmocka_unit_test(ps_prints_the_number_of_the_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
