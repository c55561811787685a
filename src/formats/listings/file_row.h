/* SPDX-License-Identifier: MIT */
/*
 * file_row.h - one open file, as lsof or "ls -l /proc/PID/fd" prints it
 *
 * All texts are borrowed.
 */
#ifndef FORMATS_FILE_ROW_H
#define FORMATS_FILE_ROW_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Positions of columns in the line of titles, which depend on the options of lsof. */
struct file_head {
	size_t fd;  /* number of the column FD */
	size_t tid; /* number of the column TID; 0: not printed */
	bool has_links;
	bool has_task; /* the column TASKCMD follows TID */
};

struct file_row {
	struct str command, pid, type;
	struct str device, node;
	struct str name;
	struct str state; /* state of a TCP socket, with the name that ss uses; empty: none */
	/* size of the file, bytes; 0: not printed, or an offset is printed instead */
	uint64_t size;
	/*
	 * the row has a descriptor number; false: for example a mapping, or the working directory
	 */
	bool is_descriptor;
	bool is_deleted;
	bool is_thread; /* row of a thread; its descriptors are the same as those of the process */
};

/* Parse the line of titles: "COMMAND PID USER FD TYPE DEVICE SIZE/OFF NODE NAME". */
bool file_row_head(struct str line, struct file_head *ret);
/*
 * The titles above @line, if it is a row of lsof whose titles a filter removed, as in
 * "lsof | grep sock".
 */
bool file_row_bare(struct str line, struct file_head *ret);
/*
 * Parse a row of "ls -l /proc/PID/fd": "lrwx------ 1 user group 64 Nov 19 21:21 3 ->
 * socket:[2558]". The process is unknown.
 */
bool file_row_parse_link(struct str line, struct file_row *ret);
bool file_row_parse(const struct file_head *h, struct str line, struct file_row *ret);

#endif
