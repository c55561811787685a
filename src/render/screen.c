/* SPDX-License-Identifier: MIT */
#include "render/screen.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"

#define SCREEN_REVERSE "\033[7m"
#define SCREEN_PLAIN   "\033[0m"

static size_t screen_count_lines(struct str text)
{
	struct str line;
	size_t n = 0;

	while (str_line(&text, &line))
		n++;
	return n;
}

/* Length of the escape sequence for a style, "ESC [ … m", at the start of @s; 0: none. */
static size_t screen_style(struct str s)
{
	size_t n = 2;

	if (s.len < 3 || s.p[0] != '\033' || s.p[1] != '[')
		return 0;
	while (n < s.len && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == ';'))
		n++;
	return n < s.len && s.p[n] == 'm' ? n + 1 : 0;
}

unsigned int screen_clip(struct str line, unsigned int width, bool is_reversed, struct out *out)
{
	unsigned int used = 0;
	bool is_styled = false;

	if (is_reversed)
		out_z(out, SCREEN_REVERSE);
	while (line.len) {
		size_t n = screen_style(line);
		unsigned int columns = 0;

		if (n) {
			is_styled = true;
			/* omit colours in reverse video, where they are hard to read */
			if (!is_reversed)
				out_bytes(out, line.p, n);
			line = str_skip(line, n);
			continue;
		}
		n = utf8_length(line);
		n = n ? n : 1;
		columns = (unsigned int)utf8_width(str_sub(line, 0, n));
		if (used + columns > width)
			break;
		/* should not happen: views have escaped control characters */
		if ((unsigned char)line.p[0] < ' ' || line.p[0] == '\177')
			out_char(out, '?');
		else
			out_bytes(out, line.p, n);
		used += columns;
		line = str_skip(line, n);
	}
	if (is_reversed) {
		out_repeat(out, ' ', width - used);
		out_z(out, SCREEN_PLAIN);
	} else if (is_styled) {
		out_z(out, SCREEN_PLAIN);
	}
	return is_reversed ? width : used;
}

void screen_lay_out(struct screen_page *page, unsigned int height)
{
	unsigned int left = height;
	size_t n_head = screen_count_lines(page->head);
	size_t n_all = screen_count_lines(page->body);
	/* show at least this number of body lines, or all if the body has fewer */
	unsigned int rows = 4;

	if (page->n_titles > n_all)
		page->n_titles = n_all;
	page->n_body = n_all - page->n_titles;
	left -= left > 3; /* the last line is reserved for the foot of the page */
	left -= left > 2 && page->n_titles ? (unsigned int)page->n_titles : 0;
	if (page->n_body < rows)
		rows = (unsigned int)page->n_body;
	page->n_head = left > rows ? left - rows : left > 2 ? 1 : 0;
	if (page->n_head > n_head)
		page->n_head = (unsigned int)n_head;
	page->n_rows = left - page->n_head;
	if (page->selected != SIZE_MAX && page->selected >= page->n_body)
		page->selected = page->n_body ? page->n_body - 1 : SIZE_MAX;
	if (page->selected != SIZE_MAX) {
		if (page->first > page->selected)
			page->first = page->selected;
		if (page->n_rows && page->selected - page->first >= page->n_rows)
			page->first = page->selected - page->n_rows + 1;
	}
	if (page->n_body <= page->n_rows)
		page->first = 0;
	else if (page->first > page->n_body - page->n_rows)
		page->first = page->n_body - page->n_rows;
}

/* State while a page is written. */
struct screen_frame {
	unsigned int width;
	unsigned int at; /* number of lines written so far */
	struct screen_shown *shown;
	struct out *out;
};

void screen_shown_fini(struct screen_shown *s)
{
	VEC_FOREACH (line, &s->lines)
		out_fini(line);
	VEC_FREE(&s->lines);
}

/*
 * Whether the terminal already shows @text in line @at. If not, remember @text as the new content
 * of this line.
 */
static bool screen_is_shown(struct screen_shown *shown, unsigned int at, struct str text)
{
	struct out *line;

	while (shown->lines.len <= at)
		*VEC_PUSH(&shown->lines) = (struct out){ .fd = -1 };
	line = &shown->lines.data[at];
	if (str_eq(out_view(line), text))
		return true;
	line->len = 0;
	out_str(line, text);
	return false;
}

/*
 * Write the next line of the page, and erase the rest of the terminal's line. Write nothing if the
 * terminal already shows this line.
 */
static void screen_line(struct screen_frame *f, struct str line, bool is_reversed)
{
	struct out text = { .fd = -1 };

	/* do not erase after a line of full width, because this would erase its last character */
	if (screen_clip(line, f->width, is_reversed, &text) < f->width)
		out_z(&text, "\033[K");
	if (!f->shown || !screen_is_shown(f->shown, f->at, out_view(&text)))
		out_printf(f->out, "\033[%u;1H" STR_FMT, f->at + 1, STR_ARG(out_view(&text)));
	f->at++;
	out_fini(&text);
}

static void screen_lines(struct screen_frame *f, const struct screen_page *page,
			 unsigned int height)
{
	struct str head = page->head;
	struct str body = page->body;
	struct str line;
	bool has_foot = height > 3;
	size_t n_titles = height - has_foot > 2 ? page->n_titles : 0;

	for (unsigned int i = 0; i < page->n_head && str_line(&head, &line); i++)
		screen_line(f, line, false);
	for (size_t i = 0; i < page->n_titles && str_line(&body, &line); i++) {
		if (n_titles)
			screen_line(f, line, false);
	}
	for (size_t i = 0; f->at < height - has_foot && str_line(&body, &line); i++) {
		if (i >= page->first)
			screen_line(f, line, i == page->selected);
	}
	while (f->at < height - has_foot)
		screen_line(f, STR(""), false);
	if (has_foot)
		screen_line(f, page->foot, true);
}

void screen_draw(const struct screen_page *page, unsigned int width, unsigned int height,
		 struct screen_shown *shown, struct out *out)
{
	struct screen_frame f = { .width = width, .shown = shown, .out = out };
	size_t begin = out->len;
	size_t empty;

	if (!width || !height)
		return;
	/* the size has changed, so the content of the terminal is unknown */
	if (shown && (shown->width != width || shown->lines.len != height)) {
		screen_shown_fini(shown);
		shown->width = width;
	}
	/*
	 * start a synchronised update: terminals that support it show nothing until the frame is
	 * complete
	 */
	out_z(out, "\033[?2026h");
	empty = out->len;
	screen_lines(&f, page, height);
	if (out->len == empty)
		out->len = begin;
	else
		out_z(out, "\033[?2026l");
}

/* Read the rest of a key sequence after the escape character: "[…" or "O…". */
static enum screen_key screen_sequence(struct str *bytes)
{
	static const struct {
		const char *text;
		enum screen_key key;
	} known[] = {
		{ "[A", KEY_UP },         { "[B", KEY_DOWN },  { "[C", KEY_RIGHT },
		{ "[D", KEY_LEFT },       { "OA", KEY_UP },    { "OB", KEY_DOWN },
		{ "OC", KEY_RIGHT },      { "OD", KEY_LEFT },  { "[5~", KEY_PAGE_UP },
		{ "[6~", KEY_PAGE_DOWN }, { "[H", KEY_HOME },  { "[F", KEY_END },
		{ "OH", KEY_HOME },       { "OF", KEY_END },   { "[1~", KEY_HOME },
		{ "[4~", KEY_END },       { "[7~", KEY_HOME }, { "[8~", KEY_END },
		{ "OM", KEY_ENTER },
	};
	size_t n = 1;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (str_take(bytes, str_of(known[i].text)))
			return known[i].key;
	}
	/* unknown sequence: skip it, including its last byte */
	if (bytes->p[0] == '[') {
		while (n < bytes->len && (unsigned char)bytes->p[n] < 0x40)
			n++;
	}
	*bytes = str_skip(*bytes, n + 1);
	return KEY_NONE;
}

enum screen_key screen_key(struct str *bytes, uint32_t *ret_code)
{
	unsigned char c = (unsigned char)bytes->p[0];
	size_t n;

	*ret_code = 0;
	if (c == '\033') {
		*bytes = str_skip(*bytes, 1);
		if (bytes->len > 1 && (bytes->p[0] == '[' || bytes->p[0] == 'O'))
			return screen_sequence(bytes);
		return KEY_ESCAPE;
	}
	if (c == '\r' || c == '\n' || c == '\177' || c == '\b') {
		*bytes = str_skip(*bytes, 1);
		return c == '\r' || c == '\n' ? KEY_ENTER : KEY_ERASE;
	}
	n = utf8_decode(*bytes, ret_code);
	*bytes = str_skip(*bytes, n ? n : 1);
	return KEY_CHAR;
}
