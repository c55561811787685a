/* SPDX-License-Identifier: MIT */
/*
 * cage - run a command in its own namespaces, so that its processes and mounts end with it
 *
 *   cage FD COMMAND [ARGS...]
 *
 * FD is the lifeline: if its other end is closed, the command is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CAGE_FAILED 125

static int cage_fail(const char *what)
{
	fprintf(stderr, "cage: %s: %s\n", what, strerror(errno));
	return CAGE_FAILED;
}

static int cage_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return -1;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok ? 0 : -1;
}

/* If this user is not root: create a user namespace in which it is root. */
static int cage_user(uid_t uid, gid_t gid)
{
	char map[32];

	if (unshare(CLONE_NEWUSER))
		return -1;
	(void)cage_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)uid);
	if (cage_write("/proc/self/uid_map", map))
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)gid);
	return cage_write("/proc/self/gid_map", map);
}

/*
 * Mount /proc, /run, /dev/shm and /sys for the command only. Errors matter only for /proc and /run.
 */
static int cage_mounts(void)
{
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return cage_fail("private mounts");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return cage_fail("/proc");
	if (mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"))
		return cage_fail("/run");
	if (mkdir("/run/lab", 0700) || mkdir("/run/lab/tmp", 01777))
		return cage_fail("/run/lab");
	(void)mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	/* sysfs shows the network namespace of the process that mounts it */
	(void)mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	(void)mount("bpf", "/sys/fs/bpf", "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	return 0;
}

static void cage_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	(void)ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

static pid_t cage_command(char **argv, int lifeline)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid != 0)
		return pid;
	close(lifeline);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setenv("HOME", "/run/lab", 1);
	setenv("TMPDIR", "/run/lab/tmp", 1);
	execvp(argv[0], argv);
	_exit(cage_fail(argv[0]));
}

static int cage_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * Run the command as the first process of its namespaces. Ends when the command has ended, or
 * when the other end of the descriptor `lifeline` is closed.
 */
static int cage_init(char **argv, int lifeline)
{
	struct pollfd fds[2] = { { .fd = lifeline, .events = POLLIN } };
	struct signalfd_siginfo info;
	sigset_t child;
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cage_mounts())
		return CAGE_FAILED;
	cage_loopback();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	fds[1] = (struct pollfd){ .fd = signalfd(-1, &child, SFD_CLOEXEC), .events = POLLIN };
	pid = fds[1].fd < 0 ? -1 : cage_command(argv, lifeline);
	if (pid < 0)
		return cage_fail("fork");
	for (;;) {
		int status;
		pid_t ended;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return cage_fail("poll");
		if (fds[0].revents)
			return 128 + SIGKILL;
		if (fds[1].revents && read(fds[1].fd, &info, sizeof(info)) < 0)
			return cage_fail("signalfd");
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
			if (ended == pid)
				return cage_status(status);
		}
	}
}

int main(int argc, char **argv)
{
	const int namespaces = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC;
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int status;
	int lifeline;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: cage FD COMMAND [ARGS...]\n");
		return CAGE_FAILED;
	}
	lifeline = atoi(argv[1]);
	/* leave the terminal's session, so that its signals do not reach the command */
	(void)setsid();
	if (uid != 0 && cage_user(uid, gid))
		return cage_fail("not root, and no user namespaces");
	if (unshare(namespaces))
		return cage_fail("namespaces");
	pid = fork();
	if (pid < 0)
		return cage_fail("fork");
	if (pid == 0)
		_exit(cage_init(argv + 2, lifeline));
	close(lifeline);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return cage_fail("waitpid");
	}
	return cage_status(status);
}
