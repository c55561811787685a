/* SPDX-License-Identifier: MIT */
/*
 * context.h - workload facts from the text around a capture
 *
 * People describe the workload before a capture: "10000 requests", "3 replicas", "io_uring", or the
 * command after a shell prompt. Only lines that consist of such statements are used; sentences are
 * not searched.
 */
#ifndef FORMATS_CONTEXT_H
#define FORMATS_CONTEXT_H

#include "base/str.h"

struct detection;
struct document;
struct dossier;

enum context_kind {
	CONTEXT_BLANK,
	CONTEXT_PROSE,
	CONTEXT_FACTS,   /* "10000 requests", "clients: 16", "3 replicas, 2 nodes" */
	CONTEXT_WORD,    /* a line with a single word, next to a line of facts: "io_uring" */
	CONTEXT_COMMAND, /* a shell prompt, and the command after it */
};

/*
 * Iterator over the lines of a text. Before the first line, set `text` and zero all other members.
 */
struct context_walk {
	struct str text;
	uint32_t n; /* lines read so far */
	enum context_kind before;
};

/* Read the next line and its kind. False: end of the text. */
bool context_next(struct context_walk *w, struct str *ret_line, enum context_kind *ret_kind);
/*
 * Find the command of a line: the text after a shell prompt, or a command of perf or trace-cmd
 * without a prompt: "perf ftrace -C 0". False: no command.
 */
bool context_command(struct str line, struct str *ret_command);
/*
 * Find facts, words and commands in lines that no reader has used, and store them in the nearest
 * captures. @first_capture: index in @d of the first capture of @doc.
 */
void context_read(struct dossier *d, const struct document *doc, const struct detection *found,
		  size_t first_capture);

#endif
