/* SPDX-License-Identifier: MIT */
/*
 * proxy_requests.h - times and ends of requests in the log of a proxy
 *
 * HAProxy (option httplog): a record has five times in ms: until the request was read, in queues,
 * until the connection was open, until the server answered, and of the whole request. A time is -1
 * if the request did not reach this point. Four letters describe how the request ended. The first
 * letter shows who ended it, the second letter in which state. Source: HAProxy,
 * doc/configuration.txt, 8.2.3 "HTTP log format", 8.4 "Timing events", 8.5 "Session state at
 * disconnection".
 *
 * nginx: times are in seconds, each with a key. The keys are those of the manual's example
 * (uct=0.001 uht=0.020) or names of variables (upstream_connect_time, upstream_header_time). Such a
 * record has no state. The request time rt ends when the last byte was sent to the client. The
 * response time urt ends when the last byte of the server arrived.
 * Source: nginx, "Configuring Logging", ngx_http_upstream_module, "Embedded Variables".
 */
#ifndef ANALYSES_PROXY_REQUESTS_H
#define ANALYSES_PROXY_REQUESTS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

/*
 * The phases of a request. The first phase begins when the proxy has read the request, and the last
 * one ends with the answer of the server.
 */
enum proxy_phase {
	PROXY_QUEUE,   /* HAProxy's Tw: time in the queues of backend and server */
	PROXY_CONNECT, /* HAProxy's Tc: time until the connection to the server was open */
	PROXY_ANSWER,  /* HAProxy's Tr: time until the server sent the headers of its answer */
	PROXY_PHASES,
};

struct proxy_phase_sum {
	/* sum of the times of the requests that reached the end of this phase */
	uint64_t ms;
	uint64_t n;          /* number of requests that reached the end of this phase */
	uint64_t slowest_ms; /* longest time of a request in this phase */
	uint32_t slowest;    /* record of the request with the time slowest_ms */
};

/*
 * Connections to the servers of a backend, by the time until they were open. A SYN without an
 * answer is sent again after 1 s, then 2 s and 4 s later (RFC 6298; Linux TCP_TIMEOUT_INIT).
 */
struct proxy_connects {
	uint64_t quick; /* number of connections that opened in less than 100 ms */
	/*
	 * number of connections that opened within 200 ms after the second, third or fourth SYN was
	 * sent
	 */
	uint64_t resent;
	uint64_t slow;   /* number of all other connections */
	uint32_t record; /* record of the longest connection counted in `resent` */
	uint64_t longest_ms;
};

/* All requests to one backend. */
struct proxy_backend {
	struct str name; /* borrowed from the records */
	bool is_nginx;   /* the first request is in the format of nginx */
	uint64_t n;
	struct proxy_phase_sum phases[PROXY_PHASES];
	struct proxy_connects connects;
	/*
	 * about the requests that waited in a queue and then got a connection. queued: number of
	 * these requests. server_least, server_most: smallest and largest number of connections to
	 * the server when such a request ended. queue_most: largest number of requests that were
	 * processed before such a request in the queues of backend and server
	 */
	uint64_t queued;
	uint64_t server_least, server_most;
	uint64_t queue_most;
};

/* Requests to one backend that ended in the same state. */
struct proxy_end {
	uint32_t backend; /* index in proxy_requests.backends */
	char state[2];    /* the first two letters of the state: "sQ" */
	uint64_t n;
	uint32_t record; /* record of the first of these requests */
};

/* A request whose total time and server time are known. */
struct proxy_transfer {
	uint32_t record;
	bool is_nginx;
	uint32_t backend; /* index in proxy_requests.backends */
	uint64_t total_ms;
	/* time with a connection to the server: the total without the time in the queue */
	uint64_t held_ms;
	/*
	 * HAProxy: time until the server sent the headers of its answer; nginx: time until the
	 * server had sent the whole answer
	 */
	uint64_t server_ms;
	uint64_t bytes; /* number of bytes sent to the client; 0: unknown */
};

/* One server of an upstream of nginx. If a server fails, nginx tries the next one. */
struct proxy_peer {
	struct str name; /* address and port, borrowed from the records */
	uint64_t tries;
	uint64_t failed;  /* number of tries after which nginx tried another server */
	uint64_t lost_ms; /* sum of the times of the failed tries; 0: not printed */
	/* record of the longest failed try; without times, of the first failed try */
	uint32_t record;
	uint64_t longest_ms;
};

struct proxy_requests {
	VEC(struct proxy_peer) peers;
	VEC(struct proxy_backend) backends;
	VEC(struct proxy_transfer) transfers; /* in the order of the records */
	VEC(struct proxy_end) ends;
	uint64_t n;
};

/*
 * Collect the requests of the log @c. Owner: caller, proxy_requests_fini(). Cost: O(records x
 * backends).
 */
void proxy_requests_init(struct proxy_requests *p, const struct capture *c);
void proxy_requests_fini(struct proxy_requests *p);
/* The request of a record, such as "GET /items HTTP/1.1"; empty: none. Borrowed from @text. */
struct str proxy_request_line(struct str text);
/* The path of a request line, without its query: "/items". */
struct str proxy_request_path(struct str line);
/* The user agent in a record of nginx; empty: none. Borrowed from @text. */
struct str proxy_request_agent(struct str text);

#endif
