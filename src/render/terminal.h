/* SPDX-License-Identifier: MIT */
/* terminal.h - properties of standard output, and the pager */
#ifndef RENDER_TERMINAL_H
#define RENDER_TERMINAL_H

#include "render/view.h"

#include <sys/types.h>

enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * The width for output to a pipe, which a person probably reads on the terminal of standard error:
 * the width of that terminal. 0: @fd is no pipe, or standard error is no terminal.
 */
unsigned int terminal_pipe_columns(int fd);
/*
 * Text options for @fd. The width is 0, unless @fd is a terminal or $COLUMNS is set. Then it is
 * $COLUMNS, else the width of the terminal, else 80, within limits. COLOUR_AUTO means colour on a
 * terminal, unless NO_COLOR is set, or TERM is unset or "dumb". The locale decides about UTF-8, so
 * call setlocale() before.
 */
struct text_options terminal_options(int fd, enum terminal_colour colour);

struct pager {
	/* process of the pager; 0: no pager; negative: this process must not wait for the pager */
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
