/* SPDX-License-Identifier: MIT */
/*
 * detect.h - cut a document into regions: what is where
 *
 * Every format is asked for the next stretch it would claim; the earliest wins,
 * and one that is surer cuts those it overlaps. What nobody claims becomes a
 * region without a format, so that nothing is lost silently. A large file whose
 * head is sure is one region and is not scanned.
 *
 * Every answer is kept until the place in the text has passed it, and a format
 * that is asked too often about the same bytes has its old answer trimmed
 * instead: the cost is linear in the text for each format.
 */
#ifndef FORMATS_DETECT_H
#define FORMATS_DETECT_H

#include "formats/format.h"

#define DETECT_LARGE_BYTES (UINT64_C(8) << 20) /* beyond: believe a sure head */
#define DETECT_HEAD_BYTES  65536u              /* what probe() is shown */
#define DETECT_SURE        90u

struct detected {
	const struct format *format; /* NULL: nobody claims it */
	struct extent extent;
	uint32_t first_line; /* clean line number, from 1; 0 in binary documents */
	uint32_t n_lines;    /* 0: not counted (a large file) or binary */
	uint32_t n_text;     /* lines that are not blank; counted where format is NULL */
};

struct detection {
	VEC(struct detected) regions; /* in order, without gaps or overlap */
	uint32_t n_lines;             /* clean lines in all; 0: not counted */
	bool is_cut;                  /* LIMIT_REGIONS was met: the rest is one region */
};

/*
 * Find the regions of @doc.
 * Owner: caller, detection_fini().
 * Cost: linear in the text for each format; a large sure file costs its head.
 */
void detect(const struct document *doc, struct detection *ret);
/* The whole of @doc as one region of @format. */
void detect_as(const struct document *doc, const struct format *format, struct detection *ret);
void detection_fini(struct detection *d);
/* Lines of @text: newlines, and one more for a last line without. */
uint32_t detect_count_lines(struct str text);
/* The name under which @r is known: "perf-report", "gprof"; NULL for none. */
const char *detected_name(const struct detected *r);

#endif
