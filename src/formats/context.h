/* SPDX-License-Identifier: MIT */
/*
 * context.h - what the text around a capture says about it
 *
 * Above a capture people write what was run: "10000 requests", "3 replicas",
 * "io_uring", or the command after a shell prompt. Only lines that consist of
 * such a statement count; nothing is picked out of sentences.
 */
#ifndef FORMATS_CONTEXT_H
#define FORMATS_CONTEXT_H

#include "formats/detect.h"

enum context_kind {
	CONTEXT_BLANK,
	CONTEXT_PROSE,
	CONTEXT_FACTS,   /* "10000 requests", "clients: 16", "3 replicas, 2 nodes" */
	CONTEXT_WORD,    /* one word beside a line of facts: "io_uring" */
	CONTEXT_COMMAND, /* a shell prompt and what was typed */
};

/* Walks the lines of a stretch; zero all but text and first_line. */
struct context_walk {
	struct str text;
	uint32_t n; /* lines taken */
	enum context_kind before;
};

/* The next line and what it is. */
bool context_next(struct context_walk *w, struct str *ret_line, enum context_kind *ret_kind);
/* The command of a line with a shell prompt: "perf ftrace -C 0"; false if it is none. */
bool context_command(struct str line, struct str *ret_command);
/* The next "10000 requests" of a line of facts; moves @line on. */
bool context_fact(struct str *line, uint64_t *ret_value, struct str *ret_name);
/*
 * Give the captures of this document (those from @first_capture on) the facts,
 * words and command that stand near them.
 */
void context_read(struct dossier *d, const struct document *doc, const struct detection *found,
		  size_t first_capture);

#endif
