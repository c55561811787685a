/* SPDX-License-Identifier: MIT */
/*
 * show_profile.h - what the parts that show profiles share; not for others
 */
#ifndef CMDS_SHOW_PROFILE_H
#define CMDS_SHOW_PROFILE_H

#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "render/view.h"

struct capture;
struct show;
struct symbol;

struct cell show_profile_pct(double pct, double err);
/* On the front page with the decimals that the number of samples carries. */
struct cell show_profile_share(const struct show *s, double pct, double err);
/* In text the last part of a path, as perf prints it. */
struct cell show_profile_dso(const struct show *s, struct str dso);
/* In text with perf's letter for its space. */
struct cell show_profile_symbol(struct show *s, const struct symbol *sym);
/* show_paths.c: `hot_paths`, the few call paths that account for most. */
void show_hot_paths(struct show *s, const struct capture *c);
/* `hot_callers`: the heaviest functions of @top, each with those that call it. */
void show_hot_callers(struct show *s, const struct capture *c, const struct top *top);
/* The index of @key in the keys of @top. False: @top has no such key. */
bool show_profile_has_key(const struct top *top, enum top_key key, size_t *ret);
/* Columns of the names of a row, and the cells for them; as many as columns. */
struct profile_columns;
void show_profile_key_columns(struct show *s, const struct capture *c, const struct top *top,
			      struct profile_columns *cols);
unsigned int show_profile_key_cells(struct show *s, const struct capture *c, const struct top *top,
				    const struct top_row *row, struct cell *cells);

struct profile_columns {
	struct view_column columns[TOP_MAX_KEYS * 4 + 96];
	unsigned int n;
};

/* show_trees.c: the trees that -g asks for. Errors: ERR_USAGE. */
MUST_CHECK int show_profile_trees(struct show *s, const struct capture *c, const struct top *top,
				  struct error *err);
/*
 * show_group.c: one table of the events of each input, a column of shares an
 * event, rows in the order of the first. Errors: ERR_USAGE, when an event lacks data that the
 * keys need.
 */
MUST_CHECK int show_groups(struct show *s, struct error *err);
void show_profile_column(struct profile_columns *cols, const char *key, const char *title,
			 unsigned int flags);

#endif
