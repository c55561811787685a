/* SPDX-License-Identifier: MIT */
/*
 * disk_row.h - one file system, as df prints it
 *
 * All texts are borrowed.
 */
#ifndef FORMATS_DISK_ROW_H
#define FORMATS_DISK_ROW_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define DISK_COLUMNS 12u

enum disk_cell {
	DISK_OTHER,
	DISK_SIZE,
	DISK_USED,
	DISK_FREE,
	DISK_USE, /* used part of the space, percent */
	DISK_INODES,
	DISK_INODES_USED,
	DISK_INODES_FREE,
	DISK_INODES_USE, /* used part of the inodes, percent */
	DISK_CELLS
};

/* Columns according to the line of titles, which depends on the options of df. */
struct disk_head {
	/* enum disk_cell of each column, without the device, the type and the mount point */
	uint8_t cells[DISK_COLUMNS];
	size_t n; /* number of columns; 0: no titles yet */
	bool has_type;
	uint64_t unit; /* number of bytes in a block; sizes without a unit letter are in blocks */
};

struct disk_row {
	struct str device, type, mount;
	uint64_t values[DISK_CELLS]; /* value of each kind of cell, in bytes, inodes or percent */
	bool has[DISK_CELLS];
};

/* Parse the line of titles: "Filesystem 1K-blocks Used Available Use% Mounted on". */
bool disk_row_head(struct str line, struct disk_head *ret);
bool disk_row_parse(const struct disk_head *h, struct str line, struct disk_row *ret);
/*
 * Whether @line is the first half of a row. df breaks a row after a long device name, and mailers
 * break it before the mount point.
 */
bool disk_row_begins(const struct disk_head *h, struct str line);

#endif
