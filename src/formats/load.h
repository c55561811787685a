/* SPDX-License-Identifier: MIT */
/*
 * load.h - from a path to captures: open, detect, read each region
 *
 * The lines of a large file (DETECT_LARGE_BYTES) are not counted beforehand: region.n_lines is
 * 0. A reader that counts its lines anyway sets capture.last_line; otherwise they are counted
 * afterwards.
 */
#ifndef FORMATS_LOAD_H
#define FORMATS_LOAD_H

#include "base/status.h"
#include "formats/format.h"

struct document;
struct dossier;
struct progress;
struct str;

struct load_options {
	const struct format *only; /* read the whole input as this format; NULL: detect */
	bool is_raw;               /* do not undo mail and markup */
	/* sample fields to read, which cost too much by default; borrowed */
	const struct str *fields;
	size_t n_fields;
	struct read_options read;
	struct progress *progress; /* for load_input(); NULL: none */
};

/*
 * Read @path into @d: an entry in d->inputs, and a capture for each recognised region. @options
 * may be NULL. Errors: ERR_IO, ERR_LIMIT, ERR_FORMAT (no reader knows any part; @err says what
 * it looks like). Captures read before the error stay in @d.
 */
MUST_CHECK int load_input(struct dossier *d, const char *path, const struct load_options *options,
			  struct error *err);
/* The same for an open document (tests, fuzzers, archives). */
MUST_CHECK int load_document(struct dossier *d, const struct document *doc, const char *path,
			     const struct load_options *options, struct error *err);

#endif
