/* SPDX-License-Identifier: MIT */
/*
 * show_waits.c - time of threads on and off the CPU, and the threads that other threads waited for
 */
#include "analyses/waits/wait_holders.h"
#include "analyses/waits/waits.h"
#include "analyses/waits/wall_times.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "render/view.h"
#include "transform/off_cpu.h"
#include "transform/wall_clock.h"

#include <inttypes.h>

#define WAITS_TIMES_BRIEF   8u
#define WAITS_HOLDERS_BRIEF 6u
/* number of columns before the columns for kinds of waits */
#define WAITS_FIRST 6u

static const char *const waits_titles[WAIT_KINDS] = {
	[WAIT_CPU] = "Run queue",    [WAIT_LOCK] = "Lock",       [WAIT_DISK] = "Disk",
	[WAIT_MEMORY] = "Memory",    [WAIT_GC] = "GC",           [WAIT_SLEEP] = "Timer",
	[WAIT_CHILD] = "Child",      [WAIT_CONDITION] = "Cond.", [WAIT_FUTEX] = "Futex",
	[WAIT_PEER] = "Pipe/net",    [WAIT_EVENT] = "Event",     [WAIT_OTHER] = "Other",
	[WAIT_UNKNOWN] = "No stack",
};

static void waits_time_row(struct show *s, const struct wall_time *t, struct str name)
{
	struct cell cells[WAITS_FIRST + WAIT_KINDS + 1];
	unsigned int n = 0;

	cells[n++] = cell_text(name);
	cells[n++] = t->pid ? cell_count(t->pid) : cell_none();
	cells[n++] = t->tid ? cell_count(t->tid) : cell_none();
	cells[n++] = cell_count(t->threads);
	cells[n++] = cell_ns(t->life_ns);
	cells[n++] = cell_ns(t->ran_ns);
	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		cells[n++] = cell_ns(t->kinds[k]);
	cells[n++] = cell_ns(t->rest_ns);
	view_row(s->v, cells);
}

/*
 * Print the times of threads. Text has a column for each kind of wait that occurs, JSON has columns
 * for all kinds.
 */
static void waits_times(struct show *s, const struct wall_times *times)
{
	struct view_column columns[WAITS_FIRST + WAIT_KINDS + 1] = {
		{ "command", "Threads", COLUMN_FLEX },
		{ "pid", "Pid", COLUMN_MINOR },
		{ "tid", NULL, 0 },
		{ "threads", "N", 0 },
		{ "wall_ns", "Wall", 0 },
		{ "ran_ns", "On CPU", 0 },
	};
	struct view_table table = { .key = "times", .columns = columns };
	size_t limit = show_rows(s, WAITS_TIMES_BRIEF);
	unsigned int n = WAITS_FIRST;

	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		columns[n++] = (struct view_column){ wait_kind_word((enum wait_kind)k),
						     times->all.kinds[k] ? waits_titles[k] : NULL,
						     COLUMN_NO_ZERO };
	columns[n++] = (struct view_column){ "rest_ns", times->all.rest_ns ? "Rest" : NULL,
					     COLUMN_NO_ZERO };
	table.n_columns = n;
	view_table(s->v, &table);
	for (size_t i = 0; i < times->rows.len && i < limit; i++)
		waits_time_row(s, &times->rows.data[i], show_string(s, times->rows.data[i].comm));
	if (times->rows.len > 1 && !s->session->to.is_json)
		waits_time_row(s, &times->all, STR("all"));
	view_table_end(s->v);
	if (times->rows.len > limit)
		view_line(s->v, NULL, "%zu more: assay report --off-cpu " STR_FMT,
			  times->rows.len - limit, STR_ARG(show_file(s)));
}

static struct cell waits_symbol(struct show *s, sym_id sym)
{
	return sym.v ? cell_text(symbols_name(&s->session->dossier->symbols, sym)) : cell_none();
}

/*
 * A cell with the activity of a thread while other threads waited for it: "runs", "waits: timer".
 */
static struct cell waits_doing(struct show *s, const struct wait_holder *h)
{
	if (h->state == HOLDER_WAITING)
		return cell_text(show_format(s, "waits: " STR_FMT,
					     STR_ARG(show_string(s, h->holder_reason))));
	return cell_word(holder_state_name(h->state));
}

static struct cell waits_who(struct show *s, const struct wait_holder *h)
{
	if (h->holder_tid)
		return cell_text(show_format(s, STR_FMT " (%" PRIu32 ")",
					     STR_ARG(show_string(s, h->holder_comm)),
					     h->holder_tid));
	return cell_word(h->state == HOLDER_INTERRUPT ? "interrupt" : "unknown");
}

static void waits_holders(struct show *s, const struct wait_holders *h, bool has_wakers)
{
	static const struct view_column columns[] = {
		{ "ns", "Time", 0 },
		{ "share_pct", "%", COLUMN_HEAT },
		{ "waiter", "Waiter", COLUMN_FLEX },
		{ "waiter_pid", NULL, 0 },
		{ "reason", "For", 0 },
		{ "waiter_place", "Waits in", COLUMN_FLEX },
		{ "waiter_frame", NULL, 0 },
		{ "holder", "Held up by", COLUMN_FLEX },
		{ "holder_tid", NULL, 0 },
		{ "holder_does", "Which", 0 },
		{ "holder_place", "Holder in", COLUMN_FLEX },
		{ "holder_frame", NULL, 0 },
	};
	static const struct view_table table = { .key = "holders",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t limit = show_rows(s, WAITS_HOLDERS_BRIEF);

	view_table(s->v, &table);
	for (size_t i = 0; i < h->rows.len && i < limit; i++) {
		const struct wait_holder *row = &h->rows.data[i];
		struct cell cells[] = {
			cell_ns(row->ns),
			cell_real((double)row->ns / (double)h->total_ns * 100, 1),
			cell_text(show_string(s, row->comm)),
			cell_count(row->pid),
			cell_text(show_string(s, row->reason)),
			waits_symbol(s, row->at.place.v ? row->at.place : row->at.leaf),
			waits_symbol(s, row->at.leaf),
			waits_who(s, row),
			row->holder_tid ? cell_count(row->holder_tid) : cell_none(),
			waits_doing(s, row),
			waits_symbol(s, row->holder_at.place.v ? row->holder_at.place
							       : row->holder_at.leaf),
			waits_symbol(s, row->holder_at.leaf),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (h->rows.len > limit)
		view_line(s->v, NULL, "%zu more: assay report --off-cpu " STR_FMT,
			  h->rows.len - limit, STR_ARG(show_file(s)));
	if (!has_wakers)
		view_line(
			s->v, NULL,
			"Wake-ups were not recorded, so holders are unknown: assay record --wall");
	else if (!h->has_locks)
		view_line(s->v, NULL,
			  "Locks have no addresses in this recording: a wait counts for the thread "
			  "that ended it");
}

/* Print the threads that were blocked during the whole recording, and where they waited. */
static void waits_never_ran(struct show *s, const struct capture *c, const struct waits *w)
{
	const struct profile *p = c->profile;
	unsigned int n = 0;

	for (size_t i = 0; i < p->samples.n && i < p->samples.thread.len; i++) {
		const struct profile_thread *thread = &p->threads.data[p->samples.thread.data[i]];
		const struct wait_thread *t = waits_thread(w, thread->tid);
		uint32_t node = p->samples.stack.data[i].v;
		struct str name =
			symbols_name(&s->session->dossier->symbols, p->stacks.sym.data[node]);
		/* if /proc hid the stack, its only frame is address 0 */
		bool is_known =
			!t || !t->kinds[WAIT_UNKNOWN].ns || !str_starts(name, STR("00000000"));

		if (!t || t->is_kernel || t->ran_ns || !t->life_ns ||
		    p->samples.weight.data[i] < t->life_ns)
			continue;
		if (n++ < show_rows(s, WAITS_TIMES_BRIEF))
			view_line(s->v, n == 1 ? "Never ran" : NULL,
				  STR_FMT " (%" PRIu32 "): blocked all %.3f s %s" STR_FMT,
				  STR_ARG(show_string(s, t->comm)), t->tid,
				  (double)t->life_ns / 1e9,
				  is_known ? "in " : "at an unknown place",
				  STR_ARG(is_known ? name : STR_NONE));
	}
	if (n > show_rows(s, WAITS_TIMES_BRIEF))
		view_line(s->v, NULL, "%u more threads", n - WAITS_TIMES_BRIEF);
}

static void waits_show(struct show *s, const struct capture *c)
{
	const struct capture *cpu = wall_clock_cpu(s->session->dossier, c);
	struct wait_holders holders;
	struct wall_times times;
	struct waits waits;

	waits_compute(c, &waits);
	wall_times_compute(c, &waits, &times);
	wait_holders_compute(c, cpu, &holders);
	view_object(s->v, NULL, NULL);
	view_field(s->v, "path", NULL, cell_text(show_string(s, c->path)));
	view_field(s->v, "unseen", NULL, cell_count(session_waits_of(s->session, c)->unseen));
	view_field(s->v, "held_up_ns", NULL, cell_ns(holders.total_ns));
	waits_never_ran(s, c, &waits);
	if (times.rows.len)
		waits_times(s, &times);
	if (holders.rows.len)
		waits_holders(s, &holders, waits.has_wakers);
	view_object_end(s->v);
	wait_holders_fini(&holders);
	wall_times_fini(&times);
	waits_fini(&waits);
	arena_clear(&s->scratch);
}

void show_all_waits(struct show *s)
{
	bool has_any = false;

	VEC_FOREACH (c, &s->session->dossier->captures)
		has_any |= off_cpu_has_waits(*c) && (*c)->profile->samples.n;
	if (!has_any)
		return;
	view_list(s->v, "waits");
	VEC_FOREACH (c, &s->session->dossier->captures) {
		if (off_cpu_has_waits(*c) && (*c)->profile->samples.n)
			waits_show(s, *c);
	}
	view_list_end(s->v);
}
