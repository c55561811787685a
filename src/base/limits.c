/* SPDX-License-Identifier: MIT */
#include "base/limits.h"

#include "base/str.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* the arguments of X(): id, name, default, maximum, unit, description */
#define LIMITS_SETTABLE(X)                                                                     \
	X(MEMORY, "memory", 0, UINT64_MAX, BYTES,                                              \
	  "data of the process that reads; 0: 7/8 of the machine's memory")                    \
	X(SECONDS, "seconds", 0, UINT32_MAX, SECONDS,                                          \
	  "of processor time, for reading and the work on it; 0: 300 and one a megabyte")      \
	X(INPUT_BYTES, "input-bytes", KIB *GIB, UINT64_MAX, BYTES, "one file")                 \
	X(STREAM_BYTES, "stream-bytes", 64 * GIB, UINT64_MAX, BYTES,                           \
	  "standard input and decompressed data; at most half of the machine's memory")        \
	X(EXPANSION, "expansion", 256, UINT32_MAX, THINGS,                                     \
	  "bytes from each byte of compressed data; 64 MiB are always allowed")                \
	X(CLEAN_BYTES, "clean-bytes", 2 * GIB, UINT32_MAX, BYTES,                              \
	  "text that has to be rewritten: mail, HTML, UTF-16")                                 \
	X(STRINGS, "strings", 1 << 30, 1 << 30, THINGS, "different names")                     \
	X(SYMBOLS, "symbols", 1 << 28, 1 << 28, THINGS, "different functions")                 \
	X(STACK_NODES, "stack-nodes", 1 << 30, 1 << 30, THINGS,                                \
	  "nodes of the tree of stacks of one capture")                                        \
	X(SAMPLES, "samples", UINT64_C(1) << 31, UINT64_C(1) << 31, THINGS, "of one capture")  \
	X(CALLS, "calls", UINT64_C(1) << 31, UINT64_C(1) << 31, THINGS, "of one trace")        \
	X(CALL_LANES, "call-lanes", 1 << 20, 1 << 24, THINGS, "tasks and CPUs of one trace")   \
	X(ROWS, "rows", 1 << 26, 1 << 30, THINGS, "printed rows of a table")                   \
	X(LOG_RECORDS, "log-records", 1 << 28, 1 << 30, THINGS, "lines of one log")            \
	X(REGIONS, "regions", 65536, 1 << 30, THINGS, "captures in one document")              \
	X(JSON_BYTES, "json-bytes", 256 * MIB, INT32_MAX, BYTES,                               \
	  "a JSON document that is read as one tree")                                          \
	X(TRACE_EVENTS, "trace-events", 1 << 26, 1 << 30, THINGS, "events of a JSON document") \
	X(RECOVER_FRAMES, "recover-frames", 1 << 26, UINT32_MAX, THINGS,                       \
	  "frames of printed trees, walked to rebuild samples")                                \
	X(SLURP_BYTES, "symbol-text-bytes", GIB, 64 * GIB, BYTES, "a symbol table as text")    \
	X(LINE_DIES, "debug-entries", 1 << 28, UINT32_MAX, THINGS,                             \
	  "entries of debug information of one module that are walked")                        \
	X(SOURCE_FILES, "source-files", 1 << 22, 1 << 30, THINGS, "C files")

#define FIXED(macro, name, unit, what)                           \
	{                                                        \
		name, LIMIT_##macro, 0, LIMITS_OF_##unit, (what) \
	}

#define LIMITS_NOW(id, name, standard, most, unit, what) [LIMITS_##id] = (standard),
#define LIMITS_ROW(id, name, standard, most, unit, what) \
	[LIMITS_##id] = { name, (standard), (most), LIMITS_OF_##unit, what },

uint64_t limits_now[LIMITS_COUNT] = { LIMITS_SETTABLE(LIMITS_NOW) };

const struct limit limits_table[] = {
	LIMITS_SETTABLE(LIMITS_ROW)
		FIXED(LINE_BYTES, "line-bytes", BYTES, "a longer line is cut here for parsing"),
	FIXED(NAME_BYTES, "name-bytes", BYTES, "one name"),
	FIXED(STACK_DEPTH, "stack-depth", THINGS, "frames of one stack"),
	FIXED(CALL_DEPTH, "call-depth", THINGS, "calls in calls"),
	FIXED(UNWIND_FRAMES, "unwind-frames", THINGS, "user frames of one sample, as in perf"),
	FIXED(COLUMNS, "columns", THINGS, "of a table of metrics"),
	FIXED(EVENTS, "events", THINGS, "kinds of events in one text of perf script"),
	FIXED(QUOTE_DEPTH, "quote-depth", THINGS, "quote marks of a mail that are counted"),
	FIXED(MIME_DEPTH, "mime-depth", THINGS, "parts of a mail in parts"),
	FIXED(JSON_DEPTH, "json-depth", THINGS, "JSON values in values"),
	FIXED(PPROF_TYPES, "pprof-types", THINGS, "values of one pprof sample"),
	FIXED(CAPSULE_INPUTS, "capsule-inputs", THINGS, "inputs in one capsule"),
	FIXED(CAPSULE_SUMS_BYTES, "capsule-sums-bytes", BYTES, "checksums in one capsule"),
	FIXED(PROCESS_MAPS, "process-maps", THINGS, "mapped files of one process"),
	FIXED(MAPS, "maps", THINGS, "mapped files of all processes; forks share them"),
	FIXED(RESOLVER_ANSWERS, "resolver-answers", THINGS, "addresses remembered"),
	FIXED(MINI_DEBUG_BYTES, "mini-debug-bytes", BYTES, "a symbol table in .gnu_debugdata"),
	FIXED(SPLIT_BYTES, "split-debug-bytes", BYTES, "split units in use, of one module"),
	FIXED(HOST_BYTES, "host-bytes", BYTES, "a recording that another machine sends"),
	FIXED(NAMES_BYTES, "names-bytes", BYTES, "names that a recording carries"),
	FIXED(CFI_BYTES, "cfi-bytes", BYTES, "call frame information of one module"),
	FIXED(CFI_ROWS, "cfi-rows", THINGS, "of one function"),
	FIXED(CFI_COMMON_BYTES, "cfi-common-bytes", BYTES, "instructions that functions share"),
	FIXED(LINE_UNITS, "line-units", THINGS, "compilation units of one module"),
	FIXED(LINE_RANGES, "line-ranges", THINGS, "address ranges of one table"),
	FIXED(SOURCE_BYTES, "source-bytes", BYTES, "of one C file; the rest is not read"),
	FIXED(CACHE_SHARD_BYTES, "cache-shard-bytes", BYTES, "a file of measured sources, of 64"),
	FIXED(SOURCE_NESTING, "source-nesting", THINGS, "braces in a function"),
};
const size_t limits_table_len = ARRAY_LEN(limits_table);

/* Convert a text such as "5M" to a number. In the unit bytes, M means 1024 * 1024. */
static bool limits_number(struct str text, enum limits_unit unit, uint64_t *ret)
{
	static const char letters[] = "KMGT";
	uint64_t step = unit == LIMITS_OF_BYTES ? 1024 : 1000;
	const char *letter;

	if (!str_u64(&text, ret))
		return false;
	if (text.len == 0)
		return true;
	letter = text.p[0] ? strchr(letters, text.p[0]) : NULL;
	if (text.len != 1 || !letter)
		return false;
	for (const char *p = letters; p <= letter; p++) {
		if (__builtin_mul_overflow(*ret, step, ret))
			return false;
	}
	return true;
}

int limits_set(const char *text, struct error *err)
{
	struct str s = str_of(text);
	size_t equals = str_find_char(s, '=');
	struct str name = str_sub(s, 0, equals);
	uint64_t value;

	for (size_t i = 0; i < limits_table_len; i++) {
		const struct limit *l = &limits_table[i];

		if (!str_eq(name, str_of(l->name)))
			continue;
		if (l->most == 0)
			return fail(err, ERR_USAGE, "--limit: %s is fixed (%llu)", l->name,
				    (unsigned long long)l->standard);
		if (!limits_number(str_skip(s, equals + 1), l->unit, &value) || value > l->most ||
		    (value == 0 && l->standard))
			return fail(err, ERR_USAGE,
				    "--limit %s takes a number from 1 to %llu, with K, M, G or T "
				    "behind it, not '" STR_FMT "'",
				    l->name, (unsigned long long)l->most,
				    STR_ARG(str_skip(s, equals + 1)));
		limits_now[i] = value;
		return OK;
	}
	return fail(err, ERR_USAGE, "--limit: no limit is called '" STR_FMT "'; see assay --limits",
		    STR_ARG(name));
}
