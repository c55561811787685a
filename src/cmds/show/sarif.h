/* SPDX-License-Identifier: MIT */
/*
 * sarif.h - findings as SARIF 2.1.0, which CI systems and editors show
 *
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/: one run, the rules that said
 * something, one result a finding; severities are SARIF's levels by name, what
 * another finding explains away is suppressed.
 */
#ifndef CMDS_SARIF_H
#define CMDS_SARIF_H

#include "base/str.h"

struct dossier;
struct findings;
struct out;

/* One result at one place. */
struct sarif_place {
	struct str path;
	uint32_t line;
	const char *rule; /* its id */
	struct str message;
};

struct sarif_rule {
	const char *id;
	const char *title;
};

/* Write warnings. @rules_said: the rules that @places name. */
void sarif_write_places(const struct sarif_rule *rules_said, size_t n_rules,
			const struct sarif_place *places, size_t n_places, struct out *out);
void sarif_write(const struct dossier *d, const struct findings *f, struct out *out);

#endif
