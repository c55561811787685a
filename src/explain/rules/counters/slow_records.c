/* SPDX-License-Identifier: MIT */
/*
 * dd copies small records, and each of them takes milliseconds. With oflag=dsync, oflag=sync or
 * oflag=direct, each write waits for the device, so this is the latency of the device.
 *
 * Thresholds: 1 ms for each of at least 20 records of at most 64 KiB is a note, 10 ms a warning: a
 * disk that seeks and turns takes 5 to 10 ms, and a flash drive with a protected cache far less
 * than 1 ms. Sources: dd(1); the manual page of open, O_DSYNC and O_DIRECT.
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(slow_records);

#define RECORD_NOTE_MS 1.0
#define RECORD_LEAD_MS 10.0
#define RECORD_LEAST   20.0
#define RECORD_MAX     65536.0 /* bytes: the throughput of the device limits larger ones */
#define RECORD_SURE    85u
#define RECORD_TOOL    STR("dd")

struct records {
	double n, bytes, seconds;
	const struct counter *elapsed;
};

static double record_value(const struct rule_input *in, const char *name,
			   const struct counter **ret)
{
	const struct counter *row = counters_find(
		in->capture->counters, capture_strings(in->capture), RECORD_TOOL, str_of(name));

	if (ret)
		*ret = row;
	return row ? counter_value(row) : 0;
}

/* Does a word of @command match @pattern (str_glob)? */
static bool record_has(struct str command, const char *pattern)
{
	struct str word;

	while (str_word(&command, &word)) {
		if (str_glob(str_of(pattern), word))
			return true;
	}
	return false;
}

static void record_finding(const struct rule_input *in, struct findings *out,
			   const struct records *r)
{
	struct str command = strings_get(capture_strings(in->capture), in->capture->command);
	bool is_synced = record_has(command, "oflag=*sync*");
	bool is_direct = record_has(command, "oflag=*direct*|iflag=*direct*");
	double ms = 1000 * r->seconds / r->n;
	struct finding *f =
		finding_add(out, in, &rule_slow_records,
			    ms >= RECORD_LEAD_MS ? FINDING_WARNING : FINDING_NOTE, RECORD_SURE);

	finding_claim(out, f, "A record of %.0f bytes takes %.*f ms on average%s: %.0f in %.*f s",
		      r->bytes / r->n, ms < 10 ? 2 : 1, ms,
		      is_synced   ? ", as each write waits until the device has stored it"
		      : is_direct ? ", as each one waits for the device"
				  : "",
		      r->n, r->seconds < 10 ? 2 : 1, r->seconds);
	finding_figure(f, "time of a record", ms, 0, "ms");
	finding_evidence(out, f, in, r->elapsed->line, "elapsed");
	finding_usual_cause(
		out, f, "%s",
		is_synced ? "A disk has to turn for each write, or a flash drive has to write "
			    "through its cache; a network or virtual device adds its round trip"
			  : "The device or file system answers each record late: one request is "
			    "in flight at a time");
	finding_because(out, f, "%s",
			"dd works on one record after another\n"
			"how the time is divided between file system and device");
	finding_next(
		out, f, "%s",
		"fio --rw=write --bs=4k --fdatasync=1 --size=100m --name=sync: percentiles of the "
		"same writes");
	finding_next(out, f, "iostat -x 1 meanwhile: w_await and f_await of the device");
}

static void slow_records_check(const struct rule_input *in, struct findings *out)
{
	struct records r;
	double ms;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    RECORD_TOOL))
		return;
	r.n = record_value(in, "records out", NULL);
	r.bytes = record_value(in, "copied", NULL);
	r.seconds = record_value(in, "elapsed", &r.elapsed);
	ms = 1000 * r.seconds / r.n;
	if (!r.elapsed || r.n < RECORD_LEAST)
		finding_not_assessed(out, in, &rule_slow_records,
				     "dd if=/dev/zero of=FILE bs=4k count=1000 oflag=dsync",
				     "fewer than %.0f records, or no time", RECORD_LEAST);
	else if (r.bytes / r.n <= RECORD_MAX && ms >= RECORD_NOTE_MS)
		record_finding(in, out, &r);
	else
		finding_clean(out, in, &rule_slow_records, "%.4g ms for each record of %.0f bytes",
			      ms, r.bytes / r.n);
}

const struct rule rule_slow_records = {
	.id = "slow-records",
	.title = "Each record of dd takes milliseconds",
	.needs = RULE_COUNTERS,
	.check = slow_records_check,
	.is_measured = true,
};
