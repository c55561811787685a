/* SPDX-License-Identifier: MIT */
/* rule_list.h - declares all rules. A new rule recompiles only the files that include this one. */
#ifndef EXPLAIN_RULE_LIST_H
#define EXPLAIN_RULE_LIST_H

#include "explain/rule.h"

/* clang-format off */
#define RULE(name) extern const struct rule rule_##name;
#include "rules.def"
#undef RULE
/* clang-format on */

#endif
