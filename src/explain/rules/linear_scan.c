/* SPDX-License-Identifier: MIT */
/*
 * Searching and walking: functions whose names say that they look for something or
 * go through something. Their cost is the length of what they go through: a list
 * where an index should be, a hash with too few chains, a whole set checked again.
 *
 * Thresholds: in programs in good health a look-up has 3 to 8 % of the busy time.
 * From 12 % on for one of them, or 20 % together, it is worth a line, from 25 % on
 * for one it leads. What other rules know by name is left to them.
 */
#include "explain/signature.h"

#define SCAN_NOTE_PCT 12.0
#define SCAN_SUM_PCT  20.0
#define SCAN_LEAD_PCT 25.0
#define SCAN_SHOWN    3u
#define SCAN_LEAST    2.0
#define SCAN_ALL      512u /* functions that are added up; what is behind them is nothing */

#define SCAN_NAMES                                                                              \
	"*scan*|*search*|*Search*|*lookup*|*Lookup*|*LookUp*|find_*|*_find|*_find_*|*Find*|"    \
	"*for_each*|*foreach*|*ForEach*|*_walk*|walk_*|*Walk*|*_hash_add|*hash_insert*|"        \
	"*_next_entry|*_iter_next*|*_iterate*|*traverse*|*linear*|*_match|*_matches|match_*|"   \
	"*memcmp*|*strcmp*|*strncmp*|bcmp|*strcasecmp*|*_compare|*_cmp|*count_range*|"          \
	"*_nth|*list_del*all*|*validate_all*|*check_all*|*_exists|*contains*|*Contains*|"       \
	"*_get_by_*|*_by_name|*_by_id|*indexOf*|*IndexOf*|*binarySearch*|*rb_next|*hmap_next*|" \
	"*sbitmap_get*|sbitmap_find*|ip_vs_*_get*|neigh_forced_gc|*_nth_*|stringmatch*|"        \
	"keysCommand|fnmatch*|internal_fnmatch*|glob_match*"
#define SCAN_OTHERS                                                                             \
	"ext4_mb_*|*find_next*bit*|*find_first*bit*|*find_last*bit*|cpumask*|*list_lru*|"       \
	"*conntrack*|nf_*|nft_*|__nf_*|ipt_*|ip6t_*|ebt_*|blk_*|__blk_*|sbitmap_any*|*sbitmap_" \
	"weight*|find_busiest*|"                                                                \
	"find_idlest*|*select_idle*|*unwind*|*kallsyms*|page_vma_mapped_walk|*lock*|*_mt|"      \
	"*isolate_*|*shrink*|scan_block|scan_folios|*reclaim*|*compact*|*kasan*|*lockdep*|"     \
	"gup_*|follow_page*|*walk_page_range|walk_stackframe|arch_stack_walk|orc_find*|"        \
	"do_lookup_x|_dl_*|check_match|bpf_*lookup*|__htab_map_lookup*|htab_*|trie_lookup*|*"   \
	"vfscanf*|*sscanf*|*scanf*|"                                                            \
	"futex*|ktime*|find_vma*|*poll*|*idle*|fib_*|*rbtree_lookup*"

static bool scan_is_one(const struct rule_input *in, const struct fact_function *f)
{
	struct str name = facts_name(in->facts, f->sym);

	return f->self > 0 && !str_glob(STR(SCAN_OTHERS), name);
}

static void scan_finding(const struct rule_input *in, struct findings *out,
			 const struct fact_function *const *shown, size_t n, double sum, double err)
{
	const struct fact_function *top = shown[0];
	struct str name = str_sub(facts_name(in->facts, top->sym), 0, 96);
	bool leads = signature_of_busy(in, top->self) >= SCAN_LEAD_PCT && !signature_is_few(in);
	const char *does = in->profile->unit.is_plural ? "search or walk" : "searches or walks";
	struct fact_caller caller;
	struct finding *f =
		finding_add(out, in, &rule_linear_scan, leads ? FINDING_WARNING : FINDING_NOTE,
			    signature_is_few(in) ? 50
			    : leads              ? 72
						 : 60);

	f->impact = sum;
	if (n > 1)
		finding_claim(out, f, "%.2f %% of the %s %s, most of it in '" STR_FMT "' (%.2f %%)",
			      sum, in->profile->unit.of, does, STR_ARG(name), top->self);
	else
		finding_claim(out, f, "%.2f %% of the %s %s in '" STR_FMT "'", sum,
			      in->profile->unit.of, does, STR_ARG(name));
	finding_figure(f, "searching and walking", sum, err, "%");
	finding_figure(f, "most of it in one function", top->self, top->self_err, "%");
	for (size_t i = 0; i < n; i++)
		finding_evidence(out, f, in, shown[i]->line, STR_FMT " %.2f %%",
				 STR_ARG(facts_name(in->facts, shown[i]->sym)), shown[i]->self);
	if (name.len < 96) {
		char pattern[100];

		memcpy(pattern, name.p, name.len);
		pattern[name.len] = '\0';
		if (!str_glob(STR("*[*?|]*"), name) &&
		    facts_callers(in->profile, pattern, NULL, &caller, 1)) {
			finding_figure(f, "called by one", caller.pct, 0, "%");
			finding_evidence(out, f, in, caller.line, "called by " STR_FMT " %.2f %%",
					 STR_ARG(facts_name(in->facts, caller.sym)), caller.pct);
		}
	}
	finding_cause(out, f,
		      "what it goes through is long: a list in place of an index, a hash that is "
		      "too small or badly spread, a whole set that is checked each time");
	finding_because(out, f,
			"the name says that it searches; that what it searches is long, and not "
			"that it is called very often, a share does not tell");
	finding_next(out, f,
		     "how often is it called, and how far does it go: perf probe or bpftrace on "
		     "%s; perf annotate: a load in a loop is the walk",
		     finding_word(out, name, true));
	finding_next(out, f, "an index, a larger table, or not asking each time");
}

static void scan_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *shown[SCAN_SHOWN];
	const struct fact_function *all[SCAN_ALL];
	size_t matching;
	double sum = 0;
	double err = 0;
	size_t n = 0;
	double one;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_linear_scan))
		return;
	matching = facts_heaviest(in->profile, SCAN_NAMES, all, ARRAY_LEN(all));
	for (size_t i = 0; i < matching; i++) {
		const struct fact_function *f = all[i];

		if (!scan_is_one(in, f))
			continue;
		sum += f->self;
		err += f->self_err;
		if (n < SCAN_SHOWN && (n == 0 || f->self >= SCAN_LEAST))
			shown[n++] = f;
	}
	one = n ? signature_of_busy(in, shown[0]->self) : 0;
	if (n && (one >= SCAN_NOTE_PCT || signature_of_busy(in, sum) >= SCAN_SUM_PCT))
		scan_finding(in, out, shown, n, sum, err);
	else
		finding_clean(out, in, &rule_linear_scan, "%.2f %% in searching and walking", sum);
}

const struct rule rule_linear_scan = {
	.id = "linear-scan",
	.title = "a search or walk through something long",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.hides_pct = SCAN_NOTE_PCT,
	.check = scan_check,
};
