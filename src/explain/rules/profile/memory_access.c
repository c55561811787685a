/* SPDX-License-Identifier: MIT */
/*
 * The latency of memory accesses (perf mem). The finding names the function whose accesses have
 * most of the latency, and the memory level that had their data (L1, RAM, ...). It also reports
 * hits in cache lines that another CPU had modified.
 *
 * Thresholds: a function with 12 % is a note, as in rule hot-function. With 30 % it is a warning if
 * its data comes from RAM or another node. Hits in modified lines are judged as in a table of perf
 * c2c: a note from 10 %, a warning from 30 %. Other properties of accesses, such as TLB misses, are
 * mentioned from 20 % on.
 */
#include "analyses/memory_access.h"
#include "analyses/event_unit.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(memory_access);

#define ACCESS_SURE      75u
#define ACCESS_NOTE_PCT  12.0
#define ACCESS_LEAD_PCT  30.0
#define ACCESS_HITM_PCT  10.0
#define ACCESS_TRAIT_PCT 20.0
/* from this share on, in percent, the claim says "all": the missing part is only rounding */
#define ACCESS_ALL_PCT 99.5
/*
 * If hits in modified lines have at least this part (0 to 1) of the latency of a function, they
 * explain it: its memory level gets no finding of its own.
 */
#define ACCESS_SAME_PART 0.5
/*
 * If the printed rows add up to less, percent, a row that is not printed may be larger than all
 * printed rows.
 */
#define ACCESS_VISIBLE_PCT 50.0

/* Why an access at each memory level takes time, and a next step. */
static const struct access_words {
	const char *cause; /* NULL: unknown */
	const char *next;
} access_words[] = {
	[MEMORY_UNKNOWN] = { NULL,
			     "perf mem report --stdio --sort=symbol_daddr,dso_daddr,mem: which "
			     "data the accesses read" },
	[MEMORY_L1] = { "The first cache had the data. Such accesses wait for operands, for an "
			"earlier store or in the pipeline, not for memory",
			"perf annotate --stdio: which instructions wait, and for which result" },
	[MEMORY_FILL_BUFFER] = { "The line was already in flight when it was needed: an earlier "
				 "access or a prefetch missed the first cache",
				 "perf mem report --stdio --sort=symbol_daddr,dso_daddr,mem: which "
				 "data misses the first cache" },
	[MEMORY_L2] = { "The data in use is larger than the first cache",
			"perf mem report --stdio --sort=symbol_daddr,dso_daddr,mem: which data "
			"misses the first cache" },
	[MEMORY_L3] = { "The data in use is larger than the caches of one core",
			"perf mem report --stdio --sort=symbol_daddr,dso_daddr,mem: which data "
			"misses the caches of the core" },
	[MEMORY_RAM] = { "No cache has the data: more is in use than fits, or its order is one "
			 "that no prefetcher follows",
			 "perf mem report --stdio --sort=symbol_daddr,dso_daddr,mem: which data "
			 "comes from RAM" },
	[MEMORY_REMOTE_RAM] = { "The memory belongs to another NUMA node",
				"numastat -p PID, then numactl --cpunodebind=N --membind=N: "
				"threads "
				"and their memory on one node" },
	[MEMORY_REMOTE_CACHE] = { "The cache of another node or core had the data",
				  "perf c2c record -a sleep 10; perf c2c report --stdio: which "
				  "lines CPUs share" },
};

static double access_pct(const struct rule_input *in, uint64_t weight)
{
	return profile_value(in->capture->profile, weight);
}

static struct str access_function(const struct rule_input *in, sym_id sym)
{
	return facts_short_name(in->facts, sym, 96);
}

/*
 * Name of a memory level in the plural: "L1 hits", "L1 misses", "'Remote node, same socket RAM'
 * hits".
 */
static const char *access_level(struct findings *out, const struct memory_level *level)
{
	struct str name = str_of(level->name);
	size_t last = str_rfind_char(name, ' ');
	const char *end = str_ends(name, STR("miss")) ? "es" : "s";

	if (last < name.len && str_find_char(name, ',') < name.len)
		return finding_name(out, "'" STR_FMT "'" STR_FMT "%s",
				    STR_ARG(str_sub(name, 0, last)), STR_ARG(str_skip(name, last)),
				    end);
	return finding_name(out, STR_FMT "%s", STR_ARG(name), end);
}

/*
 * The memory level that has most of the latency of the heaviest function (m->top); without
 * functions, m->levels[0].
 */
static const struct memory_level *access_top_level(const struct memory_access *m)
{
	const struct memory_level *top = &m->levels[0];

	for (unsigned int i = 1; m->top.v && i < m->n_levels; i++) {
		if (m->levels[i].top_self > top->top_self)
			top = &m->levels[i];
	}
	return top;
}

/*
 * Add a finding if many accesses hit lines that another CPU modified. Returns true if these hits
 * also explain most of the heaviest function or level: it then gets no finding of its own.
 */
static bool access_hitm(const struct rule_input *in, struct findings *out,
			const struct memory_access *m)
{
	const struct memory_trait_sum *hitm = &m->traits[MEMORY_HITM];
	const struct event_unit *unit = &in->profile->unit;
	double pct = access_pct(in, hitm->self);
	const char *where = "";
	struct finding *f;

	if (pct < ACCESS_HITM_PCT)
		return false;
	f = finding_add(out, in, &rule_memory_access,
			pct >= ACCESS_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, 95);
	f->impact = pct;
	if (hitm->top.v) {
		where = finding_name(out, ", mainly in " STR_FMT,
				     STR_ARG(access_function(in, hitm->top)));
		finding_subject(f, hitm->top, SUBJECT_EXPLAINED);
	}
	finding_claim(out, f, "%.1f %% of %s %s hits in lines that another CPU modified (HITM)%s",
		      pct, unit->of, unit->is_plural ? "are" : "is", where);
	finding_figure(f, "hits in modified lines", pct, 0, "%");
	if (hitm->top.v)
		finding_figure(f, "of these in the function", access_pct(in, hitm->top_self), 0,
			       "%");
	finding_evidence(out, f, in, hitm->line, "the heaviest row with HitM");
	finding_cause(out, f,
		      "CPUs write lines that others use: the same data, or different data in one "
		      "line. The line moves between their caches");
	finding_because(out, f, "the column Snoop says HitM");
	finding_next(out, f,
		     "perf c2c record -a sleep 10; perf c2c report --stdio: the lines, the "
		     "offsets, and who writes them");
	return m->top.v ? hitm->top.v == m->top.v &&
				  (double)hitm->top_self >= ACCESS_SAME_PART * (double)m->top_self
			: (double)hitm->self >= ACCESS_SAME_PART * (double)m->levels[0].self;
}

/*
 * A clause about other properties of the accesses: "; overall 31.0 % with a TLB miss, 25.0 % in
 * locked instructions". "": no property has a large share.
 */
static const char *access_traits(const struct rule_input *in, struct findings *out,
				 const struct memory_access *m)
{
	double tlb = access_pct(in, m->traits[MEMORY_TLB_MISS].self);
	double atomic = access_pct(in, m->traits[MEMORY_ATOMIC].self);
	const char *text = "";

	if (tlb >= ACCESS_TRAIT_PCT)
		text = finding_name(out, "; overall %.1f %% with a TLB miss", tlb);
	if (atomic >= ACCESS_TRAIT_PCT)
		text = finding_name(out, "%s%s%.1f %% in locked instructions", text,
				    text[0] ? ", " : "; overall ", atomic);
	return text;
}

/* Set claim and evidence for a table with functions. */
static void access_in_function(const struct rule_input *in, struct findings *out, struct finding *f,
			       const struct memory_access *m)
{
	const struct event_unit *unit = &in->profile->unit;
	const struct memory_level *level = access_top_level(m);
	struct str name = access_function(in, m->top);
	double part = 100 * (double)level->top_self / (double)m->top_self;
	const char *as = access_level(out, level);

	if (part < ACCESS_ALL_PCT)
		as = finding_name(out, "%.1f %% of that as %s", part, as);
	else
		as = finding_name(out, "all as %s", as);
	finding_claim(out, f, "%.1f %% of %s %s in " STR_FMT ", %s%s", access_pct(in, m->top_self),
		      unit->of, unit->is_plural ? "are" : "is", STR_ARG(name), as,
		      access_traits(in, out, m));
	finding_subject(f, m->top, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->top_line, STR_FMT ": its heaviest row", STR_ARG(name));
	finding_figure(f, "share of the function", access_pct(in, m->top_self), 0, "%");
	finding_figure(f, finding_name(out, "of the function as %s", access_level(out, level)),
		       part, 0, "%");
}

/* Set claim and evidence for a table without functions. */
static void access_by_level(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct memory_access *m)
{
	const struct event_unit *unit = &in->profile->unit;
	const char *second = "";

	if (m->n_levels > 1)
		second = finding_name(out, ", %.1f %% %s", access_pct(in, m->levels[1].self),
				      access_level(out, &m->levels[1]));
	finding_claim(out, f, "%.1f %% of %s %s %s%s%s", access_pct(in, m->levels[0].self),
		      unit->of, unit->is_plural ? "are" : "is", access_level(out, &m->levels[0]),
		      second, access_traits(in, out, m));
	for (unsigned int i = 0; i < m->n_levels && i < 4; i++) {
		finding_figure(f, access_level(out, &m->levels[i]),
			       access_pct(in, m->levels[i].self), 0, "%");
		finding_evidence(out, f, in, m->levels[i].line, "%s", m->levels[i].name);
	}
}

/*
 * A clause about the minimum latency of the sampled loads ("ldlat=30" in the event). "": there is
 * no minimum.
 */
static const char *access_selected(const struct rule_input *in, struct findings *out)
{
	struct str event = strings_get(capture_strings(in->capture), in->capture->profile->event);
	struct str rest = str_skip(event, str_find(event, STR("ldlat=")) + strlen("ldlat="));
	uint64_t cycles;

	if (!str_u64(&rest, &cycles) || cycles <= 1)
		return "";
	return finding_name(out, ". Loads below %llu cycles were not sampled (ldlat)",
			    (unsigned long long)cycles);
}

static void access_finding(const struct rule_input *in, struct findings *out,
			   const struct memory_access *m)
{
	const struct memory_level *level = access_top_level(m);
	double pct = access_pct(in, m->top.v ? level->top_self : level->self);
	bool is_far = level->class == MEMORY_RAM || level->class == MEMORY_REMOTE_RAM ||
		      level->class == MEMORY_REMOTE_CACHE;
	struct finding *f = finding_add(
		out, in, &rule_memory_access,
		is_far && pct >= ACCESS_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, ACCESS_SURE);

	f->impact = access_pct(in, m->top.v ? m->top_self : level->self);
	if (m->top.v)
		access_in_function(in, out, f, m);
	else
		access_by_level(in, out, f, m);
	if (m->mean > 0)
		finding_figure(f, "mean latency of the accesses shown", m->mean, 0, "cycles");
	if (m->unknown)
		finding_figure(f, "accesses without a level", access_pct(in, m->unknown), 0, "%");
	if (access_words[level->class].cause)
		finding_usual_cause(out, f, "%s", access_words[level->class].cause);
	finding_because(out, f, "the rows are added up; the level is printed, the reason is not%s",
			access_selected(in, out));
	finding_next(out, f, "%s", access_words[level->class].next);
}

static void memory_access_check(const struct rule_input *in, struct findings *out)
{
	struct memory_access m;
	double pct;

	if (!memory_access_sum(in->capture, &m))
		return;
	if (m.n_levels == 0) {
		finding_not_assessed(out, in, &rule_memory_access,
				     "perf mem record on a processor that samples latencies "
				     "(PEBS, IBS, SPE)",
				     "no row says which memory level had the data");
		return;
	}
	if (access_hitm(in, out, &m))
		return;
	pct = access_pct(in, m.top.v ? m.top_self : m.levels[0].self);
	if (pct >= ACCESS_NOTE_PCT)
		access_finding(in, out, &m);
	else if (in->profile->total < ACCESS_VISIBLE_PCT)
		finding_not_assessed(out, in, &rule_memory_access,
				     "perf mem report --stdio: all rows",
				     "the rows show only %.2f %% of the total", in->profile->total);
	else
		finding_clean(out, in, &rule_memory_access,
			      "no function has more than %.1f %% of %s", pct, in->profile->unit.of);
}

static const char *const access_overrules[] = { "hot-function", "hot-family", NULL };

const struct rule rule_memory_access = {
	.id = "memory-access",
	.title = "Memory access latency",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.overrules = access_overrules,
	.is_measured = true,
	.check = memory_access_check,
};
