/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "formats/load.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

DECLARE_FORMAT(vlog);

static const char made_up[] =
	"#node1 ovsdb-server-nb\n"
	"2020-01-01T00:00:00.000Z|00010|memory|INFO|2536 kB peak resident set size after 10.0 "
	"seconds\n"
	"2020-01-01T00:00:01.000Z|00011|memory|INFO|cells:28 json-caches:1\n"
	"2020-01-01T00:00:02.000Z|00012|memory|INFO|peak resident set size grew 51% in last 560.1 "
	"seconds, from 2536 kB to 3828 kB\n"
	"2020-01-01T00:00:03.000Z|00020|raft|INFO|Dropped 12983 log messages in last 14 seconds "
	"(most recently, 10 seconds ago) due to excessive rate\n"
	"2020-01-01T00:00:04.000Z|00021|raft|INFO|Dropped 17 log messages in last 2 seconds (most "
	"recently, 2 seconds ago) due to excessive rate\n"
	"2020-01-01T00:00:05.000Z|00022|raft|INFO|current entry eid "
	"7ead0c6c-e30a-485c-bce5-098e6d714c72 does not match prerequisite "
	"843202ec-313e-4b39-bcf2-a0cc4c440887 in execute_command_request\n"
	"2020-01-01T00:00:06.000Z|00023|raft|INFO|term 2: 1737 ms timeout expired, starting "
	"election\n"
	"2020-01-01T00:00:07.000Z|00024|timeval|WARN|Unreasonably long 1278ms poll interval "
	"(1044ms "
	"user, 232ms system)\n"
	"2020-01-01T00:00:08.000Z|00025|poll_loop|INFO|wakeup due to 0-ms timeout at "
	"ovsdb/raft.c:1825 (55% CPU usage)\n"
	"2020-01-01T00:00:09.000Z|00026|poll_loop|DBG|wakeup due to [POLLIN] on fd 32 (a at b) at "
	"ovsdb/raft.c:1825\n"
	"2020-01-01T00:00:10.000Z|00002|daemon_unix(monitor)|ERR|1 crashes: pid 16603 died, killed "
	"(Segmentation fault), core dumped, restarting\n"
	"2020-01-01T00:00:11.000Z|00027|memory|INFO|cells are 3\n";

static void sentences_become_facts(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = text_load(&format_vlog, made_up);
	struct log_summary s;

	(void)state;
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.memory.len, 2);
	assert_true(s.memory.data[0].is_first);
	assert_int_equal(s.memory.data[0].seconds_tenths, 100);
	assert_int_equal(s.memory.data[1].seconds_tenths, 5601);
	assert_int_equal(s.memory.data[1].from_kb, 2536);
	assert_int_equal(s.memory.data[1].to_kb, 3828);
	assert_int_equal(s.usage.len, 2);
	assert_str(s.usage.data[1].name, "json-caches");
	assert_int_equal(s.usage.data[0].value, 28);
	assert_int_equal(s.prerequisites.len, 1);
	assert_true(s.prerequisites.data[0].is_in_execute);
	assert_str(s.prerequisites.data[0].expected, "843202ec-313e-4b39-bcf2-a0cc4c440887");
	assert_int_equal(s.elections.len, 1);
	assert_int_equal(s.elections.data[0].timeout_ms, 1737);
	assert_int_equal(s.long_polls.len, 1);
	assert_int_equal(s.long_polls.data[0].system_ms, 232);
	assert_int_equal(s.crashes.len, 1);
	assert_int_equal(s.crashes.data[0].pid, 16603);
	assert_str(s.crashes.data[0].signal, "Segmentation fault");
	assert_true(s.crashes.data[0].is_core_dumped);
	assert_int_equal(s.wakeups.len, 2);
	assert_str(s.wakeups.data[1].why, "[POLLIN] on fd 32 (a at b)");
	assert_int_equal(s.wakeup_places.len, 1);
	assert_int_equal(s.wakeup_places.data[0].n, 2);
	assert_int_equal(s.wakeup_places.data[0].zero_timeouts, 1);
	assert_int_equal(s.wakeup_places.data[0].max_cpu_pct, 55);
	log_summary_fini(&s);
}

/* a vote is at most three records before the interval, and of the same stream */
static void leaders_and_refused_votes_are_gathered(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_vlog,
		"2020-01-01T00:00:00.000Z|00001|raft|INFO|term 3: elected leader by 2+ of 3 "
		"servers\n"
		"2020-01-01T00:00:01.000Z|00002|raft|INFO|ignoring vote request received as "
		"leader\n"
		"2020-01-01T00:00:01.000Z|00003|raft|INFO|a\n"
		"2020-01-01T00:00:01.000Z|00004|raft|INFO|b\n"
		"2020-01-01T00:00:01.000Z|00005|timeval|WARN|Unreasonably long 1278ms poll "
		"interval\n"
		"2020-01-01T00:00:02.000Z|00006|timeval|WARN|Unreasonably long 1200ms poll "
		"interval\n"
		"2020-01-01T00:00:03.000Z|00007|raft|INFO|server 9f00 is leader for term 4\n");
	struct log_summary s;

	(void)state;
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.leaders.len, 2);
	assert_true(s.leaders.data[0].is_self);
	assert_int_equal(s.leaders.data[0].term, 3);
	assert_int_equal(s.leaders.data[0].servers, 3);
	assert_false(s.leaders.data[1].is_self);
	assert_int_equal(s.leaders.data[1].term, 4);
	assert_int_equal(s.long_polls.data[0].vote_record, 1);
	assert_int_equal(s.long_polls.data[1].vote_record, INDEX_NONE);
	log_summary_fini(&s);
}

static void dropped_messages_are_accounted_for(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = text_load(&format_vlog, made_up);
	struct log_summary s;

	(void)state;
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.dropped_messages, 13000);
	assert_int_equal(s.dropped.data[0].active_seconds, 4);
	assert_int_equal(s.dropped.data[1].active_seconds, 1);
	assert_int_equal(s.dropped_total.len, 1);
	assert_int_equal(s.dropped_total.data[0].reports, 2);
	assert_str(strings_get(&d->strings, s.dropped_total.data[0].module), "raft");
	log_summary_fini(&s);
}

static void streams_know_their_gaps(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = text_load(&format_vlog, made_up);
	struct log_summary s;

	(void)state;
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.n_records, 12);
	assert_int_equal(s.streams.len, 2);
	assert_int_equal(s.streams.data[0].records, 11);
	assert_int_equal(s.streams.data[0].gaps, 1);
	assert_int_equal(s.streams.data[0].missing, 7);
	assert_int_equal(s.gaps.data[0].from, 12);
	assert_int_equal(s.gaps.data[0].to, 20);
	assert_int_equal(s.streams.data[0].last_ns - s.streams.data[0].first_ns,
			 UINT64_C(11000000000));
	assert_int_equal(s.by_source.len, 1);
	assert_int_equal(s.by_source.data[0].n, 12);
	assert_int_equal(s.by_module.len, 5);
	assert_int_equal(s.by_module.data[0].n, 4);
	assert_int_equal(s.by_level[LEVEL_DEBUG], 1);
	log_summary_fini(&s);
}

static void templates_drop_what_varies(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "tcp:10.0.0.1:6643: connected", "tcp:<addr>: connected" },
		{ "term 2: 1737 ms", "term <n>: <n> ms" },
		{ "eid 7ead0c6c-e30a-485c-bce5-098e6d714c72 x", "eid <id> x" },
		{ "server ID 9e1c, f038", "server ID <id>, <id>" },
		{ "at 0x7ff address", "at <id> address" },
		{ "grew 51% in 560.1 s", "grew <n>% in <n> s" },
		{ "claiming a2:1c:47:32:30:52", "claiming <addr>" },
		{ "facade deadbeef", "facade deadbeef" },
		{ "br-int2 took 5ms", "br-int<n> took <n>ms" },
		{ "CPU7ff Zone_9 z0", "CPU<n>ff Zone_<n> z<n>" },
		{ "10.0.0.255/24 up, 10.0.0.256 not", "<addr> up, <n>.<n> not" },
		{ "10.0.0.1:x 10.0.0.1- 10.0.0.1a", "<addr>:x <addr>- <n>.<n>a" },
		{ "a2:1c:47:32:30:52z 7ead0c6c-e30a-485c-bce5-098e6d714c72z",
		  "a<n>:<n>c:<n>:<n>:<n>:<n>z <id>-<id>-<id>-<id>-<n>e<n>d<n>c<n>z" },
		{ "abc1 ab1 1234 0x 0xg", "<id> ab<n> <n> <n>x <n>xg" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct out o;

		out_init(&o);
		log_template_text(str_of(cases[i].text), &o);
		assert_str(out_view(&o), cases[i].expected);
		out_fini(&o);
	}
}

static void an_empty_capture_has_an_empty_summary(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct log_summary s;

	(void)state;
	log_summary_init(&s, dossier_add(d, "none"));
	assert_int_equal(s.n_records, 0);
	log_summary_fini(&s);
}

struct source_total {
	const char *process, *node, *module;
	uint64_t n;
	uint64_t found;
};

static void add_source(struct source_total *totals, size_t n, struct str process, struct str node,
		       struct str module, uint64_t add)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(process, str_of(totals[i].process)) &&
		    str_eq(node, str_of(totals[i].node)) &&
		    str_eq(module, str_of(totals[i].module)))
			totals[i].found += add;
	}
}

static void the_mail_adds_up_by_source(void **state)
{
	struct source_total records[] = {
		{ "ovn-controller", "HV", "", 10, 0 },
		{ "ovn-northd", "", "", 6, 0 },
		{ "ovn-northd", "node1", "", 5, 0 },
		{ "ovn-northd", "node2", "", 4, 0 },
		{ "ovn-northd", "node3", "", 4, 0 },
		{ "ovsdb-server-nb", "", "", 36, 0 },
		{ "ovsdb-server-nb", "node1", "", 36, 0 },
		{ "ovsdb-server-nb", "node2", "", 27, 0 },
		{ "ovsdb-server-nb", "node3", "", 27, 0 },
		{ "ovsdb-server-sb", "", "", 23, 0 },
	};
	struct source_total dropped[] = {
		{ "ovsdb-server-nb", "node1", "poll_loop", 1359, 0 },
		{ "ovsdb-server-nb", "node1", "raft", 54603, 0 },
		{ "ovsdb-server-nb", "", "poll_loop", 7696, 0 },
		{ "ovn-controller", "HV", "poll_loop", 5903, 0 },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const char *shared = getenv("ASSAY_SHARED");
	char path[512];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/seeds/001_5cb8d1146f867adc.txt",
		       shared ? shared : "");
	if (access(path, R_OK) != 0)
		SKIP_TEST("../shared/seeds is missing");
	assert_int_equal(load_input(d, path, NULL, NULL), OK);
	VEC_FOREACH (slot, &d->captures) {
		struct log_summary s;

		if (strcmp((*slot)->format, "ovs-vlog") != 0)
			continue;
		log_summary_init(&s, *slot);
		VEC_FOREACH (c, &s.by_source)
			add_source(records, ARRAY_LEN(records),
				   strings_get(&d->strings, c->process),
				   strings_get(&d->strings, c->node), STR(""), c->n);
		VEC_FOREACH (t, &s.dropped_total)
			add_source(dropped, ARRAY_LEN(dropped),
				   strings_get(&d->strings, t->process),
				   strings_get(&d->strings, t->node),
				   strings_get(&d->strings, t->module), t->dropped);
		log_summary_fini(&s);
	}
	for (size_t i = 0; i < ARRAY_LEN(records); i++)
		assert_int_equal(records[i].found, records[i].n);
	for (size_t i = 0; i < ARRAY_LEN(dropped); i++)
		assert_int_equal(dropped[i].found, dropped[i].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences_become_facts),
		cmocka_unit_test(leaders_and_refused_votes_are_gathered),
		cmocka_unit_test(dropped_messages_are_accounted_for),
		cmocka_unit_test(streams_know_their_gaps),
		cmocka_unit_test(templates_drop_what_varies),
		cmocka_unit_test(an_empty_capture_has_an_empty_summary),
		cmocka_unit_test(the_mail_adds_up_by_source),
	};

	return cmocka_run_group_tests_name("log_summary", tests, NULL, NULL);
}
