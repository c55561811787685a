/* SPDX-License-Identifier: MIT */
/*
 * jitdump.h - functions that a JIT compiler made, from its jit-PID.dump
 *
 * Source: the kernel's tools/perf/Documentation/jitdump-specification.txt. A dump says when code
 * was put at an address, so that a reused address has the name of its time. Code bytes and
 * unwinding information are skipped.
 *
 * The times are those of CLOCK_MONOTONIC, unless the writer used the processor's counter
 * (is_other_clock). Not thread safe.
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
	uint64_t from_ns, until_ns; /* until it was moved away; UINT64_MAX: never */
	uint32_t name;              /* in jitdump.names */
	uint32_t order;             /* of the records */
	uint32_t first_line, n_lines;
	sym_id sym; /* owned by the caller, initially SYM_ID_NONE */
};

struct jit_line {
	uint32_t offset; /* in the code, as written */
	uint32_t line;
	uint32_t file; /* in jitdump.names */
};

struct jitdump {
	VEC(struct jit_code) codes; /* by start */
	VEC(uint64_t) reach;        /* largest end of the codes up to this one */
	VEC(struct jit_line) lines;
	VEC(char) names;        /* each NUL-terminated */
	VEC(uint64_t) changes;  /* times at which an address gets another function, ascending */
	uint32_t line_shift;    /* part of each line's offset: the size of an ELF header */
	bool has_lines;         /* the file shows whether its lines have that shift */
	bool is_other_clock;    /* times are of the processor's counter */
	bool is_closed;         /* ends with a record that says so */
	bool is_cut;            /* ends inside a record: cut, or still being written */
	uint64_t n_bad;         /* records that contradict their own size, or beyond the limits */
	uint64_t n_unwinding;   /* records of unwinding information */
	uint64_t n_unknown;     /* records of kinds that the specification does not have */
	uint64_t n_lines_wrong; /* records of lines that contradict their code */
};

/* Read the dump in @fd. Errors: ERR_FORMAT, with a clause. jitdump_fini() in any case. */
MUST_CHECK int jitdump_read(int fd, struct jitdump *ret, struct error *err);
void jitdump_fini(struct jitdump *d);
/*
 * The code at @address at the time @now: what was put there last. Before the first code, that
 * one: runtimes log code after it began to run. JITDUMP_NO_TIME: only if all code that ever was
 * there has one name. NULL: none. Cost: O(log n), plus the overlapping codes.
 */
struct jit_code *jitdump_find(struct jitdump *d, uint64_t address, uint64_t now);
struct str jitdump_name(const struct jitdump *d, uint32_t name);
/* The line at @address in @c; NULL: unknown. */
const struct jit_line *jitdump_line(const struct jitdump *d, const struct jit_code *c,
				    uint64_t address);

#endif
