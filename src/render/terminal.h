/* SPDX-License-Identifier: MIT */
/* terminal.h - properties of a terminal, and the pager */
#ifndef RENDER_TERMINAL_H
#define RENDER_TERMINAL_H

#include "render/view.h"

#include <sys/types.h>

enum terminal_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/*
 * Width for output to a pipe, as in `assay FILE | less`: the width of the terminal on standard
 * error. 0: @fd is no pipe, or standard error is no terminal.
 */
unsigned int terminal_pipe_columns(int fd);
/*
 * Text options for output to @fd. The width is $COLUMNS, otherwise the width of the terminal,
 * otherwise 80, within limits. It is 0 if @fd is no terminal and $COLUMNS is not set. COLOUR_AUTO
 * means colour on a terminal, unless NO_COLOR is set, or TERM is unset or "dumb". UTF-8 is used if
 * the locale has it: call setlocale() before.
 */
struct text_options terminal_options(int fd, enum terminal_colour colour);

struct pager {
	/*
	 * process id of the pager; 0: no pager; negative: there is a pager, but this process must
	 * not wait for it
	 */
	pid_t pid;
	/*
	 * descriptor to write output to; without a pager, the descriptor that was passed to
	 * pager_start()
	 */
	int fd;
};

/*
 * Start a pager if @fd is a terminal: $ASSAY_PAGER, $PAGER or `less` (with LESS=FRX unless LESS is
 * set). If the variable is "cat" or empty, there is no pager. If the pager cannot be started,
 * output goes to @fd.
 */
struct pager pager_start(int fd);
/* Close the pipe to the pager, and wait until the pager ends. */
void pager_finish(struct pager *p);

#endif
