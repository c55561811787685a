/* SPDX-License-Identifier: MIT */
#include "cmds/show/show_model.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

static struct cell model_weight(const struct profile *p, uint64_t weight)
{
	return cell_fixed((int64_t)weight, p->decimals);
}

static void model_profile_head(struct show *s, const struct profile *p)
{
	double half = profile_half_width(p);

	view_field(s->v, "decimals", NULL, cell_count(p->decimals));
	view_field(s->v, "sample_decimals", NULL, cell_count(profile_sample_decimals(p)));
	view_field(s->v, "half_width", NULL, cell_real(half, -1));
	if (p->table.rows.len) {
		view_field(s->v, "limit_pct", NULL,
			   p->table.limit_pct < 0 ? cell_none()
						  : cell_real(p->table.limit_pct, -1));
		view_field(s->v, "relative_assumed", NULL, cell_bool(p->table.is_relative_assumed));
	}
}

static struct cell model_has(const struct profile_row *row, unsigned int bit, struct cell c)
{
	return row->has & bit ? c : cell_none();
}

static void model_rows(struct show *s, const struct profile *p)
{
	static const struct view_column columns[] = {
		{ "self", NULL, 0 },       { "children", NULL, 0 },  { "samples", NULL, 0 },
		{ "period", NULL, 0 },     { "comm", NULL, 0 },      { "pid", NULL, 0 },
		{ "cpu", NULL, 0 },        { "dso", NULL, 0 },       { "symbol", NULL, 0 },
		{ "space", NULL, 0 },      { "truncated", NULL, 0 }, { "line", NULL, 0 },
		{ "first_node", NULL, 0 },
	};
	static const struct view_table table = {
		.key = "rows", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};
	const struct symbols *symbols = &s->session->dossier->symbols;

	view_table(s->v, &table);
	VEC_FOREACH (row, &p->table.rows) {
		const struct symbol *sym = symbols_get(symbols, row->sym);
		bool has_sym = row->has & ROW_HAS_SYMBOL;
		struct cell cells[] = {
			model_has(row, ROW_HAS_SELF, model_weight(p, row->self)),
			model_has(row, ROW_HAS_CHILDREN, model_weight(p, row->children)),
			model_has(row, ROW_HAS_SAMPLES, cell_count(row->samples)),
			model_has(row, ROW_HAS_PERIOD, cell_count(row->period)),
			show_name(s, row->comm),
			model_has(row, ROW_HAS_PID, cell_count(row->pid)),
			model_has(row, ROW_HAS_CPU, cell_count(row->cpu)),
			show_name(s, row->dso),
			has_sym ? show_name(s, sym->name) : cell_none(),
			has_sym ? cell_word(symbol_space_name(sym->space)) : cell_none(),
			row->is_truncated ? cell_bool(true) : cell_none(),
			cell_line(row->line),
			row->tree != INDEX_NONE ? cell_count(row->tree) : cell_none(),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void model_nodes(struct show *s, const struct profile *p)
{
	static const struct view_column columns[] = {
		{ "parent", NULL, 0 }, { "symbol", NULL, 0 },  { "dso", NULL, 0 },
		{ "weight", NULL, 0 }, { "printed", NULL, 0 }, { "other", NULL, 0 },
		{ "end", NULL, 0 },    { "line", NULL, 0 },
	};
	static const struct view_table table = { .key = "nodes",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	const struct symbols *symbols = &s->session->dossier->symbols;

	view_table(s->v, &table);
	VEC_FOREACH (node, &p->table.nodes) {
		const struct symbol *sym = symbols_get(symbols, node->sym);
		struct cell cells[] = {
			node->parent != INDEX_NONE ? cell_count(node->parent) : cell_null(),
			show_name(s, sym->name),
			show_name(s, sym->module),
			model_weight(p, node->weight),
			cell_bool(node->is_printed),
			node->is_other ? cell_bool(true) : cell_none(),
			cell_count(node->end),
			cell_line(node->line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void model_stacks(struct show *s, const struct profile *p)
{
	static const struct view_column columns[] = {
		{ "parent", NULL, 0 },
		{ "symbol", NULL, 0 },
		{ "dso", NULL, 0 },
		{ "space", NULL, 0 },
	};
	static const struct view_table table = { .key = "stacks",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	const struct symbols *symbols = &s->session->dossier->symbols;

	view_table(s->v, &table);
	for (uint32_t i = 0; i < stacks_count(&p->stacks); i++) {
		stack_id id = { i };
		const struct symbol *sym = symbols_get(symbols, stacks_sym(&p->stacks, id));
		struct cell cells[] = {
			i ? cell_count(stacks_parent(&p->stacks, id).v) : cell_null(),
			show_name(s, sym->name),
			show_name(s, sym->module),
			i ? cell_word(symbol_space_name(sym->space)) : cell_none(),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

/* Format a stack: "main;f;g", outermost frame first. */
static struct str model_frames(struct show *s, const struct profile *p, stack_id stack)
{
	const struct symbols *symbols = &s->session->dossier->symbols;
	VEC(sym_id) frames = VEC_INIT;
	struct out text = { .fd = -1 };
	struct str kept;

	for (; stack.v; stack = stacks_parent(&p->stacks, stack))
		*VEC_PUSH(&frames) = stacks_sym(&p->stacks, stack);
	for (size_t i = frames.len; i-- > 0;) {
		if (text.len)
			out_char(&text, ';');
		out_str(&text, symbols_name(symbols, frames.data[i]));
	}
	kept = arena_str(&s->scratch, out_view(&text));
	out_fini(&text);
	VEC_FREE(&frames);
	return kept;
}

static void model_samples(struct show *s, const struct profile *p)
{
	bool is_csv = s->session->to.is_csv;
	const struct view_column columns[] = {
		{ "stack", NULL, 0 }, { "weight", NULL, 0 }, { "time_ns", NULL, 0 },
		{ "comm", NULL, 0 },  { "pid", NULL, 0 },    { "tid", NULL, 0 },
		{ "cpu", NULL, 0 },
	};
	const struct view_table table = { .key = "samples",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_main = p->table.rows.len == 0 };
	uint8_t decimals = profile_sample_decimals(p);

	view_table(s->v, &table);
	for (size_t i = 0; i < p->samples.n; i++) {
		const struct profile_thread *t = NULL;
		stack_id stack = p->samples.stack.data[i];
		uint16_t cpu = p->samples.cpu.len ? p->samples.cpu.data[i] : UINT16_MAX;

		if (p->samples.thread.len && p->samples.thread.data[i] < p->threads.len)
			t = &p->threads.data[p->samples.thread.data[i]];
		struct cell cells[] = {
			is_csv ? cell_text(model_frames(s, p, stack)) : cell_count(stack.v),
			cell_fixed((int64_t)p->samples.weight.data[i], decimals),
			p->samples.time_ns.len ? cell_ns(p->samples.time_ns.data[i]) : cell_none(),
			t ? show_name(s, t->comm) : cell_none(),
			t && t->has_pid ? cell_count(t->pid) : cell_none(),
			t && t->has_tid ? cell_count(t->tid) : cell_none(),
			cpu != UINT16_MAX ? cell_count(cpu) : cell_none(),
		};

		view_row(s->v, cells);
		arena_clear(&s->scratch);
	}
	view_table_end(s->v);
}

static const char *model_state(uint8_t state)
{
	static const char *const names[] = { "closed", "open", "orphan", "after-loss",
					     "shortened" };

	state &= CALL_STATE_MASK;
	return state < ARRAY_LEN(names) ? names[state] : "unknown";
}

static struct cell model_retval(struct show *s, const struct calls *c, uint32_t call)
{
	if (call >= c->retval.len || c->retval_kind.data[call] == RETVAL_NONE)
		return cell_none();
	if (c->retval_kind.data[call] == RETVAL_HEX)
		return cell_text(show_format(s, "0x%" PRIx64, c->retval.data[call]));
	return cell_fixed((int64_t)c->retval.data[call], 0);
}

static void model_calls(struct show *s, const struct calls *c)
{
	static const struct view_column columns[] = {
		{ "symbol", NULL, 0 }, { "module", NULL, 0 },      { "parent", NULL, 0 },
		{ "depth", NULL, 0 },  { "duration_ns", NULL, 0 }, { "start_ns", NULL, 0 },
		{ "leaf", NULL, 0 },   { "state", NULL, 0 },       { "in_irq", NULL, 0 },
		{ "cpu", NULL, 0 },    { "comm", NULL, 0 },        { "pid", NULL, 0 },
		{ "retval", NULL, 0 }, { "args", NULL, 0 },        { "line", NULL, 0 },
	};
	static const struct view_table table = {
		.key = "calls", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};
	const struct symbols *symbols = &s->session->dossier->symbols;

	view_table(s->v, &table);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct symbol *sym = symbols_get(symbols, c->sym.data[i]);
		const struct call_lane *lane = &c->lanes.data[c->lane.data[i]];
		uint8_t state = c->state.data[i];
		bool has_start = i < c->start_ns.len && c->start_ns.data[i] != UINT64_MAX;
		struct cell cells[] = {
			show_name(s, sym->name),
			show_name(s, sym->module),
			c->parent.data[i] != INDEX_NONE ? cell_count(c->parent.data[i])
							: cell_null(),
			cell_count(c->depth.data[i]),
			state & CALL_NO_DURATION ? cell_null() : cell_ns(calls_duration(c, i)),
			has_start ? cell_ns(c->start_ns.data[i]) : cell_none(),
			cell_bool(state & CALL_LEAF),
			cell_word(model_state(state)),
			state & CALL_IN_IRQ ? cell_bool(true) : cell_none(),
			lane->cpu != UINT16_MAX ? cell_count(lane->cpu) : cell_none(),
			show_name(s, lane->comm),
			lane->has_pid ? cell_count(lane->pid) : cell_none(),
			model_retval(s, c, i),
			i < c->args.len ? show_name(s, c->args.data[i]) : cell_none(),
			cell_line(c->line.data[i]),
		};

		view_row(s->v, cells);
		arena_clear(&s->scratch);
	}
	view_table_end(s->v);
}

static const char *model_mark(uint8_t kind)
{
	static const char *const names[] = { "event",       "irq-enter", "irq-exit",
					     "task-switch", "lost",      "elided",
					     "fault",       "stopped",   "killed" };

	return kind < ARRAY_LEN(names) ? names[kind] : "unknown";
}

static void model_marks(struct show *s, const struct calls *c)
{
	static const struct view_column columns[] = {
		{ "kind", NULL, 0 },  { "before_call", NULL, 0 }, { "time_ns", NULL, 0 },
		{ "count", NULL, 0 }, { "cpu", NULL, 0 },         { "text", NULL, 0 },
		{ "line", NULL, 0 },
	};
	static const struct view_table table = { .key = "marks",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };

	view_table(s->v, &table);
	VEC_FOREACH (m, &c->marks) {
		uint16_t cpu = m->lane < c->lanes.len ? c->lanes.data[m->lane].cpu : UINT16_MAX;
		struct cell cells[] = {
			cell_word(model_mark(m->kind)),
			cell_count(m->before_call),
			m->time_ns ? cell_ns(m->time_ns) : cell_none(),
			m->count ? cell_count(m->count) : cell_none(),
			cpu != UINT16_MAX ? cell_count(cpu) : cell_none(),
			show_name(s, m->text),
			cell_line(m->line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void model_records(struct show *s, const struct records *r)
{
	static const struct view_column columns[] = {
		{ "stream", NULL, 0 },  { "process", NULL, 0 },   { "node", NULL, 0 },
		{ "time_ns", NULL, 0 }, { "sequence", NULL, 0 },  { "module", NULL, 0 },
		{ "level", NULL, 0 },   { "text", NULL, 0 },      { "truncated", NULL, 0 },
		{ "line", NULL, 0 },    { "last_line", NULL, 0 },
	};
	static const struct view_table table = { .key = "records",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns),
						 .is_main = true };

	view_table(s->v, &table);
	VEC_FOREACH (rec, &r->rows) {
		const struct log_stream *st = &r->streams.data[rec->stream];
		struct cell cells[] = {
			cell_count(rec->stream),
			show_name(s, st->process),
			show_name(s, st->node),
			rec->has_time ? cell_ns(rec->time_ns) : cell_none(),
			rec->has_sequence ? cell_count(rec->sequence) : cell_none(),
			show_name(s, rec->module),
			rec->level ? cell_word(log_level_name((enum log_level)rec->level))
				   : cell_none(),
			cell_text(rec->text),
			rec->is_truncated ? cell_bool(true) : cell_none(),
			cell_line(rec->line),
			cell_line(rec->last_line),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

void show_model(struct show *s, uint32_t capture)
{
	const struct capture *c = s->session->dossier->captures.data[capture];

	arena_clear(&s->scratch);
	view_object(s->v, NULL, NULL);
	view_field(s->v, "kind", NULL, cell_word(capture_kind_name(c->kinds)));
	view_field(s->v, "format", NULL, cell_word(c->format));
	show_source(s, c);
	if (c->excerpt_of != INDEX_NONE)
		view_field(s->v, "excerpt_of", NULL, cell_count(c->excerpt_of));
	show_stated(s, c);
	show_skipped(s, &c->diag, NULL);
	if (c->profile) {
		show_profile_head(s, c);
		model_profile_head(s, c->profile);
		if (c->profile->table.rows.len) {
			model_rows(s, c->profile);
			model_nodes(s, c->profile);
		}
		if (!s->session->to.is_csv)
			model_stacks(s, c->profile);
		model_samples(s, c->profile);
	}
	if (c->calls) {
		model_calls(s, c->calls);
		model_marks(s, c->calls);
	}
	if (c->threads)
		show_threads(s, c);
	if (c->records)
		model_records(s, c->records);
	if (c->metrics)
		show_metrics(s, c);
	if (c->counters)
		show_counters(s, c);
	view_object_end(s->v);
}
