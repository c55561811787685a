/* SPDX-License-Identifier: MIT */
#include "cmds/run/confine.h"

#include "base/files.h"
#include "base/limits.h"
#include "base/newfile.h"
#include "base/rights/sandbox.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/risk/sources.h"
#include "cmds/run/confine_trees.h"
#include "cmds/run/session.h"
#include "core/dossier.h"
#include "metrics/risk_cache.h"
#include "render/terminal.h"
#include "symbols/debuginfod.h"
#include "symbols/elf_symbols.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFINE_SECONDS 300u /* CPU time limit in seconds for small inputs */
/* CPU time limit in seconds that is added for an input of unknown size */
#define CONFINE_PIPE_SECONDS 3600u

/*
 * CPU time limit in seconds for reading all inputs. It grows by a second per megabyte of each file.
 */
static uint64_t confine_seconds(const struct session *s, bool has_trees)
{
	uint64_t seconds = CONFINE_SECONDS;

	if (LIMIT_SECONDS)
		return LIMIT_SECONDS;
	if (has_trees)
		seconds += CONFINE_PIPE_SECONDS;
	VEC_FOREACH (path, &s->in.paths.items) {
		struct stat st;

		if (strcmp(*path, "-") == 0 || stat(*path, &st) < 0 || !S_ISREG(st.st_mode))
			seconds += CONFINE_PIPE_SECONDS;
		else
			seconds += (uint64_t)st.st_size >> 20;
	}
	return seconds;
}

uint64_t confine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long page = sysconf(_SC_PAGESIZE);

	if (LIMIT_MEMORY)
		return LIMIT_MEMORY;
	/* 7/8 of the machine's memory: more would cause swapping */
	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 8 * 7 : 0;
}

static bool confine_id(const char *hex, struct build_id *ret)
{
	size_t n = strlen(hex);

	*ret = (struct build_id){ .len = 0 };
	if (n % 2 || n / 2 > sizeof(ret->bytes))
		return false;
	for (size_t i = 0; i < n / 2; i++) {
		unsigned int byte;

		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			return false;
		ret->bytes[ret->len++] = (uint8_t)byte;
	}
	return true;
}

/*
 * Handle a request of the confined process. Runs in the parent. @text: argument of the request.
 * Sets *@ret_fd or @ret_text to the result. False: the request is refused.
 */
static bool confine_wish(void *arg, enum files_wish wish, const char *text,
			 char ret_text[FILES_TEXT_MAX], int *ret_fd)
{
	struct session *s = arg;
	struct error why = { "" };
	struct build_id id;
	char folder[FILES_TEXT_MAX];
	bool is_found;

	if (wish == FILES_FETCH && s->in.wanted.debuginfod && confine_id(text, &id)) {
		is_found = debuginfod_find(&id, ret_text, &why);
		if (!is_found)
			(void)snprintf(ret_text, FILES_TEXT_MAX, "%s", why.msg);
		return is_found;
	}
	if (wish == FILES_PAGER && session_wants_pager(s) && s->to.pager.pid == 0) {
		s->to.pager = pager_start(STDOUT_FILENO);
		*ret_fd = s->to.pager.pid ? s->to.pager.fd : -1;
		/*
		 * forget the descriptor: the caller of this function closes it, after passing it to
		 * the child
		 */
		s->to.pager.fd = -1;
		return *ret_fd >= 0;
	}
	if (wish >= FILES_CREATE && s->sources.reads_trees &&
	    sources_cache(s->sources.has_cache, folder, sizeof(folder)))
		return risk_cache_serve(folder, wish, text, ret_fd);
	return false;
}

/*
 * Whether this process already has a memory limit below @memory (ulimit -v, -d). *@ret_mib: the
 * lowest limit, in MiB.
 */
static bool confine_was_limited(uint64_t memory, uint64_t *ret_mib)
{
	static const int kinds[] = { RLIMIT_AS, RLIMIT_DATA };
	bool is_lower = false;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct rlimit now;

		if (getrlimit((__rlimit_resource_t)kinds[i], &now) == 0 && now.rlim_cur < memory) {
			memory = now.rlim_cur;
			is_lower = true;
		}
	}
	*ret_mib = memory >> 20;
	return is_lower;
}

/* Report why the child ended, if the child could not report it. */
static void confine_report(const struct session *s, const struct sandbox_options *o,
			   const struct sandbox_end *end)
{
	const char *name = end->reading[0]         ? end->reading
			   : s->in.paths.items.len ? s->in.paths.items.data[0]
						   : NULL;
	const char *what = end->has_read ? "analysis" : "reading";
	uint64_t mib;
	const char *option =
		confine_was_limited(o->memory, &mib) ? "ulimit -v or -d" : "--limit memory=";

	if (end->is_killed)
		complain(name, "%s was stopped: its process violated the sandbox; please report it",
			 what);
	else if (end->signal == 0 && end->status == SANDBOX_NO_START)
		complain(
			NULL,
			"cannot confine the reading process; --no-sandbox reads without a sandbox");
	else if (end->signal == 0 && end->status == FILES_LOST)
		complain(name, "%s failed: files that it refers to could not be opened", what);
	else if (end->signal == 0 && end->status == SANDBOX_MEMORY_CRASH)
		complain(name,
			 "%s crashed when it was refused memory: does it need more than %llu MiB "
			 "(%s)?",
			 what, (unsigned long long)mib, option);
	else if (end->signal == 0)
		complain(name, "%s needs more than %llu MiB of memory (%s)", what,
			 (unsigned long long)mib, option);
	else if (end->signal == SIGXCPU)
		complain(name,
			 "%s took more than %llu s of CPU time and was stopped (--limit seconds=)",
			 what, (unsigned long long)o->seconds);
	else if (end->signal == SIGKILL)
		complain(name, "%s was killed from outside (SIGKILL); is there enough memory?",
			 what);
	else if (end->signal == SIGBUS)
		complain(name,
			 "%s failed (SIGBUS): the file was truncated meanwhile, or its disk has "
			 "errors",
			 what);
	else
		complain(name,
			 "%s crashed (signal %d), which must not happen with any input: please "
			 "report it",
			 what, end->signal);
}

/* End this process by the signal @number, which ended the child. */
static void confine_mirror(int number)
{
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

static int confine_end(struct session *s, const struct sandbox_options *o,
		       const struct sandbox_end *end)
{
	bool is_reported = end->signal == 0 && end->status != SANDBOX_NO_START &&
			   end->status != SANDBOX_NO_MEMORY &&
			   end->status != SANDBOX_MEMORY_CRASH && end->status != FILES_LOST;
	bool is_outside = end->signal == SIGINT || end->signal == SIGTERM ||
			  end->signal == SIGQUIT || end->signal == SIGHUP || end->signal == SIGPIPE;
	int status = is_reported ? end->status : EXIT_FAILED;
	char folder[FILES_TEXT_MAX];

	if (s->sources.reads_trees && sources_cache(s->sources.has_cache, folder, sizeof(folder)))
		risk_cache_trim(folder);
	pager_finish(&s->to.pager);
	if (is_reported && s->to.file.part && !end->is_complete &&
	    (status == EXIT_DONE || status == EXIT_FINDINGS)) {
		complain(s->to.path, "the output was not completed");
		status = EXIT_FAILED;
	}
	if (session_place(s, is_reported && end->is_complete) < 0)
		status = EXIT_FAILED;
	if (is_outside)
		confine_mirror(end->signal);
	if (!is_reported && !is_outside)
		confine_report(s, o, end);
	return status;
}

bool session_confine(struct session *s, const char *const *trees, int *ret_status)
{
	struct sandbox_end end;
	struct confine_trees all = { .paths = VEC_INIT };
	struct error err = { "" };
	char folder[FILES_TEXT_MAX];
	int keep[2];
	int r;

	if (s->is_confined)
		return true;
	s->is_confined = true;
	if ((!s->to.path || s->to.file.fd < 0) && session_open_output(s) < 0) {
		*ret_status = EXIT_FAILED;
		return false;
	}
	if (!s->in.has_sandbox) {
		complain(NULL, "--no-sandbox: the input is read without confinement");
		return true;
	}
	for (; trees && *trees; trees++)
		confine_trees_add(&all, *trees);
	s->sources.reads_trees = all.paths.len > 0;
	if (all.refused && s->sources.reads_history)
		complain(all.refused, "git data outside of the named folder is not read; "
				      "--git-dir allows it");
	if (all.paths.len && sources_cache(s->sources.has_cache, folder, sizeof(folder)))
		confine_trees_push(&all, folder);
	keep[0] = s->to.file.fd;
	keep[1] = s->to.pager.pid ? s->to.pager.fd : -1;
	const struct sandbox_options options = {
		.keep = keep,
		.n_keep = ARRAY_LEN(keep),
		.trees = (const char *const *)all.paths.data,
		.n_trees = all.paths.len,
		.memory = confine_memory(),
		.seconds = confine_seconds(s, all.paths.len > 0),
		.server = { .words = s->words, .wish = confine_wish, .arg = s },
	};
	(void)fflush(NULL);
	r = sandbox_enter(&options, &end, &err);
	confine_trees_fini(&all);
	if (r > 0) {
		if (s->to.pager.pid)
			/* the child must not wait for the pager: only the parent does */
			s->to.pager.pid = -1;
		return true;
	}
	if (r < 0) {
		complain(NULL, "%s; --no-sandbox reads without another process", err.msg);
		*ret_status = EXIT_FAILED;
		return false;
	}
	*ret_status = confine_end(s, &options, &end);
	return false;
}
