/* SPDX-License-Identifier: MIT */
/*
 * statement.h - database statements without their literals, so that equal statements compare equal
 *
 * The shape of a statement is its text without literals. Strings, numbers, parameters ($1) and
 * lists of them become '?'. Comments are dropped.
 */
#ifndef CORE_STATEMENT_H
#define CORE_STATEMENT_H

#include "base/str.h"

#define STATEMENT_BYTES 480u /* length of the longest shape */

enum statement_language {
	STATEMENT_SQL,        /* strings in '' */
	STATEMENT_SQL_QUOTES, /* strings in '' and in "", as in MySQL */
	STATEMENT_JSON,       /* strings in "", which are keys before ':' and literals elsewhere */
};

/*
 * Append the shape of @text to @buffer, which holds @n bytes. Runs of blanks become one blank. The
 * result is truncated to @most bytes (at most STATEMENT_BYTES). Returns the length of the contents
 * of @buffer. Cost: O(bytes of @text).
 */
size_t statement_shape(struct str text, enum statement_language language,
		       char buffer[STATEMENT_BYTES], size_t n, size_t most);

#endif
