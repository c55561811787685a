/* SPDX-License-Identifier: MIT */
/* show_profile.h - shares, objects and titles of profiles, as all commands show them */
#ifndef CMDS_SHOW_PROFILE_H
#define CMDS_SHOW_PROFILE_H

#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "render/view.h"

struct profile;
struct capture;
struct show;
struct symbol;

struct cell show_profile_pct(double pct, double err);
/*
 * A percentage with its half-width. On the front page, the number of samples sets the number of
 * decimals.
 */
struct cell show_profile_share(const struct show *s, double pct, double err);
/*
 * The name of an object (DSO). In text, only the last component of its path is printed, as perf
 * does.
 */
struct cell show_profile_dso(const struct show *s, struct str dso);
/*
 * The name of a symbol. In text, a letter for its address space precedes the name, as in perf:
 * "[k]".
 */
struct cell show_profile_symbol(struct show *s, const struct symbol *sym);
/* Write the part `hot_paths` (show_paths.c): the few call paths that contain most of the weight. */
void show_hot_paths(struct show *s, const struct capture *c);
/* Write the part `hot_callers`: the heaviest functions of @top, each with its heaviest callers. */
void show_hot_callers(struct show *s, const struct capture *c, const struct top *top);
/* Find @key among the sort keys of @top; *@ret: its index. False: @top has no such key. */
bool show_profile_has_key(const struct top *top, enum top_key key, size_t *ret);
/*
 * show_profile_key_columns() appends a column for each sort key of @top. show_profile_key_cells()
 * sets the cells of a row in these columns, and returns their number.
 */
struct profile_columns;
void show_profile_key_columns(struct show *s, const struct capture *c, const struct top *top,
			      struct profile_columns *cols);
unsigned int show_profile_key_cells(struct show *s, const struct capture *c, const struct top *top,
				    const struct top_row *row, struct cell *cells);

struct profile_columns {
	struct view_column columns[TOP_MAX_KEYS * 4 + 96];
	unsigned int n;
};

/* Print the call trees that the option -g requests (show_trees.c). Errors: ERR_USAGE. */
MUST_CHECK int show_profile_trees(struct show *s, const struct capture *c, const struct top *top,
				  struct error *err);
/*
 * The title of the column that counts the samples of a row: "Stacks" if each of them is a stack
 * with a weight and the number of samples is unknown, as in a profile of bytes; otherwise
 * "Samples".
 */
const char *show_profile_samples_title(const struct profile *p);
/*
 * For each input, print one table for all of its events (show_group.c). It has a column of shares
 * for each event, and is sorted by the first event. Errors: ERR_USAGE if an event has no data for a
 * key.
 */
MUST_CHECK int show_groups(struct show *s, struct error *err);
void show_profile_column(struct profile_columns *cols, const char *key, const char *title,
			 unsigned int flags);

#endif
