/* SPDX-License-Identifier: MIT */
/*
 * detect.h - split a document into regions, one for each format found
 *
 * Each format reports the next extent that it would claim. The earliest extent wins. If an extent
 * with a higher score overlaps it, the earlier extent ends where the overlap begins. Unclaimed text
 * becomes a region without a format, so that nothing is lost silently. Of a large file only the
 * head is scanned, if the last region of the head is sure: that region takes the rest of the file.
 * If the last region of the head is not sure, it still takes the rest if its format gets samples of
 * the rest, too. Otherwise only formats that claim something in the head
 * or in a sample scan the whole file.
 *
 * Answers are cached until the position has passed them. A format that has scanned too many bytes
 * is not asked again while its old answer reaches past the position: the old answer is trimmed. So
 * the cost for each format is linear in the text.
 */
#ifndef FORMATS_DETECT_H
#define FORMATS_DETECT_H

#include "base/str.h"
#include "base/vec.h"
#include "formats/format.h"

struct document;

#define DETECT_LARGE_BYTES (UINT64_C(8) << 20) /* larger files are detected by their head */
#define DETECT_HEAD_BYTES  65536u              /* bytes that probe() sees */
#define DETECT_SURE        90u

struct detected {
	const struct format *format; /* NULL: unclaimed */
	struct extent extent;
	uint32_t first_line; /* clean line number, from 1; 0 in binary documents */
	uint32_t n_lines;    /* 0: not counted (large file) or binary */
	uint32_t n_text;     /* non-blank lines; counted if format is NULL */
};

struct detection {
	VEC(struct detected) regions; /* in order of the text, without gaps or overlap */
	uint32_t n_lines;             /* clean lines in total; 0: not counted */
	bool is_cut;                  /* LIMIT_REGIONS was reached: the rest is one region */
	bool is_sampled;              /* some formats scanned only the head and samples */
};

/*
 * Find the regions of @doc. Owner: caller, detection_fini(). Cost for each format: linear in the
 * text; in a large file, linear in the head and the samples for formats that are not in them, and
 * for all formats if the last region of the head is sure.
 */
void detect(const struct document *doc, struct detection *ret);
/* Make all of @doc one region of @format. */
void detect_as(const struct document *doc, const struct format *format, struct detection *ret);
void detection_fini(struct detection *d);
/* Number of lines in @text: newlines, plus one for a last line without a newline. */
uint32_t detect_count_lines(struct str text);
/* Format name of @r: "perf-report", "gprof"; NULL: unclaimed. */
const char *detected_name(const struct detected *r);

#endif
