/* SPDX-License-Identifier: MIT */
/* show_annotate.h - one function by source line and instruction */
#ifndef CMDS_SHOW_ANNOTATE_H
#define CMDS_SHOW_ANNOTATE_H

#include <stdbool.h>

struct capture;
struct code_function;
struct show;

/*
 * Show @f, a function of the listing of @c (capture.code, else capture.instructions), as an element
 * of a list. @is_whole: all rows; otherwise text has only hot rows and those around them. JSON and
 * CSV always have all rows.
 */
void show_annotate(struct show *s, const struct capture *c, const struct code_function *f,
		   bool is_whole);

#endif
