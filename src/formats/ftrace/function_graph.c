/* SPDX-License-Identifier: MIT */
/*
 * function_graph.c - text of ftrace's function_graph tracer
 *
 * This text is printed by tracefs (trace, trace_pipe), perf ftrace, perf-tools funcgraph and
 * trace-cmd report. Definition: kernel/trace/trace_functions_graph.c and
 * docs/formats/function-graph.md.
 *
 * function_graph_line.c parses a line of any dialect. function_graph_build.c converts lines to
 * calls. function_graph_fast.c does both for the plain lines that make up large traces.
 */
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/ftrace/ftrace_line.h"
#include "formats/ftrace/function_graph_build.h"
#include "formats/ftrace/function_graph_fast.h"
#include "formats/ftrace/function_graph_line.h"
#include "formats/ftrace/trace_instances.h"

DECLARE_FORMAT(function_graph);

#define FG_RELEASE_BYTES (4u << 20)
/*
 * maximum number of consecutive lines inside a trace that do not belong to the trace, such as
 * output of the traced command
 */
#define FG_GAP_LINES   2
#define FG_JOIN_LINES  3 /* maximum number of pieces into which a mailer breaks a line */
#define FG_PROBE_LINES 400

/* State of the search for a region: the part of the text with one trace. */
struct fg_scan {
	size_t from; /* offset of the first line of the trace */
	size_t to;   /* end offset of the last line of the trace so far */
	size_t n_calls;
	size_t n_sure;       /* lines that only the function_graph tracer prints: fg_is_sure() */
	size_t n_weak;       /* lines with a call that may also be source code in C */
	size_t n_weak_open;  /* lines with '{' among n_weak */
	size_t n_weak_close; /* lines with '}' among n_weak */
	unsigned int gap;    /* lines without a match since the last line of the trace */
	bool was_blank;
	bool has_start;
	bool has_header; /* the line "# tracer: function_graph" was found */
	bool has_banner; /* the line 'Tracing "f"...' of perf-tools was found */
	bool is_trace_cmd;
};

static bool fg_is_call(enum fg_kind kind)
{
	return kind == FG_OPEN || kind == FG_LEAF || kind == FG_CLOSE;
}

/*
 * Whether only the function_graph tracer prints lines such as @l. False: @l may also be other text,
 * for example C source.
 */
static bool fg_is_sure(const struct fg_line *l)
{
	if (l->kind == FG_PARTIAL && l->columns & FG_TRACE_CMD)
		return true;
	if (!(l->columns & FG_DURATION))
		return false;
	if (l->kind == FG_EVENT || l->kind == FG_PARTIAL)
		return l->columns & FG_CPU;
	return fg_is_call(l->kind) && (l->kind != FG_CLOSE || l->has_duration ||
				       l->columns & (FG_CPU | FG_TASK | FG_TIME));
}

/* Quick test: false if @line cannot be part of a function graph. */
static bool fg_may_be(struct str line)
{
	return str_find_char(line, '|') < line.len || str_find_char(line, ')') < line.len ||
	       str_starts(line, STR("# tracer:")) ||
	       str_starts(str_ltrim(line), STR("Tracing \"")) ||
	       str_find_char(str_sub(line, 0, 96), '[') < line.len || str_starts(line, STR("CPU:"));
}

/*
 * Whether @tracer prints a function graph. Latency tracers print one with the option display-graph.
 */
static bool fg_tracer_is_graph(struct str tracer)
{
	return str_starts(tracer, STR("function_graph")) || ft_is_latency_tracer(tracer);
}

static void fg_scan_start(struct fg_scan *s, size_t at)
{
	memset(s, 0, sizeof(*s));
	s->has_start = true;
	s->from = at;
	s->to = at;
}

static bool fg_scan_is_good(const struct fg_scan *s)
{
	if (!s->has_start || !s->n_calls)
		return false;
	if (s->n_sure || s->has_header || s->has_banner)
		return true;
	return s->n_weak >= 4 && s->n_weak_open && s->n_weak_close;
}

/* Add the line @l to the trace that @s describes. */
static void fg_scan_take(struct fg_scan *s, const struct fg_line *l, size_t end)
{
	s->n_sure += fg_is_sure(l);
	s->n_calls += fg_is_call(l->kind) || (l->kind == FG_PARTIAL && fg_is_sure(l));
	if (fg_is_call(l->kind) && !fg_is_sure(l)) {
		s->n_weak++;
		s->n_weak_open += l->kind == FG_OPEN;
		s->n_weak_close += l->kind == FG_CLOSE;
	}
	s->is_trace_cmd |= (l->columns & FG_TRACE_CMD) != 0;
	if (l->kind == FG_COMMENT)
		/*
		 * the comment may be a shell prompt after the trace, so the trace does not yet
		 * extend to it
		 */
		return;
	s->to = end;
	s->gap = 0;
}

/* Whether @l belongs to the trace that @s describes. */
static bool fg_scan_accepts(const struct fg_scan *s, const struct fg_line *l)
{
	if (fg_is_sure(l))
		return true;
	switch (l->kind) {
	case FG_OPEN:
	case FG_LEAF:
	case FG_CLOSE:
		return l->columns != 0 || s->has_header;
	case FG_EVENT:
		return l->columns & FG_TRACE_CMD ? s->is_trace_cmd
						 : l->columns != 0 || s->has_header;
	case FG_PARTIAL:
	case FG_IRQ_ENTER:
	case FG_IRQ_EXIT:
	case FG_SWITCH:
	case FG_LOST:
	case FG_NOTE:
	case FG_RULER:
	case FG_COMMENT:
	case FG_WORDS:
	case FG_ELIDED:
		return true;
	default:
		return false;
	}
}

/* Whether a trace can begin with @l. */
static bool fg_scan_begins(const struct fg_line *l)
{
	if (l->kind == FG_TRACER)
		return fg_tracer_is_graph(l->text);
	if (l->kind == FG_TRACING || l->kind == FG_LOST || fg_is_sure(l))
		return true;
	if (l->kind == FG_EVENT && l->columns & FG_TRACE_CMD && l->columns & FG_TASK)
		return true;
	return l->columns & FG_CPU && (fg_is_call(l->kind) || l->kind == FG_IRQ_ENTER);
}

/*
 * Scan the line at offsets [at, end) of the text. True: the trace that @s describes ended before
 * this line.
 */
static bool fg_scan_line(struct fg_scan *s, struct str line, size_t at, size_t end)
{
	struct fg_line l;

	if (!s->has_start && !fg_may_be(line))
		return false;
	fg_line_parse(line, &l);
	if (l.kind == FG_BLANK) {
		s->was_blank = true;
		return false;
	}
	if (l.kind == FG_TRACER || l.kind == FG_TRACING) {
		bool good = fg_scan_is_good(s);

		/* the header "# tracer:" after "Tracing …" belongs to the same trace */
		if (s->has_start && !good && s->has_banner && l.kind == FG_TRACER &&
		    fg_tracer_is_graph(l.text)) {
			s->has_header = true;
			s->to = end;
			return false;
		}
		if (good)
			return true;
		memset(s, 0, sizeof(*s));
		if (fg_scan_begins(&l)) {
			fg_scan_start(s, at);
			s->has_header = l.kind == FG_TRACER;
			s->has_banner = l.kind == FG_TRACING;
			s->to = end;
		}
		return false;
	}
	if (!s->has_start) {
		if (!fg_scan_begins(&l))
			return false;
		fg_scan_start(s, at);
	}
	if (fg_scan_accepts(s, &l)) {
		fg_scan_take(s, &l, end);
		s->was_blank = false;
		return false;
	}
	/*
	 * a line after a blank line is probably not part of the trace; a line such as "After:" is
	 * the title of the next trace
	 */
	s->gap += str_ends(str_rtrim(line), STR(":")) ? FG_GAP_LINES + 1 : s->was_blank ? 2 : 1;
	s->was_blank = false;
	if (s->gap <= FG_GAP_LINES)
		return false;
	if (fg_scan_is_good(s))
		return true;
	memset(s, 0, sizeof(*s));
	return false;
}

static bool fg_find(struct str text, size_t from, struct extent *ret)
{
	struct fg_scan s = { .has_start = false };
	struct str rest = str_skip(text, from);
	struct str line;

	while (str_line(&rest, &line)) {
		size_t at = (size_t)(line.p - text.p);

		if (fg_scan_line(&s, str_sub(line, 0, LIMIT_LINE_BYTES), at,
				 (size_t)(rest.p - text.p)))
			break;
	}
	if (!fg_scan_is_good(&s))
		return false;
	*ret = (struct extent){ .from = s.from, .to = s.to, .score = 70 };
	if (s.n_sure)
		ret->score = 85;
	if (s.has_header || s.n_sure >= 3)
		ret->score = 95;
	return true;
}

static unsigned int fg_probe(struct str head)
{
	struct str line;
	size_t n = 0;
	size_t good = 0;
	size_t calls = 0;
	bool has_header = false;

	while (n < FG_PROBE_LINES && str_line(&head, &line)) {
		struct fg_line l;

		if (head.len == 0 && n > 2)
			break; /* the last line may be truncated */
		fg_line_parse(line, &l);
		if (l.kind == FG_BLANK)
			continue;
		n++;
		has_header |= l.kind == FG_TRACER && fg_tracer_is_graph(l.text);
		calls += fg_is_sure(&l) || (has_header && fg_is_call(l.kind));
		good += l.kind != FG_NONE;
	}
	if (!calls)
		return has_header ? 60 : 0;
	if (good * 10 >= n * 9 && (has_header || calls >= 3))
		return 95;
	return calls >= 3 ? 60 : 30;
}

/*
 * Join @line, which a mailer has broken, with the next lines (@rest) until they form a call or
 * event. Returns the number of lines taken from @rest; 0: no call or event was found.
 */
static unsigned int fg_join(struct fg *g, struct str line, struct str rest, struct fg_line *ret,
			    struct out *buffer)
{
	buffer->len = 0;
	out_str(buffer, str_rtrim(line));
	for (unsigned int i = 1; i < FG_JOIN_LINES; i++) {
		struct str next;

		if (!str_line(&rest, &next) || next.len > 4096 || str_trim(next).len == 0)
			return 0;
		out_char(buffer, ' ');
		out_str(buffer, str_trim(next));
		fg_line_parse(out_view(buffer), ret);
		if ((fg_is_call(ret->kind) || ret->kind == FG_EVENT) &&
		    ret->columns & FG_DURATION && !ret->has_open_tail && !ret->has_rest) {
			fg_count(g, FG_COUNT_JOINED);
			return i;
		}
	}
	return 0;
}

struct fg_reader {
	struct fg g;
	struct str rest; /* text that has not been read yet */
	struct out joined;
	size_t n_captures;
	uint32_t begun_at; /* first line of the capture in g.in, from 0 */
	bool is_begun;
};

static void fg_reader_begin(struct fg_reader *r)
{
	if (!r->is_begun) {
		r->begun_at = r->g.line;
		fg_begin(&r->g, r->g.line);
		r->is_begun = true;
	}
}

/*
 * End the capture before line @end of r->g.in (counted from 0). A capture without calls is dropped.
 */
static void fg_reader_end(struct fg_reader *r, uint32_t end)
{
	if (!r->is_begun)
		return;
	r->is_begun = false;
	fg_end(&r->g, end ? end - 1 : 0);
	if (r->g.calls->n)
		r->n_captures++;
	else
		dossier_drop_last(r->g.dossier);
}

/*
 * Process the line "# tracer:" or "Tracing …". The line begins a new capture, unless the current
 * capture has no call yet.
 */
static void fg_reader_header(struct fg_reader *r, const struct fg_line *l)
{
	struct fg *g = &r->g;

	if (r->is_begun && g->calls->n)
		fg_reader_end(r, g->line);
	fg_reader_begin(r);
	if (l->kind == FG_TRACER)
		g->calls->tracer = strings_add(&g->dossier->strings, l->text);
	else
		capture_note(g->capture, STR("traced"), l->text, fg_here(g));
}

/*
 * For a line of trace-cmd, store the text before the '[' of the CPU, which names the task. If the
 * CPU's next line starts with the same text, its task is the same, and the fast path can read it.
 */
static void fg_remember_field(struct fg *g, struct str line, const struct fg_line *l)
{
	size_t n = str_find_char(str_sub(line, 0, FG_FIELD_BYTES + 1), '[');
	struct fg_cpu *cpu = l->cpu + 1 < g->n_cpus ? &g->cpus[l->cpu + 1] : NULL;

	if (!cpu || !cpu->task || n > FG_FIELD_BYTES || n < 16 || n >= line.len)
		return;
	memcpy(cpu->field, line.p, n);
	cpu->field_len = (uint32_t)n;
}

/* Read the next line of r->rest with fg_line_parse(), not with the fast path. */
static void fg_reader_line(struct fg_reader *r)
{
	struct fg *g = &r->g;
	struct fg_line l;
	struct str line;

	if (!str_line(&r->rest, &line))
		return;
	if (UNLIKELY(line.len > LIMIT_LINE_BYTES)) {
		fg_reader_begin(r);
		fg_count(g, FG_COUNT_LONG_LINE);
		line.len = LIMIT_LINE_BYTES;
	}
	fg_line_parse(line, &l);
	if (l.kind == FG_TRACER || l.kind == FG_TRACING) {
		fg_reader_header(r, &l);
		g->line++;
		return;
	}
	fg_reader_begin(r);
	if (l.kind == FG_PARTIAL || l.has_open_tail) {
		struct fg_line whole;
		unsigned int used = fg_join(g, line, r->rest, &whole, &r->joined);

		if (used)
			l = whole;
		if (used || l.has_open_tail)
			fg_apply(g, &l);
		else
			fg_count(g, FG_COUNT_CUT);
		for (; used; used--, g->line++)
			(void)str_line(&r->rest, &line);
	} else if (l.kind == FG_COMMENT) {
		ft_header(g->capture, line, fg_here(g));
	} else if (l.kind == FG_NONE) {
		fg_count(g, FG_COUNT_JUNK);
	} else {
		fg_apply(g, &l);
	}
	if (fg_is_call(l.kind) && !(l.columns & FG_REL_TIME))
		g->columns = l.columns;
	if (l.columns & FG_TRACE_CMD && l.columns & FG_TASK)
		fg_remember_field(g, line, &l);
	g->line++;
}

/* Read all lines of @in. Returns the number of captures. */
static size_t fg_read_all(const struct region *in, struct dossier *d)
{
	struct fg_reader r = { .rest = in->text };
	const char *released = in->text.p;
	const char *end = in->text.p + in->text.len;

	fg_init(&r.g, in, d);
	out_init(&r.joined);
	while (r.rest.len) {
		fg_reader_line(&r);
		while (r.is_begun && !r.g.is_full && r.rest.len) {
			const char *stop =
				r.rest.len > FG_RELEASE_BYTES ? r.rest.p + FG_RELEASE_BYTES : end;
			const char *p = fg_fast_lines(&r.g, r.rest.p, stop);
			bool is_through = end - p > FG_FAST_MARGIN && stop - p <= FG_FAST_MARGIN;

			r.rest = (struct str){ p, (size_t)(end - p) };
			if (p - released >= (ptrdiff_t)FG_RELEASE_BYTES) {
				document_release(in->doc, p);
				released = p;
			}
			if (!is_through)
				break;
		}
	}
	fg_reader_end(&r, r.g.line);
	fg_fini(&r.g);
	out_fini(&r.joined);
	return r.n_captures;
}

/*
 * Read the lines of the trace instance (trace buffer) @name. Also read the lines of all instances
 * without a function graph, because their events concern all instances. Returns the number of
 * captures.
 */
static size_t fg_read_instance(const struct region *in, struct dossier *d,
			       const struct trace_instances *all, struct str name)
{
	struct fg_reader r = { .rest = in->text };
	struct str rest = in->text;
	struct str line;

	fg_init(&r.g, in, d);
	out_init(&r.joined);
	while (str_line(&rest, &line)) {
		struct str of = trace_instance_of(line);
		bool is_ours = str_eq(of, name);

		for (size_t i = 0; i < all->rows.len && !is_ours; i++)
			is_ours =
				!all->rows.data[i].has_graph && str_eq(all->rows.data[i].name, of);
		if (!is_ours) {
			r.g.line++;
			continue;
		}
		/*
		 * pass only this line to the reader: the next line may belong to another instance
		 */
		r.rest = (struct str){ line.p, (size_t)(rest.p - line.p) };
		fg_reader_line(&r);
	}
	if (r.is_begun)
		capture_note(r.g.capture, STR("instance"), name.len ? name : STR("(main buffer)"),
			     0);
	fg_reader_end(&r, r.g.line);
	fg_fini(&r.g);
	out_fini(&r.joined);
	return r.n_captures;
}

static int fg_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct trace_instances instances;
	size_t n = 0;

	trace_instances_find(in->text, &instances);
	if (instances.n_graphs < 2)
		n = fg_read_all(in, d);
	for (size_t i = 0; instances.n_graphs > 1 && i < instances.rows.len; i++) {
		if (instances.rows.data[i].has_graph)
			n += fg_read_instance(in, d, &instances, instances.rows.data[i].name);
	}
	VEC_FREE(&instances.rows);
	return n ? OK : fail(err, ERR_FORMAT, "no traced call found");
}

static const char *const fg_extensions[] = { ".trace", ".ftrace", NULL };

const struct format format_function_graph = {
	.name = "function-graph",
	.summary = "ftrace function graph: tracefs, perf ftrace, funcgraph, trace-cmd report",
	.kinds = KIND_CALLS,
	.extensions = fg_extensions,
	.probe = fg_probe,
	.find = fg_find,
	.read = fg_read,
};
