/* SPDX-License-Identifier: MIT */
/*
 * duration_log.c - logs with one duration per line: pauses of garbage collectors, output of bcc's
 * snoop and slower tools
 *
 * A dialect describes the log of one tool: its line of column titles, if any, and patterns of its
 * rows. stack_dialect.h describes the language of patterns, but two fields have another meaning
 * here. %f matches the key: the operation, command or device that took the time. %n matches a text
 * whose last word is the duration. Each key becomes a series of a distribution, with a bucket for
 * each printed value.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "formats/above.h"
#include "formats/format.h"
#include "formats/histograms/gc_counters.h"
#include "formats/histograms/gc_line.h"
#include "formats/threads/stack_dialect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

DECLARE_FORMAT(duration_log);

/* maximum number of consecutive lines of other kinds inside a log */
#define DURATION_GAP   3u
#define DURATION_LEAST 2u /* minimum number of rows of a log */
/* minimum number of rows of a log whose dialect has is_plain; they must be consecutive */
#define DURATION_PLAIN 4u
#define DURATION_ROWS  11u
#define DURATION_OPENS 4u
/* a log needs only one row if it has at least this many lines of details */
#define DURATION_DETAILS 3u
#define DURATION_SCORE   98u
/* a timed command is searched in this many lines before its times; maximum length of its text */
#define DURATION_ABOVE   4u
#define DURATION_COMMAND 80u

static const struct diag_kind duration_lines = { "duration-log-lines", DIAG_INFO,
						 "lines between those with a duration" };
static const struct diag_kind duration_past = { "duration-log-past-limit", DIAG_DATALOSS,
						"durations past the limit" };
static const struct diag_kind duration_cut = { "duration-log-cut", DIAG_DATALOSS,
					       "pauses whose end is missing" };

/*
 * Forms of stamps. A stamp is the time that a row prints for the start or the end of its pause,
 * counted from the start of the program.
 */
enum duration_stamp {
	STAMP_NONE,
	STAMP_UPTIME, /* "[12.345s]": the pause ends at this time */
	STAMP_COLON,  /* "12.345: [GC": the pause starts at this time */
	STAMP_MS,     /* "123 ms: ": the pause ends at this time */
};

/* Values for the rows of one pattern. They replace the values of the dialect. */
struct duration_own {
	const char *name; /* name of the duration */
	const char *key;  /* key of the rows; NULL: the text that %f matches */
	double scale;     /* factor to nanoseconds; 0: the scale of the dialect */
};

struct duration_dialect {
	const char *tool;
	const char *name; /* name of the durations of this tool, such as "pause" */
	/* line of column titles; NULL: the rows alone identify the dialect */
	const char *head;
	double scale; /* factor that converts the printed number to nanoseconds */
	enum duration_stamp stamp;
	struct stack_rule rows[DURATION_ROWS];
	/* own[i]: values for the pattern rows[i]; name NULL: use the values of the dialect */
	struct duration_own own[DURATION_ROWS];
	/* patterns for the first line of a pause whose duration is on a later line */
	struct stack_rule opens[DURATION_OPENS];
	const char *inner; /* str_glob pattern of the lines with details between rows; NULL: none */
	/* str_glob pattern of the line that reports exhausted memory; NULL: none */
	const char *fatal;
	/*
	 * str_glob pattern of the title above rows that repeat earlier rows; NULL: none. Rows after
	 * this title that equal an earlier row are dropped
	 */
	const char *repeats;
	bool inner_begins; /* a log may begin with a line of details, which matches `inner` */
	/* rows of full collections have the heap size before and after the collection */
	bool has_heap;
	/* rows are not specific ("name: 1.5 s"), so a log needs DURATION_PLAIN rows */
	bool is_plain;
	/*
	 * the duration is a clock of time(1), "3m16.001s". Rows are not specific: a log needs
	 * DURATION_PLAIN consecutive rows. Their key is the timed command, if the text has it
	 */
	bool is_clock;
	bool has_command;   /* the key of the rows is the timed command, if the text has it */
	bool has_several;   /* a row has several durations; each has its own pattern */
	bool may_lack_head; /* the rows alone identify the dialect, if the titles are missing */
	bool is_sure;       /* only this tool prints such rows, so one row is enough */
};

/* clang-format off */
static const struct duration_dialect duration_dialects[] = {
	/* source: JEP 158; src/hotspot/share/gc/shared/gcTraceTime.cpp */
	{ "JVM gc log", "pause", NULL, 1e6, STAMP_UPTIME, {
		{ 1, 0, "[%*] GC(%d) Pause %f %*->%*(%*) %nms" },
		{ 1, 0, "[%*] GC(%d) Pause %f %nms" },
		/*
		 * source: src/hotspot/share/gc/z/zStat.cpp. First pattern: a thread waits for
		 * memory. Second pattern: a whole collection, during which the program runs.
		 */
		{ 1, 0, "[%*] Allocation Stall (%f) %nms" },
		{ 1, 0, "[%*] GC(%d) %f %*->%*(%*) %ns" },
		/* source: src/hotspot/share/runtime/safepoint.cpp, SafepointTracing::end() */
		{ 1, 0, "[%*] Safepoint \"%f\", Time since last: %d ns, Reaching safepoint: %n ns, %*" } },
	  .own = { [2] = { "allocation stall", "Allocation Stall", 0 }, [3] = { "cycle", NULL, 1e9 },
		   [4] = { "time to safepoint", NULL, 1 } },
	  .inner = "[*][gc*] *|[*][safepoint*] *|[*s] GC(*) *", .inner_begins = true, .has_heap = true },
	/* printed by JDK 8 with -XX:+PrintGC and -XX:+PrintGCDetails */
	{ "JVM 8 gc log", "pause", NULL, 1e9, STAMP_COLON, {
		{ 1, 0, "%*: [%f (%*->%*(%*), %n secs] [Times: %*" },
		{ 1, 0, "%*: [%f (%*->%*(%*), %n secs]" },
		{ 1, 0, "[%f (%*->%*(%*), %n secs]" },
		{ 1, 0, "%*: [%f %dK->%dK(%dK), %n secs]" },
		{ 1, 0, "%*: [GC pause %f, %n secs]" },
		/*
		 * rows with a second time and a generation: [GC 12.3: [ParNew: 9K->1K(9K), 0.05
		 * secs] ...
		 */
		{ 1, 0, "%*: [%f: [%*->%*(%*), %n secs] [Times: %*" },
		{ 1, 0, "%*: [%f: [%*->%*(%*), %n secs]" },
		/* CMS collector: the pauses at the start and at the end of its marking phase */
		{ 1, 0, "%*: [%f[%*] %dK(%dK), %n secs] [Times: %*" },
		{ 1, 0, "%*: [%f[%*] %dK(%dK), %n secs]" },
		/*
		 * -XX:+PrintGCApplicationStoppedTime prints this line whenever all threads were
		 * stopped, for a collection or another reason; source: runtimeService.cpp
		 */
		{ 1, 0, "%*Total time for which application threads were %f: %n seconds, Stopping threads took: %*" },
		{ 1, 0, "%*Total time for which application threads were %f: %n seconds" } },
	  .own = { [9] = { "stop", "all threads stopped", 0 }, [10] = { "stop", "all threads stopped", 0 } },
	  .opens = { { 1, 0, "%*: [GC pause %f" },
		     { 1, 0, "%*: [%f: [ParNew%*" },
		     { 1, 0, "%*: [%f: [DefNew%*" },
		     { 1, 0, "%*: [%f: [CMS%*" } },
	  .inner = "[*: *]*|Desired survivor size *|- age *: *|[Code Root *|[Eden: *|"
		   "*: [G1Ergonomics *|*: [GC concurrent-*|*: [CMS-concurrent-*|*Application time: * seconds",
	  .has_heap = true },
	/*
	 * source: KurrentDB (EventStoreDB), GcSuspensionMetric.cs, from events of the .NET runtime.
	 * The second pattern is the time during which the collection suspended all threads.
	 */
	{ ".NET gc log", "pause", NULL, 1e6, STAMP_NONE, {
		{ 1, 0, "%*End of full blocking garbage collection at %* Took: %nms" },
		{ 1, 0, "%*Execution Engine Suspension. Reason: %f. Took: %nms" } },
	  .own = { [0] = { "pause", "Full blocking", 0 }, [1] = { "suspension", NULL, 0 } },
	  .inner = "*Start of * garbage collection at *", .inner_begins = true },
	/* source: lib/v8, src/heap/gc-tracer.cc, GCTracer::Print() */
	{ "V8 gc trace", "pause", NULL, 1e6, STAMP_MS, {
		{ 1, 0, "[%*] %d ms: %f %*) -> %* MB, %n / %* ms%*" } },
	  .inner = "<--- *|FATAL ERROR: *|#*", .fatal = "FATAL ERROR: *out of memory*",
	  .repeats = "<--- Last few GCs --->*", .has_heap = true },
	/* source: iputils, ping/ping.c, ping_common.c, gather_statistics() */
	{ "ping", "round trip", NULL, 1e6, STAMP_NONE, {
		{ 1, 0, "%d bytes from %f: icmp_seq=%d ttl=%d time=%n ms" },
		{ 1, 0, "[%d.%d] %d bytes from %f: icmp_seq=%d ttl=%d time=%n ms" } } },
	/* sources: the tools of bcc with these names */
	{ "biosnoop", "latency", "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %f %d %s %m %d %d %n" } } },
	{ "biosnoop", "latency", "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %f %d %s %m %d %d %s %n" } } },
	{ "biosnoop.bt", "latency", "TIME(ms) DISK COMM PID LAT(ms)", 1e6, STAMP_NONE, {
		{ 1, 0, "%d %s %f %d %n" } } },
	/* source: perf-tools, iosnoop; -s and -t print the start and the end of a request */
	{ "iosnoop", "latency", "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %d.%d %f %d %m %d,%d %d %d %n" } }, .may_lack_head = true },
	{ "iosnoop", "latency", "STARTs COMM PID TYPE DEV BLOCK BYTES LATms", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %f %d %m %d,%d %d %d %n" } } },
	{ "iosnoop", "latency", "ENDs COMM PID TYPE DEV BLOCK BYTES LATms", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %f %d %m %d,%d %d %d %n" } } },
	{ "iosnoop", "latency", "COMM PID TYPE DEV BLOCK BYTES LATms", 1e6, STAMP_NONE, {
		{ 1, 0, "%f %d %m %d,%d %d %d %n" } } },
	{ "slower", "latency", "TIME COMM PID T BYTES OFF_KB LAT(ms) FILENAME", 1e6, STAMP_NONE, {
		{ 1, 0, "%d:%d:%d %f %d %m %d %d %n %s" } } },
	{ "fileslower", "latency", "TIME(s) COMM TID D BYTES LAT(ms) FILENAME", 1e6, STAMP_NONE, {
		{ 1, 0, "%d.%d %f %d %m %d %n %s" } } },
	{ "runqslower", "latency", "TIME COMM TID LAT(us)", 1e3, STAMP_NONE, { { 1, 0, "%d:%d:%d %f %d %n" } } },
	{ "runqslower", "latency", "TIME COMM PID LAT(us)", 1e3, STAMP_NONE, { { 1, 0, "%d:%d:%d %f %d %n" } } },
	{ "gethostlatency", "latency", "TIME PID COMM LATms HOST", 1e6, STAMP_NONE, {
		{ 1, 0, "%d:%d:%d %d %f %n %s" } } },
	{ "tcplife", "duration", "PID COMM LADDR LPORT RADDR RPORT TX_KB RX_KB MS", 1e6, STAMP_NONE, {
		{ 1, 0, "%d %f %s %d %m %d %d %d %n" } } },
	/* source: Linux, kernel/trace/trace_output.c, trace_hwlat_print() and trace_timerlat_print() */
	{ "hwlat", "latency", "# tracer: hwlat", 1e3, STAMP_NONE, {
		{ 1, 0, "%* #%d %f/outer(us): %n/%d ts:%*" },
		{ 1, 0, "%* #%d inner/%f(us): %d/%n ts:%*" } },
	  .inner = "#*", .has_several = true, .may_lack_head = true },
	{ "timerlat", "latency", "# tracer: timerlat", 1, STAMP_NONE, {
		{ 1, 0, "%* #%d context %f timer_latency %n ns" } }, .inner = "#*", .may_lack_head = true },
	/* source: CPython, Lib/asyncio/base_events.py, _run_once(), format_helpers.py, base_tasks.py */
	{ "asyncio", "blocked", NULL, 1e9, STAMP_NONE, {
		{ 1, 0, "%*Executing <Task %* coro=<%f() running %*> took %n seconds%*" },
		{ 1, 0, "%*Executing <Task %* coro=<%f() done, %*> took %n seconds%*" },
		{ 1, 0, "%*Executing <TimerHandle when=%d.%d %f(%*> took %n seconds%*" },
		{ 1, 0, "%*Executing <Handle %f(%*> took %n seconds%*" } }, .is_sure = true },
	/* source: Vert.x, src/main/java/io/vertx/core/impl/btc/BlockedThreadChecker.java */
	{ "vert.x", "blocked", NULL, 1e6, STAMP_NONE, {
		{ 1, 0, "%*Thread Thread[%f,%*] has been blocked for %n ms, time limit is %d ms" },
		{ 1, 0, "%*Thread Thread[#%d,%f,%*] has been blocked for %n ms, time limit is %d ms" } }, .is_sure = true },
	/*
	 * With option -u, each line is one zone. The name of a zone ends at the first comma outside
	 * of brackets. Source: Tracy, csvexport/src/csvexport.cpp
	 */
	{ "tracy", "zone", "name,src_file,src_line,ns_since_start,exec_time_ns,thread", 1, STAMP_NONE, {
		{ 1, 0, "%f,%s,%d,%d,%n,%d" } } },
	{ "tracy", "zone", "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value", 1, STAMP_NONE, {
		{ 1, 0, "%f,%s,%d,%d,%n,%d,%*" } } },
	/* programs that print the time of each of their steps, one step per line */
	{ "timings", "time", NULL, 1e9, STAMP_NONE, {
		{ 1, 0, "%f: %n s" },
		{ 1, 0, "%f: %n secs" },
		{ 1, 0, "%f: %n secs (%d%*)" },
		{ 1, 0, "%f: %n seconds" } }, .is_plain = true },
	/* a loop over "time COMMAND" whose output was filtered: "| grep real" */
	{ "time", "elapsed time", NULL, 1e9, STAMP_NONE, {
		{ 1, 0, "real %n" } }, .own = { [0] = { "elapsed time", "the command", 0 } }, .is_clock = true },
	/* a loop over /usr/bin/time -f "real %e seconds", with a number or a name before each time */
	{ "time -f", "elapsed time", NULL, 1e9, STAMP_NONE, {
		{ 1, 0, "%*real %n seconds" },
		{ 1, 0, "%*real %n sec" },
		{ 1, 0, "%*real %n s" } },
	  .own = { [0] = { "elapsed time", "the command", 0 }, [1] = { "elapsed time", "the command", 0 },
		   [2] = { "elapsed time", "the command", 0 } }, .has_command = true },
	{ "writeback.bt", "latency", "TIME DEVICE PAGES REASON ms", 1e6, STAMP_NONE, {
		{ 1, 0, "%d:%d:%d %s %d %f %n" } } },
};
/* clang-format on */

struct duration_value {
	const char *name; /* name of the duration */
	str_id key;
	uint32_t line;
	double ns;
	double half;  /* rounding error of the value in ns: half a unit of its last digit */
	double stamp; /* time of the row, in ns since the start of the program; < 0: not printed */
};

static bool duration_is_head(const struct duration_dialect *d, struct str line)
{
	struct str head = str_of(d->head);
	struct str a;
	struct str b;

	while (str_word(&head, &a)) {
		if (!str_word(&line, &b) || !str_eq(a, b))
			return false;
	}
	return d->head && str_trim(line).len == 0;
}

/* The number that ends at offset @at, times @scale; < 0: no number. */
static double duration_number_before(struct str line, size_t at, double scale)
{
	size_t from = at;
	struct str number;
	double value;

	while (from && (char_is_digit(line.p[from - 1]) || line.p[from - 1] == '.'))
		from--;
	number = str_sub(line, from, at);
	return number.len && str_double(&number, &value) && number.len == 0 && value < 1e9
		       ? value * scale
		       : -1;
}

static double duration_stamp(enum duration_stamp how, struct str line)
{
	static const struct {
		const char *text; /* text after the number */
		double scale;
	} marks[] = {
		[STAMP_UPTIME] = { "s]", 1e9 },
		[STAMP_COLON] = { ": [", 1e9 },
		[STAMP_MS] = { " ms: ", 1e6 },
	};
	double value = -1;

	if (how == STAMP_NONE)
		return -1;
	for (size_t from = 0; from < line.len && value < 0;) {
		struct str mark = str_of(marks[how].text);
		size_t at = from + str_find(str_skip(line, from), mark);

		if (at >= line.len)
			break;
		value = duration_number_before(line, at, marks[how].scale);
		from = at + mark.len;
	}
	return value;
}

/*
 * Wall-clock time from the start of the first pause to the end of the last pause, ns; 0: unknown. A
 * stamp of the form STAMP_COLON is the start of its pause, any other stamp the end.
 */
static double duration_span(const struct duration_dialect *d, const struct duration_value *first,
			    const struct duration_value *last)
{
	const struct duration_value *end = d->stamp == STAMP_COLON ? last : first;

	return first->stamp >= 0 && last->stamp > first->stamp
		       ? last->stamp - first->stamp + end->ns
		       : 0;
}

/* Whether @name looks like the name of a step in a program: "parse_mounts", "Cache::load". */
static bool duration_is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = (char)(name.p[i] | 32);

		if (!(c >= 'a' && c <= 'z') && !char_is_digit(name.p[i]) &&
		    !memchr("_-.:/", name.p[i], 5))
			return false;
	}
	return name.len > 2 && !char_is_digit(name.p[0]);
}

#define DURATION_DIGITS 24u

/*
 * Copy @number without its thousands separators, as in "15,727", into @buffer. A number with a
 * comma at another place is returned unchanged, and is later rejected.
 */
static struct str duration_digits(struct str number, char buffer[DURATION_DIGITS])
{
	size_t comma = str_find_char(number, ',');
	size_t len = 0;

	if (comma == 0 || comma > 3 || comma == number.len || number.len > DURATION_DIGITS)
		return number;
	for (size_t i = 0; i < number.len; i++) {
		if (i >= comma && (i - comma) % 4 == 0 && number.p[i] != ',')
			return number;
		if (i < comma || (i - comma) % 4)
			buffer[len++] = number.p[i];
	}
	return (number.len - comma) % 4 ? number : (struct str){ buffer, len };
}

/*
 * Convert a clock of time(1), "3m16.001s" or "16.001", to seconds. *@ret_number: its part after the
 * minutes, without 's'. Returns the seconds of the minutes; < 0: no clock.
 */
static double duration_clock(struct str s, struct str *ret_number)
{
	size_t m = str_find_char(s, 'm');
	struct str minutes = str_sub(s, 0, m);
	uint64_t n = 0;

	if (m < s.len && (!str_u64(&minutes, &n) || minutes.len))
		return -1;
	*ret_number = m < s.len ? str_skip(s, m + 1) : s;
	ret_number->len -= str_ends(*ret_number, STR("s"));
	return (double)n * 60;
}

/*
 * Match @line with the patterns of @d, from pattern @rule on. @ret: the duration; @ret_key: its
 * key. Returns the index of the matching pattern plus 1; 0: no match.
 */
static size_t duration_parse_from(const struct duration_dialect *d, size_t rule, struct str line,
				  struct str *ret_key, struct duration_value *ret)
{
	struct stack_match m;

	for (size_t i = rule; i < DURATION_ROWS && d->rows[i].pattern; i++) {
		const struct duration_own *own = &d->own[i];
		double scale = own->scale > 0 ? own->scale : d->scale;
		char digits[DURATION_DIGITS];
		struct str number;
		double more = 0; /* seconds of the minutes before the number */
		size_t blank;
		size_t point;

		if (!stack_dialect_may_match(&d->rows[i], line) ||
		    !stack_match_rule(&d->rows[i], line, &m))
			continue;
		number = str_trim(m.fields[STACK_NAME]);
		blank = str_rfind_char(number, ' ');
		number = blank < number.len ? str_skip(number, blank + 1) : number;
		number = duration_digits(number, digits);
		if (d->is_clock && (more = duration_clock(number, &number)) < 0)
			continue;
		point = str_find_char(number, '.');
		if (d->is_clock && point == number.len)
			continue;
		if (d->is_plain && (blank < m.fields[STACK_NAME].len || point == number.len ||
				    !duration_is_name(m.fields[STACK_FUNCTION])))
			continue;
		ret->half = 0.5 * scale *
			    pow(10, point < number.len ? -(double)(number.len - point - 1) : 0);
		if (!str_double(&number, &ret->ns) || number.len || ret->ns < 0 ||
		    ret->ns * scale > 1e18)
			continue;
		if (d->stamp == STAMP_COLON && gc_line_is_torn(m.fields[STACK_FUNCTION]))
			continue;
		ret->ns = (ret->ns + more) * scale;
		ret->name = own->name ? own->name : d->name;
		*ret_key = own->key ? str_of(own->key)
				    : gc_line_name(str_trim(m.fields[STACK_FUNCTION]), line);
		ret->stamp = duration_stamp(d->stamp, line);
		return i + 1;
	}
	return 0;
}

static bool duration_parse(const struct duration_dialect *d, struct str line, struct str *ret_key,
			   struct duration_value *ret)
{
	return duration_parse_from(d, 0, line, ret_key, ret) > 0;
}

/* State of a pause that has begun, and whose duration is on a later line. */
struct duration_open {
	struct str name; /* the key of the pause, a view of the input */
	double stamp;
	bool is_open;
	uint32_t lost; /* number of pauses whose end was not found */
};

static void duration_drop(struct duration_open *open)
{
	open->lost += open->is_open;
	open->is_open = false;
}

/*
 * If @line begins a pause whose duration is on a later line, store the pause in @ret. False:
 * another line.
 */
static bool duration_opens(const struct duration_dialect *d, struct str line,
			   struct duration_open *ret)
{
	struct stack_match m;

	if (!d->opens[0].pattern || !gc_line_begins(line))
		return false;
	duration_drop(ret);
	for (size_t i = 0; i < DURATION_OPENS && d->opens[i].pattern; i++) {
		if (!stack_dialect_may_match(&d->opens[i], line) ||
		    !stack_match_rule(&d->opens[i], line, &m))
			continue;
		ret->name = gc_line_name(str_trim(m.fields[STACK_FUNCTION]), line);
		ret->stamp = duration_stamp(d->stamp, line);
		ret->is_open = true;
		return true;
	}
	return false;
}

/* If @line ends the pause @open, store the pause's duration in @ret. False: another line. */
static bool duration_ends(const struct duration_dialect *d, struct str line,
			  const struct duration_open *open, struct duration_value *ret)
{
	size_t at, point;

	if (!open->is_open || !gc_line_ends(line, &at))
		return false;
	point = str_rfind_char(str_sub(line, 0, at), '.');
	ret->ns = duration_number_before(line, at, d->scale);
	ret->half = 0.5 * d->scale * pow(10, point < at ? -(double)(at - point - 1) : 0);
	ret->stamp = open->stamp;
	ret->name = d->name;
	return ret->ns >= 0;
}

/* Parse @line: a whole row, or the end of the pause @open. False: neither. */
static bool duration_row(const struct duration_dialect *d, struct str line,
			 struct duration_open *open, struct str *ret_key,
			 struct duration_value *ret)
{
	if (duration_parse(d, line, ret_key, ret)) {
		duration_drop(open);
		return true;
	}
	if (!duration_ends(d, line, open, ret))
		return false;
	*ret_key = open->name;
	open->is_open = false;
	return true;
}

/*
 * Whether @line is a line between rows. It has details, or begins a pause whose duration is on a
 * later line.
 */
static bool duration_is_inner(const struct duration_dialect *d, struct str line,
			      struct duration_open *open)
{
	return duration_opens(d, line, open) ||
	       (d->inner && str_glob(str_of(d->inner), str_ltrim(line)));
}

/* The dialect of a log that can start with @line; NULL: none. */
static const struct duration_dialect *duration_begun(struct str line)
{
	struct duration_value value;
	struct str what;

	if (str_trim(line).len < 12)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(duration_dialects); i++) {
		const struct duration_dialect *d = &duration_dialects[i];
		struct duration_open open = { .stamp = -1 };

		if (d->head && duration_is_head(d, line))
			return d;
		if (d->head && !d->may_lack_head)
			continue;
		if (duration_parse(d, line, &what, &value) || duration_opens(d, line, &open) ||
		    (d->inner_begins && duration_is_inner(d, line, &open)))
			return d;
	}
	return NULL;
}

/*
 * Minimum number of rows of a log. A log with DURATION_DETAILS lines of details needs only one row,
 * because these lines also identify the format.
 */
static size_t duration_least(const struct duration_dialect *d, size_t details)
{
	return d->is_sure                    ? 1
	       : d->is_plain || d->is_clock  ? DURATION_PLAIN
	       : details >= DURATION_DETAILS ? 1
					     : DURATION_LEAST;
}

static bool duration_log_find(struct str text, size_t from, struct extent *ret)
{
	const struct duration_dialect *d = NULL;
	struct str rest = str_skip(text, from);
	struct duration_open open = { .stamp = -1 };
	struct duration_value value;
	unsigned int others = 0;
	struct str line, what;
	size_t rows = 0, details = 0;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		bool is_enough = d && rows >= duration_least(d, details);

		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (d && duration_row(d, line, &open, &what, &value)) {
			rows++;
			ret->to = text.len - rest.len;
			others = 0;
			continue;
		}
		if (d && duration_is_inner(d, line, &open)) {
			details++;
			ret->to = rows ? text.len - rest.len : ret->to;
			continue;
		}
		if (is_enough && !d->is_plain && !d->is_clock && ++others <= DURATION_GAP &&
		    !(d->head && duration_begun(line)))
			continue;
		if (is_enough)
			break;
		if (d && (rows || open.is_open) && !d->is_plain && !d->is_clock &&
		    ++others <= DURATION_GAP)
			continue;
		/* a blank line below the titles */
		if (d && d->head && !rows && !str_trim(line).len && ++others == 1)
			continue;
		d = duration_begun(line);
		open.is_open = false;
		rows = d && duration_row(d, line, &open, &what, &value);
		if (d && !rows)
			(void)duration_opens(d, line, &open);
		others = 0;
		details = 0;
		*ret = (struct extent){ .from = at,
					.to = text.len - rest.len,
					.score = DURATION_SCORE };
	}
	return d && rows && rows >= duration_least(d, details);
}

static unsigned int duration_log_probe(struct str head)
{
	struct extent e;

	return duration_log_find(head, 0, &e) ? DURATION_SCORE : 0;
}

static int duration_cmp(const void *va, const void *vb)
{
	const struct duration_value *a = va;
	const struct duration_value *b = vb;

	if (a->key.v != b->key.v)
		return a->key.v < b->key.v ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

/*
 * Make a series for each key, with a bucket for each distinct value. @values must be sorted by key,
 * then by value.
 */
static void duration_fill(struct capture *c, const struct duration_value *values, size_t n,
			  bool is_plain)
{
	struct distribution *k = capture_distribution(c);
	struct strings *strings = capture_strings(c);
	str_id unit = strings_add(strings, STR("ns"));
	double end = 0; /* upper bound of the previous bucket */

	for (size_t i = 0, same; i < n; i += same) {
		const struct duration_value *v = &values[i];

		for (same = 1; i + same < n && values[i + same].key.v == v->key.v &&
			       values[i + same].ns <= v->ns;)
			same++;
		if (i == 0 || v->key.v != v[-1].key.v) {
			distribution_begin(k, v->key, unit, v->line)->name =
				strings_add(strings, str_of(v->name));
			end = 0;
		}
		/*
		 * The buckets of adjacent values, such as 1.449 and 1.450 ms, touch. Because of
		 * rounding, a bucket could begin below `end`, the upper bound of the previous
		 * bucket. fmax() prevents such an overlap.
		 */
		if (distribution_add(k, fmax(v->ns - v->half, end), v->ns + v->half, same,
				     v->line) < 0)
			diag_count(&c->diag, &duration_past, v->line);
		end = v->ns + v->half;
		/* a series gets the line number of its longest pause */
		if (!is_plain)
			k->series.data[k->series.len - 1].line = v[same - 1].line;
	}
}

/*
 * Set between_ns and between_sum_ns of @k. between_ns is the time from the start of the first pause
 * to the start of the last pause. If the stamps are the ends of pauses, it is the time from the end
 * of the first pause to the end of the last pause. between_sum_ns is the sum of the pauses in that
 * time. @values must be in the order of the log.
 */
static void duration_between(const struct duration_dialect *dialect, struct distribution *k,
			     const struct duration_value *values, size_t n)
{
	const struct duration_value *first = NULL, *last = NULL;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(values[i].name, dialect->name) != 0 || values[i].stamp < 0)
			continue;
		first = first ? first : &values[i];
		last = &values[i];
		sum += values[i].ns;
	}
	if (!first || last->stamp <= first->stamp)
		return;
	k->between_ns = last->stamp - first->stamp;
	k->between_sum_ns = sum - (dialect->stamp == STAMP_COLON ? last->ns : first->ns);
}

static str_id duration_key(struct capture *c, struct str what, struct str line,
			   const struct gc_pending *p)
{
	const char *reason = gc_line_reason(line, p);
	char both[256];

	if (!reason || str_contains_nocase(what, str_of(reason)))
		return strings_add(capture_strings(c), what);
	(void)snprintf(both, sizeof(both), STR_FMT " (%s)", STR_ARG(str_sub(what, 0, 128)), reason);
	return strings_add(capture_strings(c), str_of(both));
}

/*
 * Whether the log has already printed @v: one of the first @n elements of @values has the same
 * stamp, duration and key. Cost: O(n).
 */
static bool duration_is_again(const struct duration_value *v, const struct duration_value *values,
			      size_t n)
{
	while (n-- > 0) {
		if (values[n].stamp == v->stamp && values[n].ns == v->ns &&
		    values[n].key.v == v->key.v)
			return true;
	}
	return false;
}

/*
 * If @line is a full collection with steps of incremental marking before it, set @v to the time of
 * these steps. That time is not a pause, because the program runs between the steps. False: no
 * steps.
 */
static bool duration_marking(struct capture *c, struct str line, struct duration_value *v)
{
	struct gc_marking m;

	if (!gc_line_marking(line, &m) || m.steps <= 0)
		return false;
	v->key = strings_add(capture_strings(c), STR("Incremental marking"));
	v->name = "marking in steps";
	v->ns = m.ns;
	v->half = m.half_ns;
	return true;
}

/* The offset of the word "time" of a command in @line, from @from on; the length if there is none.
 */
static size_t duration_timed(struct str line, size_t from)
{
	while (from < line.len) {
		size_t at = from + str_find(str_skip(line, from), STR("time "));

		if (at >= line.len || at == 0 || strchr(" \t({;/", line.p[at - 1]))
			return at < line.len ? at : line.len;
		from = at + 1;
	}
	return line.len;
}

/*
 * The length of the command at the start of @text. It ends at the end of its pipe, list or group.
 * Quoted text and substitutions, as in "sleep $((i % 3))", belong to it.
 */
static size_t duration_command_end(struct str text)
{
	unsigned int depth = 0;
	char quote = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '(' && (depth || (i && text.p[i - 1] == '$')))
			depth++;
		else if (c == ')' && depth)
			depth--;
		else if (!depth && strchr(";|)}>&", c))
			return i;
	}
	return text.len;
}

/* @text without the options of /usr/bin/time at its start: -f "real %e seconds" and "--". */
static struct str duration_after_options(struct str text)
{
	struct str rest = str_ltrim(text);

	if (str_take(&rest, STR("-f "))) {
		char end = ' ';

		rest = str_ltrim(rest);
		if (rest.len && (rest.p[0] == '"' || rest.p[0] == '\'')) {
			end = rest.p[0];
			rest = str_skip(rest, 1);
		}
		rest = str_ltrim(str_skip(rest, str_find_char(rest, end) + 1));
	}
	(void)str_take(&rest, STR("-- "));
	return rest;
}

/*
 * The command that is timed in a line before @in: "./query" of "for i in 1 2 3; do time ./query;
 * done". Empty: there is none, or the line times several commands.
 */
static struct str duration_command(const struct region *in)
{
	struct str above = above_region(in);
	struct str line;

	for (unsigned int n = 0; n < DURATION_ABOVE && above_line(&above, &line); n++) {
		size_t at = duration_timed(line, 0);
		struct str command;

		if (at == line.len)
			continue;
		if (!str_contains(line, STR("; do ")) && !str_contains(line, STR("| grep")))
			continue;
		if (duration_timed(line, at + 1) < line.len)
			return STR_NONE;
		command = duration_after_options(str_skip(line, at + 5));
		command = str_trim(str_sub(command, 0, duration_command_end(command)));
		/* the digit of a redirection: "2>&1" */
		if (str_ends(command, STR(" 2")))
			command.len -= 2;
		return str_sub(str_trim(command), 0, DURATION_COMMAND);
	}
	return STR_NONE;
}

static int duration_log_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_duration_log, in, d);
	const struct duration_dialect *dialect = NULL;
	VEC(struct duration_value) values = VEC_INIT;
	struct duration_open open = { .stamp = -1 };
	struct duration_value value;
	uint32_t n = 0, lost = 0;
	struct gc_pending pending = { .reason = NULL };
	/* the time of a row is before the time of the previous row, so the program was restarted */
	bool is_restarted = false;
	double last_stamp = -1;
	/*
	 * the title `repeats` was read, so the next rows may repeat earlier rows; above: number of
	 * values before that title
	 */
	bool is_repeated = false;
	size_t above = 0;
	struct str command = duration_command(in);
	struct str text = in->text;
	struct str line, what;

	for (; str_line(&text, &line); n++) {
		line = str_sub(line, 0, LIMIT_LINE_BYTES);
		if (!dialect)
			dialect = duration_begun(line);
		if (dialect && duration_row(dialect, line, &open, &what, &value)) {
			size_t rule = 1;
			bool is_old = false;

			if ((dialect->is_clock || dialect->has_command) && command.len)
				what = command;
			do {
				value.key = duration_key(c, what, line, &pending);
				value.line = region_line(in, n);
				is_old = is_repeated &&
					 duration_is_again(&value, values.data, above);
				if (is_old)
					continue;
				is_restarted |= value.stamp >= 0 && value.stamp < last_stamp;
				last_stamp = value.stamp >= 0 ? value.stamp : last_stamp;
				if (values.len < LIMIT_ROWS)
					*VEC_PUSH(&values) = value;
			} while (dialect->has_several &&
				 (rule = duration_parse_from(dialect, rule, line, &what, &value)));
			if (dialect->has_heap && !is_old) {
				struct gc_place at = { value.line, value.stamp };

				if (!gc_counters_add_heap(c, what, line, &pending, at) ||
				    !gc_counters_add_cpu(c, line, at))
					diag_count(&c->diag, &duration_past, value.line);
				if (duration_marking(c, line, &value) && values.len < LIMIT_ROWS)
					*VEC_PUSH(&values) = value;
			}
		} else if (dialect && duration_is_inner(dialect, line, &open)) {
			gc_line_expect(&pending, line);
			if (dialect->repeats && str_glob(str_of(dialect->repeats), line)) {
				is_repeated = true;
				above = values.len;
			}
			if (dialect->inner_begins &&
			    !gc_counters_add_cpu(c, line,
						 (struct gc_place){ region_line(in, n), -1 }))
				diag_count(&c->diag, &duration_past, region_line(in, n));
			if (dialect->fatal && str_glob(str_of(dialect->fatal), line))
				capture_note(c, STR("ended with"), line, region_line(in, n));
		} else if (str_trim(line).len && !(dialect && dialect->head && n == 0)) {
			diag_count(&c->diag, &duration_lines, region_line(in, n));
		}
		for (; lost < open.lost; lost++)
			diag_count(&c->diag, &duration_cut, region_line(in, n));
	}
	if (open.is_open)
		diag_count(&c->diag, &duration_cut, region_line(in, n - 1));
	if (values.len) {
		const struct duration_value *first = &values.data[0];
		const struct duration_value *last = &values.data[values.len - 1];

		/* ignore rows without a stamp, such as lines about stopped threads */
		while (first < last && first->stamp < 0)
			first++;
		while (last > first && last->stamp < 0)
			last--;
		if (!is_restarted) {
			capture_distribution(c)->span_ns = duration_span(dialect, first, last);
			duration_between(dialect, c->distribution, values.data, values.len);
		}
		VEC_SORT(&values, duration_cmp);
		duration_fill(c, values.data, values.len, dialect->is_plain);
		capture_note(c, STR("printed by"), str_of(dialect->tool), c->first_line);
	}
	VEC_FREE(&values);
	return c->distribution ? OK : fail(err, ERR_FORMAT, "no duration");
}

const struct format format_duration_log = {
	.name = "duration-log",
	.title = "durations",
	.summary = "durations one a line: pauses of garbage collectors, bcc's snoop and slower",
	.kinds = KIND_DISTRIBUTION | KIND_COUNTERS,
	.probe = duration_log_probe,
	.find = duration_log_find,
	.read = duration_log_read,
};
