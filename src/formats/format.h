/* SPDX-License-Identifier: MIT */
/*
 * format.h - interface of a capture format
 *
 * A format is one file `<name>.c` that defines `const struct format format_<name>`, and a name in
 * the list in src/formats/meson.build. Tables, help and fuzz targets are made from that list.
 *
 * Formats have no priorities. Each format reports the extents that it would claim (`find`). The
 * earliest extent wins; among overlapping extents, the one with the highest score wins. Of a large
 * file, only the head is scanned if an extent with a score of 90 or more reaches the end of the
 * head. That extent then takes the rest of the file.
 *
 * A reader survives any input. It skips text that it cannot read, counts this text in the capture's
 * diag, and fails only if nothing useful remains. It never prints. The text is a mapped file, has
 * no NUL at its end, and every byte is untrusted.
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
 * Columns of struct samples that a caller may not need. If a caller needs only some of them, a
 * reader may merge samples of the same stack that are equal in the needed columns.
 */
enum sample_column {
	SAMPLE_TIME = 1 << 0,
	SAMPLE_CPU = 1 << 1,
	SAMPLE_THREAD = 1 << 2, /* pid and tid; the command is part of the stack */
};

/* Options for a reader: the parts of the input that the caller needs. */
struct read_options {
	/*
	 * Columns that the caller does not need: a set of enum sample_column. A reader may merge
	 * samples that differ only in these columns (samples.count). Memory then grows only with
	 * the number of stacks.
	 */
	unsigned int without;
	/*
	 * The caller needs thread switches and wake-ups. If a recording has thread switches, its
	 * samples get all columns and the sample fields (region.fields). Otherwise its samples get
	 * no fields, and lack the columns in `without`.
	 */
	bool is_for_switches;
	/*
	 * from tracepoints at which an operation begins or ends (block_rq_issue,
	 * block_rq_complete), also make a trace of these operations
	 */
	bool with_operations;
	/*
	 * find the instruction of each sample, and disassemble the hottest functions into
	 * capture.instructions
	 */
	bool with_spots;
	/*
	 * Disassemble all functions that match one of these patterns (symbol_name_matches()),
	 * instead of the hottest functions. If no function matches, the hottest ones are
	 * disassembled. Borrowed.
	 */
	const struct str *code_of;
	size_t n_code_of;
	/*
	 * Store for each sample the row of its instruction in the listing of code
	 * (samples.code_row). This needs with_spots. More of the hottest functions are then
	 * disassembled, in addition to those of code_of. `without` must not have both SAMPLE_TIME
	 * and SAMPLE_CPU, because merged samples have no such row.
	 */
	bool with_code_rows;
	bool with_processes;  /* list the processes of merged samples (profile.processes) */
	bool with_sources;    /* put each line of the source before its instructions */
	bool without_callers; /* reduce stacks to the command and the sampled function */
};

/* A part of a document: whole lines of clean text. */
struct region {
	const struct document *doc;
	str_id path;
	struct str text;
	uint32_t first_line; /* number of the first line in the document's cleaned text, from 1 */
	/* number of lines in text; 0: not counted, because the file is large (see load.h) */
	uint32_t n_lines;
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
 * A claim of find(): bytes [from, to) of the text. Both offsets are starts of lines. Only foreign.c
 * sets @name, @declined and @is_head, because it covers several formats. The texts are constants.
 */
struct extent {
	size_t from;
	size_t to;
	unsigned int score; /* certainty, 0 to 100 */
	const char *name;   /* name of the format, such as "gprof" */
	/*
	 * description of the format, with the reason why it is not read: "a gprof flat profile: not
	 * read yet"
	 */
	const char *declined;
	/*
	 * The lines are only the head of a text. They are declined, unless the reader of the format
	 * @name claims the lines that follow.
	 */
	bool is_head;
};

struct format {
	const char *name;    /* name in kebab-case: "perf-report" */
	const char *title;   /* name for people; NULL: same as name */
	const char *summary; /* one line, no final dot */
	/* bits of enum capture_kind: all kinds of captures that the reader can make */
	unsigned int kinds;
	/* the reader takes the whole input as raw bytes; find may be NULL */
	bool is_binary;
	/* usual endings of file names, shown to people; NULL-terminated; may be NULL */
	const char *const *extensions;
	/*
	 * Certainty that the whole input has this format: 0 no, 50 possible, 90 sure. @head: the
	 * first bytes, up to 64 KiB, possibly cut inside a line.
	 */
	unsigned int (*probe)(struct str head);
	/*
	 * Find the next extent at or after @from that this format claims. False: no such extent.
	 * Extents are not empty: to > from. Cost: linear in the scanned text.
	 */
	bool (*find)(struct str text, size_t from, struct extent *ret);
	/*
	 * Read @in into one or more captures, and add them to @d (dossier_add) with format, path,
	 * first_line and last_line set. NULL: the format is recognised but not read. Errors:
	 * ERR_FORMAT if the region has nothing useful. After an error, captures that were added
	 * remain in @d.
	 */
	int (*read)(const struct region *in, struct dossier *d, struct error *err);
	/*
	 * Whether this format can hold capture @c. If not: ERR_UNSUPPORTED, with the reason.
	 * Formats that can be written have this function, and either write() or write_all(). Other
	 * formats have none of the three.
	 */
	int (*check)(const struct capture *c, struct error *err);
	/*
	 * Write one capture as text. Formats have this function if a file should hold only one
	 * capture: programs that read such a file add up all its weights.
	 */
	int (*write)(const struct capture *c, struct out *out, struct error *err);
	/* Write one document with any number of captures. Each capture keeps its unit. */
	int (*write_all)(const struct capture *const *captures, size_t n, struct out *out,
			 struct error *err);
	bool is_write_binary; /* the written file is binary */
	/*
	 * The file has at most one capture per event, because programs that read the file add up
	 * captures of the same event. The caller of write_all() must pass one capture per event.
	 */
	bool holds_one_of_event;
};

/* Number of lines in @text: newlines, plus one for a last line without a newline. */
uint32_t format_count_lines(struct str text);
/*
 * Add a capture to @d with the format, path and line range of @in. last_line is 0 if the lines of
 * the region are not counted. The result is borrowed.
 */
struct capture *format_add_capture(const struct format *f, const struct region *in,
				   struct dossier *d);

/*
 * Declares one format, for a file that uses this format. No header declares all formats, only
 * registry.c does. So only registry.c must be compiled again if a format is added.
 */
#define DECLARE_FORMAT(id) extern const struct format format_##id

#endif
