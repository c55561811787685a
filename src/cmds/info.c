/* SPDX-License-Identifier: MIT */
#include "cmds/cmd.h"
#include "formats/load.h"

#include <stdio.h>

static int info_run(int argc, char **argv)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	int status = 0;

	for (int i = 1; i < argc; i++) {
		struct error err = { "" };

		if (load_input(d, argv[i], NULL, &err) < 0) {
			(void)fprintf(stderr, "assay: %s: %s\n", argv[i], err.msg);
			status = 1;
		}
	}
	VEC_FOREACH (c, &d->captures)
		printf("%s lines %u-%u: %s\n", (*c)->format, (*c)->first_line, (*c)->last_line,
		       capture_kind_name((*c)->kinds));
	return status;
}

const struct cmd cmd_info = {
	.name = "info",
	.summary = "regions of the inputs, counters, what was skipped and why",
	.run = info_run,
};
