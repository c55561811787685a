/* SPDX-License-Identifier: MIT */
/*
 * record_words.h - parse recording options of the command line
 *
 * Each function returns ERR_USAGE, with the reason in @err, if its text is invalid. A text of NULL
 * changes nothing.
 */
#ifndef CMDS_RECORD_WORDS_H
#define CMDS_RECORD_WORDS_H

#include "base/status.h"

struct args_list;
struct record_spec;

/* Parse lists of process or thread ids, such as "12,34", into @spec. @what: name of the option. */
MUST_CHECK int record_ids(const struct args_list *lists, const char *what, struct record_spec *spec,
			  bool are_threads, struct error *err);
/*
 * Parse the method for call chains: "unwind", "fp", "dwarf", "lbr" or "no". After "unwind" and
 * "dwarf", the size of the stack copy in bytes may follow: "dwarf,16384".
 */
MUST_CHECK int record_chain(const char *text, struct record_spec *spec, struct error *err);

#endif
