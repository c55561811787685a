/* SPDX-License-Identifier: MIT */
/*
 * mime.h - what the header of a mail or of a part of one says (RFC 2045, 2046, 2183)
 */
#ifndef DOCUMENT_MIME_H
#define DOCUMENT_MIME_H

#include "document/charset.h"
#include "document/transfer.h"

#define MIME_WORD_BYTES 128u /* a longer type, boundary or name is cut */

enum mime_kind {
	MIME_TEXT, /* text/plain, or nothing said */
	MIME_HTML,
	MIME_VERBATIM, /* other text, and what may be text (application) */
	MIME_MULTIPART,
	MIME_MESSAGE, /* message/rfc822 */
	MIME_OPAQUE,  /* images and the like */
};

struct mime_header {
	enum mime_kind kind;
	enum transfer transfer;
	enum charset charset;
	bool is_alternative; /* multipart: the same in several forms */
	bool is_attachment;  /* has a file name, or says so */
	bool is_flowed;
	bool is_delsp;
	unsigned int n_fields;
	unsigned int n_mail_fields; /* From, Subject, Received and so on */
	char boundary[MIME_WORD_BYTES];
};

/*
 * Read the header at the start of @text into @ret.
 * Returns its length with the empty line that ends it; 0 if @text does not
 * start with one. At most 1 MiB is looked at. Cost: the header.
 */
size_t mime_header(struct str text, struct mime_header *ret);

/*
 * The next line "--boundary" or "--boundary--" in @text at or behind @from.
 * Returns its place, text.len if there is none; *@ret_end is behind it,
 * *@ret_is_last tells the closing one. Cost: what it passes over.
 */
size_t mime_boundary(struct str text, size_t from, const char *boundary, size_t *ret_end,
		     bool *ret_is_last);

#endif
