/* SPDX-License-Identifier: MIT */
#include "analyses/compare/compare_names.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <string.h>

#define NAMES_NO_SYMBOL "[no symbol]"
#define NAMES_BPF_TAG   16u
#define NAMES_CUT_MIN   28u /* minimum length of a printed name that may be truncated */
#define NAMES_CUT_MAX   3u  /* a truncated name lacks at most this number of letters */

/*
 * Remove the tag from the name of a BPF program: "6deef7357e7b4530_" in
 * "bpf_prog_6deef7357e7b4530_sd_fw_ingress". The tag changes each time the program is loaded.
 */
static struct str names_without_tag(struct str name)
{
	struct str rest = name;

	if (!str_take(&rest, STR("bpf_prog_")) || rest.len <= NAMES_BPF_TAG + 1 ||
	    rest.p[NAMES_BPF_TAG] != '_')
		return name;
	for (size_t i = 0; i < NAMES_BPF_TAG; i++) {
		if (char_hex(rest.p[i]) < 0)
			return name;
	}
	return str_skip(rest, NAMES_BPF_TAG + 1);
}

/*
 * Remove the mark of V8 for the compiler of a function: "JS:*" in "JS:*checksum /srv/up.js:28:18".
 * The same function has several marks, by the number of its calls.
 */
static struct str names_without_compiler(struct str name)
{
	static const struct str kinds[] = { STR("JS:"), STR("LazyCompile:"), STR("Function:"),
					    STR("Script:"), STR("Eval:") };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct str rest = name;

		if (str_take(&rest, kinds[i]) && rest.len > 1 && strchr("*~^+", rest.p[0]))
			return str_skip(rest, 1);
	}
	return name;
}

static struct str names_cut(struct str s, struct str mark)
{
	size_t at = str_find(s, mark);

	return at > 0 ? str_sub(s, 0, at) : s;
}

struct str compare_base_name(struct str name)
{
	static const struct str ends[] = { STR(" (inlined)"), STR(" [inlined]"), STR("_[i]"),
					   STR("@plt") };
	size_t len;

	name = str_trim(name);
	do {
		len = name.len;
		for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
			if (name.len > ends[i].len && str_ends(name, ends[i]))
				name.len -= ends[i].len;
		}
		name = names_cut(name, STR(" [clone"));
		name = names_cut(name, STR("@@"));
		name = names_cut(name, STR("@GLIBC"));
		name = names_cut(name, STR("@CXXABI"));
		name = symbol_canonical_name(name);
	} while (name.len != len);
	return names_without_tag(name);
}

/* The base name of a function, also without what a just-in-time compiler adds in each run. */
static struct str names_base(struct str name)
{
	name = compare_base_name(name);
	/* the address of a hidden class of Java: "Desk$$Lambda$3/0x00007fd878000a08.run" */
	if (str_find(name, STR("$$Lambda")) < name.len)
		name = names_cut(name, STR("/0x"));
	return names_without_compiler(name);
}

static bool names_is_kernel_proper(struct str dso)
{
	return str_eq(dso, STR("[k]")) || str_starts(dso, STR("[kernel")) ||
	       str_starts(dso, STR("vmlinux")) || str_starts(dso, STR("[guest.kernel"));
}

struct str compare_base_dso(struct str dso)
{
	size_t slash = str_rfind_char(dso, '/');
	size_t so;

	if (dso.len && dso.p[0] != '[' && slash < dso.len)
		dso = str_skip(dso, slash + 1);
	if (names_is_kernel_proper(dso))
		return STR("[kernel]");
	if ((str_starts(dso, STR("perf-")) && str_ends(dso, STR(".map"))) ||
	    str_starts(dso, STR("[JIT] tid ")))
		return STR("[jit]");
	if (dso.len > 2 && dso.p[0] == '[' && dso.p[dso.len - 1] == ']')
		/* "[ext4]" is a kernel module: omit the brackets */
		return str_sub(dso, 1, dso.len - 1);
	dso = names_cut(dso, STR(".ko"));
	so = str_find(dso, STR(".so"));
	if (so > 0 && so < dso.len) {
		dso = str_sub(dso, 0, so);
		/* omit a version before ".so": "-2.31" in libc-2.31.so */
		for (size_t i = 1; i + 1 < dso.len; i++) {
			if (dso.p[i] == '-' && char_is_digit(dso.p[i + 1]))
				return str_sub(dso, 0, i);
		}
	}
	return dso;
}

/*
 * Key of the object @dso: its base name. An object of B (@side 1) that has another name in A gets
 * the base name of A.
 */
static str_id names_object_key(struct compare_names *n, struct str dso, int side)
{
	str_id key = strings_add(&n->strings, compare_base_dso(dso));

	for (size_t i = 0; side && i < n->aliases.len; i++) {
		if (n->aliases.data[i].b.v == key.v)
			return n->aliases.data[i].a;
	}
	return key;
}

static void names_see(struct compare_names *n, struct compare_group *g, int side, struct str name,
		      struct str dso, bool is_inlined)
{
	if (g->name[side].v == 0) {
		g->name[side] = strings_add(&n->strings, name);
		g->dso[side] = strings_add(&n->strings, dso);
		g->is_inlined[side] = is_inlined;
	}
	g->is_inlined[side] &= is_inlined;
}

uint32_t compare_object(struct compare_names *n, struct str dso, int side)
{
	str_id key;
	struct idmap_probe p;

	if (dso.len == 0)
		return INDEX_NONE;
	key = names_object_key(n, dso, side);
	p = idmap_first(&n->objects_map, hash_u64(key.v, 1));
	while (idmap_next(&n->objects_map, &p)) {
		if (n->object_keys.data[p.id].v == key.v) {
			names_see(n, &n->objects.data[p.id], side, dso, dso, false);
			return p.id;
		}
	}
	idmap_insert(&n->objects_map, &p, (uint32_t)n->objects.len);
	*VEC_PUSH(&n->object_keys) = key;
	*VEC_PUSH(&n->objects) = (struct compare_group){ 0 };
	names_see(n, &n->objects.data[n->objects.len - 1], side, dso, dso, false);
	return (uint32_t)n->objects.len - 1;
}

/*
 * Score of @sym, which is higher for more details: 1 for a name, 2 for a module, 1 for a known
 * space.
 */
static int names_detail(const struct compare_names *n, sym_id sym)
{
	const struct symbol *s = symbols_get(n->symbols, sym);

	return (sym.v > 0) + 2 * (s->module.v != 0) + (s->space != SPACE_UNKNOWN);
}

static uint32_t names_function(struct compare_names *n, sym_id sym, int side)
{
	const struct symbol *s = symbols_get(n->symbols, sym);
	struct str name = strings_get(n->symbols->strings, s->name);
	struct str dso = strings_get(n->symbols->strings, s->module);
	bool is_address = s->flags & SYMBOL_ADDRESS;
	str_id base =
		strings_add(&n->strings, is_address ? STR(NAMES_NO_SYMBOL) : names_base(name));
	str_id object = names_object_key(n, dso, side);
	uint64_t key = (uint64_t)base.v << 32 | object.v;
	struct idmap_probe p = idmap_first(&n->functions_map, hash_u64(key, 2));
	uint32_t at = (uint32_t)n->functions.len;

	while (idmap_next(&n->functions_map, &p)) {
		if (n->function_keys.data[p.id] == key) {
			at = p.id;
			break;
		}
	}
	if (at == n->functions.len) {
		idmap_insert(&n->functions_map, &p, at);
		*VEC_PUSH(&n->function_keys) = key;
		*VEC_PUSH(&n->functions) = (struct compare_group){ .is_many = is_address };
	}
	if (names_detail(n, sym) > names_detail(n, n->functions.data[at].best)) {
		n->functions.data[at].best = sym;
		n->functions.data[at].space = s->space;
	}
	names_see(n, &n->functions.data[at], side, is_address ? STR(NAMES_NO_SYMBOL) : name, dso,
		  s->flags & SYMBOL_INLINED);
	return at;
}

static void names_symbol(struct compare_names *n, sym_id sym, int side, uint8_t *seen)
{
	const struct symbol *s = symbols_get(n->symbols, sym);
	uint8_t bit = (uint8_t)(1 << side);

	if (sym.v == 0 || sym.v >= n->symbols->rows.len || seen[sym.v] & bit)
		return;
	seen[sym.v] |= bit;
	if (s->space == SPACE_COMM || s->name.v == 0)
		return;
	n->function_of[sym.v] = names_function(n, sym, side);
	n->object_of[sym.v] = compare_object(n, strings_get(n->symbols->strings, s->module), side);
}

static void names_side(struct compare_names *n, const struct capture *const *captures, size_t len,
		       int side, uint8_t *seen)
{
	for (size_t i = 0; i < len; i++) {
		const struct profile *p = captures[i]->profile;
		const struct calls *c = captures[i]->calls;

		for (size_t call = 0; !p && c && call < c->n; call++)
			names_symbol(n, c->sym.data[call], side, seen);
		if (!p)
			continue;
		VEC_FOREACH (row, &p->table.rows) {
			names_symbol(n, row->sym, side, seen);
			(void)compare_object(n, strings_get(n->symbols->strings, row->dso), side);
		}
		for (uint32_t node = 1; p->samples.n && node < stacks_count(&p->stacks); node++)
			names_symbol(n, p->stacks.sym.data[node], side, seen);
	}
}

/* The only function on each side with a certain base name (the name without suffixes). */
struct names_alone {
	/* index in compare_names.functions, plus 1; 0: none */
	uint32_t at[2];
	bool is_unclear;
};

/*
 * Merge the function @other, which is only on side @side, into the function @at, which is only on
 * the other side.
 */
static void names_join(struct compare_names *n, uint32_t at, uint32_t other, int side)
{
	struct compare_group *g = &n->functions.data[at];
	struct compare_group *b = &n->functions.data[other];

	g->name[side] = b->name[side];
	g->dso[side] = b->dso[side];
	g->is_inlined[side] = b->is_inlined[side];
	b->merged = at + 1;
	if (names_detail(n, b->best) > names_detail(n, g->best)) {
		g->best = b->best;
		g->space = b->space;
	}
}

/*
 * The function @at is only on side @side. Find a function of the other side whose printed name
 * lacks the last letters of this function's name, and match the two.
 */
static void names_cut_short(struct compare_names *n, const struct names_alone *alone, uint32_t at,
			    int side)
{
	struct str name =
		strings_get(&n->strings, (str_id){ (uint32_t)(n->function_keys.data[at] >> 32) });

	for (size_t less = 1; less <= NAMES_CUT_MAX && name.len >= NAMES_CUT_MIN + less; less++) {
		str_id id = strings_find(&n->strings, str_sub(name, 0, name.len - less));
		const struct names_alone *a = &alone[id.v];

		if (id.v && !a->is_unclear && a->at[!side] && !a->at[side] &&
		    !n->functions.data[a->at[!side] - 1].merged) {
			names_join(n, at, a->at[!side] - 1, !side);
			return;
		}
	}
}

static void names_merge(struct compare_names *n)
{
	CLEANUP(freep)
	struct names_alone *alone = xcalloc(n->strings.views.len + 1, sizeof(*alone));

	for (uint32_t i = 0; i < n->functions.len; i++) {
		const struct compare_group *g = &n->functions.data[i];
		struct names_alone *a = &alone[n->function_keys.data[i] >> 32];
		int side = g->name[0].v ? 0 : 1;

		if ((g->name[0].v && g->name[1].v) || a->at[side])
			a->is_unclear = true;
		a->at[side] = i + 1;
	}
	for (uint32_t i = 0; i < n->functions.len; i++) {
		const struct compare_group *g = &n->functions.data[i];
		const struct names_alone *a = &alone[n->function_keys.data[i] >> 32];
		int side = g->name[0].v ? 0 : 1;

		if (a->is_unclear || g->is_many || g->merged || a->at[side] != i + 1)
			continue;
		if (!a->at[!side]) {
			names_cut_short(n, alone, i, side);
		} else if (side == 0) {
			n->n_dso += g->dso[0].v && n->functions.data[a->at[1] - 1].dso[1].v;
			names_join(n, i, a->at[1] - 1, 1);
		}
	}
}

static void names_count(struct compare_names *n)
{
	VEC_FOREACH (g, &n->functions) {
		if (g->merged || !g->name[0].v || !g->name[1].v)
			continue;
		if (g->name[0].v != g->name[1].v) {
			n->n_base++;
			if (n->example == INDEX_NONE)
				n->example = (uint32_t)(g - n->functions.data);
		}
		n->n_inlined += g->is_inlined[0] != g->is_inlined[1];
	}
}

void compare_names_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			const struct capture *const *b, size_t n_b)
{
	CLEANUP(freep) uint8_t *seen = NULL;
	size_t len;

	memset(n, 0, sizeof(*n));
	strings_init(&n->strings);
	n->symbols = capture_symbols(a[0]);
	n->example = INDEX_NONE;
	len = n->symbols->rows.len;
	seen = xcalloc(len + 1, 1);
	n->function_of = xmalloc((len + 1) * sizeof(uint32_t));
	n->object_of = xmalloc((len + 1) * sizeof(uint32_t));
	for (size_t i = 0; i <= len; i++)
		n->function_of[i] = n->object_of[i] = INDEX_NONE;
	compare_objects_init(n, a, n_a, b, n_b);
	names_side(n, a, n_a, 0, seen);
	names_side(n, b, n_b, 1, seen);
	names_merge(n);
	names_count(n);
	for (size_t i = 0; i <= len; i++) {
		uint32_t f = n->function_of[i];

		if (f == INDEX_NONE)
			continue;
		if (n->functions.data[f].merged)
			f = n->function_of[i] = n->functions.data[f].merged - 1;
		/*
		 * folded stacks have no objects: use the object that the function has on the other
		 * side
		 */
		if (n->object_of[i] == INDEX_NONE)
			n->object_of[i] = n->object_of[n->functions.data[f].best.v];
	}
}

void compare_names_fini(struct compare_names *n)
{
	strings_fini(&n->strings);
	VEC_FREE(&n->functions);
	VEC_FREE(&n->objects);
	idmap_fini(&n->functions_map);
	VEC_FREE(&n->function_keys);
	idmap_fini(&n->objects_map);
	VEC_FREE(&n->object_keys);
	VEC_FREE(&n->aliases);
	free(n->function_of);
	free(n->object_of);
}
