/* SPDX-License-Identifier: MIT */
/*
 * log_prefix.h - the text that precedes a log record on its line: time, host, process
 *
 * A service prints records. syslog, journald, container tools and users add a prefix to each
 * record. All log readers share this parser of prefixes.
 */
#ifndef FORMATS_LOG_PREFIX_H
#define FORMATS_LOG_PREFIX_H

#include "base/str.h"

/*
 * Cache of the date that was parsed last, because most lines have the same date. All bytes are
 * zero: the cache is empty.
 */
struct log_day {
	char text[10]; /* the date as printed: "2018-04-23" */
	uint64_t ns;   /* start of this day, in ns since 1970 */
};

struct log_prefix {
	/*
	 * name of the program or container, such as "ovs-vswitchd" or "kernel"; empty: not printed
	 */
	struct str process;
	struct str node;  /* host name of syslog; empty: not printed */
	uint64_t time_ns; /* time in ns by the clock in `clock` */
	uint8_t clock;    /* enum log_clock; CLOCK_NONE: no time */
};

/*
 * Take an ISO 8601 time, "2018-04-23T05:11:34.237Z". Variants: a blank instead of the T; a comma
 * instead of the dot; up to 9 decimals; an offset (+02:00, +0200) instead of Z; no zone, which is
 * read as UTC. @ret_has_zone: whether a zone is printed; may be NULL.
 */
bool log_prefix_take_iso_time(struct str *s, struct log_day *day, uint64_t *ret_ns,
			      bool *ret_has_zone);
/*
 * Take "Mon Apr  5 06:29:32 2018", as dmesg -T prints it. @ret_ns: ns since 1970, as if the printed
 * time were UTC.
 */
bool log_prefix_take_ctime(struct str *s, uint64_t *ret_ns);

/*
 * Parse @prefix, the text that precedes a record on its line. These forms are accepted:
 *   2025-05-14T04:27:28.000Z [ovn-sb-db-server]       pebble and the like
 *   2025-05-14T04:27:28.000000000Z stderr F           CRI (containers)
 *   [pod/ovn-central-0/ovn-northd]                    kubectl logs --prefix
 *   ovsdb-server-nb_1  |                              docker compose
 *   {"log":"                                          docker's json-file
 *   Apr  5 06:29:32 node1 ovs-vswitchd[1234]:         syslog, journalctl
 *   2018-04-05T06:29:32.628+00:00 node1 ovs-vswitchd: rsyslog
 * For any other prefix, @ret has no process and no time.
 */
void log_prefix_read(struct str prefix, struct log_day *day, struct log_prefix *ret);
/*
 * Whether @line starts as lines of syslog or of a container runtime do: a time, followed by a
 * process name, "stdout", "stderr" or '['.
 */
bool log_prefix_is_in(struct str line);

/*
 * Number of days from 1970-01-01 to the date, in the Gregorian calendar. @year must be 1970 or
 * later.
 */
uint64_t log_prefix_days(unsigned int year, unsigned int month, unsigned int day);
/* Number of the month whose name is at the start of @s: 1 for "Jan", 12 for "Dec"; 0: none. */
unsigned int log_prefix_month(struct str s);
/*
 * Take "06:29:32", with or without decimals after a dot or comma. @ret_ns: ns since midnight.
 * False: @s is unchanged.
 */
bool log_prefix_take_clock(struct str *s, uint64_t *ret_ns);
/*
 * Take a time zone: "Z", "+02:00" or "-0700". *ret_ns: ns to add to the local time to get UTC.
 * False: no zone; *ret_ns is 0.
 */
bool log_prefix_take_zone(struct str *s, int64_t *ret_ns);

#endif
