/* SPDX-License-Identifier: MIT */
/*
 * detect.h - split a document into regions, one for each format found
 *
 * Each format reports the next extent that it would claim. The earliest extent wins; one with a
 * higher score cuts those that it overlaps. Unclaimed text becomes a region without a format,
 * so that nothing is lost silently. Of a large file only the head is scanned if a sure region
 * reaches the end of the head: that region takes the rest of the file.
 *
 * Answers are cached until the position has passed them. A format that is asked too often about
 * the same bytes gets its old answer trimmed instead: the cost is linear in the text for each
 * format.
 */
#ifndef FORMATS_DETECT_H
#define FORMATS_DETECT_H

#include "base/str.h"
#include "base/vec.h"
#include "formats/format.h"

struct document;

#define DETECT_LARGE_BYTES (UINT64_C(8) << 20) /* larger files: a sure head decides the rest */
#define DETECT_HEAD_BYTES  65536u              /* input of probe() */
#define DETECT_SURE        90u

struct detected {
	const struct format *format; /* NULL: unclaimed */
	struct extent extent;
	uint32_t first_line; /* clean line number, from 1; 0 in binary documents */
	uint32_t n_lines;    /* 0: not counted (large file) or binary */
	uint32_t n_text;     /* non-blank lines; counted if format is NULL */
};

struct detection {
	VEC(struct detected) regions; /* in order, without gaps or overlap */
	uint32_t n_lines;             /* clean lines in total; 0: not counted */
	bool is_cut;                  /* LIMIT_REGIONS was reached: the rest is one region */
};

/*
 * Find the regions of @doc. Owner: caller, detection_fini(). Cost: linear in the text for each
 * format; for a large file with a sure head, its head.
 */
void detect(const struct document *doc, struct detection *ret);
/* All of @doc as one region of @format. */
void detect_as(const struct document *doc, const struct format *format, struct detection *ret);
void detection_fini(struct detection *d);
/* Lines of @text: newlines, plus one for a last line without a newline. */
uint32_t detect_count_lines(struct str text);
/* Format name of @r: "perf-report", "gprof"; NULL: unclaimed. */
const char *detected_name(const struct detected *r);

#endif
