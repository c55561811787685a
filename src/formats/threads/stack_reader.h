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

#define STACK_KEPT_ARGS 200u /* maximum length in bytes of last_args */

struct stack_reader {
	struct capture *c;
	const struct stack_dialect *dialect;
	struct thread_row row; /* the thread that is being read */
	/*
	 * text with the addresses of the current thread's frames, for dumps that print no function
	 * names
	 */
	struct str addresses;
	bool is_open;
	/*
	 * the frames of an interrupt were read and dropped; the next frames are those of the
	 * interrupted task
	 */
	bool is_interrupted;
	bool has_frame; /* the current thread has a frame that is not of kind STACK_GUESS */
	bool is_after_blank;
	/*
	 * prose follows the frames of the current thread. Only a frame with the next number still
	 * belongs to this thread
	 */
	bool is_left;
	/* the previous line reported the owner of a lock; the next thread is that owner */
	bool is_owner_next;
	/*
	 * threads are not read: they are in the list at the start of a deadlock report, or below a
	 * STACK_STOP line
	 */
	bool is_stopped;
	bool is_note_open; /* the next line may be the rest of the last note, which was wrapped */
	/* the dump has a STACK_STOP line, after which threads are printed again */
	bool has_repeats;
	/*
	 * name of the last thread in the list of a deadlock report. The line "which is held by X"
	 * below it names the owner of the lock that this thread waits for
	 */
	str_id cycle;
	/* state in the title of the dump, valid for all its threads; STR_ID_NONE: none */
	str_id title_state;
	/*
	 * thread of a command that prints one thread several times, "for i in 1 2 3; do cat
	 * /proc/42/stack; done"; STR_ID_NONE: none. Stacks without a title are of this thread.
	 */
	str_id again;
	struct idmap by_id; /* (id, name) -> index of the thread's row in this snapshot */
	uint32_t snapshot;
	uint32_t first_row; /* index of the first row of the current snapshot */
	VEC(sym_id) syms;   /* scratch space for the frames of one thread */
	struct stack_owners owners;
	uint64_t least_number; /* lowest thread number that gdb printed; 0: none */
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
 * Search @text, the whole dump, for a STACK_STOP line, and store the result in has_repeats. Call
 * this function before stack_reader_line(). Cost: O(length of @text).
 */
void stack_reader_look(struct stack_reader *r, struct str text);
/*
 * Read one line of the dump. Returns false if the line is not part of a dump. @line_no: number of
 * the line in the original input.
 */
bool stack_reader_line(struct stack_reader *r, struct str line, uint32_t line_no);
/* Finish the last thread. Returns false if the dump has no threads. */
bool stack_reader_end(struct stack_reader *r);
void stack_reader_fini(struct stack_reader *r);

#endif
