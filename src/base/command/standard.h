/* SPDX-License-Identifier: MIT */
/*
 * standard.h - make sure that standard input, output and error are open
 *
 * If standard input, output or error is closed, the next opened file gets its number. assay could
 * then write an error message into an HTML page, or a recording to standard output.
 */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>

/*
 * Call this first in main(). Opens /dev/null for each closed standard descriptor: for writing as
 * standard input, for reading as standard output or error. Reads and writes then fail, as they do
 * on a closed descriptor. False: /dev/null cannot be opened.
 */
bool standard_open(void);

#endif
