/* SPDX-License-Identifier: MIT */
/*
 * record_host.h - `assay record --host USER@HOST`: record on another machine
 *
 * The system's ssh starts a shell there, with the user's configuration, agent and master
 * connection. The shell runs the assay of that machine, or a copy of a static one, in a private
 * folder that it removes at the end. That assay records, adds the names of that machine to the
 * recording (symbols/names.h), and sends it. Only this process writes a file here.
 *
 * The other machine is not trusted: what it sends is a file of limited size, which is read as any
 * recording is, and output of the command.
 */
#ifndef CMDS_RECORD_HOST_H
#define CMDS_RECORD_HOST_H

#include "base/status.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

struct args_option;
struct out;

struct record_host {
	const char *host;    /* USER@HOST, or a name of ssh's configuration */
	const char *program; /* a static assay to copy; NULL: the one there, or this one */
	const char *ssh;     /* a command instead of ssh; NULL: $ASSAY_SSH, or ssh */
	const char *output;
	bool is_forced; /* overwrite any existing file */
	bool is_quiet;
	/* words for `assay record` there; NULL-terminated */
	char *const *words;
};

struct record_host_result {
	bool has_file;    /* the output is in place */
	bool is_straight; /* the output is a pipe or another special file */
	int status;       /* exit status of `assay record` there, or of this command */
};

/* Record there. Messages are printed; the result says if there is a file to show. */
void record_host(const struct record_host *h, struct record_host_result *ret);

/* record_host_words.c: the words for `assay record` there. Owner: caller. */
struct record_host_words {
	VEC(char *) words;
};

/* Add @option if its value differs from the default one @fresh, and if it is not of this machine.
 */
void record_host_words_option(struct record_host_words *w, const struct args_option *option,
			      const void *fresh);
void record_host_words_fini(struct record_host_words *w);

/*
 * record_host_script.c: append the script that a shell there reads. @mark: the word with which its
 * lines begin that are for this process.
 */
void record_host_script(const struct record_host *h, const char *mark, struct out *out);
/* record_host_program.c: load the program to copy for @machine, as uname -m there prints it. */
MUST_CHECK int record_host_program(const struct record_host *h, const char *machine,
				   struct out *ret, struct error *err);

#endif
