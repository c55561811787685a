/* SPDX-License-Identifier: MIT */
#include "cmds/screen/screen_keys.h"

#include "base/out.h"
#include "base/text/utf8.h"
#include "render/screen.h"
#include "render/view.h"

#include <string.h>

#define PROMPT_BYTES 200u /* maximum length of a typed text */

bool screen_command_run(const struct screen_command *table, size_t n, enum screen_key key,
			uint32_t code, void *arg)
{
	for (size_t i = 0; i < n; i++) {
		bool is_char = key == KEY_CHAR && code && code < 128 && table[i].chars &&
			       strchr(table[i].chars, (int)code);

		if (is_char || (key != KEY_CHAR && table[i].keys & UINT32_C(1) << key)) {
			table[i].run(arg, code);
			return true;
		}
	}
	return false;
}

void screen_command_help(const struct screen_command *table, size_t n, struct view *v)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].title)
			view_line(v, table[i].title, "%s", table[i].what);
	}
}

void screen_prompt_begin(struct screen_prompt *p)
{
	p->is_on = true;
	p->before.len = 0;
	out_str(&p->before, out_view(&p->text));
}

void screen_prompt_key(struct screen_prompt *p, enum screen_key key, uint32_t code)
{
	struct out *text = &p->text;

	if (key == KEY_ENTER) {
		p->is_on = false;
	} else if (key == KEY_ESCAPE) {
		p->is_on = false;
		text->len = 0;
		out_str(text, out_view(&p->before));
	} else if (key == KEY_ERASE) {
		while (text->len && (text->data[--text->len] & 0xc0) == 0x80)
			;
	} else if (key == KEY_CHAR && code >= ' ' && code != 0x7f && text->len < PROMPT_BYTES) {
		utf8_encode(text, code);
	}
}

void screen_prompt_fini(struct screen_prompt *p)
{
	out_fini(&p->text);
	out_fini(&p->before);
}
