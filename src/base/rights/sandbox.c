/* SPDX-License-Identifier: MIT */
#include "base/rights/sandbox.h"

#include "base/alloc.h"
#include "base/rights/capabilities.h"
#include "base/rights/rights.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SANDBOX_KEEP_MAX 16u
#define SANDBOX_REAP_MAX 100000u

/*
 * id of the child to which this process forwards its signals; a process has at most one such child
 */
static volatile sig_atomic_t sandbox_child;

static void sandbox_pass_on(int number)
{
	int error = errno;

	if (sandbox_child > 0)
		(void)kill((pid_t)sandbox_child, number);
	errno = error;
}

static const int sandbox_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

/* Confine the child before it reads anything. */
static bool sandbox_confine(const struct sandbox_options *o, int broker)
{
	int keep[SANDBOX_KEEP_MAX + 5] = { 0, 1, 2, broker };
	size_t n = 4;
	int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	int clones;
	unsigned int kept = RIGHTS_THREADS | RIGHTS_MESSAGES;
	bool is_good = true;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	tzset(); /* reads the time zone's file, which cannot be opened later */
	/* if the child opens files by name, it keeps root's right to read files of other users */
	(void)capabilities_drop_all(o->n_trees ? UINT64_C(1) << CAP_DAC_READ_SEARCH : 0);
	keep[n++] = statm;
	for (size_t i = 0; i < o->n_keep && i < SANDBOX_KEEP_MAX; i++)
		keep[n++] = o->keep[i];
	rights_close(keep, n);
	if (o->memory && !RIGHTS_SANITIZED)
		is_good &= rights_limit(RLIMIT_DATA, o->memory);
	if (o->seconds)
		is_good &= rights_limit_soft(RLIMIT_CPU, o->seconds, o->seconds + 1);
	is_good &= rights_limit(RLIMIT_CORE, 0) && rights_no_new();
	if (o->n_trees)
		kept |= RIGHTS_READ_TREES;
	(void)rights_landlock(o->trees, o->n_trees);
	clones = rights_seccomp_asking(kept);
	if (clones < 0 && !rights_seccomp(kept) && !RIGHTS_SANITIZED)
		(void)rights_limit(RLIMIT_NPROC, 0);
	is_good &= files_send(broker, "", 1, clones);
	if (clones >= 0)
		(void)close(clones);
	files_confine(broker, statm);
	alloc_watch_crashes();
	return is_good;
}

/*
 * Find one process that the confined child left behind, and kill it. Such a process has become a
 * child of this process, and has more seccomp filters than this process. Other orphans, such as
 * those of a pager, have no additional filter. False: there is no such process.
 */
static bool sandbox_reap_one(void)
{
	const struct str filters = STR("Seccomp_filters:");
	char path[64];
	char text[4096];
	struct str children = { text, 0 };
	struct str word;
	uint64_t own = sandbox_status("self", filters);
	uint64_t pid;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	children.len = sandbox_proc_text(path, text, sizeof(text));
	while (str_word(&children, &word) && str_u64(&word, &pid)) {
		(void)snprintf(path, sizeof(path), "%d", (int)pid);
		if (sandbox_status(path, filters) > own) {
			(void)kill((pid_t)pid, SIGKILL);
			return waitpid((pid_t)pid, NULL, 0) == (pid_t)pid;
		}
	}
	return false;
}

static void sandbox_reap(void)
{
	for (unsigned int i = 0; i < SANDBOX_REAP_MAX && sandbox_reap_one(); i++)
		continue;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/*
 * Whether the child ends within SANDBOX_GRACE_MS. @ended: descriptor that becomes readable when the
 * child ends; -1: do not wait, return true.
 */
static bool sandbox_ends(int ended)
{
	struct pollfd p = { .fd = ended, .events = POLLIN };
	int n;

	if (p.fd < 0)
		return true;
	do
		n = poll(&p, 1, SANDBOX_GRACE_MS);
	while (n < 0 && errno == EINTR);
	return n != 0;
}

void sandbox_wait(struct sandbox *s, struct sandbox_end *ret)
{
	struct files_server *server = &s->server;
	pid_t child = s->child;
	int status = 0;
	bool is_killed;

	/* after this, a child that waits for an answer gets an error and ends */
	(void)close(server->fd);
	sandbox_clones_end(&s->clones);
	is_killed = !sandbox_ends(s->ended);
	if (is_killed)
		(void)kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			break;
	}
	if (s->ended >= 0)
		(void)close(s->ended);
	s->ended = -1;
	sandbox_reap();
	*ret = (struct sandbox_end){ .status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
				     .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				     .has_read = server->has_read,
				     .is_complete = server->is_complete };
	ret->is_killed = is_killed && ret->signal == SIGKILL;
	(void)snprintf(ret->reading, sizeof(ret->reading), "%s", server->reading);
}

int sandbox_start(const struct sandbox_options *options, struct sandbox *ret, struct error *err)
{
	int fds[2];
	char byte;

	if (!files_pair(fds))
		return fail(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
	/* Orphans of the child become children of this process. sandbox_reap_one() needs this. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret->child = fork();
	if (ret->child == 0) {
		if (!sandbox_confine(options, fds[1]))
			_exit(SANDBOX_NO_START);
		return 1;
	}
	(void)close(fds[1]);
	ret->server = options->server;
	ret->server.fd = fds[0];
	ret->clones = (struct sandbox_clones){
		.fd = -1,
		.child = ret->child,
		.threads = options->n_trees ? SANDBOX_THREADS_MAX : 1,
		.n_left = options->seconds ? SANDBOX_CLONES_MAX : UINT_MAX,
	};
	ret->ended = -1;
	if (ret->child > 0) {
		ret->ended = (int)syscall(SYS_pidfd_open, ret->child, 0);
		/*
		 * receive the descriptor for questions about clone(), which sandbox_confine() sends
		 * first
		 */
		(void)files_receive(fds[0], &byte, 1, &ret->clones.fd);
		return 0;
	}
	(void)close(fds[0]);
	return fail(err, ERR_IO, "cannot start a process: %s", strerror(errno));
}

/* Serve requests until the child has ended. A grandchild may still hold the socket open then. */
static void sandbox_serve(struct sandbox *s)
{
	struct pollfd p[] = { { .fd = s->server.fd, .events = POLLIN },
			      { .fd = s->ended, .events = POLLIN },
			      { .fd = s->clones.fd, .events = POLLIN } };

	for (;;) {
		int n = poll(p, ARRAY_LEN(p), -1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (p[2].revents & POLLIN)
			sandbox_clones_serve(&s->clones);
		else if (p[2].revents)
			sandbox_clones_end(&s->clones);
		p[2].fd = s->clones.fd;
		if (p[0].revents ? !files_serve(&s->server) : p[1].revents != 0)
			break;
	}
}

int sandbox_enter(const struct sandbox_options *options, struct sandbox_end *ret, struct error *err)
{
	struct sandbox s;
	struct sigaction old[ARRAY_LEN(sandbox_signals)];
	struct sigaction pass_on = { .sa_handler = sandbox_pass_on };
	int r;

	sandbox_child = 0;
	for (size_t i = 0; i < ARRAY_LEN(sandbox_signals); i++) {
		(void)sigaction(sandbox_signals[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			(void)sigaction(sandbox_signals[i], &pass_on, NULL);
	}
	r = sandbox_start(options, &s, err);
	if (r == 0) {
		sandbox_child = s.child;
		sandbox_serve(&s);
		sandbox_wait(&s, ret);
		sandbox_child = 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(sandbox_signals); i++)
		(void)sigaction(sandbox_signals[i], &old[i], NULL);
	return r;
}
