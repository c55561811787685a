/* SPDX-License-Identifier: MIT */
#include "formats/load.h"

#define LOAD_HEAD_BYTES 65536u

int load_document(struct dossier *d, const struct document *doc, const char *path,
		  const struct load_options *options, struct error *err)
{
	const struct format *best = options ? options->only : NULL;
	struct region in = { .doc = doc, .text = doc->text, .first_line = 1 };
	unsigned int best_score = 0;
	struct dossier_input *entry;

	in.path = strings_add(&d->strings, str_of(path));
	entry = VEC_PUSH(&d->inputs);
	*entry = (struct dossier_input){ .path = in.path, .bytes = doc->bytes };
	for (const struct format *const *f = formats; !best_score && *f; f++) {
		unsigned int score = (*f)->probe(str_sub(doc->text, 0, LOAD_HEAD_BYTES));

		if (!best && score > best_score) {
			best_score = score;
			best = *f;
		}
	}
	if (!best || !best->read)
		return fail(err, ERR_FORMAT, "nothing in it that assay knows");
	return best->read(&in, d, err);
}

int load_input(struct dossier *d, const char *path, const struct load_options *options,
	       struct error *err)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options dopt = { .is_raw = options && options->is_raw };
	int r = document_open(path, &dopt, &doc, err);

	if (r < 0)
		return r;
	return load_document(d, doc, path, options, err);
}
