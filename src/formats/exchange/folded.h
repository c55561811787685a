/* SPDX-License-Identifier: MIT */
/*
 * folded.h - the grammar of folded stacks, shared by reader, detection, writer
 */
#ifndef FORMATS_FOLDED_H
#define FORMATS_FOLDED_H

#include "formats/format.h"

#define FOLDED_DECIMALS 9u /* of a count; further digits are cut */

/* A count as printed: value units of 10^-decimals. */
struct folded_count {
	uint64_t value;
	unsigned int decimals;
	bool is_cut; /* more than FOLDED_DECIMALS digits that are not zero */
};

/* `frames count` or `frames count count`, without line end. */
struct folded_line {
	struct str frames;
	struct folded_count counts[2];
};

/* Comments of austin, async-profiler, people: "# …", "// …"; empty lines too. */
bool folded_is_comment(struct str line);
/* Take one count (@n_counts 1) or two from the end. False: no such line. */
bool folded_split(struct str line, unsigned int n_counts, struct folded_line *ret);
/*
 * The end of the frame that starts at @at: the place of its ';', or frames.len.
 * A Java class name brings its own: `LFoo;::bar`, `a(Ljava/lang/String;I)V`.
 */
size_t folded_frame_end(struct str frames, size_t at);
/* 2 when the lines at the head of @text have two counts (difffolded), else 1. */
unsigned int folded_n_counts(struct str text);

unsigned int folded_probe(struct str head);
bool folded_find(struct str text, size_t from, struct extent *ret);
int folded_write(const struct capture *c, struct out *out, struct error *err);

#endif
