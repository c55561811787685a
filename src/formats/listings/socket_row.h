/* SPDX-License-Identifier: MIT */
/*
 * socket_row.h - one socket, as `ss -tan`, `netstat -tan` and lsof print it
 *
 * States have the names that ss uses: "ESTABLISHED" of netstat becomes "ESTAB". All texts are
 * borrowed.
 */
#ifndef FORMATS_SOCKET_ROW_H
#define FORMATS_SOCKET_ROW_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct socket_row {
	struct str state;
	struct str local, peer; /* local and peer address, each with its port */
	struct str program;     /* name of the process; empty: not printed */
	struct str pid;
	/*
	 * number of bytes in each queue; for a listening socket of ss: number of connections that
	 * wait for accept(), and their limit
	 */
	uint64_t recv_q, send_q;
	/* address family: "p_raw", "nl", "u_dgr", "udp" …; empty: TCP, or not printed */
	struct str family;
	bool is_tcp;
	bool is_ss; /* printed by ss; false: by netstat */
};

/* Whether @line is the line of titles of ss or netstat. @ret_is_ss: the titles are those of ss. */
bool socket_row_head(struct str line, bool *ret_is_ss);
/*
 * Whether @line is a command such as "ss -tn state close-wait", after which ss prints rows without
 * a state. @next: the line of titles; it must begin with Recv-Q. @ret: the state, with the name
 * that ss uses.
 */
bool socket_row_filter(struct str line, struct str next, struct str *ret);
/*
 * Parse a row of ss or netstat. @state: the state of all rows; empty: each row has its own state.
 */
bool socket_row_parse(struct str line, struct str state, struct socket_row *ret);
/* Whether @line begins like a row, and may be the first half of a row that a mailer broke. */
bool socket_row_begins(struct str line);
/* The name that ss uses for the state @word of any tool; empty: not a state of TCP. */
struct str socket_row_state(struct str word);
/* Offset of the separator before the port of @address: ':' or, in BSD, the last '.'. */
size_t socket_row_port(struct str address);

#endif
