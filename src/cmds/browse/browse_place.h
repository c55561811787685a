/* SPDX-License-Identifier: MIT */
/*
 * browse_place.h - what the browser shows: a place (a view, with its settings), and the data
 *
 * A place is small and has no pointers into the data. A change of the filters reads the input
 * again, so a place stores functions by their names.
 */
#ifndef CMDS_BROWSE_PLACE_H
#define CMDS_BROWSE_PLACE_H

#include "base/arena.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "core/ids.h"
#include "explain/findings.h"
#include "transform/select.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct browse_options;
struct capture;
struct facts;

enum browse_view_id {
	BROWSE_FINDINGS,
	BROWSE_TABLE,
	BROWSE_CALLERS,
	BROWSE_TREE,
	BROWSE_THREADS,
	BROWSE_ANNOTATE,
	BROWSE_REPORT, /* the output of `report` for the whole capture */
	BROWSE_FLAME,  /* the call tree as a flame graph */
	BROWSE_DIFF,   /* the comparison of the first input with the second input */
	BROWSE_TIME,   /* the times at which each thread ran */
	BROWSE_HELP,
	BROWSE_COMMAND, /* the command that prints the same as the previous view */
	BROWSE_VIEWS,
};

/* What a row of a table stands for. */
enum browse_by {
	BROWSE_BY_SYMBOL,
	/*
	 * a function: one row for all commands. With BROWSE_BY_SYMBOL, a function has a row for
	 * each command
	 */
	BROWSE_BY_FUNCTION,
	BROWSE_BY_COMM,
	BROWSE_BY_DSO,
	BROWSE_BY_CATEGORY,
	BROWSE_BY_CPU,
	BROWSE_BYS,
};

#define BROWSE_NAME_MAX 256u /* maximum length of a filter's text, in bytes */

struct browse_place {
	enum browse_view_id view;
	uint32_t capture;
	enum browse_by by;
	bool is_by_self;
	bool is_whole; /* a listing shows all rows, not only rows around hot rows */
	/*
	 * function that the views CALLERS and ANNOTATE show, and its module; empty: no function.
	 * The text is owned by browse_data.names
	 */
	struct str function, module;
	/*
	 * for each kind of filter, the value that the user chose with keys; empty: no filter. The
	 * text is owned by browse_data.names
	 */
	struct str only[SELECT_KINDS];
	/*
	 * only rows that have this text in a name are shown. The text is owned by browse_data.names
	 */
	struct str filter;
	/*
	 * nodes of the tree, for the view FLAME: the cursor is on `at`, and `zoom` fills the width
	 * of the screen; INDEX_NONE: no node
	 */
	uint32_t at, zoom;
	size_t selected, first;
};

/* The settings with which inputs can be read: those of `report`, `explain` or `annotate`. */
enum browse_source { BROWSE_AS_REPORT, BROWSE_AS_EXPLAIN, BROWSE_AS_ANNOTATE, BROWSE_SOURCES };

struct browse_data {
	const struct browse_options *o;
	/* texts of places; grows each time the user adds a filter or chooses a function */
	struct arena names;
	struct {
		struct session session;
		bool is_loaded;
		/* filters with which the session has read the inputs */
		struct str only[SELECT_KINDS];
	} sources[BROWSE_SOURCES];
	unsigned int generation; /* how many times inputs were read; changes with each reading */
	/* function for which the inputs were read with the settings BROWSE_AS_ANNOTATE */
	struct str code_of;
	struct facts *facts;
	struct findings findings;
	bool has_findings;
};

void browse_data_init(struct browse_data *d, const struct browse_options *o);
void browse_data_fini(struct browse_data *d);
/*
 * The session that has read the inputs with the settings @source and the filters of @place. Reads
 * the inputs if that is not done yet. NULL: a message was printed; @ret_status is the exit status.
 */
struct session *browse_data_get(struct browse_data *d, const struct browse_place *place,
				enum browse_source source, int *ret_status);
/* The findings about the inputs with the filters of @place; NULL: an input cannot be read. */
const struct findings *browse_data_findings(struct browse_data *d,
					    const struct browse_place *place);
/*
 * The symbol in @session of the function that @place names; SYM_ID_NONE: there is no such symbol.
 */
sym_id browse_place_symbol(const struct browse_place *place, const struct session *session);
/* Copy @text. The copy, which ends with a NUL, lives as long as the browser runs. */
struct str browse_data_keep(struct browse_data *d, struct str text);

#endif
