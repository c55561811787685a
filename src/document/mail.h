/* SPDX-License-Identifier: MIT */
/*
 * mail.h - the texts in a mail, or in a mailbox of them
 *
 * Headers go: they hold no capture but much that looks like one. Each text part
 * and each attachment that turns out to be text, compressed or not, is cleaned
 * in its turn, with an empty line between two. Of parts that say the same in
 * several forms (multipart/alternative) the plain one is taken. Bodies are
 * unquoted; attachments are taken as they are.
 */
#ifndef DOCUMENT_MAIL_H
#define DOCUMENT_MAIL_H

#include "document/linemap.h"

/* Does @text start with a mail's header, maybe behind the "From " line of a mailbox? */
bool mail_is(struct str text);
/* Append what is in the mail or mailbox @p (with p->breaks NULL) to @out. Cost: linear. */
void mail_write(const struct piece *p, struct clean *out);

#endif
