/* SPDX-License-Identifier: MIT */
/*
 * The recorded process hardly ran: its samples add up to a small part of one CPU over the recorded
 * time. A CPU profile shows no waits, so its hot function does not explain slow requests.
 *
 * The CPU time is the count of a clock event, or the number of samples divided by their rate. The
 * recorded time is printed, or comes from the recorder's command ("sleep 12"). Otherwise the time
 * from the first to the last sample is a lower bound.
 *
 * Thresholds: below 5 % of one CPU the finding is a note. The process then runs at most 50 ms of
 * each second, so waits of 100 ms and more are not computing. Below 1 % the finding replaces those
 * about hot functions, and the advice to take more samples: the whole profile then shows 10 ms of
 * each second. Recordings shorter than one second are ignored: they may show only a pause of a busy
 * program.
 */
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(idle_process);

#define IDLE_PROCESS_PCT     5.0
#define IDLE_PROCESS_ALL_PCT 1.0
#define IDLE_PROCESS_LEAST   1e9 /* minimum length of a recording that is judged, ns */
/* if more than one sample in this number was lost, the CPU time is unknown */
#define IDLE_PROCESS_LOST 20u

/* options of a recorder's command line */
struct idle_command {
	bool is_attached; /* the command recorded processes that were already running */
	bool is_machine;  /* the command recorded all processes, or all processes on some CPUs */
	double wall_ns;   /* recorded time; 0: not given */
	double rate;      /* samples per second; 0: not given */
};

/* Parse the time "12", "12s", "2m" or "1h". Returns ns; 0: @word is no time. */
static double idle_time(struct str word)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ms", 1e6 }, { "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };
	double n;

	if (!str_double(&word, &n) || n <= 0)
		return 0;
	word = str_trim(word);
	if (word.len == 0 || str_glob(STR("s|s;|;|\"|'"), word))
		return n * 1e9;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(word, str_of(units[i].unit)))
			return n * units[i].ns;
	}
	return 0;
}

/*
 * Is @word an option that selects processes or threads, such as "-p", "-p42", "--pid=42" or "-gp"?
 */
static bool idle_attaches(struct str word)
{
	return str_glob(STR("-p*|-t*|--pid|--pid=*|--tid|--tid=*|-gp|-gt"), word);
}

static struct idle_command idle_command(struct str line)
{
	struct idle_command ret = { 0 };
	struct str last = STR_NONE;
	struct str word;

	/* ignore further commands, which have options of their own */
	line = str_sub(line, 0, str_find(line, STR(";")));
	line = str_sub(line, 0, str_find(line, STR("&&")));
	line = str_sub(line, 0, str_find(line, STR(" | ")));
	for (; str_word(&line, &word); last = word) {
		struct str value = word;

		ret.is_attached |= idle_attaches(word);
		ret.is_machine |= str_glob(STR("-a|-ag|-ga|--all-cpus|-C*|--cpu*|-G*"), word);
		if (str_take(&value, STR("-F")) || str_take(&value, STR("--freq=")) ||
		    str_glob(STR("-F|--freq"), last))
			(void)str_double(&value, &ret.rate);
		if (str_glob(STR("sleep|*/sleep|timeout|--for"), last))
			ret.wall_ns = idle_time(word);
	}
	return ret;
}

/* The CPU time of a profile, and the recorded time. */
struct idle_use {
	bool is_of_process; /* the recording is of processes that were already running */
	double cpu_ns;      /* CPU time of the profile; 0: unknown */
	double wall_ns;     /* recorded time; 0: unknown */
	bool is_rate;       /* cpu_ns is computed from the sampling rate */
	/* wall_ns is the time that the command asked for; the recording may have ended earlier */
	bool is_of_command;
	/* wall_ns is the time from the first to the last sample: a lower bound */
	bool is_least;
};

static void idle_span(const struct profile *p, struct idle_use *use)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	VEC_FOREACH (t, &p->samples.time_ns) {
		first = *t < first ? *t : first;
		last = *t > last ? *t : last;
	}
	if (last > first && (double)(last - first) > use->wall_ns) {
		use->wall_ns = (double)(last - first);
		use->is_of_command = false;
		use->is_least = true;
	}
}

static struct idle_use idle_use(const struct rule_input *in)
{
	const struct capture *c = in->capture;
	const struct profile *p = c->profile;
	const struct strings *strings = capture_strings(c);
	struct str event = strings_get(strings, p->event);
	struct str line = strings_get(strings, c->command);
	struct idle_use ret = { 0 };
	struct idle_command command;
	double rate;

	/* only an event of all CPU time is used: with ":u", the event counts only a part */
	if (strcmp(in->profile->unit.of, "CPU time") != 0)
		return ret;
	if (p->wall_ns && p->has_event_count) {
		ret.is_of_process = true;
		ret.cpu_ns = (double)p->event_count;
		ret.wall_ns = (double)p->wall_ns;
		return ret;
	}
	command = idle_command(line.len ? line : capture_note_of(c, STR("cmdline")));
	if (!command.is_attached || command.is_machine)
		return ret;
	ret.is_of_process = true;
	rate = p->recording.frequency ? (double)p->recording.frequency : command.rate;
	if (p->has_event_count && str_glob(STR("cpu-clock*|task-clock*"), event)) {
		ret.cpu_ns = (double)p->event_count;
	} else if (rate > 0 && !p->recording.period) {
		ret.cpu_ns = (double)(p->n_samples + p->n_samples_err) / rate * 1e9;
		ret.is_rate = true;
	}
	ret.wall_ns = command.wall_ns;
	ret.is_of_command = command.wall_ns > 0;
	idle_span(p, &ret);
	return ret;
}

static void idle_report(const struct rule_input *in, struct findings *out,
			const struct idle_use *use, double pct)
{
	const struct profile *p = in->capture->profile;
	struct finding *f = finding_add(out, in, &rule_idle_process, FINDING_NOTE,
					use->is_of_command || use->is_rate ? 85 : 95);
	const char *cpu = finding_duration(out, (uint64_t)use->cpu_ns);
	const char *wall = finding_duration(out, (uint64_t)use->wall_ns);

	f->is_kind = true;
	f->impact = 100 - pct;
	f->yields = pct >= IDLE_PROCESS_ALL_PCT;
	finding_claim(out, f, "The process is idle: it used %s %% of one CPU, %s in %s",
		      finding_amount(out, 2, pct), cpu, wall);
	finding_cause(out, f,
		      "All shares divide %s of CPU time. A request that takes longer waits, and a "
		      "CPU profile does not show its wait",
		      cpu);
	finding_because(out, f, "%s",
			use->is_of_command ? "if the recording was not ended before the time in "
					     "its command"
			: use->is_rate     ? "computed from the rate of the samples"
					   : "both times are measured");
	finding_figure(f, "CPU time in the recorded time", pct, 0, "%");
	finding_figure(f, "CPU time", use->cpu_ns, 0, "ns");
	finding_figure_text(f, cpu);
	finding_figure(f, use->is_least ? "time between first and last sample" : "recorded time",
		       use->wall_ns, 0, "ns");
	finding_figure_text(f, wall);
	finding_evidence(out, f, in, p->n_samples_line, "%llu samples",
			 (unsigned long long)p->n_samples);
	finding_next(out, f,
		     "assay record --off-cpu -p PID --for 60s: what it waits for, recorded while "
		     "requests are slow");
}

static void idle_process_check(const struct rule_input *in, struct findings *out)
{
	static const char *const ask = "perf record -F 999 -g -p PID sleep 10";
	const struct profile *p = in->capture->profile;
	struct idle_use use;
	double pct;

	if (in->profile->functions.len == 0 || signature_is_tracepoint(in) ||
	    in->profile->is_off_cpu || p->is_selected || !p->has_n_samples || p->n_samples == 0)
		return;
	use = idle_use(in);
	if (!use.is_of_process)
		return;
	if (use.cpu_ns <= 0 || use.wall_ns < IDLE_PROCESS_LEAST) {
		finding_not_assessed(out, in, &rule_idle_process, ask, "%s",
				     use.cpu_ns <= 0   ? "the CPU time of the process is unknown"
				     : use.wall_ns > 0 ? "the recording is shorter than 1 s"
						       : "the recorded time is unknown");
		return;
	}
	if (p->has_lost && p->lost * IDLE_PROCESS_LOST > p->n_samples) {
		finding_not_assessed(out, in, &rule_idle_process, ask,
				     "lost samples hide CPU time");
		return;
	}
	pct = 100 * use.cpu_ns / use.wall_ns;
	if (pct < IDLE_PROCESS_PCT)
		idle_report(in, out, &use, pct);
	else
		finding_clean(out, in, &rule_idle_process, "the process used %.0f %% of one CPU",
			      pct);
}

static const char *const idle_process_replaces[] = { "few-samples", "hot-function", "hot-caller",
						     "hot-family", NULL };

const struct rule rule_idle_process = {
	.id = "idle-process",
	.title = "Idle process",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY, /* idle_use() checks that the event is CPU time */
	.check = idle_process_check,
	.overrules = idle_process_replaces,
	.explains = idle_process_replaces,
	.is_measured = true,
};
