/* SPDX-License-Identifier: MIT */
/* capsule_cut.h - a text without the captures that no finding uses */
#ifndef CMDS_CAPSULE_CUT_H
#define CMDS_CAPSULE_CUT_H

#include "base/str.h"

struct arena;
struct document;
struct dossier_input;
struct findings;

/*
 * The text of @doc, the document of input @in, without the lines of captures that no finding names.
 * Lines that a finding cites stay, and so does the text around captures, which explains them. The
 * result is allocated in @arena.
 */
struct str capsule_cut(const struct findings *f, const struct dossier_input *in,
		       const struct document *doc, struct arena *arena);

#endif
