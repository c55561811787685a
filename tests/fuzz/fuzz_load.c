/* SPDX-License-Identifier: MIT */
/* The whole path from bytes to captures: decode, detect, read, compare. */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "document/document.h"
#include "formats/detect.h"
#include "formats/load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct str bytes = { (const char *)data, size };
	struct detection found;
	size_t at = 0;

	if (document_from_memory(bytes, NULL, &doc, NULL) < 0)
		return 0;
	detect(doc, &found);
	VEC_FOREACH (r, &found.regions) {
		if (r->extent.from != at || r->extent.to <= at)
			__builtin_trap(); /* regions are adjacent and not empty */
		at = r->extent.to;
	}
	if (at != doc->text.len)
		__builtin_trap(); /* regions cover the whole text */
	detection_fini(&found);
	d->wanted.symfs = getenv("FUZZ_SYMFS");
	d->wanted.kallsyms = d->wanted.symfs ? "/dev/null" : NULL;
	if (load_document(d, doc, "-", NULL, NULL) < 0 && d->inputs.len != 1)
		__builtin_trap(); /* recognised captures are kept, also after an error */
	for (size_t i = 0; i < d->captures.len; i++) {
		uint32_t whole = d->captures.data[i]->excerpt_of;

		if (whole != INDEX_NONE && (whole >= d->captures.len || whole == i))
			__builtin_trap();
	}
	return 0;
}
