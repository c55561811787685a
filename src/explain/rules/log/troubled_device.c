/* SPDX-License-Identifier: MIT */
/*
 * Drivers of the kernel report that a device does not answer, is aborted, hangs, fails or is reset.
 *
 * known_message.c has rows for messages of single drivers. This rule knows no driver: it searches
 * words (troubled-device.names) after the name of a device. The name has a number: "ata1.00:",
 * "nvme nvme0:", "e1000e 0000:00:1f.6 eno1:", "sd 0:0:0:0: [sda]".
 *
 * The thresholds are in the list. One message that a device hangs is enough. Three resets are
 * needed, because a reset is normal after a suspend and when a driver starts.
 */
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/troubled_device_names.h"
#include "explain/words/log_words.h"

#include <inttypes.h>

DECLARE_RULE(troubled_device);

#define TROUBLED_SURE    90u
#define TROUBLED_PREFIX  64u /* maximum length of the text with the device before a message */
#define TROUBLED_NAME    32u /* maximum length of the name of a device */
#define TROUBLED_DEVICES 64u /* maximum number of devices to count */
/* maximum time between two lines that belong to one message, ns */
#define TROUBLED_NEXT_NS UINT64_C(1000000)

struct troubled_words {
	const char *match;
	const char *says, *cause;
	unsigned int warn, least;
};

struct troubled_step {
	const char *words;
	const char *next, *step;
};

static const struct troubled_words troubled_words[] = { DEVICE_TROUBLE_ROWS };
static const struct troubled_step troubled_steps[] = { DEVICE_STEP_ROWS };

struct troubled_device {
	struct str name;
	uint64_t n[ARRAY_LEN(troubled_words)];
	/* per row of troubled_words: indices of the first and the last record */
	uint32_t first[ARRAY_LEN(troubled_words)], last[ARRAY_LEN(troubled_words)];
};

struct troubled_count {
	struct troubled_device devices[TROUBLED_DEVICES];
	size_t n_devices;
	uint64_t n_named; /* number of records with the name of a device */
};

static bool troubled_has_digit(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (char_is_digit(s.p[i]))
			return true;
	}
	return false;
}

/* The text before the first ": " in @text. Empty: there is no ": ", or the text is too long. */
static struct str troubled_prefix(struct str text)
{
	struct str head = str_sub(text, 0, TROUBLED_PREFIX);
	size_t colon = str_find(head, STR(": "));

	return colon < head.len ? str_sub(head, 0, colon) : STR_NONE;
}

/*
 * The name of the device in @text: "sda" of "sd 0:0:0:0: [sda] tag#28 …", "sda1" of "EXT4-fs
 * (sda1): …", "ata1" of "ata1.00: …", "nvme0" of "nvme nvme0: …", "amdgpu 0000:03:00.0" of
 * "amdgpu 0000:03:00.0: …". Empty: none.
 */
static struct str troubled_name(struct str text)
{
	struct str prefix = troubled_prefix(text);
	struct str rest = str_skip(text, prefix.len);
	struct str name;
	size_t open, close;

	if (!prefix.len || !troubled_has_digit(prefix) || str_find_char(prefix, '=') < prefix.len ||
	    str_find_char(prefix, '"') < prefix.len || str_find_char(prefix, '[') < prefix.len)
		return STR_NONE;
	if (str_take(&rest, STR(": [")) && rest.len && char_is_lower(rest.p[0])) {
		close = str_find_char(str_sub(rest, 0, TROUBLED_NAME), ']');
		if (close < TROUBLED_NAME && close < rest.len && str_starts(prefix, STR("sd ")))
			return str_sub(rest, 0, close);
	}
	open = str_find_char(prefix, '(');
	if (open < prefix.len && str_ends(prefix, STR(")"))) {
		name = str_sub(prefix, open + 1, prefix.len - 1);
		(void)str_take(&name, STR("device "));
		return name.len <= TROUBLED_NAME && troubled_has_digit(name) ? name : STR_NONE;
	}
	name = str_skip(prefix, str_rfind_char(prefix, ' ') + 1);
	if (str_rfind_char(prefix, ' ') >= prefix.len)
		name = prefix;
	if (!troubled_has_digit(name) || !char_is_lower(name.p[0]))
		name = prefix;
	if (str_starts(name, STR("ata")))
		name = str_sub(name, 0, str_find_char(name, '.'));
	return name.len <= TROUBLED_NAME && char_is_lower(name.p[0]) ? name : STR_NONE;
}

/*
 * Index of the first row of troubled_words that has a word of @text; ARRAY_LEN(troubled_words):
 * none.
 */
static size_t troubled_row(struct str text)
{
	size_t k = 0;

	if (str_glob(STR(DEVICE_HEALTHY), text))
		return ARRAY_LEN(troubled_words);
	while (k < ARRAY_LEN(troubled_words) && !str_glob(str_of(troubled_words[k].match), text))
		k++;
	return k;
}

static void troubled_add(struct troubled_count *c, struct str name, size_t k, uint32_t record)
{
	size_t i = 0;

	while (i < c->n_devices && !str_eq(c->devices[i].name, name))
		i++;
	if (i == TROUBLED_DEVICES)
		return;
	if (i == c->n_devices)
		c->devices[c->n_devices++] = (struct troubled_device){ .name = name };
	if (!c->devices[i].n[k]++)
		c->devices[i].first[k] = record;
	c->devices[i].last[k] = record;
}

/*
 * Count the messages of the kernel's drivers. A line without a device belongs to the same device as
 * the previous line: libata prints the status of a command in such lines.
 */
static void troubled_search(const struct rule_input *in, struct troubled_count *c)
{
	const struct records *r = in->capture->records;
	struct strings *names = &in->facts->dossier->strings;
	struct str last = STR_NONE;
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < r->rows.len; i++) {
		const struct log_record *rec = &r->rows.data[i];
		struct str name;
		size_t k;

		if (!str_eq(strings_get(names, r->streams.data[rec->stream].process),
			    STR("kernel")))
			continue;
		name = troubled_name(rec->text);
		if (!name.len && last.len && !troubled_prefix(rec->text).len &&
		    rec->time_ns - last_ns <= TROUBLED_NEXT_NS)
			name = last;
		last = name;
		last_ns = rec->time_ns;
		if (!name.len)
			continue;
		c->n_named++;
		k = troubled_row(rec->text);
		if (k < ARRAY_LEN(troubled_words))
			troubled_add(c, name, k, i);
	}
}

/*
 * Index of the first row of troubled_words for which @d has enough messages;
 * ARRAY_LEN(troubled_words): none.
 */
static size_t troubled_worst(const struct troubled_device *d)
{
	size_t k = 0;

	while (k < ARRAY_LEN(troubled_words) && d->n[k] < troubled_words[k].least)
		k++;
	return k;
}

static uint32_t troubled_last_line(const struct log_record *r)
{
	return r->last_line > r->line ? r->last_line : r->line;
}

/* The record that contains line @line of the input; NULL: none. Records are sorted by line. */
static const struct log_record *troubled_record(const struct records *r, uint32_t line)
{
	size_t low = 0, high = r->rows.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->rows.data[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low && line <= troubled_last_line(&r->rows.data[low - 1]) ? &r->rows.data[low - 1]
									 : NULL;
}

/*
 * Whether another rule already has a finding about the same log that cites a record with the name
 * of @d. That rule knows more about the device.
 */
static bool troubled_is_known(const struct rule_input *in, const struct findings *out,
			      const struct troubled_device *d)
{
	for (const struct finding *f = findings_of(out, in->number, NULL); f;
	     f = findings_of(out, in->number, f)) {
		if (f->rule == &rule_troubled_device || f->rule->is_effect)
			continue;
		VEC_FOREACH (e, &f->evidence) {
			const struct log_record *rec =
				e->path.v == in->capture->path.v
					? troubled_record(in->capture->records, e->line)
					: NULL;

			if (rec && str_contains(rec->text, d->name))
				return true;
		}
	}
	return false;
}

/* Does a message about @d match @words? */
static bool troubled_has_words(const struct rule_input *in, const struct troubled_device *d,
			       const char *words)
{
	for (size_t k = 0; k < ARRAY_LEN(troubled_words); k++) {
		if (d->n[k] && str_glob(str_of(words), log_words_record(in, d->first[k])->text))
			return true;
	}
	return false;
}

static void troubled_next(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct troubled_device *d)
{
	for (size_t i = 0; i < ARRAY_LEN(troubled_steps); i++) {
		if (!troubled_has_words(in, d, troubled_steps[i].words))
			continue;
		finding_next(out, f, "%s", troubled_steps[i].next);
		if (troubled_steps[i].step)
			finding_next(out, f, "%s", troubled_steps[i].step);
		return;
	}
}

static void troubled_finding(const struct rule_input *in, struct findings *out,
			     const struct troubled_device *d)
{
	size_t k = troubled_worst(d);
	const struct troubled_words *w = &troubled_words[k];
	struct finding *f =
		finding_add(out, in, &rule_troubled_device,
			    d->n[k] >= w->warn ? FINDING_WARNING : FINDING_NOTE, TROUBLED_SURE);
	uint64_t others = 0;
	double seconds;

	for (size_t i = 0; i < ARRAY_LEN(troubled_words); i++)
		others += i != k ? d->n[i] : 0;
	if (d->n[k] > 1)
		finding_claim(out, f, "The device " STR_FMT " %s (%" PRIu64 " messages)",
			      STR_ARG(d->name), w->says, d->n[k]);
	else
		finding_claim(out, f, "The device " STR_FMT " %s", STR_ARG(d->name), w->says);
	finding_figure(f, "messages", (double)d->n[k], 0, "");
	if (others)
		finding_figure(f, "messages about other trouble of it", (double)others, 0, "");
	if (d->n[k] > 1 && log_words_seconds(in, d->first[k], d->last[k], &seconds) &&
	    seconds > 0) {
		finding_figure(f, "from the first to the last", seconds, 0, "s");
		finding_figure_text(f, finding_duration(out, (uint64_t)(seconds * 1e9)));
	}
	log_words_cite(out, f, in, d->first[k]);
	if (d->last[k] != d->first[k])
		log_words_cite(out, f, in, d->last[k]);
	for (size_t i = 0; i < ARRAY_LEN(troubled_words); i++) {
		if (i != k && d->n[i])
			log_words_cite(out, f, in, d->first[i]);
	}
	finding_usual_cause(out, f, "%s", w->cause);
	finding_because(out, f,
			"its driver reports it\n"
			"which part fails");
	troubled_next(in, out, f, d);
	finding_value(out, f, "DEVICE", d->name);
	if (str_glob(STR("sd*|nvme*|vd*|mmcblk*|hd*"), d->name))
		finding_value(out, f, "DISK", d->name);
	finding_about(out, f, /* is_part= */ false, "fault " STR_FMT, STR_ARG(d->name));
}

static void troubled_check(const struct rule_input *in, struct findings *out)
{
	struct troubled_count c = { .n_devices = 0 };
	bool is_found = false;

	if (!in->capture->records)
		return;
	troubled_search(in, &c);
	for (size_t i = 0; i < c.n_devices; i++) {
		const struct troubled_device *d = &c.devices[i];

		if (troubled_worst(d) == ARRAY_LEN(troubled_words))
			continue;
		if (!troubled_is_known(in, out, d))
			troubled_finding(in, out, d);
		is_found = true;
	}
	if (!is_found && c.n_named)
		finding_clean(out, in, &rule_troubled_device,
			      "%" PRIu64 " messages about devices; none about a time limit, an "
			      "abort, an error or repeated resets",
			      c.n_named);
}

/*
 * tasks hang if their device does not answer, so the rules for hung tasks report consequences of
 * this finding
 */
static const char *const troubled_explains[] = { "kernel-trouble", "thread-waits", "message-burst",
						 "time-limit", NULL };

const struct rule rule_troubled_device = {
	.id = "troubled-device",
	.title = "A device that does not answer, fails or is reset",
	.needs = RULE_LOG,
	.explains = troubled_explains,
	.check = troubled_check,
	.is_measured = true,
};
