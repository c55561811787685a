/* SPDX-License-Identifier: MIT */
/*
 * browse.h - shared by the parts of `assay browse`
 *
 * There are two processes. The first process owns the terminal (browse.c,
 * cmds/screen/screen_host.h). The second process is confined: it reads the inputs, composes the
 * pages and draws them (browse/). A view shows the output of a command, such
 * as `report`. It reads the input with the settings of this command, and calls the functions that
 * write the command's output. The last line of the screen shows the command.
 */
#ifndef CMDS_BROWSE_H
#define CMDS_BROWSE_H

struct session;

struct browse_options {
	/*
	 * the options of the command line, as members of a session. Other sessions copy them and
	 * read the inputs (browse_data.sources)
	 */
	const struct session *session;
	int messages; /* file in memory that receives stderr while pages are shown; -1: none */
};

/*
 * Run the second process until the first process closes the socket @talk. Returns the exit status.
 */
int browse_view(const struct browse_options *o, int talk);

#endif
