/* SPDX-License-Identifier: MIT */
/* evidence.h - read the lines of the inputs that findings cite */
#ifndef CMDS_EVIDENCE_H
#define CMDS_EVIDENCE_H

#include <stdint.h>

struct dossier;
struct findings;

#define EVIDENCE_INPUT_BYTES (UINT64_C(1) << 28) /* maximum size of an input that is read again */
#define EVIDENCE_LINE_BYTES  512u                /* maximum length of a quoted line */

/*
 * Quote the input: replace the summary of each piece of evidence in @f by the cited line. The
 * summary stays if the input cannot be read again (standard input), has more than
 * EVIDENCE_INPUT_BYTES, or has no readable lines (binary, base64, UTF-16). The quoted lines are
 * allocated in the arena of @f. Cost: one pass over each cited input up to its last cited line.
 */
void evidence_quote(const struct dossier *d, struct findings *f);

#endif
