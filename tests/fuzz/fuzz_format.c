/* SPDX-License-Identifier: MIT */
/* Compiled once per reader, with -DFUZZ_FORMAT=format_<name>. */
#include "formats/format.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "document/document.h"
#include "sound.h"

#include <stdlib.h>

extern const struct format FUZZ_FORMAT;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_find(struct str text)
{
	struct extent e;
	size_t from = 0;

	while (FUZZ_FORMAT.find && from < text.len && FUZZ_FORMAT.find(text, from, &e)) {
		if (e.to <= from || e.from < from || e.to > text.len || e.from >= e.to)
			__builtin_trap(); /* find() must advance inside the text */
		from = e.to;
	}
}

static void fuzz_want(struct dossier *d)
{
	/* with an empty folder, recordings are read ten times as fast */
	d->wanted.symfs = getenv("FUZZ_SYMFS");
	d->wanted.kallsyms = d->wanted.symfs ? "/dev/null" : NULL;
}

/* Read without callers: fewer details, but the same number of samples. */
static void fuzz_without_callers(struct region in, const struct dossier *with)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();

	fuzz_want(d);
	in.options.without_callers = true;
	(void)FUZZ_FORMAT.read(&in, d, NULL);
	if (d->captures.len != with->captures.len)
		__builtin_trap();
	for (size_t i = 0; i < d->captures.len; i++) {
		const struct profile *a = d->captures.data[i]->profile;
		const struct profile *b = with->captures.data[i]->profile;

		if (a && b && (a->n_samples != b->n_samples || a->event_count != b->event_count))
			__builtin_trap();
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
	fuzz_want(d);
	(void)FUZZ_FORMAT.probe(str_sub(text, 0, 65536));
	fuzz_find(text);
	if (FUZZ_FORMAT.read)
		(void)FUZZ_FORMAT.read(&in, d, NULL);
	sound_check(d);
	if (FUZZ_FORMAT.read && FUZZ_FORMAT.is_binary)
		fuzz_without_callers(in, d);
	return 0;
}
