/* SPDX-License-Identifier: MIT */
/*
 * load.h - from a path to captures: open, detect, read each region
 *
 * The lines of a large file (DETECT_LARGE_BYTES) are not counted before reading: region.n_lines is
 * 0. A reader that counts the lines anyway sets capture.last_line. Otherwise they are counted after
 * reading.
 */
#ifndef FORMATS_LOAD_H
#define FORMATS_LOAD_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"
#include "formats/logs/loose_messages.h"

struct document;
struct dossier;
struct progress;

struct load_options {
	const struct format *only; /* read the whole input as this format; NULL: detect */
	bool is_raw;               /* do not undo mail and markup encodings */
	/* costly sample fields that the caller wants besides the default ones; borrowed */
	const struct str *fields;
	size_t n_fields;
	struct read_options read;
	/* finds messages in text that no reader takes; NULL: none are searched */
	loose_is_message *is_message;
	struct progress *progress; /* progress bar for load_input(); NULL: none */
};

/*
 * Read @path into @d: an entry in d->inputs, and a capture for each recognised region. @options
 * may be NULL. Errors: ERR_IO, ERR_LIMIT, ERR_FORMAT (no reader knows any part; @err says what
 * it looks like). Captures read before the error stay in @d.
 */
MUST_CHECK int load_input(struct dossier *d, const char *path, const struct load_options *options,
			  struct error *err);
/* Like load_input(), for the bytes of a file, which @path names. */
MUST_CHECK int load_bytes(struct dossier *d, struct str bytes, const char *path,
			  const struct load_options *options, struct error *err);
/* Like load_input(), for an open document (tests, fuzzers, archives). */
MUST_CHECK int load_document(struct dossier *d, const struct document *doc, const char *path,
			     const struct load_options *options, struct error *err);

#endif
