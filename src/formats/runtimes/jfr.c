/* SPDX-License-Identifier: MIT */
/*
 * jfr.c - Java Flight Recorder files, of the JDK and of async-profiler
 *
 * A file is a sequence of chunks. Each chunk has its own types and constants (jfr_types.h). A first
 * pass over the chunk finds these types and constants; a second pass reads the events in
 * jfr_events[]. Each kind of sample, allocation or wait becomes a capture. Pauses of the garbage
 * collector become a distribution. See docs/formats/jfr.md.
 */
#include "base/arena.h"
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
#include "document/document.h"
#include "formats/format.h"
#include "formats/runtimes/gc_pauses.h"
#include "formats/runtimes/jfr_types.h"

#include <string.h>

DECLARE_FORMAT(jfr);

#define JFR_HEADER_BYTES  68u
#define JFR_RELEASE_BYTES (4u << 20)
#define JFR_MAGIC         STR("FLR\0\0\2")
#define JFR_METADATA      0u
#define JFR_CHECKPOINT    1u
/* maximum length of a function name "class.method", in bytes */
#define JFR_NAME_BYTES 512u

static const struct diag_kind jfr_cut = { .counter = "jfr-unfinished-chunks",
					  .severity = DIAG_DATALOSS,
					  .sentence = "chunks that are cut or were not finished",
					  .is_cut = true };
static const struct diag_kind jfr_bad = { "jfr-bad-events", DIAG_DATALOSS,
					  "events that are cut or do not match their type" };
static const struct diag_kind jfr_bad_tables = { "jfr-bad-tables", DIAG_DATALOSS,
						 "damaged tables of types or constants" };
static const struct diag_kind jfr_version = {
	"jfr-old-chunks", DIAG_DATALOSS, "chunks of a version other than 2, which are not read"
};
static const struct diag_kind jfr_no_stack = { "jfr-no-stack", DIAG_INFO,
					       "events without a call stack" };
static const struct diag_kind jfr_other = { "jfr-other-events", DIAG_INFO,
					    "events of kinds that are not read" };
static const struct diag_kind jfr_past = { "jfr-past-limit", DIAG_DATALOSS,
					   "events past the limit of samples" };

enum jfr_stream {
	JFR_CPU,
	JFR_CPU_TIME,
	JFR_NATIVE,
	JFR_WALL,
	JFR_ALLOC,
	JFR_ALLOC_TLAB,
	JFR_LOCK,
	JFR_WAITS,
	JFR_STREAMS,
	/* not streams of samples, but events of the garbage collector */
	JFR_PAUSE,
	JFR_COLLECTION,
};

static const struct {
	const char *event;
	enum weight_unit unit;
} jfr_streams[JFR_STREAMS] = {
	[JFR_CPU] = { "execution-samples", WEIGHT_SAMPLES },
	[JFR_CPU_TIME] = { "cpu-time", WEIGHT_SAMPLES },
	[JFR_NATIVE] = { "native-samples", WEIGHT_SAMPLES },
	[JFR_WALL] = { "wall", WEIGHT_SAMPLES },
	[JFR_ALLOC] = { "alloc", WEIGHT_BYTES },
	[JFR_ALLOC_TLAB] = { "alloc-tlab", WEIGHT_BYTES },
	[JFR_LOCK] = { "lock", WEIGHT_NS },
	[JFR_WAITS] = { "wait-time", WEIGHT_NS },
};

/*
 * The events that are read. @weight: the field with the weight; JFR_SLOTS: each event weighs 1.
 * @reason: why the thread waits; NULL: the event is no wait.
 */
static const struct jfr_event {
	const char *name;
	enum jfr_stream stream;
	enum jfr_slot weight;
	const char *reason;
} jfr_events[] = {
	{ "jdk.ExecutionSample", JFR_CPU, JFR_SLOTS, NULL },
	{ "jdk.CPUTimeSample", JFR_CPU_TIME, JFR_SLOTS, NULL },
	{ "jdk.NativeMethodSample", JFR_NATIVE, JFR_SLOTS, NULL },
	{ "profiler.WallClockSample", JFR_WALL, JFR_SAMPLES, NULL },
	{ "jdk.ObjectAllocationSample", JFR_ALLOC, JFR_WEIGHT, NULL },
	{ "jdk.ObjectAllocationInNewTLAB", JFR_ALLOC_TLAB, JFR_TLAB, NULL },
	{ "jdk.ObjectAllocationOutsideTLAB", JFR_ALLOC_TLAB, JFR_ALLOCATION, NULL },
	{ "jdk.JavaMonitorEnter", JFR_LOCK, JFR_DURATION, "lock" },
	{ "jdk.JavaMonitorWait", JFR_WAITS, JFR_DURATION, "condition" },
	{ "jdk.ThreadPark", JFR_WAITS, JFR_DURATION, "other" },
	{ "jdk.ThreadSleep", JFR_WAITS, JFR_DURATION, "timer" },
	{ "jdk.SocketRead", JFR_WAITS, JFR_DURATION, "socket" },
	{ "jdk.SocketWrite", JFR_WAITS, JFR_DURATION, "socket" },
	{ "jdk.FileRead", JFR_WAITS, JFR_DURATION, "disk" },
	{ "jdk.FileWrite", JFR_WAITS, JFR_DURATION, "disk" },
	{ "jdk.FileForce", JFR_WAITS, JFR_DURATION, "disk" },
	{ "jdk.GCPhasePause", JFR_PAUSE, JFR_DURATION, NULL },
	{ "jdk.GarbageCollection", JFR_COLLECTION, JFR_SLOTS, NULL },
};

/* Why a thread is parked, according to the class of the object on which it is parked. */
static const struct {
	const char *pattern;
	const char *reason;
} jfr_parked[] = {
	{ "java/util/concurrent/locks/ReentrantLock$*", "lock" },
	{ "java/util/concurrent/locks/ReentrantReadWriteLock$*", "lock" },
	{ "java/util/concurrent/locks/StampedLock*", "lock" },
	{ "java/util/concurrent/*", "condition" },
};

struct jfr_chunk {
	struct str bytes;
	uint64_t start_ns, duration_ns, start_ticks;
	double ticks_per_ns;
};

struct jfr_reader {
	const struct region *in;
	struct dossier *d;
	struct diag diag;
	struct jfr_types t;
	struct jfr_chunk chunk;
	/* for each index in t.classes, how events of the class are read; NULL: they are not read */
	VEC(const struct jfr_event *) of;
	VEC(struct str) checkpoints;
	VEC(sym_id) frames; /* frames of the current stack, innermost first */
	VEC(struct profile_thread) threads;
	/*
	 * cache of jfr_stack() for the current chunk: maps (index of the stack in t.constants plus
	 * 1, thread and stream) to a node of the stack, plus 1
	 */
	struct slots stacks;
	struct capture *captures[JFR_STREAMS];
	struct gc_pauses pauses;
	struct jfr_values v; /* fields of the current event */
	/* fields of a constant or frame to which the current event refers */
	struct jfr_values inner;
	uint64_t other;
	uint64_t from_ns, to_ns;
};

static uint64_t jfr_ns(const struct jfr_reader *r, uint64_t ticks)
{
	double ns = (double)(int64_t)ticks / r->chunk.ticks_per_ns;

	return ns > 0 && ns < 9e18 ? (uint64_t)ns : 0;
}

static struct capture *jfr_capture(struct jfr_reader *r, enum jfr_stream stream)
{
	struct capture *c = r->captures[stream];

	if (c)
		return c;
	c = r->captures[stream] = format_add_capture(&format_jfr, r->in, r->d);
	capture_profile(c)->event = strings_add(&r->d->strings, str_of(jfr_streams[stream].event));
	c->profile->unit = jfr_streams[stream].unit;
	/*
	 * mark the profile of waits as complete: most threads wait only because they have no work,
	 * so rules about CPU time must skip it
	 */
	c->profile->is_complete = stream == JFR_WAITS;
	return c;
}

/*
 * Index in r->threads of the thread in the field @slot of the current event; INDEX_NONE: unknown.
 */
static uint32_t jfr_thread(struct jfr_reader *r, enum jfr_slot slot)
{
	struct jfr_constant *k = jfr_constant(&r->t, &r->v, slot);
	struct profile_thread thread = { .tid = 0 };
	struct str name;

	if (!k || !jfr_constant_read(&r->t, k, &r->inner))
		return INDEX_NONE;
	if (k->made)
		return k->made - 1;
	name = jfr_text(&r->t, &r->inner, JFR_JAVA_NAME);
	if (!name.len)
		name = jfr_text(&r->t, &r->inner, JFR_OS_NAME);
	thread.comm = name.len ? strings_add(&r->d->strings, name) : STR_ID_NONE;
	thread.tid = (uint32_t)jfr_number(&r->inner, JFR_OS_ID);
	thread.has_tid = thread.tid != 0;
	*VEC_PUSH(&r->threads) = thread;
	k->made = (uint32_t)r->threads.len;
	return k->made - 1;
}

/* The symbol of the frame whose fields are in r->inner: "class.method". */
static sym_id jfr_frame(struct jfr_reader *r)
{
	struct jfr_constant *k = jfr_constant(&r->t, &r->inner, JFR_METHOD);
	struct jfr_values method;
	struct str class, name, kind;
	char text[JFR_NAME_BYTES];
	size_t n = 0;
	sym_id sym;

	if (k && k->made)
		return (sym_id){ k->made - 1 };
	if (!k || !jfr_constant_read(&r->t, k, &method))
		return symbols_add_text(&r->d->symbols, STR("[unknown]"), STR_NONE, SPACE_USER, 0);
	kind = jfr_text(&r->t, &r->inner, JFR_TYPE);
	class = str_sub(jfr_text(&r->t, &method, JFR_TYPE), 0, sizeof(text) / 2 - 1);
	name = str_sub(jfr_text(&r->t, &method, JFR_NAME), 0, sizeof(text) / 2);
	for (size_t i = 0; i < class.len; i++)
		text[n++] = class.p[i] == '/' ? '.' : class.p[i];
	if (class.len && name.len)
		text[n++] = '.';
	for (size_t i = 0; i < name.len; i++)
		text[n++] = name.p[i];
	sym = symbols_add_text(&r->d->symbols, n ? (struct str){ text, n } : STR("[unknown]"),
			       STR_NONE, str_eq(kind, STR("Kernel")) ? SPACE_KERNEL : SPACE_USER,
			       0);
	k->made = sym.v + 1;
	return sym;
}

/* Read the frames of a stack trace into r->frames, innermost first. */
static void jfr_frames(struct jfr_reader *r, const struct jfr_constant *trace)
{
	struct jfr_cursor c;
	uint64_t n;
	uint32_t row;

	r->frames.len = 0;
	if (!jfr_constant_read(&r->t, trace, &r->inner) || !(r->inner.has >> JFR_FRAMES & 1))
		return;
	row = r->inner.v[JFR_FRAMES].class;
	c = jfr_cursor(&r->t, r->inner.v[JFR_FRAMES].at, r->t.end);
	for (n = jfr_int(&c); n && !c.is_bad && r->frames.len < LIMIT_STACK_DEPTH; n--) {
		jfr_read(&r->t, row, &c, true, &r->inner);
		if (!c.is_bad)
			*VEC_PUSH(&r->frames) = jfr_frame(r);
	}
}

/*
 * Node of the current event's stack in the capture of @stream. The outermost frame is the name of
 * @thread.
 */
static stack_id jfr_stack(struct jfr_reader *r, enum jfr_stream stream, uint32_t thread)
{
	struct stacks *s = &r->captures[stream]->profile->stacks;
	struct jfr_constant *k = jfr_constant(&r->t, &r->v, JFR_STACK);
	uint32_t row = k ? (uint32_t)(k - r->t.constants.data) + 1 : 0;
	struct slot *slot;
	stack_id at = STACK_ROOT;

	slots_reserve(&r->stacks, 1);
	slot = slots_find(&r->stacks, row, (thread + 1) * (uint32_t)JFR_STREAMS + stream);
	if (slot->value)
		return (stack_id){ slot->value - 1 };
	r->frames.len = 0;
	if (k)
		jfr_frames(r, k);
	if (thread != INDEX_NONE && r->threads.data[thread].comm.v)
		at = stacks_push(s, at,
				 symbols_add(&r->d->symbols, r->threads.data[thread].comm,
					     STR_ID_NONE, SPACE_COMM));
	for (size_t i = r->frames.len; i-- > 0;)
		at = stacks_push(s, at, r->frames.data[i]);
	slots_fill(&r->stacks, slot,
		   (struct slot){ row, (thread + 1) * (uint32_t)JFR_STREAMS + stream, at.v + 1 });
	return at;
}

static struct str jfr_reason(struct jfr_reader *r, const struct jfr_event *e)
{
	struct str parked = jfr_text(&r->t, &r->v, JFR_PARKED);

	for (size_t i = 0; parked.len && i < ARRAY_LEN(jfr_parked); i++) {
		if (str_glob(str_of(jfr_parked[i].pattern), parked))
			return str_of(jfr_parked[i].reason);
	}
	return str_of(e->reason);
}

/*
 * Set a field of the last sample of @c: for JFR_WAITS, the reason of the wait; for other streams,
 * the previous owner of the lock.
 */
static void jfr_wait_field(struct jfr_reader *r, struct capture *c, enum jfr_stream stream,
			   const struct jfr_event *e)
{
	struct strings *s = &r->d->strings;
	size_t i = c->profile->samples.n - 1;
	uint32_t owner;

	if (stream == JFR_WAITS) {
		profile_set_field(c->profile, i, strings_add(s, STR("reason")),
				  strings_add(s, jfr_reason(r, e)));
		return;
	}
	owner = jfr_thread(r, JFR_OWNER);
	if (owner != INDEX_NONE && r->threads.data[owner].comm.v)
		profile_set_field(c->profile, i, strings_add(s, STR("owner")),
				  r->threads.data[owner].comm);
}

/*
 * The stream to which an event belongs. Waits for locks have a stream of their own, because they
 * delay work. In old recordings of async-profiler, some execution samples are of waiting threads;
 * these belong to JFR_WALL.
 */
static enum jfr_stream jfr_stream_of(struct jfr_reader *r, const struct jfr_event *e)
{
	struct str state;

	if (e->stream == JFR_WAITS)
		return str_eq(jfr_reason(r, e), STR("lock")) ? JFR_LOCK : JFR_WAITS;
	if (e->stream != JFR_CPU)
		return e->stream;
	state = jfr_text(&r->t, &r->v, JFR_STATE);
	return str_eq(state, STR("STATE_SLEEPING")) ? JFR_WALL : JFR_CPU;
}

static void jfr_sample(struct jfr_reader *r, const struct jfr_event *e)
{
	enum jfr_stream stream = jfr_stream_of(r, e);
	struct capture *c = jfr_capture(r, stream);
	struct profile *p = c->profile;
	uint32_t thread = jfr_thread(r, JFR_THREAD);
	uint64_t weight = e->weight == JFR_SLOTS ? 1 : jfr_number(&r->v, e->weight);
	stack_id stack = jfr_stack(r, stream, thread);

	if (e->weight == JFR_DURATION)
		weight = jfr_ns(r, weight);
	else if (weight > INT64_MAX)
		weight = INT64_MAX;
	if (stack.v == 0 || (thread != INDEX_NONE && stacks_parent(&p->stacks, stack).v == 0))
		diag_count(&c->diag, &jfr_no_stack, 0);
	if (profile_add_sample(p, stack, weight) < 0) {
		diag_count(&c->diag, &jfr_past, 0);
		return;
	}
	*VEC_PUSH(&p->samples.time_ns) =
		r->chunk.start_ns + jfr_ns(r, jfr_number(&r->v, JFR_START) - r->chunk.start_ticks);
	*VEC_PUSH(&p->samples.thread) =
		profile_thread(p, thread == INDEX_NONE ? (struct profile_thread){ .tid = 0 }
						       : r->threads.data[thread]);
	if (stream == JFR_WAITS || stream == JFR_LOCK)
		jfr_wait_field(r, c, stream, e);
}

static void jfr_take(struct jfr_reader *r, const struct jfr_event *e)
{
	uint64_t id = jfr_number(&r->v, JFR_GC_ID);

	if (e->stream == JFR_PAUSE)
		gc_pauses_add(&r->pauses, id, jfr_ns(r, jfr_number(&r->v, JFR_DURATION)));
	else if (e->stream == JFR_COLLECTION)
		gc_pauses_collection(&r->pauses, r->d, id, jfr_text(&r->t, &r->v, JFR_NAME),
				     jfr_text(&r->t, &r->v, JFR_CAUSE));
	else
		jfr_sample(r, e);
}

/*
 * Take the next event of @rest. *@ret_class: id of its class. *@ret: cursor at its first field.
 * False: there is no further event, or it is damaged so that its start is unknown.
 */
static bool jfr_next(struct jfr_reader *r, struct str *rest, uint64_t *ret_class,
		     struct jfr_cursor *ret)
{
	const unsigned char *p = (const unsigned char *)rest->p;
	struct jfr_cursor c = jfr_cursor(&r->t, p, p + rest->len);
	uint64_t size;

	if (rest->len == 0)
		return false;
	size = jfr_int(&c);
	*ret_class = jfr_long(&c);
	if (c.is_bad || size > rest->len || size < (uint64_t)(c.p - p))
		return false;
	*ret = jfr_cursor(&r->t, c.p, p + size);
	*rest = str_skip(*rest, (size_t)size);
	return true;
}

static const struct jfr_event *jfr_event_of(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(jfr_events); i++) {
		if (str_eq(name, str_of(jfr_events[i].name)))
			return &jfr_events[i];
	}
	return NULL;
}

/* First pass over the events of a chunk: find the types and constants of the chunk. */
static void jfr_tables(struct jfr_reader *r, struct str events)
{
	struct str rest = events;
	struct jfr_cursor metadata = { .p = NULL };
	struct jfr_cursor c;
	uint64_t id;

	r->checkpoints.len = 0;
	while (jfr_next(r, &rest, &id, &c)) {
		if (id == JFR_METADATA)
			metadata = c;
		else if (id == JFR_CHECKPOINT)
			*VEC_PUSH(&r->checkpoints) =
				(struct str){ (const char *)c.p, (size_t)(c.end - c.p) };
	}
	if (rest.len)
		diag_count(&r->diag, &jfr_bad, 0);
	if (!metadata.p || !jfr_types_metadata(&r->t, &metadata))
		diag_count(&r->diag, &jfr_bad_tables, 0);
	VEC_FOREACH (at, &r->checkpoints) {
		const unsigned char *p = (const unsigned char *)at->p;

		c = jfr_cursor(&r->t, p, p + at->len);
		if (!jfr_types_checkpoint(&r->t, &c))
			diag_count(&r->diag, &jfr_bad_tables, 0);
	}
	r->of.len = 0;
	VEC_FOREACH (k, &r->t.classes)
		*VEC_PUSH(&r->of) = jfr_event_of(k->name);
}

static void jfr_read_chunk(struct jfr_reader *r)
{
	struct str rest = str_skip(r->chunk.bytes, JFR_HEADER_BYTES);
	const char *release = rest.p + JFR_RELEASE_BYTES;
	uint64_t id;
	struct jfr_cursor c;

	jfr_types_clear(&r->t);
	slots_clear(&r->stacks);
	r->threads.len = 0;
	r->t.end = (const unsigned char *)rest.p + rest.len;
	jfr_tables(r, rest);
	while (jfr_next(r, &rest, &id, &c)) {
		uint32_t row = jfr_class_row(&r->t, id);
		const struct jfr_event *e = row == INDEX_NONE ? NULL : r->of.data[row];

		if (rest.p >= release) {
			document_release(r->in->doc, rest.p);
			release = rest.p + JFR_RELEASE_BYTES;
		}
		if (!e) {
			r->other += id != JFR_METADATA && id != JFR_CHECKPOINT;
			continue;
		}
		arena_clear(&r->t.texts);
		jfr_read(&r->t, row, &c, false, &r->v);
		if (c.is_bad)
			diag_count(&r->diag, &jfr_bad, 0);
		else
			jfr_take(r, e);
	}
}

static uint64_t jfr_header_long(struct str s, size_t at)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | (unsigned char)s.p[at + i];
	return v;
}

/* Take the next chunk of @rest. False: no further chunk. */
static bool jfr_next_chunk(struct jfr_reader *r, struct str *rest)
{
	struct jfr_chunk *c = &r->chunk;
	uint64_t size;
	size_t next;

	*rest = str_skip(*rest, str_find(*rest, STR("FLR\0")));
	if (rest->len < JFR_HEADER_BYTES) {
		if (rest->len)
			diag_count(&r->diag, &jfr_cut, 0);
		return false;
	}
	size = jfr_header_long(*rest, 8);
	if (size < JFR_HEADER_BYTES || size > rest->len) {
		diag_count(&r->diag, &jfr_cut, 0);
		next = str_find(str_skip(*rest, 4), JFR_MAGIC);
		size = next + 4 < rest->len ? next + 4 : rest->len;
	}
	c->bytes = str_sub(*rest, 0, (size_t)size);
	c->start_ns = jfr_header_long(*rest, 32);
	c->duration_ns = jfr_header_long(*rest, 40);
	c->start_ticks = jfr_header_long(*rest, 48);
	c->ticks_per_ns = (double)jfr_header_long(*rest, 56) / 1e9;
	if (!(c->ticks_per_ns > 0))
		c->ticks_per_ns = 1;
	r->t.is_compressed = rest->p[67] & 1;
	*rest = str_skip(*rest, (size_t)size);
	return true;
}

static void jfr_finish(struct jfr_reader *r, size_t before)
{
	struct capture *c;

	gc_pauses_finish(&r->pauses, &format_jfr, r->in, r->d,
			 r->to_ns > r->from_ns ? (double)(r->to_ns - r->from_ns) : 0);
	for (size_t i = before; i < r->d->captures.len; i++) {
		c = r->d->captures.data[i];
		if (!c->profile)
			continue;
		c->profile->n_samples = c->profile->samples.n;
		c->profile->has_n_samples = true;
		profile_finish_fields(c->profile);
	}
	if (before == r->d->captures.len)
		return;
	c = r->d->captures.data[before];
	if (r->other)
		diag_add(&c->diag, &jfr_other, r->other, 0);
	VEC_FOREACH (e, &r->diag.entries)
		diag_add(&c->diag, e->kind, e->count, e->first_line);
}

static void jfr_reader_fini(struct jfr_reader *r)
{
	jfr_types_fini(&r->t);
	gc_pauses_fini(&r->pauses);
	slots_fini(&r->stacks);
	VEC_FREE(&r->of);
	VEC_FREE(&r->checkpoints);
	VEC_FREE(&r->frames);
	VEC_FREE(&r->threads);
	diag_fini(&r->diag);
}

static int jfr_read_file(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(jfr_reader_fini) struct jfr_reader r = { .in = in, .d = d };
	size_t before = d->captures.len;
	struct str rest = in->text;

	while (jfr_next_chunk(&r, &rest)) {
		uint64_t end = r.chunk.start_ns + r.chunk.duration_ns;

		if (!str_starts(r.chunk.bytes, JFR_MAGIC)) {
			diag_count(&r.diag, &jfr_version, 0);
			continue;
		}
		if (!r.from_ns || r.chunk.start_ns < r.from_ns)
			r.from_ns = r.chunk.start_ns;
		r.to_ns = end > r.to_ns ? end : r.to_ns;
		jfr_read_chunk(&r);
	}
	jfr_finish(&r, before);
	if (d->captures.len == before)
		return fail(err, ERR_FORMAT,
			    "a Java Flight Recorder file without a sample, wait or pause");
	return OK;
}

static unsigned int jfr_probe(struct str head)
{
	return str_starts(head, STR("FLR\0")) ? 100 : 0;
}

static const char *const jfr_extensions[] = { ".jfr", NULL };

const struct format format_jfr = {
	.name = "jfr",
	.summary = "a Java Flight Recorder file",
	.kinds = KIND_PROFILE | KIND_DISTRIBUTION,
	.is_binary = true,
	.extensions = jfr_extensions,
	.probe = jfr_probe,
	.read = jfr_read_file,
};
