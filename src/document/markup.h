/* SPDX-License-Identifier: MIT */
/*
 * markup.h - remove Markdown and HTML around captures
 *
 * Markdown: lines that contain only a fence or a <details>, <summary>, <pre> or <code> tag
 * become empty, and the indentation of an indented fence is removed from its content. HTML: a
 * page becomes its text. <pre> keeps its blanks, the rest is laid out by block elements.
 * Scripts are removed unless they contain data (systrace stores its trace in one).
 */
#ifndef DOCUMENT_MARKUP_H
#define DOCUMENT_MARKUP_H

#include "base/str.h"

struct line_breaks;
struct out;
struct piece;

/* Whether a text that starts with @head is an HTML page. */
bool markup_is_html(struct str head);
/* Whether @text has a Markdown fence line, or a tag that markup_line() removes. Inspects 4 MiB. */
bool markup_is_markdown(struct str text);

/*
 * Append the text of page @p to @out; @ret maps each line to the original. Cost: linear. False:
 * truncated at @limit bytes.
 */
bool markup_html(const struct piece *p, size_t limit, struct out *out, struct line_breaks *ret);

struct markup_state {
	size_t fence;  /* length of the open fence, 0: none */
	size_t indent; /* indentation of the open fence */
	size_t depth;  /* quote depth of the open fence */
	char mark;     /* '`' or '~' */
};

/* Clean @line of a Markdown text at quote depth @depth. Adds the undone encodings to *@undone. */
struct str markup_line(struct markup_state *m, struct str line, size_t depth, uint32_t *undone);

/*
 * Forges make a link of "#7", also where it is the number of a stack frame: if @line is
 * "  https://github.com/OWNER/NAME/issues/7 0x..." or "  NAME#7 0x...", append "  #7 0x..." to
 * @out. False: it is not.
 */
bool markup_issue_link(struct str line, struct out *out);
/* Has a line of @text such a link? */
bool markup_has_issue_link(struct str text);
/* Whether @line has an entity that markup_entities() decodes. */
bool markup_has_entity(struct str line);
/* Append @line with its entities (&lt; &gt; &amp; &quot; &apos; &nbsp; &#n;) decoded. */
void markup_entities(struct str line, struct out *out);

#endif
