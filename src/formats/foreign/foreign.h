/* SPDX-License-Identifier: MIT */
/*
 * foreign.h - formats that assay recognises but does not read yet
 *
 * foreign.tsv lists the kinds of formats, and patterns of their lines. A line that matches a
 * pattern gives points to one kind. A stretch is a run of lines with points for the same kind. A
 * stretch with FOREIGN_THRESHOLD points is claimed. When assay gets a reader for a kind, its
 * entries are removed from foreign.tsv.
 */
#ifndef FORMATS_FOREIGN_H
#define FORMATS_FOREIGN_H

#include "base/str.h"

#define FOREIGN_THRESHOLD 60u
#define FOREIGN_SURE      100u /* points of a line that only one tool prints */

/* value of foreign_mark.kind for lines that a reader of assay can read */
#define FOREIGN_NONE      0u
#define FOREIGN_MAX_KINDS 64u

struct foreign_kind {
	const char *name;
	/* what the input is, and that it is not read: "a gprof profile: not read yet" */
	const char *declined;
	/*
	 * a run of matching lines ends after more than this number of consecutive lines without a
	 * match
	 */
	uint8_t gap;
	uint8_t cap;  /* maximum score of a run of matching lines, 0 to 100 */
	bool is_head; /* the lines are the head of a text whose table has a reader of this name */
};

struct foreign_mark {
	uint8_t kind; /* index of foreign_kinds */
	/*
	 * points of a matching line; 0: the line continues a run of matching lines, but never
	 * starts one
	 */
	uint8_t points;
	const char *pattern;
};

/* A format of JSON profiles: a document has all these keys near its start. */
struct foreign_json {
	const char *keys[3]; /* as in the text, with quotes; NULL: end of the list */
	const char *name;
	const char *declined;
};

extern const struct foreign_json foreign_json_kinds[];
extern const size_t foreign_n_json;
extern const struct foreign_kind foreign_kinds[];
extern const size_t foreign_n_kinds;
extern const struct foreign_mark foreign_marks[];
extern const size_t foreign_n_marks;

/*
 * Whether @line, which has no blanks around it, starts with text that @pattern matches:
 *   space  one or more blanks      ~  any number of blanks
 *   #      a decimal number        $  a hex number, with or without 0x
 *   ?      a letter or '_'         @  one or more non-blank characters
 *   *      anything                &  the end of the line
 *   \c     the character c         all other characters match themselves
 * Cost: a limited number of steps. After the last one, the result is false.
 */
bool foreign_match(const char *pattern, struct str line);

#endif
