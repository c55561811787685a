/* SPDX-License-Identifier: MIT */
#include "explain/words/task_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/threads.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/task_words_names.h"

/* minimum length of a first word ("crate" of crate_open) that names a subsystem */
#define TASK_PREFIX 3u

struct str task_words_module(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	struct str name = symbols_module(capture_symbols(in->capture),
					 threads_summary_sym(in->threads, row, frame));

	(void)str_take(&name, STR("["));
	name = str_sub(name, 0, str_find_char(name, ']'));
	return str_glob(STR(TASK_WORDS_WIDE), name) ? STR_NONE : name;
}

struct str task_words_word(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	struct str name = symbols_canonical(capture_symbols(in->capture),
					    threads_summary_sym(in->threads, row, frame));
	size_t end;

	while (str_take(&name, STR("_")))
		;
	end = str_find_char(name, '_');
	name = end < name.len ? str_sub(name, 0, end) : STR_NONE;
	return name.len < TASK_PREFIX || str_glob(STR(TASK_WORDS_COMMON), name) ? STR_NONE : name;
}

/*
 * The first word of the function of frame @frame. Empty if the word names a subsystem with many
 * locks, one in each of its objects (TASK_WORDS_WIDE): two tasks in such a subsystem need not share
 * a lock.
 */
static struct str task_prefix(const struct rule_input *in, uint32_t row, uint32_t frame)
{
	struct str word = task_words_word(in, row, frame);

	return str_glob(STR(TASK_WORDS_WIDE), word) ? STR_NONE : word;
}

enum task_relation task_words_relation(const struct rule_input *in, uint32_t row, uint32_t frame,
				       uint32_t other, uint32_t from, uint32_t to)
{
	struct str module = task_words_module(in, row, frame);
	struct str prefix = task_prefix(in, row, frame);
	uint32_t n = threads_summary_row(in->threads, other)->n_frames;
	enum task_relation ret = TASK_UNRELATED;

	for (uint32_t i = from; i < n && i <= to; i++) {
		if (module.len && str_eq(module, task_words_module(in, other, i)))
			return TASK_SAME_MODULE;
		if (prefix.len && str_eq(prefix, task_prefix(in, other, i)))
			ret = TASK_SAME_PREFIX;
	}
	return ret;
}
