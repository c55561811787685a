/* SPDX-License-Identifier: MIT */
/*
 * made.h - findings of all rules on made-up stacks
 */
#ifndef MADE_H
#define MADE_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "profiles.h"

/* Facts and findings of all rules about made-up stacks. */
struct made {
	struct dossier *d;
	struct facts *facts;
	struct findings f;
};

/* @event: the sampled event, or NULL; @text: folded stacks. */
static inline void made_run(struct made *m, const char *event, const char *text)
{
	struct capture *c;

	memset(m, 0, sizeof(*m));
	m->d = dossier_new();
	c = profile_of_folded(m->d, text);
	if (event)
		c->profile->event = strings_add(&m->d->strings, str_of(event));
	c->path = strings_add(&m->d->strings, STR("made.folded"));
	c->first_line = c->last_line = 1;
	m->facts = facts_new(m->d);
	explain_run(m->facts, NULL, &m->f);
	assert_null(findings_check(&m->f));
}

static inline void made_end(struct made *m)
{
	findings_fini(&m->f);
	facts_free(m->facts);
	dossier_free(m->d);
}

/* The first finding of @rule that claims @words; NULL: none does. */
static inline const struct finding *made_found(const struct made *m, const char *rule,
					       const char *words)
{
	VEC_FOREACH (row, &m->f.rows) {
		if (strcmp(row->rule->id, rule) == 0 && str_contains(row->claim, str_of(words)))
			return row;
	}
	return NULL;
}

#endif
