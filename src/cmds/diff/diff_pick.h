/* SPDX-License-Identifier: MIT */
/* diff_pick.h - choose the captures to compare */
#ifndef CMDS_DIFF_PICK_H
#define CMDS_DIFF_PICK_H

#include "base/status.h"
#include "base/str.h"

struct args_spec;
struct capture;
struct session;

#define DIFF_SIDE_MAX 64u

struct diff_wish {
	/* number of the capture for each side, from 1 in its input; 0: choose automatically */
	uint64_t a, b;
	struct str event; /* only captures of this event; STR_NONE: any */
};

struct diff_side {
	const struct capture *captures[DIFF_SIDE_MAX];
	uint32_t numbers[DIFF_SIDE_MAX]; /* number of each capture in its input, from 1 */
	uint32_t of[DIFF_SIDE_MAX];      /* for each capture, the number of captures in its input */
	size_t n;
};

/* Operands as typed. `--` may separate the two sides. */
struct diff_operands {
	size_t n_before; /* number of inputs before `--`; without `--`, of all inputs */
	size_t n;        /* number of all inputs */
	bool has_dashes;
};

/*
 * As session_parse(), for a command with two sides that `--` may separate. Options may be on either
 * side. False: the command is finished, with @ret_status.
 */
bool diff_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		struct diff_operands *ret, int *ret_status);
/*
 * Find the number of inputs of side A: 1 for "A B"; 0 for "FILE", which contains both sides.
 * Returns false, after a message, if it is ambiguous.
 */
bool diff_split(const struct diff_operands *o, const char *command, size_t *ret_n_a);

/*
 * Choose the captures of both sides. Inputs 0 … n_a - 1 are side A, the others B; a single
 * input contains both sides. Errors: ERR_USAGE with a sentence. If the user must choose,
 * @ret_list is the input whose captures the caller should list, otherwise INDEX_NONE.
 */
MUST_CHECK int diff_pick(const struct session *s, size_t n_a, const struct diff_wish *wish,
			 struct diff_side ret[2], uint32_t *ret_list, struct error *err);
/* List the captures of an input on stderr, with their numbers for --a and --b. */
void diff_list(const struct session *s, uint32_t input);

#endif
