/* SPDX-License-Identifier: MIT */
/*
 * format.h - interface of a capture format
 *
 * A format is one file `<name>.c` that defines `const struct format format_<name>`, and a name in
 * the list in src/formats/meson.build. Tables, help and fuzz targets are made from that list.
 *
 * Detection has no priorities. Each format reports the extents that it would claim (`find`). The
 * earliest extent wins; among overlapping ones, the highest score. Of a large file only the head is
 * scanned, if an extent with a score of 90 or more reaches the end of the head. That extent then
 * takes the rest of the file.
 *
 * A reader survives any input. It skips text that it cannot read, counts it in the capture's diag,
 * and fails only if nothing useful remains. It never prints. Text is mapped, not NUL-terminated,
 * and every byte is untrusted.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "base/str.h"
#include "core/ids.h"
#include "document/document.h"

struct capture;
struct dossier;
struct error;
struct out;

/*
 * Columns of struct samples. A reader may merge samples with the same stack, but not if they differ
 * in one of these columns.
 */
enum sample_column {
	SAMPLE_TIME = 1 << 0,
	SAMPLE_CPU = 1 << 1,
	SAMPLE_THREAD = 1 << 2, /* pid and tid; the command is part of the stack */
};

/* Options for a reader: which parts of the input the caller needs. */
struct read_options {
	/*
	 * Columns that the caller does not need: a set of enum sample_column. A reader merges
	 * samples that differ only in these (samples.count). Memory then grows with the number of
	 * stacks.
	 */
	unsigned int without;
	/*
	 * The caller needs thread switches and wake-ups. Their recordings are read with sample
	 * fields and with all columns. Other recordings are read without fields, and without the
	 * columns in `without`.
	 */
	bool is_for_switches;
	/*
	 * make a trace of operations, too, from tracepoints at which an operation begins or ends,
	 * such as block_rq_issue and block_rq_complete
	 */
	bool with_operations;
	/*
	 * find the instructions at which samples are, and disassemble the hottest functions
	 * (capture.instructions)
	 */
	bool with_spots;
	/*
	 * disassemble the functions that match one of these patterns of str_glob(), whatever their
	 * share, instead of the hottest functions; if none matches, the hottest ones. The rest of a
	 * name in parentheses need not match. Borrowed
	 */
	const struct str *code_of;
	size_t n_code_of;
	/*
	 * with with_spots: samples say at which row of the listing they are (samples.code_row), and
	 * hot functions are disassembled in addition to those of code_of, more than usual. Needs
	 * times or CPUs, so that each sample is kept
	 */
	bool with_code_rows;
	bool with_sources;    /* add the lines of source before their instructions */
	bool without_callers; /* reduce stacks to the command and the sampled function */
};

/* A part of a document: whole lines of clean text. */
struct region {
	const struct document *doc;
	str_id path;
	struct str text;
	uint32_t first_line; /* number of the first line in the document's cleaned text, from 1 */
	uint32_t n_lines;    /* lines of text; 0: not counted (a large file), see load.h */
	const struct str *fields; /* names of the sample fields to read: prev_comm, trace */
	size_t n_fields;
	struct read_options options;
};

/* Line number in the original input of line @n of the region; @n counts from 0. */
static inline uint32_t region_line(const struct region *in, uint32_t n)
{
	return document_line(in->doc, in->first_line + n);
}

/*
 * A claim of find(): bytes [from, to) of the text, which begin and end at the start of a line. Only
 * foreign.c, which covers several formats, sets @name, @declined and @is_head. The texts are
 * constants: the name of the format, and why it is not read.
 */
struct extent {
	size_t from;
	size_t to;
	unsigned int score;   /* certainty, 0 to 100 */
	const char *name;     /* example: "gprof" */
	const char *declined; /* example: "a gprof flat profile: not read yet" */
	/* declined only if no reader of the format @name takes the next lines: it is their head */
	bool is_head;
};

struct format {
	const char *name;              /* kebab-case: "perf-report" */
	const char *title;             /* name for people; NULL: use name */
	const char *summary;           /* one line, no final dot */
	unsigned int kinds;            /* bits of enum capture_kind that its captures can have */
	bool is_binary;                /* takes the whole input as raw bytes; find may be NULL */
	const char *const *extensions; /* hints for people; NULL-terminated; may be NULL */
	/*
	 * Certainty that the whole input is this format, from its first bytes (up to 64 KiB,
	 * possibly cut inside a line): 0 no, 50 possible, 90 sure.
	 */
	unsigned int (*probe)(struct str head);
	/*
	 * The next extent at or after @from that this format claims. False: none. It must
	 * advance: to > from. Cost: linear in the scanned text.
	 */
	bool (*find)(struct str text, size_t from, struct extent *ret);
	/*
	 * Read @in into one or more captures of @d (dossier_add), with format, path, first_line and
	 * last_line set. NULL: the format is recognised but not read. Errors: ERR_FORMAT if the
	 * region has nothing useful; captures that were added stay as they are.
	 */
	int (*read)(const struct region *in, struct dossier *d, struct error *err);
	/*
	 * Whether this format can hold capture @c. If not, ERR_UNSUPPORTED with the reason. A
	 * format that can be written has this function and one of the next two; others have none of
	 * the three.
	 */
	int (*check)(const struct capture *c, struct error *err);
	/*
	 * Write one capture as text. For formats without a place for several captures: programs
	 * that read the file would add up the weights of several captures.
	 */
	int (*write)(const struct capture *c, struct out *out, struct error *err);
	/* Write one document with any number of captures, each with its unit. */
	int (*write_all)(const struct capture *const *captures, size_t n, struct out *out,
			 struct error *err);
	bool is_write_binary; /* the written file is binary */
	/*
	 * The file has room for one capture of each event, because programs that read it add up
	 * captures of the same event. write_all() gets one for each event.
	 */
	bool holds_one_of_event;
};

/* Number of lines in @text: newlines, plus one for a last line without a newline. */
uint32_t format_count_lines(struct str text);
/*
 * Add a capture to @d with the format, path and line range of @in. last_line stays 0 for a region
 * whose lines are not counted. The result is borrowed.
 */
struct capture *format_add_capture(const struct format *f, const struct region *in,
				   struct dossier *d);

/*
 * Declares a format in each file that names it. Only registry.c names all, so a new format compiles
 * no other file again.
 */
#define DECLARE_FORMAT(id) extern const struct format format_##id

#endif
