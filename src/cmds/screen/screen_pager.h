/* SPDX-License-Identifier: MIT */
/*
 * screen_pager.h - the drawing part of a program with pages: a page with a cursor
 *
 * The program fills head, body and foot. The pager lays them out, draws changed lines, and moves
 * the cursor. It writes only whole frames to standard output, and messages to the host.
 */
#ifndef CMDS_SCREEN_PAGER_H
#define CMDS_SCREEN_PAGER_H

#include "base/out.h"
#include "base/str.h"
#include "cmds/screen/screen_keys.h"
#include "render/screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen_message;

/* a number of lines that is large enough to reach the first or last line */
#define SCREEN_MOVE_ALL ((ptrdiff_t)1 << 40)

struct screen_pager {
	int talk; /* socket to the host */
	unsigned int width, height;
	struct out head, body, foot;
	size_t n_titles; /* number of lines at the top of the body that do not scroll */
	bool has_cursor; /* a line of the body is selected; false: keys that move scroll the body */
	size_t selected; /* number of the selected line, counted after the titles */
	size_t first;
	/* number of lines of the body after the titles; screen_pager_draw() sets it */
	size_t n_body;
	bool is_over;

	/* the following members are private */
	struct screen_page layout;
	struct screen_shown shown;
};

void screen_pager_init(struct screen_pager *p, int talk);
void screen_pager_fini(struct screen_pager *p);
/* Draw the lines of the page that changed since the last call. */
void screen_pager_draw(struct screen_pager *p);
/* Let the next call of screen_pager_draw() draw each line: the terminal may show something else. */
void screen_pager_forget(struct screen_pager *p);
/* Put @text into the clipboard of the terminal (xterm's OSC 52), if the terminal allows it. */
void screen_pager_copy(struct screen_pager *p, struct str text);
/* Send a message without a text to the host. */
void screen_pager_send(struct screen_pager *p, unsigned int word);
/* Set the size of the terminal from a message SCREEN_SIZE. */
void screen_pager_resize(struct screen_pager *p, const struct screen_message *m);

/* The keys that move the cursor. Their commands get the pager as the argument. */
extern const struct screen_command screen_pager_moves[];
extern const size_t screen_pager_n_moves;

#endif
