/* SPDX-License-Identifier: MIT */
/* Event arguments, with PMUs from plain files instead of sysfs. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "record/perf/rec.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct {
	const char *name;
	const char *text;
} files[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7,32-35\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/odd", "config:9-3\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/core-power", "event=0x28,umask=?\n" },
	{ "cpu/events/loop", "loop\n" },
	{ "uncore_imc_0/type", "20\n" },
	{ "uncore_imc_0/format/event", "config:0-7\n" },
};

static char root[64];

static int begin(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "words-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[160];
		const char *slash = files[i].name;
		FILE *f;

		while ((slash = strchr(slash + 1, '/'))) {
			(void)snprintf(path, sizeof(path), "%s/%.*s", root,
				       (int)(slash - files[i].name), files[i].name);
			(void)mkdir(path, 0700);
		}
		(void)snprintf(path, sizeof(path), "%s/%s", root, files[i].name);
		f = fopen(path, "w");
		if (!f)
			return -1;
		(void)fputs(files[i].text, f);
		(void)fclose(f);
	}
	return 0;
}

static int drop_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int end(void **state)
{
	(void)state;
	return nftw(root, drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct perf_event_attr taken(const char *word, struct rec_terms *terms)
{
	struct perf_event_attr a = { .size = sizeof(a) };
	struct error err = { "" };

	if (rec_word_take(str_of(word), root, &a, terms, &err) < 0) {
		print_error("%s: %s\n", word, err.msg);
		assert_true(false);
	}
	return a;
}

static void terms_of_a_pmu_go_where_its_format_says(void **state)
{
	struct rec_terms terms;
	struct perf_event_attr a = taken("cpu/event=0x3c,umask=0x1/", &terms);

	(void)state;
	assert_int_equal(a.type, 4);
	assert_true(a.config == 0x13c && a.config1 == 0 && !a.exclude_user);
	a = taken("cpu/event=0xabc,edge/", &terms);
	assert_true(a.config == (UINT64_C(0xa) << 32 | 0xbc | 1 << 18));
	a = taken("cpu/config=0x5,config1=7,ldlat=16/", &terms);
	assert_true(a.config == 5 && a.config1 == 23);
	a = taken("uncore_imc_0/event=4/", &terms);
	assert_true(a.type == 20 && a.config == 4);
}

static void names_of_a_pmu_stand_for_terms(void **state)
{
	struct rec_terms terms;
	struct perf_event_attr a = taken("cpu/mem-loads/P", &terms);

	(void)state;
	assert_true(a.config == 0x1cd && a.config1 == 3 && a.precise_ip == 3);
	a = taken("mem-loads:u", &terms);
	assert_true(a.type == 4 && a.config == 0x1cd && a.exclude_kernel && !a.exclude_user);
	a = taken("cpu/core-power,umask=0x2/", &terms);
	assert_true(a.config == 0x228);
}

static void a_period_and_a_name_are_no_bits(void **state)
{
	struct rec_terms terms;
	struct perf_event_attr a = taken("cpu/event=1,period=200003,name=stalls/k", &terms);

	(void)state;
	assert_true(a.config == 1 && a.exclude_user && !a.exclude_kernel);
	assert_true(terms.period == 200003 && terms.frequency == 0);
	assert_str(terms.name, "stalls");
	a = taken("cpu-clock/freq=49/", &terms);
	assert_int_equal(a.type, PERF_TYPE_SOFTWARE);
	assert_true(a.config == PERF_COUNT_SW_CPU_CLOCK && terms.frequency == 49);
	a = taken("r1a8:u", &terms);
	assert_true(a.type == PERF_TYPE_RAW && a.config == 0x1a8 && a.exclude_kernel);
}

static void what_does_not_fit_is_refused(void **state)
{
	static const struct {
		const char *word;
		int status;
	} bad[] = {
		{ "cpu/event=0x1000000/", ERR_USAGE },
		{ "cpu/event=x/", ERR_USAGE },
		{ "cpu/event=/", ERR_USAGE },
		{ "cpu/none=1/", ERR_USAGE },
		{ "cpu/none/", ERR_USAGE },
		{ "cpu/odd=1/", ERR_USAGE },
		{ "cpu/loop/", ERR_USAGE },
		{ "cpu/event=1", ERR_USAGE },
		{ "cpu/event=1/x", ERR_USAGE },
		{ "gpu/event=1/", ERR_NOTFOUND },
		{ "../cpu/event=1/", ERR_NOTFOUND },
		{ "cpu/../type/", ERR_USAGE },
		{ "cycles:z", ERR_USAGE },
		{ "no-such-event", ERR_NOTFOUND },
		{ "/config=1/", ERR_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct perf_event_attr a = { .size = sizeof(a) };
		struct rec_terms terms;
		struct error err = { "" };
		int status = rec_word_take(str_of(bad[i].word), root, &a, &terms, &err);

		if (status != bad[i].status || !err.msg[0]) {
			print_error("%s: %d %s\n", bad[i].word, status, err.msg);
			assert_true(false);
		}
	}
}

static void commas_between_slashes_do_not_part_events(void **state)
{
	(void)state;
	assert_str(rec_word_first(STR("cpu/event=1,umask=2/u,cycles")), "cpu/event=1,umask=2/u");
	assert_str(rec_word_first(STR("cycles,cpu/a,b/")), "cycles");
	assert_str(rec_word_first(STR("cpu/a,b")), "cpu/a,b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_of_a_pmu_go_where_its_format_says),
		cmocka_unit_test(names_of_a_pmu_stand_for_terms),
		cmocka_unit_test(a_period_and_a_name_are_no_bits),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(commas_between_slashes_do_not_part_events),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
