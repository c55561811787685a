/* SPDX-License-Identifier: MIT */
/*
 * Match objects that have different names on the two sides. Candidates are objects on one side
 * only, because an object on both sides matches itself. The evidence is the functions that two
 * objects have in common, because a program may be copied under any name. Objects without symbols
 * match if their names differ only in a version.
 */
#include "analyses/compare/compare_names.h"

#include "base/alloc.h"
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

#include <stdlib.h>

#define OBJECTS_MAX       64u /* maximum number of candidates on a side */
#define OBJECTS_NO_OBJECT UINT8_MAX

/* The candidates of one side, and how many named functions each has (`functions`). */
struct object_side {
	str_id key[OBJECTS_MAX];
	uint32_t functions[OBJECTS_MAX];
	size_t n;
};

struct objects {
	struct compare_names *n;
	uint8_t *sides[2]; /* indexed by symbol: 1 if the symbol is on that side */
	struct object_side of[2];
	/* number of functions that two objects have in common: [object of A][object of B] */
	uint32_t common[OBJECTS_MAX][OBJECTS_MAX];
};

static void objects_see(struct objects *o, sym_id sym, int side)
{
	if (sym.v < o->n->symbols->rows.len)
		o->sides[side][sym.v] = 1;
}

static void objects_of(struct objects *o, const struct capture *const *captures, size_t len,
		       int side)
{
	for (size_t i = 0; i < len; i++) {
		const struct profile *p = captures[i]->profile;
		const struct calls *c = captures[i]->calls;

		for (size_t call = 0; !p && c && call < c->n; call++)
			objects_see(o, c->sym.data[call], side);
		if (!p)
			continue;
		VEC_FOREACH (row, &p->table.rows)
			objects_see(o, row->sym, side);
		for (uint32_t node = 1; p->samples.n && node < stacks_count(&p->stacks); node++)
			objects_see(o, p->stacks.sym.data[node], side);
	}
}

/* Whether nearly every program has the function @name, from the linker or the C runtime. */
static bool objects_is_common(struct str name)
{
	return str_glob(STR("main|_start|_init|_fini|__libc_csu_*|frame_dummy|*register_tm_clones|"
			    "__do_global_dtors_aux"),
			name);
}

/*
 * Whether @dso is the kernel, a kernel module, the vdso, generated code or unknown. Such objects
 * have the same name in every profile.
 */
static bool objects_is_special(struct str dso)
{
	return dso.len == 0 || dso.p[0] == '[' || str_eq(dso, STR("unknown")) ||
	       str_eq(dso, STR("vdso")) || str_eq(dso, STR("jit"));
}

/* Whether symbol @sym belongs to an ordinary object; *@ret_key is then the object's base name. */
static bool objects_key(const struct objects *o, uint32_t sym, str_id *ret_key)
{
	const struct symbol *s = &o->n->symbols->rows.data[sym];
	struct str dso = strings_get(o->n->symbols->strings, s->module);

	if (s->space == SPACE_COMM || dso.len == 0 || objects_is_special(compare_base_dso(dso)))
		return false;
	*ret_key = strings_add(&o->n->strings, compare_base_dso(dso));
	return true;
}

static uint8_t objects_find(const struct object_side *side, str_id key)
{
	for (size_t i = 0; i < side->n; i++) {
		if (side->key[i].v == key.v)
			return (uint8_t)i;
	}
	return OBJECTS_NO_OBJECT;
}

/* Collect the objects that are on one side only. False: there are too many. */
static bool objects_candidates(struct objects *o)
{
	uint32_t n_symbols = (uint32_t)o->n->symbols->rows.len;
	VEC(str_id) seen[2] = { VEC_INIT, VEC_INIT };
	CLEANUP(freep) uint8_t *sides = NULL;
	bool is_few = true;
	size_t n_keys;

	for (uint32_t i = 1; i < n_symbols; i++) {
		str_id key;

		if ((!o->sides[0][i] && !o->sides[1][i]) || !objects_key(o, i, &key))
			continue;
		for (int s = 0; s < 2; s++) {
			if (o->sides[s][i])
				*VEC_PUSH(&seen[s]) = key;
		}
	}
	n_keys = o->n->strings.views.len + 1;
	sides = xcalloc(n_keys, 1);
	for (int s = 0; s < 2; s++) {
		VEC_FOREACH (key, &seen[s])
			sides[key->v] |= (uint8_t)(1 << s);
	}
	for (int s = 0; s < 2; s++) {
		VEC_FOREACH (key, &seen[s]) {
			if (sides[key->v] != 1 << s)
				continue;
			/* clear the mark, so that each object is collected only once */
			sides[key->v] = 0;
			is_few &= o->of[s].n < OBJECTS_MAX;
			if (o->of[s].n < OBJECTS_MAX)
				o->of[s].key[o->of[s].n++] = *key;
		}
	}
	VEC_FREE(&seen[0]);
	VEC_FREE(&seen[1]);
	return is_few && o->of[0].n && o->of[1].n;
}

/* A named function of a candidate object. */
struct object_function {
	str_id name;
	uint8_t object;
};

typedef VEC(struct object_function) object_functions;

static void objects_functions(struct objects *o, int side, object_functions *ret)
{
	for (uint32_t i = 1; i < o->n->symbols->rows.len; i++) {
		const struct symbol *s = &o->n->symbols->rows.data[i];
		struct str name = strings_get(o->n->symbols->strings, s->name);
		uint8_t object;
		str_id key;

		if (!o->sides[side][i] || s->flags & SYMBOL_ADDRESS || name.len == 0 ||
		    !objects_key(o, i, &key))
			continue;
		object = objects_find(&o->of[side], key);
		name = compare_base_name(name);
		if (object == OBJECTS_NO_OBJECT || objects_is_common(name))
			continue;
		o->of[side].functions[object]++;
		*VEC_PUSH(ret) =
			(struct object_function){ strings_add(&o->n->strings, name), object };
	}
}

/* Count the functions that each pair of objects has in common. */
static void objects_count(struct objects *o)
{
	object_functions functions[2] = { VEC_INIT, VEC_INIT };
	CLEANUP(freep) uint8_t *of_a = NULL;

	objects_functions(o, 0, &functions[0]);
	objects_functions(o, 1, &functions[1]);
	of_a = xmalloc(o->n->strings.views.len + 1);
	memset(of_a, OBJECTS_NO_OBJECT, o->n->strings.views.len + 1);
	VEC_FOREACH (f, &functions[0])
		of_a[f->name.v] = f->object;
	VEC_FOREACH (f, &functions[1]) {
		if (of_a[f->name.v] != OBJECTS_NO_OBJECT)
			o->common[of_a[f->name.v]][f->object]++;
	}
	VEC_FREE(&functions[0]);
	VEC_FREE(&functions[1]);
}

struct str compare_object_stem(struct str dso, bool *ret_is_marked)
{
	struct str stem = dso;
	bool has_dot = false;

	while (stem.len && (char_is_digit(stem.p[stem.len - 1]) ||
			    (stem.p[stem.len - 1] == '.' && stem.len < dso.len))) {
		has_dot |= stem.p[stem.len - 1] == '.';
		stem.len--;
	}
	*ret_is_marked = has_dot;
	if (stem.len == dso.len || stem.len == 0)
		return dso;
	if (stem.len > 1 && stem.p[stem.len - 1] == 'v' &&
	    (stem.p[stem.len - 2] == '-' || stem.p[stem.len - 2] == '_'))
		stem.len--;
	if (stem.len > 1 && (stem.p[stem.len - 1] == '-' || stem.p[stem.len - 1] == '_')) {
		*ret_is_marked = true;
		stem.len--;
	}
	return stem;
}

/* Whether two objects are the same. 2: yes, by their functions; 1: yes, by their names; 0: no. */
static int objects_are_one(const struct objects *o, size_t a, size_t b)
{
	uint32_t fewer = o->of[0].functions[a] < o->of[1].functions[b] ? o->of[0].functions[a]
								       : o->of[1].functions[b];
	bool marked_a, marked_b;
	struct str stem_a =
		compare_object_stem(strings_get(&o->n->strings, o->of[0].key[a]), &marked_a);
	struct str stem_b =
		compare_object_stem(strings_get(&o->n->strings, o->of[1].key[b]), &marked_b);

	if (fewer && o->common[a][b] * 2 >= fewer)
		return 2;
	if (!str_eq(stem_a, stem_b))
		return 0;
	/*
	 * without '-', '.' or '_' before them, digits may belong to the name: "sha1" is not
	 * "sha256"
	 */
	return marked_a || marked_b || (!o->of[0].functions[a] && !o->of[1].functions[b]);
}

/*
 * Match each object of A with the object of B that has the most functions in common. First use the
 * evidence of functions, then that of names. An object with two equally good partners is not
 * matched.
 */
static void objects_join(struct objects *o)
{
	bool is_taken[OBJECTS_MAX] = { false };

	for (int how = 2; how > 0; how--) {
		for (size_t a = 0; a < o->of[0].n; a++) {
			size_t best = OBJECTS_MAX;
			unsigned int rivals = 0;

			for (size_t b = 0; b < o->of[1].n && o->of[0].key[a].v; b++) {
				if (is_taken[b] || objects_are_one(o, a, b) != how)
					continue;
				if (best == OBJECTS_MAX || o->common[a][b] > o->common[a][best]) {
					best = b;
					rivals = 0;
				} else if (o->common[a][b] == o->common[a][best]) {
					rivals++;
				}
			}
			if (best == OBJECTS_MAX || rivals)
				continue;
			*VEC_PUSH(&o->n->aliases) =
				(struct compare_alias){ o->of[1].key[best], o->of[0].key[a] };
			is_taken[best] = true;
			o->of[0].key[a] = STR_ID_NONE;
		}
	}
}

void compare_objects_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			  const struct capture *const *b, size_t n_b)
{
	struct objects *o = xcalloc(1, sizeof(*o));

	o->n = n;
	for (int s = 0; s < 2; s++)
		o->sides[s] = xcalloc(n->symbols->rows.len + 1, 1);
	objects_of(o, a, n_a, 0);
	objects_of(o, b, n_b, 1);
	if (objects_candidates(o)) {
		objects_count(o);
		objects_join(o);
	}
	free(o->sides[0]);
	free(o->sides[1]);
	free(o);
}
