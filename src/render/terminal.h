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
 * Text options for output to @fd:
 * - Width: $COLUMNS, otherwise the width of the terminal, otherwise 80; limited to 40 to 1000.
 *   If @fd is no terminal and $COLUMNS is not set, the width is 0 (unlimited).
 * - Colour: COLOUR_AUTO means colour if @fd is a terminal, $NO_COLOR is not set, and $TERM is set
 *   and not "dumb".
 * - UTF-8: used if the locale has it. Call setlocale() before.
 */
struct text_options terminal_options(int fd, enum terminal_colour colour);

struct pager {
	/*
	 * process id of the pager; 0: there is no pager; negative: pager_finish() closes the pipe
	 * to the pager, but does not wait for the pager
	 */
	pid_t pid;
	/*
	 * descriptor to write output to; without a pager, the descriptor that was passed to
	 * pager_start()
	 */
	int fd;
};

/*
 * If @fd is a terminal, start a pager. Its command is $ASSAY_PAGER, otherwise $PAGER, otherwise
 * `less` (with LESS=FRX unless LESS is set). If the command is "cat" or empty, no pager is started.
 * If the pager cannot be started, output goes to @fd.
 */
struct pager pager_start(int fd);
/* Close the pipe to the pager, and wait until the pager ends. */
void pager_finish(struct pager *p);

#endif
