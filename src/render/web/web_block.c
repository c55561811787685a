/* SPDX-License-Identifier: MIT */
#include "render/web/web_page.h"

#include "analyses/categories.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

void web_block_init(struct web_block *b)
{
	out_init(&b->head);
	out_init(&b->columns);
	out_init(&b->body);
	json_init(&b->json, &b->head, false);
	json_object(&b->json);
	json_key(&b->json, "meta");
	json_object(&b->json);
}

void web_block_fini(struct web_block *b)
{
	out_fini(&b->head);
	out_fini(&b->columns);
	out_fini(&b->body);
}

static const struct {
	const char *name;
	size_t size;
} web_types[] = {
	[WEB_U8] = { "u8", 1 },
	[WEB_U16] = { "u16", 2 },
	[WEB_U32] = { "u32", 4 },
	[WEB_F64] = { "f64", 8 },
};

void web_block_column(struct web_block *b, const char *name, enum web_type type, const void *data,
		      size_t n)
{
	size_t size = web_types[type].size;

	out_printf(&b->columns, "%s{\"name\":\"%s\",\"type\":\"%s\",\"at\":%zu,\"n\":%zu}",
		   b->columns.len ? "," : "", name, web_types[type].name, b->body.len, n);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		if (n)
			out_bytes(&b->body, data, n * size);
	} else {
		const char *bytes = data;

		for (size_t i = 0; i < n * size; i++)
			out_char(&b->body, bytes[i / size * size + (size - 1 - i % size)]);
	}
	while (b->body.len % 8)
		out_char(&b->body, '\0');
}

void web_block_integers(struct web_block *b, const char *name, const uint64_t *data, size_t n)
{
	uint64_t max = 0;
	enum web_type type;
	size_t size;
	char *copy;

	for (size_t i = 0; i < n; i++)
		max = data[i] > max ? data[i] : max;
	type = max <= UINT8_MAX    ? WEB_U8
	       : max <= UINT16_MAX ? WEB_U16
	       : max <= UINT32_MAX ? WEB_U32
				   : WEB_F64;
	size = web_types[type].size;
	copy = xmalloc(n * size + 1);
	for (size_t i = 0; i < n; i++) {
		uint8_t u8 = (uint8_t)data[i];
		uint16_t u16 = (uint16_t)data[i];
		uint32_t u32 = (uint32_t)data[i];
		double f64 = (double)data[i];
		const void *from = type == WEB_U8    ? (const void *)&u8
				   : type == WEB_U16 ? (const void *)&u16
				   : type == WEB_U32 ? (const void *)&u32
						     : (const void *)&f64;

		memcpy(copy + i * size, from, size);
	}
	web_block_column(b, name, type, copy, n);
	free(copy);
}

void web_symbols_init(struct web_symbols *w, const struct symbols *symbols,
		      struct category_cache *cats)
{
	*w = (struct web_symbols){ .symbols = symbols, .cats = cats };
	w->place = xcalloc(symbols->rows.len + 1, sizeof(*w->place));
}

void web_symbols_fini(struct web_symbols *w)
{
	free(w->place);
	VEC_FREE(&w->rows);
}

uint32_t web_symbols_add(struct web_symbols *w, sym_id sym)
{
	if (sym.v >= w->symbols->rows.len)
		sym = SYM_ID_NONE;
	if (!w->place[sym.v]) {
		*VEC_PUSH(&w->rows) = sym;
		w->place[sym.v] = (uint32_t)w->rows.len;
	}
	return w->place[sym.v] - 1;
}

/*
 * Write the array "modules" with the names of all modules, and the array "module" with an index in
 * "modules" for each symbol.
 */
static void web_symbols_modules(const struct web_symbols *w, struct json *json)
{
	uint32_t *place = xcalloc(w->symbols->strings->views.len + 1, sizeof(*place));
	VEC(uint32_t) at = VEC_INIT;
	uint32_t n = 0;

	json_key(json, "modules");
	json_array(json);
	VEC_FOREACH (sym, &w->rows) {
		str_id module = symbols_get(w->symbols, *sym)->module;

		if (!place[module.v]) {
			json_str(json, strings_get(w->symbols->strings, module));
			place[module.v] = ++n;
		}
		*VEC_PUSH(&at) = place[module.v] - 1;
	}
	json_array_end(json);
	json_key(json, "module");
	json_array(json);
	VEC_FOREACH (i, &at)
		json_u64(json, *i);
	json_array_end(json);
	VEC_FREE(&at);
	free(place);
}

static void web_symbols_kinds(const struct web_symbols *w, struct json *json)
{
	json_key(json, "categories");
	json_array(json);
	for (uint16_t i = 0; i < category_count(); i++)
		json_z(json, category_name((category_id){ i }));
	json_array_end(json);
	json_key(json, "category");
	json_array(json);
	VEC_FOREACH (sym, &w->rows)
		json_u64(json, category_of(w->cats, w->symbols, *sym).v);
	json_array_end(json);
	json_key(json, "spaces");
	json_array(json);
	for (unsigned int i = 0; i < SPACE_COUNT; i++)
		json_z(json, i == SPACE_COMM ? "command" : symbol_space_name((enum symbol_space)i));
	json_array_end(json);
	json_key(json, "space");
	json_array(json);
	VEC_FOREACH (sym, &w->rows)
		json_u64(json, symbols_get(w->symbols, *sym)->space);
	json_array_end(json);
	json_key(json, "flags");
	json_array(json);
	VEC_FOREACH (sym, &w->rows)
		json_u64(json, symbols_get(w->symbols, *sym)->flags);
	json_array_end(json);
}

void web_symbols_write(const struct web_symbols *w, struct json *json)
{
	json_key(json, "symbols");
	json_object(json);
	json_key(json, "name");
	json_array(json);
	VEC_FOREACH (sym, &w->rows)
		json_str(json, symbols_name(w->symbols, *sym));
	json_array_end(json);
	web_symbols_modules(w, json);
	web_symbols_kinds(w, json);
	json_object_end(json);
}
