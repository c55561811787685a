/* SPDX-License-Identifier: MIT */
/* Parse the arguments of filters as perf does: lists of names, numbers and times. */
#include "transform/select.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

static const char *const select_names[SELECT_KINDS] = {
	[SELECT_CPU] = "cpu", [SELECT_TIME] = "time",     [SELECT_COMM] = "comm",
	[SELECT_DSO] = "dso", [SELECT_SYMBOL] = "symbol", [SELECT_PID] = "pid",
	[SELECT_TID] = "tid",
};

const char *select_kind_name(enum select_kind kind)
{
	return select_names[kind];
}

static bool select_is_range(enum select_kind kind)
{
	return kind == SELECT_CPU;
}

/* Parse a number, such as "3", or for CPUs a range of numbers, such as "2-4". */
static bool select_number(enum select_kind kind, struct str piece, struct select_range *ret)
{
	if (!str_u64(&piece, &ret->from))
		return false;
	ret->to = ret->from;
	if (select_is_range(kind) && str_take(&piece, STR("-")) && !str_u64(&piece, &ret->to))
		return false;
	return piece.len == 0 && ret->from <= ret->to && ret->to < INDEX_NONE;
}

static int select_list(struct select_spec *spec, enum select_kind kind, struct str text,
		       struct error *err)
{
	struct str rest = text;

	do {
		size_t comma = str_find_char(rest, ',');
		struct str piece = str_trim(str_sub(rest, 0, comma));
		struct select_range range;

		rest = str_skip(rest, comma + 1);
		if (kind == SELECT_COMM || kind == SELECT_DSO || kind == SELECT_SYMBOL) {
			if (piece.len)
				*VEC_PUSH(&spec->names[kind]) = piece;
			continue;
		}
		if (!select_number(kind, piece, &range))
			return fail(err, ERR_USAGE, "--%s wants numbers like %s, not '" STR_FMT "'",
				    select_names[kind], select_is_range(kind) ? "0,2-4" : "1,23",
				    STR_ARG(piece));
		*VEC_PUSH(&spec->numbers[kind]) = range;
	} while (rest.len);
	if (!spec->names[kind].len && !spec->numbers[kind].len)
		return fail(err, ERR_USAGE, "--%s is empty", select_names[kind]);
	return OK;
}

/* Parse seconds with up to nine decimals, such as "12" or "12.5". @ret: nanoseconds. */
static bool select_seconds(struct str text, uint64_t *ret)
{
	return text.len && str_fixed(&text, 9, ret, NULL) && text.len == 0;
}

/*
 * Parse a percentage at the start of *@text, and skip it. *@ret is a fraction: "10%" becomes 0.1.
 */
static bool select_percent(struct str *text, double *ret)
{
	if (!text->len || !char_is_digit(text->p[0]) || !str_double(text, ret) ||
	    !str_take(text, STR("%")))
		return false;
	*ret /= 100;
	return *ret >= 0 && *ret <= 1;
}

/*
 * Parse a share of the recording's time: "10%-20%", "10%/2" (the second tenth) or "10%" (the first
 * tenth). @ret: the share as fractions of 1.
 */
static bool select_share(struct str piece, struct select_time *ret)
{
	uint64_t slice = 1;

	memset(ret, 0, sizeof(*ret));
	ret->is_share = true;
	if (!select_percent(&piece, &ret->from))
		return false;
	if (str_take(&piece, STR("-")))
		return select_percent(&piece, &ret->to) && piece.len == 0 && ret->from < ret->to;
	if (str_take(&piece, STR("/")) && !str_u64(&piece, &slice))
		return false;
	ret->to = ret->from * (double)slice;
	ret->from = ret->from * (double)(slice - 1);
	return piece.len == 0 && slice > 0 && ret->to <= 1 && ret->from < ret->to;
}

/* Parse a range of times "START,STOP"; START or STOP may be missing. */
static bool select_window(struct str piece, struct select_time *ret)
{
	size_t comma = str_find_char(piece, ',');
	struct str from = str_sub(piece, 0, comma);
	struct str to = str_skip(piece, comma + 1);

	memset(ret, 0, sizeof(*ret));
	ret->ns.to = UINT64_MAX;
	if (comma >= piece.len || (!from.len && !to.len))
		return false;
	if (from.len && !select_seconds(from, &ret->ns.from))
		return false;
	return (!to.len || select_seconds(to, &ret->ns.to)) && ret->ns.from <= ret->ns.to;
}

static int select_times(struct select_spec *spec, struct str text, struct error *err)
{
	bool is_share = str_find_char(text, '%') < text.len;
	struct str rest = str_trim(text);

	while (rest.len) {
		size_t end = str_find_char(rest, is_share ? ',' : ' ');
		struct str piece = str_trim(str_sub(rest, 0, end));
		struct select_time time;

		rest = str_ltrim(str_skip(rest, end + 1));
		if (is_share ? !select_share(piece, &time) : !select_window(piece, &time))
			return fail(err, ERR_USAGE,
				    "--time wants START,STOP in seconds (either may be missing) "
				    "or shares like 10%%-20%% or 10%%/2, not '" STR_FMT "'",
				    STR_ARG(piece));
		*VEC_PUSH(&spec->times) = time;
	}
	if (!spec->times.len)
		return fail(err, ERR_USAGE, "--time is empty");
	return OK;
}

int select_parse(struct select_spec *spec, enum select_kind kind, struct str text,
		 struct error *err)
{
	return kind == SELECT_TIME ? select_times(spec, text, err)
				   : select_list(spec, kind, text, err);
}

bool select_is_empty(const struct select_spec *spec)
{
	for (int i = 0; i < SELECT_KINDS; i++) {
		if (spec->names[i].len || spec->numbers[i].len)
			return false;
	}
	return spec->times.len == 0;
}

bool select_has_number(const struct select_spec *spec, enum select_kind kind, uint64_t v)
{
	VEC_FOREACH (r, &spec->numbers[kind]) {
		if (v >= r->from && v <= r->to)
			return true;
	}
	return spec->numbers[kind].len == 0;
}

void select_fini(struct select_spec *spec)
{
	for (int i = 0; i < SELECT_KINDS; i++) {
		VEC_FREE(&spec->names[i]);
		VEC_FREE(&spec->numbers[i]);
	}
	VEC_FREE(&spec->times);
}
