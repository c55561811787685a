/* SPDX-License-Identifier: MIT */
/* capsule_cut.h - an input without the captures on which no finding rests */
#ifndef CMDS_CAPSULE_CUT_H
#define CMDS_CAPSULE_CUT_H

#include "base/str.h"

struct arena;
struct document;
struct dossier_input;
struct findings;

/*
 * The text @doc, the input @in, without the lines of captures that have no finding. The text
 * around captures stays, because it says what they are. Memory is of @arena.
 */
struct str capsule_cut(const struct findings *f, const struct dossier_input *in,
		       const struct document *doc, struct arena *arena);

#endif
