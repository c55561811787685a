/* SPDX-License-Identifier: MIT */
#include "explain/known_cases.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/findings.h"
#include "explain/rule.h"

static const struct {
	const char *rule;
	uint32_t cases;
	uint32_t right;
} known_cases[] = {
#include "known_cases_table.h"
};

bool known_cases_suffice(uint32_t cases, uint32_t right)
{
	return cases >= KNOWN_CASES_MIN &&
	       (uint64_t)right * 100 >= (uint64_t)cases * KNOWN_CASES_RIGHT_PCT;
}

/* Largest certainty that findings of @rule may have, in percent. Cost: O(rows of the table). */
static unsigned int known_cases_limit(const struct rule *rule)
{
	if (rule->is_measured || rule->is_about_data || rule->is_about_names)
		return 100;
	for (size_t i = 0; i < ARRAY_LEN(known_cases); i++) {
		if (str_eq(str_of(known_cases[i].rule), str_of(rule->id)))
			return known_cases_suffice(known_cases[i].cases, known_cases[i].right)
				       ? 100
				       : KNOWN_CASES_CAP;
	}
	return KNOWN_CASES_CAP;
}

void known_cases_cap(struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->sure > KNOWN_CASES_CAP && row->sure < FINDING_CERTAIN &&
		    row->sure > known_cases_limit(row->rule))
			row->sure = KNOWN_CASES_CAP;
	}
}
