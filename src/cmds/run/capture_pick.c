/* SPDX-License-Identifier: MIT */
#include "cmds/run/capture_pick.h"

#include "analyses/compare/compare.h"
#include "base/out.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"

/* maximum number of captures that a message lists by name; the others are only counted */
#define PICK_LISTED_MAX 6u

static struct str pick_event(const struct capture *c)
{
	return c->profile ? strings_get(capture_strings(c), c->profile->event) : STR_NONE;
}

/*
 * Whether @wanted, a name by the user, selects @event. A name without a modifier selects the event
 * with any modifier: "cycles" selects "cpu-cycles:u". A name with a modifier selects only the equal
 * name: "cycles:k".
 */
static bool pick_is_event(struct str event, struct str wanted)
{
	if (str_eq(event, wanted))
		return true;
	return compare_event_spaces(wanted) == 0 &&
	       str_eq(compare_event(event), compare_event(wanted));
}

bool capture_wish_takes(const struct session *s, const struct capture_wish *wish, uint32_t i)
{
	const struct capture *c = s->dossier->captures.data[i];

	if (wish->event && !pick_is_event(pick_event(c), str_of(wish->event)))
		return false;
	return wish->only ? wish->only == i + 1 : c->excerpt_of == INDEX_NONE;
}

/* Append the distinct events of all captures: "cpu-clock, page-faults". */
static void pick_events(const struct session *s, struct out *ret)
{
	const struct dossier *d = s->dossier;

	for (size_t i = 0; i < d->captures.len; i++) {
		struct str event = pick_event(d->captures.data[i]);
		bool is_new = event.len > 0;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = !str_eq(pick_event(d->captures.data[k]), event);
		if (is_new)
			out_printf(ret, "%s" STR_FMT, ret->len ? ", " : "", STR_ARG(event));
	}
}

bool capture_wish_check(const struct session *s, const struct capture_wish *wish)
{
	size_t n = s->dossier->captures.len;
	struct out events = { .fd = -1 };
	bool is_found = false;

	if (wish->only > n) {
		complain("--capture", "there is no capture %llu of %zu; assay info counts them",
			 (unsigned long long)wish->only, n);
		return false;
	}
	for (uint32_t i = 0; i < n && !is_found; i++)
		is_found = capture_wish_takes(s, wish, i);
	if (is_found || !wish->event)
		return true;
	pick_events(s, &events);
	if (wish->only)
		complain("--event", "capture %llu is not of event '%s'",
			 (unsigned long long)wish->only, wish->event);
	else if (events.len)
		complain("--event", "no capture is of event '%s'; events here: " STR_FMT,
			 wish->event, STR_ARG(out_view(&events)));
	else
		complain("--event", "no capture is of event '%s', or of any other", wish->event);
	out_fini(&events);
	return false;
}

static bool pick_weighs(const struct capture *c)
{
	for (size_t i = 0; c->profile && i < c->profile->samples.n; i++) {
		if (c->profile->samples.weight.data[i])
			return true;
	}
	for (uint32_t i = 0; c->calls && i < c->calls->n; i++) {
		if (calls_duration(c->calls, i))
			return true;
	}
	return false;
}

/*
 * Append the number and event of a capture: "2 (page-faults)". Add its input if @picked is from
 * another input: "3 (cycles of b.data)".
 */
static void pick_name(const struct capture *c, uint32_t number, const struct capture *picked,
		      struct out *ret)
{
	struct str event = pick_event(c);

	out_printf(ret, "%u (", number);
	if (event.len)
		out_str(ret, event);
	else
		out_z(ret, c->format);
	if (c->path.v != picked->path.v)
		out_printf(ret, " of " STR_FMT, STR_ARG(strings_get(capture_strings(c), c->path)));
	out_char(ret, ')');
}

static void pick_say_nothing(const struct session *s, const struct capture_wish *wish,
			     const char *purpose)
{
	uint32_t i = 0;
	const struct capture *c;

	while (i + 1 < s->dossier->captures.len && !capture_wish_takes(s, wish, i))
		i++;
	c = s->dossier->captures.data[i];
	complain(strings_get(&s->dossier->strings, c->path).p, "nothing to %s: %s", purpose,
		 c->kinds & KIND_CODE       ? "an annotated function has no stacks"
		 : c->kinds & KIND_LOG      ? "a log has no stacks"
		 : c->kinds & KIND_METRICS  ? "a table of metrics has no stacks"
		 : c->kinds & KIND_COUNTERS ? "counters have no stacks"
					    : "there is no stack with a weight in it");
}

const struct capture *capture_pick(const struct session *s, const struct capture_wish *wish,
				   const char *purpose)
{
	const struct capture *found = NULL;
	struct out mine = { .fd = -1 };
	struct out others = { .fd = -1 };
	uint32_t n_others = 0;

	for (uint32_t i = 0; i < s->dossier->captures.len; i++) {
		const struct capture *c = s->dossier->captures.data[i];

		if (!capture_wish_takes(s, wish, i) || !pick_weighs(c))
			continue;
		if (!found) {
			found = c;
			pick_name(c, i + 1, c, &mine);
		} else if (++n_others <= PICK_LISTED_MAX) {
			out_z(&others, n_others > 1 ? ", " : "");
			pick_name(c, i + 1, found, &others);
		}
	}
	if (!found)
		pick_say_nothing(s, wish, purpose);
	if (n_others > PICK_LISTED_MAX)
		out_printf(&others, " and %u more", n_others - PICK_LISTED_MAX);
	if (n_others)
		complain(strings_get(&s->dossier->strings, found->path).p,
			 "%u captures have stacks; this is " STR_FMT ", without " STR_FMT
			 "; --event NAME or --capture N chooses",
			 n_others + 1, STR_ARG(out_view(&mine)), STR_ARG(out_view(&others)));
	out_fini(&mine);
	out_fini(&others);
	return found;
}
