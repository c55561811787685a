/* SPDX-License-Identifier: MIT */
/*
 * body.h - last step of cleaning: one text, line by line
 *
 * Order: CR, terminal codes and U+00A0; Latin-1; quote marks; format=flowed; Markdown;
 * entities. A step is skipped if nothing in the text needs it.
 */
#ifndef DOCUMENT_BODY_H
#define DOCUMENT_BODY_H

#include "document/charset.h"

struct clean;
struct piece;

enum body_quotes {
	BODY_QUOTES_NONE,  /* '>' is text: attachments, traces */
	BODY_QUOTES_BLOCK, /* two marked lines in a row, or one after a line that ends in ':' */
	BODY_QUOTES_MAIL,  /* every '>' at the start of a line, except in a wrapped C++ name */
};

struct body_options {
	enum body_quotes quotes;
	bool is_mail; /* ">From " is escaped; Markdown blocks contain no quotes */
	bool is_flowed;
	bool is_delsp;        /* flowed: the blank before a break is not part of the text */
	enum charset charset; /* LATIN1 and WINDOWS_1252 are converted to UTF-8 */
};

/* Append the lines of @p to @out. Cost: linear. */
void body_write(const struct piece *p, const struct body_options *options, struct clean *out);

#endif
