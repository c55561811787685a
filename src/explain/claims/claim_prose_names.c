/* SPDX-License-Identifier: MIT */
#include "explain/claims/claim_prose_names.h"

#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"

#define PROSE_NAME_MIN 3u /* minimum number of letters in a name */
#define PROSE_END_MIN  6u /* minimum number of letters in the end of a name */
/* a longer name is compared as it is, without removing Go's marks of a receiver */
#define PROSE_PLAIN_MAX    256u
#define PROSE_SEARCHES_MAX 20000000u /* maximum number of comparisons of a word with names */

void prose_names_init(struct prose_names *n, const struct facts *f)
{
	const struct symbols *symbols = &f->dossier->symbols;

	*n = (struct prose_names){ .facts = f, .n = f->dossier->strings.views.len };
	n->is_function = xcalloc(n->n + 1, 1);
	VEC_FOREACH (row, &symbols->rows) {
		if (row->space == SPACE_COMM || row->flags & SYMBOL_ADDRESS)
			continue;
		n->is_function[row->name.v] = 1;
		n->is_function[row->canonical.v] = 1;
	}
	for (uint32_t i = 0; i < f->dossier->captures.len; i++) {
		if (!f->syscalls[i])
			continue;
		VEC_FOREACH (row, &f->syscalls[i]->rows)
			n->is_function[symbols_get(symbols, row->sym)->name.v] = 2;
	}
	n->is_function[0] = 0;
}

void prose_names_fini(struct prose_names *n)
{
	free(n->is_function);
}

/* Whether @c starts a part of a name: "S" in "sendSamples". */
static bool prose_is_hump(char before, char c)
{
	return char_is_lower(before) && char_is_upper(c);
}

/* Whether @word has a character or part that English words do not have. */
static bool prose_is_special(struct str word)
{
	bool is_special = word.len > 5 &&
			  (str_starts_nocase(word, STR("mem")) ||
			   str_starts_nocase(word, STR("str")) || str_ends(word, STR("alloc")));

	for (size_t i = 0; i < word.len; i++)
		is_special |= word.p[i] == '_' ||
			      (i > 0 && prose_is_hump(word.p[i - 1], word.p[i])) ||
			      word.p[i] == ':' ||
			      (i > 0 && i + 1 < word.len && strchr(".#", word.p[i])) ||
			      (char_is_digit(word.p[i]) && i > 0);
	return is_special;
}

static bool prose_is_english(struct str word)
{
	static const char words[] =
		"accept|access|alarm|bind|break|clone|close|connect|exit|fork|futex|kill|link|"
		"listen|mount|nice|open|pause|pipe|poll|read|recv|rename|select|send|splice|stat|"
		"sync|tee|time|times|truncate|wait|write";

	return str_glob(str_of(words), word);
}

/*
 * Return @name without Go's marks of a receiver: "client.TimeSeries.Unmarshal" for
 * "client.(*TimeSeries).Unmarshal". The result is in @buf; without such marks, it is @name.
 */
static struct str prose_plain_name(struct str name, char *buf, size_t size)
{
	size_t n = 0;

	if (name.len >= size || !str_contains(name, STR("(*")))
		return name;
	for (size_t i = 0; i < name.len; i++) {
		if (!strchr("(*)", name.p[i]))
			buf[n++] = name.p[i];
	}
	return (struct str){ buf, n };
}

/*
 * Whether @name is a variant of the C library's function @word, such as __memcmp_avx2_movbe of
 * memcmp.
 */
static bool prose_is_variant(struct str name, struct str word)
{
	static const char *const marks[] = { "_avx",  "_sse",       "_evex",    "_erms", "_ssse",
					     "_neon", "_unaligned", "_generic", NULL };

	while (name.len && name.p[0] == '_')
		name = str_skip(name, 1);
	if (!str_starts(name, word))
		return false;
	name = str_skip(name, word.len);
	for (const char *const *mark = marks; *mark; mark++) {
		if (str_starts(name, str_of(*mark)))
			return true;
	}
	return false;
}

/*
 * If there are functions "@word(int)" or "@word<int>", return @word: claims match such names
 * without their types. Otherwise return the only function whose name ends in @word, if @word begins
 * after a character that separates parts of a name: "pkg.(*DB).run" for "DB).run". A variant of the
 * function @word (prose_is_variant()) counts as such a function, too. STR_NONE: no function or
 * several.
 */
static struct str prose_name_part(struct prose_names *n, struct str word)
{
	struct str found = STR_NONE;
	bool is_many = false;

	if (word.len < PROSE_END_MIN || n->n_searches > PROSE_SEARCHES_MAX)
		return found;
	n->n_searches += n->n;
	for (uint32_t i = 1; i < n->n; i++) {
		struct str name, plain;
		char buf[PROSE_PLAIN_MAX];

		if (!n->is_function[i])
			continue;
		name = strings_get(&n->facts->dossier->strings, (str_id){ i });
		if (name.len <= word.len)
			continue;
		if (str_starts(name, word) && strchr("(<", name.p[word.len]))
			return word;
		plain = prose_plain_name(name, buf, sizeof(buf));
		if (!(plain.len > word.len && str_ends(plain, word) &&
		      strchr(" ./*:#&", plain.p[plain.len - word.len - 1])) &&
		    !(str_ends(name, word) && strchr(" ./*:#&", name.p[name.len - word.len - 1])) &&
		    !prose_is_variant(name, word))
			continue;
		is_many |= found.len > 0;
		found = name;
	}
	return is_many ? STR_NONE : found;
}

bool prose_names_find(struct prose_names *n, struct str word, bool is_code, struct str *ret)
{
	bool is_special = is_code || prose_is_special(word);
	str_id id;

	if (word.len < PROSE_NAME_MIN)
		return false;
	id = strings_find(&n->facts->dossier->strings, word);
	*ret = word;
	if (id.v && id.v < n->n && n->is_function[id.v])
		return is_special || (n->is_function[id.v] == 2 && !prose_is_english(word));
	*ret = is_special ? prose_name_part(n, word) : STR_NONE;
	return ret->len > 0;
}
