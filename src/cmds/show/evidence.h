/* SPDX-License-Identifier: MIT */
/*
 * evidence.h - the lines of the original inputs that findings cite
 */
#ifndef CMDS_EVIDENCE_H
#define CMDS_EVIDENCE_H

#include <stdint.h>

struct dossier;
struct findings;

#define EVIDENCE_INPUT_BYTES (UINT64_C(1) << 28) /* most bytes of an input that is read again */
#define EVIDENCE_LINE_BYTES  512u                /* most bytes of a quoted line */

/*
 * Replace the summary of each piece of evidence by the cited line of the input. The summary stays
 * if the input cannot be read again (standard input) or its lines are not text (base64). Texts live
 * in the arena of @f. Cost: one pass over each cited input up to its last cited line.
 */
void evidence_quote(const struct dossier *d, struct findings *f);

#endif
