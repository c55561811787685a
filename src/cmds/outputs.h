/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - how assay knows a file again that it wrote before
 *
 * -o replaces an earlier output of the same kind without a word, and nothing else
 * without --force. A kind is told by the first bytes alone: the process that looks has
 * all rights, and the file may be anybody's.
 */
#ifndef CMDS_OUTPUTS_H
#define CMDS_OUTPUTS_H

#include "base/newfile.h"

extern const struct newfile_kind output_text; /* a page for people */
extern const struct newfile_kind output_csv;
extern const struct newfile_kind output_json; /* of a command or for a viewer, SARIF */
extern const struct newfile_kind output_svg;
extern const struct newfile_kind output_html;

/* What `convert --to` @format writes; format names as of convert. */
const struct newfile_kind *output_kind_of(const char *format);

#endif
