/* SPDX-License-Identifier: MIT */
/*
 * After a start, the kernel log has no message for a long time, until a message shows what the
 * kernel waited for.
 *
 * Thresholds: the kernel prints no message for 10 s, within half an hour after the start; 30 s is a
 * warning. The message after this silence must be one of those in boot-wait.names. After any other
 * message there is no finding: perhaps the kernel had nothing to report.
 */
#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/boot_wait_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/log_words.h"

DECLARE_RULE(boot_wait);

#define BOOT_NOTE_NS UINT64_C(10000000000)
#define BOOT_LEAD_NS UINT64_C(30000000000)
#define BOOT_LAST_NS (UINT64_C(1800) * UINT64_C(1000000000))
#define BOOT_SURE    75u
#define BOOT_NAME    64u
#define BOOT_OTHERS  2u

struct boot_row {
	const char *match;
	const char *says, *cause, *next, *step;
};

static const struct boot_row boot_rows[] = { BOOT_WAIT_ROWS };

/*
 * The row of boot_row whose pattern matches @text. *@ret_name: the name that the message contains.
 * NULL: no row matches.
 */
static const struct boot_row *boot_row_of(struct str text, struct str *ret_name)
{
	struct log_match m;

	for (size_t i = 0; i < ARRAY_LEN(boot_rows); i++) {
		if (!log_match_any(text, boot_rows[i].match, false, &m))
			continue;
		*ret_name = m.n_words ? str_sub(m.s[m.n_words - 1], 0, BOOT_NAME) : STR_NONE;
		return &boot_rows[i];
	}
	return NULL;
}

/*
 * Whether the log has BOOT_OTHERS messages of modules other than that of @record. With fewer, a
 * user may have filtered the log for one word, so other lines are missing.
 */
static bool boot_is_whole(const struct rule_input *in, uint32_t record)
{
	const struct records *r = in->capture->records;
	unsigned int n = 0;

	for (uint32_t i = 0; i < r->rows.len && n < BOOT_OTHERS; i++)
		n += r->rows.data[i].module.v != r->rows.data[record].module.v;
	return n >= BOOT_OTHERS;
}

static void boot_finding(const struct rule_input *in, struct findings *out, uint32_t record,
			 uint64_t gap_ns)
{
	struct str name = STR_NONE;
	const struct boot_row *row = boot_row_of(log_words_record(in, record)->text, &name);
	struct str says = str_of(row->says);
	size_t at = str_find(says, STR("{}"));
	struct finding *f =
		finding_add(out, in, &rule_boot_wait,
			    gap_ns >= BOOT_LEAD_NS ? FINDING_WARNING : FINDING_NOTE, BOOT_SURE);

	finding_claim(
		out, f,
		"The kernel log has no line for %s during the start, until " STR_FMT STR_FMT STR_FMT
		", %s after the start of the kernel",
		finding_duration(out, gap_ns), STR_ARG(str_sub(says, 0, at)),
		STR_ARG(at < says.len ? name : STR_NONE), STR_ARG(str_skip(says, at + 2)),
		finding_duration(out, log_words_record(in, record)->time_ns));
	finding_figure(f, "silence", (double)gap_ns / 1e9, 0, "s");
	log_words_cite(out, f, in, record - 1);
	log_words_cite(out, f, in, record);
	if (record + 1 < in->capture->records->rows.len)
		log_words_cite(out, f, in, record + 1);
	finding_usual_cause(out, f, "%s", row->cause);
	finding_because(out, f,
			"both times are in the log\n"
			"whether programs waited for this message");
	finding_next(out, f, "%s", row->next);
	if (row->step)
		finding_next(out, f, "%s", row->step);
}

static void boot_wait_check(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	bool is_boot = false, is_found = false;

	for (uint32_t i = 1; r && i < r->rows.len; i++) {
		const struct log_record *a = &r->rows.data[i - 1], *b = &r->rows.data[i];
		struct str name;

		if (!a->has_time || !b->has_time || a->stream != b->stream ||
		    r->streams.data[b->stream].clock != CLOCK_BOOT || b->time_ns > BOOT_LAST_NS ||
		    b->time_ns < a->time_ns)
			continue;
		is_boot = true;
		if (b->time_ns - a->time_ns < BOOT_NOTE_NS || !boot_row_of(b->text, &name) ||
		    !boot_is_whole(in, i))
			continue;
		boot_finding(in, out, i, b->time_ns - a->time_ns);
		is_found = true;
	}
	if (is_boot && !is_found)
		finding_clean(out, in, &rule_boot_wait,
			      "no silence of 10 s during the start ends with a message of a wait");
}

const struct rule rule_boot_wait = {
	.id = "boot-wait",
	.title = "The start of the system waits",
	.needs = RULE_LOG,
	.check = boot_wait_check,
};
