/* SPDX-License-Identifier: MIT */
/*
 * cmd.h - the interface of a subcommand
 *
 * A subcommand is one file `<name>.c` that defines `const struct cmd cmd_<name>`, and one name in
 * src/cmds/meson.build.
 */
#ifndef CMDS_CMD_H
#define CMDS_CMD_H

struct cmd {
	const char *name;
	const char *summary; /* phrase for the list of commands: lower case, no final dot */
	/* runs the command and returns the exit status; argv[0] is its name */
	int (*run)(int argc, char **argv);
};

/* All commands, NULL-terminated, in the order of meson.build. */
extern const struct cmd *const cmds[];

/* Run the front page: `assay FILE...`. argv[0] is the program's name. */
int front_run(int argc, char **argv);

/* Declares a command in the file that defines it. Only cmd.c refers to all commands. */
#define DECLARE_CMD(id) extern const struct cmd cmd_##id

#endif
