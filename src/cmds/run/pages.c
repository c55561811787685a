/* SPDX-License-Identifier: MIT */
#include "cmds/run/pages.h"

#include "base/out.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "render/markdown.h"
#include "render/terminal.h"
#include "render/view.h"

#include <unistd.h>

#define PAGES_COLUMNS 80u /* maximum width of a page: longer lines are harder to read */

struct str pages_find(const struct page *pages, struct str id)
{
	for (const struct page *p = pages; p->id; p++) {
		if (str_eq(str_of(p->id), id))
			return str_of(p->text);
	}
	return STR_NONE;
}

int pages_print(struct session *s, struct str page)
{
	struct out *out = session_open(s);
	struct text_options opt;

	if (!out)
		return EXIT_FAILED;
	opt = terminal_options(s->to.path ? s->to.file.fd : STDOUT_FILENO, s->to.colour);
	markdown_write(out, page,
		       opt.width && opt.width < PAGES_COLUMNS ? opt.width : PAGES_COLUMNS,
		       opt.has_colour);
	return EXIT_DONE;
}
