/* SPDX-License-Identifier: MIT */
/*
 * browse_place.h - what the browser shows: a place in the data, and the data itself
 *
 * A place is small and has no pointers into the data: functions are named by their texts, because
 * a change of the filters reads the input again.
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
	BROWSE_REPORT, /* the whole capture, as `report` prints it */
	BROWSE_FLAME,  /* the call tree as a flame graph */
	BROWSE_DIFF,   /* the first input compared with the second one */
	BROWSE_TIME,   /* when each thread ran */
	BROWSE_HELP,
	BROWSE_COMMAND, /* the command that prints the previous view */
	BROWSE_VIEWS,
};

/* The rows of a table. */
enum browse_by {
	BROWSE_BY_SYMBOL,
	BROWSE_BY_FUNCTION, /* as BY_SYMBOL, but commands are added up */
	BROWSE_BY_COMM,
	BROWSE_BY_DSO,
	BROWSE_BY_CATEGORY,
	BROWSE_BY_CPU,
	BROWSE_BYS,
};

#define BROWSE_NAME_MAX 256u /* longest text of a filter, in bytes */

struct browse_place {
	enum browse_view_id view;
	uint32_t capture;
	enum browse_by by;
	bool is_by_self;
	bool is_whole; /* listings have all rows */
	/* function of CALLERS and ANNOTATE, with its module; empty: none. In browse_data.names */
	struct str function, module;
	struct str only[SELECT_KINDS]; /* filters that keys added; empty: none. In names, too */
	struct str filter;             /* only rows with this in a name. In names, too */
	/* nodes of the tree, for FLAME: the one under the cursor, and the one that is widest */
	uint32_t at, zoom;
	size_t selected, first;
};

/* The settings with which inputs are read, each as a command does. */
enum browse_source { BROWSE_AS_REPORT, BROWSE_AS_EXPLAIN, BROWSE_AS_ANNOTATE, BROWSE_SOURCES };

struct browse_data {
	const struct browse_options *o;
	struct arena names; /* texts of places; grows with what the user does */
	struct {
		struct session session;
		bool is_loaded;
		struct str only[SELECT_KINDS]; /* with these filters */
	} sources[BROWSE_SOURCES];
	unsigned int generation; /* number of times that inputs were read */
	struct str code_of;      /* function of BROWSE_AS_ANNOTATE */
	struct facts *facts;
	struct findings findings;
	bool has_findings;
};

void browse_data_init(struct browse_data *d, const struct browse_options *o);
void browse_data_fini(struct browse_data *d);
/*
 * Read the input as @source for @place, unless it is read already. Returns its session, or NULL:
 * messages were printed; @ret_status is the exit status.
 */
struct session *browse_data_get(struct browse_data *d, const struct browse_place *place,
				enum browse_source source, int *ret_status);
/* The findings for the filters of @place; NULL: the input cannot be read. */
const struct findings *browse_data_findings(struct browse_data *d,
					    const struct browse_place *place);
/* The function of @place in @session; SYM_ID_NONE: it has none with this name. */
sym_id browse_place_symbol(const struct browse_place *place, const struct session *session);
/* Keep @text as long as the browser runs. */
struct str browse_data_keep(struct browse_data *d, struct str text);

#endif
