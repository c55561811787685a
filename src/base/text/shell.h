/* SPDX-License-Identifier: MIT */
/*
 * shell.h - words of a command line as a POSIX shell reads them back (POSIX.1-2017, XCU 2.2)
 */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/str.h"

#include <stdbool.h>

struct out;

/* Whether @c has no meaning for a shell: letters, digits and "_.,:@%+/=-". */
bool shell_is_plain(char c);
/*
 * Append @word as one word, in single quotes if @is_quoted or if it is empty or has a character
 * that is not plain. Other bytes stay as they are.
 */
void shell_word(struct out *o, struct str word, bool is_quoted);

#endif
