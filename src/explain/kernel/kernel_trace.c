/* SPDX-License-Identifier: MIT */
#include "explain/kernel/kernel_trace.h"

#include "analyses/logs/log_summary.h"
#include "analyses/roles.h"
#include "analyses/waits/wait_roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "core/names/symbol_offset.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/kernel_trace_names.h"
#include "explain/words/wait_reasons.h"

/* Maximum number of lines from a report to the end of its call trace. */
#define KERNEL_TRACE_LINES 80u
/*
 * If at least this number of frames outside of a module is between two of its frames, the stack
 * left the module and entered it again.
 */
#define KERNEL_TRACE_LEFT 3u

/*
 * Is @word a source line in the output of scripts/decode_stacktrace.sh:
 * "(fs/iomap/buffered-io.c:1525)"? The closing bracket may be missing, because a word ends at a
 * blank.
 */
static bool kernel_trace_is_place(struct str word)
{
	size_t colon = str_find_char(word, ':');

	return word.len && word.p[0] == '(' && colon + 1 < word.len &&
	       char_is_digit(word.p[colon + 1]) &&
	       (str_ends(str_sub(word, 0, colon), STR(".c")) ||
		str_ends(str_sub(word, 0, colon), STR(".h")) ||
		str_ends(str_sub(word, 0, colon), STR(".S")));
}

/*
 * Is @text the end of a frame of 32-bit Arm, after the function: "from [<c015c138>]
 * (io_schedule+0x14/ 0x3c)", "from io_schedule+0x14/0x3c"? Source: arch/arm/kernel/traps.c,
 * dump_backtrace_entry().
 */
static bool kernel_trace_is_from(struct str text)
{
	struct str word;

	if (!str_word(&text, &word) || !str_eq(word, STR("from")) || !str_word(&text, &word))
		return false;
	return str_starts(word, STR("[<")) || str_contains(word, STR("+0x"));
}

struct str kernel_trace_frame(struct str text, bool takes_guesses)
{
	struct str last = STR_NONE;
	struct str word;

	text = str_trim(text);
	/*
	 * s390 prints unreliable frames in round brackets: "([<address>] f+0x1/0x2)". Source:
	 * arch/s390/kernel/dumpstack.c, show_stack()
	 */
	if (str_starts(text, STR("([<")) && !takes_guesses)
		return STR_NONE;
	for (; str_word(&text, &word); last = word) {
		size_t plus;

		/*
		 * remove the "(" before the function in the PSW line of s390: "Krnl PSW :
		 * 0704e00180000000 000003ff804bfc66 (f+0x3e/0xe0 [kvm])"
		 */
		if (str_contains(word, STR("+0x")))
			(void)str_take(&word, STR("("));
		plus = str_find_char(word, '+');

		if (str_eq(word, STR("?")) && !takes_guesses)
			return STR_NONE;
		if (plus == word.len && kernel_trace_is_from(text)) {
			/* a module may precede "from": "tape_flush [tape] from" */
			word = str_starts(word, STR("[")) ? last : word;
			(void)str_take(&word, STR("("));
			return str_sub(word, 0, str_find_char(word, ')'));
		}
		if (kernel_trace_is_place(word))
			return last;
		if (plus && plus < word.len && str_starts(str_skip(word, plus), STR("+0x")) &&
		    str_find_char(str_skip(word, plus), '/') < word.len - plus) {
			size_t colon = str_rfind_char(str_sub(word, 0, plus), ':');

			if (symbol_offset_is_past_end(str_skip(word, plus)))
				return STR_NONE;
			return colon < plus ? str_sub(word, colon + 1, plus)
					    : str_sub(word, 0, plus);
		}
	}
	return STR_NONE;
}

/*
 * Set *@is_reclaim if the frame @name shows direct reclaim (an allocation that frees memory first).
 * From that frame outwards, find the first frame that belongs neither to reclaim nor to the
 * allocator. If @name is this frame, store it in t->allocating.
 */
static void kernel_trace_reclaim(struct kernel_trace *t, struct str name, bool *is_reclaim)
{
	*is_reclaim |= str_glob(STR(KERNEL_TRACE_RECLAIM), name);
	if (*is_reclaim && !t->allocating.len &&
	    role_of_name(name, STR_NONE, SPACE_KERNEL) != ROLE_RECLAIM &&
	    role_of_name(name, STR_NONE, SPACE_KERNEL) != ROLE_ALLOCATE &&
	    !str_glob(STR(KERNEL_TRACE_ALLOCATORS), name))
		t->allocating = name;
}

/*
 * If the function @name does work that may keep a CPU busy, add the kind of this work to t->works.
 */
static void kernel_trace_work(struct kernel_trace *t, struct str name)
{
	enum role role = role_of_name(name, STR_NONE, SPACE_KERNEL);

	if (t->n_works == KERNEL_TRACE_WORKS || !role_cause(role) || role == ROLE_SPIN ||
	    role == ROLE_SLEEP || role == ROLE_SYSCALL || role == ROLE_SWITCH ||
	    role == ROLE_DEBUG || role == ROLE_OBSERVE || (t->n_works && t->works[0] == role))
		return;
	t->works[t->n_works++] = role;
}

/* Add the frame @name to t->owners, unless it is a helper that works for any caller. */
static void kernel_trace_owner(struct kernel_trace *t, struct str name)
{
	if (t->n == 0 || t->n_owners == KERNEL_TRACE_OWNERS ||
	    str_glob(STR(KERNEL_TRACE_COMMON), name) || str_glob(STR(KERNEL_TRACE_HELPERS), name) ||
	    (t->n_owners == 0 && role_is_helper(role_of_name(name, STR_NONE, SPACE_KERNEL))))
		return;
	if (t->n_owners == 0 || !str_eq(t->owners[t->n_owners - 1], name))
		t->owners[t->n_owners++] = name;
}

/* Does this line end a call trace, because another task begins? */
static bool kernel_trace_ends(struct str text)
{
	text = str_trim(text);
	return str_starts(text, STR("task:")) || str_eq(text, STR("</TASK>")) ||
	       str_starts(text, STR("INFO: task "));
}

/* The module in a line of a call trace, "br_dev_xmit+0x140/0x368 [bridge]". Empty: none. */
static struct str kernel_trace_module(struct str text)
{
	struct str word, last = STR_NONE;

	while (str_word(&text, &word)) {
		if (str_contains(last, STR("+0x")) && str_take(&word, STR("[")) &&
		    str_ends(word, STR("]")))
			return str_sub(word, 0, word.len - 1);
		last = word;
	}
	return STR_NONE;
}

/*
 * Did the stack leave a kernel module and enter it again? It did if the frame @name of @module
 * belongs to the same module as the innermost frames (@inner), and at least KERNEL_TRACE_LEFT other
 * frames (*@left) are in between. Then set t->again_module.
 */
static void kernel_trace_again(struct kernel_trace *t, struct str name, struct str module,
			       struct str *inner, unsigned int *left)
{
	if (t->n == 1 && !inner->len)
		*inner = module;
	if (!inner->len || t->again_module.len)
		return;
	if (!str_eq(module, *inner)) {
		(*left)++;
	} else if (*left >= KERNEL_TRACE_LEFT) {
		t->again_module = module;
		t->again_caller = name;
	} else {
		*left = 0;
	}
}

/*
 * If wait-reasons.names has the function @name, set t->reason, unless that is already a specific
 * reason.
 */
static void kernel_trace_reason(struct kernel_trace *t, struct str name)
{
	const struct wait_reason *reason = wait_reason_of(name);

	if (!reason || (t->reason && !wait_reason_is_general(t->reason)))
		return;
	t->reason = reason;
	t->is_server_reason = str_glob(STR(KERNEL_TRACE_SERVER), name);
}

/*
 * If the function @name waits for an event, or brings about the event for which an inner function
 * waits, store this in @t.
 */
static void kernel_trace_self(struct kernel_trace *t, struct str name)
{
	for (size_t i = 0; i < t->n_waits && !t->self; i++)
		t->self = wait_reason_self(t->waits[i], name);
	if (t->n_waits < KERNEL_TRACE_WAITS)
		t->waits[t->n_waits++] = name;
}

/* Do the lines @a and @b have the function @name with the same offset? */
static bool kernel_trace_is_same(struct str a, struct str b, struct str name)
{
	a = str_skip(a, str_find(a, name) + name.len);
	b = str_skip(b, str_find(b, name) + name.len);
	a = str_sub(a, 0, str_find_char(a, ' '));
	b = str_sub(b, 0, str_find_char(b, ' '));
	return str_starts(a, STR("+0x")) && str_eq(a, b);
}

/*
 * Is @name a helper that waits on behalf of any caller, such as flush_work()? Then store it and its
 * record @i in @t. The place of the wait is not the helper, but the next frame outwards. Call this
 * function only for tasks that wait.
 */
static bool kernel_trace_helper(struct kernel_trace *t, struct str name, uint32_t i)
{
	if (t->n || !name.len || !wait_role_has(WAIT_ROLE_HELPER, name))
		return false;
	t->helper = name;
	t->helper_record = i;
	return true;
}

/*
 * Read the call trace that begins at record @from into @t: up to KERNEL_TRACE_NAMES functions.
 * Functions that are on most stacks (KERNEL_TRACE_COMMON) are left out. Functions of the allocator
 * are left out for a failed allocation. Helpers that wait for any caller are left out for a hung
 * task. @takes_guesses: also use unreliable frames ("? f").
 */
static void kernel_trace_read(const struct rule_input *in, uint32_t from, bool takes_guesses,
			      enum kernel_event_kind kind, struct kernel_trace *t)
{
	/* for a failed allocation, name the code that asks for memory, and skip the allocator */
	const char *skipped = kind == KERNEL_NO_PAGES ? KERNEL_TRACE_REQUESTS : "";
	const struct records *r = in->capture->records;
	struct str inner = STR_NONE;
	unsigned int left = 0;
	bool is_reclaim = false;
	bool is_first = true;
	bool is_reporter = false;

	*t = (struct kernel_trace){ .n = 0 };
	for (uint32_t i = from; i < r->rows.len && i < from + KERNEL_TRACE_LINES; i++) {
		struct str name;
		bool is_known = false;

		VEC_FOREACH (e, &in->log->kernel_events) {
			if (e->record == i)
				return; /* another report begins at this record */
			if (e->record > i)
				break;
		}
		/* the stack of another task follows, such as the owner of a lock */
		if (t->n && kernel_trace_ends(r->rows.data[i].text))
			return;
		name = symbol_canonical_name(
			kernel_trace_frame(r->rows.data[i].text, takes_guesses));
		/*
		 * s390 prints the place of the exception twice: as PSW, and as the first frame.
		 * Skip the repetition.
		 */
		if (t->n == 1 && str_eq(t->names[0], name) &&
		    kernel_trace_is_same(r->rows.data[t->records[0]].text, r->rows.data[i].text,
					 name))
			continue;
		is_reporter |= str_glob(STR(KERNEL_TRACE_REPORTERS), name);
		/*
		 * All frames until here belong to the code that prints the stack. Drop them: the
		 * interrupted code follows.
		 */
		if (is_reporter && str_glob(STR(KERNEL_TRACE_ENTRIES), name)) {
			*t = (struct kernel_trace){ .n = 0 };
			inner = STR_NONE;
			is_reporter = is_reclaim = false;
			is_first = true;
			continue;
		}
		if (name.len) {
			kernel_trace_reclaim(t, name, &is_reclaim);
			kernel_trace_work(t, name);
			kernel_trace_owner(t, name);
			kernel_trace_self(t, name);
		}
		for (size_t k = 0; k < t->n; k++)
			is_known |= str_eq(t->names[k], name);
		t->n_again += t->n && str_eq(t->names[0], name);
		t->is_interrupted |= t->n == 0 && str_glob(STR(KERNEL_TRACE_SOFTIRQ), name);
		t->is_softirq |= str_glob(STR(KERNEL_TRACE_SOFTIRQ), name);
		t->is_socket |= str_glob(STR(KERNEL_TRACE_SOCKETS), name);
		/*
		 * If the idle loop has callees on the stack, an interrupt arrived, so the CPU is
		 * not idle.
		 */
		t->is_idle |= t->n == 0 && str_glob(STR(KERNEL_TRACE_IDLE), name);
		t->is_test |= str_glob(STR(KERNEL_TRACE_TEST), r->rows.data[i].text);
		t->is_delay |= t->n <= 1 && str_glob(STR(KERNEL_TRACE_DELAY), name);
		if (t->n == 0 && name.len && !t->is_behind)
			kernel_trace_reason(t, name);
		t->is_behind |= t->n == 0 && str_glob(STR(KERNEL_TRACE_BEHIND), name);
		t->is_server |= str_glob(STR(KERNEL_TRACE_SERVER), name);
		t->is_worker |= str_eq(name, STR("worker_thread"));
		t->is_in_irq |= is_first && str_glob(STR(KERNEL_TRACE_IRQ), name);
		is_first &= name.len == 0;
		t->is_swap_out |= !is_reclaim && str_glob(STR(KERNEL_TRACE_SWAP_OUT), name);
		t->is_spinning |= t->n == 0 && name.len &&
				  role_of_name(name, STR(""), SPACE_KERNEL) == ROLE_SPIN;
		if (kind == KERNEL_HUNG_TASK && kernel_trace_helper(t, name, i))
			continue;
		if (name.len && !is_known && t->n < KERNEL_TRACE_NAMES &&
		    !str_glob(STR(KERNEL_TRACE_COMMON), name) && !str_glob(str_of(skipped), name)) {
			t->n_again += t->n == 0;
			t->names[t->n] = name;
			t->records[t->n++] = i;
		}
		if (name.len)
			kernel_trace_again(t, name, kernel_trace_module(r->rows.data[i].text),
					   &inner, &left);
	}
}

void kernel_trace_above(const struct rule_input *in, uint32_t record, struct kernel_trace *t)
{
	*t = (struct kernel_trace){ .n = 0 };
	if (in->log->kernel_events.len && in->log->kernel_events.data[0].record == record)
		kernel_trace_of(in, 0, KERNEL_EVENT_KINDS, t);
	/* a single function may be part of another message, and no call trace */
	if (t->n < 2)
		t->n = 0;
}

void kernel_trace_of(const struct rule_input *in, uint32_t from, enum kernel_event_kind kind,
		     struct kernel_trace *t)
{
	kernel_trace_read(in, from, false, kind, t);
	if (t->n == 0)
		kernel_trace_read(in, from, true, kind, t);
	/* no frame outside of the helper was found, so name the helper itself */
	if (t->n == 0 && t->helper.len) {
		t->names[0] = t->helper;
		t->records[0] = t->helper_record;
		t->n = 1;
		t->helper = STR_NONE;
	}
}
