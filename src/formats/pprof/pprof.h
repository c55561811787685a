/* SPDX-License-Identifier: MIT */
/*
 * pprof.h - reader and writer of pprof profiles
 *
 * The field numbers are those of profile.proto of google/pprof.
 */
#ifndef FORMATS_PPROF_H
#define FORMATS_PPROF_H

#include <stddef.h>

struct capture;
struct error;
struct out;

enum pprof_profile_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING_TABLE = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

enum pprof_field {
	PPROF_TYPE_TYPE = 1, /* fields of ValueType */
	PPROF_TYPE_UNIT = 2,
	PPROF_SAMPLE_LOCATION = 1, /* fields of Sample */
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3,
	PPROF_LABEL_KEY = 1, /* fields of Label */
	PPROF_LABEL_STR = 2,
	PPROF_LABEL_NUM = 3,
	PPROF_LABEL_UNIT = 4,
	PPROF_MAPPING_ID = 1, /* fields of Mapping */
	PPROF_MAPPING_FILENAME = 5,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PPROF_MAPPING_HAS_INLINES = 10,
	PPROF_LOCATION_ID = 1, /* fields of Location */
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,
	PPROF_LINE_FUNCTION = 1, /* fields of Line */
	PPROF_FUNCTION_ID = 1,   /* fields of Function */
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
};

int pprof_write(const struct capture *const *captures, size_t n, struct out *out,
		struct error *err);

#endif
