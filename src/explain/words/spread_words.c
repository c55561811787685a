/* SPDX-License-Identifier: MIT */
#include "explain/words/spread_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>

const char *spread_words_value(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, double v)
{
	return spread_words_range(in, out, s, (struct spread_bounds){ v, v });
}

const char *spread_words_range(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, struct spread_bounds b)
{
	return spread_text(&out->arena, b, spread_is_time(in->capture, s),
			   strings_get(capture_strings(in->capture), s->unit), false)
		.p;
}

/*
 * The function that a command of funclatency (bcc) measures: "vfs_read" for "funclatency -u
 * vfs_read & sleep 8". It is the last word that is neither an option nor a number. Empty: another
 * command.
 */
static struct str spread_words_function(const struct capture *c)
{
	struct str command = strings_get(capture_strings(c), c->command);
	struct str ret = STR_NONE;
	struct str word;

	command = str_skip(command, str_find(command, STR("funclatency")));
	if (!str_word(&command, &word))
		return STR_NONE;
	while (str_word(&command, &word) && !memchr("&|;>", word.p[0], 4)) {
		if (word.p[0] != '-' && !char_is_digit(word.p[0]))
			ret = word;
	}
	return ret;
}

const char *spread_words_of(const struct rule_input *in, struct findings *out,
			    const struct distribution_series *s)
{
	static const char *const subjects[] = {
		[SPREAD_UNKNOWN] = "Latency",          [SPREAD_RUN_QUEUE] = "Run queue latency",
		[SPREAD_QUEUE] = "Time in a queue",    [SPREAD_BLOCK_IO] = "Block I/O latency",
		[SPREAD_FILE] = "File system latency", [SPREAD_LOCK] = "Lock latency",
		[SPREAD_REQUEST] = "Request latency",  [SPREAD_FUNCTION] = "Function latency",
		[SPREAD_OFF_CPU] = "Off-CPU time",     [SPREAD_ON_CPU] = "On-CPU time",
		[SPREAD_INTERRUPT] = "Interrupt time", [SPREAD_SIZE] = "Size",
		[SPREAD_SYNC] = "Time of fsync",
	};
	const char *subject = subjects[spread_subject_of(in->capture, s)];
	struct strings *strings = capture_strings(in->capture);
	struct str key = strings_get(strings, s->key);
	struct str name = strings_get(strings, s->name);

	/* for a map of bpftrace, "@usecs[key]", the name of the map describes the values */
	bool is_map = name.len && name.p[0] == '@';

	if (is_map && key.len)
		return finding_name(out, "%s of '" STR_FMT "[" STR_FMT "]'", subject,
				    STR_ARG(str_sub(name, 0, 40)), STR_ARG(str_sub(key, 0, 72)));
	/* name{label="value"}, as Prometheus writes it */
	if (name.len && str_contains(key, STR("=\"")))
		return finding_name(out, "%s of '" STR_FMT "{" STR_FMT "}'", subject,
				    STR_ARG(str_sub(name, 0, 48)), STR_ARG(str_sub(key, 0, 72)));
	/*
	 * a name with '_', "http_duration_seconds", is a metric; "Latency Distribution" is a title
	 */
	if (is_map || (!key.len && str_find_char(name, '_') < str_find_char(name, ' ')))
		key = name;
	else if (!key.len)
		key = spread_words_function(in->capture);
	if (key.len == 0 && s->in_flight > 0)
		return finding_name(out, "%s with %.0f in flight", subject, fmax(1, s->in_flight));
	if (key.len == 0)
		return subject;
	return finding_name(out, "%s of '" STR_FMT "'", subject, STR_ARG(str_sub(key, 0, 72)));
}

const char *spread_words_cause(const struct rule_input *in, const struct distribution_series *s)
{
	if (spread_may_wait_for_input(in->capture, s))
		return "fast reads are served from memory; slow ones wait for storage or a lock, "
		       "or for input of a pipe, socket or terminal, which the function reads as "
		       "well";
	switch (spread_subject_of(in->capture, s)) {
	case SPREAD_RUN_QUEUE:
		return "fast wake-ups find an idle CPU; slow ones wait for a CPU: more threads are "
		       "runnable than CPUs, or a quota or affinity limits them";
	case SPREAD_QUEUE:
		return "most entries find the queue empty; slow ones wait behind others: work "
		       "comes in bursts, or one long entry holds its worker";
	case SPREAD_BLOCK_IO:
		return "possible: fast requests hit a cache of the device; slow ones queue, or "
		       "wait "
		       "for the medium or a flush";
	case SPREAD_FILE:
		return "fast operations are served from memory; slow ones wait for storage, for "
		       "the "
		       "journal or for a lock";
	case SPREAD_SYNC:
		return "fsync returns when the device has written its cache: usually 0.1 to 5 ms "
		       "on an SSD, 10 to 25 ms on a disk. Slow calls wait behind other writes, or "
		       "for the journal";
	case SPREAD_LOCK:
		return "fast calls take a free lock; slow calls wait for its holder (contention)";
	case SPREAD_REQUEST:
		return "most requests take the fast path; slow ones meet a pause (garbage "
		       "collection, "
		       "flush, compaction), a queue, a retry or a timeout";
	case SPREAD_INTERRUPT:
		return "most interrupts have little to do; long ones process many packets or "
		       "completions";
	case SPREAD_OFF_CPU:
		return "short waits are for locks or a CPU; long waits are for I/O, timers or work";
	case SPREAD_ON_CPU:
		return "threads do two kinds of work, or run until their time slice ends";
	default:
		return "two kinds of operation, or a fast path (cache hit, free lock) and a slow "
		       "path "
		       "(disk, wait, retry)";
	}
}

bool spread_words_has_key(const struct rule_input *in, const struct distribution_series *s)
{
	return s->key.v && str_starts(strings_get(capture_strings(in->capture), s->name), STR("@"));
}

const char *spread_words_next(enum spread_subject subject, bool has_key)
{
	switch (subject) {
	case SPREAD_RUN_QUEUE:
		return "mpstat -P ALL 1; grep throttled /sys/fs/cgroup/*/cpu.stat; runqlat -P";
	case SPREAD_QUEUE:
		return "compare the time of execution of the same entries: are the workers busy, "
		       "or blocked";
	case SPREAD_BLOCK_IO:
		return "biosnoop: the process and disk of each slow request";
	case SPREAD_SYNC:
		return "iostat -x 1: f_await and w_await of the device; biosnoop: which process "
		       "writes at the same time";
	case SPREAD_FILE:
		return "ext4slower 10 or xfsslower 10: which file and process; biolatency: is it "
		       "the "
		       "device";
	case SPREAD_LOCK:
		return "perf lock contention -ab sleep 10: who waits; offcputime -K: who holds it";
	case SPREAD_REQUEST:
		return "assay record --off-cpu on the server under this load";
	case SPREAD_INTERRUPT:
		return "trace-cmd record -e irq sleep 10: which handler runs long, and on which "
		       "CPU; /proc/interrupts";
	default:
		return has_key ? "funcslower -UK -m 1 FUNCTION: stacks of the slow calls"
			       : "funcslower -UK -m 1 FUNCTION: stacks of the slow calls; print "
				 "the "
				 "histogram by command or device";
	}
}

void spread_words_figure(const struct rule_input *in, struct findings *out, struct finding *f,
			 const char *name, const struct distribution_series *s,
			 struct spread_bounds b)
{
	bool is_time = spread_is_time(in->capture, s);
	double scale = is_time ? 1e-3 : 1;
	bool is_range = !isinf(b.high) && b.high > b.low;

	finding_figure(f, name, (is_range ? (b.low + b.high) / 2 : b.low) * scale,
		       is_range ? (b.high - b.low) / 2 * scale : 0, is_time ? "us" : "");
	finding_figure_text(f, spread_words_range(in, out, s, b));
}

void spread_words_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct spread *s, struct spread_bounds b)
{
	finding_evidence(out, f, in, spread_line(s, b.low), "%s",
			 spread_words_of(in, out, s->series));
}
