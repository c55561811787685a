/* SPDX-License-Identifier: MIT */
/*
 * The kernel was out of memory and killed a process. The kernel's report shows which task had the
 * memory.
 *
 * Thresholds: a task with half of the memory of all tasks is the cause. But if all tasks together
 * have less than half of the machine's memory, no task is the cause. If slab, shared memory or the
 * pool of huge pages is larger than the memory of all tasks, that kind of memory is the cause. A
 * report may lack the table of tasks, and have a list of unreclaimable slab. Then slab is the
 * cause: the kernel prints this list only if slab is larger than the memory of all tasks.
 */
#include "analyses/logs/oom_report.h"
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(out_of_memory);

#define MEMORY_HOLDER_PCT 50.0
#define MEMORY_TASKS_PCT  50.0
/*
 * Memory is fragmented if two conditions hold for a zone. Its free memory is at least MEMORY_PIECES
 * times the requested block. Less than MEMORY_LARGE_PART (0 to 1) of the free memory is in blocks
 * that are large enough.
 */
#define MEMORY_PIECES     64u
#define MEMORY_LARGE_PART 0.01
/* Maximum number of reports to read; further ones are only counted. */
#define MEMORY_REPORTS 64u

/* Format a size, "7.26 GiB", in the arena of @out. */
static const char *memory_size(struct findings *out, uint64_t kib)
{
	double mib = (double)kib / 1024;

	return mib >= 1024 ? finding_name(out, "%.2f GiB", mib / 1024)
	       : mib >= 1  ? finding_name(out, "%.0f MiB", mib)
			   : finding_name(out, "%llu KiB", (unsigned long long)kib);
}

static const char *memory_where(const struct oom_report *o, struct findings *out)
{
	if (!o->is_group)
		return "Memory ran out";
	if (o->limit_kib)
		return finding_name(out, "A control group reached its memory limit of %s",
				    memory_size(out, o->limit_kib));
	return "A control group reached its memory limit";
}

/* texts for kinds of memory that belong to no task */
static const struct {
	const char *holds, *figure, *cause, *next;
} memory_aparts[OOM_APARTS] = {
	[OOM_SLAB] = { "the kernel's own slab holds", "unreclaimable slab",
		       "A cache of the kernel grows without bound: a leak in a driver, or objects "
		       "that something keeps referenced",
		       "slabtop -o -s c: which cache; then bpftrace on its kmem_cache_alloc "
		       "callers" },
	[OOM_SHMEM] = { "shared memory and tmpfs hold", "shared memory and tmpfs",
			"Files of a tmpfs (/tmp, /dev/shm, /run) or segments of shared memory "
			"remain after their writer, and no size limits them. The killed process "
			"is merely the largest of the rest",
			"df -t tmpfs; ipcs -m; ls -l /proc/*/fd | grep memfd: who filled it" },
	[OOM_HUGE] = { "the pool of huge pages holds", "pool of huge pages",
		       "vm.nr_hugepages reserves more memory than the machine can spare: other "
		       "processes cannot use these pages, even free ones",
		       "grep Huge /proc/meminfo: total against free; lower vm.nr_hugepages" },
};

/*
 * Do all tasks together hold only a small part of the machine's memory, or of the limit if a cgroup
 * ran out of memory?
 */
static bool memory_is_elsewhere(const struct oom_report *o)
{
	uint64_t all = o->is_group ? o->limit_kib : o->ram_kib;

	return o->tasks && (double)o->tasks_kib * 100 < MEMORY_TASKS_PCT * (double)all;
}

/*
 * Does one task, of several in the report, have most of the memory of all tasks? False if most of
 * the machine's memory is outside of tasks (memory_is_elsewhere()).
 */
static bool memory_has_holder(const struct oom_report *o)
{
	return o->tasks > 1 && !memory_is_elsewhere(o) &&
	       (double)o->top_kib * 100 >= MEMORY_HOLDER_PCT * (double)o->tasks_kib;
}

/*
 * The largest kind of memory outside of tasks, if it is larger than the memory of all tasks;
 * otherwise OOM_APARTS. If a cgroup ran out of memory, only shared memory is considered.
 */
static enum oom_apart memory_apart(const struct oom_report *o)
{
	enum oom_apart best = OOM_APARTS;

	for (unsigned int k = 0; k < OOM_APARTS; k++) {
		bool counts = !o->is_group || k == OOM_SHMEM;

		if (counts && o->tasks && o->apart[k].kib > o->tasks_kib &&
		    (best == OOM_APARTS || o->apart[k].kib > o->apart[best].kib))
			best = (enum oom_apart)k;
	}
	return best;
}

/*
 * Does the report prove that slab is larger than the memory of all tasks? The kernel prints the
 * list of slab caches only in this case.
 */
static bool memory_is_slab(const struct oom_report *o)
{
	return o->slab.name.len && !o->tasks && !o->is_group;
}

/* Is half of the limit of the control group page cache that is not written to its files yet? */
static bool memory_is_dirty(const struct oom_report *o)
{
	return o->is_group && o->limit_kib && o->dirty.kib * 2 >= o->limit_kib &&
	       memory_is_elsewhere(o);
}

/* Size of the requested block in KiB. */
static uint64_t memory_block(const struct oom_report *o)
{
	return o->order < 32 ? UINT64_C(4) << o->order : 0;
}

/* Did the request fail because all free blocks are too small for it? */
static bool memory_is_fragmented(const struct oom_report *o)
{
	return o->order > 0 && o->zone.len && !o->is_group && memory_block(o) &&
	       o->zone_kib / memory_block(o) >= MEMORY_PIECES &&
	       (double)o->zone_large_kib < MEMORY_LARGE_PART * (double)o->zone_kib;
}

static void memory_claim(struct findings *out, struct finding *f, const struct oom_report *o)
{
	const char *where = memory_where(o, out);
	enum oom_apart apart = memory_apart(o);

	if (memory_is_fragmented(o))
		finding_claim(out, f,
			      "Memory is fragmented: " STR_FMT " has %s free, but %s in blocks "
			      "of %s or more, for which " STR_FMT " asked (order %llu)",
			      STR_ARG(o->zone), memory_size(out, o->zone_kib),
			      o->zone_large_kib ? finding_name(out, "only %s",
							       memory_size(out, o->zone_large_kib))
						: "none",
			      memory_size(out, memory_block(o)),
			      STR_ARG(o->asker.len ? o->asker : STR("a process")),
			      (unsigned long long)o->order);
	else if (apart != OOM_APARTS)
		finding_claim(
			out, f, "%s: %s %s, all processes %s%s", where, memory_aparts[apart].holds,
			memory_size(out, o->apart[apart].kib), memory_size(out, o->tasks_kib),
			apart == OOM_SLAB && o->slab.name.len
				? finding_name(out,
					       ". The largest listed cache is '" STR_FMT
					       "' with %s",
					       STR_ARG(o->slab.name), memory_size(out, o->slab.kib))
				: "");
	else if (memory_is_slab(o))
		finding_claim(out, f,
			      "%s: unreclaimable slab of the kernel is larger than the memory of "
			      "all processes and files. The largest listed cache is '" STR_FMT
			      "' with %s",
			      where, STR_ARG(o->slab.name), memory_size(out, o->slab.kib));
	else if (memory_is_dirty(o))
		finding_claim(out, f,
			      "%s: %s of it is page cache that is not written to its files yet "
			      "(dirty), all processes hold %s",
			      where, memory_size(out, o->dirty.kib),
			      memory_size(out, o->tasks_kib));
	else if (memory_is_elsewhere(o))
		finding_claim(out, f, "%s: all processes hold only %s of %s", where,
			      memory_size(out, o->tasks_kib),
			      memory_size(out, o->is_group ? o->limit_kib : o->ram_kib));
	else if (memory_has_holder(o) && o->top_tasks > 1)
		finding_claim(out, f,
			      "%s: %llu tasks named " STR_FMT " held %s of the %s of all processes",
			      where, (unsigned long long)o->top_tasks, STR_ARG(o->top),
			      memory_size(out, o->top_kib), memory_size(out, o->tasks_kib));
	else if (memory_has_holder(o))
		finding_claim(out, f, "%s: " STR_FMT " held %s of the %s of all processes", where,
			      STR_ARG(o->top), memory_size(out, o->top_kib),
			      memory_size(out, o->tasks_kib));
	else if (o->victim.len && o->victim_kib)
		finding_claim(out, f, "%s: the kernel killed " STR_FMT ", which held %s", where,
			      STR_ARG(o->victim), memory_size(out, o->victim_kib));
	else if (o->victim.len)
		finding_claim(out, f, "%s: the kernel killed " STR_FMT, where, STR_ARG(o->victim));
	else
		finding_claim(out, f,
			      "%s: " STR_FMT " asked for more, and the kernel looked for "
			      "a process to kill",
			      where, STR_ARG(o->asker.len ? o->asker : STR("a process")));
}

static void memory_dirty_cause(struct findings *out, struct finding *f)
{
	finding_usual_cause(out, f,
			    "A process of the group writes files faster than the device takes the "
			    "data. Dirty pages cannot be reclaimed before they are written, and a "
			    "small group fills up before the flusher starts");
	finding_next(out, f,
		     "memory.stat of the group: file_dirty, file_writeback; iostat -x 1: the "
		     "device of the files. Then a larger limit, a lower memory.high, or writes "
		     "with O_DIRECT or sync_file_range()");
}

static void memory_cause(struct findings *out, struct finding *f, const struct oom_report *o)
{
	enum oom_apart apart = memory_apart(o);

	if (memory_is_fragmented(o)) {
		finding_cause(out, f,
			      "The request is for %llu contiguous pages, and the free memory is in "
			      "smaller blocks",
			      1ULL << o->order);
		finding_next(out, f,
			     "read the trace below the line: which code asks for contiguous "
			     "memory, and could use vmalloc() or single pages; echo 1 > "
			     "/proc/sys/vm/compact_memory joins free blocks; cat /proc/buddyinfo");
		return;
	}
	if (apart == OOM_APARTS && memory_is_slab(o))
		apart = OOM_SLAB;
	if (apart != OOM_APARTS) {
		finding_usual_cause(out, f, "%s", memory_aparts[apart].cause);
		finding_next(out, f, "%s", memory_aparts[apart].next);
		return;
	}
	if (memory_is_dirty(o)) {
		memory_dirty_cause(out, f);
		return;
	}
	if (memory_has_holder(o))
		finding_usual_cause(
			out, f,
			o->top_tasks > 1
				? "There are too many of these processes for this memory, or "
				  "each grows"
				: "The process leaks, has no limit on its caches, or is "
				  "too large for this memory");
	else if (memory_is_elsewhere(o))
		finding_usual_cause(
			out, f,
			o->is_group ? "The group pays for memory that belongs to none of its "
				      "processes: page cache that waits for the disk, objects of "
				      "the kernel"
				    : "Most of the memory belongs to no process: buffers of a "
				      "driver, pages of virtual machines, caches of a file system. "
				      "Or the request needed a zone or a block that was used up "
				      "before the rest");
	else if (o->tasks)
		finding_usual_cause(
			out, f,
			"No process holds most of it: too many processes, or memory that "
			"belongs to none (shared memory, huge pages, the kernel)");
	else
		finding_cause(out, f,
			      "The report lacks the table of tasks, which says who held "
			      "the memory");
	if (o->is_group && o->is_v1)
		finding_next(out, f,
			     "memory.limit_in_bytes and memory.stat of the group: is the limit "
			     "right, is it rss or cache");
	else if (o->is_group)
		finding_next(out, f,
			     "memory.max and memory.stat of the group: is the limit "
			     "right, is it anon or file");
	else
		finding_next(out, f,
			     "take a heap profile of the process that held it; smem -tk: all "
			     "processes and shared memory");
}

static void memory_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct oom_report *o, uint32_t from)
{
	enum oom_apart apart = memory_apart(o);

	log_words_cite(out, f, in, from);
	if (memory_is_fragmented(o))
		log_words_cite(out, f, in, o->zone_record);
	if (apart != OOM_APARTS)
		log_words_cite(out, f, in, o->apart[apart].record);
	else if (memory_is_dirty(o))
		log_words_cite(out, f, in, o->dirty.record);
	if (o->slab.name.len && (apart == OOM_SLAB || memory_is_slab(o)))
		log_words_cite(out, f, in, o->slab.record);
	if (o->top_record != INDEX_NONE)
		log_words_cite(out, f, in, o->top_record);
	if (o->victim_record != INDEX_NONE && o->victim_record != from)
		log_words_cite(out, f, in, o->victim_record);
}

static void memory_finding(const struct rule_input *in, struct findings *out,
			   const struct oom_report *o, uint32_t from, uint64_t kills)
{
	struct finding *f = finding_add(out, in, &rule_out_of_memory, FINDING_ERROR, 97);

	memory_claim(out, f, o);
	/* victim_kib is 0 if the text lacks the line about the killed process */
	if (kills != 1 || !o->victim_kib)
		finding_figure(f, kills ? "processes killed" : "kill lines in this text",
			       (double)kills, 0, "");
	if (o->victim_kib)
		finding_figure(f, "the killed process held", (double)o->victim_kib / 1024, 0,
			       "MiB");
	if (o->tasks) {
		finding_figure(f, "all tasks", (double)o->tasks_kib / 1024, 0, "MiB");
		finding_figure(f, "the largest by name",
			       log_words_pct((double)o->top_kib, (double)o->tasks_kib), 0,
			       "% of all tasks");
	}
	if (memory_is_dirty(o))
		finding_figure(f, "dirty page cache of the group", (double)o->dirty.kib / 1024, 0,
			       "MiB");
	if (o->slab.name.len)
		finding_figure(f, "the largest listed cache of the kernel",
			       (double)o->slab.kib / 1024, 0, "MiB");
	for (unsigned int k = 0; k < OOM_APARTS; k++) {
		if (o->apart[k].kib && (k == OOM_SLAB || memory_apart(o) == k))
			finding_figure(f, memory_aparts[k].figure, (double)o->apart[k].kib / 1024,
				       0, "MiB");
	}
	memory_evidence(in, out, f, o, from);
	memory_cause(out, f, o);
	finding_because(out, f, "%s",
			o->tasks && o->is_page_inferred
				? "reported by the kernel itself; a page is taken as 4 KiB, and "
				  "shared pages count in each task"
			: o->tasks
				? "reported by the kernel itself; shared pages count in each task"
			: memory_is_slab(o)
				? "reported by the kernel itself; it lists caches only if slab is "
				  "larger than that memory"
				: "reported by the kernel itself");
}

static bool memory_begins(const struct rule_input *in, const struct kernel_event *e)
{
	return str_contains(in->capture->records->rows.data[e->record].text,
			    STR("invoked oom-killer"));
}

/*
 * Index of the log record after the report at index @at of kernel_events: the start of the next
 * report, or the end of the log.
 */
static uint32_t memory_end(const struct rule_input *in, size_t at)
{
	for (size_t i = at + 1; i < in->log->kernel_events.len; i++) {
		const struct kernel_event *e = &in->log->kernel_events.data[i];

		if (e->kind == KERNEL_OOM && memory_begins(in, e))
			return e->record;
	}
	return (uint32_t)in->capture->records->rows.len;
}

static void memory_check(const struct rule_input *in, struct findings *out)
{
	struct oom_report worst = { .tasks = 0 };
	struct oom_slab slab = { .kib = 0 };
	uint32_t from = INDEX_NONE;
	uint64_t kills = 0;
	bool is_open = false;
	size_t reports = 0;

	for (size_t i = 0; i < in->log->kernel_events.len; i++) {
		const struct kernel_event *e = &in->log->kernel_events.data[i];
		bool begins = e->kind == KERNEL_OOM && memory_begins(in, e);
		struct oom_report o;

		if (e->kind != KERNEL_OOM)
			continue;
		kills += !begins;
		/*
		 * a line about a killed process belongs to the report that began before this line
		 */
		if ((!begins && is_open) || ++reports > MEMORY_REPORTS)
			continue;
		is_open = begins;
		oom_report_parse(in->capture->records, e->record, memory_end(in, i), &o);
		if (o.slab.kib > slab.kib)
			slab = o.slab;
		if (from == INDEX_NONE || o.tasks_kib > worst.tasks_kib ||
		    (!worst.victim.len && o.victim.len)) {
			worst = o;
			from = e->record;
		}
	}
	/* a growing cache is in all reports of a text: use the report with the largest slab */
	worst.slab = slab.kib ? slab : worst.slab;
	if (from != INDEX_NONE)
		memory_finding(in, out, &worst, from, kills);
	else if (in->capture->records->is_kernel)
		finding_clean(out, in, &rule_out_of_memory,
			      "no process was killed for want of memory");
}

const struct rule rule_out_of_memory = {
	.id = "out-of-memory",
	.title = "Out of memory: who held it",
	.needs = RULE_LOG,
	.check = memory_check,
	.is_measured = true,
};
