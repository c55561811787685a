/* SPDX-License-Identifier: MIT */
/*
 * strace_command.c - parse the command line of strace
 *
 * Sources: strace(1); qualify_trace() and option -e in src/filter_qualify.c of strace.
 */
#include "formats/syscalls/strace_command.h"
#include "formats/above.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "formats/format.h"

#define COMMAND_ABOVE_LINES 12u
#define COMMAND_LINE_BYTES  1024u
/* maximum number of seconds; a larger number is no run time of strace */
#define COMMAND_SECONDS 86400u

/* short options of strace that take an argument */
static const char command_with_argument[] = "abEIkoOpPsSuUX";
/* arguments of -e trace= that are classes or patterns of calls, not names */
static const char command_classes[] =
	"all|none|file|process|network|net|signal|ipc|desc|memory|creds|clock|pure|stat|lstat_like|"
	"fstat_like|*%*|*/*|*!*|*\\**";
/* Arguments of -e other than trace=, which do not select calls. */
static const char command_qualifiers[] =
	"abbrev=*|verbose=*|raw=*|signal=*|signals=*|s=*|read=*|reads=*|r=*|write=*|writes=*|w=*|"
	"fault=*|inject=*|status=*|quiet=*|silence=*|silent=*|q=*|kvm=*|decode-*|namespace=*|"
	"trace-fd*|fds=*|fd=*";

static struct str command_unquote(struct str s)
{
	while (s.len && (s.p[0] == '\'' || s.p[0] == '"'))
		s = str_skip(s, 1);
	while (s.len && (s.p[s.len - 1] == '\'' || s.p[s.len - 1] == '"'))
		s.len--;
	return s;
}

static void command_filter(struct strace_command *c, struct str arg)
{
	struct str name;
	struct str rest;

	arg = command_unquote(arg);
	if (!str_take(&arg, STR("trace=")) && !str_take(&arg, STR("t=")) &&
	    str_glob(str_of(command_qualifiers), arg))
		return;
	c->filter = command_unquote(arg);
	c->is_filtered = true;
	for (rest = c->filter; rest.len; rest = str_skip(rest, name.len + 1)) {
		name = str_sub(rest, 0, str_find_char(rest, ','));
		if (name.len == 0 || str_glob(str_of(command_classes), name)) {
			c->filter = STR_NONE;
			return;
		}
	}
}

/*
 * Read @arg, the argument of option -p, into c->pid. c->pid stays empty if the shell computes the
 * process id, or if there are several.
 */
static void command_process(struct strace_command *c, struct str arg)
{
	struct str rest = arg;
	uint64_t n;

	c->pid = c->pid.len == 0 && str_u64(&rest, &n) && rest.len == 0 ? arg : STR_NONE;
}

/*
 * Read @word, which is a group of short options, such as "-fttTe". If the last option takes an
 * argument and @word has none, the next word is taken from @line.
 */
static void command_letters(struct strace_command *c, struct str word, struct str *line)
{
	for (size_t i = 1; i < word.len; i++) {
		bool is_filter = word.p[i] == 'e';
		bool is_pid = word.p[i] == 'p';
		struct str arg = str_skip(word, i + 1);

		c->is_wall |= word.p[i] == 'w';
		c->follows |= word.p[i] == 'f';
		if (!is_filter &&
		    !memchr(command_with_argument, word.p[i], sizeof(command_with_argument) - 1))
			continue;
		if (!arg.len && !str_word(line, &arg))
			return;
		if (is_filter)
			command_filter(c, arg);
		if (is_pid)
			command_process(c, arg);
		return;
	}
}

static void command_options(struct strace_command *c, struct str line)
{
	struct str word;

	while (str_word(&line, &word) && word.len > 1 && word.p[0] == '-') {
		struct str arg = word;

		if (word.p[1] != '-') {
			command_letters(c, word, &line);
			continue;
		}
		c->is_wall |= str_eq(word, STR("--summary-wall-clock"));
		c->follows |= str_starts(word, STR("--follow-forks"));
		if (str_take(&arg, STR("--trace=")) || str_take(&arg, STR("--expr=")) ||
		    ((str_eq(word, STR("--trace")) || str_eq(word, STR("--expr"))) &&
		     str_word(&line, &arg)))
			command_filter(c, arg);
	}
}

/*
 * The number of seconds in @word, an argument of timeout(1): "5", "5s" or "2m". 0: @word is no
 * time.
 */
static uint64_t command_seconds(struct str word)
{
	uint64_t n;

	if (!str_u64(&word, &n) || n > COMMAND_SECONDS || word.len > 1)
		return 0;
	if (word.len == 0 || word.p[0] == 's')
		return n;
	return word.p[0] == 'm' ? 60 * n : 0;
}

/*
 * The number of seconds for which the command in @line ran, from "timeout 5s strace -c", or from a
 * heading such as "strace -c -f, 10 seconds". 0: unknown.
 */
static uint64_t command_duration(struct str line)
{
	struct str before = STR_NONE;
	bool is_timeout = false;
	bool is_strace = false;
	struct str word;

	while (str_word(&line, &word)) {
		if (is_timeout && !is_strace && word.p[0] != '-' && command_seconds(word))
			return command_seconds(word);
		is_timeout |= str_eq(word, STR("timeout"));
		is_strace |= str_eq(word, STR("strace")) || str_ends(word, STR("/strace"));
		if (is_strace && before.len && char_is_digit(before.p[before.len - 1]) &&
		    str_glob(STR("s|sec|secs|seconds|seconds,|seconds:|sec,|sec:"), word))
			return command_seconds(before);
		before = word;
	}
	return 0;
}

static bool command_parse(struct str line, struct strace_command *ret)
{
	struct str whole = line;
	struct str word;

	*ret = (struct strace_command){ .is_wall = false };
	if (line.len > COMMAND_LINE_BYTES)
		return false;
	while (str_word(&line, &word)) {
		if (!str_eq(word, STR("strace")) && !str_ends(word, STR("/strace")))
			continue;
		line = str_ltrim(line);
		if (!line.len || line.p[0] != '-')
			continue;
		ret->line = whole;
		ret->pipe = str_skip(line, str_find_char(line, '|'));
		command_options(ret, line);
		ret->seconds = command_duration(whole);
		return true;
	}
	return false;
}

bool strace_command_above(const struct region *in, struct strace_command *ret)
{
	struct str above = above_region(in);
	struct str line;

	for (unsigned int n = 0; n < COMMAND_ABOVE_LINES && above_line(&above, &line); n++) {
		if (command_parse(line, ret))
			return true;
	}
	return false;
}

/*
 * Whether lines of the call @name may pass the commands in @pipe, such as "| grep write". Lines
 * pass if @pipe has no grep, or contains the first four letters of @name.
 */
static bool command_passes(struct str pipe, struct str name)
{
	return !str_contains(pipe, STR("grep")) || str_contains(pipe, str_sub(name, 0, 4));
}

void strace_command_context(const struct region *in, struct capture *c)
{
	struct strace_command command;

	if (!strace_command_above(in, &command))
		return;
	if (command.pid.len) {
		capture_note(c, STR(METRICS_NOTE_PROCESS), command.pid, c->first_line);
		c->notes.data[c->notes.len - 1].is_detail = true;
	}
	if (command.seconds)
		*VEC_PUSH(&c->facts) =
			(struct capture_fact){ strings_add(capture_strings(c),
							   STR(METRICS_FACT_SECONDS)),
					       command.seconds, c->first_line };
}

void strace_command_note(const struct region *in, struct capture *c)
{
	struct strace_command command;
	struct str rest;
	struct str name;

	if (!strace_command_above(in, &command))
		return;
	if (!command.is_filtered && !str_glob(STR("*grep*|*awk*|*sed*"), command.pipe)) {
		capture_note(c, STR(METRICS_NOTE_NO_FILTER), STR("none"), c->first_line);
		c->notes.data[c->notes.len - 1].is_detail = true;
	}
	if (!command.filter.len || str_glob(STR("* -v*|*head*|*tail*|*sed *|*awk *"), command.pipe))
		return;
	for (rest = command.filter; rest.len; rest = str_skip(rest, name.len + 1)) {
		name = str_sub(rest, 0, str_find_char(rest, ','));
		if (!command_passes(command.pipe, name))
			return;
	}
	capture_note(c, command.follows ? STR(STRACE_FILTER_NOTE) : STR(STRACE_FILTER_NOTE_NO_F),
		     command.filter, c->first_line);
}
