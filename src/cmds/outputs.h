/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - recognise earlier outputs of assay
 *
 * -o replaces an earlier output of the same kind silently, and other files only with --force.
 * The kind is recognised from the first bytes alone: the checking process has all rights, and
 * the file may be anybody's.
 */
#ifndef CMDS_OUTPUTS_H
#define CMDS_OUTPUTS_H

#include "base/newfile.h"

extern const struct newfile_kind output_text; /* a text page */
extern const struct newfile_kind output_csv;
extern const struct newfile_kind output_json; /* of a command or viewer format; or SARIF */
extern const struct newfile_kind output_svg;
extern const struct newfile_kind output_html;

/* The kind written by `convert --to` @format; format names as for convert. */
const struct newfile_kind *output_kind_of(const char *format);

#endif
