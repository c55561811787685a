/* SPDX-License-Identifier: MIT */
/* check.c - `assay check`: judge whether claims about recordings are true, false or inconclusive */
#include "base/alloc.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/check/check_show.h"
#include "cmds/run/cmd.h"
#include "cmds/run/outputs.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_bless.h"
#include "explain/claims/claim_judge.h"
#include "explain/claims/claim_prose.h"
#include "explain/facts.h"
#include "transform/transform.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

DECLARE_CMD(check);

#define CHECK_FILE_BYTES (UINT64_C(4) << 20)
#define CHECK_NAME_BYTES 4096u

enum check_exit { CHECK_IS_FALSE = 3, CHECK_CANNOT_TELL = 4 };

struct check {
	struct session session;
	const char *file; /* value of --claims: a file with one claim per line */
	const char *prose;
	bool is_bless;
	const char *event;
	uint64_t capture;
	bool is_recorded;
	unsigned int format; /* enum check_format */

	VEC(struct str) texts;
	/* for each text, its line in the file of --claims; 0: the text is from the command line */
	VEC(uint32_t) text_lines;
	VEC(struct claim) claims;
	struct document *document;
};

/*
 * Whether the operand is a claim and not an input. A claim contains a blank or a comparison, and
 * there is no file with this name.
 */
static bool check_is_claim(const char *operand)
{
	return strpbrk(operand, " <>=(") && access(operand, F_OK) != 0;
}

/* Move each operand that is a claim from the inputs to c->texts. */
static void check_split(struct check *c)
{
	size_t kept = 0;

	VEC_FOREACH (path, &c->session.in.paths.items) {
		if (check_is_claim(*path)) {
			*VEC_PUSH(&c->texts) = str_of(*path);
			*VEC_PUSH(&c->text_lines) = 0;
		} else {
			c->session.in.paths.items.data[kept++] = *path;
		}
	}
	c->session.in.paths.items.len = kept;
}

/*
 * Read the file of --claims: one claim per line. Blank lines and lines that begin with # are
 * skipped.
 */
static int check_read(struct check *c, struct error *err)
{
	const struct document_options options = { .is_raw = true, .max_bytes = CHECK_FILE_BYTES };
	struct str text;
	struct str line;
	uint32_t number = 0;
	int e = document_open(c->file, &options, &c->document, err);

	if (e < 0)
		return e;
	text = c->document->text;
	while (str_line(&text, &line)) {
		number++;
		line = str_trim(line);
		if (line.len == 0 || line.p[0] == '#')
			continue;
		*VEC_PUSH(&c->texts) = line;
		*VEC_PUSH(&c->text_lines) = number;
	}
	return OK;
}

/*
 * Parse the texts from index @from on, and append the claims to c->claims. For each text that is
 * not a valid claim, print a message. Returns false if there was such a text.
 */
static bool check_parse(struct check *c, size_t from)
{
	bool is_good = true;

	for (size_t i = from; i < c->texts.len; i++) {
		struct error err = { "" };
		struct claim *claim = VEC_PUSH(&c->claims);

		if (claim_parse(c->texts.data[i], claim, &err) == OK)
			continue;
		is_good = false;
		if (c->text_lines.data[i])
			complain(c->file, "line %u: %s", c->text_lines.data[i], err.msg);
		else
			complain(c->texts.data[i].p, "%s; 'assay help check' has the grammar",
				 err.msg);
	}
	return is_good;
}

static int check_status(const struct claim_result *results, size_t n)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < n; i++) {
		if (results[i].outcome == CLAIM_FALSE)
			return CHECK_IS_FALSE;
		if (results[i].outcome == CLAIM_CANNOT_TELL)
			status = CHECK_CANNOT_TELL;
	}
	return status;
}

/*
 * A claim can compare a capture with a capture of another file, its base. Set is_base[i] if capture
 * number i is from such a base. False: a base is not among the inputs; a message was printed.
 */
static bool check_bases(const struct check *c, bool *is_base)
{
	const struct dossier *d = c->session.dossier;
	char name[CHECK_NAME_BYTES];

	VEC_FOREACH (claim, &c->claims) {
		bool is_read = false;

		for (uint32_t i = 0; i < d->captures.len && claim->base.len; i++) {
			struct str path = strings_get(&d->strings, d->captures.data[i]->path);

			is_base[i] |= str_eq(path, claim->base);
			is_read |= str_eq(path, claim->base);
		}
		if (is_read || !claim->base.len)
			continue;
		(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(claim->base));
		complain(name, "a claim compares with it: name it among the files, too");
		return false;
	}
	return true;
}

static int check_judge(struct check *c, int *ret_outcome)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(c->session.dossier);
	CLEANUP(freep) bool *is_base = xcalloc(c->session.dossier->captures.len + 1, sizeof(bool));
	const struct claim_options options = {
		.is_base = is_base,
		.capture = c->capture ? (uint32_t)(c->capture - 1) : INDEX_NONE,
		.event = str_of(c->event),
		.is_recorded_only = c->is_recorded,
	};
	struct claim_result *results = xcalloc(c->claims.len + 1, sizeof(*results));
	const struct check_report report = { .results = results,
					     .n = c->claims.len,
					     .is_recorded_only = c->is_recorded };
	int status;

	if (!check_bases(c, is_base)) {
		free(results);
		return EXIT_USAGE;
	}
	claim_judge(facts, c->claims.data, c->claims.len, &options, results);
	status = check_show(&c->session, (enum check_format)c->format, &report);
	*ret_outcome = check_status(results, c->claims.len);
	free(results);
	return status;
}

/* Execute --bless: print claims that are true for this recording. */
static int check_bless(struct check *c)
{
	CLEANUP(facts_freep) struct facts *facts = facts_new(c->session.dossier);
	const struct claim_options options = {
		.capture = c->capture ? (uint32_t)(c->capture - 1) : INDEX_NONE,
		.event = str_of(c->event),
		.is_recorded_only = c->is_recorded,
	};
	struct out *out;

	c->session.to.has_pager = false;
	out = session_open(&c->session);
	if (!out)
		return EXIT_FAILED;
	if (claim_bless_write(facts, &options, out))
		return EXIT_DONE;
	complain(NULL, "no figure supports a claim: too few samples, their number is unknown, or "
		       "several captures have such figures (--capture N)");
	return EXIT_FAILED;
}

/* Execute --text: judge the figures in a text that a person wrote. */
static int check_prose(struct check *c, int *ret_outcome)
{
	const struct document_options options = { .is_raw = true, .max_bytes = CHECK_FILE_BYTES };
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct claim_prose prose;
	struct check_report report = { .is_recorded_only = true };
	struct error err = { "" };
	int status;

	if (document_open(c->prose, &options, &c->document, &err) < 0) {
		complain(c->prose, "%s", err.msg);
		return EXIT_FAILED;
	}
	facts = facts_new(c->session.dossier);
	claim_prose_judge(facts, c->document->text, str_of(c->prose), &prose);
	report.results = prose.results;
	report.n = prose.said.len;
	if (report.n == 0)
		complain(c->prose, "no figure in it names a function of the capture");
	status = check_show(&c->session, (enum check_format)c->format, &report);
	*ret_outcome = report.n ? check_status(prose.results, report.n) : CHECK_CANNOT_TELL;
	claim_prose_fini(&prose);
	return status;
}

/* Execute --bless or --text, or judge the claims. The inputs are already read. */
static int check_loaded(struct check *c, int *ret_outcome)
{
	struct error err = { "" };
	size_t from = c->texts.len;

	if (c->is_bless)
		return check_bless(c);
	if (c->prose)
		return check_prose(c, ret_outcome);
	if (c->file && check_read(c, &err) < 0) {
		complain(c->file, "%s", err.msg);
		return EXIT_FAILED;
	}
	if (!check_parse(c, from))
		return EXIT_USAGE;
	if (c->claims.len == 0 || c->claims.len > CLAIM_MOST) {
		complain(c->file, "it has %zu claims; 1 to %u can be checked at once",
			 c->claims.len, CLAIM_MOST);
		return EXIT_USAGE;
	}
	if (c->capture > c->session.dossier->captures.len) {
		complain("--capture", "there are %zu captures", c->session.dossier->captures.len);
		return EXIT_USAGE;
	}
	return check_judge(c, ret_outcome);
}

static bool check_options(struct check *c)
{
	check_split(c);
	if (c->session.to.is_json)
		c->format = CHECK_JSON;
	c->session.to.is_json = c->format == CHECK_JSON;
	if (c->format == CHECK_SARIF)
		c->session.to.kind = &output_json;
	if ((c->prose || c->is_bless) && (c->texts.len || c->file || (c->prose && c->is_bless))) {
		complain(c->prose ? "--text" : "--bless", "it excludes other claims");
		return false;
	}
	if (c->texts.len == 0 && !c->file && !c->prose && !c->is_bless) {
		complain(NULL,
			 "no claim; write one in quotes: assay check 'memcpy self < 5%%' FILE");
		return false;
	}
	return check_parse(c, 0);
}

static void check_fini(struct check *c)
{
	VEC_FREE(&c->texts);
	VEC_FREE(&c->text_lines);
	VEC_FREE(&c->claims);
	document_free(c->document);
}

static int check_run(int argc, char **argv)
{
	struct check c = { .format = CHECK_TEXT };
	struct args_option options[] = {
		OPT(TEXT, "claims", 0, "FILE", &c.file,
		    "also check the claims of FILE, one a line"),
		OPT(TEXT, "text", 0, "FILE", &c.prose,
		    "check the figures in prose that name a function of the recording"),
		OPT_FLAG("bless", 0, &c.is_bless,
			 "write claims that hold for this recording and the next one like it"),
		OPT_DEFAULT(CHOICE, "format", 0, "text|json|tap|junit|sarif", "text", &c.format,
			    "output for people, programs, test harnesses, CI servers, editors"),
		SESSION_JSON(&c.session),
		OPT(COUNT, "capture", 0, "N", &c.capture,
		    "claims are about the Nth capture, as assay info counts them"),
		OPT(TEXT, "event", 'e', "EVENT", &c.event, "claims are about captures of EVENT"),
		OPT_FLAG("recorded", 0, &c.is_recorded,
			 "judge the recorded figures alone, not the program: no chance"),
		SESSION_SYMBOLS(&c.session),
		SESSION_OPTIONS(&c.session),
		SESSION_FORCE(&c.session),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay check",
		.operands = "CLAIM... FILE...",
		.summary = "Check claims about recordings: true, false, or cannot tell.",
		.options = options,
		.tail = "exit status: 0 all claims are true, 1 not readable, 2 usage, 3 a claim is "
			"false, 4 none is false and at least one is undecided\n\nexamples:\n"
			"  assay check 'json_serialize share > 40%' perf.data\n"
			"  assay check 'p99(udp_sendmsg) <= 40us net of tracer' trace.dat\n"
			"  assay check --claims perf.claims perf.data",
	};
	int outcome = EXIT_DONE;
	int status;

	session_init(&c.session);
	c.session.change.finds_off_cpu = true;
	c.session.change.takes_trees = true;
	if (session_parse(&c.session, &spec, argc, argv, &status)) {
		if (!check_options(&c))
			status = EXIT_USAGE;
		else if (session_load(&c.session, &spec, &status) &&
			 c.session.dossier->captures.len)
			status = check_loaded(&c, &outcome);
	}
	status = session_finish(&c.session, status);
	check_fini(&c);
	return status == EXIT_DONE ? outcome : status;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "test claims about a recording: true, false, or cannot tell",
	.run = check_run,
};
