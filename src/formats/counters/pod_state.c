/* SPDX-License-Identifier: MIT */
/*
 * pod_state.c - kubectl describe pod: states, restarts and limits of containers, events of the pod
 *
 * Each number becomes a counter, whose key is the pod and the container. The comment of a counter
 * is the text of the line: the reason of a state, the message of an event.
 *
 * Source: kubernetes, staging/src/k8s.io/kubectl/pkg/describe/describe.go, describePod(),
 * describeContainers(), describeStatus(), DescribeEvents().
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/format.h"

#include <stdio.h>

DECLARE_FORMAT(pod_state);

#define POD_SCORE 98u
#define POD_NAME  253u  /* maximum length of a pod's name */
#define POD_LINES 2000u /* maximum number of lines of one pod */
/* maximum number of lines of a container without the lines of its pod */
#define POD_PART_LINES 64u
#define POD_BYTES      4096u
#define POD_KEY        512u
#define POD_TITLE      24u /* maximum length of a title at the start of a line */

static const struct diag_kind pod_past = { "pod-state-past-limit", DIAG_DATALOSS,
					   "counters past the limit" };

/* Is @line a line "key: value"? The key must start in the first column, with a capital letter. */
static bool pod_is_title(struct str line, struct str *ret_key, struct str *ret_value)
{
	size_t colon = str_find_char(line, ':');

	if (line.len == 0 || line.p[0] < 'A' || line.p[0] > 'Z' || colon > POD_TITLE ||
	    colon == line.len)
		return false;
	*ret_key = str_sub(line, 0, colon);
	*ret_value = str_trim(str_skip(line, colon + 1));
	for (size_t i = 0; i < colon; i++) {
		char c = (char)(line.p[i] | 32);

		if (!(c >= 'a' && c <= 'z') && line.p[i] != ' ' && line.p[i] != '-')
			return false;
	}
	return true;
}

static size_t pod_indent(struct str line)
{
	return line.len - str_ltrim(line).len;
}

/*
 * Is @line a field of a container: "Exit Code:  137", "Limits:"? Blanks at its start are ignored.
 */
static bool pod_is_field(struct str line)
{
	struct str key, value;

	return pod_is_title(str_trim(line), &key, &value) ||
	       str_glob(STR("cpu:*|memory:*|ephemeral-storage:*"), str_trim(line));
}

/*
 * Does the text at offset @from show a container, without the lines about its pod? Such a text
 * begins with a state, and has a line with the exit code or the number of restarts.
 */
static bool pod_part_at(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	unsigned int n = 0;
	bool has_end = false;
	struct str line;

	*ret = (struct extent){ .from = from, .score = POD_SCORE };
	while (n < POD_PART_LINES && str_line(&rest, &line) && pod_is_field(line)) {
		struct str s = str_trim(line);

		if (n++ == 0 && (!str_glob(STR("State:*|Last State:*"), s) ||
				 !str_glob(STR("*Running|*Waiting|*Terminated"), s)))
			return false;
		has_end |= str_glob(STR("Exit Code:*|Restart Count:*"), s);
		ret->to = text.len - rest.len;
	}
	return has_end;
}

static bool pod_is_name(struct str line)
{
	struct str key, value;

	return pod_is_title(line, &key, &value) && str_eq(key, STR("Name")) && value.len &&
	       value.len <= POD_NAME;
}

/* Does a pod with containers begin at offset @from? It begins with the pod's name. */
static bool pod_whole_at(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	bool has_containers = false;
	struct str line, key, value;

	*ret = (struct extent){ .from = from, .score = POD_SCORE };
	for (unsigned int n = 0; n < POD_LINES && str_line(&rest, &line); n++) {
		bool is_title = pod_is_title(line, &key, &value);

		if (n == 0 ? !pod_is_name(line) : pod_is_name(line))
			break;
		if (str_trim(line).len == 0)
			continue;
		if (!is_title && pod_indent(line) == 0)
			break;
		has_containers |= is_title && str_eq(key, STR("Containers")) && !value.len;
		ret->to = text.len - rest.len;
	}
	return has_containers;
}

static bool pod_state_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		if (pod_whole_at(text, at, ret) || pod_part_at(text, at, ret))
			return true;
	}
	return false;
}

static unsigned int pod_state_probe(struct str head)
{
	struct extent e;

	return pod_state_find(head, 0, &e) ? POD_SCORE : 0;
}

enum pod_part {
	POD_OTHER,
	POD_STATE,
	POD_LAST,
	POD_LIMITS,
	POD_REQUESTS,
};

struct pod_reader {
	struct capture *c;
	uint32_t line;
	struct str pod, container;
	/*
	 * Indentation of the containers' names. SIZE_MAX: unknown; the next line has the first
	 * name, whose indentation is used.
	 */
	size_t container_indent;
	struct str section; /* current title in the first column: "Containers" */
	enum pod_part part;
	struct str reason;  /* reason of the last state of the container */
	struct str started; /* start time of the last state, borrowed from the text */
	bool is_terminated; /* the last state is a termination */
	bool is_part;       /* the text shows one container, without the lines about its pod */
};

static void pod_add(struct pod_reader *r, const char *name, struct str container, int64_t value,
		    unsigned int decimals, const char *unit, struct str comment)
{
	struct strings *strings = capture_strings(r->c);
	char key[POD_KEY];
	int n = snprintf(key, sizeof(key), STR_FMT "%s" STR_FMT, STR_ARG(r->pod),
			 container.len ? "/" : "", STR_ARG(str_sub(container, 0, POD_NAME)));
	struct counter row = { .name = strings_add(strings, str_of(name)),
			       .key = strings_add(strings, (struct str){ key, (size_t)n }),
			       .unit = *unit ? strings_add(strings, str_of(unit)) : STR_ID_NONE,
			       .comment = comment.len ? strings_add(strings, comment) : STR_ID_NONE,
			       .value = value,
			       .decimals = (uint8_t)decimals,
			       .spread = -1,
			       .running = -1,
			       .line = r->line };

	if (counters_add(capture_counters(r->c), strings, row) < 0)
		diag_count(&r->c->diag, &pod_past, r->line);
}

/* Parse an amount of memory, "512Mi", in tenths of MiB. False: the unit is unknown. */
static bool pod_memory(struct str s, int64_t *ret)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = { { "Ki", 1024 },         { "Mi", 1048576 },
		      { "Gi", 1073741824.0 }, { "Ti", 1099511627776.0 },
		      { "k", 1e3 },           { "M", 1e6 },
		      { "G", 1e9 },           { "", 1 } };
	double value;

	if (!str_double(&s, &value) || !(value >= 0 && value < 1e15))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(s, str_of(units[i].unit))) {
			value *= units[i].bytes / 1048576;
			*ret = (int64_t)(value < 1e12 ? value * 10 + 0.5 : 1e13);
			return true;
		}
	}
	return false;
}

/* The value after @key in @line: "Waiting" in "State:   Waiting". Empty: @line has another key. */
static struct str pod_value(struct str line, const char *key)
{
	struct str s = str_trim(line);

	return str_take(&s, str_of(key)) ? str_trim(s) : STR_NONE;
}

/*
 * Parse a time of the last state: "Mon, 31 Aug 2020 16:32:42 -0500". Returns its day, and the
 * seconds since midnight.
 */
static bool pod_time(struct str s, struct str *ret_day, int64_t *ret_seconds)
{
	size_t colon = str_find_char(s, ':');
	struct str time = str_skip(s, colon < 2 ? 0 : colon - 2);
	uint64_t h, m, sec;

	*ret_day = str_sub(s, 0, colon < 2 ? 0 : colon - 2);
	if (!ret_day->len || !str_u64(&time, &h) || !str_take(&time, STR(":")) ||
	    !str_u64(&time, &m) || !str_take(&time, STR(":")) || !str_u64(&time, &sec) || h > 23 ||
	    m > 59 || sec > 60)
		return false;
	*ret_seconds = (int64_t)(h * 3600 + m * 60 + sec);
	return true;
}

/*
 * Read the end time of the last run. The duration of the run is known if it began on the same day.
 */
static void pod_finished(struct pod_reader *r, struct str value)
{
	struct str from_day, to_day;
	int64_t from, to;

	if (pod_time(r->started, &from_day, &from) && pod_time(value, &to_day, &to) &&
	    str_eq(from_day, to_day) && to >= from)
		pod_add(r, "last run", r->container, to - from, 0, "s", value);
}

/* Read a line of a container. */
static void pod_container(struct pod_reader *r, struct str line)
{
	struct str s = str_trim(line);
	struct str value;
	uint64_t n;
	int64_t memory;

	if ((value = pod_value(line, "Last State:")).len) {
		r->part = POD_LAST;
		r->reason = r->started = STR_NONE;
		r->is_terminated = str_eq(value, STR("Terminated"));
	} else if ((value = pod_value(line, "State:")).len) {
		r->part = POD_STATE;
		pod_add(r, "running", r->container, str_eq(value, STR("Running")), 0, "", value);
	} else if (str_eq(s, STR("Limits:"))) {
		r->part = POD_LIMITS;
	} else if (str_eq(s, STR("Requests:"))) {
		r->part = POD_REQUESTS;
	} else if ((value = pod_value(line, "Reason:")).len) {
		if (r->part == POD_LAST)
			r->reason = value;
		else if (r->part == POD_STATE)
			pod_add(r, "state", r->container, 1, 0, "", value);
	} else if (r->part == POD_LAST && (value = pod_value(line, "Started:")).len) {
		r->started = value;
	} else if (r->part == POD_LAST && (value = pod_value(line, "Finished:")).len) {
		pod_finished(r, value);
	} else if ((value = pod_value(line, "Exit Code:")).len && str_u64(&value, &n) &&
		   n <= INT32_MAX) {
		if (r->part == POD_LAST && r->is_terminated)
			pod_add(r, "last exit code", r->container, (int64_t)n, 0, "", r->reason);
		else if (r->part == POD_STATE)
			pod_add(r, "exit code", r->container, (int64_t)n, 0, "", STR_NONE);
	} else if ((value = pod_value(line, "Restart Count:")).len && str_u64(&value, &n) &&
		   n <= INT32_MAX) {
		r->part = POD_OTHER;
		pod_add(r, "restarts", r->container, (int64_t)n, 0, "", STR_NONE);
	} else if ((r->part == POD_LIMITS || r->part == POD_REQUESTS) &&
		   (value = pod_value(line, "memory:")).len && pod_memory(value, &memory)) {
		pod_add(r, r->part == POD_LIMITS ? "memory limit" : "memory request", r->container,
			memory, 1, "MiB", value);
	} else if (str_ends(s, STR(":"))) {
		r->part = POD_OTHER;
	}
}

/* Skip the age of an event, "14s (x214 over 70m)", and set *@ret to the number of events. */
static bool pod_age(struct str *s, uint64_t *ret)
{
	struct str word;

	*ret = 1;
	if (!str_word(s, &word) || word.len == 0 ||
	    !(char_is_digit(word.p[0]) || str_eq(word, STR("<unknown>")) ||
	      str_eq(word, STR("<invalid>"))))
		return false;
	*s = str_ltrim(*s);
	if (!str_take(s, STR("(x")))
		return true;
	if (!str_u64(s, ret))
		return false;
	*s = str_skip(*s, str_find_char(*s, ')') + 1);
	return true;
}

/* Read an event: type, reason, age, source, message. */
static void pod_event(struct pod_reader *r, struct str line)
{
	struct str s = str_trim(line);
	struct str type, reason, from;
	uint64_t n;

	if (!str_word(&s, &type) || !str_glob(STR("Normal|Warning"), type) ||
	    !str_word(&s, &reason) || !pod_age(&s, &n) || !str_word(&s, &from) || n > INT32_MAX)
		return;
	s = str_trim(s);
	if (str_eq(reason, STR("Unhealthy")) && str_starts(s, STR("Liveness probe failed")))
		pod_add(r, "liveness failures", STR_NONE, (int64_t)n, 0, "", s);
	else if (str_eq(reason, STR("Killing")) && str_contains(s, STR("failed liveness probe")))
		pod_add(r, "liveness kills", STR_NONE, (int64_t)n, 0, "", s);
	else if (str_eq(reason, STR("BackOff")) && str_contains(s, STR("restarting failed")))
		pod_add(r, "restart delays", STR_NONE, (int64_t)n, 0, "", s);
	else if (str_eq(reason, STR("FailedScheduling")))
		pod_add(r, "failed schedulings", STR_NONE, (int64_t)n, 0, "", s);
}

static void pod_line(struct pod_reader *r, struct str line)
{
	struct str key, value;

	if (r->is_part) {
		pod_container(r, line);
		return;
	}
	if (pod_is_title(line, &key, &value)) {
		r->section = key;
		r->container_indent = SIZE_MAX;
		r->container = STR_NONE;
		if (str_eq(key, STR("Name")))
			r->pod = str_sub(value, 0, POD_NAME);
		else if (str_eq(key, STR("Status")))
			pod_add(r, "pending", STR_NONE, str_eq(value, STR("Pending")), 0, "",
				value);
		return;
	}
	if (str_trim(line).len == 0)
		return;
	if (str_eq(r->section, STR("Events"))) {
		pod_event(r, line);
	} else if (str_ends(r->section, STR("Containers"))) {
		size_t indent = pod_indent(line);

		if (r->container_indent == SIZE_MAX)
			r->container_indent = indent;
		if (indent <= r->container_indent && str_ends(str_trim(line), STR(":"))) {
			r->container = str_trim(line);
			r->container.len--;
			r->part = POD_OTHER;
		} else {
			pod_container(r, line);
		}
	}
}

static int pod_state_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct pod_reader r = { .c = format_add_capture(&format_pod_state, in, d) };
	struct str text = in->text;
	struct extent e;
	struct str line;

	r.is_part = !pod_whole_at(text, 0, &e);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		r.line = region_line(in, n);
		pod_line(&r, str_sub(line, 0, POD_BYTES));
	}
	if (!r.c->counters)
		return fail(err, ERR_FORMAT, "no state of a container");
	r.c->counters->n_intervals = 1;
	r.c->counters->tool = strings_add(capture_strings(r.c), STR("kubectl describe pod"));
	return OK;
}

const struct format format_pod_state = {
	.name = "pod-state",
	.title = "pod",
	.summary = "kubectl describe pod: states, restarts and limits of containers",
	.kinds = KIND_COUNTERS,
	.probe = pod_state_probe,
	.find = pod_state_find,
	.read = pod_state_read,
};
