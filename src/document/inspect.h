/* SPDX-License-Identifier: MIT */
/*
 * inspect.h - whether a text needs cleaning, and which kind
 *
 * The check must be cheap for traces of gigabytes. Texts up to 4 MiB are inspected whole,
 * larger ones at the start and at places spread over the file.
 */
#ifndef DOCUMENT_INSPECT_H
#define DOCUMENT_INSPECT_H

#include "base/str.h"

struct text_look {
	bool is_dirty; /* any of the following, or terminal codes, or CRLF */
	bool is_mail;
	bool is_html;
	bool has_quotes; /* lines with '>' that are quoted and not a diff */
};

struct text_look inspect_text(struct str text);
/*
 * Decide by the first 64 KiB: a binary format's magic number, or more control bytes than text
 * has.
 */
bool inspect_is_binary(struct str text);

#endif
