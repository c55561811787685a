/* SPDX-License-Identifier: MIT */
#include "cmds/cmd.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (const struct cmd *const *c = cmds; argc > 1 && *c; c++) {
		if (strcmp(argv[1], (*c)->name) == 0)
			return (*c)->run(argc - 1, argv + 1);
	}
	(void)fprintf(stderr, "usage: assay FILE...\n");
	return 2;
}
