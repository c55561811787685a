/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "document/mail/unwrap.h"

#include <stdio.h>
#include <stdlib.h>

struct unwrap_case {
	const char *head, *tail, *joined;
};

static const struct unwrap_case unwrap_glued[] = {
	{ "|ovsdb_idl|INFO|tcp:192.168.22",
	  "0.102:6642:", "|ovsdb_idl|INFO|tcp:192.168.220.102:6642:" },
	{ "WARN|tcp:192.168.10", ".10:57298:", "WARN|tcp:192.168.10.10:57298:" },
	{ "INFO|adding b7bd (b7bd at tcp:", "192.0.2.103:6645) to",
	  "INFO|adding b7bd (b7bd at tcp:192.0.2.103:6645) to" },
	{ "on fd 13 (<->/root/sandbox-192.0.2.4", "5/br-int.mgmt)",
	  "on fd 13 (<->/root/sandbox-192.0.2.45/br-int.mgmt)" },
	{ "WARN|unix:/root/sandbox-", "192.0.2.45/br-int.mgmt: connected",
	  "WARN|unix:/root/sandbox-192.0.2.45/br-int.mgmt: connected" },
	{ "error 4 in libc-2.23.so[7f96e9c96000+", "1c0000]",
	  "error 4 in libc-2.23.so[7f96e9c96000+1c0000]" },
	{ "--db=\"tcp:192.0.2.101:6641", ",tcp:192.0.2.102:6641",
	  "--db=\"tcp:192.0.2.101:6641,tcp:192.0.2.102:6641" },
	{ "tcp:192.0.2.102:6641,tcp:192.", "0.2.103:6641: refused",
	  "tcp:192.0.2.102:6641,tcp:192.0.2.103:6641: refused" },
	{ "eid 7ead0c6c-e30a-485c-bce5-098e", "6d714c72 does not",
	  "eid 7ead0c6c-e30a-485c-bce5-098e6d714c72 does not" },
	{ "commit 2062840612904ff0873d", "46b2f4f226bc23f2296d",
	  "commit 206284061290"
	  "4ff0873d46b2f4f226bc23f2296d" },
	{ "https://example.org/blob/scale_", "results/a.txt",
	  "https://example.org/blob/scale_results/a.txt" },
	{ "std::vector<int, std::allocator<", "int> >::push_back",
	  "std::vector<int, std::allocator<int> >::push_back" },
	{ "google::protobuf", "::Message", "google::protobuf::Message" },
	{ "std::map<int, long", ">::find", "std::map<int, long>::find" },
	{ "at 0x", "ffff8000", "at 0xffff8000" },
	{ "the wait-", "until command", "the wait-until command" },
};

static const struct unwrap_case unwrap_blanks[] = {
	{ "poll_loop|INFO|wakeup due to 9-ms", "timeout",
	  "poll_loop|INFO|wakeup due to 9-ms timeout" },
	{ "rejecting term 4 < current", "term", "rejecting term 4 < current term" },
	{ "rejecting term 4 <", "current term", "rejecting term 4 < current term" },
	{ "tcp:192.0.2.10:43412: learned", "server ID 9e1c",
	  "tcp:192.0.2.10:43412: learned server ID 9e1c" },
	{ "tcp:192.0.2.10:43412:", "learned", "tcp:192.0.2.10:43412: learned" },
	{ "after 10.0", "10 times", "after 10.0 10 times" },
	{ "version >= info->min_version && version <=", "info->max_version",
	  "version >= info->min_version && version <= info->max_version" },
	{ "transaction error:", "{\"details\":1}", "transaction error: {\"details\":1}" },
	{ "hmap_pathological", " 25.0/sec", "hmap_pathological 25.0/sec" },
	{ "hmap_expand", "4202.6/sec  4041.417/sec", "hmap_expand 4202.6/sec 4041.417/sec" },
	{ "crashes: pid", "16603 died", "crashes: pid 16603 died" },
	{ "wakeup due to [POLLIN] on", "fd 32 (192.0.2.1:1<->192.0.2.2:2)",
	  "wakeup due to [POLLIN] on fd 32 (192.0.2.1:1<->192.0.2.2:2)" },
	{ "at lib/stream-fd.c:157", "(55% CPU usage)", "at lib/stream-fd.c:157 (55% CPU usage)" },
	{ "sp 00007ffe6ac36120", "00007ffe6ac36121", "sp 00007ffe6ac36120 00007ffe6ac36121" },
	{ "std::vector<std::pair<int, int>", "> >", "std::vector<std::pair<int, int> > >" },
	{ "[kernel.kallsyms]", "[k] f", "[kernel.kallsyms] [k] f" },
	{ "store_snapshot__", "main", "store_snapshot__ main" },
	{ "- ", "- ", "- -" },
	{ "tcp:192.0.2.2 ", "0.102:1:", "tcp:192.0.2.2 0.102:1:" },
};

static void unwrap_check(const struct unwrap_case *c, enum unwrap want)
{
	struct out o;

	if (unwrap_decide(str_of(c->head), str_of(c->tail)) != want)
		print_error("'%s' + '%s'\n", c->head, c->tail);
	assert_int_equal(unwrap_decide(str_of(c->head), str_of(c->tail)), want);
	out_init(&o);
	out_z(&o, c->head);
	unwrap_append_squeezed(&o, str_of(c->tail));
	assert_str(out_view(&o), c->joined);
	out_fini(&o);
}

static void unwrap_glues_what_was_broken_inside_a_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unwrap_glued); i++)
		unwrap_check(&unwrap_glued[i], UNWRAP_GLUE);
}

static void unwrap_puts_a_blank_where_words_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unwrap_blanks); i++)
		unwrap_check(&unwrap_blanks[i], UNWRAP_BLANK);
}

static void unwrap_squeezes_runs_of_blanks(void **state)
{
	struct out o;

	(void)state;
	out_init(&o);
	unwrap_append_squeezed(&o, STR("  a"));
	unwrap_append_squeezed(&o, STR("   "));
	unwrap_append_squeezed(&o, STR("  9.8/sec    12.1/sec\t total: 3 "));
	assert_str(out_view(&o), "a 9.8/sec 12.1/sec total: 3");
	out_fini(&o);
}

/* The tests below read a table of correct line joins, which is not part of the project. */
static char *unwrap_file(const char *name)
{
	const char *root = getenv("ASSAY_SHARED");
	char path[4096];
	char *text;
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", root ? root : "", name);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	text = xmalloc((1u << 20) + 1);
	n = fread(text, 1, 1u << 20, f);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

/* The number after "name" in @json. */
static unsigned long unwrap_number(const char *json, const char *name)
{
	const char *p = strstr(json, name);

	assert_non_null(p);
	return strtoul(p + strlen(name), NULL, 10);
}

static void unwrap_message(const char *json, struct out *ret)
{
	const char *p = strstr(json, "\"message\": \"");

	assert_non_null(p);
	for (p += 12; *p && *p != '"'; p++) {
		if (*p == '\\')
			p++;
		out_char(ret, *p);
	}
}

static struct str unwrap_line(const char *text, unsigned long line)
{
	struct str all = str_of(text);
	struct str s = STR_NONE;

	while (line-- && str_line(&all, &s))
		;
	while (s.len && (s.p[0] == '>' || (s.p[0] == ' ' && s.len > 1 && s.p[1] == '>')))
		s = str_skip(s, 1);
	return s;
}

static void unwrap_joins_the_records_of_the_sample_mail(void **state)
{
	CLEANUP(freep) char *facts = unwrap_file("seedfacts/facts_001_log.json");
	CLEANUP(freep) char *mail = unwrap_file("seeds/001_5cb8d1146f867adc.txt");
	const char *p;
	unsigned int n = 0;

	(void)state;
	if (!facts || !mail)
		SKIP_TEST("../shared/seeds is missing");
	p = strstr(facts, "\"all_records\"");
	assert_non_null(p);
	while ((p = strstr(p, "\"line\": "))) {
		unsigned long line = unwrap_number(p, "\"line\": ");
		unsigned long lines = unwrap_number(p, "\"lines\": ");
		struct out want;
		struct out got;

		out_init(&want);
		out_init(&got);
		unwrap_message(p, &want);
		for (unsigned long i = 0; i < lines; i++)
			unwrap_append_squeezed(&got, unwrap_line(mail, line + i));
		if (!str_ends(out_view(&got), out_view(&want)))
			print_error("line %lu: '" STR_FMT "' not '" STR_FMT "'\n", line,
				    STR_ARG(out_view(&got)), STR_ARG(out_view(&want)));
		assert_true(str_ends(out_view(&got), out_view(&want)));
		out_fini(&want);
		out_fini(&got);
		n++;
		p++;
	}
	assert_int_equal(n, 178);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwrap_glues_what_was_broken_inside_a_word),
		cmocka_unit_test(unwrap_puts_a_blank_where_words_end),
		cmocka_unit_test(unwrap_squeezes_runs_of_blanks),
		cmocka_unit_test(unwrap_joins_the_records_of_the_sample_mail),
	};

	return cmocka_run_group_tests_name("unwrap", tests, NULL, NULL);
}
