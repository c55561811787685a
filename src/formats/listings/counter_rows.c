/* SPDX-License-Identifier: MIT */
/*
 * counter_rows.c - listings with one object per row: sockets of ss and netstat, open files of lsof
 * and /proc/PID/fd, file systems of df, file locks of /proc/locks
 *
 * Sockets are counted for each pair of state and process, and for each peer. Open files are counted
 * for each file. Requests for locks are counted for each lock for which they wait. The values of a
 * file system become counters. Each tool has a parser of its rows: socket_row.h, file_row.h,
 * disk_row.h, lock_row.h.
 *
 * Listings of ss -i, and listings in which all sockets listen (ss -l), are not read here, but by
 * counter_lines.c.
 */
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/format.h"
#include "formats/listings/disk_row.h"
#include "formats/listings/file_row.h"
#include "formats/listings/lock_row.h"
#include "formats/listings/socket_row.h"
#include "formats/unread_rows.h"

#include <stdarg.h>
#include <stdio.h>

DECLARE_FORMAT(counter_rows);

/* maximum number of consecutive lines of other kinds inside a listing */
#define ROWS_GAP   3u
#define ROWS_SCORE 99u
#define ROWS_BARE  2u /* minimum number of rows of sockets if the titles are missing */
#define ROWS_KEY   192u
#define ROWS_NAME  120u /* maximum length of a file's name in a key */

enum rows_kind {
	ROWS_NONE,
	ROWS_SOCKETS,
	ROWS_FILES,
	ROWS_BARE_FILES, /* rows of lsof without their titles */
	ROWS_LINKS,      /* rows of "ls -l /proc/PID/fd" */
	ROWS_DISKS,
	ROWS_LOCKS,
};

/* The line of titles above rows. */
struct rows_head {
	enum rows_kind kind;
	/* state of all sockets, from "ss -tn state close-wait"; empty: each row has a state */
	struct str state;
	struct file_head file;
	struct disk_head disk;
};

struct rows_row {
	enum rows_kind kind;
	union {
		struct socket_row socket;
		struct file_row file;
		struct disk_row disk;
		struct lock_row lock;
	};
};

enum rows_line { ROWS_OTHER, ROWS_HEAD, ROWS_ROW, ROWS_FILLER };

static bool rows_is_head(struct str line, struct rows_head *ret)
{
	bool is_ss;

	*ret = (struct rows_head){ .kind = ROWS_NONE };
	if (line.len < 8 || line.len > 1024)
		return false;
	if (socket_row_head(line, &is_ss))
		ret->kind = ROWS_SOCKETS;
	else if (file_row_head(line, &ret->file))
		ret->kind = ROWS_FILES;
	else if (disk_row_head(line, &ret->disk))
		ret->kind = ROWS_DISKS;
	return ret->kind != ROWS_NONE;
}

static bool rows_parse(const struct rows_head *h, struct str line, struct rows_row *ret)
{
	struct file_head bare;

	ret->kind = h->kind;
	if (h->kind == ROWS_NONE)
		ret->kind = lock_row_parse(line, &ret->lock)        ? ROWS_LOCKS
			    : file_row_bare(line, &bare)            ? ROWS_BARE_FILES
			    : file_row_parse_link(line, &ret->file) ? ROWS_LINKS
								    : ROWS_SOCKETS;
	switch (ret->kind) {
	case ROWS_FILES:
		return file_row_parse(&h->file, line, &ret->file);
	case ROWS_DISKS:
		return disk_row_parse(&h->disk, line, &ret->disk);
	case ROWS_SOCKETS:
		return socket_row_parse(line, h->state, &ret->socket);
	case ROWS_LOCKS:
		return lock_row_parse(line, &ret->lock);
	case ROWS_BARE_FILES:
		return file_row_parse(&bare, line, &ret->file);
	case ROWS_LINKS:
		return true;
	case ROWS_NONE:
		break;
	}
	return false;
}

static bool rows_begins(const struct rows_head *h, struct str line)
{
	return h->kind == ROWS_DISKS   ? disk_row_begins(&h->disk, line)
	       : h->kind == ROWS_FILES ? false
				       : socket_row_begins(line);
}

/*
 * Whether @line is a line that the tool prints between rows, such as a socket that is not read, or
 * the memory of a socket.
 */
static bool rows_is_filler(const struct rows_head *h, struct str line)
{
	struct str word;

	line = str_trim(line);
	if (h->kind == ROWS_FILES)
		return str_glob(STR("lsof:*|Output information may be incomplete*"), line);
	if (h->kind != ROWS_SOCKETS || !str_word(&line, &word))
		return false;
	return str_glob(
		STR("u_str|u_dgr|u_seq|nl|p_raw|p_dgr|icmp6|raw|mptcp|v_str|skmem:*|users:*|"
		    "tcp|tcp6|udp|udp6|raw6|udplite|sctp"),
		word);
}

/* The kind of @line. If a mailer broke the row, its second half is taken from @rest. */
static enum rows_line rows_classify(const struct rows_head *h, struct str line, struct str *rest,
				    struct rows_head *ret_head, struct rows_row *ret_row)
{
	struct str after = *rest;
	struct str next, both = line;

	if (rows_is_head(line, ret_head))
		return ROWS_HEAD;
	if (str_contains(line, STR(" state ")) && str_line(&after, &next) &&
	    socket_row_filter(line, next, &ret_head->state)) {
		ret_head->kind = ROWS_SOCKETS;
		*rest = after;
		return ROWS_HEAD;
	}
	after = *rest;
	if (rows_parse(h, line, ret_row)) {
		/*
		 * if ss -i printed a line with round trips after this row, counter_lines.c reads
		 * the listing instead
		 */
		if (ret_row->kind == ROWS_SOCKETS && str_line(&after, &next) &&
		    str_contains(next, STR(" cwnd:")))
			return ROWS_OTHER;
		return ROWS_ROW;
	}
	if (rows_begins(h, line) && str_line(&after, &next)) {
		both.len = (size_t)(next.p + next.len - line.p);
		if (rows_parse(h, both, ret_row)) {
			*rest = after;
			return ROWS_ROW;
		}
	}
	return rows_is_filler(h, line) ? ROWS_FILLER : ROWS_OTHER;
}

static bool rows_listens(const struct rows_row *row)
{
	return row->kind == ROWS_SOCKETS && row->socket.is_ss &&
	       str_eq(row->socket.state, STR("LISTEN"));
}

static bool counter_rows_find(struct str text, size_t from, struct extent *ret)
{
	struct rows_head head = { .kind = ROWS_NONE };
	struct rows_head next;
	struct rows_row row;
	struct str rest = str_skip(text, from);
	struct str line;
	unsigned int others = 0;
	size_t rows = 0, listening = 0;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		enum rows_line kind = rows_classify(&head, line, &rest, &next, &row);
		bool is_whole = rows > listening && rows >= (head.kind ? 1 : ROWS_BARE);

		if (kind == ROWS_ROW) {
			if (rows++ == 0 && head.kind == ROWS_NONE)
				ret->from = at;
			listening += rows_listens(&row);
			others = 0;
			ret->to = text.len - rest.len;
			continue;
		}
		if (kind == ROWS_HEAD) {
			/*
			 * only df may print a second line of titles in one listing: df -h and df -i
			 * of the same file systems
			 */
			if (is_whole && (next.kind != head.kind || next.kind != ROWS_DISKS))
				break;
			if (!is_whole) {
				ret->from = at;
				rows = listening = 0;
			}
			head = next;
			others = 0;
			continue;
		}
		others += kind == ROWS_OTHER && str_trim(line).len > 0;
		if (others <= ROWS_GAP)
			continue;
		if (is_whole)
			break;
		head.kind = ROWS_NONE;
		rows = listening = others = 0;
	}
	if (rows == listening || rows < (head.kind ? 1 : ROWS_BARE))
		return false;
	ret->score = ROWS_SCORE;
	ret->name = ret->declined = NULL;
	return true;
}

static unsigned int counter_rows_probe(struct str head)
{
	struct extent e;

	return counter_rows_find(head, 0, &e) ? 85 : 0;
}

static const struct diag_kind rows_lines = { "counter-rows-lines", DIAG_INFO,
					     "lines between rows of a listing" };
static const struct diag_kind rows_past = { "counter-rows-past-limit", DIAG_DATALOSS,
					    "rows past the limit" };

/* A sum over rows. */
struct rows_sum {
	str_id name, key, unit, comment;
	int64_t value;
	uint32_t line;  /* line of the first row that was counted */
	bool is_hidden; /* the sum is only needed to compute other sums, and is not written */
};

struct rows_reader {
	const struct region *in;
	struct capture *c;
	struct strings *strings;
	struct idmap map;
	VEC(struct rows_sum) sums;
	const char *tool;
	/* the last lock in the listing that a process holds (not a request); empty type: none */
	struct lock_row lock;
	/*
	 * The listing has a socket with another state than SYN-SENT, so it was not filtered for
	 * this state.
	 */
	bool has_other;
};

/* The sum with the name @name and the key @key. It is added if it does not exist. */
static struct rows_sum *rows_sum_of(struct rows_reader *r, const char *name, str_id key,
				    uint32_t line)
{
	str_id id = strings_add(r->strings, str_of(name));
	struct idmap_probe p = idmap_first(&r->map, hash_u64((uint64_t)id.v << 32 | key.v, 37));

	while (idmap_next(&r->map, &p)) {
		struct rows_sum *s = &r->sums.data[p.id];

		if (s->name.v == id.v && s->key.v == key.v)
			return s;
	}
	idmap_insert(&r->map, &p, (uint32_t)r->sums.len);
	*VEC_PUSH(&r->sums) = (struct rows_sum){ .name = id, .key = key, .line = line };
	return &r->sums.data[r->sums.len - 1];
}

/* Add @n to the sum @name of @key. The line of the sum is the line of the first row with n > 0. */
static void rows_add(struct rows_reader *r, const char *name, str_id key, uint64_t n, uint32_t line)
{
	struct rows_sum *s = rows_sum_of(r, name, key, line);

	if (s->value == 0 && n)
		s->line = line;
	if (n > INT64_MAX || __builtin_add_overflow(s->value, (int64_t)n, &s->value))
		s->value = INT64_MAX;
}

static void rows_hide(struct rows_reader *r, const char *name, str_id key, uint64_t n,
		      uint32_t line)
{
	rows_add(r, name, key, n, line);
	rows_sum_of(r, name, key, line)->is_hidden = true;
}

static PRINTF(2, 3) str_id rows_key(struct rows_reader *r, const char *fmt, ...)
{
	char text[ROWS_KEY];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		return STR_ID_NONE;
	return strings_add(
		r->strings,
		(struct str){ text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1 });
}

static str_id rows_process(struct rows_reader *r, struct str name, struct str pid)
{
	return rows_key(r, STR_FMT " (pid " STR_FMT ")", STR_ARG(str_sub(name, 0, 32)),
			STR_ARG(str_sub(pid, 0, 12)));
}

static uint64_t rows_port(struct str address)
{
	struct str port = str_skip(address, socket_row_port(address) + 1);
	uint64_t n;

	/* a port with a name, such as "https", is the port of a server */
	return str_u64(&port, &n) && port.len == 0 ? n : 0;
}

/*
 * The owner of a socket: its process or, if the process is not printed, the port of the server. The
 * server has the lower port number.
 */
static str_id rows_owner(struct rows_reader *r, const struct socket_row *s)
{
	uint64_t local = rows_port(s->local), peer = rows_port(s->peer);

	if (s->program.len)
		return rows_process(r, s->program, s->pid);
	if (local <= peer)
		return rows_key(r, "local port " STR_FMT,
				STR_ARG(str_skip(s->local, socket_row_port(s->local) + 1)));
	return rows_key(r, STR_FMT, STR_ARG(str_sub(s->peer, 0, 64)));
}

/* Count a TCP socket in @state for its owner. */
static void rows_count_state(struct rows_reader *r, str_id owner, struct str state, uint32_t line)
{
	rows_add(r, "connections", owner, 1, line);
	rows_add(r, "CLOSE-WAIT", owner, str_eq(state, STR("CLOSE-WAIT")), line);
}

/*
 * Add the unread bytes in the receive queue of @s, a socket of another kind than TCP. The queue of
 * a listening socket is skipped, because it counts connections.
 */
static void rows_add_datagrams(struct rows_reader *r, const struct socket_row *s, uint32_t line)
{
	struct str local = str_sub(s->local, 0, 64);
	str_id key;

	/*
	 * Skip Unix and UDP sockets with nearly empty queues, because listings have many of them.
	 */
	if (str_eq(s->state, STR("LISTEN")) || s->family.len == 0 ||
	    (s->recv_q < 1024 && str_glob(STR("u_*|udp*"), s->family)))
		return;
	if (s->program.len)
		key = rows_key(r, STR_FMT " " STR_FMT " of " STR_FMT, STR_ARG(s->family),
			       STR_ARG(local), STR_ARG(str_sub(s->program, 0, 32)));
	else
		key = rows_key(r, STR_FMT " " STR_FMT, STR_ARG(s->family), STR_ARG(local));
	rows_add(r, "unread messages", key, s->recv_q >> 10, line);
}

static void rows_add_socket(struct rows_reader *r, const struct socket_row *s, uint32_t line)
{
	struct str local = str_sub(s->local, 0, 64), peer = str_sub(s->peer, 0, 64);
	bool is_syn = str_eq(s->state, STR("SYN-SENT"));
	str_id key;

	rows_add(r, "sockets",
		 rows_key(r, STR_FMT, STR_ARG(s->state.len ? s->state : STR("UNCONN"))), 1, line);
	if (!s->is_tcp) {
		rows_add_datagrams(r, s, line);
		return;
	}
	r->has_other |= !is_syn;
	if (str_eq(s->state, STR("LISTEN")) && s->is_ss) {
		key = rows_key(r, STR_FMT, STR_ARG(local));
		rows_sum_of(r, "Recv-Q", key, line)->value = (int64_t)(s->recv_q & INT64_MAX);
		rows_sum_of(r, "Send-Q", key, line)->value = (int64_t)(s->send_q & INT64_MAX);
	}
	if (str_glob(STR("LISTEN|UNCONN"), s->state))
		return;
	rows_count_state(r, rows_owner(r, s), s->state, line);
	key = rows_key(r, STR_FMT, STR_ARG(peer));
	rows_hide(r, "to peer", key, 1, line);
	rows_hide(r, "SYN-SENT to peer", key, is_syn, line);
	key = rows_key(r, STR_FMT " to " STR_FMT,
		       STR_ARG(str_sub(local, 0, socket_row_port(local))), STR_ARG(peer));
	rows_hide(r, "ports", key, 1, line);
	if (!str_eq(s->state, STR("ESTAB")))
		return;
	key = rows_key(r, STR_FMT " from " STR_FMT, STR_ARG(local), STR_ARG(peer));
	rows_add(r, "unread", key, s->recv_q >> 10, line);
	key = rows_key(r, STR_FMT " to " STR_FMT, STR_ARG(local), STR_ARG(peer));
	rows_add(r, "unsent", key, s->send_q >> 10, line);
}

/*
 * The key under which copies are counted: open files of one process with the same name.
 * STR_ID_NONE: do not count files of this type, because any number of them is normal.
 */
static str_id rows_copy(struct rows_reader *r, const struct file_row *f, str_id process)
{
	struct str owner = strings_get(r->strings, process);
	struct str name = str_sub(f->name, 0, ROWS_NAME);

	/*
	 * Any number of these is normal: a server has a descriptor for each accepted connection,
	 * and a program that walks directories has one for each open directory.
	 */
	if (str_glob(STR("IPv4|IPv6|unix|DIR|netlink|unknown|socket"), f->type))
		return STR_ID_NONE;
	/*
	 * the name of an eventpoll file lists the watched descriptors; drop this list, so that the
	 * names of copies are equal
	 */
	if (str_starts(name, STR("[eventpoll:")))
		name = STR("[eventpoll]");
	if (str_glob(STR("FIFO|PIPE"), f->type))
		name = str_starts(name, STR("/")) ? name : STR("pipes");
	if (str_eq(f->type, STR("sock")))
		name = STR("unconnected sockets");
	return rows_key(r, STR_FMT ": " STR_FMT, STR_ARG(owner), STR_ARG(name));
}

static void rows_add_type(struct rows_reader *r, const struct file_row *f, str_id process,
			  uint32_t line)
{
	char type[40];

	if (snprintf(type, sizeof(type), "type " STR_FMT, STR_ARG(str_sub(f->type, 0, 24))) > 0)
		rows_add(r, type, process, 1, line);
}

/* Count a descriptor of /proc/PID/fd, which shows no states and no sizes. */
static void rows_add_link(struct rows_reader *r, const struct file_row *f, str_id process,
			  uint32_t line)
{
	str_id key = rows_copy(r, f, process);

	rows_add(r, "descriptors", process, 1, line);
	rows_add_type(r, f, process, line);
	if (key.v)
		rows_add(r, "copies", key, 1, line);
}

static void rows_add_file(struct rows_reader *r, const struct file_row *f, uint32_t line)
{
	str_id process, key;

	process = f->pid.len ? rows_process(r, f->command, f->pid) : rows_key(r, "the process");
	if (!f->pid.len) {
		rows_add_link(r, f, process, line);
		return;
	}
	if (f->is_thread) {
		rows_add(r, "rows of threads", process, 1, line);
		return;
	}
	rows_add(r, "open files", process, 1, line);
	if (!f->is_descriptor)
		return;
	rows_add(r, "descriptors", process, 1, line);
	rows_add(r, "CLOSE-WAIT", process, 0, line);
	rows_add(r, "deleted", process, 0, line);
	/* lsof finds the socket in no table of a protocol: lsof, dialects/linux/dsock.c */
	rows_add(r, "without a connection", process,
		 str_eq(f->type, STR("sock")) &&
			 str_glob(STR("can't identify protocol|protocol: TCP*"), f->name),
		 line);
	rows_add_type(r, f, process, line);
	if (f->state.len && !str_glob(STR("LISTEN|UNCONN"), f->state))
		rows_count_state(r, process, f->state, line);
	key = rows_copy(r, f, process);
	if (key.v)
		rows_add(r, "copies", key, 1, line);
	/* mappings of memory and devices look like deleted files, but are none */
	if (!f->is_deleted || !str_eq(f->type, STR("REG")) ||
	    str_glob(STR("/dev/*|/memfd:*|/SYSV*|/?aio?*|/run/*|/anon_hugepage*|/drm *|/i915*"),
		     f->name))
		return;
	key = rows_key(r, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(f->pid), STR_ARG(f->device),
		       STR_ARG(f->node));
	rows_hide(r, "seen", key, 1, line);
	if (rows_sum_of(r, "seen", key, line)->value == 1)
		rows_add(r, "deleted", process, f->size >> 10, line);
}

static void rows_add_disk(struct rows_reader *r, const struct disk_row *d, uint32_t line)
{
	static const char *const names[DISK_CELLS] = {
		[DISK_SIZE] = "size",
		[DISK_USED] = "used",
		[DISK_FREE] = "available",
		[DISK_USE] = "use",
		[DISK_INODES] = "inodes",
		[DISK_INODES_USED] = "inodes used",
		[DISK_INODES_FREE] = "inodes free",
		[DISK_INODES_USE] = "inode use",
	};
	str_id key = rows_key(r, STR_FMT, STR_ARG(d->mount));
	str_id comment = rows_key(r, STR_FMT " " STR_FMT, STR_ARG(d->type), STR_ARG(d->device));

	for (unsigned int i = 0; i < DISK_CELLS; i++) {
		bool is_percent = i == DISK_USE || i == DISK_INODES_USE;
		bool is_bytes = i == DISK_SIZE || i == DISK_USED || i == DISK_FREE;
		struct rows_sum *s;

		if (!names[i] || !d->has[i])
			continue;
		/* if df was printed several times, keep the values of the last table */
		s = rows_sum_of(r, names[i], key, line);
		s->value = (int64_t)((is_bytes ? d->values[i] >> 10 : d->values[i]) & INT64_MAX);
		s->line = line;
		s->comment = comment;
		s->unit = is_percent ? strings_add(r->strings, STR("%"))
			  : is_bytes ? strings_add(r->strings, STR("KiB"))
				     : STR_ID_NONE;
	}
}

/*
 * Count a lock or a request. A request is counted at the lock for which it waits: the last lock
 * above the request, with the same number.
 */
static void rows_add_lock(struct rows_reader *r, const struct lock_row *l, uint32_t line)
{
	struct str holder = r->lock.pid.len ? r->lock.pid : STR("unknown");
	struct str pid = l->pid.len ? l->pid : STR("unknown");
	bool is_own;
	str_id key;

	if (!l->is_waiting) {
		r->lock = *l;
		rows_add(r, "locks held", rows_key(r, "pid " STR_FMT, STR_ARG(str_sub(pid, 0, 12))),
			 1, line);
		holder = pid;
	}
	if (r->lock.type.len == 0 || r->lock.number != l->number)
		return;
	key = rows_key(r, STR_FMT " " STR_FMT " lock of inode " STR_FMT ", held by pid " STR_FMT,
		       STR_ARG(r->lock.type), STR_ARG(r->lock.mode), STR_ARG(r->lock.inode),
		       STR_ARG(str_sub(holder, 0, 12)));
	/* a request of the process that owns the POSIX lock does not wait for this lock */
	is_own = l->is_waiting && l->pid.len && str_eq(l->pid, r->lock.pid);
	rows_add(r, "waiting requests", key, l->is_waiting, line);
	rows_add(r, "requests of the holder", key, is_own, line);
}

/* Compute the sums that need all rows: unanswered connections, and local ports for one peer. */
static void rows_finish(struct rows_reader *r)
{
	str_id unit = strings_add(r->strings, STR("KiB"));
	size_t n = r->sums.len;
	bool has_peer = false, has_ports = false;

	for (size_t i = 0; i < n; i++) {
		struct rows_sum s = r->sums.data[i];
		struct str name = strings_get(r->strings, s.name);

		if (str_eq(name, STR("SYN-SENT to peer"))) {
			int64_t all = rows_sum_of(r, "to peer", s.key, s.line)->value;

			if (!r->has_other || (s.value == 0 && has_peer))
				continue;
			has_peer = true;
			rows_add(r, "unanswered", s.key, s.value == all ? (uint64_t)all : 0,
				 s.line);
		} else if (str_eq(name, STR("ports")) && (s.value > 1 || !has_ports)) {
			has_ports = true;
			rows_add(r, "local ports", s.key, (uint64_t)s.value, s.line);
		} else if (str_glob(STR("unread|unsent"), name)) {
			r->sums.data[i].unit = unit;
		} else if (str_eq(name, STR("deleted"))) {
			r->sums.data[i].unit = strings_add(r->strings, STR("MiB"));
			r->sums.data[i].value >>= 10;
		}
	}
}

static void rows_print(struct rows_reader *r)
{
	VEC_FOREACH (s, &r->sums) {
		if (!s->is_hidden && counters_add(capture_counters(r->c), r->strings,
						  (struct counter){ .name = s->name,
								    .key = s->key,
								    .unit = s->unit,
								    .comment = s->comment,
								    .value = s->value,
								    .spread = -1,
								    .running = -1,
								    .line = s->line }) < 0)
			diag_count(&r->c->diag, &rows_past, s->line);
	}
}

static void rows_add_row(struct rows_reader *r, const struct rows_row *row, uint32_t line)
{
	switch (row->kind) {
	case ROWS_SOCKETS:
		r->tool = row->socket.is_ss ? "ss -tan" : "netstat -tan";
		rows_add_socket(r, &row->socket, line);
		break;
	case ROWS_FILES:
	case ROWS_BARE_FILES:
		r->tool = "lsof";
		rows_add_file(r, &row->file, line);
		break;
	case ROWS_LINKS:
		r->tool = "/proc/PID/fd";
		rows_add_file(r, &row->file, line);
		break;
	case ROWS_DISKS:
		r->tool = "df";
		rows_add_disk(r, &row->disk, line);
		break;
	case ROWS_LOCKS:
		r->tool = "/proc/locks";
		rows_add_lock(r, &row->lock, line);
		break;
	case ROWS_NONE:
		break;
	}
}

static int counter_rows_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct rows_reader r = { .in = in,
				 .c = format_add_capture(&format_counter_rows, in, d),
				 .sums = VEC_INIT,
				 .tool = "" };
	struct rows_head head = { .kind = ROWS_NONE };
	struct rows_head next;
	struct rows_row row;
	struct str text = in->text;
	struct str line;
	uint32_t n = 0;

	r.strings = capture_strings(r.c);
	while (str_line(&text, &line)) {
		const char *after = text.p;
		enum rows_line kind = rows_classify(&head, line, &text, &next, &row);
		bool is_broken = text.p != after;

		if (kind == ROWS_HEAD)
			head = next;
		else if (kind == ROWS_ROW)
			rows_add_row(&r, &row, region_line(in, n));
		else if (kind == ROWS_OTHER)
			unread_rows_count(r.c, &rows_lines, line, region_line(in, n));
		n += 1 + is_broken;
	}
	rows_finish(&r);
	rows_print(&r);
	VEC_FREE(&r.sums);
	idmap_fini(&r.map);
	if (!r.c->counters)
		return fail(err, ERR_FORMAT, "no row of a listing");
	r.c->counters->n_intervals = 1;
	r.c->counters->tool = strings_add(r.strings, str_of(r.tool));
	r.c->counters->label = strings_add(r.strings, counter_label(in));
	return OK;
}

const struct format format_counter_rows = {
	.name = "counter-rows",
	.title = "counters",
	.summary = "listings of one object a row: ss, netstat, lsof, /proc/PID/fd, df, /proc/locks",
	.kinds = KIND_COUNTERS,
	.probe = counter_rows_probe,
	.find = counter_rows_find,
	.read = counter_rows_read,
};
