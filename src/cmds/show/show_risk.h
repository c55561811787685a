/* SPDX-License-Identifier: MIT */
/*
 * show_risk.h - views of measured sources, for risk.c
 */
#ifndef CMDS_SHOW_RISK_H
#define CMDS_SHOW_RISK_H

#include "base/command/args.h"
#include "base/vec.h"
#include "cmds/risk/heat.h"
#include "cmds/run/session.h"

struct risk_tree;
struct view;

#define RISK_NO_LIMIT    UINT64_MAX
#define RISK_MAX_OPTIONS 5u

struct risk_limit {
	unsigned int metric;
	double most;
};

struct risk_args {
	struct session session;
	const char *heat_file;
	const char *sort_by;
	const char *column_list;
	const char *function;
	const char *labels_file;
	const char *files_from;
	uint64_t limit;
	uint64_t threads;
	uint64_t now;
	bool has_history;
	uint32_t files_without_history;
	uint64_t max[RISK_MAX_OPTIONS];
	struct args_list max_list;
	struct args_list git_dirs; /* --git-dir */
	unsigned int family;
	unsigned int layout;
	bool is_list;

	bool is_compat;
	bool is_seed_layout;
	bool is_sorted_by_heat;
	unsigned int sort;
	VEC(uint16_t) columns;
	VEC(struct risk_limit) limits;
	struct heat heat;     /* with heat_file */
	VEC(char) labels;     /* the text of labels_file */
	const char *revision; /* of --diff */
	bool is_sarif;
	size_t n_exceeded; /* gates: exit status 3 */
};

/* Between view_begin and view_end of its own. */
void show_risk(struct risk_args *a, const struct risk_tree *t, struct view *v);
/* These print on their own and return the exit status. */
/*
 * Gates that @t exceeds. @before: by function of @t its row in @t_before, INDEX_NONE for a new
 * function; then only gates that this row did not exceed. NULL: all gates.
 */
int show_risk_gates(struct risk_args *a, const struct risk_tree *t,
		    const struct risk_tree *t_before, const uint32_t *before);
/* risk_diff.c: what changed since a.revision. */
int risk_diff(struct risk_args *a);
int show_risk_seed(struct risk_args *a, const struct risk_tree *t);
int show_risk_metrics(struct risk_args *a);

#endif
