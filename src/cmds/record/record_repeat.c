/* SPDX-License-Identifier: MIT */
/*
 * record_repeat.c - `assay record --repeat N -- A --vs B`
 *
 * The commands run in the order A B, B A, A B. Both are then affected alike if the machine gets
 * warmer or busier. A new process records each run, because a process that has given up rights
 * cannot get them back.
 */
#include "cmds/record/record_repeat.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "record/perf/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

DECLARE_CMD(diff);

#define REPEAT_VS "--vs"

struct repeat {
	const struct record_repeat *r;
	const struct record_spec *spec;
	char *const *commands[2];
	VEC(char *) files[2];
	/*
	 * for each side: a run has ended with another exit status than 0, and a message was printed
	 */
	bool has_failed[2];
};

/* Split the command line at --vs into the commands A and B. False: there is no --vs. */
static bool repeat_split(struct repeat *p, char **argv)
{
	p->commands[0] = argv;
	for (size_t i = 0; argv[i]; i++) {
		if (strcmp(argv[i], REPEAT_VS) == 0) {
			argv[i] = NULL;
			p->commands[1] = argv + i + 1;
			return true;
		}
	}
	return false;
}

/* Name the file of a run: "perf.data.a1"; with only one command, "perf.data.1". */
static char *repeat_file(const struct repeat *p, int side, uint64_t run)
{
	char end[32];
	struct out name = { .fd = -1 };
	char *ret;

	(void)snprintf(end, sizeof(end), ".%s%" PRIu64, p->commands[1] ? side ? "b" : "a" : "",
		       run);
	out_z(&name, p->spec->output);
	out_z(&name, end);
	ret = xmemdupz(name.data, name.len);
	out_fini(&name);
	return ret;
}

/* Record one run. Runs in a child process. */
static _Noreturn void repeat_record(const struct repeat *p, int side, const char *file)
{
	char name[] = "assay", command[] = "record", dashes[] = "--";
	struct record_spec spec = *p->spec;
	VEC(char *) line = VEC_INIT;
	size_t n = 0;

	*VEC_PUSH(&line) = name;
	*VEC_PUSH(&line) = command;
	*VEC_PUSH(&line) = dashes;
	do
		*VEC_PUSH(&line) = p->commands[side][n];
	while (p->commands[side][n++]);
	spec.command_line = line.data;
	spec.argv = p->commands[side];
	spec.output = file;
	_exit(p->r->record(p->r->options, &spec));
}

/*
 * Wait for the child. Returns its exit status or, as a shell does, 128 + the number of the signal
 * that ended it.
 */
static int repeat_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_FAILED;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Record a run. Returns OK; or the exit status, if there is no recording or the command did not run
 * to its end.
 */
static int repeat_run(struct repeat *p, int side, uint64_t run)
{
	char *file = repeat_file(p, side, run);
	struct stat before = { .st_ino = 0 }, after;
	pid_t pid;
	int status;

	*VEC_PUSH(&p->files[side]) = file;
	(void)stat(file, &before);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		repeat_record(p, side, file);
	status = pid < 0 ? EXIT_FAILED : repeat_wait(pid);
	/* a file with the same inode as before this run is from an earlier recording */
	if (stat(file, &after) < 0 || after.st_ino == before.st_ino || status >= 126)
		return status ? status : EXIT_FAILED;
	if (status && !p->has_failed[side])
		complain(NULL, "run %" PRIu64 " of '%s' ended with status %d", run,
			 p->commands[side][0], status);
	p->has_failed[side] |= status != 0;
	return OK;
}

/* Run `assay diff A1 A2 -- B1 B2` for the recorded files. */
static int repeat_compare(const struct repeat *p)
{
	char name[] = "diff", dashes[] = "--";
	VEC(char *) argv = VEC_INIT;
	int status;

	*VEC_PUSH(&argv) = name;
	for (int s = 0; s < 2; s++) {
		VEC_FOREACH (file, &p->files[s])
			*VEC_PUSH(&argv) = *file;
		if (s == 0)
			*VEC_PUSH(&argv) = dashes;
	}
	*VEC_PUSH(&argv) = NULL;
	status = cmd_diff.run((int)argv.len - 1, argv.data);
	VEC_FREE(&argv);
	return status;
}

static int repeat_all(struct repeat *p)
{
	int sides = p->commands[1] ? 2 : 1;

	for (uint64_t run = 1; run <= p->r->n; run++) {
		for (int i = 0; i < sides; i++) {
			int side = sides == 2 && run % 2 == 0 ? !i : i;
			int status = repeat_run(p, side, run);

			if (status != OK)
				return status;
		}
	}
	complain(NULL, "%" PRIu64 " runs%s: %s to %s", p->r->n, sides == 2 ? " of each" : "",
		 p->files[0].data[0], p->files[sides - 1].data[p->files[sides - 1].len - 1]);
	return sides == 2 ? repeat_compare(p) : EXIT_DONE;
}

int record_repeat(const struct record_repeat *r, struct record_spec *spec)
{
	struct repeat p = { .r = r, .spec = spec };
	CLEANUP(freep) char **argv = NULL;
	size_t n = 0;
	int status;

	while (spec->argv && spec->argv[n])
		n++;
	argv = xcalloc(n + 1, sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		argv[i] = spec->argv[i];
	if ((repeat_split(&p, argv) && !p.commands[1][0]) || !p.commands[0][0]) {
		complain(NULL,
			 "--repeat takes a command, or two: assay record --repeat 5 -- A --vs "
			 "B");
		return EXIT_USAGE;
	}
	status = repeat_all(&p);
	for (int s = 0; s < 2; s++) {
		VEC_FOREACH (file, &p.files[s])
			free(*file);
		VEC_FREE(&p.files[s]);
	}
	return status;
}
