/* SPDX-License-Identifier: MIT */
/*
 * profiles.h - made-up profiles for tests of analyses
 */
#ifndef PROFILES_H
#define PROFILES_H

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

/* "comm;main;f_[k];g 3" lines: the first frame is the command, _[k] marks the kernel. */
static inline struct capture *profile_of_folded(struct dossier *d, const char *text)
{
	struct capture *c = dossier_add(d, "folded");
	struct profile *p = capture_profile(c);
	struct str rest = str_of(text);
	struct str line;

	p->unit = WEIGHT_SAMPLES;
	while (str_line(&rest, &line)) {
		size_t blank = str_rfind_char(line, ' ');
		struct str count = str_skip(line, blank + 1);
		struct str stack = str_sub(line, 0, blank);
		stack_id at = STACK_ROOT;
		uint64_t weight = 0;
		bool first = true;

		if (!str_u64(&count, &weight))
			continue;
		while (stack.len) {
			size_t n = str_find_char(stack, ';');
			struct str name = str_sub(stack, 0, n);
			enum symbol_space space = first ? SPACE_COMM : SPACE_USER;
			struct str module = first ? STR_NONE : STR("app");

			if (str_ends(name, STR("_[k]"))) {
				name.len -= 4;
				space = SPACE_KERNEL;
				module = STR("[kernel.kallsyms]");
			}
			at = stacks_push(&p->stacks, at,
					 symbols_add_text(&d->symbols, name, module, space, 0));
			stack = str_skip(stack, n + 1);
			first = false;
		}
		if (profile_add_sample(p, at, weight) < 0)
			break;
	}
	return c;
}

/* A printed row of "comm", "dso", [level] "symbol"; weights in 0.01 %. */
static inline struct profile_row *profile_add_row(struct dossier *d, struct capture *c,
						  const char *comm, const char *dso, char level,
						  const char *symbol, uint64_t children,
						  uint64_t self)
{
	struct profile *p = capture_profile(c);
	struct profile_row *r = VEC_PUSH(&p->table.rows);

	memset(r, 0, sizeof(*r));
	p->unit = WEIGHT_PERCENT;
	p->decimals = 2;
	p->printed_decimals = 2;
	p->is_rounded = true;
	r->self = self;
	r->children = children;
	r->comm = strings_add(&d->strings, str_of(comm));
	r->dso = strings_add(&d->strings, str_of(dso));
	r->sym = symbols_add_text(&d->symbols, str_of(symbol), str_of(dso),
				  symbol_space_of_level(level), 0);
	r->level = level;
	r->tree = INDEX_NONE;
	r->extra = INDEX_NONE;
	r->line = (uint32_t)p->table.rows.len + 10;
	r->has = ROW_HAS_SELF | ROW_HAS_SYMBOL | ROW_HAS_COMM | ROW_HAS_DSO;
	if (children != UINT64_MAX)
		r->has |= ROW_HAS_CHILDREN;
	else
		r->children = 0;
	p->table.columns |= r->has;
	return r;
}

#endif
