/* SPDX-License-Identifier: MIT */
/*
 * http_load - send requests to a server on this machine for SECONDS
 *
 *   lab-http-load PORT SECONDS PATH CONNECTIONS
 *
 * Each connection is persistent and has one request in flight. "%" in PATH is replaced by a number
 * below 1000. The exit status is 0 if each connection received a response.
 */
#include "lib/work.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64u
#define RESPONSE_MAX    65536u

struct connection {
	int fd;
	uint64_t n_requests;
	size_t n_read;
	char response[RESPONSE_MAX + 1];
};

static struct connection connections[CONNECTIONS_MAX];

static int connection_open(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int yes = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

static bool connection_ask(struct connection *c, const char *path)
{
	const char *number = strchr(path, '%');
	char request[512];
	int n;

	if (number)
		n = snprintf(request, sizeof(request),
			     "GET %.*s%u%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
			     (int)(number - path), path, (unsigned int)(c->n_requests % 1000),
			     number + 1);
	else
		n = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
			     path);
	c->n_read = 0;
	return n > 0 && n < (int)sizeof(request) && write(c->fd, request, (size_t)n) == n;
}

/* Whether the whole response was received, by its Content-Length. */
static bool connection_is_done(const struct connection *c)
{
	const char *body = strstr(c->response, "\r\n\r\n");
	const char *length = body ? strcasestr(c->response, "\r\ncontent-length:") : NULL;

	if (!length || length > body)
		return false;
	return c->n_read >= (size_t)(body + 4 - c->response) +
				    strtoul(length + strlen("\r\ncontent-length:"), NULL, 10);
}

static bool connection_read(struct connection *c, const char *path)
{
	ssize_t n = read(c->fd, c->response + c->n_read, RESPONSE_MAX - c->n_read);

	if (n <= 0)
		return false;
	c->n_read += (size_t)n;
	c->response[c->n_read] = '\0';
	if (!connection_is_done(c))
		return c->n_read < RESPONSE_MAX;
	c->n_requests++;
	return connection_ask(c, path);
}

int main(int argc, char **argv)
{
	struct pollfd polled[CONNECTIONS_MAX] = { 0 };
	size_t n = argc == 5 ? work_number(argv[4]) : 0;
	uint64_t n_requests = 0;
	bool is_good = true;
	uint64_t end_ns;

	if (n == 0 || n > CONNECTIONS_MAX) {
		fprintf(stderr, "usage: lab-http-load PORT SECONDS PATH CONNECTIONS\n");
		return 2;
	}
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(atof(argv[2]) * 1e9);
	for (size_t i = 0; i < n; i++) {
		connections[i].fd = connection_open((uint16_t)work_number(argv[1]));
		polled[i] = (struct pollfd){ .fd = connections[i].fd, .events = POLLIN };
		if (connections[i].fd < 0 || !connection_ask(&connections[i], argv[3])) {
			perror("lab-http-load");
			return 1;
		}
	}
	while (is_good && work_clock_ns(CLOCK_MONOTONIC) < end_ns && poll(polled, n, 1000) > 0) {
		for (size_t i = 0; i < n; i++) {
			if (polled[i].revents)
				is_good = connection_read(&connections[i], argv[3]) && is_good;
		}
	}
	for (size_t i = 0; i < n; i++) {
		n_requests += connections[i].n_requests;
		is_good = is_good && connections[i].n_requests > 0;
	}
	work_print("requests", n_requests);
	return is_good ? 0 : 1;
}
