/* SPDX-License-Identifier: MIT */
/* Capsules: any archive gives inputs that lie in it. Sums of headers are mended first. */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/ustar.h"
#include "document/capsule.h"
#include "document/document.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define FUZZ_MAGIC    257u
#define FUZZ_SUM      148u

/* Set the sum of each block that has the magic of a header. */
static void fuzz_mend(char *p, size_t len)
{
	for (; len >= USTAR_BLOCK; p += USTAR_BLOCK, len -= USTAR_BLOCK) {
		unsigned int sum = 0;

		if (memcmp(p + FUZZ_MAGIC, "ustar", 5) != 0)
			continue;
		memset(p + FUZZ_SUM, ' ', 8);
		for (size_t i = 0; i < USTAR_BLOCK; i++)
			sum += (unsigned char)p[i];
		(void)snprintf(p + FUZZ_SUM, 8, "%06o", sum);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct str text = { copy, size };
	struct ustar t = { .rest = text };
	struct ustar_member m;
	size_t n = 0;

	FUZZ_CHECK(copy);
	if (size)
		memcpy(copy, data, size);
	fuzz_mend(copy, size);
	while (ustar_next(&t, &m)) {
		FUZZ_CHECK(m.data.p >= copy && m.data.p + m.data.len <= copy + size);
		FUZZ_CHECK(m.name.len && m.name.p[0] != '/');
		n++;
	}
	FUZZ_CHECK(n <= size / USTAR_BLOCK);
	for (size_t i = 0; capsule_is(text) && i < LIMIT_CAPSULE_INPUTS; i++) {
		struct document_options options = { .max_bytes = 1u << 20, .at = i };
		CLEANUP(document_freep) struct document *d = NULL;
		struct error err = { "" };

		if (document_from_memory(text, &options, &d, &err) < 0) {
			FUZZ_CHECK(err.msg[0]);
			break;
		}
		FUZZ_CHECK(d->n_evidence > i && d->n_evidence <= LIMIT_CAPSULE_INPUTS);
		FUZZ_CHECK(capsule_find(text, d->name) <= i);
	}
	free(copy);
	return 0;
}
