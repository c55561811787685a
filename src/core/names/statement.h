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
	/* strings in ""; such a string is a key if ':' follows, otherwise a literal */
	STATEMENT_JSON,
};

/*
 * Append the shape of @text to @buffer, which already holds @n bytes. Runs of blanks become one
 * blank. @buffer then holds at most @most bytes (<= STATEMENT_BYTES). Returns the number of bytes
 * in @buffer. Cost: O(bytes of @text).
 */
size_t statement_shape(struct str text, enum statement_language language,
		       char buffer[STATEMENT_BYTES], size_t n, size_t most);

#endif
