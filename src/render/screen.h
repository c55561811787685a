/* SPDX-License-Identifier: MIT */
/*
 * screen.h - draw pages on a terminal, and recognise keys
 *
 * A page has fixed lines at the top, a scrolling body and a line at the bottom. A frame is one
 * string that draws the whole page over the previous page. It is printed with one write(), to avoid
 * flicker. It uses sequences of ECMA-48 and xterm's alternate screen, which all current terminals
 * support. terminfo is not used, because the process that draws may not open files.
 *
 * No function here reads or writes files; all of them only compute strings.
 */
#ifndef RENDER_SCREEN_H
#define RENDER_SCREEN_H

#include "base/str.h"
#include "base/vec.h"

struct out;

/*
 * SCREEN_ENTER switches to the alternate screen and hides the cursor. SCREEN_LEAVE reverts both,
 * even if the terminal has received only a part of another sequence.
 */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[2J\033[H"
#define SCREEN_LEAVE "\030\033[0m\033[?2026l\033[?25h\033[?1049l"

struct screen_page {
	struct str head; /* fixed lines at the top */
	struct str body; /* lines that scroll; the first n_titles lines do not scroll */
	size_t n_titles;
	struct str foot; /* one fixed line at the bottom, in reverse video */
	size_t first;    /* index of the first visible line of the body, not counting the titles */
	/* index of the selected line of the body, not counting the titles; SIZE_MAX: none */
	size_t selected;
	/* number of lines of the body, not counting the titles; set by screen_lay_out() */
	size_t n_body;
	/*
	 * number of visible lines of the head, and of the body without its titles; set by
	 * screen_lay_out()
	 */
	unsigned int n_head, n_rows;
};

/*
 * Compute n_body, n_head and n_rows for a screen of @height lines. If space is short, the body has
 * priority over the head. Corrects page->first and page->selected to existing lines.
 */
void screen_lay_out(struct screen_page *page, unsigned int height);
/* The lines that a terminal currently shows. In a zeroed struct, they are unknown. */
struct screen_shown {
	VEC(struct out) lines;
	unsigned int width;
};

/* Forget the shown lines: the next frame then contains all lines. */
void screen_shown_fini(struct screen_shown *s);
/*
 * Append a frame that draws @page to @out. Call screen_lay_out() before. @shown: lines that the
 * terminal already shows; they are omitted from the frame, and @shown is updated; NULL: draw all
 * lines. If no line has changed, nothing is appended.
 */
void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct screen_shown *shown, struct out *out);
/*
 * Append the first @width columns of @line, and reset styles. @is_reversed: use reverse video, and
 * pad to @width. Returns the number of columns, including padding.
 */
unsigned int screen_clip(struct str line, unsigned int width, bool is_reversed, struct out *out);

enum screen_key {
	KEY_NONE, /* unknown key sequence */
	KEY_CHAR, /* a character; @ret_code of screen_key() is its code */
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
	KEY_ERASE, /* the backspace or delete key */
};

/* Take one key from the start of @bytes, and return it. @bytes: result of a read(), not empty. */
enum screen_key screen_key(struct str *bytes, uint32_t *ret_code);

#endif
