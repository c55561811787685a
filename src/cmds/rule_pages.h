/* SPDX-License-Identifier: MIT */
/*
 * rule_pages.h - docs/rules built into the program, for `assay explain --why`
 */
#ifndef CMDS_RULE_PAGES_H
#define CMDS_RULE_PAGES_H

struct rule_page {
	const char *id;
	const char *text; /* the page as it is in docs/rules/<id>.md */
};

/* By id; the last has a NULL id. Made by tools/gen-rule-pages.py. */
extern const struct rule_page rule_pages[];

#endif
