/* SPDX-License-Identifier: MIT */
/*
 * screen.h - pages that are redrawn on a terminal, and keys
 *
 * A page has styled lines at the top, a scrolling body and a line at the bottom. A frame is one
 * string that draws the whole page over the previous one. One write() prints it, so that nothing
 * flickers. It uses sequences of ECMA-48 and xterm's alternate screen, which all current terminals
 * support. terminfo is not read, because the drawing process may open no file.
 *
 * No function here reads or writes files: they only compute strings.
 */
#ifndef RENDER_SCREEN_H
#define RENDER_SCREEN_H

#include "base/str.h"
#include "base/vec.h"

struct out;

/*
 * SCREEN_ENTER enters the alternate screen and hides the cursor. SCREEN_LEAVE undoes both, even if
 * the terminal has read only a part of a sequence.
 */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[2J\033[H"
#define SCREEN_LEAVE "\030\033[0m\033[?2026l\033[?25h\033[?1049l"

struct screen_page {
	struct str head; /* fixed lines at the top */
	struct str body; /* lines that scroll, except the first n_titles, which stay at the top */
	size_t n_titles;
	struct str foot; /* one fixed line at the bottom, in reverse video */
	size_t first;    /* first visible line of the body, counted after the titles */
	/* selected line of the body, counted after the titles; SIZE_MAX: none */
	size_t selected;
	/* number of body lines after the titles; set by screen_lay_out() */
	size_t n_body;
	/*
	 * number of visible lines of the head, and of the body after the titles; set by
	 * screen_lay_out()
	 */
	unsigned int n_head, n_rows;
};

/*
 * Compute n_body, n_head and n_rows for a screen of @height lines. On small screens the body has
 * priority over the head. Limits page->first and page->selected to existing lines.
 */
void screen_lay_out(struct screen_page *page, unsigned int height);
/* The lines that a terminal shows. A zeroed struct means: unknown. */
struct screen_shown {
	VEC(struct out) lines;
	unsigned int width;
};

/* Forget the lines, so that the next frame has each line. */
void screen_shown_fini(struct screen_shown *s);
/*
 * Append the frame of the page to @out. Call screen_lay_out() before. @shown: leave out lines that
 * the terminal shows already, and remember the lines of this frame; NULL: write all lines. If no
 * line has changed, append nothing.
 */
void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct screen_shown *shown, struct out *out);
/*
 * Append the first @width columns of @line, and end its styles. @is_reversed: print the line in
 * reverse video, padded to @width. Returns the number of columns, the padding included.
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

/*
 * Remove one key from the start of @bytes, which is the non-empty result of one read(), and return
 * it.
 */
enum screen_key screen_key(struct str *bytes, uint32_t *ret_code);

#endif
