/* SPDX-License-Identifier: MIT */
/*
 * socket_row.h - one socket, as `ss -tan`, `netstat -tan` and lsof print it
 *
 * States have the names of ss: "ESTABLISHED" of netstat is "ESTAB". All texts are borrowed.
 */
#ifndef FORMATS_SOCKET_ROW_H
#define FORMATS_SOCKET_ROW_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct socket_row {
	struct str state;
	struct str local, peer; /* address and port */
	struct str program;     /* name of the process; empty: not printed */
	struct str pid;
	uint64_t recv_q,
		send_q; /* bytes; of a listening socket of ss: accept queue and its limit */
	/* "p_raw", "nl", "u_dgr", "udp" and the like, of ss; empty: TCP, or not printed */
	struct str family;
	bool is_tcp;
	bool is_ss; /* printed by ss, else by netstat */
};

/* Whether @line is the line of titles of ss or netstat. @ret_is_ss: of ss. */
bool socket_row_head(struct str line, bool *ret_is_ss);
/*
 * Whether @line is a command "ss -tn state close-wait", below which the titles @next begin with
 * Recv-Q: its rows have no state. @ret: the state as ss prints it.
 */
bool socket_row_filter(struct str line, struct str next, struct str *ret);
/* Parse a row of ss or netstat. @state: that of all rows; empty: each row has its own. */
bool socket_row_parse(struct str line, struct str state, struct socket_row *ret);
/* Whether @line begins as a row does, so that a mailer may have broken it. */
bool socket_row_begins(struct str line);
/* The name that ss has for the state @word of any tool; empty: no state of TCP. */
struct str socket_row_state(struct str word);
/* Offset of the separator before the port of @address: ':' or, of BSD, the last '.'. */
size_t socket_row_port(struct str address);

#endif
