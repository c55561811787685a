/* SPDX-License-Identifier: MIT */
/* The second process of `assay browse`: it handles keys, keeps the history of places, and draws. */
#include "cmds/browse/browse_page.h"

#include "analyses/top/top.h"
#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "cmds/browse.h"
#include "cmds/browse/browse_flame.h"
#include "cmds/browse/browse_place.h"
#include "cmds/run/session.h"
#include "cmds/screen/profile_pages.h"
#include "cmds/screen/screen_host.h"
#include "cmds/screen/screen_keys.h"
#include "cmds/screen/screen_pager.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/escape.h"
#include "render/screen.h"
#include "render/terminal.h"
#include "render/text_view.h"
#include "render/view.h"
#include "transform/select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* on a narrower terminal, the last line shows only the command, without keys */
#define FOOT_KEYS_WIDTH 60u
#define BROWSE_HISTORY  100u /* maximum number of places in the history */

struct browse_screen {
	struct screen_pager pager;
	struct browse_data data;
	struct browse_page page;
	VEC(struct browse_place) history; /* visited places; the last place is shown */
	struct screen_prompt search;
	struct out found; /* text that the keys n and N search for */
	bool is_stale;    /* the page does not show the current place: compose it again */
	char message[512];
	off_t messages_at; /* offset in browse_options.messages up to which messages were read */
	int status;
};

static struct browse_place *screen_place(struct browse_screen *b)
{
	return &b->history.data[b->history.len - 1];
}

static void screen_say(struct browse_screen *b, const char *sentence)
{
	(void)snprintf(b->message, sizeof(b->message), "%s", sentence);
}

/* Store the position of the cursor in the current place, before another place is shown. */
static void screen_leave(struct browse_screen *b)
{
	screen_place(b)->selected = b->pager.selected;
	screen_place(b)->first = b->pager.first;
}

static void screen_arrive(struct browse_screen *b)
{
	b->pager.selected = screen_place(b)->selected;
	b->pager.first = screen_place(b)->first;
	b->is_stale = true;
}

/*
 * Append a copy of the current place to the history, and show the copy from its first line. The
 * caller then changes the copy, which is returned.
 */
static struct browse_place *screen_push(struct browse_screen *b)
{
	struct browse_place next;

	screen_leave(b);
	next = *screen_place(b);
	next.selected = next.first = 0;
	if (b->history.len == BROWSE_HISTORY) {
		memmove(b->history.data, b->history.data + 1, (BROWSE_HISTORY - 1) * sizeof(next));
		b->history.len--;
	}
	*VEC_PUSH(&b->history) = next;
	screen_arrive(b);
	return screen_place(b);
}

/* Go back to the previous place of the history. False: there is none. */
static bool screen_pop(struct browse_screen *b)
{
	if (b->history.len < 2)
		return false;
	b->history.len--;
	screen_arrive(b);
	return true;
}

static size_t screen_line(const struct browse_screen *b)
{
	return b->pager.selected + b->page.n_titles;
}

static const struct page_row *screen_row(const struct browse_screen *b)
{
	return pages_row_at(&b->page.pages, screen_line(b));
}

static bool screen_has_rows(enum browse_view_id view)
{
	return view == BROWSE_TABLE || view == BROWSE_CALLERS || view == BROWSE_TREE ||
	       view == BROWSE_THREADS;
}

/* Copy line number @at of the body to @ret, without styles. False: there is no such line. */
static bool screen_text(const struct browse_screen *b, size_t at, struct out *ret)
{
	struct str body = out_view(&b->page.body);
	struct str line;

	ret->len = 0;
	for (size_t i = 0; str_line(&body, &line); i++) {
		if (i < at)
			continue;
		(void)screen_clip(line, UINT32_MAX, false, ret);
		return true;
	}
	return false;
}

/* Whether the byte @i of @text can be a part of a function's name. */
static bool screen_is_name(struct str text, size_t i)
{
	return i < text.len && (char_is_word(text.p[i]) || text.p[i] == '.');
}

static bool screen_names(struct str text, struct str name)
{
	for (size_t from = 0; from + name.len <= text.len; from++) {
		size_t at = str_find(str_skip(text, from), name);

		if (from + at + name.len > text.len)
			return false;
		from += at;
		if (!(from && screen_is_name(text, from - 1)) &&
		    !screen_is_name(text, from + name.len))
			return true;
	}
	return false;
}

/*
 * Find the longest function name in the line under the cursor. SYM_ID_NONE: the line names no
 * function.
 */
static sym_id screen_named(struct browse_screen *b)
{
	struct session *s = b->page.pages.session;
	const struct capture *c = b->page.pages.capture;
	struct out text = { .fd = -1 };
	sym_id best = SYM_ID_NONE;
	struct top top;
	size_t len = 2;

	if (!c || !c->profile || !screen_text(b, screen_line(b), &text) ||
	    top_by(c, &s->cats, TOP_SYM, &top, NULL) < 0) {
		out_fini(&text);
		return SYM_ID_NONE;
	}
	VEC_FOREACH (row, &top.rows) {
		sym_id sym = { row->keys[0] };
		struct str name = symbols_name(&s->dossier->symbols, sym);

		if (name.len > len && screen_names(out_view(&text), name)) {
			best = sym;
			len = name.len;
		}
	}
	top_fini(&top);
	out_fini(&text);
	return best;
}

/* The function of the frame under the cursor of a flame graph; SYM_ID_NONE: none. */
static sym_id screen_frame(struct browse_screen *b)
{
	struct browse_tree *t = b->page.has_frames ? browse_page_tree(&b->page) : NULL;
	uint32_t at = screen_place(b)->at;

	return t && at < t->tree.nodes.len ? t->tree.nodes.data[at].sym : SYM_ID_NONE;
}

/*
 * Find the function that a key acts on: the function of the row or frame under the cursor. In a
 * text, it is a function that the line under the cursor names. If there is none, it is the function
 * of the current place. Returns false if none is found.
 */
static bool screen_function(struct browse_screen *b, struct str *ret_name, struct str *ret_module)
{
	const struct page_row *row = screen_row(b);
	const struct browse_place *place = screen_place(b);
	sym_id sym = row && row->sym.v ? row->sym : screen_frame(b);

	if (!sym.v && !b->page.has_frames && !screen_has_rows(place->view))
		sym = screen_named(b);
	if (sym.v) {
		const struct symbols *symbols = &b->page.pages.session->dossier->symbols;

		*ret_name = browse_data_keep(&b->data, symbols_name(symbols, sym));
		*ret_module = browse_data_keep(&b->data, symbols_module(symbols, sym));
		return true;
	}
	*ret_name = place->function;
	*ret_module = place->module;
	return place->function.len;
}

static void screen_open(struct browse_screen *b, enum browse_view_id view)
{
	struct browse_place *place = screen_place(b);
	struct str name, module;

	if (place->view == view)
		return;
	if (view == BROWSE_CALLERS || view == BROWSE_ANNOTATE) {
		bool has_function = screen_function(b, &name, &module);

		if (view == BROWSE_CALLERS && !has_function) {
			screen_say(b, "choose a function in the table first");
			return;
		}
		place = screen_push(b);
		if (has_function) {
			place->function = name;
			place->module = module;
		}
	} else {
		place = screen_push(b);
	}
	if (view != BROWSE_TABLE)
		place->filter = STR("");
	place->view = view;
}

static void run_view(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	unsigned int view = code == '0' ? BROWSE_TIME : code - '1';

	if (!browse_page_has(&b->page, (enum browse_view_id)view)) {
		screen_say(b, "this input has nothing for that view");
		return;
	}
	screen_open(b, (enum browse_view_id)view);
}

static void run_findings(void *arg, uint32_t code)
{
	(void)code;
	screen_open(arg, BROWSE_FINDINGS);
}

static void run_diff(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (browse_page_has(&b->page, BROWSE_DIFF))
		screen_open(b, BROWSE_DIFF);
	else
		screen_say(b, "start with two files to compare: assay browse BEFORE AFTER");
}

static void run_annotate(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (screen_place(b)->view == BROWSE_ANNOTATE) {
		screen_push(b)->is_whole ^= true;
		return;
	}
	if (!browse_page_has(&b->page, BROWSE_ANNOTATE))
		screen_say(b, "no instructions in this input: perf.data has them");
	else
		screen_open(b, BROWSE_ANNOTATE);
}

static void run_help(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (screen_place(b)->view == BROWSE_HELP)
		(void)screen_pop(b);
	else
		screen_open(b, BROWSE_HELP);
}

static void run_write(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (screen_place(b)->view != BROWSE_HELP)
		screen_open(b, BROWSE_COMMAND);
}

/* The node of the call tree that is under the cursor; INDEX_NONE: none. */
static uint32_t screen_node(struct browse_screen *b)
{
	const struct page_row *row = screen_row(b);

	if (b->page.has_frames)
		return screen_place(b)->at;
	return screen_place(b)->view == BROWSE_TREE && row ? row->node : INDEX_NONE;
}

/*
 * Copy the call stack of the node under the cursor to the clipboard, the outermost caller first:
 * "main;parse;read".
 */
static void run_copy(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	struct browse_tree *t = browse_page_tree(&b->page);
	struct out stack = { .fd = -1 };
	VEC(uint32_t) path = VEC_INIT;
	uint32_t at = screen_node(b);

	(void)code;
	for (; t && at < t->tree.nodes.len; at = t->tree.nodes.data[at].parent)
		*VEC_PUSH(&path) = at;
	for (size_t i = path.len; i-- > 0;) {
		sym_id sym = t->tree.nodes.data[path.data[i]].sym;

		escape_text(&stack, symbols_name(&b->page.pages.session->dossier->symbols, sym));
		out_z(&stack, i ? ";" : "");
	}
	if (path.len)
		screen_pager_copy(&b->pager, out_view(&stack));
	screen_say(b, path.len ? "the call stack is in the clipboard, if the terminal allows it"
			       : "choose a row of the tree or a frame first: 4, 8");
	VEC_FREE(&path);
	out_fini(&stack);
}

static void run_quit(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	screen_pager_send(&b->pager, SCREEN_QUIT);
}

static void run_back(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (screen_pop(b))
		return;
	screen_say(b, "this is the first view; q quits");
}

/* Go to the next capture; from the last capture, go to the first. */
static void run_capture(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	struct session *s = b->page.pages.session;
	struct browse_place *place;

	(void)code;
	if (!s || s->dossier->captures.len < 2) {
		screen_say(b, "the input has only this part");
		return;
	}
	place = screen_push(b);
	place->capture = (place->capture + 1) % (uint32_t)s->dossier->captures.len;
	place->function = place->module = STR("");
	place->at = place->zoom = INDEX_NONE;
	b->page.place = place;
	place->view = browse_page_first(&b->page);
}

static void run_sort(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	if (screen_place(b)->view == BROWSE_TABLE)
		screen_push(b)->is_by_self ^= true;
	else
		screen_say(b, "only the table can be sorted: 2");
}

/*
 * Show the table with the next kind of rows (enum browse_by). Rows by CPU are skipped if the data
 * has no CPU.
 */
static void run_by(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	const struct capture *c = b->page.pages.capture;
	const struct top_spec cpus = { .keys = { { .key = TOP_CPU } }, .n_keys = 1 };
	struct browse_place *place;
	struct error err;

	(void)code;
	if (screen_place(b)->view != BROWSE_TABLE || !c) {
		screen_say(b, "only the table has other rows: 2");
		return;
	}
	place = screen_push(b);
	place->by = (place->by + 1) % BROWSE_BYS;
	if (place->by == BROWSE_BY_CPU && top_check(c, &cpus, &err) < 0)
		place->by = BROWSE_BY_SYMBOL;
}

/*
 * Add a filter to all views: select only the samples whose @kind, such as the command, is @value.
 * @value is from the row under the cursor. If there already is a filter of @kind, remove this
 * filter instead. False: nothing changes; a message says why.
 */
static bool screen_only(struct browse_screen *b, enum select_kind kind, struct str value)
{
	const struct browse_place *place = screen_place(b);
	const struct capture *c = b->page.pages.capture;
	struct browse_place *next;
	int status;

	if (!c || !c->profile || !c->profile->samples.n) {
		screen_say(b, "this needs samples");
		return false;
	}
	if (!value.len && !place->only[kind].len) {
		screen_say(b, "choose a row that has one first");
		return false;
	}
	value = place->only[kind].len ? STR("") : browse_data_keep(&b->data, value);
	next = screen_push(b);
	next->only[kind] = value;
	next->at = next->zoom = INDEX_NONE;
	if (browse_data_get(&b->data, next, BROWSE_AS_REPORT, &status))
		return true;
	(void)screen_pop(b);
	return false;
}

static bool screen_only_thread(struct browse_screen *b)
{
	const struct page_row *row = screen_row(b);
	char number[16];

	if (row && row->tid &&
	    (screen_place(b)->view == BROWSE_THREADS || screen_place(b)->view == BROWSE_TIME)) {
		(void)snprintf(number, sizeof(number), "%u", row->tid);
		return screen_only(b, SELECT_TID, str_of(number));
	}
	if (screen_place(b)->only[SELECT_TID].len)
		return screen_only(b, SELECT_TID, STR(""));
	return screen_only(
		b, SELECT_COMM,
		row && row->comm.v
			? strings_get(&b->page.pages.session->dossier->strings, row->comm)
			: STR(""));
}

static bool screen_only_dso(struct browse_screen *b)
{
	const struct page_row *row = screen_row(b);

	return screen_only(b, SELECT_DSO,
			   row && row->dso.v
				   ? strings_get(&b->page.pages.session->dossier->strings, row->dso)
				   : STR(""));
}

static void run_only_thread(void *arg, uint32_t code)
{
	(void)code;
	(void)screen_only_thread(arg);
}

static void run_only_dso(void *arg, uint32_t code)
{
	(void)code;
	(void)screen_only_dso(arg);
}

static void run_enter(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	const struct page_row *row = screen_row(b);
	enum browse_view_id view = screen_place(b)->view;

	(void)code;
	if (view == BROWSE_HELP || view == BROWSE_COMMAND) {
		(void)screen_pop(b);
	} else if ((view == BROWSE_THREADS || view == BROWSE_TIME) && row) {
		if (screen_only_thread(b))
			screen_place(b)->view = BROWSE_TABLE;
	} else if (view == BROWSE_TABLE && row && !row->sym.v && (row->comm.v || row->dso.v)) {
		if (row->comm.v ? screen_only_thread(b) : screen_only_dso(b))
			screen_place(b)->by = BROWSE_BY_SYMBOL;
	} else if (view == BROWSE_CALLERS) {
		struct str name, module;

		if (row && screen_function(b, &name, &module) &&
		    !(str_eq(name, screen_place(b)->function) &&
		      str_eq(module, screen_place(b)->module))) {
			struct browse_place *place = screen_push(b);

			place->function = name;
			place->module = module;
		}
	} else if (row ? row->sym.v : screen_named(b).v) {
		screen_open(b, BROWSE_CALLERS);
	} else {
		screen_say(b, "this line names no function of the profile");
	}
}

static void screen_toggle(struct browse_screen *b, bool is_deep)
{
	const struct page_row *row = screen_row(b);

	if (screen_place(b)->view != BROWSE_TREE) {
		if (row && row->sym.v && screen_place(b)->view != BROWSE_CALLERS)
			screen_open(b, BROWSE_CALLERS);
		else
			screen_say(b, "only the tree opens and closes: 4");
		return;
	}
	if (row && row->node != INDEX_NONE)
		browse_page_open(&b->page, row->node, is_deep);
	b->is_stale = true;
}

static void run_toggle(void *arg, uint32_t code)
{
	screen_toggle(arg, code != '+');
}

static void run_toggle_all(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	struct browse_tree *t = browse_page_tree(&b->page);

	if (screen_place(b)->view != BROWSE_TREE || !t) {
		screen_say(b, "only the tree opens and closes: 4");
		return;
	}
	memset(t->is_open.data, code == 'E', t->is_open.len);
	b->is_stale = true;
}

static void run_search(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;

	(void)code;
	b->search.text.len = 0;
	if (b->page.has_filter)
		out_str(&b->search.text, screen_place(b)->filter);
	screen_prompt_begin(&b->search);
}

/*
 * Go to the next line that contains the text b->found. @by: 1 to search downwards, -1 to search
 * upwards.
 */
static void screen_find(struct browse_screen *b, ptrdiff_t by)
{
	struct out text = { .fd = -1 };
	size_t n = b->pager.n_body;
	size_t at = b->pager.selected;

	for (size_t i = 0; i < n && b->found.len; i++) {
		at = (at + n + (size_t)by) % n;
		if (screen_text(b, at + b->page.n_titles, &text) &&
		    str_contains_nocase(out_view(&text), out_view(&b->found))) {
			b->pager.selected = at;
			out_fini(&text);
			return;
		}
	}
	out_fini(&text);
	screen_say(b, b->found.len ? "not found" : "/ looks for a text first");
}

static void run_find(void *arg, uint32_t code)
{
	screen_find(arg, code == 'N' ? -1 : 1);
}

/* Move the cursor of a flame graph to another frame, and scroll so that its level is visible. */
static void screen_step(struct browse_screen *b, enum browse_step step)
{
	struct browse_tree *t = browse_page_tree(&b->page);
	struct browse_place *place = screen_place(b);
	size_t n_rows = b->pager.height > 5 ? b->pager.height - 5 : 1;
	size_t depth;

	if (!t)
		return;
	place->at = browse_flame_step(&t->tree, place->zoom, place->at, step);
	depth = place->at < t->tree.nodes.len ? t->tree.nodes.data[place->at].depth : 0;
	if (depth < b->pager.first)
		b->pager.first = depth;
	if (depth >= b->pager.first + n_rows)
		b->pager.first = depth - n_rows + 1;
	b->is_stale = true;
}

static void run_frame_up(void *arg, uint32_t code)
{
	(void)code;
	screen_step(arg, FLAME_UP);
}

static void run_frame_down(void *arg, uint32_t code)
{
	(void)code;
	screen_step(arg, FLAME_DOWN);
}

static void run_frame_left(void *arg, uint32_t code)
{
	(void)code;
	screen_step(arg, FLAME_LEFT);
}

static void run_frame_right(void *arg, uint32_t code)
{
	(void)code;
	screen_step(arg, FLAME_RIGHT);
}

/*
 * Zoom in: make the frame under the cursor as wide as the screen. If the frame already has this
 * width, show its callers and callees instead.
 */
static void run_frame_zoom(void *arg, uint32_t code)
{
	struct browse_screen *b = arg;
	struct browse_place *place = screen_place(b);

	(void)code;
	if (place->at == INDEX_NONE)
		screen_step(b, FLAME_DOWN);
	else if (place->at == place->zoom)
		screen_open(b, BROWSE_CALLERS);
	else
		screen_push(b)->zoom = place->at;
}

/* Keys of flame graphs. They take precedence over the keys of all views. */
static const struct screen_command frame_commands[] = {
	{ "k", 1 << KEY_UP, "k j h l arrows", "in a flame graph: caller, callee, next frames",
	  run_frame_up },
	{ "j", 1 << KEY_DOWN, NULL, NULL, run_frame_down },
	{ "h", 1 << KEY_LEFT, NULL, NULL, run_frame_left },
	{ "l", 1 << KEY_RIGHT, NULL, NULL, run_frame_right },
	{ NULL, 1 << KEY_ENTER, "Enter",
	  "in a flame graph: as wide as the screen; again: callers and callees", run_frame_zoom },
};

static const struct screen_command browse_commands[] = {
	{ "1234567890", 0, "1 to 9, 0", "the views, as in the first line", run_view },
	{ NULL, 1 << KEY_ENTER | 1 << KEY_RIGHT, "Enter",
	  "callers and callees of a function, also of one that a line names; only a thread, "
	  "command "
	  "or file",
	  run_enter },
	{ "l", 0, NULL, NULL, run_enter },
	{ "h\177", 1 << KEY_ESCAPE | 1 << KEY_LEFT | 1 << KEY_ERASE, "Escape",
	  "back to the previous view", run_back },
	{ "f", 0, "f", "findings: what is wrong, with evidence", run_findings },
	{ "a", 0, "a", "lines and instructions of the function; again: all or hot rows",
	  run_annotate },
	{ "s", 0, "s", "sort the table by self, or with callees", run_sort },
	{ "b", 0, "b", "rows of the table by function, command, file, kind of work, CPU", run_by },
	{ "t", 0, "t", "only this thread or command; again: all", run_only_thread },
	{ "d", 0, "d", "only this file (DSO); again: all", run_only_dso },
	{ "ec", 0, "e c", "open or close a node of the tree, with all below it", run_toggle },
	{ "+", 0, "+", "open or close only this node", run_toggle },
	{ "EC", 0, "E C", "open or close the whole tree", run_toggle_all },
	{ "/", 0, "/", "only rows with a text; in pages of text: find it", run_search },
	{ "=", 0, "=", "compare the first input with the second one", run_diff },
	{ "nN", 0, "n N", "next and previous line with the text", run_find },
	{ "\t", 0, "Tab", "next part of the input: capture, trace, log", run_capture },
	{ "w", 0, "w", "the command that prints this view", run_write },
	{ "y", 0, "y", "copy the call stack of the row or frame", run_copy },
	{ "?", 0, "?", "the keys", run_help },
	{ "q", 0, "q", "quit", run_quit },
};

/*
 * Handle a change of the text that the user types after `/`. If the page can hide rows, show only
 * rows with this text. Otherwise, when the user has pressed Enter (@is_kept), go to the next line
 * with this text.
 */
static void screen_searched(struct browse_screen *b, bool is_kept)
{
	if (b->page.has_filter) {
		struct str text = out_view(&b->search.text);

		if (!str_eq(text, screen_place(b)->filter)) {
			screen_place(b)->filter = browse_data_keep(&b->data, text);
			b->pager.selected = 0;
		}
		b->is_stale = true;
	} else if (!b->search.is_on && is_kept) {
		b->found.len = 0;
		out_str(&b->found, out_view(&b->search.text));
		screen_find(b, 1);
	}
}

static void screen_key_typed(struct browse_screen *b, enum screen_key key, uint32_t code)
{
	if (key == KEY_CHAR && code == 'L' - '@') {
		screen_pager_forget(&b->pager);
		return;
	}
	b->message[0] = '\0';
	if (b->search.is_on) {
		screen_prompt_key(&b->search, key, code);
		screen_searched(b, key == KEY_ENTER);
	} else if (b->page.has_frames &&
		   screen_command_run(frame_commands, ARRAY_LEN(frame_commands), key, code, b)) {
		b->is_stale = true;
	} else if (!screen_command_run(browse_commands, ARRAY_LEN(browse_commands), key, code, b)) {
		(void)screen_command_run(screen_pager_moves, screen_pager_n_moves, key, code,
					 &b->pager);
	}
}

/* Show the first new message on stderr since the last call. */
static void screen_messages(struct browse_screen *b)
{
	int fd = b->data.o->messages;
	char text[sizeof(b->message)];
	ssize_t n;

	if (fd < 0 || lseek(fd, b->messages_at, SEEK_SET) < 0)
		return;
	n = files_read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	b->messages_at = lseek(fd, 0, SEEK_END);
	text[strcspn(text, "\n")] = '\0';
	screen_say(b, strncmp(text, "assay: ", 7) == 0 ? text + 7 : text);
}

/* Write the last line: the command, truncated if it is too long, and the most important keys. */
static void screen_foot_command(const struct browse_screen *b, struct str command, struct out *foot)
{
	static const char keys[] = "  ? keys  q quit ";
	unsigned int width = b->pager.width;
	unsigned int room =
		width < FOOT_KEYS_WIDTH ? width - 1 : width - (unsigned int)sizeof(keys);
	unsigned int used = (unsigned int)utf8_width(command);

	out_char(foot, ' ');
	if (used > room) {
		used = screen_clip(command, room - 1, false, foot) + 1;
		out_z(foot, b->page.text.has_utf8 ? "\u2026" : "~");
	} else {
		out_str(foot, command);
	}
	if (width < FOOT_KEYS_WIDTH)
		return;
	out_repeat(foot, ' ', room - used);
	out_z(foot, keys);
}

static void screen_foot(struct browse_screen *b)
{
	struct out *foot = &b->pager.foot;
	struct out command = { .fd = -1 };

	foot->len = 0;
	if (b->search.is_on) {
		out_printf(foot, " %s: " STR_FMT "_  (Enter: keep, Escape: as before)",
			   b->page.has_filter ? "rows with" : "find",
			   STR_ARG(out_view(&b->search.text)));
	} else if (b->message[0]) {
		out_printf(foot, " %s", b->message);
	} else {
		const struct browse_place *place = screen_place(b);

		if (place->view == BROWSE_HELP || place->view == BROWSE_COMMAND)
			out_z(&command, "Escape goes back");
		else
			browse_command(&b->data, place, &command);
		screen_foot_command(b, out_view(&command), foot);
	}
	out_fini(&command);
}

static void screen_draw_page(struct browse_screen *b)
{
	struct browse_page *p = &b->page;

	if (!b->pager.width || !b->pager.height)
		return;
	p->place = screen_place(b);
	p->previous = b->history.len > 1 ? p->place - 1 : NULL;
	p->text.width = b->pager.width;
	if (b->is_stale) {
		browse_page_compose(p);
		b->is_stale = false;
		b->pager.body.len = 0;
		out_str(&b->pager.body, out_view(&p->body));
		screen_messages(b);
	}
	b->pager.head.len = 0;
	out_str(&b->pager.head, out_view(&p->head));
	b->pager.n_titles = p->n_titles;
	b->pager.has_cursor = !p->has_frames;
	screen_foot(b);
	screen_pager_draw(&b->pager);
}

static void screen_message(struct browse_screen *b, const struct screen_message *m)
{
	size_t len = m->len < sizeof(m->text) ? m->len : sizeof(m->text);
	struct str keys = { m->text, len };

	if (m->word == SCREEN_SIZE) {
		screen_pager_resize(&b->pager, m);
		b->is_stale = true;
	}
	while (m->word == SCREEN_KEYS && keys.len && !b->pager.is_over) {
		uint32_t code;
		enum screen_key key = screen_key(&keys, &code);

		screen_key_typed(b, key, code);
		/* the next key may need the page that this key has changed */
		if (b->is_stale && keys.len)
			screen_draw_page(b);
	}
	screen_draw_page(b);
	if (m->word == SCREEN_SIZE && !b->data.has_findings) {
		/* the first page is on the screen: now there is time to compute the findings */
		(void)browse_data_findings(&b->data, screen_place(b));
		browse_page_head(&b->page);
		screen_draw_page(b);
	}
}

/*
 * The capture to show first: the first profile or, if there is none, the first capture of another
 * kind. An excerpt of another capture is chosen only if all captures are excerpts.
 */
static uint32_t screen_lead(struct browse_page *p)
{
	const struct capture *first = browse_page_capture(p);
	uint32_t lead = 0;

	if (!first)
		return 0;
	const struct dossier *d = p->data->sources[BROWSE_AS_REPORT].session.dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];
		const struct capture *best = d->captures.data[lead];

		if (c->excerpt_of == INDEX_NONE &&
		    (best->excerpt_of != INDEX_NONE || (c->profile && !best->profile)))
			lead = i;
	}
	return lead;
}

/* Read the inputs, and choose the first capture and view. False: a message was printed. */
static bool screen_begin(struct browse_screen *b)
{
	struct browse_place *place = VEC_PUSH(&b->history);

	*place = (struct browse_place){ .function = STR(""),
					.module = STR(""),
					.filter = STR(""),
					.at = INDEX_NONE,
					.zoom = INDEX_NONE };
	for (unsigned int k = 0; k < SELECT_KINDS; k++)
		place->only[k] = STR("");
	if (!browse_data_get(&b->data, place, BROWSE_AS_REPORT, &b->status))
		return false;
	b->page.place = place;
	b->page.commands = browse_commands;
	b->page.n_commands = ARRAY_LEN(browse_commands);
	place->capture = screen_lead(&b->page);
	place->view = browse_page_first(&b->page);
	/* send stderr to a file from now on, because messages would overwrite the page */
	if (b->data.o->messages >= 0)
		(void)dup2(b->data.o->messages, STDERR_FILENO);
	return true;
}

int browse_view(const struct browse_options *o, int talk)
{
	struct browse_screen b = {
		.search = SCREEN_PROMPT_NONE,
		.found = { .fd = -1 },
		.is_stale = true,
	};
	struct screen_message m;

	screen_pager_init(&b.pager, talk);
	browse_data_init(&b.data, o);
	browse_page_init(&b.page, &b.data);
	b.page.text = terminal_options(STDOUT_FILENO, o->session->to.colour);
	if (screen_begin(&b)) {
		screen_pager_send(&b.pager, SCREEN_READY);
		while (!b.pager.is_over && files_receive(talk, &m, sizeof(m), NULL))
			screen_message(&b, &m);
	}
	browse_page_fini(&b.page);
	browse_data_fini(&b.data);
	screen_pager_fini(&b.pager);
	screen_prompt_fini(&b.search);
	out_fini(&b.found);
	VEC_FREE(&b.history);
	return b.status;
}
