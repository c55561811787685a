/* SPDX-License-Identifier: MIT */
/* session_parts.h - shared by the session_*.c files; private to these */
#ifndef CMDS_SESSION_PARTS_H
#define CMDS_SESSION_PARTS_H

#include "base/status.h"

struct args_list;
struct args_option;
struct session;

/* Parse the filters as given into s->change.select. Errors: those of select_parse(). */
MUST_CHECK int session_input_choose(struct session *s, struct error *err);
/* Collect option values that are input files, "--kallsyms FILE", into s->in.named. */
void session_input_name_files(struct session *s, const struct args_option *options);
/* All input files and folders of the command line. Owner: caller, VEC_FREE(). */
void session_input_list(const struct session *s, struct args_list *ret);
/* False, after a message: an input occurs twice, and its samples would count twice. */
bool session_input_is_each_once(const struct session *s);
/* Find a file with a name like that of the first missing input, into s->in.hint. */
void session_input_suggest(struct session *s);
/* Flush the output and put the file in place; a confined process leaves that to its parent. */
int session_output_close(struct session *s, bool is_complete);

#endif
