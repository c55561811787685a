/* SPDX-License-Identifier: MIT */
#include "explain/words/gc_words.h"

#include "base/status.h"
#include "base/str.h"
#include "explain/gc_no_room_names.h"
#include "explain/gc_requested_names.h"

static const struct gc_failure gc_failures[] = { GC_ROOM_KINDS };
static const struct gc_asker gc_askers[] = { GC_ASKERS };

const struct gc_failure *gc_words_failure(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(gc_failures); i++) {
		if (str_glob(str_of(gc_failures[i].failures), name))
			return &gc_failures[i];
	}
	return NULL;
}

const struct gc_asker *gc_words_asker(struct str name)
{
	const struct gc_asker *a = gc_askers;

	if (!str_glob(STR(GC_REQUESTS), name))
		return NULL;
	/* the loop ends, because the pattern of the last row matches every name */
	while (!str_glob(str_of(a->requests), name))
		a++;
	return a;
}
