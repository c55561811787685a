/* SPDX-License-Identifier: MIT */
#include "record/window/live.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"
#include "record/window/window.h"

#include <time.h>

struct live {
	struct rec rec;
	struct record_result result;
	/* feature sections of the perf.data file, generated when the recording starts */
	struct out sections;
	uint64_t bits[4];
};

int live_open(const struct record_spec *spec, uint64_t span_ns, uint64_t max_bytes,
	      struct live **ret, struct error *err)
{
	struct live *l = xcalloc(1, sizeof(*l));
	struct rec *r = &l->rec;
	struct window_options options = { .span_ns = span_ns, .max_bytes = max_bytes };
	int status;

	rec_init(r, spec, &l->result);
	out_init(&l->sections);
	status = rec_open(r, err);
	if (status == OK) {
		r->reference_wall_ns = rec_clock_ns(CLOCK_REALTIME);
		r->reference_ns = rec_clock_ns(CLOCK_MONOTONIC);
		rec_rings_enable(r, true);
		rec_describe(r);
		(void)rec_tracing_data(r, &r->tracing);
		rec_features(r, 0, l->bits, &l->sections);
		options.time_at = r->layout.time_at;
		options.id_bytes = r->layout.id_bytes;
		r->began_ns = rec_clock_ns(CLOCK_MONOTONIC); /* the recording starts now */
		r->window = window_new(&options, r->began_ns);
		window_describe(r->window, r->synth.data, r->synth.len);
		out_fini(&r->synth);
		rec_rings_enable(r, false);
		status = rec_target_go(r, err);
	}
	rec_fill_result(r);
	if (status < 0) {
		live_close(l, NULL, NULL);
		return status;
	}
	*ret = l;
	return OK;
}

int live_fd(const struct live *l)
{
	return l->rec.epoll_fd;
}

enum live_state live_take(struct live *l)
{
	bool has_data;
	bool is_over = rec_poll(&l->rec, 0, &has_data);

	if (has_data)
		(void)rec_rings_drain(&l->rec, /* is_last= */ false);
	if (!is_over)
		return LIVE_RUNS;
	return l->result.end == RECORD_SIGNALLED ? LIVE_SIGNALLED : LIVE_ENDED;
}

void live_cut(struct live *l)
{
	uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);

	(void)rec_rings_drain(&l->rec, /* is_last= */ false);
	l->result.counts.elapsed_ns = now - l->rec.began_ns;
	rec_keep_cut(&l->rec, now);
}

void live_pause(struct live *l, bool is_on)
{
	(void)rec_rings_drain(&l->rec, /* is_last= */ false);
	window_pause(l->rec.window, is_on, rec_clock_ns(CLOCK_MONOTONIC));
}

void live_sum(const struct live *l, struct window_sum *ret)
{
	window_sum(l->rec.window, ret);
}

const struct record_result *live_result(const struct live *l)
{
	return &l->result;
}

uint32_t live_cpus(const struct live *l)
{
	const struct rec *r = &l->rec;

	return (uint32_t)(r->chosen_cpus.len ? r->chosen_cpus.len : r->cpus.len);
}

void live_image(struct live *l, struct out *out)
{
	rec_file_image(&l->rec, out_view(&l->sections), l->bits, out);
}

void live_close(struct live *l, bool *ret_has_status, int *ret_status)
{
	if (!l)
		return;
	if (l->rec.epoll_fd >= 0)
		rec_rings_disable(&l->rec);
	rec_end_command(&l->rec);
	if (ret_has_status)
		*ret_has_status = l->result.has_status;
	if (ret_status)
		*ret_status = l->result.status;
	rec_fini(&l->rec);
	out_fini(&l->sections);
	record_result_fini(&l->result);
	free(l);
}
