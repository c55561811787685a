/* SPDX-License-Identifier: MIT */
/*
 * proxy_requests.h - times and ends of requests in the log of a proxy
 *
 * HAProxy (option httplog): a record has five times in ms: until the request was read, in queues,
 * until the connection was open, until the server answered, and of the whole request. A time is -1
 * if the request never came so far. Four letters say how the request ended: the first letter who
 * ended it, the second letter in which state. Source: HAProxy, doc/configuration.txt, 8.2.3 "HTTP
 * log format", 8.4 "Timing events", 8.5 "Session state at disconnection".
 *
 * nginx: times in seconds with a key, as its manual names them (uct=0.001 uht=0.020), or with the
 * variables' names (upstream_connect_time, upstream_header_time). Such a record has no state. The
 * request time rt ends when the last byte was sent to the client, the response time urt when the
 * last byte of the server arrived.
 * Source: nginx, "Configuring Logging", ngx_http_upstream_module, "Embedded Variables".
 */
#ifndef ANALYSES_PROXY_REQUESTS_H
#define ANALYSES_PROXY_REQUESTS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

/* The parts of the time between the end of the request and the answer of the server. */
enum proxy_phase {
	PROXY_QUEUE,   /* Tw: in the queues of backend and server */
	PROXY_CONNECT, /* Tc: until the connection to the server was open */
	PROXY_ANSWER,  /* Tr: until the server sent the headers of its answer */
	PROXY_PHASES,
};

struct proxy_phase_sum {
	uint64_t ms;         /* sum over the requests that reached this phase's end */
	uint64_t n;          /* number of these requests */
	uint64_t slowest_ms; /* longest of them */
	uint32_t slowest;    /* its record */
};

/*
 * Connections to the servers of a backend by their time. A SYN without an answer is sent again
 * after 1 s, then 2 s and 4 s later (RFC 6298; Linux TCP_TIMEOUT_INIT).
 */
struct proxy_connects {
	uint64_t quick;  /* opened in less than 100 ms */
	uint64_t resent; /* opened within 200 ms after the second, third or fourth SYN was sent */
	uint64_t slow;   /* all others */
	uint32_t record; /* the longest of `resent` */
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
	 * of requests that waited in a queue: their number, connections of their server when they
	 * ended, requests in the queue of backend and server
	 */
	uint64_t queued;
	uint64_t server_least, server_most;
	uint64_t queue_most;
};

/* Requests to one backend that ended in the same state. */
struct proxy_end {
	uint32_t backend; /* index in proxy_requests.backends */
	char state[2];    /* the first two letters: "sQ" */
	uint64_t n;
	uint32_t record; /* first of them */
};

/* A request whose whole time is known, and that of the server. */
struct proxy_transfer {
	uint32_t record;
	bool is_nginx;
	uint32_t backend; /* index in proxy_requests.backends */
	uint64_t total_ms;
	uint64_t held_ms; /* after the queue: the time with a connection to the server */
	/* nginx: until the server had sent all; HAProxy: until it sent the headers */
	uint64_t server_ms;
	uint64_t bytes; /* sent to the client; 0: unknown */
};

/* One server of an upstream of nginx, which tries the next server if one fails. */
struct proxy_peer {
	struct str name; /* address and port, borrowed from the records */
	uint64_t tries;
	uint64_t failed;  /* tries after which another server was tried */
	uint64_t lost_ms; /* sum of the times of these; 0: not printed */
	uint32_t record;  /* the longest of them, or the first */
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
 * Add up the requests of the log @c. Owner: caller, proxy_requests_fini(). Cost: O(records x
 * backends).
 */
void proxy_requests_init(struct proxy_requests *p, const struct capture *c);
void proxy_requests_fini(struct proxy_requests *p);
/* The request of a record, such as "GET /items HTTP/1.1"; empty: none. Borrowed from @text. */
struct str proxy_request_line(struct str text);
/* The path of a request line, without its query: "/items". */
struct str proxy_request_path(struct str line);
/* The user agent of a record of nginx; empty: none is printed. Borrowed from @text. */
struct str proxy_request_agent(struct str text);

#endif
