/* SPDX-License-Identifier: MIT */
/*
 * origin.h - was this machine recorded, and this boot of it?
 *
 * Symbols that are found by a path, by a process id or in /proc are those of the machine
 * that reads. They belong to a recording only where that is proven: names of another
 * kernel or program are worse than addresses.
 *
 * A build id settles it for one file, whichever machine it lies on. Without build ids the
 * host, the release and the architecture must be this machine's, and nothing may speak
 * against this boot: the place of the kernel, which changes with every boot where the
 * kernel is placed at random, the end of its text, and clocks. Where a recording has no
 * header, the place of the kernel alone must prove it.
 */
#ifndef SYMBOLS_ORIGIN_H
#define SYMBOLS_ORIGIN_H

#include "base/status.h"
#include "symbols/elf_symbols.h"

enum origin {
	ORIGIN_OTHER, /* something speaks against it */
	ORIGIN_OPEN,  /* nothing proves it */
	ORIGIN_SAME,
};

/* Ends that recorders give the kernel's map: _etext, _edata, _end. */
#define ORIGIN_ENDS 3u

/* What a recording says of its machine, or what this machine says of itself. */
struct origin_facts {
	struct str release; /* "6.1.0-30-amd64"; empty: not said */
	struct str host;
	struct str arch;
	struct build_id kernel;          /* len 0: not said */
	uint64_t text;                   /* address of _text; 0: not said */
	uint64_t text_ends[ORIGIN_ENDS]; /* where the kernel ends; a recording says one at most */
	uint64_t uptime_ns; /* recording: its latest known time by a clock that starts at boot */
	uint64_t wall_ns;   /* now; recording: it was written no later; 0: not said */
};

/*
 * Whether the recorded kernel is the running one. @err says why it cannot be taken for it,
 * as a clause without a final dot. Pure.
 */
enum origin origin_kernel(const struct origin_facts *recorded, const struct origin_facts *here,
			  struct error *err);
/* The same for this machine since it was started: its files, processes and modules. */
enum origin origin_machine(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err);

/* Texts of struct origin_facts about this machine. */
struct origin_texts {
	char release[66], host[66], arch[66]; /* struct utsname has 65 each */
};

/* This machine's facts but for the place of its kernel. @ret borrows from @texts. */
void origin_read_here(struct origin_texts *texts, struct origin_facts *ret);
/*
 * The place of the running kernel, from /proc/kallsyms; zeros where it is hidden. Cost: about
 * a millisecond for @text alone; with @has_ends up to 100 ms, as the kernel writes the table
 * for each reader.
 */
void origin_read_place(struct origin_facts *here, bool has_ends);

#endif
