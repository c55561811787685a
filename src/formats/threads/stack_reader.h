/* SPDX-License-Identifier: MIT */
/* stack_reader.h - read the threads of a dump, line by line, into the model */
#ifndef FORMATS_THREADS_STACK_READER_H
#define FORMATS_THREADS_STACK_READER_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "formats/threads/stack_owners.h"

struct capture;
struct stack_dialect;

struct stack_reader {
	struct capture *c;
	const struct stack_dialect *dialect;
	struct thread_row row; /* the open thread */
	struct str addresses;  /* of the open thread, if its frames have no names */
	bool is_open;
	bool has_frame; /* the open thread, besides guesses */
	bool is_after_blank;
	bool is_owner_next; /* the next thread is the owner of a lock */
	bool is_stopped;    /* after STACK_STOP */
	bool is_note_open;  /* the next line may be the rest of the last note */
	bool has_repeats;   /* threads of a cycle are printed again, below STACK_STOP */
	struct idmap by_id; /* threads of this snapshot */
	uint32_t snapshot;
	uint32_t first_row; /* of the snapshot */
	VEC(sym_id) syms;   /* scratch for one chain */
	struct stack_owners owners;
};

/* The dialect called @name, or NULL. */
const struct stack_dialect *stack_dialect_find(const char *name);
/* @c gets threads and a profile. Owner: caller, stack_reader_fini(). */
void stack_reader_init(struct stack_reader *r, struct capture *c, const struct stack_dialect *d);
/* Look ahead in the whole dump @text. Cost: one search. */
void stack_reader_look(struct stack_reader *r, struct str text);
/* Take one line. False: not part of a dump. @line_no: in the original input. */
bool stack_reader_line(struct stack_reader *r, struct str line, uint32_t line_no);
/* Finish the last thread. False: the dump has no threads. */
bool stack_reader_end(struct stack_reader *r);
void stack_reader_fini(struct stack_reader *r);

#endif
