/* SPDX-License-Identifier: MIT */
/*
 * limits.h - every size that an input can drive, in one place
 *
 * A reader that meets one of these stops taking more of that kind, counts what
 * it dropped in its diag, and goes on; a table that cannot go on fails with
 * ERR_LIMIT.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdint.h>

#define LIMIT_INPUT_BYTES    (UINT64_C(1) << 40) /* one file, mapped */
#define LIMIT_STREAM_BYTES   (UINT64_C(1) << 36) /* standard input and decompressed text, spooled */
#define LIMIT_CLEAN_BYTES    (UINT64_C(1) << 31) /* text that must be rewritten (mail, UTF-16) */
#define LIMIT_LINE_BYTES     (UINT64_C(1) << 20) /* a longer line is cut here for parsing */
#define LIMIT_NAME_BYTES     (UINT32_C(1) << 16) /* one interned name */
#define LIMIT_STRINGS        (UINT32_C(1) << 30)
#define LIMIT_STRING_BYTES   (UINT64_C(1) << 36)
#define LIMIT_SYMBOLS        (UINT32_C(1) << 28)
#define LIMIT_STACK_NODES    (UINT32_C(1) << 30)
#define LIMIT_STACK_DEPTH    4096u /* frames of one stack */
#define LIMIT_SAMPLES        (UINT32_C(1) << 31)
#define LIMIT_CALLS          (UINT32_C(1) << 31)
#define LIMIT_CALL_DEPTH     4096u
#define LIMIT_CALL_LANES     (UINT32_C(1) << 20) /* tasks and CPUs of one trace */
#define LIMIT_ROWS           (UINT32_C(1) << 26) /* printed rows of a table */
#define LIMIT_RECOVER_FRAMES (UINT64_C(1) << 26) /* of printed trees, walked to rebuild samples */
#define LIMIT_COLUMNS        1024u               /* of a metric table */
#define LIMIT_EVENTS         1024u               /* kinds of events in one perf script text */
#define LIMIT_LOG_RECORDS    (UINT32_C(1) << 28)
#define LIMIT_REGIONS        65536u /* captures in one document */
#define LIMIT_QUOTE_DEPTH    64u    /* deeper quote marks are dropped all the same */
#define LIMIT_MIME_DEPTH     16u
#define LIMIT_JSON_DEPTH     64u
#define LIMIT_JSON_BYTES     (UINT64_C(1) << 28) /* of a document that is read as one tree */
#define LIMIT_TRACE_EVENTS   (UINT32_C(1) << 26) /* of a JSON document */
#define LIMIT_PPROF_TYPES    64u                 /* values of one sample */

/* Symbols of a recording. */
#define LIMIT_PROCESS_MAPS     65536u
#define LIMIT_RESOLVER_ANSWERS (UINT32_C(1) << 23) /* slots of addresses remembered */
#define LIMIT_SLURP_BYTES      (UINT64_C(1) << 30) /* a symbol table as text */
#define LIMIT_CFI_BYTES        (UINT64_C(1) << 28) /* call frame information of one module */
#define LIMIT_CFI_ROWS         65536u              /* of one function */
#define LIMIT_CFI_COMMON_BYTES 4096u               /* instructions that functions have in common */
#define LIMIT_LINE_UNITS       (UINT32_C(1) << 20) /* compilation units of one module */
#define LIMIT_LINE_RANGES      (UINT32_C(1) << 24) /* of addresses, of one table */
#define LIMIT_LINE_DIES        (UINT64_C(1) << 28) /* entries of debug information walked */
#define LIMIT_UNWIND_FRAMES    127u                /* user frames of one sample, as in perf */

/* C sources. */
#define LIMIT_SOURCE_BYTES      (UINT32_C(1) << 28) /* of one file; what stands behind is not read */
#define LIMIT_SOURCE_NESTING    2048u /* braces in a function; deeper ones are not parsed */
#define LIMIT_SOURCE_FILES      (UINT32_C(1) << 22)
#define LIMIT_CACHE_SHARD_BYTES (UINT32_C(1) << 22) /* of measured files; see RISK_CACHE_SHARDS */

#endif
