/* SPDX-License-Identifier: MIT */
/*
 * Text is handled one byte at a time: a loop calls a function for each byte, where a whole
 * buffer could be compared or copied at once.
 *
 * Thresholds, of the time that is not idle: A program without such a loop shows below 1 %.
 */
#include "explain/signature.h"

#define BYTE_LOOP_NOTE_PCT 5.0
#define BYTE_LOOP_LEAD_PCT 15.0

static const struct signature byte_loop = {
	.functions = "tolower|toupper|towlower|towupper|__ctype_tolower_loc|"
		     "__ctype_toupper_loc|strcasecmp|strncasecmp|strcasecmp_l|isalnum|isalpha|"
		     "getc|_IO_getc|fgetc|_IO_feof|memcpy_byte*",
	.note_pct = BYTE_LOOP_NOTE_PCT,
	.lead_pct = BYTE_LOOP_LEAD_PCT,
	.sure_note = 62,
	.sure_lead = 75,
	.is_user = true,
	.what = "handles text byte by byte",
	.name = "functions that take one byte",
	.cause = "a loop calls a function for each byte, where a whole buffer could "
		 "be compared or copied at once",
	.because = "functions that take one byte are hot only in a loop over bytes",
	.next = { "perf annotate of the caller: the loop around it",
		  "convert once when it comes in, then compare with memcmp or a hash" },
};

const struct rule rule_byte_loop = {
	.id = "byte-loop",
	.title = "text is handled one byte at a time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &byte_loop,
};
