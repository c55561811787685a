/* SPDX-License-Identifier: MIT */
/*
 * capsule_source.h - the source lines of the functions that findings and hot samples name
 *
 * The file of a function is as debug information names it, often a path of the machine that built
 * the program. It is looked for below a folder that the user names: first by the whole path, then
 * by ever fewer of its last components.
 */
#ifndef CMDS_CAPSULE_SOURCE_H
#define CMDS_CAPSULE_SOURCE_H

#include <stddef.h>

struct capsule_box;
struct dossier;
struct findings;

/*
 * Add members "source/NAME" to @box, with the lines of functions from files below the folder @dir.
 * Returns the number of members.
 */
size_t capsule_source_add(const struct dossier *d, const struct findings *f, const char *dir,
			  struct capsule_box *box);

#endif
