/* SPDX-License-Identifier: MIT */
#include "formats/histograms/gc_line.h"

#include "base/status.h"

/*
 * Extend @what, if it is "Full GC", by the cause in the next brackets: "Full GC (System.gc())" in
 * "[Full GC (System.gc()) 9K->8K(20K), ...". The cause shows if memory was short. Brackets that
 * begin with a digit are heap sizes, not a cause.
 */
static struct str gc_line_cause(struct str what, struct str line)
{
	size_t end = (size_t)(what.p + what.len - line.p);
	struct str rest = str_ltrim(str_skip(line, end));
	int depth = 0;

	if (!str_glob(STR("Full|Full GC"), what) || rest.len < 2 || rest.p[0] != '(' ||
	    char_is_digit(rest.p[1]))
		return what;
	for (size_t i = 0; i < rest.len; i++) {
		depth += (rest.p[i] == '(') - (rest.p[i] == ')');
		if (depth == 0)
			return (struct str){ what.p, (size_t)(rest.p + i + 1 - what.p) };
	}
	return what;
}

struct str gc_line_name(struct str what, struct str line)
{
	size_t open = str_find_char(what, '[');
	size_t len = open;
	struct str rest = str_skip(line, (size_t)(what.p + what.len - line.p));

	if (open < what.len || str_starts(rest, STR(": ["))) {
		while (len &&
		       (char_is_digit(what.p[len - 1]) || memchr(".:+-TZ ", what.p[len - 1], 7)))
			len--;
		what = str_sub(what, 0, len);
	}
	return gc_line_cause(what, line);
}

bool gc_line_is_torn(struct str what)
{
	return str_contains(what, STR(": [GC ")) || str_contains(what, STR(": [CMS-concurrent"));
}

bool gc_line_begins(struct str line)
{
	size_t at = str_find(line, STR(": ["));
	struct str rest = str_skip(line, at < line.len ? at + 3 : line.len);

	return at && at < line.len && char_is_digit(line.p[at - 1]) &&
	       (str_starts(rest, STR("GC")) || str_starts(rest, STR("Full GC"))) &&
	       !str_starts(rest, STR("GC concurrent"));
}

/* Skip texts in brackets at the start of @s, such as " (to-space exhausted)". */
static struct str gc_line_skip_brackets(struct str s)
{
	for (;;) {
		size_t close;

		s = str_ltrim(s);
		close = str_find_char(s, ')');
		if (s.len == 0 || s.p[0] != '(' || close == s.len)
			return s;
		s = str_skip(s, close + 1);
	}
}

bool gc_line_ends(struct str line, size_t *ret)
{
	struct str s = gc_line_skip_brackets(str_sub(line, 0, str_find(line, STR(" [Times:"))));
	struct str mark = STR(" secs]");
	size_t from;

	s = str_rtrim(s);
	if (s.len <= mark.len || !str_ends(s, mark))
		return false;
	s = str_sub(s, 0, s.len - mark.len);
	*ret = (size_t)(s.p + s.len - line.p);
	from = s.len;
	while (from && (char_is_digit(s.p[from - 1]) || s.p[from - 1] == '.'))
		from--;
	if (from == s.len || !str_ends(str_sub(s, 0, from), STR(", ")))
		return false;
	return from == 2 || (s.p[0] == ':' && str_contains(s, STR("->")));
}

/*
 * Reasons that make a pause unusual. Source: HotSpot, g1CollectedHeap.cpp, g1YoungCollector.cpp;
 * JDK 8, concurrentMarkSweepGeneration.cpp.
 */
static const char *const gc_line_reasons[] = {
	"to-space exhausted", "to-space overflow",
	/*
	 * JDK 22 and later. " / Pinned" may follow "Allocation". "Pinned" without "Allocation"
	 * means that native code uses the objects.
	 */
	"Evacuation Failure: Allocation", "Evacuation Failure: Pinned", "Evacuation Failure",
	"promotion failed", "concurrent mode failure", "G1 Humongous Allocation",
	/* source: shenandoahDegeneratedGC.cpp */
	"Outside of Cycle"
};

static const char *gc_line_own_reason(struct str line)
{
	for (size_t i = 0; i < ARRAY_LEN(gc_line_reasons); i++) {
		if (str_contains_nocase(line, str_of(gc_line_reasons[i])))
			return gc_line_reasons[i];
	}
	return NULL;
}

/*
 * Reasons for a collection of the .NET runtime: enum gc_reason in src/coreclr/gc/gcinterface.h,
 * with the names that services log.
 */
static const char *const gc_line_dotnet[] = { "LargeObjectHeapAllocation",
					      "SmallObjectHeapAllocation",
					      "OutOfSpaceSOH",
					      "OutOfSpaceLOH",
					      "LowMemory",
					      "Induced" };

/*
 * If @line starts a collection of .NET, "GC: #1234. Generation: 2. Reason: LowMemory.", store the
 * reason in @p.
 */
static void gc_line_expect_dotnet(struct gc_pending *p, struct str line)
{
	const struct str mark = STR(" Reason: ");
	struct str gc = str_skip(line, str_find(line, STR("GC: #")));
	struct str reason = str_skip(gc, str_find(gc, mark));

	if (!str_take(&reason, mark))
		return;
	for (size_t i = 0; i < ARRAY_LEN(gc_line_dotnet); i++) {
		if (!str_starts(reason, str_of(gc_line_dotnet[i])))
			continue;
		p->reason = gc_line_dotnet[i];
		p->gc = str_sub(gc, 0, str_find_char(gc, '.') + 1);
	}
}

void gc_line_expect(struct gc_pending *p, struct str line)
{
	const struct str mark = STR(" Humongous regions: ");
	size_t at = str_find(line, STR("GC("));
	struct str gc = str_skip(line, at);
	struct str after = str_skip(line, str_find(line, mark));
	const char *reason = at < line.len ? gc_line_own_reason(line) : NULL;

	gc_line_expect_dotnet(p, line);
	gc = str_sub(gc, 0, str_find_char(gc, ')') + 1);
	if (reason) {
		p->reason = reason;
		p->gc = gc;
	}
	after = str_skip(after, str_find(after, STR("->")));
	if (str_take(&after, STR("->")) && str_double(&after, &p->large_regions))
		p->large_gc = gc;
}

bool gc_line_large_regions(struct str line, const struct gc_pending *p, double *ret)
{
	*ret = p->large_regions;
	return p->large_gc.len && str_contains(line, p->large_gc);
}

const char *gc_line_reason(struct str line, const struct gc_pending *p)
{
	const char *own = gc_line_own_reason(line);

	return own ? own : p->reason && str_contains(line, p->gc) ? p->reason : NULL;
}

/*
 * Find the number after @mark, such as "user=" or "User=". False: not found. @mark must end with
 * '='.
 */
static bool gc_line_number(struct str line, struct str mark, double *ret)
{
	/* a mark ends with '=', so only the text before each '=' is compared with it */
	for (size_t end = str_find_char(line, '='); end + 1 < line.len;
	     end += 1 + str_find_char(str_skip(line, end + 1), '=')) {
		struct str rest;

		if (end + 1 < mark.len)
			continue;
		rest = str_skip(line, end + 1 - mark.len);
		if (!str_starts_nocase(rest, mark))
			continue;
		rest = str_skip(rest, mark.len);
		return str_double(&rest, ret) && *ret >= 0 && *ret < 1e6;
	}
	return false;
}

bool gc_line_times(struct str line, double *ret_cpu, double *ret_real)
{
	double user, sys;

	if (!gc_line_number(line, STR("user="), &user) ||
	    !gc_line_number(line, STR("sys="), &sys) ||
	    !gc_line_number(line, STR("real="), ret_real))
		return false;
	*ret_cpu = user + sys;
	return true;
}

/*
 * Take a number of at most 1e9, and the text @unit after it. *ret: the number times @scale. False:
 * another text.
 */
static bool gc_line_take(struct str *s, struct str unit, double scale, double *ret)
{
	if (!str_double(s, ret) || *ret < 0 || *ret > 1e9 || !str_take(s, unit))
		return false;
	*ret *= scale;
	return true;
}

/* Source: V8, src/heap/gc-tracer.cc, GCTracer::Print(). */
bool gc_line_marking(struct str line, struct gc_marking *ret)
{
	struct str s = str_skip(line, str_find(line, STR("(+ ")));

	if (!str_take(&s, STR("(+ ")))
		return false;
	/* the sum has one decimal, so its rounding error is half of 0.1 ms */
	ret->half_ns = 0.05e6;
	return gc_line_take(&s, STR(" ms in "), 1e6, &ret->ns) &&
	       gc_line_take(&s, STR(" steps since start of marking, biggest step "), 1,
			    &ret->steps) &&
	       gc_line_take(&s, STR(" ms, walltime since start of marking "), 1e6,
			    &ret->longest_ns) &&
	       gc_line_take(&s, STR(" ms)"), 1e6, &ret->elapsed_ns);
}
