/* SPDX-License-Identifier: MIT */
/*
 * origin.h - decide whether a recording is from this machine and this boot
 *
 * Symbols found by path, by process id or in /proc belong to the reading machine. They are
 * valid for a recording only with proof: names of another kernel or program are worse than
 * addresses.
 *
 * A build id is proof for one file on any machine. Without build ids, host, release and
 * architecture must match, and nothing may contradict this boot: the kernel's address (which
 * KASLR changes at every boot), the end of its text, and clocks. For a recording without a
 * header the kernel's address alone must be the proof.
 */
#ifndef SYMBOLS_ORIGIN_H
#define SYMBOLS_ORIGIN_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

enum origin {
	ORIGIN_OTHER, /* contradicted */
	ORIGIN_OPEN,  /* not proven */
	ORIGIN_SAME,
};

/* Symbols that recorders use as the end of the kernel's map: _etext, _edata, _end. */
#define ORIGIN_ENDS 3u

/* Facts about the recorded machine, or about this one. */
struct origin_facts {
	struct str release; /* "6.1.0-30-amd64"; empty: unknown */
	struct str host;
	struct str arch;
	struct build_id kernel;          /* len 0: unknown */
	uint64_t text;                   /* address of _text; 0: unknown */
	uint64_t text_ends[ORIGIN_ENDS]; /* end of the kernel; a recording has at most one */
	uint64_t uptime_ns; /* recording: its last time by a clock that starts at boot */
	bool is_monotonic;  /* the times are of CLOCK_MONOTONIC */
	uint64_t wall_ns;   /* now; recording: an upper bound of its write time; 0: unknown */
};

/*
 * Whether the recorded kernel is the running one. @err receives the reason if not, as a clause
 * without a final dot. Pure.
 */
enum origin origin_kernel(const struct origin_facts *recorded, const struct origin_facts *here,
			  struct error *err);
/* The same for this boot of this machine: its files, processes and modules. */
enum origin origin_machine(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err);

/* Texts of struct origin_facts for this machine. */
struct origin_texts {
	char release[66], host[66], arch[66]; /* struct utsname has 65 each */
};

/* Read this machine's facts except the kernel's address. @ret borrows from @texts. */
void origin_read_here(struct origin_texts *texts, struct origin_facts *ret);
/*
 * Read the address of the running kernel from /proc/kallsyms; zeros if hidden. Cost: about 1 ms
 * for @text alone; with @has_ends up to 100 ms, as the kernel writes the table for each reader.
 */
void origin_read_place(struct origin_facts *here, bool has_ends);

#endif
