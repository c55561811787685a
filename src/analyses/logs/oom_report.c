/* SPDX-License-Identifier: MIT */
#include "analyses/logs/oom_report.h"

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"

#include <stdlib.h>

#define OOM_PAGE_KIB 4u
/* The largest page size: 64 KiB on arm64 and powerpc. */
#define OOM_PAGE_MAX_KIB 64u
/* orders are smaller than this; a larger number in the text is no order */
#define OOM_ORDERS 32u
/* the list of free blocks is also searched in this number of records before the report */
#define OOM_BEFORE  3u
#define OOM_KIB_MAX (UINT64_MAX >> 16)

struct oom_task {
	struct str name;
	uint64_t pid, pages;
	uint32_t record;
};

struct oom_table {
	VEC(struct oom_task) rows;
	size_t rss; /* index of the column "rss"; index 0 is the column after "[pid]" */
	size_t columns;
	bool has_title;
};

static uint64_t oom_add(uint64_t a, uint64_t b)
{
	return b > OOM_KIB_MAX - a ? OOM_KIB_MAX : a + b;
}

/* Parse the title of the table: "[  pid  ]   uid  tgid total_vm      rss ... name". */
static bool oom_title(struct str text, struct oom_table *t)
{
	size_t close = str_find_char(text, ']');
	struct str word, rest;

	if (!str_starts(text, STR("[")) || !str_eq(str_trim(str_sub(text, 1, close)), STR("pid")))
		return false;
	t->has_title = false;
	t->columns = 0;
	for (rest = str_skip(text, close + 1); str_word(&rest, &word); t->columns++) {
		if (str_eq(word, STR("rss"))) {
			t->rss = t->columns;
			t->has_title = true;
		}
	}
	return true;
}

/* Parse a row of the table: "[   2211]   110  2211  2456789  1902345 ... mysqld". */
static void oom_row(struct str text, uint32_t record, struct oom_table *t)
{
	struct oom_task task = { .record = record };
	struct str rest, word;
	size_t i = 0;

	if (!t->has_title || !str_take(&text, STR("[")))
		return;
	text = str_ltrim(text);
	rest = str_skip(text, str_find_char(text, ']') + 1);
	if (!str_u64(&text, &task.pid))
		return;
	for (; i + 1 < t->columns && str_word(&rest, &word); i++) {
		if (i == t->rss && (!str_u64(&word, &task.pages) || word.len))
			return;
	}
	task.name = str_trim(rest);
	if (i + 1 == t->columns && task.name.len && task.pages < OOM_KIB_MAX)
		*VEC_PUSH(&t->rows) = task;
}

/* The number after @word in @text; 0: none. */
static uint64_t oom_number(struct str text, struct str word)
{
	uint64_t n;

	text = str_skip(text, str_find(text, word));
	return str_take(&text, word) && str_u64(&text, &n) && n < OOM_KIB_MAX ? n : 0;
}

/*
 * Parse the kill line: "Killed process 2211 (mysqld) total-vm:9827156kB, anon-rss:7609380kB,
 * ...".
 */
static void oom_victim(struct str text, uint32_t record, struct oom_report *o, uint64_t *pid)
{
	size_t at = str_find(text, STR("Killed process "));
	struct str rest = str_skip(text, at + sizeof("Killed process ") - 1);
	size_t open;

	if (at >= text.len || o->victim.len || !str_u64(&rest, pid))
		return;
	open = str_find_char(rest, '(');
	rest = str_skip(rest, open + 1);
	o->victim = str_sub(rest, 0, str_find_char(rest, ')'));
	o->victim_kib = oom_add(
		oom_add(oom_number(rest, STR("anon-rss:")), oom_number(rest, STR("file-rss:"))),
		oom_number(rest, STR("shmem-rss:")));
	o->victim_record = record;
}

static void oom_group(struct str text, struct oom_report *o)
{
	size_t at = str_find(text, STR("oom_memcg="));

	/*
	 * words that appear only if a control group reached its limit: functions on the stack, and
	 * words of the report. Source: mm/memcontrol.c
	 */
	o->is_group |= str_contains(text, STR("mem_cgroup_oom_synchronize")) ||
		       str_contains(text, STR("mem_cgroup_out_of_memory")) ||
		       str_contains(text, STR("CONSTRAINT_MEMCG")) ||
		       str_contains(text, STR("Memory cgroup out of memory"));
	if (at < text.len) {
		text = str_skip(text, at + sizeof("oom_memcg=") - 1);
		o->group = str_sub(text, 0, str_find_char(text, ','));
	}
	if (str_starts(text, STR("memory: usage ")))
		o->limit_kib = oom_number(text, STR("limit "));
	o->is_v1 |= str_starts(text, STR("memory+swap: usage "));
}

static int oom_by_name(const void *a, const void *b)
{
	const struct oom_task *x = a;
	const struct oom_task *y = b;

	return str_cmp(x->name, y->name);
}

/*
 * The page size in KiB; 0: unknown. It is the ratio of the victim's memory in KiB, from the kill
 * line, to the victim's pages, from the table.
 */
static uint64_t oom_page(const struct oom_table *t, const struct oom_report *o, uint64_t pid)
{
	VEC_FOREACH (row, &t->rows) {
		uint64_t page = OOM_PAGE_KIB;

		if (row->pid != pid || row->pages == 0 || o->victim_kib == 0)
			continue;
		/* the ratio is not exact, because memory changes while the kernel prints */
		while (page < OOM_PAGE_MAX_KIB && row->pages * page < o->victim_kib * 2 / 3)
			page *= 2;
		return page;
	}
	return 0;
}

static void oom_sum(struct oom_table *t, struct oom_report *o, uint64_t page)
{
	VEC_SORT(&t->rows, oom_by_name);
	for (size_t i = 0, k; i < t->rows.len; i = k) {
		const struct oom_task *largest = &t->rows.data[i];
		uint64_t pages = 0;

		for (k = i; k < t->rows.len && str_eq(t->rows.data[k].name, t->rows.data[i].name);
		     k++) {
			pages = oom_add(pages, t->rows.data[k].pages);
			if (t->rows.data[k].pages > largest->pages)
				largest = &t->rows.data[k];
		}
		pages = pages > OOM_KIB_MAX / page ? OOM_KIB_MAX : pages * page;
		o->tasks_kib = oom_add(o->tasks_kib, pages);
		if (pages > o->top_kib) {
			o->top = largest->name;
			o->top_kib = pages;
			o->top_tasks = k - i;
			o->top_record = largest->record;
		}
	}
	o->tasks = t->rows.len;
}

/*
 * If @ret has no number yet, set it to the number after @word in the text of record @i. True: the
 * number is in kB.
 */
static bool oom_amount(struct str text, struct str word, uint32_t i, struct oom_amount *ret)
{
	struct str rest = str_skip(text, str_find(text, word));
	uint64_t n;

	if (ret->record != INDEX_NONE || !str_take(&rest, word) || !str_u64(&rest, &n) || !n ||
	    n > OOM_KIB_MAX)
		return false;
	*ret = (struct oom_amount){ .kib = n, .record = i };
	return str_starts(rest, STR("kB")) || str_starts(rest, STR("KB"));
}

/*
 * Parse the line for huge pages of one size: "Node 0 hugepages_total=8 ... hugepages_size=2048kB".
 */
static void oom_huge(struct str text, uint32_t i, struct oom_amount *huge)
{
	uint64_t n = oom_number(text, STR("hugepages_total="));
	uint64_t kib = oom_number(text, STR("hugepages_size="));

	if (!n || !kib)
		return;
	huge->kib = oom_add(huge->kib, n > OOM_KIB_MAX / kib ? OOM_KIB_MAX : n * kib);
	huge->record = huge->record == INDEX_NONE ? i : huge->record;
}

/*
 * Kinds of pages that together make up nearly all memory. Each number is taken from the first line
 * that has it.
 */
static const struct str oom_kinds[] = {
	STR("active_anon:"),   STR("inactive_anon:"),    STR("active_file:"),
	STR("inactive_file:"), STR("slab_reclaimable:"), STR("slab_unreclaimable:"),
	STR("free:"),
};

struct oom_pages {
	struct oom_amount kinds[ARRAY_LEN(oom_kinds)];
	uint64_t ram; /* number of RAM pages as printed: "2097050 pages RAM"; 0: not printed */
	/*
	 * the amount of shared memory is in KiB already, because the report prints it in kB or
	 * bytes, not in pages
	 */
	bool is_kib;
};

/*
 * The rest of @text from @word on. @word must begin after a blank or at the start of a line:
 * "anon:" is not found in "active_anon:".
 */
static struct str oom_from_word(struct str text, struct str word)
{
	for (size_t at = str_find(text, word); at < text.len;) {
		if (at == 0 || text.p[at - 1] == ' ' || text.p[at - 1] == '\n')
			return str_skip(text, at);
		at += 1 + str_find(str_skip(text, at + 1), word);
	}
	return STR_NONE;
}

/* Parse a line of the memory statistics of the kernel (Mem-Info) or of a control group. */
static void oom_memory(struct str text, uint32_t i, struct oom_report *o, struct oom_pages *p)
{
	uint64_t n;

	/*
	 * lines about a single node or zone have the same words as the lines with the totals: take
	 * only huge pages from lines about a node
	 */
	if (str_starts(text, STR("Node "))) {
		oom_huge(text, i, &o->apart[OOM_HUGE]);
		return;
	}
	for (size_t k = 0; k < ARRAY_LEN(oom_kinds); k++)
		(void)oom_amount(oom_from_word(text, oom_kinds[k]), oom_kinds[k], i, &p->kinds[k]);
	(void)oom_amount(text, STR("slab_unreclaimable:"), i, &o->apart[OOM_SLAB]);
	p->is_kib |= oom_amount(oom_from_word(text, STR("shmem:")), STR("shmem:"), i,
				&o->apart[OOM_SHMEM]);
	/* memory.stat of a control group counts bytes, not pages */
	if (str_starts(text, STR("shmem ")) && o->apart[OOM_SHMEM].record == INDEX_NONE) {
		(void)oom_amount(text, STR("shmem "), i, &o->apart[OOM_SHMEM]);
		o->apart[OOM_SHMEM].kib /= 1024;
		p->is_kib = true;
	}
	if (!p->ram && str_u64(&text, &n) && str_starts(text, STR(" pages RAM")) && n < OOM_KIB_MAX)
		p->ram = n;
}

/*
 * Parse the dirty page cache of a control group: "file_dirty 26923008" in bytes, or "dirty:264KB"
 * of version 1. (The machine's own "dirty:12" counts pages, and is ignored.) Source:
 * mm/memcontrol.c, memcg_stat_format()
 */
static void oom_dirty(struct str text, uint32_t i, struct oom_report *o)
{
	struct oom_amount amount = { .record = INDEX_NONE };
	struct str rest = oom_from_word(text, STR("dirty:"));

	if (o->dirty.record != INDEX_NONE)
		return;
	if (str_starts(text, STR("file_dirty ")))
		(void)oom_amount(text, STR("file_dirty "), i, &amount);
	else if (!oom_amount(rest, STR("dirty:"), i, &amount))
		return;
	o->dirty = amount;
	if (str_starts(text, STR("file_dirty ")))
		o->dirty.kib /= 1024;
}

/* Convert the numbers of pages in @o and @p to KiB. @page: page size in KiB. */
static void oom_in_kib(struct oom_report *o, const struct oom_pages *p, uint64_t page)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < ARRAY_LEN(p->kinds); k++)
		sum = oom_add(sum, p->kinds[k].kib);
	sum = p->ram ? p->ram : sum;
	o->ram_kib = sum > OOM_KIB_MAX / page ? OOM_KIB_MAX : sum * page;
	o->apart[OOM_SLAB].kib *= page;
	o->apart[OOM_SHMEM].kib *= p->is_kib ? 1 : page;
}

/*
 * Parse the free blocks of a zone: "Node 0 Normal: 80*4kB (UME) 9*8kB (UE) 0*16kB ... = 392kB". The
 * result keeps only the zone with the most free memory. Source: mm/show_mem.c, show_free_areas().
 */
static void oom_zone(struct str text, uint32_t i, struct oom_report *o)
{
	size_t colon = str_find_char(text, ':');
	struct str rest = str_skip(text, colon + 1);
	uint64_t all = 0, large = 0, count, kib;
	struct str word;

	if (!str_starts(text, STR("Node ")) || !str_contains(rest, STR("*4kB")))
		return;
	while (str_word(&rest, &word)) {
		if (!str_u64(&word, &count) || !str_take(&word, STR("*")) ||
		    !str_u64(&word, &kib) || !str_eq(word, STR("kB")) || kib > OOM_KIB_MAX ||
		    count > OOM_KIB_MAX / (kib + 1))
			continue;
		all = oom_add(all, count * kib);
		if (o->order < OOM_ORDERS && kib >= (uint64_t)OOM_PAGE_KIB << o->order)
			large = oom_add(large, count * kib);
	}
	if (o->zone.len && all <= o->zone_kib)
		return;
	o->zone = str_sub(text, 0, colon);
	o->zone_kib = all;
	o->zone_large_kib = large;
	o->zone_record = i;
}

/*
 * Parse a row of the list "Unreclaimable slab info:", "dentry   1203KB   1210KB": used and total
 * size. False: the line is not part of the list. Source: mm/slab_common.c,
 * dump_unreclaimable_slab().
 */
static bool oom_slab_row(struct str text, uint32_t i, struct oom_slab *ret)
{
	struct str rest = text;
	struct str name, used, total;
	uint64_t used_kib, kib;

	if (str_starts(text, STR("Name ")) || str_starts(text, STR("...")))
		return true;
	if (!str_word(&rest, &name) || !str_word(&rest, &used) || !str_word(&rest, &total) ||
	    str_trim(rest).len || !str_u64(&used, &used_kib) || !str_eq(used, STR("KB")) ||
	    !str_u64(&total, &kib) || !str_eq(total, STR("KB")) || kib > OOM_KIB_MAX)
		return false;
	if (kib > ret->kib)
		*ret = (struct oom_slab){ .name = name, .kib = kib, .record = i };
	return true;
}

void oom_report_parse(const struct records *r, uint32_t from, uint32_t to, struct oom_report *ret)
{
	struct oom_table table = { .has_title = false };
	struct oom_pages pages = { .ram = 0 };
	uint64_t pid = UINT64_MAX;
	bool is_slab = false;
	uint64_t page;

	*ret = (struct oom_report){ .victim_record = INDEX_NONE, .top_record = INDEX_NONE };
	ret->dirty.record = INDEX_NONE;
	for (size_t k = 0; k < OOM_APARTS; k++)
		ret->apart[k].record = INDEX_NONE;
	for (size_t k = 0; k < ARRAY_LEN(pages.kinds); k++)
		pages.kinds[k].record = INDEX_NONE;
	for (uint32_t i = from; i < to && i < r->rows.len; i++) {
		struct str text = str_trim(r->rows.data[i].text);
		size_t at = str_find(text, STR(" invoked oom-killer"));

		if (at < text.len && !ret->asker.len) {
			ret->asker = str_sub(text, 0, at);
			ret->order = oom_number(text, STR("order="));
		}
		oom_group(text, ret);
		oom_victim(text, i, ret, &pid);
		if (!oom_title(text, &table))
			oom_row(text, i, &table);
		oom_memory(text, i, ret, &pages);
		oom_dirty(text, i, ret);
		oom_zone(text, i, ret);
		is_slab = str_starts(text, STR("Unreclaimable slab info:")) ||
			  (is_slab && oom_slab_row(text, i, &ret->slab));
	}
	/* if the report is in a mail, its line with the free blocks may precede its first line */
	for (uint32_t i = from > OOM_BEFORE ? from - OOM_BEFORE : 0; !ret->zone.len && i < from;
	     i++)
		oom_zone(str_trim(r->rows.data[i].text), i, ret);
	page = oom_page(&table, ret, pid);
	ret->is_page_inferred = page == 0;
	page = page ? page : OOM_PAGE_KIB;
	oom_in_kib(ret, &pages, page);
	oom_sum(&table, ret, page);
	VEC_FREE(&table.rows);
}
