/* SPDX-License-Identifier: MIT */
/*
 * counter_split.h - two measurements whose rows a user put below one line of titles
 *
 *     Device      r/s     rkB/s  r_await  aqu-sz  %util
 *     sdb      120.00  61440.00     4.10    0.49  48.00
 *     sdb     2100.00   8400.00     0.31    0.66  51.00
 *
 * iostat prints its titles in each interval. Two rows of a device below one line of titles are thus
 * no output of the tool: each row is a measurement of its own, and the first one is not the mean
 * since boot. Which one is older is unknown.
 */
#ifndef FORMATS_COUNTER_SPLIT_H
#define FORMATS_COUNTER_SPLIT_H

struct capture;
struct format;
struct region;

/*
 * If @c, which format @f read from @in, has two rows of each device and nothing between its rows:
 * move the second row of each to a new capture. A table with the label of one side, such as "with
 * the patch", is no pair. Cost: O(cells).
 */
void counter_split_rows(const struct format *f, const struct region *in, struct capture *c);

#endif
