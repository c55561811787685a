/* SPDX-License-Identifier: MIT */
/*
 * top_page.h - the page of `assay top`, computed from one window (the samples of the last seconds)
 */
#ifndef CMDS_TOP_PAGE_H
#define CMDS_TOP_PAGE_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/screen/profile_pages.h"
#include "cmds/screen/screen_keys.h"
#include "cmds/top.h"
#include "core/ids.h"
#include "explain/findings.h"
#include "render/view.h"

struct capture;
struct facts;
struct session;

struct resolver_cache;

/* Choices that the user made by keys or options. */
struct top_choice {
	unsigned int group; /* enum top_group */
	bool is_by_children;
	/* show only rows whose name contains this text; empty: show all rows */
	struct screen_prompt filter;
	/* the user opened a row (Enter): the table shows the functions of this row only */
	bool is_inside;
	unsigned int inside; /* enum top_group: the kind of row that was opened */
	struct out inside_text;
	uint32_t inside_tid;
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
	/*
	 * The options and the opened row filter the samples. of: number of all samples of the last
	 * seconds; kept: number of samples that pass the filters. Both are 0 without such filters.
	 */
	uint64_t kept, of;
	/* capture with the samples of the last seconds; NULL: there are none */
	const struct capture *capture;
	double cost_pct; /* CPU use of all assay processes, in percent of a CPU; NaN: unknown */
	uint64_t cost_at_ns, cost_cpu_ns;
	struct error why; /* reason why the samples of the last seconds could not be read */

	struct pages pages; /* has the rows that were written last */
};

void top_page_init(struct top_page *p, struct session *s, const struct top_options *o);
void top_page_fini(struct top_page *p);
/*
 * Read the window @image, a perf.data file with the samples of the last seconds. Forget the
 * previous window.
 */
void top_page_load(struct top_page *p, struct str image, const struct top_status *status);

/*
 * Print the lines at the top: target, the opened row, lost samples, quality of the data, first
 * finding.
 */
void top_head(struct top_page *p, struct out *out);
/* Print at most @max rows of the table (0: PAGE_ROWS_MAX). */
void top_table(struct top_page *p, struct view *v, uint64_t max);
/* Print the callers and callees of @sym. */
void top_detail(struct top_page *p, struct view *v, sym_id sym);
void top_findings(struct top_page *p, struct view *v);
/* Print the help about the page, except the keys: their table is in top_view.c. */
void top_help(const struct top_page *p, struct view *v);
const char *top_group_name(unsigned int group);
/* Print a whole frame, for a pipe as text or JSON. */
void top_print(struct top_page *p, struct view *v);

#endif
