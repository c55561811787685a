/* SPDX-License-Identifier: MIT */
/*
 * document.h - an input as text for readers, with a map to the original lines
 *
 * A document comes from a file, a stream or memory. Compression is undone. Text is cleaned of
 * traces of mail, web and terminals: transfer encodings, quote marks, HTML, fences, escape
 * codes, UTF-16, CR. Text that needs no cleaning is neither changed nor copied: `text` is then
 * the mapped file. A line map leads from each clean line to the original line, so that every
 * claim can cite `file:line`.
 *
 * Wrapped lines are joined here only by standards (format=flowed, quoted-printable soft
 * breaks). A reader that knows its grammar joins the rest with document/unwrap.h.
 *
 * Not thread safe while opening; immutable afterwards.
 */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"

struct progress;

struct document {
	struct str text;     /* text for readers; binary inputs: the decompressed bytes */
	uint64_t bytes;      /* size of the original */
	uint64_t written_ns; /* modification time since 1970; 0: not a file */
	bool is_binary;      /* NUL bytes without a text encoding: text readers skip it */
	bool is_clean;       /* nothing was rewritten: clean lines are original lines */
	/* encodings that were undone: "gzip, mail, quoted-printable"; "" if none */
	char encoding[96];
	struct diag diag; /* truncated and undecodable parts */

	/* private */
	uint32_t *line_map; /* original line of each clean line; NULL if is_clean */
	size_t n_lines;     /* length of line_map */
	uint8_t *depth_map; /* quote depth of each clean line; NULL: no quoted line */
	void *mapping;      /* released by munmap() */
	size_t mapping_bytes;
	char *owned;               /* released by free() */
	bool is_file;              /* the mapping is of a file: its pages can be released */
	struct progress *progress; /* NULL: none */
};

struct document_options {
	bool is_raw; /* decompress only */
	/*
	 * limit of decompressed or streamed text; 0: the smaller of LIMIT_STREAM_BYTES and half
	 * of the machine's memory
	 */
	uint64_t max_bytes;
	struct progress *progress; /* reading progress; borrowed by the document; NULL: none */
};

/*
 * Open @path; "-" is standard input. @options may be NULL. Owner: caller, document_free().
 * Errors: ERR_IO (missing, a directory, unreadable), ERR_PERM, ERR_FORMAT (empty, or compressed
 * data without usable content), ERR_UNSUPPORTED (compression not supported, or not in this
 * build), ERR_LIMIT. A damaged tail is not an error: the document contains the intact part, and
 * diag counts the rest. Cost: one mmap for clean text. Texts up to 4 MiB are inspected whole,
 * larger ones at the start and 15 places of 64 KiB. Text to clean is read once and copied, up
 * to LIMIT_CLEAN_BYTES; larger text stays unchanged, with a diag.
 */
MUST_CHECK int document_open(const char *path, const struct document_options *options,
			     struct document **ret, struct error *err);
/* The same from bytes in memory, which are borrowed and must outlive the document. */
MUST_CHECK int document_from_memory(struct str bytes, const struct document_options *options,
				    struct document **ret, struct error *err);
void document_free(struct document *d);
DEFINE_CLEANUP(struct document *, document_free);

/* Original line (from 1) of clean line @clean_line (from 1). Cost: O(1). */
static inline uint32_t document_line(const struct document *d, uint32_t clean_line)
{
	if (LIKELY(!d->line_map))
		return clean_line;
	if (clean_line == 0 || d->n_lines == 0)
		return 0;
	return d->line_map[clean_line <= d->n_lines ? clean_line - 1 : d->n_lines - 1];
}

/* Mail quote depth of clean line @clean_line; 0: not quoted. */
static inline unsigned int document_quote_depth(const struct document *d, uint32_t clean_line)
{
	if (!d->depth_map || clean_line == 0 || clean_line > d->n_lines)
		return 0;
	return d->depth_map[clean_line - 1];
}

/*
 * Declare that text before @upto will not be read again soon, so that pages of a mapped file
 * can be released. Reading it later still works, from other threads too. Cheap; call it every
 * few megabytes, at least every 32: older pages are kept. Also reports progress.
 */
void document_release(const struct document *d, const char *upto);

#endif
