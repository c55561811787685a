/* SPDX-License-Identifier: MIT */
/*
 * profile_text.h - rows of profiles that are printed as text
 *
 * profile_text_find.c finds where a table starts and ends, and profile_text.c reads it.
 * profile_text_graph.c reads the lines of call graphs.
 */
#ifndef FORMATS_PROFILERS_PROFILE_TEXT_H
#define FORMATS_PROFILERS_PROFILE_TEXT_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

struct amount;
struct text_dialect;
struct text_row;

/*
 * The first dialect (a tool's table format, text_dialects.h) that recognises the row @line even if
 * the table has no titles. NULL: none.
 */
const struct text_dialect *profile_text_alone(struct str line);
/*
 * Split a line such as "0.10s 50% | caller" at the '|'. pprof prints the callers and callees of a
 * function in such lines. False: @line is no such line.
 */
bool profile_text_edge(struct str line, struct str *ret_before, struct str *ret_name);
bool profile_text_is_row(const struct text_dialect *d, struct str line);
/*
 * Name of the function to which a block of stackprof belongs (DIALECT_NAMED). @above: the line
 * before the block, such as "Cart#total (shop/cart.rb:12)" or "stackprof dump --method
 * 'Cart#total'". Empty: no name.
 */
struct str profile_text_block_name(struct str above);
/*
 * Split a line of stackprof with a caller or callee: "1104  (  100.0%)  Cart#each". @ret_part: the
 * share as a number from 0 to 1. False: @line is no such line.
 */
bool profile_text_block_edge(struct str line, double *ret_part, struct str *ret_name);
bool profile_text_find(struct str text, size_t from, struct extent *ret);
unsigned int profile_text_probe(struct str head);

/*
 * @name, a name in a call graph, without these texts: "[index]" and "<cycle N>" of gprof, and
 * "func@" before an address of VTune.
 */
struct str profile_text_graph_name(struct str name);
/*
 * Whether @name in gprof's call graph is no function, but a cycle of functions or an unknown
 * caller.
 */
bool profile_text_graph_is_group(struct str name);
/*
 * Take the numbers from the line of the function itself in a gprof block: "[4] 96.1 0.00 1.24 parse
 * [4]". *@ret_below: time of the function's callees. False: @rest is no such line.
 */
bool profile_text_graph_focus(struct str *rest, double *ret_pct, unsigned int *ret_decimals,
			      struct amount *ret_self, struct amount *ret_below);
/*
 * Compute the total time of gprof's call graph from @line. Does nothing unless @line is the line of
 * a function itself, and its share is the largest so far. *@most_pct: the largest share so far; 0
 * before the first call.
 */
void profile_text_graph_whole(struct amount *whole, struct str line, double *most_pct);

enum text_term {
	TERM_NONE,
	TERM_BEGIN, /* "{[{{m,f,1},  3,  0.2,  0.1},": the first caller of a function */
	TERM_EDGE,  /* "{{m,f,1},  3,  0.2,  0.1},": a caller or callee */
	TERM_FOCUS, /* "{ {m,g,2},  3,  0.2,  0.1},  %": the function itself */
	TERM_TOTAL, /* the line that starts the block of all processes together */
	TERM_PROCESS,
};

/* State of profile_text_term_process(). The caller clears it before the first call. */
struct text_processes {
	bool has_process; /* the block of a single process has begun */
	/*
	 * the current block is of a single process. It repeats a part of the block of all
	 * processes, so it is skipped
	 */
	bool is_again;
};

/*
 * Parse a line of a block of fprof. If the line has a function and its own time, @ret gets both.
 * The accumulated time is not used, because it includes waiting.
 */
enum text_term profile_text_term(struct str line, struct text_row *ret);
/*
 * Update @p for a line of the kind @kind. fprof with {totals,true} first prints a block for all
 * processes together. The blocks of single processes follow and repeat the same calls. @has_rows: a
 * function was read before this line.
 */
void profile_text_term_process(struct text_processes *p, enum text_term kind, bool has_rows);
/*
 * Name of the function in the Erlang term "{m,f,1}": "m:f/1", written to @buffer. A name in any
 * other form is returned unchanged.
 */
struct str profile_text_term_name(struct str name, char *buffer, size_t size);

#endif
