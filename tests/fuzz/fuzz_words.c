/* SPDX-License-Identifier: MIT */
/* Command line arguments with a grammar: conditions, events, filters, keys, limits. */
#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "record/perf/rec.h"
#include "record/window/when.h"
#include "transform/select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

static void fuzz_when(struct str text)
{
	struct error err = { "" };
	struct when w;
	char reason[160];

	if (when_parse(text, &w, &err) < 0) {
		FUZZ_CHECK(err.msg[0] && !w.text);
		return;
	}
	when_describe(&w, reason, sizeof(reason));
	FUZZ_CHECK(memchr(reason, '\0', sizeof(reason)));
	when_fini(&w);
}

static void fuzz_select(struct str text)
{
	for (unsigned int kind = 0; kind < SELECT_KINDS; kind++) {
		struct select_spec spec = { .is_relative = false };
		struct error err = { "" };
		int status = select_parse(&spec, (enum select_kind)kind, text, &err);

		FUZZ_CHECK(status == OK || err.msg[0]);
		if (status == OK)
			(void)select_has_number(&spec, (enum select_kind)kind, text.len);
		select_fini(&spec);
	}
}

static void fuzz_events(struct str list)
{
	while (list.len) {
		struct str word = rec_word_first(list);
		struct perf_event_attr a = { .size = sizeof(a) };
		struct rec_terms terms = { .period = 0 };
		struct error err = { "" };
		int status;

		FUZZ_CHECK(word.len <= list.len);
		status = rec_word_take(word, "/nonexistent", &a, &terms, &err);
		FUZZ_CHECK(status == OK || err.msg[0]);
		list = str_skip(list, word.len + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size < 4096 ? size : 4096 };
	struct str line;

	while (str_line(&text, &line)) {
		enum top_key key;

		fuzz_when(line);
		fuzz_select(line);
		fuzz_events(line);
		(void)top_key_find(line, &key);
	}
	return 0;
}
