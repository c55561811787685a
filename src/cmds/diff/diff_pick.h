/* SPDX-License-Identifier: MIT */
/*
 * diff_pick.h - which captures of the inputs are compared
 */
#ifndef CMDS_DIFF_PICK_H
#define CMDS_DIFF_PICK_H

#include "cmds/run/session.h"

#define DIFF_SIDE_MAX 64u

struct diff_wish {
	uint64_t a, b;    /* number of the capture in its input, from 1; 0: not said */
	struct str event; /* only captures of this event; STR_NONE: any */
};

struct diff_side {
	const struct capture *captures[DIFF_SIDE_MAX];
	uint32_t numbers[DIFF_SIDE_MAX]; /* from 1, in its input */
	uint32_t of[DIFF_SIDE_MAX];      /* so many captures that input has */
	size_t n;
};

/* Operands as they were typed: `--` may stand between the sides. */
struct diff_operands {
	size_t n_before; /* inputs in front of `--`, or all */
	size_t n;        /* all */
	bool has_dashes;
};

/*
 * session_parse() of a command whose sides may be told apart by `--`; options may stand on
 * either. False: the command is over, with @ret_status.
 */
bool diff_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		struct diff_operands *ret, int *ret_status);
/*
 * How many inputs are side A: of A B the first, of FILE none, as it holds both sides. False
 * after a sentence: it was not said.
 */
bool diff_split(const struct diff_operands *o, const char *command, size_t *ret_n_a);

/*
 * Inputs 0 … n_a - 1 are side A, the rest B; one input in all holds both sides.
 * Errors: ERR_USAGE with the sentence; where the choice is the user's, @ret_list
 * is the input whose captures are to be listed (else INDEX_NONE).
 */
MUST_CHECK int diff_pick(const struct session *s, size_t n_a, const struct diff_wish *wish,
			 struct diff_side ret[2], uint32_t *ret_list, struct error *err);
/* One line a capture of the input on stderr, with the numbers for --a and --b. */
void diff_list(const struct session *s, uint32_t input);

#endif
