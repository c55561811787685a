/* SPDX-License-Identifier: MIT */
/* front.h - the page of `assay FILE...`, also used by `assay brief` */
#ifndef CMDS_RUN_FRONT_H
#define CMDS_RUN_FRONT_H

struct show;

/*
 * Write title, findings, captures, waits and the rest of the page into the view. Captures that
 * cannot be shown are reported on stderr. Returns the exit status.
 */
int front_parts(struct show *s);

#endif
