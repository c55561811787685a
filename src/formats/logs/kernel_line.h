/* SPDX-License-Identifier: MIT */
/* kernel_line.h - one line of a kernel log, from the console, dmesg, syslog or a mail */
#ifndef FORMATS_KERNEL_LINE_H
#define FORMATS_KERNEL_LINE_H

#include "base/str.h"

struct log_day;

struct kernel_line {
	struct str node;       /* the host of syslog; empty: not printed */
	struct str level_text; /* "<4>", "warn"; empty: not printed */
	struct str module;     /* "watchdog", "EXT4-fs"; empty: none */
	struct str text;       /* without time and level, with the module */
	uint64_t time_ns;      /* by clock */
	uint8_t clock;         /* enum log_clock */
	uint8_t level;         /* as printed; else the level the kernel uses for such a message */
	bool is_strong;        /* recognised without a time, by its text */
};

/*
 * Views of @line. Accepted: "[   12.345678] text", "<4>[…] text", "[…][  T12] text",
 * "kern  :warn  : […] text", "[Mon Apr  5 06:29:32 2018] text", "… host kernel: […] text", and
 * lines without a time that only a kernel writes: segfault, lockup, hung task, oops.
 */
bool kernel_line_read(struct str line, struct log_day *day, struct kernel_line *ret);
/* A line of a dump without its time: "Call Trace:", " ? schedule+0x2e/0xb0", "RIP: …". */
bool kernel_line_is_dump(struct str line);
/* @line without the seconds that the console loggers of tests print before it: "00042 text". */
struct str kernel_line_bare(struct str line);

#endif
