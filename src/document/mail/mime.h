/* SPDX-License-Identifier: MIT */
/* mime.h - header of a mail or a MIME part (RFC 2045, 2046, 2183) */
#ifndef DOCUMENT_MIME_H
#define DOCUMENT_MIME_H

#include "base/str.h"
#include "document/mail/charset.h"
#include "document/mail/transfer.h"

/* maximum length of a type, boundary or name; longer ones are truncated */
#define MIME_WORD_BYTES 128u

enum mime_kind {
	MIME_TEXT, /* text/plain, or a part without a declared type */
	MIME_HTML,
	/* text of other types, and application types that may be text: shown as it is */
	MIME_VERBATIM,
	MIME_MULTIPART,
	MIME_MESSAGE, /* message/rfc822 */
	MIME_OPAQUE,  /* not text: images and similar */
};

struct mime_header {
	enum mime_kind kind;
	enum transfer transfer;
	enum charset charset;
	/* multipart/alternative: each part has the same content, in another form */
	bool is_alternative;
	bool is_attachment; /* the part has a file name, or is declared an attachment */
	bool is_flowed;
	bool is_delsp;
	unsigned int n_fields;
	/* number of fields of a mail header: From, Subject, Received and so on */
	unsigned int n_mail_fields;
	char boundary[MIME_WORD_BYTES];
};

/*
 * Parse the header at the start of @text into @ret. Returns the length of the header, with its
 * final empty line. Returns 0 if @text does not start with a header. Inspects at most 1 MiB. Cost:
 * linear in the header.
 */
size_t mime_header(struct str text, struct mime_header *ret);

/*
 * Find the next line "--boundary" or "--boundary--" at or after @from. Returns its offset; text.len
 * if there is none. *@ret_end: offset after that line; *@ret_is_last: the line is "--boundary--".
 * Cost: linear in the skipped text.
 */
size_t mime_boundary(struct str text, size_t from, const char *boundary, size_t *ret_end,
		     bool *ret_is_last);

#endif
