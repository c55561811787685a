/* SPDX-License-Identifier: MIT */
/*
 * markup.h - remove Markdown and HTML around captures
 *
 * Markdown: lines that contain only a fence ("```") or a <details>, <summary>, <pre> or <code> tag
 * become empty. The content of an indented fence loses this indentation. Content on the line of a
 * fence stays: "```[1.2s] GC(0) ..." becomes "[1.2s] GC(0) ...".
 *
 * HTML: a page becomes its text. Blanks in <pre> stay. Block elements outside <pre> become lines.
 * Scripts are removed, except if they contain data (systrace stores its trace in a script).
 */
#ifndef DOCUMENT_MARKUP_H
#define DOCUMENT_MARKUP_H

#include "base/str.h"

struct line_breaks;
struct out;
struct piece;

/* Whether a text that starts with @head is an HTML page. */
bool markup_is_html(struct str head);
/*
 * Whether @text has a Markdown fence, or a tag that markup_line() removes. Inspects the first 4
 * MiB.
 */
bool markup_is_markdown(struct str text);

/*
 * Append the text of page @p to @out. @ret maps each line to its original line. False: the text was
 * truncated at @limit bytes. Cost: linear.
 */
bool markup_html(const struct piece *p, size_t limit, struct out *out, struct line_breaks *ret);

struct markup_state {
	size_t fence;  /* length of the open fence; 0: no fence is open */
	size_t indent; /* indentation of the open fence */
	size_t depth;  /* quote depth of the line that opened the fence */
	char mark;     /* character of the open fence: '`' or '~' */
	bool is_glued; /* the content began on the line of the open fence */
};

/* Clean @line of a Markdown text; @depth is its quote depth. Adds undone encodings to *@undone. */
struct str markup_line(struct markup_state *m, struct str line, size_t depth, uint32_t *undone);

/*
 * If @line has a stack frame whose number "#7" GitHub turned into a link to issue 7, append " #7
 * 0x..." to @out and return true. GitHub writes " https://github.com/OWNER/NAME/issues/7 0x..." or
 * " NAME#7 0x...".
 */
bool markup_issue_link(struct str line, struct out *out);
/* Whether @text has a line that markup_issue_link() converts. */
bool markup_has_issue_link(struct str text);
/* Whether @line has an entity that markup_entities() decodes. */
bool markup_has_entity(struct str line);
/* Append @line with its entities decoded, such as &lt; and &#60;. */
void markup_entities(struct str line, struct out *out);

#endif
