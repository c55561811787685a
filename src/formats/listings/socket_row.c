/* SPDX-License-Identifier: MIT */
/*
 * Sources: iproute2, misc/ss.c: sstate_name[], sock_state_print(), proc_ctx_print(); net-tools,
 * netstat.c: tcp_state[], tcp_do_one(); FreeBSD, sys/netinet/tcp_fsm.h: tcpstates[].
 */
#include "formats/listings/socket_row.h"

#include "base/status.h"

#define SOCKET_BYTES 2048u /* maximum length of a row */

bool socket_row_head(struct str line, bool *ret_is_ss)
{
	struct str word;

	if (!str_word(&line, &word))
		return false;
	*ret_is_ss = str_eq(word, STR("State")) || str_eq(word, STR("Netid"));
	if (!*ret_is_ss && !str_eq(word, STR("Proto")))
		return false;
	/*
	 * the titles have no State with -f link and -f netlink, and in old versions of ss with -x
	 */
	if (str_eq(word, STR("Netid")) && str_contains(line, STR("Recv-Q")) &&
	    str_contains(line, STR("Local Address:Port")))
		return true;
	return str_contains(line, STR("Recv-Q")) && str_contains(line, STR("Send-Q")) &&
	       str_contains(line, STR("Local")) &&
	       (str_contains(line, STR("State")) || str_contains(line, STR("(state)")) ||
		str_eq(word, STR("State")));
}

bool socket_row_filter(struct str line, struct str next, struct str *ret)
{
	struct str word, before = STR_NONE;
	bool is_ss = false;

	next = str_ltrim(next);
	if (!str_starts(next, STR("Recv-Q")) || !str_contains(next, STR("Local Address:Port")))
		return false;
	for (*ret = STR_NONE; str_word(&line, &word); before = word) {
		if (is_ss && str_eq(before, STR("state")))
			*ret = socket_row_state(word);
		is_ss |= str_eq(word, STR("ss")) || str_ends(word, STR("/ss"));
	}
	return ret->len > 0;
}

struct str socket_row_state(struct str word)
{
	static const struct {
		/* str_glob pattern of the names that all tools use for the state */
		const char *words;
		const char *state;
	} states[] = {
		{ "ESTAB|ESTABLISHED|established", "ESTAB" },
		{ "SYN-SENT|SYN_SENT|syn-sent", "SYN-SENT" },
		{ "SYN-RECV|SYN_RECV|SYN_RCVD|SYN_RECEIVED", "SYN-RECV" },
		{ "FIN-WAIT-1|FIN_WAIT1|FIN_WAIT_1", "FIN-WAIT-1" },
		{ "FIN-WAIT-2|FIN_WAIT2|FIN_WAIT_2", "FIN-WAIT-2" },
		{ "TIME-WAIT|TIME_WAIT|time-wait", "TIME-WAIT" },
		{ "CLOSE-WAIT|CLOSE_WAIT|close-wait", "CLOSE-WAIT" },
		{ "LAST-ACK|LAST_ACK", "LAST-ACK" },
		{ "LISTEN", "LISTEN" },
		{ "CLOSING", "CLOSING" },
		{ "UNCONN|CLOSE|CLOSED", "UNCONN" },
	};

	for (size_t i = 0; word.len && i < ARRAY_LEN(states); i++) {
		if (str_glob(str_of(states[i].words), word))
			return str_of(states[i].state);
	}
	return STR_NONE;
}

size_t socket_row_port(struct str address)
{
	size_t at = str_rfind_char(address, ':');

	return at < address.len ? at : str_rfind_char(address, '.');
}

/*
 * Whether @word is an address with a port: "192.0.2.7:443", "[2001:db8::1]:443", "*:*", or
 * "192.0.2.7.443" of BSD.
 */
static bool socket_is_address(struct str word)
{
	size_t at = socket_row_port(word);

	if (at == 0 || at + 1 >= word.len)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		char c = word.p[i];

		if (c == '=' || c == '"' || c == '(' || c == ')' || c == '/' || c == ',')
			return false;
	}
	return true;
}

static bool socket_number(struct str word, uint64_t *ret)
{
	return str_u64(&word, ret) && word.len == 0;
}

/* Find the process. ss prints users:(("name",pid=12,fd=3),...), netstat prints 12/name. */
static void socket_process(struct str rest, struct socket_row *ret)
{
	static const char users[] = "users:((\"";
	size_t at = str_find(rest, STR(users));
	struct str word;
	uint64_t n;

	if (at < rest.len) {
		rest = str_skip(rest, at + sizeof(users) - 1);
		ret->program = str_sub(rest, 0, str_find(rest, STR("\",pid=")));
		rest = str_skip(rest, ret->program.len + sizeof("\",pid=") - 1);
		ret->pid = rest;
		if (!str_u64(&rest, &n))
			ret->program = ret->pid = STR_NONE;
		else
			ret->pid.len -= rest.len;
		return;
	}
	while (!ret->is_ss && str_word(&rest, &word)) {
		size_t slash = str_find_char(word, '/');

		if (slash + 1 >= word.len || !socket_number(str_sub(word, 0, slash), &n))
			continue;
		ret->pid = str_sub(word, 0, slash);
		ret->program = str_skip(word, slash + 1);
		/* a process title that the program set: "12/nginx: worker process" */
		ret->program.len -= str_ends(ret->program, STR(":"));
		return;
	}
}

/* Take the protocol at the start of a row: "tcp", "tcp6", "udp". */
static void socket_protocol(struct str *line, struct socket_row *ret)
{
	struct str rest = *line;
	struct str word;

	if (!str_word(&rest, &word) ||
	    !str_glob(STR("tcp|tcp4|tcp6|tcp46|udp|udp4|udp6|udp46"), word))
		return;
	ret->is_tcp = str_starts(word, STR("tcp"));
	ret->family = ret->is_tcp ? STR_NONE : word;
	*line = rest;
}

/*
 * Parse a row of ss about a socket of another family than TCP and UDP, with or without a state:
 *   p_raw  204800512 0   rarp:*   *   users:(("keepalived",pid=2547,fd=12))
 *   u_dgr  UNCONN 0  0   /run/systemd/notify 1530   * 0
 */
static bool socket_other(struct str line, struct socket_row *ret)
{
	struct str word, port;

	*ret = (struct socket_row){ .is_ss = true };
	if (!str_word(&line, &ret->family) ||
	    !str_glob(STR("p_raw|p_dgr|nl|u_str|u_dgr|u_seq|raw|raw6|icmp6|v_dgr"), ret->family) ||
	    !str_word(&line, &word))
		return false;
	ret->state = socket_row_state(word);
	if (ret->state.len && !str_word(&line, &word))
		return false;
	if (!socket_number(word, &ret->recv_q) || !str_word(&line, &word) ||
	    !socket_number(word, &ret->send_q) || !str_word(&line, &ret->local))
		return false;
	word = line;
	/* the local address of a Unix socket has two words: the path and the inode */
	if (str_starts(ret->family, STR("u_")) && str_word(&word, &port))
		ret->local.len = (size_t)(port.p + port.len - ret->local.p);
	if (!ret->state.len)
		ret->state = STR("UNCONN");
	ret->peer = STR("*");
	socket_process(line, ret);
	return true;
}

bool socket_row_parse(struct str line, struct str state, struct socket_row *ret)
{
	struct str word, recv, send;

	if (line.len > SOCKET_BYTES)
		return false;
	if (state.len == 0 && socket_other(line, ret))
		return true;
	*ret = (struct socket_row){ .is_tcp = true };
	socket_protocol(&line, ret);
	if (!str_word(&line, &word))
		return false;
	ret->state = state.len ? state : socket_row_state(word);
	ret->is_ss = ret->state.len > 0;
	recv = word;
	if (ret->is_ss && state.len == 0 && !str_word(&line, &recv))
		return false;
	if (!socket_number(recv, &ret->recv_q) || !str_word(&line, &send) ||
	    !socket_number(send, &ret->send_q) || !str_word(&line, &ret->local) ||
	    !socket_is_address(ret->local) || !str_word(&line, &ret->peer) ||
	    !socket_is_address(ret->peer))
		return false;
	if (!ret->is_ss) {
		struct str rest = line;

		if (str_word(&rest, &word))
			ret->state = socket_row_state(word);
		if (ret->state.len)
			line = rest;
		else if (ret->is_tcp)
			return false; /* netstat prints a state for each TCP socket */
	}
	/* ss -i prints such rows with round trips; counter_lines.c reads them */
	if (str_contains(line, STR("cwnd:")))
		return false;
	socket_process(line, ret);
	return true;
}

bool socket_row_begins(struct str line)
{
	struct socket_row row = { .is_tcp = true };
	struct str word;
	uint64_t n;

	if (line.len > SOCKET_BYTES)
		return false;
	socket_protocol(&line, &row);
	if (!str_word(&line, &word))
		return false;
	if (socket_row_state(word).len && !str_word(&line, &word))
		return false;
	return socket_number(word, &n) && str_word(&line, &word) && socket_number(word, &n);
}
