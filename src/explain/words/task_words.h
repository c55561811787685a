/* SPDX-License-Identifier: MIT */
/* task_words.h - what the stacks of two kernel tasks have in common */
#ifndef EXPLAIN_TASK_WORDS_H
#define EXPLAIN_TASK_WORDS_H

#include "base/str.h"

#include <stdint.h>

struct rule_input;

enum task_relation {
	TASK_UNRELATED,
	TASK_SAME_PREFIX, /* functions of both tasks begin with the same word */
	TASK_SAME_MODULE,
};

/*
 * The module of frame @frame of thread @row. Empty: the kernel itself, or a module with many locks,
 * which are in each of its objects. Two tasks in such a module need not share a lock.
 */
struct str task_words_module(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * The first word of the function of frame @frame: "crate" of __crate_open. Empty: a word that many
 * subsystems use.
 */
struct str task_words_word(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * How thread @other is related to frame @frame of thread @row: a function of @other, from frame
 * @from to frame @to, is in the same module or begins with the same word. Cost: O(frames).
 */
enum task_relation task_words_relation(const struct rule_input *in, uint32_t row, uint32_t frame,
				       uint32_t other, uint32_t from, uint32_t to);

#endif
