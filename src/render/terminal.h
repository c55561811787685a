/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - what standard output is, and the pager in front of it
 */
#ifndef RENDER_TERMINAL_H
#define RENDER_TERMINAL_H

#include "render/view.h"

#include <sys/types.h>

enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * How to write text to @fd: width from the terminal (COLUMNS first), 0 when it
 * is none; colour on a terminal unless NO_COLOR or TERM=dumb say no; UTF-8 as
 * the locale says. setlocale() must have been called.
 */
struct text_options terminal_options(int fd, enum terminal_colour colour);

struct pager {
	pid_t pid; /* 0: none; negative: another process waits for it */
	int fd;    /* where to write; the caller's descriptor when there is no pager */
};

/*
 * Start $ASSAY_PAGER, $PAGER or `less` (with LESS=FRX unless set) when @fd is a
 * terminal; "cat" or an empty word is none. Not being able to is no error.
 */
struct pager pager_start(int fd);
/* Close it and wait until the reader has left. */
void pager_finish(struct pager *p);

#endif
