/* SPDX-License-Identifier: MIT */
/* function_index.c - find the source functions of a profile's symbols */
#include "analyses/function_index.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

static uint32_t index_find(struct function_index *x, struct str name)
{
	struct idmap_probe p = idmap_first(&x->map, hash_str(name));

	while (idmap_next(&x->map, &p)) {
		if (str_eq(x->functions.data[p.id].name, name))
			return p.id;
	}
	return INDEX_NONE;
}

void function_index_add(struct function_index *x, const struct indexed_function *f)
{
	uint32_t first = index_find(x, f->name);
	uint32_t row = (uint32_t)x->functions.len;
	struct idmap_probe p;

	*VEC_PUSH(&x->functions) = *f;
	*VEC_PUSH(&x->next) = INDEX_NONE;
	if (first != INDEX_NONE) {
		x->next.data[row] = x->next.data[first];
		x->next.data[first] = row;
		return;
	}
	p = idmap_first(&x->map, hash_str(f->name));
	idmap_insert(&x->map, &p, row);
}

void function_index_fini(struct function_index *x)
{
	VEC_FREE(&x->functions);
	VEC_FREE(&x->next);
	idmap_fini(&x->map);
}

void function_matches_fini(struct function_matches *m)
{
	VEC_FREE(&m->rows);
}

/*
 * Derive the name of a system call in the source from the name of its entry function: "openat" from
 * "__x64_sys_openat". It is the first argument of SYSCALL_DEFINEn(). STR_NONE: @name is no entry
 * function.
 */
static struct str index_syscall(struct str name)
{
	static const char *const prefixes[] = {
		"__x64_sys_",
		"__ia32_sys_",
		"__arm64_sys_",
		"__s390x_sys_",
		"__riscv_sys_",
		"__se_sys_",
		"__do_sys_",
		"__x64_compat_sys_",
		"__ia32_compat_sys_",
		"__arm64_compat_sys_",
		"__se_compat_sys_",
		"__do_compat_sys_",
		"SyS_",
		"SYSC_",
		"sys_",
		"ksys_",
	};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (str_starts(name, str_of(prefixes[i])))
			return str_skip(name, strlen(prefixes[i]));
	}
	return STR_NONE;
}

/* Parse the source position in a frame's name: "name file.c:12". */
static void index_place(struct str name, struct str *ret_file, uint32_t *ret_line)
{
	size_t blank = str_rfind_char(name, ' ');
	struct str place = str_skip(name, blank + 1);
	size_t colon = str_rfind_char(place, ':');
	uint64_t line = 0;

	if (blank >= name.len || colon == 0 || colon + 1 >= place.len)
		return;
	for (size_t i = colon + 1; i < place.len; i++) {
		if (!char_is_digit(place.p[i]))
			return;
		line = line * 10 + (uint64_t)(place.p[i] - '0');
		if (line > UINT32_MAX)
			return;
	}
	*ret_file = str_sub(place, 0, colon);
	*ret_line = (uint32_t)line;
}

/*
 * Number of equal path components, counted from the ends of @a and @b: 2 for "x/net/a.c" and
 * "y/net/a.c". 0: the file names differ.
 */
static uint32_t index_common(struct str a, struct str b)
{
	uint32_t n = 0;

	while (a.len && b.len) {
		size_t x = str_rfind_char(a, '/');
		size_t y = str_rfind_char(b, '/');
		bool is_whole = x >= a.len || y >= b.len;

		if (!str_eq(x < a.len ? str_skip(a, x + 1) : a, y < b.len ? str_skip(b, y + 1) : b))
			break;
		n++;
		if (is_whole)
			break;
		a = str_sub(a, 0, x);
		b = str_sub(b, 0, y);
	}
	return n;
}

/*
 * Keep the functions in @m whose path has the most components in common with @file. If some of
 * these contain @line, keep only those.
 */
static void index_narrow(const struct function_index *x, struct str file, uint32_t line,
			 struct function_matches *m)
{
	uint32_t most = 0;
	size_t kept = 0;
	size_t around = 0;
	bool has_file = false;

	VEC_FOREACH (row, &m->rows) {
		const struct indexed_function *f = &x->functions.data[*row];
		uint32_t n = f->file.len ? index_common(f->file, file) : 0;

		has_file |= f->file.len > 0;
		most = n > most ? n : most;
	}
	if (!has_file)
		return;
	for (size_t i = 0; i < m->rows.len; i++) {
		const struct indexed_function *f = &x->functions.data[m->rows.data[i]];

		if (most && f->file.len && index_common(f->file, file) == most)
			m->rows.data[kept++] = m->rows.data[i];
	}
	m->rows.len = kept;
	m->is_by_place = kept > 0;
	for (size_t i = 0; line && kept > 1 && i < kept; i++) {
		const struct indexed_function *f = &x->functions.data[m->rows.data[i]];

		if (f->last_line && f->first_line <= line && line <= f->last_line)
			m->rows.data[around++] = m->rows.data[i];
	}
	if (around)
		m->rows.len = around;
}

/*
 * Add the functions with the name @name to @ret. @is_syscall: only definitions by
 * SYSCALL_DEFINEn().
 */
static void index_take(struct function_index *x, struct str name, bool is_syscall,
		       struct function_matches *ret)
{
	uint32_t first = index_find(x, name);

	if (first == INDEX_NONE)
		return;
	if (!is_syscall || x->functions.data[first].is_syscall)
		*VEC_PUSH(&ret->rows) = first;
	for (uint32_t i = x->next.data[first]; i != INDEX_NONE; i = x->next.data[i]) {
		if (!is_syscall || x->functions.data[i].is_syscall)
			*VEC_PUSH(&ret->rows) = i;
	}
}

static int index_compare(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return (*x > *y) - (*x < *y);
}

void function_index_find(struct function_index *x, const struct symbols *symbols, sym_id sym,
			 struct function_matches *ret)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str name = symbols_canonical(symbols, sym);
	struct str file = strings_get(symbols->strings, s->file);
	uint32_t line = s->line;
	struct str call;

	ret->rows.len = 0;
	ret->is_by_place = false;
	if (sym.v == 0 || s->space == SPACE_COMM || s->flags & SYMBOL_ADDRESS)
		return;
	if (!file.len)
		index_place(symbols_name(symbols, sym), &file, &line);
	call = index_syscall(name);
	index_take(x, name, false, ret);
	/* use the definition of a system call only if there is no plain function with this name */
	if (call.len && (ret->rows.len == 0 || x->functions.data[ret->rows.data[0]].is_by_macro)) {
		ret->rows.len = 0;
		index_take(x, call, true, ret);
	}
	if (ret->rows.len > 1)
		VEC_SORT(&ret->rows, index_compare);
	if (ret->rows.len && file.len)
		index_narrow(x, file, line, ret);
}
