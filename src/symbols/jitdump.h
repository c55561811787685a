/* SPDX-License-Identifier: MIT */
/*
 * jitdump.h - functions that a JIT compiler generated, from its jit-PID.dump
 *
 * Format: the kernel's tools/perf/Documentation/jitdump-specification.txt. A dump records when each
 * piece of code was written to an address. An address that was reused therefore gets the name that
 * was valid at the time of the sample. Code bytes and unwinding information are skipped.
 *
 * Times are CLOCK_MONOTONIC, unless the writer used the CPU's time stamp counter (is_other_clock).
 * Not thread safe.
 */
#ifndef SYMBOLS_JITDUMP_H
#define SYMBOLS_JITDUMP_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#define JITDUMP_NO_TIME UINT64_MAX

struct jit_code {
	uint64_t start, end;
	/* from_ns: when the code was loaded; until_ns: when it was moved away; UINT64_MAX: never */
	uint64_t from_ns, until_ns;
	uint32_t name;  /* offset in jitdump.names */
	uint32_t order; /* number of its record in the dump, from 0 */
	uint32_t first_line, n_lines;
	sym_id sym; /* owned by the caller, initially SYM_ID_NONE */
};

struct jit_line {
	/* offset of the line's code in bytes, as recorded: line_shift is still included */
	uint32_t offset;
	uint32_t line;
	uint32_t file; /* file name: offset in jitdump.names */
};

struct jitdump {
	VEC(struct jit_code) codes; /* pieces of code, sorted by start address */
	/* [i]: the largest end address in the rows codes[0] to codes[i] */
	VEC(uint64_t) reach;
	VEC(struct jit_line) lines;
	VEC(char) names; /* names, each NUL-terminated */
	/* times, ascending, at which an address starts to belong to another function */
	VEC(uint64_t) changes;
	/* number of bytes that the writer added to each offset: 0, or the size of an ELF header */
	uint32_t line_shift;
	/* the offsets show which line_shift is right; false: do not use the lines */
	bool has_lines;
	bool is_other_clock;  /* times are CPU time stamps */
	bool is_closed;       /* the dump ends with a close record */
	bool is_cut;          /* the dump ends inside a record: truncated, or still being written */
	uint64_t n_bad;       /* records that contradict their own size or exceed the limits */
	uint64_t n_unwinding; /* records of unwinding information */
	uint64_t n_unknown;   /* records of kinds unknown to the specification */
	uint64_t n_lines_wrong; /* records of source lines that contradict their code */
};

/*
 * Read the dump in @fd. Errors: ERR_FORMAT; @err then holds the reason. Call jitdump_fini() even
 * after an error.
 */
MUST_CHECK int jitdump_read(int fd, struct jitdump *ret, struct error *err);
/* Complete a dump that was filled without a file: sort its codes, and set reach and changes. */
void jitdump_finish(struct jitdump *d);
void jitdump_fini(struct jitdump *d);
/*
 * The code at @address at the time @now. If several pieces of code were there, return the latest
 * one loaded at or before @now. If all were loaded after @now, return the earliest: runtimes log
 * code only after it began to run. If @now is JITDUMP_NO_TIME, code is returned only if all code
 * that was ever at @address has the same name. NULL: no code, code that was moved away by @now, or
 * too many pieces of code that overlap. Cost: O(log n), plus the overlapping codes.
 */
struct jit_code *jitdump_find(struct jitdump *d, uint64_t address, uint64_t now);
struct str jitdump_name(const struct jitdump *d, uint32_t name);
/* The source line at @address in the code @c; NULL: unknown. */
const struct jit_line *jitdump_line(const struct jitdump *d, const struct jit_code *c,
				    uint64_t address);

#endif
