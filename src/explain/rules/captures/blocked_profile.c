/* SPDX-License-Identifier: MIT */
/*
 * A log reports that the main loop of a process was blocked, and a profile of the same process
 * shows its work. Most inputs do not show whether log and profile cover the same period.
 *
 * Thresholds: the log reports an interval with half of its time in user code, and the process has
 * 80 % of the profile. If the number of samples is known, it must be at least 100.
 */
#include "analyses/categories.h"
#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/blocked_profile_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/words/log_words.h"

#include <stdio.h>

DECLARE_RULE(blocked_profile);

#define BLOCKED_USER_PCT 50.0
#define BLOCKED_SHOWN    3u
#define BLOCKED_COMMAND  15u /* length to which the kernel cuts the name of a command */
#define BLOCKED_LEAST    2.0 /* functions with a smaller share, in percent, are ignored */

/* The command of profile @c; STR_NONE: the profile prints no command, or several. */
static struct str blocked_command(const struct capture *c)
{
	const struct profile *p = c->profile;
	str_id found = STR_ID_NONE;

	VEC_FOREACH (row, &p->table.rows) {
		if (!(row->has & ROW_HAS_COMM) || (found.v && row->comm.v != found.v))
			return STR_NONE;
		found = row->comm;
	}
	for (uint32_t id = 1; p->table.rows.len == 0 && id < stacks_count(&p->stacks); id++) {
		const struct symbol *s =
			symbols_get(capture_symbols(c), stacks_sym(&p->stacks, (stack_id){ id }));

		if (stacks_parent(&p->stacks, (stack_id){ id }).v)
			continue;
		if (s->space != SPACE_COMM || (found.v && s->name.v != found.v))
			return STR_NONE;
		found = s->name;
	}
	return strings_get(capture_strings(c), found);
}

/*
 * May @command be the process that wrote the log @log? A command is cut after 15 bytes, so the
 * process may have a longer name: the command "ovsdb-server-nb" matches the process
 * "ovsdb-server-nb-db". A shorter command must be whole words of the name, "ovsdb-server" of
 * "ovsdb-server-nb". A command of fewer than 4 bytes matches no name.
 */
static bool blocked_is_of(const struct rule_input *log, const struct log_long_poll *q,
			  struct str command)
{
	const struct records *r = log->capture->records;
	const struct log_stream *s = &r->streams.data[r->rows.data[q->record].stream];
	struct str process = strings_get(capture_strings(log->capture), s->process);

	/* a log without a process name can be from any process */
	return process.len == 0 || (command.len >= 4 && str_starts(process, command) &&
				    (command.len >= BLOCKED_COMMAND || process.len == command.len ||
				     !char_is_word(process.p[command.len])));
}

static bool blocked_is_named(const struct rule_input *log, const struct log_long_poll *q)
{
	const struct records *r = log->capture->records;

	return r->streams.data[r->rows.data[q->record].stream].process.v != 0;
}

/*
 * The longest interval that @log reports for the process @command, with at least BLOCKED_USER_PCT
 * percent of its time in user code; NULL: none.
 */
static const struct log_long_poll *blocked_worst(const struct rule_input *log, struct str command)
{
	const struct log_long_poll *worst = NULL;

	VEC_FOREACH (q, &log->log->long_polls) {
		if (q->has_cpu && q->interval_ms &&
		    (double)q->user_ms >= (double)q->interval_ms * BLOCKED_USER_PCT / 100 &&
		    blocked_is_of(log, q, command) &&
		    (!worst || q->interval_ms > worst->interval_ms))
			worst = q;
	}
	return worst;
}

static void blocked_found(const struct rule_input *log, const struct rule_input *prof,
			  struct findings *out, const struct log_long_poll *q, struct str command)
{
	struct finding *f = finding_add(out, prof, &rule_blocked_profile, FINDING_NOTE,
					blocked_is_named(log, q) ? 60 : 45);
	char names[512] = "";
	size_t used = 0;
	unsigned int n = 0;

	f->impact = prof->profile->functions.data[0].self;
	log_words_cite(out, f, log, q->record);
	VEC_FOREACH (x, &prof->profile->functions) {
		struct str name = facts_short_name(prof->facts, x->sym, 80);

		if (n == BLOCKED_SHOWN || x->self < BLOCKED_LEAST || used >= sizeof(names))
			break;
		if (name.len == 0 || category_is_in(x->category, STR("idle")))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s" STR_FMT " %.1f %%", n++ ? ", " : "", STR_ARG(name),
					 x->self);
		finding_function(out, f, prof, x);
	}
	finding_claim(out, f,
		      "The log reports that " STR_FMT
		      " was blocked for %llu ms, %.0f %% of it in its own code. Its profile shows "
		      "the hot functions: %s",
		      STR_ARG(command), (unsigned long long)q->interval_ms,
		      log_words_pct((double)q->user_ms, (double)q->interval_ms), names);
	finding_figure(f, "blocked", (double)q->interval_ms, 0.5, "ms");
	finding_figure(f, "in its own code",
		       log_words_pct((double)q->user_ms, (double)q->interval_ms), 0, "%");
	finding_cause(out, f, "one iteration of the main loop does this work in one piece");
	finding_because(out, f, "%s",
			blocked_is_named(log, q)
				? "both files show the same program; it is unknown whether the "
				  "profile covers such an interval"
				: "the log does not name its program; it is unknown whether the "
				  "profile covers such an interval");
	finding_next(out, f,
		     "perf record -g -p PID during long intervals; perf script -F time: compare "
		     "with the log's times");
}

static struct rule_input blocked_input(const struct rule_input *in, uint32_t number)
{
	struct rule_input one = *in;

	one.number = number;
	one.capture = in->facts->dossier->captures.data[number];
	one.profile = in->facts->profiles[number];
	one.log = in->facts->logs[number];
	return one;
}

static bool blocked_can_use(const struct rule_input *prof)
{
	/* a profile of a crashing process shows the crash instead of the work */
	return prof->profile && prof->profile->functions.len &&
	       prof->profile->functions.data[0].self >= BLOCKED_LEAST && !signature_is_few(prof) &&
	       facts_sum(prof->profile, BLOCKED_CRASH).children < BLOCKED_LEAST;
}

static void blocked_profile_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	bool has_long = false;
	bool has_profile = false;
	size_t before = out->rows.len;
	struct rule_input log = *in;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		struct rule_input prof = blocked_input(in, i);
		const struct log_long_poll *worst = NULL;
		struct rule_input best = *in;
		struct str command;

		if (!blocked_can_use(&prof))
			continue;
		command = blocked_command(prof.capture);
		if (command.len == 0)
			continue;
		has_profile = true;
		for (uint32_t k = 0; k < d->captures.len; k++) {
			const struct log_long_poll *q;

			log = blocked_input(in, k);
			if (!log.log)
				continue;
			has_long |= log.log->long_polls.len > 0;
			q = blocked_worst(&log, command);
			if (q && (!worst || q->interval_ms > worst->interval_ms)) {
				worst = q;
				best = log;
			}
		}
		if (worst)
			blocked_found(&best, &prof, out, worst, command);
	}
	if (out->rows.len > before)
		return;
	for (uint32_t k = 0; k < d->captures.len; k++) {
		log = blocked_input(in, k);
		if (!log.log)
			continue;
		if (log.log->long_polls.len && !has_long && !has_profile) {
			finding_not_assessed(
				out, &log, &rule_blocked_profile,
				"perf record -g -p PID, and give both files to assay",
				"no profile of the blocked process was given with its log");
			return;
		}
		if (has_profile && !has_long && log_words_is_vlog(&log)) {
			finding_clean(out, &log, &rule_blocked_profile,
				      "the log reports no blocked main loop");
			return;
		}
	}
}

const struct rule rule_blocked_profile = {
	.id = "blocked-profile",
	.title = "Blocked main loop, explained by its profile",
	.needs = RULE_DOSSIER,
	.check = blocked_profile_check,
};
