/* SPDX-License-Identifier: MIT */
/*
 * sarif.h - findings as SARIF 2.1.0, which CI systems and editors show
 *
 * The file has one run, with the rules that have findings, and one result per finding. Severities
 * have the names of SARIF's levels. A finding that another finding explains is marked as
 * suppressed. Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/.
 */
#ifndef CMDS_SARIF_H
#define CMDS_SARIF_H

#include "base/str.h"

struct dossier;
struct findings;
struct out;

/* A result at a line of a file, with its message. */
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

/*
 * Write @places as results of the level "warning". @reported: the rules whose ids @places
 * contain.
 */
void sarif_write_places(const struct sarif_rule *reported, size_t n_rules,
			const struct sarif_place *places, size_t n_places, struct out *out);
void sarif_write(const struct dossier *d, const struct findings *f, struct out *out);

#endif
