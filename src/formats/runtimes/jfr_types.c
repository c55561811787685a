/* SPDX-License-Identifier: MIT */
#include "formats/runtimes/jfr_types.h"

#include "core/ids.h"

#include <string.h>

#define JFR_DEPTH 16u /* maximum depth of nested values and elements */
/* maximum number of fields that are read for one constant; a stack may have 2048 frames */
#define JFR_FUEL 65536u
/* maximum number of references that lead from a field to its text: method, class, symbol */
#define JFR_TEXT_DEPTH 4u
/* maximum length in characters of a string that must be converted to UTF-8 */
#define JFR_TEXT_MAX 4096u

enum jfr_kind {
	JFR_KIND_STRUCT,
	JFR_KIND_BYTE,
	JFR_KIND_SHORT,
	JFR_KIND_INT,
	JFR_KIND_LONG,
	JFR_KIND_FLOAT,
	JFR_KIND_DOUBLE,
	JFR_KIND_STRING,
};

static const struct {
	const char *name;
	enum jfr_kind kind;
} jfr_kinds[] = {
	{ "boolean", JFR_KIND_BYTE },
	{ "byte", JFR_KIND_BYTE },
	{ "short", JFR_KIND_SHORT },
	{ "char", JFR_KIND_SHORT },
	{ "int", JFR_KIND_INT },
	{ "long", JFR_KIND_LONG },
	{ "float", JFR_KIND_FLOAT },
	{ "double", JFR_KIND_DOUBLE },
	{ "java.lang.String", JFR_KIND_STRING },
};

static const struct {
	const char *name;
	enum jfr_slot slot;
} jfr_slots[] = {
	{ "startTime", JFR_START },
	{ "duration", JFR_DURATION },
	{ "eventThread", JFR_THREAD },
	{ "sampledThread", JFR_THREAD },
	{ "stackTrace", JFR_STACK },
	{ "state", JFR_STATE },
	{ "weight", JFR_WEIGHT },
	{ "allocationSize", JFR_ALLOCATION },
	{ "tlabSize", JFR_TLAB },
	{ "samples", JFR_SAMPLES },
	{ "parkedClass", JFR_PARKED },
	{ "previousOwner", JFR_OWNER },
	{ "gcId", JFR_GC_ID },
	{ "cause", JFR_CAUSE },
	{ "name", JFR_NAME },
	{ "string", JFR_STRING },
	{ "frames", JFR_FRAMES },
	{ "method", JFR_METHOD },
	{ "type", JFR_TYPE },
	{ "osName", JFR_OS_NAME },
	{ "osThreadId", JFR_OS_ID },
	{ "javaName", JFR_JAVA_NAME },
	{ "description", JFR_DESCRIPTION },
};

void jfr_types_clear(struct jfr_types *t)
{
	t->strings.len = t->classes.len = t->fields.len = t->constants.len = 0;
	idmap_fini(&t->class_map);
	idmap_fini(&t->constant_map);
	t->class_map = t->constant_map = (struct idmap){ .slots = NULL };
}

void jfr_types_fini(struct jfr_types *t)
{
	jfr_types_clear(t);
	VEC_FREE(&t->strings);
	VEC_FREE(&t->classes);
	VEC_FREE(&t->fields);
	VEC_FREE(&t->constants);
	arena_fini(&t->arena);
	arena_fini(&t->texts);
}

struct jfr_cursor jfr_cursor(const struct jfr_types *t, const unsigned char *p,
			     const unsigned char *end)
{
	return (struct jfr_cursor){ .p = p,
				    .end = end,
				    .fuel = JFR_FUEL + 4 * (uint64_t)(end - p),
				    .is_compressed = t->is_compressed };
}

/* Read a number of @n bytes, the most significant byte first. */
static uint64_t jfr_fixed(struct jfr_cursor *c, unsigned int n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->is_bad = true;
		c->p = c->end;
		return 0;
	}
	for (unsigned int i = 0; i < n; i++)
		v = v << 8 | *c->p++;
	return v;
}

/*
 * Read a number of variable length. Each byte has seven bits of it, the lowest bits first; the
 * ninth byte has eight bits.
 */
static uint64_t jfr_packed(struct jfr_cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; c->p < c->end; shift += 7) {
		unsigned char b = *c->p++;

		if (shift == 56)
			return v | (uint64_t)b << 56;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->is_bad = true;
	return 0;
}

uint64_t jfr_int(struct jfr_cursor *c)
{
	return c->is_compressed ? jfr_packed(c) & UINT32_MAX : jfr_fixed(c, 4);
}

uint64_t jfr_long(struct jfr_cursor *c)
{
	return c->is_compressed ? jfr_packed(c) : jfr_fixed(c, 8);
}

/*
 * Read the number of elements that follow. If fewer bytes than elements follow, the data are
 * damaged and is_bad is set.
 */
static uint64_t jfr_count(struct jfr_cursor *c)
{
	uint64_t n = jfr_int(c);

	if (n > (uint64_t)(c->end - c->p)) {
		c->is_bad = true;
		return 0;
	}
	return n;
}

static size_t jfr_utf8(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | code >> 12);
	out[1] = (char)(0x80 | (code >> 6 & 0x3f));
	out[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

/*
 * Read a string of @n characters. @is_latin: each character is stored as one byte. If false, each
 * character is stored as a number of its own. The text is stored in @arena as UTF-8. @arena NULL:
 * skip the string.
 */
static struct str jfr_wide(struct jfr_cursor *c, uint64_t n, bool is_latin, struct arena *arena)
{
	char *text = NULL;
	size_t len = 0;

	if (arena && n > JFR_TEXT_MAX)
		c->is_bad = true;
	else if (arena)
		text = arena_alloc(arena, 3 * (size_t)n + 1);
	for (uint64_t i = 0; i < n && !c->is_bad; i++) {
		uint32_t code = (uint32_t)(is_latin           ? jfr_fixed(c, 1)
					   : c->is_compressed ? jfr_packed(c)
							      : jfr_fixed(c, 2));

		if (text)
			len += jfr_utf8(code & 0xffff, text + len);
	}
	return (struct str){ text, len };
}

/*
 * Read a string. If it is a reference to a constant, *@ret_key is the key of the constant.
 * Otherwise *@ret_key is 0, and the text is returned. @arena: memory for the text; NULL: the text
 * is not needed.
 */
static struct str jfr_string(struct jfr_cursor *c, struct arena *arena, uint64_t *ret_key)
{
	uint64_t n;
	struct str s;

	*ret_key = 0;
	switch (jfr_fixed(c, 1)) {
	case 0:
	case 1:
		return STR_NONE;
	case 2:
		*ret_key = jfr_long(c);
		return STR_NONE;
	case 3:
		n = jfr_count(c);
		s = (struct str){ (const char *)c->p, (size_t)n };
		c->p += n;
		return s;
	case 4:
		return jfr_wide(c, jfr_count(c), false, arena);
	case 5:
		return jfr_wide(c, jfr_count(c), true, arena);
	default:
		c->is_bad = true;
		return STR_NONE;
	}
}

uint32_t jfr_class_row(struct jfr_types *t, uint64_t id)
{
	struct idmap_probe p = idmap_first(&t->class_map, hash_u64(id, 0));

	while (idmap_next(&t->class_map, &p)) {
		if (t->classes.data[p.id].id == id)
			return p.id;
	}
	return INDEX_NONE;
}

static void jfr_skip(struct jfr_types *t, uint32_t row, struct jfr_cursor *c, unsigned int depth);

static uint64_t jfr_scalar(struct jfr_cursor *c, enum jfr_kind kind)
{
	switch (kind) {
	case JFR_KIND_BYTE:
		return jfr_fixed(c, 1);
	case JFR_KIND_SHORT:
		return c->is_compressed ? jfr_packed(c) : jfr_fixed(c, 2);
	case JFR_KIND_INT:
		return jfr_int(c);
	case JFR_KIND_LONG:
		return jfr_long(c);
	case JFR_KIND_FLOAT:
		return jfr_fixed(c, 4);
	default:
		return jfr_fixed(c, 8);
	}
}

static void jfr_skip_field(struct jfr_types *t, const struct jfr_field *f, struct jfr_cursor *c,
			   unsigned int depth)
{
	uint64_t n = f->is_array ? jfr_count(c) : 1;

	for (uint64_t i = 0; i < n && !c->is_bad; i++) {
		if (f->is_constant)
			(void)jfr_long(c);
		else
			jfr_skip(t, f->class, c, depth);
	}
}

/*
 * Move @c past a value of the class with index @row. If @row is INDEX_NONE, the class is unknown
 * and c->is_bad is set.
 */
static void jfr_skip(struct jfr_types *t, uint32_t row, struct jfr_cursor *c, unsigned int depth)
{
	const struct jfr_class *k = row == INDEX_NONE ? NULL : &t->classes.data[row];
	uint64_t key;

	if (!k || depth == JFR_DEPTH || c->fuel == 0) {
		c->is_bad = true;
		return;
	}
	c->fuel--;
	if (k->kind == JFR_KIND_STRING)
		(void)jfr_string(c, NULL, &key);
	else if (k->kind != JFR_KIND_STRUCT)
		(void)jfr_scalar(c, k->kind);
	else
		for (uint32_t i = 0; i < k->n && !c->is_bad; i++)
			jfr_skip_field(t, &t->fields.data[k->first + i], c, depth + 1);
}

static void jfr_read_field(struct jfr_types *t, const struct jfr_field *f, struct jfr_cursor *c,
			   struct jfr_values *ret)
{
	uint8_t kind = f->class == INDEX_NONE ? JFR_KIND_STRUCT : t->classes.data[f->class].kind;
	struct jfr_value *v;

	if (c->fuel-- == 0)
		c->is_bad = true;
	if (f->slot == JFR_SLOTS || c->is_bad) {
		jfr_skip_field(t, f, c, 0);
		return;
	}
	v = &ret->v[f->slot];
	*v = (struct jfr_value){ .at = c->p, .class = f->class, .is_constant = f->is_constant };
	if (f->is_array || (kind == JFR_KIND_STRUCT && !f->is_constant)) {
		jfr_skip_field(t, f, c, 0);
	} else if (f->is_constant) {
		v->number = jfr_long(c);
	} else if (kind == JFR_KIND_STRING) {
		v->text = jfr_string(c, &t->texts, &v->number);
		v->is_constant = v->number != 0;
	} else {
		v->number = jfr_scalar(c, kind);
	}
	if (!c->is_bad)
		ret->has |= 1u << f->slot;
}

void jfr_read(struct jfr_types *t, uint32_t row, struct jfr_cursor *c, bool whole,
	      struct jfr_values *ret)
{
	const struct jfr_class *k;

	ret->has = 0;
	if (row == INDEX_NONE) {
		c->is_bad = true;
		return;
	}
	k = &t->classes.data[row];
	/*
	 * a class that is no struct, such as String, has no fields: store the value itself in slot
	 * JFR_STRING
	 */
	if (k->kind != JFR_KIND_STRUCT) {
		struct jfr_field f = { .class = row, .slot = JFR_STRING };

		jfr_read_field(t, &f, c, ret);
		return;
	}
	for (uint32_t i = 0; i < (whole ? k->n : k->n_useful) && !c->is_bad; i++)
		jfr_read_field(t, &t->fields.data[k->first + i], c, ret);
}

static struct jfr_constant *jfr_constant_find(struct jfr_types *t, uint64_t class_id, uint64_t key)
{
	struct idmap_probe p = idmap_first(&t->constant_map, hash_u64(class_id, key));

	while (idmap_next(&t->constant_map, &p)) {
		struct jfr_constant *k = &t->constants.data[p.id];

		if (k->class_id == class_id && k->key == key)
			return k;
	}
	return NULL;
}

struct jfr_constant *jfr_constant(struct jfr_types *t, const struct jfr_values *v,
				  enum jfr_slot slot)
{
	const struct jfr_value *x = &v->v[slot];

	if (!(v->has >> slot & 1) || !x->is_constant || x->class == INDEX_NONE)
		return NULL;
	return jfr_constant_find(t, t->classes.data[x->class].id, x->number);
}

bool jfr_constant_read(struct jfr_types *t, const struct jfr_constant *constant,
		       struct jfr_values *ret)
{
	struct jfr_cursor c = jfr_cursor(t, constant->at, t->end);

	c.fuel = JFR_FUEL;
	jfr_read(t, constant->class, &c, false, ret);
	return !c.is_bad;
}

struct str jfr_text(struct jfr_types *t, const struct jfr_values *v, enum jfr_slot slot)
{
	static const enum jfr_slot leads[] = { JFR_STRING, JFR_NAME, JFR_CAUSE, JFR_DESCRIPTION };
	struct jfr_values at = { .has = 0 };

	for (unsigned int depth = 0; depth < JFR_TEXT_DEPTH; depth++) {
		const struct jfr_constant *k = jfr_constant(t, v, slot);
		size_t i = 0;

		if (!k)
			return v->has >> slot & 1 ? v->v[slot].text : STR_NONE;
		if (!jfr_constant_read(t, k, &at))
			return STR_NONE;
		while (i < ARRAY_LEN(leads) && !(at.has >> leads[i] & 1))
			i++;
		if (i == ARRAY_LEN(leads))
			return STR_NONE;
		slot = leads[i];
		v = &at;
	}
	return STR_NONE;
}

/* The string at index @index of the chunk's metadata. */
static struct str jfr_name(const struct jfr_types *t, uint64_t index)
{
	return index < t->strings.len ? t->strings.data[index] : STR_NONE;
}

static uint64_t jfr_decimal(struct str s)
{
	uint64_t v = 0;

	return str_u64(&s, &v) ? v : 0;
}

static void jfr_add_class(struct jfr_types *t, const struct jfr_class *k)
{
	struct idmap_probe p = idmap_first(&t->class_map, hash_u64(k->id, 0));

	while (idmap_next(&t->class_map, &p)) {
		if (t->classes.data[p.id].id == k->id)
			return;
	}
	idmap_insert(&t->class_map, &p, (uint32_t)t->classes.len);
	*VEC_PUSH(&t->classes) = *k;
	for (size_t i = 0; i < ARRAY_LEN(jfr_kinds); i++) {
		if (str_eq(k->name, str_of(jfr_kinds[i].name)))
			t->classes.data[t->classes.len - 1].kind = (uint8_t)jfr_kinds[i].kind;
	}
}

static uint8_t jfr_slot_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(jfr_slots); i++) {
		if (str_eq(name, str_of(jfr_slots[i].name)))
			return (uint8_t)jfr_slots[i].slot;
	}
	return JFR_SLOTS;
}

/* The attributes of a metadata element, as far as this reader uses them. */
struct jfr_element {
	struct str name, id, class, dimension, constant;
};

static struct jfr_element jfr_attributes(struct jfr_types *t, struct jfr_cursor *c)
{
	struct jfr_element e = { .name = STR_NONE };

	for (uint64_t n = jfr_count(c); n && !c->is_bad; n--) {
		struct str key = jfr_name(t, jfr_int(c));
		struct str value = jfr_name(t, jfr_int(c));

		if (str_eq(key, STR("name")))
			e.name = value;
		else if (str_eq(key, STR("id")))
			e.id = value;
		else if (str_eq(key, STR("class")))
			e.class = value;
		else if (str_eq(key, STR("dimension")))
			e.dimension = value;
		else if (str_eq(key, STR("constantPool")))
			e.constant = value;
	}
	return e;
}

/*
 * Read a metadata element and its children. @k: the class of which the element is a child; if the
 * element is a field, it is added to @k. NULL: the element is not in a class.
 */
static void jfr_take_element(struct jfr_types *t, struct jfr_cursor *c, struct jfr_class *k,
			     unsigned int depth)
{
	struct str kind = jfr_name(t, jfr_int(c));
	struct jfr_element e = jfr_attributes(t, c);
	struct jfr_class own = { .id = jfr_decimal(e.id), .name = e.name };
	bool is_class = str_eq(kind, STR("class"));

	own.first = (uint32_t)t->fields.len;
	if (depth == JFR_DEPTH) {
		c->is_bad = true;
		return;
	}
	if (k && str_eq(kind, STR("field"))) {
		*VEC_PUSH(&t->fields) =
			(struct jfr_field){ .name = e.name,
					    .class_id = jfr_decimal(e.class),
					    .slot = jfr_slot_of(e.name),
					    .is_array = jfr_decimal(e.dimension) > 0,
					    .is_constant = str_eq(e.constant, STR("true")) };
		k->n++;
		if (t->fields.data[t->fields.len - 1].slot != JFR_SLOTS)
			k->n_useful = k->n;
	}
	for (uint64_t n = jfr_count(c); n && !c->is_bad; n--)
		jfr_take_element(t, c, is_class ? &own : NULL, depth + 1);
	if (is_class && !c->is_bad)
		jfr_add_class(t, &own);
}

bool jfr_types_metadata(struct jfr_types *t, struct jfr_cursor *c)
{
	uint64_t key;

	(void)jfr_long(c); /* skip start, duration and id */
	(void)jfr_long(c);
	(void)jfr_long(c);
	for (uint64_t n = jfr_count(c); n && !c->is_bad; n--)
		*VEC_PUSH(&t->strings) = jfr_string(c, &t->arena, &key);
	if (!c->is_bad)
		jfr_take_element(t, c, NULL, 0);
	VEC_FOREACH (f, &t->fields)
		f->class = jfr_class_row(t, f->class_id);
	return !c->is_bad;
}

static void jfr_add_constant(struct jfr_types *t, const struct jfr_constant *k)
{
	struct idmap_probe p = idmap_first(&t->constant_map, hash_u64(k->class_id, k->key));

	while (idmap_next(&t->constant_map, &p)) {
		const struct jfr_constant *old = &t->constants.data[p.id];

		if (old->class_id == k->class_id && old->key == k->key)
			return;
	}
	idmap_insert(&t->constant_map, &p, (uint32_t)t->constants.len);
	*VEC_PUSH(&t->constants) = *k;
}

bool jfr_types_checkpoint(struct jfr_types *t, struct jfr_cursor *c)
{
	uint64_t n_pools;

	(void)jfr_long(c); /* skip start, duration, offset of the previous checkpoint, and kind */
	(void)jfr_long(c);
	(void)jfr_long(c);
	(void)jfr_fixed(c, 1);
	n_pools = jfr_count(c);
	for (; n_pools && !c->is_bad; n_pools--) {
		uint64_t id = jfr_long(c);
		uint32_t row = jfr_class_row(t, id);

		for (uint64_t n = jfr_count(c); n && !c->is_bad; n--) {
			struct jfr_constant k = { .class_id = id, .class = row };

			k.key = jfr_long(c);
			k.at = c->p;
			jfr_skip(t, row, c, 0);
			if (!c->is_bad)
				jfr_add_constant(t, &k);
		}
	}
	return !c->is_bad;
}
