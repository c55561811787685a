/* SPDX-License-Identifier: MIT */
/*
 * body.h - the last step of cleaning: one text, line by line
 *
 * In this order: CR, terminal codes and U+00A0; Latin-1; quote marks;
 * format=flowed; Markdown; entities. Each step is left out when the text shows
 * no need of it.
 */
#ifndef DOCUMENT_BODY_H
#define DOCUMENT_BODY_H

#include "document/charset.h"
#include "document/linemap.h"

enum body_quotes {
	BODY_QUOTES_NONE,  /* '>' is text: attachments, traces */
	BODY_QUOTES_BLOCK, /* two lines in a row, or one behind a line that ends in ':' */
	BODY_QUOTES_MAIL,  /* every '>' at the start of a line but that of a wrapped C++ name */
};

struct body_options {
	enum body_quotes quotes;
	bool is_mail; /* ">From " is escaped; no Markdown blocks that hold quotes */
	bool is_flowed;
	bool is_delsp;        /* flowed: the blank at a break is not part of the text */
	enum charset charset; /* LATIN1 and WINDOWS_1252 are converted */
};

/* Append the lines of @p to @out. Cost: linear. */
void body_write(const struct piece *p, const struct body_options *options, struct clean *out);

#endif
