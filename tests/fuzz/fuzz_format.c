/* SPDX-License-Identifier: MIT */
/* Compiled once a reader, with -DFUZZ_FORMAT=format_<name>. */
#include "formats/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_find(struct str text)
{
	struct extent e;
	size_t from = 0;

	while (FUZZ_FORMAT.find && from < text.len && FUZZ_FORMAT.find(text, from, &e)) {
		if (e.to <= from || e.from < from || e.to > text.len || e.from >= e.to)
			__builtin_trap(); /* find() must move forward inside the text */
		from = e.to;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct str text = { (const char *)data, size };
	struct region in = { .text = text, .first_line = 1 };

	if (document_from_memory(text, &raw, &doc, NULL) < 0)
		return 0;
	in.doc = doc;
	/* a folder without files makes recordings ten times as fast */
	d->wanted.symfs = getenv("FUZZ_SYMFS");
	d->wanted.kallsyms = d->wanted.symfs ? "/dev/null" : NULL;
	(void)FUZZ_FORMAT.probe(str_sub(text, 0, 65536));
	fuzz_find(text);
	if (FUZZ_FORMAT.read)
		(void)FUZZ_FORMAT.read(&in, d, NULL);
	return 0;
}
