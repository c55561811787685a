/* SPDX-License-Identifier: MIT */
/* sources.c - measured C sources beside captures. */
#include "cmds/sources.h"

#include <stdio.h>
#include <stdlib.h>

const char *sources_cache(bool has_cache, char *buffer, size_t size)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *end = "/assay";
	int n;

	/* the standard says that a relative path is to be ignored */
	if (!base || base[0] != '/') {
		base = getenv("HOME");
		end = "/.cache/assay";
	}
	if (!has_cache || !base || base[0] != '/')
		return NULL;
	n = snprintf(buffer, size, "%s%s", base, end);
	return n > 0 && (size_t)n < size ? buffer : NULL;
}
