/* SPDX-License-Identifier: MIT */
/*
 * top_page.h - what `assay top` shows of a window: parts of views, from one dossier
 */
#ifndef CMDS_TOP_PAGE_H
#define CMDS_TOP_PAGE_H

#include "cmds/show/show.h"
#include "cmds/top.h"
#include "explain/findings.h"

#define TOP_ROWS_MAX 2000u /* of the table that one can go through */

struct resolver_cache;

/* What was chosen with keys or options. */
struct top_choice {
	unsigned int group; /* enum top_group */
	bool is_by_children;
	struct out filter; /* rows with this in a name; empty: all */
	/* samples of one row of another group: what was entered */
	bool is_inside;
	unsigned int inside; /* enum top_group */
	struct out inside_text;
	uint32_t inside_tid;
};

/* A row of the table at hand, so that keys can speak of it. */
struct top_line {
	struct str text; /* name; of the page's arena */
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
	uint64_t kept, of;             /* samples that were chosen; of 0: all are */
	const struct capture *capture; /* NULL: no sample in the window */
	double cost_pct;               /* of a CPU, by all of assay; NaN: not known yet */
	uint64_t cost_at_ns, cost_cpu_ns;
	struct error why; /* the window could not be read */

	struct arena arena;
	VEC(struct top_line) lines; /* of the last top_table() */
	uint64_t n_hidden;          /* rows past what it shows */
};

void top_page_init(struct top_page *p, struct session *s, const struct top_options *o);
void top_page_fini(struct top_page *p);
/* Read the window: @image is a perf.data file. What was there before is gone. */
void top_page_load(struct top_page *p, struct str image, const struct top_status *status);

/* Lines above: what, where, how good, what is wrong. */
void top_head(struct top_page *p, struct out *out);
/* The table, at most @max rows (0: TOP_ROWS_MAX), and p->lines. */
void top_table(struct top_page *p, struct view *v, uint64_t max);
/* Callers and callees of @sym, which is called @name. */
void top_detail(struct top_page *p, struct view *v, sym_id sym);
void top_findings(struct top_page *p, struct view *v);
void top_help(const struct top_page *p, struct view *v);
const char *top_group_name(unsigned int group);
/* A whole frame for a pipe, or as JSON. */
void top_print(struct top_page *p, struct view *v);

#endif
