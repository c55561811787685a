/* SPDX-License-Identifier: MIT */
/*
 * counter_split.h - two measurements whose rows a user put under one line of titles
 *
 *     Device      r/s     rkB/s  r_await  aqu-sz  %util
 *     sdb      120.00  61440.00     4.10    0.49  48.00
 *     sdb     2100.00   8400.00     0.31    0.66  51.00
 *
 * iostat prints its titles in each interval. So two rows of a device under one line of titles are
 * no output of the tool: each row is a separate measurement, and the first one is not the mean
 * since boot. It is unknown which of them is older.
 */
#ifndef FORMATS_COUNTER_SPLIT_H
#define FORMATS_COUNTER_SPLIT_H

struct capture;
struct format;
struct region;

/*
 * If @c has two rows of each device, with no line between its rows, move the second row of each
 * device to a new capture. Format @f has read @c from @in. A table is left unchanged if its label
 * names one measurement, such as "with the patch". Cost: O(cells).
 */
void counter_split_rows(const struct format *f, const struct region *in, struct capture *c);

#endif
