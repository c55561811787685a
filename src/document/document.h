/* SPDX-License-Identifier: MIT */
/*
 * document.h - an input as text that readers can read, and the way back
 *
 * A document is opened from a file, a stream or memory. Compression is undone;
 * text is cleaned of what mail, web and terminals did to it (transfer
 * encodings, quote marks, HTML, fences, escape codes, UTF-16, CR). Text that
 * needs none of this passes through untouched and uncopied: `text` is then the
 * mapped file itself. A line map leads each clean line back to the line of the
 * original, so that every claim can cite `file:line`.
 *
 * Wrapped lines are joined here only where a standard says how (format=flowed,
 * quoted-printable soft breaks); a reader that knows its grammar joins the rest
 * with document/unwrap.h.
 *
 * Not thread safe while opening; afterwards a document does not change.
 */
#ifndef DOCUMENT_DOCUMENT_H
#define DOCUMENT_DOCUMENT_H

#include "base/progress.h"
#include "base/str.h"
#include "core/diag.h"

struct document {
	struct str text;     /* what readers read; binary inputs: the raw (decompressed) bytes */
	uint64_t bytes;      /* size of the original */
	uint64_t written_ns; /* since 1970, when the file was last written; 0: it is no file */
	bool is_binary;      /* NUL bytes and no text encoding: readers of text skip it */
	bool is_clean;       /* nothing was rewritten: clean lines are original lines */
	char encoding[96];   /* what was undone: "gzip, mail, quoted-printable"; "" for nothing */
	struct diag diag;    /* what was cut or could not be undone */

	/* private */
	uint32_t *line_map; /* original line of each clean line; NULL when is_clean */
	size_t n_lines;     /* elements of line_map */
	uint8_t *depth_map; /* quote depth of each clean line; NULL: none was quoted */
	void *mapping;      /* munmap() */
	size_t mapping_bytes;
	char *owned;               /* free() */
	bool is_file;              /* the mapping is a file's: pages can be given back */
	struct progress *progress; /* NULL: none */
};

struct document_options {
	bool is_raw;        /* undo compression only */
	uint64_t max_bytes; /* of decompressed or streamed text; 0: LIMIT_STREAM_BYTES, or half
			       of the machine's memory if that is less */
	struct progress *progress; /* of reading; borrowed by the document; NULL: none */
};

/*
 * Open @path; "-" is standard input. @options may be NULL.
 * Owner: caller, document_free().
 * Errors: ERR_IO (missing, a directory, unreadable), ERR_PERM, ERR_FORMAT
 * (empty, or compressed data of which nothing could be had), ERR_UNSUPPORTED (a
 * compression that is not read, or not by this build), ERR_LIMIT. A damaged tail
 * is not an error: what could be had is there, and diag says what is missing.
 * Cost: an mmap for clean text; up to 4 MiB are looked at whole, of larger files
 * the first and 15 more places of 64 KiB. Text that must be cleaned is read once
 * and copied, up to LIMIT_CLEAN_BYTES; larger text stays as it is, with a diag.
 */
MUST_CHECK int document_open(const char *path, const struct document_options *options,
			     struct document **ret, struct error *err);
/* The same for bytes in memory, which are borrowed and must outlive the document. */
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

/* How deeply clean line @clean_line was quoted in a mail: 0 for not. */
static inline unsigned int document_quote_depth(const struct document *d, uint32_t clean_line)
{
	if (!d->depth_map || clean_line == 0 || clean_line > d->n_lines)
		return 0;
	return d->depth_map[clean_line - 1];
}

/*
 * Tell that nothing before @upto (a place in text) is read again soon, so that
 * pages of a mapped file can leave memory. Reading them again still works, also
 * by another thread. Cheap; call it every few megabytes, at least every 32: what
 * lies further back stays. This is also how progress is told.
 */
void document_release(const struct document *d, const char *upto);

#endif
