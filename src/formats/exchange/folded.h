/* SPDX-License-Identifier: MIT */
/* folded.h - grammar of folded stacks, for the reader and the writer */
#ifndef FORMATS_FOLDED_H
#define FORMATS_FOLDED_H

#include "base/str.h"
#include "formats/format.h"

struct capture;
struct error;
struct out;

#define FOLDED_DECIMALS 9u /* maximum number of decimals of a count; further digits are dropped */

/* A count: value / 10^decimals. */
struct folded_count {
	uint64_t value;
	unsigned int decimals;
	bool is_cut; /* dropped digits were not all 0 */
};

/* A line `frames count` or `frames count count`. */
struct folded_line {
	struct str frames;
	struct folded_count counts[2];
};

/* Whether the line is a comment, "# …" or "// …", or empty. */
bool folded_is_comment(struct str line);
/*
 * Split a line into its frames and the @n_counts counts (one or two) at its end. False: the line
 * has fewer counts.
 */
bool folded_split(struct str line, unsigned int n_counts, struct folded_line *ret);
/*
 * Offset of the ';' after the frame that starts at offset @at. frames.len: the frame is the last
 * one. Names in Java may also contain ';': `LFoo;::bar`, `a(Ljava/lang/String;I)V`.
 */
size_t folded_frame_end(struct str frames, size_t at);
/*
 * Number of counts on each line: 2 if 90 % of the first lines have two counts, as difffolded.pl
 * writes them; otherwise 1.
 */
unsigned int folded_n_counts(struct str text);

/*
 * Whether @frame is a function at which stacks start, such as main. Such a frame is not a command.
 */
bool folded_is_entry(struct str frame);

unsigned int folded_probe(struct str head);
bool folded_find(struct str text, size_t from, struct extent *ret);
int folded_write(const struct capture *c, struct out *out, struct error *err);

#endif
