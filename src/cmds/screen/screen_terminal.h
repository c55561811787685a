/* SPDX-License-Identifier: MIT */
/*
 * screen_terminal.h - switch the terminal to page mode and back
 *
 * When this process ends in any way, even by SIGKILL, a small guard process restores the terminal.
 */
#ifndef CMDS_SCREEN_TERMINAL_H
#define CMDS_SCREEN_TERMINAL_H

#include "base/status.h"

#include <stdint.h>

#include <sys/types.h>
#include <termios.h>

struct screen_terminal {
	int keys_fd; /* descriptor to read keys from; -1: no keys */
	bool is_on;
	struct termios saved;
	pid_t guard;
	int guard_fd;
};

/* Whether there is a terminal to draw on, and a terminal to read keys from. */
bool screen_terminal_is_here(void);
/* Prepare page mode. The terminal does not change yet. */
void screen_terminal_init(struct screen_terminal *t);
/* Enter page mode: unbuffered keys without echo, alternate screen. ^C and ^Z still send signals. */
void screen_terminal_enter(struct screen_terminal *t);
/* Leave page mode: restore the terminal. */
void screen_terminal_leave(struct screen_terminal *t);
void screen_terminal_fini(struct screen_terminal *t);
void screen_terminal_size(uint32_t *ret_width, uint32_t *ret_height);

#endif
