/* SPDX-License-Identifier: MIT */
/*
 * screen.h - pages that are redrawn on a terminal, and keys
 *
 * A page has styled lines at the top, a scrolling body and a line at the bottom. A frame is one
 * string that overwrites the previous frame and is written at once, without flicker. It uses
 * sequences of ECMA-48 and xterm's alternate screen, which all current terminals support. terminfo
 * is not read, because the drawing process may open no file.
 *
 * All functions only convert bytes to bytes; none reads or writes files.
 */
#ifndef RENDER_SCREEN_H
#define RENDER_SCREEN_H

#include "base/str.h"

struct out;

/*
 * Enter the alternate screen and hide the cursor; SCREEN_LEAVE undoes both, even inside an
 * unfinished sequence.
 */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[2J\033[H"
#define SCREEN_LEAVE "\030\033[0m\033[?2026l\033[?25h\033[?1049l"

struct screen_page {
	struct str head; /* fixed lines at the top */
	struct str body; /* scrolling lines; the first n_titles of them stay */
	size_t n_titles;
	struct str foot; /* one fixed line at the bottom, in reverse video */
	size_t first;    /* first visible line of the body, counted after the titles */
	/* selected line of the body, counted after the titles; SIZE_MAX: none */
	size_t selected;
	/* number of body lines after the titles; set by screen_lay_out() */
	size_t n_body;
	/* number of visible lines of head and body; set by screen_lay_out() */
	unsigned int n_head, n_rows;
};

/*
 * Divide @height lines among the parts of the page. On small screens the table has priority. Limits
 * page->first and page->selected to existing lines.
 */
void screen_lay_out(struct screen_page *page, unsigned int height);
/* Draw the frame of a page after screen_lay_out(). */
void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct out *out);
/*
 * Append the first @width columns of @line, and end its styles. @is_reversed: print the line in
 * reverse video, padded to @width. Returns the number of columns.
 */
unsigned int screen_clip(struct str line, unsigned int width, bool is_reversed, struct out *out);

enum screen_key {
	KEY_NONE, /* unknown key sequence */
	KEY_CHAR, /* a character, which is in @ret_code */
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
	KEY_ERASE, /* backspace or delete */
};

/* Take one key from the start of @bytes, which is the non-empty result of one read(). */
enum screen_key screen_key(struct str *bytes, uint32_t *ret_code);

#endif
