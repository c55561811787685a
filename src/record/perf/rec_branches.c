/* SPDX-License-Identifier: MIT */
/*
 * rec_branches.c - call chains by branch records, for --call-graph lbr
 *
 * Intel processors since Haswell can use their branch records as a call stack. The branch records
 * then contain the calls that have not returned yet. The attributes are the same as in perf
 * (tools/perf/util/evsel.c, __evsel__config_callchain): user space only, without flags and cycles.
 * The kernel part of a call chain is found by frame pointers.
 */
#include "record/perf/rec.h"

#include "base/status.h"
#include "record/perf/record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool rec_branches_are_of(const struct perf_event_attr *a)
{
	return a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT &&
	       a->type != PERF_TYPE_BREAKPOINT;
}

void rec_branches_set(struct perf_event_attr *a)
{
	if (!rec_branches_are_of(a))
		return;
	a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
				PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
}

int rec_branches_check(const struct rec *r, struct error *err)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	if (r->spec->chains != RECORD_BRANCHES)
		return OK;
	if (r->spec->has_no_user)
		return fail(err, ERR_USAGE,
			    "--call-graph lbr finds callers in user space, which --all-kernel "
			    "excludes");
	rec_branches_set(&a);
	fd = rec_event_open(&a, 0, -1);
	if (fd >= 0) {
		(void)close(fd);
		return OK;
	}
	/*
	 * this user has no permission to open such an event, so it is unknown whether the machine
	 * has branch records: report no error here
	 */
	if (fd == -EACCES || fd == -EPERM)
		return OK;
	return fail(err, ERR_UNSUPPORTED,
		    "--call-graph lbr: this machine records no branches in call-stack mode (Intel "
		    "since Haswell has it, virtual machines mostly not); use --call-graph unwind");
}
