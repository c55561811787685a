/* SPDX-License-Identifier: MIT */
/*
 * detect.h - split a document into regions, one for each format found
 *
 * Each format reports the next extent that it would claim. The earliest extent wins. If an extent
 * with a higher score overlaps it, the earlier extent ends where the overlap begins. Unclaimed text
 * becomes a region without a format, so that nothing is lost silently.
 *
 * If possible, only the head of a large file (more than DETECT_LARGE_BYTES) is scanned. If the
 * score of the last region of the head is at least DETECT_SURE, this region is extended to the end
 * of the file. A region with a lower score is extended, too, if samples of the rest have the same
 * format. Otherwise the whole file is scanned, but only by the formats that claim something in the
 * head or in a sample.
 *
 * The next extent of each format is cached until the scan position has passed its start. Then the
 * format is asked for another extent. A format that has already scanned too many bytes is not asked
 * while its cached extent still ends after the position: the cached extent is shortened to begin at
 * the position. So the cost for each format is linear in the text.
 */
#ifndef FORMATS_DETECT_H
#define FORMATS_DETECT_H

#include "base/vec.h"
#include "formats/format.h"

struct document;

/* if possible, only the head of a file larger than this is scanned */
#define DETECT_LARGE_BYTES (UINT64_C(8) << 20)
#define DETECT_HEAD_BYTES  65536u /* size of the head that is passed to probe() */
#define DETECT_SURE        90u

struct detected {
	const struct format *format; /* format that claims the region; NULL: unclaimed */
	struct extent extent;
	uint32_t first_line; /* first line in the cleaned text, from 1; 0: binary */
	/* number of lines; 0: not counted, as in large files and binary inputs */
	uint32_t n_lines;
	uint32_t n_text; /* non-blank lines; counted if format is NULL */
};

struct detection {
	/* the regions in the order of the text; together they cover all of it, without overlaps */
	VEC(struct detected) regions;
	uint32_t n_lines; /* lines of the cleaned text in total; 0: not counted */
	/* LIMIT_REGIONS was reached: the last region is the rest of the text */
	bool is_cut;
	bool is_sampled; /* some formats scanned only the head and samples */
};

/*
 * Find the regions of @doc. Owner: caller, detection_fini(). Cost for each format: linear in the
 * text. In a large file, a format scans the rest only if it claims something in the head or in the
 * samples. If the head determines the format, no format scans the rest.
 */
void detect(const struct document *doc, struct detection *ret);
/* Make all of @doc one region of @format. */
void detect_as(const struct document *doc, const struct format *format, struct detection *ret);
void detection_fini(struct detection *d);
/* Format name of @r: "perf-report", "gprof"; NULL: unclaimed. */
const char *detected_name(const struct detected *r);

#endif
