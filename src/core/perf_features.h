/* SPDX-License-Identifier: MIT */
/*
 * perf_features.h - perf.data constants that no kernel header has
 *
 * They are numbers of feature sections, and types of records that perf writes instead of the
 * kernel. Sources: tools/perf/util/header.h, tools/lib/perf/include/perf/event.h.
 */
#ifndef CORE_PERF_FEATURES_H
#define CORE_PERF_FEATURES_H

#include "base/str.h"

#include <stdbool.h>

/* The first bytes of a recording: from a machine with this byte order, and with the other one. */
#define PERF_MAGIC       "PERFILE2"
#define PERF_MAGIC_OTHER "2ELIFREP"

/* Is @head the start of a recording of perf (perf.data)? */
static inline bool perf_features_is_recording(struct str head)
{
	return str_starts(head, STR(PERF_MAGIC)) || str_starts(head, STR(PERF_MAGIC_OTHER));
}

enum perf_feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID = 2,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE = 4,
	FEAT_VERSION = 5,
	FEAT_ARCH = 6,
	FEAT_NRCPUS = 7,
	FEAT_CPUDESC = 8,
	FEAT_CPUID = 9,
	FEAT_TOTAL_MEM = 10,
	FEAT_CMDLINE = 11,
	FEAT_EVENT_DESC = 12,
	FEAT_CPU_TOPOLOGY = 13,
	FEAT_NUMA_TOPOLOGY = 14,
	FEAT_PMU_MAPPINGS = 16,
	FEAT_GROUP_DESC = 17,
	FEAT_CACHE = 20,
	FEAT_SAMPLE_TIME = 21,
	FEAT_MEM_TOPOLOGY = 22,
	FEAT_CLOCKID = 23,
	FEAT_DIR_FORMAT = 24,
	FEAT_BPF_PROG_INFO = 25,
	FEAT_COMPRESSED = 27,
	FEAT_CPU_PMU_CAPS = 28,
	FEAT_CLOCK_DATA = 29,
	/*
	 * section that assay adds, with names of functions (symbols/names.h); far above perf's
	 * numbers
	 */
	FEAT_NAMES = 200,
	FEAT_MAX = 32, /* features with this or a higher number are ignored, except FEAT_NAMES */
};

enum perf_own_record {
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE = 65,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83,
	PERF_RECORD_HEADER_MAX = 84,
};

#endif
