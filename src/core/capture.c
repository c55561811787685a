/* SPDX-License-Identifier: MIT */
#include "core/capture.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/dossier.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

struct strings *capture_strings(const struct capture *c)
{
	return &c->dossier->strings;
}

struct symbols *capture_symbols(const struct capture *c)
{
	return &c->dossier->symbols;
}

struct profile *capture_profile(struct capture *c)
{
	if (!c->profile) {
		c->profile = xmalloc(sizeof(*c->profile));
		profile_init(c->profile);
		c->kinds |= KIND_PROFILE;
	}
	return c->profile;
}

struct calls *capture_calls(struct capture *c)
{
	if (!c->calls) {
		c->calls = xmalloc(sizeof(*c->calls));
		calls_init(c->calls);
		c->kinds |= KIND_CALLS;
	}
	return c->calls;
}

struct metrics *capture_metrics(struct capture *c)
{
	if (!c->metrics) {
		c->metrics = xmalloc(sizeof(*c->metrics));
		metrics_init(c->metrics);
		c->kinds |= KIND_METRICS;
	}
	return c->metrics;
}

struct records *capture_records(struct capture *c)
{
	if (!c->records) {
		c->records = xmalloc(sizeof(*c->records));
		records_init(c->records);
		c->kinds |= KIND_LOG;
	}
	return c->records;
}

struct distribution *capture_distribution(struct capture *c)
{
	if (!c->distribution) {
		c->distribution = xmalloc(sizeof(*c->distribution));
		distribution_init(c->distribution);
		c->kinds |= KIND_DISTRIBUTION;
	}
	return c->distribution;
}

struct threads *capture_threads(struct capture *c)
{
	if (!c->threads) {
		c->threads = xmalloc(sizeof(*c->threads));
		threads_init(c->threads);
		c->kinds |= KIND_THREADS;
	}
	return c->threads;
}

struct code *capture_code(struct capture *c)
{
	if (!c->code) {
		c->code = xmalloc(sizeof(*c->code));
		code_init(c->code);
		c->kinds |= KIND_CODE;
	}
	return c->code;
}

struct code *capture_instructions(struct capture *c)
{
	if (!c->instructions) {
		c->instructions = xmalloc(sizeof(*c->instructions));
		code_init(c->instructions);
	}
	return c->instructions;
}

struct counters *capture_counters(struct capture *c)
{
	if (!c->counters) {
		c->counters = xmalloc(sizeof(*c->counters));
		counters_init(c->counters);
		c->kinds |= KIND_COUNTERS;
	}
	return c->counters;
}

void capture_note(struct capture *c, struct str key, struct str value, uint32_t line)
{
	struct strings *s = capture_strings(c);

	*VEC_PUSH(&c->notes) =
		(struct capture_note){ strings_add(s, key), strings_add(s, value), line, false };
}

struct str capture_note_of(const struct capture *c, struct str key)
{
	VEC_FOREACH (note, &c->notes) {
		if (str_eq(strings_get(capture_strings(c), note->key), key))
			return strings_get(capture_strings(c), note->value);
	}
	return STR_NONE;
}

const char *capture_kind_name(unsigned int kinds)
{
	static const char *const names[16] = {
		"nothing",
		"profile",
		"calls",
		"profile+calls",
		"metrics",
		"profile+metrics",
		"calls+metrics",
		"profile+calls+metrics",
		"log",
		"profile+log",
		"calls+log",
		"profile+calls+log",
		"metrics+log",
		"profile+metrics+log",
		"calls+metrics+log",
		"profile+calls+metrics+log",
	};

	if (kinds & KIND_THREADS)
		return kinds & KIND_LOG ? "log+threads" : "threads";
	if (kinds & KIND_CODE)
		return "code";
	if (kinds & KIND_DISTRIBUTION)
		return "distribution";
	if (kinds & KIND_COUNTERS)
		return "counters";
	return names[kinds & 15];
}
