/* SPDX-License-Identifier: MIT */
/*
 * same_job.h - whether two command lines do the same work, perhaps with two versions of a program
 */
#ifndef CORE_SAME_JOB_H
#define CORE_SAME_JOB_H

#include "base/str.h"

/*
 * Whether the commands @a and @b are equal except for directories, words that name a side of a
 * comparison ("old", "new"), and the version of the program: "./pack-old -9 x" and "/opt/pack-2.1
 * -9 x". Programs that only start or measure another one (time, sudo) precede the program, and
 * where the output goes (">file") is no difference. Cost: O(length).
 */
bool same_job(struct str a, struct str b);

#endif
