/* SPDX-License-Identifier: MIT */
#include "explain/words/log_words.h"

#include "base/str.h"
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

struct str log_words_who(const struct rule_input *in, uint32_t record)
{
	const struct log_stream *s = log_words_stream(in, record);
	const struct strings *strings = &in->facts->dossier->strings;

	if (s->node.v)
		return strings_get(strings, s->node);
	return s->process.v ? strings_get(strings, s->process) : STR("the process");
}

void log_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		    uint32_t record)
{
	const struct log_record *r = log_words_record(in, record);

	finding_evidence(out, f, in, r->line, STR_FMT, STR_ARG(str_sub(r->text, 0, 200)));
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
