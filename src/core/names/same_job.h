/* SPDX-License-Identifier: MIT */
/*
 * same_job.h - whether two command lines do the same work, perhaps with two versions of a program
 */
#ifndef CORE_SAME_JOB_H
#define CORE_SAME_JOB_H

#include "base/str.h"

/*
 * Whether the commands @a and @b do the same work: "./pack-old -9 x" and "/opt/pack-2.1 -9 x".
 * Directories, words that name a side of a comparison ("old", "new"), and the version of the
 * program may differ. So may programs that only start or measure the program (time, sudo), and the
 * file of the output (">file"). Cost: O(length).
 */
bool same_job(struct str a, struct str b);

#endif
