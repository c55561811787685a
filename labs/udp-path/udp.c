/* SPDX-License-Identifier: MIT */
/* udp - send datagrams through a connected socket, and receive them */
#include "lib/work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#define UDP_BYTES_MAX 60000u

struct sending {
	struct sockaddr_in to;
	uint64_t count, bytes, per_flow, warm;
	int segment;
	/*
	 * descriptor to which "1" is written before each measured part, and "0" after it; -1:
	 * none
	 */
	int mark;
};

static int udp_fail(const char *what)
{
	fprintf(stderr, "udp: %s: %s\n", what, strerror(errno));
	return 1;
}

static int udp_flow(const struct sending *s)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if ((s->segment == 0 ||
	     setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &s->segment, sizeof(s->segment)) == 0) &&
	    connect(fd, (const struct sockaddr *)&s->to, sizeof(s->to)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void udp_mark(const struct sending *s, const char *text)
{
	if (s->mark >= 0 && write(s->mark, text, 1) != 1)
		fprintf(stderr, "udp: mark: %s\n", strerror(errno));
}

static int udp_send(const struct sending *s)
{
	static char data[UDP_BYTES_MAX];
	uint64_t begin_ns = 0;
	uint64_t cpu_ns = 0;
	uint64_t sent = 0;
	uint64_t failed = 0;
	uint64_t n_warm = 0;

	while (sent < s->count) {
		int fd = udp_flow(s);

		if (fd < 0)
			return udp_fail("socket");
		for (uint64_t i = 0; i < s->warm; i++) {
			/* not by send(): the graphs begin in its system call */
			n_warm += write(fd, data, s->bytes) > 0;
			usleep(1000); /* leave time to resolve the route and the neighbour */
		}
		udp_mark(s, "1");
		begin_ns = work_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		for (uint64_t i = 0; i < s->per_flow && sent < s->count; i++, sent++)
			failed += send(fd, data, s->bytes, 0) < 0;
		cpu_ns += work_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
		udp_mark(s, "0");
		close(fd);
	}
	work_print("datagrams", sent - failed);
	work_print("failed", failed);
	work_print("warm", n_warm);
	work_print("cpu_ns", cpu_ns);
	return failed > sent / 2;
}

static int udp_sink(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	static char data[UDP_BYTES_MAX];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return udp_fail("sink");
	fprintf(stderr, "ready\n");
	for (;;)
		(void)recv(fd, data, sizeof(data), 0);
}

static int udp_gso(const char *device, bool is_on)
{
	struct ethtool_value value = { .cmd = ETHTOOL_SGSO, .data = is_on };
	struct ifreq request = { .ifr_data = (void *)&value };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strncpy(request.ifr_name, device, sizeof(request.ifr_name) - 1);
	return fd < 0 || ioctl(fd, SIOCETHTOOL, &request) ? udp_fail(device) : 0;
}

static bool udp_parse(int argc, char **argv, struct sending *s)
{
	s->to = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_port = htons((uint16_t)work_number(argv[3])) };
	s->count = work_number(argv[4]);
	s->bytes = work_number(argv[5]);
	s->segment = (int)work_number(argv[6]);
	s->per_flow = work_number(argv[7]);
	s->warm = work_number(argv[8]);
	s->mark = argc == 10 ? open(argv[9], O_WRONLY | O_CLOEXEC) : -1;
	return inet_pton(AF_INET, argv[2], &s->to.sin_addr) == 1 && s->count && s->bytes &&
	       s->bytes <= UDP_BYTES_MAX && s->per_flow && (argc == 9 || s->mark >= 0);
}

int main(int argc, char **argv)
{
	struct sending s;

	if (argc == 3 && strcmp(argv[1], "sink") == 0)
		return udp_sink((uint16_t)work_number(argv[2]));
	if (argc == 4 && strcmp(argv[1], "gso") == 0)
		return udp_gso(argv[2], strcmp(argv[3], "on") == 0);
	if ((argc == 9 || argc == 10) && strcmp(argv[1], "send") == 0 && udp_parse(argc, argv, &s))
		return udp_send(&s);
	fprintf(stderr,
		"usage: lab-udp send ADDRESS PORT COUNT BYTES SEGMENT PER_FLOW WARM [MARK]\n"
		"       lab-udp sink PORT\n"
		"       lab-udp gso DEVICE on|off\n");
	return 2;
}
