/* SPDX-License-Identifier: MIT */
/*
 * Make samples of sched:sched_switch from switch records (PERF_RECORD_SWITCH,
 * PERF_RECORD_SWITCH_CPU_WIDE), if the file lacks this tracepoint. A switch record shows that a
 * thread left or got a CPU, and whether it was preempted. It shows neither the stack of the thread
 * nor the reason of the wait.
 */
#include "formats/perf_data/perf_data_reader.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "symbols/resolver/resolver.h"

#include <stdio.h>

DECLARE_FORMAT(perf_data);

#define SWITCH_OUT     (1u << 13) /* PERF_RECORD_MISC_SWITCH_OUT */
#define SWITCH_PREEMPT (1u << 14) /* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT */
#define SWITCH_EVENT   "sched:sched_switch"

static const struct diag_kind switches_used = {
	"perf-data-switch-records", DIAG_INFO,
	"context switches without the scheduler's tracepoint: waits have no stack, no reason and "
	"no waker"
};

/* Fields of the sample_id_all trailer that are needed for a switch. */
struct switch_trailer {
	uint32_t pid, tid, cpu;
	uint64_t time;
};

/*
 * Parse the sample_id_all trailer of @record. Each of these groups of fields is optional: {u32 pid,
 * tid} {u64 time} {u64 id} {u64 stream_id} {u32 cpu, res} {u64 identifier}. False: the trailer has
 * no pid or no time, or the record is too short.
 */
static bool switch_trailer(const struct perf_reader *r, const uint8_t *record,
			   struct switch_trailer *ret)
{
	const struct perf_attr *a = r->file.attrs.data;
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t type = a->sample_type;
	size_t size = 16 + (type & PERF_SAMPLE_ID ? 8u : 0) +
		      (type & PERF_SAMPLE_STREAM_ID ? 8u : 0) + (type & PERF_SAMPLE_CPU ? 8u : 0) +
		      (type & PERF_SAMPLE_IDENTIFIER ? 8u : 0);

	if (!a->has_sample_id_all || !(type & PERF_SAMPLE_TID) || !(type & PERF_SAMPLE_TIME) ||
	    b.len < size)
		return false;
	b.at = b.len - size;
	ret->pid = perf_u32(&b);
	ret->tid = perf_u32(&b);
	ret->time = perf_u64(&b);
	b.at += (type & PERF_SAMPLE_ID ? 8u : 0) + (type & PERF_SAMPLE_STREAM_ID ? 8u : 0);
	ret->cpu = type & PERF_SAMPLE_CPU ? perf_u32(&b) : UINT32_MAX;
	return !b.is_over;
}

/*
 * Whether switch records must be converted to samples of sched:sched_switch. True if the field
 * "prev_state" is requested, and the file lacks this tracepoint. Samples of the tracepoint itself
 * would show more than switch records.
 */
static bool switches_are_wanted(const struct perf_reader *r)
{
	bool is_wanted = false;

	for (size_t i = 0; i < r->file.in->n_fields; i++)
		is_wanted |= str_eq(r->file.in->fields[i], STR("prev_state"));
	VEC_FOREACH (a, &r->file.attrs)
		is_wanted &=
			!str_eq(strings_get(&r->file.dossier->strings, a->name), STR(SWITCH_EVENT));
	return is_wanted && r->file.attrs.len;
}

static struct profile *switches_profile(struct perf_reader *r)
{
	struct dossier *d = r->file.dossier;

	if (!r->switches) {
		r->switches = format_add_capture(&format_perf_data, r->file.in, d);
		capture_profile(r->switches)->event = strings_add(&d->strings, STR(SWITCH_EVENT));
		r->switches->profile->unit = WEIGHT_EVENTS;
		r->switches->profile->has_no_callers = true;
	}
	return r->switches->profile;
}

static void switch_number(struct dossier *d, struct profile *p, const char *field, uint32_t tid)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", tid);

	profile_set_field(p, p->samples.n - 1, strings_add(&d->strings, str_of(field)),
			  strings_add(&d->strings, (struct str){ text, (size_t)n }));
}

void perf_take_switch(struct perf_reader *r, const uint8_t *record)
{
	struct dossier *d = r->file.dossier;
	unsigned int misc = perf_record_misc(r, record);
	bool is_out = misc & SWITCH_OUT;
	struct switch_trailer at;
	struct profile_thread thread = { .has_pid = true, .has_tid = true };
	struct profile *p;

	if (!switches_are_wanted(r) || !switch_trailer(r, record, &at) || !at.tid)
		return;
	p = switches_profile(r);
	if (profile_add_sample(p, STACK_ROOT, 1) < 0)
		return;
	/* the record names only one of the two threads; assume that the other is the idle task */
	if (is_out) {
		thread.pid = at.pid;
		thread.tid = at.tid;
		thread.comm = resolver_thread_comm(r->resolver, at.pid, at.tid);
	}
	*VEC_PUSH(&p->samples.thread) = profile_thread(p, thread);
	*VEC_PUSH(&p->samples.time_ns) = at.time;
	*VEC_PUSH(&p->samples.cpu) = (uint16_t)(at.cpu < UINT16_MAX ? at.cpu : UINT16_MAX);
	profile_set_no_frame(p, true);
	switch_number(d, p, "prev_pid", is_out ? at.tid : 0);
	switch_number(d, p, "next_pid", is_out ? 0 : at.tid);
	profile_set_field(p, p->samples.n - 1, strings_add(&d->strings, STR("prev_state")),
			  strings_add(&d->strings, misc & SWITCH_PREEMPT ? STR("R") : STR("S")));
	diag_count(&r->switches->diag, &switches_used, 0);
}

void perf_switches_finish(struct perf_reader *r)
{
	struct profile *p;

	if (!r->switches)
		return;
	p = r->switches->profile;
	profile_finish_fields(p);
	p->has_event_count = p->has_n_samples = true;
	p->event_count = p->n_samples = p->samples.n;
	VEC_APPEND(&p->exits, r->exits.data, r->exits.len);
	p->recording = r->recording;
	p->recording.is_known = true;
}
