/* SPDX-License-Identifier: MIT */
/*
 * limits.h - a limit for every size that an input controls
 *
 * A reader that reaches a limit drops further items of that kind, counts them in its diag, and
 * continues. A function that cannot continue without the dropped items fails with ERR_LIMIT.
 *
 * The option `--limit NAME=VALUE` sets the limits of enum limits_id. They must be set before the
 * first input is read, and do not change later. All other limits are fixed, mostly because a type
 * or the size of an array depends on them. limits_table lists all limits for `assay --limits`.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/status.h"

#include <stdint.h>

enum limits_id {
	LIMITS_MEMORY,
	LIMITS_SECONDS,
	LIMITS_INPUT_BYTES,
	LIMITS_STREAM_BYTES,
	LIMITS_EXPANSION,
	LIMITS_CLEAN_BYTES,
	LIMITS_STRINGS,
	LIMITS_SYMBOLS,
	LIMITS_STACK_NODES,
	LIMITS_SAMPLES,
	LIMITS_CALLS,
	LIMITS_CALL_LANES,
	LIMITS_ROWS,
	LIMITS_LOG_RECORDS,
	LIMITS_REGIONS,
	LIMITS_JSON_BYTES,
	LIMITS_TRACE_EVENTS,
	LIMITS_RECOVER_FRAMES,
	LIMITS_SLURP_BYTES,
	LIMITS_LINE_DIES,
	LIMITS_SOURCE_FILES,
	LIMITS_COUNT,
};

extern uint64_t limits_now[LIMITS_COUNT];

/*
 * Limits of the process that reads the inputs. LIMIT_MEMORY and LIMIT_SECONDS can be 0: the limit
 * is then computed from the machine's memory or the size of the inputs.
 */
#define LIMIT_MEMORY  limits_now[LIMITS_MEMORY]
#define LIMIT_SECONDS limits_now[LIMITS_SECONDS]

#define LIMIT_INPUT_BYTES    limits_now[LIMITS_INPUT_BYTES]
#define LIMIT_STREAM_BYTES   limits_now[LIMITS_STREAM_BYTES]
#define LIMIT_EXPANSION      limits_now[LIMITS_EXPANSION]
#define LIMIT_CLEAN_BYTES    limits_now[LIMITS_CLEAN_BYTES]
#define LIMIT_LINE_BYTES     (UINT64_C(1) << 20)
#define LIMIT_NAME_BYTES     (UINT32_C(1) << 16)
#define LIMIT_STRINGS        (uint32_t) limits_now[LIMITS_STRINGS]
#define LIMIT_SYMBOLS        (uint32_t) limits_now[LIMITS_SYMBOLS]
#define LIMIT_STACK_NODES    (uint32_t) limits_now[LIMITS_STACK_NODES]
#define LIMIT_STACK_DEPTH    4096u
#define LIMIT_SAMPLES        (uint32_t) limits_now[LIMITS_SAMPLES]
#define LIMIT_CALLS          (uint32_t) limits_now[LIMITS_CALLS]
#define LIMIT_CALL_DEPTH     4096u
#define LIMIT_CALL_LANES     (uint32_t) limits_now[LIMITS_CALL_LANES]
#define LIMIT_ROWS           (uint32_t) limits_now[LIMITS_ROWS]
#define LIMIT_RECOVER_FRAMES limits_now[LIMITS_RECOVER_FRAMES]
#define LIMIT_COLUMNS        1024u
#define LIMIT_EVENTS         1024u
#define LIMIT_LOG_RECORDS    (uint32_t) limits_now[LIMITS_LOG_RECORDS]
#define LIMIT_REGIONS        (uint32_t) limits_now[LIMITS_REGIONS]
#define LIMIT_QUOTE_DEPTH    64u
#define LIMIT_MIME_DEPTH     16u
#define LIMIT_JSON_DEPTH     64u
#define LIMIT_JSON_BYTES     limits_now[LIMITS_JSON_BYTES]
#define LIMIT_TRACE_EVENTS   (uint32_t) limits_now[LIMITS_TRACE_EVENTS]
#define LIMIT_PPROF_TYPES    64u

/* Limits of capsules, the archives that `assay capsule` writes. */
#define LIMIT_CAPSULE_INPUTS     64u
#define LIMIT_CAPSULE_SUMS_BYTES (UINT32_C(1) << 20)

/* Limits of the symbols of a recording. */
#define LIMIT_PROCESS_MAPS 65536u
/* memory mappings of all processes; 40 bytes each */
#define LIMIT_MAPS             (UINT32_C(1) << 22)
#define LIMIT_RESOLVER_ANSWERS (UINT32_C(1) << 23)
#define LIMIT_SPOTS            (UINT32_C(1) << 20) /* sampled addresses of one recording */
/* bytes of machine code that are disassembled for one function */
#define LIMIT_CODE_BYTES (UINT32_C(1) << 18)
/* bytes of machine code that are disassembled for one recording */
#define LIMIT_CODES_BYTES (UINT32_C(1) << 21)
/* bytes that are read from one source file; the rest is ignored */
#define LIMIT_LISTING_BYTES    (UINT32_C(1) << 24)
#define LIMIT_LISTING_FILES    1024u
#define LIMIT_SLURP_BYTES      limits_now[LIMITS_SLURP_BYTES]
#define LIMIT_MINI_DEBUG_BYTES (UINT64_C(1) << 26)
#define LIMIT_JITDUMPS         4096u
#define LIMIT_JIT_CODES        (UINT32_C(1) << 21) /* functions of one jitdump; 56 bytes each */
#define LIMIT_JIT_LINES        (UINT32_C(1) << 23)
#define LIMIT_JIT_NAME_BYTES   (UINT32_C(1) << 28)
/* bytes of one debug record of a jitdump, which has the source lines of one function */
#define LIMIT_JIT_DEBUG_BYTES (UINT32_C(1) << 24)
/*
 * total bytes of function names that are copied from one perf.data file; the file may repeat a name
 * often
 */
#define LIMIT_NAMES_BYTES      (UINT64_C(1) << 26)
#define LIMIT_CFI_BYTES        (UINT64_C(1) << 28)
#define LIMIT_CFI_ROWS         65536u
#define LIMIT_CFI_COMMON_BYTES 4096u
#define LIMIT_LINE_UNITS       (UINT32_C(1) << 20)
#define LIMIT_LINE_RANGES      (UINT32_C(1) << 24)
#define LIMIT_LINE_DIES        limits_now[LIMITS_LINE_DIES]
/* bytes that the units of split DWARF files (.dwo) of one module may use in memory */
#define LIMIT_SPLIT_BYTES   (UINT64_C(1) << 30)
#define LIMIT_UNWIND_FRAMES 127u /* same as the default of kernel.perf_event_max_stack */

/* maximum size of a recording that `assay record` fetches from another machine */
#define LIMIT_HOST_BYTES (UINT64_C(1) << 34)

/* Limits of the C sources whose metrics `assay risk` computes. */
#define LIMIT_SOURCE_BYTES   (UINT32_C(1) << 28)
#define LIMIT_SOURCE_NESTING 2048u
#define LIMIT_SOURCE_FILES   (uint32_t) limits_now[LIMITS_SOURCE_FILES]
/* bytes of one file of the cache of metrics (a shard); see RISK_CACHE_SHARDS */
#define LIMIT_CACHE_SHARD_BYTES (UINT32_C(1) << 22)

enum limits_unit { LIMITS_OF_BYTES, LIMITS_OF_THINGS, LIMITS_OF_SECONDS };

struct limit {
	const char *name;
	uint64_t standard;
	uint64_t most; /* largest value that can be set; 0: fixed */
	enum limits_unit unit;
	const char *what; /* description: one phrase */
};

/* The first LIMITS_COUNT entries in the order of enum limits_id, then the fixed limits. */
extern const struct limit limits_table[];
extern const size_t limits_table_len;

/*
 * Set a limit from a text such as "samples=5M". K, M, G and T are powers of 1024 for limits in
 * bytes, and powers of 1000 for other limits. Call this before threads start. Errors: ERR_USAGE.
 */
MUST_CHECK int limits_set(const char *text, struct error *err);

#endif
