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
	/*
	 * the capture that the user chose for each side: its number in its input, from 1; 0: choose
	 * a capture automatically
	 */
	uint64_t a, b;
	struct str event; /* only captures of this event; STR_NONE: of any event */
};

struct diff_side {
	const struct capture *captures[DIFF_SIDE_MAX];
	uint32_t numbers[DIFF_SIDE_MAX]; /* number of each capture in its input, from 1 */
	/* for each capture, the number of comparable captures in its input */
	uint32_t of[DIFF_SIDE_MAX];
	size_t n;
};

/* The operands of the command line. `--` may separate the operands of sides A and B. */
struct diff_operands {
	size_t n_before; /* number of operands before `--`; if there is no `--`, all operands */
	size_t n;        /* number of all operands */
	bool has_dashes;
};

/*
 * Parse the command line like session_parse(), for a command that compares two sides. Options may
 * precede or follow `--`. False: the command is finished, with @ret_status.
 */
bool diff_parse(struct session *s, const struct args_spec *spec, int argc, char **argv,
		struct diff_operands *ret, int *ret_status);
/*
 * Set @ret_n_a to the number of inputs of side A: 1 for the operands "A B"; 0 for a single "FILE",
 * which contains both sides. If the operands are ambiguous, prints a message and returns false.
 */
bool diff_split(const struct diff_operands *o, const char *command, size_t *ret_n_a);

/*
 * Choose the captures of both sides. The first @n_a inputs are side A, the others side B. If @n_a
 * is 0, the only input contains both sides. Errors: ERR_USAGE, with the reason in @err. After an
 * error, *@ret_list is the input in which the user must choose a capture, so the caller should list
 * its captures; INDEX_NONE: no such input.
 */
MUST_CHECK int diff_pick(const struct session *s, size_t n_a, const struct diff_wish *wish,
			 struct diff_side ret[2], uint32_t *ret_list, struct error *err);
/* List the captures of an input on stderr, with their numbers for --a and --b. */
void diff_list(const struct session *s, uint32_t input);

#endif
