/* SPDX-License-Identifier: MIT */
/*
 * origin.h - decide whether a recording is from this machine and this boot
 *
 * Symbols found by path, by process id or in /proc belong to the machine that reads the recording.
 * They are used only if this machine is provably the recorded one: names of another kernel or
 * program are worse than addresses.
 *
 * A build id is proof for one file on any machine. Without build ids, host, release and
 * architecture must match, and nothing may contradict this boot. Checked are the kernel's address
 * (which KASLR changes at every boot), the end of the kernel, and clocks. For a recording without a
 * header, the kernel's address is the only proof.
 */
#ifndef SYMBOLS_ORIGIN_H
#define SYMBOLS_ORIGIN_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

enum origin {
	ORIGIN_OTHER, /* a recorded fact contradicts this machine */
	ORIGIN_OPEN,  /* nothing contradicts this machine, but nothing proves it */
	ORIGIN_SAME,
};

/* Symbols that recorders use as the end of the kernel: _etext, _edata, _end. */
#define ORIGIN_ENDS 3u

/* Facts about a machine: the recorded one, or this one. */
struct origin_facts {
	struct str release; /* kernel release, such as "6.1.0-30-amd64"; empty: unknown */
	struct str host;
	struct str arch;
	struct build_id kernel; /* build id of the kernel; len 0: unknown */
	uint64_t text;          /* address of _text; 0: unknown */
	/* addresses that may be the end of the kernel; a recording has at most one, in [0] */
	uint64_t text_ends[ORIGIN_ENDS];
	/* time since boot; for a recording: its last timestamp, if its clock starts at boot */
	uint64_t uptime_ns;
	bool is_monotonic; /* timestamps are CLOCK_MONOTONIC */
	/*
	 * time of day; for a recording: the latest time at which it can have been written; 0:
	 * unknown
	 */
	uint64_t wall_ns;
};

/*
 * Whether the recorded kernel is the running one. If not, @err receives the reason as a clause
 * without a final dot. Reads no files.
 */
enum origin origin_kernel(const struct origin_facts *recorded, const struct origin_facts *here,
			  struct error *err);
/*
 * Whether the recording is of this boot of this machine, so that files, processes and modules may
 * be used.
 */
enum origin origin_machine(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err);

/* Storage for the texts that struct origin_facts of this machine borrows. */
struct origin_texts {
	char release[66], host[66], arch[66]; /* fields of struct utsname have 65 bytes each */
};

/* Read this machine's facts except the kernel's address. @ret borrows from @texts. */
void origin_read_here(struct origin_texts *texts, struct origin_facts *ret);
/*
 * Read the address and the ends of the running kernel from /proc/kallsyms; zeros if hidden. Cost:
 * about 1 ms for the address alone. With @has_ends up to 100 ms, as the kernel generates the table
 * for each reader.
 */
void origin_read_place(struct origin_facts *here, bool has_ends);

#endif
