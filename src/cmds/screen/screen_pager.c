/* SPDX-License-Identifier: MIT */
#include "cmds/screen/screen_pager.h"

#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "cmds/screen/screen_host.h"
#include "cmds/screen/screen_keys.h"
#include "render/screen.h"

#include <unistd.h>

void screen_pager_init(struct screen_pager *p, int talk)
{
	*p = (struct screen_pager){
		.talk = talk,
		.head = { .fd = -1 },
		.body = { .fd = -1 },
		.foot = { .fd = -1 },
	};
}

void screen_pager_fini(struct screen_pager *p)
{
	out_fini(&p->head);
	out_fini(&p->body);
	out_fini(&p->foot);
	screen_shown_fini(&p->shown);
}

void screen_pager_send(struct screen_pager *p, unsigned int word)
{
	const struct screen_message m = { .word = word };

	if (!files_send(p->talk, &m, sizeof(m), -1))
		p->is_over = true;
}

void screen_pager_resize(struct screen_pager *p, const struct screen_message *m)
{
	p->width = m->width;
	p->height = m->height;
	/* draw all lines: page mode has just begun, or the terminal has moved its lines */
	screen_pager_forget(p);
}

void screen_pager_forget(struct screen_pager *p)
{
	screen_shown_fini(&p->shown);
}

void screen_pager_draw(struct screen_pager *p)
{
	struct screen_page *l = &p->layout;
	struct out frame = { .fd = -1 };

	if (!p->width || !p->height)
		return;
	*l = (struct screen_page){
		.head = out_view(&p->head),
		.body = out_view(&p->body),
		.n_titles = p->n_titles,
		.foot = out_view(&p->foot),
		.first = p->first,
		.selected = p->has_cursor ? p->selected : SIZE_MAX,
	};
	screen_lay_out(l, p->height);
	p->first = l->first;
	p->n_body = l->n_body;
	if (l->selected != SIZE_MAX)
		p->selected = l->selected;
	screen_draw(l, p->width, p->height, &p->shown, &frame);
	if (frame.len)
		p->is_over |= !newfile_write(STDOUT_FILENO, frame.data, frame.len);
	out_fini(&frame);
}

void screen_pager_copy(struct screen_pager *p, struct str text)
{
	struct out sequence = { .fd = -1 };

	out_z(&sequence, "\033]52;c;");
	base64_write(&sequence, text.p, text.len);
	out_char(&sequence, '\a');
	p->is_over |= !newfile_write(STDOUT_FILENO, sequence.data, sequence.len);
	out_fini(&sequence);
}

/* Move the cursor by @n lines; without a cursor, scroll. */
static void screen_pager_move(struct screen_pager *p, ptrdiff_t n)
{
	size_t *at = p->has_cursor ? &p->selected : &p->first;
	size_t most = p->n_body ? p->n_body - 1 : 0;

	if (n < 0)
		*at = *at > (size_t)-n ? *at - (size_t)-n : 0;
	else
		*at = *at + (size_t)n < most ? *at + (size_t)n : most;
}

static ptrdiff_t pager_page(const struct screen_pager *p)
{
	return p->layout.n_rows > 1 ? (ptrdiff_t)p->layout.n_rows - 1 : 1;
}

static void pager_down(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, 1);
}

static void pager_up(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, -1);
}

static void pager_page_down(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, pager_page(arg));
}

static void pager_page_up(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, -pager_page(arg));
}

static void pager_home(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, -SCREEN_MOVE_ALL);
}

static void pager_end(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_move(arg, SCREEN_MOVE_ALL);
}

static void pager_again(void *arg, uint32_t code)
{
	(void)code;
	screen_pager_forget(arg);
}

const struct screen_command screen_pager_moves[] = {
	{ "j", 1 << KEY_DOWN, "j k arrows", "next and previous line", pager_down },
	{ "k", 1 << KEY_UP, NULL, NULL, pager_up },
	{ "\006", 1 << KEY_PAGE_DOWN, "PgUp PgDn", "a screen up and down; ^B and ^F too",
	  pager_page_down },
	{ "\002", 1 << KEY_PAGE_UP, NULL, NULL, pager_page_up },
	{ "g", 1 << KEY_HOME, "Home End", "first and last line; g and G too", pager_home },
	{ "G", 1 << KEY_END, NULL, NULL, pager_end },
	{ "\014", 0, "^L", "draw the screen again", pager_again },
};
const size_t screen_pager_n_moves = ARRAY_LEN(screen_pager_moves);
