/* SPDX-License-Identifier: MIT */
/* risk_part.h - result of one file, before the files of a tree are merged */
#ifndef METRICS_RISK_PART_H
#define METRICS_RISK_PART_H

#include "base/arena.h"
#include "base/vec.h"
#include "metrics/risk.h"

struct str;

struct risk_part {
	struct arena arena;                  /* owns the names */
	VEC(struct risk_function) functions; /* calls: first of its names in call_names */
	VEC(struct str) call_names;
	VEC(struct str) entries; /* names in an initializer or EXPORT_SYMBOL */
	VEC(uint8_t) entry_kinds;
	struct risk_file file;
	bool is_compat_cut;
	bool is_cached; /* from the cache, not parsed */
};

void risk_part_fini(struct risk_part *part);

#endif
