/* SPDX-License-Identifier: MIT */
#include "formats/ftrace/ftrace_pairs.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include "base/limits.h"

#define PAIRS_ENTRIES 64u /* maximum number of different event names that end in _entry */
/* maximum number of open calls of one task (calls whose end event has not been read yet) */
#define PAIRS_DEPTH 64u

static const struct diag_kind pairs_unclosed = { "ftrace-unclosed", DIAG_INFO,
						 "system calls, interrupts and the like whose end "
						 "is not in the trace" };
static const struct diag_kind pairs_orphan = {
	"ftrace-orphan", DIAG_INFO,
	"system calls, interrupts and the like that began before the trace"
};

enum pairs_kind { PAIRS_NOTHING, PAIRS_BEGIN, PAIRS_END };

struct pairs_event {
	enum pairs_kind what;
	struct str name; /* part of the name that the begin event and the end event share */
	bool is_named;   /* the names of the begin and end event differ only in _entry and _exit */
	struct str key;  /* text that distinguishes calls with the same name: "irq=27" */
	struct str args;
	struct str label;  /* detail of the call: "TIMER", "virtio0-input" */
	struct str retval; /* return value: "0x2", "-2" */
};

struct pairs_open {
	uint32_t call;
	uint64_t key; /* hash of the name and key of the begin event */
	uint64_t from;
};

struct pairs_task {
	uint64_t task; /* pid; for idle and unknown tasks, (CPU + 1) << 32 */
	uint32_t n;
	struct pairs_open open[PAIRS_DEPTH];
};

struct pairs {
	struct capture *capture;
	struct calls *calls;
	VEC(struct pairs_task) tasks;
	struct idmap map;
	VEC(uint64_t) entries; /* hashes of the event names that end in _entry */
	uint64_t orphans;      /* end events without a begin event */
};

/* The text between @key, such as "name=", and the next blank in @s. Empty: @key is not in @s. */
static struct str pairs_field(struct str s, struct str key)
{
	size_t at = str_find(s, key);

	s = at < s.len ? str_skip(s, at + key.len) : STR_NONE;
	return str_sub(s, 0, str_find_char(s, ' '));
}

/* Parse `write(fd: 1, …)` or `write -> 0x2`. */
static bool pairs_syscall_call(struct str rest, struct pairs_event *ret)
{
	size_t n = 0;

	while (n < rest.len && rest.p[n] != '(' && rest.p[n] != ' ' && rest.p[n] != ':')
		n++;
	ret->name = str_sub(rest, 0, n);
	rest = str_skip(rest, n);
	if (str_starts(rest, STR("("))) {
		ret->what = PAIRS_BEGIN;
		ret->args = str_sub(rest, 1, rest.len - str_ends(rest, STR(")")));
	} else if (str_take(&rest, STR(" -> "))) {
		ret->what = PAIRS_END;
		ret->retval = str_trim(rest);
	}
	return ret->what != PAIRS_NOTHING && ret->name.len;
}

/*
 * Parse `sys_write(fd: 1, …)`, `sys_write -> 0x2`, `sys_enter_write: …` or `sys_exit_write:
 * 0x2`.
 */
static bool pairs_syscall(struct str s, struct pairs_event *ret)
{
	struct str rest = s;
	size_t n = 0;

	if (!str_take(&rest, STR("sys_")))
		return false;
	if (str_take(&rest, STR("enter_")) || str_take(&rest, STR("exit_"))) {
		bool enters = s.p[4] == 'e' && s.p[5] == 'n';

		while (n < rest.len && rest.p[n] != ':' && rest.p[n] != '(' && rest.p[n] != ' ')
			n++;
		if (n >= rest.len || rest.p[n] != ':')
			/*
			 * "exit_" is a part of the name of the system call, as in sys_exit_group()
			 */
			return pairs_syscall_call(str_skip(s, 4), ret);
		ret->what = enters ? PAIRS_BEGIN : PAIRS_END;
		ret->name = str_sub(rest, 0, n);
		rest = str_trim(str_skip(rest, n + 1));
		if (enters)
			ret->args = rest;
		else
			ret->retval = rest;
		return ret->name.len != 0;
	}
	return pairs_syscall_call(rest, ret);
}

/* Parse `sys_enter: NR 257 (…)` or `sys_exit: NR 257 = 3`. */
static bool pairs_raw_syscall(struct str s, struct pairs_event *ret)
{
	bool enters = str_take(&s, STR("sys_enter: NR "));
	size_t n;

	if (!enters && !str_take(&s, STR("sys_exit: NR ")))
		return false;
	n = str_find_char(s, ' ');
	ret->what = enters ? PAIRS_BEGIN : PAIRS_END;
	ret->name = STR("syscall");
	ret->key = ret->label = str_sub(s, 0, n);
	s = str_ltrim(str_skip(s, n));
	if (!enters && str_take(&s, STR("= ")))
		ret->retval = s;
	return true;
}

/*
 * Quick test: false if the event @s can neither begin nor end a call. Only system calls, and events
 * whose names end in _entry or _exit, can.
 */
static bool pairs_maybe(struct str s)
{
	struct str name;

	if (str_starts(s, STR("sys_")))
		return true;
	name = str_sub(s, 0, str_find_char(str_sub(s, 0, 64), ':'));
	return str_ends(name, STR("_entry")) || str_ends(name, STR("_exit"));
}

static void pairs_parse(struct str s, struct pairs_event *ret)
{
	size_t colon = str_find_char(s, ':');
	struct str fields = str_ltrim(str_skip(s, colon + 1));
	struct str name = str_sub(s, 0, colon);

	memset(ret, 0, sizeof(*ret));
	if (pairs_raw_syscall(s, ret) || pairs_syscall(s, ret))
		return;
	if (colon + 1 >= s.len || s.p[colon + 1] != ' ' || name.len < 7 ||
	    str_find_char(name, ' ') < name.len)
		return;
	if (str_ends(name, STR("_entry")))
		ret->what = PAIRS_BEGIN;
	else if (str_ends(name, STR("_exit")))
		ret->what = PAIRS_END;
	else
		return;
	if (str_starts(name, STR("sched_")) || str_starts(name, STR("rcu_")) ||
	    str_starts(name, STR("funcgraph_")) || str_starts(name, STR("kvm_")))
		/* events such as sched_process_exit and kvm_exit are not the end of a call */
		ret->what = PAIRS_NOTHING;
	ret->is_named = true;
	ret->name = str_sub(name, 0, str_rfind_char(name, '_'));
	ret->key = str_sub(fields, 0, str_find_char(fields, ' '));
	if (str_eq(ret->name, STR("softirq"))) {
		ret->label = pairs_field(fields, STR("[action="));
		if (str_ends(ret->label, STR("]")))
			ret->label.len--;
	} else if (str_eq(ret->name, STR("irq_handler"))) {
		ret->label = pairs_field(fields, STR("name="));
	}
}

static struct pairs_task *pairs_task_of(struct pairs *p, const struct call_lane *lane)
{
	uint64_t task = lane->has_pid && lane->pid ? lane->pid : ((uint64_t)lane->cpu + 1) << 32;
	struct idmap_probe probe = idmap_first(&p->map, hash_u64(task, 5));
	struct pairs_task *t;

	while (idmap_next(&p->map, &probe)) {
		if (p->tasks.data[probe.id].task == task)
			return &p->tasks.data[probe.id];
	}
	if (p->tasks.len >= LIMIT_CALL_LANES)
		return NULL;
	idmap_insert(&p->map, &probe, (uint32_t)p->tasks.len);
	t = VEC_PUSH(&p->tasks);
	t->task = task;
	t->n = 0;
	return t;
}

static sym_id pairs_symbol(struct pairs *p, const struct pairs_event *e)
{
	struct symbols *symbols = capture_symbols(p->capture);
	char name[192];
	size_t n = 0;
	bool is_syscall = (e->args.p || e->retval.p) && !e->key.p;
	struct str parts[] = { is_syscall ? STR("sys_") : STR(""), str_sub(e->name, 0, 80),
			       e->label.len ? STR(":") : STR(""), str_sub(e->label, 0, 80) };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].len)
			memcpy(name + n, parts[i].p, parts[i].len);
		n += parts[i].len;
	}
	return symbols_add_text(symbols, (struct str){ name, n }, STR_NONE, SPACE_KERNEL, 0);
}

static bool pairs_has_entry(const struct pairs *p, uint64_t name)
{
	VEC_FOREACH (entry, &p->entries) {
		if (*entry == name)
			return true;
	}
	return false;
}

static void pairs_retval(struct pairs *p, uint32_t call, struct str text)
{
	bool negative = str_take(&text, STR("-"));
	uint64_t v;

	if (str_take(&text, STR("0x"))) {
		if (!str_hex64(&text, &v))
			return;
	} else if (!str_u64(&text, &v)) {
		return;
	}
	if (negative)
		v = 0 - v;
	calls_set_retval(p->calls, call, v,
			 (int64_t)v < 0 && (int64_t)v >= -4095 ? RETVAL_DECIMAL : RETVAL_HEX);
}

static void pairs_begin(struct pairs *p, struct pairs_task *t, const struct call_mark *m,
			const struct pairs_event *e, uint64_t key)
{
	uint32_t call;

	if (t->n >= PAIRS_DEPTH)
		t->n--;
	if (calls_add(p->calls, pairs_symbol(p, e), t->n ? t->open[t->n - 1].call : INDEX_NONE,
		      m->lane, t->n, CALL_OPEN, m->line, &call) < 0)
		return;
	calls_set_start(p->calls, call, m->time_ns);
	if (e->args.len)
		calls_set_args(p->calls, call, strings_add(capture_strings(p->capture), e->args));
	t->open[t->n++] = (struct pairs_open){ call, key, m->time_ns };
}

static void pairs_end(struct pairs *p, struct pairs_task *t, const struct call_mark *m,
		      const struct pairs_event *e, uint64_t key)
{
	uint32_t n = t->n;
	uint32_t call;

	while (n && t->open[n - 1].key != key)
		n--;
	if (!n) {
		p->orphans++;
		if (calls_add(p->calls, pairs_symbol(p, e),
			      t->n ? t->open[t->n - 1].call : INDEX_NONE, m->lane, t->n,
			      CALL_ORPHAN, m->line, &call) == OK)
			pairs_retval(p, call, e->retval);
		return;
	}
	t->n = n - 1;
	call = t->open[n - 1].call;
	p->calls->state.data[call] =
		(uint8_t)((p->calls->state.data[call] & ~CALL_STATE_MASK) | CALL_CLOSED);
	calls_note_move(p->calls, call, m->lane, m->line);
	if (m->time_ns >= t->open[n - 1].from)
		calls_set_duration(p->calls, call, m->time_ns - t->open[n - 1].from);
	if (e->retval.len)
		pairs_retval(p, call, e->retval);
}

static void pairs_mark_leaves(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if ((c->state.data[i] & CALL_STATE_MASK) == CALL_CLOSED)
			c->state.data[i] |= CALL_LEAF;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->parent.data[i] != INDEX_NONE)
			c->state.data[c->parent.data[i]] &= (uint8_t)~CALL_LEAF;
	}
}

/*
 * Collect the event names that end in _entry. An _exit event ends a call only if the trace has the
 * _entry event of the same name.
 */
static void pairs_find_entries(struct pairs *p)
{
	const struct strings *strings = capture_strings(p->capture);

	VEC_FOREACH (m, &p->calls->marks) {
		struct str text = strings_get(strings, m->text);
		struct str name = str_sub(text, 0, str_find_char(str_sub(text, 0, 64), ':'));
		uint64_t hash;

		if (m->kind != MARK_EVENT || !str_ends(name, STR("_entry")) ||
		    p->entries.len >= PAIRS_ENTRIES)
			continue;
		hash = hash_str(str_sub(name, 0, str_rfind_char(name, '_')));
		if (!pairs_has_entry(p, hash))
			*VEC_PUSH(&p->entries) = hash;
	}
}

void ftrace_pairs(struct capture *c)
{
	struct pairs p = { .capture = c, .calls = c->calls };
	struct strings *strings = capture_strings(c);
	uint64_t unclosed = 0;

	if (c->calls->n)
		return;
	c->calls->is_from_events = true;
	pairs_find_entries(&p);
	for (size_t i = 0; i < c->calls->marks.len; i++) {
		struct call_mark *m = &c->calls->marks.data[i];
		struct pairs_event e;
		struct pairs_task *t;
		uint64_t key;

		m->before_call = (uint32_t)c->calls->n;
		if (m->kind != MARK_EVENT)
			continue;
		if (!pairs_maybe(strings_get(strings, m->text)))
			continue;
		pairs_parse(strings_get(strings, m->text), &e);
		if (e.what == PAIRS_NOTHING ||
		    (e.is_named && !pairs_has_entry(&p, hash_str(e.name))))
			continue;
		t = pairs_task_of(&p, &c->calls->lanes.data[m->lane]);
		if (!t)
			continue;
		key = hash_str(e.name) ^ (hash_str(e.key) * 3);
		if (e.what == PAIRS_BEGIN)
			pairs_begin(&p, t, m, &e, key);
		else
			pairs_end(&p, t, m, &e, key);
	}
	pairs_mark_leaves(c->calls);
	for (size_t i = 0; i < c->calls->n; i++)
		unclosed += (c->calls->state.data[i] & CALL_STATE_MASK) == CALL_OPEN;
	if (unclosed)
		diag_add(&c->diag, &pairs_unclosed, unclosed, 0);
	if (p.orphans)
		diag_add(&c->diag, &pairs_orphan, p.orphans, 0);
	calls_finish(c->calls);
	idmap_fini(&p.map);
	VEC_FREE(&p.tasks);
	VEC_FREE(&p.entries);
}
