/* SPDX-License-Identifier: MIT */
/* check_show.h - print results of `assay check` as text, JSON, TAP, JUnit XML or SARIF */
#ifndef CMDS_CHECK_SHOW_H
#define CMDS_CHECK_SHOW_H

#include <stdbool.h>
#include <stddef.h>

struct claim_result;
struct dossier;
struct out;
struct session;
struct str;

/* Output formats, in the order of the values of the option --format. */
enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_TAP, CHECK_JUNIT, CHECK_SARIF };

struct check_report {
	const struct claim_result *results;
	size_t n;
	bool is_recorded_only;
};

/* Print all results. Returns EXIT_DONE, or EXIT_FAILED if they could not be written. */
int check_show(struct session *s, enum check_format format, const struct check_report *report);
/*
 * Append the figure that a claim is about, with its interval: "47.3 % of CPU time (46.1-48.5, 12000
 * samples)". If there is no figure, append nothing.
 */
void check_show_figure(const struct claim_result *r, struct out *out);
/*
 * Append where in the input the figure is: "a.txt lines 60, 61". If there is no figure, append
 * nothing.
 */
void check_show_place(const struct dossier *d, const struct claim_result *r, struct out *out);

/* The functions check_formats_*() are in check_formats.c. */
void check_formats_tap(const struct dossier *d, const struct check_report *report, struct out *out);
void check_formats_junit(const struct dossier *d, const struct check_report *report,
			 struct out *out);
void check_formats_sarif(const struct dossier *d, const struct check_report *report,
			 struct out *out);

#endif
