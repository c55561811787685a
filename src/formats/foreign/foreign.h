/* SPDX-License-Identifier: MIT */
/*
 * foreign.h - formats that assay recognises but does not read yet
 *
 * foreign.tsv lists the kinds of formats, and patterns of their lines. A line that matches a
 * pattern gives points to one kind. A stretch is a run of lines with points for the same kind. A
 * stretch with FOREIGN_THRESHOLD points is claimed. When assay gets a reader for a kind, the rows
 * of this kind are removed from foreign.tsv.
 */
#ifndef FORMATS_FOREIGN_H
#define FORMATS_FOREIGN_H

#include "base/str.h"

#define FOREIGN_THRESHOLD 60u
#define FOREIGN_SURE      100u /* points of a line that only one tool prints */

/* value of foreign_mark.kind: matching lines are of a format that a reader of assay reads */
#define FOREIGN_NONE      0u
#define FOREIGN_MAX_KINDS 64u

struct foreign_kind {
	const char *name;
	/* description of the input, with a reason: "a gprof profile: not read yet" */
	const char *declined;
	/* maximum number of consecutive lines without a match inside a run of matching lines */
	uint8_t gap;
	uint8_t cap; /* maximum score of a run of matching lines, 60 to 100 */
	/*
	 * The lines of this kind are only the head of a text, above a table. If assay has a reader
	 * with the name of this kind, the reader reads the table.
	 */
	bool is_head;
};

struct foreign_mark {
	uint8_t kind; /* kind of format, an index of foreign_kinds */
	/*
	 * points of a matching line; 0: the line continues a run of matching lines, but never
	 * starts a run
	 */
	uint8_t points;
	const char *pattern;
};

/* A format of JSON profiles. A document has this format if all these keys are near its start. */
struct foreign_json {
	/* the keys as they appear in the text, with quotes; NULL: end of the list */
	const char *keys[3];
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
 * Whether the start of @line matches @pattern. @line has no blanks at its start and end. Characters
 * of a pattern:
 *   space  one or more blanks      ~  any number of blanks
 *   #      a decimal number        $  a hex number, with or without 0x
 *   ?      a letter or '_'         @  one or more non-blank characters
 *   *      anything                &  the end of the line
 *   \c     the character c         all other characters match themselves
 * The number of steps is limited. A line that needs more steps does not match.
 */
bool foreign_match(const char *pattern, struct str line);

#endif
