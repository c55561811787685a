/* SPDX-License-Identifier: MIT */
/*
 * loose_messages.h - single lines of logs in text that no reader takes
 *
 * People paste one to four lines of a log, often without their times. No reader can tell them from
 * prose, but the rules know some messages by their words. The caller gives the test, because the
 * list of messages is in a layer above the readers.
 */
#ifndef FORMATS_LOOSE_MESSAGES_H
#define FORMATS_LOOSE_MESSAGES_H

#include "base/str.h"

#include <stddef.h>

struct dossier;
struct region;

/*
 * Whether @text starts with a known message. With @is_log, @text is known to be of a log, so that
 * the message may be anywhere in it.
 */
typedef bool loose_is_message(struct str text, bool is_log);

/*
 * Make a capture with the lines of @in that are messages. A line without a time in a known layout
 * has no time. Returns their number; without any, no capture is made. At most LOOSE_LINES lines are
 * searched, each up to LOOSE_BYTES: people paste few, and messages are near the start.
 */
size_t loose_messages_read(const struct region *in, struct dossier *d,
			   loose_is_message *is_message);

#endif
