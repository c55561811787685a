/* SPDX-License-Identifier: MIT */
/*
 * front.h - the parts of the front page, for `assay FILE...` and `assay brief`
 */
#ifndef CMDS_FRONT_H
#define CMDS_FRONT_H

struct show;

/*
 * Emit title, findings, captures, waits and the rest of the inputs. Captures that cannot be shown
 * are reported. Returns the exit status.
 */
int front_parts(struct show *s);

#endif
