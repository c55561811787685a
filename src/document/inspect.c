/* SPDX-License-Identifier: MIT */
#include "document/inspect.h"

#include "base/status.h"
#include "core/perf_features.h"
#include "document/label.h"
#include "document/listing.h"
#include "document/mail/mail.h"
#include "document/mail/quote.h"
#include "document/markup.h"
#include "document/terminal.h"

#define INSPECT_WHOLE_BYTES (UINT64_C(4) << 20)
#define INSPECT_HEAD_BYTES  (UINT64_C(1) << 20)
#define INSPECT_PLACE_BYTES 65536u
#define INSPECT_PLACES      15u

bool inspect_is_binary(struct str text)
{
	static const struct {
		const char *p;
		size_t len;
	} magics[] = {
		{ "\x17\x08\x44tracing", 10 },
		{ "\x7f"
		  "ELF",
		  4 },
		{ "gmon", 4 },
		{ "\x89PNG", 4 },
		{ "%PDF", 4 },
		{ "SQLite format 3", 16 },
	};
	struct byte_traits t;

	if (perf_features_is_recording(text))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		if (str_starts(text, (struct str){ magics[i].p, magics[i].len }))
			return true;
	}
	/*
	 * pprof has no magic number, and its strings may look like text: recognise it by its first
	 * field, a sample type
	 */
	if (text.len > 4 && text.p[0] == '\n' && text.p[1] >= 2 && text.p[1] <= 8 &&
	    text.p[2] == 0x08)
		return true;
	text = str_sub(text, 0, INSPECT_PLACE_BYTES);
	t = terminal_traits(text);
	return t.n_control * 64 > text.len;
}

/*
 * Whether '>' is a quote mark in @text. True if two lines in a row start with '>', or if one line
 * starts with '>' after a line that ends in ':'. False for a diff: many lines start with '<' there.
 */
static bool inspect_quotes(struct str text)
{
	struct str line;
	size_t n_marked = 0;
	size_t n_less = 0;
	size_t run = 0;
	bool is_quoted = false;
	bool colon = false;

	if (!str_contains(text, STR("\n>")) && !str_contains(text, STR("\n >")) &&
	    !quote_is_marked(text))
		return false;
	while (str_line(&text, &line)) {
		if (quote_is_marked(line) &&
		    (line.len == 1 || line.p[1] == ' ' || line.p[1] == '>' || colon || run)) {
			run++;
			n_marked++;
			is_quoted |= run >= 2 || colon;
			continue;
		}
		run = 0;
		n_less += str_starts(line, STR("< "));
		line = str_rtrim(line);
		if (line.len)
			colon = line.p[line.len - 1] == ':';
	}
	return is_quoted && n_less * 2 < n_marked;
}

static void inspect_window(struct str text, struct text_look *look)
{
	struct byte_traits t = terminal_traits(text);

	look->has_quotes |= inspect_quotes(text);
	look->is_dirty |= look->has_quotes || label_is_in(text) || listing_is_in(text) ||
			  markup_has_issue_link(text) || t.has_escape || t.has_cr ||
			  str_contains(text, STR("\n\\t")) ||
			  (t.has_high && terminal_is_dirty(text, &t)) ||
			  (t.has_amp && markup_has_entity(text)) ||
			  ((t.has_tick || t.has_less || str_contains(text, STR("~~~"))) &&
			   markup_is_markdown(text));
}

struct text_look inspect_text(struct str text)
{
	struct text_look look = { 0 };
	size_t step;

	look.is_mail = mail_is(text);
	look.is_html = !look.is_mail && markup_is_html(text);
	look.is_dirty = look.is_mail || look.is_html;
	if (look.is_dirty)
		return look;
	if (text.len <= INSPECT_WHOLE_BYTES) {
		inspect_window(text, &look);
		return look;
	}
	inspect_window(str_sub(text, 0, INSPECT_HEAD_BYTES), &look);
	step = (text.len - INSPECT_HEAD_BYTES) / INSPECT_PLACES;
	for (size_t i = 1; i <= INSPECT_PLACES; i++) {
		size_t at = INSPECT_HEAD_BYTES + i * step - INSPECT_PLACE_BYTES;
		struct str place = str_sub(text, at, at + INSPECT_PLACE_BYTES);

		/* a window begins inside a line: skip the rest of that line */
		inspect_window(str_skip(place, str_find_char(place, '\n')), &look);
	}
	return look;
}
