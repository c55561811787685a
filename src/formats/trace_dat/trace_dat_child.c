/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_child.c - read a trace.dat and send its records to the parent process
 *
 * A buffer has one sequence of records for each CPU; this file merges them by time. It decodes
 * records of the function tracers itself, with the event formats in the file. libtraceevent prints
 * all other records.
 */
#include "formats/trace_dat/trace_dat_child.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "formats/trace_dat/trace_dat_cursor.h"
#include "formats/trace_dat/trace_dat_file.h"
#include "formats/trace_dat/trace_dat_wire.h"

#include "base/idmap.h"
#include "base/newfile.h"

#include <errno.h>
#include <stdio.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#define TD_OUT_BYTES (128u << 10)
#define TD_MAX_TYPES 65536u
/* number of slots in the cache `functions` and in `places`; a power of two */
#define TD_ADDRESSES 65536u
#define TD_MAX_ARGS  6u
#define TD_PID_MAX   (1u << 22)
#define TD_ERRNO_MAX 4095
#define TD_GONE      1 /* exit status if the parent process no longer reads */

enum td_kind {
	TD_KIND_UNKNOWN,
	TD_KIND_ENTRY,
	TD_KIND_EXIT,
	TD_KIND_FUNCTION,
	TD_KIND_STACK,
	TD_KIND_EVENT,
};

/*
 * Offset and size in bytes of a field of a record, as the event format in the file defines them.
 * Size 0: no such field.
 */
struct td_field {
	uint32_t offset;
	uint32_t size;
};

struct td_event {
	enum td_kind kind;
	struct tep_event *event;
	struct td_field pid;
	/*
	 * address of the called function. Its field in the event format is "func"; in the format of
	 * the function tracer, it is "ip".
	 */
	struct td_field func;
	struct td_field depth;
	/*
	 * return address of the call. Its field in the event format is "retaddr"; in the format of
	 * the function tracer, it is "parent_ip".
	 */
	struct td_field retaddr;
	struct td_field calltime;
	struct td_field rettime;
	struct td_field retval;
	/*
	 * values of the argument registers: the field starts at its offset, and ends at the end of
	 * the record
	 */
	struct td_field args;
};

struct td_address {
	uint64_t address;
	/*
	 * number of the text that was sent for the address (TD_STRING), from 1 on; 0: this slot of
	 * the cache is free
	 */
	uint32_t name;
};

struct td_child {
	struct td_file file;
	struct tep_handle *tep;
	int fd;
	uint32_t n_strings;
	uint64_t n_sent;
	struct td_event *events[TD_MAX_TYPES];
	struct td_address functions[TD_ADDRESSES];
	/* cache of return addresses; their texts are "name+0x…/0x…" */
	struct td_address places[TD_ADDRESSES];
	/* one bit per pid: the command of this task was already sent */
	uint8_t named[TD_PID_MAX / 8];
	uint64_t counts[TD_COUNTS];
	struct trace_seq seq;
	size_t out_len;
	char out[TD_OUT_BYTES + TD_TEXT_BYTES + 2 * TD_BYTES];
};

static void td_flush(struct td_child *t)
{
	if (!newfile_write(t->fd, t->out, t->out_len))
		_exit(TD_GONE);
	t->out_len = 0;
}

static inline void td_send(struct td_child *t, const struct td_record *r)
{
	memcpy(t->out + t->out_len, r, TD_BYTES);
	t->out_len += TD_BYTES;
	t->n_sent++;
	if (UNLIKELY(t->out_len >= TD_OUT_BYTES))
		td_flush(t);
}

/* Send the record @r, followed by the text @text. */
static void td_send_text(struct td_child *t, struct td_record r, struct str text)
{
	text = str_sub(text, 0, TD_TEXT_BYTES);
	r.size = (uint32_t)text.len;
	memcpy(t->out + t->out_len, &r, TD_BYTES);
	t->out_len += TD_BYTES;
	memset(t->out + t->out_len, 0, td_padded(text.len));
	memcpy(t->out + t->out_len, text.p, text.len);
	t->out_len += td_padded(text.len);
	t->n_sent++;
	if (t->out_len >= TD_OUT_BYTES)
		td_flush(t);
}

static uint32_t td_string(struct td_child *t, struct str text)
{
	if (t->n_strings >= TD_MAX_STRINGS)
		return t->n_strings;
	td_send_text(t, (struct td_record){ .type = TD_STRING }, text);
	return ++t->n_strings;
}

static void td_send_note(struct td_child *t, struct str key, struct str value)
{
	struct td_record r = { .type = TD_NOTE };

	r.name = td_string(t, key);
	r.other = td_string(t, value);
	td_send(t, &r);
}

static int td_failed(struct td_child *t, struct str why)
{
	td_send_text(t, (struct td_record){ .type = TD_FAILED }, why);
	td_flush(t);
	return 0;
}

/* Decode the field @f of @record. Returns false if the record is too short. */
static inline bool td_get(const struct td_child *t, const struct td_field *f, struct str record,
			  uint64_t *ret)
{
	const bool is_swapped = t->file.is_swapped;
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	if (UNLIKELY(record.len < f->size || f->offset > record.len - f->size))
		return false;
	switch (f->size) {
	case 8:
		memcpy(&v8, record.p + f->offset, 8);
		*ret = UNLIKELY(is_swapped) ? __builtin_bswap64(v8) : v8;
		return true;
	case 4:
		memcpy(&v4, record.p + f->offset, 4);
		*ret = UNLIKELY(is_swapped) ? __builtin_bswap32(v4) : v4;
		return true;
	case 2:
		memcpy(&v2, record.p + f->offset, 2);
		*ret = UNLIKELY(is_swapped) ? __builtin_bswap16(v2) : v2;
		return true;
	case 1:
		*ret = (uint8_t)record.p[f->offset];
		return true;
	default:
		return false;
	}
}

static struct td_field td_field_of(struct tep_event *e, const char *name)
{
	struct tep_format_field *f = tep_find_any_field(e, name);

	if (!f || f->offset < 0 || f->size < 0)
		return (struct td_field){ 0, 0 };
	return (struct td_field){ (uint32_t)f->offset, (uint32_t)f->size };
}

static struct td_event *td_event_of(struct td_child *t, uint32_t type)
{
	struct td_event *e = t->events[type];
	struct tep_event *event;
	const char *system;

	if (LIKELY(e))
		return e;
	e = t->events[type] = xcalloc(1, sizeof(*e));
	event = tep_find_event(t->tep, (int)type);
	if (!event || !event->name)
		return e;
	system = event->system ? event->system : "";
	e->event = event;
	e->kind = TD_KIND_EVENT;
	e->pid = td_field_of(event, "common_pid");
	if (strcmp(system, "ftrace") != 0)
		return e;
	if (!strcmp(event->name, "funcgraph_entry") || !strcmp(event->name, "fgraph_retaddr_entry"))
		e->kind = TD_KIND_ENTRY;
	else if (!strcmp(event->name, "funcgraph_exit"))
		e->kind = TD_KIND_EXIT;
	else if (!strcmp(event->name, "function"))
		e->kind = TD_KIND_FUNCTION;
	else if (!strcmp(event->name, "kernel_stack") || !strcmp(event->name, "user_stack"))
		e->kind = TD_KIND_STACK;
	if (e->kind == TD_KIND_FUNCTION) {
		e->func = td_field_of(event, "ip");
		e->retaddr = td_field_of(event, "parent_ip");
	} else {
		e->func = td_field_of(event, "func");
		e->retaddr = td_field_of(event, "retaddr");
	}
	e->depth = td_field_of(event, "depth");
	e->calltime = td_field_of(event, "calltime");
	e->rettime = td_field_of(event, "rettime");
	e->retval = td_field_of(event, "retval");
	e->args = td_field_of(event, "args");
	return e;
}

static struct td_address *td_slot(struct td_address *table, uint64_t address)
{
	return &table[hash_u64(address, 0) & (TD_ADDRESSES - 1)];
}

static uint32_t td_address_text(struct td_child *t, uint64_t address, bool with_place)
{
	const char *name = NULL;
	unsigned long long start = 0;
	unsigned long size = 0;
	char text[512];
	int n;

	/*
	 * the first look-up makes libtraceevent allocate its name tables; so check that no
	 * allocation fails (alloc_watch())
	 */
	alloc_watch();
	if (!tep_find_function_info(t->tep, address, &name, &start, &size))
		name = NULL;
	alloc_watched();
	if (!name)
		n = snprintf(text, sizeof(text), "%llx", (unsigned long long)address);
	else if (with_place && size)
		n = snprintf(text, sizeof(text), "%s+0x%llx/0x%lx", name,
			     (unsigned long long)address - start, size);
	else if (with_place)
		n = snprintf(text, sizeof(text), "%s+0x%llx", name,
			     (unsigned long long)address - start);
	else
		n = snprintf(text, sizeof(text), "%s", name);
	if (n < 0)
		n = 0;
	return td_string(t, str_sub(str_of(text), 0, (size_t)n));
}

static inline uint32_t td_function(struct td_child *t, uint64_t address)
{
	struct td_address *a = td_slot(t->functions, address);

	if (UNLIKELY(a->address != address || !a->name))
		*a = (struct td_address){ address, td_address_text(t, address, false) };
	return a->name;
}

static uint32_t td_place(struct td_child *t, uint64_t address)
{
	struct td_address *a = td_slot(t->places, address);

	if (a->address != address || !a->name)
		*a = (struct td_address){ address, td_address_text(t, address, true) };
	return a->name;
}

/* Send the command of task @pid, unless it was sent before. */
static inline void td_name_task(struct td_child *t, uint32_t pid)
{
	uint8_t bit = (uint8_t)(1u << (pid & 7));
	const char *comm;
	struct td_record r = { .type = TD_COMM, .pid = pid };

	if (pid >= TD_PID_MAX || LIKELY(t->named[pid / 8] & bit))
		return;
	t->named[pid / 8] |= bit;
	alloc_watch();
	comm = tep_data_comm_from_pid(t->tep, (int)pid);
	alloc_watched();
	r.name = td_string(t, str_of(comm ? comm : "<...>"));
	td_send(t, &r);
}

/*
 * Sign-extend a return value of 8, 16 or 32 bits if it is an error code (-4095 to -1), as the
 * kernel does. The record stores each return value in 64 bits, whatever its type is.
 */
static uint64_t td_retval(uint64_t v, uint8_t *flags)
{
	int64_t narrow = (int64_t)v;

	*flags |= TD_HAS_RETVAL;
	if (v & 0x80 && !(v >> 8))
		narrow = (int8_t)v;
	else if (v & 0x8000 && !(v >> 16))
		narrow = (int16_t)v;
	else if (v & 0x80000000u && !(v >> 32))
		narrow = (int32_t)v;
	return narrow < 0 && narrow >= -TD_ERRNO_MAX ? (uint64_t)narrow : v;
}

/* The event id of a record: its first two bytes. */
static inline uint16_t td_type(const struct td_child *t, struct str record)
{
	uint16_t type;

	memcpy(&type, record.p, sizeof(type));
	return UNLIKELY(t->file.is_swapped) ? __builtin_bswap16(type) : type;
}

/*
 * Format the six argument registers of a call, and send the text. The file does not show the real
 * number of arguments. Returns the number of the text.
 */
static uint32_t td_args(struct td_child *t, const struct td_event *e, struct str record)
{
	struct str rest = str_skip(record, e->args.offset);
	char text[TD_MAX_ARGS * 24];
	size_t n = 0;

	for (unsigned int i = 0; i < TD_MAX_ARGS && rest.len >= 8; i++) {
		uint64_t v;
		int w;

		(void)td_get(t, &(struct td_field){ 0, 8 }, rest, &v);
		rest = str_skip(rest, 8);
		w = snprintf(text + n, sizeof(text) - n, "%s0x%llx", i ? ", " : "",
			     (unsigned long long)v);
		n += w > 0 ? (size_t)w : 0;
	}
	return n ? td_string(t, (struct str){ text, n }) : 0;
}

/* Set duration and return value of @r. @record: the record of a call's end. */
static void td_end(const struct td_child *t, const struct td_event *e, struct str record,
		   struct td_record *r)
{
	uint64_t from;
	uint64_t to;
	uint64_t v;

	if (td_get(t, &e->calltime, record, &from) && td_get(t, &e->rettime, record, &to) &&
	    to >= from) {
		r->duration = to - from;
		r->flags |= TD_HAS_DURATION;
	}
	if (td_get(t, &e->retval, record, &v))
		r->value = td_retval(v, &r->flags);
}

/*
 * A call whose end is searched. The records of its start and its end contain the same function and
 * pid.
 */
struct td_open {
	uint64_t func;
	uint64_t pid;
};

/*
 * If the next record of the CPU is the end of the call @open, the call has no callees. In this
 * case, store its duration and return value in @r, advance the cursor, and return true.
 */
static bool td_is_leaf(struct td_child *t, struct td_cursor *c, const struct td_open *open,
		       struct td_record *r)
{
	const struct td_event *e;
	uint64_t pid;
	uint64_t func;

	if (!c->has_record || c->is_after_loss || c->record.len < 2)
		return false;
	e = td_event_of(t, td_type(t, c->record));
	if (e->kind != TD_KIND_EXIT || !td_get(t, &e->pid, c->record, &pid) || pid != open->pid ||
	    !td_get(t, &e->func, c->record, &func) || func != open->func)
		return false;
	td_end(t, e, c->record, r);
	td_cursor_next(c);
	return true;
}

static void td_print(struct td_child *t, const struct td_event *e, const struct td_cursor *c,
		     struct td_record *r)
{
	struct tep_record record = {
		.ts = c->ts,
		.size = (int)c->record.len,
		.record_size = (int)c->record.len,
		.data = (void *)(uintptr_t)c->record.p,
		.cpu = (int)c->cpu,
		.ref_count = 1,
	};
	struct str text;

	trace_seq_reset(&t->seq);
	trace_seq_puts(&t->seq, e->event->name);
	trace_seq_puts(&t->seq, ": ");
	alloc_watch();
	tep_print_event(t->tep, &t->seq, &record, "%s", TEP_PRINT_INFO);
	alloc_watched();
	text = str_rtrim((struct str){ t->seq.buffer, t->seq.len });
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.p[i] < ' ')
			t->seq.buffer[i] = ' ';
	}
	r->type = TD_EVENT;
	td_send_text(t, *r, text);
}

/*
 * Send the current record of @c, and advance @c. If records were lost before this record, send
 * their number first. A call's start that is directly followed by its end is sent as one TD_LEAF.
 */
static void td_emit(struct td_child *t, struct td_cursor *c)
{
	struct td_record r = { .cpu = (uint16_t)c->cpu, .time = c->ts };
	struct td_event *e;
	uint64_t pid = 0;
	uint64_t func = 0;
	uint64_t v;

	if (UNLIKELY(c->is_after_loss)) {
		struct td_record lost = { .type = TD_LOST, .cpu = r.cpu, .time = c->ts };

		lost.flags = c->lost ? TD_HAS_COUNT : 0;
		lost.size = c->lost > UINT32_MAX ? UINT32_MAX : (uint32_t)c->lost;
		td_send(t, &lost);
		c->is_after_loss = false;
	}
	if (c->record.len < 2) {
		t->counts[TD_BAD_RECORD]++;
		goto next;
	}
	e = td_event_of(t, td_type(t, c->record));
	if (e->kind == TD_KIND_UNKNOWN) {
		t->counts[TD_UNKNOWN_EVENT]++;
		goto next;
	}
	if (!td_get(t, &e->pid, c->record, &pid) ||
	    (e->kind <= TD_KIND_FUNCTION && !td_get(t, &e->func, c->record, &func))) {
		t->counts[TD_BAD_RECORD]++;
		goto next;
	}
	r.pid = (uint32_t)pid;
	td_name_task(t, r.pid);
	switch (e->kind) {
	case TD_KIND_ENTRY:
	case TD_KIND_EXIT:
		if (!td_get(t, &e->depth, c->record, &v)) {
			t->counts[TD_BAD_RECORD]++;
			break;
		}
		/* Linux 6.x records depth -1 for a call that is not part of a call graph */
		r.depth = v > INT32_MAX ? 0 : (uint32_t)v;
		r.name = td_function(t, func);
		if (e->kind == TD_KIND_EXIT) {
			r.type = TD_EXIT;
			td_end(t, e, c->record, &r);
			td_send(t, &r);
			break;
		}
		if (UNLIKELY(e->args.offset))
			r.other = td_args(t, e, c->record);
		if (UNLIKELY(e->retaddr.size) && td_get(t, &e->retaddr, c->record, &v))
			r.third = td_place(t, v);
		td_cursor_next(c);
		r.type = td_is_leaf(t, c, &(struct td_open){ func, pid }, &r) ? TD_LEAF : TD_ENTRY;
		td_send(t, &r);
		return;
	case TD_KIND_FUNCTION:
		r.type = TD_FUNCTION;
		r.name = td_function(t, func);
		if (td_get(t, &e->retaddr, c->record, &v))
			r.other = td_function(t, v);
		td_send(t, &r);
		break;
	case TD_KIND_STACK:
		t->counts[TD_STACK]++;
		break;
	default:
		td_print(t, e, c, &r);
		break;
	}
next:
	td_cursor_next(c);
}

/*
 * Send the records of all CPUs of a buffer, ordered by time. Records with equal times are ordered
 * by CPU number.
 */
static void td_buffer_records(struct td_child *t, const struct td_buffer *b, unsigned int commit)
{
	size_t n = b->cpus.len;
	struct td_cursor *cursors = xcalloc(n, sizeof(*cursors));

	for (size_t i = 0; i < n; i++)
		td_cursor_init(&cursors[i], &t->file, b, &b->cpus.data[i], commit, true);
	for (;;) {
		struct td_cursor *first = NULL;
		struct td_cursor *second = NULL;

		for (size_t i = 0; i < n; i++) {
			struct td_cursor *c = &cursors[i];

			if (!c->has_record)
				continue;
			if (!first || c->ts < first->ts) {
				second = first;
				first = c;
			} else if (!second || c->ts < second->ts) {
				second = c;
			}
		}
		if (!first)
			break;
		do
			td_emit(t, first);
		while (first->has_record && (!second || first->ts < second->ts ||
					     (first->ts == second->ts && first < second)));
	}
	for (size_t i = 0; i < n; i++) {
		t->counts[TD_BAD_PAGE] += cursors[i].bad_pages;
		t->counts[TD_BAD_RECORD] += cursors[i].bad_records;
		td_cursor_fini(&cursors[i]);
	}
	free(cursors);
}

/* The number after "@key: " in @text, the statistics of a CPU such as "overrun: 12"; 0: none. */
static uint64_t td_statistic(struct str text, struct str key)
{
	struct str line;
	uint64_t v = 0;

	while (str_line(&text, &line)) {
		if (str_take(&line, key) && str_take(&line, STR(": ")) && str_u64(&line, &v))
			return v;
	}
	return 0;
}

/*
 * Send a note with the number of events that a CPU lost while recording, if it lost any. @text:
 * statistics of the CPU.
 */
static void td_send_losses(struct td_child *t, struct str text)
{
	uint64_t overrun = td_statistic(text, STR("overrun"));
	uint64_t commit = td_statistic(text, STR("commit overrun"));
	uint64_t dropped = td_statistic(text, STR("dropped events"));
	char line[128];
	int n;

	if (!overrun && !commit && !dropped)
		return;
	n = snprintf(
		line, sizeof(line), "CPU %llu: %llu overwritten, %llu not committed, %llu dropped",
		(unsigned long long)td_statistic(text, STR("CPU")), (unsigned long long)overrun,
		(unsigned long long)commit, (unsigned long long)dropped);
	td_send_note(t, STR("lost while recording"), (struct str){ line, n > 0 ? (size_t)n : 0 });
}

static void td_send_notes(struct td_child *t)
{
	VEC_FOREACH (note, &t->file.notes) {
		struct str text = str_trim(str_sub(note->text, 0, str_find_char(note->text, '\0')));

		switch (note->option) {
		case TD_OPTION_UNAME:
			td_send_note(t, STR("uname"), text);
			break;
		case TD_OPTION_VERSION:
			td_send_note(t,
				     str_starts(text, STR("assay ")) ? STR("command")
								     : STR("trace-cmd version"),
				     text);
			break;
		case TD_OPTION_TRACECLOCK:
			if (str_contains(text, STR("[")))
				text = str_skip(text, str_find_char(text, '[') + 1);
			td_send_note(t, STR("clock"), str_sub(text, 0, str_find_char(text, ']')));
			break;
		case TD_OPTION_CPUSTAT:
			td_send_losses(t, text);
			break;
		case TD_OPTION_TIME_SHIFT:
			td_send_note(t, STR("times"), STR("of a guest, not moved to its host's"));
			break;
		default:
			break;
		}
	}
}

static void td_send_all(struct td_child *t)
{
	unsigned int commit = tep_get_header_page_size(t->tep) == 12 ? 4 : 8;

	td_send_notes(t);
	VEC_FOREACH (b, &t->file.buffers) {
		struct td_record r = { .type = TD_BUFFER };

		if (!b->cpus.len)
			continue;
		r.name = td_string(t, b->name);
		td_send(t, &r);
		td_buffer_records(t, b, commit);
	}
	t->counts[TD_BAD_BUFFER] = t->file.bad_buffers;
	for (uint32_t i = 0; i < TD_COUNTS; i++) {
		struct td_record r = { .type = TD_COUNT, .name = i, .time = t->counts[i] };

		if (t->counts[i])
			td_send(t, &r);
	}
	alloc_watched_well();
	td_send(t, &(struct td_record){ .type = TD_END, .time = t->n_sent });
	td_flush(t);
}

/*
 * Pass the event formats, symbols, printk formats and commands of the file to libtraceevent, which
 * needs them to print events.
 */
static void td_teach(struct td_child *t)
{
	const struct td_file *f = &t->file;
	char *copy;

	tep_set_long_size(t->tep, (int)f->long_size);
	tep_set_page_size(t->tep, (int)f->page_size);
	tep_set_file_bigendian(t->tep, f->is_big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, f->is_big_endian != f->is_swapped ? TEP_BIG_ENDIAN
									  : TEP_LITTLE_ENDIAN);
	copy = xmemdupz(f->header_page.p, f->header_page.len);
	alloc_watch();
	(void)tep_parse_header_page(t->tep, copy, f->header_page.len, (int)f->long_size);
	alloc_watched();
	free(copy);
	VEC_FOREACH (format, &f->formats) {
		char *system = xmemdupz(format->system.p, format->system.len);

		copy = xmemdupz(format->text.p, format->text.len);
		alloc_watch();
		(void)tep_parse_event(t->tep, copy, format->text.len, system);
		alloc_watched();
		free(copy);
		free(system);
	}
	copy = xmemdupz(f->kallsyms.p, f->kallsyms.len);
	alloc_watch();
	(void)tep_parse_kallsyms(t->tep, copy);
	alloc_watched();
	free(copy);
	copy = xmemdupz(f->printk.p, f->printk.len);
	alloc_watch();
	(void)tep_parse_printk_formats(t->tep, copy);
	alloc_watched();
	free(copy);
	copy = xmemdupz(f->commands.p, f->commands.len);
	alloc_watch();
	(void)tep_parse_saved_cmdlines(t->tep, copy);
	alloc_watched();
	free(copy);
}

int td_child_run(void *arg, int in_fd, int out_fd)
{
	const struct str *bytes = arg;
	struct td_child *t = xcalloc(1, sizeof(*t));
	struct error err;

	(void)in_fd;
	t->fd = out_fd;
	if (td_file_open(&t->file, *bytes, &err) < 0)
		return td_failed(t, str_of(err.msg));
	if (t->file.latency_text.len)
		return td_failed(t, STR("a trace.dat file with the text of a latency tracer: "
					"try trace-cmd report"));
	alloc_watch();
	tep_set_loglevel(TEP_LOG_NONE);
	t->tep = tep_alloc();
	trace_seq_init(&t->seq);
	alloc_watched();
	if (!t->tep)
		return td_failed(t, STR("no memory for its formats"));
	td_teach(t);
	alloc_watched_well();
	td_send_all(t);
	return 0; /* the process exits after this, so memory need not be freed */
}
