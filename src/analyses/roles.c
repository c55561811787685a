/* SPDX-License-Identifier: MIT */
#include "analyses/roles.h"

#include "analyses/name_table.h"
#include "analyses/plain_name.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/stacks.h"

struct role_text {
	const char *name;
	const char *noun;
	const char *cause;
	const char *next;
	const char *helper;
	/* role under which the cost of this role is reported; ROLE_NONE: the role itself */
	enum role with;
	const char *purpose;
	const char *traffic;
	const char *allocates;
	const char *within;
	const char *idle;
	const char *leads;
	const char *once;
	const char *running;
};

/* in bytes: a pattern with at least this many characters before its '*' is not too general */
#define ROLE_WORD_BYTES 8u

#include "analyses/roles_table.h"

#include <stdio.h>

_Static_assert(ARRAY_LEN(role_texts) == ROLE_COUNT, "roles.tsv and roles.h differ");

static const struct name_table role_table = { role_patterns, role_nodes };

/* Whether @name is a substitute for an unknown name: "[libc.so]", "-", "??". */
static bool role_is_placeholder(struct str name)
{
	return (name.len > 1 && name.p[0] == '[' && name.p[name.len - 1] == ']') ||
	       str_eq(name, STR("-")) || str_starts(name, STR("??"));
}

static bool role_is_frame(struct str name, enum symbol_space space)
{
	return space != SPACE_COMM && !role_is_placeholder(name);
}

/* Directories of Python's own modules and of installed packages; they precede the file's name. */
static const char *const role_directories[] = {
	"/site-packages/",
	"/dist-packages/",
	"/lib/python",
};

bool role_is_standard_file(struct str name)
{
	return str_glob(STR("*/lib/python?.*.py*|*<frozen *|{built-in method *|{method '*"),
			name) &&
	       !str_glob(STR("*/site-packages/*|*/dist-packages/*"), name);
}

bool role_is_library_file(struct str name)
{
	return role_is_standard_file(name) ||
	       str_glob(STR("*/site-packages/*|*/dist-packages/*|*/node_modules/*|*/gems/*"), name);
}

/* The name of a module's file as tables print it: "json/decoder.py" of "/usr/lib/python3.11/…". */
static struct str role_short_file(struct str file)
{
	for (size_t i = 0; i < ARRAY_LEN(role_directories); i++) {
		struct str directory = str_of(role_directories[i]);
		size_t at = str_find(file, directory);

		if (at == file.len)
			continue;
		file = str_skip(file, at + directory.len);
		/* skip the version after "/lib/python": "3.11/" */
		return i == 2 ? str_skip(file, str_find_char(file, '/') + 1) : file;
	}
	return file;
}

/*
 * Convert the name of a Python function to the form of py-spy: "deepcopy (copy.py:128)". The input
 * is "/usr/lib/python3.11/copy.py:128(deepcopy)" of cProfile, or a name of py-spy, perhaps with the
 * full path. Empty: @name is another function.
 */
static struct str role_script(struct plain_name *ret, struct str name)
{
	size_t open = str_rfind_char(name, '(');
	struct str function, file;
	int n;

	if (!str_ends(name, STR(")")) || open >= name.len)
		return STR_NONE;
	function = str_sub(name, 0, open);
	file = str_sub(name, open + 1, name.len - 1);
	if (str_glob(STR("*.py:*"), function)) {
		struct str swap = function;

		function = file;
		file = swap;
	} else if (!str_ends(function, STR(" ")) || !str_glob(STR("*.py:*|*.py"), file)) {
		return STR_NONE;
	}
	file = role_short_file(file);
	function = str_rtrim(function);
	n = snprintf(ret->text, sizeof(ret->text), STR_FMT " (" STR_FMT ")", STR_ARG(function),
		     STR_ARG(file));
	return n > 0 && (size_t)n < sizeof(ret->text) ? (struct str){ ret->text, (size_t)n }
						      : STR_NONE;
}

static struct name_match role_match(struct name_match best, struct str name, struct str module,
				    enum symbol_space space)
{
	struct plain_name plain;
	/*
	 * use the whole name, because plain_name_make() would remove an essential part: the file in
	 * "select (selectors.py:468)" (py-spy), or the pattern in "RegExp: ^a+(b|c)" (V8)
	 */
	struct str whole = str_starts(name, STR("RegExp: ")) ? name : role_script(&plain, name);

	if (whole.len)
		best = name_table_of_name(&role_table, best, whole, module,
					  name_table_spaces(space));
	return symbol_name_is_address(name)
		       ? best
		       : name_table_of_name(&role_table, best, plain_name_make(&plain, name),
					    module, name_table_spaces(space));
}

/*
 * The role of the function @name. @best: the pattern of roles.tsv that matches its module. A
 * pattern that matches @name takes precedence.
 */
static enum role role_in_module(struct name_match best, struct str name, struct str module,
				enum symbol_space space)
{
	best = role_match(best, name, module, space);
	return best.pattern < 0 ? ROLE_NONE : (enum role)role_table.patterns[best.pattern].value;
}

bool role_is_by_word(struct str name, struct str module, enum symbol_space space)
{
	struct name_match best =
		role_match(name_table_of_module(&role_table, module, name_table_spaces(space)),
			   name, module, space);
	const struct name_pattern *p = best.pattern < 0 ? NULL : &role_patterns[best.pattern];
	size_t star = p ? str_find_char(str_of(p->pattern), '*') : 0;

	return p && p->kind != PATTERN_EXACT &&
	       (star < ROLE_WORD_BYTES || char_is_letter(p->pattern[star - 1]));
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

static void role_cache_reserve(struct role_cache *c, const struct symbols *symbols, sym_id sym)
{
	size_t old = c->by_sym.len;

	if (sym.v < old)
		return;
	VEC_RESERVE(&c->by_sym, symbols->rows.len);
	c->by_sym.len = symbols->rows.len;
	memset(c->by_sym.data + old, 0, c->by_sym.len - old);
}

enum role role_of(struct role_cache *c, const struct symbols *symbols, sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str name;
	enum role role;

	if (sym.v == 0 || sym.v >= symbols->rows.len)
		return ROLE_TRANSPARENT;
	role_cache_reserve(c, symbols, sym);
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

void role_cache_set(struct role_cache *c, const struct symbols *symbols, sym_id sym, enum role role)
{
	role_cache_reserve(c, symbols, sym);
	c->by_sym.data[sym.v] = (uint8_t)(role + 1);
}

bool role_is_nameless(const struct symbols *symbols, sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);

	return s->space == SPACE_USER && s->module.v &&
	       (s->flags & SYMBOL_ADDRESS || str_eq(symbols_name(symbols, sym), STR("[unknown]")));
}

/*
 * Whether @sym is an unresolved address in a user-space file. "[unknown]" is no address: it stands
 * for many functions.
 */
static bool role_is_address(const struct symbols *symbols, sym_id sym)
{
	return symbols_get(symbols, sym)->flags & SYMBOL_ADDRESS && role_is_nameless(symbols, sym);
}

static bool role_any_nameless(const struct symbols *symbols)
{
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		if (role_is_address(symbols, (sym_id){ i }))
			return true;
	}
	return false;
}

/*
 * marks an address that inherits different roles on different stacks. Such an address gets no role
 */
#define ROLE_DIFFERS ROLE_COUNT

/*
 * The role of @sym if callees without a name inherit it (":within" in roles.tsv); otherwise
 * ROLE_NONE.
 */
static enum role role_within(struct role_cache *c, const struct symbols *symbols, sym_id sym)
{
	enum role role = role_of(c, symbols, sym);

	return role_texts[role].within ? role : ROLE_NONE;
}

void role_inherit(struct role_cache *c, const struct symbols *symbols, const struct stacks *stacks)
{
	uint32_t n = stacks_count(stacks);
	uint8_t *at; /* indexed by node: role that callees without a name inherit from it */
	/* indexed by symbol: role that the symbol inherits, plus 1; 0: not known yet */
	uint8_t *got;

	if (n < 2 || !role_any_nameless(symbols))
		return;
	at = xcalloc(n, sizeof(*at));
	got = xcalloc(symbols->rows.len, sizeof(*got));
	for (uint32_t i = 1; i < n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		stack_id up = stacks_parent(stacks, (stack_id){ i });
		sym_id above = stacks_sym(stacks, up);
		enum role role = ROLE_NONE;

		if (!role_is_address(symbols, sym)) {
			at[i] = (uint8_t)role_within(c, symbols, sym);
			continue;
		}
		if (up.v &&
		    symbols_get(symbols, above)->module.v == symbols_get(symbols, sym)->module.v)
			role = (enum role)at[up.v];
		at[i] = (uint8_t)role;
		if (got[sym.v] && got[sym.v] != role + 1)
			role = ROLE_DIFFERS;
		got[sym.v] = (uint8_t)(role + 1);
	}
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		if (got[i] <= ROLE_NONE + 1 || got[i] == ROLE_DIFFERS + 1)
			continue;
		role_cache_reserve(c, symbols, (sym_id){ i });
		c->by_sym.data[i] = got[i];
	}
	free(got);
	free(at);
}

void role_cache_fini(struct role_cache *c)
{
	VEC_FREE(&c->by_sym);
}

/* Words in function names, with the roles that they suggest. The first matching line counts. */
static const struct {
	const char *words; /* separated by '|' */
	enum role role;
} role_words[] = {
	/* compression comes first: in a name such as "lz_parse", parsing is part of it */
	{ "decompress|inflate|uncompress", ROLE_DECOMPRESS },
	{ "lz|lz4|lz77|lzo|lzss|lzma|huffman", ROLE_COMPRESS },
	{ "rehash|resize|realloc|reallocate", ROLE_HASH_RESIZE },
	{ "spin|spinlock|spinwait|backoff", ROLE_SPIN },
	{ "lookup|find|search|scan|locate|linear|contains|traverse|indexof|match|matches",
	  ROLE_SEARCH },
	{ "iterate|iterator|foreach|walk|visit|enumerate|recurse", ROLE_ITERATE },
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
	{ "crc|crc32", ROLE_CHECKSUM },
	{ "encrypt|decrypt|cipher", ROLE_ENCRYPT },
	{ "lock|mutex|acquire|trylock", ROLE_LOCK },
	{ "poll|epoll", ROLE_POLL },
	{ "wait|waiting|await", ROLE_WAIT },
	{ "logger|logging|syslog", ROLE_LOG },
	{ "regex|regexp", ROLE_REGEX },
	{ "insert|append|push|concat", ROLE_CONTAINER_GROW },
};

static bool role_is_word_end(struct str s, size_t at)
{
	if (at >= s.len || !char_is_letter(s.p[at]))
		return true;
	/*
	 * a capital letter begins a word if it follows a small letter ("findNext"), or if a small
	 * letter follows it ("RBTree")
	 */
	return char_is_upper(s.p[at]) && ((at && char_is_lower(s.p[at - 1])) ||
					  (at + 1 < s.len && char_is_lower(s.p[at + 1])));
}

/* Whether @s contains one of @words as a whole word. */
static bool role_has_word(struct str s, struct str words)
{
	for (size_t from = 0; from < s.len; from++) {
		size_t to = from + 1;
		struct str rest = words;

		if (!char_is_letter(s.p[from]))
			continue;
		while (!role_is_word_end(s, to))
			to++;
		while (rest.len) {
			struct str one = str_sub(rest, 0, str_find_char(rest, '|'));
			size_t i = 0;

			rest = str_skip(rest, one.len + 1);
			while (one.len == to - from && i < one.len &&
			       char_lower(s.p[from + i]) == one.p[i])
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

static const struct role_text *role_text(enum role role)
{
	return &role_texts[role < ROLE_COUNT ? role : ROLE_NONE];
}

const char *role_name(enum role role)
{
	return role_text(role)->name;
}

const char *role_noun(enum role role)
{
	return role_text(role)->noun;
}

const char *role_noun_running(enum role role)
{
	const char *running = role_text(role)->running;

	return running ? running : role_noun(role);
}

const char *role_cause(enum role role)
{
	return role_text(role)->cause;
}

bool role_is_helper(enum role role)
{
	return role_text(role)->helper;
}

enum role role_with(enum role role)
{
	enum role with = role_text(role)->with;

	return with ? with : role;
}

bool role_is_within(enum role role)
{
	return role_text(role)->within;
}

bool role_is_purpose(enum role role)
{
	return role_text(role)->purpose;
}

bool role_may_idle(enum role role)
{
	return role_text(role)->idle;
}

bool role_is_traffic(enum role role)
{
	return role_text(role)->traffic;
}

bool role_leads(enum role role)
{
	return role_text(role)->leads;
}

bool role_is_once(enum role role)
{
	return role_text(role)->once;
}

bool role_is_allocation(enum role role)
{
	return role_text(role)->allocates;
}

const char *role_next(enum role role)
{
	return role_text(role)->next;
}
