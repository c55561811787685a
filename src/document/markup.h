/* SPDX-License-Identifier: MIT */
/*
 * markup.h - Markdown and HTML around captures
 *
 * In Markdown, lines that are only a fence or a <details>, <summary>, <pre> or
 * <code> tag become empty, and what an indented fence indents is moved back. A
 * page of HTML becomes its text: <pre> keeps its blanks, the rest is laid out
 * by block elements; scripts go, unless they carry data (systrace keeps its
 * trace in one).
 */
#ifndef DOCUMENT_MARKUP_H
#define DOCUMENT_MARKUP_H

#include "document/linemap.h"

/* Is a text that starts with @head a page of HTML? */
bool markup_is_html(struct str head);
/* Has @text a line that is a Markdown fence, or a tag that markup_line() knows? Looks at 4 MiB. */
bool markup_is_markdown(struct str text);

/*
 * Append the text of page @p to @out; @ret leads each line back.
 * Cost: linear. False: past @limit bytes, and the rest was cut.
 */
bool markup_html(const struct piece *p, size_t limit, struct out *out, struct line_breaks *ret);

struct markup_state {
	size_t fence;  /* length of the open fence, 0: none is open */
	size_t indent; /* of the open fence */
	size_t depth;  /* quote depth of the open fence */
	char mark;     /* '`' or '~' */
};

/*
 * What is left of @line of a Markdown text at quote depth @depth. Or's what it
 * undid into *@undone.
 */
struct str markup_line(struct markup_state *m, struct str line, size_t depth, uint32_t *undone);

/* Has @line an entity that markup_entities() decodes? */
bool markup_has_entity(struct str line);
/* Append @line with its entities (&lt; &gt; &amp; &quot; &apos; &nbsp; &#n;) decoded. */
void markup_entities(struct str line, struct out *out);

#endif
