/* SPDX-License-Identifier: MIT */
/*
 * Function graphs by BPF: the functions of graph_bpf_source, the ring buffers, and notes about
 * calls that were not recorded.
 */
#include "record/graph/graph_bpf.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRAPH_RING_BYTES (UINT64_C(8) << 20)
/* default of the total size of all CPUs' ring buffers */
#define GRAPH_RINGS_BYTES (UINT64_C(512) << 20)
#define GRAPH_RING_LEAST  (UINT64_C(64) << 10)
#define GRAPH_RING_MOST   (UINT64_C(512) << 20)
#define GRAPH_MAX_CPUS    8192u

const char *graph_bpf_method_name(enum graph_method m)
{
	static const char *const names[GRAPH_METHODS] = { "kprobe.session", "kprobe.multi",
							  "fentry" };

	return names[m];
}

int graph_bpf_find(const struct ftrace *t, struct error *err)
{
	CLEANUP(freep) char *lockdown = rec_slurp("/sys/kernel/security/lockdown", NULL);

	(void)t;
	if (lockdown && str_contains(str_of(lockdown), STR("[confidentiality]")))
		return fail(err, ERR_PERM, "the kernel is locked down (confidentiality)");
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return fail(
			err, ERR_UNSUPPORTED,
			"the kernel has no BTF (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF)");
	return OK;
}

static void graph_add_cpu(void *arg, uint32_t cpu)
{
	struct graph_bpf *g = arg;

	while (g->cpus.len <= cpu)
		*VEC_PUSH(&g->cpus) = (struct graph_cpu){ .map = -1 };
	/* mark the CPU as online (not -1); graph_rings_open() stores the descriptor later */
	g->cpus.data[cpu].map = 0;
}

/*
 * Compute the size of a CPU's ring buffer, a power of two. @asked: size that the user requested; 0:
 * use the default.
 */
static uint64_t graph_ring_bytes(uint64_t asked, size_t n_cpus)
{
	uint64_t want = asked ? asked : GRAPH_RINGS_BYTES / (n_cpus ? n_cpus : 1);
	uint64_t bytes = GRAPH_RING_LEAST;

	if (!asked && want > GRAPH_RING_BYTES)
		want = GRAPH_RING_BYTES;
	while (bytes < want && bytes < GRAPH_RING_MOST)
		bytes *= 2;
	return !asked && bytes > want ? bytes / 2 : bytes;
}

static int graph_map(struct graph_bpf *g, struct graph_cpu *c, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	c->map = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "assay_ring", 0, 0, (uint32_t)g->ring_bytes,
				NULL);
	if (c->map < 0)
		return fail(err, errno == EPERM ? ERR_PERM : ERR_UNSUPPORTED,
			    errno == EPERM ? "the kernel refuses BPF; run as root, or with CAP_BPF "
					     "and CAP_PERFMON"
					   : "no BPF ring buffer of %" PRIu64 " kB: %s",
			    g->ring_bytes / 1024, strerror(errno));
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, c->map, 0);
	if (p != MAP_FAILED)
		c->consumer = p;
	p = mmap(NULL, page + 2 * g->ring_bytes, PROT_READ, MAP_SHARED, c->map, (off_t)page);
	if (p != MAP_FAILED)
		c->producer = p;
	if (!c->consumer || !c->producer)
		return fail(err, ERR_IO, "a BPF ring buffer cannot be mapped: %s", strerror(errno));
	return OK;
}

static int graph_rings_open(struct graph_bpf *g, struct error *err)
{
	struct ftrace *t = g->ftrace;
	CLEANUP(freep) char *online = rec_slurp("/sys/devices/system/cpu/online", NULL);

	t->page_bytes = 4096;
	if (!online || !rec_list(online, GRAPH_MAX_CPUS, graph_add_cpu, g) || !g->cpus.len)
		return fail(err, ERR_IO, "/sys/devices/system/cpu/online cannot be read");
	g->ring_bytes = graph_ring_bytes(t->rec.spec->ring_bytes, g->cpus.len);
	t->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->wake_fd < 0)
		return fail(err, ERR_IO, "cannot wait for buffers: %s", strerror(errno));
	VEC_FOREACH (c, &g->cpus) {
		/*
		 * edge-triggered: wake the recorder only when a BPF program requests it, not
		 * whenever the buffer has data
		 */
		struct epoll_event event = { .events = EPOLLIN | EPOLLET };
		int status = ftrace_buffers_add(t, -1, err);

		if (status == OK && c->map == 0) {
			c->page = xcalloc(1, t->page_bytes);
			status = graph_map(g, c, err);
			if (status == OK &&
			    epoll_ctl(t->wake_fd, EPOLL_CTL_ADD, c->map, &event) < 0)
				status = fail(err, ERR_IO, "cannot wait for buffers: %s",
					      strerror(errno));
		}
		if (status < 0)
			return status;
	}
	return OK;
}

static int graph_arm(struct ftrace *t, struct error *err)
{
	struct graph_bpf *g = t->bpf = xcalloc(1, sizeof(*g));
	int status;

	g->ftrace = t;
	status = graph_rings_open(g, err);
	return status == OK ? graph_attach(g, err) : status;
}

static int graph_follow_targets(struct ftrace *t, struct error *err)
{
	return graph_follow(t->bpf, err);
}

static int graph_go(struct ftrace *t, struct error *err)
{
	return graph_turn(t->bpf, true, err);
}

static void graph_drain(struct ftrace *t)
{
	struct epoll_event events[64];

	(void)epoll_wait(t->wake_fd, events, ARRAY_LEN(events), 0);
	graph_file_drain(t->bpf, false);
}

static void graph_note_losses(struct graph_bpf *g)
{
	struct rec *r = &g->ftrace->rec;
	const struct graph_counts *c = &g->counts;

	if (c->deep)
		rec_note(r, "%llu calls are not in it: they were below %d others", c->deep,
			 GRAPH_FRAMES);
	if (c->no_room)
		rec_note(r, "%llu calls are not in it: there was no room for so many threads",
			 c->no_room);
	if (c->forgotten)
		rec_note(r, "%llu threads were not followed: more than 65536 (-a takes all)",
			 c->forgotten);
	if (c->unfinished)
		rec_note(r, "the end of %llu calls was not seen", c->unfinished);
	if (g->missed)
		rec_note(r,
			 "%" PRIu64 " calls, of all processes, are not in it: the kernel's probes "
			 "had no room for them",
			 g->missed);
	if (g->nested + c->skipped)
		rec_note(r,
			 "%llu calls, of all processes, were not looked at: made by the BPF "
			 "programs themselves, or by interrupts that met one",
			 g->nested + c->skipped);
}

static void graph_stop(struct ftrace *t)
{
	struct error err = { "" };

	if (graph_turn(t->bpf, false, &err) < 0)
		rec_note(&t->rec, "%s", err.msg);
	graph_detach(t->bpf);
	graph_file_drain(t->bpf, true);
	graph_note_losses(t->bpf);
}

static void graph_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost)
{
	*ret_events = t->bpf->n_records;
	*ret_lost = t->bpf->counts.lost;
}

static void graph_header(const struct ftrace *t, struct out *o)
{
	graph_file_header(t->bpf, o);
}

static void graph_close(struct ftrace *t)
{
	struct graph_bpf *g = t->bpf;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!g)
		return;
	graph_detach(g);
	VEC_FOREACH (c, &g->cpus) {
		if (c->consumer)
			(void)munmap(c->consumer, page);
		if (c->producer)
			(void)munmap(c->producer, page + 2 * g->ring_bytes);
		if (c->map > 0)
			(void)close(c->map);
		free(c->page);
	}
	if (t->wake_fd >= 0)
		(void)close(t->wake_fd);
	t->wake_fd = -1;
	VEC_FREE(&g->cpus);
	VEC_FREE(&g->cpu_counts);
	VEC_FREE(&g->tasks);
	idmap_fini(&g->task_ids);
	graph_names_fini(&g->names);
	free(g);
	t->bpf = NULL;
}

const struct ftrace_source graph_bpf_source = {
	.arm = graph_arm,
	.follow = graph_follow_targets,
	.go = graph_go,
	.drain = graph_drain,
	.stop = graph_stop,
	.count = graph_count,
	.header = graph_header,
	.close = graph_close,
};
