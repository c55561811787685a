/* SPDX-License-Identifier: MIT */
/* known_message.h - is a text a message that a rule knows? */
#ifndef EXPLAIN_KNOWN_MESSAGE_H
#define EXPLAIN_KNOWN_MESSAGE_H

#include "base/str.h"

/*
 * Whether @text starts with a message of known-message.names. @is_log: @text is from a log, so the
 * message may be anywhere in it. Cost: O(bytes of @text * messages).
 */
bool known_message_is(struct str text, bool is_log);

#endif
