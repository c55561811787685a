/* SPDX-License-Identifier: MIT */
/*
 * packet_line.h - parse a line of tcpdump: a TCP segment, or a message of DNS
 */
#ifndef FORMATS_PACKET_LINE_H
#define FORMATS_PACKET_LINE_H

#include "base/str.h"

enum packet_kind {
	PACKET_NONE, /* no line of tcpdump */
	/* first of the two lines that tcpdump -v prints; it has the time, not the addresses */
	PACKET_HEAD,
	PACKET_TCP,
	PACKET_DNS,
	PACKET_OTHER, /* a packet of another protocol than TCP and DNS */
};

struct packet_line {
	enum packet_kind kind;
	uint64_t ns; /* time of day, or time since 1970; valid if has_time */
	bool has_time;
	/* time since the previous packet (-ttt) or since the first one (-ttttt) */
	bool is_relative;
	struct str from, to; /* address and port, as printed: "192.0.2.1.443" */
	/* the flags of a TCP segment, and whether its line has an ACK and sequence numbers */
	bool is_syn, is_rst, is_fin, has_ack, has_seq;
	/* sequence number of the first byte (seq), and of the byte after the last one (end) */
	uint64_t seq, end;
	uint64_t ack, window, length;
	/* id of a DNS message */
	uint64_t id;
	bool is_answer;
};

/* Parse @line. Source: tcpdump, print-tcp.c, print-domain.c, util-print.c (ts_print()). */
void packet_line_parse(struct str line, struct packet_line *ret);
/* Offset of the '.' before the port of @endpoint; endpoint.len: no port. */
size_t packet_line_port(struct str endpoint);

#endif
