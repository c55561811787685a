/* SPDX-License-Identifier: MIT */
#include "formats/logs/kernel_line.h"

#include "base/status.h"
#include "base/str.h"
#include "core/kinds/records.h"
#include "formats/logs/log_prefix.h"

#define KERNEL_PREFIX_BYTES 192u /* maximum length of a prefix of syslog: "TIME HOST kernel:" */
#define KERNEL_MODULE_BYTES 24u
/* dmesg -d prints a time as " <    0.000123>": maximum length of the text after " <" */
#define KERNEL_DELTA_BYTES 24u
/* a strong word of kernel_words must begin within this many bytes of the message's start */
#define KERNEL_STRONG_BYTES   24u
#define KERNEL_SECONDS_DIGITS 5u
/* maximum number of bytes of a message in which words are searched */
#define KERNEL_TEXT_BYTES 512u

static const struct {
	struct str word;
	enum log_level level;
	/* only kernels print this word: a line that has it is a kernel line, even without a time */
	bool is_strong;
} kernel_words[] = {
#define WORD(w, level, strong)                      \
	{                                           \
		{ w, sizeof(w) - 1 }, level, strong \
	}
	WORD("Kernel panic - not syncing", LEVEL_EMERGENCY, true),
	WORD("BUG: soft lockup - CPU", LEVEL_EMERGENCY, true),
	WORD("hard LOCKUP on cpu", LEVEL_EMERGENCY, true),
	WORD("BUG: unable to handle", LEVEL_CRITICAL, true),
	WORD("Unable to handle kernel", LEVEL_CRITICAL, true),
	WORD("kernel BUG at ", LEVEL_CRITICAL, true),
	WORD("BUG: scheduling while atomic", LEVEL_CRITICAL, true),
	WORD("BUG: sleeping function called from", LEVEL_CRITICAL, true),
	WORD("BUG: workqueue lockup", LEVEL_CRITICAL, true),
	WORD("BUG: KASAN: ", LEVEL_CRITICAL, true),
	WORD("BUG: KCSAN: ", LEVEL_CRITICAL, true),
	WORD("BUG: KMSAN: ", LEVEL_CRITICAL, true),
	WORD("BUG: KFENCE: ", LEVEL_CRITICAL, true),
	WORD("general protection fault", LEVEL_CRITICAL, false),
	WORD("Oops: ", LEVEL_CRITICAL, false),
	WORD("BUG: ", LEVEL_CRITICAL, false),
	WORD("]: segfault at ", LEVEL_ERROR, true),
	WORD("INFO: rcu_", LEVEL_ERROR, true),
	WORD("rcu: INFO: ", LEVEL_ERROR, true),
	WORD("detected stall", LEVEL_ERROR, false),
	WORD("self-detected stall", LEVEL_ERROR, false),
	WORD("UBSAN: ", LEVEL_WARN, true),
	/* sources of the next three texts: mm/page_alloc.c, mm/slub.c, mm/show_mem.c */
	WORD("page allocation failure: order:", LEVEL_WARN, true),
	WORD("*4kB ", LEVEL_INFO, true), /* free blocks of a zone: "0*4kB 1*8kB" */
	WORD("SLUB: Unable to allocate memory on ", LEVEL_WARN, true),
	WORD("Out of memory: Kill", LEVEL_ERROR, true),
	WORD("invoked oom-killer", LEVEL_WARN, true),
	WORD("possible circular locking dependency", LEVEL_WARN, true),
	WORD("possible recursive locking detected", LEVEL_WARN, true),
	WORD("inconsistent lock state", LEVEL_WARN, true),
	WORD("is trying to acquire lock:", LEVEL_WARN, true),
	WORD("Showing all locks held in the system", LEVEL_WARN, true),
	/*
	 * "nfs: server NAME not responding"; the kernel prints "nfs: server NAME OK" if the server
	 * answers later. Source: net/sunrpc/clnt.c
	 */
	WORD("nfs: server ", LEVEL_NOTICE, true),
	WORD("DPC: containment event", LEVEL_WARN, true), /* source: drivers/pci/pcie/dpc.c */
	WORD("WARNING: CPU: ", LEVEL_WARN, true),         /* source: kernel/panic.c, __warn() */
	WORD("WARNING: ", LEVEL_WARN, false),
#undef WORD
};

static bool kernel_is_hung_task(struct str text)
{
	size_t at = str_find(text, STR(" blocked for more than "));
	struct str task = str_ltrim(str_sub(text, 0, at));

	return (at < text.len || str_contains(text, STR(" likely owned by task ")) ||
		str_contains(text, STR(" likely last held by task "))) &&
	       (str_starts(task, STR("INFO: task ")) || str_starts(task, STR("task ")));
}

/* Set the level and is_strong of @l from the words in its message. */
static void kernel_words_read(struct kernel_line *l)
{
	struct str text = str_sub(l->text, 0, KERNEL_TEXT_BYTES);

	if (kernel_is_hung_task(text)) {
		l->is_strong = true;
		l->level = LEVEL_ERROR;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(kernel_words); i++) {
		size_t at = str_find(text, kernel_words[i].word);

		if (at == text.len)
			continue;
		l->is_strong = kernel_words[i].is_strong && at <= KERNEL_STRONG_BYTES;
		l->level = (uint8_t)kernel_words[i].level;
		return;
	}
}

/* Skip " <    0.000123>". This is the time since the previous record, which dmesg -d prints. */
static void kernel_skip_delta(struct str *s)
{
	struct str rest = *s;
	size_t close;

	if (!str_take(&rest, STR(" <")))
		return;
	close = str_find_char(str_sub(rest, 0, KERNEL_DELTA_BYTES), '>');
	if (close < rest.len && close < KERNEL_DELTA_BYTES)
		*s = str_skip(rest, close + 1);
}

/* Take the caller, which CONFIG_PRINTK_CALLER adds: "[  T12]" a task, "[ C1]" a CPU. */
static bool kernel_take_caller(struct str *s)
{
	struct str who, digits;
	uint64_t number;

	if (s->len < 4 || s->p[0] != '[')
		return false;
	who = str_ltrim(str_skip(*s, 1));
	digits = str_skip(who, 1);
	if (who.len < 3 || (who.p[0] != 'T' && who.p[0] != 'C') || !str_u64(&digits, &number) ||
	    !str_take(&digits, STR("]")))
		return false;
	*s = digits;
	return true;
}

/* Take the time since boot, "[   12.345678]", and the caller after it, "[  T12]" or "[ C1]". */
static bool kernel_take_boot_time(struct str *s, uint64_t *ret_ns)
{
	struct str rest = *s;
	uint64_t seconds;
	uint64_t micro;
	size_t before;

	if (!str_take(&rest, STR("[")))
		return false;
	rest = str_ltrim(rest);
	if (!str_u64(&rest, &seconds) || !str_take(&rest, STR(".")))
		return false;
	before = rest.len;
	if (!str_u64(&rest, &micro) || before - rest.len != 6 || seconds > UINT32_MAX)
		return false;
	kernel_skip_delta(&rest);
	if (!str_take(&rest, STR("]")))
		return false;
	*ret_ns = seconds * 1000000000 + micro * 1000;
	(void)kernel_take_caller(&rest);
	*s = rest;
	return true;
}

/* Take a time of dmesg -T: "[Mon Apr  5 06:29:32 2018]". */
static bool kernel_take_wall_time(struct str *s, uint64_t *ret_ns)
{
	struct str rest = *s;

	if (!str_take(&rest, STR("[")) || !log_prefix_take_ctime(&rest, ret_ns))
		return false;
	kernel_skip_delta(&rest);
	if (!str_take(&rest, STR("]")))
		return false;
	*s = rest;
	return true;
}

/*
 * Take a time of dmesg -H. The first record of a minute has the date and the minute, "[Feb22
 * 04:01]". Other records have the time since the previous record, "[  +0.000001]". Source:
 * util-linux, sys-utils/dmesg.c, short_ctime().
 */
static bool kernel_take_short_time(struct str *s, struct kernel_line *l)
{
	struct str rest = str_ltrim(str_skip(*s, 1));
	unsigned int month = log_prefix_month(rest);
	uint64_t day, hour, minute, ns;
	unsigned int printed;

	if (str_take(&rest, STR("+"))) {
		if (!str_fixed(&rest, 9, &ns, &printed) || printed != 6 ||
		    !str_take(&rest, STR("]")))
			return false;
		l->clock = CLOCK_YEAR;
		l->is_after = true;
		l->time_ns = ns;
		*s = rest;
		return true;
	}
	if (!month)
		return false;
	rest = str_ltrim(str_skip(rest, 3));
	if (!str_u64(&rest, &day) || day < 1 || day > 31 || !str_take(&rest, STR(" ")) ||
	    !str_u64(&rest, &hour) || hour > 23 || !str_take(&rest, STR(":")) ||
	    !str_u64(&rest, &minute) || minute > 59 || !str_take(&rest, STR("]")))
		return false;
	l->clock = CLOCK_YEAR;
	l->is_minute = true;
	l->time_ns = ((log_prefix_days(1971, month, (unsigned int)day) - 365) * UINT64_C(86400) +
		      (hour * 60 + minute) * 60) *
		     UINT64_C(1000000000);
	*s = rest;
	return true;
}

static bool kernel_take_time(struct str *s, struct kernel_line *l)
{
	if (s->len == 0 || s->p[0] != '[')
		return false;
	if (kernel_take_boot_time(s, &l->time_ns))
		l->clock = CLOCK_BOOT;
	else if (kernel_take_wall_time(s, &l->time_ns))
		l->clock = CLOCK_REALTIME;
	else
		return kernel_take_short_time(s, l);
	return true;
}

static const struct {
	struct str name;
	enum log_level level;
} kernel_levels[] = {
	{ { "emerg", 5 }, LEVEL_EMERGENCY }, { { "alert", 5 }, LEVEL_CRITICAL },
	{ { "crit", 4 }, LEVEL_CRITICAL },   { { "err", 3 }, LEVEL_ERROR },
	{ { "warn", 4 }, LEVEL_WARN },       { { "notice", 6 }, LEVEL_NOTICE },
	{ { "info", 4 }, LEVEL_INFO },       { { "debug", 5 }, LEVEL_DEBUG },
};

/*
 * Set the level of @l from a syslog priority. The lowest three bits are the level; the upper bits,
 * the facility, are ignored.
 */
static void kernel_set_level(uint64_t priority, struct kernel_line *l)
{
	l->level = (uint8_t)kernel_levels[priority & 7].level;
	l->level_text = kernel_levels[priority & 7].name;
}

/* Take a level: "<4>", or "kern  :warn  : " of dmesg -x. */
static bool kernel_take_level(struct str *s, struct kernel_line *l)
{
	struct str rest = *s;
	struct str name;
	uint64_t n;

	if (str_take(&rest, STR("<"))) {
		if (!str_u64(&rest, &n) || n > 191 || !str_take(&rest, STR(">")))
			return false;
		kernel_set_level(n, l);
		*s = rest;
		return true;
	}
	if (!str_take(&rest, STR("kern")))
		return false;
	rest = str_ltrim(rest);
	if (!str_take(&rest, STR(":")))
		return false;
	n = str_find_char(rest, ':');
	name = str_rtrim(str_sub(rest, 0, n));
	for (size_t i = 0; i < ARRAY_LEN(kernel_levels); i++) {
		if (str_eq(name, kernel_levels[i].name)) {
			kernel_set_level(i, l);
			*s = str_ltrim(str_skip(rest, n + 1));
			return true;
		}
	}
	return false;
}

/*
 * Take "4,5005,12915307506,-;", the prefix of a record of /dev/kmsg. Its fields are the level, the
 * record number, the microseconds since boot, and a flag for continued records. Source:
 * Documentation/ABI/testing/dev-kmsg.
 */
static bool kernel_take_kmsg(struct str *s, struct kernel_line *l)
{
	struct str rest = *s;
	uint64_t priority, number, us;

	if (!str_u64(&rest, &priority) || priority > 191 || !str_take(&rest, STR(",")) ||
	    !str_u64(&rest, &number) || !str_take(&rest, STR(",")) || !str_u64(&rest, &us) ||
	    us > UINT64_MAX / 1000 || !str_take(&rest, STR(",")) ||
	    str_find_char(rest, ';') == rest.len)
		return false;
	kernel_set_level(priority, l);
	l->time_ns = us * 1000;
	l->clock = CLOCK_BOOT;
	*s = str_skip(rest, str_find_char(rest, ';') + 1);
	return true;
}

/*
 * Take the prefix of a kernel line in syslog, "Apr  5 06:29:32 host kernel:". Also take " kernel:"
 * alone, with which syslogd starts a message to all terminals. False: neither prefix; @s is
 * unchanged.
 */
static bool kernel_take_syslog(struct str *s, struct log_day *day, struct kernel_line *l)
{
	struct str head = str_sub(*s, 0, KERNEL_PREFIX_BYTES);
	size_t at = str_find(head, STR("kernel:"));
	struct log_prefix p;

	if (at == head.len || (at > 0 && head.p[at - 1] != ' '))
		return false;
	log_prefix_read(str_sub(head, 0, at + 7), day, &p);
	if (!str_eq(p.process, STR("kernel")))
		return false;
	/*
	 * "kernel:" without a time starts a message of syslogd to all terminals. No text may
	 * precede it, and the time since boot, "[…]", must follow it
	 */
	if (p.clock == CLOCK_NONE && (str_trim(str_sub(head, 0, at)).len ||
				      !str_starts(str_ltrim(str_skip(head, at + 7)), STR("["))))
		return false;
	l->node = p.node;
	l->clock = p.clock;
	l->time_ns = p.time_ns;
	*s = str_skip(*s, at + 7);
	return true;
}

static bool kernel_is_register(struct str w)
{
	static const char *const names[] = { "CS",   "DS",      "ES",      "FS",   "GS",
					     "SS",   "PKRU",    "CPU",     "UID",  "PID",
					     "BUG",  "INFO",    "WARNING", "Oops", "Code",
					     "Comm", "Tainted", "PGD",     "IRQ",  "Workqueue" };

	if (w.len == 3 && (w.p[0] == 'R' || w.p[0] == 'E' || w.p[0] == 'C' || w.p[0] == 'D') &&
	    (char_is_digit(w.p[2]) || w.p[2] == 'X' || w.p[2] == 'P' || w.p[2] == 'I'))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(w, str_of(names[i])))
			return true;
	}
	return false;
}

/*
 * The subsystem that a message names at its start: "watchdog" in "watchdog: BUG: …", "EXT4-fs" in
 * "EXT4-fs (sda1): …". Empty: none.
 */
static struct str kernel_module(struct str text)
{
	struct str head = str_sub(text, 0, KERNEL_MODULE_BYTES + 1);
	size_t n = 0;

	while (n < head.len) {
		char c = head.p[n];

		if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && !char_is_digit(c) && c != '_' &&
		    c != '-' && c != '.')
			break;
		n++;
	}
	if (n < 2 || n > KERNEL_MODULE_BYTES || n + 2 > text.len || char_is_digit(text.p[0]))
		return STR("");
	if (str_starts(str_skip(text, n), STR(" (")))
		return str_starts(str_skip(text, n + str_find_char(str_skip(text, n), ')')),
				  STR("):"))
			       ? str_sub(text, 0, n)
			       : STR("");
	if (text.p[n] != ':' || text.p[n + 1] != ' ' || kernel_is_register(str_sub(text, 0, n)))
		return STR("");
	return str_sub(text, 0, n);
}

/*
 * Whether @text, a line without a time, may be a kernel line. True: a strong word of kernel_words
 * begins near its start, or it starts like the report of a hung task. This test is fast.
 */
static bool kernel_may_be_strong(struct str text)
{
	if (str_starts(text, STR("INFO: task ")) || str_starts(text, STR("task ")))
		return true;
	for (size_t at = 0; at < text.len && at <= KERNEL_STRONG_BYTES; at++) {
		struct str s = str_skip(text, at);

		/* faster: skip characters with which no strong word of kernel_words begins */
		if (!memchr("KBhUk]OipSIrnDW*", s.p[0], 16))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(kernel_words); i++) {
			if (kernel_words[i].is_strong && str_starts(s, kernel_words[i].word))
				return true;
		}
	}
	return false;
}

bool kernel_line_read(struct str line, struct log_day *day, struct kernel_line *ret)
{
	struct kernel_line l = { .clock = CLOCK_NONE };
	struct str s = str_ltrim(line);
	bool is_syslog = kernel_take_syslog(&s, day, &l);
	bool has_level;
	bool has_time;

	s = str_ltrim(s);
	if (s.len && char_is_digit(s.p[0]) && kernel_take_kmsg(&s, &l)) {
		has_level = has_time = true;
	} else {
		has_level = kernel_take_level(&s, &l);
		has_time = kernel_take_time(&s, &l);
	}
	l.text = str_trim(s);
	if (!has_time && !is_syslog && !kernel_may_be_strong(l.text))
		return false;
	/*
	 * If the line prints no level, its words determine the level. If the line prints neither a
	 * time nor "kernel:", its words also show whether a kernel printed it (is_strong), as in
	 * "<3>INFO: task …".
	 */
	if (!has_level || (!has_time && !is_syslog)) {
		uint8_t level = l.level;

		kernel_words_read(&l);
		l.level = has_level ? level : l.level;
	}
	if (!has_time && !is_syslog && !l.is_strong)
		return false;
	l.is_strong = !has_time && !is_syslog;
	l.module = kernel_module(l.text);
	*ret = l;
	return true;
}

/*
 * Whether @s starts with the source file and line of a frame: "(kernel/sched/core.c:6608". Source:
 * scripts/decode_stacktrace.sh of Linux.
 */
static bool kernel_is_place(struct str s)
{
	size_t colon = str_find_char(s, ':');
	uint64_t line;

	if (colon < 4 || s.p[0] != '(' || s.p[colon - 2] != '.' ||
	    !memchr("chS", s.p[colon - 1], 3) || str_find_char(s, ' ') < colon)
		return false;
	s = str_skip(s, colon + 1);
	return str_u64(&s, &line);
}

struct str kernel_line_bare(struct str line)
{
	struct str s = str_ltrim(line);
	struct str rest;
	size_t n = 0;

	/* only the caller is printed, "[    C2] text": printk without a time */
	rest = s;
	if (kernel_take_caller(&rest))
		return str_ltrim(rest);
	/* a syslog line whose time and host were removed */
	if (str_take(&s, STR("kernel: ")))
		return s;
	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	/* a line number that a pager printed: "7344   │ text" */
	rest = str_ltrim(str_skip(s, n));
	if (n && str_take(&rest, STR("│ ")))
		return rest;
	if (n != KERNEL_SECONDS_DIGITS || s.p[0] != '0' || (n < s.len && s.p[n] != ' '))
		return line;
	return str_skip(s, n);
}

/*
 * Whether @s starts with a frame: "schedule+0x2e/0xb0", "schedule (kernel/sched/core.c:6608)" or,
 * on 32-bit Arm, "__schedule from schedule+0x60/0x100".
 */
static bool kernel_is_frame(struct str s)
{
	size_t from = str_find(s, STR(" from "));
	size_t n = 0;
	uint64_t v;

	if (from < s.len)
		s = str_skip(s, from + strlen(" from "));
	while (n < s.len && n < 128 &&
	       (((s.p[n] | 0x20) >= 'a' && (s.p[n] | 0x20) <= 'z') || char_is_digit(s.p[n]) ||
		s.p[n] == '_' || s.p[n] == '.'))
		n++;
	if (n && str_starts(str_skip(s, n), STR(" (")))
		return kernel_is_place(str_skip(s, n + 1));
	if (n == 0 || !str_starts(str_skip(s, n), STR("+0x")))
		return false;
	s = str_skip(s, n + 1);
	return str_hex64(&s, &v) && str_take(&s, STR("/0x"));
}

/*
 * Whether @s is a lock class, possibly after "#0: ": "(&zilog->zl_lock){+.+.}-{4:4}, at:
 * f+0x1/0x2".
 */
static bool kernel_is_lock_class(struct str s)
{
	size_t at = str_find(s, STR("){"));

	return at < s.len && (s.p[0] == '(' || s.p[0] == '#' || char_hex(s.p[0]) >= 0) &&
	       at + 2 < s.len && memchr("+-.?", s.p[at + 2], 4);
}

/*
 * Whether @s is a line of a list of locks: "2 locks held by a/100:", or "#0: ffff888012472538
 * (&f->f_pos_lock){+.+.}-{3:3}, at: f+0x1/0x2".
 */
static bool kernel_is_lock_list(struct str s)
{
	uint64_t v;

	if (str_take(&s, STR("#")))
		return str_u64(&s, &v) && str_take(&s, STR(": ")) && str_hex64(&s, &v) &&
		       str_starts(s, STR(" ("));
	return str_u64(&s, &v) &&
	       (str_starts(s, STR(" lock held by ")) || str_starts(s, STR(" locks held by ")));
}

/*
 * Remove the two addresses at the start of a PowerPC frame: "[c000000629343540] [c0000000007623b4]
 * ". If @s does not start with them, return @s.
 */
static struct str kernel_after_addresses(struct str s)
{
	struct str rest = s;
	uint64_t v;

	for (unsigned int i = 0; i < 2; i++) {
		if (!str_take(&rest, STR("[")) || !str_hex64(&rest, &v) ||
		    !str_take(&rest, STR("] ")))
			return s;
	}
	return str_ltrim(rest);
}

/*
 * Whether @s is the title line of a task's stack: "task:mount state:D stack:0 pid:7722". Before
 * Linux 5.12 it is "mount           D 8448  7722   7490 0x00040008". Source: kernel/sched/core.c,
 * sched_show_task().
 */
static bool kernel_is_task(struct str s)
{
	struct str word;
	unsigned int numbers = 0;

	if (str_starts(s, STR("task:")))
		return str_contains(s, STR(" state:"));
	/* skip the name, which may have blanks, up to the one-letter state */
	while (str_word(&s, &word) && !(word.len == 1 && memchr("RSDTtZXIP", word.p[0], 9)))
		;
	for (; str_word(&s, &word) && word.len && char_hex(word.p[0]) >= 0; numbers++) {
		if (numbers >= 3 && str_starts(word, STR("0x")))
			return str_trim(s).len == 0;
	}
	return false;
}

bool kernel_line_is_dump(struct str line)
{
	static const char *const starts[] = {
		"Call Trace:", "<TASK>", "</TASK>", "<IRQ>", "</IRQ>", "RIP: ", "RSP: ", "RAX: ",
		"RDX: ", "RBP: ", "R10: ", "R13: ", "FS:  ", "CS:  ", "CR2: ", "Code: ", "CPU: ",
		"Modules linked in:", "Hardware name: ", "Workqueue: ", "---[ end trace",
		/* source of the next texts: kernel/locking/lockdep.c */
		"-> #", "but task is already holding lock:", "which lock already depends",
		"the existing dependency chain", "other info that might help", "lock(",
		"Possible unsafe locking scenario", "*** DEADLOCK ***",
		/* source of the next texts: kernel/hung_task.c, check_hung_task() */
		"Not tainted ", "Tainted: ", "\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\"",
		/*
		 * source of the next texts: arch/powerpc/kernel/process.c, show_regs() and
		 * show_stack()
		 */
		"NIP [", "LR [", "NIP: ", "--- interrupt: ",
		/* source of the next texts: kernel/rcu/tree_stall.h */
		"rcu: ", "(t=", "(detected by "
	};
	struct str s = str_ltrim(line);

	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		if (str_starts(s, str_of(starts[i])))
			return true;
	}
	if (kernel_is_lock_list(s) || kernel_is_task(s))
		return true;
	if (str_starts(kernel_after_addresses(s), STR("0x")))
		return true;
	s = kernel_after_addresses(s);
	if (str_starts(s, STR("[<")))
		s = str_ltrim(str_skip(s, str_find(s, STR(">]")) + 2));
	(void)str_take(&s, STR("? "));
	return kernel_is_frame(s) || kernel_is_lock_class(s);
}

bool kernel_line_is_code(struct str line)
{
	struct str s = str_ltrim(line);
	size_t n = 0;
	uint64_t v;

	while (s.len && strchr("#>*", s.p[0]))
		s = str_skip(s, 1);
	while (n < s.len && char_hex(s.p[n]) >= 0)
		n++;
	return n == 16 && str_hex64(&s, &v) && str_take(&s, STR(": ")) && str_hex64(&s, &v) &&
	       s.len && char_is_blank(s.p[0]);
}
