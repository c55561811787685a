/* SPDX-License-Identifier: MIT */
/* log_words.h - shared by rules about logs: records, sources, times, captures */
#ifndef EXPLAIN_LOG_WORDS_H
#define EXPLAIN_LOG_WORDS_H

#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

/* Limit of cited lines for one kind of evidence. */
#define LOG_EVIDENCE_MAX 4u

/* Limits of cited lines of other logs, and of logs whose clocks cannot be compared. */
#define LOG_MEANWHILE_MAX 3u
#define LOG_APART_MAX     2u

/* For rules that see all captures: set @ret to @in for capture @number. False: no log. */
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

/* "node2", otherwise the process name, otherwise "the process". Borrowed from the dossier. */
struct str log_words_who(const struct rule_input *in, uint32_t record);
/* Add the record's line with its text as evidence. */
void log_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		    uint32_t record);
/*
 * Add what the other logs say from @from_ns to @to_ns of the clock of @stream: their warnings
 * and errors, LOG_MEANWHILE_MAX at most, and which logs have another clock. Cost: O(records of
 * the other logs).
 */
void log_words_meanwhile(struct findings *out, struct finding *f, const struct rule_input *in,
			 uint32_t stream, uint64_t from_ns, uint64_t to_ns);
/* Seconds from record @a to record @b, negative if @b is earlier. False: their streams have no
 * common clock. */
bool log_words_seconds(const struct rule_input *in, uint32_t a, uint32_t b, double *ret);
/* @x in percent of @of, 0 if @of is 0. */
static inline double log_words_pct(double x, double of)
{
	return of > 0 ? x / of * 100 : 0;
}

/* Is it a log of Open vSwitch or OVN, whose daemons report such failures? Others may not. */
bool log_words_is_vlog(const struct rule_input *in);

#endif
