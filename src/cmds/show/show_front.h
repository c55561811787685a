/* SPDX-License-Identifier: MIT */
/*
 * show_front.h - the first lines of the front page: what the input is, what is wrong, and
 * whether to trust the data
 */
#ifndef CMDS_SHOW_FRONT_H
#define CMDS_SHOW_FRONT_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

#define FRONT_FINDINGS 3u /* most findings on the front page */

struct capture;
struct dossier_region;
struct finding;
struct findings;
struct show;

/* One line: path, format and size of the capture, or the number of captures by format. */
void show_front_title(struct show *s);
/*
 * For text: the first @max findings, each a sentence and a next step. For JSON: all their fields.
 */
void show_front_findings(struct show *s, const struct findings *f, size_t max);
/* For text: finding @at of @all. Called by show_findings(). */
void show_front_finding(struct show *s, const struct findings *all, uint32_t at);
/* The first clause of a text: up to a ";" or ". " outside of brackets and quotes. */
struct str show_front_clause(struct str text);
/*
 * For text: reasons to doubt the data that no finding on the page reports, those of capture @lead
 * first.
 */
void show_front_trust(struct show *s, const struct findings *f, uint32_t lead);
/*
 * The capture that text shows first: that of the first finding. Programs get the captures in the
 * order of the input.
 */
uint32_t show_front_lead(const struct show *s, const struct findings *f);
/* The capture in place @k of the page if @lead is the first one and the others keep their order. */
uint32_t show_front_order(uint32_t k, uint32_t lead);
/* What a part of an input is that was not read: "output of a bcc tool". */
struct str show_declined(struct show *s, const struct dossier_region *r);
/*
 * For text: say how much of the inputs was not read, after @before. If all was read: "good", unless
 * @title is NULL.
 */
void show_unread_line(struct show *s, const char *title, const char *before);
/* Whether the page shows only one capture, so that the title is its heading. */
bool show_front_is_single(const struct show *s);

/* Format the size of a capture: "73000 ± 500 samples of cycles", "362 calls". */
struct str show_size(struct show *s, const struct capture *c);
/*
 * The number of rows, samples, calls or records of a capture. Also sets the noun for that number.
 */
uint64_t show_records(const struct capture *c);
const char *show_records_name(const struct capture *c, uint64_t n);

#endif
