/* SPDX-License-Identifier: MIT */
/*
 * standard.h - make sure that standard input, output and error are open
 *
 * If one of them is closed, the next opened file takes its number. An error message would then be
 * written into an HTML page, or a recording to standard output.
 */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>

/*
 * Call first in main(). Opens /dev/null for each closed descriptor: standard input for writing, the
 * others for reading, so that reads and writes fail as on a closed descriptor. False: /dev/null
 * cannot be opened.
 */
bool standard_open(void);

#endif
