/* SPDX-License-Identifier: MIT */
/*
 * scaling_words.h - words in the titles of columns, for tables that show how a benchmark scales
 * with the number of threads, clients or nodes
 */
#ifndef CORE_SCALING_WORDS_H
#define CORE_SCALING_WORDS_H

#include "base/str.h"

#include <stdbool.h>

enum scaling_value {
	SCALING_NONE,    /* none of the quantities below, or unknown */
	SCALING_RATE,    /* work per time: "tps", "MB/s", "throughput" */
	SCALING_TIME,    /* time of a piece of work: "wall time", "elapsed" */
	SCALING_LATENCY, /* time of one operation: "latency", "p99", "ns/op" */
	SCALING_CPU,     /* CPU time: "system CPU" */
};

/*
 * Title for a column with the NUMA nodes to which numactl binds the program, "0-3". The reader of
 * the table replaces the printed title by this one, and the list of nodes by their number.
 */
#define SCALING_NUMA "NUMA nodes"

/*
 * Whether @title names a number of things that work at the same time: "threads", "# clients". The
 * title "thread" does not: its column has the number of each thread.
 */
bool scaling_words_is_count(struct str title);
/*
 * Whether @title, for which scaling_words_is_count() is true, may also count elements of the data:
 * "nodes" of a graph.
 */
bool scaling_words_is_ambiguous(struct str title);
/* The quantity that @title and @unit name. @unit may be empty. Cost: O(length of @title). */
enum scaling_value scaling_value_of(struct str title, struct str unit);

#endif
