/* SPDX-License-Identifier: MIT */
/*
 * standard.h - standard input, output and error, open whatever started the program
 *
 * Where one of them is closed, the next file that is opened would take its place: a
 * sentence for people would end up in a page, and a recording on standard output.
 */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>

/*
 * First of all in main(): what is closed is opened on /dev/null, in the direction in
 * which nobody uses it, so that to read or write it fails as if it were closed. False:
 * it cannot be opened.
 */
bool standard_open(void);

#endif
