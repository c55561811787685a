/* SPDX-License-Identifier: MIT */
/*
 * stack_counts.c - call stacks, each with an amount: maps of bpftrace, stacks of bcc and DTrace,
 * reports of leaks, heap and lock profiles that runtimes print as text
 *
 * The same code reads all of them; count_dialects.c describes the differences. Each counted
 * quantity becomes a capture. If a tool prints its output again, this becomes another capture, so
 * that amounts of two outputs are never added.
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/names/symbol_offset.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/profilers/text_dialects.h"
#include "formats/threads/count_dialect.h"
#include "formats/threads/frame_place.h"
#include "formats/threads/stack_dialect.h"

#include <math.h>

DECLARE_FORMAT(stack_counts);

/* maximum number of consecutive unknown lines inside the output of a tool */
#define COUNTS_GAP        6u
#define COUNTS_GAP_BLANKS 8u
/* minimum number of frames of a stack in a dialect with COUNTS_BARE */
#define COUNTS_LEAST  2u
#define COUNTS_EVENTS 16u
/* maximum length of a frame's line in a dialect with COUNTS_BARE */
#define COUNTS_WIDEST 600u

static const struct diag_kind counts_lines = { "stack-counts-lines", DIAG_INFO,
					       "lines between stacks that were not read" };
static const struct diag_kind counts_amounts = { "stack-counts-amounts", DIAG_DATALOSS,
						 "stacks without an amount that can be read" };

struct counts_frame {
	struct str name;
	struct str module;
	struct str text; /* the line of the frame */
	/* the start of the module's path, without its first '/', if the line was wrapped after it
	 */
	struct str folder;
};

/* The capture that has the amounts of one event, such as "leaked_space". */
struct counts_series {
	struct str event;
	struct capture *c;
	double last; /* amount of the last stack */
	/* hash of each stack that the capture has, computed from its printed frames */
	VEC(uint64_t) stacks;
	struct idmap has; /* hash of a stack -> index in `stacks` */
};

struct counts_reader {
	const struct region *in;
	struct dossier *d; /* NULL: only find where the stacks are */
	const struct count_dialect *dialect;
	VEC(struct counts_frame) frames; /* frames of the current stack, innermost first */
	/* the frames after a COUNTS_SUM line, which all stacks of the sum share */
	VEC(struct counts_frame) shared;
	/* the current frames belong to `shared`: no stack of the sum has begun yet */
	bool is_sum;
	/* rule of the current COUNTS_SUM line; NULL: there is no current sum */
	const struct count_rule *sum;
	/* the printed sum minus the amounts of its stacks that were read, in the unit of `sum` */
	double sum_left;
	bool is_after_blank; /* a blank line precedes the current stack */
	bool is_open;
	bool has_backquotes; /* frames have the form module`function, as DTrace prints them */
	/* hash of the printed frames of the current stack, including their offsets */
	uint64_t hash;
	struct str comm, map, addresses;
	struct str amount[2], objects[2];
	struct str second; /* event of the second amount, amount[1] */
	const struct count_rule *rule;
	double cycles; /* clock rate in cycles per second; 0: unknown */
	double period; /* sampling period; 0: unknown */
	size_t stacks;
	struct counts_series series[COUNTS_EVENTS];
	size_t n_series;
	uint32_t line;
	uint32_t stack_line; /* number of the current stack's first line */
};

/* The dialect whose output starts at @line; NULL: no output starts there. */
static const struct count_dialect *counts_begun(struct str line)
{
	struct stack_match m;

	for (size_t d = 0; d < count_dialects_len; d++) {
		for (size_t i = 0; i < COUNT_RULES_MAX; i++) {
			const struct stack_rule *rule = &count_dialects[d].rules[i].rule;

			if (!rule->pattern)
				break;
			if (rule->line & STACK_BEGINS && stack_dialect_may_match(rule, line) &&
			    stack_match_rule(rule, line, &m))
				return &count_dialects[d];
		}
	}
	return NULL;
}

/*
 * Whether @line is indented and has only a function. Outside of brackets, code has no blanks, but
 * prose has.
 */
static bool counts_is_code(struct str line)
{
	struct str t = str_trim(line);
	size_t blank = str_find_char(t, ' ');
	struct str word = str_sub(t, 0, blank);

	if (t.len < 2 || t.len > COUNTS_WIDEST || t.len == line.len ||
	    char_is_digit(t.p[0]) != str_starts(t, STR("0x")) || strchr("-*#|+=.,>\"", t.p[0]))
		return false;
	if (str_find_char(word, '`') < word.len)
		return true;
	if (blank < t.len)
		return str_find_char(word, '<') < word.len || str_find_char(word, '(') < word.len ||
		       str_contains(word, STR("+0x"));
	return !strchr(".:,;!?{}=", t.p[t.len - 1]) && str_find_char(t, '=') == t.len &&
	       str_find_char(t, '/') == t.len;
}

/* Whether @name looks like the name of a function, not like a word of prose. */
static bool counts_is_name(struct str name)
{
	return str_find_char(name, '_') < name.len || str_contains(name, STR("::")) ||
	       str_find_char(name, '(') < name.len;
}

/* The kind of @line in the current dialect. @ret: the rule that @line matches. */
static enum counts_line counts_kind(const struct counts_reader *r, struct str line,
				    struct stack_match *m, const struct count_rule **ret)
{
	for (size_t i = 0; r->dialect && i < COUNT_RULES_MAX; i++) {
		const struct count_rule *rule = &r->dialect->rules[i];
		enum counts_line kind;

		if (!rule->rule.pattern)
			break;
		kind = rule->rule.line & (STACK_BEGINS - 1);
		if (kind == COUNTS_FRAME && r->dialect->flags & COUNTS_BARE &&
		    !counts_is_code(line))
			continue;
		if (!stack_match_rule(&rule->rule, line, m))
			continue;
		if (kind == COUNTS_CLOSE && m->fields[STACK_NAME].len) {
			struct str amount = m->fields[STACK_NAME];
			struct amount value;

			if (!text_dialect_amount(&amount, &value) || str_trim(amount).len)
				continue;
		}
		*ret = rule;
		return kind;
	}
	return COUNTS_OTHER;
}

/* Parse an amount: "12,345" or, as heaptrack prints it, "28.16K" (powers of 1000). */
static bool counts_amount(struct str s, double *ret)
{
	static const char scales[] = "KMGT";
	size_t at = s.len ? str_find_char(STR(scales), s.p[s.len - 1]) : ARRAY_LEN(scales) - 1;
	struct amount amount;

	if (at < ARRAY_LEN(scales) - 1)
		s.len--;
	if (!text_dialect_amount(&s, &amount) || str_trim(s).len)
		return false;
	*ret = amount.value * (at < ARRAY_LEN(scales) - 1 ? pow(1000, (double)at + 1) : 1);
	return true;
}

/*
 * Estimate the size of a heap from a sample, as pprof does (scaleHeapSample() in
 * profile/legacy_profile.go). @bytes, @objects: sums over the samples. @period: mean number of
 * bytes between two samples.
 */
static double counts_unsampled(double bytes, struct str objects, double period)
{
	uint64_t n;
	double size;

	if (!str_u64(&objects, &n) || n == 0 || period <= 1 || bytes <= 0)
		return bytes;
	size = bytes / (double)n;
	return bytes / (1 - exp(-size / period));
}

/*
 * The unit in the name of a map: microseconds for "@blocked_us". @ret_scale: factor from the
 * printed amounts to the returned unit.
 */
static enum weight_unit counts_named_unit(struct str name, double *ret_scale)
{
	static const struct {
		const char *pattern;
		double ns;
	} units[] = { { "ns|*_ns|*nsecs", 1 },
		      { "us|*_us|*usecs", 1e3 },
		      { "ms|*_ms|*msecs", 1e6 } };

	*ret_scale = 1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_glob(str_of(units[i].pattern), name)) {
			*ret_scale = units[i].ns;
			return WEIGHT_NS;
		}
	}
	return str_contains(name, STR("bytes")) || str_contains(name, STR("_space"))
		       ? WEIGHT_BYTES
		       : WEIGHT_UNKNOWN;
}

static void counts_begin(struct counts_reader *r, struct counts_series *s, enum weight_unit unit)
{
	struct profile *p;

	s->c = format_add_capture(&format_stack_counts, r->in, r->d);
	s->c->format = r->dialect->name;
	s->stacks.len = 0;
	idmap_fini(&s->has);
	p = capture_profile(s->c);
	p->unit = unit;
	p->table.limit_pct = -1;
	p->is_summed = r->dialect->unit != WEIGHT_SAMPLES && unit != WEIGHT_BYTES;
	if (s->event.len)
		p->event = strings_add(capture_strings(s->c), s->event);
}

/*
 * The series of the event @event. If there is none, a series is added. NULL: there are too many
 * series.
 */
static struct counts_series *counts_series(struct counts_reader *r, struct str event,
					   enum weight_unit unit)
{
	for (size_t i = 0; i < r->n_series; i++) {
		if (str_eq(r->series[i].event, event))
			return &r->series[i];
	}
	if (r->n_series == COUNTS_EVENTS)
		return NULL;
	r->series[r->n_series].event = event;
	counts_begin(r, &r->series[r->n_series], unit);
	return &r->series[r->n_series++];
}

/* @name without the marks that bcc prints under Python 3: "submit_bio" for "b'submit_bio'". */
static struct str counts_unquoted(struct str name)
{
	if (str_starts(name, STR("b'")) && str_ends(name, STR("'")))
		return str_sub(name, 2, name.len - 1);
	return name;
}

/* Set the module of @f, which @m prints on a line of its own. */
static void counts_set_module(struct counts_frame *f, const struct stack_match *m)
{
	if (str_ends(f->module, STR("/")))
		f->folder = f->module;
	f->module = m->fields[STACK_MODULE];
}

/* The module of @f. @buffer: memory for a path that was wrapped. */
static struct str counts_module(const struct counts_frame *f, struct out *buffer)
{
	if (str_ends(f->module, STR("/")))
		return STR_NONE; /* the rest of the path is missing */
	if (f->folder.len == 0)
		return f->module;
	buffer->len = 0;
	out_printf(buffer, "/" STR_FMT STR_FMT, STR_ARG(f->folder), STR_ARG(f->module));
	return out_view(buffer);
}

static stack_id counts_push(struct counts_reader *r, struct capture *c)
{
	struct symbols *symbols = capture_symbols(c);
	struct stacks *stacks = &c->profile->stacks;
	stack_id at = STACK_ROOT;
	bool is_kernel = r->dialect->flags & COUNTS_KERNEL;
	struct out path = { .fd = -1 };

	if (r->comm.len)
		at = stacks_push(stacks, at,
				 symbols_add_text(symbols, r->comm, STR_NONE, SPACE_COMM, 0));
	for (size_t i = r->frames.len; i-- > 0;) {
		const struct counts_frame *f = &r->frames.data[i];
		struct str name = counts_unquoted(f->name);
		struct str module = counts_module(f, &path);
		enum symbol_space space = symbol_space_of_module(module);
		sym_id sym;

		is_kernel = is_kernel || space == SPACE_KERNEL || start_names_enter_kernel(name);
		sym = symbols_add_text(symbols, name, module, is_kernel ? SPACE_KERNEL : space, 0);
		frame_place_keep(symbols, sym, f->text);
		at = stacks_push(stacks, at, sym);
	}
	out_fini(&path);
	return at;
}

/* Store @hash, the hash of a stack. False: the capture already has a stack with this hash. */
static bool counts_is_new(struct counts_series *s, uint64_t hash)
{
	struct idmap_probe probe = idmap_first(&s->has, hash);

	while (idmap_next(&s->has, &probe)) {
		if (s->stacks.data[probe.id] == hash)
			return false;
	}
	idmap_insert(&s->has, &probe, (uint32_t)s->stacks.len);
	*VEC_PUSH(&s->stacks) = hash;
	return true;
}

static void counts_add(struct counts_reader *r, struct str event, enum weight_unit unit,
		       double weight)
{
	struct counts_series *s = counts_series(r, event, unit);
	uint64_t hash = hash_u64(hash_str(r->comm), r->hash);
	stack_id at;

	if (!s || weight < 0.5 || weight > 1e18)
		return;
	at = counts_push(r, s->c);
	/*
	 * In one output, the tool prints each key once. If a stack is repeated, the next output may
	 * have begun. There are three signs of this: the amount is smaller than the last one,
	 * because amounts ascend only within an output; or the command is printed; or a blank line
	 * precedes the stack. Without these signs, the two keys differ in a field that is not
	 * printed, the process.
	 */
	if (r->dialect->flags & COUNTS_ONCE && !counts_is_new(s, hash) &&
	    (weight < s->last || r->comm.len || r->is_after_blank)) {
		s->c->last_line = r->stack_line ? r->stack_line - 1 : 0;
		counts_begin(r, s, unit);
		s->c->first_line = r->stack_line;
		at = counts_push(r, s->c);
		(void)counts_is_new(s, hash);
	}
	s->last = weight;
	r->is_after_blank = false;
	(void)(profile_add_sample(s->c->profile, at, (uint64_t)llround(weight)) < 0);
}

/* Make frames from the addresses in the COUNTS_OPEN line, in a dialect with COUNTS_ADDRESSES. */
static void counts_take_addresses(struct counts_reader *r)
{
	struct str rest = r->addresses;
	struct str word;

	while (!r->frames.len || rest.len) {
		if (!str_word(&rest, &word) || r->frames.len >= LIMIT_STACK_DEPTH)
			break;
		*VEC_PUSH(&r->frames) = (struct counts_frame){ word, STR_NONE };
	}
}

/* Add the amounts of the current stack, each to the series of its event. */
static void counts_add_amounts(struct counts_reader *r)
{
	const struct count_dialect *d = r->dialect;
	struct str event = r->rule->event ? str_of(r->rule->event)
			   : d->event     ? str_of(d->event)
			   : r->map.len   ? r->map
					  : STR_NONE;
	enum weight_unit unit = r->rule->scale > 0 ? r->rule->unit : d->unit;
	double scale = r->rule->scale > 0 ? r->rule->scale : 1;
	double value = 1;

	if (r->amount[0].len && !counts_amount(r->amount[0], &value)) {
		diag_count(&counts_series(r, event, unit)->c->diag, &counts_amounts, r->line);
		return;
	}
	if (unit == WEIGHT_UNKNOWN && r->map.len)
		unit = counts_named_unit(r->map, &scale);
	if (d->flags & COUNTS_UNSCALED)
		value = counts_unsampled(value, r->objects[0], r->period);
	else if (r->cycles > 0)
		value *= 1e9 / r->cycles * (r->period > 0 ? r->period : 1);
	counts_add(r, event, unit, value * scale);
	r->sum_left -= value * scale;
	if (r->amount[1].len == 0 || !counts_amount(r->amount[1], &value))
		return;
	if (d->flags & COUNTS_UNSCALED) {
		value = counts_unsampled(value, r->objects[1], r->period);
		counts_add(r, STR("alloc_space"), WEIGHT_BYTES, value);
	} else if (r->second.len) {
		unit = counts_named_unit(r->second, &scale);
		counts_add(r, r->second, unit, value * scale);
	}
}

static void counts_clear(struct counts_reader *r)
{
	r->frames.len = 0;
	r->is_open = false;
	r->has_backquotes = false;
	r->hash = 0;
	r->comm = r->addresses = r->second = STR_NONE;
	r->amount[0] = r->amount[1] = r->objects[0] = r->objects[1] = STR_NONE;
}

/*
 * Whether the current stack is credible. This is checked only in dialects with COUNTS_BARE. A stack
 * is credible if its frames have backquotes, or if there are at least COUNTS_LEAST frames and half
 * of them look like functions.
 */
static bool counts_is_likely(const struct counts_reader *r)
{
	size_t names = 0;

	if (!(r->dialect->flags & COUNTS_BARE))
		return true;
	if (r->has_backquotes)
		return true;
	VEC_FOREACH (f, &r->frames)
		names += counts_is_name(f->name) || f->module.len;
	return r->frames.len >= COUNTS_LEAST && names * 2 >= r->frames.len;
}

/* End the current stack. If it is credible and has an amount, add it. */
static void counts_end(struct counts_reader *r)
{
	bool has_amount = r->amount[0].len || r->dialect->flags & COUNTS_IMPLIED;

	if (r->dialect->flags & COUNTS_ADDRESSES && r->frames.len == 0)
		counts_take_addresses(r);
	if (r->frames.len && has_amount && r->rule && counts_is_likely(r)) {
		r->stacks++;
		if (r->d)
			counts_add_amounts(r);
	}
	counts_clear(r);
}

/* Begin the current stack with the frames that all stacks of the current sum share. */
static void counts_share(struct counts_reader *r)
{
	VEC_FOREACH (frame, &r->shared)
		*VEC_PUSH(&r->frames) = *frame;
}

/*
 * End the current sum of stacks, and begin another one. @rule, @m: rule and fields of the
 * COUNTS_SUM line that begins it; @rule is NULL if no other sum begins.
 */
static void counts_sum(struct counts_reader *r, const struct count_rule *rule,
		       const struct stack_match *m)
{
	if (r->is_open)
		counts_end(r);
	/*
	 * only the largest stacks of a sum are printed: add the rest of the sum as a stack that has
	 * only the shared frames
	 */
	if (r->d && r->sum && r->sum_left >= 1 && r->shared.len) {
		counts_share(r);
		counts_add(r, str_of(r->sum->event), r->sum->unit, r->sum_left);
		counts_clear(r);
	}
	r->sum = rule;
	r->is_sum = rule != NULL;
	r->shared.len = 0;
	if (rule && !counts_amount(m->fields[STACK_NAME], &r->sum_left))
		r->sum = NULL;
}

/*
 * Add the part of a printed total that the printed stacks do not have, as a sample without frames.
 */
static void counts_total(struct counts_reader *r, const struct count_rule *rule,
			 const struct stack_match *m)
{
	struct counts_series *s = NULL;
	double rest;

	counts_sum(r, NULL, NULL);
	for (size_t i = 0; i < r->n_series; i++) {
		if (str_eq(r->series[i].event, str_of(rule->event)))
			s = &r->series[i];
	}
	if (!s || !counts_amount(m->fields[STACK_NAME], &rest))
		return;
	if (m->fields[STACK_OWNER].len)
		capture_note(s->c, STR("per second"), m->fields[STACK_OWNER], r->line);
	for (size_t i = 0; i < s->c->profile->samples.n; i++)
		rest -= (double)s->c->profile->samples.weight.data[i];
	if (rest >= 1)
		counts_add(r, s->event, rule->unit, rest);
}

/* Append the frame that @m describes to the current stack. @m: a match of @line. */
static void counts_frame(struct counts_reader *r, const struct stack_match *m, struct str line)
{
	struct counts_frame frame = { m->fields[STACK_FUNCTION], m->fields[STACK_MODULE], line };

	if (frame.name.len && symbol_offset_is_past_end(str_skip(
				      line, (size_t)(frame.name.p - line.p) + frame.name.len)))
		frame = (struct counts_frame){ STR("[unknown]"), STR_NONE, STR_NONE };

	r->has_backquotes |= r->dialect->flags & COUNTS_BLANKS && frame.module.len > 0;
	if (r->is_sum && r->shared.len < LIMIT_STACK_DEPTH)
		*VEC_PUSH(&r->shared) = frame;
	else if (!r->is_sum && r->frames.len < LIMIT_STACK_DEPTH)
		*VEC_PUSH(&r->frames) = frame;
}

static void counts_open(struct counts_reader *r, const struct count_rule *rule,
			const struct stack_match *m)
{
	if (r->is_open)
		counts_end(r);
	counts_clear(r);
	r->is_open = true;
	r->is_sum = false;
	r->rule = rule;
	r->amount[0] = m->fields[STACK_NAME];
	r->amount[1] = m->fields[STACK_OWNER];
	r->objects[0] = m->fields[STACK_SECONDS];
	r->objects[1] = m->fields[STACK_MILLISECONDS];
	r->addresses = m->fields[STACK_FUNCTION];
	r->comm = m->fields[STACK_STATE_TEXT];
	r->map = m->fields[STACK_LOCK_TYPE];
	counts_share(r);
}

/*
 * Read a clock rate or a sampling period: "cycles/second = 3201000000", "sampling period = 100", or
 * "@ heap/1048576".
 */
static void counts_rate(struct counts_reader *r, const struct stack_match *m)
{
	struct str period = m->fields[STACK_COUNT];
	struct str kind = m->fields[STACK_LOCK_TYPE];
	uint64_t n;

	(void)counts_amount(m->fields[STACK_NAME], &r->cycles);
	if (!str_u64(&period, &n))
		return;
	/*
	 * N in "heap/N" is twice the period. A kind other than heap, heap_v2 and heapz_v2 is not
	 * sampled, so its period is 1. Source: parseHeapHeader() of pprof
	 */
	r->period = str_eq(kind, STR("heap")) ? (double)n / 2
		    : kind.len && !str_eq(kind, STR("heap_v2")) && !str_eq(kind, STR("heapz_v2"))
			    ? 1
			    : (double)n;
}

static void counts_take(struct counts_reader *r, enum counts_line kind,
			const struct count_rule *rule, const struct stack_match *m, struct str line)
{
	switch (kind) {
	case COUNTS_HEAD:
		counts_end(r);
		counts_sum(r, NULL, NULL);
		counts_rate(r, m);
		break;
	case COUNTS_RATE:
		counts_rate(r, m);
		break;
	case COUNTS_OPEN:
		counts_open(r, rule, m);
		break;
	case COUNTS_SUM:
		counts_sum(r, rule, m);
		break;
	case COUNTS_TOTAL:
		counts_total(r, rule, m);
		break;
	case COUNTS_EMPTY:
		counts_open(r, rule, m);
		r->stacks++;
		if (r->d)
			counts_add_amounts(r);
		counts_clear(r);
		break;
	case COUNTS_FRAME:
		counts_frame(r, m, line);
		break;
	case COUNTS_OBJECT:
		if (r->is_sum && r->shared.len)
			counts_set_module(&r->shared.data[r->shared.len - 1], m);
		else if (r->frames.len)
			counts_set_module(&r->frames.data[r->frames.len - 1], m);
		break;
	case COUNTS_COMM:
		r->comm = m->fields[STACK_STATE_TEXT];
		break;
	case COUNTS_DROP:
		r->frames.len = 0;
		break;
	case COUNTS_CLOSE:
		r->rule = rule;
		r->amount[0] = m->fields[STACK_NAME];
		r->amount[1] = m->fields[STACK_OWNER];
		r->second = m->fields[STACK_LOCK_TYPE];
		if (m->fields[STACK_STATE_TEXT].len)
			r->comm = m->fields[STACK_STATE_TEXT];
		counts_end(r);
		break;
	default:
		break;
	}
}

/*
 * Whether every stack of dialect @d starts with a COUNTS_OPEN line. If so, frames outside of such a
 * stack are ignored.
 */
static bool counts_has_opens(const struct count_dialect *d)
{
	for (size_t i = 0; i < COUNT_RULES_MAX && d->rules[i].rule.pattern; i++) {
		if ((d->rules[i].rule.line & (STACK_BEGINS - 1)) == COUNTS_OPEN)
			return true;
	}
	return false;
}

/* Read one line and return its kind. The kind of a blank line is COUNTS_OTHER. */
static enum counts_line counts_line(struct counts_reader *r, struct str line)
{
	const struct count_rule *rule = NULL;
	enum counts_line kind;
	struct stack_match m;

	if (str_trim(line).len == 0) {
		if (!(r->dialect->flags & COUNTS_BLANKS) ||
		    (r->dialect->flags & COUNTS_BARE && !r->has_backquotes))
			counts_end(r);
		r->is_sum = false;
		r->is_after_blank = true;
		return COUNTS_OTHER;
	}
	kind = counts_kind(r, line, &m, &rule);
	if (!r->is_open && r->frames.len == 0)
		r->stack_line = r->line;
	if (kind == COUNTS_FRAME && !r->is_open && !r->is_sum && counts_has_opens(r->dialect))
		kind = COUNTS_OTHER;
	if (kind == COUNTS_FRAME)
		r->hash = hash_u64(hash_str(line), r->hash);
	if (kind == COUNTS_OTHER)
		counts_end(r);
	else
		counts_take(r, kind, rule, &m, line);
	return kind;
}

static void counts_start(struct counts_reader *r, const struct count_dialect *d)
{
	r->dialect = d;
	r->shared.len = 0;
	r->is_sum = false;
	r->sum = NULL;
	r->cycles = r->period = 0;
	r->map = STR_NONE;
	counts_clear(r);
}

/* Whether @line starts a stack of the dialect @d. */
static bool counts_opens(const struct count_dialect *d, struct str line)
{
	struct stack_match m;

	for (size_t i = 0; i < COUNT_RULES_MAX && d->rules[i].rule.pattern; i++) {
		const struct stack_rule *rule = &d->rules[i].rule;

		if (rule->line == COUNTS_OPEN && stack_dialect_may_match(rule, line) &&
		    stack_match_rule(rule, line, &m))
			return true;
	}
	return false;
}

/*
 * The dialect whose output starts at @line, if it is not the current dialect. NULL: @line is inside
 * a stack, or starts one more stack of the current dialect, or starts no output.
 */
static const struct count_dialect *counts_other(const struct counts_reader *r, struct str line)
{
	const struct count_dialect *bare = &count_dialects[count_dialects_len - 1];
	const struct count_dialect *d;

	if (r->dialect && !(r->dialect->flags & COUNTS_BARE) && r->is_open)
		return NULL;
	d = counts_begun(line);
	if (d && r->dialect && counts_opens(r->dialect, line))
		return NULL;
	if (!d && !r->dialect && counts_is_code(line))
		d = bare;
	/*
	 * a dialect that needs no head line also matches stacks of other tools. If the output of
	 * another tool has begun, the stack belongs to that tool
	 */
	if (d && d->flags & COUNTS_BARE && r->dialect && r->dialect != bare)
		return NULL;
	return d == r->dialect ? NULL : d;
}

struct counts_scan {
	size_t part; /* offset of the end of the last line that belongs to a stack */
	unsigned int others, blanks;
};

/* Scan one line. False: the output has ended before this line. */
static bool counts_scan_line(struct counts_reader *r, struct counts_scan *s, struct str line,
			     size_t at, size_t next, struct extent *ret)
{
	const struct count_dialect *other = counts_other(r, line);
	size_t before = r->stacks;
	enum counts_line kind;

	if (other) {
		if (r->dialect)
			counts_end(r);
		if (r->stacks)
			return false;
		counts_start(r, other);
		*s = (struct counts_scan){ at, 0, 0 };
		ret->from = at;
	}
	if (!r->dialect)
		return true;
	kind = counts_line(r, line);
	if (r->stacks > before)
		ret->to = kind == COUNTS_CLOSE || kind == COUNTS_EMPTY ? next : s->part;
	else if ((kind == COUNTS_INNER || kind == COUNTS_TOTAL) && r->stacks && r->frames.len == 0)
		ret->to = next;
	if (kind == COUNTS_HEAD && r->stacks && counts_begun(line))
		return false;
	if (kind != COUNTS_OTHER) {
		*s = (struct counts_scan){ next, 0, 0 };
		return true;
	}
	s->blanks += str_trim(line).len == 0;
	s->others += str_trim(line).len > 0;
	if (s->others <= COUNTS_GAP && s->blanks <= COUNTS_GAP_BLANKS &&
	    !(r->dialect->flags & COUNTS_BARE && r->stacks == 0 && r->frames.len == 0))
		return true;
	if (r->stacks)
		return false;
	r->dialect = NULL;
	return true;
}

static bool stack_counts_find(struct str text, size_t from, struct extent *ret)
{
	struct counts_reader r = { .d = NULL };
	struct counts_scan s = { from, 0, 0 };
	struct str rest = str_skip(text, from);
	size_t at = from;
	size_t before;
	struct str line;

	*ret = (struct extent){ .from = from, .to = from };
	for (; str_line(&rest, &line); at = text.len - rest.len) {
		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (!counts_scan_line(&r, &s, line, at, text.len - rest.len, ret))
			break;
	}
	before = r.stacks;
	if (r.dialect)
		counts_end(&r);
	if (r.stacks > before)
		ret->to = s.part;
	VEC_FREE(&r.frames);
	VEC_FREE(&r.shared);
	ret->score = r.dialect && r.dialect == &count_dialects[count_dialects_len - 1] ? 90 : 98;
	return r.stacks > 0 && ret->to > ret->from;
}

static unsigned int stack_counts_probe(struct str head)
{
	struct extent e;

	if (!stack_counts_find(head, 0, &e))
		return 0;
	return (e.to - e.from) * 2 >= head.len ? e.score : e.score / 2;
}

/*
 * If the amounts are numbers of samples, set the number of samples of the profile. Other amounts
 * are sums over events, whose number is unknown.
 */
static void counts_finish(const struct count_dialect *d, struct capture *c)
{
	struct profile *p = c->profile;

	if (d->unit != WEIGHT_SAMPLES)
		return;
	p->has_n_samples = true;
	for (size_t i = 0; i < p->samples.n; i++) {
		uint64_t n = p->samples.weight.data[i];

		*VEC_PUSH(&p->samples.count) = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		p->n_samples += p->samples.count.data[i];
	}
}

static int stack_counts_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct counts_reader r = { .in = in, .d = d };
	struct str text = in->text;
	size_t samples = 0;
	uint32_t others = 0;
	uint32_t other = 0;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		const struct count_dialect *begun;

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		r.line = region_line(in, n);
		begun = r.dialect ? NULL : counts_other(&r, line);
		if (begun)
			counts_start(&r, begun);
		if (r.dialect && counts_line(&r, line) == COUNTS_OTHER && str_trim(line).len) {
			other = others++ ? other : r.line;
		}
	}
	if (r.dialect) {
		counts_end(&r);
		counts_sum(&r, NULL, NULL);
	}
	VEC_FREE(&r.frames);
	VEC_FREE(&r.shared);
	for (size_t i = 0; i < r.n_series; i++) {
		counts_finish(r.dialect, r.series[i].c);
		samples += r.series[i].c->profile->samples.n;
		VEC_FREE(&r.series[i].stacks);
		idmap_fini(&r.series[i].has);
	}
	if (samples == 0)
		return fail(err, ERR_FORMAT, "no stack with an amount");
	while (others-- > 0)
		diag_count(&r.series[0].c->diag, &counts_lines, other);
	return OK;
}

const struct format format_stack_counts = {
	.name = "stack-counts",
	.summary = "stacks with an amount each: bpftrace, bcc, DTrace, leaks, heaps as text",
	.kinds = KIND_PROFILE,
	.probe = stack_counts_probe,
	.find = stack_counts_find,
	.read = stack_counts_read,
};
