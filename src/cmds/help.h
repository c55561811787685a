/* SPDX-License-Identifier: MIT */
/*
 * help.h - `assay help`, and `assay` without arguments
 */
#ifndef CMDS_HELP_H
#define CMDS_HELP_H

#include <stdio.h>

struct cmd;

/* The command called @name, or NULL. */
const struct cmd *help_find(const char *name);
/* Print the usage of assay and its list of commands. */
void help_usage(FILE *to);
/* Print six frequent tasks, each with the command for it. */
void help_wishes(FILE *to);
/*
 * Run `assay help [COMMAND|TOPIC]`. It prints the options of a command, or a page of docs/. Without
 * an argument, it prints the usage of assay. Returns the exit status.
 */
int help_run(int argc, char **argv);

#endif
