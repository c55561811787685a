/* SPDX-License-Identifier: MIT */
#include "formats/counters/counter_threads.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"

#include <inttypes.h>
#include <stdio.h>

/* maximum number of lines from the head of top or its command to the titles */
#define THREADS_HEAD 8u
/* Equal sizes of fewer rows may be chance. */
#define THREADS_ROWS 3u
/* columns with sizes of the process */
#define THREADS_SIZES "VIRT|VSZ|RES|RSS|SHR|%MEM"
#define THREADS_NOTE  160u

enum thread_kind {
	THREADS_NONE, /* rows are processes, or it is unknown what they are */
	THREADS_ANY,  /* rows are threads of several processes */
	THREADS_ONE,  /* rows are threads of one process */
};

/*
 * Is @line a command of top, after a prompt or at the start of the line? *@ret: with -H, as in "top
 * -bHn1", it says that the rows are threads.
 */
static bool threads_is_command(struct str line, unsigned int *ret)
{
	struct str word;

	if (!str_word(&line, &word) ||
	    (str_glob(STR("$|#|*$|*#"), word) && !str_word(&line, &word)) ||
	    !str_eq(word, STR("top")))
		return false;
	*ret = THREAD_SAID_NOTHING;
	while (str_word(&line, &word)) {
		if (str_starts(word, STR("-")) && !str_starts(word, STR("--")) &&
		    str_contains(word, STR("H")))
			*ret = THREAD_SAID_THREADS;
	}
	return true;
}

void thread_blocks_line(struct thread_blocks *b, struct str line)
{
	line = str_trim(line);
	if (str_starts(line, STR("Threads:")))
		b->head = THREAD_SAID_THREADS;
	else if (str_starts(line, STR("Tasks:")))
		b->head = THREAD_SAID_TASKS;
	else
		(void)threads_is_command(line, &b->command);
}

void thread_blocks_above(struct thread_blocks *b, const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above, line;
	size_t start;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	start = above.len;
	for (unsigned int n = 0; start && n < THREADS_HEAD; n++) {
		size_t end = start - 1;

		start = str_rfind_char(str_sub(above, 0, end), '\n');
		start = start == end ? 0 : start + 1;
	}
	above = str_skip(above, start);
	while (str_line(&above, &line))
		thread_blocks_line(b, line);
}

void thread_blocks_begin(struct thread_blocks *b, uint32_t line, size_t from)
{
	*VEC_PUSH(&b->rows) = (struct thread_block){ .first_line = line,
						     .last_line = line,
						     .from = from,
						     .said = b->head ? b->head : b->command };
	/* a head is about the next table only */
	b->head = THREAD_SAID_NOTHING;
}

void thread_blocks_row(struct thread_blocks *b, struct str process, struct str thread,
		       uint32_t line)
{
	struct thread_block *at = b->rows.len ? &b->rows.data[b->rows.len - 1] : NULL;
	uint64_t pid = 0;

	if (!at)
		return;
	at->has_threads |= thread.len && !str_eq(process, thread);
	if (!str_u64(&process, &pid) || pid > UINT32_MAX)
		pid = 0;
	at->process = at->n == 0 ? (uint32_t)pid : at->process;
	at->has_processes |= at->process != pid;
	at->last_line = line;
	at->n++;
}

/* The first counter of block @b whose name matches @name. NULL: none. */
static const struct counter *threads_first(const struct counters *k, const struct strings *strings,
					   const struct thread_block *b, const char *name)
{
	for (size_t i = b->from; i < b->to; i++) {
		const struct counter *row = &k->rows.data[i];

		if (str_glob(str_of(name), strings_get(strings, row->name)))
			return row;
	}
	return NULL;
}

/*
 * Does each row of block @b have the same value in the column @name, above 0? The rows must be of
 * different tasks. *@ret_names: the tasks have different names.
 */
static bool threads_is_equal(const struct counters *k, const struct strings *strings,
			     const struct thread_block *b, const char *name, bool *ret_names)
{
	const struct counter *first = threads_first(k, strings, b, name);
	uint32_t n = 0;

	if (!first || first->value <= 0)
		return false;
	*ret_names = false;
	for (size_t i = b->from; i < b->to; i++) {
		const struct counter *row = &k->rows.data[i];

		if (row->name.v != first->name.v)
			continue;
		if (row->value != first->value || row->decimals != first->decimals || !row->task ||
		    (row != first && row->task == first->task))
			return false;
		*ret_names |= !str_eq(counter_task_command(strings_get(strings, row->key)),
				      counter_task_command(strings_get(strings, first->key)));
		n++;
	}
	return n == b->n;
}

static enum thread_kind threads_kind(const struct counters *k, const struct strings *strings,
				     const struct thread_block *b)
{
	bool has_names = false;

	if (b->said == THREAD_SAID_TASKS)
		return THREADS_NONE;
	if (b->has_threads && b->process && !b->has_processes)
		return THREADS_ONE;
	if (b->n >= THREADS_ROWS && threads_is_equal(k, strings, b, "RES", &has_names) &&
	    threads_is_equal(k, strings, b, "VIRT", &has_names) &&
	    threads_is_equal(k, strings, b, "SHR", &has_names) && (has_names || b->said))
		return THREADS_ONE;
	return b->said || b->has_threads ? THREADS_ANY : THREADS_NONE;
}

/*
 * Add the note to @c with the sizes of the process whose threads are in block @b of @from. Text
 * output has the first of these notes.
 */
static void threads_note(struct capture *c, const struct counters *from,
			 const struct thread_block *b)
{
	static const char *const names[] = { "VIRT|VSZ", "RES|RSS", "SHR", "%MEM" };
	const struct strings *strings = capture_strings(c);
	char text[THREADS_NOTE];
	uint32_t line = 0;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(names) && n < sizeof(text); i++) {
		const struct counter *k = threads_first(from, strings, b, names[i]);
		bool is_share = str_eq(str_of(names[i]), STR("%MEM"));

		if (!k)
			continue;
		line = line ? line : k->line;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s" STR_FMT " %.*f%s",
				      n ? ", " : "", STR_ARG(strings_get(strings, k->name)),
				      is_share ? k->decimals : 0, counter_value(k),
				      is_share ? "" : " KiB");
	}
	if (n == 0 || n >= sizeof(text))
		return;
	capture_note(c, STR(COUNTERS_NOTE_THREADS), (struct str){ text, n }, line);
	c->notes.data[c->notes.len - 1].is_detail = c->notes.len > 1;
}

/*
 * Copy the counters of block @b of @from to @c, whose first interval is @base of @from. If all rows
 * are threads of one process, leave out the sizes of the process.
 */
static void threads_copy(struct capture *c, const struct counters *from,
			 const struct thread_block *b, uint32_t base)
{
	struct counters *k = c->counters;

	for (size_t i = b->from; i < b->to; i++) {
		struct counter row = from->rows.data[i];

		if (k->is_one_process &&
		    str_glob(STR(THREADS_SIZES), strings_get(capture_strings(c), row.name)))
			continue;
		row.interval -= base;
		if (counters_add(k, capture_strings(c), row) < 0)
			break;
		k->n_intervals =
			row.interval + 1 > k->n_intervals ? row.interval + 1 : k->n_intervals;
	}
}

/* The first interval of the blocks from @first to @last. */
static uint32_t threads_base(const struct counters *from, const struct thread_block *first,
			     const struct thread_block *last)
{
	uint32_t ret = UINT32_MAX;

	for (const struct thread_block *b = first; b <= last; b++) {
		for (size_t i = b->from; i < b->to; i++) {
			uint32_t interval = from->rows.data[i].interval;

			ret = interval < ret ? interval : ret;
		}
	}
	return ret;
}

/* Copy the blocks from @first to @last of @from, which are of one kind, to the capture @c. */
static void threads_take(struct capture *c, const struct counters *from,
			 const struct thread_block *first, const struct thread_block *last)
{
	struct counters *k = capture_counters(c);
	char text[16];
	uint32_t base;

	k->tool = from->tool;
	k->n_intervals = 1;
	k->is_threads = first->kind != THREADS_NONE;
	k->is_one_process = first->kind == THREADS_ONE;
	for (const struct thread_block *b = first; k->is_one_process && b <= last; b++)
		threads_note(c, from, b);
	if (k->is_one_process && first->has_threads)
		capture_note(c, STR(COUNTERS_NOTE_PROCESS),
			     (struct str){ text, (size_t)snprintf(text, sizeof(text), "%" PRIu32,
								  first->process) },
			     from->rows.data[first->from].line);
	base = threads_base(from, first, last);
	for (const struct thread_block *b = first; b <= last; b++)
		threads_copy(c, from, b, base);
}

/* Remove blocks without rows, and set the kinds of the others. Returns whether any has threads. */
static bool threads_kinds(struct thread_blocks *b, const struct counters *k,
			  const struct strings *strings)
{
	bool ret = false;
	size_t n = 0;

	for (size_t i = 0; i < b->rows.len; i++) {
		struct thread_block block = b->rows.data[i];

		if (block.n == 0)
			continue;
		block.to = i + 1 < b->rows.len ? b->rows.data[i + 1].from : k->rows.len;
		block.kind = threads_kind(k, strings, &block);
		ret |= block.kind != THREADS_NONE;
		b->rows.data[n++] = block;
	}
	b->rows.len = n;
	return ret;
}

/*
 * Do the blocks @a and @b belong together? If the threads of each belong to one process, they must
 * have a thread in common. Cost: O(cells of a * cells of b).
 */
static bool threads_is_same(const struct counters *k, const struct thread_block *a,
			    const struct thread_block *b)
{
	if (a->kind != b->kind || a->kind != THREADS_ONE)
		return a->kind == b->kind;
	for (size_t i = a->from; i < a->to; i++) {
		const struct counter *x = &k->rows.data[i];

		for (size_t n = b->from; n < b->to; n++) {
			const struct counter *y = &k->rows.data[n];

			if (x->task && y->task == x->task)
				return true;
		}
	}
	return false;
}

void counter_threads_apply(const struct format *f, const struct region *in, struct capture *c,
			   struct thread_blocks *b)
{
	struct counters from = *c->counters;
	uint32_t last_line = c->last_line;
	size_t n;

	if (!str_glob(STR("top|ps"), strings_get(capture_strings(c), from.tool)) ||
	    !threads_kinds(b, &from, capture_strings(c))) {
		VEC_FREE(&b->rows);
		return;
	}
	counters_init(c->counters);
	c->counters->label = from.label;
	for (size_t i = 0; i < b->rows.len; i += n) {
		const struct thread_block *first = &b->rows.data[i];
		struct capture *to = i ? format_add_capture(f, in, c->dossier) : c;

		for (n = 1;
		     i + n < b->rows.len && threads_is_same(&from, &first[n - 1], &first[n]);)
			n++;
		to->first_line = i ? first->first_line : to->first_line;
		to->last_line = i + n < b->rows.len ? first[n - 1].last_line : last_line;
		threads_take(to, &from, first, &first[n - 1]);
	}
	counters_fini(&from);
	VEC_FREE(&b->rows);
}
