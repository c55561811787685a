/* SPDX-License-Identifier: MIT */
/*
 * counter_threads.h - tables of top and ps whose rows are threads
 *
 *         PID USER    PR  NI    VIRT    RES    SHR S  %CPU %MEM   TIME+ COMMAND
 *        7105 shop    20   0 2093408 310220  18244 S   9.7  1.9 0:31.40 IoPool0
 *        7106 shop    20   0 2093408 310220  18244 S   9.3  1.9 0:31.36 IoPool1
 *        7101 shop    20   0 2093408 310220  18244 S   0.7  1.9 0:02.12 shopd
 *
 * top -H prints the same titles as top. Its rows are recognised by the line "Threads: 112 total" or
 * the command above them. Without these, they are recognised by their sizes: threads share the
 * memory of their process, so all rows have the same VIRT, RES and SHR. Processes of one program
 * may have equal sizes, too, such as idle workers after fork(), but they have one name. So without
 * a head, rows with equal sizes and one name are not taken for threads.
 *
 * ps -L prints the number of the thread (LWP, TID, SPID) after the number of the process.
 */
#ifndef FORMATS_COUNTER_THREADS_H
#define FORMATS_COUNTER_THREADS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

struct capture;
struct format;
struct region;

/* The rows below one line of titles. */
struct thread_block {
	uint32_t first_line; /* line of the titles */
	uint32_t last_line;  /* line of the last row */
	uint32_t n;          /* number of rows */
	size_t from, to;     /* its counters: indices in counters.rows, without `to` */
	uint32_t process;    /* number of the process of the first row; 0: not printed */
	unsigned int said;   /* enum thread_said: what the head or the command above says */
	bool has_threads; /* a row has the number of a thread, and it is not that of its process */
	bool has_processes; /* the rows belong to several processes */
	unsigned int kind;  /* enum thread_kind, private to counter_threads.c */
};

enum thread_said {
	THREAD_SAID_NOTHING,
	THREAD_SAID_THREADS, /* "Threads: 112 total", "top -H" */
	THREAD_SAID_TASKS,   /* "Tasks: 112 total": the rows are processes */
};

struct thread_blocks {
	VEC(struct thread_block) rows;
	unsigned int head;    /* what the head of the next block says */
	unsigned int command; /* what the last command says */
};

/* Parse the lines above the region @in, which may be the head of top or its command. */
void thread_blocks_above(struct thread_blocks *b, const struct region *in);
/* Parse a line between two tables, which may belong to the head of top. */
void thread_blocks_line(struct thread_blocks *b, struct str line);
/* Begin a block whose titles are in line @line. @from: number of counters before it. */
void thread_blocks_begin(struct thread_blocks *b, uint32_t line, size_t from);
/* Add a row of the process @process and its thread @thread; empty: not printed. */
void thread_blocks_row(struct thread_blocks *b, struct str process, struct str thread,
		       uint32_t line);
/*
 * Mark @c if its rows are threads. Format @f has read @c from @in. If only some blocks are threads,
 * each group of blocks of one kind becomes a capture of its own. If the threads belong to one
 * process, the sizes of the process move from the rows to notes, one for each block. Frees the
 * content of @b. Cost: O(cells).
 */
void counter_threads_apply(const struct format *f, const struct region *in, struct capture *c,
			   struct thread_blocks *b);

#endif
