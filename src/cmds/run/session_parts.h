/* SPDX-License-Identifier: MIT */
/* session_parts.h - functions shared by the session_*.c files only */
#ifndef CMDS_SESSION_PARTS_H
#define CMDS_SESSION_PARTS_H

#include "base/status.h"

struct args_list;
struct args_option;
struct session;

/* Parse the filters in s->in.chosen into s->change.select. Errors: those of select_parse(). */
MUST_CHECK int session_input_choose(struct session *s, struct error *err);
/* Add files that are values of options, such as "--kallsyms FILE", to s->in.named. */
void session_input_name_files(struct session *s, const struct args_option *options);
/*
 * Append all input files and folders of the command line to @ret. Owner of @ret: caller,
 * VEC_FREE().
 */
void session_input_list(const struct session *s, struct args_list *ret);
/*
 * Check that no input is named twice, because its samples would count twice. False: an input is
 * named twice, and a message was printed.
 */
bool session_input_is_each_once(const struct session *s);
/*
 * If an input is missing, set s->in.hint to the name of a similar file. Call this before the
 * process is confined, because it lists folders.
 */
void session_input_suggest(struct session *s);
/*
 * Flush the output and put the file in place. In a confined process, the parent puts the file in
 * place.
 */
int session_output_close(struct session *s, bool is_complete);

#endif
