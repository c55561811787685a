/* SPDX-License-Identifier: MIT */
/*
 * mail.h - texts of a mail or a mailbox
 *
 * Headers are dropped: they contain no capture, but much that resembles one. Each text part and
 * each attachment that is text, compressed or not, is cleaned separately; an empty line
 * separates them. Of alternative parts (multipart/alternative) the plain one is used. Bodies
 * are unquoted, attachments are not.
 */
#ifndef DOCUMENT_MAIL_H
#define DOCUMENT_MAIL_H

#include "base/str.h"

struct clean;
struct piece;

/* Whether @text starts with a mail header, perhaps after the "From " line of a mailbox. */
bool mail_is(struct str text);
/* Append the texts of the mail or mailbox @p (with p->breaks NULL) to @out. Cost: linear. */
void mail_write(const struct piece *p, struct clean *out);

#endif
