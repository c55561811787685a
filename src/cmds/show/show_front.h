/* SPDX-License-Identifier: MIT */
/*
 * show_front.h - the first lines of the front page: the input, the main findings, and the quality
 * of the data
 */
#ifndef CMDS_SHOW_FRONT_H
#define CMDS_SHOW_FRONT_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

#define FRONT_FINDINGS 3u /* maximum number of findings on the front page */

struct capture;
struct dossier_region;
struct facts;
struct finding;
struct findings;
struct show;

/* Print one line: path, format and size of the capture, or the number of captures by format. */
void show_front_title(struct show *s);
/*
 * For text: print elapsed time and CPU time of two captures, with their ratio. There must be
 * exactly two captures, and both must be tables of counters that form a pair
 * (counter_sides_find()). The names of the sides are allocated in @f.
 */
void show_front_pair(struct show *s, struct facts *facts, struct findings *f);
/*
 * Print the first @max findings. In text, each finding is a sentence and a next step; JSON has all
 * fields.
 */
void show_front_findings(struct show *s, const struct findings *f, size_t max);
/* For text: print the finding with the index @at in @all. Called by show_findings(). */
void show_front_finding(struct show *s, const struct findings *all, uint32_t at);
/* The first clause of @text: up to a ";" or ". " outside of brackets and quotes. */
struct str show_front_clause(struct str text);
/*
 * For text: print reasons to doubt the data, except those that findings on the page report. Reasons
 * about the capture with the index @lead are first. Then print which checks could not judge, and
 * why.
 */
void show_front_trust(struct show *s, const struct findings *f, uint32_t lead);
/*
 * Index of the capture that is first on the page. In text, it is the capture of the first finding.
 * In JSON and CSV, captures are in the order of the input: 0.
 */
uint32_t show_front_lead(const struct show *s, const struct findings *f);
/*
 * The index of the capture at position @k of the page. The capture @lead is at position 0; the
 * others follow in their order.
 */
uint32_t show_front_order(uint32_t k, uint32_t lead);
/* Describe a part of an input that was not read: "output of a bcc tool". */
struct str show_declined(struct show *s, const struct dossier_region *r);
/*
 * For text: print @before and how much of the inputs was not read. If everything was read, print
 * "good", or nothing if @title is NULL.
 */
void show_unread_line(struct show *s, const char *title, const char *before);
/* Whether the page shows only one capture, so that its title is also the heading of the capture. */
bool show_front_is_single(const struct show *s);

/* Format the size of a capture: "73000 ± 500 samples of cycles", "362 calls". */
struct str show_size(struct show *s, const struct capture *c);
/*
 * show_records() returns the number of rows, samples, calls or records of a capture.
 * show_records_name() returns the noun for @n such records: "row", "rows".
 */
uint64_t show_records(const struct capture *c);
const char *show_records_name(const struct capture *c, uint64_t n);

#endif
