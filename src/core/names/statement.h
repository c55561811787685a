/* SPDX-License-Identifier: MIT */
/*
 * statement.h - statements of databases without their literals, so that equal ones meet
 *
 * Strings and numbers become '?', as do parameters ($1) and lists of them. Comments are dropped.
 */
#ifndef CORE_STATEMENT_H
#define CORE_STATEMENT_H

#include "base/str.h"

#define STATEMENT_BYTES 480u /* of the longest shape */

enum statement_language {
	STATEMENT_SQL,        /* strings in '' */
	STATEMENT_SQL_QUOTES, /* strings in '' and in "", as MySQL takes them */
	STATEMENT_JSON,       /* strings in "" are keys before ':', literals elsewhere */
};

/*
 * Append the shape of @text to the @n bytes in @buffer, each run of blanks as one, until @buffer
 * holds @most bytes (at most STATEMENT_BYTES). Returns the bytes in @buffer.
 * Cost: O(bytes of @text).
 */
size_t statement_shape(struct str text, enum statement_language language,
		       char buffer[STATEMENT_BYTES], size_t n, size_t most);

#endif
