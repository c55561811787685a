/* SPDX-License-Identifier: MIT */
/*
 * loose_messages.h - single lines of logs in text that no reader takes
 *
 * Users paste one to four lines of a log, often without times. No reader can distinguish such lines
 * from prose, but the rules know some messages by their words. The list of these messages is in a
 * layer above the readers, so the caller passes a test of messages.
 */
#ifndef FORMATS_LOOSE_MESSAGES_H
#define FORMATS_LOOSE_MESSAGES_H

#include "base/str.h"

#include <stddef.h>

struct dossier;
struct region;

/*
 * Test of messages: whether @text starts with a known message. @is_log: @text is known to be a log
 * line; then the message may be anywhere in it.
 */
typedef bool loose_is_message(struct str text, bool is_log);

/*
 * Make a capture of the lines of @in that have a known message. A record has a time only if its
 * line has a time in a known layout. Returns the number of these lines; 0: no capture was made.
 * Only LOOSE_LINES lines are searched, because users paste few lines. Of each line, only
 * LOOSE_BYTES are searched, because messages are near its start.
 */
size_t loose_messages_read(const struct region *in, struct dossier *d,
			   loose_is_message *is_message);

#endif
