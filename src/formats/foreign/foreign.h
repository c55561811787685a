/* SPDX-License-Identifier: MIT */
/*
 * foreign.h - formats that assay knows by name and does not read yet
 *
 * What they are is data: a table of kinds (foreign_kinds) and a table of line
 * patterns (foreign_marks) that speak for a kind with some points. A stretch
 * whose marks come to FOREIGN_THRESHOLD is claimed. When a reader for a kind is
 * written, its rows leave these tables.
 */
#ifndef FORMATS_FOREIGN_H
#define FORMATS_FOREIGN_H

#include "base/str.h"

#define FOREIGN_THRESHOLD 60u
#define FOREIGN_SURE      100u /* points of a line that nothing else prints */

enum foreign_id {
	FOREIGN_NONE, /* a line that looks foreign and belongs to a reader */
	FOREIGN_BCC,
	FOREIGN_BLKTRACE,
	FOREIGN_BPFTRACE,
	FOREIGN_CALLGRIND,
	FOREIGN_DTRACE,
	FOREIGN_FTRACE_EVENTS,
	FOREIGN_FTRACE_HIST,
	FOREIGN_FTRACE_LATENCY,
	FOREIGN_GPROF,
	FOREIGN_HASKELL,
	FOREIGN_HPROF,
	FOREIGN_KVM_TRACE,
	FOREIGN_LKP,
	FOREIGN_LOCK_STAT,
	FOREIGN_MACOS_SAMPLE,
	FOREIGN_OPROFILE,
	FOREIGN_OVS_KERNEL_DELAY,
	FOREIGN_PERF_ANNOTATE,
	FOREIGN_PERF_C2C,
	FOREIGN_PERF_DIFF,
	FOREIGN_PERF_LOCK,
	FOREIGN_PERF_MEM,
	FOREIGN_PERF_SCHED,
	FOREIGN_PERF_STAT,
	FOREIGN_PERF_TRACE,
	FOREIGN_PMCSTAT,
	FOREIGN_PPROF,
	FOREIGN_PPROF_LEGACY,
	FOREIGN_RETSNOOP,
	FOREIGN_STRACE,
	FOREIGN_SYSPROF,
	FOREIGN_UFTRACE,
	FOREIGN_VTUNE,
	FOREIGN_XPERF,
	FOREIGN_N,
};

struct foreign_kind {
	const char *name;
	const char *declined; /* "a gprof profile: not read yet" */
	uint8_t gap;          /* lines of something else that it may hold in one piece */
	uint8_t cap;          /* how sure it can be at most, 0 to 100 */
};

struct foreign_mark {
	uint8_t kind;   /* enum foreign_id */
	uint8_t points; /* THRESHOLD claims a stretch, fewer need company; 0: only continues one */
	const char *pattern;
};

/* A profile in JSON: one document with all of these keys near its start. */
struct foreign_json {
	const char *keys[3]; /* as they stand there, with quotes; NULL: no more */
	const char *name;
	const char *declined;
};

extern const struct foreign_json foreign_json_kinds[];
extern const size_t foreign_n_json;
extern const struct foreign_kind foreign_kinds[FOREIGN_N];
extern const struct foreign_mark foreign_marks[];
extern const size_t foreign_n_marks;

/*
 * Whether @line (without blanks around it) begins as @pattern says:
 *   space  one or more blanks      ~  any number of blanks
 *   #      a decimal number        $  a hex number, with or without 0x
 *   ?      a letter or '_'         @  one or more characters that are not blank
 *   *      anything                &  the end of the line
 *   \c     the character c         all else stands for itself
 * Cost: bounded by a number of steps, past which the answer is no.
 */
bool foreign_match(const char *pattern, struct str line);

#endif
