/* SPDX-License-Identifier: MIT */
/*
 * ftrace.c - ftrace text without a function graph
 *
 * Such text comes from the function tracer or from a latency tracer (irqsoff, preemptoff, wakeup
 * …), or has only events. It is printed by tracefs (trace, trace_pipe), perf ftrace and trace-cmd
 * report.
 *
 * function_graph.c reads text with a function graph.
 */
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "document/document.h"
#include "document/omission.h"
#include "formats/format.h"
#include "formats/ftrace/ftrace_line.h"
#include "formats/ftrace/ftrace_pairs.h"
#include "formats/ftrace/ftrace_wrap.h"
#include "formats/ftrace/function_graph_build.h"
#include "formats/ftrace/function_graph_line.h"
#include "formats/ftrace/trace_instances.h"

DECLARE_FORMAT(ftrace);

#define FT_RELEASE_BYTES (4u << 20)
#define FT_GAP_LINES     2
#define FT_PROBE_LINES   200
#define FT_CACHE         4096u /* slots of the cache of callers' names, a power of two */

static const struct diag_kind ft_junk = { "ftrace-not-understood", DIAG_DATALOSS,
					  "lines that are no part of an ftrace text" };
static const struct diag_kind ft_omitted = { "ftrace-omitted", DIAG_DATALOSS,
					     "places where the author left out lines (\"[...]\")" };
static const struct diag_kind ft_stack = { "ftrace-stack", DIAG_INFO,
					   "lines of stack traces, not kept" };

struct ft_scan {
	size_t from;
	size_t to;
	size_t n_rows;
	unsigned int gap;
	bool has_start;
	bool has_header;
	bool was_blank;
	/* a line belongs to a function graph, so function_graph.c must read the text */
	bool is_graph;
	struct ft_fronts *fronts;
};

/*
 * Whether the line belongs to a function graph. @l: result of ft_line_parse() for the line. Its
 * kind is FT_NONE for a graph line of tracefs, and FT_EVENT for one of trace-cmd.
 */
static bool ft_is_graph(struct str line, const struct ft_line *l)
{
	struct fg_line g;

	if (l->kind == FT_EVENT)
		return str_starts(l->text, STR("funcgraph_e")) ||
		       str_starts(l->text, STR("fgraph_retaddr_entry"));
	if (l->kind != FT_NONE || str_find_char(line, '|') >= line.len)
		return false;
	fg_line_parse(line, &g);
	return g.columns & FG_DURATION &&
	       (g.kind == FG_OPEN || g.kind == FG_LEAF || g.kind == FG_CLOSE || g.kind == FG_EVENT);
}

static bool ft_is_row(const struct ft_line *l)
{
	return l->kind == FT_FUNCTION || l->kind == FT_EVENT;
}

static bool ft_scan_is_good(const struct ft_scan *s)
{
	return s->has_start && !s->is_graph && (s->n_rows || s->has_header);
}

/*
 * Whether the line is the header that old kernels (before 2.6.3x) print: "irqsoff latency trace
 * v1.1.5 on …", with or without '#'.
 */
static bool ft_is_old_header(struct str line)
{
	size_t at = str_find(str_sub(line, 0, 80), STR(" latency trace v"));
	struct str tracer = str_trim(str_sub(line, 0, at));

	if (at >= line.len || at >= 80)
		return false;
	(void)str_take(&tracer, STR("#"));
	return ft_is_latency_tracer(str_ltrim(tracer));
}

static void ft_scan_reset(struct ft_scan *s)
{
	*s = (struct ft_scan){ .fronts = s->fronts };
}

static void ft_scan_start(struct ft_scan *s, size_t at, bool is_header)
{
	ft_scan_reset(s);
	s->from = s->to = at;
	s->has_start = true;
	s->has_header = is_header;
}

/*
 * Whether @line is the title of the next trace: "With the patch:", "on CPU 1 before the change:
 * (slow)".
 */
static bool ft_is_label(struct str line)
{
	line = str_trim(line);
	return str_ends(line, STR(":")) ||
	       (str_find_char(line, ':') < line.len &&
		side_of_words(str_sub(line, 0, str_find_char(line, ':'))) != SIDE_UNKNOWN);
}

/*
 * Scan the line at offsets [at, end) of the text, and update @s, which describes the current trace.
 * True: the current trace ended before this line.
 */
static bool ft_scan_line(struct ft_scan *s, struct str line, size_t at, size_t end)
{
	struct ft_line l;

	ft_line_parse_next(s->fronts, line, true, &l);
	if (l.kind == FT_BLANK) {
		s->was_blank = true;
		return false;
	}
	if (l.kind == FT_TRACER || (!s->has_start && ft_is_old_header(line))) {
		bool ours = l.kind != FT_TRACER || ft_is_tracer(l.text);

		if (ft_scan_is_good(s))
			return true;
		ft_scan_reset(s);
		if (ours) {
			ft_scan_start(s, at, true);
			s->to = end;
		}
		return false;
	}
	if (!s->has_start) {
		if (!ft_is_row(&l) && l.kind != FT_LOST)
			return false;
		ft_scan_start(s, at, false);
	}
	s->is_graph |= ft_is_graph(line, &l);
	if (l.kind == FT_NONE && !s->is_graph) {
		/*
		 * header lines of an old kernel have no '#', so accept all lines before the first
		 * row
		 */
		if (s->has_header && !s->n_rows && end - s->from < 4096)
			return false;
		s->gap += ft_is_label(line) ? FT_GAP_LINES + 1 : s->was_blank ? 2 : 1;
		s->was_blank = false;
		if (s->gap <= FT_GAP_LINES)
			return false;
		if (ft_scan_is_good(s))
			return true;
		ft_scan_reset(s);
		return false;
	}
	s->was_blank = false;
	s->n_rows += ft_is_row(&l);
	if (l.kind != FT_COMMENT || (s->has_header && !s->n_rows)) {
		s->to = end;
		s->gap = 0;
	}
	return false;
}

static bool ft_find(struct str text, size_t from, struct extent *ret)
{
	struct ft_scan s = { .fronts = xcalloc(1, sizeof(*s.fronts)) };
	struct str rest = str_skip(text, from);
	struct ft_wrap wrap;
	struct str line;

	for (size_t at = from; ft_wrap_line(&wrap, s.fronts, &rest, &line);
	     at = text.len - rest.len) {
		if (ft_scan_line(&s, str_sub(line, 0, LIMIT_LINE_BYTES), at, text.len - rest.len))
			break;
	}
	free(s.fronts);
	if (!ft_scan_is_good(&s) || s.to <= s.from)
		return false;
	*ret = (struct extent){ .from = s.from, .to = s.to, .score = 90 };
	if (s.has_header && s.n_rows)
		ret->score = 94;
	return true;
}

static unsigned int ft_probe(struct str head)
{
	struct str line;
	size_t n = 0;
	size_t good = 0;
	size_t rows = 0;

	while (n < FT_PROBE_LINES && str_line(&head, &line)) {
		struct ft_line l;

		if (head.len == 0 && n > 2)
			break; /* the last line may be truncated */
		ft_line_parse(line, &l);
		if (l.kind == FT_BLANK)
			continue;
		if (ft_is_graph(line, &l) || (l.kind == FT_TRACER && !ft_is_tracer(l.text)))
			return 0;
		n++;
		rows += ft_is_row(&l);
		good += l.kind != FT_NONE;
	}
	if (rows < 3)
		return rows ? 30 : 0;
	return good * 10 >= n * 9 ? 93 : 50;
}

struct ft_reader {
	struct fg g;
	const struct region *in;
	size_t first_capture;
	bool is_begun;
	uint64_t n_rows;
	uint64_t n_junk;
	uint64_t n_omitted;
	uint32_t omitted_line;
	uint64_t n_stack;
	uint32_t junk_line;
	struct fg_name *callers; /* cache of callers' names; here fg_name.sym is a str_id */
	struct ft_fronts fronts;
};

static void ft_end(struct ft_reader *r)
{
	struct capture *c = r->g.capture;

	if (!r->is_begun)
		return;
	r->is_begun = false;
	fg_end(&r->g, r->g.line ? r->g.line - 1 : 0);
	ftrace_pairs(c);
	if (r->n_junk)
		diag_add(&c->diag, &ft_junk, r->n_junk, r->junk_line);
	if (r->n_omitted)
		diag_add(&c->diag, &ft_omitted, r->n_omitted, r->omitted_line);
	if (r->n_stack)
		diag_add(&c->diag, &ft_stack, r->n_stack, 0);
}

static void ft_begin(struct ft_reader *r)
{
	if (r->is_begun)
		return;
	fg_begin(&r->g, r->g.line);
	r->g.capture->format = "ftrace";
	r->n_rows = r->n_junk = r->n_omitted = r->n_stack = 0;
	r->is_begun = true;
}

/*
 * Set the running task of the CPU of @l. Returns the CPU; NULL: the line has no valid CPU or task.
 */
static struct fg_cpu *ft_place(struct ft_reader *r, const struct ft_line *l)
{
	struct fg_cpu *cpu = fg_cpu_of(&r->g, l->cpu);
	struct str comm;
	uint32_t pid;

	if (!cpu)
		return NULL;
	if (LIKELY(cpu->task && cpu->field_len && cpu->field_len == l->task.len &&
		   memcmp(cpu->field, l->task.p, l->task.len) == 0))
		return cpu;
	if (!fg_task_split(l->task, &comm, &pid))
		return NULL;
	fg_run(&r->g, cpu, strings_add(&r->g.dossier->strings, comm), pid);
	cpu->field_len = 0;
	if (l->task.len <= FG_FIELD_BYTES) {
		memcpy(cpu->field, l->task.p, l->task.len);
		cpu->field_len = (uint32_t)l->task.len;
	}
	return cpu;
}

static struct fg_name *ft_slot(struct fg_name *table, struct str s)
{
	return &table[hash_str(s) & (FG_NAME_SLOTS - 1)];
}

/* The symbol of @name; uses the cache. */
static sym_id ft_symbol(struct ft_reader *r, struct str name)
{
	struct fg_name *n = ft_slot(r->g.names, name);
	sym_id sym;

	if (LIKELY(n->len == name.len && memcmp(n->text, name.p, name.len) == 0))
		return n->sym;
	sym = fg_symbol(&r->g, name);
	if (name.len <= FG_NAME_BYTES) {
		memcpy(n->text, name.p, name.len);
		n->len = (uint32_t)name.len;
		n->sym = sym;
	}
	return sym;
}

static str_id ft_caller(struct ft_reader *r, struct str name)
{
	struct fg_name *n = ft_slot(r->callers, name);
	str_id id;

	if (LIKELY(n->len == name.len && memcmp(n->text, name.p, name.len) == 0))
		return (str_id){ n->sym.v };
	id = strings_add(&r->g.dossier->strings, name);
	if (name.len <= FG_NAME_BYTES) {
		memcpy(n->text, name.p, name.len);
		n->len = (uint32_t)name.len;
		n->sym.v = id.v;
	}
	return id;
}

/*
 * Add a call of the function tracer, which prints the start and the caller of a call, but no
 * duration.
 */
static void ft_take_function(struct ft_reader *r, const struct ft_line *l)
{
	struct fg_cpu *cpu = ft_place(r, l);
	struct calls *c = r->g.calls;
	uint32_t call;

	if (!cpu)
		return;
	call = fg_add(&r->g, cpu, ft_symbol(r, l->name), 0,
		      CALL_CLOSED | CALL_LEAF | (l->is_by_irq ? CALL_BY_IRQ : 0));
	if (call == FG_NO_CALL)
		return;
	calls_set_start(c, call, l->time_ns);
	if (l->caller.len)
		calls_set_retaddr(c, call, ft_caller(r, l->caller));
	if (l->args.len)
		calls_set_args(c, call, strings_add(&r->g.dossier->strings, l->args));
}

static void ft_take_lost(struct ft_reader *r, const struct ft_line *l)
{
	const struct fg_line line = {
		.kind = FG_LOST,
		.columns = FG_CPU,
		.cpu = l->cpu,
		.count = l->count,
		.has_count = l->has_count,
	};

	fg_apply(&r->g, &line);
}

static void ft_read_line(struct ft_reader *r, struct str line)
{
	struct ft_line l;
	struct call_mark *mark = NULL;
	const struct fg_cpu *cpu;

	ft_line_parse_next(&r->fronts, str_sub(line, 0, LIMIT_LINE_BYTES), false, &l);
	if (l.kind == FT_TRACER && r->is_begun && r->n_rows)
		ft_end(r);
	ft_begin(r);
	switch (l.kind) {
	case FT_TRACER:
		r->g.calls->tracer = strings_add(&r->g.dossier->strings, l.text);
		break;
	case FT_COMMENT:
		ft_header(r->g.capture, l.text, fg_here(&r->g));
		break;
	case FT_FUNCTION:
		r->n_rows++;
		ft_take_function(r, &l);
		break;
	case FT_EVENT:
		r->n_rows++;
		cpu = ft_place(r, &l);
		if (cpu)
			mark = fg_event(&r->g, cpu, l.text, l.time_ns);
		if (cpu && mark)
			mark->is_by_irq = l.is_by_irq;
		break;
	case FT_LOST:
		ft_take_lost(r, &l);
		break;
	case FT_NOTE:
		/*
		 * " => started at: …" in the header of an old kernel, or a frame of a stack trace
		 */
		if (r->n_rows)
			r->n_stack++;
		else
			ft_header(r->g.capture, line, fg_here(&r->g));
		break;
	case FT_NONE:
		if (!r->n_rows) {
			ft_header(r->g.capture, line, fg_here(&r->g));
			break;
		}
		if (omission_is_mark(line)) {
			if (r->n_omitted++ == 0)
				r->omitted_line = fg_here(&r->g);
			break;
		}
		if (r->n_junk++ == 0)
			r->junk_line = fg_here(&r->g);
		break;
	default:
		break;
	}
	r->g.line++;
}

/* Read the lines of the trace instance (trace buffer) @name. NULL: read all lines. */
static void ft_read_instance(struct ft_reader *r, const struct str *name)
{
	struct str rest = r->in->text;
	const char *released = rest.p;
	struct ft_wrap wrap;
	struct str line;

	while (ft_wrap_line(&wrap, &r->fronts, &rest, &line)) {
		if (name && !str_eq(trace_instance_of(line), *name)) {
			r->g.line += wrap.lines;
			continue;
		}
		ft_read_line(r, line);
		r->g.line += wrap.lines - 1;
		if (rest.p - released >= (ptrdiff_t)FT_RELEASE_BYTES) {
			document_release(r->in->doc, rest.p);
			released = rest.p;
		}
	}
	if (name && r->is_begun)
		capture_note(r->g.capture, STR("instance"),
			     name->len ? *name : STR("(main buffer)"), 0);
	ft_end(r);
	r->g.line = 0;
}

static int ft_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct ft_reader r = { .in = in, .first_capture = d->captures.len };
	struct trace_instances instances;

	fg_init(&r.g, in, d);
	r.callers = xcalloc(FG_NAME_SLOTS, sizeof(*r.callers));
	trace_instances_find(in->text, &instances);
	if (instances.rows.len < 2)
		ft_read_instance(&r, NULL);
	for (size_t i = 0; instances.rows.len > 1 && i < instances.rows.len; i++) {
		ft_read_instance(&r, &instances.rows.data[i].name);
		/* the running tasks are unknown at the start of the next instance, so reset them */
		fg_fini(&r.g);
		fg_init(&r.g, in, d);
	}
	VEC_FREE(&instances.rows);
	free(r.callers);
	fg_fini(&r.g);
	return d->captures.len > r.first_capture ? OK : fail(err, ERR_FORMAT, "no line of a trace");
}

static const char *const ft_extensions[] = { ".trace", ".ftrace", NULL };

const struct format format_ftrace = {
	.name = "ftrace",
	.summary = "ftrace text: function tracer, latency tracers, trace events",
	.kinds = KIND_CALLS,
	.extensions = ft_extensions,
	.probe = ft_probe,
	.find = ft_find,
	.read = ft_read,
};
