/* SPDX-License-Identifier: MIT */
/* claim_names.c - find the symbols that a claim names */
#include "analyses/calls/calls_total.h"
#include "analyses/categories.h"
#include "analyses/plain_name.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <stdio.h>

/*
 * Whether @pattern matches the name of @sym. The pattern may omit template arguments and
 * parameters: "std::vector::push_back" matches std::vector<int>::push_back(int const&).
 */
static bool claim_is_named(const struct symbols *symbols, sym_id sym, struct str pattern)
{
	struct str name = symbols_name(symbols, sym);
	struct plain_name plain;

	if (calls_matches(symbols, sym, pattern))
		return true;
	if (str_find_char(name, '(') == name.len && str_find_char(name, '<') == name.len)
		return false;
	return str_glob(pattern, plain_name_make(&plain, name));
}

static bool claim_is_meant(struct claim_state *s, const struct symbols *symbols, sym_id sym,
			   const struct claim *c)
{
	struct str module = symbols_module(symbols, sym);
	category_id kind;
	size_t slash;

	switch (c->target) {
	case CLAIM_OF_ROLE:
		return str_glob(c->name, str_of(role_name(role_of(s->facts->roles, symbols, sym))));
	case CLAIM_OF_KIND:
		kind = category_of(&s->facts->cats, symbols, sym);
		return category_is_meant(kind, c->name);
	case CLAIM_OF_DSO:
		slash = str_rfind_char(module, '/');
		return str_glob(c->name, module) ||
		       (slash < module.len && str_glob(c->name, str_skip(module, slash + 1)));
	default:
		return claim_is_named(symbols, sym, c->name);
	}
}

/* Mark the symbol as a match, and remember its module. */
static void claim_names_add(struct claim_names *n, const struct symbols *symbols, uint32_t sym)
{
	str_id module = symbols->rows.data[sym].module;

	n->by_sym[sym] = 1;
	n->n++;
	for (size_t i = 0; i < n->n_modules && i < CLAIM_MODULES_MAX; i++) {
		if (n->modules[i].v == module.v)
			return;
	}
	if (n->n_modules < CLAIM_MODULES_MAX)
		n->modules[n->n_modules] = module;
	n->n_modules += n->n_modules <= CLAIM_MODULES_MAX;
}

bool claim_names_may_be(const struct claim_names *n, const struct symbols *symbols, sym_id sym)
{
	const struct symbol *row = symbols_get(symbols, sym);

	if (!n->is_code || !(row->flags & SYMBOL_ADDRESS))
		return false;
	if (row->module.v == 0 || n->n_modules == 0 || n->n_modules > CLAIM_MODULES_MAX)
		return true;
	for (size_t i = 0; i < n->n_modules; i++) {
		if (n->modules[i].v == row->module.v || n->modules[i].v == 0)
			return true;
	}
	return false;
}

/*
 * Return an array with an element for each symbol of the dossier: 1 if the symbol occurs in
 * @capture, otherwise 0. Owner: caller, free().
 */
static uint8_t *claim_present(const struct capture *capture)
{
	const struct symbols *symbols = capture_symbols(capture);
	uint8_t *has = xcalloc(symbols->rows.len + 1, 1);

	if (capture->profile) {
		VEC_FOREACH (sym, &capture->profile->stacks.sym)
			has[sym->v] = 1;
		VEC_FOREACH (row, &capture->profile->table.rows)
			has[row->sym.v] = 1;
	}
	if (capture->calls) {
		for (size_t i = 0; i < capture->calls->n; i++)
			has[capture->calls->sym.data[i].v] = 1;
	}
	return has;
}

void claim_names_of(struct claim_state *s, const struct capture *capture, const struct claim *c,
		    struct claim_names *ret)
{
	const struct symbols *symbols = capture_symbols(capture);
	CLEANUP(freep) uint8_t *present = claim_present(capture);

	*ret = (struct claim_names){ .by_sym = xcalloc(symbols->rows.len + 1, 1) };
	ret->is_code = c->target != CLAIM_OF_DSO;
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		if (symbols->rows.data[i].space == SPACE_COMM || !present[i])
			continue;
		if (claim_is_meant(s, symbols, (sym_id){ i }, c))
			claim_names_add(ret, symbols, i);
	}
	if (c->target != CLAIM_OF_FUNCTION)
		ret->n_modules = CLAIM_MODULES_MAX + 1;
}

void claim_names_match(const struct capture *capture, struct str pattern, struct claim_names *ret)
{
	const struct symbols *symbols = capture_symbols(capture);
	CLEANUP(freep) uint8_t *present = claim_present(capture);

	*ret = (struct claim_names){ .by_sym = xcalloc(symbols->rows.len + 1, 1), .is_code = true };
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		if (symbols->rows.data[i].space == SPACE_COMM || !present[i])
			continue;
		if (claim_is_named(symbols, (sym_id){ i }, pattern))
			claim_names_add(ret, symbols, i);
	}
}

void claim_names_fini(struct claim_names *n)
{
	free(n->by_sym);
	*n = (struct claim_names){ .by_sym = NULL };
}

void claim_names_unknown(const struct capture *capture, struct str pattern,
			 struct claim_result *ret)
{
	const struct symbols *symbols = capture_symbols(capture);
	struct suggest like;
	char why[CLAIM_TEXT_BYTES];

	suggest_init(&like, pattern);
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		if (symbols->rows.data[i].space != SPACE_COMM)
			suggest_try(&like, symbols_canonical(symbols, (sym_id){ i }));
	}
	(void)snprintf(why, sizeof(why), "no function is called '" STR_FMT "'%s%s",
		       STR_ARG(str_sub(pattern, 0, 120)), like.best[0] ? "; did you mean " : "",
		       like.best);
	claim_cannot(ret, why, "the right name; or add 'or absent', which takes it as 0 %");
}
