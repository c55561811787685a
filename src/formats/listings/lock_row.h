/* SPDX-License-Identifier: MIT */
/*
 * lock_row.h - one file lock, or a request that waits for it, as /proc/locks prints it
 *
 * All texts are borrowed.
 */
#ifndef FORMATS_LOCK_ROW_H
#define FORMATS_LOCK_ROW_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct lock_row {
	/* number of the lock; a request has the number of the lock for which it waits */
	uint64_t number;
	struct str type; /* type of the lock: POSIX, FLOCK, OFDLCK, LEASE, DELEG */
	struct str mode; /* mode of the lock: READ, WRITE */
	/* process that has or wants the lock; empty: not printed, as for OFDLCK */
	struct str pid;
	struct str inode; /* "fd:00:131": device and inode */
	bool is_waiting;
};

bool lock_row_parse(struct str line, struct lock_row *ret);

#endif
