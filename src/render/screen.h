/* SPDX-License-Identifier: MIT */
/*
 * screen.h - a page on a terminal that is drawn again and again, and its keys
 *
 * A page is lines of text, styled as views style them, that stand above, scroll in
 * the middle, and stand below. A frame of it is one string that overwrites what was
 * there, so that it can be written at once and nothing flickers. The few sequences
 * used are those of ECMA-48 and the alternate screen of xterm, which every terminal
 * since has: no terminfo is read, as the process that draws may open no file.
 *
 * All of it is pure: bytes in, bytes out.
 */
#ifndef RENDER_SCREEN_H
#define RENDER_SCREEN_H

#include "base/out.h"

/* To the alternate screen without a cursor, and back, whatever was being written. */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[2J\033[H"
#define SCREEN_LEAVE "\030\033[0m\033[?2026l\033[?25h\033[?1049l"

struct screen_page {
	struct str head; /* lines that stay above */
	struct str body; /* lines that scroll, the first n_titles of them stay */
	size_t n_titles;
	struct str foot;             /* one line that stays below, in reverse */
	size_t first;                /* line of the body, behind the titles, that is shown first */
	size_t selected;             /* line of the body, behind the titles; SIZE_MAX: none */
	size_t n_body;               /* lines of the body behind the titles: screen_lay_out() */
	unsigned int n_head, n_rows; /* lines that are shown of head and body: the same */
};

/*
 * How many lines of each part a screen of @height has: the table is what matters
 * when there is little room. page->first and selected are brought within what is there.
 */
void screen_lay_out(struct screen_page *page, unsigned int height);
/* The frame of a page that is laid out. */
void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct out *out);
/* The first @width columns of @line, its styles closed; reversed all along if so. The columns. */
unsigned int screen_clip(struct str line, unsigned int width, bool is_reversed, struct out *out);
size_t screen_count_lines(struct str text);

enum screen_key {
	KEY_NONE, /* a sequence that is not known */
	KEY_CHAR, /* code: what was typed */
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

/* Take a key off the start of @bytes, which were read at once and are not empty. */
enum screen_key screen_key(struct str *bytes, uint32_t *ret_code);

#endif
