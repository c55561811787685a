/* SPDX-License-Identifier: MIT */
#include "analyses/threads/thread_waits.h"

#include "analyses/roles.h"
#include "analyses/waits/wait_roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

/* the frame belongs to a wait, but does not show the kind of wait */
#define WAIT_FRAME_PLUMBING 100u
/* the frame starts a thread: frames of the program are its callees */
#define WAIT_FRAME_START 101u
#define WAIT_FRAME_PLACE 102u
/* flags that are stored in addition to a function's role */
/* the function reads the next request or message of a connection */
#define WAIT_FRAME_NEXT 0x100u
/*
 * the function belongs to a stream or buffer, such as java.io or bufio. It may be between a
 * WAIT_FRAME_NEXT function and the call that waits
 */
#define WAIT_FRAME_STREAM 0x200u
#define WAIT_FRAME_ROLE   0xffu
/*
 * if the innermost frame is only "syscall" or a futex, the names of this many callers are examined:
 * they may show a wait
 */
#define WAIT_SYSCALL_NAMES 4u
/* number of innermost frames of a sampled stack in which a wait is searched */
#define WAIT_SAMPLE_FRAMES 32u

/*
 * Indexed by role: kind of wait (enum thread_wait), or one of WAIT_FRAME_*; 0: the role shows no
 * wait.
 */
static const uint8_t wait_kinds[WAIT_ROLES] = {
	[WAIT_ROLE_START] = WAIT_FRAME_START,
	[WAIT_ROLE_THROUGH] = WAIT_FRAME_PLUMBING,
	[WAIT_ROLE_DNS] = THREAD_WAIT_DNS,
	[WAIT_ROLE_CONNECT] = THREAD_WAIT_CONNECT,
	[WAIT_ROLE_CHILD] = THREAD_WAIT_CHILD,
	[WAIT_ROLE_JOIN] = THREAD_WAIT_JOIN,
	[WAIT_ROLE_FILE_LOCK] = THREAD_WAIT_FILE_LOCK,
	[WAIT_ROLE_DISK] = THREAD_WAIT_DISK,
	[WAIT_ROLE_TIMER] = THREAD_WAIT_SLEEP,
	[WAIT_ROLE_POOL] = THREAD_WAIT_POOL,
	[WAIT_ROLE_PUT] = THREAD_WAIT_PUT,
	[WAIT_ROLE_RANDOM] = THREAD_WAIT_RANDOM,
	[WAIT_ROLE_IDLE] = THREAD_WAIT_IDLE,
	[WAIT_ROLE_GC] = THREAD_WAIT_GC,
	[WAIT_ROLE_SIGNAL] = THREAD_WAIT_EVENT,
	[WAIT_ROLE_LOCK] = THREAD_WAIT_LOCK,
	[WAIT_ROLE_POLL] = THREAD_WAIT_POLL,
	[WAIT_ROLE_SOCKET] = THREAD_WAIT_SOCKET,
	[WAIT_ROLE_READ] = THREAD_WAIT_READ,
};

void thread_roles_fini(struct thread_roles *r)
{
	VEC_FREE(&r->by_sym);
}

/* The name of a C++ function without its parameters, as in the patterns: "boost::mutex::lock". */
static struct str wait_base_name(struct str name)
{
	size_t colon = str_find(name, STR("::"));
	int depth = 0;

	if (colon == name.len)
		return name;
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] == '<')
			depth++;
		else if (name.p[i] == '>' && depth > 0 && name.p[i - 1] != '-')
			depth--;
		else if (name.p[i] == '(' && depth == 0 && i > 0 &&
			 !str_starts(str_skip(name, i), STR("(anonymous")) && name.p[i - 1] != ':')
			return str_sub(name, 0, i);
	}
	return name;
}

/*
 * For a function without a wait role: the kind of wait, or WAIT_FRAME_*, that its role in the
 * general table (roles.h) shows.
 */
static uint8_t wait_common_role(struct str name, struct str module, enum symbol_space space)
{
	switch (role_of_name(name, module, space)) {
	case ROLE_SPIN:
	case ROLE_LOCK_SLOW:
	case ROLE_LOCK:
	case ROLE_GO_LOCK:
		return THREAD_WAIT_LOCK;
	case ROLE_WAIT:
		return THREAD_WAIT_EVENT;
	case ROLE_SLEEP:
		return THREAD_WAIT_SLEEP;
	case ROLE_POLL:
		return THREAD_WAIT_POLL;
	case ROLE_ACCEPT:
		return THREAD_WAIT_IDLE;
	case ROLE_NET_IO:
		return THREAD_WAIT_SOCKET;
	case ROLE_DNS:
		return THREAD_WAIT_DNS;
	case ROLE_IO_WAIT:
	case ROLE_FSYNC:
		return THREAD_WAIT_DISK;
	case ROLE_ALLOCATE:
	case ROLE_FREE:
	case ROLE_SYSCALL:
	case ROLE_SWITCH:
		return WAIT_FRAME_PLUMBING;
	default:
		return WAIT_FRAME_PLACE;
	}
}

/* The plain name of a C library function: "pread64" for "__GI___pread64". */
static struct str wait_libc_name(struct str name)
{
	while (str_take(&name, STR("_")) || str_take(&name, STR("GI_")) ||
	       str_take(&name, STR("libc_")))
		;
	if (str_ends(name, STR("_nocancel")))
		name.len -= strlen("_nocancel");
	if (str_ends(name, STR("64")))
		name.len -= strlen("64");
	return name;
}

static uint8_t wait_role(const struct symbols *symbols, sym_id sym)
{
	struct str name = wait_base_name(symbols_canonical(symbols, sym));
	struct str plain = wait_libc_name(name);
	enum wait_role role;

	if (str_eq(name, STR("??")) || str_eq(name, STR("???")))
		return WAIT_FRAME_PLUMBING;
	role = wait_role_find(name, WAIT_LINES_DUMP);
	if (!role && str_starts(name, STR("__")) && plain.len)
		role = wait_role_find(plain, WAIT_LINES_DUMP);
	if (role)
		return wait_kinds[role];
	return wait_common_role(symbols_name(symbols, sym), symbols_module(symbols, sym),
				(enum symbol_space)symbols_get(symbols, sym)->space);
}

/* The role of a function, with the flags WAIT_FRAME_NEXT and WAIT_FRAME_STREAM. Cached. */
static unsigned int wait_flags_of(struct thread_roles *r, const struct symbols *symbols, sym_id sym)
{
	while (r->by_sym.len <= sym.v)
		*VEC_PUSH(&r->by_sym) = 0;
	if (!r->by_sym.data[sym.v]) {
		struct str name = wait_base_name(symbols_canonical(symbols, sym));

		r->by_sym.data[sym.v] =
			(uint16_t)((wait_role(symbols, sym) + 1u) |
				   (wait_role_has(WAIT_ROLE_NEXT, name) ? WAIT_FRAME_NEXT : 0) |
				   (wait_role_has(WAIT_ROLE_STREAM, name) ? WAIT_FRAME_STREAM : 0));
	}
	return r->by_sym.data[sym.v] - 1u;
}

static uint8_t wait_role_of(struct thread_roles *r, const struct symbols *symbols, sym_id sym)
{
	return (uint8_t)(wait_flags_of(r, symbols, sym) & WAIT_FRAME_ROLE);
}

bool thread_waits_is_own(const struct capture *c, sym_id sym)
{
	return wait_role(capture_symbols(c), sym) == WAIT_FRAME_PLACE;
}

bool thread_waits_is_allocator(const struct symbols *symbols, sym_id sym)
{
	return str_glob(STR("malloc|free|calloc|realloc|*libc_malloc|*libc_free|*libc_calloc|"
			    "*libc_realloc|_int_malloc|_int_free|_int_realloc|malloc_consolidate|"
			    "sysmalloc|tcache_*|operator new*|operator delete*|je_*|tc_malloc*|"
			    "tc_free*|mi_malloc*|mi_free*|arena_get*"),
			symbols_canonical(symbols, sym));
}

/* The kind of wait by the state that a runtime prints, such as "chan receive" of Go. */
static enum thread_wait wait_of_state(struct str state)
{
	static const struct {
		const char *pattern;
		enum thread_wait kind;
	} states[] = {
		{ "chan send*", THREAD_WAIT_SEND },
		{ "chan receive*", THREAD_WAIT_RECEIVE },
		{ "select*", THREAD_WAIT_SELECT },
		{ "IO wait*", THREAD_WAIT_SOCKET },
		{ "semacquire*|sync.Mutex.Lock*|sync.RWMutex*", THREAD_WAIT_LOCK },
		{ "sync.Cond*", THREAD_WAIT_EVENT },
		{ "sync.WaitGroup*", THREAD_WAIT_JOIN },
		{ "sleep*", THREAD_WAIT_SLEEP },
		{ "GC *|finalizer wait*|force gc*", THREAD_WAIT_IDLE },
		{ "BLOCKED*|waiting for monitor entry*", THREAD_WAIT_LOCK },
		{ "idle*", THREAD_WAIT_SYSCALL },
		{ "syscall*", THREAD_WAIT_SYSCALL },
	};

	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		if (str_glob(str_of(states[i].pattern), state))
			return states[i].kind;
	}
	return THREAD_WAIT_NONE;
}

/*
 * The kind of wait that the name of the waiting function suggests: a lock for "queue_lock", an
 * event for "extent_wait". Used if other frames show no kind of wait, or only an event. Not used
 * for running threads, because these may be at any point of such a function.
 */
static uint8_t wait_of_words(const struct symbols *symbols, sym_id sym)
{
	struct str name = wait_base_name(symbols_canonical(symbols, sym));

	if (wait_role_has(WAIT_ROLE_NAMED_LOCK, name))
		return THREAD_WAIT_LOCK;
	if (wait_role_has(WAIT_ROLE_NAMED_EVENT, name))
		return THREAD_WAIT_EVENT;
	if (str_glob(STR("*_wait|*_wait_range|*_wait_common|*_wait_for_*|wait_for_*|*_wait_on_*|"
			 "wait_on_*|*::wait|*::Wait|*::waitFor*|*::WaitFor*"),
		     name))
		return THREAD_WAIT_EVENT;
	if (str_glob(STR("*_lock|*_qlock|*_lock_sh|*_lock_ex|*_rdlock|*_wrlock"), name))
		return THREAD_WAIT_LOCK;
	return THREAD_WAIT_NONE;
}

/*
 * Combine the kinds of wait of a function and one of its callers. The result is @outer, except in
 * these cases, in which it is @inner:
 * - @inner is a lock or the disk, and @outer is an event, which is less exact;
 * - @inner is a lock, and @outer is a call that reads, writes, connects or polls;
 * - @outer is THREAD_WAIT_KINDS, which is no kind.
 */
static uint8_t wait_join(uint8_t inner, uint8_t outer)
{
	bool is_inner = (inner == THREAD_WAIT_LOCK || inner == THREAD_WAIT_DISK) &&
			outer == THREAD_WAIT_EVENT;

	/*
	 * the thread still waits for a lock, so it has not yet entered the call that reads or
	 * writes
	 */
	is_inner |= inner == THREAD_WAIT_LOCK &&
		    (outer == THREAD_WAIT_READ || outer == THREAD_WAIT_SOCKET ||
		     outer == THREAD_WAIT_CONNECT || outer == THREAD_WAIT_POLL ||
		     outer == THREAD_WAIT_RANDOM);
	return is_inner || outer == THREAD_WAIT_KINDS ? inner : outer;
}

/*
 * Whether @frame is a native method of Java that may block. Native methods of the JDK's own
 * packages only compute.
 */
static bool wait_may_block(const struct symbols *symbols, const struct thread_frame *frame)
{
	return frame->is_native && !str_glob(STR("java.lang.*|java.util.*|jdk.internal.*"),
					     symbols_canonical(symbols, frame->sym));
}

/*
 * Functions that are the outermost frames of all kernel stacks, and so show no wait. Source: Linux,
 * entry code of arch/x86 and arch/arm64.
 */
static const char wait_kernel_entry[] =
	"entry_SYSCALL*|entry_INT80*|do_syscall*|x64_sys_call|*x64_sys_*|*ia32_sys_*|*arm64_sys_*|"
	"*se_sys_*|invoke_syscall*|el0*|do_el0*|ret_from_fork*|syscall_exit_to_user*|"
	"do_fast_syscall*";

/* The frames of one thread, innermost first. */
struct wait_stack {
	const struct symbols *symbols;
	const struct thread_frame *frames;
	uint32_t n;
};

static struct wait_stack wait_stack_of(const struct capture *c, const struct thread_row *row)
{
	return (struct wait_stack){ capture_symbols(c), threads_frames(c->threads, row),
				    row->n_frames };
}

static void wait_of_frames(struct thread_roles *roles, const struct wait_stack *s,
			   struct thread_seen *ret)
{
	const struct thread_frame *frames = s->frames;
	const struct symbols *symbols = s->symbols;

	bool is_unknown = false;
	bool is_futex = false;
	bool is_semaphore = false;
	bool is_condition = false;

	*ret = (struct thread_seen){ .wants = INDEX_NONE, .place = s->n };
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t role = wait_role_of(roles, symbols, frames[i].sym);
		struct str name;

		if (role == WAIT_FRAME_START)
			break;
		/*
		 * an unknown native method: only its callers may show whether it blocks, and in
		 * what wait
		 */
		if (role == WAIT_FRAME_PLACE && i == 0 && wait_may_block(symbols, &frames[0])) {
			is_unknown = true;
			ret->entry = 0;
			continue;
		}
		name = symbols_canonical(symbols, frames[i].sym);
		/*
		 * a disk function that waits for a condition variable does no I/O itself: another
		 * thread does it. So the wait is not for the disk
		 */
		if (role == THREAD_WAIT_DISK && is_condition)
			role = WAIT_FRAME_PLACE;
		is_condition |= str_glob(STR("*pthread_cond_*|*condition_variable*"), name);
		if (role == WAIT_FRAME_PLACE) {
			ret->place = i;
			break;
		}
		if (!i || !str_glob(STR(wait_kernel_entry), name))
			ret->entry = i;
		is_futex |= str_glob(STR("*futex_wait*|do_futex|futex_do_wait"), name);
		/* a random generator of Java waits only while it reads; otherwise it computes */
		if (role == THREAD_WAIT_RANDOM && !ret->kind && str_glob(STR("sun.*|java.*"), name))
			role = WAIT_FRAME_PLUMBING;
		if (role == WAIT_FRAME_PLUMBING)
			continue;
		/*
		 * wait() and _wait() of Python's subprocess.Popen are part of the wait for a child
		 */
		if (ret->kind == THREAD_WAIT_CHILD && str_glob(STR("wait|_wait"), name))
			continue;
		ret->kind = ret->kind ? wait_join(ret->kind, role) : role;
		if (role == THREAD_WAIT_LOCK && frames[i].object && (!ret->lock || is_semaphore))
			ret->lock = frames[i].object;
		/*
		 * in Go and PostgreSQL, the object of a semaphore function is the semaphore, not
		 * the lock. The lock is the object of the function that calls it
		 */
		is_semaphore = str_glob(STR("*runtime_Semacquire*|PGSemaphoreLock"), name);
	}
	if (is_unknown && !ret->kind)
		ret->place = 0;
	/*
	 * all frames belong to a futex call of the kernel: the thread waits for a lock or condition
	 * that another thread must signal
	 */
	if (is_futex && !ret->kind && ret->place == s->n)
		ret->kind = THREAD_WAIT_EVENT;
	if (ret->kind != THREAD_WAIT_LOCK)
		ret->lock = 0;
}

/*
 * Whether the thread has no work because it waits for the next request or message of a connection.
 * Then its innermost function of the program, apart from streams and buffers, reads requests.
 */
static bool wait_is_for_next(struct thread_roles *roles, const struct capture *c,
			     const struct thread_row *row, const struct thread_seen *seen)
{
	const struct thread_frame *frames = threads_frames(c->threads, row);

	if (seen->kind != THREAD_WAIT_SOCKET && seen->kind != THREAD_WAIT_POLL &&
	    seen->kind != THREAD_WAIT_READ)
		return false;
	for (uint32_t i = 0; i < row->n_frames; i++) {
		unsigned int flags = wait_flags_of(roles, capture_symbols(c), frames[i].sym);

		if (flags & WAIT_FRAME_NEXT)
			return true;
		if ((flags & WAIT_FRAME_ROLE) == WAIT_FRAME_START ||
		    ((flags & WAIT_FRAME_ROLE) == WAIT_FRAME_PLACE && !(flags & WAIT_FRAME_STREAM)))
			return false;
	}
	return false;
}

/*
 * Set @ret to the wait of frame @at, whose kind is @role. The place, the function of the program
 * that waits, is the next frame outwards that does not belong to the wait.
 */
static void wait_at(struct thread_roles *roles, const struct wait_stack *s, uint32_t at,
		    uint8_t role, struct thread_seen *ret)
{
	const struct thread_frame *frames = s->frames;

	ret->kind = role;
	ret->lock = role == THREAD_WAIT_LOCK ? frames[at].object : 0;
	ret->entry = at;
	for (ret->place = at + 1; ret->place < s->n; ret->place++) {
		role = wait_role_of(roles, s->symbols, frames[ret->place].sym);
		if (role == WAIT_FRAME_PLACE || role == WAIT_FRAME_START)
			return;
		ret->entry = ret->place;
	}
}

/*
 * If the innermost frames are only "syscall" or a futex, examine their callers. A caller may be a
 * known wait ("QBasicMutex::lock"), or its name may show a wait ("nativeFutexWaitImpl").
 */
static void wait_of_syscall(struct thread_roles *roles, const struct wait_stack *s,
			    struct thread_seen *ret)
{
	const struct thread_frame *frames = s->frames;
	const struct symbols *symbols = s->symbols;
	bool is_named = false;

	if (ret->kind || ret->place == 0 || !s->n ||
	    !str_glob(STR("syscall|__syscall*|*futex*"), symbols_canonical(symbols, frames[0].sym)))
		return;
	for (uint32_t i = ret->place; i < s->n && i < ret->place + WAIT_SYSCALL_NAMES; i++) {
		uint8_t role = wait_role_of(roles, symbols, frames[i].sym);

		if (role && role < WAIT_FRAME_PLUMBING) {
			wait_at(roles, s, i, role, ret);
			return;
		}
		if (role == WAIT_FRAME_START)
			break;
		is_named |= str_glob(STR("*wait*|*Wait*|*futex*|*Futex*|*sleep*|*Sleep*|*park*|"
					 "*Park*|*poll*|*Poll*"),
				     wait_base_name(symbols_canonical(symbols, frames[i].sym)));
	}
	if (is_named)
		ret->kind = THREAD_WAIT_EVENT;
}

/*
 * If the dump of a JVM prints the lock for which the thread waits, store its address: the address
 * of a monitor, or of the lock object for which the thread is parked.
 */
static void wait_printed_lock(const struct capture *c, const struct thread_row *row,
			      struct thread_seen *ret)
{
	const struct thread_lock *locks = threads_locks(c->threads, row);

	for (uint32_t i = 0; i < row->n_locks; i++) {
		struct str type = strings_get(capture_strings(c), locks[i].type);
		bool is_lock = str_glob(STR("*ReentrantLock*|*ReentrantReadWriteLock*"), type);

		if (locks[i].kind == THREAD_LOCK_HELD)
			continue;
		if (locks[i].kind == THREAD_LOCK_WANTED || is_lock) {
			ret->kind = THREAD_WAIT_LOCK;
			ret->lock = locks[i].address;
		}
		return;
	}
}

/*
 * Find the wait of a database session: its state shows the kind of wait, its outermost frame is the
 * statement.
 */
static void wait_of_session(const struct capture *c, const struct thread_row *row,
			    struct thread_seen *ret)
{
	static const uint8_t kinds[] = {
		[THREAD_UNKNOWN] = THREAD_WAIT_NONE, [THREAD_RUNNING] = THREAD_WAIT_NONE,
		[THREAD_BLOCKED] = THREAD_WAIT_LOCK, [THREAD_WAITING] = THREAD_WAIT_IDLE,
		[THREAD_READY] = THREAD_WAIT_EVENT,  [THREAD_DISK] = THREAD_WAIT_DISK,
	};

	*ret = (struct thread_seen){ .wants = INDEX_NONE,
				     .place = row->n_frames ? row->n_frames - 1 : 0,
				     .kind = kinds[row->state] };
	wait_printed_lock(c, row, ret);
}

/*
 * Refine @kind, a sleep or a select over several channels, by the name of the function that waits.
 * Returns @kind if the name shows nothing.
 */
static uint8_t wait_by_place(struct str place, uint8_t kind)
{
	static const struct {
		uint8_t from;
		uint8_t to;
		const char *places;
	} named[] = {
		{ THREAD_WAIT_SELECT, THREAD_WAIT_FIFO, "*OpenFifo*|*OpenFIFO*|*openFifo*" },
		{ THREAD_WAIT_SLEEP, THREAD_WAIT_CONDITION,
		  "*WaitFor*|*waitFor*|*wait_for_*|*WaitUntil*|*waitUntil*|*wait_until*|"
		  "*PollUntil*|*pollUntil*|*poll_until*|*PollImmediate*" },
	};

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		if (named[i].from == kind && str_glob(str_of(named[i].places), place))
			return named[i].to;
	}
	return kind;
}

/*
 * Whether a thread that seems to wait for the disk really waits for the lock of a page or buffer.
 * The innermost function with WAIT_ROLE_WRITTEN or WAIT_ROLE_PAGE_LOCK decides, because a search
 * for a free page (a lock) may first write another page (disk).
 */
static bool wait_is_page_lock(const struct wait_stack *s, uint32_t place)
{
	for (uint32_t i = 0; i < s->n && i <= place; i++) {
		struct str name = symbols_canonical(s->symbols, s->frames[i].sym);

		if (wait_role_has(WAIT_ROLE_WRITTEN, name))
			return false;
		if (wait_role_has(WAIT_ROLE_PAGE_LOCK, name))
			return true;
	}
	return false;
}

bool thread_waits_is_helper(const struct symbols *symbols, sym_id sym)
{
	return symbols_get(symbols, sym)->space == SPACE_KERNEL &&
	       wait_role_has(WAIT_ROLE_HELPER, symbols_canonical(symbols, sym));
}

/*
 * If the place is a kernel function that waits on behalf of its callers (thread_waits_is_helper()),
 * change it. The new place is the first caller that is no such function. If the stack shows no such
 * caller, the place does not change.
 */
static void wait_past_helpers(struct thread_roles *roles, const struct wait_stack *s,
			      struct thread_seen *ret)
{
	uint32_t at = ret->place;

	if (ret->kind == THREAD_WAIT_NONE)
		return;
	while (at < s->n && thread_waits_is_helper(s->symbols, s->frames[at].sym))
		at++;
	if (at == ret->place || at == s->n ||
	    wait_role_of(roles, s->symbols, s->frames[at].sym) == WAIT_FRAME_START ||
	    str_glob(STR(wait_kernel_entry), symbols_canonical(s->symbols, s->frames[at].sym)))
		return;
	ret->place = at;
	ret->entry = at - 1;
}

void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret)
{
	struct str state = strings_get(capture_strings(c), row->state_text);
	enum thread_wait said = wait_of_state(state);
	struct wait_stack frames = wait_stack_of(c, row);

	if (c->threads->is_sessions) {
		wait_of_session(c, row, ret);
		return;
	}
	wait_of_frames(roles, &frames, ret);
	wait_of_syscall(roles, &frames, ret);
	if (wait_is_for_next(roles, c, row, ret))
		ret->kind = THREAD_WAIT_IDLE;
	/*
	 * use the state that Go prints if it is more exact than the frames. "select" is less exact
	 * than a wait for a socket, and "chan receive" less exact than a wait for a pool
	 */
	if (said &&
	    (ret->kind == THREAD_WAIT_NONE || said == THREAD_WAIT_SEND ||
	     said == THREAD_WAIT_RECEIVE ||
	     (said == THREAD_WAIT_SELECT && ret->kind != THREAD_WAIT_SOCKET)) &&
	    ret->kind != THREAD_WAIT_POOL)
		ret->kind = (uint8_t)said;
	if (ret->place < row->n_frames)
		ret->kind = wait_by_place(
			symbols_canonical(capture_symbols(c),
					  threads_frames(c->threads, row)[ret->place].sym),
			ret->kind);
	/* the only frame "runtime.goexit" means that a thread of Go's runtime has no work */
	if (ret->kind == THREAD_WAIT_SYSCALL && ret->place == row->n_frames)
		ret->kind = THREAD_WAIT_IDLE;
	wait_printed_lock(c, row, ret);
	/*
	 * a goroutine in the state "running" does not wait. (A "RUNNABLE" thread of a JVM may wait
	 * in a system call.) The goroutine that writes the dump has no other work, so it remains
	 * idle
	 */
	if (str_starts(state, STR("running")) && ret->kind != THREAD_WAIT_IDLE)
		ret->kind = THREAD_WAIT_NONE;
	if (row->state == THREAD_READY)
		ret->kind = THREAD_WAIT_CPU;
	if (row->n_frames == 0 && !row->has_no_top && ret->kind == THREAD_WAIT_NONE)
		ret->kind = THREAD_WAIT_IDLE;
	if (row->state != THREAD_RUNNING && ret->place < row->n_frames &&
	    (ret->kind == THREAD_WAIT_NONE || ret->kind == THREAD_WAIT_EVENT)) {
		uint8_t named = wait_of_words(capture_symbols(c),
					      threads_frames(c->threads, row)[ret->place].sym);

		/*
		 * "wait_for_response", called by a function that asks a server, waits for the
		 * network
		 */
		if (named == THREAD_WAIT_EVENT && ret->place + 1 < row->n_frames &&
		    wait_role_of(roles, capture_symbols(c),
				 threads_frames(c->threads, row)[ret->place + 1].sym) ==
			    THREAD_WAIT_SOCKET)
			named = THREAD_WAIT_SOCKET;
		if (ret->kind == THREAD_WAIT_NONE || named == THREAD_WAIT_LOCK)
			ret->kind = named;
	}
	if (ret->kind == THREAD_WAIT_DISK && wait_is_page_lock(&frames, ret->place))
		ret->kind = THREAD_WAIT_PAGE;
	wait_past_helpers(roles, &frames, ret);
	if (threads_is_checked(c->threads))
		ret->kind = THREAD_WAIT_NONE;
	/*
	 * the thread is printed as running. If only the name of its innermost function suggests a
	 * lock, this does not prove a wait
	 */
	if (row->state == THREAD_RUNNING && ret->kind == THREAD_WAIT_LOCK && ret->entry == 0 &&
	    !ret->lock)
		ret->kind = THREAD_WAIT_NONE;
}

/* Whether a thread may block in a call of @sym: a futex, a park, poll, sleep, a condition, read. */
static bool wait_is_call(const struct symbols *symbols, sym_id sym)
{
	struct str name = wait_base_name(symbols_canonical(symbols, sym));
	struct str plain = wait_libc_name(name);
	enum wait_role role = wait_role_find(name, WAIT_LINES_DUMP);

	if (!role && str_starts(name, STR("__")) && plain.len)
		role = wait_role_find(plain, WAIT_LINES_DUMP);
	return role == WAIT_ROLE_THROUGH || role == WAIT_ROLE_POLL || role == WAIT_ROLE_TIMER ||
	       role == WAIT_ROLE_SIGNAL || role == WAIT_ROLE_SOCKET || role == WAIT_ROLE_READ;
}

void thread_wait_of_sample(struct thread_roles *roles, const struct symbols *symbols,
			   const struct stacks *stacks, stack_id at, struct thread_seen *ret)
{
	struct thread_frame frames[WAIT_SAMPLE_FRAMES];
	struct wait_stack s = { .symbols = symbols, .frames = frames };

	*ret = (struct thread_seen){ .wants = INDEX_NONE };
	if (!at.v || !wait_is_call(symbols, stacks_sym(stacks, at)))
		return;
	for (; at.v && s.n < WAIT_SAMPLE_FRAMES; at = stacks_parent(stacks, at))
		frames[s.n++] = (struct thread_frame){ .sym = stacks_sym(stacks, at) };
	wait_of_frames(roles, &s, ret);
	wait_of_syscall(roles, &s, ret);
}

static const struct {
	const char *name;
	const char *object;
	/* state of a thread with this kind of wait, for text output; NULL: same as `name` */
	const char *state;
} wait_words[THREAD_WAIT_KINDS] = {
	[THREAD_WAIT_NONE] = { "none", "nothing" },
	[THREAD_WAIT_LOCK] = { "lock", "a lock", "lock wait" },
	[THREAD_WAIT_EVENT] = { "event", "a signal of another thread", "event wait" },
	[THREAD_WAIT_JOIN] = { "join", "the end of another thread", "join wait" },
	[THREAD_WAIT_CHILD] = { "child", "the end of a child process", "child wait" },
	[THREAD_WAIT_SLEEP] = { "sleep", "a fixed time (it sleeps)" },
	[THREAD_WAIT_POLL] = { "poll", "events of file descriptors", "poll wait" },
	[THREAD_WAIT_SOCKET] = { "socket", "the network", "socket wait" },
	[THREAD_WAIT_CONNECT] = { "connect", "a connection to be made", "connect wait" },
	[THREAD_WAIT_DNS] = { "dns", "a DNS answer", "dns wait" },
	[THREAD_WAIT_DISK] = { "disk", "the disk", "disk wait" },
	[THREAD_WAIT_READ] = { "read", "input or output of a file or pipe", "read wait" },
	[THREAD_WAIT_FILE_LOCK] = { "file-lock", "a file lock", "file-lock wait" },
	[THREAD_WAIT_SEND] = { "send", "a receiver of a channel" },
	[THREAD_WAIT_RECEIVE] = { "receive", "a sender of a channel" },
	[THREAD_WAIT_SELECT] = { "select", "one of several channels" },
	[THREAD_WAIT_POOL] = { "pool", "a permit or an object of a pool", "pool wait" },
	[THREAD_WAIT_GC] = { "gc", "the garbage collector", "gc wait" },
	[THREAD_WAIT_IDLE] = { "idle", "work" },
	[THREAD_WAIT_SYSCALL] = { "syscall", "the return of a system call" },
	[THREAD_WAIT_CPU] = { "cpu", "a CPU", "cpu wait" },
	[THREAD_WAIT_PUT] = { "put", "room in a full queue" },
	[THREAD_WAIT_FIFO] = { "fifo", "the other end of a named pipe", "open of a named pipe" },
	[THREAD_WAIT_CONDITION] = { "condition", "a condition, and sleeps between looks" },
	[THREAD_WAIT_PAGE] = { "page-lock", "the lock of a page or buffer", "page-lock wait" },
	[THREAD_WAIT_RANDOM] = { "random", "random numbers (entropy)", "random wait" },
};

const char *thread_wait_object(enum thread_wait kind)
{
	return (unsigned int)kind < THREAD_WAIT_KINDS ? wait_words[kind].object : "nothing";
}

const char *thread_wait_state(enum thread_wait kind)
{
	if ((unsigned int)kind < THREAD_WAIT_KINDS && wait_words[kind].state)
		return wait_words[kind].state;
	return thread_wait_name(kind);
}

const char *thread_wait_name(enum thread_wait kind)
{
	return (unsigned int)kind < THREAD_WAIT_KINDS ? wait_words[kind].name : "none";
}
