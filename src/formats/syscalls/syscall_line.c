/* SPDX-License-Identifier: MIT */
#include "formats/syscalls/syscall_line.h"

#include "base/limits.h"

#include <stdlib.h>

#define LINE_NAME_MAX 100u

/*
 * The most frequent system calls. If one of these calls is on a line, the line is certainly from a
 * log of calls.
 */
static const char line_known[] =
	"read|write|open|openat|close|stat|lstat|fstat|newfstatat|fstatat64|statx|poll|ppoll|lseek|"
	"mmap|mmap2|mprotect|munmap|brk|rt_sig*|ioctl|pread64|pwrite64|readv|writev|access|"
	"faccessat*|pipe|pipe2|select|_newselect|pselect6*|sched_*|madvise|mremap|msync|dup|dup2|"
	"dup3|nanosleep|clock_nanosleep*|getpid|gettid|socket|connect|accept|accept4|sendto|"
	"recvfrom|sendmsg|recvmsg|sendmmsg|recvmmsg|bind|listen|getsockname|setsockopt|getsockopt|"
	"clone|clone3|fork|vfork|execve|wait4|waitid|kill|tgkill|fcntl|fcntl64|flock|fsync|"
	"fdatasync|sync_file_range|ftruncate|getdents|getdents64|getcwd|chdir|rename*|mkdir*|"
	"unlink*|readlink*|gettimeofday|clock_gettime*|futex|futex_time64|epoll_*|eventfd*|timerfd_"
	"*|"
	"restart_syscall|ptrace|process_vm_readv|io_submit|io_getevents|io_uring_*|sendfile*|"
	"splice|"
	"copy_file_range|fallocate|getrandom|prlimit64|getrusage|times|exit_group|umtx_op|_umtx_op|"
	"kevent|lwp_park|port_get*";

static bool line_is_name_char(char c)
{
	char low = (char)(c | 0x20);

	return (low >= 'a' && low <= 'z') || char_is_digit(c) || c == '_';
}

/*
 * Take the name of a call: "name(", "prog->name(", "name@libc.so.6(" or "SYS_read(". False: @s does
 * not start with a name and '('.
 */
static bool line_take_name(struct str *s, struct syscall_line *ret)
{
	size_t open = str_find_char(str_sub(*s, 0, LINE_NAME_MAX), '(');
	struct str name = str_sub(*s, 0, open);
	size_t arrow = str_find(name, STR("->"));
	size_t at = str_find_char(name, '@');
	bool has_letter = false;

	if (open == 0 || open == LINE_NAME_MAX || open >= s->len)
		return false;
	if (arrow < name.len) {
		name = str_skip(name, arrow + 2);
		ret->is_library = true;
	} else if (at < name.len) {
		name = str_sub(name, 0, at);
		ret->is_library = true;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (!line_is_name_char(name.p[i]) && name.p[i] != ':' && name.p[i] != '.' &&
		    name.p[i] != '~')
			return false;
		has_letter |= !char_is_digit(name.p[i]);
	}
	if (!has_letter || char_is_digit(name.p[0]))
		return false;
	(void)str_take(&name, STR("SYS_"));
	ret->name = name;
	*s = str_skip(*s, open + 1);
	return true;
}

/*
 * Index in @s of the ')' that ends the arguments; s.len: no such ')'. Strings and brackets inside
 * the arguments are skipped.
 */
static size_t line_args_end(struct str s)
{
	static const bool is_mark[256] = { ['"'] = true, ['('] = true, ['['] = true, ['{'] = true,
					   [']'] = true, ['}'] = true, [')'] = true };
	unsigned int depth = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (!is_mark[(unsigned char)s.p[i]])
			continue;
		switch (s.p[i]) {
		case '"':
			for (i++; i < s.len && s.p[i] != '"'; i++)
				i += s.p[i] == '\\';
			break;
		case '(':
		case '[':
		case '{':
			depth++;
			break;
		case ']':
		case '}':
			depth -= depth > 0;
			break;
		case ')':
			if (depth == 0)
				return i;
			depth--;
			break;
		default:
			break;
		}
	}
	return s.len;
}

/* If @s ends with a duration, such as "<0.000123>", remove it and store it in @ret. */
static void line_take_duration(struct str *s, struct syscall_line *ret)
{
	size_t open = str_rfind_char(*s, '<');
	struct str in = str_skip(*s, open + 1);
	uint64_t ns;

	if (open == s->len || in.len < 4 || in.p[in.len - 1] != '>' ||
	    !str_fixed(&in, 9, &ns, NULL) || in.len != 1)
		return;
	ret->duration_ns = ns;
	ret->has_duration = ret->is_sure = true;
	*s = str_rtrim(str_sub(*s, 0, open));
}

/* Take an error: "ENOENT", "ERESTARTSYS", "Err#2" or "ERR#2". False: no error. */
static bool line_take_error(struct str *s, struct syscall_line *ret)
{
	struct str rest = *s;
	struct str word;

	if (!str_word(&rest, &word))
		return false;
	if ((str_starts(word, STR("Err#")) || str_starts(word, STR("ERR#"))) && word.len > 4) {
		struct str number = str_skip(word, 4);
		uint64_t n;

		if (!str_u64(&number, &n) || n > 4095)
			return false;
		ret->error = word;
		ret->result = -(int64_t)n;
		*s = rest;
		return true;
	}
	if (word.len < 3 || word.len > 24 || word.p[0] != 'E')
		return false;
	for (size_t i = 1; i < word.len; i++) {
		if (!char_is_digit(word.p[i]) && word.p[i] != '_' &&
		    (word.p[i] < 'A' || word.p[i] > 'Z'))
			return false;
	}
	ret->error = word;
	*s = rest;
	return true;
}

/*
 * Read @s, the text after " = ", as the result of a call. False: it is no result as strace, ltrace,
 * perf trace or truss prints it.
 */
static bool line_take_result(struct str s, struct syscall_line *ret)
{
	bool is_negative;
	uint64_t v;

	s = str_trim(s);
	if (str_eq(s, STR("?")) || str_starts(s, STR("? ")) ||
	    str_starts(s, STR("<unavailable>")) || str_starts(s, STR("<void>"))) {
		s = str_trim(str_skip(s, 1));
		ret->is_sure |= line_take_error(&s, ret);
		return true;
	}
	is_negative = str_take(&s, STR("-"));
	if (str_starts(s, STR("0x")) ? !str_hex64(&s, &v) : !str_u64(&s, &v))
		return !is_negative &&
		       (ret->is_library |= str_starts(s, STR("nil")) || str_starts(s, STR("\"")));
	ret->result = is_negative ? -(int64_t)(v & INT64_MAX) : (int64_t)(v & INT64_MAX);
	ret->has_result = true;
	/* strace -y prints a path in "<...>" after a file descriptor: skip the path */
	if (s.len && s.p[0] == '<')
		s = str_skip(s, str_find_char(s, '>') + 1);
	s = str_ltrim(s);
	/* strace prints "-1 (errno 38)" for an error whose name it does not know */
	if (is_negative && v == 1 && str_starts(s, STR("(errno "))) {
		struct str number = str_skip(s, sizeof("(errno ") - 1);

		if (str_u64(&number, &v) && v && v <= 4095 && str_take(&number, STR(")")))
			ret->result = -(int64_t)v;
	}
	if (line_take_error(&s, ret)) {
		ret->is_sure = true;
		return true;
	}
	return s.len == 0 || s.p[0] == '(' || s.p[0] == '/' || s.p[0] == '[' || ret->is_sure;
}

/* Read a call: `name(arguments) = result …`. False: @s is no call. */
static bool line_take_call(struct str s, struct syscall_line *ret)
{
	size_t end;

	s = str_rtrim(s);
	if (!line_take_name(&s, ret))
		return false;
	ret->kind = SYSCALL_CALL;
	if (str_ends(s, STR("<unfinished ...>")) || str_ends(s, STR("<detached ...>"))) {
		ret->kind = SYSCALL_UNFINISHED;
		ret->is_sure = true;
		ret->args = str_rtrim(str_sub(s, 0, str_rfind_char(s, '<')));
		if (str_ends(ret->args, STR(",")))
			ret->args.len--;
		return true;
	}
	line_take_duration(&s, ret);
	end = line_args_end(s);
	ret->args = str_sub(s, 0, end);
	if (end == s.len) {
		/* the log ends before the ')' of the call */
		ret->kind = SYSCALL_UNFINISHED;
		return str_glob(str_of(line_known), ret->name) &&
		       (str_contains(s, STR(", ")) || s.len == 0 || char_is_digit(s.p[0])) &&
		       !str_ends(s, STR(";")) && !str_contains(s, STR("  "));
	}
	s = str_trim(str_skip(s, end + 1));
	/* perf trace prints "..." because the call has not returned yet */
	if (str_starts(s, STR("...")) && ret->clock) {
		ret->kind = SYSCALL_UNFINISHED;
		return true;
	}
	/*
	 * a line of perf trace whose result was cut off: it has a duration, so the call has ended
	 */
	if (s.len == 0 && ret->is_sure && ret->has_duration)
		return true;
	if (!str_take(&s, STR("=")))
		return ret->is_sure && line_take_error(&s, ret);
	return line_take_result(s, ret);
}

/*
 * Read the end of a call that was interrupted: "<... read resumed>"abc", 100) = 3" or "...
 * [continued]: read()) = 3". False: @s has another form.
 */
static bool line_take_resumed(struct str s, struct syscall_line *ret)
{
	size_t end;

	if (str_take(&s, STR("... [continued]: "))) {
		if (!line_take_name(&s, ret))
			return false;
	} else {
		if (!str_take(&s, STR("<... ")) || !str_word(&s, &ret->name) ||
		    !(s = str_ltrim(s), str_take(&s, STR("resumed"))))
			return false;
		s = str_skip(s, str_find_char(s, '>') + 1);
	}
	ret->kind = SYSCALL_RESUMED;
	ret->is_sure = true;
	line_take_duration(&s, ret);
	end = line_args_end(s);
	ret->args = str_trim(str_sub(s, 0, end));
	s = str_ltrim(str_skip(s, end + 1));
	(void)str_take(&s, STR(")")); /* perf trace prints a second ')' */
	s = str_ltrim(s);
	if (str_take(&s, STR("=")))
		(void)line_take_result(s, ret);
	return true;
}

static bool line_take_clock(struct str *s, uint64_t *ret_ns)
{
	struct str rest = *s;
	uint64_t h, m, sec;

	if (!str_u64(&rest, &h) || h > 23 || !str_take(&rest, STR(":")) || !str_u64(&rest, &m) ||
	    m > 59 || !str_take(&rest, STR(":")) || !str_fixed(&rest, 9, &sec, NULL) ||
	    sec >= UINT64_C(61000000000) || rest.len == 0 || !char_is_blank(rest.p[0]))
		return false;
	*ret_ns = (h * 60 + m) * UINT64_C(60000000000) + sec;
	*s = str_ltrim(rest);
	return true;
}

/*
 * Skip the date that ts of moreutils prints before the time of day: "Jul 01 13:55:25 ". ts prints
 * the time at which the line ended, so the call had returned. False: there is no date.
 */
static bool line_skip_date(struct str *s)
{
	struct str rest = *s;
	struct str month, day;
	uint64_t ns;

	if (s->len > 16 && str_word(&rest, &month) &&
	    str_glob(STR("Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"), month) &&
	    str_word(&rest, &day) && day.len <= 2 && char_is_digit(day.p[0])) {
		struct str after = rest = str_ltrim(rest);

		if (line_take_clock(&after, &ns)) {
			*s = rest;
			return true;
		}
	}
	return false;
}

/* Take the time before a call, as strace -t, -tt, -ttt, -r or truss -d prints it. */
static void line_take_time(struct str *s, struct syscall_line *ret)
{
	struct str rest = *s;
	unsigned int decimals;
	uint64_t ns;

	if (line_take_clock(s, &ret->time_ns)) {
		ret->clock = SYSCALL_ABSOLUTE;
		/*
		 * "strace ... | ts | ts -i" prints the time since the previous line, and then a
		 * time of day
		 */
		if (line_take_clock(s, &ns)) {
			ret->gap_ns = ns < ret->time_ns ? ns : ret->time_ns;
			ret->time_ns = ns < ret->time_ns ? ret->time_ns : ns;
			ret->has_gap = true;
		}
		rest = *s;
		/*
		 * strace -r with another option for times prints the time since the previous line
		 * in "(+...)": skip it
		 */
		if (str_take(&rest, STR("(+"))) {
			*s = str_ltrim(str_skip(rest, str_find_char(rest, ')') + 1));
		}
		return;
	}
	if (!str_fixed(&rest, 9, &ns, &decimals) || decimals < 3 || rest.len == 0 ||
	    !char_is_blank(rest.p[0]))
		return;
	ret->time_ns = ns;
	/* a large number is a time since 1970; a small number is a time since the previous line */
	ret->clock = ns > UINT64_C(100000000000000000) ? SYSCALL_ABSOLUTE : SYSCALL_RELATIVE;
	*s = str_ltrim(rest);
}

/*
 * Take the process or thread id at the start of @s: "[pid 12] ", "[pid 12<comm>] ", "12/3: ", "12 "
 * or "12<comm> ".
 */
static void line_take_who(struct str *s, struct syscall_line *ret)
{
	struct str rest = *s;
	bool is_bracket = str_take(&rest, STR("[pid "));
	uint64_t pid, lwp;

	rest = str_ltrim(rest);
	if (!str_u64(&rest, &pid) || pid == 0 || pid > UINT32_MAX)
		return;
	if (str_take(&rest, STR("<"))) {
		size_t end = str_find_char(rest, '>');

		ret->comm = str_sub(rest, 0, end);
		rest = str_skip(rest, end + 1);
	}
	if (is_bracket) {
		if (!str_take(&rest, STR("]")))
			return;
		ret->is_sure = true;
	} else if (str_take(&rest, STR("/"))) {
		if (!str_u64(&rest, &lwp) || lwp > UINT32_MAX || !str_take(&rest, STR(":")))
			return;
		pid = lwp;
		ret->is_sure = true;
	} else {
		(void)str_take(&rest, STR(":"));
	}
	if (!is_bracket && (rest.len == 0 || !char_is_blank(rest.p[0])))
		return;
	ret->pid = (uint32_t)pid;
	*s = str_ltrim(rest);
}

/*
 * Read the start of a line of perf trace: "  123.456 ( 0.004 ms): cat/1234 read(...) = 1". Without
 * times it is " ? ( ): ". False: @s has another form.
 */
static bool line_take_perf(struct str *s, struct syscall_line *ret)
{
	struct str rest = *s;
	uint64_t ns;
	size_t slash, open;

	if (!str_take(&rest, STR("?"))) {
		unsigned int decimals;

		if (!str_fixed(&rest, 6, &ret->time_ns, &decimals) || decimals != 3)
			return false;
		ret->clock = SYSCALL_ABSOLUTE;
	}
	rest = str_ltrim(rest);
	if (!str_take(&rest, STR("(")))
		return false;
	rest = str_ltrim(rest);
	if (str_fixed(&rest, 6, &ns, NULL)) {
		rest = str_ltrim(rest);
		if (!str_take(&rest, STR("ms")))
			return false;
		ret->duration_ns = ns;
		ret->has_duration = true;
	}
	rest = str_ltrim(rest);
	if (!str_take(&rest, STR("):")))
		return false;
	rest = str_ltrim(rest);
	slash = str_find_char(rest, '/');
	open = str_find_char(rest, '(');
	if (slash < open && slash < 17) {
		struct str tail = str_skip(rest, slash + 1);
		uint64_t pid;

		if (str_u64(&tail, &pid) && pid <= UINT32_MAX) {
			ret->comm = str_sub(rest, 0, slash);
			ret->pid = (uint32_t)pid;
			rest = str_ltrim(tail);
		}
	}
	ret->is_sure = true;
	*s = rest;
	return true;
}

/*
 * The address in si_addr of a fault: "NULL" in "{si_signo=SIGSEGV, si_code=SEGV_MAPERR,
 * si_addr=NULL}"; empty: none.
 */
static struct str line_fault_address(struct str s)
{
	struct str key = STR("si_addr=");
	size_t at = str_find(s, key);

	if (at >= s.len)
		return STR_NONE;
	s = str_skip(s, at + key.len);
	s = str_sub(s, 0, str_find_char(s, '}'));
	return str_sub(s, 0, str_find_char(s, ','));
}

static bool line_take_note(struct str s, struct syscall_line *ret)
{
	size_t name_at = 0;

	if (s.len == 0 || !memchr("+-sP", s.p[0], 4))
		return false; /* fast path: most lines are no notes */
	if (str_glob(STR("+++ exited *+++"), s)) {
		ret->kind = SYSCALL_EXIT;
	} else if (str_glob(STR("+++ killed by SIG*+++"), s)) {
		ret->kind = SYSCALL_KILLED;
		name_at = sizeof("+++ killed by ") - 1;
	} else if (str_glob(STR("--- stopped by SIG*---"), s)) {
		ret->kind = SYSCALL_STOPPED;
		name_at = sizeof("--- stopped by ") - 1;
	} else if (str_glob(STR("--- SIG*---"), s)) {
		ret->kind = SYSCALL_SIGNAL;
		name_at = sizeof("--- ") - 1;
	} else if (str_glob(STR("strace: Process * *tached*|strace: attach*|"
				"Process * attached*|Process * detached*|Process * resumed*|"
				"Process * suspended*"),
			    s) &&
		   s.len < 200)
		ret->kind = SYSCALL_NOTE;
	else
		return false;
	if (name_at) {
		struct str rest = str_skip(s, name_at);

		(void)str_word(&rest, &ret->name);
		ret->args = line_fault_address(rest);
	}
	ret->is_sure = true;
	return true;
}

void syscall_line_parse(struct str line, struct syscall_line *ret)
{
	struct str s = str_trim(line);

	*ret = (struct syscall_line){ .kind = SYSCALL_OTHER };
	if (s.len < 4 || s.len > LIMIT_LINE_BYTES)
		return;
	/*
	 * strace -k marks a stack frame with "> ". Mail uses the same mark for quotations, so it
	 * may have been removed
	 */
	(void)str_take(&s, STR("> "));
	if (s.len > 4 && (s.p[0] == '/' || s.p[0] == '[') && s.p[s.len - 1] == ']' &&
	    str_contains(s, STR(") [0x"))) {
		ret->kind = SYSCALL_FRAME;
		return;
	}
	if (!line_take_perf(&s, ret)) {
		*ret = (struct syscall_line){ .kind = SYSCALL_OTHER };
		ret->is_end_time = line_skip_date(&s);
		line_take_who(&s, ret);
		line_take_time(&s, ret);
	}
	if (line_take_note(s, ret) || line_take_resumed(s, ret) || line_take_call(s, ret))
		return;
	ret->kind = SYSCALL_OTHER;
}

int syscall_line_errno(struct str name)
{
	if (str_starts(name, STR("ERESTART")))
		return -4;
	for (int e = 1; e < 134; e++) {
		const char *z = strerrorname_np(e);

		if (z && str_eq(str_of(z), name))
			return -e;
	}
	return str_eq(name, STR("EWOULDBLOCK")) ? -11 : str_eq(name, STR("ENOTSUP")) ? -95 : 0;
}
