/* SPDX-License-Identifier: MIT */
#include "symbols/kernel/kallsyms.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/kernel/kallsyms_index.h"

void kallsyms_fini(struct kallsyms *k)
{
	VEC_FOREACH (m, &k->modules)
		symtab_fini(&m->table);
	VEC_FREE(&k->modules);
	kallsyms_index_free(k->index);
	k->index = NULL;
}

struct str kallsyms_module_name(const struct kallsyms_module *m)
{
	return str_of(m->table.names.data + m->name);
}

/*
 * Return the table of the module @name, created if necessary. The symbols of a module are
 * consecutive, so the module of the previous line is tried first.
 */
static struct symtab *kallsyms_module(struct kallsyms *k, struct str name)
{
	struct kallsyms_module *m;

	for (size_t i = 0; i <= k->modules.len; i++) {
		size_t at = i == 0 ? k->last : i - 1;

		if (at < k->modules.len &&
		    str_eq(kallsyms_module_name(&k->modules.data[at]), name)) {
			k->last = at;
			return &k->modules.data[at].table;
		}
	}
	m = VEC_PUSH(&k->modules);
	memset(m, 0, sizeof(*m));
	(void)symtab_add_names(&m->table, name, &m->name);
	k->last = k->modules.len - 1;
	return &m->table;
}

struct kallsyms_line {
	uint64_t address;
	struct str name;
	struct str module;
	char type;
};

static bool kallsyms_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Parse a line such as "ffffffffc0000000 t ext4_read\t[ext4]". */
static bool kallsyms_line(const char *p, const char *end, struct kallsyms_line *ret)
{
	const char *word;
	int digit;

	ret->address = 0;
	for (word = p; p < end && (digit = char_hex(*p)) >= 0; p++)
		ret->address = ret->address << 4 | (unsigned int)digit;
	if (p == word || p - word > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	for (p += 3; p < end && kallsyms_is_blank(*p);)
		p++;
	for (word = p; p < end && !kallsyms_is_blank(*p);)
		p++;
	ret->name = (struct str){ word, (size_t)(p - word) };
	ret->module = STR("");
	while (p < end && kallsyms_is_blank(*p))
		p++;
	for (word = p; p < end && !kallsyms_is_blank(*p);)
		p++;
	if (p - word > 2 && *word == '[')
		ret->module = (struct str){ word + 1, (size_t)(p - word) - 2 };
	return ret->name.len > 0;
}

void kallsyms_mark(struct kallsyms_marks *marks, struct str name, uint64_t address)
{
	if (name.p[0] != '_')
		return;
	if (str_eq(name, STR("_text")))
		marks->text = address;
	else if (str_eq(name, STR("_etext")))
		marks->etext = address;
	else if (str_eq(name, STR("_sinittext")))
		marks->init_text = address;
	else if (str_eq(name, STR("_einittext")))
		marks->init_end = address;
}

bool kallsyms_is_data(const struct kallsyms_marks *marks, uint64_t address)
{
	if (marks->etext <= marks->text || marks->text == 0)
		return false;
	if (address >= marks->text && address < marks->etext)
		return false;
	return address < marks->init_text || address >= marks->init_end;
}

void kallsyms_add(struct kallsyms *k, struct str text)
{
	const char *end = text.p + text.len;

	if (k->modules.len == 0)
		(void)kallsyms_module(k, STR(""));
	for (const char *p = text.p; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *start = p;
		struct kallsyms_line s;
		char kind;

		eol = eol ? eol : end;
		p = eol + 1;
		if (!kallsyms_line(start, eol, &s))
			continue;
		k->n_lines++;
		k->has_address |= s.address != 0;
		kind = (char)(s.type | 0x20);
		if (kind != 't' && kind != 'w' && kind != 'd' && kind != 'b')
			continue;
		/* skip ARM mapping symbols, such as $x, which are no functions */
		if (s.name.p[0] == '$')
			continue;
		if (s.module.len == 0)
			kallsyms_mark(&k->marks, s.name, s.address);
		symtab_add(kallsyms_module(k, s.module), s.address, 0, s.name,
			   kind == 'w'    ? SYMTAB_WEAK
			   : s.type < 'a' ? SYMTAB_GLOBAL
					  : SYMTAB_LOCAL);
	}
}

int kallsyms_finish(struct kallsyms *k, struct error *err)
{
	if (k->n_lines == 0)
		return fail(err, ERR_FORMAT, "no kernel symbol table");
	if (!k->has_address)
		return fail(err, ERR_PERM, "kernel addresses are hidden (kptr_restrict)");
	VEC_FOREACH (m, &k->modules)
		symtab_finish(&m->table, false);
	return OK;
}
