/* SPDX-License-Identifier: MIT */
/*
 * screen.h - pages that are redrawn on a terminal, and its keys
 *
 * A page has styled lines at the top, a scrolling body and a line at the bottom. A frame is one
 * string that overwrites the previous frame and is written at once, without flicker. It uses
 * sequences of ECMA-48 and xterm's alternate screen, which all current terminals support.
 * terminfo is not read, because the drawing process may open no file.
 *
 * Pure: bytes in, bytes out.
 */
#ifndef RENDER_SCREEN_H
#define RENDER_SCREEN_H

#include "base/str.h"

struct out;

/* Enter the alternate screen and hide the cursor; leave it from any state. */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[2J\033[H"
#define SCREEN_LEAVE "\030\033[0m\033[?2026l\033[?25h\033[?1049l"

struct screen_page {
	struct str head; /* fixed lines at the top */
	struct str body; /* scrolling lines; the first n_titles of them stay */
	size_t n_titles;
	struct str foot; /* one fixed line at the bottom, in reverse video */
	size_t first;    /* first visible line of the body, after the titles */
	/* selected line of the body, after the titles; SIZE_MAX: none */
	size_t selected;
	/* lines of the body after the titles: set by screen_lay_out() */
	size_t n_body;
	unsigned int n_head, n_rows; /* visible lines of head and body: set by screen_lay_out() */
};

/*
 * Distribute @height lines over the parts; the table has priority on small screens. Clamps
 * page->first and page->selected.
 */
void screen_lay_out(struct screen_page *page, unsigned int height);
/* Draw the frame of a page after screen_lay_out(). */
void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct out *out);
/*
 * Append the first @width columns of @line with its styles closed, all in reverse video if
 * @is_reversed. Returns the columns.
 */
unsigned int screen_clip(struct str line, unsigned int width, bool is_reversed, struct out *out);

enum screen_key {
	KEY_NONE, /* an unknown sequence */
	KEY_CHAR, /* the typed character is in @ret_code */
	KEY_UP,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ENTER,
	KEY_ESCAPE,
	KEY_ERASE, /* backspace */
};

/* Take one key from the start of @bytes, the result of one read(), not empty. */
enum screen_key screen_key(struct str *bytes, uint32_t *ret_code);

#endif
