/* SPDX-License-Identifier: MIT */
/*
 * capsule_source.h - add source lines of hot functions and of functions that findings name
 *
 * Debug information gives the source file of a function, often as a path on the machine that built
 * the program. So the file is searched below a folder that the user names. The whole path is tried
 * first, then the path without its first component, and so on.
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
