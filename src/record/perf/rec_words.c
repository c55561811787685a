/* SPDX-License-Identifier: MIT */
/*
 * Parse event names with modifiers: perf's names, raw codes and PMU events. (rec_tracing.c has
 * tracepoints.)
 */
#include "record/perf/rec.h"

#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} words_known[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
	{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x0 },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
	{ "L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001 },
	{ "LLC-loads", PERF_TYPE_HW_CACHE, 0x2 },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, 0x10002 },
	{ "dTLB-loads", PERF_TYPE_HW_CACHE, 0x3 },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003 },
	{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004 },
	{ "branch-loads", PERF_TYPE_HW_CACHE, 0x5 },
	{ "node-loads", PERF_TYPE_HW_CACHE, 0x6 },
	{ "node-load-misses", PERF_TYPE_HW_CACHE, 0x10006 },
};

/*
 * Parse the modifiers @mods of the event @name into @a: letters such as "u" and "k" (user, kernel)
 * and "P" (highest precision).
 */
static int words_modify(struct perf_event_attr *a, struct str name, struct str mods,
			struct error *err)
{
	bool has_mode = false;

	for (size_t i = 0; i < mods.len; i++) {
		switch (mods.p[i]) {
		case 'u':
		case 'k':
		case 'h':
			if (!has_mode)
				a->exclude_user = a->exclude_kernel = a->exclude_hv = 1;
			has_mode = true;
			if (mods.p[i] == 'u')
				a->exclude_user = 0;
			else if (mods.p[i] == 'k')
				a->exclude_kernel = 0;
			else
				a->exclude_hv = 0;
			break;
		case 'p':
			if (a->precise_ip < 3)
				a->precise_ip++;
			break;
		case 'P':
			a->precise_ip = 3;
			break;
		case 'H':
			a->exclude_guest = 1;
			break;
		case 'G':
			a->exclude_guest = 0;
			break;
		default:
			return fail(err, ERR_USAGE,
				    "event '" STR_FMT "': the modifier '%c' is not known; "
				    "there are u, k, h, p, P, G and H",
				    STR_ARG(name), mods.p[i]);
		}
	}
	return OK;
}

static bool words_find(struct str name, struct perf_event_attr *a)
{
	struct str hex = name;
	uint64_t raw;

	for (size_t i = 0; i < ARRAY_LEN(words_known); i++) {
		if (str_eq_nocase(name, str_of(words_known[i].name))) {
			a->type = words_known[i].type;
			a->config = words_known[i].config;
			return true;
		}
	}
	if (str_take(&hex, STR("r")) && hex.len && str_hex64(&hex, &raw) && hex.len == 0) {
		a->config = raw;
		a->type = PERF_TYPE_RAW;
		return true;
	}
	return false;
}

/*
 * Find the CPU's PMU that has an event @name, so that users can omit the name of the PMU. Empty:
 * none.
 */
static struct str words_processor(const char *devices, struct str name)
{
	static const char *const pmus[] = { "cpu", "cpu_core", "armv8_pmuv3", "armv8_pmuv3_0" };

	for (size_t i = 0; i < ARRAY_LEN(pmus); i++) {
		if (rec_pmu_has_event(devices, str_of(pmus[i]), name))
			return str_of(pmus[i]);
	}
	return STR_NONE;
}

/* Parse an event with terms: "cpu/event=0x3c/u", "cpu-clock/period=1000000/". */
static int words_slashes(struct str word, const char *devices, struct perf_event_attr *a,
			 struct rec_terms *terms, struct error *err)
{
	size_t open = str_find_char(word, '/');
	size_t close = str_rfind_char(word, '/');
	struct str name = str_sub(word, 0, open);
	struct str mods = str_skip(word, close + 1);
	int status;

	if (open == close || open == 0)
		return fail(err, ERR_USAGE,
			    "event '" STR_FMT "': its terms stand between slashes, as in "
			    "cpu/event=0x3c,umask=0x1/",
			    STR_ARG(word));
	if (!rec_pmu_is(devices, name) && words_find(name, a))
		name = STR_NONE;
	status = rec_pmu_take(devices, name, str_sub(word, open + 1, close), word, a, terms, err);
	(void)str_take(&mods, STR(":"));
	return status < 0 ? status : words_modify(a, word, mods, err);
}

int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
		  struct rec_terms *terms, struct error *err)
{
	struct str name = str_sub(word, 0, str_find_char(word, ':'));
	struct str pmu;
	int status;

	*terms = (struct rec_terms){ .period = 0 };
	if (str_find_char(word, '/') < word.len)
		return words_slashes(word, devices, a, terms, err);
	if (!words_find(name, a)) {
		pmu = words_processor(devices, name);
		if (pmu.len == 0)
			return fail(err, ERR_NOTFOUND,
				    "there is no event '" STR_FMT "': a name as in 'perf list', "
				    "group:name of a tracepoint, cpu/event=0x3c/, or rNNN",
				    STR_ARG(word));
		status = rec_pmu_take(devices, pmu, name, word, a, terms, err);
		if (status < 0)
			return status;
	}
	return words_modify(a, word, str_skip(word, name.len + 1), err);
}

struct str rec_word_first(struct str list)
{
	bool is_inside = false;
	size_t n = 0;

	while (n < list.len && (is_inside || list.p[n] != ',')) {
		is_inside ^= list.p[n] == '/';
		n++;
	}
	return str_sub(list, 0, n);
}
