/* SPDX-License-Identifier: MIT */
/*
 * record_host.h - `assay record --host USER@HOST`: record on another machine
 *
 * The system's ssh starts a shell on that machine, with the user's configuration, agent and master
 * connection. The shell runs the assay that is installed there, or a static assay that this process
 * copies there. The shell works in a private folder, which it removes at the end. The assay there
 * records, adds the symbol names of that machine to the recording (symbols/names.h), and sends the
 * recording. This process writes the recording to a local file.
 *
 * The other machine is not trusted. It can send only two things: a file of limited size, which is
 * read like any recording, and the output of the command.
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
	const char *host; /* "USER@HOST", or a name in ssh's configuration */
	/* path of a static assay to copy; NULL: use the installed one, or copy this program */
	const char *program;
	const char *ssh; /* command to run instead of ssh; NULL: $ASSAY_SSH, or "ssh" */
	const char *output;
	bool is_forced; /* overwrite the output file even if it is no recording */
	bool is_quiet;
	/* arguments for `assay record` on the other machine; NULL-terminated */
	char *const *words;
};

struct record_host_result {
	/* The output file was written. Its end is missing if the connection was lost */
	bool has_file;
	bool is_straight; /* the output is a pipe or another special file */
	/*
	 * exit status of `assay record` on the other machine or, if it did not run there, of this
	 * command
	 */
	int status;
};

/* Record on the other machine, and print messages. @ret reports whether there is a file to show. */
void record_host(const struct record_host *h, struct record_host_result *ret);

/* Arguments for `assay record` on the other machine (record_host_words.c). Owner: caller. */
struct record_host_words {
	VEC(char *) words;
};

/*
 * Add @option to @w if it concerns the other machine and its value is not the default. @fresh: the
 * options with their default values.
 */
void record_host_words_option(struct record_host_words *w, const struct args_option *option,
			      const void *fresh);
void record_host_words_fini(struct record_host_words *w);

/*
 * Append the script for the shell on the other machine (record_host_script.c). @mark: word at the
 * start of each line that the script prints for this process, not for the user.
 */
void record_host_script(const struct record_host *h, const char *mark, struct out *out);
/*
 * Load the program to copy (record_host_program.c). @machine: architecture of the other machine, as
 * `uname -m` prints it.
 */
MUST_CHECK int record_host_program(const struct record_host *h, const char *machine,
				   struct out *ret, struct error *err);

#endif
