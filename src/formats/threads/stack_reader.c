/* SPDX-License-Identifier: MIT */
#include "formats/threads/stack_reader.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/symbol_offset.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/threads/frame_place.h"
#include "formats/threads/stack_dialect.h"

#include <stdio.h>

/* maximum length in bytes of a class name in "the initialisation of CLASS" */
#define STACK_CLASS_NAME 1024u
/* smaller argument values are taken for numbers, not for pointers */
#define STACK_POINTER_LEAST 4096u
#define STACK_LABEL_BYTES   40u
#define STACK_LABEL_WORDS   4u
#define STACK_NOTES_MAX     64u
#define STACK_NOTE_BYTES    512u
#define STACK_MINUTE_NS     UINT64_C(60000000000)
#define STACK_SECOND_NS     UINT64_C(1000000000)

static const struct diag_kind stack_limit = {
	"threads-past-limit", DIAG_DATALOSS, "frames or threads past the number that can be held"
};
static const struct diag_kind stack_orphan = { "threads-frame-alone", DIAG_DATALOSS,
					       "frames that belong to no thread" };

static const struct diag_kind stack_omitted = {
	"threads-omitted", DIAG_DATALOSS,
	"threads with lower numbers are not in the text, or have ended"
};
/* a mark such as "(...)" in a dump, at a place where a user removed frames or threads */
static const struct diag_kind stack_cut = { "threads-cut", DIAG_DATALOSS,
					    "places where lines are missing" };

static const struct {
	const char *pattern;
	enum thread_state state;
} stack_states[] = {
	{ "RUNNABLE*|runnable*|running*|active*|run|R|R *|R-*|RU|syscall*|*stalled",
	  THREAD_RUNNING },
	{ "BLOCKED*|waiting for monitor entry*|semacquire*|sync.Mutex*|sync.RWMutex*",
	  THREAD_BLOCKED },
	{ "D|D-*|UN|uninterruptible*", THREAD_DISK },
	{ "?*", THREAD_WAITING },
};

static uint8_t stack_state_of(struct str text)
{
	for (size_t i = 0; text.len && i < ARRAY_LEN(stack_states); i++) {
		if (str_glob(str_of(stack_states[i].pattern), text))
			return (uint8_t)stack_states[i].state;
	}
	return THREAD_UNKNOWN;
}

/* The object of a call: the pointer "this=0x…" in @args, otherwise their first pointer. 0: none. */
static uint64_t stack_object(struct str args)
{
	size_t self = str_find(args, STR("this=0x"));
	struct str s = self < args.len ? str_skip(args, self) : args;
	size_t at;

	for (at = str_find(s, STR("0x")); at < s.len; at = str_find(s, STR("0x"))) {
		struct str word = str_skip(s, at);
		uint64_t value;

		if (str_hex64(&word, &value) && value >= STACK_POINTER_LEAST &&
		    (at == 0 || memchr("= ,({", s.p[at - 1], 5)))
			return value;
		s = str_skip(s, at + 2);
	}
	return 0;
}

/*
 * @name without its Java module: "java.base@17.0.1/java.lang.Thread.run" becomes
 * "java.lang.Thread.run". The result has at most LIMIT_NAME_BYTES.
 */
static struct str stack_function(struct str name)
{
	size_t slash = str_find_char(name, '/');
	struct str module = str_sub(name, 0, slash);

	if (slash < name.len &&
	    (str_find_char(module, '@') < module.len || str_starts(module, STR("java.")) ||
	     str_starts(module, STR("jdk."))))
		name = str_skip(name, slash + 1);
	return str_sub(name, 0, LIMIT_NAME_BYTES);
}

const struct stack_dialect *stack_dialect_find(const char *name)
{
	for (size_t i = 0; i < stack_dialects_len; i++) {
		if (strcmp(stack_dialects[i].name, name) == 0)
			return &stack_dialects[i];
	}
	return NULL;
}

void stack_reader_init(struct stack_reader *r, struct capture *c, const struct stack_dialect *d)
{
	struct profile *p = capture_profile(c);

	*r = (struct stack_reader){ .c = c, .dialect = d };
	p->unit = WEIGHT_SAMPLES;
	p->event = strings_add(capture_strings(c), STR("threads"));
	capture_threads(c)->dialect = strings_add(capture_strings(c), str_of(d->name));
}

void stack_reader_fini(struct stack_reader *r)
{
	idmap_fini(&r->by_id);
	VEC_FREE(&r->syms);
	stack_owners_fini(&r->owners);
}

/* Reverse the frames, for dialects that print the outermost frame first. */
static void stack_reverse(struct thread_frame *f, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct thread_frame other = f[i];

		f[i] = f[n - 1 - i];
		f[n - 1 - i] = other;
	}
}

/*
 * The kernel may print a task twice in one snapshot: as a waiting task and as the owner of a lock.
 * If the current task already has a row, merge both and return true.
 */
static bool stack_is_again(struct stack_reader *r)
{
	struct threads *t = r->c->threads;
	struct idmap_probe probe = idmap_first(&r->by_id, hash_u64(r->row.id.v, r->row.name.v));

	while (r->row.id.v && idmap_next(&r->by_id, &probe)) {
		struct thread_row *other = &t->rows.data[probe.id];

		if (other->id.v != r->row.id.v || other->name.v != r->row.name.v ||
		    !(other->is_owner || r->row.is_owner))
			continue;
		other->age_ns = other->age_ns > r->row.age_ns ? other->age_ns : r->row.age_ns;
		other->is_owner &= r->row.is_owner;
		t->frames.len = r->row.first_frame;
		return true;
	}
	return false;
}

/*
 * Whether the current thread repeats a thread that was read before, and has no frames. gdb prints
 * such a title, without a stack, after the command "thread 1", which selects a thread.
 */
static bool stack_is_selected(struct stack_reader *r)
{
	const struct threads *t = r->c->threads;
	struct idmap_probe probe = idmap_first(&r->by_id, hash_u64(r->row.id.v, r->row.name.v));

	while (r->row.n_frames == 0 && r->row.id.v && idmap_next(&r->by_id, &probe)) {
		const struct thread_row *other = &t->rows.data[probe.id];

		if (other->id.v == r->row.id.v && other->name.v == r->row.name.v)
			return str_eq(STR("gdb"), str_of(r->dialect->name));
	}
	return false;
}

static void stack_next_snapshot(struct stack_reader *r)
{
	idmap_fini(&r->by_id);
	r->by_id = (struct idmap){ .slots = NULL };
	r->snapshot++;
	r->first_row = (uint32_t)r->c->threads->rows.len;
}

/*
 * Whether @line is only a date, which a JVM prints above each dump: "2024-03-11 10:22:11". A
 * fraction of a second and a time zone are allowed.
 */
static bool stack_is_date(struct str line)
{
	static const char shape[] = "0000-00-00 00:00:00";

	if (line.len < sizeof(shape) - 1 || line.len > sizeof(shape) + 12)
		return false;
	for (size_t i = 0; i < sizeof(shape) - 1; i++) {
		if (shape[i] == '0' ? !char_is_digit(line.p[i])
				    : line.p[i] != shape[i] && line.p[i] != 'T')
			return false;
	}
	return true;
}

/* Whether @line is a label above a dump, which names its program or time: "node B:", "web1:". */
static bool stack_is_label(struct str line)
{
	struct str rest = str_sub(line, 0, line.len ? line.len - 1 : 0);
	bool is_named = false;
	unsigned int words = 0;
	struct str word;

	if (line.len > STACK_LABEL_BYTES || !str_ends(line, STR(":")))
		return false;
	for (; str_word(&rest, &word); words++) {
		if (str_glob(STR("*hread*|*ock*|*tack*|*task*"), word))
			return false;
		for (size_t i = 0; i < word.len; i++)
			is_named |= char_is_digit(word.p[i]);
		is_named |= str_glob(STR("*node*|*Node*|*host*|*Host*|*erver*|*JVM*|*jvm*|*rocess*|"
					 "*pod*|*Pod*|*nstance*|*dump*|*Dump*|later|after|After|"
					 "Later"),
				     word);
	}
	return is_named && words <= STACK_LABEL_WORDS;
}

/* Start a new snapshot if the current snapshot already has a thread with this id and name. */
static void stack_snapshot(struct stack_reader *r)
{
	struct threads *t = r->c->threads;
	struct idmap_probe probe;

	if (!r->row.id.v)
		return;
	probe = idmap_first(&r->by_id, hash_u64(r->row.id.v, r->row.name.v));
	while (idmap_next(&r->by_id, &probe)) {
		const struct thread_row *other = &t->rows.data[probe.id];

		if (other->id.v != r->row.id.v || other->name.v != r->row.name.v)
			continue;
		stack_next_snapshot(r);
		probe = idmap_first(&r->by_id, hash_u64(r->row.id.v, r->row.name.v));
		break;
	}
	idmap_insert(&r->by_id, &probe, (uint32_t)t->rows.len);
}

/*
 * Returns a bit mask: bit i is set if argument i of @args is a null pointer, "n=0x0". Text in
 * quotes and members of structures are no arguments.
 */
static uint8_t stack_null_args(struct str args)
{
	unsigned int n = 0, depth = 0, ret = 0;
	bool is_quoted = false;

	for (size_t i = 0; i < args.len && n < 8; i++) {
		struct str s = str_skip(args, i);

		if (is_quoted && s.p[0] == '\\')
			i++;
		else if (s.p[0] == '"')
			is_quoted = !is_quoted;
		else if (is_quoted)
			continue;
		else if (s.p[0] == '{')
			depth++;
		else if (s.p[0] == '}')
			depth -= depth > 0;
		else if (s.p[0] == ',' && depth == 0)
			n++;
		else if (depth == 0 && s.len > 4 && (s.p[4] == ',' || s.p[4] == ')') &&
			 str_starts(s, STR("=0x0")))
			ret |= 1u << n;
	}
	return (uint8_t)ret;
}

/*
 * Whether @args are those of a function that reports a failed assertion:
 *   file=0x… "x.c", line=110, cond=0x… "ws->id != 0"
 */
static bool stack_is_check(struct str args)
{
	static const char *const names[] = { "cond=",         "condition=", "expr=",
					     "expression=",   "assertion=", "failedexpr=",
					     "conditionName=" };

	if (!str_contains(args, STR("line=")) && !str_contains(args, STR("lineNumber=")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t at = str_find(args, str_of(names[i]));
		struct str value = str_skip(args, at < args.len ? at : args.len);

		value = str_sub(value, 0, str_find_char(value, ','));
		if (value.len && str_find_char(value, '"') < value.len)
			return true;
	}
	return false;
}

/* The signal number in @args, 1 to 64, such as 6 in "signo=signo@entry=6"; 0: none. */
static uint8_t stack_signal(struct str args)
{
	static const char *const names[] = { "signo=", "sig=" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t at = str_find(args, str_of(names[i]));
		struct str value = str_skip(args, at < args.len ? at + strlen(names[i]) : args.len);
		uint64_t n = 0;

		if (at && at < args.len && args.p[at - 1] != ' ' && args.p[at - 1] != '(')
			continue;
		value = str_sub(value, 0, str_find_char(value, ','));
		if (str_contains(value, STR("@entry=")))
			value = str_skip(value, str_find_char(value, '=') + 1);
		if (str_u64(&value, &n) && n <= 64)
			return (uint8_t)n;
	}
	return 0;
}

/*
 * @args: arguments of the last frame. If this frame and the frame before it are calls of the same
 * function (recursion), store the arguments of both. Store them also if one of them is a timeout.
 */
static void stack_keep_args(struct stack_reader *r, struct str args)
{
	struct threads *t = r->c->threads;
	struct thread_frame *last = &t->frames.data[t->frames.len - 1];
	struct strings *strings = capture_strings(r->c);

	args = str_trim(args);
	args.len -= str_ends(args, STR(")"));
	if (args.len > sizeof(r->last_args))
		args.len = 0;
	if (args.len && t->frames.len > r->row.first_frame + 1 && last[-1].sym.v == last->sym.v) {
		last->args = strings_add(strings, args);
		if (!last[-1].args.v && r->n_last_args)
			last[-1].args =
				strings_add(strings, (struct str){ r->last_args, r->n_last_args });
	} else if (str_contains(args, STR("timeout="))) {
		last->args = strings_add(strings, args);
	}
	r->n_last_args = args.len;
	if (args.len)
		memcpy(r->last_args, args.p, args.len);
}

static void stack_add_frame(struct stack_reader *r, struct str name, struct str module,
			    struct str args, uint32_t line)
{
	struct threads *t = r->c->threads;

	if (t->frames.len >= LIMIT_ROWS) {
		diag_count(&r->c->diag, &stack_limit, line);
		return;
	}
	if (name.len == 0 || str_eq(name, STR("\?\?\?")) || str_eq(name, STR("<null>")))
		name = STR("\?\?"); /* a frame without a symbol is a frame */
	*VEC_PUSH(&t->frames) = (struct thread_frame){
		.object = stack_object(args),
		.sym = symbols_add_text(capture_symbols(r->c), stack_function(name),
					str_sub(module, 0, LIMIT_NAME_BYTES), r->dialect->space, 0),
		.line = line,
		.null_args = stack_null_args(args),
		.signal = stack_signal(args),
		.is_check = stack_is_check(args),
	};
	stack_keep_args(r, args);
	stack_owners_args(&r->owners, r->c, args);
}

/*
 * @line follows a frame, and may be the rest of the frame's arguments. If it contains arguments of
 * a function that reports a failed assertion, set is_check of the frame.
 */
static void stack_more_args(struct stack_reader *r, struct str line)
{
	struct threads *t = r->c->threads;

	if (r->is_open && t->frames.len > r->row.first_frame && stack_is_check(line))
		t->frames.data[t->frames.len - 1].is_check = true;
}

/*
 * Add frames that are printed only as addresses, because the program has no symbols: "12 @ 0x43a1c0
 * 0x44b8e6".
 */
static void stack_add_addresses(struct stack_reader *r)
{
	struct str word;

	while (str_word(&r->addresses, &word))
		stack_add_frame(r, word, STR_NONE, STR_NONE, r->row.line);
}

/*
 * Correct the locks of a thread that called Object.wait(), was notified, and now waits to enter the
 * monitor again. The JVM prints the state BLOCKED, but the lock line still says "waiting on"
 * (THREAD_LOCK_EVENT). Set such locks to THREAD_LOCK_WANTED. Source: HotSpot, javaVFrame.cpp,
 * print_lock_info_on().
 */
static void stack_reenter(struct stack_reader *r)
{
	struct threads *t = r->c->threads;

	for (size_t i = r->row.first_lock; r->row.state == THREAD_BLOCKED && i < t->locks.len;
	     i++) {
		if (t->locks.data[i].kind == THREAD_LOCK_EVENT)
			t->locks.data[i].kind = THREAD_LOCK_WANTED;
	}
}

/*
 * Add a lock that stands for the initialisation of class @class. The JVM prints no address for it.
 * @frame: index of the frame that the lock belongs to.
 */
static void stack_class_lock(struct stack_reader *r, struct str class, uint32_t frame,
			     enum thread_lock_kind kind, uint32_t line)
{
	struct threads *t = r->c->threads;
	struct str prefix = STR("the initialisation of ");
	char buffer[STACK_CLASS_NAME];
	str_id type;

	if (!class.len || class.len + prefix.len > sizeof(buffer) || t->locks.len >= LIMIT_ROWS)
		return;
	memcpy(buffer, prefix.p, prefix.len);
	memcpy(buffer + prefix.len, class.p, class.len);
	type = strings_add(capture_strings(r->c), (struct str){ buffer, prefix.len + class.len });
	if (!type.v || type.v >= THREAD_LOCK_NUMBERS)
		return;
	*VEC_PUSH(&t->locks) = (struct thread_lock){ .address = THREAD_LOCK_OF_OWNER(type.v),
						     .type = type,
						     .frame = frame,
						     .line = line,
						     .kind = (uint8_t)kind };
}

/*
 * Handle the locks that stand for the initialisation of a class. If the current thread waits for
 * such a lock, set its state to THREAD_BLOCKED, because a JVM reports it as runnable. If it is in a
 * static initialiser, "a.B.<clinit>", add the lock of class a.B as a lock that it holds.
 */
static void stack_class_owner(struct stack_reader *r)
{
	struct threads *t = r->c->threads;
	size_t n = t->locks.len;

	if (strcmp(r->dialect->name, "jstack") != 0)
		return;
	for (size_t i = r->row.first_lock; i < n; i++) {
		if (t->locks.data[i].kind == THREAD_LOCK_WANTED &&
		    !thread_lock_has_address(t->locks.data[i].address))
			r->row.state = THREAD_BLOCKED;
	}
	for (size_t i = r->row.first_frame; i < t->frames.len; i++) {
		struct str name = symbols_canonical(capture_symbols(r->c), t->frames.data[i].sym);

		if (str_ends(name, STR(".<clinit>")))
			stack_class_lock(r, str_sub(name, 0, name.len - strlen(".<clinit>")),
					 (uint32_t)(i - r->row.first_frame), THREAD_LOCK_HELD, 0);
	}
}

/*
 * A deadlock report of a JVM first lists the threads with their locks, then prints their stacks. If
 * the current thread is in the list, put it into its listed row and return true. @stack: its stack.
 */
static bool stack_fill_listed(struct stack_reader *r, stack_id stack)
{
	struct threads *t = r->c->threads;
	struct thread_row *row = &r->row;

	if (!row->name.v || row->id.v || !row->n_frames)
		return false;
	for (size_t i = r->first_row; i < t->rows.len; i++) {
		struct thread_row *listed = &t->rows.data[i];
		const struct thread_lock *wanted = &t->locks.data[listed->first_lock];
		bool is_printed = false;

		if (listed->name.v != row->name.v || listed->n_frames || !listed->n_locks)
			continue;
		for (uint32_t k = 0; k < row->n_locks; k++) {
			struct thread_lock *lock = &t->locks.data[row->first_lock + k];

			if (lock->address != wanted->address || lock->kind == THREAD_LOCK_HELD)
				continue;
			lock->kind = wanted->kind;
			lock->owner = wanted->owner;
			is_printed = true;
		}
		row->snapshot = listed->snapshot;
		if (!is_printed) {
			row->first_lock = listed->first_lock;
			row->n_locks = listed->n_locks;
		}
		*listed = *row;
		r->c->profile->samples.stack.data[i] = stack;
		return true;
	}
	return false;
}

static void stack_close(struct stack_reader *r)
{
	struct threads *t = r->c->threads;
	struct thread_row *row = &r->row;
	stack_id stack = STACK_ROOT;
	uint32_t n;

	if (!r->is_open)
		return;
	r->is_open = false;
	r->is_left = false;
	if (t->frames.len == row->first_frame)
		stack_add_addresses(r);
	row->n_frames = (uint32_t)t->frames.len - row->first_frame;
	row->n_locks = (uint32_t)t->locks.len - row->first_lock;
	stack_reenter(r);
	stack_class_owner(r);
	row->n_locks = (uint32_t)t->locks.len - row->first_lock;
	if ((row->n_frames == 0 && !row->id.v && !row->name.v) || stack_is_again(r) ||
	    stack_is_selected(r))
		return;
	if (r->dialect->is_outermost_first && row->n_frames)
		stack_reverse(&t->frames.data[row->first_frame], row->n_frames);
	row->depth = row->depth > row->n_frames ? row->depth : row->n_frames;
	n = row->n_frames < LIMIT_STACK_DEPTH ? row->n_frames : LIMIT_STACK_DEPTH;
	while (n-- > 0)
		stack = stacks_push(&r->c->profile->stacks, stack, threads_frames(t, row)[n].sym);
	row->stack = stack;
	if (stack_fill_listed(r, stack))
		return;
	if (profile_add_sample(r->c->profile, stack, row->count) < 0) {
		diag_count(&r->c->diag, &stack_limit, row->line);
		return;
	}
	if (!row->id.v && !row->name.v)
		row->id = r->again;
	stack_snapshot(r);
	row->snapshot = r->snapshot;
	*VEC_PUSH(&t->rows) = *row;
}

/*
 * If @line separates two dumps of one program, start a new snapshot. Otherwise the locks of both
 * dumps would be mixed, although they may have other owners in the second dump, and goroutines
 * without ids would be counted twice.
 */
static void stack_between_dumps(struct stack_reader *r, enum stack_line kind, struct str line)
{
	struct str dialect = str_of(r->dialect->name);
	bool is_jvm = str_eq(dialect, STR("jstack"));

	line = str_trim(line);
	if (!is_jvm && !str_eq(dialect, STR("goroutine-profile")))
		return;
	if (kind != STACK_TITLE &&
	    (!is_jvm || kind != STACK_OTHER || (!stack_is_date(line) && !stack_is_label(line))))
		return;
	stack_close(r);
	if (r->c->threads->rows.len > r->first_row)
		stack_next_snapshot(r);
}

/*
 * Whether the current thread has only one frame and no title. It may then be the frame that gdb
 * prints when a program stops.
 */
static bool stack_may_be_stop(const struct stack_reader *r)
{
	return r->is_open && !r->row.id.v && !r->row.name.v &&
	       r->c->threads->frames.len == r->row.first_frame + 1 &&
	       str_eq(STR("gdb"), str_of(r->dialect->name));
}

static void stack_open(struct stack_reader *r, uint32_t line)
{
	const struct threads *t = r->c->threads;

	stack_close(r);
	r->row = (struct thread_row){ .count = 1,
				      .line = line,
				      .first_frame = (uint32_t)t->frames.len,
				      .first_lock = (uint32_t)t->locks.len,
				      .is_owner = r->is_owner_next };
	r->is_owner_next = false;
	r->is_open = true;
	r->is_interrupted = false;
	r->has_frame = false;
}

static str_id stack_text_of(struct stack_reader *r, const struct stack_match *m,
			    enum stack_field field)
{
	struct str s = str_sub(m->fields[field], 0, LIMIT_NAME_BYTES);

	return s.len ? strings_add(capture_strings(r->c), s) : STR_ID_NONE;
}

static void stack_set_state(struct stack_reader *r, const struct stack_match *m)
{
	struct str text = m->fields[STACK_STATE_TEXT];

	if (!text.len)
		return;
	/*
	 * the JVM reports a thread that waits for the initialisation of a class as runnable: keep
	 * the state "in Object.wait()"
	 */
	if (str_eq(text, STR("RUNNABLE")) &&
	    str_eq(strings_get(capture_strings(r->c), r->row.state_text), STR("in Object.wait()")))
		return;
	r->row.state_text = stack_text_of(r, m, STACK_STATE_TEXT);
	r->row.state = stack_state_of(text);
}

/*
 * Store the task state UN of the title "crash> foreach UN bt", which prints only tasks in this
 * state. Instead of a state, the title may have the name of a task; a name is not stored. Source:
 * crash, help.c, foreach.
 */
static void stack_title_state(struct stack_reader *r, const struct stack_match *m)
{
	bool is_state =
		str_glob(STR("RU|IN|UN|ID|ST|TR|ZO|DE|SW|WA|PA|NE"), m->fields[STACK_STATE_TEXT]);

	r->title_state = is_state ? stack_text_of(r, m, STACK_STATE_TEXT) : STR_ID_NONE;
}

static void stack_lock(struct stack_reader *r, const struct stack_match *m,
		       enum thread_lock_kind kind, uint32_t line)
{
	struct threads *t = r->c->threads;
	uint32_t n = (uint32_t)t->frames.len - r->row.first_frame;
	struct str address = m->fields[STACK_LOCK];
	size_t digits;
	struct thread_lock lock = { .type = stack_text_of(r, m, STACK_LOCK_TYPE),
				    .owner = stack_text_of(r, m, STACK_OWNER),
				    .frame = n ? n - 1 : 0,
				    .line = line,
				    .kind = (uint8_t)kind };

	(void)str_take(&address, STR("0x"));
	digits = address.len;
	if (!str_hex64(&address, &lock.address) || t->locks.len >= LIMIT_ROWS)
		return;
	digits -= address.len;
	t->lock_digits = (uint8_t)(digits > t->lock_digits ? digits : t->lock_digits);
	*VEC_PUSH(&t->locks) = lock;
}

/* Set the owner of the thread's last lock, from a line 'which is held by "worker-2"'. */
static void stack_owner(struct stack_reader *r, const struct stack_match *m)
{
	struct threads *t = r->c->threads;

	if (t->locks.len > r->row.first_lock)
		t->locks.data[t->locks.len - 1].owner = stack_text_of(r, m, STACK_OWNER);
}

/* Split the id field of @m, "kworker/u4:1:11", at its last ':' into a name and an id. */
static struct stack_match stack_task(const struct stack_match *m)
{
	struct stack_match ret = *m;
	struct str id = m->fields[STACK_ID];
	const char *name = m->fields[STACK_NAME].p;
	size_t colon = str_rfind_char(id, ':');

	if (colon < id.len && name && name < id.p) {
		ret.fields[STACK_ID] = str_skip(id, colon + 1);
		ret.fields[STACK_NAME] = (struct str){ name, (size_t)(id.p + colon - name) };
	}
	return ret;
}

/*
 * If @kind is a line about locks and owners outside of a stack, such as "2 locks held by a/100:",
 * read @line and return true; otherwise false.
 */
static bool stack_take_owner(struct stack_reader *r, enum stack_line kind,
			     const struct stack_match *m, struct str line)
{
	if (kind != STACK_WAITS && kind != STACK_HOLDER && kind != STACK_LISTED &&
	    kind != STACK_ASKED && kind != STACK_ANSWER)
		return false;
	if (kind == STACK_ASKED) {
		stack_owners_ask(&r->owners, r->c, m->fields[STACK_NAME]);
		return true;
	}
	if (kind == STACK_ANSWER) {
		stack_owners_answer(&r->owners, r->c, m->fields[STACK_ID], line, r->snapshot);
		return true;
	}
	stack_close(r);
	if (kind == STACK_WAITS) {
		stack_owners_wait(&r->owners, r->c, m->fields[STACK_NAME],
				  m->fields[STACK_LOCK_TYPE], m->fields[STACK_OWNER], r->snapshot);
		r->is_owner_next = true;
	} else if (kind == STACK_HOLDER) {
		stack_owners_holder(&r->owners, r->c, m->fields[STACK_NAME]);
	} else {
		stack_owners_lock(&r->owners, r->c, m->fields[STACK_LOCK],
				  m->fields[STACK_LOCK_TYPE], r->snapshot);
	}
	return true;
}

/*
 * Convert the printed time @s, such as "812.33", to ns. @unit: number of ns in the printed unit. 0:
 * @s is no number, or too large.
 */
static uint64_t stack_time(struct str s, double unit)
{
	double value;

	if (!str_double(&s, &value) || s.len || !(value >= 0) || value * unit >= 1e18)
		return 0;
	return (uint64_t)(value * unit);
}

/* Number of ids in a list of threads: 3 for "48325,48324,48323". */
static uint64_t stack_listed(struct str ids)
{
	uint64_t n = 1;

	for (size_t i = 0; i < ids.len; i++)
		n += ids.p[i] == ',';
	return n;
}

static void stack_thread(struct stack_reader *r, const struct stack_match *line_match,
			 uint32_t line)
{
	struct stack_match task = stack_task(line_match);
	const struct stack_match *m = &task;
	struct str count = m->fields[STACK_COUNT];
	struct str minutes = m->fields[STACK_MINUTES];
	struct str seconds = m->fields[STACK_SECONDS];
	struct str ms = m->fields[STACK_MILLISECONDS];
	struct str number = m->fields[STACK_NUMBER];
	str_id id = stack_text_of(r, m, STACK_ID);
	struct str addresses;
	uint64_t n;

	/*
	 * Some tasks have two titles, and this line is the second. The kernel prints "INFO: task
	 * a:1 blocked" and then "task:a state:D" for a hung task; crash prints "crash> bt 9004" and
	 * then "PID: 9004".
	 */
	if (r->is_open && id.v && id.v == r->row.id.v &&
	    r->c->threads->frames.len == r->row.first_frame) {
		if (!r->row.name.v)
			r->row.name = stack_text_of(r, m, STACK_NAME);
		stack_set_state(r, m);
		return;
	}
	stack_open(r, line);
	r->row.id = id;
	r->row.name = stack_text_of(r, m, STACK_NAME);
	if (str_u64(&number, &n) && n && (!r->least_number || n < r->least_number)) {
		r->least_number = n;
		r->least_line = line;
	}
	r->row.is_owner |= str_ends(str_of(m->rule->pattern), STR(" %n holding %K:"));
	if (str_glob(STR("* while holding *%K*"), str_of(m->rule->pattern)))
		r->row.holds = stack_text_of(r, m, STACK_LOCK_TYPE);
	r->row.is_current = str_starts(str_of(m->rule->pattern), STR("Current")) ||
			    str_starts(str_of(m->rule->pattern), STR("* "));
	if (str_u64(&count, &n) && n)
		r->row.count = n;
	else if (str_starts(str_of(m->rule->pattern), STR("tids=[")))
		r->row.count = stack_listed(m->fields[STACK_ID]);
	/*
	 * a title "12 @ 0x43a1c0" matches the pattern "%c @ 0%f", so the field %f begins with the
	 * 'x'. Start one character earlier, so that the address begins with "0x".
	 */
	r->addresses = m->fields[STACK_FUNCTION];
	if (r->addresses.len && r->addresses.p[0] == 'x')
		r->addresses = (struct str){ r->addresses.p - 1, r->addresses.len + 1 };
	else
		r->addresses = STR_NONE;
	addresses = r->addresses;
	(void)str_hex64(&addresses, &r->row.top);
	if (str_u64(&minutes, &n) && n < UINT64_MAX / STACK_MINUTE_NS)
		r->row.age_ns = n * STACK_MINUTE_NS;
	if (str_u64(&seconds, &n) && n < UINT64_MAX / STACK_SECOND_NS) {
		r->row.age_ns = n * STACK_SECOND_NS;
		capture_threads(r->c)->has_limits |=
			str_contains(str_of(m->rule->pattern), STR("more than %G"));
	}
	if (str_u64(&ms, &n) && n < UINT64_MAX / STACK_SECOND_NS)
		r->row.age_ns = n * (STACK_SECOND_NS / 1000);
	r->row.cpu_ns = stack_time(m->fields[STACK_CPU_TIME], 1e6);
	r->row.lifetime_ns = stack_time(m->fields[STACK_LIFETIME], 1e9);
	stack_set_state(r, m);
	/*
	 * a command "crash> bt 9004" prints a task in any state, so the state of an earlier title
	 * is void
	 */
	if (str_starts(str_of(m->rule->pattern), STR("crash> ")))
		r->title_state = STR_ID_NONE;
	if (!r->row.state_text.v && r->title_state.v) {
		r->row.state_text = r->title_state;
		r->row.state = stack_state_of(strings_get(capture_strings(r->c), r->title_state));
	}
	if (m->fields[STACK_SECONDS].len)
		r->row.state = THREAD_DISK;
	if (m->fields[STACK_MILLISECONDS].len)
		r->row.state = THREAD_READY;
	if (m->fields[STACK_LOCK].len)
		stack_lock(r, m,
			   r->row.state == THREAD_BLOCKED ? THREAD_LOCK_WANTED : THREAD_LOCK_EVENT,
			   line);
}

/*
 * Store the number of threads that the title of a dump states. Stacks of some threads may be
 * missing.
 */
static void stack_total(struct stack_reader *r, const struct stack_match *m)
{
	struct str count = m->fields[STACK_COUNT];
	uint64_t n;

	if (str_u64(&count, &n))
		r->c->threads->total = n;
}

/*
 * Read a row of ps: "812 D+ nfs_wait_bit_killable backup". Only the first letter of the state, 'D',
 * is used.
 */
static void stack_row(struct stack_reader *r, const struct stack_match *m, uint32_t line)
{
	struct str name = m->fields[STACK_FUNCTION];
	struct stack_match row = *m;

	row.fields[STACK_STATE_TEXT] = str_sub(m->fields[STACK_STATE_TEXT], 0, 1);
	row.fields[STACK_FUNCTION] = STR_NONE;
	stack_thread(r, &row, line);
	/* ps prints no function for a running thread, so its innermost frame is unknown */
	r->row.has_no_top = r->row.state == THREAD_RUNNING;
	if (!str_glob(STR("-|0|\\*"), name))
		stack_add_frame(r, name, STR_NONE, STR_NONE, line);
	stack_close(r);
}

/*
 * Whether @m is frame 0 of gdb's command bt, and repeats the frame that gdb printed when the
 * program stopped.
 */
static bool stack_is_stop(const struct stack_reader *r, const struct stack_match *m)
{
	const struct threads *t = r->c->threads;
	struct str name = stack_function(m->fields[STACK_FUNCTION]);

	return stack_may_be_stop(r) &&
	       str_eq(symbols_name(capture_symbols(r->c), t->frames.data[t->frames.len - 1].sym),
		      name);
}

/* Whether the frame in @text is a native method: "at a.B.c(java.base@17/Native Method)". */
static bool stack_is_native(struct str text)
{
	text = str_trim(text);
	return str_ends(text, STR("(Native Method)")) || str_ends(text, STR("/Native Method)"));
}

/*
 * Whether the offset in @text is beyond the end of the function, as in "+0x90/0x80": then the name
 * is wrong. @m: the match of @text.
 */
static bool stack_is_past_end(const struct stack_match *m, struct str text)
{
	struct str name = m->fields[STACK_FUNCTION];

	return name.len &&
	       symbol_offset_is_past_end(str_skip(text, (size_t)(name.p - text.p) + name.len));
}

/* Store the source line in @text, which is about @frame. */
static void stack_frame_place(struct stack_reader *r, struct thread_frame *frame, struct str text)
{
	struct str file;

	if (frame_place_find(text, &file, &frame->source_line))
		frame->source_file = strings_add(capture_strings(r->c), file);
	frame_place_keep(capture_symbols(r->c), frame->sym, text);
}

/* Store the source line in @text, "/src/start.go:12 +0x1d", as that of the thread's creator. */
static void stack_creator_place(struct stack_reader *r, struct str text)
{
	struct str file;
	size_t slash;
	uint32_t line;
	char place[STACK_LABEL_BYTES * 2];
	int n;

	if (r->row.creator_place.v || !frame_place_find(text, &file, &line))
		return;
	slash = str_rfind_char(file, '/');
	file = str_skip(file, slash < file.len ? slash + 1 : 0);
	n = snprintf(place, sizeof(place), STR_FMT ":%u", STR_ARG(file), line);
	if (n > 0 && (size_t)n < sizeof(place))
		r->row.creator_place =
			strings_add(capture_strings(r->c), (struct str){ place, (size_t)n });
}

/*
 * @text is a line below a frame, a match of @m. If it is the source line of the frame, which some
 * tools print there, and which mailers wrap to there, store it.
 */
static void stack_place(struct stack_reader *r, const struct stack_match *m, struct str text)
{
	const struct threads *t = r->c->threads;

	if (!r->is_open ||
	    !str_glob(STR("at %s:%l*|/%s:*|../%s:*|%s:%l*|%s.go:%l*"), str_of(m->rule->pattern)))
		return;
	/* below the function that created the thread, the line is of this function */
	if (r->row.creator.v)
		stack_creator_place(r, text);
	else if (t->frames.len > r->row.first_frame)
		stack_frame_place(r, &t->frames.data[t->frames.len - 1], text);
}

static void stack_frame(struct stack_reader *r, const struct stack_match *m, enum stack_line kind,
			struct str text, uint32_t line)
{
	struct str number = m->fields[STACK_NUMBER];
	struct threads *t = r->c->threads;
	size_t before;
	uint64_t at;
	uint32_t n;

	if (!str_u64(&number, &at) || at >= UINT32_MAX)
		at = UINT32_MAX;
	if (r->is_left && at != r->row.depth)
		stack_close(r);
	r->is_left = false;
	n = (uint32_t)t->frames.len - r->row.first_frame;
	/*
	 * A line of kind STACK_FIRST starts a new thread if no thread is open, or if it has the
	 * number #0 and the open thread already has frames. But if gdb printed the same frame
	 * before, when the program stopped, the new frame replaces it, and no thread starts.
	 */
	if (kind == STACK_FIRST && stack_is_stop(r, m))
		t->frames.len = r->row.first_frame;
	else if (kind == STACK_FIRST && (!r->is_open || (n && m->rule->pattern[0] == '#')))
		stack_open(r, line);
	/*
	 * the previous frame is the kernel's outermost function, so its stack is complete: this
	 * frame starts another stack without a title
	 */
	else if (n && r->dialect->space == SPACE_KERNEL &&
		 str_glob(STR("entry_SYSCALL_64_after_hwframe|ret_from_fork_asm"),
			  symbols_canonical(capture_symbols(r->c),
					    t->frames.data[t->frames.len - 1].sym)))
		stack_open(r, line);
	/*
	 * no thread is open, because the innermost frames of this stack are missing in the text:
	 * start a thread at this frame
	 */
	if (!r->is_open && (number.len || m->rule->line & STACK_BEGINS || t->rows.len == 0))
		stack_open(r, line);
	if (!r->is_open) {
		diag_count(&r->c->diag, &stack_orphan, line);
		return;
	}
	before = t->frames.len;
	if (stack_is_past_end(m, text))
		stack_add_frame(r, STR("??"), STR_NONE, STR_NONE, line);
	else
		stack_add_frame(r, m->fields[STACK_FUNCTION], m->fields[STACK_MODULE],
				m->fields[STACK_ARGS], line);
	if (t->frames.len > before) {
		t->frames.data[before].is_native = stack_is_native(text);
		stack_frame_place(r, &t->frames.data[before], text);
	}
	if (at == UINT32_MAX)
		return;
	/* frame numbers are not consecutive: frames were left out */
	if (n && at > r->row.depth && r->row.depth && !r->is_interrupted)
		diag_count(&r->c->diag, &stack_cut, line);
	r->row.has_no_top |= n == 0 && at > 0 && !r->is_interrupted;
	if (at + 1 > r->row.depth)
		r->row.depth = (uint32_t)at + 1;
}

/*
 * Prepare to add a certain frame, that is not one of kind STACK_GUESS. If it is the first certain
 * frame of the thread, remove the guessed frames before it.
 */
static void stack_certain(struct stack_reader *r)
{
	if (r->is_open && !r->has_frame)
		r->c->threads->frames.len = r->row.first_frame;
	r->has_frame = true;
}

/* Whether all brackets in the list of names @s are closed. */
static bool stack_is_balanced(struct str s)
{
	int depth = 0;

	for (size_t i = 0; i < s.len; i++) {
		depth += s.p[i] == '<' || s.p[i] == '(';
		depth -= depth > 0 && (s.p[i] == '>' || s.p[i] == ')');
	}
	return depth == 0;
}

/*
 * Read a thread on one line: "17 futex_wait,pthread_cond_wait,main". pt-pmp cuts each name at its
 * first blank, so a bracket may stay open: "Shard::Lookup(Slice,Get(Options,main". In this case,
 * split at each comma, and cut each name before its open bracket.
 */
static void stack_chain(struct stack_reader *r, const struct stack_match *m, uint32_t line)
{
	struct str s = stack_match_chain(m);
	bool is_balanced = stack_is_balanced(s);
	int depth = 0;
	size_t from = 0;

	stack_thread(r, m, line);
	for (size_t i = 0; i <= s.len; i++) {
		char c = i < s.len ? s.p[i] : ',';
		struct str name;
		size_t open;

		depth += is_balanced && (c == '<' || c == '(');
		depth -= depth > 0 && (c == '>' || c == ')');
		if (c != ',' || (depth && i < s.len))
			continue;
		name = str_sub(s, from, i);
		open = str_find_char(name, '(');
		if (open && !stack_is_balanced(name) &&
		    !str_starts(str_skip(name, open), STR("(anonymous")))
			name = str_sub(name, 0, open);
		if (name.len)
			stack_add_frame(r, name, STR_NONE, STR_NONE, line);
		from = i + 1;
	}
}

static void stack_note(struct stack_reader *r, struct str text, enum thread_note_kind kind,
		       uint32_t line)
{
	struct threads *t = r->c->threads;

	text = str_trim(str_sub(text, 0, STACK_NOTE_BYTES));
	if (t->notes.len < STACK_NOTES_MAX)
		*VEC_PUSH(&t->notes) =
			(struct thread_note){ .text = strings_add(capture_strings(r->c), text),
					      .line = line,
					      .kind = (uint8_t)kind };
}

/*
 * Append @line to the last note if that note is a message "runtime error: ..." that was wrapped.
 * Returns whether @line was appended.
 */
static bool stack_note_more(struct stack_reader *r, struct str line)
{
	struct threads *t = r->c->threads;
	char text[STACK_NOTE_BYTES];
	struct thread_note *note = t->notes.len ? &t->notes.data[t->notes.len - 1] : NULL;
	struct str first = note ? strings_get(capture_strings(r->c), note->text) : STR_NONE;

	line = str_trim(line);
	if (line.len == 0 || !str_contains(first, STR("runtime error: ")) ||
	    first.len + line.len + 1 > sizeof(text))
		return false;
	memcpy(text, first.p, first.len);
	text[first.len] = ' ';
	memcpy(text + first.len + 1, line.p, line.len);
	note->text =
		strings_add(capture_strings(r->c), (struct str){ text, first.len + 1 + line.len });
	return true;
}

static void stack_take_line(struct stack_reader *r, enum stack_line kind,
			    const struct stack_match *m, struct str text, uint32_t line)
{
	switch (kind) {
	case STACK_STATE:
		/* a stack may have no title: then a line with the state starts the thread */
		if (m->rule->line & STACK_BEGINS &&
		    (!r->is_open || r->c->threads->frames.len > r->row.first_frame))
			stack_open(r, line);
		stack_set_state(r, m);
		break;
	case STACK_FIRST:
	case STACK_FRAME:
		stack_certain(r);
		stack_frame(r, m, kind, text, line);
		r->has_frame = true;
		break;
	case STACK_GUESS:
		if (!r->has_frame && !stack_is_past_end(m, text))
			stack_add_frame(r, m->fields[STACK_FUNCTION], m->fields[STACK_MODULE],
					STR_NONE, line);
		break;
	case STACK_CHAIN:
		stack_chain(r, m, line);
		break;
	case STACK_SIGNAL_FRAME:
		r->row.signal_at = (uint32_t)r->c->threads->frames.len - r->row.first_frame;
		/* gdb also gives a number to the frame of a signal, so add 1 to the depth */
		r->row.depth += r->row.depth > 0;
		break;
	case STACK_INTERRUPTED:
		r->c->threads->frames.len = r->row.first_frame;
		r->row.state = THREAD_RUNNING;
		r->is_interrupted = true;
		break;
	case STACK_PLACE:
	case STACK_INNER:
		stack_place(r, m, text);
		break;
	case STACK_CREATOR:
		r->row.creator = stack_text_of(r, m, STACK_FUNCTION);
		break;
	case STACK_HELD:
		stack_lock(r, m, THREAD_LOCK_HELD, line);
		break;
	case STACK_WANTED:
		stack_lock(r, m, THREAD_LOCK_WANTED, line);
		break;
	case STACK_CLASS: {
		uint32_t n = (uint32_t)r->c->threads->frames.len - r->row.first_frame;

		stack_class_lock(r, m->fields[STACK_LOCK_TYPE], n ? n - 1 : 0, THREAD_LOCK_WANTED,
				 line);
		break;
	}
	case STACK_OWNED:
		stack_owner(r, m);
		break;
	case STACK_EVENT:
		stack_lock(r, m, THREAD_LOCK_EVENT, line);
		break;
	default:
		break;
	}
}

/*
 * Read the line "which is held by X" of a deadlock report. It means that the thread r->cycle waits
 * for a lock that X owns. @m: match of the line, with the owner X. Set X as the owner of this lock
 * in the row of r->cycle, because the stacks do not show owners of java.util.concurrent locks.
 */
static void stack_cycle(struct stack_reader *r, const struct stack_match *m)
{
	struct threads *t = r->c->threads;

	for (size_t i = r->first_row; r->cycle.v && i < t->rows.len; i++) {
		const struct thread_row *row = &t->rows.data[i];

		for (uint32_t k = 0; row->name.v == r->cycle.v && k < row->n_locks; k++) {
			struct thread_lock *lock = &t->locks.data[row->first_lock + k];

			if (lock->kind == THREAD_LOCK_HELD || lock->owner.v)
				continue;
			lock->kind = THREAD_LOCK_WANTED;
			lock->owner = stack_text_of(r, m, STACK_OWNER);
			return;
		}
	}
}

/*
 * Return the first rule of @d with the kind STACK_STOP, such as "Java stack information for the
 * threads listed above". NULL: @d has no such rule.
 */
static const struct stack_rule *stack_repeats(const struct stack_dialect *d)
{
	for (size_t i = 0; i < STACK_RULES_MAX && d->rules[i].pattern; i++) {
		if (d->rules[i].line == STACK_STOP)
			return &d->rules[i];
	}
	return NULL;
}

void stack_reader_look(struct stack_reader *r, struct str text)
{
	const struct stack_rule *rule = stack_repeats(r->dialect);
	struct str pattern = str_of(rule ? rule->pattern : "");

	pattern = str_sub(pattern, 0, str_find_char(pattern, '%'));
	r->has_repeats = pattern.len && str_contains(text, pattern);
}

/* Read the frame number at the start of @s: 7 in "#7  0x…". False: no number. */
static bool stack_frame_number(struct str s, uint64_t *ret)
{
	return str_take(&s, STR("#")) && s.len && char_is_digit(s.p[0]) && str_u64(&s, ret) &&
	       s.len && char_is_blank(s.p[0]);
}

/*
 * Find a second frame in @line, for texts in which line breaks were lost: "#0  f () #1  g ()".
 * Returns its offset; line.len: none.
 */
static size_t stack_next_frame(struct str line)
{
	size_t first = line.len - str_ltrim(line).len;
	uint64_t number, next;

	if (!stack_frame_number(str_skip(line, first), &number))
		return line.len;
	for (size_t at = first + 1; at < line.len; at++) {
		if (line.p[at] == '#' && char_is_blank(line.p[at - 1]) &&
		    stack_frame_number(str_skip(line, at), &next) && next == number + 1)
			return at;
	}
	return line.len;
}

/*
 * Whether @line is a loop of the shell that prints one file again and again: "while sleep 1; do cat
 * /proc/42/stack; done".
 */
static bool stack_is_loop(struct str line)
{
	return str_contains(line, STR("/stack")) &&
	       (str_contains(line, STR("for ")) || str_contains(line, STR("while ")) ||
		str_contains(line, STR("until ")) || str_contains(line, STR("watch ")));
}

static bool stack_one_line(struct stack_reader *r, struct str line, uint32_t line_no)
{
	struct stack_match m;
	enum stack_line kind = stack_match_line(r->dialect, line, &m);

	if (r->is_note_open && kind == STACK_OTHER && stack_note_more(r, line))
		return true;
	r->is_note_open = false;
	if (kind == STACK_OTHER || kind == STACK_INNER)
		stack_more_args(r, line);
	/*
	 * a blank line and then a line of prose end the thread; but if its frames are numbered, the
	 * frame with the next number still belongs to the thread
	 */
	if (kind == STACK_OTHER && r->is_after_blank && str_trim(line).len) {
		r->is_left = r->is_open && r->row.depth;
		if (!r->is_left)
			stack_close(r);
	}
	stack_between_dumps(r, kind, line);
	r->is_after_blank = str_trim(line).len == 0;
	/* a blank line ends a kernel stack that has no title, or that a loop prints */
	if (kind == STACK_OTHER && r->dialect->space == SPACE_KERNEL && str_trim(line).len == 0 &&
	    (!r->row.id.v || (r->again.v && r->c->threads->frames.len > r->row.first_frame)))
		stack_close(r);
	if (kind == STACK_TITLE && stack_may_be_stop(r)) {
		return true;
	} else if (kind == STACK_STOP || kind == STACK_TITLE) {
		stack_close(r);
		stack_total(r, &m);
		stack_title_state(r, &m);
		/*
		 * the threads below a STACK_STOP line repeat earlier threads, so skip them. But if
		 * the text has no earlier threads, read them
		 */
		r->is_stopped = kind == STACK_STOP && r->c->threads->rows.len;
	} else if (kind >= STACK_NOTE_SIGNAL && kind <= STACK_NOTE_LEAK) {
		stack_note(r, line, (enum thread_note_kind)(kind - STACK_NOTE_SIGNAL), line_no);
		if (kind == STACK_NOTE_CHECKER)
			stack_close(r);
		r->is_note_open = kind == STACK_NOTE_CHECKER;
		if (kind == STACK_NOTE_DEADLOCK && stack_repeats(r->dialect)) {
			stack_close(r);
			/*
			 * A deadlock report starts with a list of threads and locks. Skip this list
			 * if the dump also has the stacks of these threads.
			 */
			r->is_stopped = r->has_repeats || r->c->threads->rows.len;
		}
	} else if (r->is_stopped && kind == STACK_THREAD) {
		r->cycle = stack_text_of(r, &m, STACK_NAME);
	} else if (r->is_stopped && kind == STACK_OWNED) {
		stack_cycle(r, &m);
	} else if (stack_take_owner(r, kind, &m, line)) {
		return true;
	} else if (kind == STACK_ROW && !r->is_stopped) {
		stack_row(r, &m, line_no);
	} else if (kind == STACK_THREAD && !r->is_stopped) {
		stack_thread(r, &m, line_no);
		r->again = stack_is_loop(line) ? r->row.id : STR_ID_NONE;
	} else if (!r->is_stopped && (r->is_open || kind == STACK_FIRST || kind == STACK_FRAME ||
				      kind == STACK_STATE || kind == STACK_CHAIN)) {
		stack_take_line(r, kind, &m, line, line_no);
	}
	return kind != STACK_OTHER;
}

bool stack_reader_line(struct stack_reader *r, struct str line, uint32_t line_no)
{
	size_t at;

	while ((at = stack_next_frame(line)) < line.len) {
		(void)stack_one_line(r, str_rtrim(str_sub(line, 0, at)), line_no);
		line = str_skip(line, at);
	}
	return stack_one_line(r, line, line_no);
}

bool stack_reader_end(struct stack_reader *r)
{
	struct threads *t = r->c->threads;
	struct profile *p = r->c->profile;

	stack_close(r);
	stack_owners_end(&r->owners, r->c);
	/*
	 * gdb prints threads in descending order and ends with thread 1: if the lowest number is 3,
	 * threads 1 and 2 are missing
	 */
	if (r->least_number > 1)
		diag_add(&r->c->diag, &stack_omitted, r->least_number - 1, r->least_line);
	t->snapshots = t->rows.len ? r->snapshot + 1 : 0;
	VEC_FOREACH (row, &t->rows) {
		if (__builtin_add_overflow(p->n_samples, row->count, &p->n_samples))
			p->n_samples = UINT64_MAX;
	}
	p->has_n_samples = true;
	return t->rows.len > 0;
}
