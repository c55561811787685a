/* SPDX-License-Identifier: MIT */
/*
 * packet_line.h - parse a line of tcpdump: a TCP segment, or a message of DNS
 */
#ifndef FORMATS_PACKET_LINE_H
#define FORMATS_PACKET_LINE_H

#include "base/str.h"

enum packet_kind {
	PACKET_NONE, /* no line of tcpdump */
	PACKET_HEAD, /* tcpdump -v: the first of two lines, with the time only */
	PACKET_TCP,
	PACKET_DNS,
	PACKET_OTHER, /* another protocol */
};

struct packet_line {
	enum packet_kind kind;
	uint64_t ns; /* time of day, or since 1970; 0: not on this line */
	bool has_time;
	bool is_relative;    /* since the packet before (-ttt), or since the first one (-ttttt) */
	struct str from, to; /* address and port, as printed: "192.0.2.1.443" */
	/* TCP */
	bool is_syn, is_rst, is_fin, has_ack, has_seq;
	uint64_t seq, end; /* first byte, and the one after the last */
	uint64_t ack, window, length;
	/* DNS */
	uint64_t id;
	bool is_answer;
};

/* Parse @line. Source: tcpdump, print-tcp.c, print-domain.c, util-print.c (ts_print()). */
void packet_line_parse(struct str line, struct packet_line *ret);
/* Index of the '.' before the port of @endpoint; its length: no port. */
size_t packet_line_port(struct str endpoint);

#endif
