/* SPDX-License-Identifier: MIT */
#include "explain/words/heap_words.h"

#include "analyses/event_unit.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/rule.h"

static struct str heap_event(const struct capture *c)
{
	return strings_get(capture_strings(c), c->profile->event);
}

/*
 * The profile of the same input whose event is called @first followed by @last: "inuse" and
 * "_space" for "inuse_space"; NULL: none.
 */
static const struct profile_facts *heap_sibling(const struct rule_input *in, struct str first,
						struct str last)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];
		struct str event;

		if (!in->facts->profiles[i] || c->path.v != in->capture->path.v ||
		    c->first_line != in->capture->first_line)
			continue;
		event = heap_event(c);
		if (event.len == first.len + last.len && str_starts(event, first) &&
		    str_ends(event, last))
			return in->facts->profiles[i];
	}
	return NULL;
}

uint64_t heap_words_bytes(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;
	struct str event = heap_event(in->capture);
	const struct profile_facts *bytes;

	if (p->has_event_count && event_unit_is_bytes(&in->profile->unit))
		return p->event_count;
	if (p->unit == WEIGHT_BYTES)
		return p->table.rows.len ? 0 : in->profile->weight;
	if (!str_ends(event, STR("_objects")))
		return 0;
	bytes = heap_sibling(in, str_sub(event, 0, event.len - strlen("_objects")), STR("_space"));
	return bytes && bytes->capture->profile->table.rows.len == 0 ? bytes->weight : 0;
}

double heap_words_kept(const struct rule_input *in, const struct fact_function *site)
{
	struct str event = heap_event(in->capture);
	double all = (double)in->profile->weight * site->self;
	const struct profile_facts *use;
	const struct fact_function *f;

	if (!str_starts(event, STR("alloc_")) || all <= 0)
		return -1;
	use = heap_sibling(in, STR("inuse"), str_skip(event, strlen("alloc")));
	if (!use)
		return -1;
	f = facts_by_name(use, site->name);
	return f ? (double)use->weight * f->self / all : 0;
}
