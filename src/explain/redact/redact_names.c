/* SPDX-License-Identifier: MIT */
#include "explain/redact/redact_names.h"

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/names/redact.h"
#include "core/strings.h"
#include "explain/redact/redact_vocabulary.h"

#define REDACT_TRIES 400u
/*
 * after each group of this many attempts, the replacement gets one more letter, because all
 * replacements so far were in use
 */
#define REDACT_GROWS 50u
/* a longer name is not compared with patterns, so all of its letters are replaced */
#define REDACT_MATCHED 256u
#define REDACT_CUT_MIN 12u

static unsigned int redact_first(char c)
{
	return c == '*' || c == '?' ? 0 : (unsigned char)c;
}

void redact_names_init(struct redact_names *n, const struct redact_key *key)
{
	size_t at = 0;

	*n = (struct redact_names){ .key = *key };
	strings_init(&n->vocabulary);
	strings_init(&n->originals);
	strings_init(&n->taken);
	for (const char *const *w = redact_words; *w; w++)
		(void)strings_add(&n->vocabulary, str_of(*w));
	for (unsigned int c = 0; c < ARRAY_LEN(n->first); c++)
		n->first[c] = SIZE_MAX;
	for (; redact_patterns[at]; at++) {
		unsigned int c = redact_first(redact_patterns[at][0]);

		if (c && n->first[c] == SIZE_MAX)
			n->first[c] = at;
	}
	n->first[0] = 0;
}

void redact_names_fini(struct redact_names *n)
{
	strings_fini(&n->vocabulary);
	strings_fini(&n->originals);
	strings_fini(&n->taken);
	VEC_FREE(&n->rows);
	arena_fini(&n->arena);
}

static struct redact_name *redact_row(struct redact_names *n, struct str name)
{
	str_id id = strings_add(&n->originals, name);

	while (n->rows.len <= id.v)
		*VEC_PUSH(&n->rows) = (struct redact_name){ .is_judged = false };
	return &n->rows.data[id.v];
}

void redact_names_learn(struct redact_names *n, struct str name)
{
	(void)redact_row(n, name);
}

static bool redact_is_word(const struct redact_names *n, struct str name)
{
	char lower[REDACT_MATCHED];

	if (name.len > sizeof(lower))
		return false;
	return strings_find(&n->vocabulary, str_lower(name, lower)).v != 0;
}

/*
 * Whether @name is the beginning of a public word. A column of a table may have truncated the word.
 */
static bool redact_is_cut_word(struct str name)
{
	size_t low = 0;
	size_t high = redact_n_words;

	if (name.len < REDACT_CUT_MIN)
		return false;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (str_cmp(str_of(redact_words[mid]), name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < redact_n_words && str_starts(str_of(redact_words[low]), name);
}

/*
 * Set kept[i] if @pattern, which matches @name, has the character name[i] literally: for "*_lock"
 * and "my_lock", these are the last five characters.
 */
static void redact_mark(struct str pattern, struct str name, bool *kept)
{
	size_t at = 0;
	bool is_loose = false; /* a '*' precedes the literal */

	while (pattern.len) {
		size_t n = 0;
		struct str literal;
		size_t found;

		if (pattern.p[0] == '*' || pattern.p[0] == '?') {
			is_loose |= pattern.p[0] == '*';
			at += pattern.p[0] == '?';
			pattern = str_skip(pattern, 1);
			continue;
		}
		while (n < pattern.len && pattern.p[n] != '*' && pattern.p[n] != '?')
			n++;
		literal = str_sub(pattern, 0, n);
		pattern = str_skip(pattern, n);
		found = !is_loose          ? 0
			: pattern.len == 0 ? name.len - at - n
					   : str_find(str_skip(name, at), literal);
		for (size_t i = 0; i < n && at + found + i < name.len; i++)
			kept[at + found + i] = true;
		at += found + n;
		is_loose = false;
	}
}

/*
 * Index of the next pattern that matches @name and begins with @c, from index @at of
 * redact_patterns on. @c = 0: the pattern begins with '*' or '?'. SIZE_MAX: none.
 */
static size_t redact_match(struct str name, unsigned int c, size_t at)
{
	if (at == SIZE_MAX)
		return SIZE_MAX;
	for (; redact_patterns[at]; at++) {
		unsigned int first = redact_first(redact_patterns[at][0]);

		if (first != c) {
			/*
			 * Patterns are sorted by bytes. All patterns that begin with another
			 * character @c are adjacent, so the search ends after them. The patterns
			 * that begin with '*' or '?' are not adjacent: digits, for example, are
			 * sorted between them. The search for them ends after '?'.
			 */
			if (c || redact_patterns[at][0] > '?')
				return SIZE_MAX;
			continue;
		}
		if (str_glob(str_of(redact_patterns[at]), name))
			return at;
	}
	return SIZE_MAX;
}

/* Set kept[i] if any pattern that matches @name has the character name[i] literally. */
static void redact_keep(const struct redact_names *n, struct str name, bool *kept)
{
	unsigned int firsts[2] = { 0, redact_first(name.p[0]) };

	for (size_t i = 0; i < ARRAY_LEN(firsts); i++) {
		size_t at = redact_match(name, firsts[i], n->first[firsts[i]]);

		for (; at != SIZE_MAX; at = redact_match(name, firsts[i], at + 1))
			redact_mark(str_of(redact_patterns[at]), name, kept);
	}
}

/*
 * Whether any pattern matches the replacement @word, but not @name. Rules would then judge @word
 * differently.
 */
static bool redact_is_new_match(const struct redact_names *n, struct str name, struct str word)
{
	unsigned int firsts[2] = { 0, redact_first(word.p[0]) };

	for (size_t i = 0; i < ARRAY_LEN(firsts); i++) {
		size_t at = redact_match(word, firsts[i], n->first[firsts[i]]);

		for (; at != SIZE_MAX; at = redact_match(word, firsts[i], at + 1)) {
			if (!str_glob(str_of(redact_patterns[at]), name))
				return true;
		}
	}
	return false;
}

/* Random numbers that depend only on the key, the name and the number of the attempt. */
struct redact_stream {
	const struct redact_key *key;
	/*
	 * three numbers: hash of the name; number of the attempt; number of the block of random
	 * bits
	 */
	uint64_t seed[3];
	uint64_t block;
	unsigned int left;
};

static unsigned int redact_random(struct redact_stream *s, unsigned int n)
{
	unsigned int v;

	if (s->left == 0) {
		s->seed[2]++;
		s->block =
			redact_hash(s->key, (struct str){ (const char *)s->seed, sizeof(s->seed) });
		s->left = 8;
	}
	v = (unsigned int)(s->block & 255);
	s->block >>= 8;
	s->left--;
	return v * n / 256;
}

/* Write @name to @ret with random consonants instead of letters. Characters with kept[i] stay. */
static void redact_letters(struct redact_stream *s, struct str name, const bool *kept, char *ret)
{
	static const char small[] = "bcdfghjklmnpqrstvwxz";
	static const char large[] = "BCDFGHJKLMNPQRSTVWXZ";

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (kept && kept[i])
			ret[i] = c;
		else if (char_is_upper(c))
			ret[i] = large[redact_random(s, sizeof(large) - 1)];
		else if (c == '_' || char_is_digit(c))
			ret[i] = c;
		else
			ret[i] = small[redact_random(s, sizeof(small) - 1)];
	}
}

static bool redact_is_free(struct redact_names *n, struct str name, struct str word)
{
	return !strings_find(&n->originals, word).v && !strings_find(&n->taken, word).v &&
	       !redact_is_word(n, word) &&
	       (name.len > REDACT_MATCHED || !redact_is_new_match(n, name, word));
}

static struct redact_stream redact_stream_of(const struct redact_names *n, struct str name,
					     unsigned int try)
{
	return (struct redact_stream){ .key = &n->key,
				       .seed = { redact_hash(&n->key, name), try, 0 } };
}

/*
 * Choose an unused replacement for @name. It has the same length at first; after each REDACT_GROWS
 * attempts, it gets one more letter.
 */
static void redact_choose(struct redact_names *n, struct redact_name *row, struct str name,
			  const bool *kept)
{
	static const char more[] = "bcdfghjk";
	char *word = arena_alloc(&n->arena, name.len + REDACT_TRIES / REDACT_GROWS);

	for (unsigned int try = 0; try < REDACT_TRIES; try++) {
		struct redact_stream s = redact_stream_of(n, name, try);

		row->word = (struct str){ word, name.len };
		redact_letters(&s, name, kept, word);
		while (row->word.len < name.len + try / REDACT_GROWS)
			word[row->word.len++] = more[redact_random(&s, sizeof(more) - 1)];
		if (redact_is_free(n, name, row->word))
			break;
	}
	(void)strings_add(&n->taken, row->word);
	n->n_replaced++;
}

/* Whether @name has at least two letters. A single letter, as the T in a time, reveals nothing. */
static bool redact_is_name(struct str name)
{
	size_t n = 0;

	for (size_t i = 0; i < name.len; i++)
		n += !char_is_digit(name.p[i]) && name.p[i] != '_';
	return n > 1;
}

/* Return @name without the digits at its end: "cpu" for "cpu12". */
static struct str redact_stem(struct str name)
{
	while (name.len && char_is_digit(name.p[name.len - 1]))
		name.len--;
	return name;
}

static void redact_judge(struct redact_names *n, struct redact_name *row, struct str name)
{
	bool kept[REDACT_MATCHED] = { false };
	bool is_all = true;

	row->is_judged = true;
	row->is_public = redact_is_word(n, name) || redact_is_word(n, redact_stem(name)) ||
			 redact_is_cut_word(name);
	if (row->is_public)
		return;
	if (name.len <= REDACT_MATCHED)
		redact_keep(n, name, kept);
	for (size_t i = 0; i < name.len; i++)
		is_all &= i < REDACT_MATCHED &&
			  (kept[i] || name.p[i] == '_' || char_is_digit(name.p[i]));
	row->is_public = is_all;
	if (!row->is_public)
		redact_choose(n, row, name, name.len <= REDACT_MATCHED ? kept : NULL);
}

struct str redact_names_word(struct redact_names *n, struct str name)
{
	struct redact_name *row;

	if (!redact_is_name(name))
		return name;
	row = redact_row(n, name);
	if (!row->is_judged)
		redact_judge(n, row, name);
	return row->is_public ? name : row->word;
}

struct str redact_names_forced(struct redact_names *n, struct str name)
{
	struct redact_name *row;

	if (!redact_is_name(name))
		return name;
	row = redact_row(n, name);
	if (!row->is_judged)
		redact_judge(n, row, name);
	if (!row->word.len)
		redact_choose(n, row, name, NULL);
	return row->word;
}

/*
 * A random first digit for one of the four numbers of an IPv4 address. @n: its number of digits.
 * Numbers of three digits begin with 1, because a number above 255 is invalid.
 */
static char redact_first_digit(struct redact_stream *s, size_t n)
{
	return n == 3 ? '1' : (char)('1' + redact_random(s, 9));
}

static size_t redact_count_digits(struct str s)
{
	size_t n = 0;

	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	return n;
}

static void redact_number(struct redact_stream *s, struct str name, bool is_decimal, char *ret)
{
	static const char hex[] = "abcdef";

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];
		bool is_first = i == 0 || !char_is_digit(name.p[i - 1]);

		if (char_is_digit(c) && is_decimal && is_first)
			ret[i] = redact_first_digit(s, redact_count_digits(str_skip(name, i)));
		else if (char_is_digit(c))
			ret[i] = (char)('0' + redact_random(s, 10));
		else if (!is_decimal && char_hex(c) >= 0)
			ret[i] = (char)(hex[redact_random(s, 6)] - (c < 'a' ? 'a' - 'A' : 0));
		else
			ret[i] = c;
	}
}

struct str redact_names_digits(struct redact_names *n, struct str name, bool is_decimal)
{
	struct redact_name *row = redact_row(n, name);
	char *word;

	if (row->word.len)
		return row->word;
	word = arena_alloc(&n->arena, name.len);
	row->word = (struct str){ word, name.len };
	for (unsigned int try = 0; try < REDACT_TRIES; try++) {
		struct redact_stream s = redact_stream_of(n, name, try);

		redact_number(&s, name, is_decimal, word);
		if (!strings_find(&n->originals, row->word).v &&
		    !strings_find(&n->taken, row->word).v)
			break;
	}
	(void)strings_add(&n->taken, row->word);
	n->n_replaced++;
	return row->word;
}
