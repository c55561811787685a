/* SPDX-License-Identifier: MIT */
/*
 * sarif.h - findings as SARIF 2.1.0, which CI systems and editors show
 *
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/: one run, the rules that reported something, and
 * one result per finding. Severities have the names of SARIF's levels. A finding that another
 * finding explains is suppressed.
 */
#ifndef CMDS_SARIF_H
#define CMDS_SARIF_H

#include "base/str.h"

struct dossier;
struct findings;
struct out;

/* A place in a file, with the message of a result. */
struct sarif_place {
	struct str path;
	uint32_t line;
	const char *rule; /* id of the rule */
	struct str message;
};

struct sarif_rule {
	const char *id;
	const char *title;
};

/* Write @places as warnings. @rules_said: the rules to which the places refer. */
void sarif_write_places(const struct sarif_rule *rules_said, size_t n_rules,
			const struct sarif_place *places, size_t n_places, struct out *out);
void sarif_write(const struct dossier *d, const struct findings *f, struct out *out);

#endif
