/* SPDX-License-Identifier: MIT */
/*
 * inspect.h - does a text need cleaning, and of what
 *
 * The answer must cost nothing for a trace of gigabytes: texts up to 4 MiB are
 * looked at whole, of larger ones the head and places spread over the file.
 */
#ifndef DOCUMENT_INSPECT_H
#define DOCUMENT_INSPECT_H

#include "base/str.h"

struct text_look {
	bool is_dirty; /* any of the rest, or what terminals and CRLF leave */
	bool is_mail;
	bool is_html;
	bool has_quotes; /* lines with '>' that are quoting and not a diff */
};

struct text_look inspect_text(struct str text);
/* By its first 64 KiB: a binary format's mark, or more control bytes than text has. */
bool inspect_is_binary(struct str text);

#endif
