/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/logs/log_summary.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/records.h"
#include "formats/format.h"
#include "seeds.h"
#include "texts.h"

DECLARE_FORMAT(vlog);

#define MS UINT64_C(1000000)

static void a_plain_record_gives_its_fields(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_vlog,
			  "2018-04-23T05:11:34.237Z|00015|raft|INFO|tcp:10.0.0.1:43412: learned "
			  "server ID 9e1c\n"
			  "2018-04-23T05:11:35Z|00016|daemon_unix(monitor)|ERR|1 crashes\n"
			  "1970-01-01T00:00:00.001Z|00003|x|EMER|a|b\n");
	const struct records *r = text_records(d);

	(void)state;
	assert_int_equal(r->rows.len, 3);
	assert_true(r->rows.data[0].has_time);
	assert_int_equal(r->rows.data[0].time_ns, UINT64_C(1524460294237) * MS);
	assert_int_equal(r->rows.data[0].sequence, 15);
	assert_int_equal(r->rows.data[0].level, LEVEL_INFO);
	assert_name(d, r->rows.data[0].module, "raft");
	assert_str(r->rows.data[0].text, "tcp:10.0.0.1:43412: learned server ID 9e1c");
	assert_int_equal(r->rows.data[1].time_ns, UINT64_C(1524460295000) * MS);
	assert_name(d, r->rows.data[1].module, "daemon_unix(monitor)");
	assert_name(d, r->rows.data[1].level_text, "ERR");
	assert_int_equal(r->rows.data[2].level, LEVEL_EMERGENCY);
	assert_int_equal(r->rows.data[2].time_ns, MS);
	assert_str(r->rows.data[2].text, "a|b");
	assert_int_equal(r->rows.data[2].line, 3);
	assert_int_equal(r->streams.data[0].clock, CLOCK_REALTIME);
}

static void threads_and_restarts_are_streams_of_their_own(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_vlog, "2020-01-01T00:00:00.000Z|00001|raft|INFO|a\n"
					"2020-01-01T00:00:01.000Z|00001|upcall(handler1)|INFO|b\n"
					"2020-01-01T00:00:02.000Z|00002|raft|INFO|c\n"
					"2020-01-01T00:00:03.000Z|00002|upcall(handler1)|INFO|d\n"
					"2020-01-01T00:00:04.000Z|00001|raft|INFO|started again\n");
	const struct records *r = text_records(d);
	static const uint32_t streams[] = { 0, 1, 0, 1, 2 };

	(void)state;
	assert_int_equal(r->rows.len, 5);
	assert_int_equal(r->streams.len, 3);
	for (size_t i = 0; i < ARRAY_LEN(streams); i++)
		assert_int_equal(r->rows.data[i].stream, streams[i]);
	assert_name(d, r->streams.data[0].process, "ovsdb-server");
}

static void the_old_process_may_still_write(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(&format_vlog,
				      "2020-01-01T00:00:00.000Z|00006|raft|INFO|a\n"
				      "2020-01-01T00:00:01.000Z|00001|raft|INFO|started again\n"
				      "2020-01-01T00:00:02.000Z|00002|raft|INFO|b\n"
				      "2020-01-01T00:00:03.000Z|00007|raft|INFO|the old one ends\n"
				      "2020-01-01T00:00:04.000Z|00003|raft|INFO|c\n"
				      "2020-01-01T00:00:05.000Z|00009|raft|INFO|after a gap\n");
	const struct records *r = text_records(d);
	static const uint32_t streams[] = { 0, 1, 1, 0, 1, 1 };

	(void)state;
	assert_int_equal(r->rows.len, 6);
	assert_int_equal(r->streams.len, 2);
	for (size_t i = 0; i < ARRAY_LEN(streams); i++)
		assert_int_equal(r->rows.data[i].stream, streams[i]);
}

static void titles_name_process_and_node(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_vlog, "#node 2 ovsdb-server-nb logs\n\n"
					"2020-01-01T00:00:00.000Z|00001|timeval|INFO|a\n\n"
					"#Node1\n"
					"2020-01-01T00:00:00.000Z|00007|ovn_northd|INFO|b\n"
					"#HV\n"
					"^2020-01-01T00:00:00.000Z|00008|timeval|INFO|c\n");
	const struct records *r = text_records(d);

	(void)state;
	assert_int_equal(r->streams.len, 3);
	assert_name(d, r->streams.data[0].process, "ovsdb-server-nb");
	assert_name(d, r->streams.data[0].node, "node2");
	assert_name(d, r->streams.data[0].title, "#node 2 ovsdb-server-nb logs");
	assert_int_equal(r->streams.data[0].title_line, 1);
	assert_name(d, r->streams.data[1].process, "ovn-northd");
	assert_name(d, r->streams.data[1].node, "node1");
	assert_name(d, r->streams.data[2].node, "HV");
	assert_int_equal(r->streams.data[2].process.v, 0);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "vlog-prefix-junk"), 1);
}

static void wrapped_records_are_joined(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_vlog,
		"2020-01-01T00:00:00.000Z|00001|poll_loop|INFO|wakeup due to [POLLIN] on\n"
		"fd 32 (10.0.0.1:1<->10.0.0.2:2) at lib/stream-fd.c:157\n"
		"  (55%   CPU usage)\n\n"
		"2020-01-01T00:00:00.000Z|00002|coverage|\n"
		"INFO|one two\n"
		"2020-01-01T00:00:00.000Z|00003|coverage|\n");
	const struct records *r = text_records(d);

	(void)state;
	assert_int_equal(r->rows.len, 3);
	assert_str(r->rows.data[0].text,
		   "wakeup due to [POLLIN] on fd 32 (10.0.0.1:1<->10.0.0.2:2) at "
		   "lib/stream-fd.c:157 (55% CPU usage)");
	assert_int_equal(r->rows.data[0].last_line, 3);
	assert_str(r->rows.data[1].text, "one two");
	assert_int_equal(r->rows.data[1].level, LEVEL_INFO);
	assert_false(r->rows.data[1].is_truncated);
	assert_true(r->rows.data[2].is_truncated);
	assert_int_equal(r->rows.data[2].level, LEVEL_NONE);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "vlog-truncated"), 1);
}

static void prefixes_of_containers_and_syslog_are_understood(void **state)
{
	static const struct {
		const char *line, *process, *node;
		enum log_clock clock;
		uint64_t ms;
	} cases[] = {
		{ "2025-05-14T04:27:28.000Z [ovn-sb-db] 2025-05-14T04:27:27Z|00002|raft|INFO|x\n",
		  "ovn-sb-db", "", CLOCK_REALTIME, UINT64_C(1747196847000) },
		{ "2025-05-14T04:27:28.123456789Z stderr F "
		  "2025-05-14T04:27:27Z|00002|raft|INFO|x\n",
		  "ovsdb-server", "", CLOCK_REALTIME, UINT64_C(1747196847000) },
		{ "[pod/ovn-central-0/ovn-northd] 2025-05-14T04:27:27Z|00002|raft|INFO|x\n",
		  "ovn-northd", "", CLOCK_REALTIME, UINT64_C(1747196847000) },
		{ "nb_1  | 2025-05-14T04:27:27Z|00002|raft|INFO|x\n", "nb_1", "", CLOCK_REALTIME,
		  UINT64_C(1747196847000) },
		{ "{\"log\":\"2025-05-14T04:27:27Z|00002|raft|INFO|x\\n\",\"stream\":\"stderr\"}\n",
		  "ovsdb-server", "", CLOCK_REALTIME, UINT64_C(1747196847000) },
		{ "Jan  2 00:00:01 box7 ovs-vswitchd[123]: ovs|00002|raft|INFO|x\n", "ovs-vswitchd",
		  "box7", CLOCK_YEAR, 86401000 },
		{ "2025-05-14T06:27:27.000+02:00 box7 ovs-vswitchd: ovs|00002|raft|INFO|x\n",
		  "ovs-vswitchd", "box7", CLOCK_REALTIME, UINT64_C(1747196847000) },
		{ "ovs|00002|raft|INFO|x\n", "ovsdb-server", "", CLOCK_NONE, 0 },
		{ "    raft|INFO|x\n", "ovsdb-server", "", CLOCK_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = text_load(&format_vlog, cases[i].line);
		const struct records *r = text_records(d);

		assert_int_equal(r->rows.len, 1);
		assert_str(r->rows.data[0].text, "x");
		assert_name(d, r->streams.data[0].process, cases[i].process);
		assert_name(d, r->streams.data[0].node, cases[i].node);
		assert_int_equal(r->streams.data[0].clock, cases[i].clock);
		assert_int_equal(r->rows.data[0].time_ns, cases[i].ms * MS);
		assert_int_equal(diag_get(&d->captures.data[0]->diag, "vlog-prefix-junk"), 0);
	}
}

static void what_looks_like_a_record_and_is_none_is_left(void **state)
{
	struct str text = STR("see https://example.org/a|b|c and |00015|raft|INFO|x\n"
			      "2018-99-23T05:11:34.237Z|00015|raft|INFO|no such month\n"
			      "2018-04-23T05:11:34.237Z|abc|raft|INFO|no number\n"
			      "2018-04-23T05:11:34.237Z | 15 | raft\n"
			      "\xc2\xa0|||||||||||||||||||||\n");
	struct extent e;

	(void)state;
	assert_false(format_vlog.find(text, 0, &e));
	assert_int_equal(format_vlog.probe(text), 0);
}

static void find_takes_a_section_with_its_title(void **state)
{
	struct str text = STR("Hello,\n\nnorthd.log:\n"
			      "2018-04-23T05:11:34.237Z|00015|raft|INFO|one\n"
			      "goes on\n\nRegards\n");
	struct extent e;

	(void)state;
	assert_true(format_vlog.find(text, 0, &e));
	assert_str(str_sub(text, e.from, e.to),
		   "northd.log:\n2018-04-23T05:11:34.237Z|00015|raft|INFO|one\ngoes on\n");
	assert_true(e.score >= 90);
	assert_false(format_vlog.find(text, e.to, &e));
}

static void the_mail_has_178_records_in_14_streams(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = seed_file("seeds/001_5cb8d1146f867adc.txt");
	size_t records = 0;
	size_t streams = 0;
	size_t elections = 0;
	size_t crashes = 0;
	size_t prerequisites = 0;
	size_t polls = 0;
	size_t wakeups = 0;
	size_t memory = 0;
	uint64_t dropped = 0;
	uint64_t truncated = 0;
	uint64_t texts = 0;
	uint64_t levels[LEVEL_EMERGENCY + 1] = { 0 };

	(void)state;
	if (!d)
		SKIP_TEST("../shared/seeds is missing");
	assert_true(d->inputs.data[0].encoding.v); /* quote marks of the mail are removed */
	VEC_FOREACH (slot, &d->captures) {
		struct log_summary s;

		if (strcmp((*slot)->format, "ovs-vlog") != 0)
			continue;
		VEC_FOREACH (rec, &(*slot)->records->rows) {
			texts = hash_u64(texts, rec->line);
			texts = hash_u64(texts, hash_str(rec->text));
		}
		log_summary_init(&s, *slot);
		records += s.n_records;
		streams += s.streams.len;
		truncated += s.n_truncated;
		elections += s.elections.len;
		crashes += s.crashes.len;
		prerequisites += s.prerequisites.len;
		dropped += s.dropped_messages;
		polls += s.long_polls.len;
		wakeups += s.wakeups.len;
		memory += s.memory.len;
		for (size_t i = 0; i < ARRAY_LEN(levels); i++)
			levels[i] += s.by_level[i];
		log_summary_fini(&s);
	}
	assert_int_equal(records, 178);
	assert_int_equal(streams, 14);
	assert_int_equal(truncated, 1);
	/* hash of all line numbers and messages, which another reader confirmed one by one */
	assert_int_equal(texts, UINT64_C(0x6ee475bab583a9e5));
	assert_int_equal(elections, 5);
	assert_int_equal(crashes, 3);
	assert_int_equal(prerequisites, 22);
	assert_int_equal(dropped, 69561);
	assert_int_equal(polls, 2);
	assert_int_equal(wakeups, 12);
	assert_int_equal(memory, 12);
	assert_int_equal(levels[LEVEL_INFO], 145);
	assert_int_equal(levels[LEVEL_WARN], 27);
	assert_int_equal(levels[LEVEL_ERROR], 4);
	assert_int_equal(levels[LEVEL_EMERGENCY], 1);
	assert_int_equal(levels[LEVEL_NONE], 1);
}

static void container_logs_lose_no_record(void **state)
{
	static const struct {
		const char *path;
		size_t records;
	} files[] = {
		{ "corpus/given/ovs-vlog/ovn-northd-k8s.log", 250 },
		{ "corpus/given/ovs-vlog/ovn-sb-db-server-k8s.log", 8704 },
		{ "corpus/given/ovs-vlog/ovsdb-relay-k8s.log", 108 },
		{ "corpus/given/ovs-vlog/ovsdb-monitor-initial-changeset.commit.txt", 1 },
		{ "corpus/given/ovs-vlog/raft-busy-loop-election.commit.txt", 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		CLEANUP(dossier_freep) struct dossier *d = seed_file(files[i].path);

		if (!d)
			SKIP_TEST("../shared/corpus is missing");
		assert_int_equal(d->captures.len, 1);
		assert_int_equal(text_records(d)->rows.len, files[i].records);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_record_gives_its_fields),
		cmocka_unit_test(threads_and_restarts_are_streams_of_their_own),
		cmocka_unit_test(the_old_process_may_still_write),
		cmocka_unit_test(titles_name_process_and_node),
		cmocka_unit_test(wrapped_records_are_joined),
		cmocka_unit_test(prefixes_of_containers_and_syslog_are_understood),
		cmocka_unit_test(what_looks_like_a_record_and_is_none_is_left),
		cmocka_unit_test(find_takes_a_section_with_its_title),
		cmocka_unit_test(the_mail_has_178_records_in_14_streams),
		cmocka_unit_test(container_logs_lose_no_record),
	};

	return cmocka_run_group_tests_name("vlog", tests, NULL, NULL);
}
