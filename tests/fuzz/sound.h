/* SPDX-License-Identifier: MIT */
/* sound.h - what core/profile.h promises about the columns of samples, whatever a reader read */
#ifndef SOUND_H
#define SOUND_H

#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"

static inline bool sound_column(size_t len, size_t n)
{
	return len == 0 || len == n;
}

static inline bool sound_samples(const struct profile *p)
{
	const struct samples *s = &p->samples;
	bool ret = s->stack.len == s->n && s->weight.len == s->n &&
		   sound_column(s->count.len, s->n) && sound_column(s->time_ns.len, s->n) &&
		   sound_column(s->thread.len, s->n) && sound_column(s->cpu.len, s->n) &&
		   sound_column(s->no_frame.len, s->n);

	VEC_FOREACH (thread, &s->thread)
		ret = ret && *thread < p->threads.len;
	VEC_FOREACH (field, &s->fields)
		ret = ret && field->values.len == s->n;
	return ret;
}

/* Stop the program if a capture has a column without a value for each sample. */
static inline void sound_check(const struct dossier *d)
{
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->profile && !sound_samples((*c)->profile))
			__builtin_trap();
	}
}

#endif
