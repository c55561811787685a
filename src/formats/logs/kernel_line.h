/* SPDX-License-Identifier: MIT */
/* kernel_line.h - one line of a kernel log, from the console, dmesg, syslog or a mail */
#ifndef FORMATS_KERNEL_LINE_H
#define FORMATS_KERNEL_LINE_H

#include "base/str.h"

struct log_day;

struct kernel_line {
	struct str node; /* host name in syslog; empty: not printed */
	/* name of the level, "warn", even if the line has "<4>"; empty: not printed */
	struct str level_text;
	struct str module; /* subsystem before the message: "watchdog", "EXT4-fs"; empty: none */
	struct str text;   /* message with its module, without time and level */
	uint64_t time_ns;  /* time in ns by the clock `clock` */
	uint8_t clock;     /* enum log_clock */
	/*
	 * enum log_level: the printed level; if no level is printed, a level from words in the
	 * message
	 */
	uint8_t level;
	bool is_after;  /* time_ns is the time since the previous record: dmesg -H */
	bool is_minute; /* the time is exact only to the minute, as in dmesg -H */
	bool is_strong; /* the line has no time; only its words show that a kernel printed it */
};

/*
 * Parse @line. The texts of @ret are views of @line. Accepted: "[   12.345678] text", "<4>[…]
 * text", "[…][  T12] text", "kern  :warn  : […] text", "[Mon Apr  5 06:29:32 2018] text", "[Apr05
 * 06:29] text" and "[  +0.000012] text" of dmesg -H, "… host kernel: […] text",
 * "4,5005,12915307506,-;text" of /dev/kmsg. Lines without a time are accepted only if their words
 * show that a kernel printed them: segfault, lockup, hung task, oops. False: another line.
 */
bool kernel_line_read(struct str line, struct log_day *day, struct kernel_line *ret);
/*
 * Whether @line is part of a dump by the kernel: "Call Trace:", " ? schedule+0x2e/0xb0", "RIP: …".
 * @line has no time.
 */
bool kernel_line_is_dump(struct str line);
/*
 * Whether @line is disassembled code that follows "Krnl Code:", such as "000003ff804bfc58:
 * ec66002b007e cij ...". The address may have '#', '>' or '*' before it, which mark the place of
 * the exception. Source: arch/s390/kernel/dis.c, show_code().
 */
bool kernel_line_is_code(struct str line);
/*
 * @line without a text that some tools put before the message. Logs of test consoles have the
 * seconds ("00042 text"), and a pager has the line number ("7344 │ text"). A syslog line without
 * time and host has "kernel: ".
 */
struct str kernel_line_bare(struct str line);

#endif
