/* SPDX-License-Identifier: MIT */
/*
 * foreign_marks.c - the signatures of foreign formats, as data
 *
 * A line that only one tool prints is worth FOREIGN_SURE points. An ambiguous row is worth part
 * of FOREIGN_THRESHOLD, so that two or three of them make a claim. foreign_match() defines the
 * patterns.
 */
#include "formats/foreign/foreign.h"

/* clang-format off */
const struct foreign_kind foreign_kinds[FOREIGN_N] = {
	[FOREIGN_NONE] = { "", "", 0, 0 },
	[FOREIGN_BCC] = { "bcc", "output of a bcc tool: not read yet", 16, 96 },
	[FOREIGN_BLKTRACE] = { "blktrace", "blkparse output of blktrace: not read yet", 6, 96 },
	[FOREIGN_BPFTRACE] = { "bpftrace", "output of bpftrace: not read yet", 24, 97 },
	[FOREIGN_CALLGRIND] = { "callgrind", "a callgrind profile: not read yet", 24, 97 },
	[FOREIGN_DTRACE] = { "dtrace", "output of DTrace: not read yet", 16, 97 },
	[FOREIGN_FTRACE_EVENTS] = { "ftrace-events", "a table of perf-tools: not read yet", 12, 88 },
	[FOREIGN_FTRACE_HIST] = { "ftrace-hist", "a histogram of ftrace: not read yet", 12, 97 },
	[FOREIGN_FTRACE_LATENCY] = { "ftrace-latency", "a trace of an ftrace hardware or noise tracer: not read yet", 12, 97 },
	[FOREIGN_GPROF] = { "gprof", "a gprof profile: not read yet", 40, 97 },
	[FOREIGN_HASKELL] = { "haskell", "a GHC profile: not read yet; run with +RTS -pj: speedscope.app opens that and exports what assay reads", 12, 97 },
	[FOREIGN_HPROF] = { "hprof", "an hprof profile of a JVM: not read yet", 12, 97 },
	[FOREIGN_KVM_TRACE] = { "kvm-trace", "a trace of KVM events: not read yet", 12, 93 },
	[FOREIGN_LKP] = { "lkp-report", "a report of the kernel test robot without its table: not read yet", 24, 97 },
	[FOREIGN_LOCK_STAT] = { "lock-stat", "/proc/lock_stat in another layout: not read yet", 8, 97 },
	[FOREIGN_MACOS_SAMPLE] = { "macos-sample", "a profile of macOS sample or Instruments: not read yet", 12, 97 },
	[FOREIGN_OPROFILE] = { "oprofile", "an oprofile report: not read yet", 12, 96 },
	[FOREIGN_OVS_KERNEL_DELAY] = { "ovs-kernel-delay", "a report of kernel_delay.py of Open vSwitch: not read yet", 24, 97 },
	[FOREIGN_PERF_C2C] = { "perf-c2c", "a perf c2c report without its cache lines: not read yet", 10, 97 },
	[FOREIGN_PERF_DIFF] = { "perf-diff", "perf diff output of another kind than shares: not read yet", 8, 97 },
	[FOREIGN_PERF_LOCK] = { "perf-lock", "perf lock output other than that of contention: not read yet", 8, 97 },
	[FOREIGN_PERF_MEM] = { "perf-mem", "a perf mem report: not read yet", 8, 97 },
	[FOREIGN_PERF_SCHED] = { "perf-sched", "perf sched output other than that of latency: not read yet", 10, 97 },
	[FOREIGN_PMCSTAT] = { "pmcstat", "a pmcstat profile: not read yet", 8, 97 },
	[FOREIGN_PPROF_LEGACY] = { "pprof-legacy", "a list of threads of gperftools or Go in its old text: not read yet; go tool pprof -proto -output=new.pb.gz PROGRAM FILE makes one that is", 12, 97 },
	[FOREIGN_RETSNOOP] = { "retsnoop", "retsnoop output: not read yet", 8, 96 },
	[FOREIGN_SYSPROF] = { "sysprof", "a sysprof profile: not read yet", 24, 96 },
	[FOREIGN_UFTRACE] = { "uftrace", "a graph or report of uftrace: not read yet; uftrace replay is", 8, 97 },
	[FOREIGN_VTUNE] = { "vtune", "a VTune report: not read yet", 12, 97 },
	[FOREIGN_XPERF] = { "xperf", "an xperf dump: not read yet", 12, 96 },
};

/* The first match counts: special cases first. */
const struct foreign_json foreign_json_kinds[] = {
	/* profiler: src/profile-logic/old-cleopatra-profile-format.js; stored until 2017 */
	{ { "\"profileJSONWithSymbolicationTable" }, "gecko-profile",
	  "a profile of Cleopatra, Firefox's viewer until 2017: not read; open it in "
	  "profiler.firefox.com and save it there" },
	/*
	 * profiler: src/profile-logic/gecko-profile-versioning.js; versions below 3 have whole
	 * stacks in each sample, and no upgrade path
	 */
	{ { "\"frames\"", "\"location\"", "\"interval\"" }, "gecko-profile",
	  "a profile of Firefox in an old version (2 or less): not read, and "
	  "profiler.firefox.com does not open it either; record again" },
	{ { "\"threads\"", "\"libs\"" }, "gecko-profile",
	  "a profile as Firefox itself writes it: open it in profiler.firefox.com and "
	  "save it there" },
	/* the list of libraries may exceed the scanned bytes */
	{ { "\"stackwalk\"", "\"interval\"", "\"libs\"" }, "gecko-profile",
	  "a profile as Firefox itself writes it: open it in profiler.firefox.com and "
	  "save it there" },
	/* V8's Profiler domain of the DevTools protocol, and Chrome's of before 2017 */
	{ { "\"callFrame\"", "\"selfSize\"" }, "heapprofile", "a V8 heap profile: not read yet" },
	{ { "\"callFrame\"", "\"nodes\"" }, "cpuprofile",
	  "a V8 CPU profile: not read yet; speedscope.app opens it and exports what assay reads" },
	{ { "\"timeDeltas\"", "\"nodes\"" }, "cpuprofile",
	  "a V8 CPU profile: not read yet; speedscope.app opens it and exports what assay reads" },
	{ { "\"head\"", "\"functionName\"", "\"hitCount\"" }, "cpuprofile",
	  "a V8 CPU profile: not read yet; speedscope.app opens it and exports what assay reads" },
	/* valgrind: dhat/dh_main.c, "Sample output" */
	{ { "\"dhatFileVersion\"" }, "dhat",
	  "a heap profile of DHAT: not read yet; dh_view.html of valgrind shows it" },
	/* stackprof: lib/stackprof/report.rb */
	{ { "\"gc_samples\"", "\"missed_samples\"" }, "stackprof",
	  "a stackprof profile of Ruby: not read yet; stackprof --stackcollapse makes folded stacks" },
	/* GHC: rts/ProfilerReportJson.c */
	{ { "\"initial_capabilities\"", "\"cost_centres\"" }, "haskell",
	  "a GHC profile: not read yet; speedscope.app opens it and exports what assay reads" },
};
const size_t foreign_n_json = ARRAY_LEN(foreign_json_kinds);

const struct foreign_mark foreign_marks[] = {
	/* lines that have a reader: worth no points here */
	{ FOREIGN_NONE, 1, "*: funcgraph_entry:" },
	{ FOREIGN_NONE, 1, "*: funcgraph_exit:" },
	{ FOREIGN_NONE, 1, "FUNCTION COUNT PCNT" },
	{ FOREIGN_NONE, 1, "?@`@ # #%" },

	/* output of a bcc tool */
	{ FOREIGN_BCC, 40, "Demonstrations of *bcc" },
	{ FOREIGN_BCC, 30, "Tracing* Hit Ctrl-C to end." },
	{ FOREIGN_BCC, 90, "HARDIRQ TOTAL_" },
	{ FOREIGN_BCC, 90, "HARDIRQ COUNT" },
	{ FOREIGN_BCC, 90, "SOFTIRQ TOTAL_" },
	{ FOREIGN_BCC, 90, "SOFTIRQ COUNT" },
	{ FOREIGN_BCC, 80, "Total References: # Total Misses: # Hit Rate:" },
	{ FOREIGN_BCC, 100, "CACHE ALLOCS BYTES" },
	{ FOREIGN_BCC, 100, "Potential Deadlock Detected!" },
	{ FOREIGN_BCC, 90, "TASK: @ (pid # tid #" },
	{ FOREIGN_BCC, 60, "Section start: * ->" },
	{ FOREIGN_BCC, 60, "Section end: * ->" },
	{ FOREIGN_BCC, 60, "FUNC COUNT&" },
	{ FOREIGN_BCC, 90, "ADDR FUNC COUNT&" },
	{ FOREIGN_BCC, 90, "PCOMM PID PPID RET ARGS" },
	{ FOREIGN_BCC, 80, "PCOMM UID PID PPID" },
	{ FOREIGN_BCC, 80, "PID COMM FD ERR PATH" },
	{ FOREIGN_BCC, 80, "PID COMM FD ERR FLAGS" },
	{ FOREIGN_BCC, 100, "PID COMM D MAJ MIN DISK" },
	{ FOREIGN_BCC, 100, "TID COMM READS WRITES R_Kb" },
	{ FOREIGN_BCC, 80, "READS WRITES R_Kb W_Kb" },
	{ FOREIGN_BCC, 90, "PID COMM LADDR LPORT RADDR" },
	{ FOREIGN_BCC, 85, "PID COMM IP SADDR" },
	{ FOREIGN_BCC, 85, "PID COMM IP RADDR" },
	{ FOREIGN_BCC, 85, "TIME PID IP LADDR" },
	{ FOREIGN_BCC, 100, "PID COMM LADDR RADDR RX_KB" },
	{ FOREIGN_BCC, 100, "SKADDR C-PID C-COMM" },
	{ FOREIGN_BCC, 90, "COMM PID TID MNT_NS CALL" },
	{ FOREIGN_BCC, 90, "TIME UID PID COMM CAP" },
	{ FOREIGN_BCC, 85, "TIME PID COMM SIG TPID" },
	{ FOREIGN_BCC, 80, "PID TID COMM FUNC" },
	{ FOREIGN_BCC, 95, "COMM PID LAT(ms) RET FUNC" },
	{ FOREIGN_BCC, 75, "SYSCALL COUNT&" },
	{ FOREIGN_BCC, 85, "COMM PID LAT(ms) PAGES" },
	{ FOREIGN_BCC, 20, "operation = ?@&" },
	{ FOREIGN_BCC, 35, "operation = '@'&" },
	{ FOREIGN_BCC, 25, "disk =" },
	{ FOREIGN_BCC, 30, "bucket ptr =" },

	/* blkparse output of blktrace */
	{ FOREIGN_BLKTRACE, 42, "# # # # # ? @ # + #" },
	{ FOREIGN_BLKTRACE, 42, "# # # # # ?@ @ # + #" },
	{ FOREIGN_BLKTRACE, 28, "# # # # # ? ? [@]" },
	{ FOREIGN_BLKTRACE, 28, "# # # # # ? N [@]" },
	{ FOREIGN_BLKTRACE, 28, "# # # # # ? @ [@] #" },
	{ FOREIGN_BLKTRACE, 75, "Reads Queued: *Writes Queued:" },
	{ FOREIGN_BLKTRACE, 20, "CPU# (@):&" },
	{ FOREIGN_BLKTRACE, 30, "Total (@):&" },
	{ FOREIGN_BLKTRACE, 60, "Throughput (R/W):" },
	{ FOREIGN_BLKTRACE, 70, "Events (@): # entries" },
	{ FOREIGN_BLKTRACE, 100, "==================== All Devices ========" },
	{ FOREIGN_BLKTRACE, 60, "Q2C # # # #" },
	{ FOREIGN_BLKTRACE, 60, "D2C # # # #" },
	{ FOREIGN_BLKTRACE, 60, "Q2Q # # # #" },

	/* output of bpftrace */
	{ FOREIGN_BPFTRACE, 40, "Demonstrations of *bpftrace" },
	{ FOREIGN_BPFTRACE, 50, "Attaching # probe" },
	{ FOREIGN_BPFTRACE, 50, "Attached # probe" },
	{ FOREIGN_BPFTRACE, 30, "Tracing* Hit Ctrl-C to end." },
	{ FOREIGN_BPFTRACE, 40, "\\@@: #&" },
	{ FOREIGN_BPFTRACE, 40, "\\@: #&" },
	{ FOREIGN_BPFTRACE, 45, "\\@@[*]: #" },
	{ FOREIGN_BPFTRACE, 45, "\\@[*]: #" },

	/* a callgrind profile */
	{ FOREIGN_CALLGRIND, 100, "creator: callgrind" },
	{ FOREIGN_CALLGRIND, 100, "creator: cachegrind" },
	{ FOREIGN_CALLGRIND, 25, "positions: *" },
	{ FOREIGN_CALLGRIND, 70, "positions: instr line&" },
	{ FOREIGN_CALLGRIND, 20, "events: ?" },
	{ FOREIGN_CALLGRIND, 30, "desc: Trigger:" },
	{ FOREIGN_CALLGRIND, 20, "fn=(" },
	{ FOREIGN_CALLGRIND, 12, "fn=?" },
	{ FOREIGN_CALLGRIND, 20, "fl=(" },
	{ FOREIGN_CALLGRIND, 15, "fl=/" },
	{ FOREIGN_CALLGRIND, 30, "cfn=(" },
	{ FOREIGN_CALLGRIND, 25, "cfn=?" },
	{ FOREIGN_CALLGRIND, 25, "cfi=" },
	{ FOREIGN_CALLGRIND, 25, "cfl=" },
	{ FOREIGN_CALLGRIND, 20, "cob=" },
	{ FOREIGN_CALLGRIND, 20, "ob=(" },
	{ FOREIGN_CALLGRIND, 30, "calls=#" },

	/* output of DTrace */
	{ FOREIGN_DTRACE, 100, "CPU ID FUNCTION:NAME" },
	{ FOREIGN_DTRACE, 100, "dtrace: description '" },
	{ FOREIGN_DTRACE, 100, "dtrace: script '" },
	{ FOREIGN_DTRACE, 30, "Tracing* Hit Ctrl-C to end" },
	{ FOREIGN_DTRACE, 65, "Sampling... Hit Ctrl-C to end" },
	{ FOREIGN_DTRACE, 80, "MODULE COUNT PCNT" },

	/* a trace of ftrace events */
	{ FOREIGN_FTRACE_EVENTS, 40, "Demonstrations of *ftrace version" },
	{ FOREIGN_FTRACE_EVENTS, 40, "Tracing ?@:?@. Ctrl-C to end." },
	{ FOREIGN_FTRACE_EVENTS, 40, "Tracing block I/O*Ctrl-C to end." },
	{ FOREIGN_FTRACE_EVENTS, 40, "Tracing kprobe @. Ctrl-C to end." },
	{ FOREIGN_FTRACE_EVENTS, 100, "COMM PID TYPE DEV BLOCK BYTES LATms" },
	{ FOREIGN_FTRACE_EVENTS, 100, "STARTs *COMM PID TYPE DEV" },
	{ FOREIGN_FTRACE_EVENTS, 100, ">=(ms) .. <(ms)~: I/O" },
	{ FOREIGN_FTRACE_EVENTS, 65, "PID PPID ARGS&" },
	{ FOREIGN_FTRACE_EVENTS, 80, "TIME COMM PID FD FILE" },
	{ FOREIGN_FTRACE_EVENTS, 80, "COMM PID FD FILE" },
	{ FOREIGN_FTRACE_EVENTS, 60, "\\# enabled events:" },

	/* a histogram of ftrace */
	{ FOREIGN_FTRACE_HIST, 100, "\\# Total (us) *Avg (us) *Max (us) *Count *Function" },
	{ FOREIGN_FTRACE_HIST, 20, "\\# event histogram&" },
	{ FOREIGN_FTRACE_HIST, 20, "\\# trigger info: hist:" },
	{ FOREIGN_FTRACE_HIST, 60, "{ *: * } hitcount: #" },

	/* a trace of an ftrace latency tracer */
	{ FOREIGN_FTRACE_LATENCY, 100, "\\# tracer: hwlat" },
	{ FOREIGN_FTRACE_LATENCY, 100, "\\# tracer: osnoise" },
	{ FOREIGN_FTRACE_LATENCY, 100, "\\# tracer: timerlat" },
	{ FOREIGN_FTRACE_LATENCY, 90, "\\# tracer: mmiotrace" },
	{ FOREIGN_FTRACE_LATENCY, 90, "*inner/outer(us):" },


	/* a gprof profile */
	{ FOREIGN_GPROF, 90, "%time cumulative self" },
	{ FOREIGN_GPROF, 100, "%time cumsecs seconds" },
	{ FOREIGN_GPROF, 100, "index %time self * called" },
	{ FOREIGN_GPROF, 80, "called/total parents" },
	{ FOREIGN_GPROF, 60, "ngranularity:" },

	/* a GHC profile */
	{ FOREIGN_HASKELL, 100, "*Time and Allocation Profiling Report" },
	{ FOREIGN_HASKELL, 100, "COST CENTRE MODULE" },
	{ FOREIGN_HASKELL, 80, "total time = # secs (# ticks" },
	{ FOREIGN_HASKELL, 60, "total alloc = # bytes" },

	/* an hprof profile of a JVM */
	{ FOREIGN_HPROF, 100, "JAVA PROFILE 1.0" },
	{ FOREIGN_HPROF, 100, "CPU TIME (ms) BEGIN" },
	{ FOREIGN_HPROF, 100, "SITES BEGIN (ordered" },
	{ FOREIGN_HPROF, 35, "TRACE #:&" },
	{ FOREIGN_HPROF, 60, "TRACE #: (thread=" },
	{ FOREIGN_HPROF, 60, "THREAD START (obj=" },
	{ FOREIGN_HPROF, 40, "THREAD END (id =" },


	/* a trace of KVM events */
	{ FOREIGN_KVM_TRACE, 25, "*: kvm:kvm_@:" },
	{ FOREIGN_KVM_TRACE, 100, "kvm statistics - summary" },
	{ FOREIGN_KVM_TRACE, 100, "Event Total %Total CurAvg/s" },
	{ FOREIGN_KVM_TRACE, 100, "Analyze events for all VMs" },
	{ FOREIGN_KVM_TRACE, 100, "VM-EXIT Samples Samples% Time%" },

	/* a report of the kernel test robot */
	{ FOREIGN_LKP, 65, "kernel test robot noticed *%" },
	{ FOREIGN_LKP, 40, "*FYI, we noticed a*" },
	{ FOREIGN_LKP, 100, "%stddev %change %stddev" },
	{ FOREIGN_LKP, 90, "*%stddev *%change" },
	{ FOREIGN_LKP, 60, "compiler/@/@" },
	{ FOREIGN_LKP, 5, "=========================================&" },
	{ FOREIGN_LKP, 60, "---------------- ---------------------------" },
	{ FOREIGN_LKP, 45, "*perf-profile.?@.@" },
	{ FOREIGN_LKP, 25, "# ±~#% *%" },
	{ FOREIGN_LKP, 14, "# *+#% # *?@.?@" },
	{ FOREIGN_LKP, 14, "# *-#% # *?@.?@" },
	{ FOREIGN_LKP, 14, "# ± *#% *+#" },
	{ FOREIGN_LKP, 14, "# ± *#% *-#" },
	{ FOREIGN_LKP, 90, "fail:runs %reproduction fail:runs" },

	/* /proc/lock_stat */
	{ FOREIGN_LOCK_STAT, 100, "lock_stat version #" },
	{ FOREIGN_LOCK_STAT, 100, "class name con-bounces contentions" },
	{ FOREIGN_LOCK_STAT, 50, "\\&@: # # # # # #" },
	{ FOREIGN_LOCK_STAT, 45, "@: # # # # # # # # #&" },
	{ FOREIGN_LOCK_STAT, 45, "@-?: # # # # # # # #" },
	{ FOREIGN_LOCK_STAT, 40, "\\&@ # [<$>] @" },
	{ FOREIGN_LOCK_STAT, 35, "@ # [<$>] @+0x" },

	/* a profile of macOS sample or Instruments */
	{ FOREIGN_MACOS_SAMPLE, 100, "Analysis of sampling @ (pid #) every" },
	{ FOREIGN_MACOS_SAMPLE, 100, "Sampling process # for # seconds" },
	{ FOREIGN_MACOS_SAMPLE, 100, "Total number in stack (recursive counted" },
	{ FOREIGN_MACOS_SAMPLE, 100, "Sort by top of stack, same collapsed" },
	{ FOREIGN_MACOS_SAMPLE, 50, "# Thread_#" },
	{ FOREIGN_MACOS_SAMPLE, 50, "*# @ (in @) + # [0x$" },
	{ FOREIGN_MACOS_SAMPLE, 35, "*# ?* (in @) + #" },
	{ FOREIGN_MACOS_SAMPLE, 100, "Weight Self Weight *Symbol Name" },
	{ FOREIGN_MACOS_SAMPLE, 100, "Running Time Self *Symbol Name" },
	{ FOREIGN_MACOS_SAMPLE, 70, "Bytes Used *Symbol Name" },
	{ FOREIGN_MACOS_SAMPLE, 30, "Binary Images:&" },

	/* an oprofile report */
	{ FOREIGN_OPROFILE, 90, "samples cum. samples %" },

	/* a report of kernel_delay.py of Open vSwitch */
	{ FOREIGN_OVS_KERNEL_DELAY, 100, "TID THREAD <RESOURCE SPECIFIC>" },
	{ FOREIGN_OVS_KERNEL_DELAY, 50, "\\# Start sampling \\@" },
	{ FOREIGN_OVS_KERNEL_DELAY, 50, "\\# Stop sampling \\@" },
	{ FOREIGN_OVS_KERNEL_DELAY, 50, "\\# Sample dump \\@" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "# @ [SYSCALL STATISTICS]" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "[THREAD RUN STATISTICS]" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "[THREAD READY STATISTICS]" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "[HARD IRQ STATISTICS]" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "[SOFT IRQ STATISTICS]" },
	{ FOREIGN_OVS_KERNEL_DELAY, 90, "NAME NUMBER COUNT TOTAL ns MAX ns" },
	{ FOREIGN_OVS_KERNEL_DELAY, 90, "SCHED_CNT TOTAL ns MIN ns MAX ns" },
	{ FOREIGN_OVS_KERNEL_DELAY, 100, "ENTRY (ns) EXIT (ns) TID COMM DELTA" },
	{ FOREIGN_OVS_KERNEL_DELAY, 65, "\\# SYSCALL EVENTS:" },

	/* a perf c2c report */
	{ FOREIGN_PERF_C2C, 70, "*Trace Event Information&" },
	{ FOREIGN_PERF_C2C, 100, "*Global Shared Cache Line Event Information" },
	{ FOREIGN_PERF_C2C, 100, "*Shared Data Cache Line Table" },
	{ FOREIGN_PERF_C2C, 100, "*Shared Cache Line Distribution Pareto" },
	{ FOREIGN_PERF_C2C, 90, "*c2c details&" },
	{ FOREIGN_PERF_C2C, 90, "*Locked Load/Store Operations~:" },
	{ FOREIGN_PERF_C2C, 90, "*Load Local HITM~:" },
	{ FOREIGN_PERF_C2C, 90, "*Load Remote HITM~:" },
	{ FOREIGN_PERF_C2C, 60, "*LLC Misses to *~:" },
	{ FOREIGN_PERF_C2C, 30, "*Load Operations~:" },
	{ FOREIGN_PERF_C2C, 30, "*Store Operations~:" },
	{ FOREIGN_PERF_C2C, 50, "*Total records~: #" },
	{ FOREIGN_PERF_C2C, 80, "*----- HITM -----" },
	{ FOREIGN_PERF_C2C, 60, "*Tot Hitm" },
	{ FOREIGN_PERF_C2C, 80, "*-- Load Hitm --" },

	/* perf diff output */
	{ FOREIGN_PERF_DIFF, 100, "\\# Baseline *Delta" },
	{ FOREIGN_PERF_DIFF, 90, "\\# Baseline *" },
	{ FOREIGN_PERF_DIFF, 90, "Baseline Delta" },
	{ FOREIGN_PERF_DIFF, 60, "\\# Baseline&" },
	{ FOREIGN_PERF_DIFF, 60, "\\# Baseline/" },
	{ FOREIGN_PERF_DIFF, 36, "#% +#% *[" },
	{ FOREIGN_PERF_DIFF, 36, "#% -#% *[" },
	{ FOREIGN_PERF_DIFF, 10, "#% +#% ?@" },
	{ FOREIGN_PERF_DIFF, 22, "+#% *[?]" },
	{ FOREIGN_PERF_DIFF, 22, "-#% *[?]" },
	{ FOREIGN_PERF_DIFF, 22, "+#% *[.]" },
	{ FOREIGN_PERF_DIFF, 22, "-#% *[.]" },
	{ FOREIGN_PERF_DIFF, 42, "#% [* -> *]" },
	{ FOREIGN_PERF_DIFF, 100, "*[Program Block Range] *Cycles Diff" },
	{ FOREIGN_PERF_DIFF, 10, "\\# Event '*'" },
	{ FOREIGN_PERF_DIFF, 60, "\\# Data files:" },

	/* perf lock output */
	{ FOREIGN_PERF_LOCK, 100, "contended total wait" },
	{ FOREIGN_PERF_LOCK, 100, "Name acquired contended" },
	{ FOREIGN_PERF_LOCK, 42, "# # @ # @ # @ @ ?@" },
	{ FOREIGN_PERF_LOCK, 40, "# # @ # @ # @ ?" },
	{ FOREIGN_PERF_LOCK, 80, "=== output for debug" },
	{ FOREIGN_PERF_LOCK, 70, "bad: #, total: #" },
	{ FOREIGN_PERF_LOCK, 60, "bad rate: # %" },
	{ FOREIGN_PERF_LOCK, 70, "histogram of *bad sequence" },
	{ FOREIGN_PERF_LOCK, 90, "total wait max wait avg wait" },

	/* a perf mem report */
	{ FOREIGN_PERF_MEM, 2, "\\# To display the perf.data header" },
	{ FOREIGN_PERF_MEM, 2, "\\# Total Lost Samples:" },
	{ FOREIGN_PERF_MEM, 40, "\\# Samples: * of event '*mem-loads" },
	{ FOREIGN_PERF_MEM, 40, "\\# Samples: * of event '*mem-stores" },
	{ FOREIGN_PERF_MEM, 2, "\\# Samples: * of event" },
	{ FOREIGN_PERF_MEM, 90, "\\# Total weight~: #" },
	{ FOREIGN_PERF_MEM, 10, "\\# Sort order~: *" },
	{ FOREIGN_PERF_MEM, 60, "\\# Sort order~: *mem" },
	{ FOREIGN_PERF_MEM, 100, "*Local Weight *Memory access" },
	{ FOREIGN_PERF_MEM, 90, "*Overhead Samples Memory access" },
	{ FOREIGN_PERF_MEM, 90, "*Memory access *Symbol" },
	{ FOREIGN_PERF_MEM, 50, "#% # # @ or @ hit" },
	{ FOREIGN_PERF_MEM, 45, "#% # # @ *hit *[" },
	{ FOREIGN_PERF_MEM, 45, "#% # # @ *miss *[" },
	{ FOREIGN_PERF_MEM, 50, "#% # @ or @ hit&" },
	{ FOREIGN_PERF_MEM, 40, "#% # # Local RAM" },
	{ FOREIGN_PERF_MEM, 40, "#% # # Remote RAM" },

	/* perf sched output */
	{ FOREIGN_PERF_SCHED, 100, "Task *| *Runtime ms *|" },
	{ FOREIGN_PERF_SCHED, 65, "*|~# ms |~# | avg:~# ms | max:" },
	{ FOREIGN_PERF_SCHED, 70, "TOTAL: |~# ms |~# |" },
	{ FOREIGN_PERF_SCHED, 100, "time cpu task name *wait time" },
	{ FOREIGN_PERF_SCHED, 100, "time *wait time *sch delay *run time" },
	{ FOREIGN_PERF_SCHED, 30, "# [#] @[#*] # # #" },
	{ FOREIGN_PERF_SCHED, 30, "# [#] <idle> # # #" },
	{ FOREIGN_PERF_SCHED, 30, "# [#] *[#*] # # #&" },
	{ FOREIGN_PERF_SCHED, 50, "*# secs @ => @:#" },
	{ FOREIGN_PERF_SCHED, 30, "INFO: #% lost events (# out of" },
	{ FOREIGN_PERF_SCHED, 60, "INFO: #% context switch bugs" },
	{ FOREIGN_PERF_SCHED, 60, "INFO: #% state machine bugs" },


	/* a pmcstat profile */
	{ FOREIGN_PMCSTAT, 100, "\\@ @ [# samples]&" },
	{ FOREIGN_PMCSTAT, 40, "#% [#] @ \\@ /" },
	{ FOREIGN_PMCSTAT, 22, "#% [#] ?@" },

	/*
	 * The old text formats of gperftools (docs/heapprofile.html,
	 * docs/pprof_remote_servers.html: heap, growth, contention, thread) and of Go with
	 * debug=1 (runtime/pprof)
	 */
	{ FOREIGN_PPROF_LEGACY, 100, "--- heapz #" },
	{ FOREIGN_PPROF_LEGACY, 35, "# \\@ 0x$ 0x$" },
	{ FOREIGN_PPROF_LEGACY, 100, "--- growthz #" },
	{ FOREIGN_PPROF_LEGACY, 100, "--- threadz #" },
	{ FOREIGN_PPROF_LEGACY, 100, "--- Thread $ (name: @/#) stack: ---" },
	{ FOREIGN_PPROF_LEGACY, 100, "threadcreate profile: total #" },

	/* retsnoop output */
	{ FOREIGN_RETSNOOP, 45, "!~#us [@] @" },
	{ FOREIGN_RETSNOOP, 45, "\\*~#us [@] @" },
	{ FOREIGN_RETSNOOP, 45, "!\\*~#us [@] @" },
	{ FOREIGN_RETSNOOP, 35, "#us [@] @" },
	{ FOREIGN_RETSNOOP, 16, "→ ?@" },
	{ FOREIGN_RETSNOOP, 45, "← ?@ *[@] *#us" },
	{ FOREIGN_RETSNOOP, 45, "↔ ?@ *[@] *#us" },
	{ FOREIGN_RETSNOOP, 100, "FUNCTION CALLS *RESULT *DURATION" },


	/* a sysprof profile */
	{ FOREIGN_SYSPROF, 30, "<profile>&" },
	{ FOREIGN_SYSPROF, 30, "<object id=\"0x" },
	{ FOREIGN_SYSPROF, 30, "<node id=\"0x" },
	{ FOREIGN_SYSPROF, 90, "SELF CUMULATIVE FUNCTION" },

	/* uftrace output */
	{ FOREIGN_UFTRACE, 100, "Total time *Self time *Calls *Function" },
	{ FOREIGN_UFTRACE, 100, "Total time *Self time *Nr. called" },
	{ FOREIGN_UFTRACE, 100, "\\# TOTAL TIME *FUNCTION" },
	{ FOREIGN_UFTRACE, 100, "\\# TOTAL TIME *SELF TIME" },
	{ FOREIGN_UFTRACE, 95, "========== FUNCTION CALL GRAPH" },
	{ FOREIGN_UFTRACE, 60, "=============== BACKTRACE ====" },
	{ FOREIGN_UFTRACE, 95, "\\# Function Call Graph for '" },
	{ FOREIGN_UFTRACE, 70, "\\# uftrace" },
	{ FOREIGN_UFTRACE, 65, "backtrace \\##: hit #" },
	{ FOREIGN_UFTRACE, 30, "# us : (" },
	{ FOREIGN_UFTRACE, 30, "# ms : (" },
	{ FOREIGN_UFTRACE, 35, "# ?@ : +-(" },

	/* a VTune report */
	{ FOREIGN_VTUNE, 100, "Index % CPU Time:Total" },
	{ FOREIGN_VTUNE, 95, "Function Stack *CPU Time" },
	{ FOREIGN_VTUNE, 95, "Function Module *CPU Time" },
	{ FOREIGN_VTUNE, 95, "Function *CPU Time:Self" },
	{ FOREIGN_VTUNE, 65, "Elapsed Time: #" },
	{ FOREIGN_VTUNE, 30, "CPU Time: #" },
	{ FOREIGN_VTUNE, 70, "Top Hotspots&" },
	{ FOREIGN_VTUNE, 80, "Collection and Platform Info" },
	{ FOREIGN_VTUNE, 60, "Effective CPU Utilization: #" },
	{ FOREIGN_VTUNE, 65, "Effective Physical Core Utilization" },
	{ FOREIGN_VTUNE, 60, "Microarchitecture Usage: #" },
	{ FOREIGN_VTUNE, 30, "Memory Bound: #" },
	{ FOREIGN_VTUNE, 40, "CPI Rate: #" },
	{ FOREIGN_VTUNE, 60, "vtune:" },
	{ FOREIGN_VTUNE, 70, "amplxe:" },
	{ FOREIGN_VTUNE, 35, "Average CPU Frequency: #" },

	/* an xperf dump */
	{ FOREIGN_XPERF, 100, "OS Version: *Trace Start:" },
	{ FOREIGN_XPERF, 90, "BeginHeader&" },
	{ FOREIGN_XPERF, 40, "EndHeader&" },
	{ FOREIGN_XPERF, 40, "SampledProfile," },
	{ FOREIGN_XPERF, 40, "Stack, #, #" },
	{ FOREIGN_XPERF, 20, "CSwitch, #" },
	{ FOREIGN_XPERF, 80, "Line \\#, *Process, *Stack" },
	{ FOREIGN_XPERF, 95, "Process, *Module, *Function, *Weight" },
	{ FOREIGN_XPERF, 85, "Process Name *Module *Function *Weight" },
};
/* clang-format on */

const size_t foreign_n_marks = ARRAY_LEN(foreign_marks);
