/* SPDX-License-Identifier: MIT */
/* load - small workloads for the guest, in one static program: see main() */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *s)
{
	perror(s);
	exit(1);
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	if (ms)
		nanosleep(&t, NULL);
}

static void mark(const char *s)
{
	static int fd = -2;

	if (fd == -2)
		fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (fd >= 0 && write(fd, s, strlen(s)) < 0)
		perror("trace_marker");
}

/* udp ADDR PORT COUNT SIZE PAUSE_MS */
static int udp(char **v)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int n = atoi(v[2]), size = atoi(v[3]), ms = atoi(v[4]);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), i, bad = 0;
	static char buf[65536];

	inet_aton(v[0], &a.sin_addr);
	a.sin_port = htons(atoi(v[1]));
	if (connect(fd, (void *)&a, sizeof(a)))
		die("connect");
	for (i = 0; i < n; i++) {
		if (sendto(fd, buf, size, 0, NULL, 0) < 0)
			bad++;
		pause_ms(ms);
	}
	printf("udp: sent %d, failed %d\n", n - bad, bad);
	return 0;
}

/* udpsink PORT SECONDS */
static int udpsink(char **v)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), n = 0;
	struct timeval tv = { atoi(v[1]), 0 };
	static char buf[65536];

	a.sin_port = htons(atoi(v[0]));
	if (bind(fd, (void *)&a, sizeof(a)))
		die("bind");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	printf("udpsink: ready\n");
	fflush(stdout);
	while (recv(fd, buf, sizeof(buf), 0) >= 0)
		n++;
	printf("udpsink: got %d, then %s\n", n, strerror(errno));
	return 0;
}

static long sys_bpf(int cmd, union bpf_attr *a)
{
	return syscall(SYS_bpf, cmd, a, sizeof(*a));
}

static void pair(int *c, int *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(l, (void *)&a, sizeof(a)) || listen(l, 1) || getsockname(l, (void *)&a, &len))
		die("listen");
	*c = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(*c, (void *)&a, sizeof(a)))
		die("connect");
	*s = accept(l, NULL, NULL);
	if (*s < 0)
		die("accept");
	setsockopt(*c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(*s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	close(l);
}

/* sockmap COUNT INGRESS PAUSE_MS: a message sent on one TCP connection is
 * redirected by an sk_msg program to another one. */
static int sockmap(char **v)
{
	int n = atoi(v[0]), ingress = atoi(v[1]), ms = atoi(v[2]);
	int c1, s1, c2, s2, map, prog, i, got = 0;
	uint32_t key;
	uint64_t val;
	char buf[64];
	static char log[8192];

	union bpf_attr m = {
		.map_type = BPF_MAP_TYPE_SOCKMAP, .key_size = 4, .value_size = 4, .max_entries = 4
	};
	map = sys_bpf(BPF_MAP_CREATE, &m);
	if (map < 0)
		die("map");
	struct bpf_insn code[] = {
		/* r2 = map */
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = 2,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K,
		  .dst_reg = 4,
		  .imm = ingress ? BPF_F_INGRESS : 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_msg_redirect_map },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr p = { .prog_type = BPF_PROG_TYPE_SK_MSG,
			     .insns = (uintptr_t)code,
			     .insn_cnt = sizeof(code) / sizeof(*code),
			     .license = (uintptr_t) "GPL",
			     .log_buf = (uintptr_t)log,
			     .log_size = sizeof(log),
			     .log_level = 1 };
	prog = sys_bpf(BPF_PROG_LOAD, &p);
	if (prog < 0) {
		fputs(log, stderr);
		die("prog");
	}
	union bpf_attr t = { .target_fd = map,
			     .attach_bpf_fd = prog,
			     .attach_type = BPF_SK_MSG_VERDICT };
	if (sys_bpf(BPF_PROG_ATTACH, &t))
		die("attach");
	pair(&c1, &s1);
	pair(&c2, &s2);
	for (key = 0; key < 2; key++) {
		val = key ? c2 : c1;
		union bpf_attr u = { .map_fd = map,
				     .key = (uintptr_t)&key,
				     .value = (uintptr_t)&val };
		if (sys_bpf(BPF_MAP_UPDATE_ELEM, &u))
			die("update");
	}
	for (i = 0; i < n; i++) {
		mark("before sendto\n");
		if (send(c1, "message", 7, 0) != 7)
			die("send");
		mark("after sendto");
		/* egress: c2 transmits it, s2 gets it; ingress: c2 gets it */
		if (recv(ingress ? c2 : s2, buf, sizeof(buf), 0) == 7)
			got++;
		pause_ms(ms);
	}
	printf("sockmap: sent %d, redirected %d\n", n, got);
	return 0;
}

/* pingpong COUNT: two processes on two processors pass a byte to and fro. */
static int pingpong(char **v)
{
	int n = atoi(v[0]), a[2], b[2], i;
	cpu_set_t set;
	char c = 0;

	if (pipe(a) || pipe(b))
		die("pipe");
	CPU_ZERO(&set);
	if (!fork()) {
		CPU_SET(v[1] && sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0, &set);
		sched_setaffinity(0, sizeof(set), &set);
		for (i = 0; i < n; i++)
			if (read(a[0], &c, 1) != 1 || write(b[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < n; i++)
		if (write(a[1], &c, 1) != 1 || read(b[0], &c, 1) != 1)
			die("pipe");
	wait(NULL);
	return 0;
}

/* nap COUNT MS: sleep in the kernel; spin COUNT: getppid() in a loop. */
static int nap(char **v)
{
	int n = atoi(v[0]);

	while (n--)
		pause_ms(atoi(v[1]));
	return 0;
}

static int spin(char **v)
{
	long n = atol(v[0]);

	while (n--)
		syscall(SYS_getppid);
	return 0;
}

/* files COUNT: create, write, fsync, rename and remove files. */
static int files(char **v)
{
	int n = atoi(v[0]), fd;
	char a[64], b[64], buf[5000];

	memset(buf, 'x', sizeof(buf));
	while (n--) {
		snprintf(a, sizeof(a), "/tmp/f%d.tmp", n);
		snprintf(b, sizeof(b), "/tmp/f%d", n);
		fd = open(a, O_CREAT | O_RDWR, 0600);
		if (fd < 0 || write(fd, buf, sizeof(buf)) < 0 || fsync(fd))
			die("file");
		close(fd);
		if (rename(a, b) || open("/tmp/none", O_RDONLY) >= 0 || unlink(b))
			die("rename");
	}
	return 0;
}

/* drip PATH BYTES PAUSE_MS SECONDS: read a pipe slowly, so that it overflows */
static int drip(char **v)
{
	long size = atol(v[1]), ms = atol(v[2]);
	time_t end = time(NULL) + atol(v[3]);
	int fd = open(v[0], O_RDONLY | O_NONBLOCK);
	char *buf = malloc(size);
	ssize_t n;

	if (fd < 0 || !buf)
		die(v[0]);
	while (time(NULL) < end) {
		n = read(fd, buf, size);
		if (n > 0 && write(1, buf, n) != n)
			die("write");
		pause_ms(ms);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *s;
		int n;
		int (*f)(char **);
	} c[] = {
		{ "udp", 5, udp },           { "udpsink", 2, udpsink }, { "sockmap", 3, sockmap },
		{ "pingpong", 1, pingpong }, { "nap", 2, nap },         { "spin", 1, spin },
		{ "files", 1, files },       { "drip", 4, drip },
	};
	unsigned i;

	for (i = 0; argc > 1 && i < sizeof(c) / sizeof(*c); i++)
		if (!strcmp(argv[1], c[i].s) && argc >= 2 + c[i].n)
			return c[i].f(argv + 2);
	fprintf(stderr, "usage: load udp|udpsink|sockmap|pingpong|nap|spin|files|drip\n");
	return 2;
}
