/* SPDX-License-Identifier: MIT */
#include "record/window/window.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/vec.h"
#include "record/window/window_state.h"

#include <linux/perf_event.h>

/* PERF_RECORD_FINISHED_ROUND; perf defines this record type, the kernel does not */
#define WINDOW_ROUND 68u
#define WINDOW_HEAD  sizeof(struct perf_event_header)
/*
 * each 32nd time that old slices are dropped, ask the kernel which known processes have ended,
 * because EXIT records may be lost
 */
#define WINDOW_ASK 32u

struct window_slice {
	uint64_t from_ns, until_ns;
	uint64_t samples, throttled;
	/*
	 * Two counts of the lost records: by the kernel's PERF_RECORD_LOST (streamed), and by the
	 * recorder's PERF_RECORD_LOST_SAMPLES (counted). Both may report the same losses.
	 */
	uint64_t streamed, counted;
	uint64_t first_ns, last_ns; /* times of the first and last sample */
	bool is_pause;
	VEC(uint8_t) bytes;
};

struct window {
	struct window_options options;
	struct window_state state; /* processes, threads and maps at the start of the first slice */
	/*
	 * records of dropped slices that may be newer than a record in the next slice; to keep the
	 * order of time, they are applied to `state` when a later slice is dropped
	 */
	VEC(uint8_t) late;
	VEC(struct window_slice) slices;
	struct window_slice now; /* the slice to which records are currently added */
	uint64_t bytes;          /* total size of the records in finished slices */
	bool is_short;
	bool is_paused;
	unsigned int cuts;
};

struct window *window_new(const struct window_options *options, uint64_t now_ns)
{
	struct window *w = xcalloc(1, sizeof(*w));

	w->options = *options;
	w->state.id_bytes = options->id_bytes;
	w->now.from_ns = now_ns;
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	VEC_FOREACH (s, &w->slices)
		VEC_FREE(&s->bytes);
	VEC_FREE(&w->slices);
	VEC_FREE(&w->now.bytes);
	VEC_FREE(&w->late);
	window_state_fini(&w->state);
	free(w);
}

/*
 * Return the record at offset *@at of @p, and advance *@at to the next record. @len: size of @p in
 * bytes. NULL: there is no further record.
 */
static const uint8_t *window_next(const uint8_t *p, size_t len, size_t *at)
{
	const uint8_t *record;
	size_t size;

	if (!p || len - *at < WINDOW_HEAD)
		return NULL;
	record = p + *at;
	size = window_size(record);
	if (size < WINDOW_HEAD || size > len - *at)
		return NULL;
	*at += size;
	return record;
}

void window_describe(struct window *w, const void *records, size_t len)
{
	const uint8_t *record;
	size_t at = 0;

	while ((record = window_next(records, len, &at)))
		window_state_apply(&w->state, record);
}

/* Remove samples, LOST and THROTTLE records from the current slice, from offset @from on. */
static void window_strip(struct window *w, size_t from)
{
	uint8_t *p = w->now.bytes.data;
	const uint8_t *record;
	size_t at = from;
	size_t kept = from;

	while ((record = window_next(p, w->now.bytes.len, &at))) {
		uint32_t type = window_u32(record);
		size_t size = window_size(record);

		if (type == PERF_RECORD_SAMPLE || type == PERF_RECORD_LOST ||
		    type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE)
			continue;
		memmove(p + kept, record, size);
		kept += size;
	}
	w->now.bytes.len = kept;
}

void window_take(struct window *w, const struct iovec *iov, size_t n)
{
	const struct perf_event_header round = { WINDOW_ROUND, 0, sizeof(round) };
	size_t before = w->now.bytes.len;

	for (size_t i = 0; i < n; i++)
		VEC_APPEND(&w->now.bytes, (const uint8_t *)iov[i].iov_base, iov[i].iov_len);
	if (w->is_paused)
		window_strip(w, before);
	VEC_APPEND(&w->now.bytes, (const uint8_t *)&round, sizeof(round));
}

/* Time of a record that is not a sample: the field after pid and tid in its sample id. */
static uint64_t window_time(const struct window *w, const uint8_t *record)
{
	return window_u64(record + window_size(record) - w->options.id_bytes + 8);
}

/*
 * Apply the records of the dropped slice @s, except samples, to the state in order of time. Buffers
 * are drained one after another, so the next slice may contain records that are older than records
 * of @s. Therefore only records from before the start of @s are applied now. The others wait in
 * w->late, and are applied when a later slice is dropped.
 */
static void window_drop(struct window *w, struct window_slice *s)
{
	VEC(struct sort_item) items = VEC_INIT;
	VEC(uint8_t) late = VEC_INIT;
	const uint8_t *record;
	size_t at = 0;

	while ((record = window_next(s->bytes.data, s->bytes.len, &at))) {
		uint32_t type = window_u32(record);
		size_t size = window_size(record);

		if (type != PERF_RECORD_SAMPLE && type < 64 &&
		    size >= WINDOW_HEAD + w->options.id_bytes)
			VEC_APPEND(&w->late, record, size);
	}
	for (at = 0; (record = window_next(w->late.data, w->late.len, &at));)
		*VEC_PUSH(&items) = (struct sort_item){ window_time(w, record),
							(uint32_t)(record - w->late.data) };
	sort_items(items.data, items.len);
	VEC_FOREACH (item, &items) {
		record = w->late.data + item->value;
		if (item->key < s->from_ns)
			window_state_apply(&w->state, record);
		else
			VEC_APPEND(&late, record, window_size(record));
	}
	VEC_FREE(&items);
	VEC_FREE(&w->late);
	memcpy(&w->late, &late, sizeof(late));
	w->bytes -= s->bytes.len;
	VEC_FREE(&s->bytes);
}

static void window_count(const struct window *w, struct window_slice *s)
{
	const uint8_t *record;
	size_t at = 0;

	s->samples = s->throttled = s->streamed = s->counted = s->first_ns = s->last_ns = 0;
	while ((record = window_next(s->bytes.data, s->bytes.len, &at))) {
		size_t size = window_size(record);
		uint64_t time;

		switch (window_u32(record)) {
		case PERF_RECORD_SAMPLE:
			s->samples++;
			if (size < w->options.time_at + 8)
				break;
			time = window_u64(record + w->options.time_at);
			if (!s->first_ns || time < s->first_ns)
				s->first_ns = time;
			if (time > s->last_ns)
				s->last_ns = time;
			break;
		case PERF_RECORD_LOST: /* fields: u64 id, lost */
			if (size >= WINDOW_HEAD + 16)
				s->streamed += window_u64(record + WINDOW_HEAD + 8);
			break;
		case PERF_RECORD_LOST_SAMPLES: /* field: u64 lost */
			if (size >= WINDOW_HEAD + 8)
				s->counted += window_u64(record + WINDOW_HEAD);
			break;
		case PERF_RECORD_THROTTLE:
			s->throttled++;
			break;
		default:
			break;
		}
	}
}

void window_trim(struct window *w, uint64_t from_ns)
{
	VEC_FOREACH (s, &w->slices) {
		const uint8_t *record;
		size_t at = 0;
		size_t kept = 0;

		if (!s->first_ns || s->first_ns >= from_ns)
			continue;
		while ((record = window_next(s->bytes.data, s->bytes.len, &at))) {
			size_t size = window_size(record);

			if (window_u32(record) == PERF_RECORD_SAMPLE &&
			    size >= w->options.time_at + 8 &&
			    window_u64(record + w->options.time_at) < from_ns)
				continue;
			memmove(s->bytes.data + kept, record, size);
			kept += size;
		}
		w->bytes -= s->bytes.len - kept;
		s->bytes.len = kept;
		window_count(w, s);
	}
}

void window_cut(struct window *w, uint64_t now_ns)
{
	struct window_slice *last;
	uint64_t oldest = now_ns > w->options.span_ns ? now_ns - w->options.span_ns : 0;
	size_t gone = 0;

	last = VEC_PUSH(&w->slices);
	*last = w->now;
	last->until_ns = now_ns;
	window_count(w, last);
	w->bytes += last->bytes.len;
	w->now = (struct window_slice){ .from_ns = now_ns, .is_pause = w->is_paused };
	if (w->is_paused)
		oldest = 0;
	/* keep at least one slice, so that the window is never empty */
	while (gone + 1 < w->slices.len && w->slices.data[gone].until_ns <= oldest)
		window_drop(w, &w->slices.data[gone++]);
	w->is_short = false;
	while (gone + 1 < w->slices.len && w->bytes > w->options.max_bytes) {
		w->is_short = true;
		window_drop(w, &w->slices.data[gone++]);
	}
	if (!gone)
		return;
	w->slices.len -= gone;
	memmove(w->slices.data, w->slices.data + gone, w->slices.len * sizeof(*w->slices.data));
	window_state_sweep(&w->state, ++w->cuts % WINDOW_ASK == 0);
}

void window_pause(struct window *w, bool is_on, uint64_t now_ns)
{
	if (is_on == w->is_paused)
		return;
	window_cut(w, now_ns);
	w->is_paused = w->now.is_pause = is_on;
}

void window_sum(const struct window *w, struct window_sum *ret)
{
	uint64_t streamed = 0;
	uint64_t counted = 0;

	*ret = (struct window_sum){
		.from_ns = w->slices.len ? w->slices.data[0].from_ns : w->now.from_ns,
		.until_ns = w->now.from_ns,
		.bytes = w->bytes,
		.is_short = w->is_short,
		.processes = w->state.processes.len,
		.threads = w->state.threads.len,
		.maps = w->state.maps,
		.forgotten = w->state.forgotten,
	};
	VEC_FOREACH (s, &w->slices) {
		ret->held_ns += s->is_pause ? 0 : s->until_ns - s->from_ns;
		ret->samples += s->samples;
		streamed += s->streamed;
		counted += s->counted;
		ret->throttled += s->throttled;
		if (s->first_ns && (!ret->first_ns || s->first_ns < ret->first_ns))
			ret->first_ns = s->first_ns;
		if (s->last_ns > ret->last_ns)
			ret->last_ns = s->last_ns;
	}
	ret->lost = streamed > counted ? streamed : counted;
}

/*
 * Mark the processes of all samples, so that their state is written. Also mark the parent of each
 * FORK record, because the child inherits the parent's maps.
 */
static void window_mark(struct window *w, const uint8_t *p, size_t len)
{
	const uint8_t *record;
	uint64_t last = UINT64_MAX;
	size_t at = 0;

	while ((record = window_next(p, len, &at))) {
		uint32_t type = window_u32(record);
		uint64_t who;

		if (type == PERF_RECORD_SAMPLE && window_size(record) >= w->options.time_at + 8)
			who = window_u32(record + w->options.time_at - 8) |
			      (uint64_t)window_u32(record + w->options.time_at - 4) << 32;
		else if (type == PERF_RECORD_FORK && window_size(record) >= WINDOW_HEAD + 16)
			who = window_u32(record + WINDOW_HEAD + 4) |
			      (uint64_t)window_u32(record + WINDOW_HEAD + 12) << 32;
		else
			continue;
		if (who != last)
			window_state_mark(&w->state, (uint32_t)who, (uint32_t)(who >> 32));
		last = who;
	}
}

void window_write(struct window *w, struct out *out)
{
	VEC_FOREACH (s, &w->slices)
		window_mark(w, s->bytes.data, s->bytes.len);
	window_mark(w, w->late.data, w->late.len);
	window_state_write(&w->state, out);
	out_bytes(out, w->late.data, w->late.len);
	VEC_FOREACH (s, &w->slices)
		out_bytes(out, s->bytes.data, s->bytes.len);
}
