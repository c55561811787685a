/* SPDX-License-Identifier: MIT */
/*
 * origin.h - decide whether a recording is from this machine and this boot
 *
 * Symbols that are found by path, by process id or in /proc belong to the machine that reads the
 * recording. They are used only if it is proven that this machine was recorded: names of another
 * kernel or program are worse than addresses.
 *
 * A build id proves the identity of one file on any machine. Without build ids, host, release and
 * architecture must match, and no fact may contradict this boot. These facts are the address of the
 * kernel (KASLR changes it at each boot), the end of the kernel, and clocks. If the recording has
 * no header, the address of the kernel is the only proof.
 */
#ifndef SYMBOLS_ORIGIN_H
#define SYMBOLS_ORIGIN_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

enum origin {
	ORIGIN_OTHER, /* a recorded fact shows that this is another machine or boot */
	/* no recorded fact is different on this machine, but none proves that it was recorded */
	ORIGIN_OPEN,
	ORIGIN_SAME,
};

/* number of symbols that recorders use as the end of the kernel: _etext, _edata, _end */
#define ORIGIN_ENDS 3u

/* Facts about the recorded machine, or about this machine. */
struct origin_facts {
	struct str release; /* kernel release, such as "6.1.0-30-amd64"; empty: unknown */
	struct str host;
	struct str arch;
	struct build_id kernel; /* build id of the kernel; len 0: unknown */
	uint64_t text;          /* address of _text; 0: unknown */
	/*
	 * end address of the kernel's map. A recording has at most one: text_ends[0]. For this
	 * machine: the addresses of _etext, _edata and _end, because recorders use any of them as
	 * the end
	 */
	uint64_t text_ends[ORIGIN_ENDS];
	/*
	 * for this machine: time since boot in ns. For a recording: its last timestamp in ns, if
	 * its clock counts from boot; 0: unknown
	 */
	uint64_t uptime_ns;
	bool is_monotonic; /* timestamps are CLOCK_MONOTONIC */
	/*
	 * for this machine: time of day in ns since 1970. For a recording: time at which its file
	 * was last written, which is not before the end of the recording; 0: unknown
	 */
	uint64_t wall_ns;
};

/*
 * Whether the recorded kernel is the running kernel. If not, @err has the reason, as a clause
 * without a final dot. Does not read files.
 */
enum origin origin_kernel(const struct origin_facts *recorded, const struct origin_facts *here,
			  struct error *err);
/*
 * Whether the recording is from this machine and this boot, so that files, processes and modules of
 * this machine may be used.
 */
enum origin origin_machine(const struct origin_facts *recorded, const struct origin_facts *here,
			   struct error *err);

/* Memory for the texts in the struct origin_facts of this machine. */
struct origin_texts {
	char release[66], host[66], arch[66]; /* a field of struct utsname has 65 bytes */
};

/*
 * Read the facts about this machine, except the address of the kernel. Texts in @ret are stored in
 * @texts.
 */
void origin_read_here(struct origin_texts *texts, struct origin_facts *ret);
/*
 * Read the address of the running kernel (text) from /proc/kallsyms and, if @has_ends is set, its
 * end addresses (text_ends). All of them are 0 if the kernel hides addresses. Cost: about 1 ms
 * without @has_ends; up to 100 ms with it, because the kernel generates the table for each reader.
 */
void origin_read_place(struct origin_facts *here, bool has_ends);

#endif
