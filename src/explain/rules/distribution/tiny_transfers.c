/* SPDX-License-Identifier: MIT */
/*
 * Nearly all reads or writes of a program transfer a few bytes. The program makes a system call for
 * each of them, which costs far more than copying the bytes.
 *
 * Thresholds: 90 % of at least 10000 values have less than 16 bytes. It is a warning from 100000
 * values on, which take about 30 ms in the kernel even if nothing blocks. If the median is 0, there
 * is no finding: most values are then reads without data, or acknowledgements.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(tiny_transfers);

#define TINY_BYTES 16.0
#define TINY_NOTE  10000u
#define TINY_LEAD  100000u
#define TINY_MOST  2u
#define TINY_SURE  70u
#define TINY_KEY   64u /* maximum number of bytes of a name in the claim */
/* Names of values that are sizes of transfers. (Other sizes are sizes of memory or of queues.) */
#define TINY_NAMES "*bytes*|*_size*|*@size*|*iosize*|*reqsize*|size"
#define TINY_OTHER "*alloc*|*queue*|*heap*|*page*|*stack*|*free*"

/* Does @s count the sizes of reads, writes or messages? */
static bool tiny_is_of_transfers(const struct rule_input *in, const struct distribution_series *s)
{
	const struct strings *strings = capture_strings(in->capture);
	struct str name = strings_get(strings, s->name);
	struct str unit = strings_get(strings, s->unit);
	struct str key = strings_get(strings, s->key);

	return !s->is_relative && !spread_is_time(in->capture, s) &&
	       (str_eq(unit, STR("bytes")) || str_glob(STR(TINY_NAMES), name) ||
		str_glob(STR(TINY_NAMES), key)) &&
	       !str_glob(STR(TINY_OTHER), name) && !str_glob(STR(TINY_OTHER), key);
}

/*
 * If exactly one counter of the same input has a value equal to the number of values in @s, return
 * its key, such as "calls geoload". The key may name the program. Empty: no counter or several.
 */
static struct str tiny_counted_as(const struct rule_input *in, const struct distribution_series *s)
{
	struct str ret = STR_NONE;

	VEC_FOREACH (c, &in->facts->dossier->captures) {
		if (!(*c)->counters || (*c)->path.v != in->capture->path.v)
			continue;
		VEC_FOREACH (row, &(*c)->counters->rows) {
			if (row->state != COUNTER_COUNTED || row->key.v == 0 ||
			    fabs(counter_value(row) - (double)s->count) > 0.5)
				continue;
			if (ret.len)
				return STR_NONE;
			ret = strings_get(capture_strings(*c), row->key);
		}
	}
	return str_sub(ret, 0, TINY_KEY);
}

static void tiny_finding(const struct rule_input *in, struct findings *out, const struct spread *s)
{
	struct finding *f = finding_add(
		out, in, &rule_tiny_transfers,
		s->series->count >= TINY_LEAD ? FINDING_WARNING : FINDING_NOTE, TINY_SURE);

	struct str as = tiny_counted_as(in, s->series);

	f->impact = 90;
	f->is_kind = true;
	finding_claim(out, f,
		      "%s: 90 %% of %llu values are below %s; the median is %s%s" STR_FMT "%s",
		      spread_words_of(in, out, s->series), (unsigned long long)s->series->count,
		      spread_words_value(in, out, s->series, s->p90.high),
		      spread_words_range(in, out, s->series, s->p50),
		      as.len ? ". As many were counted as '" : "", STR_ARG(as), as.len ? "'" : "");
	finding_figure(f, "values", (double)s->series->count, 0, "");
	finding_figure(f, "90 % are below", s->p90.high, 0, "bytes");
	spread_words_evidence(in, out, f, s, s->p50);
	finding_usual_cause(out, f,
			    "The program reads or writes a few bytes at a time without a buffer: "
			    "a system call for each number or line");
	finding_because(out, f,
			"the sizes are counted\n"
			"what the calls are for");
	finding_next(out, f,
		     "timeout 5 strace -f -y -e trace=read,pread64,write,pwrite64,recvfrom,sendto "
		     "-p PID: which file; then a buffer (stdio, bufio), larger reads, or mmap");
}

static void tiny_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0, judged = 0, few = 0;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (!tiny_is_of_transfers(in, s->series))
			continue;
		if (s->series->count < TINY_NOTE) {
			few++;
			continue;
		}
		judged++;
		if (n == TINY_MOST || s->p50.low < 1 || s->p90.high > TINY_BYTES)
			continue;
		tiny_finding(in, out, s);
		n++;
	}
	if (judged == 0 && few)
		finding_not_assessed(out, in, &rule_tiny_transfers, "a longer recording",
				     "no distribution of sizes with %u values", TINY_NOTE);
	else if (judged && n == 0)
		finding_clean(out, in, &rule_tiny_transfers,
			      "%zu distribution%s of sizes: 90 %% do not end below %.0f bytes",
			      judged, plural(judged), TINY_BYTES);
}

const struct rule rule_tiny_transfers = {
	.id = "tiny-transfers",
	.title = "System calls for a few bytes each",
	.needs = RULE_DISTRIBUTION,
	.check = tiny_check,
	.is_measured = true,
};
