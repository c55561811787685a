/* SPDX-License-Identifier: MIT */
/*
 * load.h - from a path to captures: open, cut into regions, read each
 *
 * The lines of a large file (DETECT_LARGE_BYTES) are not counted beforehand:
 * region.n_lines is 0 then, and a reader that counts its lines anyway sets
 * capture.last_line; for one that does not they are counted afterwards.
 */
#ifndef FORMATS_LOAD_H
#define FORMATS_LOAD_H

#include "formats/format.h"

struct load_options {
	const struct format *only; /* take the whole input as this format; NULL: find out */
	bool is_raw;               /* do not undo mail and markup */
	const struct str *fields;  /* of samples, that cost too much to read unasked; borrowed */
	size_t n_fields;
	struct read_options read;
	struct progress *progress; /* of load_input(); NULL: none */
};

/*
 * Read @path into @d: an entry in d->inputs, captures for what was recognised.
 * @options may be NULL.
 * Errors: ERR_IO, ERR_FORMAT (nothing in it that any reader knows; @err says
 * what it looks like), ERR_LIMIT. What was read before stays in @d.
 */
MUST_CHECK int load_input(struct dossier *d, const char *path, const struct load_options *options,
			  struct error *err);
/* The same for a document that is open already (tests, fuzzers, archives). */
MUST_CHECK int load_document(struct dossier *d, const struct document *doc, const char *path,
			     const struct load_options *options, struct error *err);

#endif
