/* SPDX-License-Identifier: MIT */
#include "analyses/syscalls/syscalls.h"

#include "analyses/syscalls/call_answers.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SYSCALLS_OBJECTS_MAX (UINT32_C(1) << 20)
#define SYSCALLS_FD_MAX      65536u
/* maximum number of connects that are in progress (EINPROGRESS) at one time */
#define SYSCALLS_CONNECTING_MAX 64u
/*
 * calls after which a connect is no longer in progress: they ask for its result (SO_ERROR), or use
 * the connection
 */
#define SYSCALLS_CONNECT_ENDS "connect|getsockopt|close|send*|recv*|read*|write*"
/*
 * patterns for the start of a request, as strace prints it: HTTP (RFC 9110, 9), and simple queries
 * of PostgreSQL
 */
#define SYSCALLS_REQUESTS                                                                 \
	"GET *|HEAD *|POST *|PUT *|DELETE *|OPTIONS *|PATCH *|CONNECT *|PRI \\* HTTP/2*|" \
	"Q\\0\\0*"
/* minimum number of calls that repeat earlier calls; a shorter repetition may be chance */
#define SYSCALLS_CYCLE_RUN 12u

bool syscalls_is(const struct capture *c)
{
	struct str name;

	if (c->calls && c->calls->log_of != CALLS_OF_FUNCTIONS)
		return true;
	if (!c->metrics || c->metrics->columns.len < 4)
		return false;
	name = strings_get(capture_strings(c), c->metrics->name_column);
	return str_eq(name, STR("system call")) || str_eq(name, STR("library call"));
}

/* One thread's calls of one syscall_object. */
struct syscalls_user {
	uint32_t object; /* index in syscalls_summary.objects */
	uint32_t lane;
	bool has_got;  /* the thread's latest call of the object succeeded */
	bool is_empty; /* the thread is counted in syscall_object.empty_threads */
};

/* State of the pass over all calls of the log. */
struct syscalls_build {
	struct syscalls_summary *s;
	const struct capture *c;
	struct strings *strings;
	uint8_t *answers; /* result of call_answers_find() */
	struct idmap rows_map;
	struct idmap errors_map;
	struct idmap objects_map;
	struct idmap users_map; /* finds the index in `users` for an object and a thread (lane) */
	struct idmap paths_map; /* finds the index in `paths` for a descriptor of a thread (lane) */
	VEC(struct {
		uint64_t key;
		str_id path;
	})
	paths;
	VEC(struct syscalls_user) users;
	VEC(str_id) connecting; /* descriptors whose connect is in progress (EINPROGRESS) */
};

static struct syscall_row *syscalls_row_of(struct syscalls_build *b, sym_id sym,
					   enum syscall_kind kind, uint32_t line)
{
	struct idmap_probe p = idmap_first(&b->rows_map, hash_u64(sym.v, kind));
	struct syscall_row *row;

	while (idmap_next(&b->rows_map, &p)) {
		row = &b->s->rows.data[p.id];
		if (row->sym.v == sym.v && row->name_kind == kind)
			return row;
	}
	idmap_insert(&b->rows_map, &p, (uint32_t)b->s->rows.len);
	row = VEC_PUSH(&b->s->rows);
	*row = (struct syscall_row){
		.sym = sym,
		.kind = kind,
		.name_kind = kind,
		.time_ns = (double)NAN,
		.max_ns = (double)NAN,
		.line = line,
	};
	return row;
}

/*
 * The kind of a call, by its name alone: restart_syscall does not get the kind of the resumed call.
 */
static enum syscall_kind syscalls_kind(const struct syscalls_build *b, uint32_t call)
{
	const struct calls *c = b->c->calls;
	struct str name = symbols_name(capture_symbols(b->c), c->sym.data[call]);

	return c->args.len && str_glob(STR("fcntl|fcntl64"), name)
		       ? syscall_kind_of_call(name, strings_get(b->strings, c->args.data[call]),
					      b->s->is_library)
		       : syscall_kind_of(name, b->s->is_library);
}

/*
 * Count an error of a call of @row. @error: negative errno. @answer: number of the usual answer
 * (call_answers.h); 0: the error is a failure.
 */
static void syscalls_error(struct syscalls_build *b, struct syscall_row *row, int error,
			   uint32_t line, uint8_t answer)
{
	struct idmap_probe p =
		idmap_first(&b->errors_map,
			    hash_u64(row->sym.v, (uint64_t)row->name_kind << 32 | (uint32_t)error));
	struct syscall_error *e = NULL;

	while (!e && idmap_next(&b->errors_map, &p)) {
		e = &b->s->errors.data[p.id];
		if (e->sym.v != row->sym.v || e->kind != row->name_kind || e->error != error)
			e = NULL;
	}
	if (!e) {
		idmap_insert(&b->errors_map, &p, (uint32_t)b->s->errors.len);
		e = VEC_PUSH(&b->s->errors);
		*e = (struct syscall_error){
			.sym = row->sym, .kind = row->name_kind, .error = error, .line = line
		};
	}
	e->calls++;
	e->answers += answer != 0;
	e->answer = answer ? answer : e->answer;
	row->answers += answer != 0;
	b->s->answers += answer != 0;
}

/* Sum of two times. NAN is an unknown time; it counts as 0 if the other time is known. */
static double syscalls_plus(double sum, double v)
{
	return isnan(v) ? sum : isnan(sum) ? v : sum + v;
}

static struct syscall_object *syscalls_object(struct syscalls_build *b, sym_id sym, str_id name,
					      uint32_t line)
{
	struct idmap_probe p = idmap_first(&b->objects_map, hash_u64(sym.v, name.v));

	while (idmap_next(&b->objects_map, &p)) {
		struct syscall_object *o = &b->s->objects.data[p.id];

		if (o->sym.v == sym.v && o->name.v == name.v)
			return o;
	}
	if (b->s->objects.len >= SYSCALLS_OBJECTS_MAX)
		return NULL;
	idmap_insert(&b->objects_map, &p, (uint32_t)b->s->objects.len);
	*VEC_PUSH(&b->s->objects) = (struct syscall_object){
		.sym = sym, .name = name, .time_ns = (double)NAN, .line = line
	};
	return &b->s->objects.data[b->s->objects.len - 1];
}

/*
 * Update o->empty_threads with a call of the thread @lane on @o. A thread is counted once, at its
 * first call that finds nothing (EAGAIN) and does not directly follow a successful call on @o.
 * @error: negative errno of the call; 0: it succeeded.
 */
static void syscalls_empty(struct syscalls_build *b, struct syscall_object *o, uint32_t lane,
			   int error)
{
	uint32_t object = (uint32_t)(o - b->s->objects.data);
	struct idmap_probe p = idmap_first(&b->users_map, hash_u64(object, lane));
	struct syscalls_user *user = NULL;

	while (!user && idmap_next(&b->users_map, &p)) {
		if (b->users.data[p.id].object == object && b->users.data[p.id].lane == lane)
			user = &b->users.data[p.id];
	}
	if (!user && b->users.len >= SYSCALLS_OBJECTS_MAX)
		return;
	if (!user) {
		idmap_insert(&b->users_map, &p, (uint32_t)b->users.len);
		user = VEC_PUSH(&b->users);
		*user = (struct syscalls_user){ .object = object, .lane = lane };
	}
	if (error == -EAGAIN && !user->has_got && !user->is_empty) {
		user->is_empty = true;
		o->empty_threads++;
	}
	user->has_got = error == 0;
}

/*
 * The stored name of descriptor @fd of thread @lane: "/etc/hosts", "client on fd 5". If there is
 * none: NULL, or with @is_new a new entry for the caller to fill in.
 */
static str_id *syscalls_path(struct syscalls_build *b, uint32_t lane, uint64_t fd, bool is_new)
{
	uint64_t key = (uint64_t)lane << 32 | fd;
	struct idmap_probe p = idmap_first(&b->paths_map, hash_u64(key, 2));

	while (idmap_next(&b->paths_map, &p)) {
		if (b->paths.data[p.id].key == key)
			return &b->paths.data[p.id].path;
	}
	if (!is_new || b->paths.len >= SYSCALLS_OBJECTS_MAX)
		return NULL;
	idmap_insert(&b->paths_map, &p, (uint32_t)b->paths.len);
	(void)VEC_PUSH(&b->paths);
	b->paths.data[b->paths.len - 1].key = key;
	return &b->paths.data[b->paths.len - 1].path;
}

struct str syscall_args_quoted(struct str args)
{
	size_t from = str_find_char(args, '"');
	struct str rest = str_skip(args, from + 1);

	return from == args.len ? STR_NONE : str_sub(rest, 0, str_find_char(rest, '"'));
}

/*
 * Parse the first argument, a descriptor: "3", "3</etc/hosts>", "fd: 3". False: it is no
 * descriptor.
 */
static bool syscalls_descriptor(struct str args, uint64_t *ret_fd, struct str *ret_path)
{
	size_t depth = 1;
	size_t n = 0;

	args = str_ltrim(args);
	(void)(str_take(&args, STR("fd: ")) || str_take(&args, STR("epfd: ")));
	if (!str_u64(&args, ret_fd) || *ret_fd >= SYSCALLS_FD_MAX)
		return false;
	*ret_path = STR_NONE;
	if (str_take(&args, STR("<"))) {
		for (; n < args.len && depth; n++) {
			depth += args.p[n] == '<';
			depth -= args.p[n] == '>' && (n == 0 || args.p[n - 1] != '-');
		}
		*ret_path = str_sub(args, 0, depth ? n : n - 1);
	} else if (args.len && args.p[0] != ',' && args.p[0] != ' ') {
		return false;
	}
	return true;
}

/*
 * Parse the descriptor for which a call of select() or poll() waits: "4, [3], NULL" or "[{fd=3,
 * events=POLLIN}], 1". False: the call waits for no descriptor, or for several.
 */
static bool syscalls_polled(struct str name, struct str args, uint64_t *ret_fd,
			    struct str *ret_path)
{
	bool is_poll = str_glob(STR("poll|ppoll*"), name);
	struct str mark = is_poll ? STR("{fd=") : STR("[");
	unsigned int n = 0;

	for (size_t at; (at = str_find(args, mark)) < args.len;) {
		args = str_skip(args, at + mark.len);
		if (!str_u64(&args, ret_fd) || *ret_fd >= SYSCALLS_FD_MAX || ++n > 1)
			return false;
		*ret_path = STR_NONE;
		if (str_take(&args, STR("<"))) {
			size_t end = str_find(args, is_poll ? STR(">,") : STR(">]"));

			*ret_path = str_sub(args, 0, end);
			args = str_skip(args, end + 1);
		}
		if (!is_poll && !str_starts(args, STR("]")))
			return false;
	}
	return n == 1;
}

static bool syscalls_kind_has_descriptor(enum syscall_kind kind)
{
	switch (kind) {
	case SYSCALL_KIND_IO:
	case SYSCALL_KIND_SEEK:
	case SYSCALL_KIND_SYNC:
	case SYSCALL_KIND_DIRECTORY:
	case SYSCALL_KIND_NETWORK:
	case SYSCALL_KIND_SOCKET:
	case SYSCALL_KIND_DESCRIPTOR:
	case SYSCALL_KIND_DEVICE:
	case SYSCALL_KIND_POLL:
	case SYSCALL_KIND_REGISTER:
	case SYSCALL_KIND_FILE_LOCK:
	case SYSCALL_KIND_OPEN:
	case SYSCALL_KIND_LOOKUP:
	case SYSCALL_KIND_SIZES:
		return true;
	default:
		return false;
	}
}

bool syscall_descriptor(struct str name, struct str args, uint64_t *ret_fd)
{
	enum syscall_kind kind = syscall_kind_of(name, false);
	struct str path;

	if (kind == SYSCALL_KIND_POLL && !str_starts(name, STR("epoll")))
		return syscalls_polled(name, args, ret_fd, &path);
	return syscalls_kind_has_descriptor(kind) && syscalls_descriptor(args, ret_fd, &path);
}

static bool syscalls_kind_has_path(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_LOOKUP || kind == SYSCALL_KIND_OPEN ||
	       kind == SYSCALL_KIND_NAMES || kind == SYSCALL_KIND_SIZES ||
	       kind == SYSCALL_KIND_LIB_FILE;
}

/*
 * Name the two descriptors that pipe() returns in its arguments "[3, 4]": "pipe of fd 3" and "pipe
 * of fd 4".
 */
static void syscalls_pipe(struct syscalls_build *b, const struct syscall_row *row, uint32_t call)
{
	const struct calls *c = b->c->calls;
	struct str args = strings_get(b->strings, c->args.data[call]);

	if (!str_glob(STR("pipe|pipe2"), symbols_name(capture_symbols(b->c), row->sym)) ||
	    !str_take(&args, STR("[")))
		return;
	for (unsigned int i = 0; i < 2; i++) {
		struct out out = { .fd = -1 };
		str_id *known;
		uint64_t fd;

		args = str_ltrim(args);
		if (!str_u64(&args, &fd) || fd >= SYSCALLS_FD_MAX)
			return;
		known = syscalls_path(b, c->lane.data[call], fd, /* is_new= */ true);
		out_printf(&out, "pipe of fd %llu", (unsigned long long)fd);
		if (known)
			*known = strings_add(b->strings, out_view(&out));
		out_fini(&out);
		if (!str_take(&args, STR(",")))
			return;
	}
}

/*
 * The size of the buffer of a read, which follows the data: 4096 in "read(3, "abc"..., 4096)". 0:
 * unknown.
 */
static uint64_t syscalls_room(struct str name, struct str args)
{
	size_t at = str_rfind_char(args, '"');
	uint64_t ret = 0;

	if (!str_glob(STR("read|recv|recvfrom|pread64"), name) || at == args.len)
		return 0;
	args = str_skip(args, at + 1);
	(void)str_take(&args, STR("..."));
	if (!str_take(&args, STR(",")))
		return 0;
	args = str_ltrim(args);
	return str_u64(&args, &ret) ? ret : 0;
}

/*
 * Compute syscall_row.messages. If most reads of a descriptor leave the buffer mostly empty, all
 * writes to it count as messages, too.
 */
static void syscalls_find_messages(struct syscalls_summary *s)
{
	struct idmap map = { 0 };
	VEC(uint32_t) roomy = VEC_INIT;

	VEC_FOREACH (o, &s->objects) {
		struct idmap_probe p = idmap_first(&map, hash_u64(o->name.v, 4));

		if (o->roomy * 2 <= o->calls)
			continue;
		idmap_insert(&map, &p, (uint32_t)roomy.len);
		*VEC_PUSH(&roomy) = o->name.v;
	}
	VEC_FOREACH (o, &s->objects) {
		struct idmap_probe p = idmap_first(&map, hash_u64(o->name.v, 4));
		bool is_roomy = false;

		while (idmap_next(&map, &p))
			is_roomy |= roomy.data[p.id] == o->name.v;
		if (!is_roomy && o->roomy == 0)
			continue;
		VEC_FOREACH (row, &s->rows) {
			if (row->sym.v == o->sym.v)
				row->messages += is_roomy && o->roomy == 0 ? o->calls : o->roomy;
		}
	}
	VEC_FREE(&roomy);
	idmap_fini(&map);
}

/* The path or descriptor in the arguments of a call: "/etc/hosts" or "fd 5". STR_ID_NONE: none. */
static str_id syscalls_about(struct syscalls_build *b, const struct syscall_row *row, uint32_t call)
{
	const struct calls *c = b->c->calls;
	struct str args = strings_get(b->strings, c->args.data[call]);
	struct str name = symbols_name(capture_symbols(b->c), row->sym);
	struct str path;
	struct out out = { .fd = -1 };
	uint64_t fd;
	str_id *known;
	str_id id;

	if (syscalls_kind_has_path(row->kind)) {
		path = syscall_args_quoted(args);
		if (path.len) {
			id = strings_add(b->strings, path);
			if (row->kind == SYSCALL_KIND_OPEN && c->retval.len &&
			    c->retval_kind.data[call] && c->retval.data[call] < SYSCALLS_FD_MAX) {
				known = syscalls_path(b, c->lane.data[call], c->retval.data[call],
						      /* is_new= */ true);
				if (known)
					*known = id;
			}
			return id;
		}
	}
	if (str_starts(args, STR("<..."))) /* a restarted call has unknown arguments */
		return STR_ID_NONE;
	if (row->kind == SYSCALL_KIND_FUTEX)
		return strings_add(b->strings, str_sub(args, 0, str_find_char(args, ',')));
	if (row->kind == SYSCALL_KIND_POLL &&
			    str_glob(STR("select|_newselect|pselect*|poll|ppoll*"), name)
		    ? !syscalls_polled(name, args, &fd, &path)
		    : !syscalls_kind_has_descriptor(row->kind) ||
			      !syscalls_descriptor(args, &fd, &path))
		return STR_ID_NONE;
	if (path.len)
		return strings_add(b->strings, path);
	known = syscalls_path(b, c->lane.data[call], fd, /* is_new= */ false);
	if (known && known->v) {
		id = *known;
		if (str_eq(name, STR("close")))
			*known = STR_ID_NONE;
		return id;
	}
	out_printf(&out, "fd %llu", (unsigned long long)fd);
	id = strings_add(b->strings, out_view(&out));
	out_fini(&out);
	return id;
}

static bool syscalls_failed(const struct calls *c, uint32_t call, int *ret_error)
{
	*ret_error = syscalls_call_error(c, call);
	return *ret_error != 0;
}

bool syscalls_has_no_start(const struct syscalls_summary *s, const struct capture *c)
{
	/* only strace -c without -w measures CPU time */
	return !s->is_log && !s->is_library && s->clock == SYSCALL_CPU_TIME &&
	       s->rows.len <= SYSCALLS_FEW_KINDS && !syscalls_row(s, c, "execve*");
}

int syscalls_call_error(const struct calls *c, uint32_t call)
{
	int64_t v;

	/* only system calls report all errors in the same way, as a negative return value */
	if (c->log_of != CALLS_OF_SYSTEM || c->retval.len <= call ||
	    c->retval_kind.data[call] != RETVAL_DECIMAL)
		return 0;
	v = (int64_t)c->retval.data[call];
	return v >= 0 || v < -4095 ? 0 : (int)v;
}

bool syscall_poll_timeout_ms(struct str name, struct str args, uint64_t *ret)
{
	struct str last;
	size_t at;

	if (!str_glob(STR("poll|epoll_wait|epoll_pwait"), name))
		return false;
	/* in epoll_pwait(), the timeout precedes the arguments "sigmask, size" */
	for (int i = 0; i < 2 && str_eq(name, STR("epoll_pwait")); i++)
		args = str_sub(args, 0, str_rfind_char(args, ','));
	at = str_rfind_char(args, ',');
	last = str_trim(str_skip(args, at == args.len ? 0 : at + 1));
	(void)(str_take(&last, STR("timeout: ")) || str_take(&last, STR("timeout_msecs: ")));
	return str_u64(&last, ret) && last.len == 0;
}

/*
 * Parse "tv_sec=1, tv_nsec=5}" or "1, 5}". @unit: number of ns in one unit of the second number: 1
 * for tv_nsec, 1000 for tv_usec.
 */
static bool syscalls_timespec(struct str s, const char *name, uint64_t unit, uint64_t *ret)
{
	uint64_t sec, part;

	(void)str_take(&s, STR("tv_sec="));
	if (!str_u64(&s, &sec) || sec > UINT32_MAX || !str_take(&s, STR(", ")))
		return false;
	(void)str_take(&s, str_of(name));
	if (!str_u64(&s, &part) || part >= 1000000000 / unit || !str_take(&s, STR("}")))
		return false;
	*ret = sec * 1000000000 + part * unit;
	return true;
}

bool syscall_sleep_ns(struct str name, struct str args, uint64_t *ret)
{
	bool is_select = str_glob(STR("select|_newselect"), name);
	struct str spec = str_skip(args, str_find_char(args, '{') + 1);

	/* the sleep is the first structure of nanosleep(); the second one is the remaining time */
	if (is_select)
		return str_starts(args, STR("0, NULL, NULL, NULL, {")) &&
		       syscalls_timespec(spec, "tv_usec=", 1000, ret);
	return str_glob(STR("nanosleep|clock_nanosleep*"), name) &&
	       !str_contains(args, STR("TIMER_ABSTIME")) &&
	       syscalls_timespec(spec, "tv_nsec=", 1, ret);
}

bool syscall_poll_is_zero(struct str name, struct str args)
{
	uint64_t ms;

	if (str_glob(STR("select|_newselect|pselect*|ppoll*|epoll_pwait2"), name))
		return str_contains(args, STR("{tv_sec=0, tv_usec=0}")) ||
		       str_contains(args, STR("{tv_sec=0, tv_nsec=0}")) ||
		       str_ends(args, STR("{0, 0}"));
	return syscall_poll_timeout_ms(name, args, &ms) && ms == 0;
}

/* Whether a connect of the descriptor @about returned EINPROGRESS and is still in progress. */
static bool syscalls_is_connecting(const struct syscalls_build *b, str_id about)
{
	VEC_FOREACH (id, &b->connecting) {
		if (about.v && id->v == about.v)
			return true;
	}
	return false;
}

/*
 * Update b->connecting with a call on the descriptor @about: a connect is now in progress, or no
 * longer.
 */
static void syscalls_connecting(struct syscalls_build *b, uint32_t call, str_id about, int error)
{
	const struct calls *c = b->c->calls;
	struct str name = symbols_name(capture_symbols(b->c), c->sym.data[call]);

	if (str_eq(name, STR("connect")) && (error == -EINPROGRESS || error == -EALREADY)) {
		if (about.v && !syscalls_is_connecting(b, about) &&
		    b->connecting.len < SYSCALLS_CONNECTING_MAX)
			*VEC_PUSH(&b->connecting) = about;
		return;
	}
	for (size_t i = 0; i < b->connecting.len; i++) {
		bool is_poll = syscall_kind_of(name, false) == SYSCALL_KIND_POLL;
		bool is_event = c->retval.len && c->retval_kind.data[call] && c->retval.data[call];

		if (b->connecting.data[i].v != about.v ||
		    !(is_poll ? is_event : str_glob(STR(SYSCALLS_CONNECT_ENDS), name)))
			continue;
		b->connecting.data[i] = b->connecting.data[--b->connecting.len];
		return;
	}
}

/* Count a poll. @about: the descriptor for which it waits, if there is only one. */
static void syscalls_poll(struct syscalls_build *b, const struct syscall_row *row, uint32_t call,
			  bool follows_poll, str_id about)
{
	const struct calls *c = b->c->calls;
	struct str args = strings_get(b->strings, c->args.data[call]);
	struct str name = symbols_name(capture_symbols(b->c), row->sym);
	bool has_result = c->retval.len && c->retval_kind.data[call] == RETVAL_DECIMAL;
	uint64_t ms;

	if (row->kind != SYSCALL_KIND_POLL)
		return;
	if (has_result && (int64_t)c->retval.data[call] > 0)
		b->s->polls_found++;
	if (has_result && c->retval.data[call] == 0 && syscall_poll_timeout_ms(name, args, &ms) &&
	    ms > 0 && ms <= UINT32_MAX) {
		b->s->polls_ended++;
		b->s->polls_ended_ms += ms;
	}
	if (!syscall_poll_is_zero(name, args))
		return;
	b->s->polls_connecting += syscalls_is_connecting(b, about);
	if (b->s->polls_zero++ == 0) {
		b->s->polls_line = c->line.data[call];
		b->s->polls_sym = row->sym;
	}
	b->s->polls_empty += c->retval.len && c->retval_kind.data[call] && !c->retval.data[call];
	b->s->polls_twice += follows_poll;
}

/*
 * For a row of restart_syscall, set `kind` to the kind of the resumed calls. It is
 * SYSCALL_KIND_OTHER if they have different kinds.
 */
static void syscalls_restarted(struct syscalls_build *b, struct syscall_row *row, uint32_t call)
{
	struct str name = symbols_name(capture_symbols(b->c), row->sym);
	enum syscall_kind kind;

	if (!b->c->calls->args.len || !str_eq(name, STR("restart_syscall")))
		return;
	kind = syscall_kind_of_call(name, strings_get(b->strings, b->c->calls->args.data[call]),
				    b->s->is_library);
	row->kind = row->calls == 0 || row->kind == kind ? kind : SYSCALL_KIND_OTHER;
}

double syscalls_row_ns(const struct syscall_row *row)
{
	return isnan(row->time_ns) ? 0 : row->time_ns;
}

bool syscalls_is_stream(struct str object)
{
	return str_glob(STR("fd *|pipe*|client on fd *|socket:*|TCP*|UDP*|UNIX*|unix:*"), object);
}

/*
 * Whether a read returns a request of a client: its descriptor comes from accept(), or its data
 * begins like a request ("GET /").
 */
static bool syscalls_is_request(const struct syscalls_build *b, const struct syscall_row *row,
				uint32_t call, struct str object)
{
	struct str data =
		syscall_args_quoted(strings_get(b->strings, b->c->calls->args.data[call]));

	return str_glob(STR("read|readv|recv|recvfrom|recvmsg"),
			symbols_name(capture_symbols(b->c), row->sym)) &&
	       syscalls_is_stream(object) &&
	       (str_starts(object, STR("client on fd ")) || str_glob(STR(SYSCALLS_REQUESTS), data));
}

/* Name the descriptor that accept() returns: "client on fd 5". */
static void syscalls_accepted(struct syscalls_build *b, const struct syscall_row *row,
			      uint32_t call)
{
	const struct calls *c = b->c->calls;
	struct out out = { .fd = -1 };
	str_id *known;

	if (!str_glob(STR("accept|accept4"), symbols_name(capture_symbols(b->c), row->sym)) ||
	    !c->retval.len || !c->retval_kind.data[call] || c->retval.data[call] >= SYSCALLS_FD_MAX)
		return;
	known = syscalls_path(b, c->lane.data[call], c->retval.data[call], /* is_new= */ true);
	out_printf(&out, "client on fd %llu", (unsigned long long)c->retval.data[call]);
	if (known)
		*known = strings_add(b->strings, out_view(&out));
	out_fini(&out);
}

/*
 * Whether a read of @bytes bytes leaves its buffer mostly empty: at least 3/4 of it. Only buffers
 * of SYSCALLS_ROOM bytes or more count.
 */
static bool syscalls_is_roomy(struct syscalls_build *b, const struct syscall_row *row,
			      uint32_t call, uint64_t bytes)
{
	uint64_t room = syscalls_room(symbols_name(capture_symbols(b->c), row->sym),
				      strings_get(b->strings, b->c->calls->args.data[call]));

	return room >= SYSCALLS_ROOM && bytes <= room / 4;
}

/*
 * Add a call to all tables. @before: kind of the previous call of its thread. Returns the kind of
 * this call, and its path or descriptor in *@ret_about. These kinds depend on the call's name
 * alone: restart_syscall does not have the kind of the resumed call.
 */
static enum syscall_kind syscalls_call(struct syscalls_build *b, uint32_t call,
				       enum syscall_kind before, str_id *ret_about)
{
	const struct calls *c = b->c->calls;
	struct syscall_row *row =
		syscalls_row_of(b, c->sym.data[call], syscalls_kind(b, call), c->line.data[call]);
	double ns = calls_is_timed(c, call) ? (double)calls_duration(c, call) : (double)NAN;
	struct syscall_object *o = NULL;
	int error;
	bool failed = syscalls_failed(c, call, &error);
	bool is_io = row->kind == SYSCALL_KIND_IO || row->kind == SYSCALL_KIND_NETWORK;
	str_id about = c->args.len ? syscalls_about(b, row, call) : STR_ID_NONE;
	uint64_t bytes = 0;

	*ret_about = about;
	syscalls_restarted(b, row, call);
	if (c->args.len) {
		syscalls_pipe(b, row, call);
		syscalls_accepted(b, row, call);
	}
	row->calls++;
	row->errors += failed;
	row->time_ns = syscalls_plus(row->time_ns, ns);
	if (ns > row->max_ns || isnan(row->max_ns)) {
		row->max_ns = ns;
		row->max_line = isnan(ns) ? 0 : c->line.data[call];
	}
	if (is_io && !failed && c->retval.len && c->retval_kind.data[call]) {
		bytes = c->retval.data[call];
		row->io_calls++;
		row->io_bytes += bytes;
	}
	if (about.v)
		o = syscalls_object(b, row->sym, about, c->line.data[call]);
	if (o) {
		o->calls++;
		o->errors += failed;
		o->time_ns = syscalls_plus(o->time_ns, ns);
		o->io_bytes += bytes;
		o->requests +=
			bytes && syscalls_is_request(b, row, call, strings_get(b->strings, about));
		o->roomy += bytes && syscalls_is_stream(strings_get(b->strings, about)) &&
			    syscalls_is_roomy(b, row, call, bytes);
		syscalls_empty(b, o, c->lane.data[call], error);
	}
	if (failed)
		syscalls_error(b, row, error, c->line.data[call],
			       b->answers ? b->answers[call] : 0);
	b->s->calls++;
	b->s->failed += failed;
	b->s->time_ns = syscalls_plus(b->s->time_ns, ns);
	syscalls_poll(b, row, call, before == SYSCALL_KIND_POLL, about);
	syscalls_connecting(b, call, about, error);
	return row->name_kind;
}

struct syscalls_lane {
	uint64_t first_ns, last_ns;
	bool has_time;
	enum syscall_kind kind; /* kind of the thread's latest call */
	uint32_t last;          /* index of the thread's latest call; INDEX_NONE: none */
	str_id about;           /* path or descriptor of the thread's latest call */
	/*
	 * run[p - 1]: number of the latest calls that repeat a sequence of p calls over and over,
	 * including its first occurrence; 0: the latest call repeats no such sequence
	 */
	uint32_t run[SYSCALLS_CYCLE_MAX];
	uint32_t run_line[SYSCALLS_CYCLE_MAX]; /* line of the first of these calls */
	/* symbols of the thread's latest calls; a ring buffer */
	uint32_t names[SYSCALLS_CYCLE_MAX];
	uint32_t lines[SYSCALLS_CYCLE_MAX];
	uint64_t n;
};

/*
 * Update the repetitions of a thread (lane) with its next call, @sym. s->cycle becomes the longest
 * repetition of all threads so far.
 */
static void syscalls_cycle(struct syscalls_build *b, struct syscalls_lane *l, uint32_t lane,
			   uint32_t sym, uint32_t line)
{
	struct syscall_cycle *best = &b->s->cycle;

	for (unsigned int p = 1; p <= SYSCALLS_CYCLE_MAX; p++) {
		bool is_same = l->n >= p && l->names[(l->n - p) % SYSCALLS_CYCLE_MAX] == sym;

		if (is_same && !l->run[p - 1])
			l->run_line[p - 1] = l->lines[(l->n - p) % SYSCALLS_CYCLE_MAX];
		l->run[p - 1] = !is_same ? 0 : l->run[p - 1] ? l->run[p - 1] + 1 : p + 1;
		/*
		 * calls that repeat with period p also repeat with the periods 2p, 3p, …: prefer a
		 * longer period only if it repeats for longer
		 */
		if (l->run[p - 1] >= SYSCALLS_CYCLE_RUN + p && l->run[p - 1] >= 4 * p &&
		    l->run[p - 1] > best->calls + (best->n && p > best->n ? best->n + p : 0)) {
			best->n = p;
			best->calls = l->run[p - 1];
			best->lane = lane;
			best->line = l->run_line[p - 1];
			/* in the order of the first round */
			for (unsigned int i = 0; i < p; i++)
				best->names[(best->calls - p + i) % p].v =
					i + 1 == p
						? sym
						: l->names[(l->n - p + 1 + i) % SYSCALLS_CYCLE_MAX];
		}
	}
	l->names[l->n % SYSCALLS_CYCLE_MAX] = sym;
	l->lines[l->n % SYSCALLS_CYCLE_MAX] = line;
	l->n++;
}

static void syscalls_lane_take(struct syscalls_build *b, struct syscalls_lane *l, uint32_t call)
{
	const struct calls *c = b->c->calls;
	uint32_t lane = c->lane.data[call];
	struct syscall_thread *t = &b->s->threads.data[lane];
	uint64_t start = c->start_ns.len ? c->start_ns.data[call] : UINT64_MAX;

	t->calls++;
	l->last = call;
	if (calls_is_timed(c, call))
		t->time_ns = syscalls_plus(t->time_ns, (double)calls_duration(c, call));
	if (start != UINT64_MAX) {
		uint64_t end = start + (calls_is_timed(c, call) ? calls_duration(c, call) : 0);

		if (!l->has_time || start < l->first_ns)
			l->first_ns = start;
		if (!l->has_time || end > l->last_ns)
			l->last_ns = end;
		l->has_time = true;
	}
	syscalls_cycle(b, l, lane, c->sym.data[call].v, c->line.data[call]);
}

/* Count the signals and find the most frequent one. Linux has at most 64 signals. */
static void syscalls_signals(struct syscalls_build *b)
{
	struct {
		str_id name;
		uint64_t n;
		uint32_t line;
	} seen[64];
	size_t n_seen = 0;

	VEC_FOREACH (m, &b->c->calls->marks) {
		size_t i = 0;

		if (m->kind != MARK_EVENT && m->kind != MARK_FAULT)
			continue;
		b->s->signals++;
		while (i < n_seen && seen[i].name.v != m->text.v)
			i++;
		if (i == ARRAY_LEN(seen))
			continue;
		if (i == n_seen) {
			seen[i].name = m->text;
			seen[i].n = 0;
			seen[n_seen++].line = m->line;
		}
		if (++seen[i].n > b->s->signal_calls) {
			b->s->signal = seen[i].name;
			b->s->signal_calls = seen[i].n;
			b->s->signal_line = seen[i].line;
		}
	}
}

static void syscalls_of_log(struct syscalls_build *b)
{
	const struct calls *c = b->c->calls;
	struct syscalls_lane *lanes = xcalloc(c->lanes.len, sizeof(*lanes));

	b->s->is_log = true;
	b->s->is_library = c->log_of == CALLS_OF_LIBRARIES;
	b->answers = call_answers_find(b->c);
	b->s->clock = c->has_durations ? SYSCALL_WALL_TIME : SYSCALL_NO_TIME;
	for (uint32_t i = 0; i < c->lanes.len; i++) {
		lanes[i].last = INDEX_NONE;
		*VEC_PUSH(&b->s->threads) = (struct syscall_thread){ .lane = i,
								     .time_ns = (double)NAN,
								     .open = INDEX_NONE };
	}
	for (uint32_t i = 0; i < c->n; i++) {
		struct syscalls_lane *l = &lanes[c->lane.data[i]];

		l->kind = syscalls_call(b, i, l->kind, &l->about);
		syscalls_lane_take(b, l, i);
	}
	for (uint32_t i = 0; i < c->lanes.len; i++) {
		b->s->threads.data[i].span_ns = lanes[i].last_ns - lanes[i].first_ns;
		if (lanes[i].last != INDEX_NONE &&
		    (c->state.data[lanes[i].last] & CALL_STATE_MASK) == CALL_OPEN) {
			b->s->threads.data[i].open = lanes[i].last;
			b->s->threads.data[i].about = lanes[i].about;
		}
	}
	syscalls_signals(b);
	free(b->answers);
	free(lanes);
}

static void syscalls_of_table(struct syscalls_build *b)
{
	const struct metrics *m = b->c->metrics;
	struct str clock = strings_get(b->strings, m->columns.data[2].name);
	bool has_time = false;

	b->s->is_library = str_eq(strings_get(b->strings, m->name_column), STR("library call"));
	for (size_t i = 0; i < m->n_rows; i++) {
		sym_id sym = m->names.data[i];
		struct syscall_row *row = syscalls_row_of(
			b, sym,
			syscall_kind_of(symbols_name(capture_symbols(b->c), sym), b->s->is_library),
			m->lines.data[i]);
		double calls = metrics_value(m, i, 0);
		double errors = metrics_value(m, i, 1);
		double ns = metrics_value(m, i, 2);
		double max = metrics_value(m, i, 3);

		calls = calls > 0 && calls < 1e18 ? calls : 0;
		errors = errors > 0 && errors <= calls ? errors : 0;
		row->calls += (uint64_t)calls;
		row->errors += (uint64_t)errors;
		row->time_ns = syscalls_plus(row->time_ns, ns);
		if (!(max <= row->max_ns))
			row->max_ns = max;
		b->s->calls += (uint64_t)calls;
		b->s->failed += (uint64_t)errors;
		b->s->time_ns = syscalls_plus(b->s->time_ns, ns);
		has_time |= ns > 0;
	}
	if (has_time)
		b->s->clock =
			str_eq(clock, STR("wall time")) ? SYSCALL_WALL_TIME : SYSCALL_CPU_TIME;
}

static int syscalls_by_time(const void *pa, const void *pb)
{
	const struct syscall_row *a = pa, *b = pb;
	double x = isnan(a->time_ns) ? 0 : a->time_ns;
	double y = isnan(b->time_ns) ? 0 : b->time_ns;

	return SORT_ORDER(y, x) ?: SORT_ORDER(b->calls, a->calls) ?: SORT_ORDER(a->line, b->line);
}

static int syscalls_by_errors(const void *pa, const void *pb)
{
	const struct syscall_error *a = pa, *b = pb;

	return SORT_ORDER(b->calls, a->calls) ?: SORT_ORDER(a->line, b->line);
}

static int syscalls_by_calls(const void *pa, const void *pb)
{
	const struct syscall_object *a = pa, *b = pb;

	return SORT_ORDER(b->calls, a->calls) ?: SORT_ORDER(a->line, b->line);
}

static int syscalls_by_thread(const void *pa, const void *pb)
{
	const struct syscall_thread *a = pa, *b = pb;

	return SORT_ORDER(b->calls, a->calls) ?: SORT_ORDER(a->lane, b->lane);
}

void syscalls_summary_init(struct syscalls_summary *s, const struct capture *c)
{
	struct syscalls_build b = { .s = s, .c = c, .strings = capture_strings(c) };

	*s = (struct syscalls_summary){ .time_ns = (double)NAN };
	if (c->calls)
		syscalls_of_log(&b);
	else
		syscalls_of_table(&b);
	syscalls_find_messages(s);
	VEC_SORT(&s->rows, syscalls_by_time);
	VEC_SORT(&s->errors, syscalls_by_errors);
	VEC_SORT(&s->objects, syscalls_by_calls);
	VEC_SORT(&s->threads, syscalls_by_thread);
	idmap_fini(&b.rows_map);
	idmap_fini(&b.errors_map);
	idmap_fini(&b.objects_map);
	idmap_fini(&b.users_map);
	idmap_fini(&b.paths_map);
	VEC_FREE(&b.paths);
	VEC_FREE(&b.users);
	VEC_FREE(&b.connecting);
}

void syscalls_summary_fini(struct syscalls_summary *s)
{
	VEC_FREE(&s->rows);
	VEC_FREE(&s->errors);
	VEC_FREE(&s->objects);
	VEC_FREE(&s->threads);
}

const struct syscall_row *syscalls_row(const struct syscalls_summary *s, const struct capture *c,
				       const char *pattern)
{
	VEC_FOREACH (row, &s->rows) {
		if (str_glob(str_of(pattern), symbols_name(capture_symbols(c), row->sym)))
			return row;
	}
	return NULL;
}
