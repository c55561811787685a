/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_wire.h - protocol between the confined trace.dat reader and its parent process
 *
 * The child sends records of TD_BYTES each, in native byte order. Some records are followed by a
 * text, which is padded with zeros to a multiple of TD_PAD bytes. The texts of TD_STRING records
 * get the numbers 1, 2, 3 … in the order of sending; other records refer to them by number. The
 * parent process checks all data.
 */
#ifndef FORMATS_TRACE_DAT_WIRE_H
#define FORMATS_TRACE_DAT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define TD_BYTES       48u
#define TD_PAD         8u
#define TD_TEXT_BYTES  65536u /* maximum length of one text in bytes */
#define TD_MAX_STRINGS (1u << 24)

enum td_type {
	/*
	 * last record; its member `time` is not a time, but the number of all records before this
	 * one
	 */
	TD_END,
	/* a text to which later records refer; size: length in bytes; the text follows */
	TD_STRING,
	/* start of the records of a buffer; name: the buffer, "" for the main buffer */
	TD_BUFFER,
	/*
	 * a note about the recording; `name` and `other` are the numbers of two texts: key and
	 * value
	 */
	TD_NOTE,
	TD_COMM,  /* command of a task; pid: the task, name: the command */
	TD_ENTRY, /* start of a call; name: function, other: arguments, third: return address */
	/*
	 * end of a call; name: function; duration and value are valid if their flags are set (enum
	 * td_flag)
	 */
	TD_EXIT,
	TD_LEAF, /* start and end of a call without callees, in one record */
	/* call of the function tracer, which records no end; name: function, other: caller */
	TD_FUNCTION,
	TD_EVENT,  /* another event; size: length of the text that follows, "name: fields" */
	TD_LOST,   /* events were lost; size: their number, if TD_HAS_COUNT is set */
	TD_COUNT,  /* number of unreadable items; name: enum td_count, time: the number */
	TD_FAILED, /* reading failed; size: length of the text that follows, the reason */
	TD_TYPES,
};

enum td_flag {
	TD_HAS_DURATION = 1 << 0,
	TD_HAS_RETVAL = 1 << 1,
	TD_HAS_COUNT = 1 << 2,
	TD_FLAGS = 7, /* mask of all flags */
};

/* Kinds of items that the child process could not read. It counts them by kind. */
enum td_count {
	TD_BAD_PAGE,
	TD_BAD_RECORD,
	TD_UNKNOWN_EVENT,
	TD_STACK,
	TD_BAD_BUFFER,
	TD_COUNTS,
};

struct td_record {
	uint8_t type;  /* enum td_type */
	uint8_t flags; /* enum td_flag */
	uint16_t cpu;
	uint32_t pid;
	uint32_t name;
	uint32_t depth;
	uint64_t time; /* time in ns */
	uint64_t duration;
	uint64_t value;
	uint32_t other;
	union {
		uint32_t third;
		uint32_t size;
	};
};
_Static_assert(sizeof(struct td_record) == TD_BYTES, "fixed on both sides");

static inline size_t td_padded(size_t bytes)
{
	return (bytes + TD_PAD - 1) / TD_PAD * TD_PAD;
}

#endif
