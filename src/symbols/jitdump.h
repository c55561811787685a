/* SPDX-License-Identifier: MIT */
/*
 * jitdump.h - functions that a JIT compiler generated, from its file jit-PID.dump
 *
 * Format: the kernel's tools/perf/Documentation/jitdump-specification.txt. A dump records when a
 * piece of code was written to an address. If an address was used again for other code, a sample
 * gets the name that was valid at its time. Code bytes and unwinding information are skipped.
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
	/*
	 * from_ns: time at which the code was loaded; until_ns: time at which it was moved away, or
	 * UINT64_MAX
	 */
	uint64_t from_ns, until_ns;
	uint32_t name;  /* offset in jitdump.names */
	uint32_t order; /* number of the code's record in the dump, counted from 0 */
	uint32_t first_line, n_lines;
	sym_id sym; /* for the caller's use; initially SYM_ID_NONE */
};

struct jit_line {
	/* offset in bytes in the code plus jitdump.line_shift, as recorded */
	uint32_t offset;
	uint32_t line;
	uint32_t file; /* offset of the file's name in jitdump.names */
};

struct jitdump {
	VEC(struct jit_code) codes; /* all codes, sorted by start address */
	/* reach[i]: largest end address of codes[0] to codes[i] */
	VEC(uint64_t) reach;
	VEC(struct jit_line) lines;
	VEC(char) names; /* all names, each with a NUL at its end */
	/* times at which an address starts to belong to another function, in ascending order */
	VEC(uint64_t) changes;
	/*
	 * number of bytes that the writer added to each line offset: 0, or the size of an ELF
	 * header
	 */
	uint32_t line_shift;
	/* the lines can be used, because line_shift is known */
	bool has_lines;
	bool is_other_clock; /* times are CPU time stamps, not CLOCK_MONOTONIC */
	bool is_closed;      /* the last record is a close record */
	/* the last record is incomplete: the dump was truncated, or is still being written */
	bool is_cut;
	/* number of records that were skipped because they are damaged or exceed a limit */
	uint64_t n_bad;
	uint64_t n_unwinding; /* number of records with unwinding information */
	uint64_t n_unknown;   /* number of records whose kind is not in the specification */
	/*
	 * number of debug records that were ignored, because their lines are damaged or do not
	 * belong to the code of the next load record
	 */
	uint64_t n_lines_wrong;
};

/*
 * Read the dump from @fd. Errors: ERR_FORMAT, with the reason in @err. Call jitdump_fini() in any
 * case, even after an error.
 */
MUST_CHECK int jitdump_read(int fd, struct jitdump *ret, struct error *err);
/*
 * Finish a dump whose codes were added by the caller and not read from a file: sort them, and
 * compute reach and changes.
 */
void jitdump_finish(struct jitdump *d);
void jitdump_fini(struct jitdump *d);
/*
 * The code at @address at the time @now. If several codes were loaded there, the latest one loaded
 * until @now is returned. If all were loaded after @now, the earliest is returned, because runtimes
 * log code after it has begun to run. If @now is JITDUMP_NO_TIME, a code is returned only if all
 * codes at @address have the same name. NULL: there is no code, it has been moved away by @now, or
 * too many codes overlap. Cost: O(log n), plus the number of overlapping codes.
 */
struct jit_code *jitdump_find(struct jitdump *d, uint64_t address, uint64_t now);
struct str jitdump_name(const struct jitdump *d, uint32_t name);
/* The source line of @address in the code @c; NULL: unknown. */
const struct jit_line *jitdump_line(const struct jitdump *d, const struct jit_code *c,
				    uint64_t address);

#endif
