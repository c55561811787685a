/* SPDX-License-Identifier: MIT */
/*
 * perf_script.c - the text of `perf script`
 *
 * A sample is a header line and, with call chains, one line per frame. The innermost frame comes
 * first, and an empty line ends the sample. Each event becomes a separate capture, because weights
 * of different events must not be added.
 *
 * Source: perf's builtin-script.c. See docs/formats/perf-script.md.
 */
#include "formats/perf_script/perf_script.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/perf_script/perf_script_cache.h"
#include "formats/perf_script/perf_script_events.h"
#include "formats/perf_script/perf_script_write.h"

DECLARE_FORMAT(perf_script);

#define SCRIPT_RELEASE_BYTES (UINT32_C(4) << 20)
#define SCRIPT_NOTES         256u
#define SCRIPT_WHO_SLOTS     1024u
#define SCRIPT_WHO_BYTES     48u

static const struct diag_kind script_unknown_line = {
	"perf-script-unknown-lines", DIAG_DATALOSS, "lines that are neither a sample nor a frame"
};
static const struct diag_kind script_bad_frame = { "perf-script-bad-frames", DIAG_DATALOSS,
						   "lines of a stack that are no frame" };
static const struct diag_kind script_orphan_frame = { "perf-script-orphan-frames", DIAG_DATALOSS,
						      "frames without a sample before them" };
static const struct diag_kind script_deep_stack = { "perf-script-deep-frames", DIAG_DATALOSS,
						    "outer frames of stacks deeper than 4096" };
static const struct diag_kind script_many_events = {
	"perf-script-many-events", DIAG_DATALOSS, "samples of further events than the first 1024"
};
static const struct diag_kind script_trace_error = {
	"perf-script-trace-errors", DIAG_DATALOSS, "instruction trace errors: branches are missing"
};
static const struct diag_kind script_mixed_period = {
	"perf-script-mixed-periods", DIAG_ERROR,
	"samples with a period among samples without, or without among such: taken as 1"
};
static const struct diag_kind script_mixed_time = {
	"perf-script-mixed-times", DIAG_INFO, "samples without a time among samples with one"
};
static const struct diag_kind script_delta_time = {
	"perf-script-delta-times", DIAG_INFO, "samples that print the time since the one before"
};
static const struct diag_kind script_side_record = {
	"perf-script-side-records", DIAG_INFO, "records that are no sample (mmap, comm, cgroup)"
};
static const struct diag_kind script_source_line = {
	"perf-script-source-lines", DIAG_INFO, "places in the source behind frames, not kept"
};
static const struct diag_kind script_gap = { "perf-script-gaps", DIAG_INFO,
					     "places where grep left lines out" };

/* An event of the text, such as "cycles". */
struct script_event {
	str_id name;
	uint32_t capture; /* index in dossier.captures */
	/*
	 * number of samples that differ from the event's first sample: they have a period and the
	 * first sample has none, or the reverse
	 */
	uint64_t without_period;
	/* number of samples without a time, if the event's first sample has a time */
	uint64_t without_time;
	bool has_period; /* the event's first sample has a period */
	bool has_time;   /* the event's first sample has a time */
};

/*
 * Entry of a cache. The key is the text "comm pid/tid" of a header line, as printed. The value is
 * the thread, and the stack node of its command.
 */
struct script_who_slot {
	char text[SCRIPT_WHO_BYTES];
	uint32_t len; /* length of `text`; 0: the slot is empty */
	uint32_t event;
	uint32_t thread;
	stack_id root;
};

struct script_reader {
	const struct region *in;
	struct dossier *dossier;
	struct str text;
	size_t at;     /* offset of the next unread line */
	uint32_t line; /* number of the next unread line in `text`, counted from 0 */
	size_t released;
	/* diagnostics of the whole text; its first capture gets them when the text ends */
	struct diag diag;
	VEC(struct script_event) events;
	VEC(struct capture_note) notes;
	str_id command;
	uint64_t lost;
	bool has_lost;

	/* the current sample */
	struct script_header header;
	uint32_t event;
	uint32_t thread;
	stack_id root;
	/* frames of the current sample, innermost first; there is room for LIMIT_STACK_DEPTH */
	sym_id *frames;
	size_t n_frames;

	/*
	 * Statistics of the times. script_is_delta() uses them to decide whether times are
	 * differences
	 */
	uint64_t first_time_ns;
	uint64_t last_time_ns;
	uint64_t n_times;
	uint64_t n_times_back;

	struct script_cache cache;
	struct script_who_slot *who;
	struct script_events marks;
};

static void script_count(struct script_reader *r, const struct diag_kind *kind)
{
	diag_count(&r->diag, kind, region_line(r->in, r->line));
}

static struct profile *script_profile(struct script_reader *r)
{
	return r->dossier->captures.data[r->events.data[r->event].capture]->profile;
}

/*
 * The line at offset @at of the text, without its line break. @ret_next: offset of the next line,
 * or @at if the text ends at @at.
 */
static struct str script_line_at(const struct script_reader *r, size_t at, size_t *ret_next)
{
	struct str rest = str_skip(r->text, at);
	struct str line = STR_NONE;

	if (!str_line(&rest, &line))
		*ret_next = at;
	else
		*ret_next = (size_t)(rest.p - r->text.p);
	return line;
}

/*
 * Store a header line "# key : value" as a note. perf script --header prints such lines before the
 * first sample.
 */
static void script_comment(struct script_reader *r, struct str line)
{
	struct str key;
	struct str value;
	size_t colon;

	line = str_trim(str_skip(line, 1));
	colon = str_find_char(line, ':');
	if (colon == line.len || r->events.len || r->notes.len >= SCRIPT_NOTES)
		return;
	key = str_trim(str_sub(line, 0, colon));
	value = str_trim(str_skip(line, colon + 1));
	*VEC_PUSH(&r->notes) = (struct capture_note){ strings_add(&r->dossier->strings, key),
						      strings_add(&r->dossier->strings, value),
						      region_line(r->in, r->line) };
	if (str_eq(key, STR("cmdline")))
		r->command = strings_add(&r->dossier->strings, value);
}

static bool script_counts_ns(struct str event)
{
	return str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock"));
}

/*
 * Set r->event to the event that the current header line names. If the event is new, add it and its
 * capture. False: too many events.
 */
static bool script_find_event(struct script_reader *r)
{
	const struct script_header *h = &r->header;
	struct strings *strings = &r->dossier->strings;
	struct capture *c;
	struct profile *p;
	str_id name;

	if (r->events.len && str_eq(strings_get(strings, r->events.data[r->event].name), h->event))
		return true;
	name = strings_add(strings, h->event);
	for (uint32_t i = 0; i < r->events.len; i++) {
		if (r->events.data[i].name.v == name.v) {
			r->event = i;
			return true;
		}
	}
	if (r->events.len >= LIMIT_EVENTS)
		return false;
	c = dossier_add(r->dossier, "perf-script");
	c->path = r->in->path;
	c->command = r->command;
	p = capture_profile(c);
	p->event = name;
	p->unit = WEIGHT_SAMPLES;
	if (h->has_period)
		p->unit = script_counts_ns(h->event) ? WEIGHT_NS : WEIGHT_EVENTS;
	r->event = (uint32_t)r->events.len;
	*VEC_PUSH(&r->events) = (struct script_event){
		.name = name,
		.capture = (uint32_t)r->dossier->captures.len - 1,
		.has_period = h->has_period,
		.has_time = h->has_time,
	};
	return true;
}

/*
 * The command in the header line. perf prints ":9925" for a thread whose name is unknown. If the
 * event is a switch from this thread to another thread, the field prev_comm has the name.
 */
static struct str script_command(const struct script_header *h)
{
	struct str rest = h->rest;
	size_t end;

	if (h->comm.len < 2 || h->comm.p[0] != ':' || !str_take(&rest, STR("prev_comm=")))
		return h->comm;
	end = str_find(rest, STR(" prev_pid="));
	return end && end < rest.len ? str_sub(rest, 0, end) : h->comm;
}

/*
 * Set r->thread and r->root from comm, pid and tid of the header line. r->root is the stack node of
 * the command.
 */
static void script_find_who(struct script_reader *r)
{
	const struct script_header *h = &r->header;
	struct profile *p = script_profile(r);
	struct str who = h->who;
	uint64_t hash = hash_u64(hash_str(who), r->event);
	struct script_who_slot *slot = &r->who[hash & (SCRIPT_WHO_SLOTS - 1)];
	str_id comm;

	if (LIKELY(slot->len == who.len && slot->len && slot->event == r->event &&
		   memcmp(slot->text, who.p, who.len) == 0)) {
		r->thread = slot->thread;
		r->root = slot->root;
		return;
	}
	comm = strings_add(&r->dossier->strings, script_command(h));
	r->thread = profile_thread(p, (struct profile_thread){ .comm = comm,
							       .pid = h->pid,
							       .tid = h->tid,
							       .has_pid = h->has_pid,
							       .has_tid = h->has_tid });
	r->root = STACK_ROOT;
	if (h->comm.len)
		r->root = stacks_push(
			&p->stacks, STACK_ROOT,
			symbols_add(&r->dossier->symbols, comm, STR_ID_NONE, SPACE_COMM));
	if (who.len == 0 || who.len > SCRIPT_WHO_BYTES)
		return;
	memcpy(slot->text, who.p, who.len);
	slot->len = (uint32_t)who.len;
	slot->event = r->event;
	slot->thread = r->thread;
	slot->root = r->root;
}

static void script_note_time(struct script_reader *r, uint64_t time_ns)
{
	if (r->n_times == 0)
		r->first_time_ns = time_ns;
	else
		r->n_times_back += time_ns < r->last_time_ns;
	r->last_time_ns = time_ns;
	r->n_times++;
}

/*
 * Find the value of the field @name in @rest, the fields of a tracepoint: the word after "name=".
 * False: not found.
 */
static bool script_field(struct str rest, struct str name, struct str *ret)
{
	while (rest.len) {
		size_t at = str_find(rest, name);
		bool is_word = at == 0 || (at < rest.len && rest.p[at - 1] == ' ');

		if (at >= rest.len)
			return false;
		rest = str_skip(rest, at + name.len);
		if (is_word && str_take(&rest, STR("="))) {
			*ret = str_sub(rest, 0, str_find_char(rest, ' '));
			return true;
		}
	}
	return false;
}

static void script_add_fields(struct script_reader *r)
{
	struct profile *p = script_profile(r);
	struct strings *strings = &r->dossier->strings;
	struct str value;

	for (size_t i = 0; i < r->in->n_fields; i++) {
		if (script_field(r->header.rest, r->in->fields[i], &value))
			profile_set_field(p, p->samples.n - 1,
					  strings_add(strings, r->in->fields[i]),
					  strings_add(strings, value));
	}
}

/*
 * Add the current sample to the profile of its event. The weight is the period of the sample, or 1
 * if it has none. @stack: stack node of the sample.
 */
static int script_add(struct script_reader *r, stack_id stack)
{
	const struct script_header *h = &r->header;
	struct script_event *e = &r->events.data[r->event];
	struct profile *p = script_profile(r);
	struct samples *s = &p->samples;
	uint64_t weight = 1;

	if (e->has_period && h->has_period)
		weight = h->period;
	else
		e->without_period += e->has_period || h->has_period;
	if (profile_add_sample(p, stack, weight) < 0)
		return ERR_LIMIT;
	*VEC_PUSH(&s->thread) = r->thread;
	if (e->has_time) {
		*VEC_PUSH(&s->time_ns) = h->has_time ? h->time_ns : r->last_time_ns;
		e->without_time += !h->has_time;
	}
	if (h->has_time)
		script_note_time(r, h->time_ns);
	if (h->cpu != UINT16_MAX || s->cpu.len) {
		while (s->cpu.len + 1 < s->n)
			*VEC_PUSH(&s->cpu) = UINT16_MAX;
		*VEC_PUSH(&s->cpu) = h->cpu;
	}
	if (r->in->n_fields && h->rest.len)
		script_add_fields(r);
	return OK;
}

static void script_push_frame(struct script_reader *r, sym_id sym)
{
	if (r->n_frames < LIMIT_STACK_DEPTH)
		r->frames[r->n_frames++] = sym;
	else
		script_count(r, &script_deep_stack);
}

/*
 * Push one frame for each name in @names: "LFoo;::a->LBar;::b". perf-map-agent writes such a list
 * for a Java function and the functions that are inlined into it, outermost first.
 */
static void script_push_unfolded(struct script_reader *r, struct str names, struct str module)
{
	struct str parts[16];
	size_t n = 0;

	while (n < ARRAY_LEN(parts) - 1 && str_find(names, STR("->")) < names.len) {
		size_t arrow = str_find(names, STR("->"));

		parts[n++] = str_sub(names, 0, arrow);
		names = str_skip(names, arrow + 2);
	}
	parts[n++] = names;
	while (n--)
		script_push_frame(r, symbols_add_text(&r->dossier->symbols, parts[n], module,
						      SPACE_JIT, n ? SYMBOL_INLINED : 0));
}

/*
 * Whether the address of @f becomes the name of the frame. True if @f is the innermost frame of its
 * sample and in a file without symbols: different addresses are then in different functions. An
 * unknown caller keeps the name "[unknown]", so that equal stacks can be added up. A frame in
 * generated code also keeps this name, because its address is valid only in this run.
 */
static bool script_is_stripped(const struct script_reader *r, const struct script_frame *f)
{
	return r->n_frames == 0 && str_glob(STR("[unknown]|"), f->symbol) &&
	       !f->is_kernel_address && str_starts(f->module, STR("/")) &&
	       !str_glob(STR("//*|/memfd:*|/dev/*|/SYSV*|/anon_hugepage*|*.map"), f->module);
}

static void script_push(struct script_reader *r, const struct script_frame *f)
{
	struct str name = f->symbol;
	char text[2 + 16];

	if (!f->is_inlined && (script_is_stripped(r, f) || (name.len == 0 && !f->module.p))) {
		struct str address = f->address;

		while (f->module.p && address.len > 1 && address.p[0] == '0')
			address = str_skip(address, 1);
		address = str_sub(address, 0, 16);
		memcpy(text, "0x", 2);
		memcpy(text + 2, address.p, address.len);
		name = (struct str){ text, 2 + address.len };
	} else if (name.len == 0) {
		name = STR("[unknown]");
	}
	if (f->is_inlined) {
		script_push_frame(r,
				  symbols_add_text(&r->dossier->symbols, name, f->module,
						   f->is_kernel_address ? SPACE_KERNEL : SPACE_USER,
						   SYMBOL_INLINED));
		return;
	}
	if (str_ends(f->module, STR(".map")) && str_contains(name, STR("->"))) {
		script_push_unfolded(r, name, f->module);
		return;
	}
	script_push_frame(r, script_cache_frame(&r->cache, name, f->module, f->is_kernel_address));
}

/*
 * Push r->frames as callees of r->root, the node of the command. r->frames has the innermost frame
 * first. Returns the node of the stack.
 */
static stack_id script_stack(struct script_reader *r)
{
	struct profile *p = script_profile(r);
	stack_id stack = r->root;

	for (size_t i = r->n_frames; i > 0; i--)
		stack = stacks_push(&p->stacks, stack, r->frames[i - 1]);
	return stack;
}

/*
 * Parse the line at r->at as a frame of the current sample. False: the line is no frame, so it ends
 * the stack.
 */
static bool script_take_frame(struct script_reader *r)
{
	size_t next;
	struct str line = script_line_at(r, r->at, &next);
	struct script_header header;
	struct script_frame frame;
	sym_id sym;

	if (next == r->at)
		return false;
	/*
	 * an innermost frame without a symbol gets its address as its name. The cache has no
	 * addresses, so script_push() must add such a frame
	 */
	if (!(r->n_frames == 0 && str_starts(str_skip(line, 18), STR("[unknown] ("))) &&
	    LIKELY(script_cache_line(&r->cache, line, &sym))) {
		script_push_frame(r, sym);
	} else if (str_trim(line).len == 0) {
		return false;
	} else if (script_frame(line, &frame)) {
		script_push(r, &frame);
	} else if (line.p[0] == '#' || script_header(line, &header) ||
		   script_is_trace_error(line)) {
		return false;
	} else if (script_is_source_line(line)) {
		script_count(r, &script_source_line);
	} else if (char_is_blank(line.p[0])) {
		script_count(r, &script_bad_frame);
	} else {
		return false;
	}
	r->at = next;
	r->line++;
	return true;
}

/* Read the stack of the current sample. Then add the sample to the profile of its event. */
static int script_read_stack(struct script_reader *r)
{
	while (script_take_frame(r))
		;
	return script_add(r, script_stack(r));
}

static void script_side_line(struct script_reader *r, struct str rest)
{
	uint64_t n;

	script_count(r, &script_side_record);
	if (str_take(&rest, STR("PERF_RECORD_LOST lost ")) && str_u64(&rest, &n)) {
		r->has_lost = true;
		r->lost += n;
	}
}

static void script_mark(struct script_reader *r)
{
	const struct script_header *h = &r->header;
	struct strings *strings = &r->dossier->strings;

	if (h->has_time)
		script_events_add(
			&r->marks, strings, script_events_name(h->event), h->rest,
			(struct script_mark){
				.time_ns = h->time_ns,
				.comm = h->comm.len ? strings_add(strings, h->comm) : STR_ID_NONE,
				.pid = h->has_tid ? h->tid : h->pid,
				.line = region_line(r->in, r->line - 1),
				.cpu = h->cpu,
			});
}

/*
 * Process the sample with the header line r->header. At the call, r->at is the line after the
 * header line.
 */
static int script_sample(struct script_reader *r)
{
	struct script_frame frame;
	size_t next;
	struct str line;

	r->n_frames = 0;
	if (!script_find_event(r)) {
		script_count(r, &script_many_events);
		while (script_take_frame(r))
			;
		return OK;
	}
	script_find_who(r);
	if (r->header.rest.len && script_rest_frame(r->header.rest, &frame)) {
		script_push(r, &frame);
		return script_add(r, script_stack(r));
	}
	script_mark(r);
	line = script_line_at(r, r->at, &next);
	if (str_trim(line).len == 0 && next > r->at) {
		/*
		 * an empty line follows the header line: the sample has no call chain, or an editor
		 * inserted the line
		 */
		size_t after;
		struct script_header ignored;

		line = script_line_at(r, next, &after);
		if (!script_frame(line, &frame) || script_header(line, &ignored))
			return script_add(r, r->root);
		r->at = next;
		r->line++;
	}
	return script_read_stack(r);
}

static int script_other_line(struct script_reader *r, struct str line)
{
	struct script_frame frame;

	line = str_rtrim(line);
	if (line.len == 0)
		return OK;
	if (line.p[0] == '#')
		script_comment(r, line);
	else if (script_is_trace_error(line))
		script_count(r, &script_trace_error);
	else if (str_eq(str_trim(line), STR("--")))
		script_count(r, &script_gap);
	else if (script_frame(line, &frame))
		script_count(r, &script_orphan_frame);
	else
		script_count(r, &script_unknown_line);
	return OK;
}

static struct str script_event_name(const struct script_reader *r)
{
	if (r->events.len == 0)
		return STR_NONE;
	return strings_get(&r->dossier->strings, r->events.data[r->event].name);
}

/*
 * Process @line. If it is the header line of a sample, process the whole sample with its stack.
 * @next: offset of the line after @line.
 */
static int script_read_line(struct script_reader *r, struct str line, size_t next)
{
	int ret = OK;

	if (line.len == 0) {
		r->at = next;
		r->line++;
	} else if (script_header_like(line, script_event_name(r), &r->header) ||
		   script_header(line, &r->header)) {
		if (r->header.is_record)
			script_side_line(r, r->header.rest);
		r->at = next;
		r->line++;
		if (!r->header.is_record)
			ret = script_sample(r);
	} else {
		ret = script_other_line(r, line);
		r->at = next;
		r->line++;
	}
	return ret;
}

static int script_read_lines(struct script_reader *r)
{
	while (r->at < r->text.len) {
		size_t next;
		struct str line;
		int ret;

		if (r->text.p[r->at] == '\n') {
			r->at++;
			r->line++;
			continue;
		}
		if (r->at - r->released >= SCRIPT_RELEASE_BYTES) {
			r->released = r->at;
			document_release(r->in->doc, r->text.p + r->released);
		}
		line = script_line_at(r, r->at, &next);
		ret = script_read_line(r, line, next);
		if (ret < 0)
			return ret;
	}
	return OK;
}

/*
 * Whether the printed times are differences between samples (--deltatime). True if there are at
 * least three times, the first is 0, and at least one in four is smaller than the time before it.
 */
static bool script_is_delta(const struct script_reader *r)
{
	return r->n_times >= 3 && r->first_time_ns == 0 && r->n_times_back * 4 >= r->n_times;
}

/*
 * If the printed times are differences (--deltatime), convert them to times since the first sample.
 * With several events this is not possible, so the times are dropped.
 */
static void script_undo_delta(struct script_reader *r)
{
	uint64_t now = 0;

	if (!script_is_delta(r))
		return;
	diag_add(&r->diag, &script_delta_time, r->n_times, 0);
	VEC_FOREACH (e, &r->events) {
		struct samples *s = &r->dossier->captures.data[e->capture]->profile->samples;

		if (r->events.len > 1) {
			VEC_FREE(&s->time_ns);
			continue;
		}
		VEC_FOREACH (t, &s->time_ns) {
			if (__builtin_add_overflow(now, *t, &now))
				now = UINT64_MAX;
			*t = now;
		}
	}
}

static void script_finish(struct script_reader *r)
{
	script_undo_delta(r);
	for (uint32_t i = 0; i < r->events.len; i++) {
		struct script_event *e = &r->events.data[i];
		struct capture *c = r->dossier->captures.data[e->capture];
		struct profile *p = c->profile;

		c->first_line = region_line(r->in, 0);
		c->last_line = region_line(r->in, r->line ? r->line - 1 : 0);
		profile_finish_fields(p);
		p->n_samples = p->samples.n;
		p->has_n_samples = true;
		p->has_event_count = e->has_period;
		VEC_FOREACH (w, &p->samples.weight) {
			if (__builtin_add_overflow(p->event_count, *w, &p->event_count))
				p->event_count = UINT64_MAX;
		}
		if (!e->has_period)
			p->event_count = 0;
		if (e->without_time)
			VEC_FREE(&p->samples.time_ns);
		diag_add(&c->diag, &script_mixed_period, e->without_period, c->first_line);
		diag_add(&c->diag, &script_mixed_time, e->without_time, c->first_line);
		VEC_APPEND(&c->notes, r->notes.data, r->notes.len);
		if (i == 0) {
			p->lost = r->lost;
			p->has_lost = r->has_lost;
			VEC_APPEND(&c->diag.entries, r->diag.entries.data, r->diag.entries.len);
		}
	}
}

/*
 * If the text has events that begin and end operations, such as block requests, add a capture: a
 * trace of these events. Not possible if the times are differences (--deltatime).
 */
static void script_marks(struct script_reader *r)
{
	struct capture *c;

	if (script_is_delta(r) || !script_events_are_pairs(&r->marks, &r->dossier->strings))
		return;
	c = format_add_capture(&format_perf_script, r->in, r->dossier);
	c->first_line = region_line(r->in, 0);
	c->last_line = region_line(r->in, r->line ? r->line - 1 : 0);
	script_events_end(&r->marks, r->lost > 0, c);
}

static int script_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct script_reader r = { .in = in, .dossier = d, .text = in->text };
	int ret;

	(void)str_take(&r.text, STR("\xef\xbb\xbf"));
	script_cache_init(&r.cache, d, r.text.len);
	r.who = xcalloc(SCRIPT_WHO_SLOTS, sizeof(*r.who));
	r.frames = xmalloc(LIMIT_STACK_DEPTH * sizeof(*r.frames));
	ret = script_read_lines(&r);
	script_finish(&r);
	script_marks(&r);
	if (ret < 0)
		ret = fail(err, ret, "line %u: too many samples", region_line(in, r.line));
	else if (r.events.len == 0)
		ret = fail(err, ERR_FORMAT, "no perf script sample found");
	script_cache_fini(&r.cache);
	free(r.who);
	free(r.frames);
	VEC_FREE(&r.events);
	VEC_FREE(&r.notes);
	script_events_fini(&r.marks);
	diag_fini(&r.diag);
	return ret;
}

static const char *const script_extensions[] = { ".perf", ".script", NULL };

const struct format format_perf_script = {
	.name = "perf-script",
	.summary = "text of perf script",
	.kinds = KIND_PROFILE | KIND_CALLS,
	.extensions = script_extensions,
	.probe = script_probe,
	.find = script_find,
	.read = script_read,
	.check = perf_script_check,
	.write_all = perf_script_write,
	.holds_one_of_event = true,
};
