/* SPDX-License-Identifier: MIT */
/*
 * outputs.h - recognise files that assay wrote earlier
 *
 * Without --force, -o replaces only a file that assay wrote, and only with output of the same kind.
 * The first bytes of the file decide. The checking process has all rights, and the file may be from
 * a stranger: it must not parse more than these bytes.
 */
#ifndef CMDS_RUN_OUTPUTS_H
#define CMDS_RUN_OUTPUTS_H

#include "base/newfile.h"

extern const struct newfile_kind output_text; /* a page of text */
extern const struct newfile_kind output_csv;
/* output of a command with --json, SARIF, or JSON for a viewer such as speedscope */
extern const struct newfile_kind output_json;
extern const struct newfile_kind output_svg;
extern const struct newfile_kind output_html;
extern const struct newfile_kind output_capsule;

/* The kind of file that the option --to=@format of `convert` writes. */
const struct newfile_kind *output_kind_of(const char *format);

#endif
