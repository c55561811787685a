/* SPDX-License-Identifier: MIT */
/*
 * git_library.h - libgit2, loaded on first use by git_library_load()
 *
 * Only history metrics need libgit2. The program is not linked with it: libgit2 and its
 * dependencies (TLS, Kerberos, ssh) would make each start 4 ms slower and 3 MB larger.
 * GIT(repository_open)(...) calls git_repository_open(), with the types of libgit2's header.
 *
 * A confined process cannot open libraries, so call git_library_prepare() before confinement.
 */
#ifndef METRICS_GIT_LIBRARY_H
#define METRICS_GIT_LIBRARY_H

#include "base/status.h"
#include "config.h"

#if HAVE_LIBGIT2

#include <git2.h>

#define GIT_FUNCTIONS(X)       \
	X(blob_free)           \
	X(blob_lookup)         \
	X(blob_rawcontent)     \
	X(blob_rawsize)        \
	X(buf_dispose)         \
	X(commit_author)       \
	X(commit_free)         \
	X(commit_lookup)       \
	X(commit_message)      \
	X(commit_parent)       \
	X(commit_parentcount)  \
	X(commit_time)         \
	X(commit_tree)         \
	X(diff_blobs)          \
	X(error_clear)         \
	X(error_last)          \
	X(libgit2_init)        \
	X(libgit2_shutdown)    \
	X(object_free)         \
	X(object_id)           \
	X(object_peel)         \
	X(odb_hashfile)        \
	X(oid_cpy)             \
	X(oid_equal)           \
	X(reference_free)      \
	X(reference_peel)      \
	X(repository_discover) \
	X(repository_free)     \
	X(repository_head)     \
	X(repository_open)     \
	X(repository_path)     \
	X(repository_workdir)  \
	X(revparse_single)     \
	X(tree_entry_bypath)   \
	X(tree_entry_filemode) \
	X(tree_entry_free)     \
	X(tree_entry_id)       \
	X(tree_entry_name)     \
	X(tree_entry_type)     \
	X(tree_free)           \
	X(tree_walk)

struct git_library {
#define GIT_FUNCTION(name) __typeof__(git_##name) *name;
	GIT_FUNCTIONS(GIT_FUNCTION)
#undef GIT_FUNCTION
};

extern struct git_library git_library; /* valid after git_library_load() has returned OK */

#define GIT(name) git_library.name

#endif

/*
 * Load libgit2. Errors: ERR_UNSUPPORTED if libgit2 is not installed, or if this build does not
 * support it. Not thread safe.
 */
MUST_CHECK int git_library_load(struct error *err);
/*
 * Try to load libgit2 now, before confinement. git_library_load() then returns the result of this
 * attempt.
 */
void git_library_prepare(void);

#endif
