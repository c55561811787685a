/* SPDX-License-Identifier: MIT */
/* few_rate.h - the sampling rate that a next step proposes after a recording with few samples */
#ifndef ASSAY_EXPLAIN_RULES_PROFILE_FEW_RATE_H
#define ASSAY_EXPLAIN_RULES_PROFILE_FEW_RATE_H

#include "core/profile.h"

#define FEW_RATE_USUAL 999u
#define FEW_RATE_MAX   9997u

/*
 * Samples per second, so that a run as long as that of @p has @enough samples. FEW_RATE_USUAL if
 * the rate of @p is unknown, never below the rate of @p, at most FEW_RATE_MAX. The values do not
 * run in step with timers of 100, 250 or 1000 Hz.
 */
static inline unsigned int few_rate(const struct profile *p, unsigned int enough)
{
	static const unsigned int rates[] = { FEW_RATE_USUAL, 1999, 4999 };
	double least = p->has_n_samples && p->n_samples
			       ? (double)p->recording.frequency * enough / (double)p->n_samples
			       : (double)p->recording.frequency;

	for (unsigned int i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (rates[i] >= least)
			return rates[i];
	}
	return FEW_RATE_MAX;
}

#endif
