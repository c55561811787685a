/* SPDX-License-Identifier: MIT */
/*
 * flame_risk.h - a flame graph in which the colour of a function shows its risk, which is computed
 * from metrics of the C sources
 */
#ifndef CMDS_FLAME_RISK_H
#define CMDS_FLAME_RISK_H

#include "base/status.h"
#include "cmds/risk/heat.h"

struct capture;
struct flame;
struct out;
struct paths;
struct svg_flame_options;

struct flame_risk {
	struct heat_sources sources;
	uint8_t *classes;
};

/*
 * Measure the C sources at @path. @has_cache: reuse cached results. Owner: caller,
 * flame_risk_fini(), also on error. Errors: those of heat_sources_open().
 */
MUST_CHECK int flame_risk_open(struct flame_risk *r, const char *path, bool has_cache,
			       struct error *err);
/* Build the graph @ret from the paths @p of @c, and set the members of @o for tooltips. */
void flame_risk_build(struct flame_risk *r, const struct capture *c, const struct paths *p,
		      uint64_t min_weight, struct svg_flame_options *o, struct flame *ret);
/* Append the end of the picture's subtitle: ", coloured by …". */
void flame_risk_subtitle(const struct flame_risk *r, struct out *out);
void flame_risk_fini(struct flame_risk *r);

#endif
