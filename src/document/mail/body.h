/* SPDX-License-Identifier: MIT */
/*
 * body.h - the last step of cleaning: process one text line by line
 *
 * It removes or converts, in this order: CR; Latin-1; terminal codes and Unicode blanks; quote
 * marks; container names at the start of log lines ("db_1 | "); line numbers; Markdown; HTML
 * entities; links that GitHub makes from frame numbers ("#3"), as if they were numbers of issues;
 * soft line breaks of format=flowed. A step is skipped if the text does not need it.
 */
#ifndef DOCUMENT_BODY_H
#define DOCUMENT_BODY_H

#include "document/mail/charset.h"

struct clean;
struct piece;

enum body_quotes {
	BODY_QUOTES_NONE, /* '>' is never a quote mark: attachments, traces */
	/* '>' is a quote mark on two or more lines in a row, or after a line that ends in ':' */
	BODY_QUOTES_BLOCK,
	/*
	 * each '>' at the start of a line is a quote mark, except a '>' that continues a wrapped
	 * C++ name
	 */
	BODY_QUOTES_MAIL,
};

struct body_options {
	enum body_quotes quotes;
	/*
	 * a mail: ">From " is an escaped "From ", and quote marks are removed even in Markdown
	 * fences
	 */
	bool is_mail;
	bool is_flowed;
	/*
	 * delsp=yes of a flowed text: the blank at the end of a wrapped line is not part of the
	 * text
	 */
	bool is_delsp;
	/* LATIN1 and WINDOWS_1252 are converted to UTF-8, others are unchanged */
	enum charset charset;
};

/* Append the cleaned lines of @p to @out. Cost: linear. */
void body_write(const struct piece *p, const struct body_options *options, struct clean *out);

#endif
