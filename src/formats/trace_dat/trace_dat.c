/* SPDX-License-Identifier: MIT */
/*
 * trace_dat.c - recordings of trace-cmd (trace.dat, versions 6 and 7)
 *
 * A confined child process reads the file (trace_dat_child.c), because libtraceevent trusts its
 * input. The child sends records; this process checks each record. It builds calls from them with
 * the same functions as the reader of trace-cmd's text output.
 */
#include "formats/trace_dat/trace_dat_wire.h"

#include "base/alloc.h"
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
#include "formats/format.h"
#include "formats/ftrace/ftrace_pairs.h"
#include "formats/ftrace/function_graph_build.h"
#include "formats/ftrace/function_graph_line.h"

#include "base/rights/confined.h"

#include "config.h"
#if HAVE_TRACEEVENT
#include "formats/trace_dat/trace_dat_child.h"
#endif

DECLARE_FORMAT(trace_dat);

/* A fuzzer plays the role of the child process, so a fuzzing build needs no libtraceevent. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define TD_IS_READ 1
#else
#define TD_IS_READ HAVE_TRACEEVENT
#endif

#define TD_BUFFER_BYTES (512u << 10)
/* memory limit of the child process in bytes, in addition to the size of the file */
#define TD_MEMORY (UINT64_C(2) << 30)
/* time limit of the child process in s, plus 1 s per TD_SECOND_BYTES of the file */
#define TD_SECONDS      30u
#define TD_SECOND_BYTES (4u << 20)
#define TD_MAX_PIDS     (1u << 22)

#if TD_IS_READ

static const struct diag_kind td_diags[TD_COUNTS] = {
	[TD_BAD_PAGE] = { "trace-dat-bad-page", DIAG_DATALOSS,
			  "pages or chunks of the recording that are damaged" },
	[TD_BAD_RECORD] = { "trace-dat-bad-record", DIAG_DATALOSS,
			    "records that are cut or contradict their own size" },
	[TD_UNKNOWN_EVENT] = { "trace-dat-unknown-event", DIAG_DATALOSS,
			       "records of events that the file does not describe" },
	[TD_STACK] = { "trace-dat-stack", DIAG_INFO, "stack traces, not kept" },
	[TD_BAD_BUFFER] = { "trace-dat-bad-buffer", DIAG_DATALOSS,
			    "parts that lie outside of the file: it is cut", true },
};
/* A text that the child process sent (TD_STRING). Records refer to a text by its index + 1. */
struct td_name {
	str_id text;
	sym_id sym; /* symbol of the text; SYM_ID_NONE: not looked up yet */
};

struct td_reader {
	struct fg g;
	const struct region *in;
	struct dossier *dossier;
	size_t first_capture;
	VEC(struct td_name) names;
	struct idmap commands; /* pid -> index in `pids` and `pid_names` */
	VEC(uint32_t) pids;
	VEC(str_id) pid_names;
	VEC(struct capture_note) notes;
	uint64_t counts[TD_COUNTS];
	uint64_t n_received;
	bool is_begun;
	bool is_done;
	char failure[200];
};

static uint32_t td_find_pid(struct td_reader *r, uint32_t pid, bool insert)
{
	struct idmap_probe p = idmap_first(&r->commands, hash_u64(pid, 3));

	while (idmap_next(&r->commands, &p)) {
		if (r->pids.data[p.id] == pid)
			return p.id;
	}
	if (!insert || r->pids.len >= TD_MAX_PIDS)
		return INDEX_NONE;
	idmap_insert(&r->commands, &p, (uint32_t)r->pids.len);
	*VEC_PUSH(&r->pids) = pid;
	*VEC_PUSH(&r->pid_names) = STR_ID_NONE;
	return (uint32_t)r->pids.len - 1;
}

/*
 * Return the CPU on which @m was recorded, and set the task of @m as the current task of this CPU.
 * NULL: the CPU number is invalid.
 */
static struct fg_cpu *td_place(struct td_reader *r, const struct td_record *m)
{
	struct fg_cpu *cpu = fg_cpu_of(&r->g, m->cpu);
	uint32_t row;

	if (UNLIKELY(!cpu))
		return NULL;
	if (LIKELY(cpu->task && cpu->pid == m->pid && cpu->has_pid))
		return cpu;
	row = td_find_pid(r, m->pid, false);
	fg_run(&r->g, cpu, row == INDEX_NONE ? STR_ID_NONE : r->pid_names.data[row], m->pid);
	return cpu;
}

static sym_id td_symbol(struct td_reader *r, uint32_t name)
{
	struct td_name *n = &r->names.data[name - 1];

	if (UNLIKELY(n->sym.v == SYM_ID_NONE.v))
		n->sym = fg_symbol(&r->g, strings_get(&r->dossier->strings, n->text));
	return n->sym;
}

static void td_values(struct td_reader *r, uint32_t call, const struct td_record *m)
{
	struct calls *c = r->g.calls;

	if (m->flags & TD_HAS_DURATION)
		calls_set_duration(c, call, m->duration);
	if (UNLIKELY(m->flags & TD_HAS_RETVAL))
		calls_set_retval(c, call, m->value,
				 (int64_t)m->value < 0 && (int64_t)m->value >= -4095
					 ? RETVAL_DECIMAL
					 : RETVAL_HEX);
}

static void td_take_call(struct td_reader *r, const struct td_record *m)
{
	struct fg_cpu *cpu = td_place(r, m);
	uint32_t call;

	if (UNLIKELY(!cpu))
		return;
	call = fg_add(&r->g, cpu, td_symbol(r, m->name), m->depth,
		      m->type == TD_LEAF ? CALL_CLOSED | CALL_LEAF : CALL_OPEN);
	if (UNLIKELY(call == FG_NO_CALL))
		return;
	calls_set_start(r->g.calls, call, m->time);
	if (m->type == TD_LEAF)
		td_values(r, call, m);
	if (UNLIKELY(m->other))
		calls_set_args(r->g.calls, call, r->names.data[m->other - 1].text);
	if (UNLIKELY(m->third))
		calls_set_retaddr(r->g.calls, call, r->names.data[m->third - 1].text);
}

static void td_take_exit(struct td_reader *r, const struct td_record *m)
{
	struct fg_cpu *cpu = td_place(r, m);
	sym_id sym = td_symbol(r, m->name);
	struct fg_task *t;
	struct fg_tail tail = { .retval_kind = RETVAL_NONE };

	if (UNLIKELY(!cpu))
		return;
	t = cpu->task;
	if (LIKELY(t->n && t->open[t->n - 1].depth == m->depth &&
		   r->g.calls->sym.data[t->open[t->n - 1].call].v == sym.v)) {
		td_values(r, fg_pop(&r->g, cpu), m);
		return;
	}
	tail.name = symbols_name(&r->dossier->symbols, sym);
	if (m->flags & TD_HAS_RETVAL) {
		tail.retval = m->value;
		tail.retval_kind = (int64_t)m->value < 0 && (int64_t)m->value >= -4095
					   ? RETVAL_DECIMAL
					   : RETVAL_HEX;
	}
	fg_close(&r->g, cpu, m->depth, &tail, m->flags & TD_HAS_DURATION, m->duration, m->time);
}

/*
 * Add a call that the function tracer recorded. For each call, this tracer records the time of the
 * start and the calling function, but no end.
 */
static void td_take_function(struct td_reader *r, const struct td_record *m)
{
	struct fg_cpu *cpu = td_place(r, m);
	uint32_t call;

	if (!cpu)
		return;
	call = fg_add(&r->g, cpu, td_symbol(r, m->name), 0, CALL_CLOSED | CALL_LEAF);
	if (call == FG_NO_CALL)
		return;
	calls_set_start(r->g.calls, call, m->time);
	if (m->other)
		calls_set_retaddr(r->g.calls, call, r->names.data[m->other - 1].text);
}

static void td_take_other(struct td_reader *r, const struct td_record *m, struct str text)
{
	struct fg_line l = { .columns = FG_CPU | FG_TIME, .cpu = m->cpu, .time_ns = m->time };

	if (m->type == TD_EVENT && !td_place(r, m))
		return;
	l.kind = m->type == TD_EVENT ? FG_EVENT : FG_LOST;
	l.text = text;
	if (m->type == TD_LOST) {
		l.has_count = m->flags & TD_HAS_COUNT;
		l.count = l.has_count ? m->size : 0;
	}
	fg_apply(&r->g, &l);
}

static void td_end_capture(struct td_reader *r)
{
	struct capture *c = r->g.capture;

	if (!r->is_begun)
		return;
	r->is_begun = false;
	fg_end(&r->g, 0);
	ftrace_pairs(c);
	c->first_line = c->last_line = 0;
	if (!c->calls->n && !c->calls->marks.len) {
		dossier_drop_last(r->dossier);
		return;
	}
	VEC_FOREACH (note, &r->notes) {
		if (str_eq(strings_get(&r->dossier->strings, note->key), STR("command")))
			c->command = note->value;
		else
			*VEC_PUSH(&c->notes) = *note;
	}
}

static void td_begin_capture(struct td_reader *r, str_id name)
{
	td_end_capture(r);
	fg_begin(&r->g, 0);
	r->g.capture->format = "trace-dat";
	r->is_begun = true;
	if (name.v != STR_ID_NONE.v)
		capture_note(r->g.capture, STR("instance"), strings_get(&r->dossier->strings, name),
			     0);
}

/*
 * Whether @n refers to a text that was received before. 0 means that the record has no text; this
 * is valid only if @may_be_none is set.
 */
static bool td_is_name(const struct td_reader *r, uint32_t n, bool may_be_none)
{
	return n ? n <= r->names.len : may_be_none;
}

static bool td_is_sane(const struct td_reader *r, const struct td_record *m)
{
	if (m->type >= TD_TYPES || m->flags & ~TD_FLAGS || r->is_done)
		return false;
	switch (m->type) {
	case TD_STRING:
		return m->size <= TD_TEXT_BYTES && r->names.len < TD_MAX_STRINGS;
	case TD_EVENT:
		return m->size <= TD_TEXT_BYTES && r->is_begun;
	case TD_FAILED:
		return m->size <= TD_TEXT_BYTES;
	case TD_LOST:
		return r->is_begun;
	case TD_BUFFER:
	case TD_COMM:
		return td_is_name(r, m->name, false);
	case TD_NOTE:
		return td_is_name(r, m->name, false) && td_is_name(r, m->other, false);
	case TD_COUNT:
		return m->name < TD_COUNTS;
	case TD_ENTRY:
	case TD_LEAF:
	case TD_EXIT:
		return r->is_begun && td_is_name(r, m->name, false) &&
		       td_is_name(r, m->other, true) && td_is_name(r, m->third, true);
	case TD_FUNCTION:
		return r->is_begun && td_is_name(r, m->name, false) &&
		       td_is_name(r, m->other, true);
	default:
		return true;
	}
}

static bool td_has_text(const struct td_record *m)
{
	return m->type == TD_STRING || m->type == TD_EVENT || m->type == TD_FAILED;
}

static void td_take_string(struct td_reader *r, struct str text)
{
	*VEC_PUSH(&r->names) =
		(struct td_name){ text.len ? strings_add(&r->dossier->strings, text) : STR_ID_NONE,
				  SYM_ID_NONE };
}

static void td_take(struct td_reader *r, const struct td_record *m, struct str text)
{
	uint32_t row;

	switch (m->type) {
	case TD_STRING:
		td_take_string(r, text);
		break;
	case TD_BUFFER:
		td_begin_capture(r, r->names.data[m->name - 1].text);
		break;
	case TD_NOTE:
		*VEC_PUSH(&r->notes) =
			(struct capture_note){ .key = r->names.data[m->name - 1].text,
					       .value = r->names.data[m->other - 1].text };
		break;
	case TD_COMM:
		row = td_find_pid(r, m->pid, true);
		if (row != INDEX_NONE)
			r->pid_names.data[row] = r->names.data[m->name - 1].text;
		break;
	case TD_ENTRY:
	case TD_LEAF:
		td_take_call(r, m);
		break;
	case TD_EXIT:
		td_take_exit(r, m);
		break;
	case TD_FUNCTION:
		td_take_function(r, m);
		break;
	case TD_EVENT:
	case TD_LOST:
		td_take_other(r, m, text);
		break;
	case TD_COUNT:
		r->counts[m->name] += m->time;
		break;
	case TD_FAILED:
		text = str_sub(text, 0, sizeof(r->failure) - 1);
		memcpy(r->failure, text.p, text.len);
		r->failure[text.len] = '\0';
		r->is_done = true;
		break;
	default:
		r->is_done = true;
		break;
	}
}

/*
 * Process the complete records at the start of @bytes. Returns the number of bytes that they take.
 * @ret_ok: false for an invalid record.
 */
static size_t td_take_bytes(struct td_reader *r, struct str bytes, bool *ret_ok)
{
	size_t at = 0;

	*ret_ok = true;
	while (bytes.len - at >= TD_BYTES) {
		struct td_record m;
		struct str text = STR_NONE;
		size_t size = TD_BYTES;

		memcpy(&m, bytes.p + at, TD_BYTES);
		if (UNLIKELY(!td_is_sane(r, &m))) {
			*ret_ok = false;
			return at;
		}
		if (UNLIKELY(td_has_text(&m))) {
			size += td_padded(m.size);
			if (bytes.len - at < size)
				break;
			text = (struct str){ bytes.p + at + TD_BYTES, m.size };
		}
		td_take(r, &m, text);
		r->n_received++;
		at += size;
	}
	return at;
}

static void td_reader_init(struct td_reader *r, const struct region *in, struct dossier *d)
{
	memset(r, 0, sizeof(*r));
	r->in = in;
	r->dossier = d;
	r->first_capture = d->captures.len;
	fg_init(&r->g, in, d);
}

static void td_reader_fini(struct td_reader *r)
{
	fg_fini(&r->g);
	VEC_FREE(&r->names);
	VEC_FREE(&r->pids);
	VEC_FREE(&r->pid_names);
	VEC_FREE(&r->notes);
	idmap_fini(&r->commands);
}

/*
 * Finish the last capture. Then add the child's counts of unreadable items, which are valid for the
 * whole file, to the first capture.
 */
static void td_reader_end(struct td_reader *r)
{
	td_end_capture(r);
	if (r->dossier->captures.len == r->first_capture)
		return;
	for (size_t i = 0; i < TD_COUNTS; i++) {
		if (r->counts[i])
			diag_add(&r->dossier->captures.data[r->first_capture]->diag, &td_diags[i],
				 r->counts[i], 0);
	}
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

/* In a fuzzing build, the input consists of the records that a child process would send. */
static int td_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(td_reader_fini) struct td_reader r;
	bool ok;

	td_reader_init(&r, in, d);
	(void)td_take_bytes(&r, in->text, &ok);
	td_reader_end(&r);
	return d->captures.len > r.first_capture ? OK : fail(err, ERR_FORMAT, "empty");
}

#elif HAVE_TRACEEVENT

static const struct diag_kind td_no_end = {
	"trace-dat-no-end", DIAG_ERROR,
	"recordings of which only a first part could be read, because the rest is damaged"
};

/*
 * Process all records that the child process sends. Errors: those of confined_read(); ERR_FORMAT
 * for an invalid record.
 */
static int td_receive(struct td_reader *r, struct confined *child)
{
	CLEANUP(freep) char *buffer = xmalloc(TD_BUFFER_BYTES);
	size_t len = 0;
	bool ok;

	for (;;) {
		ssize_t n = confined_read(child, buffer + len, TD_BUFFER_BYTES - len);
		size_t used;

		if (n < 0)
			return (int)n;
		if (n == 0)
			return len ? ERR_FORMAT : OK;
		len += (size_t)n;
		used = td_take_bytes(r, (struct str){ buffer, len }, &ok);
		if (!ok)
			return ERR_FORMAT;
		len -= used;
		memmove(buffer, buffer + used, len);
	}
}

static int td_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(td_reader_fini) struct td_reader r;
	struct str bytes = in->text;
	struct confined_options options = {
		.in_fd = -1,
		.memory = TD_MEMORY,
		.seconds = TD_SECONDS + (unsigned int)(bytes.len / TD_SECOND_BYTES),
	};
	struct confined child;
	struct error why = { "" };
	int received;
	int status;

	td_reader_init(&r, in, d);
	status = confined_start(&child, &options, td_child_run, &bytes, err);
	if (status < 0)
		return status;
	received = td_receive(&r, &child);
	status = confined_finish(&child, received < 0, &why);
	td_reader_end(&r);
	if (r.failure[0])
		return fail(err, ERR_FORMAT, "%s", r.failure);
	if (received == OK && status == OK && r.is_done)
		return d->captures.len > r.first_capture
			       ? OK
			       : fail(err, ERR_FORMAT, "a trace.dat file without a record");
	if (d->captures.len == r.first_capture)
		return status < 0 ? fail(err, status, "%s", why.msg)
				  : fail(err, ERR_FORMAT, "it is damaged: no record could be read");
	diag_count(&d->captures.data[r.first_capture]->diag, &td_no_end, 0);
	return OK;
}

#endif

#endif /* TD_IS_READ */

static unsigned int td_probe(struct str head)
{
	return str_starts(head, STR("\x17\x08\x44tracing")) ? 100 : 0;
}

#if !TD_IS_READ
static bool td_find(struct str bytes, size_t from, struct extent *ret)
{
	if (from || !td_probe(bytes))
		return false;
	*ret = (struct extent){ 0, bytes.len, 100, "trace-dat",
				"a trace.dat file of trace-cmd: this build has no libtraceevent to "
				"read it; try trace-cmd report" };
	return true;
}
#endif

static const char *const td_extensions[] = { ".dat", NULL };

const struct format format_trace_dat = {
	.name = "trace-dat",
	.summary = "a recording of trace-cmd record (trace.dat, versions 6 and 7)",
	.kinds = KIND_CALLS,
	.is_binary = true,
	.extensions = td_extensions,
	.probe = td_probe,
#if TD_IS_READ
	.read = td_read,
#endif
#if !TD_IS_READ
	.find = td_find,
#endif
};
