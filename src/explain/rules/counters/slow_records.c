/* SPDX-License-Identifier: MIT */
/*
 * dd copies small records, and each of them takes milliseconds. With oflag=dsync, oflag=sync or
 * oflag=direct, each write waits for the device, so this is the latency of the device. Without
 * these flags, dd writes to the page cache, and a slow input, such as a pipe, is as likely: if the
 * command is known, the rule does not judge it; if it is unknown, there is only a note.
 *
 * Thresholds: 1 ms for each of at least 20 records of at most 64 KiB is a note, 10 ms a warning: a
 * disk that seeks and turns takes 5 to 10 ms, and a flash drive with a protected cache far less
 * than 1 ms. Sources: dd(1); the manual page of open, O_DSYNC and O_DIRECT.
 */
#include "analyses/counters/dd_run.h"
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
#define RECORD_GUESS   50u /* certainty if the command is unknown */

static void record_finding(const struct rule_input *in, struct findings *out,
			   const struct dd_run *r)
{
	bool is_synced = dd_run_has(r, "oflag=*sync*");
	bool is_direct = dd_run_has(r, "oflag=*direct*|iflag=*direct*");
	bool is_known = is_synced || is_direct;
	double ms = 1000 * r->seconds / r->records;
	struct finding *f =
		finding_add(out, in, &rule_slow_records,
			    ms >= RECORD_LEAD_MS && is_known ? FINDING_WARNING : FINDING_NOTE,
			    is_known ? RECORD_SURE : RECORD_GUESS);

	finding_claim(out, f, "A record of %.0f byte%s takes %.*f ms on average%s: %.0f in %.*f s",
		      r->bytes / r->records, r->bytes == r->records ? "" : "s", ms < 10 ? 2 : 1, ms,
		      is_synced   ? ", as each write waits until the device has stored it"
		      : is_direct ? ", as each one waits for the device"
				  : "",
		      r->records, r->seconds < 10 ? 2 : 1, r->seconds);
	finding_figure(f, "time of a record", ms, 0, "ms");
	finding_evidence(out, f, in, r->elapsed->line, "elapsed");
	finding_usual_cause(
		out, f, "%s",
		is_synced   ? "A disk has to turn for each write, or a flash drive has to write "
			      "through its cache; a network or virtual device adds its round trip"
		: is_direct ? "The device or file system answers each record late: one request is "
			      "in flight at a time"
			    : "With oflag=dsync or direct, the device answers each record late. "
			      "Without these flags, the input of dd may be slow, or the "
			      "kernel throttles writers");
	finding_because(out, f, "dd works on one record after another\n%s",
			is_known ? "how the time is divided between file system and device"
				 : "the command, so whether dd waits for the device");
	finding_next(
		out, f, "%s",
		is_known ? "fio --rw=write --bs=4k --fdatasync=1 --size=100m --name=sync: "
			   "percentiles of the same writes"
			 : "dd if=/dev/zero of=FILE bs=4k count=1000 oflag=dsync: is each record "
			   "as slow without the input");
	finding_next(out, f, "iostat -x 1 meanwhile: w_await and f_await of the device");
}

/* The reason why dd may not wait for the device alone; NULL: it does, or the command is unknown. */
static const char *record_doubt(const struct dd_run *r)
{
	if (!r->command.len)
		return NULL;
	if (!dd_run_has(r, "oflag=*sync*|oflag=*direct*|iflag=*direct*"))
		return "without oflag=dsync dd does not wait for the device";
	if (!dd_run_has(r, "if=*") ||
	    dd_run_has(r, "if=/dev/random|if=/dev/hwrng|if=/dev/std*|if=/dev/tty*|if=/dev/fd/*"))
		return "dd may wait for its input instead of the device";
	if (!dd_run_has(r, "of=*") || dd_run_has(r, "of=/dev/std*|of=/dev/tty*|of=/dev/fd/*"))
		return "dd may wait for the reader of its output instead of the device";
	return NULL;
}

static void slow_records_check(const struct rule_input *in, struct findings *out)
{
	static const char way[] = "dd if=/dev/zero of=FILE bs=4k count=1000 oflag=dsync";
	struct dd_run r;
	double ms;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("dd")))
		return;
	if (!dd_run_of(in->capture, &r) || r.records < RECORD_LEAST) {
		finding_not_assessed(out, in, &rule_slow_records, way,
				     "fewer than %.0f records, or no time", RECORD_LEAST);
		return;
	}
	ms = 1000 * r.seconds / r.records;
	if (r.bytes / r.records > RECORD_MAX || ms < RECORD_NOTE_MS)
		finding_clean(out, in, &rule_slow_records, "%.4g ms for each record of %.0f bytes",
			      ms, r.bytes / r.records);
	else if (record_doubt(&r))
		finding_not_assessed(out, in, &rule_slow_records, way, "%s", record_doubt(&r));
	else
		record_finding(in, out, &r);
}

const struct rule rule_slow_records = {
	.id = "slow-records",
	.title = "Each record of dd takes milliseconds",
	.needs = RULE_COUNTERS,
	.check = slow_records_check,
	.is_measured = true,
};
