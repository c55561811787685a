/* SPDX-License-Identifier: MIT */
#include "formats/exchange/export.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

/* Letter of the suffix of a name, such as 'k' of "_[k]". Index: enum symbol_space. */
static const char export_letters[] = "?kugGhbjvc";

static enum symbol_space export_implied(struct str module)
{
	enum symbol_space space = symbol_space_of_module(module);

	if (space == SPACE_UNKNOWN && module.len && !str_eq(module, STR("[unknown]")))
		return SPACE_USER;
	return space;
}

void export_plain(struct out *out, struct str s)
{
	size_t plain = 0;
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		unsigned char c = (unsigned char)s.p[i];
		size_t valid = c < 0x80 ? 1 : utf8_length(str_skip(s, i));
		uint32_t code = c;

		n = valid ? valid : 1;
		if (valid > 1)
			(void)utf8_decode(str_skip(s, i), &code);
		if (valid && (!utf8_is_unseen(code) || c == '\t'))
			continue;
		out_bytes(out, s.p + plain, i - plain);
		if (c == '\n' || c == '\r')
			out_char(out, ' ');
		else
			out_printf(out, valid > 1 ? "\\u%04x" : "\\x%02x", code);
		plain = i + n;
	}
	out_bytes(out, s.p + plain, s.len - plain);
}

void export_name(const struct symbols *t, sym_id sym, bool mark_inlined, struct out *out)
{
	const struct symbol *s = symbols_get(t, sym);

	out_str(out, symbols_name(t, sym));
	if (s->space == SPACE_COMM)
		return;
	if (s->space < SPACE_COUNT && s->space != export_implied(export_module(t, sym))) {
		out_z(out, "_[");
		out_char(out, export_letters[s->space]);
		out_char(out, ']');
	}
	if (mark_inlined && (s->flags & SYMBOL_INLINED))
		out_z(out, "_[i]");
}

struct str export_module(const struct symbols *t, sym_id sym)
{
	const struct symbol *s = symbols_get(t, sym);

	if (s->space == SPACE_COMM)
		return EXPORT_COMMAND;
	return s->space == SPACE_KERNEL && s->module.v == 0 ? EXPORT_KERNEL
							    : symbols_module(t, sym);
}

str_id export_module_id(const struct symbols *t, sym_id sym)
{
	const struct symbol *s = symbols_get(t, sym);

	if (s->space == SPACE_COMM || (s->space == SPACE_KERNEL && s->module.v == 0))
		return strings_add(t->strings, export_module(t, sym));
	return s->module;
}

sym_id export_symbol(struct dossier *d, struct str name, struct str module, bool is_inlined)
{
	enum symbol_space space = export_implied(module);

	if (str_eq(module, EXPORT_COMMAND))
		return symbols_add_text(&d->symbols, name, STR_NONE, SPACE_COMM, 0);
	if (str_eq(module, EXPORT_KERNEL))
		module = STR_NONE;
	while (name.len > 4 && name.p[name.len - 1] == ']' && name.p[name.len - 3] == '[' &&
	       name.p[name.len - 4] == '_') {
		char letter = name.p[name.len - 2];
		const char *at = memchr(export_letters, letter, sizeof(export_letters) - 2);

		if (letter == 'i')
			is_inlined = true;
		else if (at)
			space = (enum symbol_space)(at - export_letters);
		else
			break;
		name.len -= 4;
	}
	return symbols_add_text(&d->symbols, name, module, space, is_inlined ? SYMBOL_INLINED : 0);
}

int export_check_stacks(const struct capture *c, struct error *err)
{
	if ((c->profile && c->profile->samples.n) || (c->calls && c->calls->n))
		return OK;
	return fail(err, ERR_UNSUPPORTED,
		    "no stacks: only profiles with samples, and calls, have stacks");
}

void export_thread_name(const struct capture *c, const struct profile_thread *thread,
			struct out *out)
{
	if (!thread || (thread->comm.v == 0 && !thread->has_tid && !thread->has_pid)) {
		out_z(out, "all threads");
		return;
	}
	out_str(out, strings_get(capture_strings(c), thread->comm));
	if (thread->comm.v && (thread->has_pid || thread->has_tid))
		out_char(out, ' ');
	if (thread->has_pid)
		out_u64(out, thread->pid);
	if (thread->has_tid)
		out_printf(out, "/%u", thread->tid);
}

bool export_thread_parse(struct dossier *d, struct str name, struct profile_thread *ret)
{
	size_t blank = str_rfind_char(name, ' ');
	struct str ids = blank < name.len ? str_skip(name, blank + 1) : name;
	struct str comm = blank < name.len ? str_sub(name, 0, blank) : STR_NONE;
	uint64_t v;

	*ret = (struct profile_thread){ .pid = 0 };
	if (str_eq(name, STR("all threads")))
		return false;
	if (str_u64(&ids, &v) && v <= UINT32_MAX) {
		ret->pid = (uint32_t)v;
		ret->has_pid = true;
	}
	if (str_take(&ids, STR("/")) && str_u64(&ids, &v) && v <= UINT32_MAX) {
		ret->tid = (uint32_t)v;
		ret->has_tid = true;
	}
	if (ids.len || (!ret->has_pid && !ret->has_tid)) {
		*ret = (struct profile_thread){ .pid = 0 };
		comm = name;
	}
	ret->comm = strings_add(&d->strings, comm);
	return true;
}

struct str export_unit_name(const struct capture *c, enum weight_unit unit)
{
	switch (unit) {
	case WEIGHT_SAMPLES:
		return STR("samples");
	case WEIGHT_EVENTS:
		if (c->profile && c->profile->event.v)
			return strings_get(capture_strings(c), c->profile->event);
		return STR("events");
	case WEIGHT_NS:
		return STR("ns");
	case WEIGHT_PERCENT:
		return STR("%");
	case WEIGHT_BYTES:
		return STR("bytes");
	case WEIGHT_UNKNOWN:
		break;
	}
	return STR("");
}

/*
 * Would two captures have the same name in a written file? They would if both have samples with the
 * same event and unit, or if both have no samples.
 */
static bool export_is_alike(const struct capture *a, const struct capture *b)
{
	bool has_samples = a->profile && a->profile->samples.n;

	if (has_samples != (b->profile && b->profile->samples.n))
		return false;
	return !has_samples || (a->profile->event.v == b->profile->event.v &&
				profile_sample_unit(a->profile) == profile_sample_unit(b->profile));
}

void export_origin(const struct capture *const *captures, size_t n, size_t i, struct out *out)
{
	const struct capture *c = captures[i];
	bool is_alone = true;
	/* every other capture with the same name as @c has another path */
	bool has_path = false;
	/* every other capture with the same name as @c has another path or another first line */
	bool has_line = false;

	for (size_t k = 0; k < n; k++) {
		const struct capture *other = captures[k];

		if (k == i || !export_is_alike(c, other))
			continue;
		has_path |= is_alone;
		has_line |= is_alone;
		is_alone = false;
		has_path &= other->path.v != c->path.v;
		has_line &= other->path.v != c->path.v || other->first_line != c->first_line;
	}
	if (is_alone)
		return;
	out_printf(out, " of " STR_FMT, STR_ARG(strings_get(capture_strings(c), c->path)));
	if (!has_path && has_line)
		out_printf(out, " line %u", c->first_line);
	else if (!has_path)
		out_printf(out, " capture %zu", i + 1);
}

struct export_timed {
	uint64_t time_ns;
	uint32_t sample;
};

static int export_timed_cmp(const void *va, const void *vb)
{
	const struct export_timed *a = va;
	const struct export_timed *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/*
 * Sort the samples of one thread by time. @order: their indexes, which are nearly always sorted
 * already.
 */
static void export_sort_times(const struct profile *p, uint32_t *order, size_t n)
{
	const uint64_t *time = p->samples.time_ns.data;
	struct export_timed *timed;
	size_t i = 1;

	while (i < n && time[order[i - 1]] <= time[order[i]])
		i++;
	if (i >= n)
		return;
	timed = xmalloc(n * sizeof(*timed));
	for (i = 0; i < n; i++)
		timed[i] = (struct export_timed){ time[order[i]], order[i] };
	qsort(timed, n, sizeof(*timed), export_timed_cmp);
	for (i = 0; i < n; i++)
		order[i] = timed[i].sample;
	free(timed);
}

void export_threads_of(const struct profile *p, struct export_threads *ret)
{
	const struct samples *s = &p->samples;

	*ret = (struct export_threads){ .n = 1 };
	ret->has_threads = s->thread.len == s->n && p->threads.len > 0;
	if (ret->has_threads)
		ret->n = (uint32_t)p->threads.len;
	ret->order = xmalloc((s->n + 1) * sizeof(*ret->order));
	ret->first = xcalloc((size_t)ret->n + 2, sizeof(*ret->first));
	for (size_t i = 0; i < s->n; i++)
		ret->first[(ret->has_threads ? s->thread.data[i] : 0) + 2]++;
	for (uint32_t t = 2; t < ret->n + 2; t++)
		ret->first[t] += ret->first[t - 1];
	for (size_t i = 0; i < s->n; i++)
		ret->order[ret->first[(ret->has_threads ? s->thread.data[i] : 0) + 1]++] =
			(uint32_t)i;
	for (uint32_t t = 0; t < ret->n && s->time_ns.len == s->n; t++)
		export_sort_times(p, ret->order + ret->first[t], ret->first[t + 1] - ret->first[t]);
}

void export_threads_fini(struct export_threads *t)
{
	free(t->order);
	free(t->first);
	*t = (struct export_threads){ .n = 0 };
}

/*
 * Assign the lanes of @c (a task on a CPU) to tracks, the rows of a viewer. Each task has a track;
 * if tasks are unknown, each CPU has one. Returns the track of each lane. Owner: caller, free().
 */
static uint32_t *export_tracks(const struct calls *c, struct export_layout *l)
{
	uint32_t *of = xcalloc(c->lanes.len + 1, sizeof(*of));
	struct idmap map = { 0 };

	for (uint32_t i = 0; i < c->lanes.len; i++) {
		const struct call_lane *lane = &c->lanes.data[i];
		uint64_t a = c->has_tasks ? lane->comm.v : lane->cpu;
		uint64_t b = c->has_tasks ? (uint64_t)lane->pid << 1 | lane->has_pid : 0;
		struct idmap_probe probe = idmap_first(&map, hash_u64(a, b));
		bool is_found = false;

		while (!is_found && idmap_next(&map, &probe)) {
			const struct call_lane *known =
				&c->lanes.data[l->track_lane.data[probe.id]];

			is_found = c->has_tasks ? known->comm.v == lane->comm.v &&
							  known->pid == lane->pid &&
							  known->has_pid == lane->has_pid
						: known->cpu == lane->cpu;
			of[i] = probe.id;
		}
		if (is_found)
			continue;
		of[i] = (uint32_t)l->track_lane.len;
		idmap_insert(&map, &probe, of[i]);
		*VEC_PUSH(&l->track_lane) = i;
	}
	if (c->lanes.len == 0)
		*VEC_PUSH(&l->track_lane) = 0;
	idmap_fini(&map);
	return of;
}

void export_layout_of(const struct calls *c, struct export_layout *ret)
{
	uint64_t *need = xcalloc(c->n + 1, sizeof(*need));
	/* per call: total duration of those callees that have no start yet */
	uint64_t *below = xcalloc(c->n + 1, sizeof(*below));
	uint64_t *cursor = xcalloc(c->n + 1, sizeof(*cursor));
	uint64_t *track_cursor;
	uint32_t *track_of_lane;

	*ret = (struct export_layout){ .n_tracks = 0 };
	track_of_lane = export_tracks(c, ret);
	ret->n_tracks = (uint32_t)ret->track_lane.len;
	track_cursor = xcalloc(ret->n_tracks, sizeof(*track_cursor));
	ret->start = xcalloc(c->n + 1, sizeof(*ret->start));
	ret->end = xcalloc(c->n + 1, sizeof(*ret->end));
	ret->track = xcalloc(c->n + 1, sizeof(*ret->track));
	ret->is_measured = c->start_ns.len == c->n && c->n;
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];
		uint64_t dur = calls_duration(c, (uint32_t)i);

		need[i] = dur > below[i] ? dur : below[i];
		if (parent < i)
			below[parent] = number_sum(below[parent], need[i]);
	}
	for (size_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];
		uint32_t lane = c->lane.data[i];
		uint64_t start = ret->is_measured ? c->start_ns.data[i] : UINT64_MAX;
		uint64_t from;

		if (parent < i) {
			uint64_t latest = ret->end[parent] - below[parent];

			ret->track[i] = ret->track[parent];
			from = cursor[parent];
			if (start != UINT64_MAX && start > from)
				from = start < latest ? start : latest > from ? latest : from;
			below[parent] -= need[i];
			cursor[parent] = number_sum(from, need[i]);
		} else {
			ret->track[i] = lane < c->lanes.len ? track_of_lane[lane] : 0;
			from = track_cursor[ret->track[i]];
			if (start != UINT64_MAX && start > from)
				from = start;
			track_cursor[ret->track[i]] = number_sum(from, need[i]);
		}
		ret->start[i] = cursor[i] = from;
		ret->end[i] = number_sum(from, need[i]);
	}
	free(need);
	free(below);
	free(cursor);
	free(track_cursor);
	free(track_of_lane);
}

void export_layout_fini(struct export_layout *l)
{
	free(l->start);
	free(l->end);
	free(l->track);
	VEC_FREE(&l->track_lane);
	*l = (struct export_layout){ .n_tracks = 0 };
}
