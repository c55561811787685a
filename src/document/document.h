/* SPDX-License-Identifier: MIT */
/*
 * document.h - an input as text for readers, with a map to the original lines
 *
 * A document comes from a file, a stream or memory. Compressed data is decompressed. *Cleaning*
 * removes text that mail, web pages and terminals added: transfer encodings, quote marks, HTML,
 * Markdown fences, escape codes, UTF-16, CR. A text without any of these is neither changed nor
 * copied: `text` is then the mapped file. Otherwise a line map gives the original line of each line
 * of the cleaned text, so that every claim can cite `file:line`.
 *
 * Wrapped lines are joined here only if a standard defines how (format=flowed, soft line breaks of
 * quoted-printable). Readers join other wrapped lines with document/mail/unwrap.h, because they
 * know the grammar of their format.
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
	struct str text; /* text for readers; if the input is binary, the decompressed bytes */
	uint64_t bytes;  /* size of the original input */
	/* modification time of the file in ns since 1970; 0: the input is no file */
	uint64_t written_ns;
	bool is_binary; /* the input contains NUL bytes and is not UTF-16: text readers skip it */
	bool is_clean;  /* the text needed no cleaning: clean lines are original lines */
	/* encodings that were undone: "gzip, mail, quoted-printable"; "" if none */
	char encoding[96];
	struct diag diag; /* number of parts that were truncated or could not be decoded */
	/*
	 * name, capsule and n_evidence are set if the input was taken from a capsule, an archive of
	 * inputs (capsule.h)
	 */
	struct str name;    /* name of this input in the capsule */
	struct str capsule; /* bytes of the whole capsule */
	size_t n_evidence;  /* number of all inputs in the capsule */
	/* number of original lines that were joined to the last clean line (rewrap.h) */
	uint32_t tail_lines;

	/* all members below are private */
	uint32_t *line_map; /* original line of each clean line; NULL if is_clean */
	size_t n_lines;     /* length of line_map and depth_map */
	uint8_t *depth_map; /* quote depth of each clean line; NULL: no quoted line */
	void *mapping;      /* to be released by munmap() */
	size_t mapping_bytes;
	char *owned; /* to be released by free() */
	/* the mapping is a file: the kernel can free its pages, and reads them again when needed */
	bool is_file;
	struct progress *progress; /* reports reading progress; NULL: none */
	/*
	 * memory of the capsule that contains the text; NULL: no capsule. If `mapping` is set, it
	 * is a mapping, otherwise from malloc().
	 */
	void *outer;
	size_t outer_bytes;
};

struct document_options {
	bool is_raw; /* decompress only, without cleaning */
	/*
	 * limit of decompressed or streamed text in bytes; 0: the smaller of LIMIT_STREAM_BYTES and
	 * half of the machine's memory
	 */
	uint64_t max_bytes;
	struct progress *progress; /* reading progress; borrowed by the document; NULL: none */
	size_t at; /* if the input is a capsule: number of the wanted input in it, from 0 */
};

/*
 * Open @path; "-" is standard input. If the file is a capsule, an archive of inputs, options.at is
 * the number of the input that becomes the document. A path "FILE/NAME" names the input NAME of the
 * capsule FILE. @options may be NULL. Owner: caller, document_free(). Errors: ERR_IO (missing, a
 * directory, unreadable), ERR_PERM, ERR_FORMAT (empty, or compressed data without usable content),
 * ERR_UNSUPPORTED (compression not supported, or not in this build), ERR_LIMIT. If the end of the
 * data is damaged, the document contains the intact part, and diag counts the damage.
 *
 * Cost: one mmap for a text that needs no cleaning. Texts up to 4 MiB are inspected whole to find
 * out whether they need cleaning; larger texts are inspected at the start and in 15 other windows
 * of 64 KiB. A text to clean is read once and copied, up to LIMIT_CLEAN_BYTES. A larger text is not
 * cleaned, and diag counts this.
 */
MUST_CHECK int document_open(const char *path, const struct document_options *options,
			     struct document **ret, struct error *err);
/* As document_open(), for bytes in memory, which are borrowed and must outlive the document. */
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

/* Quote depth of clean line @clean_line in a mail; 0: not quoted. */
static inline unsigned int document_quote_depth(const struct document *d, uint32_t clean_line)
{
	if (!d->depth_map || clean_line == 0 || clean_line > d->n_lines)
		return 0;
	return d->depth_map[clean_line - 1];
}

/*
 * Declare that text before @upto will not be read again soon. The pages of a mapped file are given
 * back to the kernel. Later reading still works, also from other threads. Also reports progress.
 * Cheap: call it every few megabytes, and at least every 32 MB, because it gives back only the 64
 * MiB before @upto.
 */
void document_release(const struct document *d, const char *upto);

#endif
