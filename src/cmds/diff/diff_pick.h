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
	uint64_t a, b;    /* number of the capture in its input, from 1; 0: automatic */
	struct str event; /* only captures of this event; STR_NONE: any */
};

struct diff_side {
	const struct capture *captures[DIFF_SIDE_MAX];
	uint32_t numbers[DIFF_SIDE_MAX]; /* from 1, in its input */
	uint32_t of[DIFF_SIDE_MAX];      /* number of captures in that input */
	size_t n;
};

/* Operands as typed: `--` may separate the sides. */
struct diff_operands {
	size_t n_before; /* inputs before `--`, or all */
	size_t n;        /* all inputs */
	bool has_dashes;
};

/*
 * session_parse() for a command with sides separated by `--`; options may be on either side.
 * False: the command is finished, with @ret_status.
 */
bool diff_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		struct diff_operands *ret, int *ret_status);
/*
 * Number of inputs of side A: 1 for "A B"; 0 for "FILE", which contains both sides. False
 * after a message: ambiguous.
 */
bool diff_split(const struct diff_operands *o, const char *command, size_t *ret_n_a);

/*
 * Inputs 0 … n_a - 1 are side A, the others B; a single input holds both sides. Errors:
 * ERR_USAGE with a sentence. If the user has to choose, @ret_list is the input whose captures
 * to list (else INDEX_NONE).
 */
MUST_CHECK int diff_pick(const struct session *s, size_t n_a, const struct diff_wish *wish,
			 struct diff_side ret[2], uint32_t *ret_list, struct error *err);
/* List the captures of an input on stderr, with the numbers for --a and --b. */
void diff_list(const struct session *s, uint32_t input);

#endif
