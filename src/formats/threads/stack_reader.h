/* SPDX-License-Identifier: MIT */
/*
 * stack_reader.h - threads of a dump, line by line, into the model
 */
#ifndef FORMATS_THREADS_STACK_READER_H
#define FORMATS_THREADS_STACK_READER_H

#include "core/dossier.h"
#include "formats/threads/stack_dialect.h"

struct stack_reader {
	struct capture *c;
	const struct stack_dialect *dialect;
	struct thread_row row; /* the open thread */
	struct str addresses;  /* of the open thread, for one whose frames are not named */
	bool is_open;
	bool is_stopped;    /* behind STACK_STOP */
	struct idmap by_id; /* threads of this snapshot */
	uint32_t snapshot;
	uint32_t first_row; /* of the snapshot */
	VEC(sym_id) syms;   /* scratch of one chain */
};

/* @c gets threads and a profile. Owner: caller, stack_reader_fini(). */
void stack_reader_init(struct stack_reader *r, struct capture *c, const struct stack_dialect *d);
/* Take one line; false: it is no part of a dump. @line_no: of the original input. */
bool stack_reader_line(struct stack_reader *r, struct str line, uint32_t line_no);
/* The last thread is complete. Returns whether there is any. */
bool stack_reader_end(struct stack_reader *r);
void stack_reader_fini(struct stack_reader *r);

#endif
