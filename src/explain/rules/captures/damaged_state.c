/* SPDX-License-Identifier: MIT */
/*
 * A process crashes, and another capture of the same text shows that it cannot read its own state
 * file. So its memory was probably corrupt when it wrote the file. A profile of the crashing
 * process may show the function that writes the file.
 *
 * No threshold: a file that its own writer cannot parse is reported. Without a crash the rule
 * reports nothing, because a full disk or an older version of the program may explain the file. A
 * file with a wrong checksum does not count: its bytes changed after the write.
 */
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "explain/damaged_state_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(damaged_state);

struct damaged {
	struct rule_input parse; /* the log with the parse error */
	uint32_t parse_record;
	struct rule_input crash;
	uint32_t crash_record;
	struct rule_input profile;
	struct fact_caller writer;
	bool has_parse, has_crash, has_writer;
};

static void damaged_log(const struct rule_input *in, uint32_t number, struct damaged *d)
{
	struct rule_input log;

	if (!log_words_input(in, number, &log))
		return;
	if (log.log->crashes.len && !d->has_crash) {
		d->has_crash = true;
		d->crash = log;
		d->crash_record = log.log->crashes.data[0].record;
	} else if (log.log->segfaults.len && !d->has_crash) {
		d->has_crash = true;
		d->crash = log;
		d->crash_record = log.log->segfaults.data[0].record;
	}
	for (uint32_t i = 0; i < log.capture->records->rows.len && !d->has_parse; i++) {
		struct str text = log_words_record(&log, i)->text;

		if (str_contains(text, STR("Parsing ")) && str_contains(text, STR(" failed"))) {
			d->has_parse = true;
			d->parse = log;
			d->parse_record = i;
		}
	}
}

static void damaged_profile(const struct rule_input *in, uint32_t number, struct damaged *d)
{
	struct profile_facts *p = in->facts->profiles[number];
	struct fact_caller callers[4];
	size_t n;

	if (!p || d->has_writer || facts_sum(p, DAMAGED_CRASHES).functions == 0)
		return;
	n = facts_callers_anywhere(p, DAMAGED_CRASHES, DAMAGED_THROUGH, callers,
				   ARRAY_LEN(callers));
	for (size_t i = 0; i < n && !d->has_writer; i++) {
		if (!str_glob(STR(DAMAGED_WRITERS), facts_name(in->facts, callers[i].sym)))
			continue;
		d->profile = *in;
		d->profile.capture = in->facts->dossier->captures.data[number];
		d->profile.number = number;
		d->profile.profile = p;
		d->writer = callers[i];
		d->has_writer = true;
	}
}

static void damaged_finding(struct damaged *d, struct findings *out)
{
	struct finding *f = finding_add(out, &d->parse, &rule_damaged_state, FINDING_ERROR,
					d->has_writer ? 80 : 65);
	struct str writer = d->has_writer ? facts_name(d->profile.facts, d->writer.sym) : STR("");

	finding_claim(out, f,
		      STR_FMT " crashed and cannot read a file it wrote: its memory was damaged "
			      "before the write%s" STR_FMT,
		      STR_ARG(log_words_who(out, &d->parse, d->parse_record)),
		      writer.len ? "; the profile shows the crash in " : "", STR_ARG(writer));
	finding_figure(f, "captures that agree", d->has_writer ? 3 : 2, 0, "");
	if (d->has_writer)
		finding_figure(f, "samples below the crash", d->writer.pct, 0, "%");
	log_words_cite(out, f, &d->parse, d->parse_record);
	log_words_cite(out, f, &d->crash, d->crash_record);
	if (d->has_writer)
		finding_evidence(out, f, &d->profile, d->writer.line, STR_FMT, STR_ARG(writer));
	finding_usual_cause(
		out, f,
		"Use after free, or a write past the end, in the code that generates the "
		"data. The first damage is stored, the next one crashes");
	finding_because(
		out, f,
		"a value of the wrong type in its own file, and crashes of the same process\n"
		"which code frees the memory too early");
	finding_next(out, f,
		     "cp -a DATABASE DATABASE.damaged: keep the files, they hold the damage");
	finding_next(out, f,
		     "valgrind PROGRAM, or a build with -fsanitize=address: the first bad access");
}

static void damaged_check(const struct rule_input *in, struct findings *out)
{
	struct damaged d = { .has_parse = false };

	for (uint32_t i = 0; i < in->facts->dossier->captures.len; i++) {
		damaged_log(in, i, &d);
		damaged_profile(in, i, &d);
	}
	if (d.has_parse && (d.has_crash || d.has_writer)) {
		if (!d.has_crash) {
			d.crash = d.parse;
			d.crash_record = d.parse_record;
		}
		damaged_finding(&d, out);
	} else if (d.has_crash) {
		finding_clean(out, &d.crash, &rule_damaged_state,
			      "crashes, but no unreadable file of the same writer");
	}
}

static const char *const damaged_explains[] = { "restart-failure", "crash-loop", NULL };

const struct rule rule_damaged_state = {
	.id = "damaged-state",
	.title = "Corrupt state written by a crashing process",
	.needs = RULE_DOSSIER,
	.explains = damaged_explains,
	.check = damaged_check,
};
