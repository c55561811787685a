/* SPDX-License-Identifier: MIT */
/* kernel_line.h - one line of a kernel log, from the console, dmesg, syslog or a mail */
#ifndef FORMATS_KERNEL_LINE_H
#define FORMATS_KERNEL_LINE_H

#include "base/str.h"

struct log_day;

struct kernel_line {
	struct str node; /* host name in syslog; empty: not printed */
	/* name of the level, "warn", even if the line prints it as "<4>"; empty: no level */
	struct str level_text;
	struct str module; /* subsystem before the message: "watchdog", "EXT4-fs"; empty: none */
	/* message, including the name of its module; without time and level */
	struct str text;
	uint64_t time_ns; /* time in ns by the clock in `clock` */
	uint8_t clock;    /* enum log_clock */
	/*
	 * enum log_level: the printed level. If none is printed, the level that words in the
	 * message suggest
	 */
	uint8_t level;
	bool is_after;  /* time_ns counts from the previous record, as in dmesg -H */
	bool is_minute; /* the time has no seconds: "[Feb22 04:01]" of dmesg -H */
	bool is_strong; /* the line has no time, but its words show that a kernel printed it */
};

/*
 * Parse @line, a kernel line in one of these forms. The texts of @ret are views of @line.
 *   [   12.345678] text              also after "<4>", "kern  :warn  : " or "host kernel: "
 *   [   12.345678][  T12] text       with the caller
 *   [Mon Apr  5 06:29:32 2018] text  dmesg -T
 *   [Apr05 06:29] text               dmesg -H
 *   [  +0.000012] text               dmesg -H
 *   4,5005,12915307506,-;text        /dev/kmsg
 * Lines without a time are accepted only if their words show that a kernel printed them: segfault,
 * lockup, hung task, oops. False: no kernel line.
 */
bool kernel_line_read(struct str line, struct log_day *day, struct kernel_line *ret);
/*
 * Whether @line, which has no time, is part of a kernel dump: "Call Trace:", " ?
 * schedule+0x2e/0xb0", "RIP: …".
 */
bool kernel_line_is_dump(struct str line);
/*
 * Whether @line is disassembled code, such as "000003ff804bfc58: ec66002b007e cij ...". Such lines
 * follow "Krnl Code:". '#', '>' or '*' before the address marks the instruction of the exception.
 * Source: arch/s390/kernel/dis.c, show_code().
 */
bool kernel_line_is_code(struct str line);
/*
 * Remove from @line the text that a tool put before the message. Logs of test consoles have the
 * seconds ("00042 text"), a pager puts the line number ("7344 │ text"), a syslog line without time
 * and host has "kernel: ", and a kernel that prints no time may print the caller ("[    C2] text").
 * Other lines are returned unchanged.
 */
struct str kernel_line_bare(struct str line);

#endif
