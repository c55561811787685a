/* SPDX-License-Identifier: MIT */
/*
 * rule_list.h - declares all rules
 *
 * If a rule is added, only the files that include this header are compiled again.
 */
#ifndef EXPLAIN_RULE_LIST_H
#define EXPLAIN_RULE_LIST_H

#include "explain/rule.h"

/* clang-format off */
#define RULE(name) extern const struct rule rule_##name;
#include "rules.def"
#undef RULE
/* clang-format on */

#endif
