/* SPDX-License-Identifier: MIT */
/*
 * standard.h - make sure that standard input, output and error are open
 *
 * If one is closed, the next opened file would take its number: a message would end up in a
 * page, and a recording on standard output.
 */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>

/*
 * Call first in main(). Opens /dev/null for each closed descriptor, in the opposite direction,
 * so that reads and writes fail as on a closed one. False: it cannot be opened.
 */
bool standard_open(void);

#endif
