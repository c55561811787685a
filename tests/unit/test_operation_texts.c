/* SPDX-License-Identifier: MIT */
/* Which fields of events and messages may name an operation, and which texts belong to one. */
#include "unit.h"

#include "analyses/operations/operation_key.h"
#include "analyses/operations/operation_words.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

/* Keys as NAME, n, and 0; f or b, and the position from the front or back; t: the thread. */
static const struct {
	const char *fields, *keys;
} rows[] = {
	{ "dev 8,0 tag=12 sector: 4096", "tagn0=12 sectorn0=4096 b0=8,0 f1=8,0" },
	{ "a b c", "" },
	{ "7", "f0=7 b0=7" },
	{ "x7 y8 z9", "f0=x7 b0=z9 f1=y8 b1=y8 f2=z9 b2=x7" },
	{ "(8,0) W [4096] {12} <13> '14' \"15\" #16.",
	  "f0=8,0 b0=16 b1=15 f2=4096 b2=14 f3=12 b3=13 f4=13 b4=12 f5=14 b5=4096 f6=15 f7=16 "
	  "b7=8,0" },
	{ "pid=1 pid=2", "pidn0=1 pidn0=1" },
	{ "tag: 5", "tagn0=5" },
	{ "tag:5", "tagn0=5" },
	{ "=5", "f0==5 b0==5" },
	{ "5=6", "f0=5=6 b0=5=6" },
	{ "a1=6", "a1n0=6" },
	{ "1a=6", "f0=1a=6 b0=1a=6" },
	{ "a=", "" },
	{ "a= 7", "an0=7" },
	{ "a: b: c", "an0=b:" },
	{ "_x=1", "_xn0=1" },
	{ "a-b=1", "f0=a-b=1 b0=a-b=1" },
	{ "a`b=1", "f0=a`b=1 b0=a`b=1" },
	{ "A[B=1", "f0=A[B=1 b0=A[B=1" },
	{ "z{=1 @=2", "f0=z{=1 b0=@=2 f1=@=2 b1=z{=1" },
	{ "Z=1 a=2 z=3 A=4", "Zn0=1 an0=2 zn0=3 An0=4" },
	{ "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12",
	  "f0=w1 b0=w12 f1=w2 b1=w11 f2=w3 b2=w10 f3=w4 b3=w9 f4=w5 b4=w8 f5=w6 b5=w7 f6=w7 b6=w6 "
	  "f7=w8 b7=w5" },
	{ "a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=1 k=2 l=3 m=4 n=5 o=6 p=7 q=8 r=9",
	  "an0=1 bn0=2 cn0=3 dn0=4 en0=5 fn0=6 gn0=7 hn0=8 in0=9 jn0=1 kn0=2 ln0=3 mn0=4 nn0=5 "
	  "on0=6 pn0=7" },
	{ "no digits here at all", "" },
	{ "k=v=w", "kn0=v=w" },
	{ "k:v=w", "" },
	{ "x:=3", "f0=x:=3 b0=x:=3" },
	{ ".5, 6; 7) 8] 9} 1' 2\" 3>",
	  "f0=.5 b0=3 f1=6 b1=2 f2=7 b2=1 f3=8 b3=9 f4=9 b4=8 f5=1 b5=7 f6=2 b6=6 f7=3 b7=.5" },
	{ "", "" },
	{ "a b c d e f g 9 h", "b1=9 f7=9" },
};

static void fields_are_named_or_have_a_place_from_either_end(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct operation_key keys[OPERATION_KEYS_MAX];
		struct str fields = str_of(rows[i].fields);
		size_t n = operation_keys_of(fields, keys);
		struct out out;

		assert_true(n >= 1 && n <= OPERATION_KEYS_MAX);
		assert_int_equal(keys[n - 1].kind, OPERATION_KEY_THREAD);
		out_init(&out);
		for (size_t k = 0; k + 1 < n; k++) {
			if (k)
				out_char(&out, ' ');
			out_str(&out, keys[k].name);
			out_printf(&out, "%c%u=", "nfb"[keys[k].kind], keys[k].at);
			out_str(&out, operation_key_value(&keys[k], fields));
		}
		if (!str_eq(out_view(&out), str_of(rows[i].keys))) {
			print_error("%s: " STR_FMT "\n", rows[i].fields, STR_ARG(out_view(&out)));
			wrong++;
		}
		out_fini(&out);
	}
	assert_int_equal(wrong, 0);
}

/* Texts of the same group belong to one operation, if one begins and one ends it. */
static const struct {
	const char *text;
	bool has_word, begins, ends;
	const char *name, *fields;
	unsigned int group;
} texts[] = {
	{ "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]", true, true, false, "block_rq_issue",
	  "8,0 W 4096 () 1000 + 8 [fio]", 0 },
	{ "block_rq_complete: 8,0 W () 1000 + 8 [0]", true, false, true, "block_rq_complete",
	  "8,0 W () 1000 + 8 [0]", 0 },
	{ "sys_enter_read: fd 3", false, false, false, "sys_enter_read", "fd 3", 1 },
	{ "x_entry: a", false, false, false, "x_entry", "a", 1 },
	{ "sched_switch: prev", false, false, false, "sched_switch", "prev", 1 },
	{ "rcu_utilization: start", false, false, false, "rcu_utilization", "start", 1 },
	{ "funcgraph_entry: func", false, false, false, "funcgraph_entry", "func", 1 },
	{ "checkpoint 7 started", true, true, false, "checkpoint 7 started", "checkpoint 7 started",
	  2 },
	{ "Checkpoint starting: time", true, true, false, "Checkpoint starting",
	  "Checkpoint starting: time", 2 },
	{ "checkpoint starting in 5 s", true, true, false, "checkpoint starting",
	  "checkpoint starting in 5 s", 2 },
	{ "checkpoint complete: wrote 5", true, false, true, "checkpoint complete",
	  "checkpoint complete: wrote 5", 2 },
	{ "started", false, true, false, "started", "started", 3 },
	{ "the job of x started", true, true, false, "the job of x started", "the job of x started",
	  4 },
	{ "a b c d e f g started", true, true, false, "a b c d e f g started",
	  "a b c d e f g started", 5 },
	{ "a b c d e f g h started", false, false, false, "a b c d e f g h",
	  "a b c d e f g h started", 6 },
	{ "a b c d e f g h i started", false, false, false, "a b c d e f g h",
	  "a b c d e f g h i started", 6 },
	{ "job \"x\" started", true, true, false, "job \"x\" started", "job \"x\" started", 7 },
	{ "job k=1 started", true, true, false, "job k=1 started", "job k=1 started", 7 },
	{ "request started for 5", true, true, false, "request started", "request started for 5",
	  8 },
	{ "after started", true, true, false, "after started", "after started", 9 },
	{ "job after started", false, false, false, "job", "job after started", 7 },
	{ "job With: started", false, false, false, "job", "job With: started", 7 },
	{ "job 5 (started)", true, true, false, "job 5 (started", "job 5 (started)", 7 },
	{ "!started", false, false, false, "!started", "!started", 10 },
	{ "job started!", true, true, false, "job started", "job started!", 7 },
	{ "job started: details more", true, true, false, "job started",
	  "job started: details more", 7 },
	{ "started: details more", false, false, false, "details more", "details more", 11 },
	{ "x: started", false, true, false, "started", "started", 3 },
	{ "job x: begin now", true, true, false, "job x: begin now", "job x: begin now", 12 },
	{ "issue: 5", false, false, false, "", "5", 3 },
	{ "block_issue_rq: 5", true, true, false, "block_issue_rq", "5", 13 },
	{ "issue_block: 5", true, true, false, "issue_block", "5", 14 },
	{ "abc def: 5", false, false, false, "abc def", "abc def: 5", 15 },
	{ "nothing here", false, false, false, "nothing here", "nothing here", 16 },
	{ " : x", false, false, false, " : x", " : x", 17 },
	{ "a:", false, false, false, "", "", 3 },
	{ "averyverylongwordthatexceedslimiabcdx started", true, true, false,
	  "averyverylongwordthatexceedslimiabcdx started",
	  "averyverylongwordthatexceedslimiabcdx started", 18 },
	{ "averyverylongwordthatexceedslimie started", true, true, false,
	  "averyverylongwordthatexceedslimie started", "averyverylongwordthatexceedslimie started",
	  18 },
	{ "averyverylongwordthatexceedslimq started", true, true, false,
	  "averyverylongwordthatexceedslimq started", "averyverylongwordthatexceedslimq started",
	  19 },
};

static void texts_of_an_operation_are_equal_without_their_words(void **state)
{
	struct operation_text t[ARRAY_LEN(texts)];
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		bool has_word = operation_words_event(str_of(texts[i].text), &t[i]);

		for (size_t k = 0; k < i; k++)
			wrong += (t[i].stem == t[k].stem) != (texts[i].group == texts[k].group);
		if (!wrong && has_word == texts[i].has_word &&
		    (t[i].begins != 0) == texts[i].begins && (t[i].ends != 0) == texts[i].ends &&
		    str_eq(t[i].name, str_of(texts[i].name)) &&
		    str_eq(t[i].fields, str_of(texts[i].fields)))
			continue;
		print_error("%s: '" STR_FMT "', '" STR_FMT "'\n", texts[i].text, STR_ARG(t[i].name),
			    STR_ARG(t[i].fields));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* Every word of operations.tsv is found in the name of an event, however long it is. */
static void every_word_of_the_table_is_found(void **state)
{
	char path[512];
	char line[1024];
	unsigned int words = 0;
	FILE *f;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/src/analyses/operations/operations.tsv",
		       unit_source());
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct str rest = str_trim(str_of(line));

		for (unsigned int column = 0; column < 2 && line[0] != '#'; column++) {
			struct str cell = str_sub(rest, 0, str_find_char(rest, '\t'));
			struct str word;

			rest = str_skip(rest, cell.len + 1);
			while (str_word(&cell, &word)) {
				bool is_whole = str_find_char(word, '_') < word.len;
				struct operation_text text;
				struct out name;

				out_init(&name);
				out_z(&name, is_whole ? "" : "made_");
				out_str(&name, word);
				out_z(&name, ": id=1");
				assert_true(operation_words_event(out_view(&name), &text));
				assert_true(column ? text.ends : text.begins);
				assert_str(text.fields, "id=1");
				out_fini(&name);
				words++;
			}
		}
	}
	(void)fclose(f);
	assert_true(words > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_named_or_have_a_place_from_either_end),
		cmocka_unit_test(texts_of_an_operation_are_equal_without_their_words),
		cmocka_unit_test(every_word_of_the_table_is_found),
	};

	return cmocka_run_group_tests_name("operation_texts", tests, NULL, NULL);
}
