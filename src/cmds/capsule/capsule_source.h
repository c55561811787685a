/* SPDX-License-Identifier: MIT */
/*
 * capsule_source.h - add source lines of hot functions and of functions that findings name
 *
 * Debug information gives the file of a function. This is often a path on the machine that built
 * the program. So the file is searched below a folder that the user names: first with its whole
 * path, then with fewer and fewer of the last components.
 */
#ifndef CMDS_CAPSULE_SOURCE_H
#define CMDS_CAPSULE_SOURCE_H

#include <stddef.h>

struct capsule_box;
struct dossier;
struct findings;

/*
 * Add members "source/NAME" to @box. Each has the lines of the functions of one file, which was
 * found below the folder @dir. Returns the number of members.
 */
size_t capsule_source_add(const struct dossier *d, const struct findings *f, const char *dir,
			  struct capsule_box *box);

#endif
