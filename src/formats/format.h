/* SPDX-License-Identifier: MIT */
/*
 * format.h - what a capture format must provide
 *
 * One file `<name>.c` that defines `const struct format format_<name>`, and one
 * name in src/formats/meson.build: tables, help and fuzz targets come from that
 * list.
 *
 * Detection has no priorities. A document is cut into regions by asking every
 * format for the stretches it would claim (`find`); the earliest wins, among
 * those that overlap the surest. A large file whose head is sure (`probe` >= 90)
 * is one region and is not scanned.
 *
 * A reader survives anything: it skips what it cannot read, counts it in the
 * capture's diag, and fails only when nothing useful could be had. It never
 * prints. Text is mapped, not NUL-terminated, and every byte is hostile.
 */
#ifndef FORMATS_FORMAT_H
#define FORMATS_FORMAT_H

#include "base/out.h"
#include "core/dossier.h"
#include "document/document.h"

/* What tells samples of one stack apart, each a column of struct samples. */
enum sample_column {
	SAMPLE_TIME = 1 << 0,
	SAMPLE_CPU = 1 << 1,
	SAMPLE_THREAD = 1 << 2, /* pid and tid; the command stands in the stack */
};

/* What the reader may leave out because nobody will ask for it. */
struct read_options {
	/*
	 * enum sample_column: a reader of many samples adds those up that agree in
	 * all else (samples.count), so that memory follows the number of stacks.
	 */
	unsigned int without;
	/* Fields are wanted of switches and wake-ups of threads alone, with all their columns. */
	bool is_for_switches;
	bool without_callers; /* stacks are the command and the sampled function alone */
};

/* A stretch of a document: whole lines of clean text. */
struct region {
	const struct document *doc;
	str_id path;
	struct str text;
	uint32_t first_line;      /* clean line number of its first line, from 1 */
	uint32_t n_lines;         /* lines of text; 0: not counted (a large file), see load.h */
	const struct str *fields; /* of samples that are wanted by name, e.g. prev_comm, trace */
	size_t n_fields;
	struct read_options options;
};

/* Original line of the line number @n of the region, counted from 0. */
static inline uint32_t region_line(const struct region *in, uint32_t n)
{
	return document_line(in->doc, in->first_line + n);
}

/*
 * What find() claims: bytes [from, to) of the text, at line starts. @name and
 * @declined stay NULL, save in a format that stands for several (foreign.c):
 * there they are constant texts that say which it is and why it is not read.
 */
struct extent {
	size_t from;
	size_t to;
	unsigned int score;   /* how sure, 0 to 100 */
	const char *name;     /* "gprof" */
	const char *declined; /* "a gprof flat profile: not read yet" */
};

struct format {
	const char *name;              /* kebab-case: "perf-report" */
	const char *summary;           /* one line, no final dot */
	unsigned int kinds;            /* enum capture_kind that it may yield */
	bool is_binary;                /* wants raw bytes: the whole input; find may be NULL */
	const char *const *extensions; /* hints for people, NULL-terminated; may be NULL */
	/*
	 * How sure that the whole input is this format, from its first bytes (up to
	 * 64 KiB, maybe cut inside a line): 0 no, 50 could be, 90 sure.
	 */
	unsigned int (*probe)(struct str head);
	/*
	 * The next stretch at or behind @from that this format claims. False: none.
	 * It must move forward: to > from. Cost: linear in what it passes over.
	 */
	bool (*find)(struct str text, size_t from, struct extent *ret);
	/*
	 * Read @in into one or more captures of @d (dossier_add), with format, path,
	 * first_line and last_line set. NULL: recognised, not read yet.
	 * Errors: ERR_FORMAT when nothing useful was in it; captures that were
	 * added stay with what they have.
	 */
	int (*read)(const struct region *in, struct dossier *d, struct error *err);
	/*
	 * Whether a capture can be written in this format: ERR_UNSUPPORTED with a sentence
	 * if not. Set with one of the two below; all NULL: nothing can.
	 */
	int (*check)(const struct capture *c, struct error *err);
	/* A text has no place for more than one capture: their weights would be added up. */
	int (*write)(const struct capture *c, struct out *out, struct error *err);
	/* A document of any number of captures, each with its unit. */
	int (*write_all)(const struct capture *const *captures, size_t n, struct out *out,
			 struct error *err);
	bool is_write_binary; /* what write_all() makes is no text */
	/* Who reads such a file adds up all captures of one event in it: it gets one of each. */
	bool holds_one_of_event;
};

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct format *const formats[];

/* The format named @name, or NULL. */
const struct format *format_find(struct str name);
/*
 * A capture of @d with format, path and line range of @in set; last_line stays 0
 * for a region whose lines are not counted. Borrowed.
 */
struct capture *format_add_capture(const struct format *f, const struct region *in,
				   struct dossier *d);

/* clang-format off */
#define FORMAT(id) extern const struct format format_##id;
#include "formats.def"
#undef FORMAT
/* clang-format on */

#endif
