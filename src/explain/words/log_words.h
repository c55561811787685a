/* SPDX-License-Identifier: MIT */
/* log_words.h - records, writers and times of logs, for several rules */
#ifndef EXPLAIN_LOG_WORDS_H
#define EXPLAIN_LOG_WORDS_H

#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

/* Maximum number of lines that a rule cites for one kind of evidence, such as errors. */
#define LOG_EVIDENCE_MAX 4u

#define LOG_MEANWHILE_MAX 3u /* maximum number of lines that log_words_meanwhile() cites */
/* maximum number of logs that log_words_meanwhile() names because their times cannot be compared */
#define LOG_APART_MAX 2u

/*
 * For rules that judge the whole dossier: set @ret to a copy of @in that is about capture @number.
 * False: capture @number is no log.
 */
bool log_words_input(const struct rule_input *in, uint32_t number, struct rule_input *ret);

static inline const struct log_record *log_words_record(const struct rule_input *in,
							uint32_t record)
{
	return &in->capture->records->rows.data[record];
}

static inline const struct log_stream *log_words_stream(const struct rule_input *in,
							uint32_t record)
{
	return &in->capture->records->streams.data[log_words_record(in, record)->stream];
}

/*
 * The writer of the record, as process and node: "ovsdb-server@node2". If one of them is unknown,
 * only the other is returned; if both are unknown, "the process". Borrowed from the dossier, or in
 * the arena of @out.
 */
struct str log_words_who(struct findings *out, const struct rule_input *in, uint32_t record);
/* Add the line and text of a record as evidence. */
void log_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		    uint32_t record);
/*
 * Add warnings and errors of other logs in the period from @from_ns to @to_ns as evidence, at most
 * LOG_MEANWHILE_MAX. The period is by the clock of @stream. If the clock of a log cannot be
 * compared with this clock, the log is only named (at most LOG_APART_MAX logs). Cost: O(records of
 * the other logs).
 */
void log_words_meanwhile(struct findings *out, struct finding *f, const struct rule_input *in,
			 uint32_t stream, uint64_t from_ns, uint64_t to_ns);
/*
 * Seconds from record @a to record @b; negative if @b is earlier. False: a time is missing, or the
 * clocks differ.
 */
bool log_words_seconds(const struct rule_input *in, uint32_t a, uint32_t b, double *ret);
/* @x in percent of @of; 0 if @of is 0. */
static inline double log_words_pct(double x, double of)
{
	return of > 0 ? x / of * 100 : 0;
}

/*
 * Is this a log of Open vSwitch or OVN? Their daemons log the failures that rules search for, so if
 * such messages are missing, there were no failures. In other logs, missing messages prove nothing.
 */
bool log_words_is_vlog(const struct rule_input *in);

#endif
