/* SPDX-License-Identifier: MIT */
/* show_risk.h - results of `assay risk`: the measured functions of a source tree */
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
	struct args_list git_dirs; /* git directories that the user names with --git-dir */
	unsigned int family;
	unsigned int layout;
	bool is_list;

	bool is_compat;
	bool is_seed_layout;
	bool is_sorted_by_heat;
	unsigned int sort;
	VEC(uint16_t) columns;
	VEC(struct risk_limit) limits;
	/* costs of the functions, from the profile in heat_file; empty without heat_file */
	struct heat heat;
	VEC(char) labels;     /* contents of labels_file */
	const char *revision; /* git revision that the user names with --diff */
	bool is_sarif;
	/* number of functions that exceed a limit; if above 0, the exit status is 3 */
	size_t n_exceeded;
};

/* Begin the view @v and show the measured functions. The caller ends the view. */
void show_risk(struct risk_args *a, const struct risk_tree *t, struct view *v);
/* The functions below print without a view, and return the exit status. */
/*
 * Print which functions of @t exceed limits. @before: for each function of @t, the index of the
 * same function in the older tree @t_before, or INDEX_NONE for a new function. A limit that the
 * function already exceeded in @t_before is not reported. If @before is NULL, all exceeded limits
 * are reported.
 */
int show_risk_gates(struct risk_args *a, const struct risk_tree *t,
		    const struct risk_tree *t_before, const uint32_t *before);
/* Print the changes since a.revision (risk_diff.c). */
int risk_diff(struct risk_args *a);
int show_risk_seed(struct risk_args *a, const struct risk_tree *t);
int show_risk_metrics(struct risk_args *a);

#endif
