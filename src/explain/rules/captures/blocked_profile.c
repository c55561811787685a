/* SPDX-License-Identifier: MIT */
/*
 * A log reports that the main loop of a process was blocked, and a profile of the same process
 * shows its work. If the recording has the time of day of its samples (capture_clock.h), the rule
 * reads the samples of the blocked interval only. Otherwise, it is unknown whether log and profile
 * cover the same period.
 *
 * Thresholds: the interval has at least 20 samples. With unknown times, the log reports an interval
 * with half of its time in user code, and if the number of samples is known, it is at least 100.
 */
#include "analyses/categories.h"
#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/capture_clock.h"
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
#define BLOCKED_SAMPLES  20u /* minimum number of samples in the interval */
#define BLOCKED_SURE     90u
#define BLOCKED_MS       UINT64_C(1000000)

/* A function of the profile, with its weight in the samples of a blocked interval. */
struct blocked_function {
	const struct fact_function *f;
	uint64_t weight;
};

/* The samples of a profile that were taken in a blocked interval. */
struct blocked_part {
	const struct log_long_poll *poll;
	struct rule_input log;
	uint64_t samples, weight;
	uint64_t others; /* weight of the samples outside of the interval */
	struct blocked_function top[BLOCKED_SHOWN]; /* heaviest first; weight 0: none */
	uint64_t unknown;                           /* weight of addresses without a function */
};

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
			blocked_is_named(log, q) ? "both files show the same program\n"
						   "whether the profile covers such an interval"
						 : "one input has both\n"
						   "whether both are of one program, and whether "
						   "the profile covers such an interval");
	finding_next(out, f,
		     "perf record -g -p PID during long intervals; perf script -F time: compare "
		     "with the log's times");
}

/* Insert the function @f with the weight @weight into the list of the heaviest functions. */
static void blocked_rank(struct blocked_part *part, const struct fact_function *f, uint64_t weight)
{
	struct blocked_function one = { f, weight };

	for (size_t i = 0; i < BLOCKED_SHOWN; i++) {
		if (one.weight > part->top[i].weight) {
			struct blocked_function next = part->top[i];

			part->top[i] = one;
			one = next;
		}
	}
}

/*
 * Can samples of @prof be found by the times of the log of @q? Both must be times of day. A process
 * that is not the log's has no such samples.
 */
static bool blocked_has_times(const struct rule_input *prof, const struct rule_input *log,
			      const struct log_long_poll *q)
{
	const struct samples *s = &prof->capture->profile->samples;
	const struct log_record *rec = log_words_record(log, q->record);
	const struct log_stream *stream = log_words_stream(log, q->record);
	uint64_t day;

	return s->n && s->time_ns.len == s->n && rec->has_time && stream->clock == CLOCK_REALTIME &&
	       !stream->is_local && rec->time_ns >= q->interval_ms * BLOCKED_MS &&
	       prof->profile->function_of &&
	       capture_clock_day(prof->capture, s->time_ns.data[0], &day);
}

/* Find the samples of @prof in the blocked interval @q. Cost: O(samples + functions). */
static struct blocked_part blocked_part(const struct rule_input *prof, const struct rule_input *log,
					const struct log_long_poll *q)
{
	const struct profile *p = prof->capture->profile;
	struct blocked_part part = { .poll = q, .log = *log };
	uint64_t to = log_words_record(log, q->record)->time_ns;
	uint64_t from = to - q->interval_ms * BLOCKED_MS;
	VEC(uint64_t) self = VEC_INIT;

	for (size_t i = 0; i < prof->profile->functions.len; i++)
		*VEC_PUSH(&self) = 0;
	for (size_t i = 0; i < p->samples.n; i++) {
		sym_id sym = stacks_sym(&p->stacks, p->samples.stack.data[i]);
		uint32_t function = prof->profile->function_of[sym.v];
		uint64_t weight = p->samples.weight.data[i];
		uint64_t day;

		if (!capture_clock_day(prof->capture, p->samples.time_ns.data[i], &day) ||
		    day < from || day > to) {
			part.others += weight;
			continue;
		}
		part.samples++;
		part.weight += weight;
		if (function)
			self.data[function - 1] += weight;
	}
	for (size_t i = 0; i < self.len; i++) {
		const struct fact_function *f = &prof->profile->functions.data[i];

		if (!self.data[i])
			continue;
		if (symbols_get(capture_symbols(prof->capture), f->sym)->flags & SYMBOL_ADDRESS)
			part.unknown += self.data[i];
		else
			blocked_rank(&part, f, self.data[i]);
	}
	VEC_FREE(&self);
	return part;
}

/*
 * Find the longest blocked interval of @command in @log of which @prof has samples. *@ret_can is
 * set if samples can be found by their times.
 */
static void blocked_look(const struct rule_input *prof, const struct rule_input *log,
			 struct str command, struct blocked_part *best, bool *ret_can)
{
	VEC_FOREACH (q, &log->log->long_polls) {
		struct blocked_part part;

		if (!q->interval_ms || !blocked_is_of(log, q, command) ||
		    !blocked_has_times(prof, log, q))
			continue;
		*ret_can = true;
		if (best->poll && q->interval_ms <= best->poll->interval_ms)
			continue;
		part = blocked_part(prof, log, q);
		if (part.samples >= BLOCKED_SAMPLES)
			*best = part;
	}
}

static void blocked_joined(const struct rule_input *prof, struct findings *out,
			   const struct blocked_part *part, struct str command)
{
	double all = (double)part->weight;
	double unknown = log_words_pct((double)part->unknown, all);
	struct finding *f =
		finding_add(out, prof, &rule_blocked_profile, FINDING_WARNING, BLOCKED_SURE);
	const char *names = "";

	log_words_cite(out, f, &part->log, part->poll->record);
	for (size_t i = 0; i < BLOCKED_SHOWN && part->top[i].weight; i++) {
		double pct = log_words_pct((double)part->top[i].weight, all);

		if (pct < BLOCKED_LEAST)
			break;
		names = finding_name(
			out, "%s%s" STR_FMT " %.1f %%", names, i ? ", " : "",
			STR_ARG(facts_short_name(prof->facts, part->top[i].f->sym, 80)), pct);
		finding_function(out, f, prof, part->top[i].f);
	}
	if (unknown >= BLOCKED_LEAST)
		names = finding_name(out, "%s%sunknown functions %.1f %%", names,
				     *names ? ", " : "", unknown);
	f->impact = log_words_pct(all, all + (double)part->others);
	finding_claim(out, f,
		      STR_FMT " was blocked for %llu ms. %llu samples of its profile are from this "
			      "time: %s",
		      STR_ARG(command), (unsigned long long)part->poll->interval_ms,
		      (unsigned long long)part->samples, names);
	finding_figure(f, "blocked", (double)part->poll->interval_ms, 0.5, "ms");
	finding_figure(f, "samples in this time", (double)part->samples, 0, "");
	if (prof->capture->profile->unit == WEIGHT_NS)
		finding_figure(f, "on the CPU in this time",
			       log_words_pct(all, (double)(part->poll->interval_ms * BLOCKED_MS)),
			       0, "%");
	finding_figure(f, "unknown functions in this time", unknown, 0, "%");
	finding_figure(f, "part of the profile", f->impact, 0, "%");
	finding_cause(out, f, "one iteration of the main loop does this work in one piece");
	finding_because(out, f, "log and profile have the same clock");
	finding_next(out, f,
		     "do this work in smaller parts, or outside of the main loop; then look for "
		     "long intervals in the log");
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

/*
 * Judge the profile @prof with all logs. *@ret_has_long is set if a log reports a blocked main
 * loop. False: the profile is not of one process.
 */
static bool blocked_judge(const struct rule_input *in, const struct rule_input *prof,
			  struct findings *out, bool *ret_has_long)
{
	const struct dossier *d = in->facts->dossier;
	const struct log_long_poll *worst = NULL;
	struct blocked_part part = { .poll = NULL };
	struct rule_input best = *in;
	struct str command;
	bool can = false;

	if (!blocked_can_use(prof))
		return false;
	command = blocked_command(prof->capture);
	if (command.len == 0)
		return false;
	for (uint32_t k = 0; k < d->captures.len; k++) {
		struct rule_input log = blocked_input(in, k);
		const struct log_long_poll *q;

		if (!log.log)
			continue;
		*ret_has_long |= log.log->long_polls.len > 0;
		blocked_look(prof, &log, command, &part, &can);
		q = blocked_worst(&log, command);
		if (q && (!worst || q->interval_ms > worst->interval_ms)) {
			worst = q;
			best = log;
		}
	}
	if (part.poll)
		blocked_joined(prof, out, &part, command);
	else if (can)
		finding_not_assessed(out, prof, &rule_blocked_profile,
				     "perf record -k CLOCK_MONOTONIC -g -p PID, or assay record -p "
				     "PID, while the process is blocked",
				     "no blocked interval has %u samples of the profile",
				     BLOCKED_SAMPLES);
	else if (worst)
		blocked_found(&best, prof, out, worst, command);
	return true;
}

static void blocked_profile_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	bool has_long = false;
	bool has_profile = false;
	size_t before = out->rows.len;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		struct rule_input prof = blocked_input(in, i);

		has_profile |= blocked_judge(in, &prof, out, &has_long);
	}
	if (out->rows.len > before)
		return;
	for (uint32_t k = 0; k < d->captures.len; k++) {
		struct rule_input log = blocked_input(in, k);

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
