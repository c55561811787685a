/* SPDX-License-Identifier: MIT */
#include "symbols/kallsyms.h"

void kallsyms_fini(struct kallsyms *k)
{
	VEC_FOREACH (m, &k->modules)
		symtab_fini(&m->table);
	VEC_FREE(&k->modules);
}

/* Modules come in runs, so the one of the line before is nearly always right. */
static struct symtab *kallsyms_module(struct kallsyms *k, struct str name, size_t *last)
{
	struct kallsyms_module *m;

	for (size_t i = 0; i <= k->modules.len; i++) {
		size_t at = i == 0 ? *last : i - 1;

		if (at < k->modules.len && str_eq(k->modules.data[at].name, name)) {
			*last = at;
			return &k->modules.data[at].table;
		}
	}
	m = VEC_PUSH(&k->modules);
	memset(m, 0, sizeof(*m));
	m->name = arena_str(&m->table.names, name);
	*last = k->modules.len - 1;
	return &m->table;
}

struct kallsyms_line {
	uint64_t address;
	struct str name;
	struct str module;
	char type;
};

static bool kallsyms_line(struct str line, struct kallsyms_line *ret)
{
	struct str word;

	if (!str_hex64(&line, &ret->address) || line.len < 4 || line.p[0] != ' ' ||
	    line.p[2] != ' ')
		return false;
	ret->type = line.p[1];
	line = str_skip(line, 3);
	if (!str_word(&line, &ret->name))
		return false;
	ret->module = STR("");
	if (str_word(&line, &word) && word.len > 2 && word.p[0] == '[')
		ret->module = str_sub(word, 1, word.len - 1);
	return true;
}

int kallsyms_read(struct kallsyms *k, struct str text, struct error *err)
{
	bool has_address = false;
	size_t last = 0;
	size_t n = 0;
	struct str line;

	memset(k, 0, sizeof(*k));
	(void)kallsyms_module(k, STR(""), &last);
	while (str_line(&text, &line)) {
		struct kallsyms_line s;
		char kind;

		if (!kallsyms_line(line, &s))
			continue;
		n++;
		has_address = has_address || s.address != 0;
		kind = (char)(s.type | 0x20);
		if (kind != 't' && kind != 'w' && kind != 'd' && kind != 'b')
			continue;
		if (s.name.p[0] == '$') /* mapping symbols of ARM */
			continue;
		symtab_add(kallsyms_module(k, s.module, &last), s.address, 0, s.name,
			   kind == 'w'    ? SYMTAB_WEAK
			   : s.type < 'a' ? SYMTAB_GLOBAL
					  : SYMTAB_LOCAL,
			   kind == 'd' || kind == 'b');
	}
	if (n == 0)
		return fail(err, ERR_FORMAT, "no kernel symbol table");
	if (!has_address)
		return fail(err, ERR_PERM, "kernel addresses are hidden (kptr_restrict)");
	VEC_FOREACH (m, &k->modules)
		symtab_finish(&m->table);
	return OK;
}
