/* SPDX-License-Identifier: MIT */
/* lab_runner.h - finds the folder of the labs, and becomes their runner labs/run */
#ifndef CMDS_LAB_RUNNER_H
#define CMDS_LAB_RUNNER_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>

struct lab_runner {
	char run[PATH_MAX]; /* labs/run */
	/*
	 * The program in a build tree: the folder of the build, which also builds the programs of
	 * the labs. Otherwise the program itself.
	 */
	char build[PATH_MAX];
	bool is_installed; /* the program is not in a build tree */
};

/*
 * Find the runner: in ASSAY_LABS, else in the source tree of the build that the program is part of,
 * else in the installed data. Errors: ERR_NOTFOUND: there is none; ERR_IO.
 */
MUST_CHECK int lab_runner_find(struct lab_runner *ret, struct error *err);
/*
 * Replace this process by the runner with the arguments @words (NULL-terminated). Returns only with
 * an error: ERR_NOTFOUND: python3 is missing; ERR_IO.
 */
MUST_CHECK int lab_runner_exec(const struct lab_runner *r, const char *const *words,
			       struct error *err);

#endif
