/* SPDX-License-Identifier: MIT */
/*
 * Keep the last seconds of records in memory. Write them to a file when SIGUSR2 arrives, when a
 * condition becomes true, and at the end.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/perf/record.h"
#include "record/window/when.h"
#include "record/window/window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* interval in ns between checks of the conditions */
#define KEEP_LOOK_NS    UINT64_C(500000000)
#define KEEP_CUT_MIN_NS UINT64_C(50000000)
#define KEEP_CUT_MAX_NS UINT64_C(1000000000)
/* the kept period is divided into this number of time slices */
#define KEEP_CUTS         16u
#define KEEP_MEMORY_SHARE 16u /* default memory limit: 1/16 of the machine's memory */
#define KEEP_NUMBER_MAX   1000000u

static uint64_t keep_cut_ns(const struct rec *r)
{
	uint64_t ns = r->spec->keep_ns ? r->spec->keep_ns / KEEP_CUTS : KEEP_CUT_MAX_NS / 4;

	return ns < KEEP_CUT_MIN_NS ? KEEP_CUT_MIN_NS : ns > KEEP_CUT_MAX_NS ? KEEP_CUT_MAX_NS : ns;
}

static uint64_t keep_bytes(const struct rec *r)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	return r->spec->keep_bytes ? r->spec->keep_bytes : memory / KEEP_MEMORY_SHARE;
}

static struct when_place keep_place(const struct rec *r)
{
	return (struct when_place){ "/proc", r->processes.data, r->processes.len };
}

int rec_keep_try(struct rec *r, struct error *err)
{
	int status = rec_output_make(r, err);

	if (status == OK)
		status = rec_file_create(r, err);
	rec_file_fini(&r->file);
	r->file = (struct rec_file){ .fd = -1 };
	(void)newfile_place(&r->output, /* is_complete= */ false);
	return status;
}

static void keep_add_process(struct rec *r, uint32_t pid)
{
	VEC_FOREACH (known, &r->processes) {
		if (*known == pid)
			return;
	}
	*VEC_PUSH(&r->processes) = pid;
}

int rec_keep_begin(struct rec *r, struct error *err)
{
	uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
	struct window_options options = { .span_ns =
						  r->spec->keep_ns ? r->spec->keep_ns : UINT64_MAX,
					  .max_bytes = keep_bytes(r),
					  .time_at = r->layout.time_at,
					  .id_bytes = r->layout.id_bytes };
	struct when_place place;
	int status = rec_keep_try(r, err);

	for (size_t i = 0; r->spec->conditions.len && i < r->tids.len; i++)
		keep_add_process(r, rec_process_of(r->tids.data[i]));
	place = keep_place(r);
	VEC_FOREACH (text, &r->spec->conditions) {
		struct when w;

		if (status == OK)
			status = when_parse(str_of(*text), &w, err);
		if (status < 0)
			return status;
		*VEC_PUSH(&r->conditions) = w;
		status = when_begin(&r->conditions.data[r->conditions.len - 1], &place, now, err);
	}
	if (status == OK)
		r->window = window_new(&options, now);
	r->cut_ns = r->looked_ns = now;
	return status;
}

void rec_keep_fini(struct rec *r)
{
	window_free(r->window);
	r->window = NULL;
	VEC_FOREACH (w, &r->conditions)
		when_fini(w);
	VEC_FREE(&r->conditions);
	VEC_FREE(&r->processes);
}

uint64_t rec_keep_next(const struct rec *r)
{
	uint64_t cut = r->cut_ns + keep_cut_ns(r);
	uint64_t look = r->looked_ns + KEEP_LOOK_NS;

	return r->conditions.len && look < cut ? look : cut;
}

void rec_keep_cut(struct rec *r, uint64_t now)
{
	if (r->result->counts.lost != r->lost_any)
		(void)rec_rings_lost(r);
	r->lost_any = r->result->counts.lost;
	window_cut(r->window, now);
	r->cut_ns = now;
}

/* Write the window (records in memory) to the open file r->file. @sum: result of window_sum(). */
static void keep_put(struct rec *r, const struct window_sum *sum)
{
	struct iovec iov;
	struct out o;

	out_init(&o);
	window_write(r->window, &o);
	iov = (struct iovec){ o.data, o.len };
	rec_file_data(&r->file, &iov, 1);
	out_fini(&o);
	rec_file_round(&r->file, sum->samples);
}

/*
 * Write the window (records in memory) to a temporary file, and close the file. r->result->counts
 * is set to the counts of this file.
 */
static int keep_write(struct rec *r, struct error *err)
{
	struct record_counts *c = &r->result->counts;
	uint64_t now = rec_clock_ns(CLOCK_MONOTONIC);
	struct window_sum sum;
	int status;

	(void)rec_rings_lost(r);
	rec_keep_cut(r, now);
	if (r->spec->keep_ns && now > r->spec->keep_ns)
		window_trim(r->window, now - r->spec->keep_ns);
	window_sum(r->window, &sum);
	r->first_ns = sum.first_ns;
	r->last_ns = sum.last_ns;
	c->samples = sum.samples;
	c->lost = sum.lost;
	c->elapsed_ns = now - (sum.from_ns > r->began_ns ? sum.from_ns : r->began_ns);
	if (r->spec->keep_ns && c->elapsed_ns > r->spec->keep_ns)
		c->elapsed_ns = r->spec->keep_ns;
	status = rec_output_make(r, err);
	if (status == OK)
		status = rec_file_create(r, err);
	if (status == OK) {
		keep_put(r, &sum);
		status = rec_file_finish(r, err);
	}
	rec_file_fini(&r->file);
	r->file = (struct rec_file){ .fd = -1 };
	return status;
}

/*
 * Rename the temporary file to the first free name of OUTPUT.001, OUTPUT.002 … Returns this name,
 * or NULL after an error. Owner: caller, free().
 */
static char *keep_name(struct rec *r, struct error *err)
{
	for (uint32_t i = 1; i < KEEP_NUMBER_MAX; i++) {
		struct error why = { "" };
		struct out o;
		int status;

		out_init(&o);
		out_printf(&o, "%s.%03" PRIu32, r->spec->output, i);
		out_char(&o, '\0');
		status = newfile_put_new(&r->output, o.data + strlen(r->spec->output), &why);
		if (status == OK)
			return o.data;
		if (status != ERR_LIMIT) {
			(void)fail(err, status, "%s: %s", o.data, why.msg);
			out_fini(&o);
			return NULL;
		}
		out_fini(&o);
	}
	(void)fail(err, ERR_LIMIT, "%s.NNN: all numbers are in use", r->spec->output);
	return NULL;
}

static void keep_snapshot(struct rec *r, const char *why)
{
	struct record_counts before = r->result->counts;
	enum record_end end = r->result->end;
	uint32_t most = r->spec->max_files ? r->spec->max_files : RECORD_MAX_FILES;
	CLEANUP(freep) char *name = NULL;
	struct record_file file = { .why = why };
	struct error err = { "" };

	if (r->files >= most) {
		rec_note(r,
			 "%" PRIu32 " files were written before the end; further ones were asked "
			 "for and are not (--ring-files)",
			 most);
		return;
	}
	if (keep_write(r, &err) == OK)
		name = keep_name(r, &err);
	(void)newfile_place(&r->output, /* is_complete= */ false);
	file.path = name;
	file.counts = r->result->counts;
	if (name) {
		r->files++;
	} else {
		file.why = err.msg;
		rec_note(r, "%s", err.msg);
	}
	if (r->spec->written)
		r->spec->written(r->spec->written_arg, &file);
	r->result->counts = before;
	r->result->end = end;
	r->file.error = 0;
}

void rec_keep_look(struct rec *r, uint64_t now)
{
	char why[256] = "";

	if (now >= r->cut_ns + keep_cut_ns(r))
		rec_keep_cut(r, now);
	if (r->conditions.len && now >= r->looked_ns + KEEP_LOOK_NS) {
		struct when_place place = keep_place(r);

		r->looked_ns = now;
		VEC_FOREACH (w, &r->conditions) {
			if (when_look(w, &place, now) && !why[0])
				when_describe(w, why, sizeof(why));
		}
	}
	if (r->is_asked)
		keep_snapshot(r, "SIGUSR2");
	else if (why[0])
		keep_snapshot(r, why);
}

int rec_keep_end(struct rec *r, struct error *err)
{
	struct window_sum sum;
	int status = keep_write(r, err);

	if (status == OK) {
		status = rec_output_put(r, err);
		/* do not delete the temporary file, because it has the only copy of the data */
		if (status < 0) {
			struct error why = *err;

			(void)fail(err, ERR_IO, "%.120s; the samples are in %.100s next to it",
				   why.msg, r->output.part);
			newfile_leave(&r->output);
		}
	}
	window_sum(r->window, &sum);
	if (sum.is_short && r->spec->keep_ns)
		rec_note(r,
			 "the last %.1f s are kept, not %.1f s: more than %" PRIu64
			 " MiB do not stay in memory; --ring takes a size, too, and fewer samples "
			 "(-F) last longer",
			 (double)r->result->counts.elapsed_ns / 1e9, (double)r->spec->keep_ns / 1e9,
			 keep_bytes(r) >> 20);
	if (sum.forgotten)
		rec_note(r,
			 "%" PRIu64 " maps are forgotten, of processes with more than %u, or names "
			 "of control groups beyond %u",
			 sum.forgotten, WINDOW_MAPS_MAX, WINDOW_CGROUPS_MAX);
	return status;
}
