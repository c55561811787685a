/* SPDX-License-Identifier: MIT */
/*
 * top_terminal.h - the terminal as a page needs it, and as it was
 *
 * A small process beside this one puts it back however this one ends, SIGKILL
 * included.
 */
#ifndef CMDS_TOP_TERMINAL_H
#define CMDS_TOP_TERMINAL_H

#include "base/status.h"

#include <stdint.h>

#include <sys/types.h>
#include <termios.h>

struct top_terminal {
	int keys_fd; /* where keys come from; -1: none */
	bool is_on;
	struct termios saved;
	pid_t guard;
	int guard_fd;
};

/* Nothing is changed yet. */
void top_terminal_init(struct top_terminal *t);
/* Keys one by one and unseen, the other screen; signals of ^C and ^Z stay. */
void top_terminal_enter(struct top_terminal *t);
/* As it was. */
void top_terminal_leave(struct top_terminal *t);
void top_terminal_fini(struct top_terminal *t);
void top_terminal_size(uint32_t *ret_width, uint32_t *ret_height);

#endif
