/* SPDX-License-Identifier: MIT */
/*
 * Record entries and exits of kernel functions, for assay record --graph.
 *
 * Three kinds of probes share the code for entries and exits: kprobe.session, kprobe.multi with
 * kretprobe.multi, and fentry with fexit. A call of a root function is recorded, with all calls
 * inside it. All other calls are ignored.
 */
#ifdef __bpf__ /* the rest is compiled only for the BPF target */

#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "graph_bpf_wire.h"

#define GRAPH_SLOTS 16384u
/*
 * flag in a key of the map `states`: the task is the idle task of the CPU in the other bits. Its
 * pid is no unique key, because the idle tasks of all CPUs have pid 0.
 */
#define GRAPH_IDLE 0x80000000u

/*
 * The kernel's task_struct, reduced to the fields that this file reads. libbpf computes the field
 * offsets from the kernel's BTF.
 */
struct task_struct {
	int pid;
	int prio;
	char comm[GRAPH_COMM];
} __attribute__((preserve_access_index));

struct irqaction {
	const char *name;
} __attribute__((preserve_access_index));

const volatile struct graph_config config;
unsigned int is_on;

struct graph_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct graph_ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct graph_state);
} states SEC(".maps");

/*
 * An empty graph_state, from which each new state is copied. It is in a map, because the BPF stack
 * is too small for it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct graph_state);
} blank SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/*
 * Number of tasks that have open calls, indexed by the low bits of the task id. Usually this number
 * is 0: the current task then has no open call, and the look-up in the hash map `states` is not
 * needed. A look-up in this array is cheaper, because it calls no function.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GRAPH_SLOTS);
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct graph_counts);
} counts SEC(".maps");

static __always_inline struct graph_counts *graph_counts_of(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

/*
 * Mark this CPU as busy, and return its counters. Returns NULL if another BPF program is already
 * running on this CPU. Two programs must not be nested, because BPF helpers are traced too, and
 * some helpers hold the lock of a ring buffer.
 */
static __always_inline struct graph_counts *graph_lock(void)
{
	struct graph_counts *c = graph_counts_of();

	if (!c)
		return NULL;
	if (c->is_busy) {
		__sync_fetch_and_add(&c->skipped, 1);
		return NULL;
	}
	*(volatile __u64 *)&c->is_busy = 1;
	return c;
}

static __always_inline void graph_unlock(struct graph_counts *c)
{
	*(volatile __u64 *)&c->is_busy = 0;
}

static __always_inline void *graph_reserve(struct graph_counts *c, __u64 size)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	void *r;

	if (ring) {
		r = bpf_ringbuf_reserve(ring, size, 0);
		if (r)
			return r;
	}
	__sync_fetch_and_add(&c->lost, 1);
	return NULL;
}

/*
 * Submit the record @r. A wake-up of the reader costs an interrupt, so the reader is woken only if
 * the ring buffer is at least a quarter full.
 */
static __always_inline void graph_submit(struct graph_counts *c, void *r)
{
	__u64 n = __sync_fetch_and_add(&c->records, 1);
	__u64 flags = BPF_RB_NO_WAKEUP;

	if ((n & 255) == 255) {
		__u32 cpu = bpf_get_smp_processor_id();
		void *ring = bpf_map_lookup_elem(&rings, &cpu);

		if (ring && bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > config.ring_bytes / 4)
			flags = BPF_RB_FORCE_WAKEUP;
	}
	bpf_ringbuf_submit(r, flags);
}

static __always_inline __u32 graph_tid(void)
{
	return (__u32)bpf_get_current_task_btf()->pid;
}

static __always_inline void graph_head(const struct graph_counts *c, struct graph_record *r,
				       __u64 now, __u8 type)
{
	r->time = now;
	r->ip = 0;
	r->tid = graph_tid();
	r->lost = (__u32)c->lost;
	r->type = type;
	r->depth = 0;
	r->unused = 0;
	r->number = 0;
}

static __always_inline __u32 graph_key(__u32 tid)
{
	return tid ? tid : (GRAPH_IDLE | bpf_get_smp_processor_id());
}

static __always_inline __u32 *graph_slot(__u32 tid)
{
	__u32 slot = tid & (GRAPH_SLOTS - 1);

	return bpf_map_lookup_elem(&slots, &slot);
}

static __always_inline struct graph_state *graph_open_state(__u32 tid)
{
	__u32 key = graph_key(tid);
	__u32 *slot = graph_slot(tid);
	struct graph_state *s;

	if (!slot || !*slot)
		return NULL;
	s = bpf_map_lookup_elem(&states, &key);
	return s && s->open ? s : NULL;
}

static __always_inline void graph_count_open(int n)
{
	__u32 *slot = graph_slot(graph_tid());

	if (slot)
		__sync_fetch_and_add(slot, (__u32)n);
}

static __always_inline void graph_send_name(struct graph_counts *c, struct graph_state *s)
{
	__u64 comm[2] = { 0, 0 };
	__u64 *sent = (__u64 *)s->comm;
	struct graph_name *r;

	bpf_get_current_comm(comm, sizeof(comm));
	if (sent[0] == comm[0] && sent[1] == comm[1])
		return;
	r = graph_reserve(c, sizeof(*r));
	if (!r)
		return;
	graph_head(c, &r->head, bpf_ktime_get_ns(), GRAPH_NAME);
	__builtin_memcpy(r->comm, comm, GRAPH_COMM);
	sent[0] = comm[0];
	sent[1] = comm[1];
	graph_submit(c, r);
}

/*
 * Return the state of the current task. Create it when the task calls a root function for the first
 * time. NULL: the task is not a target, or the map of states is full.
 */
static __always_inline struct graph_state *graph_begin(struct graph_counts *c, __u32 tid)
{
	__u32 key = graph_key(tid);
	__u32 zero = 0;
	struct graph_state *s;

	if (config.is_filtered && !bpf_map_lookup_elem(&targets, &tid))
		return NULL;
	s = bpf_map_lookup_elem(&states, &key);
	if (!s) {
		struct graph_state *from = bpf_map_lookup_elem(&blank, &zero);

		if (from)
			bpf_map_update_elem(&states, &key, from, BPF_NOEXIST);
		s = bpf_map_lookup_elem(&states, &key);
		if (!s) {
			__sync_fetch_and_add(&c->no_room, 1);
			return NULL;
		}
	}
	graph_send_name(c, s);
	return s;
}

/*
 * Record the entry of a call of the function at @ip. @mark: value for graph_frame.mark. Returns 0
 * if the exit of this call must be recorded, too; 1 if the call is not recorded.
 */
static __always_inline int graph_push(struct graph_counts *c, struct graph_state *s, __u64 ip,
				      __u64 mark)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 depth = s->open;
	struct graph_record *r;
	struct graph_frame *f;

	if (config.max_depth && depth >= config.max_depth)
		return 1;
	if (depth >= GRAPH_FRAMES) {
		__sync_fetch_and_add(&c->deep, 1);
		return 1;
	}
	f = &s->frames[depth & (GRAPH_FRAMES - 1)];
	f->ip = ip;
	f->from = now;
	f->mark = mark;
	s->open = depth + 1;
	if (!depth)
		graph_count_open(1);
	if (config.threshold_ns)
		return 0;
	r = graph_reserve(c, sizeof(*r));
	if (!r)
		return 0;
	graph_head(c, r, now, GRAPH_ENTRY);
	r->ip = ip;
	r->depth = (__u8)depth;
	graph_submit(c, r);
	return 0;
}

static __always_inline int graph_enter(__u64 ip, __u64 mark, int is_root)
{
	__u32 tid = graph_tid();
	struct graph_state *s;
	struct graph_counts *c;
	int skip = 1;

	if (!is_on)
		return 1;
	s = graph_open_state(tid);
	if (!s && !is_root)
		return 1;
	c = graph_lock();
	if (!c)
		return 1;
	if (!s)
		s = graph_begin(c, tid);
	if (s)
		skip = graph_push(c, s, ip, mark);
	graph_unlock(c);
	return skip;
}

static __always_inline int graph_is_frame(const struct graph_frame *f, __u64 ip, __u64 mark)
{
	/*
	 * at the exit, the stack pointer is the same as at the entry, or 8 bytes higher, because
	 * the return address was popped
	 */
	return f->ip == ip && (!config.has_marks || f->mark == mark || f->mark + 8 == mark);
}

static __always_inline void graph_pop(struct graph_counts *c, struct graph_state *s, __u64 ip,
				      __u64 mark, __u64 value)
{
	__u64 now = bpf_ktime_get_ns();
	struct graph_exit *r;
	__u64 from;
	__u32 at = 0;
	__u32 k;

#pragma clang loop unroll(disable)
	for (k = 0; k < GRAPH_FRAMES; k++) {
		if (k >= s->open)
			/*
			 * no open call matches: its entry was before the recording, or was not
			 * recorded
			 */
			return;
		at = (s->open - 1 - k) & (GRAPH_FRAMES - 1);
		if (graph_is_frame(&s->frames[at], ip, mark))
			break;
	}
	if (k >= GRAPH_FRAMES)
		return;
	from = s->frames[at].from;
	s->open = at;
	if (!at)
		graph_count_open(-1);
	if (k)
		__sync_fetch_and_add(&c->unfinished, k);
	if (config.threshold_ns && now - from < config.threshold_ns)
		return;
	r = graph_reserve(c, sizeof(*r));
	if (!r)
		return;
	graph_head(c, &r->head, now, GRAPH_EXIT);
	r->head.ip = ip;
	r->head.depth = (__u8)at;
	r->value = value;
	r->from = from;
	graph_submit(c, r);
}

static __always_inline void graph_leave(__u64 ip, __u64 mark, __u64 value)
{
	struct graph_state *s = graph_open_state(graph_tid());
	struct graph_counts *c;

	if (!is_on || !s)
		return;
	c = graph_lock();
	if (!c)
		return;
	graph_pop(c, s, ip, mark, value);
	graph_unlock(c);
}

/*
 * Whether a kprobe.session program runs at the exit of a call, and not at its entry. If the program
 * returns 1 at the entry, the kernel does not run it at the exit. NULL without kprobe.session.
 */
extern _Bool bpf_session_is_return(void) __ksym __weak;

static __always_inline int graph_session(struct pt_regs *ctx, int is_root)
{
	__u64 ip = bpf_get_func_ip(ctx);

	if (!bpf_session_is_return)
		return 0;
	if (!bpf_session_is_return())
		return graph_enter(ip, 0, is_root);
	graph_leave(ip, 0, PT_REGS_RC(ctx));
	return 0;
}

SEC("kprobe.multi")
int session_root(struct pt_regs *ctx)
{
	return graph_session(ctx, 1);
}

SEC("kprobe.multi")
int session_below(struct pt_regs *ctx)
{
	return graph_session(ctx, 0);
}

SEC("kprobe.multi")
int multi_root(struct pt_regs *ctx)
{
	graph_enter(bpf_get_func_ip(ctx), PT_REGS_SP(ctx), 1);
	return 0;
}

SEC("kprobe.multi")
int multi_below(struct pt_regs *ctx)
{
	graph_enter(bpf_get_func_ip(ctx), PT_REGS_SP(ctx), 0);
	return 0;
}

SEC("kretprobe.multi")
int multi_leave(struct pt_regs *ctx)
{
	graph_leave(bpf_get_func_ip(ctx), PT_REGS_SP(ctx), PT_REGS_RC(ctx));
	return 0;
}

/*
 * fentry and fexit programs use @ctx, an address on the stack, as graph_frame.mark: it is the same
 * at the entry and the exit of a call.
 */
SEC("fentry")
int fentry_root(__u64 *ctx)
{
	graph_enter(bpf_get_func_ip(ctx), (__u64)ctx, 1);
	return 0;
}

SEC("fentry")
int fentry_below(__u64 *ctx)
{
	graph_enter(bpf_get_func_ip(ctx), (__u64)ctx, 0);
	return 0;
}

SEC("fexit")
int fentry_leave(__u64 *ctx)
{
	__u64 value = 0;

	bpf_get_func_ret(ctx, &value);
	graph_leave(bpf_get_func_ip(ctx), (__u64)ctx, value);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];
	__u32 from = (__u32)parent->pid;
	__u32 to = (__u32)child->pid;
	__u32 one = 1;
	struct graph_counts *c;

	if (!config.is_filtered || !config.has_inherit || !bpf_map_lookup_elem(&targets, &from))
		return 0;
	c = graph_lock();
	if (bpf_map_update_elem(&targets, &to, &one, BPF_ANY) != 0 && c)
		__sync_fetch_and_add(&c->forgotten, 1);
	if (c)
		graph_unlock(c);
	return 0;
}

/* Called when a task has ended. Delete its state, because a new task may get the same id. */
SEC("tp_btf/sched_process_free")
int on_free(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 tid = (__u32)task->pid;
	struct graph_state *s = graph_open_state(tid);
	__u32 *slot = graph_slot(tid);
	struct graph_counts *c = graph_lock();

	/*
	 * the task ended inside of a recorded call: it no longer counts as a task with open calls
	 */
	if (s && slot)
		__sync_fetch_and_add(slot, (__u32)-1);
	bpf_map_delete_elem(&targets, &tid);
	bpf_map_delete_elem(&states, &tid);
	if (c)
		graph_unlock(c);
	return 0;
}

/*
 * Reserve a record for an event that is not a call. NULL: the ring buffer is full, or another BPF
 * program is running on this CPU. The caller must call graph_event_end() in either case.
 */
static __always_inline void *graph_event(struct graph_counts **ret_c, __u64 size, __u8 type)
{
	struct graph_counts *c = graph_lock();
	struct graph_record *r;

	*ret_c = c;
	if (!c)
		return NULL;
	r = graph_reserve(c, size);
	if (r)
		graph_head(c, r, bpf_ktime_get_ns(), type);
	return r;
}

static __always_inline void graph_event_end(struct graph_counts *c, void *r)
{
	if (!c)
		return;
	if (r)
		graph_submit(c, r);
	graph_unlock(c);
}

SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	struct task_struct *next = (void *)ctx[2];
	struct graph_counts *c;
	struct graph_switch *r;

	if (!is_on || (!graph_open_state((__u32)prev->pid) && !graph_open_state((__u32)next->pid)))
		return 0;
	r = graph_event(&c, sizeof(*r), GRAPH_SWITCH);
	if (r) {
		r->head.tid = (__u32)prev->pid;
		bpf_probe_read_kernel(r->prev_comm, GRAPH_COMM, prev->comm);
		bpf_probe_read_kernel(r->next_comm, GRAPH_COMM, next->comm);
		r->prev_pid = prev->pid;
		r->prev_prio = prev->prio;
		r->prev_state = ctx[0]                    ? GRAPH_PREEMPTED
				: config.has_switch_state ? (int)(ctx[3] & 0xffff)
							  : 0;
		r->next_pid = next->pid;
		r->next_prio = next->prio;
		r->unused = 0;
	}
	graph_event_end(c, r);
	return 0;
}

SEC("tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct graph_counts *c;
	struct graph_waking *r;

	if (!is_on || !graph_open_state((__u32)task->pid))
		return 0;
	r = graph_event(&c, sizeof(*r), GRAPH_WAKING);
	if (r) {
		bpf_probe_read_kernel(r->comm, GRAPH_COMM, task->comm);
		r->pid = task->pid;
		r->prio = task->prio;
	}
	graph_event_end(c, r);
	return 0;
}

static __always_inline int graph_number(__u64 number, __u8 type)
{
	struct graph_counts *c;
	struct graph_record *r;

	if (!is_on || !graph_open_state(graph_tid()))
		return 0;
	r = graph_event(&c, sizeof(*r), type);
	if (r)
		r->number = (__u32)number;
	graph_event_end(c, r);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int on_irq_entry(__u64 *ctx)
{
	struct irqaction *action = (void *)ctx[1];
	struct graph_counts *c;
	struct graph_irq *r;

	if (!is_on || !graph_open_state(graph_tid()))
		return 0;
	r = graph_event(&c, sizeof(*r), GRAPH_IRQ_ENTRY);
	if (r) {
		r->head.number = (__u32)ctx[0];
		__builtin_memset(r->name, 0, GRAPH_COMM);
		bpf_probe_read_kernel_str(r->name, GRAPH_COMM, action->name);
	}
	graph_event_end(c, r);
	return 0;
}

#define GRAPH_NUMBER(name, event, type)              \
	SEC("tp_btf/" #event)                        \
	int name(__u64 *ctx)                         \
	{                                            \
		return graph_number(ctx[0], (type)); \
	}

GRAPH_NUMBER(on_irq_exit, irq_handler_exit, GRAPH_IRQ_EXIT)
GRAPH_NUMBER(on_softirq_entry, softirq_entry, GRAPH_SOFTIRQ_ENTRY)
GRAPH_NUMBER(on_softirq_exit, softirq_exit, GRAPH_SOFTIRQ_EXIT)
GRAPH_NUMBER(on_timer_entry, local_timer_entry, GRAPH_TIMER_ENTRY)
GRAPH_NUMBER(on_timer_exit, local_timer_exit, GRAPH_TIMER_EXIT)
GRAPH_NUMBER(on_reschedule_entry, reschedule_entry, GRAPH_RESCHEDULE_ENTRY)
GRAPH_NUMBER(on_reschedule_exit, reschedule_exit, GRAPH_RESCHEDULE_EXIT)
GRAPH_NUMBER(on_call_entry, call_function_single_entry, GRAPH_CALL_ENTRY)
GRAPH_NUMBER(on_call_exit, call_function_single_exit, GRAPH_CALL_EXIT)

char graph_license[] SEC("license") = "Dual MIT/GPL";

#endif
