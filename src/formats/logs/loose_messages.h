/* SPDX-License-Identifier: MIT */
/*
 * loose_messages.h - find single log lines in text that no format claims
 *
 * Users paste one to four lines of a log, often without times. The formats cannot distinguish such
 * lines from prose. But the rules know some messages by their words. The list of these messages is
 * in a layer above the formats. So the caller passes a function that recognises a known message.
 */
#ifndef FORMATS_LOOSE_MESSAGES_H
#define FORMATS_LOOSE_MESSAGES_H

#include "base/str.h"

#include <stddef.h>

struct dossier;
struct region;

/*
 * Test whether @text starts with a known message. @is_log: @text is certainly a log line, so the
 * message may be anywhere in it.
 */
typedef bool loose_is_message(struct str text, bool is_log);

/*
 * Make a capture of the lines in @in that have a known message. A record gets a time only if its
 * line has a time in a known layout. Returns the number of these lines; 0: no capture was made. At
 * most LOOSE_LINES lines are searched, because users paste few lines, and at most LOOSE_BYTES of
 * each line, because a message is near its start.
 */
size_t loose_messages_read(const struct region *in, struct dossier *d,
			   loose_is_message *is_message);

#endif
