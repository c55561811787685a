/* SPDX-License-Identifier: MIT */
#include "explain/words/gc_words.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/gc_no_room_names.h"
#include "explain/gc_requested_names.h"

#include <math.h>

/* minimum time span for which a share is computed, ns */
#define GC_SPAN_NS 1e9

static const struct gc_failure gc_failures[] = { GC_ROOM_KINDS };
static const struct gc_asker gc_askers[] = { GC_ASKERS };

const struct gc_failure *gc_words_failure(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(gc_failures); i++) {
		if (str_glob(str_of(gc_failures[i].failures), name))
			return &gc_failures[i];
	}
	return NULL;
}

const struct gc_asker *gc_words_asker(struct str name)
{
	const struct gc_asker *a = gc_askers;

	if (!str_glob(STR(GC_REQUESTS), name))
		return NULL;
	/* the loop ends, because the pattern of the last row matches every name */
	while (!str_glob(str_of(a->requests), name))
		a++;
	return a;
}

static struct str gc_words_tool(const struct capture *c)
{
	return capture_note_of(c, STR("printed by"));
}

bool gc_words_is_jdk8(const struct capture *c)
{
	return str_eq(gc_words_tool(c), STR("JVM 8 gc log"));
}

const char *gc_words_log(const struct capture *c)
{
	static const struct {
		const char *tool, *log;
	} logs[] = {
		{ "JVM 8 gc log", "take the log since the start, with -XX:+PrintGCDetails" },
		{ "JVM gc log", "-Xlog:gc*" },
		{ "V8 gc trace", "--trace-gc" },
		{ ".NET gc log", "dotnet-counters monitor -p PID System.Runtime" },
	};

	for (size_t i = 0; i < ARRAY_LEN(logs); i++) {
		if (str_eq(gc_words_tool(c), str_of(logs[i].tool)))
			return logs[i].log;
	}
	return "-Xlog:gc*, --trace-gc or dotnet-counters";
}

const char *gc_words_dump(const struct capture *c)
{
	if (str_starts(gc_words_tool(c), STR("V8")))
		return "node --heapsnapshot-signal=SIGUSR2, or --heapsnapshot-near-heap-limit=2";
	if (str_starts(gc_words_tool(c), STR(".NET")))
		return "dotnet-gcdump collect -p PID";
	return "jmap -histo:live PID, or a heap dump (jmap -dump:live)";
}

/* The sum of the pauses of @c, ns. *@ret_n: number of pauses. */
static double gc_words_sum(const struct capture *c, uint64_t *ret_n)
{
	double sum = 0;

	*ret_n = 0;
	VEC_FOREACH (s, &c->distribution->series) {
		if (!str_eq(strings_get(capture_strings(c), s->name), STR("pause")))
			continue;
		*ret_n += s->count;
		for (uint32_t i = 0; i < s->n_buckets; i++) {
			const struct distribution_bucket *b =
				&c->distribution->buckets.data[s->first_bucket + i];

			sum += (b->low + b->high) / 2 * (double)b->count;
		}
	}
	return sum;
}

double gc_words_stopped(const struct capture *c, double *ret_ns, double *ret_sum_ns)
{
	const struct distribution *d = c->distribution;
	uint64_t n;

	if (!d)
		return NAN;
	*ret_sum_ns = gc_words_sum(c, &n);
	*ret_ns = n > 2 ? d->span_ns : d->between_ns;
	if (n == 2)
		*ret_sum_ns = d->between_sum_ns;
	if (n < 2 || !(*ret_ns >= GC_SPAN_NS) || *ret_sum_ns > *ret_ns)
		return NAN;
	return 100 * *ret_sum_ns / *ret_ns;
}
