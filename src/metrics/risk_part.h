/* SPDX-License-Identifier: MIT */
/* risk_part.h - result of measuring one file, before the files of a tree are merged */
#ifndef METRICS_RISK_PART_H
#define METRICS_RISK_PART_H

#include "base/arena.h"
#include "base/vec.h"
#include "metrics/risk.h"

struct str;

struct risk_part {
	struct arena arena; /* owns all names */
	/* functions of the file; in this struct, risk_function.calls is an index in call_names */
	VEC(struct risk_function) functions;
	VEC(struct str) call_names;
	/*
	 * names of entries, that is of functions that code outside of the tree can call
	 * (risk_entries())
	 */
	VEC(struct str) entries;
	VEC(uint8_t) entry_kinds;
	struct risk_file file;
	bool is_compat_cut;
	bool is_cached; /* read from the cache, not parsed */
};

void risk_part_fini(struct risk_part *part);

#endif
