/* SPDX-License-Identifier: MIT */
/*
 * A daemon fails to restart, or stops itself: its log says that it cannot parse its own state, that
 * a file differs from its checksum, or that an assertion fails.
 *
 * No threshold: one such message is enough. Messages about parsing are used only in logs of Open
 * vSwitch and its databases: other programs parse input from their clients.
 *
 * A record of a database file begins with its length and SHA-1 sum. If the sum is wrong, the bytes
 * changed after the sum was computed. If the file ends within the record, the write was not
 * complete. If the first record is good, the server drops the bad record and all records after it,
 * and goes on: ovsdb/raft.c (raft_read_log), ovsdb/log.c (ovsdb_log_read) of Open vSwitch. It then
 * prints a warning, and otherwise exits with an error.
 */
#include "base/status.h"
#include "core/capture.h"
#include "explain/words/log_words.h"

#include "analyses/logs/log_facts.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(restart_failure);

enum restart_kind {
	RESTART_ASSERTION,
	RESTART_PARSING,
	RESTART_SUM, /* the checksum of a record is wrong */
	RESTART_CUT, /* a file ends within a record */
	RESTART_N,
};

struct restart_facts {
	uint32_t n[RESTART_N]; /* number of log records of each kind */
	/* first log record of each kind, an error before a warning; valid if n is not 0 */
	uint32_t first[RESTART_N];
	/* the server goes on without the bad records: no log record of the kind is an error */
	bool goes_on[RESTART_N];
};

static bool restart_is_parsing(struct str text)
{
	return (str_contains(text, STR("Parsing ")) && str_contains(text, STR(" failed"))) ||
	       str_contains(text, STR("error reading record")) ||
	       str_contains(text, STR("unexpected file format"));
}

static bool restart_is_assertion(const struct log_record *r)
{
	return str_contains(r->text, STR("assertion ")) &&
	       str_contains(r->text, STR("failed in")) && r->level >= LEVEL_ERROR;
}

/* The kind of record @r; RESTART_N: none. */
static enum restart_kind restart_kind(const struct log_record *r, bool is_vlog)
{
	struct log_match m;

	if (restart_is_assertion(r))
		return RESTART_ASSERTION;
	if (!is_vlog || r->level < LEVEL_WARN)
		return RESTART_N;
	if (log_match_in(r->text, "bytes starting at offset %u have SHA-1 hash", &m) &&
	    str_contains(m.rest, STR("should have hash")))
		return RESTART_SUM;
	if (log_match_in(r->text, "error reading %u bytes starting at offset %u (End of file", &m))
		return RESTART_CUT;
	return restart_is_parsing(r->text) ? RESTART_PARSING : RESTART_N;
}

/* Clause for @n repetitions: " (3 times)"; "" if @n is 1. */
static const char *restart_times(struct findings *out, unsigned int n)
{
	return n == 1 ? "" : finding_name(out, " (%u times)", n);
}

static void restart_parsing(struct finding *f, struct findings *out, const struct restart_facts *r)
{
	finding_claim(out, f,
		      "A file written earlier cannot be parsed%s: the process may not start, and "
		      "data may be lost",
		      restart_times(out, r->n[RESTART_PARSING]));
	finding_usual_cause(out, f, "The data was damaged: in memory before the write, or on disk");
	finding_next(out, f,
		     "ovsdb-tool check-cluster FILE; ovsdb-tool show-log FILE: keep a copy, "
		     "compare it with a healthy member");
}

static void restart_sum(const struct rule_input *in, struct finding *f, struct findings *out,
			const struct restart_facts *r)
{
	struct log_match m;

	if (r->goes_on[RESTART_SUM])
		finding_claim(out, f,
			      "A database file is damaged%s: the server drops the bad record and "
			      "all records after it, and goes on",
			      restart_times(out, r->n[RESTART_SUM]));
	else
		finding_claim(out, f,
			      "A database file is damaged%s: a record differs from its checksum, "
			      "and " STR_FMT " stops",
			      restart_times(out, r->n[RESTART_SUM]),
			      STR_ARG(log_words_who(out, in, r->first[RESTART_SUM])));
	finding_cause(out, f,
		      "The bytes changed after the checksum was computed: on the disk, in a copy, "
		      "or another program wrote to the file");
	if (log_match_in(log_words_record(in, r->first[RESTART_SUM])->text,
			 "bytes starting at offset %u have", &m))
		finding_figure(f, "offset of the record", (double)m.n[0], 0, "bytes");
	finding_next(
		out, f,
		r->goes_on[RESTART_SUM]
			? "cp -a FILE FILE.damaged; ovs-appctl cluster/status DATABASE: does "
			  "the server get the lost records from its peers"
			: "cp -a FILE FILE.damaged; then remove the member and let it join again "
			  "with an empty file: ovs-appctl cluster/kick; ovsdb-tool "
			  "join-cluster");
	finding_next(out, f, "smartctl -a DEVICE; journalctl -k: errors of the disk");
}

static void restart_cut(struct finding *f, struct findings *out, const struct restart_facts *r)
{
	finding_claim(out, f, "A database file ends within a record%s: the server %s",
		      restart_times(out, r->n[RESTART_CUT]),
		      r->goes_on[RESTART_CUT] ? "drops this record, and goes on" : "stops");
	finding_usual_cause(
		out, f,
		"The process or the machine stopped during the write, the disk was full, "
		"or the file is a copy that is not complete");
	finding_next(out, f,
		     "ovs-appctl cluster/status DATABASE: does the server get the lost records "
		     "from its peers; df: is the disk full");
}

static void restart_assertion(const struct rule_input *in, struct finding *f, struct findings *out,
			      const struct restart_facts *r)
{
	finding_claim(out, f, STR_FMT " stopped itself: an assertion failed%s",
		      STR_ARG(log_words_who(out, in, r->first[RESTART_ASSERTION])),
		      restart_times(out, r->n[RESTART_ASSERTION]));
	finding_cause(out, f, "The program detected a state that its author considered impossible");
	finding_next(out, f,
		     "coredumpctl gdb -A '-batch -ex bt': the failed assertion, and the messages "
		     "before it");
}

/* The kind to report: one that stops the process, before one after which it goes on. */
static enum restart_kind restart_worst(const struct restart_facts *r)
{
	static const enum restart_kind order[] = { RESTART_PARSING, RESTART_SUM, RESTART_CUT,
						   RESTART_ASSERTION };
	enum restart_kind ret = RESTART_N;

	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (r->n[order[i]] &&
		    (ret == RESTART_N || (r->goes_on[ret] && !r->goes_on[order[i]])))
			ret = order[i];
	}
	return ret;
}

static void restart_finding(const struct rule_input *in, struct findings *out,
			    const struct restart_facts *r)
{
	enum restart_kind kind = restart_worst(r);
	uint32_t at = r->first[kind];
	struct finding *f = finding_add(out, in, &rule_restart_failure,
					r->goes_on[kind] ? FINDING_WARNING : FINDING_ERROR, 90);

	if (kind == RESTART_PARSING)
		restart_parsing(f, out, r);
	else if (kind == RESTART_SUM)
		restart_sum(in, f, out, r);
	else if (kind == RESTART_CUT)
		restart_cut(f, out, r);
	else
		restart_assertion(in, f, out, r);
	finding_because(out, f, "reported by the process");
	finding_figure(f, "failures to parse", r->n[RESTART_PARSING], 0, "");
	finding_figure(f, "assertions", r->n[RESTART_ASSERTION], 0, "");
	if (r->n[RESTART_SUM])
		finding_figure(f, "wrong checksums", r->n[RESTART_SUM], 0, "");
	if (r->n[RESTART_CUT])
		finding_figure(f, "incomplete records", r->n[RESTART_CUT], 0, "");
	log_words_cite(out, f, in, at);
	if (at > 0 && log_words_record(in, at - 1)->stream == log_words_record(in, at)->stream)
		log_words_cite(out, f, in, at - 1);
}

static void restart_check(const struct rule_input *in, struct findings *out)
{
	struct restart_facts r = { .goes_on = { [RESTART_SUM] = true, [RESTART_CUT] = true } };
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	bool is_vlog = log_words_is_vlog(in);
	bool has_any = false;

	for (uint32_t i = 0; i < n; i++) {
		enum restart_kind kind = restart_kind(log_words_record(in, i), is_vlog);
		bool is_error = log_words_record(in, i)->level >= LEVEL_ERROR;

		if (kind == RESTART_N)
			continue;
		has_any = true;
		if (r.n[kind]++ == 0 || (is_error && r.goes_on[kind]))
			r.first[kind] = i;
		r.goes_on[kind] &= !is_error;
	}
	if (has_any)
		restart_finding(in, out, &r);
	else if (n && is_vlog)
		finding_clean(out, in, &rule_restart_failure,
			      "no failed assertion and no unreadable file");
}

const struct rule rule_restart_failure = {
	.id = "restart-failure",
	.title = "Daemon stops itself or fails to start",
	.needs = RULE_LOG,
	.check = restart_check,
	.is_measured = true,
};
