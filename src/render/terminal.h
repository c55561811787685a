/* SPDX-License-Identifier: MIT */
/* terminal.h - properties of standard output, and the pager */
#ifndef RENDER_TERMINAL_H
#define RENDER_TERMINAL_H

#include "render/view.h"

#include <sys/types.h>

enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * The width of the terminal at which a person reads a pipe: that of standard error. 0: @fd is no
 * pipe, or nobody watches.
 */
unsigned int terminal_pipe_columns(int fd);
/*
 * Text options for @fd. Width: COLUMNS, else the terminal's width, else 0 (no terminal).
 * Colour with COLOUR_AUTO: on a terminal, unless NO_COLOR is set, or TERM is unset or "dumb".
 * UTF-8: by locale; call setlocale() before.
 */
struct text_options terminal_options(int fd, enum terminal_colour colour);

struct pager {
	/* process of the pager; 0: no pager; negative: another process waits for the pager */
	pid_t pid;
	int fd; /* descriptor for output; without a pager, the descriptor that the caller passed */
};

/*
 * If @fd is a terminal, start $ASSAY_PAGER, $PAGER or `less` (with LESS=FRX unless LESS is set).
 * "cat" or an empty value means no pager. A pager that fails to start is no error.
 */
struct pager pager_start(int fd);
/* Close the pipe and wait for the pager to end. */
void pager_finish(struct pager *p);

#endif
