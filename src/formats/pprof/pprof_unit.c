/* SPDX-License-Identifier: MIT */
#include "formats/pprof/pprof_unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/profile.h"

struct pprof_unit pprof_unit_of(struct str name)
{
	static const struct {
		const char *name;
		enum weight_unit unit;
		uint64_t scale;
	} units[] = {
		{ "nanoseconds", WEIGHT_NS, 1 },
		{ "microseconds", WEIGHT_NS, 1000 },
		{ "milliseconds", WEIGHT_NS, 1000000 },
		{ "seconds", WEIGHT_NS, 1000000000 },
		{ "bytes", WEIGHT_BYTES, 1 },
		{ "kilobytes", WEIGHT_BYTES, 1024 },
		{ "megabytes", WEIGHT_BYTES, 1024 * 1024 },
		{ "percent", WEIGHT_PERCENT, 1 },
		{ "count", WEIGHT_EVENTS, 1 },
	};
	struct pprof_unit ret = { .unit = WEIGHT_UNKNOWN, .scale = 1 };

	/* unit with decimals: in "0.01 percent", the value 1234 stands for 12.34 percent */
	if (str_take(&name, STR("0."))) {
		size_t blank = str_find_char(name, ' ');

		if (blank < name.len && blank <= 9)
			ret.decimals = (unsigned int)blank;
		name = str_skip(name, blank + 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (!str_eq(name, str_of(units[i].name)))
			continue;
		ret.unit = units[i].unit;
		ret.scale = units[i].scale;
	}
	return ret;
}

uint64_t pprof_unit_scale(const struct pprof_unit *u, uint64_t value)
{
	uint64_t scaled;

	if (__builtin_mul_overflow(value, u->scale, &scaled) || scaled > INT64_MAX)
		return INT64_MAX;
	return scaled;
}
