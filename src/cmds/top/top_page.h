/* SPDX-License-Identifier: MIT */
/* top_page.h - the page of `assay top`: views of one window, which is read into a dossier */
#ifndef CMDS_TOP_PAGE_H
#define CMDS_TOP_PAGE_H

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/top.h"
#include "core/ids.h"
#include "explain/findings.h"
#include "render/view.h"

struct capture;
struct facts;
struct session;

#define TOP_ROWS_MAX 2000u /* most rows of the table */

struct resolver_cache;

/* Choices that the user made by keys or options. */
struct top_choice {
	unsigned int group; /* enum top_group */
	bool is_by_children;
	struct out filter; /* show only rows with this text in a name; empty: show all */
	/* the user entered a row of another group: show only its samples */
	bool is_inside;
	unsigned int inside; /* enum top_group: the group of the entered row */
	struct out inside_text;
	uint32_t inside_tid;
};

/* A row of the current table, for key commands. */
struct top_line {
	struct str text; /* name in the last column, in the page's arena */
	uint32_t tid;
	sym_id sym;
};

struct top_page {
	struct session *session;
	const struct top_options *o;
	struct resolver_cache *cache;
	struct text_options text;
	struct top_choice choice;

	struct top_status status;
	struct findings findings;
	struct facts *facts;
	/* number of selected samples (kept) and of all samples (of); of 0: no selection */
	uint64_t kept, of;
	const struct capture *capture; /* the window as a capture; NULL: it has no samples */
	double cost_pct; /* CPU use of all assay processes, in percent of a CPU; NaN: unknown */
	uint64_t cost_at_ns, cost_cpu_ns;
	struct error why; /* why the window could not be read */

	struct arena arena;
	VEC(struct top_line) lines; /* rows that the last top_table() printed */
	/* number of rows that were not printed because of the maximum */
	uint64_t n_hidden;
};

void top_page_init(struct top_page *p, struct session *s, const struct top_options *o);
void top_page_fini(struct top_page *p);
/* Read the window @image, a perf.data file. It replaces the previous window. */
void top_page_load(struct top_page *p, struct str image, const struct top_status *status);

/* Print the lines at the top: target, place, losses, quality of the data, first finding. */
void top_head(struct top_page *p, struct out *out);
/* Print at most @max rows of the table (0: TOP_ROWS_MAX), and fill p->lines. */
void top_table(struct top_page *p, struct view *v, uint64_t max);
/* Print the callers and callees of @sym. */
void top_detail(struct top_page *p, struct view *v, sym_id sym);
void top_findings(struct top_page *p, struct view *v);
void top_help(const struct top_page *p, struct view *v);
const char *top_group_name(unsigned int group);
/* Print a whole frame as text for a pipe, or as JSON. */
void top_print(struct top_page *p, struct view *v);

#endif
