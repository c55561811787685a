/* SPDX-License-Identifier: MIT */
/* stack_reader.h - read a dump of threads line by line into the threads of a capture */
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

#define STACK_KEPT_ARGS 200u /* maximum length of arguments that are kept */

struct stack_reader {
	struct capture *c;
	const struct stack_dialect *dialect;
	struct thread_row row; /* the thread that is being read */
	struct str addresses;  /* frames of this thread, if they are only addresses */
	bool is_open;
	bool is_interrupted; /* a STACK_INTERRUPTED of this thread was read */
	bool has_frame; /* the thread has at least one certain frame: its line is not STACK_GUESS */
	bool is_after_blank;
	/* other text followed the thread: only a frame with the next number continues it */
	bool is_left;
	/* the previous line reported the owner of a lock; the next thread is that owner */
	bool is_owner_next;
	/* threads are ignored: a STACK_STOP or a report of a deadlock was read */
	bool is_stopped;
	bool is_note_open; /* the next line may continue the last note */
	/* after STACK_STOP, the dump prints the threads of a deadlock again */
	bool has_repeats;
	/* in the report of a deadlock: name of the thread that the next line describes */
	str_id cycle;
	/* state of all threads of the dump, if its title has one; STR_ID_NONE: it has none */
	str_id title_state;
	struct idmap by_id; /* (id, name) -> index of the thread's row in this snapshot */
	uint32_t snapshot;
	uint32_t first_row; /* number of the first row of the current snapshot */
	VEC(sym_id) syms;   /* scratch space for the frames of one thread */
	struct stack_owners owners;
	uint64_t least_number; /* lowest number of a thread that gdb printed; 0: none */
	uint32_t least_line;
	char last_args[STACK_KEPT_ARGS]; /* arguments of the last frame as printed */
	size_t n_last_args;              /* length of last_args; 0: none, or too long */
};

/* The dialect named @name; NULL: none. */
const struct stack_dialect *stack_dialect_find(const char *name);
/*
 * Start reading a dump of dialect @d. Adds threads and a profile to @c. The caller frees the reader
 * with stack_reader_fini().
 */
void stack_reader_init(struct stack_reader *r, struct capture *c, const struct stack_dialect *d);
/*
 * Search @text, the whole dump, for a STACK_STOP line, and set has_repeats if there is one. Call it
 * before the first line. Cost: one search.
 */
void stack_reader_look(struct stack_reader *r, struct str text);
/*
 * Read one line. False: the line is not part of a dump. @line_no: its number in the original input.
 */
bool stack_reader_line(struct stack_reader *r, struct str line, uint32_t line_no);
/* Finish the last thread. False: the dump has no threads. */
bool stack_reader_end(struct stack_reader *r);
void stack_reader_fini(struct stack_reader *r);

#endif
