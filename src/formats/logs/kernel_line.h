/* SPDX-License-Identifier: MIT */
/* kernel_line.h - one line of a kernel log, from the console, dmesg, syslog or a mail */
#ifndef FORMATS_KERNEL_LINE_H
#define FORMATS_KERNEL_LINE_H

#include "base/str.h"

struct log_day;

struct kernel_line {
	struct str node;       /* host name in syslog; empty: not printed */
	struct str level_text; /* "warn", also for "<4>"; empty: not printed */
	struct str module; /* subsystem before the message: "watchdog", "EXT4-fs"; empty: none */
	struct str text;   /* message, module included, without time and level */
	uint64_t time_ns;  /* time in ns by the clock `clock` */
	uint8_t clock;     /* enum log_clock */
	/* enum log_level: the printed level; without one, the level by words of the message */
	uint8_t level;
	bool is_after;  /* time_ns is the time since the previous record: dmesg -H */
	bool is_minute; /* the time is the start of the minute of the record: dmesg -H */
	bool is_strong; /* the line has no time, and only its words show that a kernel printed it */
};

/*
 * Parse @line. @ret has views of it. Accepted: "[   12.345678] text", "<4>[…] text",
 * "[…][  T12] text", "kern  :warn  : […] text", "[Mon Apr  5 06:29:32 2018] text",
 * "[Apr05 06:29] text" and "[  +0.000012] text" of dmesg -H, "… host kernel: […] text",
 * "4,5005,12915307506,-;text" of /dev/kmsg, and lines without a time that only a kernel writes:
 * segfault, lockup, hung task, oops. False: another line.
 */
bool kernel_line_read(struct str line, struct log_day *day, struct kernel_line *ret);
/*
 * Whether @line, without its time, is part of a dump by the kernel: "Call Trace:", " ?
 * schedule+0x2e/0xb0", "RIP: …".
 */
bool kernel_line_is_dump(struct str line);
/*
 * Whether @line is a line of disassembled code below "Krnl Code:", "000003ff804bfc58: ec66002b007e
 * cij ...", after '#', '>' or '*' for the places of the exception. Source: arch/s390/kernel/dis.c,
 * show_code().
 */
bool kernel_line_is_code(struct str line);
/*
 * @line without what precedes the message in some logs: the seconds that loggers of test
 * consoles print ("00042 text"), the number of the line that pagers print ("7344   │ text"), or
 * "kernel: " if time and host were cut from a line of syslog.
 */
struct str kernel_line_bare(struct str line);

#endif
