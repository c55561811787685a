/* SPDX-License-Identifier: MIT */
#include "cmds/lab/lab_runner.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/vec.h"
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the file in a build folder that has the path of labs in its source tree (meson.build) */
#define RUNNER_SOURCE "labs.folder"

/* Write the path @folder/@name to @ret. False: it is too long. */
static bool runner_join(char ret[PATH_MAX], const char *folder, const char *name)
{
	int n = snprintf(ret, PATH_MAX, "%s/%s", folder, name);

	return n > 0 && n < PATH_MAX;
}

/* Whether the folder @labs has a runner. Writes its path to @ret. */
static bool runner_is_in(char ret[PATH_MAX], const char *labs)
{
	return runner_join(ret, labs, "run") && access(ret, R_OK) == 0;
}

/* Write the path of this program, and the folder that it is in. */
static int runner_self(char self[PATH_MAX], char folder[PATH_MAX], struct error *err)
{
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return fail(err, ERR_IO, "/proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	memcpy(folder, self, (size_t)n + 1);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return OK;
}

int lab_runner_find(struct lab_runner *ret, struct error *err)
{
	const char *own = getenv("ASSAY_LABS");
	char self[PATH_MAX], folder[PATH_MAX], path[PATH_MAX], labs[PATH_MAX];
	bool is_built;
	int e = runner_self(self, folder, err);

	if (e < 0)
		return e;
	is_built = runner_join(path, folder, RUNNER_SOURCE) &&
		   files_first_line(path, labs, sizeof(labs));
	ret->is_installed = !is_built;
	memcpy(ret->build, is_built ? folder : self, sizeof(ret->build));
	if (own && own[0]) {
		if (runner_is_in(ret->run, own))
			return OK;
		return fail(err, ERR_NOTFOUND, "ASSAY_LABS: %s has no file 'run'", own);
	}
	if (is_built && runner_is_in(ret->run, labs))
		return OK;
	if (runner_join(path, folder, "../share/assay/labs") && runner_is_in(ret->run, path))
		return OK;
	if (runner_is_in(ret->run, ASSAY_LABS_FOLDER))
		return OK;
	return fail(err, ERR_NOTFOUND,
		    "no labs in %s; get the source of assay, and set ASSAY_LABS to its folder "
		    "'labs'",
		    is_built ? labs : ASSAY_LABS_FOLDER);
}

static char *runner_copy(const char *z)
{
	return xmemdupz(z, strlen(z));
}

int lab_runner_exec(const struct lab_runner *r, const char *const *words, struct error *err)
{
	VEC(char *) all = VEC_INIT;

	*VEC_PUSH(&all) = runner_copy("python3");
	*VEC_PUSH(&all) = runner_copy(r->run);
	*VEC_PUSH(&all) = runner_copy(r->is_installed ? "--assay" : "--build");
	*VEC_PUSH(&all) = runner_copy(r->build);
	for (; *words; words++)
		*VEC_PUSH(&all) = runner_copy(*words);
	*VEC_PUSH(&all) = NULL;
	(void)execvp(all.data[0], all.data);
	if (errno == ENOENT)
		return fail(err, ERR_NOTFOUND,
			    "no python3, which runs the labs; install it (apt install python3)");
	return fail(err, ERR_IO, "python3: %s", strerror(errno));
}
