/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_file.h - structure of a trace.dat: sections, options, buffers
 *
 * Format: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5); pages of the ring buffer:
 * include/linux/ring_buffer.h. The formats inside the file define the content of records;
 * libtraceevent parses them. Every offset and size is checked against the file.
 */
#ifndef FORMATS_TRACE_DAT_FILE_H
#define FORMATS_TRACE_DAT_FILE_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#define TD_MAX_CPUS    8192u
#define TD_MAX_BUFFERS 1024u
#define TD_MAX_NOTES   4096u

struct td_note {
	unsigned int option; /* enum td_option */
	struct str text;
};

/* Ids of the options that this reader uses. */
enum td_option {
	TD_OPTION_CPUSTAT = 2,
	TD_OPTION_BUFFER = 3,
	TD_OPTION_TRACECLOCK = 4,
	TD_OPTION_UNAME = 5,
	TD_OPTION_OFFSET = 7,
	TD_OPTION_CPUCOUNT = 8,
	TD_OPTION_VERSION = 9,
	TD_OPTION_TIME_SHIFT = 12,
	TD_OPTION_TSC2NSEC = 14,
	/*
	 * The options from HEADER_INFO to COMMANDS contain only an offset in the file: that of a
	 * section whose id equals the id of the option.
	 */
	TD_OPTION_HEADER_INFO = 16,
	TD_OPTION_FTRACE_EVENTS = 17,
	TD_OPTION_EVENT_FORMATS = 18,
	TD_OPTION_KALLSYMS = 19,
	TD_OPTION_PRINTK = 20,
	TD_OPTION_COMMANDS = 21,
	TD_OPTION_BUFFER_TEXT = 22,
};

struct td_cpu_data {
	uint32_t cpu;
	struct str data; /* pages of the ring buffer, or compressed chunks of such pages */
};

/* Format of one event: the text of events/<system>/<event>/format. */
struct td_format {
	struct str system;
	struct str text;
};

struct td_buffer {
	struct str name; /* name of the trace instance; "" for the main buffer */
	uint32_t page_size;
	bool is_compressed;
	VEC(struct td_cpu_data) cpus;
};

struct td_file {
	struct str bytes;
	unsigned int version;
	bool is_big_endian;
	bool is_swapped; /* the byte order differs from this machine's */
	uint32_t page_size;
	unsigned int long_size; /* size of long in bytes in the recorded machine's user space */
	struct str compression; /* name of the algorithm: "zstd", "zlib", "none" */
	VEC(struct td_buffer) buffers;
	VEC(struct td_note) notes;
	struct str header_page;
	VEC(struct td_format) formats;
	struct str kallsyms;
	struct str printk;
	struct str commands; /* lines of "pid name" */
	/* text output of a latency tracer, if the file has it instead of records; empty: none */
	struct str latency_text;
	uint32_t n_cpus;   /* number of CPUs; only version 6 has it */
	VEC(char *) plain; /* memory that holds the decompressed sections */
	/*
	 * number of buffers, CPUs and sections that could not be read completely, for example
	 * because their offset is beyond the end of the file
	 */
	uint64_t bad_buffers;
	int64_t ts_offset;
	uint32_t tsc_mult; /* multiplier from TSC cycles to ns; 0: times in the file are in ns */
	uint32_t tsc_shift;
	uint64_t tsc_offset;
};

/* Parse the structure of @bytes. Errors: ERR_FORMAT, ERR_UNSUPPORTED. */
MUST_CHECK int td_file_open(struct td_file *f, struct str bytes, struct error *err);

/* the declarations below are used by trace_dat_cursor.c */
#define TD_MAX_CHUNK (256u << 20)
/* Take a number of @bytes bytes, in the byte order of the file. */
bool td_number(const struct td_file *f, struct str *s, unsigned int bytes, uint64_t *ret);
/*
 * Decompress @in into @out, a buffer of @size bytes. Returns the number of bytes written; 0:
 * failure.
 */
size_t td_decompress(const struct td_file *f, struct str in, char *out, size_t size);
/*
 * Take one compressed chunk from @s: its two sizes and then its data. @ret_in: the compressed data;
 * @ret_size: their size when decompressed. False: truncated or too large.
 */
bool td_piece(const struct td_file *f, struct str *s, struct str *ret_in, size_t *ret_size);

#endif
