/* SPDX-License-Identifier: MIT */
#include "analyses/operations/operation_words.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"

/* maximum number of words of a message that form the name of its operation */
#define WORDS_STEM  8u
#define WORDS_BYTES 32u /* maximum length of a word that is compared */

struct operation_word {
	struct str word;
	uint32_t begins;
	uint32_t ends;
};

#include "operation_words_table.h"

/* words that end the name of an operation, because details follow: "saved" in "saved after 5 s" */
static const struct str words_stops[] = {
	STR("in"),   STR("for"),   STR("after"), STR("with"), STR("took"),
	STR("from"), STR("with:"), STR("at"),    STR("on"),   STR("to"),
};

/*
 * The entry of @word in operation_words, which is made from operations.tsv. Case is ignored. NULL:
 * none.
 */
static const struct operation_word *words_find(struct str word)
{
	char lower[WORDS_BYTES];
	size_t from = 0;
	size_t to = ARRAY_LEN(operation_words);

	if (word.len == 0 || word.len > sizeof(lower))
		return NULL;
	word = str_lower(word, lower);
	while (from < to) {
		size_t middle = (from + to) / 2;
		int order = str_cmp(operation_words[middle].word, word);

		if (order == 0)
			return &operation_words[middle];
		if (order < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/*
 * Look up @name in operations.tsv: as a whole, then each part between '_', the last part first.
 * "issue" is found in block_rq_issue. False: nothing is found, or @name has no '_'.
 */
static bool words_name(struct str name, struct operation_text *ret)
{
	const struct operation_word *whole = words_find(name);
	size_t end = name.len;

	if (whole && str_find_char(name, '_') < name.len) {
		ret->begins = whole->begins;
		ret->ends = whole->ends;
		ret->stem = 1;
		return true;
	}
	while (end > 0) {
		size_t at = str_rfind_char(str_sub(name, 0, end), '_');
		size_t from = at < end ? at + 1 : 0;
		const struct operation_word *w = words_find(str_sub(name, from, end));

		if (w) {
			ret->begins = w->begins;
			ret->ends = w->ends;
			ret->stem = hash_u64(hash_str(str_sub(name, 0, from)),
					     hash_str(str_skip(name, end)));
			return name.len > end - from;
		}
		end = from ? from - 1 : 0;
	}
	return false;
}

static bool words_is_stop(struct str word)
{
	for (size_t i = 0; i < ARRAY_LEN(words_stops); i++) {
		if (str_eq_nocase(words_stops[i], word))
			return true;
	}
	return false;
}

static bool words_is_field(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (char_is_digit(word.p[i]) || word.p[i] == '=' || word.p[i] == '"')
			return true;
	}
	return false;
}

/*
 * Whether @word is an auxiliary verb: "is" in "transform is finished", "has" in "backup has
 * completed".
 */
static bool words_is_auxiliary(struct str word)
{
	return str_glob(STR("is|was|are|were|has|have|been"), word);
}

static struct str words_bare(struct str word)
{
	while (word.len && str_find_char(STR("([{'<"), word.p[0]) < 5)
		word = str_skip(word, 1);
	while (word.len && str_find_char(STR(".,;:)]}'>!"), word.p[word.len - 1]) < 10)
		word.len--;
	return word;
}

bool operation_words_message(struct str text, struct operation_text *ret)
{
	struct str rest = text;
	unsigned int n = 0;
	struct str word;
	bool has_word = false;

	memset(ret, 0, sizeof(*ret));
	ret->fields = text;
	ret->stem = 2;
	while (n < WORDS_STEM && str_word(&rest, &word)) {
		struct str bare = words_bare(word);
		const struct operation_word *w = has_word ? NULL : words_find(bare);
		char lower[WORDS_BYTES];
		size_t len = bare.len < sizeof(lower) ? bare.len : sizeof(lower);

		if (n && words_is_stop(bare))
			break;
		if (words_is_field(word) || bare.len == 0)
			continue;
		ret->name = str_sub(text, 0, (size_t)(bare.p + bare.len - text.p));
		if (w) {
			ret->begins = w->begins;
			ret->ends = w->ends;
			has_word = true;
			/*
			 * a colon ends the name, because details follow: "checkpoint starting:
			 * time"
			 */
			if (n && word.p[word.len - 1] == ':')
				break;
			continue;
		}
		if (words_is_auxiliary(bare))
			continue;
		for (size_t i = 0; i < len; i++)
			lower[i] = (char)(bare.p[i] | 32);
		ret->stem = hash_u64(ret->stem, hash_str((struct str){ lower, len }));
		n++;
		/*
		 * after the word, a full stop ends the name: "start transform. 719 nodes in the
		 * graph"
		 */
		if (has_word && str_ends(word, STR(".")))
			break;
	}
	return has_word && n;
}

bool operation_words_event(struct str text, struct operation_text *ret)
{
	size_t colon = str_find_char(text, ':');
	struct str name = str_sub(text, 0, colon);

	if (colon == text.len || str_find_char(name, ' ') < colon)
		return operation_words_message(text, ret);
	memset(ret, 0, sizeof(*ret));
	ret->name = name;
	ret->fields = str_ltrim(str_skip(text, colon + 1));
	if (str_starts(name, STR("sys_")) || str_ends(name, STR("_entry")) ||
	    str_starts(name, STR("sched_")) || str_starts(name, STR("rcu_")) ||
	    str_starts(name, STR("funcgraph_")))
		return false;
	if (words_name(name, ret))
		return true;
	return operation_words_message(ret->fields, ret);
}
