/* SPDX-License-Identifier: MIT */
/* known_message.h - is a line of text a message that a rule knows? */
#ifndef EXPLAIN_KNOWN_MESSAGE_H
#define EXPLAIN_KNOWN_MESSAGE_H

#include "base/str.h"

/*
 * Whether @line is a line of a log with a message of known-message.names: the message is at its
 * start, or behind a time, a level or a bracket. A sentence that quotes a message is none.
 * @ret_level: enum log_level, as printed in the line. Cost: O(bytes of the line * messages).
 */
bool known_message_is(struct str line, unsigned int *ret_level);

#endif
