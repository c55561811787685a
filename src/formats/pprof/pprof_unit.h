/* SPDX-License-Identifier: MIT */
/* pprof_unit.h - units of values in pprof and OTLP profiles: "nanoseconds", "0.01 percent" */
#ifndef FORMATS_PPROF_UNIT_H
#define FORMATS_PPROF_UNIT_H

#include "base/str.h"
#include "core/profile.h"

#include <stdint.h>

struct pprof_unit {
	enum weight_unit unit;
	unsigned int decimals;
	uint64_t scale; /* factor from the values in the file to `unit` */
};

struct pprof_unit pprof_unit_of(struct str name);
/* Convert @value from the unit of the file to u->unit. The result is at most INT64_MAX. */
uint64_t pprof_unit_scale(const struct pprof_unit *u, uint64_t value);

#endif
