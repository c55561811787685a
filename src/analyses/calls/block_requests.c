/* SPDX-License-Identifier: MIT */
#include "analyses/calls/block_requests.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"

#define BLOCK_DEVICES 64u

enum block_step {
	BLOCK_NOTHING,
	BLOCK_QUEUED,
	BLOCK_ISSUED,
	BLOCK_COMPLETED,
	BLOCK_MERGED,
	BLOCK_SPLIT,
};

/* An event of the trace about a request of a block device. */
struct block_event {
	enum block_step step;
	struct str device;
	uint64_t sector;
	uint64_t sectors;
	bool is_read;
	bool is_write;
	/* PREFLUSH or FUA: the device's cache is flushed before or after the request */
	bool is_flush;
};

/*
 * A request that has not completed yet. After its completion, the entry stays, and the next request
 * with the same device and first sector reuses it.
 */
struct block_open {
	uint64_t queued_ns;
	uint64_t issued_ns;
	/* time at which the latest request with this device and first sector completed */
	uint64_t done_ns;
	uint64_t sector;
	uint32_t device;
	uint32_t line;
	bool is_queued;
	bool is_issued;
};

/* The latest read or write that was issued on a device. */
struct block_last {
	uint64_t end; /* first sector after this request */
	uint64_t time_ns;
	uint32_t open; /* index of the request in block_finder.open */
	bool is_known;
	bool is_write;
	bool is_flushed; /* a flush was issued after this request */
};

struct block_finder {
	struct block_requests *ret;
	VEC(struct block_open) open;
	struct idmap map; /* finds the index in `open` for a device and a first sector */
	struct block_last last[BLOCK_DEVICES];
};

static enum block_step block_step_of(struct str name)
{
	static const struct {
		const char *name;
		enum block_step step;
	} steps[] = {
		{ "block_bio_queue|block_getrq|block_rq_insert", BLOCK_QUEUED },
		{ "block_rq_issue", BLOCK_ISSUED },
		{ "block_rq_complete", BLOCK_COMPLETED },
		{ "block_bio_backmerge|block_bio_frontmerge|block_rq_merge", BLOCK_MERGED },
		{ "block_split", BLOCK_SPLIT },
	};

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (str_glob(str_of(steps[i].name), name))
			return steps[i].step;
	}
	return BLOCK_NOTHING;
}

/* Parse the first sector and the number of sectors in the fields of an event: "401408 + 8". */
static bool block_place(struct str fields, struct block_event *ret)
{
	size_t plus = str_find(fields, STR(" + "));
	struct str size = str_skip(fields, plus + 3);
	struct str before = str_sub(fields, 0, plus);
	size_t blank = str_rfind_char(before, ' ');
	struct str sector = str_skip(before, blank + 1);

	return plus < fields.len && blank < before.len && str_u64(&sector, &ret->sector) &&
	       sector.len == 0 && str_u64(&size, &ret->sectors) && ret->sectors <= UINT32_MAX &&
	       ret->sector <= UINT64_MAX - ret->sectors;
}

/*
 * Parse an event such as "block_rq_issue: 259,0 WS 4096 () 401408 + 8 [fio]". Returns false if it
 * is no event of a block request.
 */
static bool block_event_of(const struct capture *c, const struct call_mark *m,
			   struct block_event *ret)
{
	struct str text = strings_get(capture_strings(c), m->text);
	size_t colon = str_find_char(text, ':');
	struct str fields = str_skip(text, colon + 1);
	struct str kind;

	if (m->kind != MARK_EVENT || !str_starts(text, STR("block_")) || colon >= text.len)
		return false;
	ret->step = block_step_of(str_sub(text, 0, colon));
	if (ret->step == BLOCK_NOTHING || !str_word(&fields, &ret->device) ||
	    !str_word(&fields, &kind))
		return false;
	/*
	 * for example "FWFS": an 'F' before the operation's letter means PREFLUSH, an 'F' after it
	 * FUA. Source: kernel, blk_fill_rwbs()
	 */
	ret->is_read = str_find_char(kind, 'R') < kind.len;
	ret->is_write = str_find_char(kind, 'W') < kind.len;
	ret->is_flush = str_find_char(kind, 'F') < kind.len;
	/*
	 * a split event shows no number of sectors: in "401408 / 401416", the first sector and the
	 * sector at which the bio is split
	 */
	return ret->step == BLOCK_SPLIT || block_place(fields, ret);
}

/*
 * Find the device @name, or add it. Returns its index. If the device is new and there are
 * BLOCK_DEVICES devices already, returns the index of the last one.
 */
static uint32_t block_device(struct block_finder *f, struct str name)
{
	VEC_FOREACH (device, &f->ret->devices) {
		if (str_eq(device->name, name))
			return (uint32_t)(device - f->ret->devices.data);
	}
	if (f->ret->devices.len < BLOCK_DEVICES)
		*VEC_PUSH(&f->ret->devices) = (struct block_device){ .name = name };
	return (uint32_t)f->ret->devices.len - 1;
}

/* Find the request of @device that begins at @sector. If `open` has none, add one. */
static struct block_open *block_open_of(struct block_finder *f, uint32_t device, uint64_t sector)
{
	struct idmap_probe p = idmap_first(&f->map, hash_u64(device, sector));

	while (idmap_next(&f->map, &p)) {
		struct block_open *o = &f->open.data[p.id];

		if (o->device == device && o->sector == sector)
			return o;
	}
	idmap_insert(&f->map, &p, (uint32_t)f->open.len);
	*VEC_PUSH(&f->open) = (struct block_open){ .device = device, .sector = sector };
	return &f->open.data[f->open.len - 1];
}

static void block_complete(struct block_finder *f, struct block_open *o,
			   const struct block_event *e, const struct call_mark *m)
{
	bool has_wait = o->is_queued && o->queued_ns <= o->issued_ns;

	if (o->is_issued && m->time_ns >= o->issued_ns)
		*VEC_PUSH(&f->ret->done) = (struct block_request){
			.device = o->device,
			.line = o->line,
			.end_line = m->line,
			.sector = o->sector,
			.wait_ns = has_wait ? o->issued_ns - o->queued_ns : 0,
			.device_ns = m->time_ns - o->issued_ns,
			.sectors = (uint32_t)e->sectors,
			.is_write = e->is_write,
			.has_wait = has_wait,
		};
	o->is_queued = o->is_issued = false;
	o->done_ns = m->time_ns;
}

/*
 * Append the issue of a read or write to `issued`. A flush without data only sets
 * block_last.is_flushed.
 */
static void block_issue(struct block_finder *f, uint32_t device, const struct block_event *e,
			const struct call_mark *m, uint32_t open)
{
	struct block_last *last = &f->last[device];
	bool is_known = last->is_known;
	const struct block_open *o = &f->open.data[open];
	const struct block_open *before = is_known ? &f->open.data[last->open] : NULL;

	if (e->sectors == 0 || !(e->is_read || e->is_write)) {
		last->is_flushed |= e->is_flush;
		return;
	}
	f->ret->devices.data[device].issues++;
	*VEC_PUSH(&f->ret->issued) = (struct block_issue){
		.device = device,
		.line = m->line,
		.sectors = (uint32_t)e->sectors,
		.gap_ns = is_known && m->time_ns >= last->time_ns ? m->time_ns - last->time_ns : 0,
		.is_next = is_known && last->end == e->sector && last->is_write == e->is_write,
		.is_pending = before && (before->is_issued ||
					 (o->is_queued && o->queued_ns < before->done_ns)),
		.is_queued = o->is_queued,
		.is_flushed = e->is_flush || last->is_flushed,
	};
	*last = (struct block_last){ .end = e->sector + e->sectors,
				     .time_ns = m->time_ns,
				     .open = open,
				     .is_known = true,
				     .is_write = e->is_write };
}

static void block_take(struct block_finder *f, const struct block_event *e,
		       const struct call_mark *m)
{
	uint32_t device = block_device(f, e->device);
	struct block_open *o;

	if (e->step == BLOCK_MERGED || e->step == BLOCK_SPLIT) {
		struct block_device *d = &f->ret->devices.data[device];

		d->merges += e->step == BLOCK_MERGED;
		d->splits += e->step == BLOCK_SPLIT;
		return;
	}
	o = block_open_of(f, device, e->sector);
	switch (e->step) {
	case BLOCK_QUEUED:
		/*
		 * up to three events (queue, getrq, insert) precede the issue of a request: keep
		 * the time of the first event. If the previous request at this sector was issued
		 * but never completed, the new one replaces it
		 */
		if (o->is_queued && !o->is_issued)
			break;
		o->is_queued = true;
		o->is_issued = false;
		o->queued_ns = m->time_ns;
		o->line = m->line;
		break;
	case BLOCK_ISSUED:
		o->line = o->is_queued && !o->is_issued ? o->line : m->line;
		o->is_issued = true;
		o->issued_ns = m->time_ns;
		block_issue(f, device, e, m, (uint32_t)(o - f->open.data));
		break;
	case BLOCK_COMPLETED:
		block_complete(f, o, e, m);
		break;
	default:
		break;
	}
}

void block_requests_find(struct block_requests *b, const struct capture *c)
{
	struct block_finder f = { .ret = b };

	*b = (struct block_requests){ 0 };
	VEC_FOREACH (m, &c->calls->marks) {
		struct block_event e;

		if (block_event_of(c, m, &e))
			block_take(&f, &e, m);
	}
	VEC_FREE(&f.open);
	idmap_fini(&f.map);
}

void block_requests_fini(struct block_requests *b)
{
	VEC_FREE(&b->done);
	VEC_FREE(&b->issued);
	VEC_FREE(&b->devices);
}
