/* SPDX-License-Identifier: MIT */
/*
 * The second process of `assay top`, which draws frames when messages of the first process request
 * it. It is confined. It writes only whole frames to standard output, and messages to its socket.
 */
#include "cmds/top/top_page.h"

#include "base/files.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/top.h"
#include "render/screen.h"
#include "render/terminal.h"
#include "render/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VIEW_MESSAGE_FRAMES 3u /* number of frames for which a message stays visible */

enum view_mode { VIEW_TABLE, VIEW_DETAIL, VIEW_FINDINGS, VIEW_HELP };

struct top_screen {
	struct top_page page;
	int talk;
	unsigned int width, height;
	enum view_mode mode;
	struct screen_page layout;
	struct out head, body, foot;
	/* name of the selected row, or of the function whose callers and callees are shown */
	struct out name;
	uint32_t tid;
	size_t selected; /* index of the selected row of the table */
	size_t first;
	bool is_stale; /* the body must be computed again */
	bool is_typing;
	struct out before; /* the filter before the user began to type a new one */
	char message[512];
	unsigned int message_frames;
	bool is_over;
	bool is_failed; /* an error occurred and was reported */
};

static void view_send(struct top_screen *s, enum top_word word)
{
	const struct top_message m = { .word = word };

	if (!files_send(s->talk, &m, sizeof(m), -1))
		s->is_over = true;
}

/* Select the row that was selected before, which may be at another position in the new table. */
static void view_follow(struct top_screen *s)
{
	const struct top_page *p = &s->page;

	for (size_t i = 0; i < p->lines.len && s->name.len; i++) {
		if (str_eq(p->lines.data[i].text, out_view(&s->name)) &&
		    p->lines.data[i].tid == s->tid) {
			s->selected = i;
			return;
		}
	}
}

static void view_remember(struct top_screen *s)
{
	const struct top_page *p = &s->page;

	s->name.len = 0;
	if (s->selected >= p->lines.len)
		return;
	out_str(&s->name, p->lines.data[s->selected].text);
	s->tid = p->lines.data[s->selected].tid;
}

static void view_detail(struct top_screen *s, struct view *v)
{
	struct out unseen = { .fd = -1 };
	struct view *table = view_text(&unseen, &s->page.text);

	top_table(&s->page, table, 0);
	view_free(table);
	out_fini(&unseen);
	VEC_FOREACH (line, &s->page.lines) {
		if (str_eq(line->text, out_view(&s->name))) {
			top_detail(&s->page, v, line->sym);
			return;
		}
	}
	view_line(v, NULL, "no sample of " STR_FMT " in the window", STR_ARG(out_view(&s->name)));
}

/* Compute the body as text, for the width of the terminal. */
static void view_body(struct top_screen *s)
{
	struct text_options text = s->page.text;
	struct view *v;
	struct error err;

	text.width = s->width;
	s->body.len = 0;
	s->head.len = 0;
	s->page.text.width = s->width;
	top_head(&s->page, &s->head);
	v = view_text(&s->body, &text);
	view_begin(v, "assay-top-1");
	if (s->mode == VIEW_TABLE)
		top_table(&s->page, v, 0);
	else if (s->mode == VIEW_DETAIL)
		view_detail(s, v);
	else if (s->mode == VIEW_FINDINGS)
		top_findings(&s->page, v);
	else
		top_help(&s->page, v);
	s->is_over |= view_end(v, &err) < 0;
	view_free(v);
	if (s->mode == VIEW_TABLE && s->page.n_hidden)
		out_printf(&s->body, "  %" PRIu64 " more rows: / finds them\n", s->page.n_hidden);
	if (s->mode == VIEW_TABLE)
		view_follow(s);
	s->is_stale = false;
}

static void view_foot(struct top_screen *s)
{
	struct out *foot = &s->foot;

	foot->len = 0;
	if (s->is_typing)
		out_printf(foot, " rows with: " STR_FMT "_  (Enter: keep, Escape: as before)",
			   STR_ARG(out_view(&s->page.choice.filter)));
	else if (s->message[0])
		out_printf(foot, " %s", s->message);
	else if (s->mode != VIEW_TABLE)
		out_z(foot, " q back  j k scroll  space pause  w write  ? help");
	else
		out_printf(
			foot,
			" q quit  ? help  space %s  s sort  t by %s  / filter  f findings  w write",
			s->page.status.is_paused ? "go on" : "pause",
			top_group_name(s->page.choice.group));
}

static void view_draw(struct top_screen *s)
{
	struct screen_page *l = &s->layout;
	bool is_table = s->mode == VIEW_TABLE;
	struct out frame = { .fd = -1 };

	if (!s->width || !s->height)
		return;
	if (s->is_stale)
		view_body(s);
	view_foot(s);
	*l = (struct screen_page){
		.head = out_view(&s->head),
		.body = out_view(&s->body),
		.n_titles = is_table && s->page.lines.len ? 1 : 0,
		.foot = out_view(&s->foot),
		.first = s->first,
		.selected = is_table && s->page.lines.len ? s->selected : SIZE_MAX,
	};
	screen_lay_out(l, s->height);
	s->first = l->first;
	if (l->selected != SIZE_MAX)
		s->selected = l->selected;
	screen_draw(l, s->width, s->height, &frame);
	s->is_over |= !newfile_write(STDOUT_FILENO, frame.data, frame.len);
	out_fini(&frame);
}

static void view_mode(struct top_screen *s, enum view_mode mode)
{
	s->mode = mode;
	s->first = 0;
	s->is_stale = true;
}

/* Move the selection by @n rows. If the page has no selectable rows, scroll by @n lines. */
static void view_move(struct top_screen *s, ptrdiff_t n)
{
	size_t *at = s->mode == VIEW_TABLE ? &s->selected : &s->first;
	size_t most = s->layout.n_body ? s->layout.n_body - 1 : 0;

	if (n < 0)
		*at = *at > (size_t)-n ? *at - (size_t)-n : 0;
	else
		*at = *at + (size_t)n < most ? *at + (size_t)n : most;
	if (s->mode == VIEW_TABLE)
		view_remember(s);
}

/*
 * Open the selected row: callers and callees of a function, or the functions of another kind of
 * row.
 */
static void view_enter(struct top_screen *s)
{
	struct top_choice *c = &s->page.choice;

	if (s->mode != VIEW_TABLE || s->selected >= s->page.lines.len)
		return;
	view_remember(s);
	if (c->group == TOP_GROUP_SYMBOL) {
		view_mode(s, VIEW_DETAIL);
		return;
	}
	c->is_inside = true;
	c->inside = c->group;
	c->inside_tid = s->tid;
	c->inside_text.len = 0;
	out_str(&c->inside_text, out_view(&s->name));
	c->group = TOP_GROUP_SYMBOL;
	s->name.len = 0;
	s->selected = 0;
	view_mode(s, VIEW_TABLE);
	view_send(s, TOP_AGAIN);
}

/*
 * Go back one level: from a function to the table, from an opened row to all rows, or from a filter
 * to none. False: there is no level to leave.
 */
static bool view_back(struct top_screen *s)
{
	struct top_choice *c = &s->page.choice;

	if (s->mode != VIEW_TABLE) {
		view_mode(s, VIEW_TABLE);
		return true;
	}
	if (c->is_inside) {
		c->is_inside = false;
		c->group = c->inside;
		s->name.len = 0;
		out_str(&s->name, out_view(&c->inside_text));
		s->tid = c->inside_tid;
		view_send(s, TOP_AGAIN);
	} else if (c->filter.len) {
		c->filter.len = 0;
	} else {
		return false;
	}
	s->is_stale = true;
	return true;
}

static void view_type(struct top_screen *s, enum screen_key key, uint32_t code)
{
	struct out *filter = &s->page.choice.filter;

	if (key == KEY_ENTER) {
		s->is_typing = false;
	} else if (key == KEY_ESCAPE) {
		s->is_typing = false;
		filter->len = 0;
		out_str(filter, out_view(&s->before));
	} else if (key == KEY_ERASE) {
		while (filter->len && (filter->data[--filter->len] & 0xc0) == 0x80)
			;
	} else if (key == KEY_CHAR && code >= ' ' && code != 0x7f && filter->len < 200) {
		utf8_encode(filter, code);
	}
	s->is_stale = true;
}

static void view_command(struct top_screen *s, uint32_t code)
{
	struct top_choice *c = &s->page.choice;

	switch (code) {
	case 'q':
		if (s->mode != VIEW_TABLE)
			view_mode(s, VIEW_TABLE);
		else
			view_send(s, TOP_QUIT);
		break;
	case ' ':
	case 'p':
		view_send(s, TOP_PAUSE);
		break;
	case 'j':
		view_move(s, 1);
		break;
	case 'k':
		view_move(s, -1);
		break;
	case 'g':
		view_move(s, -(ptrdiff_t)TOP_ROWS_MAX);
		break;
	case 'G':
		view_move(s, (ptrdiff_t)TOP_ROWS_MAX);
		break;
	case 'L' - '@': /* ^L: draw the screen again */
		s->is_stale = true;
		break;
	case 's':
		c->is_by_children = !c->is_by_children;
		s->is_stale = true;
		break;
	case 't':
		c->group = (c->group + 1) % TOP_GROUPS;
		s->name.len = 0;
		s->selected = 0;
		view_mode(s, VIEW_TABLE);
		break;
	case 'f':
		view_mode(s, s->mode == VIEW_FINDINGS ? VIEW_TABLE : VIEW_FINDINGS);
		break;
	case 'h':
	case '?':
		view_mode(s, s->mode == VIEW_HELP ? VIEW_TABLE : VIEW_HELP);
		break;
	case '/':
		view_mode(s, VIEW_TABLE);
		s->is_typing = true;
		s->before.len = 0;
		out_str(&s->before, out_view(&c->filter));
		break;
	case 'w':
		view_send(s, TOP_WRITE);
		break;
	default:
		break;
	}
}

static void view_key(struct top_screen *s, enum screen_key key, uint32_t code)
{
	ptrdiff_t page = s->layout.n_rows > 1 ? (ptrdiff_t)s->layout.n_rows - 1 : 1;

	s->message[0] = '\0';
	if (s->is_typing) {
		view_type(s, key, code);
		return;
	}
	switch (key) {
	case KEY_CHAR:
		view_command(s, code);
		break;
	case KEY_UP:
		view_move(s, -1);
		break;
	case KEY_DOWN:
		view_move(s, 1);
		break;
	case KEY_PAGE_UP:
		view_move(s, -page);
		break;
	case KEY_PAGE_DOWN:
		view_move(s, page);
		break;
	case KEY_HOME:
		view_move(s, -(ptrdiff_t)TOP_ROWS_MAX);
		break;
	case KEY_END:
		view_move(s, (ptrdiff_t)TOP_ROWS_MAX);
		break;
	case KEY_ENTER:
	case KEY_RIGHT:
		view_enter(s);
		break;
	case KEY_ESCAPE:
	case KEY_LEFT:
		(void)view_back(s);
		break;
	default:
		break;
	}
}

/* Report an error and end, which also ends the first process. */
static void view_fail(struct top_screen *s, const char *why)
{
	complain(NULL, "%s", why);
	s->is_failed = s->is_over = true;
}

/* Print a frame for --batch, as text or JSON. */
static void view_print(struct top_screen *s)
{
	struct session *session = s->page.session;
	struct out out;
	struct view *v;
	struct error err = { "" };
	bool is_good;

	out_init_fd(&out, STDOUT_FILENO);
	v = session->to.is_json ? view_json(&out) : view_text(&out, &s->page.text);
	view_begin(v, "assay-top-1");
	top_print(&s->page, v);
	is_good = view_end(v, &err) == OK;
	if (!session->to.is_json)
		out_char(&out, '\n');
	is_good &= out_finish(&out, &err) == OK;
	view_free(v);
	if (!is_good && out.error == EPIPE)
		s->is_over = true; /* the reader of the pipe has ended, which is no error */
	else if (!is_good)
		view_fail(s, err.msg);
	out_fini(&out);
}

static void view_update(struct top_screen *s, const struct top_message *m, int fd)
{
	struct error why;
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		(void)fail(&why, ERR_IO, "cannot map the window: %s", strerror(errno));
		view_fail(s, why.msg);
		return;
	}
	top_page_load(&s->page, (struct str){ p, (size_t)st.st_size }, &m->status);
	(void)munmap(p, (size_t)st.st_size);
	if (s->page.o->is_batch) {
		view_print(s);
		if (s->is_failed)
			return;
	} else {
		if (s->message_frames && --s->message_frames == 0)
			s->message[0] = '\0';
		s->is_stale = true;
		view_draw(s);
	}
	view_send(s, TOP_READY);
}

static void view_message(struct top_screen *s, const struct top_message *m, int fd)
{
	size_t len = m->len < sizeof(m->text) ? m->len : sizeof(m->text);
	struct str keys = { m->text, len };

	switch (m->word) {
	case TOP_UPDATE:
		view_update(s, m, fd);
		return;
	case TOP_SIZE:
		s->width = m->width;
		s->height = m->height;
		s->is_stale = true;
		break;
	case TOP_MESSAGE:
		(void)snprintf(s->message, sizeof(s->message), STR_FMT, STR_ARG(keys));
		s->message_frames = VIEW_MESSAGE_FRAMES;
		break;
	case TOP_KEYS:
		while (keys.len && !s->is_over) {
			uint32_t code;
			enum screen_key key = screen_key(&keys, &code);

			view_key(s, key, code);
		}
		break;
	default:
		break;
	}
	view_draw(s);
}

int top_view(struct session *session, const struct top_options *o, int talk)
{
	struct top_screen s = {
		.talk = talk,
		.head = { .fd = -1 },
		.body = { .fd = -1 },
		.foot = { .fd = -1 },
		.name = { .fd = -1 },
		.before = { .fd = -1 },
		.is_stale = true,
	};
	struct top_message m;
	int fd;

	top_page_init(&s.page, session, o);
	s.page.text = terminal_options(STDOUT_FILENO, session->to.colour);
	for (;;) {
		errno = 0;
		if (s.is_over || !files_receive(talk, &m, sizeof(m), &fd))
			break;
		view_message(&s, &m, fd);
		if (fd >= 0)
			(void)close(fd);
	}
	/*
	 * errno is 0 (end of the stream) or ECONNRESET if the other process closed the socket,
	 * which is no error
	 */
	if (!s.is_over && errno && errno != ECONNRESET)
		view_fail(&s, "cannot hear the process that records");
	top_page_fini(&s.page);
	out_fini(&s.head);
	out_fini(&s.body);
	out_fini(&s.foot);
	out_fini(&s.name);
	out_fini(&s.before);
	return s.is_failed ? EXIT_FAILED : EXIT_DONE;
}
