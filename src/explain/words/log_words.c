/* SPDX-License-Identifier: MIT */
#include "explain/words/log_words.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"

bool log_words_input(const struct rule_input *in, uint32_t number, struct rule_input *ret)
{
	*ret = *in;
	ret->number = number;
	ret->capture = in->facts->dossier->captures.data[number];
	ret->log = in->facts->logs[number];
	return ret->log != NULL;
}

struct str log_words_who(struct findings *out, const struct rule_input *in, uint32_t record)
{
	const struct log_stream *s = log_words_stream(in, record);
	const struct strings *strings = &in->facts->dossier->strings;

	if (s->node.v && s->process.v)
		return str_of(finding_name(out, STR_FMT "@" STR_FMT,
					   STR_ARG(strings_get(strings, s->process)),
					   STR_ARG(strings_get(strings, s->node))));
	if (s->node.v)
		return strings_get(strings, s->node);
	return s->process.v ? strings_get(strings, s->process) : STR("the process");
}

void log_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		    uint32_t record)
{
	const struct log_record *r = log_words_record(in, record);

	finding_evidence(out, f, in, r->line, STR_FMT, STR_ARG(str_sub(r->text, 0, 200)));
	for (size_t i = f->evidence.len; i-- > 0;) {
		if (f->evidence.data[i].line == r->line && r->last_line > r->line)
			f->evidence.data[i].last_line = r->last_line;
	}
}

/*
 * Why the times of the log @b cannot be compared with the times of @a; NULL: they can be compared.
 */
static const char *words_apart(const struct log_stream *a, const struct log_stream *b)
{
	static const char *const clocks[] = {
		[CLOCK_NONE] = "it has no times",
		[CLOCK_REALTIME] = "its times have a date and a zone",
		[CLOCK_BOOT] = "its times count from a boot",
		[CLOCK_YEAR] = "its times have no year",
		[CLOCK_DAY] = "its times have no date",
	};

	if (a->clock == b->clock && a->is_local == b->is_local &&
	    (a->clock == CLOCK_REALTIME || a->clock == CLOCK_YEAR))
		return NULL;
	if (b->clock == CLOCK_REALTIME && b->is_local)
		return "its times are of an unknown zone";
	return b->clock < ARRAY_LEN(clocks) ? clocks[b->clock] : clocks[CLOCK_NONE];
}

/*
 * Cite warnings and errors of the log @other in the period from @from_ns to @to_ns, by the clock of
 * @s. False: the times of both logs cannot be compared.
 */
static bool words_other(struct findings *out, struct finding *f, const struct rule_input *other,
			const struct log_stream *s, uint64_t from_ns, uint64_t to_ns,
			unsigned int *cited)
{
	const struct records *r = other->capture->records;
	bool can = false;

	VEC_FOREACH (stream, &r->streams)
		can |= words_apart(s, stream) == NULL;
	for (uint32_t i = 0; can && i < r->rows.len && *cited < LOG_MEANWHILE_MAX; i++) {
		const struct log_record *rec = &r->rows.data[i];

		if (!rec->has_time || rec->level < LEVEL_WARN || rec->time_ns < from_ns ||
		    rec->time_ns > to_ns || words_apart(s, &r->streams.data[rec->stream]))
			continue;
		log_words_cite(out, f, other, i);
		(*cited)++;
	}
	return can;
}

void log_words_meanwhile(struct findings *out, struct finding *f, const struct rule_input *in,
			 uint32_t stream, uint64_t from_ns, uint64_t to_ns)
{
	const struct log_stream *s = &in->capture->records->streams.data[stream];
	unsigned int cited = 0;
	unsigned int apart = 0;

	for (uint32_t k = 0; k < in->facts->dossier->captures.len; k++) {
		struct rule_input other;

		if (k == in->number || !log_words_input(in, k, &other) ||
		    !other.capture->records->streams.len ||
		    words_other(out, f, &other, s, from_ns, to_ns, &cited) ||
		    apart++ >= LOG_APART_MAX)
			continue;
		finding_evidence(out, f, &other, 0, "cannot be compared in time: %s",
				 words_apart(s, &other.capture->records->streams.data[0]));
		/*
		 * Evidence with a line number is printed as this line of the input. Remove the
		 * number, so that the sentence is printed.
		 */
		f->evidence.data[f->evidence.len - 1].line = 0;
	}
}

bool log_words_seconds(const struct rule_input *in, uint32_t a, uint32_t b, double *ret)
{
	const struct log_record *x = log_words_record(in, a);
	const struct log_record *y = log_words_record(in, b);

	*ret = 0;
	if (!x->has_time || !y->has_time ||
	    log_words_stream(in, a)->clock != log_words_stream(in, b)->clock)
		return false;
	*ret = y->time_ns >= x->time_ns ? (double)(y->time_ns - x->time_ns) / 1e9
					: -((double)(x->time_ns - y->time_ns) / 1e9);
	return true;
}

bool log_words_is_vlog(const struct rule_input *in)
{
	return str_starts(str_of(in->capture->format), STR("ovs-"));
}
