/* SPDX-License-Identifier: MIT */
/*
 * go_trace.c - Go execution traces: what each goroutine did, and where it waited
 *
 * Waits of goroutines become a capture, like waits of threads. Samples of the CPU profiler become a
 * second capture. Pauses of the whole program become a distribution. See docs/formats/go-trace.md.
 */
#include "formats/runtimes/go_trace.h"

#include "base/idmap.h"
#include "base/out.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/runtimes/gc_pauses.h"

#include <inttypes.h>

DECLARE_FORMAT(go_trace);

#define GO_HEADER_BYTES 16u
#define GO_HEADER       STR("go 1.")
/*
 * Minor versions of Go, such as 22 for Go 1.22. GO_OLDEST: oldest version that is read. GO_NEW:
 * first version that writes generations. GO_NEWEST: newest version that is read.
 */
#define GO_OLDEST 11u
#define GO_NEW    22u
#define GO_NEWEST 26u

const struct diag_kind go_bad_events = { "go-bad-events", DIAG_DATALOSS,
					 "events that are cut or unknown; the rest of their batch "
					 "is not read" };
const struct diag_kind go_forced = { "go-events-out-of-order", DIAG_ERROR,
				     "events whose predecessor is missing" };
const struct diag_kind go_no_time = { .counter = "go-unfinished",
				      .severity = DIAG_DATALOSS,
				      .sentence = "generations that are cut",
				      .is_cut = true };
const struct diag_kind go_lost_names = { "go-lost-names", DIAG_DATALOSS,
					 "names of functions that the trace does not define" };

static const struct diag_kind go_other_kinds[GO_OTHERS] = {
	[GO_OTHER_HEAP] = { "go-heap-events", DIAG_INFO, "events of heap sizes" },
	[GO_OTHER_SWEEP] = { "go-sweep-events", DIAG_INFO, "events of sweeping" },
	[GO_OTHER_ASSIST] = { "go-assist-events", DIAG_INFO, "events of mark assists" },
	[GO_OTHER_PROC] = { "go-proc-events", DIAG_INFO, "events of scheduler contexts" },
	[GO_OTHER_USER] = { "go-user-events", DIAG_INFO,
			    "events of tasks, regions, logs and labels" },
	[GO_OTHER_EXPERIMENT] = { "go-experiments", DIAG_INFO,
				  "events and batches of experiments" },
	[GO_OTHER_TABLES] = { "go-other-events", DIAG_INFO, "other events that are not read" },
};

/* For each enum go_reason: the text that Go uses, and the kind of wait (analyses/waits/waits.h). */
static const struct {
	const char *text;
	const char *word;
} go_reasons[GO_REASONS] = {
	[GO_UNKNOWN] = { "unknown", "unknown" },
	[GO_OTHER] = { "unspecified", "other" },
	[GO_CREATED] = { "created", "cpu" },
	[GO_WOKEN] = { "unblocked", "cpu" },
	[GO_YIELDED] = { "runtime.Gosched", "cpu" },
	[GO_PREEMPTED] = { "preempted", "cpu" },
	[GO_RETURNED] = { "syscall exit", "cpu" },
	[GO_IN_SYSCALL] = { "syscall", "other" },
	[GO_SEND] = { "chan send", "condition" },
	[GO_RECEIVE] = { "chan receive", "condition" },
	[GO_SELECT] = { "select", "event" },
	[GO_SYNC] = { "sync", "lock" },
	[GO_COND] = { "sync.(*Cond).Wait", "condition" },
	[GO_NETWORK] = { "network", "network" },
	[GO_SLEEP] = { "sleep", "timer" },
	[GO_ASSIST] = { "GC mark assist wait for work", "gc" },
	[GO_FOREVER] = { "forever", "other" },
	[GO_COROUTINE] = { "coroutine", "condition" },
	[GO_SYSTEM] = { "system goroutine wait", "other" },
	[GO_SWEEPER] = { "GC background sweeper wait", "other" },
	[GO_UNTIL_GC_ENDS] = { "wait until GC ends", "gc" },
	[GO_WEAK] = { "GC weak to strong wait", "gc" },
	[GO_DEBUG] = { "wait for debug call", "other" },
	[GO_SYNCTEST] = { "synctest", "condition" },
};

uint64_t go_number_long(struct go_cursor *c)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 10 && c->p < c->end; i++) {
		unsigned char b = *c->p++;

		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (!(b & 0x80))
			return v;
	}
	c->is_bad = true;
	c->p = c->end;
	return 0;
}

/*
 * The minor version in the header of a trace: 19 for "go 1.19 trace". 0: @text does not start with
 * such a header. The header is padded with zero bytes to 16 bytes.
 */
static unsigned int go_version(struct str text)
{
	struct str rest = str_sub(text, 0, GO_HEADER_BYTES);
	uint64_t minor;

	if (text.len < GO_HEADER_BYTES || !str_take(&rest, GO_HEADER) || !str_u64(&rest, &minor) ||
	    minor > 99 || !str_take(&rest, STR(" trace")))
		return 0;
	for (size_t i = 0; i < rest.len; i++) {
		if (rest.p[i])
			return 0;
	}
	return (unsigned int)minor;
}

static void go_add_captures(struct go_reader *r)
{
	static const char *const fields[] = { "wait", "waker", "waker_tid", "state", "reason" };
	struct profile *p;

	r->waits = format_add_capture(&format_go_trace, r->in, r->d);
	p = capture_profile(r->waits);
	p->event = strings_add(&r->d->strings, STR("off-cpu"));
	p->unit = WEIGHT_NS;
	p->is_complete = p->has_event_count = p->has_wakeups = p->is_goroutines = true;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		*VEC_PUSH(&p->samples.fields) =
			(struct sample_field){ .name = strings_add(&r->d->strings,
								   str_of(fields[i])) };
	r->samples = format_add_capture(&format_go_trace, r->in, r->d);
	p = capture_profile(r->samples);
	p->event = strings_add(&r->d->strings, STR("cpu-samples"));
	p->unit = WEIGHT_SAMPLES;
}

static void go_init(struct go_reader *r)
{
	struct strings *s = &r->d->strings;

	for (unsigned int i = 0; i < GO_REASONS; i++) {
		r->words[i] = strings_add(s, str_of(go_reasons[i].word));
		r->texts[i] = strings_add(s, str_of(go_reasons[i].text));
	}
	r->blocked = strings_add(s, STR("blocked"));
	r->runnable = strings_add(s, STR("runnable"));
	r->none = strings_add(s, STR("-"));
	r->unnamed = strings_add(s, STR("goroutine"));
	go_add_captures(r);
}

static void go_note(struct go_reader *r, const char *key, struct out *text)
{
	capture_note(r->waits, str_of(key), out_view(text), 0);
	out_fini(text);
}

static void go_notes(struct go_reader *r)
{
	struct out text = { .fd = -1 };
	uint64_t span = r->waits->profile->span_ns;

	out_printf(&text, "Go 1.%u", r->version);
	go_note(r, "trace version", &text);
	text = (struct out){ .fd = -1 };
	out_printf(&text, "%zu, at most %" PRIu64 " at once", r->goroutines.len, r->most_alive);
	go_note(r, "goroutines", &text);
	if (!r->gc_cycles)
		return;
	text = (struct out){ .fd = -1 };
	out_printf(&text, "%" PRIu64 ", active for %.1f %% of the time", r->gc_cycles,
		   span ? (double)r->gc_ns / (double)span * 100 : 0);
	go_note(r, "garbage collections", &text);
}

static void go_finish(struct go_reader *r)
{
	struct capture *const all[] = { r->waits, r->samples };

	go_end_all(r);
	r->waits->profile->span_ns = r->last_ns - r->first_ns;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		all[i]->profile->n_samples = all[i]->profile->samples.n;
		all[i]->profile->has_n_samples = true;
		profile_finish_fields(all[i]->profile);
	}
	if (r->samples->profile->samples.n == 0)
		dossier_drop_last(r->d);
	r->stops.name = "stop";
	gc_pauses_finish(&r->pauses, &format_go_trace, r->in, r->d,
			 (double)r->waits->profile->span_ns);
	gc_pauses_finish(&r->stops, &format_go_trace, r->in, r->d,
			 (double)r->waits->profile->span_ns);
	for (unsigned int i = 0; i < GO_OTHERS; i++) {
		if (r->other[i])
			diag_add(&r->diag, &go_other_kinds[i], r->other[i], 0);
	}
	VEC_FOREACH (e, &r->diag.entries)
		diag_add(&r->waits->diag, e->kind, e->count, e->first_line);
	go_notes(r);
}

static void go_reader_fini(struct go_reader *r)
{
	VEC_FREE(&r->strings.items);
	VEC_FREE(&r->stacks.items);
	idmap_fini(&r->strings.map);
	idmap_fini(&r->stacks.map);
	slots_fini(&r->nodes);
	VEC_FREE(&r->goroutines);
	idmap_fini(&r->by_id);
	VEC_FREE(&r->frames);
	VEC_FREE(&r->node_words[0]);
	VEC_FREE(&r->node_words[1]);
	VEC_FREE(&r->cpu);
	VEC_FREE(&r->nameless);
	gc_pauses_fini(&r->pauses);
	gc_pauses_fini(&r->stops);
	diag_fini(&r->diag);
}

static int go_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(go_reader_fini) struct go_reader r = { .in = in, .d = d };
	size_t before = d->captures.len;
	int status;

	r.version = go_version(in->text);
	if (r.version < GO_OLDEST || r.version > GO_NEWEST)
		return fail(err, ERR_UNSUPPORTED,
			    "a Go execution trace of version 1.%u: only 1.%u to 1.%u are read",
			    r.version, GO_OLDEST, GO_NEWEST);
	go_init(&r);
	status = r.version < GO_NEW ? go_read_old(&r, err) : go_read_new(&r, err);
	if (status == OK && r.goroutines.len == 0)
		status = fail(err, ERR_FORMAT, "a Go execution trace without a goroutine");
	if (status == OK)
		go_finish(&r);
	while (status < 0 && d->captures.len > before)
		dossier_drop_last(d);
	return status;
}

static unsigned int go_probe(struct str head)
{
	return go_version(head) ? 100 : 0;
}

static const char *const go_extensions[] = { ".trace", ".out", NULL };

const struct format format_go_trace = {
	.name = "go-trace",
	.title = "Go execution trace",
	.summary = "an execution trace of a Go program (runtime/trace, go test -trace)",
	.kinds = KIND_PROFILE | KIND_DISTRIBUTION,
	.is_binary = true,
	.extensions = go_extensions,
	.probe = go_probe,
	.read = go_read,
};
