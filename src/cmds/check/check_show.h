/* SPDX-License-Identifier: MIT */
/* check_show.h - outcomes of claims as text, JSON, TAP, JUnit XML and SARIF */
#ifndef CMDS_CHECK_SHOW_H
#define CMDS_CHECK_SHOW_H

#include <stdbool.h>
#include <stddef.h>

struct claim_result;
struct dossier;
struct out;
struct session;
struct str;

/* In the order of --format. */
enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_TAP, CHECK_JUNIT, CHECK_SARIF };

struct check_report {
	const struct claim_result *results;
	size_t n;
	bool is_recorded_only;
};

/* Print all results. Returns the exit status: EXIT_DONE, or EXIT_FAILED. */
int check_show(struct session *s, enum check_format format, const struct check_report *report);
/* "47.3 % of CPU time (46.1-48.5, 12000 samples)"; "" without a figure. */
void check_show_figure(const struct claim_result *r, struct out *out);
/* "a.txt lines 60, 61"; "" for none. */
void check_show_place(const struct dossier *d, const struct claim_result *r, struct out *out);

/* check_formats.c */
void check_formats_tap(const struct dossier *d, const struct check_report *report, struct out *out);
void check_formats_junit(const struct dossier *d, const struct check_report *report,
			 struct out *out);
void check_formats_sarif(const struct dossier *d, const struct check_report *report,
			 struct out *out);

#endif
