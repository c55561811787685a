/* SPDX-License-Identifier: MIT */
/*
 * cmd.h - the contract of a subcommand
 *
 * A subcommand is one file `<name>.c` that defines `const struct cmd cmd_<name>`, and one name
 * in src/cmds/meson.build.
 */
#ifndef CMDS_CMD_H
#define CMDS_CMD_H

struct cmd {
	const char *name;
	const char *summary;               /* one phrase, lower case, no final dot */
	int (*run)(int argc, char **argv); /* returns the exit status; argv[0] is the name */
};

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct cmd *const cmds[];

/* Run the front page: `assay FILE...`. argv[0] is the program. */
int front_run(int argc, char **argv);

/* clang-format off */
#define CMD(id) extern const struct cmd cmd_##id;
#include "cmds.def"
#undef CMD
/* clang-format on */

#endif
