/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - recognise earlier outputs of assay
 *
 * Without --force, -o replaces only an earlier output of the same kind. The kind is recognised from
 * the first bytes alone. More must not be read, because the checking process has all rights and the
 * file may be from a stranger.
 */
#ifndef CMDS_OUTPUTS_H
#define CMDS_OUTPUTS_H

#include "base/newfile.h"

extern const struct newfile_kind output_text; /* a page of text */
extern const struct newfile_kind output_csv;
/* output of a command with --json, a viewer's format, or SARIF */
extern const struct newfile_kind output_json;
extern const struct newfile_kind output_svg;
extern const struct newfile_kind output_html;
extern const struct newfile_kind output_capsule;

/* The kind of file that `convert --to` @format writes. */
const struct newfile_kind *output_kind_of(const char *format);

#endif
