/* SPDX-License-Identifier: MIT */
/* seeds.h - the sample captures outside the project, for tests that can use them */
#ifndef SEEDS_H
#define SEEDS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "formats/load.h"

#include <glob.h>
#include <stdio.h>
#include <unistd.h>

/* Read the seed whose name starts with @prefix ("001"). False: missing. */
static inline bool seed_load(struct dossier *d, const char *prefix)
{
	const char *shared = getenv("ASSAY_SHARED");
	char pattern[4096];
	struct error err;
	bool ok = false;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/seeds/%s_*.txt", shared ? shared : "../shared",
		 prefix);
	if (glob(pattern, 0, NULL, &found) != 0)
		return false;
	ok = load_input(d, found.gl_pathv[0], NULL, &err) == OK;
	globfree(&found);
	return ok;
}

/* The input at @path of the folder of samples; NULL: missing. Free with dossier_free(). */
static inline struct dossier *seed_file(const char *path)
{
	const char *shared = getenv("ASSAY_SHARED");
	struct dossier *d;
	char full[512];

	(void)snprintf(full, sizeof(full), "%s/%s", shared ? shared : "", path);
	if (!shared || access(full, R_OK) != 0)
		return NULL;
	d = dossier_new();
	if (load_input(d, full, NULL, NULL) < 0)
		print_message("# nothing was read of %s\n", path);
	return d;
}

/* The capture with the most printed rows. */
static inline struct capture *seed_largest_table(struct dossier *d)
{
	struct capture *best = NULL;

	VEC_FOREACH (c, &d->captures) {
		if ((*c)->profile &&
		    (!best || (*c)->profile->table.rows.len > best->profile->table.rows.len))
			best = *c;
	}
	return best;
}

#endif
