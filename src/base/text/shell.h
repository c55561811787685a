/* SPDX-License-Identifier: MIT */
/* shell.h - quote words so that a POSIX shell reads them back unchanged (POSIX.1-2017, XCU 2.2) */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/str.h"

#include <stdbool.h>

struct out;

/* Whether @c has no special meaning in a shell: letters, digits and "_.,:@%+/=-". */
bool shell_is_plain(char c);
/*
 * Append @word so that a shell reads it as one word. Single quotes are added if @is_quoted is set,
 * if @word is empty, or if a character of it is not plain (shell_is_plain()).
 */
void shell_word(struct out *o, struct str word, bool is_quoted);

#endif
