/* SPDX-License-Identifier: MIT */
#include "formats/profilers/text_dialects.h"

#include "base/number.h"

#include <math.h>

/* clang-format off */
const struct text_dialect text_dialects[] = {
	/*
	 * sources for pprof-text: google/pprof, internal/report/report.go, printText and printTree;
	 * pprof of gperftools
	 */
	{ "pprof-text", "flat flat% sum% cum cum% calls calls% + context", "sSpcCN", NULL, DIALECT_EDGES | DIALECT_NATIVE | DIALECT_TOTAL },
	{ "pprof-text", "flat flat% sum% cum cum%", "sSpcCN", NULL, DIALECT_ROWS | DIALECT_NATIVE | DIALECT_TOTAL },
	/* source: google/pprof, internal/report/report.go, printTraces */
	{ "pprof-text", "-----------+-------------------------------------------------------", "sN", NULL, DIALECT_STACKS | DIALECT_NATIVE | DIALECT_TOTAL },
	/* source: stackprof, lib/stackprof/report.rb, print_text */
	{ "stackprof", "TOTAL (pct) SAMPLES (pct) FRAME", "cCsSN", NULL, DIALECT_ROWS | DIALECT_SAMPLES },
	/* source: stackprof, lib/stackprof/report.rb, print_method */
	{ "stackprof", "samples: # self", "wswSwcwC", NULL, DIALECT_NAMED | DIALECT_PARTS | DIALECT_SAMPLES },
	/* source for gprof: binutils, gprof/hist.c, print_header; gprof/cg_print.c */
	/* for a function without calls, BSD's gprof prints a share: "0  100.00%" */
	{ "gprof", "time seconds seconds", "Tns?n?p?n?nN", "cpu-time", DIALECT_INDEXED | DIALECT_PARTS | DIALECT_SECONDS | DIALECT_NATIVE },
	{ "gprof", "index % time self children called name", "", "cpu-time", DIALECT_PARTS | DIALECT_GRAPH | DIALECT_SECONDS | DIALECT_NATIVE },
	/*
	 * sources: for BSD's gprof, BSD, usr.bin/gprof/printgprof.c, gprofheader(); for prof, the
	 * manual page prof(1) of SVR4
	 */
	{ "gprof", "index %time self descendents called+self name index", "", "cpu-time", DIALECT_PARTS | DIALECT_GRAPH | DIALECT_SECONDS | DIALECT_NATIVE },
	{ "prof", "%Time Seconds Cumsecs #Calls msec/call Name", "Tsn?n?nN", "cpu-time", DIALECT_SECONDS | DIALECT_NATIVE },
	/*
	 * source: CPython, Lib/pstats.py, print_title and print_line; its clock is
	 * time.perf_counter()
	 */
	{ "pstats", "ncalls tottime percall cumtime percall filename:lineno(function)", "ksncnN", "elapsed-time", DIALECT_SECONDS | DIALECT_TIMED },
	/* source: py-spy, src/console_viewer.rs */
	{ "py-spy", "%Own %Total OwnTime TotalTime Function", "SCscN", NULL, DIALECT_SAMPLES | DIALECT_IDLE },
	/* source: rbspy, src/ui/summary.rs */
	{ "rbspy", "% self % total name", "TTN", NULL, DIALECT_SAMPLES },
	/*
	 * source for jmh-stack: JMH, StackProfiler.java, StackResult.getStacks(). Each row has two
	 * shares: of all samples, and of the samples in the same thread state.
	 */
	{ "jmh-stack", "....[Thread state:", "SpN", NULL, 0 },
	/* source: JDK 8, hprof_trace.c, trace_output_cost */
	{ "hprof", "rank self accum count trace method", "nSpsnN", "cpu-time", DIALECT_SAMPLES },
	{ "hprof", "rank self accum bytes objs bytes objs trace name", "nSpsnnnnN", "inuse_space", 0 },
	/* source: JDK 8, fprofiler.cpp, -Xprof: print_method_on, and the titles of each section */
	{ "jvm-xprof", "Interpreted + native Method", "SnwnN", "cpu-time", DIALECT_PARTS | DIALECT_SAMPLES },
	{ "jvm-xprof", "Compiled + native Method", "SnwnN", "cpu-time", DIALECT_PARTS | DIALECT_SAMPLES },
	{ "jvm-xprof", "Stub + native Method", "SnwnN", "cpu-time", DIALECT_PARTS | DIALECT_SAMPLES },
	/* source: Erlang/OTP, lib/tools/src/eprof.erl, print_calls() */
	{ "eprof", "FUNCTION CALLS % TIME [uS / CALLS]", "FnTn", "cpu-time", DIALECT_TIMED },
	/* source: Erlang/OTP, lib/tools/src/fprof.erl, do_analyse() and println() */
	{ "fprof", "% CNT ACC OWN", "", "cpu-time", DIALECT_PARTS | DIALECT_TERMS | DIALECT_MILLIS | DIALECT_TIMED },
	/* source: vtune -report gprof-cc; blank lines separate the blocks */
	{ "vtune", "Index % CPU Time:Total CPU Time:Self CPU Time:Children", "", "cpu-time", DIALECT_PARTS | DIALECT_GRAPH | DIALECT_SECONDS | DIALECT_NATIVE },
	/* source: vtune -report hotspots */
	{ "vtune", "Function Module CPU Time % of CPU Time(%)", "FMsS", "cpu-time", DIALECT_SECONDS | DIALECT_NATIVE },
	{ "vtune", "Function Module CPU Time", "FMs+", "cpu-time", DIALECT_SECONDS | DIALECT_NATIVE },
	/* source: V8, tools/tickprocessor.mjs, printEntries */
	{ "v8-prof", "ticks total nonlib name", "sS?pN", "cpu-time", DIALECT_PARTS | DIALECT_SAMPLES },
	/* source: Julia, stdlib/Profile/src/Profile.jl, print_flat(), since 1.4 */
	{ "julia", "Count Overhead File Line Function", "csMwN", "wall", DIALECT_SAMPLES },
	/* source: valgrind, callgrind/callgrind_annotate.in, cachegrind/cg_annotate.in, print_events */
	{ "callgrind", "*file:function", "s?S+N", "instructions", DIALECT_FILES | DIALECT_NATIVE | DIALECT_COUNTED },
	/*
	 * callgrind_annotate, if the text lacks the titles of the columns: the row of totals starts
	 * the table
	 */
	{ "callgrind", "*PROGRAM TOTALS", "s?S+N", "instructions", DIALECT_FILES | DIALECT_NATIVE | DIALECT_COUNTED },
	/* source: OpenJDK, src/hotspot/share/services/memReporter.cpp, MemSummaryReporter */
	{ "native-memory", "Native Memory Tracking:", "wL=n=s", "committed", DIALECT_PARTS },
	/* source: CPython, Lib/tracemalloc.py, Statistic.__str__(); "Pretty top" of its documentation */
	{ "tracemalloc", "[ Top # differences", "L^s", "memory_growth", DIALECT_ROWS, "*:*: size=*B (+*), count=* (*)*", "memory_growth_listed" },
	{ "tracemalloc", "[ Top #", "L=s", "inuse_space", DIALECT_ROWS, "*:*: size=*B, count=*", "inuse_space_listed" },
	{ "tracemalloc", "Top # lines", "wLs", "inuse_space", 0, NULL, "inuse_space_listed" },
	/*
	 * source: objgraph.py, show_growth(): number of objects of a type, and its growth since the
	 * last call
	 */
	{ "objgraph", "objgraph.show_growth()", "Fng", "memory_growth_objects", DIALECT_ROWS | DIALECT_COUNTED, "* +*" },
	/* source: guppy3, guppy/heapy/UniSet.py and OutputHandling.py: Partition of a heap */
	{ "heapy", "Index Count % Size % Cumulative % Kind", "nnnsTnnN", "inuse_space", 0 },
	/* source: memray, src/memray/reporters/stats.py, _draw_top_allocators_by_size(), _by_count() */
	{ "memray", "*largest allocating locations (by size):", "wAs", "alloc_space", 0, NULL, "alloc_space_listed" },
	{ "memray", "*largest allocating locations (by number of allocations):", "wAs", "alloc_objects", 0, NULL, "alloc_objects_listed" },
	/* source: memory_profiler of Ruby, lib/memory_profiler/results.rb, print_title(), dump() */
	{ "memory_profiler", "allocated memory by gem", "sN", "alloc_space", 0, NULL, "alloc_space_listed" },
	{ "memory_profiler", "allocated memory by file", "sN", "alloc_space", 0, NULL, "alloc_space_listed" },
	{ "memory_profiler", "allocated memory by location", "sN", "alloc_space", 0, NULL, "alloc_space_listed" },
	{ "memory_profiler", "allocated memory by class", "sN", "alloc_space_classes" },
	{ "memory_profiler", "allocated objects by gem", "sN", "alloc_objects", 0, NULL, "alloc_objects_listed" },
	{ "memory_profiler", "allocated objects by file", "sN", "alloc_objects", 0, NULL, "alloc_objects_listed" },
	{ "memory_profiler", "allocated objects by location", "sN", "alloc_objects", 0, NULL, "alloc_objects_listed" },
	{ "memory_profiler", "allocated objects by class", "sN", "alloc_objects_classes" },
	{ "memory_profiler", "retained memory by gem", "sN", "inuse_space", 0, NULL, "inuse_space_listed" },
	{ "memory_profiler", "retained memory by file", "sN", "inuse_space", 0, NULL, "inuse_space_listed" },
	{ "memory_profiler", "retained memory by location", "sN", "inuse_space", 0, NULL, "inuse_space_listed" },
	{ "memory_profiler", "retained memory by class", "sN", "inuse_space_classes" },
	/* source: illumos, usr/src/cmd/lockstat/lockstat.c, report_stats(): waits for locks, by caller */
	{ "lockstat", "Count indv cuml rcnt nsec Lock Caller", "sSpnnwN", "lock", DIALECT_PARTS | DIALECT_SAMPLES | DIALECT_EVENTS },
	{ "lockstat", "Count indv cuml rcnt nsec Hottest Lock Caller", "sSpnnwN", "lock", DIALECT_PARTS | DIALECT_SAMPLES | DIALECT_EVENTS },
	{ "lockstat", "Count indv cuml rcnt nsec Lock Hottest Caller", "sSpnnwN", "lock", DIALECT_PARTS | DIALECT_SAMPLES | DIALECT_EVENTS },
	/* source: Vim, src/syntax.c, syntime_report() */
	{ "syntime", "TOTAL COUNT MATCH SLOWEST AVERAGE NAME PATTERN", "snnnnF", "pattern-time", DIALECT_SECONDS | DIALECT_TIMED },
	/* source: Vim, src/main.c, time_msg() and time_start() */
	{ "vim-startuptime", "clock self+sourced self: sourced script", "vN", "startup-time", DIALECT_MILLIS | DIALECT_TIMED | DIALECT_ROWS, "* *.???: *" },
	/* source: zsh, Src/Modules/zprof.c, printfprof() */
	{ "zprof", "num calls time self name", "wkcnCsnSN", "elapsed-time", DIALECT_MILLIS | DIALECT_TIMED },
	/*
	 * source: Hugo, tpl/tplimpl/template_funcs.go and metrics/metrics.go, WriteMetrics(); the
	 * columns about the cache exist since 0.81
	 */
	{ "hugo", "duration duration duration potential cached count count template", "cnnnnnkN", "elapsed-time", DIALECT_TIMED },
	{ "hugo", "duration duration duration potential count template", "cnnnkN", "elapsed-time", DIALECT_TIMED },
	{ "hugo", "duration duration duration count template", "cnnkN", "elapsed-time", DIALECT_TIMED },
	/* source: Jekyll, lib/jekyll/liquid_renderer/table.rb and lib/jekyll/profiler.rb, tabulate() */
	{ "jekyll", "Filename | Count | Bytes | Time", "Fwkwwwc", "elapsed-time", DIALECT_SECONDS | DIALECT_TIMED },
	{ "jekyll", "| Filename | Count | Bytes | Time |", "wFwkwwwc+", "elapsed-time", DIALECT_SECONDS | DIALECT_TIMED },
	/*
	 * source: nvprof of CUDA, docs.nvidia.com/cuda/profiler-users-guide, "Summary Mode". The
	 * first row of a group starts with the group's name. Shares are relative to the time of the
	 * group.
	 */
	{ "nvprof", "Type Time(%) Time Calls Avg Min Max Name", "?GSsknnnN", "gpu-time", DIALECT_GROUPS | DIALECT_TIMED | DIALECT_ROWS, "*: *%*s *s *s *s *" },
	{ "nvprof", "Time(%) Time Calls Avg Min Max Name", "SsknnnN", "gpu-time", DIALECT_GROUPS | DIALECT_TIMED },
	/*
	 * source: nsys stats, docs.nvidia.com/nsight-systems, "Statistical Reports"; times are in
	 * ns
	 */
	{ "nsys", "Time(%) Total Time (ns) Instances Average Minimum Maximum Name", "TsknnnN", "gpu-time", DIALECT_TIMED },
	{ "nsys", "Time(%) Total Time (ns) Operations Average Minimum Maximum Operation", "TsknnnN", "gpu-time", DIALECT_TIMED },
	{ "nsys", "Time(%) Total Time (ns) Num Calls Average Minimum Maximum Name", "TsknnnN", "elapsed-time", DIALECT_TIMED },
	{ "nsys", "Time (%) Total Time (ns) Instances Avg (ns) Med (ns) Min (ns) Max (ns) StdDev (ns) Name", "TsknnnnnN", "gpu-time", DIALECT_TIMED },
	{ "nsys", "Time (%) Total Time (ns) Count Avg (ns) Med (ns) Min (ns) Max (ns) StdDev (ns) Operation", "TsknnnnnN", "gpu-time", DIALECT_TIMED },
	{ "nsys", "Time (%) Total Time (ns) Num Calls Avg (ns) Med (ns) Min (ns) Max (ns) StdDev (ns) Name", "TsknnnnnN", "elapsed-time", DIALECT_TIMED },
	/* source: ClangBuildAnalyzer, src/Analysis.cpp, EndAnalysis() and FindExpensiveHeaders() */
	{ "clang-build-headers", "*Expensive headers:", "cwD", "elapsed-time", DIALECT_ROWS | DIALECT_MILLIS | DIALECT_TIMED | DIALECT_CHAINS, "* ms: * (included * times, avg * ms), included via:*" },
	{ "clang-build-templates", "*Templates that took longest to instantiate:", "cwD", "elapsed-time", DIALECT_MILLIS | DIALECT_TIMED },
	{ "clang-build-templates", "*Template sets that took longest to instantiate:", "cwD", "elapsed-time", DIALECT_MILLIS | DIALECT_TIMED },
	/* source: cargo-llvm-lines, src/main.rs and src/table.rs */
	{ "cargo-llvm-lines", "LLVM Lines Instantiations Function name", "s?Bk?BN", "llvm-lines", DIALECT_NATIVE | DIALECT_COUNTED },
	{ "cargo-llvm-lines", "Lines Copies Function name", "s?Bk?BN", "llvm-lines", DIALECT_NATIVE | DIALECT_COUNTED },
	/* source: CPython, Python/import.c, -X importtime */
	{ "importtime", "import time: self [us] | cumulative | imported package", "wwswcwN", "import-time", DIALECT_MICROS | DIALECT_TIMED },
	/* source: PostgreSQL, src/bin/pgbench/pgbench.c, printResults() with --report-per-command */
	{ "pgbench", "statement latencies in milliseconds:", "sN", "statement-time", DIALECT_MILLIS },
	{ "pgbench", "statement latencies in milliseconds and failures:", "snN", "statement-time", DIALECT_MILLIS },
	{ "pgbench", "statement latencies in milliseconds, failures and retries:", "snnN", "statement-time", DIALECT_MILLIS },
	/*
	 * source: Linux, tools/perf/builtin-kvm.c, print_result(). A row has two percentages: the
	 * share of the samples, which is skipped, and the share of the time.
	 */
	{ "perf-kvm", "VM-EXIT Samples Samples% Time%", "FnpS+", "vm-exit-time", DIALECT_TIMED },
	/* source: oprofile, libpp/format_output.cpp, opreport(1) */
	/* if a table has two events, only the columns of the first event are read */
	{ "oprofile", "samples % samples % image name symbol name", "sTnnMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % samples % app name symbol name", "sTnnMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % samples % symbol name", "sTnnN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % image name app name symbol name", "sTMwN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % image name symbol name", "sTMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % app name symbol name", "sTMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "samples % symbol name", "sTN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "vma samples % image name app name symbol name", "wsTMwN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "vma samples % image name symbol name", "wsTMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "vma samples % app name symbol name", "wsTMN", NULL, DIALECT_SAMPLES },
	{ "oprofile", "vma samples % symbol name", "wsTN", NULL, DIALECT_SAMPLES },
};
/* clang-format on */
const size_t text_n_dialects = ARRAY_LEN(text_dialects);

static const struct {
	const char *suffix;
	double scale;
	enum amount_unit unit;
} text_units[] = {
	/*
	 * units of pprof. Units of bytes are powers of 1024. Source: google/pprof,
	 * internal/measurement/measurement.go
	 */
	{ "ns", 1, AMOUNT_NS },
	{ "us", 1e3, AMOUNT_NS },
	{ "\xc2\xb5s", 1e3, AMOUNT_NS },
	{ "ms", 1e6, AMOUNT_NS },
	{ "s", 1e9, AMOUNT_NS },
	{ "mins", 60e9, AMOUNT_NS },
	{ "hrs", 3600e9, AMOUNT_NS },
	{ "days", 86400e9, AMOUNT_NS },
	{ "B", 1, AMOUNT_BYTES },
	{ "kB", 1024, AMOUNT_BYTES },
	{ "KB", 1024, AMOUNT_BYTES },
	{ "MB", 1048576, AMOUNT_BYTES },
	{ "GB", 1073741824., AMOUNT_BYTES },
	{ "TB", 1099511627776., AMOUNT_BYTES },
	{ "seconds", 1e9, AMOUNT_NS },
	{ "CPU", 1e9, AMOUNT_NS }, /* unit of seconds in "in 0.123 CPU seconds" of Python 2 */
};

/* Whether @s starts with exactly three digits, as the group "345" in "12,345" does. */
static bool text_is_group(struct str s)
{
	return s.len >= 3 && char_is_digit(s.p[0]) && char_is_digit(s.p[1]) &&
	       char_is_digit(s.p[2]) && (s.len == 3 || !char_is_digit(s.p[3]));
}

/*
 * Take a number from the start of @s. In it, ',' separates groups of three digits, or is the
 * decimal point. False: @s does not start with a number.
 */
static bool text_number(struct str *s, double *ret, unsigned int *ret_decimals)
{
	struct str rest = *s;
	char digits[40];
	size_t n = 0;
	size_t fraction = 0;
	bool has_point = false;

	while (rest.len && n < sizeof(digits) - 1) {
		char c = rest.p[0];

		if (char_is_digit(c)) {
			digits[n++] = c;
			fraction += has_point;
		} else if (c == '.' && !has_point) {
			digits[n++] = c;
			has_point = true;
		} else if (c == ',' && n && !has_point && rest.len > 1 &&
			   char_is_digit(rest.p[1])) {
			/*
			 * ',' before exactly three digits separates groups; otherwise it is the
			 * decimal point
			 */
			if (!text_is_group(str_skip(rest, 1))) {
				digits[n++] = '.';
				has_point = true;
			}
		} else {
			break;
		}
		rest = str_skip(rest, 1);
	}
	if (n == (size_t)has_point || digits[n - 1] == '.')
		return false;
	*ret = 0;
	if (!str_double(&(struct str){ digits, n }, ret))
		return false;
	*ret_decimals = (unsigned int)fraction;
	*s = rest;
	return true;
}

/*
 * Take the hours and minutes of a duration in Go's format, "1h2m" of "1h2m3.5s", so that @s then
 * starts with the seconds. Returns hours and minutes in ns; 0: the duration has neither.
 */
static double text_minutes(struct str *s)
{
	struct str rest = *s;
	uint64_t n;
	double ns = 0;

	for (unsigned int i = 0; i < 2; i++) {
		struct str part = rest;

		if (str_u64(&part, &n) && part.len > 1 && char_is_digit(part.p[1]) &&
		    (part.p[0] == 'm' || (i == 0 && part.p[0] == 'h'))) {
			ns += (double)n * (part.p[0] == 'h' ? 3600e9 : 60e9);
			rest = str_skip(part, 1);
		}
	}
	*s = rest;
	return ns;
}

bool text_dialect_amount(struct str *s, struct amount *ret)
{
	struct str rest = str_ltrim(*s);
	double minutes = text_minutes(&rest);
	struct str suffix;
	unsigned int decimals;
	size_t n = 0;

	*ret = (struct amount){ 0 };
	if (str_starts(rest, STR(".")) && (rest.len == 1 || char_is_blank(rest.p[1]))) {
		*s = str_skip(rest, 1); /* "." stands for no value */
		return true;
	}
	if (!text_number(&rest, &ret->value, &decimals))
		return false;
	ret->half = decimals ? 0.5 * number_pow10(-(int)decimals) : 0;
	while (n < rest.len && !char_is_blank(rest.p[n]) && rest.p[n] != ',' && rest.p[n] != ')' &&
	       n < 8)
		n++;
	suffix = str_sub(rest, 0, n);
	for (size_t i = 0; n && i < ARRAY_LEN(text_units); i++) {
		if (text_units[i].suffix[0] != suffix.p[0] ||
		    !str_eq(suffix, str_of(text_units[i].suffix)))
			continue;
		ret->value *= text_units[i].scale;
		ret->half = (ret->half > 0 || text_units[i].scale == 1 ? ret->half : 0.5) *
			    text_units[i].scale;
		ret->unit = text_units[i].unit;
		rest = str_skip(rest, n);
		n = 0;
	}
	if (n || (minutes > 0 && ret->unit != AMOUNT_NS))
		return false;
	ret->value += minutes;
	*s = rest;
	return true;
}

bool text_dialect_share(struct str *s, bool is_strict, double *ret, unsigned int *ret_decimals)
{
	struct str rest = str_ltrim(*s);
	bool has_bracket = str_take(&rest, STR("("));
	unsigned int decimals;
	double exponent = 0;
	bool has_sign;

	rest = str_ltrim(rest);
	if (!text_number(&rest, ret, &decimals))
		return false;
	if (str_take(&rest, STR("e-")) && !str_double(&rest, &exponent))
		return false;
	if (exponent != 0)
		*ret *= pow(10, -exponent);
	has_sign = str_take(&rest, STR("%"));
	if ((is_strict && !has_sign) || (has_bracket && !str_take(&rest, STR(")"))) ||
	    (rest.len && !char_is_blank(rest.p[0])) || *ret > 100.5)
		return false;
	if (ret_decimals && exponent == 0 && decimals > *ret_decimals)
		*ret_decimals = decimals;
	*s = rest;
	return true;
}

static bool text_skip(struct str *s)
{
	struct amount amount;
	double share;

	return text_dialect_share(s, true, &share, NULL) || text_dialect_amount(s, &amount);
}

/* Take an amount with a blank before its unit, as tracemalloc prints it: "4855 KiB", "116 B,". */
static bool text_spaced_amount(struct str *s, struct amount *ret)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = { { " B,", 1 },
		      { " KiB", 1024 },
		      { " MiB", 1048576 },
		      { " GiB", 1073741824. },
		      /* memory_profiler prints two blanks after these units */
		      { " B ", 1 },
		      { " kB ", 1e3 },
		      { " MB ", 1e6 },
		      { " GB ", 1e9 } };

	if (!text_dialect_amount(s, ret))
		return false;
	for (size_t i = 0; ret->unit == AMOUNT_PLAIN && i < ARRAY_LEN(units); i++) {
		if (!str_take(s, str_of(units[i].unit)))
			continue;
		if (units[i].unit[strlen(units[i].unit) - 1] == ' ')
			*s = (struct str){ s->p - 1, s->len + 1 };
		ret->half = (ret->half > 0 || i == 0 ? ret->half : 0.5) * units[i].scale;
		ret->value *= units[i].scale;
		ret->unit = AMOUNT_BYTES;
	}
	return true;
}

size_t text_dialect_group(struct str line)
{
	static const char *const groups[] = { "GPU activities:", "API calls:",
					      "OpenACC (excl):", "OpenACC (incl):",
					      "OpenMP (excl):",  "OpenMP (incl):" };
	struct str t = str_ltrim(line);

	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		if (str_starts(t, str_of(groups[i])))
			return (size_t)(t.p - line.p) + strlen(groups[i]);
	}
	return 0;
}

bool text_dialect_is_chain(const struct text_dialect *d, struct str t)
{
	uint64_t n;

	if (!(d->flags & DIALECT_CHAINS))
		return false;
	return str_eq(t, STR("...")) || (str_u64(&t, &n) && str_starts(t, STR("x: ")));
}

/*
 * Take a name with its counts, "NAME (included 85 times, avg 196 ms)". "included" may be missing.
 * False: @s has another form.
 */
static bool text_counted_name(struct str *s, struct text_row *row)
{
	size_t end = str_find(*s, STR(" times, avg "));
	size_t open = str_rfind_char(str_sub(*s, 0, end), '(');

	if (end >= s->len || open >= end)
		return false;
	row->name = str_trim(str_sub(*s, 0, open));
	row->calls = str_sub(*s, open + 1, end);
	(void)str_take(&row->calls, STR("included "));
	*s = STR_NONE;
	return row->name.len > 0 && row->calls.len > 0 && char_is_digit(row->calls.p[0]);
}

/*
 * Take a share and the sum of the shares so far, "(2.4%, 11.5%)", or "(100%)". False: @s has
 * another form.
 */
static bool text_bracket(struct str *s, struct text_row *row)
{
	struct str t = str_ltrim(*s);
	size_t close = str_find_char(t, ')');
	struct str in =
		str_sub(t, 1, close < str_find_char(t, ',') ? close : str_find_char(t, ','));
	double share;
	unsigned int decimals = 0;

	if (close >= t.len || !str_starts(t, STR("(")) ||
	    !text_dialect_share(&in, true, &share, &decimals))
		return false;
	*s = str_skip(t, close + 1);
	if (row->self_pct < 0 && row->calls.len == 0) {
		row->self_pct = share;
		row->decimals = decimals;
	}
	return true;
}

/*
 * Take the numbers of a line of vim --startuptime, "144.247  000.614  000.614: ", whose last one is
 * the self amount. All have three decimals, and zeros up to three digits; the number of a line may
 * precede them.
 */
static bool text_take_startup(struct str *s, struct amount *ret)
{
	size_t n = 0;
	struct str word;

	while (str_word(s, &word)) {
		bool is_last = str_ends(word, STR(":"));
		struct str number = is_last ? str_sub(word, 0, word.len - 1) : word;
		bool is_time = number.len >= 7 && number.p[number.len - 4] == '.' &&
			       text_dialect_amount(&number, ret) && number.len == 0;

		if (is_last)
			return is_time && n > 0;
		if (!is_time && (n || str_find_char(word, '.') < word.len))
			return false;
		n += is_time;
	}
	return false;
}

/*
 * Read one column from the start of @s. @letter: kind of the column (struct text_dialect.row).
 * False: the text is no such column.
 */
static bool text_column(char letter, struct str *s, struct text_row *row)
{
	struct str word;
	struct amount unused;
	double share;
	size_t n;

	switch (letter) {
	case 's':
		row->has_self = true;
		return text_spaced_amount(s, &row->self);
	case 'c':
		row->has_cum = true;
		return text_dialect_amount(s, &row->cum);
	case 'S':
	case 'T':
		/*
		 * the first share of a row is its self share, the second its inclusive share, as in
		 * "TTN"
		 */
		return text_dialect_share(s, letter == 'S',
					  row->self_pct < 0 ? &row->self_pct : &row->cum_pct,
					  &row->decimals);
	case 'C':
		return text_dialect_share(s, true, &row->cum_pct, &row->decimals);
	case 'n':
		return text_dialect_amount(s, &unused);
	case 'p':
		return text_dialect_share(s, true, &share, NULL);
	case 'k':
		return str_word(s, &row->calls);
	case 'G':
		n = text_dialect_group(*s);
		*s = str_skip(*s, n);
		return n > 0;
	case 'w':
		return str_word(s, &word);
	case 'M':
		if (!str_word(s, &row->module))
			return false;
		if (str_eq(row->module, STR("?")))
			row->module = STR_NONE;
		return true;
	case 'F':
		*s = str_ltrim(*s);
		row->name = str_sub(*s, 0, str_find(*s, STR("  ")));
		*s = str_skip(*s, row->name.len);
		return row->name.len > 0;
	case 'L':
		*s = str_ltrim(*s);
		n = str_find(*s, STR(": "));
		n = str_find(str_sub(*s, 0, n), STR(" ("));
		row->name = str_sub(*s, 0, n);
		*s = str_skip(*s, n + 1);
		return n > 0 && s->len > 0;
	case 'A':
		*s = str_ltrim(*s);
		n = str_find(*s, STR(" -> "));
		row->name = str_sub(*s, 0, n);
		*s = str_skip(*s, n + 3);
		return n > 0 && s->len > 0;
	case 'g':
		row->has_self = true;
		*s = str_ltrim(*s);
		return str_take(s, STR("+")) && text_dialect_amount(s, &row->self) &&
		       row->self.half <= 0 && str_trim(*s).len == 0;
	case 'v':
		row->has_self = true;
		return text_take_startup(s, &row->self);
	case 'D':
		return text_counted_name(s, row);
	case 'B':
		return text_bracket(s, row);
	case '=':
		n = str_find_char(*s, '=');
		*s = str_skip(*s, n + 1);
		return s->len > 0;
	case '^':
		/* accept only rows whose size grew: "size=4855 KiB (+92 KiB), count=..." */
		n = str_find(*s, STR("(+"));
		*s = str_skip(*s, n + 2);
		return s->len > 0;
	case '+':
		while (text_skip(s))
			;
		return true;
	default:
		row->name = str_trim(*s);
		return true;
	}
}

bool text_row_of(const struct text_dialect *d, struct str line, struct text_row *ret)
{
	bool is_spaced = strpbrk(d->row, "=^") == NULL;
	struct str rest = line;

	*ret = (struct text_row){ .self_pct = -1, .cum_pct = -1 };
	for (const char *at = d->row; *at; at++) {
		bool is_optional = *at == '?';

		at += is_optional;
		if (!text_column(*at, &rest, ret) && !is_optional)
			return false;
		if (is_spaced && *at != 'N' && rest.len && !char_is_blank(rest.p[0]))
			return false;
	}
	if (d->row[0] == '\0' || str_starts(ret->name, STR("|")))
		return false;
	/*
	 * skip lines about the calls of a function: "< caller" and "> callee" of --tree, and "=>
	 * callee" in an annotated source
	 */
	if (d->flags & DIALECT_FILES && str_glob(STR("< *|> *|=> *"), ret->name))
		return false;
	if (d->flags & DIALECT_FILES && str_take(&ret->name, STR("* ")))
		ret->name = str_ltrim(ret->name);
	if (d->flags & DIALECT_FILES && str_find_char(ret->name, ':') == ret->name.len)
		/*
		 * skip rows such as "PROGRAM TOTALS": the name of a function has the form
		 * "file:function"
		 */
		return false;
	if (str_glob(STR("Total:|Total *|---*|allocated size|(TOTAL)"), ret->name))
		/*
		 * skip rows that are no functions: totals of eprof and of the sections of -Xprof,
		 * rulers
		 */
		return false;
	return true;
}

bool text_dialect_call(const struct text_dialect *d, struct str line, struct text_call *ret)
{
	double pct;
	size_t at;

	if (!(d->flags & DIALECT_FILES) || !text_dialect_amount(&line, &ret->amount))
		return false;
	(void)text_dialect_share(&line, true, &pct, NULL);
	line = str_ltrim(line);
	ret->is_caller = str_starts(line, STR("< "));
	if (!ret->is_caller && !str_starts(line, STR("> ")))
		return false;
	ret->name = str_trim(str_skip(line, 2));
	ret->count = STR_NONE;
	/* the number of calls, "(5,337x)", precedes the object or is at the end of the name */
	for (at = 0; at + 2 < ret->name.len; at++) {
		struct str count = str_skip(ret->name, at + 2);
		bool has_digit = char_is_digit(count.p[0]);

		while (has_digit && count.len && (char_is_digit(count.p[0]) || count.p[0] == ','))
			count = str_skip(count, 1);
		if (!has_digit || !str_starts(str_skip(ret->name, at), STR(" (")) ||
		    !str_starts(count, STR("x)")))
			continue;
		ret->count = str_sub(ret->name, at + 2, (size_t)(count.p - ret->name.p));
		ret->name = str_sub(ret->name, 0, at);
		break;
	}
	return ret->name.len > 0;
}

/*
 * Whether @line starts with the words of @head. In @head, '#' stands for any number. If @head
 * starts with '*', @line must end with the rest of @head, and other words may precede it.
 */
static bool text_has_words(struct str line, struct str head)
{
	struct str a;
	struct str b;

	if (str_take(&head, STR("*")))
		return str_ends(str_rtrim(line), head) && !str_starts(str_ltrim(line), head);
	while (str_word(&head, &b)) {
		if (!str_word(&line, &a) ||
		    (str_eq(b, STR("#")) ? !char_is_digit(a.p[0]) : !str_eq(a, b)))
			return false;
	}
	return true;
}

double text_dialect_scale(const struct text_dialect *d)
{
	return d->flags & DIALECT_SECONDS  ? 1e9
	       : d->flags & DIALECT_MILLIS ? 1e6
	       : d->flags & DIALECT_MICROS ? 1e3
					   : 1;
}

const struct text_dialect *text_dialect_of_head(struct str line)
{
	struct str t = str_trim(line);

	if (t.len < 10 || t.len > 200)
		return NULL;
	for (size_t i = 0; i < text_n_dialects; i++) {
		const char *heads = text_dialects[i].heads;

		/* fast test: the first characters of most titles differ */
		if ((heads[0] == t.p[0] || heads[0] == '*') && text_has_words(t, str_of(heads)))
			return &text_dialects[i];
	}
	return NULL;
}

bool text_dialect_is_preface(struct str line)
{
	static const char *const begins[] = {
		"File: ",
		"Type: ",
		"Build ID: ",
		"Time: ",
		"Duration: ",
		"Dropped ",
		"Active filters:",
		"Showing ",
		"Flat profile:",
		"Each sample ",
		"Mode: ",
		"GC: ",
		"(pprof)",
		"Ordered by: ",
		"List reduced from ", /* pstats: with print_stats(20) */
		"=======",
		"-------",
		"Entering ",
		"Fetching ",
		"CPU: ",
		"Counted ",
		"Saved profile ",
		"%   ",
		"[JavaScript]:",
		"[Shared libraries]:",
		"Statistical ",
		"Main binary ",
		"PeriodType: ",
		"% ",
		"CPU SAMPLES BEGIN",
		"CPU TIME (ms) BEGIN",
		"SITES BEGIN (ordered",
		"Flat profile of ",
		"****** Process <",
		"%% Analysis results:",
		"{  analysis_options,",
		"[{callers, ",
		"{sort, ",
		"{totals, ",
		"{details, ",
		"Analyze events for ",
	};
	struct str t = str_trim(line);
	struct amount total;

	for (size_t i = 0; t.len && i < ARRAY_LEN(begins); i++) {
		if (begins[i][0] == t.p[0] && str_starts(t, str_of(begins[i])))
			return true;
	}
	return text_dialect_total(t, &total);
}

bool text_dialect_total(struct str line, struct amount *ret)
{
	static const struct {
		struct str has;
		const char *before; /* text that precedes the number */
		enum amount_unit unit;
	} totals[] = {
		{ { "Showing nodes accounting for ", sizeof("Showing nodes accounting for ") - 1 },
		  "% of ",
		  AMOUNT_PLAIN },
		/* Go 1.9 and older versions: "6.61s of 38.69s total (17.08%)" */
		{ { " total (", sizeof(" total (") - 1 }, " of ", AMOUNT_PLAIN },
		{ { " function calls ", sizeof(" function calls ") - 1 }, " in ", AMOUNT_NS },
		{ { "Total: reserved=", sizeof("Total: reserved=") - 1 },
		  "committed=",
		  AMOUNT_PLAIN },
		{ { "Total allocated size: ", sizeof("Total allocated size: ") - 1 },
		  "size: ",
		  AMOUNT_PLAIN },
		{ { "Total: ", sizeof("Total: ") - 1 }, "Total: ", AMOUNT_PLAIN },
		{ { "Samples: ", sizeof("Samples: ") - 1 }, "Samples: ", AMOUNT_PLAIN },
		{ { "CPU SAMPLES BEGIN ", sizeof("CPU SAMPLES BEGIN ") - 1 },
		  "(total = ",
		  AMOUNT_PLAIN },
		{ { " total ticks)", sizeof(" total ticks)") - 1 }, "(", AMOUNT_PLAIN },
		{ { "granularity: ", sizeof("granularity: ") - 1 }, "% of ", AMOUNT_NS },
		{ { " (TOTAL)", sizeof(" (TOTAL)") - 1 }, "", AMOUNT_PLAIN },
		{ { " PROGRAM TOTALS", sizeof(" PROGRAM TOTALS") - 1 }, "", AMOUNT_PLAIN },
	};

	for (size_t i = 0; i < ARRAY_LEN(totals); i++) {
		struct str before, rest, word;

		if (!str_contains(line, totals[i].has))
			continue;
		before = str_of(totals[i].before);
		rest = str_skip(line, str_find(line, before) + before.len);
		if (rest.len == 0 || !str_word(&rest, &word))
			continue;
		if (str_ends(word, STR(")")))
			word.len--;
		if (!text_dialect_amount(&word, ret))
			continue;
		if (totals[i].unit == AMOUNT_NS && ret->unit == AMOUNT_PLAIN) {
			ret->value *= 1e9;
			ret->half *= 1e9;
			ret->unit = AMOUNT_NS;
			/* "MB" is a unit of gperftools, "KiB" of tracemalloc */
		} else if (str_glob(STR("MB|KiB"), str_trim(rest))) {
			ret->value *= str_starts(str_trim(rest), STR("M")) ? 1048576 : 1024;
			ret->unit = AMOUNT_BYTES;
		}
		return true;
	}
	return false;
}

/*
 * @name without two marks: "(inline)" of pprof, and the level of recursion of callgrind, such as
 * "'2".
 */
static struct str text_without_marks(struct str name)
{
	static const char *const marks[] = { " (inline)", " (partial-inline)" };
	size_t at;

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (str_ends(name, str_of(marks[i])))
			name = str_rtrim(str_sub(name, 0, name.len - strlen(marks[i])));
	}
	at = str_rfind_char(name, '\'');
	if (at && at + 1 < name.len && at + 4 > name.len && char_is_digit(name.p[at + 1]))
		name.len = at;
	return name;
}

/* Whether @name ends with the function's index in a call graph: " [1]", " (33)". */
static bool text_has_index(struct str name)
{
	size_t at = str_rfind_char(name, ' ');
	struct str index = str_skip(name, at + 1);
	uint64_t number;

	return at > 0 && at < name.len &&
	       (str_take(&index, STR("[")) || str_take(&index, STR("("))) &&
	       str_u64(&index, &number) && (str_eq(index, STR("]")) || str_eq(index, STR(")")));
}

struct str text_dialect_name(const struct text_dialect *d, struct str name, struct str *ret_module)
{
	size_t at;

	name = text_without_marks(name);
	if (d->flags & DIALECT_FILES) {
		at = str_rfind_char(name, '[');
		/*
		 * "[…]" at the end is the object, except "[clone .cold]", which belongs to the name
		 */
		if (at < name.len && at && name.p[at - 1] == ' ' && str_ends(name, STR("]")) &&
		    !str_starts(str_skip(name, at), STR("[clone "))) {
			*ret_module = str_sub(name, at + 1, name.len - 1);
			name = str_rtrim(str_sub(name, 0, at));
		}
		name = text_without_marks(str_skip(name, str_find_char(name, ':') + 1));
	}
	if (d->flags & DIALECT_INDEXED && text_has_index(name))
		name = str_sub(name, 0, str_rfind_char(name, ' '));
	if (d->flags & (DIALECT_EDGES | DIALECT_ROWS) && !d->alone) {
		/* pprof -lines prints "function file.go:12": remove file and line */
		at = str_rfind_char(name, ' ');
		if (at < name.len && at && char_is_digit(name.p[name.len - 1])) {
			struct str place = str_skip(name, at + 1);
			size_t colon = str_rfind_char(place, ':');

			if (colon < place.len && str_find_char(place, '.') < colon &&
			    str_find_char(place, '(') == place.len)
				name = str_rtrim(str_sub(name, 0, at));
		}
	}
	return name;
}
