/* SPDX-License-Identifier: MIT */
/*
 * A checker (AddressSanitizer, MemorySanitizer, valgrind) reports a bad access to memory: which
 * kind, where, and where the memory was freed or allocated.
 *
 * Only the first report of the text: the others often follow from it.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(memory_error);

#define MEMORY_SURE 95u
#define MEMORY_LOOK 64u /* innermost frames that are compared */

/* By the words of the report, or of the title of its second stack: the first match counts. */
static const struct {
	const char *pattern;
	const char *what;
	const char *cause;
} memory_kinds[] = {
	{ "*heap-use-after-free*|*free'd*", "Use after free",
	  "The memory was freed while something still points to it" },
	{ "*attempting double-free*", "Double free", "Two owners free the same memory" },
	{ "*stack-use-after-*", "Use of a local variable after its end",
	  "A pointer to a local variable outlives its function or block" },
	{ "*heap-buffer-overflow*|*container-overflow*|*alloc'd*",
	  "Access outside of a block of the heap",
	  "A length or index is larger than the allocated block" },
	{ "*stack-buffer-*flow*", "Access outside of an array on the stack",
	  "A length or index is larger than the array, or its text is not terminated" },
	{ "*global-buffer-overflow*", "Access outside of a global array",
	  "An index is larger than the table, or a table lacks its last entry" },
	{ "*stack-overflow*", "Stack overflow", "Recursion without an end, or a huge local array" },
	{ "*alloc-dealloc-mismatch*|*Mismatched free*", "Memory freed by the wrong function",
	  "malloc goes with free, new with delete, new[] with delete[]" },
	{ "*allocation-size-too-big*|*calloc-overflow*|*exceeds maximum supported size*|"
	  "*calloc parameters overflow*",
	  "Allocation of an impossible size",
	  "A length was computed from unchecked input, or it overflowed" },
	{ "*bad-free*|*attempting free on*|*Invalid free*", "Free of an address that is no block",
	  "The pointer was moved, is of the stack, or was freed before" },
	{ "*use-of-uninitialized-value*|*uninitialised*", "Use of an uninitialized value",
	  "A branch or a system call reads memory that nothing has written" },
	{ "*unknown address 0x0000000000*|*null pointer*|*zero page*", "Null pointer",
	  "A pointer that was never set, or a lookup that found nothing" },
	{ "*runtime error: *", "Undefined behaviour",
	  "The language does not define the result of this operation: compilers assume that it "
	  "never happens" },
	{ "*overlap*", "Copy between overlapping ranges",
	  "memcpy needs ranges apart: use memmove" },
	{ "*", "Bad memory access", "The pointer is freed, overwritten, or was never set" },
};

#define MEMORY_OTHER (ARRAY_LEN(memory_kinds) - 1)

static size_t memory_kind(struct str text)
{
	size_t kind = 0;

	while (!str_glob(str_of(memory_kinds[kind].pattern), text))
		kind++;
	return kind;
}

static const struct thread_note *memory_note(const struct rule_input *in, uint32_t *ret_next_line)
{
	const struct thread_note *found = NULL;

	*ret_next_line = UINT32_MAX;
	VEC_FOREACH (n, &in->capture->threads->notes) {
		if (n->kind != THREAD_NOTE_MEMORY)
			continue;
		if (found) {
			*ret_next_line = n->line;
			break;
		}
		found = n;
	}
	return found;
}

/*
 * The call in the stack of @freed that leads to it, from a function that is on the stack of the
 * access @row, too: ", through 'f', which 'g' calls before"; empty: they share no function.
 */
static const char *memory_through(const struct rule_input *in, struct findings *out, uint32_t row,
				  uint32_t freed)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	uint32_t n_freed = threads_summary_row(in->threads, freed)->n_frames;
	uint32_t place = thread_words_fault(in, freed, 0);

	for (uint32_t i = thread_words_fault(in, row, 0); i < n && i < MEMORY_LOOK; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);

		for (uint32_t k = place + 2; k < n_freed && k < MEMORY_LOOK; k++) {
			if (threads_summary_sym(in->threads, freed, k).v == sym.v)
				return finding_name(out,
						    ", through " STR_FMT ", which " STR_FMT
						    " calls before",
						    STR_ARG(thread_words_frame(in, freed, k - 1)),
						    STR_ARG(thread_words_frame(in, freed, k)));
		}
	}
	return "";
}

/* "spa_strdup, called from spa_vdev_remove"; without its caller where @through says more. */
static const char *memory_where(const struct rule_input *in, struct findings *out,
				struct finding *f, uint32_t row, const char *through)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = thread_words_fault(in, row, 0);

	for (uint32_t i = place; i < r->n_frames && i < place + THREAD_WORDS_CALLERS; i++)
		finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[i].line,
				 STR_FMT, STR_ARG(thread_words_frame(in, row, i)));
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	if (*through || place + 1 >= r->n_frames)
		return finding_name(out, STR_FMT "%s", STR_ARG(thread_words_frame(in, row, place)),
				    through);
	return finding_name(out, STR_FMT ", called from " STR_FMT,
			    STR_ARG(thread_words_frame(in, row, place)),
			    STR_ARG(thread_words_frame(in, row, place + 1)));
}

/* " (division by zero)" of "builder.cc:1066:39: runtime error: division by zero" */
static const char *memory_detail(struct findings *out, struct str text)
{
	struct str mark = STR("runtime error: ");
	size_t at = str_find(text, mark);

	return at < text.len ? finding_name(out, " (" STR_FMT ")",
					    STR_ARG(str_sub(text, at + mark.len, at + 120)))
			     : "";
}

/* The verb of a further stack, by its title: where was the memory freed? */
static const char *memory_verb(struct str title)
{
	if (str_glob(STR("free'd*|freed*"), title))
		return "freed";
	if (str_glob(STR("*alloc*|*created*"), title))
		return "allocated";
	return NULL;
}

static void memory_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct strings *strings = capture_strings(in->capture);
	uint32_t next_line;
	const struct thread_note *note = memory_note(in, &next_line);
	uint32_t rows[3];
	size_t n_rows = 0;
	size_t kind;
	const char *text;
	struct finding *f;

	if (!note) {
		finding_clean(out, in, &rule_memory_error, "no report of a memory checker");
		return;
	}
	for (uint32_t i = 0; i < s->rows.len && n_rows < ARRAY_LEN(rows); i++) {
		const struct thread_row *r = threads_summary_row(s, i);

		if (r->line >= note->line && r->line < next_line && r->n_frames)
			rows[n_rows++] = i;
	}
	if (n_rows == 0) {
		finding_not_assessed(out, in, &rule_memory_error, "the report with its stacks",
				     "the report has no stack with names");
		return;
	}
	kind = memory_kind(strings_get(strings, note->text));
	/* valgrind says with the second stack what was wrong */
	if (kind == MEMORY_OTHER && n_rows > 1)
		kind = memory_kind(strings_get(strings, threads_summary_row(s, rows[1])->name));
	f = finding_add(out, in, &rule_memory_error, FINDING_ERROR, MEMORY_SURE);
	finding_evidence(out, f, in, note->line, STR_FMT,
			 STR_ARG(strings_get(strings, note->text)));
	text = finding_name(out, "%s%s in %s", memory_kinds[kind].what,
			    memory_detail(out, strings_get(strings, note->text)),
			    memory_where(in, out, f, rows[0], ""));
	for (size_t i = 1; i < n_rows; i++) {
		const char *verb =
			memory_verb(strings_get(strings, threads_summary_row(s, rows[i])->name));

		if (verb)
			text = finding_name(
				out, "%s; %s in %s", text, verb,
				memory_where(in, out, f, rows[i],
					     memory_through(in, out, rows[0], rows[i])));
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "stacks of the report", (double)n_rows, 0, "");
	finding_cause(out, f, "%s", memory_kinds[kind].cause);
	finding_because(out, f, "the checker saw the access itself");
	finding_next(out, f, "%s",
		     n_rows > 1 ? "the code between the two places: who keeps the pointer, and "
				  "which size it assumes"
				: "the first function of the program on this stack, and the size "
				  "that it assumes");
}

static const char *const memory_overrules[] = { "thread-waits", "crash-stack", NULL };

const struct rule rule_memory_error = {
	.id = "memory-error",
	.title = "Bad memory access found by a checker",
	.needs = RULE_THREADS,
	.overrules = memory_overrules,
	.check = memory_check,
	.is_measured = true,
};
