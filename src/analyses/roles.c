/* SPDX-License-Identifier: MIT */
#include "analyses/roles.h"

#include "analyses/name_table.h"
#include "analyses/plain_name.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct role_text {
	const char *name;
	const char *noun;
	const char *cause;
	const char *next;
	const char *helper;
	enum role with; /* ROLE_NONE: it has a name of its own */
	const char *purpose;
	const char *traffic;
	const char *allocates;
};

#include "analyses/roles_table.h"

_Static_assert(ARRAY_LEN(role_texts) == ROLE_COUNT, "roles.tsv and roles.h differ");

static const struct name_table role_table = { role_patterns, role_nodes };

/* Placeholders for unknown names: "[libc.so]", "-", "??". */
static bool role_is_placeholder(struct str name)
{
	return (name.len > 1 && name.p[0] == '[' && name.p[name.len - 1] == ']') ||
	       str_eq(name, STR("-")) || str_starts(name, STR("??"));
}

static bool role_is_frame(struct str name, enum symbol_space space)
{
	return space != SPACE_COMM && !role_is_placeholder(name);
}

/* The role of @name, if its module has the line @best. */
static enum role role_in_module(struct name_match best, struct str name, struct str module,
				enum symbol_space space)
{
	struct plain_name plain;

	if (!symbol_name_is_address(name))
		best = name_table_of_name(&role_table, best, plain_name_make(&plain, name), module,
					  name_table_spaces(space));
	return best.pattern < 0 ? ROLE_NONE : (enum role)role_table.patterns[best.pattern].value;
}

enum role role_of_name(struct str name, struct str module, enum symbol_space space)
{
	if (!role_is_frame(name, space))
		return ROLE_TRANSPARENT;
	return role_in_module(name_table_of_module(&role_table, module, name_table_spaces(space)),
			      name, module, space);
}

static struct name_match role_module_of(struct role_cache *c, const struct symbols *symbols,
					sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct role_module *m = &c->modules[(s->module.v * 7 + s->space) % ROLE_MODULES];

	if (m->module.v != s->module.v || m->space != s->space + 1) {
		m->module = s->module;
		m->space = (uint8_t)(s->space + 1);
		m->best = name_table_of_module(&role_table, symbols_module(symbols, sym),
					       name_table_spaces((enum symbol_space)s->space));
	}
	return m->best;
}

enum role role_of(struct role_cache *c, const struct symbols *symbols, sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str name;
	enum role role;

	if (sym.v == 0 || sym.v >= symbols->rows.len)
		return ROLE_TRANSPARENT;
	if (sym.v >= c->by_sym.len) {
		size_t old = c->by_sym.len;

		VEC_RESERVE(&c->by_sym, symbols->rows.len);
		c->by_sym.len = symbols->rows.len;
		memset(c->by_sym.data + old, 0, c->by_sym.len - old);
	}
	if (c->by_sym.data[sym.v])
		return (enum role)(c->by_sym.data[sym.v] - 1);
	name = symbols_canonical(symbols, sym);
	role = role_is_frame(name, s->space)
		       ? role_in_module(role_module_of(c, symbols, sym), name,
					symbols_module(symbols, sym), s->space)
		       : ROLE_TRANSPARENT;
	c->by_sym.data[sym.v] = (uint8_t)(role + 1);
	return role;
}

void role_cache_fini(struct role_cache *c)
{
	VEC_FREE(&c->by_sym);
}

/* Words in names, by programmers' habits. The first one found in a name counts. */
static const struct {
	const char *words; /* separated by '|' */
	enum role role;
} role_words[] = {
	{ "rehash|resize|realloc|reallocate", ROLE_HASH_RESIZE },
	{ "spin|spinlock|spinwait|backoff", ROLE_SPIN },
	{ "lookup|find|search|scan|locate|linear|contains|traverse|indexof|match|matches",
	  ROLE_SEARCH },
	{ "iterate|iterator|foreach|each|next|walk|visit|enumerate|recurse", ROLE_ITERATE },
	{ "sort|qsort|sorted|heapify", ROLE_SORT },
	{ "parse|parser|lex|lexer|tokenize|token|tokenizer|scanner|yylex|yyparse", ROLE_PARSE },
	{ "format|printf|sprintf|stringify|print", ROLE_FORMAT },
	{ "serialize|deserialize|serialise|encode|decode|marshal|unmarshal|unpack",
	  ROLE_SERIALISE },
	{ "compare|cmp|equals|equal|memcmp|strcmp|less|eq", ROLE_COMPARE },
	{ "hash|hasher|hashcode|checksum", ROLE_HASH },
	{ "copy|clone|dup|memcpy|memmove|copied", ROLE_COPY },
	{ "alloc|malloc|allocate|allocator|calloc", ROLE_ALLOCATE },
	{ "free|destroy|release|dealloc|cleanup|clear", ROLE_FREE },
	{ "compress|deflate", ROLE_COMPRESS },
	{ "decompress|inflate|uncompress", ROLE_DECOMPRESS },
	{ "crc|crc32", ROLE_CHECKSUM },
	{ "encrypt|decrypt|cipher", ROLE_ENCRYPT },
	{ "lock|mutex|acquire|trylock", ROLE_LOCK },
	{ "poll|epoll", ROLE_POLL },
	{ "wait|waiting|await", ROLE_WAIT },
	{ "log|logger|trace|logging", ROLE_LOG },
	{ "regex|regexp", ROLE_REGEX },
	{ "insert|append|push|concat", ROLE_CONTAINER_GROW },
};

static char role_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool role_is_letter(char c)
{
	return role_lower(c) >= 'a' && role_lower(c) <= 'z';
}

static bool role_is_word_end(struct str s, size_t at)
{
	if (at >= s.len || !role_is_letter(s.p[at]))
		return true;
	/* "findNext": a capital after a small letter; "RBTree": a capital before a small letter */
	return s.p[at] >= 'A' && s.p[at] <= 'Z' &&
	       ((at && s.p[at - 1] >= 'a' && s.p[at - 1] <= 'z') ||
		(at + 1 < s.len && s.p[at + 1] >= 'a' && s.p[at + 1] <= 'z'));
}

/* Whether one of @words is a whole word of @s. */
static bool role_has_word(struct str s, struct str words)
{
	for (size_t from = 0; from < s.len; from++) {
		size_t to = from + 1;
		struct str rest = words;

		if (!role_is_letter(s.p[from]))
			continue;
		while (!role_is_word_end(s, to))
			to++;
		while (rest.len) {
			struct str one = str_sub(rest, 0, str_find_char(rest, '|'));
			size_t i = 0;

			rest = str_skip(rest, one.len + 1);
			while (one.len == to - from && i < one.len &&
			       role_lower(s.p[from + i]) == one.p[i])
				i++;
			if (one.len == to - from && i == one.len)
				return true;
		}
		from = to - 1;
	}
	return false;
}

enum role role_of_words(struct str name)
{
	struct plain_name plain;
	struct str last = plain_name_last(plain_name_make(&plain, name));

	for (size_t i = 0; i < ARRAY_LEN(role_words); i++) {
		if (role_has_word(last, str_of(role_words[i].words)))
			return role_words[i].role;
	}
	return ROLE_NONE;
}

const char *role_name(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].name;
}

const char *role_noun(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].noun;
}

const char *role_cause(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].cause;
}

bool role_is_helper(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].helper;
}

enum role role_with(enum role role)
{
	enum role with = role_texts[role < ROLE_COUNT ? role : 0].with;

	return with ? with : role;
}

bool role_is_purpose(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].purpose;
}

bool role_is_traffic(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].traffic;
}

bool role_is_allocation(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].allocates;
}

const char *role_next(enum role role)
{
	return role_texts[role < ROLE_COUNT ? role : 0].next;
}
