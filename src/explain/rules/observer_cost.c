/* SPDX-License-Identifier: MIT */
/*
 * Tracing and profiling are part of what was measured: a tracer, probes or the profiler
 * were active while this was recorded.
 *
 * Thresholds, of the time that is not idle: perf at its default rate costs 1 to 3 %.
 */
#include "explain/signature.h"

#define OBSERVER_COST_NOTE_PCT 5.0
#define OBSERVER_COST_LEAD_PCT 15.0

static const struct signature observer_cost = {
	.functions = "ftrace_*|__ftrace_*|function_graph_*|function_trace_*|"
		     "prepare_ftrace_return|trace_graph_*|trace_*|__trace_*|"
		     "ring_buffer_*|rb_reserve_next_event|rb_commit|rb_move_tail|"
		     "perf_event_*|__perf_event_*|perf_output_*|perf_callchain_*|"
		     "perf_trace_*|perf_tp_event*|perf_swevent_*|perf_iterate_*|"
		     "intel_pmu_*|x86_pmu_*|power_pmu_*|amd_pmu_*|armpmu_*|perf_ibs_*|"
		     "unwind_next_frame*|__unwind_start|orc_*|"
		     "unwind_get_return_address*|arch_stack_walk|kprobe_ftrace_handler|"
		     "kprobe_*|uprobe_*|bpf_trace_*|bpf_get_stackid|trampoline_*|"
		     "return_to_handler|perf_ctx_*|event_sched_*|"
		     "visit_groups_merge*|ctx_sched_*|__x64_sys_perf_event_open|"
		     "fgraph_*|rethook_*",
	/* stacks are also unwound for lockdep, KASAN and page owners */
	.except = "perf_event_task_tick|perf_event_mmap*|perf_event_comm*|perf_event_fork|"
		  "perf_event_exec|perf_event_namespaces*|trace_hardirqs_*|trace_call_bpf",
	.needs = "ftrace_*|__ftrace_*|function_graph_*|function_trace_*|prepare_ftrace_return|"
		 "trace_graph_*|return_to_handler|ring_buffer_*|rb_reserve_next_event|"
		 "perf_output_*|perf_callchain_*|perf_trace_*|perf_tp_event*|perf_swevent_*|"
		 "__perf_event_*|perf_event_*|intel_pmu_*|x86_pmu_*|power_pmu_*|amd_pmu_*|armpmu_*|"
		 "perf_ibs_*|kprobe_*|uprobe_*|bpf_trace_*|bpf_get_stackid|fgraph_*|rethook_*|"
		 "trace_event_*|trace_buffer_*|trace_function*|__trace_*",
	.note_pct = OBSERVER_COST_NOTE_PCT,
	.lead_pct = OBSERVER_COST_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.what = "is tracing or profiling itself",
	.name = "tracing and profiling",
	.cause = "a tracer, probes or the profiler were active while this was "
		 "recorded",
	.because = "these functions run while somebody traces or samples; a profile of its own "
		   "sampling holds some of them",
	.next = { "cat /sys/kernel/tracing/current_tracer "
		  "/sys/kernel/tracing/enabled_functions; bpftool prog",
		  "record again without other tracers, with a lower rate (-F 99) or "
		  "without call graphs" },
};

const struct rule rule_observer_cost = {
	.id = "observer-cost",
	.title = "tracing and profiling are part of what was measured",
	.needs = RULE_PROFILE,
	.signature = &observer_cost,
};
