/* SPDX-License-Identifier: MIT */
/*
 * load.h - read a file into captures: open it, detect its formats, read each region
 *
 * The lines of a large file (DETECT_LARGE_BYTES) are not counted before reading, so region.n_lines
 * is 0. A reader may count the lines and set capture.last_line. If the reader does not,
 * load_input() counts them afterwards.
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
	const struct format *only; /* format of the whole input; NULL: detect the formats */
	bool is_raw;               /* decompress only: do not undo mail and markup encodings */
	/*
	 * names of sample fields to read besides the default fields, which makes reading slower;
	 * borrowed
	 */
	const struct str *fields;
	size_t n_fields;
	struct read_options read;
	/*
	 * test that finds known messages in text that no reader takes; NULL: do not search messages
	 */
	loose_is_message *is_message;
	struct progress *progress; /* progress bar for load_input(); NULL: none */
};

/*
 * Read the file @path into @d: add an entry to d->inputs, and a capture for each recognised region.
 * @options may be NULL. Errors: ERR_IO, ERR_LIMIT, ERR_FORMAT (no reader knows any part of the
 * input; @err describes the input). After an error, the captures read so far stay in @d.
 */
MUST_CHECK int load_input(struct dossier *d, const char *path, const struct load_options *options,
			  struct error *err);
/* Like load_input(), but reads @bytes, the content of a file. @path: the name of the file. */
MUST_CHECK int load_bytes(struct dossier *d, struct str bytes, const char *path,
			  const struct load_options *options, struct error *err);
/*
 * Like load_input(), but reads the open document @doc. Used by tests, fuzzers and readers of
 * archives.
 */
MUST_CHECK int load_document(struct dossier *d, const struct document *doc, const char *path,
			     const struct load_options *options, struct error *err);

#endif
