/* SPDX-License-Identifier: MIT */
/* few_rate.h - the sampling rate that a next step proposes after a recording with few samples */
#ifndef ASSAY_EXPLAIN_RULES_PROFILE_FEW_RATE_H
#define ASSAY_EXPLAIN_RULES_PROFILE_FEW_RATE_H

#include "core/profile.h"

#define FEW_RATE_USUAL 999u
#define FEW_RATE_MAX   9997u

/*
 * The sampling rate (samples per second) with which a run as long as that of @p gives @enough
 * samples. Returns FEW_RATE_USUAL if the rate of @p is unknown. The result is never below the rate
 * of @p, and at most FEW_RATE_MAX. No result is a multiple of a timer's rate (100, 250 or 1000 Hz),
 * since samples would then run in step with the timer.
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
