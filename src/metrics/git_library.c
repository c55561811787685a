/* SPDX-License-Identifier: MIT */
#include "metrics/git_library.h"

#if HAVE_LIBGIT2

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define GIT_FILE "libgit2.so." LIBGIT2_SOVERSION

struct git_library git_library;

/*
 * Result of the only attempt to load libgit2. A second attempt might run in a confined process, and
 * fail only because of the confinement.
 */
static struct {
	bool is_tried;
	bool is_loaded;
	struct error why;
} git_state;

void git_library_prepare(void)
{
	static const struct {
		const char *name;
		size_t at;
	} functions[] = {
#define GIT_FUNCTION(name) { "git_" #name, offsetof(struct git_library, name) },
		GIT_FUNCTIONS(GIT_FUNCTION)
#undef GIT_FUNCTION
	};
	void *library;

	if (git_state.is_tried)
		return;
	git_state.is_tried = true;
	library = dlopen(GIT_FILE, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			library = NULL;
		memcpy((char *)&git_library + functions[i].at, &function, sizeof(function));
	}
	git_state.is_loaded = library != NULL;
	if (!library)
		(void)fail(&git_state.why, ERR_UNSUPPORTED, "cannot read git without libgit2: %s",
			   dlerror());
}

int git_library_load(struct error *err)
{
	git_library_prepare();
	return git_state.is_loaded ? OK : fail(err, ERR_UNSUPPORTED, "%s", git_state.why.msg);
}

#else

void git_library_prepare(void)
{
}

int git_library_load(struct error *err)
{
	return fail(err, ERR_UNSUPPORTED, "this build cannot read git: it has no libgit2");
}

#endif
