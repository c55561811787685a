/* SPDX-License-Identifier: MIT */
/*
 * go_trace_states.c - turn states of goroutines into waits
 *
 * Each period in a state other than running becomes a sample with the stack at which the goroutine
 * stopped. The sample has the same fields as a wait of a thread (transform/off_cpu.h). Its field
 * `state` is the text that Go uses for the reason.
 */
#include "formats/runtimes/go_trace.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/runtimes/gc_pauses.h"

#include <stdio.h>

/* number of innermost frames in which a function of go_words is searched */
#define GO_WORD_FRAMES 4u

static const struct diag_kind go_past = { "go-past-limit", DIAG_DATALOSS,
					  "states past the limit of samples" };
static const struct diag_kind go_crowd = { "go-goroutines-past-limit", DIAG_DATALOSS,
					   "goroutines past the limit" };
static const struct diag_kind go_no_stack = { "go-no-stack", DIAG_INFO,
					      "waits without a call stack" };
static const struct diag_kind go_no_such_stack = { "go-lost-stacks", DIAG_DATALOSS,
						   "stacks that the trace does not define" };

/*
 * Functions that show why a goroutine waits, if its stack has them among its innermost frames. They
 * are used if Go's own reason is not precise: each wait for a semaphore has the reason "sync", and
 * a system call has no reason.
 */
static const struct {
	bool is_syscall;
	const char *pattern;
	const char *word;
} go_words[] = {
	/* source: sync, internal/poll, runtime/mgc.go, runtime/proc.go of Go */
	{ false, "sync.(*WaitGroup).*", "join" },
	{ false, "runtime.gc*", "gc" },
	{ false, "runtime.GC", "gc" },
	{ false, "runtime.stopTheWorld*", "gc" },
	{ false, "sync.*Mutex*", "lock" },
	{ false, "internal/sync.*", "lock" },
	{ false, "internal/poll.(*fdMutex)*", "lock" },
	{ false, "internal/poll.(*FD).*ock", "lock" },
	{ true, "*ync", "disk" }, /* matches Fsync, fdatasync, Sync */
	{ true, "syscall.pread*", "disk" },
	{ true, "syscall.pwrite*", "disk" },
	{ true, "*ait4", "child" },
	{ true, "os.(*Process).*ait*", "child" },
	{ true, "*.Nanosleep", "timer" },
	{ true, "*poll*ait*", "event" },
	{ true, "*Epoll*ait*", "event" },
	{ true, "*.Flock", "lock" },
	{ true, "syscall.accept*", "socket" },
	{ true, "syscall.connect*", "socket" },
	{ true, "syscall.recv*", "socket" },
	{ true, "syscall.send*", "socket" },
};

void go_table_clear(struct go_table *t)
{
	t->items.len = 0;
	idmap_fini(&t->map);
	t->map = (struct idmap){ 0 };
}

struct go_item *go_item_find(struct go_table *t, uint64_t id)
{
	struct idmap_probe p = idmap_first(&t->map, hash_u64(id, 1));

	while (idmap_next(&t->map, &p)) {
		if (t->items.data[p.id].id == id)
			return &t->items.data[p.id];
	}
	return NULL;
}

struct go_item *go_item_add(struct go_table *t, uint64_t id, struct str bytes)
{
	struct idmap_probe p = idmap_first(&t->map, hash_u64(id, 1));
	struct go_item *item;

	while (idmap_next(&t->map, &p)) {
		if (t->items.data[p.id].id == id)
			return &t->items.data[p.id];
	}
	if (t->items.len >= LIMIT_STRINGS)
		return NULL;
	idmap_insert(&t->map, &p, (uint32_t)t->items.len);
	item = VEC_PUSH(&t->items);
	*item = (struct go_item){ .id = id, .bytes = bytes };
	return item;
}

uint32_t go_find(struct go_reader *r, uint64_t id)
{
	struct idmap_probe p = idmap_first(&r->by_id, hash_u64(id, 2));

	while (idmap_next(&r->by_id, &p)) {
		if (r->goroutines.data[p.id].id == id)
			return p.id;
	}
	return INDEX_NONE;
}

uint32_t go_add(struct go_reader *r, uint64_t id)
{
	struct idmap_probe p = idmap_first(&r->by_id, hash_u64(id, 2));

	while (idmap_next(&r->by_id, &p)) {
		if (r->goroutines.data[p.id].id == id)
			return p.id;
	}
	if (r->goroutines.len >= LIMIT_SAMPLES) {
		diag_count(&r->diag, &go_crowd, 0);
		return INDEX_NONE;
	}
	idmap_insert(&r->by_id, &p, (uint32_t)r->goroutines.len);
	*VEC_PUSH(&r->goroutines) = (struct go_goroutine){ .id = id };
	return (uint32_t)r->goroutines.len - 1;
}

static sym_id go_symbol(struct go_reader *r, uint64_t name)
{
	struct go_item *s = go_item_find(&r->strings, name);
	sym_id sym;

	if (s && s->made)
		return (sym_id){ s->made - 1 };
	if (!s && name)
		diag_count(&r->diag, &go_lost_names, 0);
	sym = symbols_add_text(&r->d->symbols, s && s->bytes.len ? s->bytes : STR("[unknown]"),
			       STR_NONE, SPACE_USER, 0);
	if (s)
		s->made = sym.v + 1;
	return sym;
}

/* Read the frames of @stack, a stack that the trace defines, into r->frames, innermost first. */
static void go_frames(struct go_reader *r, const struct go_item *stack)
{
	const unsigned char *p = (const unsigned char *)stack->bytes.p;
	struct go_cursor c = { p, p + stack->bytes.len, false };

	r->frames.len = 0;
	for (uint32_t i = 0; i < stack->n && r->frames.len < LIMIT_STACK_DEPTH; i++) {
		uint64_t function;

		(void)go_number(&c); /* skip the address */
		function = go_number(&c);
		(void)go_number(&c); /* skip the file */
		(void)go_number(&c); /* skip the line */
		if (c.is_bad)
			return;
		*VEC_PUSH(&r->frames) = go_symbol(r, function);
	}
}

/*
 * Set the name of goroutine @g to the outermost function in r->frames. runtime.goexit is skipped,
 * and runtime.main becomes main.main.
 */
static void go_name(struct go_reader *r, struct go_goroutine *g)
{
	size_t n = r->frames.len;
	struct str name;

	if (n > 1 &&
	    str_eq(symbols_name(&r->d->symbols, r->frames.data[n - 1]), STR("runtime.goexit")))
		n--;
	if (g->name.v || n == 0)
		return;
	name = symbols_name(&r->d->symbols, r->frames.data[n - 1]);
	g->name = strings_add(&r->d->strings,
			      str_eq(name, STR("runtime.main")) ? STR("main.main") : name);
	g->thread = 0;
}

static stack_id go_root(struct go_reader *r, const struct go_goroutine *g, struct capture *c)
{
	return stacks_push(&c->profile->stacks, STACK_ROOT,
			   symbols_add(&r->d->symbols, g->name.v ? g->name : r->unnamed,
				       STR_ID_NONE, SPACE_COMM));
}

/*
 * The node in the stacks of @c for a stack of goroutine @g. @id: id of this stack in the trace. The
 * outermost frame is the name of @g; if the trace does not define the stack, it is the only frame.
 */
static stack_id go_stack(struct go_reader *r, struct go_goroutine *g, struct capture *c,
			 uint64_t id)
{
	struct go_item *item = id ? go_item_find(&r->stacks, id) : NULL;
	uint32_t row = item ? (uint32_t)(item - r->stacks.items.data) + 1 : 0;
	bool is_cached = c == r->waits;
	struct slot *slot = NULL;
	stack_id at;

	if (id && !item)
		diag_count(&r->diag, &go_no_such_stack, 0);
	if (!item)
		return go_root(r, g, c);
	if (!g->name.v) {
		go_frames(r, item);
		go_name(r, g);
	}
	if (is_cached) {
		slots_reserve(&r->nodes, 1);
		slot = slots_find(&r->nodes, row, g->name.v);
		if (slot->value)
			return (stack_id){ slot->value - 1 };
	}
	go_frames(r, item);
	at = go_root(r, g, c);
	for (size_t i = r->frames.len; i-- > 0;)
		at = stacks_push(&c->profile->stacks, at, r->frames.data[i]);
	if (slot)
		slots_fill(&r->nodes, slot, (struct slot){ row, g->name.v, at.v + 1 });
	return at;
}

static str_id go_find_word(struct go_reader *r, stack_id stack, bool is_syscall)
{
	const struct stacks *s = &r->waits->profile->stacks;
	uint32_t at = stack.v;

	for (unsigned int n = 0; n < GO_WORD_FRAMES && at; n++, at = s->parent.data[at]) {
		const struct symbol *sym = symbols_get(&r->d->symbols, s->sym.data[at]);
		struct str name = strings_get(&r->d->strings, sym->name);

		if (sym->space == SPACE_COMM)
			break;
		for (size_t i = 0; i < ARRAY_LEN(go_words); i++) {
			if (go_words[i].is_syscall == is_syscall &&
			    str_glob(str_of(go_words[i].pattern), name))
				return strings_add(&r->d->strings, str_of(go_words[i].word));
		}
	}
	return r->words[GO_OTHER];
}

/*
 * The kind of wait, such as "lock" or "disk", that @stack shows. @is_syscall: the goroutine is in a
 * system call; false: it waits for a semaphore.
 */
static str_id go_word(struct go_reader *r, stack_id stack, bool is_syscall)
{
	while (r->node_words[is_syscall].len <= stack.v)
		*VEC_PUSH(&r->node_words[is_syscall]) = STR_ID_NONE;
	if (!r->node_words[is_syscall].data[stack.v].v)
		r->node_words[is_syscall].data[stack.v] = go_find_word(r, stack, is_syscall);
	return r->node_words[is_syscall].data[stack.v];
}

static uint32_t go_thread(struct go_reader *r, struct go_goroutine *g)
{
	char text[24];

	if (g->thread)
		return g->thread - 1;
	if (!g->id_text.v) {
		int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)g->id);

		g->id_text = strings_add(&r->d->strings, (struct str){ text, (size_t)n });
	}
	g->thread = profile_thread(r->waits->profile,
				   (struct profile_thread){
					   .comm = g->name.v ? g->name : r->unnamed,
					   .tid = (uint32_t)g->id,
					   .has_tid = true,
				   }) +
		    1;
	return g->thread - 1;
}

static void go_field(struct profile *p, size_t field, str_id value)
{
	*VEC_PUSH(&p->samples.fields.data[field].values) = value.v;
}

/* Add a sample for the time of @g in its current state, from g->since_ns to @to_ns. */
static void go_sample(struct go_reader *r, struct go_goroutine *g, uint64_t to_ns)
{
	struct profile *p = r->waits->profile;
	bool is_runnable = g->state == GO_RUNNABLE;
	str_id word = r->words[g->reason];
	str_id text = g->reason == GO_OTHER && g->other.v ? g->other : r->texts[g->reason];

	if (to_ns <= g->since_ns)
		return;
	if (stacks_parent(&p->stacks, g->stack).v == 0)
		diag_count(&r->waits->diag, &go_no_stack, 0);
	if (g->stack.v == 0)
		g->stack = go_root(r, g, r->waits);
	if (g->state == GO_SYSCALL || g->reason == GO_SYNC)
		word = go_word(r, g->stack, g->state == GO_SYSCALL);
	if (profile_add_sample(p, g->stack, to_ns - g->since_ns) < 0) {
		diag_count(&r->diag, &go_past, 0);
		return;
	}
	if (!g->name.v)
		*VEC_PUSH(&r->nameless) = (struct go_nameless){
			.sample = (uint32_t)p->samples.n - 1,
			.row = (uint32_t)(g - r->goroutines.data),
		};
	*VEC_PUSH(&p->samples.time_ns) = g->since_ns;
	*VEC_PUSH(&p->samples.thread) = go_thread(r, g);
	p->event_count += to_ns - g->since_ns;
	go_field(p, 0, is_runnable ? r->runnable : r->blocked);
	go_field(p, 1, g->waker.v ? g->waker : r->none);
	go_field(p, 2, g->waker_tid.v ? g->waker_tid : r->none);
	go_field(p, 3, text);
	go_field(p, 4, word);
}

static void go_leave(struct go_reader *r, struct go_goroutine *g, uint64_t *ns)
{
	if (*ns < g->since_ns)
		*ns = g->since_ns;
	if (*ns > r->last_ns)
		r->last_ns = *ns;
	if (g->state == GO_RUNNING)
		g->ran_ns += *ns - g->since_ns;
	else if (g->state != GO_DEAD)
		go_sample(r, g, *ns);
}

void go_begin(struct go_reader *r, uint32_t row, uint64_t ns, enum go_state state,
	      enum go_reason why, uint64_t stack)
{
	struct go_goroutine *g;

	if (row == INDEX_NONE)
		return;
	g = &r->goroutines.data[row];
	if (g->state != GO_DEAD)
		go_end(r, row, ns);
	g->state = (uint8_t)state;
	g->reason = (uint8_t)why;
	g->since_ns = g->from_ns = ns;
	g->ran_ns = 0;
	if (ns > r->last_ns)
		r->last_ns = ns;
	g->stack = go_stack(r, g, r->waits, stack);
	r->alive++;
	if (r->alive > r->most_alive)
		r->most_alive = r->alive;
}

void go_change(struct go_reader *r, uint32_t row, uint64_t ns, enum go_state state,
	       enum go_reason why, uint64_t stack)
{
	struct go_goroutine *g;

	if (row == INDEX_NONE)
		return;
	g = &r->goroutines.data[row];
	if (g->state == GO_DEAD) {
		go_begin(r, row, ns, state, why, stack);
		return;
	}
	go_leave(r, g, &ns);
	if (g->state != GO_WAITING && g->state != GO_SYSCALL)
		g->waker = g->waker_tid = STR_ID_NONE;
	g->state = (uint8_t)state;
	g->reason = (uint8_t)why;
	g->since_ns = ns;
	if (stack || state == GO_WAITING)
		g->stack = go_stack(r, g, r->waits, stack);
}

void go_correct(struct go_reader *r, uint32_t row, enum go_state state, enum go_reason why)
{
	if (row == INDEX_NONE)
		return;
	r->goroutines.data[row].state = (uint8_t)state;
	r->goroutines.data[row].reason = (uint8_t)why;
}

void go_block_in_call(struct go_reader *r, uint32_t row, uint64_t ns)
{
	struct go_goroutine *g;
	bool has_call;

	if (row == INDEX_NONE)
		return;
	g = &r->goroutines.data[row];
	has_call = g->state == GO_RUNNING && g->call_ns >= g->since_ns && g->call_ns <= ns;
	go_change(r, row, has_call ? g->call_ns : ns, GO_SYSCALL, GO_IN_SYSCALL, 0);
	if (has_call)
		g->stack = g->call_stack;
}

void go_end(struct go_reader *r, uint32_t row, uint64_t ns)
{
	struct go_goroutine *g;

	if (row == INDEX_NONE || r->goroutines.data[row].state == GO_DEAD)
		return;
	g = &r->goroutines.data[row];
	go_leave(r, g, &ns);
	g->state = GO_DEAD;
	r->alive--;
	*VEC_PUSH(&r->waits->profile->ran) = (struct profile_ran){
		.tid = (uint32_t)g->id,
		.ran_ns = g->ran_ns,
		.from_ns = g->from_ns,
		.to_ns = ns,
	};
}

void go_woken(struct go_reader *r, uint32_t row, uint32_t by)
{
	struct go_goroutine *g = row == INDEX_NONE ? NULL : &r->goroutines.data[row];
	struct go_goroutine *waker = by == INDEX_NONE ? NULL : &r->goroutines.data[by];

	if (!g)
		return;
	if (waker)
		(void)go_thread(r, waker);
	g->waker = !waker ? STR_ID_NONE : waker->name.v ? waker->name : r->unnamed;
	g->waker_tid = waker ? waker->id_text : STR_ID_NONE;
}

void go_called(struct go_reader *r, uint32_t row, uint64_t ns, uint64_t stack)
{
	struct go_goroutine *g = row == INDEX_NONE ? NULL : &r->goroutines.data[row];

	if (!g)
		return;
	g->call_ns = ns;
	g->call_stack = go_stack(r, g, r->waits, stack);
}

/*
 * Name the waits that were added before their goroutine had a name. Each gets the thread with this
 * name, and a stack whose only frame is this name.
 */
static void go_name_late(struct go_reader *r)
{
	struct profile *p = r->waits->profile;

	VEC_FOREACH (late, &r->nameless) {
		struct go_goroutine *g = &r->goroutines.data[late->row];

		if (!g->name.v)
			continue;
		p->samples.stack.data[late->sample] = go_root(r, g, r->waits);
		p->samples.thread.data[late->sample] = go_thread(r, g);
	}
}

void go_end_all(struct go_reader *r)
{
	for (uint32_t i = 0; i < r->goroutines.len; i++)
		go_end(r, i, r->last_ns);
	go_name_late(r);
	if (r->is_in_gc)
		go_gc_end(r, r->last_ns);
}

void go_take_cpu_samples(struct go_reader *r)
{
	struct profile *p = r->samples->profile;

	VEC_FOREACH (s, &r->cpu) {
		uint32_t row = s->goroutine ? go_find(r, s->goroutine) : INDEX_NONE;
		struct go_goroutine none = { .name = r->none };
		struct go_goroutine *g = row == INDEX_NONE ? &none : &r->goroutines.data[row];

		if (profile_add_sample(p, go_stack(r, g, r->samples, s->stack), 1) < 0) {
			diag_count(&r->diag, &go_past, 0);
			break;
		}
		*VEC_PUSH(&p->samples.time_ns) = s->ns;
		*VEC_PUSH(&p->samples.thread) =
			profile_thread(p, (struct profile_thread){
						  .comm = g->name.v ? g->name : r->unnamed,
						  .tid = (uint32_t)g->id,
						  .has_tid = row != INDEX_NONE,
					  });
	}
	r->cpu.len = 0;
}

void go_gc_begin(struct go_reader *r, uint64_t ns)
{
	r->gc_cycles += !r->is_in_gc;
	r->gc_since_ns = r->is_in_gc ? r->gc_since_ns : ns;
	r->is_in_gc = true;
}

void go_gc_end(struct go_reader *r, uint64_t ns)
{
	if (r->is_in_gc && ns > r->gc_since_ns)
		r->gc_ns += ns - r->gc_since_ns;
	r->is_in_gc = false;
}

void go_pause(struct go_reader *r, struct str kind, uint64_t ns)
{
	struct gc_pauses *to = str_starts(kind, STR("GC ")) ? &r->pauses : &r->stops;
	str_id key = strings_add(&r->d->strings, kind);
	bool is_known = false;

	VEC_FOREACH (c, &to->collections)
		is_known |= c->id == key.v;
	if (!is_known)
		gc_pauses_collection(to, r->d, key.v, kind, STR_NONE);
	gc_pauses_add(to, key.v, ns);
}
