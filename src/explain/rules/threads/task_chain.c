/* SPDX-License-Identifier: MIT */
/*
 * Blocked tasks of a kernel, one of which keeps the others waiting. The finding names this task,
 * the head of the chain, and says how each link between two tasks is known.
 *
 * A link is certain if lockdep lists the lock as held. It is likely if the kernel prints the owner,
 * or if the table TASK_CHAIN_LINKS knows what the other task does. It is possible if both tasks are
 * in one function or one module: the stacks do not show who holds the lock. If none of these signs
 * exists, the two tasks are not linked.
 */
#include "explain/words/task_words.h"
#include "explain/words/thread_words.h"
#include "explain/words/wait_reasons.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/symbols.h"
#include "explain/deadlocks/deadlock.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/task_chain_names.h"

#include <stdlib.h>

DECLARE_RULE(task_chain);

#define CHAIN_TASKS 256u /* maximum number of tasks that are compared with each other */
#define CHAIN_STEPS 64u
#define CHAIN_LINKS 3u /* maximum number of links that a sentence names */

/* Signs of a link between a waiting task and another task. The strongest sign is the last one. */
enum chain_how {
	TASK_LINK_NONE,
	/* functions of both tasks begin with the same word, such as "crate" of __crate_open */
	TASK_LINK_PREFIXED,
	TASK_LINK_MODULE, /* both tasks are in the same kernel module */
	/* the other task is inside the function in which the waiting task takes the lock */
	TASK_LINK_FUNCTION,
	/*
	 * the waiting task waits for a work item, and the other task runs a work item of the same
	 * module or subsystem
	 */
	TASK_LINK_WORK,
	TASK_LINK_KNOWN, /* an element of chain_links describes both stacks */
	TASK_LINK_OWNER, /* the kernel prints the other task as the likely owner of the lock */
	TASK_LINK_HELD,  /* lockdep lists the lock as held by the other task */
};

/* certainty of a link, percent, by the way in which it is known */
static const uint8_t chain_sure[] = {
	[TASK_LINK_PREFIXED] = 60, [TASK_LINK_MODULE] = 60, [TASK_LINK_FUNCTION] = 60,
	[TASK_LINK_WORK] = 60,     [TASK_LINK_KNOWN] = 75,  [TASK_LINK_OWNER] = 90,
	[TASK_LINK_HELD] = 95,
};

static const struct {
	const char *waits, *works, *link;
} chain_links[] = { TASK_CHAIN_LINKS };

/* What one task does and waits for, according to its stack. */
struct chain_task {
	/*
	 * Two sets of bits. Bit i of `waits`: this task waits for the work of chain_links[i]. Bit i
	 * of `works`: this task does this work.
	 */
	uint32_t waits, works;
	uint32_t item;  /* frame of the work item that this task runs; INDEX_NONE: none */
	bool is_task;   /* the row has a stack, and is the first print of this task */
	bool may_block; /* other tasks may wait for this task */
	bool flushes;   /* the task waits for a work item, or for all items of a queue */
};

_Static_assert(ARRAY_LEN(chain_links) <= 32, "bits of struct chain_task");

/* The link of a waiting task to the task that it waits for. */
struct chain_link {
	uint32_t to; /* row of the task that is waited for; INDEX_NONE: no link */
	enum chain_how how;
	/*
	 * index in chain_links of the element that describes the link; only set for TASK_LINK_KNOWN
	 */
	uint32_t known;
};

/* A chain of tasks. All its tasks wait, directly or through others, for one task: the head. */
struct chain {
	uint32_t head;   /* row of the head; INDEX_NONE: no chain */
	uint32_t behind; /* number of tasks that wait for the head, directly or through others */
	uint32_t direct; /* number of tasks that wait directly for the head */
	/* number of waiting tasks whose links to the head are all at least likely */
	uint32_t likely;
	/*
	 * how the weakest likely link is known; if no link is likely, or in a cycle: how the
	 * weakest link of the whole chain is known
	 */
	enum chain_how weakest;
	bool is_cycle; /* the head itself waits for a task of the chain */
	/* at least one link is inferred from the stacks, not printed by the kernel */
	bool is_inferred;
	bool is_all; /* all blocked tasks of the text belong to this chain */
};

static struct str chain_frame(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	return symbols_canonical(capture_symbols(in->capture),
				 threads_summary_sym(in->threads, row, frame));
}

/*
 * Index of the frame in which @row waits. If all frames belong to the wait, it is the outermost
 * frame.
 */
static uint32_t chain_place(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];

	return seen->place < threads_summary_row(in->threads, row)->n_frames ? seen->place
									     : seen->entry;
}

/* Does a frame of @row match @patterns? Frames from 0 to @last are searched. */
static bool chain_has(const struct rule_input *in, uint32_t row, uint32_t last,
		      const char *patterns)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n && i <= last; i++) {
		if (str_glob(str_of(patterns), chain_frame(in, row, i)))
			return true;
	}
	return false;
}

/*
 * Is @row a task that can be compared? It must be in the last snapshot, and have a stack. If the
 * snapshot prints a task several times, only the first print is compared.
 */
static bool chain_is_task(const struct rule_input *in, uint32_t row)
{
	const struct threads_summary *s = in->threads;
	const struct thread_row *r = threads_summary_row(s, row);

	if (r->snapshot != s->snapshot || r->n_frames == 0)
		return false;
	for (uint32_t i = 0; i < row && r->id.v; i++) {
		const struct thread_row *other = threads_summary_row(s, i);

		if (other->snapshot == s->snapshot && other->id.v == r->id.v &&
		    other->name.v == r->name.v)
			return false;
	}
	return true;
}

/*
 * May other tasks wait for @row? It must be in state D, or in an unknown state, and must not wait
 * for new work, for events or for a child.
 */
static bool chain_may_block(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);

	switch ((enum thread_wait)in->threads->rows.data[row].kind) {
	case THREAD_WAIT_IDLE:
	case THREAD_WAIT_POLL:
	case THREAD_WAIT_CHILD:
		return false;
	case THREAD_WAIT_SLEEP:
		return r->state == THREAD_DISK;
	default:
		return r->state == THREAD_DISK || r->state == THREAD_UNKNOWN;
	}
}

/* Fill in @t from the stack of @row. */
static void chain_read(const struct rule_input *in, uint32_t row, struct chain_task *t)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	*t = (struct chain_task){ .item = INDEX_NONE, .is_task = chain_is_task(in, row) };
	t->may_block = t->is_task && chain_may_block(in, row);
	if (!t->may_block)
		return;
	t->flushes = seen->kind != THREAD_WAIT_LOCK &&
		     chain_has(in, row, seen->place, TASK_CHAIN_FLUSHES);
	for (uint32_t i = 1; i < n && t->item == INDEX_NONE; i++) {
		if (str_eq(chain_frame(in, row, i), STR("process_one_work")))
			t->item = i - 1;
	}
	for (uint32_t i = 0; i < ARRAY_LEN(chain_links); i++) {
		if (chain_has(in, row, seen->place, chain_links[i].waits))
			t->waits |= UINT32_C(1) << i;
		if (chain_has(in, row, UINT32_MAX, chain_links[i].works))
			t->works |= UINT32_C(1) << i;
	}
}

/* Is @other inside the function in which @row waits for a lock? Then it may hold the lock. */
static bool chain_is_inside(const struct rule_input *in, uint32_t row, uint32_t other)
{
	const struct threads_summary *s = in->threads;
	uint32_t place = chain_place(in, row);
	sym_id sym = threads_summary_sym(s, row, place);
	uint32_t n = threads_summary_row(s, other)->n_frames;

	if (!task_words_word(in, row, place).len)
		return false;
	for (uint32_t i = chain_place(in, other); i < n; i++) {
		if (threads_summary_sym(s, other, i).v == sym.v)
			return true;
	}
	return false;
}

/*
 * How @other is related to @row: @other runs a function of the module in which @row waits, or a
 * function whose name begins with the same word, or neither.
 */
static enum chain_how chain_related(const struct rule_input *in, uint32_t row, uint32_t other)
{
	static const uint8_t hows[] = {
		[TASK_UNRELATED] = TASK_LINK_NONE,
		[TASK_SAME_PREFIX] = TASK_LINK_PREFIXED,
		[TASK_SAME_MODULE] = TASK_LINK_MODULE,
	};

	return (enum chain_how)hows[task_words_relation(in, row, chain_place(in, row), other,
							chain_place(in, other), UINT32_MAX)];
}

/* The link from @row to @other, as far as the two stacks show it. */
static struct chain_link chain_link_to(const struct rule_input *in, const struct chain_task *tasks,
				       uint32_t row, uint32_t other)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_seen *by = &in->threads->rows.data[other];
	const struct chain_task *a = &tasks[row];
	const struct chain_task *b = &tasks[other];
	struct chain_link link = { .to = other, .how = TASK_LINK_NONE };
	/*
	 * the bits of chain_links whose work @row waits for and @other does; a bit is dropped if
	 * @row does the same work, or if @other waits for it, too
	 */
	uint32_t known = a->waits & b->works & ~a->works & ~b->waits;

	if (known) {
		link.how = TASK_LINK_KNOWN;
		while (!(known & UINT32_C(1) << link.known))
			link.known++;
	} else if (a->flushes && b->item != INDEX_NONE &&
		   task_words_relation(in, row, chain_place(in, row), other, b->item, b->item)) {
		link.how = TASK_LINK_WORK;
	} else if (seen->kind == THREAD_WAIT_LOCK && by->kind != THREAD_WAIT_LOCK) {
		link.how = chain_is_inside(in, row, other) ? TASK_LINK_FUNCTION
							   : chain_related(in, row, other);
	}
	return link;
}

/*
 * The strongest link of task @row. There is no link if several tasks have equally strong links and
 * wait in different functions: the stacks do not show which of them @row waits for.
 */
static struct chain_link chain_link_of(const struct rule_input *in, const struct chain_task *tasks,
				       uint32_t row)
{
	const struct threads_summary *s = in->threads;
	uint32_t wants = s->rows.data[row].wants;
	struct chain_link best = { .to = INDEX_NONE, .how = TASK_LINK_NONE };
	bool is_one = true;

	if (wants != INDEX_NONE && s->locks.data[wants].owner != INDEX_NONE)
		return (struct chain_link){ .to = s->locks.data[wants].owner,
					    .how = in->capture->threads->has_lock_list
							   ? TASK_LINK_HELD
							   : TASK_LINK_OWNER };
	for (uint32_t i = 0; i < s->rows.len && i < CHAIN_TASKS; i++) {
		struct chain_link link;

		if (i == row || !tasks[i].may_block)
			continue;
		link = chain_link_to(in, tasks, row, i);
		/*
		 * lockdep lists the wanted lock, but no task that holds it: ignore the links that
		 * only follow from names of functions and modules
		 */
		if (wants != INDEX_NONE && in->capture->threads->has_lock_list &&
		    link.how < TASK_LINK_KNOWN)
			continue;
		if (link.how == TASK_LINK_NONE || link.how < best.how)
			continue;
		if (link.how > best.how) {
			best = link;
			is_one = true;
			continue;
		}
		/*
		 * Another task has an equally strong link. So it is unknown for which of the two
		 * @row waits, unless both wait in the same function. With TASK_LINK_KNOWN it is
		 * always unknown: the two tasks do the same work for different objects.
		 */
		is_one &= link.how != TASK_LINK_KNOWN &&
			  threads_summary_sym(s, i, chain_place(in, i)).v ==
				  threads_summary_sym(s, best.to, chain_place(in, best.to)).v;
	}
	return is_one ? best : (struct chain_link){ .to = INDEX_NONE, .how = TASK_LINK_NONE };
}

/* The link of each task, indexed by row. The caller owns the result. Cost: O(tasks² * frames). */
static struct chain_link *chain_all(const struct rule_input *in, struct chain_task *tasks)
{
	struct chain_link *links = xcalloc(in->threads->rows.len + 1, sizeof(*links));

	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		links[i].to = INDEX_NONE;
		if (i < CHAIN_TASKS && tasks[i].may_block)
			links[i] = chain_link_of(in, tasks, i);
	}
	return links;
}

/*
 * The head of the chain of task @row: the first task without a link. In a cycle all tasks have a
 * link. There the head is the task with the lowest row among the tasks that wait for no lock, or,
 * if there are none, among all. *@ret_cycle: the chain ends in a cycle.
 */
static uint32_t chain_head(const struct rule_input *in, const struct chain_link *links,
			   uint32_t row, bool *ret_cycle)
{
	uint32_t at = row;
	uint32_t head = INDEX_NONE;
	unsigned int steps = 0;

	while (links[at].to != INDEX_NONE && steps++ < CHAIN_STEPS)
		at = links[at].to;
	*ret_cycle = links[at].to != INDEX_NONE;
	if (!*ret_cycle)
		return at;
	/* after CHAIN_STEPS steps, @at must be in the cycle */
	for (uint32_t i = links[at].to, n = 0; n < CHAIN_STEPS; i = links[i].to, n++) {
		bool is_lock = in->threads->rows.data[i].kind == THREAD_WAIT_LOCK;
		bool is_head_lock =
			head != INDEX_NONE && in->threads->rows.data[head].kind == THREAD_WAIT_LOCK;

		if (head == INDEX_NONE || is_lock < is_head_lock ||
		    (is_lock == is_head_lock && i < head))
			head = i;
	}
	return head;
}

/* The weakest link on the way from @row to @head. */
static enum chain_how chain_path(const struct chain_link *links, uint32_t row, uint32_t head)
{
	enum chain_how weakest = TASK_LINK_HELD;

	for (unsigned int n = 0; row != head && n < CHAIN_STEPS; n++) {
		weakest = links[row].how < weakest ? links[row].how : weakest;
		row = links[row].to;
	}
	return weakest;
}

/* The chain whose head is @head. */
static struct chain chain_of(const struct rule_input *in, const struct chain_link *links,
			     const struct chain_task *tasks, uint32_t head)
{
	struct chain c = { .head = head, .weakest = TASK_LINK_HELD, .is_all = true };
	enum chain_how weakest = TASK_LINK_HELD;

	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		uint32_t count = (uint32_t)threads_summary_row(in->threads, i)->count;
		enum chain_how how;
		bool is_cycle;

		if (links[i].to == INDEX_NONE || chain_head(in, links, i, &is_cycle) != head) {
			c.is_all &= i == head || !tasks[i].may_block;
			continue;
		}
		how = i == head ? links[i].how : chain_path(links, i, head);
		c.is_cycle |= is_cycle;
		c.is_inferred |= links[i].how < TASK_LINK_OWNER;
		if (how >= TASK_LINK_KNOWN && how < c.weakest)
			c.weakest = how;
		weakest = how < weakest ? how : weakest;
		if (i == head)
			continue;
		c.behind += count;
		c.direct += links[i].to == head;
		c.likely += how >= TASK_LINK_KNOWN ? count : 0;
	}
	if (c.likely == 0 || c.is_cycle)
		c.weakest = weakest;
	return c;
}

/*
 * Of the chains with at least one inferred link: the chain with the most tasks. If there is no such
 * chain, its head is INDEX_NONE.
 */
static struct chain chain_longest(const struct rule_input *in, const struct chain_link *links,
				  const struct chain_task *tasks)
{
	struct chain best = { .head = INDEX_NONE };

	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		bool is_cycle;
		struct chain c;

		if (links[i].to == INDEX_NONE)
			continue;
		c = chain_of(in, links, tasks, chain_head(in, links, i, &is_cycle));
		if (c.is_inferred && (best.head == INDEX_NONE || c.behind > best.behind))
			best = c;
	}
	return best;
}

/* The verb of the claim, by the certainty of the links: "wait", "likely waits", "may wait". */
static const char *chain_verb(enum chain_how weakest, bool is_many)
{
	if (weakest >= TASK_LINK_HELD)
		return is_many ? "wait" : "waits";
	if (weakest >= TASK_LINK_KNOWN)
		return is_many ? "likely wait" : "likely waits";
	return "may wait";
}

/*
 * A clause that says how the link of @row is known: ", and thread 'b' is in the same module
 * (crate)".
 */
static const char *chain_known_by(const struct rule_input *in, struct findings *out, uint32_t row,
				  const struct chain_link *link, const struct chain_task *tasks)
{
	const char *to = thread_words_name(out, in, link->to);
	uint32_t place = chain_place(in, row);
	struct str module = task_words_module(in, row, place);

	switch (link->how) {
	case TASK_LINK_HELD:
		return finding_name(out, " that %s holds, as lockdep lists", to);
	case TASK_LINK_OWNER:
		return finding_name(out, " that %s likely owns, as the kernel prints", to);
	case TASK_LINK_KNOWN:
		return finding_name(out, ", and %s %s", to, chain_links[link->known].link);
	case TASK_LINK_WORK:
		return finding_name(out, ", and %s runs the work item " STR_FMT, to,
				    STR_ARG(chain_frame(in, link->to, tasks[link->to].item)));
	case TASK_LINK_FUNCTION:
		return finding_name(out, ", and %s is in the same function", to);
	case TASK_LINK_MODULE:
		return finding_name(out, ", and %s is in the same module (" STR_FMT ")", to,
				    STR_ARG(module));
	default:
		return finding_name(
			out, ", and %s is in a function of the same subsystem (" STR_FMT "_*)", to,
			STR_ARG(task_words_word(in, row, place)));
	}
}

/*
 * Are the links of @a and @b equal? They are if both wait at the same place for the same task, and
 * both links are known in the same way.
 */
static bool chain_is_same(const struct rule_input *in, const struct chain_link *links, uint32_t a,
			  uint32_t b)
{
	const struct threads_summary *s = in->threads;

	return links[a].to == links[b].to && links[a].how == links[b].how &&
	       threads_summary_sym(s, a, chain_place(in, a)).v ==
		       threads_summary_sym(s, b, chain_place(in, b)).v;
}

/*
 * Append the link of @row to @text, and the number of tasks with an equal link (chain_is_same()).
 */
static const char *chain_say_link(const struct rule_input *in, struct findings *out,
				  const struct chain_link *links, const struct chain_task *tasks,
				  uint32_t row, const char *text)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->threads->rows.len; i++)
		n += links[i].to != INDEX_NONE && chain_is_same(in, links, row, i);
	return finding_name(out, "%s; %s%s wait%s for %s in " STR_FMT "%s", text,
			    thread_words_name(out, in, row),
			    n > 1 ? finding_name(out, " and %u more", n - 1) : "", n > 1 ? "" : "s",
			    seen->wants != INDEX_NONE ? thread_words_lock(out, in, seen->wants)
						      : thread_words_object(in, row),
			    STR_ARG(thread_words_frame(in, row, chain_place(in, row))),
			    chain_known_by(in, out, row, &links[row], tasks));
}

/*
 * Append the links of the chain @c to @text, and cite them. For a cycle, name its links in order,
 * from the head on. Of equal links, only one is named.
 */
static const char *chain_say_links(const struct rule_input *in, struct findings *out,
				   struct finding *f, const struct chain_link *links,
				   const struct chain_task *tasks, const struct chain *c,
				   const char *text)
{
	unsigned int said = 0;

	for (uint32_t i = c->head; c->is_cycle && said < CHAIN_LINKS; i = links[i].to) {
		if (said && i == c->head)
			break;
		text = chain_say_link(in, out, links, tasks, i, text);
		if (said++)
			thread_words_cite(out, f, in, i);
	}
	for (uint32_t i = 0; i < in->threads->rows.len && said < CHAIN_LINKS; i++) {
		bool is_cycle, is_said = i == c->head || links[i].to == INDEX_NONE;

		is_said = is_said || chain_head(in, links, i, &is_cycle) != c->head;
		for (uint32_t k = 0; k < i && !is_said; k++)
			is_said = k != c->head && links[k].to != INDEX_NONE &&
				  chain_is_same(in, links, i, k);
		for (uint32_t k = links[c->head].to;
		     c->is_cycle && !is_said && k != c->head && k != INDEX_NONE; k = links[k].to)
			is_said = k == i;
		if (is_said)
			continue;
		text = chain_say_link(in, out, links, tasks, i, text);
		thread_words_cite(out, f, in, i);
		said++;
	}
	return text;
}

/*
 * The waiting tasks: "3 threads likely wait for thread 'b'", or "2 threads likely wait for thread
 * 'b' (and 1 more may)".
 */
static const char *chain_who(const struct rule_input *in, struct findings *out,
			     const struct chain_link *links, const struct chain *c)
{
	bool is_split = c->likely && c->likely < c->behind && !c->is_cycle;
	uint32_t n = is_split ? c->likely : c->behind;
	const char *who = thread_words_count(out, in, n);

	for (uint32_t i = 0; n == 1 && i < in->threads->rows.len; i++) {
		if (i != c->head && links[i].to == c->head && links[i].how >= c->weakest)
			who = thread_words_name(out, in, i);
	}
	return finding_name(out, "%s %s for %s%s", who, chain_verb(c->weakest, n > 1),
			    thread_words_name(out, in, c->head),
			    is_split ? finding_name(out, " (and %u more may)", c->behind - n) : "");
}

/* The reason for the certainty of a chain whose weakest link is @weakest. */
static const char *chain_because(enum chain_how weakest)
{
	switch (weakest) {
	case TASK_LINK_HELD:
		return "lockdep lists the locks of each task; the last one of a task that is "
		       "blocked in taking a lock is the one that it waits for";
	case TASK_LINK_OWNER:
		return "the kernel prints the likely owner of each lock";
	case TASK_LINK_KNOWN:
		return "the functions on the stacks say who does the awaited work\n"
		       "whether it is the same object (device, file system)";
	default:
		return "the stacks are printed\n"
		       "who holds the lock, or which work item is awaited";
	}
}

/* Does task @row sleep for a reason that its stack does not show? */
static bool chain_is_asleep(const struct rule_input *in, uint32_t row)
{
	return in->threads->rows.data[row].kind == THREAD_WAIT_NONE;
}

/* Add the cause, its reason and the next steps to @f. */
static void chain_explain(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct chain *c)
{
	enum thread_wait kind = (enum thread_wait)in->threads->rows.data[c->head].kind;
	const struct wait_reason *reason = thread_words_reason(in, c->head);
	struct str place = thread_words_frame(in, c->head, in->threads->rows.data[c->head].place);

	if (c->is_cycle)
		finding_usual_cause(out, f,
				    "If %s holds the lock that the other task of the cycle wants, "
				    "each waits for the other",
				    thread_words_name(out, in, c->head));
	else if (!reason && chain_is_asleep(in, c->head) && c->weakest < TASK_LINK_WORK)
		finding_usual_cause(out, f,
				    "%s may hold the lock while it sleeps in " STR_FMT
				    " until other work ends. If this work belongs to a task that "
				    "waits for the lock (it holds a reference, or its operation is "
				    "unfinished), they wait for each other: a deadlock",
				    thread_words_name(out, in, c->head), STR_ARG(place));
	else
		finding_usual_cause(
			out, f, "%s",
			reason ? reason->cause
			: kind == THREAD_WAIT_LOCK
				? "The first task of the chain waits for a lock itself, which a "
				  "task that is missing here holds"
			: kind == THREAD_WAIT_DISK
				? "The device or the file system is slow or stuck"
				: "The work for which the first task of the chain waits does not "
				  "end");
	finding_because(out, f, "%s", chain_because(c->weakest));
	if (reason && !c->is_cycle)
		finding_next(out, f, "%s", reason->next);
	else
		finding_next(out, f, "look at " STR_FMT " first: the others continue when it does",
			     STR_ARG(place));
	if (!in->capture->threads->has_lock_list)
		finding_next(out, f,
			     "echo d > /proc/sysrq-trigger, with CONFIG_LOCKDEP: which task holds "
			     "each lock");
}

static void chain_finding(const struct rule_input *in, struct findings *out,
			  const struct chain_link *links, const struct chain_task *tasks,
			  const struct chain *c)
{
	struct finding *f =
		finding_add(out, in, &rule_task_chain, FINDING_WARNING, chain_sure[c->weakest]);
	const char *text;

	thread_words_cite(out, f, in, c->head);
	text = finding_name(
		out, "%s%s, which %s in %s", c->is_cycle ? "Possible deadlock: " : "",
		chain_who(in, out, links, c),
		chain_is_asleep(in, c->head)
			? "sleeps"
			: finding_name(out, "waits for %s", thread_words_object(in, c->head)),
		thread_words_place(out, in, c->head));
	finding_claim(out, f, "%s", chain_say_links(in, out, f, links, tasks, c, text));
	/*
	 * if some blocked tasks are outside of this chain, prefer the findings of the rules about
	 * locks and waits
	 */
	f->yields = !c->is_all;
	f->impact = 100.0 * (double)c->behind / (double)in->threads->threads;
	finding_figure(f, "tasks that wait for it", (double)c->behind, 0, "");
	finding_figure(f, "directly", (double)c->direct, 0, "");
	finding_figure(f, "tasks in the text", (double)in->threads->threads, 0, "");
	chain_explain(in, out, f, c);
}

/* Did the kernel print at least one link, as a held lock or as a likely owner of a lock? */
static bool chain_is_printed(const struct rule_input *in, const struct chain_link *links)
{
	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		if (links[i].to != INDEX_NONE && links[i].how >= TASK_LINK_OWNER)
			return true;
	}
	return false;
}

static void task_chain_check(const struct rule_input *in, struct findings *out)
{
	uint32_t n_rows = (uint32_t)in->threads->rows.len;
	struct chain_task *tasks;
	struct chain_link *links;
	struct chain c;
	uint32_t n = 0;

	/*
	 * if the kernel prints the owners of the locks of a cycle, rule thread-deadlock reports the
	 * cycle
	 */
	if (n_rows == 0 || !deadlock_is_kernel(in) || threads_is_checked(in->capture->threads) ||
	    in->threads->cycle.len)
		return;
	tasks = xcalloc(n_rows + 1, sizeof(*tasks));
	for (uint32_t i = 0; i < n_rows && i < CHAIN_TASKS; i++) {
		chain_read(in, i, &tasks[i]);
		n += tasks[i].is_task;
	}
	links = chain_all(in, tasks);
	c = chain_longest(in, links, tasks);
	if (n < 2 && in->threads->waiting[THREAD_WAIT_LOCK])
		finding_not_assessed(
			out, in, &rule_task_chain,
			"echo w > /proc/sysrq-trigger: the stacks of all blocked tasks, "
			"in dmesg",
			"one task waits for a lock, and the text has the stack of no other");
	else if (c.head == INDEX_NONE && n > 1)
		finding_clean(out, in, &rule_task_chain,
			      "%sthe stacks relate none of the %u tasks to another one",
			      chain_is_printed(in, links) ? "besides printed owners, " : "", n);
	else if (n > 1)
		chain_finding(in, out, links, tasks, &c);
	free(links);
	free(tasks);
}

static const char *const chain_overrules[] = { "thread-waits", "thread-lock", NULL };
static const char *const chain_explains[] = { "kernel-trouble", NULL };

const struct rule rule_task_chain = {
	.id = "task-chain",
	.title = "Blocked kernel tasks: one keeps the others waiting",
	.needs = RULE_THREADS,
	.overrules = chain_overrules,
	.explains = chain_explains,
	.check = task_chain_check,
};
