/* SPDX-License-Identifier: MIT */
/*
 * Slab classes of memcached evict items. A class holds items of similar size. If it is full and
 * gets no further page, it evicts the item that was unused for the longest time. The column Evicted
 * counts evicted items that had not expired. Evict_Time is the time, in seconds, since the last use
 * of the item that was evicted last.
 *
 * Thresholds: 1000 evicted items are a note. As many as the classes hold now are a warning.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(slab_class_evictions);

#define CLASS_EVICTED 1000.0
#define CLASS_SURE    75u

struct class_sums {
	double evicted, kept;
	size_t classes, evicting;
	const struct counter *most; /* the class that evicted most */
};

static void class_add(const struct rule_input *in, struct class_sums *s, const struct counter *row)
{
	double kept = counters_in_row(in->capture->counters, capture_strings(in->capture), row,
				      STR("Count"));

	s->classes++;
	if (counter_value(row) <= 0)
		return;
	s->evicting++;
	s->evicted += counter_value(row);
	s->kept += kept > 0 ? kept : 0;
	if (!s->most || counter_value(row) > counter_value(s->most))
		s->most = row;
}

static void class_finding(const struct rule_input *in, struct findings *out,
			  const struct class_sums *s)
{
	const struct counters *k = in->capture->counters;
	const struct strings *strings = capture_strings(in->capture);
	double age = counters_in_row(k, strings, s->most, STR("Evict_Time"));
	struct finding *f =
		finding_add(out, in, &rule_slab_class_evictions,
			    s->evicted >= s->kept ? FINDING_WARNING : FINDING_NOTE, CLASS_SURE);

	f->impact = 50;
	finding_claim(out, f,
		      "memcached has evicted %.0f items from %zu slab classes that are full, most "
		      "from class " STR_FMT " (%.0f)",
		      s->evicted, s->evicting, STR_ARG(strings_get(strings, s->most->key)),
		      counter_value(s->most));
	if (age >= 0)
		finding_claim(out, f, STR_FMT ": the last one was used %s before",
			      STR_ARG(f->claim),
			      age >= 1 ? finding_duration(out, (uint64_t)age * 1000000000)
				       : "less than 1 s");
	finding_figure(f, "evicted items", s->evicted, 0, "");
	finding_figure(f, "items in these classes", s->kept, 0, "");
	finding_evidence(out, f, in, s->most->line, "the class with most evictions");
	finding_usual_cause(
		out, f,
		"The items in use need more memory than the limit (-m): they are evicted before "
		"they are read again, and each miss costs a read of what is behind the cache. If "
		"only some classes evict, pages went to other sizes before");
	finding_because(out, f,
			"evictions are counted since the start\n"
			"whether the items are asked for again");
	finding_next(out, f,
		     "echo stats | nc HOST 11211 twice, a minute apart: evictions and get_misses; "
		     "bytes against limit_maxbytes");
	finding_next(out, f,
		     "set a larger -m or a shorter expiry near the limit; slab_automove=1 or a "
		     "restart far below it");
}

static void slab_class_evictions_check(const struct rule_input *in, struct findings *out)
{
	const struct counters *k = in->capture->counters;
	const struct strings *strings = capture_strings(in->capture);
	struct class_sums s = { .classes = 0 };

	if (!str_eq(strings_get(strings, k->tool), STR("memcached-tool")))
		return;
	VEC_FOREACH (row, &k->rows) {
		if (str_eq(strings_get(strings, row->name), STR("Evicted")))
			class_add(in, &s, row);
	}
	if (!s.classes)
		finding_not_assessed(out, in, &rule_slab_class_evictions, "memcached-tool HOST",
				     "the column Evicted is missing");
	else if (s.evicted >= CLASS_EVICTED)
		class_finding(in, out, &s);
	else
		finding_clean(out, in, &rule_slab_class_evictions,
			      "%.0f items were evicted from %zu classes", s.evicted, s.classes);
}

const struct rule rule_slab_class_evictions = {
	.id = "slab-class-evictions",
	.title = "Slab classes of memcached evict items",
	.needs = RULE_COUNTERS,
	.check = slab_class_evictions_check,
	.is_measured = true,
};
