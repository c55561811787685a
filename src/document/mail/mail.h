/* SPDX-License-Identifier: MIT */
/*
 * mail.h - extract the texts of a mail or a mailbox
 *
 * Headers are removed: they contain no capture, but often look like one. Each text part is cleaned
 * separately, and also each attachment that is text or compressed text. An empty line separates
 * them. If parts are alternatives (multipart/alternative), only the plain text is used. Quote marks
 * are removed from bodies, not from attachments.
 */
#ifndef DOCUMENT_MAIL_H
#define DOCUMENT_MAIL_H

#include "base/str.h"

struct clean;
struct piece;

/* Whether @text starts with a mail header, which may follow the "From " line of a mailbox. */
bool mail_is(struct str text);
/* Append the texts of the mail or mailbox @p to @out. p->breaks must be NULL. Cost: linear. */
void mail_write(const struct piece *p, struct clean *out);

#endif
