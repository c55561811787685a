/* SPDX-License-Identifier: MIT */
/*
 * vlog_line.h - one line of Open vSwitch's vlog, and the names in titles above logs
 *
 * A record in a file or on the console is `2018-04-23T05:11:34.237Z|00015|raft|INFO|text`. In
 * syslog, it is `ovs|00015|raft|INFO|text`. Other text may precede a record on its line. Commit
 * messages quote a short form, `raft|INFO|text`, which no other text may precede.
 */
#ifndef FORMATS_VLOG_LINE_H
#define FORMATS_VLOG_LINE_H

#include "base/str.h"

struct log_day;

struct vlog_line {
	struct str prefix; /* text before the record */
	/* "daemon_unix(monitor)"; empty: the line ends before the end of the module */
	struct str module;
	struct str level_text;
	struct str text;
	uint64_t time_ns; /* valid if has_time */
	uint32_t sequence;
	uint8_t level; /* enum log_level */
	bool has_time;
	bool has_sequence; /* a sequence number is printed, and it fits into 32 bits */
	bool is_truncated; /* the line ends before the message */
};

/*
 * Parse @line. The texts of @ret are views of @line. False: no record starts in the first 512 bytes
 * of the line.
 */
bool vlog_line_read(struct str line, struct log_day *day, struct vlog_line *ret);
/* Whether @line starts like a line of the kernel log: "[22471.454414] ". */
bool vlog_line_is_kernel(struct str line);
/*
 * Split @line at the colon after the program: "ovsdb-server: message". False: it does not start
 * with the name of a program of Open vSwitch or OVN. ovs_error.c describes such lines.
 */
bool vlog_error_begins(struct str line, struct str *ret_program, struct str *ret_message);
/* Is @message, the text after the program, about an error? */
bool vlog_error_is_one(struct str message);

/*
 * The process that @title names: "ovsdb-server-nb" for "#node3 ovsdb-server-nb logs"; empty: none.
 * The result is a constant text.
 */
struct str vlog_title_process(struct str title);
/*
 * The node that @title names: "node2" for "#node 2 …"; empty: none. The result is written to @buf.
 */
struct str vlog_title_node(struct str title, char buf[32]);
/*
 * The program that alone has the vlog module @module: "ovn-northd" for "ovn_northd". Empty: several
 * programs have this module, or it is unknown.
 */
struct str vlog_module_process(struct str module);

#endif
