/* SPDX-License-Identifier: MIT */
/*
 * Convert records of graph.bpf.c to records of the function_graph tracer and of kernel events. The
 * new records are stored in pages, as in the kernel's ring buffer (include/linux/ring_buffer.h).
 * The formats of the new records are written to the trace.dat file, too.
 */
#include "record/graph/graph_bpf.h"

#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace_parts.h"
#include "record/graph/graph_bpf_wire.h"

#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>

#define FILE_PAGE        4096u
#define FILE_PAGE_HEAD   16u
#define FILE_PAGE_DATA   (FILE_PAGE - FILE_PAGE_HEAD)
#define FILE_DELTA_BITS  27u
#define FILE_TIME_EXTEND 30u
/* flag in the page header: records were lost before this page */
#define FILE_LOST (UINT64_C(1) << 31)
/* flag in the page header: the number of lost records follows the last record */
#define FILE_LOST_COUNT (UINT64_C(1) << 30)
#define FILE_GIVE_BACK  (UINT64_C(256) << 10)

#define ID_EXIT   10
#define ID_ENTRY  11
#define ID_SWITCH 320
#define ID_WAKING 321
/* the event file_numbers[i] has the id ID_OTHERS + file_numbers[i].type */
#define ID_OTHERS 330

#define FILE_COMMON                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"          \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char file_header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				       "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				       "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				       "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char file_header_event[] = "# compressed entry header\n"
					"\ttype_len    :    5 bits\n"
					"\ttime_delta  :   27 bits\n"
					"\tarray       :   32 bits\n\n"
					"\tpadding     : type == 29\n"
					"\ttime_extend : type == 30\n"
					"\ttime_stamp : type == 31\n"
					"\tdata max type_len  == 28\n";
static const char file_entry_format[] =
	"name: funcgraph_entry\nID: 11\n" FILE_COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n";
static const char file_exit_format[] =
	"name: funcgraph_exit\nID: 10\n" FILE_COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", "
	"(void *)REC->func, REC->depth, REC->calltime, REC->rettime, REC->overrun, REC->retval\n";
static const char file_switch_format[] =
	"name: sched_switch\nID: 320\n" FILE_COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
	"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x01, \"S\" }, "
	"{ 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, "
	"{ 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\", "
	"REC->next_comm, REC->next_pid, REC->next_prio\n";
static const char file_waking_format[] =
	"name: sched_waking\nID: 321\n" FILE_COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio\n";

/* Events whose only field is a number. (GRAPH_IRQ_ENTRY has a name, too.) */
static const struct {
	const char *group, *name, *print;
	uint8_t type;
} file_numbers[] = {
	{ "irq", "irq_handler_entry", "irq=%d name=%s\", REC->number, REC->name", GRAPH_IRQ_ENTRY },
	{ "irq", "irq_handler_exit", "irq=%d\", REC->number", GRAPH_IRQ_EXIT },
	{ "irq", "softirq_entry",
	  "vec=%d [action=%s]\", REC->number, __print_symbolic(REC->number, { 0, \"HI\" }, "
	  "{ 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" }, { 4, \"BLOCK\" }, "
	  "{ 5, \"IRQ_POLL\" }, { 6, \"TASKLET\" }, { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, "
	  "{ 9, \"RCU\" })",
	  GRAPH_SOFTIRQ_ENTRY },
	{ "irq", "softirq_exit", "vec=%d\", REC->number", GRAPH_SOFTIRQ_EXIT },
	{ "irq_vectors", "local_timer_entry", "vector=%d\", REC->number", GRAPH_TIMER_ENTRY },
	{ "irq_vectors", "local_timer_exit", "vector=%d\", REC->number", GRAPH_TIMER_EXIT },
	{ "irq_vectors", "reschedule_entry", "vector=%d\", REC->number", GRAPH_RESCHEDULE_ENTRY },
	{ "irq_vectors", "reschedule_exit", "vector=%d\", REC->number", GRAPH_RESCHEDULE_EXIT },
	{ "irq_vectors", "call_function_single_entry", "vector=%d\", REC->number",
	  GRAPH_CALL_ENTRY },
	{ "irq_vectors", "call_function_single_exit", "vector=%d\", REC->number", GRAPH_CALL_EXIT },
};

/* A record in a page: first the fields common to all events, then the fields of one event. */
union file_record {
	uint8_t bytes[64];
	struct {
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t pid;
		union {
			struct {
				uint64_t func;
				int32_t depth;
			} entry;
			struct {
				uint64_t func, retval;
				int32_t depth;
				uint32_t overrun;
				uint64_t calltime, rettime;
			} exit;
			struct {
				char prev_comm[GRAPH_COMM];
				int32_t prev_pid, prev_prio;
				int64_t prev_state;
				char next_comm[GRAPH_COMM];
				int32_t next_pid, next_prio;
			} change;
			struct {
				char comm[GRAPH_COMM];
				int32_t pid, prio;
			} waking;
			struct {
				int32_t number;
				char name[GRAPH_COMM];
			} number;
		};
	};
};
_Static_assert(sizeof(union file_record) == 64, "the formats say where fields stand");

/*
 * Append the page of @cpu to the temporary file, and start an empty page. An empty page is not
 * written.
 */
static void file_flush(struct graph_bpf *g, uint32_t cpu)
{
	struct graph_cpu *c = &g->cpus.data[cpu];
	uint64_t commit = c->used;

	if (!c->used)
		return;
	if (c->page_lost) {
		commit |= FILE_LOST;
		if (c->used + 8 <= FILE_PAGE_DATA) {
			memcpy(c->page + FILE_PAGE_HEAD + c->used, &c->page_lost, 8);
			commit |= FILE_LOST_COUNT;
		}
	}
	memcpy(c->page, &c->first_ns, 8);
	memcpy(c->page + 8, &commit, 8);
	ftrace_buffers_put(g->ftrace, &g->ftrace->cpus.data[cpu], c->page, FILE_PAGE);
	memset(c->page, 0, FILE_PAGE);
	c->used = 0;
	c->page_lost = 0;
}

static void file_word(struct graph_cpu *c, uint32_t v)
{
	memcpy(c->page + FILE_PAGE_HEAD + c->used, &v, 4);
	c->used += 4;
}

/*
 * Append @record with time @time to the page of @cpu. @size: size in bytes, a multiple of 4, at
 * most 112.
 */
static void file_add(struct graph_bpf *g, uint32_t cpu, uint64_t time, const void *record,
		     uint32_t size)
{
	struct graph_cpu *c = &g->cpus.data[cpu];
	uint64_t delta;

	/*
	 * required space: the record and its header, a time extension (8 bytes), and the number of
	 * lost records (8 bytes)
	 */
	if (c->used + 8 + 4 + size + 8 > FILE_PAGE_DATA)
		file_flush(g, cpu);
	/*
	 * A BPF program reads the clock first, and then adds its record. In between, an interrupt
	 * may have added a record with a later time. Use that time, so that times do not decrease.
	 */
	if (time < c->last_ns)
		time = c->last_ns;
	if (!c->used)
		c->first_ns = c->last_ns = time;
	delta = time - c->last_ns;
	if (delta >> FILE_DELTA_BITS) {
		file_word(c, (uint32_t)(delta << 5) | FILE_TIME_EXTEND);
		file_word(c, (uint32_t)(delta >> FILE_DELTA_BITS));
		delta = 0;
	}
	file_word(c, (uint32_t)(delta << 5) | size / 4);
	memcpy(c->page + FILE_PAGE_HEAD + c->used, record, size);
	c->used += size;
	c->last_ns = time;
	g->n_records++;
}

static void file_name(struct graph_bpf *g, uint32_t tid, const char comm[GRAPH_COMM])
{
	struct idmap_probe p;
	struct graph_task *task;

	if (!tid)
		return; /* idle tasks are not stored: all have the same fixed name */
	p = idmap_first(&g->task_ids, hash_u64(tid, 0));
	while (idmap_next(&g->task_ids, &p)) {
		if (g->tasks.data[p.id].tid == tid) {
			memcpy(g->tasks.data[p.id].comm, comm, GRAPH_COMM);
			return;
		}
	}
	idmap_insert(&g->task_ids, &p, (uint32_t)g->tasks.len);
	task = VEC_PUSH(&g->tasks);
	task->tid = tid;
	memcpy(task->comm, comm, GRAPH_COMM);
}

static int64_t file_state(int state)
{
	if (state == GRAPH_PREEMPTED)
		return 0x100;
	/*
	 * 0x402 is the state of an idle kernel thread (TASK_UNINTERRUPTIBLE | TASK_NOLOAD). In
	 * sched_switch records, this state is 0x80, shown as "I".
	 */
	return state == 0x402 ? 0x80 : state & 0x7f;
}

static void file_take_switch(struct graph_bpf *g, uint32_t cpu, const struct graph_switch *s)
{
	union file_record r = { .type = ID_SWITCH, .pid = (int32_t)s->head.tid };

	file_name(g, (uint32_t)s->prev_pid, s->prev_comm);
	file_name(g, (uint32_t)s->next_pid, s->next_comm);
	memcpy(r.change.prev_comm, s->prev_comm, GRAPH_COMM);
	r.change.prev_pid = s->prev_pid;
	r.change.prev_prio = s->prev_prio;
	r.change.prev_state = file_state(s->prev_state);
	memcpy(r.change.next_comm, s->next_comm, GRAPH_COMM);
	r.change.next_pid = s->next_pid;
	r.change.next_prio = s->next_prio;
	file_add(g, cpu, s->head.time, &r, 64);
}

static void file_take_exit(struct graph_bpf *g, uint32_t cpu, const struct graph_exit *e)
{
	union file_record r = { .type = ID_EXIT, .pid = (int32_t)e->head.tid };

	r.exit.func = e->head.ip;
	r.exit.retval = e->value;
	r.exit.depth = e->head.depth;
	r.exit.calltime = e->from;
	r.exit.rettime = e->head.time;
	file_add(g, cpu, e->head.time, &r, 48);
}

/*
 * Convert the record @h of a BPF program, and add it to the page. @size: size of @h, at least
 * sizeof(struct graph_record).
 */
static void file_take(struct graph_bpf *g, uint32_t cpu, const struct graph_record *h, size_t size)
{
	struct graph_cpu *c = &g->cpus.data[cpu];
	union file_record r = { .pid = (int32_t)h->tid };

	if (h->lost != c->lost) {
		file_flush(g, cpu);
		/* unsigned subtraction: correct even after the 32-bit counter has wrapped around */
		c->page_lost += h->lost - c->lost;
		c->lost = h->lost;
	}
	switch (h->type) {
	case GRAPH_ENTRY:
		r.type = ID_ENTRY;
		r.entry.func = h->ip;
		r.entry.depth = h->depth;
		file_add(g, cpu, h->time, &r, 20);
		break;
	case GRAPH_EXIT:
		if (size >= sizeof(struct graph_exit))
			file_take_exit(g, cpu, (const struct graph_exit *)h);
		break;
	case GRAPH_NAME:
		if (size >= sizeof(struct graph_name))
			file_name(g, h->tid, ((const struct graph_name *)h)->comm);
		break;
	case GRAPH_SWITCH:
		if (size >= sizeof(struct graph_switch))
			file_take_switch(g, cpu, (const struct graph_switch *)h);
		break;
	case GRAPH_WAKING:
		if (size >= sizeof(struct graph_waking)) {
			const struct graph_waking *w = (const struct graph_waking *)h;

			r.type = ID_WAKING;
			memcpy(r.waking.comm, w->comm, GRAPH_COMM);
			r.waking.pid = w->pid;
			r.waking.prio = w->prio;
			file_name(g, (uint32_t)w->pid, w->comm);
			file_add(g, cpu, h->time, &r, 32);
		}
		break;
	default:
		r.type = (uint16_t)(ID_OTHERS + h->type);
		r.number.number = (int32_t)h->number;
		if (h->type == GRAPH_IRQ_ENTRY && size >= sizeof(struct graph_irq))
			memcpy(r.number.name, ((const struct graph_irq *)h)->name, GRAPH_COMM);
		if (h->type < GRAPH_TYPES)
			file_add(g, cpu, h->time, &r, 28);
		break;
	}
}

/* Convert the records in the ring buffer of @cpu. Source of its format: kernel/bpf/ringbuf.c. */
static void file_drain(struct graph_bpf *g, uint32_t cpu)
{
	struct graph_cpu *c = &g->cpus.data[cpu];
	const uint8_t *data = c->producer + (size_t)sysconf(_SC_PAGESIZE);
	uint64_t *consumer = (uint64_t *)(void *)c->consumer;
	uint64_t *producer = (uint64_t *)(void *)c->producer;
	uint64_t at = *consumer;
	uint64_t given = at;
	uint64_t end = __atomic_load_n(producer, __ATOMIC_ACQUIRE);

	while (at < end && !g->ftrace->rec.file.error) {
		const uint8_t *p = data + (at & (g->ring_bytes - 1));
		uint32_t len = __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_ACQUIRE);
		uint32_t size = len & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(len & BPF_RINGBUF_DISCARD_BIT) && size >= sizeof(struct graph_record))
			file_take(g, cpu, (const void *)(p + BPF_RINGBUF_HDR_SZ), size);
		at += (size + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
		/*
		 * If the buffer is full, the kernel drops records until space is free. Free the
		 * space in large steps, so that there are few large gaps instead of many small
		 * ones.
		 */
		if (at - given >= FILE_GIVE_BACK) {
			__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
			given = at;
		}
	}
	__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
}

void graph_file_drain(struct graph_bpf *g, bool is_last)
{
	for (uint32_t cpu = 0; cpu < g->cpus.len; cpu++) {
		if (g->cpus.data[cpu].map < 0)
			continue;
		file_drain(g, cpu);
		if (is_last)
			file_flush(g, cpu);
	}
}

static void file_text(struct out *o, struct str text, size_t bytes)
{
	ftrace_put_number(o, text.len, bytes);
	out_str(o, text);
}

/*
 * Write the formats of those events in file_numbers that belong to @group. Returns the number of
 * formats.
 */
static uint32_t file_formats(struct out *o, const char *group)
{
	uint32_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(file_numbers); i++) {
		struct out text = { .fd = -1 };

		if (strcmp(file_numbers[i].group, group) != 0)
			continue;
		out_printf(&text,
			   "name: %s\nID: %d\n" FILE_COMMON
			   "\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
			   "\tfield:char name[16];\toffset:12;\tsize:16;\tsigned:0;\n\n"
			   "print fmt: \"%s\n",
			   file_numbers[i].name, ID_OTHERS + file_numbers[i].type,
			   file_numbers[i].print);
		file_text(o, out_view(&text), 8);
		out_fini(&text);
		n++;
	}
	return n;
}

static void file_events(struct out *o)
{
	static const char *const groups[] = { "irq", "irq_vectors" };

	ftrace_put_number(o, 2, 4);
	file_text(o, str_of(file_entry_format), 8);
	file_text(o, str_of(file_exit_format), 8);
	ftrace_put_number(o, 1 + ARRAY_LEN(groups), 4);
	out_bytes(o, "sched", sizeof("sched"));
	ftrace_put_number(o, 2, 4);
	file_text(o, str_of(file_switch_format), 8);
	file_text(o, str_of(file_waking_format), 8);
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		struct out formats = { .fd = -1 };
		uint32_t n = file_formats(&formats, groups[i]);

		out_z(o, groups[i]);
		out_char(o, '\0');
		ftrace_put_number(o, n, 4);
		out_str(o, out_view(&formats));
		out_fini(&formats);
	}
}

static void file_tasks(const struct graph_bpf *g, struct out *o)
{
	struct out text = { .fd = -1 };

	VEC_FOREACH (task, &g->tasks) {
		struct str comm = { task->comm, strnlen(task->comm, GRAPH_COMM) };

		out_printf(&text, "%" PRIu32 " ", task->tid);
		for (size_t i = 0; i < comm.len; i++)
			out_char(&text, (unsigned char)comm.p[i] < ' ' ? '?' : comm.p[i]);
		out_char(&text, '\n');
	}
	file_text(o, out_view(&text), 8);
	out_fini(&text);
}

/* Write the number of lost records of each CPU, in the format of the tracefs file "stats". */
static void file_statistics(const struct graph_bpf *g, struct out *o)
{
	for (size_t i = 0; i < g->cpu_counts.len && i < g->cpus.len; i++) {
		const struct graph_counts *c = &g->cpu_counts.data[i];
		struct out text = { .fd = -1 };

		if (g->cpus.data[i].map < 0)
			continue;
		out_printf(&text,
			   "CPU: %zu\nentries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: "
			   "%llu\nread events: %llu\n",
			   i, c->lost, c->records);
		ftrace_put_option(o, 2, out_view(&text));
		out_fini(&text);
	}
}

void graph_file_header(const struct graph_bpf *g, struct out *o)
{
	char how[64];

	(void)snprintf(how, sizeof(how), "by BPF, %s", graph_bpf_method_name(g->method));
	ftrace_put_start(o, FILE_PAGE);
	out_bytes(o, "header_page", sizeof("header_page"));
	file_text(o, str_of(file_header_page), 8);
	out_bytes(o, "header_event", sizeof("header_event"));
	file_text(o, str_of(file_header_event), 8);
	file_events(o);
	ftrace_put_blob(o, "/proc/kallsyms", 4);
	ftrace_put_number(o, 0, 4); /* size of the printk formats: there are none */
	file_tasks(g, o);
	ftrace_put_number(o, g->cpus.len, 4);
	out_bytes(o, "options  ", sizeof("options  "));
	ftrace_put_option(o, 4, STR("[mono]"));
	ftrace_put_made_by(g->ftrace, how, o);
	file_statistics(g, o);
	ftrace_put_number(o, 0, 2);
	out_bytes(o, "flyrecord", sizeof("flyrecord"));
}
