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
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/screen/profile_pages.h"
#include "cmds/screen/screen_host.h"
#include "cmds/screen/screen_keys.h"
#include "cmds/screen/screen_pager.h"
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
	struct screen_pager pager;
	struct top_page page;
	enum view_mode mode;
	/* name of the selected row, or of the function whose callers and callees are shown */
	struct out name;
	uint32_t tid;
	bool is_stale; /* the body must be computed again */
	char message[512];
	unsigned int message_frames;
	bool is_failed; /* an error occurred, and a message was printed */
};

static bool view_has_rows(const struct top_screen *s)
{
	return s->mode == VIEW_TABLE && s->page.pages.rows.len;
}

/*
 * Select the row of the new table that was selected in the previous table, even if its position has
 * changed.
 */
static void view_follow(struct top_screen *s)
{
	const struct pages *p = &s->page.pages;

	for (size_t i = 0; i < p->rows.len && s->name.len; i++) {
		if (str_eq(p->rows.data[i].text, out_view(&s->name)) &&
		    p->rows.data[i].tid == s->tid) {
			s->pager.selected = i;
			return;
		}
	}
}

static void view_remember(struct top_screen *s)
{
	const struct pages *p = &s->page.pages;

	s->name.len = 0;
	if (s->pager.selected >= p->rows.len)
		return;
	out_str(&s->name, p->rows.data[s->pager.selected].text);
	s->tid = p->rows.data[s->pager.selected].tid;
}

static void view_detail(struct top_screen *s, struct view *v)
{
	struct out unseen = { .fd = -1 };
	struct view *table = view_text(&unseen, &s->page.text);

	top_table(&s->page, table, 0);
	view_free(table);
	out_fini(&unseen);
	VEC_FOREACH (row, &s->page.pages.rows) {
		if (str_eq(row->text, out_view(&s->name))) {
			top_detail(&s->page, v, row->sym);
			return;
		}
	}
	view_line(v, NULL, "no sample of " STR_FMT " in the window", STR_ARG(out_view(&s->name)));
}

static void view_help(struct top_screen *s, struct view *v);

/* Compute the body as text, for the width of the terminal. */
static void view_body(struct top_screen *s)
{
	struct text_options text = s->page.text;
	struct view *v;
	struct error err;

	text.width = s->pager.width;
	s->pager.body.len = 0;
	s->pager.head.len = 0;
	s->page.text.width = s->pager.width;
	top_head(&s->page, &s->pager.head);
	v = view_text(&s->pager.body, &text);
	view_begin(v, "assay-top-1");
	if (s->mode == VIEW_TABLE)
		top_table(&s->page, v, 0);
	else if (s->mode == VIEW_DETAIL)
		view_detail(s, v);
	else if (s->mode == VIEW_FINDINGS)
		top_findings(&s->page, v);
	else
		view_help(s, v);
	s->pager.is_over |= view_end(v, &err) < 0;
	view_free(v);
	if (s->mode == VIEW_TABLE && s->page.pages.n_hidden)
		out_printf(&s->pager.body, "  %" PRIu64 " more rows: / finds them\n",
			   s->page.pages.n_hidden);
	if (s->mode == VIEW_TABLE)
		view_follow(s);
	s->is_stale = false;
}

static void view_foot(struct top_screen *s)
{
	struct out *foot = &s->pager.foot;

	foot->len = 0;
	if (s->page.choice.filter.is_on)
		out_printf(foot, " rows with: " STR_FMT "_  (Enter: keep, Escape: as before)",
			   STR_ARG(out_view(&s->page.choice.filter.text)));
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
	if (!s->pager.width || !s->pager.height)
		return;
	if (s->is_stale)
		view_body(s);
	view_foot(s);
	s->pager.has_cursor = view_has_rows(s);
	s->pager.n_titles = s->pager.has_cursor ? 1 : 0;
	screen_pager_draw(&s->pager);
}

static void view_mode(struct top_screen *s, enum view_mode mode)
{
	s->mode = mode;
	s->pager.first = 0;
	s->is_stale = true;
}

/*
 * Open the selected row. For a function, show its callers and callees; for a row of another kind,
 * such as a thread, show the functions of this row.
 */
static void view_enter(struct top_screen *s)
{
	struct top_choice *c = &s->page.choice;

	if (s->mode != VIEW_TABLE || s->pager.selected >= s->page.pages.rows.len)
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
	s->pager.selected = 0;
	view_mode(s, VIEW_TABLE);
	screen_pager_send(&s->pager, TOP_AGAIN);
}

/*
 * Go back one level: from a function to the table, from an opened row to all rows, or from filtered
 * rows to all rows. False: the first level is already shown.
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
		screen_pager_send(&s->pager, TOP_AGAIN);
	} else if (c->filter.text.len) {
		c->filter.text.len = 0;
	} else {
		return false;
	}
	s->is_stale = true;
	return true;
}

static void view_run_quit(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	if (s->mode != VIEW_TABLE)
		view_mode(s, VIEW_TABLE);
	else
		screen_pager_send(&s->pager, SCREEN_QUIT);
}

static void view_run_pause(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	screen_pager_send(&s->pager, TOP_PAUSE);
}

static void view_run_enter(void *arg, uint32_t code)
{
	(void)code;
	view_enter(arg);
}

static void view_run_back(void *arg, uint32_t code)
{
	(void)code;
	(void)view_back(arg);
}

static void view_run_sort(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	s->page.choice.is_by_children = !s->page.choice.is_by_children;
	s->is_stale = true;
}

static void view_run_group(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	s->page.choice.group = (s->page.choice.group + 1) % TOP_GROUPS;
	s->name.len = 0;
	s->pager.selected = 0;
	view_mode(s, VIEW_TABLE);
}

static void view_run_findings(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	view_mode(s, s->mode == VIEW_FINDINGS ? VIEW_TABLE : VIEW_FINDINGS);
}

static void view_run_help(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	view_mode(s, s->mode == VIEW_HELP ? VIEW_TABLE : VIEW_HELP);
}

static void view_run_filter(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	view_mode(s, VIEW_TABLE);
	screen_prompt_begin(&s->page.choice.filter);
}

static void view_run_write(void *arg, uint32_t code)
{
	struct top_screen *s = arg;

	(void)code;
	screen_pager_send(&s->pager, TOP_WRITE);
}

static const struct screen_command view_commands[] = {
	{ "q", 0, "q", "quit; out of what was entered: Escape", view_run_quit },
	{ " p", 0, "space p", "hold what is shown, or go on", view_run_pause },
	{ NULL, 1 << KEY_ENTER | 1 << KEY_RIGHT, "Enter",
	  "callers and callees of a function; functions of a thread, command or file",
	  view_run_enter },
	{ NULL, 1 << KEY_ESCAPE | 1 << KEY_LEFT, "Escape", "back", view_run_back },
	{ "s", 0, "s", "sort by own samples, or with those of callees", view_run_sort },
	{ "tb", 0, "t b", "rows by function, thread, command, file, kind of work", view_run_group },
	{ "/", 0, "/", "only rows with this in a name; empty: all", view_run_filter },
	{ "f", 0, "f", "findings, with the evidence", view_run_findings },
	{ "w", 0, "w", "write what is held as perf.data: for report, explain, perf",
	  view_run_write },
	{ "h?", 0, "?", "this", view_run_help },
};

static void view_help(struct top_screen *s, struct view *v)
{
	view_heading(v, STR("Keys"), "%s", "");
	screen_command_help(view_commands, ARRAY_LEN(view_commands), v);
	screen_command_help(screen_pager_moves, screen_pager_n_moves, v);
	top_help(&s->page, v);
}

static void view_key(struct top_screen *s, enum screen_key key, uint32_t code)
{
	struct screen_prompt *filter = &s->page.choice.filter;

	s->message[0] = '\0';
	if (filter->is_on) {
		screen_prompt_key(filter, key, code);
		s->is_stale = true;
	} else if (!screen_command_run(view_commands, ARRAY_LEN(view_commands), key, code, s) &&
		   screen_command_run(screen_pager_moves, screen_pager_n_moves, key, code,
				      &s->pager) &&
		   s->mode == VIEW_TABLE) {
		view_remember(s);
	}
}

/* Report an error and end, which also ends the first process. */
static void view_fail(struct top_screen *s, const char *why)
{
	complain(NULL, "%s", why);
	s->is_failed = s->pager.is_over = true;
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
		s->pager.is_over = true; /* the reader of the pipe has ended; this is no error */
	else if (!is_good)
		view_fail(s, err.msg);
	out_fini(&out);
}

static void view_update(struct top_screen *s, const struct screen_message *m, int fd)
{
	struct top_status status;
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
	memcpy(&status, m->text, sizeof(status));
	top_page_load(&s->page, (struct str){ p, (size_t)st.st_size }, &status);
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
	screen_pager_send(&s->pager, SCREEN_READY);
}

static void view_message(struct top_screen *s, const struct screen_message *m, int fd)
{
	size_t len = m->len < sizeof(m->text) ? m->len : sizeof(m->text);
	struct str keys = { m->text, len };

	switch (m->word) {
	case TOP_UPDATE:
		view_update(s, m, fd);
		return;
	case SCREEN_SIZE:
		screen_pager_resize(&s->pager, m);
		s->is_stale = true;
		break;
	case SCREEN_MESSAGE:
		(void)snprintf(s->message, sizeof(s->message), STR_FMT, STR_ARG(keys));
		s->message_frames = VIEW_MESSAGE_FRAMES;
		break;
	case SCREEN_KEYS:
		while (keys.len && !s->pager.is_over) {
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
		.name = { .fd = -1 },
		.is_stale = true,
	};
	struct screen_message m;
	int fd;

	screen_pager_init(&s.pager, talk);
	top_page_init(&s.page, session, o);
	s.page.text = terminal_options(STDOUT_FILENO, session->to.colour);
	for (;;) {
		errno = 0;
		if (s.pager.is_over || !files_receive(talk, &m, sizeof(m), &fd))
			break;
		view_message(&s, &m, fd);
		if (fd >= 0)
			(void)close(fd);
	}
	/*
	 * errno is 0 (end of the stream) or ECONNRESET if the other process closed the socket,
	 * which is no error
	 */
	if (!s.pager.is_over && errno && errno != ECONNRESET)
		view_fail(&s, "cannot hear the process that records");
	top_page_fini(&s.page);
	screen_pager_fini(&s.pager);
	out_fini(&s.name);
	return s.is_failed ? EXIT_FAILED : EXIT_DONE;
}
