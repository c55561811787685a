/* SPDX-License-Identifier: MIT */
/* The parent decides whether the confined process may start a process or a thread. */
#include "base/rights/sandbox_clone.h"

#include "base/files.h"
#include "base/status.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Flags of clone() that fork() uses. 0xff: the bits with the number of the signal that the parent
 * gets when the child ends.
 */
#define CLONE_OF_FORK (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID | 0xffu)
#ifdef __s390x__
#define CLONE_FLAGS_ARGUMENT 1
#else
#define CLONE_FLAGS_ARGUMENT 0
#endif

size_t sandbox_proc_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : files_read_head(fd, text, size);

	if (fd >= 0)
		(void)close(fd);
	return n > 0 ? (size_t)n : 0;
}

uint64_t sandbox_status(const char *pid, struct str key)
{
	char path[64];
	char text[4096];
	struct str all = { text, 0 };
	uint64_t value = 0;

	(void)snprintf(path, sizeof(path), "/proc/%s/status", pid);
	all.len = sandbox_proc_text(path, text, sizeof(text));
	all = str_skip(all, str_find(all, key));
	if (all.len <= key.len)
		return 0;
	all = str_trim(str_skip(all, key.len));
	(void)str_u64(&all, &value);
	return value;
}

/*
 * Number of living child processes that the thread @tid of the confined process @child has started.
 */
static unsigned int clone_children(pid_t child, uint32_t tid)
{
	char path[64];
	char text[4096];
	struct str children = { text, 0 };
	struct str word;
	unsigned int n = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%u/children", (int)child, (unsigned)tid);
	children.len = sandbox_proc_text(path, text, sizeof(text));
	while (str_word(&children, &word))
		n++;
	return n;
}

static bool clone_is_allowed(const struct sandbox_clones *c, const struct seccomp_notif *asked)
{
	unsigned int flags = (unsigned int)asked->data.args[CLONE_FLAGS_ARGUMENT];
	char path[64];
	struct stat st;

	if (c->n_left == 0)
		return false;
	/*
	 * refuse clone() in a child of the confined process: only threads of the process itself may
	 * ask
	 */
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%u", (int)c->child, asked->pid);
	if (stat(path, &st) < 0)
		return false;
	if (flags & CLONE_THREAD) {
		(void)snprintf(path, sizeof(path), "%d", (int)c->child);
		return sandbox_status(path, STR("Threads:")) < c->threads;
	}
	return (flags & ~CLONE_OF_FORK) == 0 &&
	       clone_children(c->child, asked->pid) < SANDBOX_CHILDREN_MAX;
}

void sandbox_clones_serve(struct sandbox_clones *c)
{
	/* newer kernels may have longer messages, so both buffers have 512 bytes */
	union {
		struct seccomp_notif message;
		char bytes[512];
	} asked = { .bytes = { 0 } };
	union {
		struct seccomp_notif_resp message;
		char bytes[512];
	} answer = { .bytes = { 0 } };

	if (ioctl(c->fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0) {
		/* ENOENT: the process that waits for this answer has ended */
		if (errno != EINTR && errno != ENOENT)
			sandbox_clones_end(c);
		return;
	}
	answer.message.id = asked.message.id;
	if (clone_is_allowed(c, &asked.message)) {
		answer.message.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		c->n_left--;
	} else {
		answer.message.error = -EPERM;
	}
	while (ioctl(c->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0) {
		if (errno == EINTR)
			continue;
		/*
		 * the answer cannot be sent; close @c->fd, because clone() would otherwise wait
		 * forever
		 */
		if (errno != ENOENT)
			sandbox_clones_end(c);
		break;
	}
}

void sandbox_clones_end(struct sandbox_clones *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
}
