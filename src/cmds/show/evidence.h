/* SPDX-License-Identifier: MIT */
/*
 * evidence.h - the lines of the original inputs that findings cite
 */
#ifndef CMDS_EVIDENCE_H
#define CMDS_EVIDENCE_H

#include <stdint.h>

struct dossier;
struct findings;

#define EVIDENCE_INPUT_BYTES (UINT64_C(1) << 28) /* larger inputs are not read again */
#define EVIDENCE_LINE_BYTES  512u                /* a longer line is cut here */

/*
 * Replace the gist of each evidence by the line itself, where the input is a file
 * that can be read again and whose lines are text (not base64, not on standard
 * input). Elsewhere the gist stays. Texts live in the arena of @f.
 * Cost: one pass over each cited input up to its last cited line.
 */
void evidence_quote(const struct dossier *d, struct findings *f);

#endif
