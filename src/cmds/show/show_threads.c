/* SPDX-License-Identifier: MIT */
/*
 * show_threads.c - a dump of threads: groups of equal stacks, locks and their owners
 */
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <stdlib.h>

#define THREADS_GROUPS_BRIEF 8u
#define THREADS_LOCKS_BRIEF  4u
#define THREADS_STATES       64u /* maximum number of states; further states are not shown */

static struct cell threads_symbol(struct show *s, sym_id sym)
{
	return sym.v ? cell_text(symbols_name(&s->session->dossier->symbols, sym)) : cell_none();
}

/*
 * The title of a thread: its name in quotes. If it has no name, its id; if it has no id either, its
 * line in the input.
 */
static struct str threads_title(struct show *s, const struct thread_row *row)
{
	struct str name = show_string(s, row->name);
	struct str id = show_string(s, row->id);

	if (name.len)
		return show_format(s, "\"" STR_FMT "\"", STR_ARG(str_sub(name, 0, 200)));
	if (id.len)
		return show_format(s, STR_FMT, STR_ARG(str_sub(id, 0, 200)));
	return show_format(s, "at line %" PRIu32, row->line);
}

/* The number of threads in a state. */
struct threads_state {
	struct str name;
	uint64_t threads;
};

static int state_order(const void *a, const void *b)
{
	const struct threads_state *x = a;
	const struct threads_state *y = b;

	return SORT_ORDER(y->threads, x->threads) ?: str_cmp(x->name, y->name);
}

/* Print the line "State": the states of the threads, the most frequent first. */
static void threads_states(struct show *s, const struct threads_summary *sum)
{
	struct threads_state states[THREADS_STATES];
	struct out text = { .fd = -1 };
	size_t n = 0;

	for (uint32_t i = 0; i < sum->rows.len; i++) {
		const struct thread_row *row = threads_summary_row(sum, i);
		struct str name = threads_summary_state(sum, i);
		size_t at = 0;

		if (row->snapshot != sum->snapshot)
			continue;
		while (at < n && !str_eq(states[at].name, name))
			at++;
		if (at == THREADS_STATES)
			continue;
		if (at == n)
			states[n++] = (struct threads_state){ .name = name };
		states[at].threads += row->count;
	}
	/* omit the line if the dump has no states */
	if (n == 1 && str_eq_nocase(states[0].name, STR("unknown"))) {
		out_fini(&text);
		return;
	}
	qsort(states, n, sizeof(*states), state_order);
	for (size_t i = 0; i < n; i++)
		out_printf(&text, "%s" STR_FMT " (%" PRIu64 ")", i ? ", " : "",
			   STR_ARG(states[i].name), states[i].threads);
	out_char(&text, '\0');
	view_line(s->v, "State", "%s", text.data);
	out_fini(&text);
}

/*
 * Format the number of threads: "35 threads". If the dump states a larger number than it prints:
 * "17 of 29 goroutines printed".
 */
static struct str threads_counted(struct show *s, const struct capture *c,
				  const struct threads_summary *sum)
{
	struct str all =
		show_plural(s, sum->threads, show_records_name(c, 1), show_records_name(c, 2));

	return sum->printed < sum->threads ? show_format(s, "%" PRIu64 " of " STR_FMT " printed",
							 sum->printed, STR_ARG(all))
					   : all;
}

/*
 * Format how many different stacks the threads have: ", all with the same stack", " with 3
 * different stacks". Returns "" if there is only one thread.
 */
static struct str threads_grouped(struct show *s, const struct capture *c,
				  const struct threads_summary *sum)
{
	size_t n = sum->groups.len;

	if (sum->printed <= 1 && !threads_is_checked(c->threads))
		return STR("");
	/*
	 * a session of a database has no stack: the frames of its row are not functions, but the
	 * wait and the statement of the session
	 */
	if (c->threads->is_sessions)
		return show_format(s, " in " STR_FMT,
				   STR_ARG(show_plural(s, n, "group", "groups")));
	if (n == 1 && !threads_is_checked(c->threads))
		return STR(", all with the same stack");
	if (n == sum->printed && n == sum->threads && !threads_is_checked(c->threads))
		return n == 2 ? STR(" with different stacks") : STR(", all with different stacks");
	return show_format(s, "%s with " STR_FMT, sum->printed < sum->threads ? "," : "",
			   STR_ARG(show_plural(s, n, "different stack", "different stacks")));
}

static void threads_head(struct show *s, const struct capture *c, const struct threads_summary *sum)
{
	bool is_checked = threads_is_checked(c->threads);

	view_field(s->v, "printed_by", NULL, show_name(s, c->threads->dialect));
	view_field(s->v, "threads", NULL, cell_count(sum->threads));
	view_field(s->v, "stacks", NULL, cell_count(sum->groups.len));
	view_field(s->v, "snapshots", NULL, cell_count(c->threads->snapshots));
	/* if the page has one capture, its title already contains the number of threads */
	if (is_checked || sum->groups.len != sum->threads || !show_front_is_single(s))
		view_line(s->v, "What", STR_FMT STR_FMT,
			  STR_ARG(is_checked ? STR("report of a checker")
					     : threads_counted(s, c, sum)),
			  STR_ARG(threads_grouped(s, c, sum)));
	if (c->threads->snapshots > 1)
		view_line(s->v, NULL, "%" PRIu32 " dumps one after another; %s is shown",
			  c->threads->snapshots,
			  sum->snapshot + 1 == c->threads->snapshots
				  ? "the last one"
				  : show_format(s, "number %" PRIu32, sum->snapshot + 1).p);
	view_object(s->v, "waiting", NULL);
	for (unsigned int k = 0; k < THREAD_WAIT_KINDS && !threads_is_order(c->threads); k++) {
		const char *name = k ? thread_wait_name((enum thread_wait)k) : "none";

		if (sum->waiting[k])
			view_field(s->v, name, NULL, cell_count(sum->waiting[k]));
	}
	view_object_end(s->v);
	/*
	 * stacks from a checker (such as valgrind) are places in code, not threads that run or wait
	 */
	if (!is_checked)
		threads_states(s, sum);
	VEC_FOREACH (note, &c->threads->notes) {
		view_line(s->v, note == c->threads->notes.data ? "Reported" : NULL, STR_FMT,
			  STR_ARG(show_string(s, note->text)));
		if (s->is_brief)
			break;
	}
}

/* Whether no two threads have the same stack, so that each row of the table is one thread. */
static bool threads_are_single(const struct threads_summary *sum)
{
	VEC_FOREACH (g, &sum->groups) {
		if (g->threads != 1)
			return false;
	}
	return true;
}

/* Whether the titles of the stacks are names of locks: a report about the order of locks. */
static bool threads_is_locks(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (row->id.v || !row->name.v)
			return false;
	}
	return threads_is_order(t);
}

static void threads_groups(struct show *s, const struct threads_summary *sum)
{
	bool are_single = threads_are_single(sum);
	const char *title = threads_is_locks(sum->c->threads)     ? "Lock"
			    : threads_is_checked(sum->c->threads) ? "Stack"
								  : "Thread";
	const struct view_column columns[] = {
		{ "threads", are_single ? NULL : "Count", 0 },
		{ "waits_for", NULL, 0 },
		{ "now", "State", 0 },
		{ "place", "Where", COLUMN_FLEX },
		{ "in", "Waits in", COLUMN_FLEX | COLUMN_MINOR },
		{ "state", NULL, 0 },
		{ "age_ns", NULL, 0 },
		{ "snapshots", NULL, 0 },
		{ "first_thread", are_single ? title : NULL, COLUMN_FLEX },
		{ "frames", NULL, 0 },
		{ "creator", NULL, 0 },
		{ "line", "Line", 0 },
	};
	const struct view_table table = { .key = "groups",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_main = true };
	size_t limit = show_rows(s, THREADS_GROUPS_BRIEF);

	view_table(s->v, &table);
	for (size_t i = 0; i < sum->groups.len && i < limit; i++) {
		const struct thread_group *g = &sum->groups.data[i];
		const struct thread_row *row = threads_summary_row(sum, g->row);
		const struct thread_seen *seen = &sum->rows.data[g->row];
		struct cell cells[] = {
			cell_count(g->threads),
			g->kind && !threads_is_order(sum->c->threads)
				? cell_word(thread_wait_name((enum thread_wait)g->kind))
				: cell_none(),
			cell_text(threads_summary_state(sum, g->row)),
			threads_symbol(s, threads_summary_sym(sum, g->row, seen->place)),
			g->kind && seen->entry < seen->place
				? threads_symbol(s, threads_summary_sym(sum, g->row, seen->entry))
				: cell_none(),
			show_name(s, g->state_text),
			g->age_ns ? cell_ns(g->age_ns) : cell_none(),
			cell_count(g->snapshots),
			cell_text(threads_title(s, row)),
			cell_count(row->depth),
			show_name(s, row->creator),
			cell_line(row->line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (sum->groups.len > limit)
		view_line(s->v, NULL, "%zu more stacks: assay report " STR_FMT,
			  sum->groups.len - limit, STR_ARG(show_file(s)));
}

static void threads_locks_table(struct show *s, const struct threads_summary *sum)
{
	static const struct view_column columns[] = {
		{ "waiters", "Waiters", 0 },
		{ "lock", "Lock", 0 },
		{ "type", "Name", COLUMN_FLEX | COLUMN_MINOR },
		{ "owner", "Owner", COLUMN_FLEX },
		{ "owner_waits_for", "Owner state", 0 },
		{ "owner_place", "Owner is in", COLUMN_FLEX },
		{ "line", "Line", 0 },
	};
	static const struct view_table table = { .key = "locks",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t limit = show_rows(s, THREADS_LOCKS_BRIEF);

	if (!sum->locks.len)
		return;
	view_table(s->v, &table);
	for (size_t i = 0; i < sum->locks.len && i < limit; i++) {
		const struct thread_lock_seen *lock = &sum->locks.data[i];
		bool has_owner = lock->owner != INDEX_NONE;
		const struct thread_seen *seen =
			&sum->rows.data[has_owner ? lock->owner : lock->waiter];
		struct cell cells[] = {
			cell_count(lock->waiters),
			sum->c->threads->is_sessions ? show_name(s, lock->type)
			: thread_lock_has_address(lock->address)
				? cell_text(show_format(s, "0x%0*" PRIx64,
							sum->c->threads->lock_digits,
							lock->address))
				: cell_none(),
			sum->c->threads->is_sessions ? cell_none() : show_name(s, lock->type),
			has_owner
				? cell_text(threads_title(s, threads_summary_row(sum, lock->owner)))
				: cell_none(),
			has_owner && seen->kind
				? cell_word(thread_wait_name((enum thread_wait)seen->kind))
				: cell_none(),
			has_owner ? threads_symbol(
					    s, threads_summary_sym(sum, lock->owner, seen->place))
				  : cell_none(),
			cell_line(threads_summary_row(sum, lock->waiter)->line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

void show_threads(struct show *s, const struct capture *c)
{
	struct threads_summary sum;

	threads_summary_init(&sum, c);
	view_object(s->v, "threads_dump", NULL);
	threads_head(s, c, &sum);
	threads_groups(s, &sum);
	threads_locks_table(s, &sum);
	view_object_end(s->v);
	threads_summary_fini(&sum);
}
