/* SPDX-License-Identifier: MIT */
/*
 * A Go program does not read HTTP responses to their end, or does not close them. The HTTP client
 * has two goroutines for each connection, readLoop() and writeLoop(). While a response is open,
 * readLoop() waits in a select until its body ends; between two requests it waits for data in
 * Peek() instead. The body is read by another goroutine, which belongs to the program. If far more
 * connections wait for the end of a body than the program has such goroutines, nobody reads these
 * responses.
 *
 * Thresholds: at least 20 connections wait for the end of a body, and there are at least three of
 * them for each goroutine that could read.
 */
#include "explain/words/thread_words.h"

#include "analyses/quality/quality.h"
#include "analyses/threads/thread_summary.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(unread_responses);

#define UNREAD_MANY 20u
#define UNREAD_EACH 3u
#define UNREAD_SURE 85u
/* the two goroutines of a connection of the client; source: net/http/transport.go, dialConn() */
#define UNREAD_READ  "net/http.(*persistConn).readLoop"
#define UNREAD_WRITE "net/http.(*persistConn).writeLoop"

struct unread {
	uint64_t bodies;      /* connections that wait for the end of a body */
	uint64_t connections; /* goroutines that write requests; each connection has one */
	uint64_t others;      /* all goroutines that belong to no connection of the client */
	/* row of a goroutine whose connection is counted in `bodies`; INDEX_NONE: none */
	uint32_t row;
};

/*
 * The innermost function of goroutine @row that does not belong to Go's runtime. *@ret_frame: its
 * frame.
 */
static struct str unread_innermost(const struct rule_input *in, uint32_t row, uint32_t *ret_frame)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n; i++) {
		struct str name = symbols_name(symbols, threads_summary_sym(in->threads, row, i));

		*ret_frame = i;
		if (!str_starts(name, STR("runtime.")))
			return name;
	}
	return STR_NONE;
}

static bool unread_is_connection(const struct rule_input *in, uint32_t row, uint32_t from)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = from; i < n; i++) {
		struct str name = symbols_name(symbols, threads_summary_sym(in->threads, row, i));

		if (str_eq(name, STR(UNREAD_READ)) || str_eq(name, STR(UNREAD_WRITE)))
			return true;
	}
	return false;
}

static struct unread unread_count(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	struct unread u = { .row = INDEX_NONE };

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *row = threads_summary_row(s, i);
		uint32_t frame = 0;
		struct str name;

		if (row->snapshot != s->snapshot)
			continue;
		name = unread_innermost(in, i, &frame);
		if (str_eq(name, STR(UNREAD_READ))) {
			u.bodies += row->count;
			u.row = u.row == INDEX_NONE ? i : u.row;
		} else if (str_eq(name, STR(UNREAD_WRITE))) {
			u.connections += row->count;
		} else if (!unread_is_connection(in, i, frame)) {
			u.others += row->count;
		}
	}
	return u;
}

static void unread_check(const struct rule_input *in, struct findings *out)
{
	struct unread u = unread_count(in);
	/* without a printed total, and in an excerpt, the number of other goroutines is unknown */
	bool is_all = in->capture->threads->total &&
		      in->capture->threads->total == in->threads->printed &&
		      !quality_is_part(in->capture);
	struct finding *f;

	if (u.row == INDEX_NONE && u.connections == 0)
		return;
	if (u.bodies < UNREAD_MANY || u.bodies < UNREAD_EACH * u.others) {
		finding_clean(out, in, &rule_unread_responses,
			      "%llu connections of the HTTP client wait for the end of a response, "
			      "and %llu goroutines could read it",
			      (unsigned long long)u.bodies, (unsigned long long)u.others);
		return;
	}
	f = finding_add(out, in, &rule_unread_responses, FINDING_WARNING, UNREAD_SURE);
	if (!is_all)
		finding_claim(out, f,
			      "%llu connections of the HTTP client wait until their response is "
			      "read to the end or closed",
			      (unsigned long long)u.bodies);
	else
		finding_claim(out, f,
			      "%llu connections of the HTTP client wait until their response is "
			      "read to the end or closed; there %s only %llu other goroutine%s, so "
			      "most are never closed",
			      (unsigned long long)u.bodies, u.others == 1 ? "is" : "are",
			      (unsigned long long)u.others, u.others == 1 ? "" : "s");
	f->impact = 100.0 * (double)u.bodies / (double)in->threads->threads;
	finding_figure(f, "responses not read to the end", (double)u.bodies, 0, "");
	if (u.connections)
		finding_figure(f, "connections of the client", (double)u.connections, 0, "");
	if (is_all)
		finding_figure(f, "goroutines that could read them", (double)u.others, 0, "");
	thread_words_cite(out, f, in, u.row);
	finding_usual_cause(
		out, f,
		"The program does not close the body of each response, so no connection is used "
		"again: connections, goroutines and memory grow with each request");
	finding_because(
		out, f,
		"readLoop waits in its own select only while a body is open; an idle connection "
		"waits in Peek");
	finding_next(out, f,
		     "grep -rn 'http\\.Get\\|\\.Do(' --include='*.go' .: each response needs defer "
		     "resp.Body.Close(), also after an error status, and io.Copy(io.Discard, "
		     "resp.Body) before it");
	finding_next(
		out, f,
		"curl -s 'http://HOST/debug/pprof/goroutine?debug=1' | head -1: twice, a minute "
		"apart: does it grow");
}

static const char *const unread_overrules[] = { "thread-leak", "thread-waits", NULL };

const struct rule rule_unread_responses = {
	.id = "unread-responses",
	.title = "HTTP responses that are not closed",
	.needs = RULE_THREADS,
	.overrules = unread_overrules,
	.check = unread_check,
};
