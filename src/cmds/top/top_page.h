/* SPDX-License-Identifier: MIT */
/* top_page.h - the page of `assay top` for a window: views from one dossier */
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

#define TOP_ROWS_MAX 2000u /* reachable rows of the table */

struct resolver_cache;

/* Choices made by keys or options. */
struct top_choice {
	unsigned int group; /* enum top_group */
	bool is_by_children;
	struct out filter; /* rows with this text in a name; empty: all */
	/* inside a row of another group: only its samples */
	bool is_inside;
	unsigned int inside; /* enum top_group */
	struct out inside_text;
	uint32_t inside_tid;
};

/* A row of the current table, for key commands. */
struct top_line {
	struct str text; /* name; in the page's arena */
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
	uint64_t kept, of;             /* selected samples; of 0: all samples */
	const struct capture *capture; /* NULL: no samples in the window */
	double cost_pct;               /* CPU use of all assay processes; NaN: unknown */
	uint64_t cost_at_ns, cost_cpu_ns;
	struct error why; /* error of reading the window */

	struct arena arena;
	VEC(struct top_line) lines; /* rows of the last top_table() */
	uint64_t n_hidden;          /* rows beyond the maximum */
};

void top_page_init(struct top_page *p, struct session *s, const struct top_options *o);
void top_page_fini(struct top_page *p);
/* Read the window @image, a perf.data file, replacing the previous one. */
void top_page_load(struct top_page *p, struct str image, const struct top_status *status);

/* Print the lines at the top: target, place, health, quality, first finding. */
void top_head(struct top_page *p, struct out *out);
/* Print the table, at most @max rows (0: TOP_ROWS_MAX), and fill p->lines. */
void top_table(struct top_page *p, struct view *v, uint64_t max);
/* Print callers and callees of @sym. */
void top_detail(struct top_page *p, struct view *v, sym_id sym);
void top_findings(struct top_page *p, struct view *v);
void top_help(const struct top_page *p, struct view *v);
const char *top_group_name(unsigned int group);
/* Print a whole frame for a pipe, or as JSON. */
void top_print(struct top_page *p, struct view *v);

#endif
