/* SPDX-License-Identifier: MIT */
/*
 * capsule.c - `assay capsule`: evidence, names and findings in one file, which can be sent to
 * others
 *
 * The capsule is made in memory. Before it is written to a file, assay reads the evidence in it
 * again and computes the findings. Findings that differ from those of the inputs are reported on
 * stderr, and the capsule lists them.
 */
#include "document/capsule.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "cmds/capsule/capsule_box.h"
#include "cmds/capsule/capsule_cut.h"
#include "cmds/capsule/capsule_evidence.h"
#include "cmds/capsule/capsule_judge.h"
#include "cmds/capsule/capsule_reading.h"
#include "cmds/capsule/capsule_source.h"
#include "cmds/run/cmd.h"
#include "cmds/run/confine.h"
#include "cmds/run/outputs.h"
#include "cmds/run/secret.h"
#include "cmds/run/session.h"
#include "config.h"
#include "core/dossier.h"
#include "core/names/redact.h"
#include "core/strings.h"
#include "document/document.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <unistd.h>

DECLARE_CMD(capsule);

/*
 * maximum number of captures that --cut tries to leave out one by one; if there are more, it keeps
 * all
 */
#define CAPSULE_TRIES 16u
/* Exit status if the findings from the capsule differ from the findings of the inputs. */
#define CAPSULE_IS_POORER 3
/* Input name of the capsule while it is only in memory and is read again. */
#define CAPSULE_FILE "FILE.capsule"

struct capsule_command {
	struct session s;
	struct session again; /* reads the evidence in the capsule again, to compare the findings */
	struct capsule_box box;
	struct capsule_reading before;
	struct capsule_reading after;
	struct capsule_verdict verdict;
	struct capsule_plan plan; /* the captures that --cut keeps */
	/*
	 * value of --redact: file with the key that replaces names; "": a random key; NULL: keep
	 * names
	 */
	const char *redact;
	/* folder with source files, whose lines are added to the capsule; NULL: add none */
	const char *source;
	bool is_cut; /* leave out captures that no finding needs (--cut) */
	/* number of inputs that were left out because they cannot be redacted */
	unsigned int n_left_out;
	/* the capsule with the evidence but without findings, for the second reading */
	struct out image;
};

static void capsule_about_findings(const struct capsule_command *c, struct json *j)
{
	json_key(j, "findings");
	json_u64(j, c->before.findings.rows.len);
	json_key(j, "differences");
	json_array(j);
	VEC_FOREACH (d, &c->verdict.differences) {
		json_object(j);
		json_key(j, "change");
		json_z(j, capsule_change_name(d->change));
		json_key(j, "rule");
		json_z(j, d->finding->rule->id);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Write the text of capsule.json, the member that describes the capsule. */
static void capsule_about(const struct capsule_command *c, struct out *ret)
{
	struct json j;

	json_init(&j, ret, true);
	json_object(&j);
	json_key(&j, "schema");
	json_z(&j, CAPSULE_SCHEMA);
	json_key(&j, "program");
	json_z(&j, "assay " ASSAY_VERSION);
	json_key(&j, "redacted");
	json_bool(&j, c->redact != NULL);
	json_key(&j, "cut");
	json_bool(&j, c->is_cut);
	json_key(&j, "members");
	json_array(&j);
	VEC_FOREACH (m, &c->box.members) {
		json_object(&j);
		json_key(&j, "path");
		json_str(&j, m->name);
		json_key(&j, "bytes");
		json_u64(&j, m->data.len);
		json_object_end(&j);
	}
	json_array_end(&j);
	capsule_about_findings(c, &j);
	json_object_end(&j);
	out_char(ret, '\n');
}

static bool capsule_take(struct capsule_command *c)
{
	const struct capsule_plan *cut = c->is_cut ? &c->plan : NULL;
	struct redact_key key;
	struct error err = { "" };

	if (!c->redact)
		return capsule_evidence_take(&c->s, cut, &c->box);
	if (secret_read(c->redact, &key, &err) < 0) {
		complain(c->redact[0] ? c->redact : NULL, "%s", err.msg);
		return false;
	}
	return capsule_evidence_redact(&c->s, cut, &key, &c->box, &c->n_left_out);
}

/* Append the archive: capsule.json, then the members of c->box. */
static int capsule_write(const struct capsule_command *c, struct out *out, struct error *err)
{
	struct out about;
	int r;

	out_init(&about);
	capsule_about(c, &about);
	r = capsule_box_write(&c->box, out_view(&about), out, err);
	out_fini(&about);
	return r;
}

/*
 * Make the second reading: read the evidence in the capsule, and compare its findings with those of
 * the inputs.
 */
static int capsule_read_again(struct capsule_command *c, struct error *err)
{
	int r;

	c->image.len = 0;
	r = capsule_write(c, &c->image, err);
	if (r < 0)
		return r;
	capsule_reading_options(&c->again);
	session_load_bytes(&c->again, out_view(&c->image), CAPSULE_FILE);
	capsule_reading_make(&c->again, &c->after);
	capsule_judge(&c->before.findings, &c->after.findings, &c->verdict);
	return OK;
}

static void capsule_add_findings(struct capsule_command *c)
{
	struct out out;

	for (int is_json = 0; is_json < 2; is_json++) {
		out_init(&out);
		capsule_reading_text(&c->again, &c->after, is_json, &out);
		capsule_box_add(&c->box, is_json ? STR("findings.json") : STR("findings.txt"),
				arena_str(&c->box.arena, out_view(&out)));
		out_fini(&out);
	}
}

/* Print a message for each difference between the findings of the two readings. */
static void capsule_report(const struct capsule_command *c)
{
	static const char *const verbs[] = {
		[CAPSULE_LOST] = "loses",
		[CAPSULE_CHANGED] = "changes",
		[CAPSULE_NEW] = "adds",
	};

	VEC_FOREACH (d, &c->verdict.differences)
		complain(c->s.to.path, "the capsule %s a finding of %s: " STR_FMT, verbs[d->change],
			 d->finding->rule->id, STR_ARG(d->finding->claim));
}

/* Empty the box and forget the second reading, to make them again. */
static void capsule_forget(struct capsule_command *c)
{
	capsule_reading_fini(&c->after);
	(void)session_finish(&c->again, EXIT_FAILED);
	session_init(&c->again);
	VEC_FREE(&c->verdict.differences);
	c->verdict = (struct capsule_verdict){ .n_same = 0 };
	capsule_box_fini(&c->box);
	c->box = (struct capsule_box){ .members = VEC_INIT };
}

/* Put the evidence into the box, and make the second reading. False: a message was printed. */
static bool capsule_fill(struct capsule_command *c)
{
	struct error err = { "" };

	if (!capsule_take(c))
		return false;
	if (capsule_read_again(c, &err) == OK)
		return true;
	complain(c->s.to.path, "%s", err.msg);
	return false;
}

/*
 * Make the box and the second reading again, after c->plan has changed. False: a message was
 * printed.
 */
static bool capsule_fill_again(struct capsule_command *c)
{
	c->n_left_out = 0;
	capsule_forget(c);
	return capsule_fill(c);
}

/*
 * Leave out captures one by one. This is called if the findings change when all captures are left
 * out that no finding names: a comparison may need one of these captures. Put back each capture
 * without which the findings change. If there are more than CAPSULE_TRIES of these captures, keep
 * all. False: a message was printed.
 */
static bool capsule_cut_singly(struct capsule_command *c)
{
	size_t n = capsule_plan_count(&c->plan);
	CLEANUP(freep) bool *tries = xcalloc(c->plan.n + 1, sizeof(*tries));
	bool is_good = false;

	for (size_t i = 0; i < c->plan.n; i++) {
		tries[i] = !c->plan.keeps[i] && n > 1 && n <= CAPSULE_TRIES;
		c->plan.keeps[i] = true;
	}
	for (size_t i = 0; i < c->plan.n; i++) {
		if (!tries[i])
			continue;
		c->plan.keeps[i] = false;
		if (!capsule_fill_again(c))
			return false;
		is_good = c->verdict.differences.len == 0;
		c->plan.keeps[i] = !is_good;
	}
	c->is_cut = capsule_plan_count(&c->plan) > 0;
	if (!c->is_cut)
		complain(c->s.to.path, "not cut: without the other captures the findings differ");
	return is_good || capsule_fill_again(c);
}

static int capsule_make(struct capsule_command *c)
{
	struct error err = { "" };
	struct out *out;
	int r;

	capsule_reading_make(&c->s, &c->before);
	capsule_plan_init(&c->plan, &c->before.findings, c->s.dossier);
	c->is_cut &= capsule_plan_count(&c->plan) > 0 && capsule_plan_count(&c->plan) < c->plan.n;
	if (!capsule_fill(c))
		return EXIT_FAILED;
	if (c->is_cut && c->verdict.differences.len && !capsule_cut_singly(c))
		return EXIT_FAILED;
	capsule_add_findings(c);
	if (c->source &&
	    capsule_source_add(c->s.dossier, &c->before.findings, c->source, &c->box) == 0)
		complain(c->s.to.path,
			 "no source line added: %s has no file of a function that "
			 "findings name, or the recording has no debug information",
			 c->source);
	out = session_open(&c->s);
	if (!out)
		return EXIT_FAILED;
	r = capsule_write(c, out, &err);
	if (r < 0) {
		complain(c->s.to.path, "%s", err.msg);
		return EXIT_FAILED;
	}
	capsule_report(c);
	return EXIT_DONE;
}

/* Check the command line before the inputs are read. False: a message was printed. */
static bool capsule_check(const struct capsule_command *c)
{
	VEC_FOREACH (path, &c->s.in.paths.items) {
		if (strcmp(*path, "-") == 0) {
			complain("-", "standard input is read only once, but a capsule is read "
				      "again; save it to a file first");
			return false;
		}
	}
	if (c->source && c->redact) {
		complain(NULL, "source lines cannot be redacted; leave out --source or --redact");
		return false;
	}
	if (!c->s.to.path && isatty(STDOUT_FILENO)) {
		complain(NULL, "a capsule is binary and not for a terminal; use -o FILE");
		return false;
	}
	return true;
}

static int capsule_run(int argc, char **argv)
{
	struct capsule_command c = { .image = { .fd = -1 } };
	struct args_option options[] = {
		OPT(MAYBE, "redact", 0, "KEYFILE", &c.redact,
		    "replace names, hosts, paths and addresses by words; one key gives equal words "
		    "for equal names; without KEYFILE the key is random"),
		OPT(TEXT, "source", 0, "DIR", &c.source,
		    "add the source lines of functions that findings and hot samples name, from "
		    "files below DIR"),
		OPT_FLAG("cut", 0, &c.is_cut,
			 "leave out the captures and inputs on which no finding rests"),
		SESSION_SYMBOLS(&c.s),
		SESSION_OPTIONS(&c.s),
		SESSION_FORCE(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay capsule",
		.operands = "-o OUT FILE...",
		.summary = "One file to send: evidence, the names that it needs, and findings.",
		.options = options,
		.tail = "examples:\n"
			"  assay capsule -o slow.capsule perf.data server.log\n"
			"  assay slow.capsule           (on any machine)\n"
			"  tar tf slow.capsule          (a tar archive)",
	};
	int status;

	session_init(&c.s);
	session_init(&c.again);
	capsule_reading_options(&c.s);
	if (session_parse(&c.s, &spec, argc, argv, &status)) {
		c.s.to.kind = &output_capsule;
		c.s.to.has_pager = false;
		const char *const trees[] = { c.source, NULL };

		c.s.in.wanted.places = c.source != NULL;
		if (!capsule_check(&c))
			status = EXIT_USAGE;
		else if ((!c.source || session_confine(&c.s, trees, &status)) &&
			 session_load(&c.s, &spec, &status) && c.s.dossier->captures.len)
			status = capsule_make(&c);
	}
	capsule_reading_fini(&c.after);
	capsule_reading_fini(&c.before);
	(void)session_finish(&c.again, EXIT_FAILED);
	status = session_finish(&c.s, status);
	if (status == EXIT_DONE && (c.verdict.differences.len || c.n_left_out))
		status = CAPSULE_IS_POORER;
	VEC_FREE(&c.verdict.differences);
	capsule_plan_fini(&c.plan);
	capsule_box_fini(&c.box);
	out_fini(&c.image);
	return status;
}

const struct cmd cmd_capsule = {
	.name = "capsule",
	.summary = "pack evidence and findings into one file to send, redacted if wanted",
	.run = capsule_run,
};
