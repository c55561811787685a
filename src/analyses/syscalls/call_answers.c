/* SPDX-License-Identifier: MIT */
/*
 * Find errors that are a usual answer of a call instead of a failure, in one pass over the calls.
 * Most such errors have a condition: the error is an answer only if a certain call of the same
 * thread follows. Until this call is found, the error is pending. If a thread has more than
 * ANSWERS_PENDING pending errors, the oldest are dropped, and count as failures.
 */
#include "analyses/syscalls/call_answers.h"

#include "analyses/call_answers_names.h"
#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <errno.h>
#include <stdlib.h>

/*
 * maximum number of pending errors of a thread; more than the number of directories of a search
 * path
 */
#define ANSWERS_PENDING 16u

enum answer_until {
	UNTIL_NOW, /* no condition: the error is always an answer */
	UNTIL_POLL,
	UNTIL_FOUND,
};

struct call_answer {
	int error;
	const char *calls;
	const char *args; /* pattern for the arguments; NULL: any arguments */
	enum answer_until until;
	const char *means;
};

static const struct call_answer call_answers[] = { CALL_ANSWERS };

struct answers_lane {
	uint32_t pending[ANSWERS_PENDING]; /* ring buffer of calls whose errors are pending */
	/*
	 * for each pending call: index in call_answers, plus 1; 0: unused, or the condition is met
	 */
	uint8_t answer[ANSWERS_PENDING];
	size_t n;
};

struct answers {
	const struct capture *c;
	struct answers_lane *lanes;
	/* the result, indexed by call: number of the answer; NULL: no answers so far */
	uint8_t *found;
};

static struct str answers_name(const struct answers *a, uint32_t call)
{
	return symbols_name(capture_symbols(a->c), a->c->calls->sym.data[call]);
}

static struct str answers_args(const struct answers *a, uint32_t call)
{
	const struct calls *calls = a->c->calls;

	return calls->args.len ? strings_get(capture_strings(a->c), calls->args.data[call])
			       : STR_NONE;
}

/* The file name at the end of the path in the arguments of @call; empty: none. */
static struct str answers_file(const struct answers *a, uint32_t call)
{
	struct str path = syscall_args_quoted(answers_args(a, call));
	size_t slash = str_rfind_char(path, '/');

	return slash == path.len ? path : str_skip(path, slash + 1);
}

static void answers_set(struct answers *a, uint32_t call, uint8_t number)
{
	if (!a->found)
		a->found = xcalloc(a->c->calls->n, sizeof(*a->found));
	a->found[call] = number;
}

/* Process a call that failed with @error: the error is an answer, pending, or a failure. */
static void answers_failed(struct answers *a, struct answers_lane *l, uint32_t call, int error)
{
	for (size_t i = 0; i < ARRAY_LEN(call_answers); i++) {
		const struct call_answer *row = &call_answers[i];

		if (row->error != -error || !str_glob(str_of(row->calls), answers_name(a, call)) ||
		    (row->args && !str_glob(str_of(row->args), answers_args(a, call))))
			continue;
		if (row->until == UNTIL_NOW) {
			answers_set(a, call, (uint8_t)(i + 1));
		} else {
			l->pending[l->n % ANSWERS_PENDING] = call;
			l->answer[l->n++ % ANSWERS_PENDING] = (uint8_t)(i + 1);
		}
		return;
	}
}

/*
 * Whether @call finds the file of the failed call @pending in another directory. False if @call may
 * create the file.
 */
static bool answers_is_found(const struct answers *a, const struct call_answer *row,
			     uint32_t pending, uint32_t call)
{
	struct str file = answers_file(a, call);

	return file.len && str_glob(str_of(row->calls), answers_name(a, call)) &&
	       str_eq(file, answers_file(a, pending)) &&
	       !str_eq(syscall_args_quoted(answers_args(a, call)),
		       syscall_args_quoted(answers_args(a, pending))) &&
	       !str_glob(STR(ANSWERS_CREATE), answers_args(a, call));
}

/*
 * Process a call that succeeded: if it meets the condition of a pending error, this error is an
 * answer.
 */
static void answers_succeeded(struct answers *a, struct answers_lane *l, uint32_t call)
{
	bool is_poll = syscall_kind_of(answers_name(a, call), false) == SYSCALL_KIND_POLL;

	for (size_t i = 0; i < ANSWERS_PENDING; i++) {
		const struct call_answer *row =
			l->answer[i] ? &call_answers[l->answer[i] - 1] : NULL;

		if (row &&
		    (row->until == UNTIL_POLL ? is_poll
					      : answers_is_found(a, row, l->pending[i], call))) {
			answers_set(a, l->pending[i], l->answer[i]);
			l->answer[i] = 0;
		}
	}
}

uint8_t *call_answers_find(const struct capture *c)
{
	const struct calls *calls = c->calls;
	struct answers a = { .c = c, .lanes = xcalloc(calls->lanes.len, sizeof(*a.lanes)) };

	for (uint32_t i = 0; i < calls->n; i++) {
		struct answers_lane *l = &a.lanes[calls->lane.data[i]];
		int error = syscalls_call_error(calls, i);

		if (error)
			answers_failed(&a, l, i, error);
		else if (l->n)
			answers_succeeded(&a, l, i);
	}
	free(a.lanes);
	return a.found;
}

const char *syscall_answer_means(uint8_t number)
{
	return number ? call_answers[number - 1].means : NULL;
}
