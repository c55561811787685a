/* SPDX-License-Identifier: MIT */
/* After a recording, advise a better sampling rate or duration. */
#include "record/perf/record.h"

#include "base/status.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * minimum number of samples: if a recording has fewer, advise a longer recording or a higher rate.
 * The rule few-samples has the same limit
 */
#define HINT_FEW 400u
/*
 * the advice is computed for HINT_SPARE * HINT_FEW samples, because the next run may have fewer
 * samples than expected
 */
#define HINT_SPARE 1.2
/* if at least this share of the samples was lost, advise a lower rate */
#define HINT_LOST 0.01
/* after losses, the advised rate is this fraction of the rate of the samples that were not lost */
#define HINT_KEEPS 0.9
/* for recordings up to this duration in seconds, advise a longer duration and not a higher rate */
#define HINT_FOR_S    60.0
#define HINT_FOR_MAX  3600.0
#define HINT_RATE_MAX 9997.0

/*
 * Sampling rates to advise. They are no divisors or multiples of usual timer rates (100, 250, 1000
 * Hz), so samples do not coincide with timers.
 */
static const uint64_t hint_rates[] = { 49, 97, 199, 499, 997, 1999, 4999, 9997 };

/* The highest rate of hint_rates up to @most; 0: none. */
static uint64_t hint_below(double most)
{
	uint64_t rate = 0;

	for (size_t i = 0; i < ARRAY_LEN(hint_rates); i++) {
		if ((double)hint_rates[i] <= most)
			rate = hint_rates[i];
	}
	return rate;
}

/* The lowest rate of hint_rates from @least up; 0: none. */
static uint64_t hint_above(double least)
{
	for (size_t i = 0; i < ARRAY_LEN(hint_rates); i++) {
		if ((double)hint_rates[i] >= least)
			return hint_rates[i];
	}
	return 0;
}

static bool hint_throttled(const struct record_result *r, char text[RECORD_HINT_BYTES])
{
	uint64_t rate = hint_below((double)r->frequency / 2);

	if (r->throttled == 0 || rate == 0)
		return false;
	(void)snprintf(text, RECORD_HINT_BYTES,
		       "the kernel throttled sampling %" PRIu64
		       " time%s, so that busy moments have "
		       "too few samples: record with -F %" PRIu64,
		       r->throttled, r->throttled == 1 ? "" : "s", rate);
	return true;
}

static bool hint_lost(const struct record_result *r, char text[RECORD_HINT_BYTES])
{
	double lost = (double)r->counts.lost;
	double share = lost > 0 ? lost / (lost + (double)r->counts.samples) : 0;
	uint64_t rate = hint_below((double)r->frequency * (1 - share) * HINT_KEEPS);

	if (share < HINT_LOST || rate == 0)
		return false;
	(void)snprintf(text, RECORD_HINT_BYTES,
		       "%.0f %% of the samples are lost: record with -F %" PRIu64, 100 * share,
		       rate);
	return true;
}

/* Format a duration as an argument of --for: "45s", "7m". */
static void hint_time(double seconds, char text[16])
{
	if (seconds <= 90)
		(void)snprintf(text, 16, "%" PRIu64 "s", (uint64_t)seconds + 1);
	else
		(void)snprintf(text, 16, "%" PRIu64 "m", (uint64_t)(seconds / 60) + 1);
}

static bool hint_few(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		     char text[RECORD_HINT_BYTES])
{
	double samples = (double)r->counts.samples;
	/* factor by which the number of samples should grow */
	double times = HINT_FEW * HINT_SPARE / samples;
	double seconds = (double)r->counts.elapsed_ns / 1e9 * times;
	double limit = most && (double)most < HINT_RATE_MAX ? (double)most : HINT_RATE_MAX;
	uint64_t rate = hint_above((double)r->frequency * times);
	char how[64];
	char duration[16];

	if (r->counts.samples == 0 || r->counts.samples >= HINT_FEW)
		return false;
	if (rate == 0 || (double)rate > limit)
		rate = hint_below(limit);
	if (!spec->argv && seconds <= HINT_FOR_S) {
		hint_time(seconds, duration);
		(void)snprintf(how, sizeof(how), "--for %s", duration);
	} else if (rate <= r->frequency) {
		return false;
	} else {
		seconds *= (double)r->frequency / (double)rate;
		hint_time(seconds, duration);
		if (spec->argv || seconds <= (double)r->counts.elapsed_ns / 1e9)
			(void)snprintf(how, sizeof(how), "-F %" PRIu64, rate);
		else if (seconds <= HINT_FOR_MAX)
			(void)snprintf(how, sizeof(how), "-F %" PRIu64 " --for %s", rate, duration);
		else
			return false;
	}
	(void)snprintf(text, RECORD_HINT_BYTES,
		       "only %" PRIu64 " sample%s; ranking functions takes %u: record with %s",
		       r->counts.samples, r->counts.samples == 1 ? "" : "s", HINT_FEW, how);
	return true;
}

bool record_hint(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		 char text[RECORD_HINT_BYTES])
{
	size_t events = 0;

	text[0] = '\0';
	VEC_FOREACH (name, &r->events)
		events += strcmp(*name, "dummy:u") != 0;
	/*
	 * with several events, it is unknown which of them lost samples or has few samples, because
	 * the counts are sums
	 */
	if (r->frequency == 0 || events != 1 || r->end == RECORD_DISK_FULL)
		return false;
	if (hint_throttled(r, text) || hint_lost(r, text))
		return true;
	return r->end != RECORD_SIZE_OVER && !spec->keep_ns && !spec->keep_bytes &&
	       hint_few(spec, r, most, text);
}
