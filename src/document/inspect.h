/* SPDX-License-Identifier: MIT */
/*
 * inspect.h - whether a text needs cleaning (document.h), and which kind of cleaning
 *
 * Inspection must be cheap for traces of gigabytes. Texts up to 4 MiB are inspected whole. Larger
 * texts are inspected at the start and in windows spread over the file.
 */
#ifndef DOCUMENT_INSPECT_H
#define DOCUMENT_INSPECT_H

#include "base/str.h"

struct text_look {
	/*
	 * the text needs cleaning, because one of the next members is true, or because it has
	 * terminal codes or CRLF
	 */
	bool is_dirty;
	bool is_mail;
	bool is_html;
	bool has_quotes; /* '>' at the start of lines is a quote mark, not part of a diff */
};

struct text_look inspect_text(struct str text);
/*
 * Whether @text is binary. True if @text starts with the magic number of a binary format, or with
 * the first field of a pprof profile, or if the first 64 KiB have too many control bytes.
 */
bool inspect_is_binary(struct str text);

#endif
