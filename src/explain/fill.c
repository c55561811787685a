/* SPDX-License-Identifier: MIT */
#include "explain/fill.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <inttypes.h>

/* A process has most of a profile if its share (0 to 1) is at least this. */
#define FILL_MOST 0.6
/*
 * The kernel stores only this many bytes of a process's name. pgrep without -f compares only these
 * bytes.
 */
#define FILL_COMM 15u
/* Programs whose -p takes a list of processes. */
#define FILL_TAKES_LIST "perf *|strace *|pidstat *|ltrace *|timeout * strace *"
/* Programs that accept either a command or -p. */
#define FILL_TAKES_PID "perf *|strace *|ltrace *|assay record *"
/* Programs that accept a function as a regular expression. */
#define FILL_TAKES_REGEX "pprof -list *|pprof -peek *|go tool pprof -list *|go tool pprof -peek *"
/*
 * Options whose value is the next word of the command line. FILL_PERF_VALUES: options of perf;
 * FILL_STRACE_VALUES: options of strace and ltrace.
 */
#define FILL_PERF_VALUES                                                                      \
	"-e|-F|-c|-o|-C|-m|-G|-r|-D|-j|-k|-u|--call-graph|--event|--output|--freq|--count|"   \
	"--cpu|--mmap-pages|--cgroup|--delay|--repeat|--interval-print|--clockid|--max-size|" \
	"--duration|--filter|--switch-output"
#define FILL_STRACE_VALUES "-a|-b|-e|-E|-I|-o|-O|-P|-s|-S|-u|-X|-U|-n|-A|-x|-l"

/* The program that ran, as far as a capture shows it. */
struct fill_capture {
	struct str process; /* name or number of the process; empty: unknown or several */
	struct str command; /* command line of the program; empty: unknown */
	bool is_known;      /* the other members have been computed */
};

struct fill {
	const struct facts *facts;
	struct findings *all;
	struct fill_capture *captures;
	/*
	 * the finding whose next steps are filled; NULL: the step is the recording that a "not
	 * assessed" check asks for
	 */
	const struct finding *finding;
	/* the program of the finding's capture; NULL: the finding is about several captures */
	struct fill_capture *capture;
	const struct capture *of;
};

/* The weight of all samples or rows of a process. */
struct fill_weight {
	str_id comm;
	uint64_t weight;
};

static int fill_compare(const void *a, const void *b)
{
	const struct fill_weight *x = a;
	const struct fill_weight *y = b;

	return (x->comm.v > y->comm.v) - (x->comm.v < y->comm.v);
}

/*
 * The name with most of the weight of the @n elements of @all. Sorts @all. STR_ID_NONE: no name has
 * most of the weight.
 */
static str_id fill_most(struct fill_weight *all, size_t n)
{
	uint64_t total = 0, best = 0, sum = 0;
	str_id ret = STR_ID_NONE;

	if (n)
		qsort(all, n, sizeof(*all), fill_compare);
	for (size_t i = 0; i < n; i++) {
		total += all[i].weight;
		sum = i && all[i].comm.v == all[i - 1].comm.v ? sum + all[i].weight : all[i].weight;
		if (sum > best) {
			best = sum;
			ret = all[i].comm;
		}
	}
	return total && (double)best >= FILL_MOST * (double)total ? ret : STR_ID_NONE;
}

/* The process with most of the weight of a profile. Cost: O(samples + threads * log(threads)). */
static str_id fill_profile_process(const struct profile *p)
{
	size_t n = p->table.rows.len ? p->table.rows.len : p->threads.len;
	struct fill_weight *all = xcalloc(n + 1, sizeof(*all));
	str_id ret;

	if (p->table.rows.len) {
		for (size_t i = 0; i < n; i++)
			all[i] = (struct fill_weight){ p->table.rows.data[i].comm,
						       p->table.rows.data[i].self };
	} else {
		for (size_t i = 0; i < n; i++)
			all[i].comm = p->threads.data[i].comm;
		for (size_t i = 0; i < p->samples.n && p->samples.thread.len; i++)
			all[p->samples.thread.data[i]].weight += p->samples.weight.data[i];
	}
	ret = fill_most(all, n);
	free(all);
	return ret;
}

/* Whether @name is one word without characters that a shell or pgrep interprets. */
static bool fill_is_plain(struct str name)
{
	if (name.len == 0 || name.p[0] == '-')
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (!char_is_word(c) && !strchr(".-", c))
			return false;
	}
	return true;
}

static bool fill_is_number(struct str s)
{
	uint64_t n;

	return str_u64(&s, &n) && s.len == 0;
}

/*
 * Index of the quotation mark that closes the quote at the start of @s; at least s.len: none. In
 * double quotes, a backslash escapes the next character.
 */
static size_t fill_close(struct str s)
{
	size_t i = 1;

	while (i < s.len && s.p[i] != s.p[0])
		i += s.p[0] == '"' && s.p[i] == '\\' ? 2 : 1;
	return i;
}

/* Take the next word of a command line, which may be in quotes. */
static bool fill_take_word(struct str *rest)
{
	struct str s = str_ltrim(*rest);
	struct str word;
	size_t end;

	if (s.len == 0 || (s.p[0] != '\'' && s.p[0] != '"'))
		return str_word(rest, &word);
	end = fill_close(s);
	*rest = str_skip(s, end + 1);
	return end < s.len;
}

/*
 * Index of the first '|', '&', ';', '<' or '>' outside of quotes in the shell line @line; the
 * length of the line: none. SIZE_MAX: a quote is not closed.
 */
static size_t fill_operator(struct str line)
{
	size_t i = 0;

	while (i < line.len && !memchr("|&;<>", line.p[i], 5)) {
		bool is_quote = line.p[i] == '\'' || line.p[i] == '"';

		/* skip the character after a backslash, too */
		i += is_quote ? fill_close(str_skip(line, i)) + 1 : line.p[i] == '\\' ? 2 : 1;
		if (i > line.len && is_quote)
			return SIZE_MAX;
	}
	return i < line.len ? i : line.len;
}

/*
 * The first command of the shell line @line, without redirections. Empty: the command is "sleep" or
 * begins with a quote, or a quote in the line is not closed.
 */
static struct str fill_simple(struct str line)
{
	size_t end = fill_operator(line);

	if (end == SIZE_MAX)
		return STR_NONE;
	/* a digit directly before ">" belongs to the redirection, as in "2>" */
	if (end < line.len && end >= 2 && line.p[end] == '>' && char_is_digit(line.p[end - 1]) &&
	    line.p[end - 2] == ' ')
		end--;
	line = str_trim(str_sub(line, 0, end));
	return line.len && !strchr("'\"", line.p[0]) && !str_glob(STR("sleep|sleep *"), line)
		       ? line
		       : STR_NONE;
}

/*
 * The command in @timed, the rest of a shell line after "time". Empty: time had options, or
 * measured a pipeline. The first command of a pipeline alone is another workload.
 */
static struct str fill_timed(struct str timed)
{
	bool is_other = timed.len == 0 || timed.p[0] == '-' || str_contains(timed, STR("|"));

	return is_other ? STR_NONE : fill_simple(timed);
}

/*
 * The command that a profiler's command line runs: "./db --load" for "perf record -g ./db --load"
 * or "time ./db --load". Empty: no command, or only "sleep 10".
 */
static struct str fill_workload(struct str line)
{
	struct str rest = line;
	struct str word = STR_NONE;
	struct str timed = STR_NONE; /* the part of the line after "time" */
	bool is_tool = false;
	bool is_perf = false;
	bool is_stat = false;
	char last[] = "- ";

	while (str_word(&rest, &word)) {
		struct str left = str_trim(rest);
		size_t slash = str_rfind_char(word, '/');
		struct str name = slash < word.len ? str_skip(word, slash + 1) : word;

		if (!is_tool) {
			if (str_eq(name, STR("time")))
				timed = left;
			if (str_glob(STR("sudo|env|nice|time|*=*"), name))
				continue;
			if (!str_glob(STR("perf|assay|strace|ltrace"), name))
				return fill_timed(timed);
			is_tool = true;
			is_perf = str_glob(STR("perf|assay"), name);
			if (is_perf &&
			    !(str_word(&rest, &word) && str_glob(STR("record|stat|trace"), word)))
				return STR_NONE;
			is_stat = is_perf && str_eq(word, STR("stat"));
			continue;
		}
		if (str_eq(word, STR("--")))
			return fill_simple(left);
		/* without "--", the command begins with the first word that is no option */
		if (word.p[0] != '-')
			return fill_simple(str_skip(line, (size_t)(word.p - line.p)));
		/* in a group of short options, "-fe", only the last one may have a value */
		if (word.len > 2 && word.p[1] != '-')
			last[1] = word.p[word.len - 1];
		else
			last[1] = '\0';
		/* no command follows: the tool recorded a process that was already running */
		if (str_glob(is_perf ? STR("-p*|--pid*|-t*|--tid*") : STR("-p*|--attach*"), word))
			return STR_NONE;
		if (last[1])
			word = str_of(last);
		/* -I of perf record has no value */
		if ((str_glob(is_perf ? STR(FILL_PERF_VALUES) : STR(FILL_STRACE_VALUES), word) ||
		     (is_stat && str_eq(word, STR("-I")))) &&
		    !fill_take_word(&rest))
			return STR_NONE;
	}
	return STR_NONE;
}

/*
 * The process that a recorder's command line attached to: "4711" for "strace -c -p 4711". Empty:
 * none, several, or one that the shell computes.
 */
static struct str fill_attached(struct str line)
{
	struct str word;
	bool is_tool = false;

	while (str_word(&line, &word)) {
		struct str pid = word;

		is_tool |= str_glob(STR("perf|assay|strace|ltrace|*/perf|*/strace"), word);
		if (!is_tool)
			continue;
		if (str_eq(word, STR("--")))
			break;
		if (str_glob(STR("-p|-*p|--pid"), word) && !str_glob(STR("--?*p"), word))
			return str_word(&line, &pid) && fill_is_number(pid) ? pid : STR_NONE;
		if ((str_take(&pid, STR("--pid=")) || str_take(&pid, STR("-p"))) &&
		    fill_is_number(pid))
			return pid;
	}
	return STR_NONE;
}

static bool fill_is_perf_stat(const struct capture *c)
{
	return c->counters && c->excerpt_of == INDEX_NONE &&
	       str_eq(strings_get(capture_strings(c), c->counters->tool), STR("perf stat"));
}

/*
 * Whether @command, from the heading of perf stat, can be started again for the same measurement.
 */
static bool fill_is_command(const struct capture *c, struct str command)
{
	return !c->counters->is_attached && command.len &&
	       !str_glob(STR("system wide|CPU(s) *|cpu-list *|sleep *"), command);
}

/*
 * The command of a table of perf stat whose heading was removed. If the input has exactly one other
 * such table, both measured the same command: return that of the other table. Empty: unknown.
 */
static struct str fill_other_command(const struct dossier *d, const struct capture *c)
{
	struct str ret = STR_NONE;
	size_t n = 0;

	if (!fill_is_perf_stat(c) || c->command.v)
		return STR_NONE;
	VEC_FOREACH (at, &d->captures) {
		const struct capture *other = *at;
		struct str command = strings_get(&d->strings, other->command);

		if (!fill_is_perf_stat(other) || other->path.v != c->path.v)
			continue;
		n++;
		if (other != c && fill_is_command(other, command))
			ret = command;
	}
	return n == 2 ? ret : STR_NONE;
}

static struct fill_capture *fill_capture(struct fill *fill, uint32_t number)
{
	struct fill_capture *ret = &fill->captures[number];
	const struct capture *c = fill->facts->dossier->captures.data[number];
	const struct strings *strings = capture_strings(c);
	struct str command = strings_get(strings, c->command);

	if (ret->is_known)
		return ret;
	ret->is_known = true;
	if (c->profile && !c->threads)
		ret->process = strings_get(strings, fill_profile_process(c->profile));
	if (ret->process.len == 0)
		ret->process = capture_note_of(c, STR("program"));
	/*
	 * perf.data stores the command line of the recorder; the reader of this format adds quotes
	 */
	if (command.len == 0 && c->format && strcmp(c->format, "perf-data") == 0)
		command = capture_note_of(c, STR("cmdline"));
	ret->command = str_trim(fill_workload(command));
	if (ret->process.len == 0 && ret->command.len == 0)
		ret->process = fill_attached(command);
	if (ret->process.len == 0 && ret->command.len == 0)
		ret->process = capture_note_of(c, STR(METRICS_NOTE_PROCESS));
	if (ret->process.len == 0 && c->counters)
		ret->process = capture_note_of(c, STR(COUNTERS_NOTE_PROCESS));
	if (fill_is_perf_stat(c) && !str_starts(command, STR("perf "))) {
		/* the heading of perf stat names the command, or the process */
		if (c->counters->is_attached && fill_is_number(command))
			ret->process = command;
		else if (fill_is_command(c, command))
			ret->command = command;
	}
	if (ret->command.len == 0)
		ret->command = fill_other_command(fill->facts->dossier, c);
	if (str_glob(STR("swapper*|perf"), ret->process))
		ret->process = STR_NONE;
	return ret;
}

/*
 * The object (counter.key) of the first counter in the first cited line that has an object: "sda",
 * "redis".
 */
static struct str fill_key(const struct fill *fill)
{
	const struct counters *k = fill->of ? fill->of->counters : NULL;

	if (!k || !fill->finding || fill->finding->evidence.len == 0)
		return STR_NONE;
	VEC_FOREACH (row, &k->rows) {
		if (row->line == fill->finding->evidence.data[0].line && row->key.v)
			return strings_get(capture_strings(fill->of), row->key);
	}
	return STR_NONE;
}

static bool fill_has_processes(const struct fill *fill)
{
	const struct counters *k = fill->of ? fill->of->counters : NULL;

	return k && str_glob(STR("pidstat|top"), strings_get(capture_strings(fill->of), k->tool));
}

/* The process that wrote the first cited record of a log. The kernel does not count. */
static struct str fill_log_process(const struct fill *fill)
{
	const struct records *r = fill->of ? fill->of->records : NULL;
	struct str ret;

	if (!r || !fill->finding || fill->finding->evidence.len == 0)
		return STR_NONE;
	VEC_FOREACH (row, &r->rows) {
		if (row->line != fill->finding->evidence.data[0].line)
			continue;
		ret = strings_get(capture_strings(fill->of), r->streams.data[row->stream].process);
		return str_eq(ret, STR("kernel")) ? STR_NONE : ret;
	}
	return STR_NONE;
}

/* The value that the rule set for the placeholder @word (finding_value()); empty: none. */
static struct str fill_given(const struct fill *fill, struct str word)
{
	if (!fill->finding)
		return STR_NONE;
	VEC_FOREACH (v, &fill->finding->values) {
		if (str_eq(str_of(v->word), word))
			return v->text;
	}
	return STR_NONE;
}

/*
 * The process of the finding. *@is_full: the result is a part of a command line, not a process
 * name.
 */
static struct str fill_process(const struct fill *fill, bool *is_full)
{
	struct str ret = fill_given(fill, STR("PROCESS"));
	bool is_thread;

	*is_full = false;
	if (ret.len == 0 && fill_has_processes(fill)) {
		ret = counter_task_command(fill_key(fill));
		(void)counter_task_name(ret, &is_thread);
		/* pgrep cannot find a process by the name of one of its threads */
		if (is_thread)
			return STR_NONE;
		if (fill->of->counters->is_threads)
			ret = STR_NONE;
	}
	if (ret.len == 0 && fill->capture)
		ret = fill->capture->process;
	if (ret.len == 0) {
		ret = fill_log_process(fill);
		*is_full = ret.len > 0;
	}
	return fill_is_plain(ret) ? ret : STR_NONE;
}

/*
 * The object (module) of the first function with the role @role that the finding names; empty:
 * unknown. This is used because rows of a profile name threads, and a thread may have another name
 * than its program.
 */
static struct str fill_object(const struct fill *fill, enum finding_role role)
{
	const struct symbols *symbols = fill->of ? capture_symbols(fill->of) : NULL;

	for (size_t i = 0; symbols && fill->finding && i < fill->finding->subjects.len; i++) {
		const struct finding_subject *s = &fill->finding->subjects.data[i];

		if (s->role == role)
			return symbols_module(symbols, s->sym);
	}
	return STR_NONE;
}

/*
 * The program of the capture: its process, or the first word of the recorded command. With
 * @is_object, the placeholder follows "-x", which needs an object file. The result is then the
 * object of the caller or of the explained function, if this object is a program.
 */
static struct str fill_program(const struct fill *fill, bool is_object)
{
	bool is_full;
	struct str ret = fill_process(fill, &is_full);
	struct str command = fill->capture ? fill->capture->command : STR_NONE;
	struct str object = STR_NONE;

	if (is_object && fill->of && fill->of->profile) {
		object = fill_object(fill, SUBJECT_CALLER);
		object = object.len ? object : fill_object(fill, SUBJECT_EXPLAINED);
		if (str_rfind_char(object, '/') < object.len)
			object = str_skip(object, str_rfind_char(object, '/') + 1);
		/* the object must be a program: a library that does the work is none */
		if (object.len && !str_glob(STR("[*|*.so|*.so.*"), object))
			return fill_is_plain(object) ? object : ret;
	}
	if (ret.len == 0 && str_word(&command, &ret) && str_find_char(STR("'\"$`"), ret.p[0]) < 4)
		ret = STR_NONE;
	return ret;
}

/*
 * The number of the task in the first cited row, if the row is a thread, or if it is a process, as
 * @wants_thread says. Empty: it is not, or the finding cites no row of a task.
 */
static struct str fill_row_task(const struct fill *fill, bool wants_thread)
{
	const struct counters *k = fill->of ? fill->of->counters : NULL;
	bool is_thread;

	if (!k || !fill->finding || fill->finding->evidence.len == 0)
		return STR_NONE;
	VEC_FOREACH (row, &k->rows) {
		if (row->line != fill->finding->evidence.data[0].line || !row->task)
			continue;
		(void)counter_task_name(strings_get(capture_strings(fill->of), row->key),
					&is_thread);
		return (is_thread || k->is_threads) == wants_thread
			       ? str_of(finding_name(fill->all, "%" PRIu32, row->task))
			       : STR_NONE;
	}
	return STR_NONE;
}

/* A shell expression for the process id in the command @step. Empty: unknown. */
static struct str fill_pid(const struct fill *fill, struct str step)
{
	bool is_full;
	struct str name = fill_process(fill, &is_full);
	struct str pid =
		name.len && fill_has_processes(fill) ? fill_row_task(fill, false) : STR_NONE;

	if (pid.len)
		return pid;
	if (name.len == 0 || fill_is_number(name))
		return name;
	return str_of(finding_name(fill->all, "$(pgrep %s%s " STR_FMT ")",
				   str_glob(STR(FILL_TAKES_LIST), step) ? "-d," : "-o",
				   is_full || name.len > FILL_COMM ? " -f" : "", STR_ARG(name)));
}

/* The length of the types at the start of @s: 14 for "[go.shape.int]).push". */
static size_t fill_types(struct str s)
{
	size_t depth = 0;
	size_t i = 0;

	for (; i < s.len; i++) {
		depth += s.p[i] == '[';
		if (s.p[i] == ']' && --depth == 0)
			return i + 1;
	}
	return i;
}

/*
 * Return @name as a regular expression of Go: special characters, as in "(*Queue).push", are
 * escaped, except '.', which also matches itself. pprof searches for it in the full name, so the
 * path of the package, "example.org/mill/", is not needed. The types of an instance, as in
 * "(*Queue[go.shape.int]).push", become ".*".
 */
static struct str fill_regex(const struct fill *fill, struct str name)
{
	struct out text = { .fd = -1 };
	size_t types = str_find_char(name, '[');
	struct str plain = str_sub(name, 0, types);
	/* in a C++ name, '/' and '[]' are operators */
	bool is_operator = str_contains(name, STR("operator"));
	size_t slash = is_operator ? plain.len : str_rfind_char(plain, '/');
	bool has_types = !is_operator && plain.len && char_is_word(plain.p[plain.len - 1]);
	struct str ret;

	for (size_t i = slash < plain.len ? slash + 1 : 0; i < name.len; i++) {
		if (i == types && has_types) {
			i += fill_types(str_skip(name, i));
			if (i == name.len)
				break;
			out_str(&text, STR(".*"));
		}
		if (strchr("\\+*?()|[]{}^$", name.p[i]))
			out_str(&text, STR("\\"));
		out_str(&text, str_sub(name, i, i + 1));
	}
	ret = arena_str(&fill->all->arena, out_view(&text));
	out_fini(&text);
	return ret;
}

/* The function that the finding names in the role @role, as one word of the command @step. */
static struct str fill_subject(const struct fill *fill, enum finding_role role, struct str step)
{
	const struct symbols *symbols = fill->of ? capture_symbols(fill->of) : NULL;

	for (size_t i = 0; symbols && fill->finding && i < fill->finding->subjects.len; i++) {
		const struct finding_subject *s = &fill->finding->subjects.data[i];

		struct str name = symbols_name(symbols, s->sym);

		if (s->role == role)
			return finding_quoted(&fill->all->arena,
					      str_glob(STR(FILL_TAKES_REGEX), step)
						      ? fill_regex(fill, name)
						      : name,
					      /* is_quoted= */ false);
	}
	return STR_NONE;
}

/* A device that the finding is about: "sda", "eth0". @before: the text before the placeholder. */
static struct str fill_device(const struct fill *fill, struct str before)
{
	struct str key = fill_has_processes(fill) ? STR_NONE : fill_key(fill);
	struct str path =
		fill->of ? capture_note_of(fill->of, STR(COUNTERS_NOTE_DEVICE)) : STR_NONE;
	struct str name = path;

	/* ip -s link counts each direction of an interface: "eth0 RX" becomes "eth0" */
	key = str_ends(key, STR(" RX")) || str_ends(key, STR(" TX"))
		      ? str_sub(key, 0, key.len - STR(" RX").len)
		      : key;
	/*
	 * the note COUNTERS_NOTE_DEVICE may also be the model of a disk: use it only if it is the
	 * path of a device file
	 */
	if (str_take(&name, STR("/dev/")) && fill_is_plain(name))
		return str_ends(before, STR("/")) ? name : path;
	name = fill->of ? capture_note_of(fill->of, STR(COUNTERS_NOTE_INTERFACE)) : STR_NONE;
	if (name.len && fill_is_plain(name))
		return name;
	return fill_is_plain(key) && char_is_lower(key.p[0]) ? key : STR_NONE;
}

/*
 * Names of the files with the CPU quota of a control group. They differ between versions 1 and 2 of
 * control groups. Only version 1 has the counter throttled_time in cpu.stat.
 */
static struct str fill_quota(const struct fill *fill)
{
	const struct counters *k = fill->of ? fill->of->counters : NULL;

	for (size_t i = 0; k && i < k->rows.len; i++) {
		if (str_eq(strings_get(capture_strings(fill->of), k->rows.data[i].name),
			   STR("throttled_time")))
			return STR("cpu.cfs_quota_us cpu.cfs_period_us");
	}
	return STR("cpu.max");
}

/*
 * The value for the placeholder @word of the command @step. @before, @after: the text around it.
 */
static struct str fill_value(const struct fill *fill, struct str step, struct str before,
			     struct str word, struct str after)
{
	struct str given = fill_given(fill, word);
	struct str pid;

	if (given.len)
		return given;
	if (str_eq(word, STR("PID")))
		return str_ends(before, STR(".")) ? STR_NONE : fill_pid(fill, step);
	if (str_eq(word, STR("TID")))
		return fill_row_task(fill, true);
	if (str_eq(word, STR("FUNCTION")))
		return fill_subject(fill, SUBJECT_EXPLAINED, step);
	if (str_eq(word, STR("CALLER")))
		return fill_subject(fill, SUBJECT_CALLER, step);
	if (str_eq(word, STR("QUOTA")))
		return fill_quota(fill);
	if (str_glob(STR("DEV|DEVICE|DISK"), word))
		return str_ends(before, STR("-n ")) ? STR_NONE : fill_device(fill, before);
	if (str_eq(word, STR("PROGRAM")))
		return fill_program(fill, str_ends(before, STR("-x ")));
	if (!str_eq(word, STR("COMMAND")) || !fill->capture)
		return STR_NONE;
	if (fill->capture->command.len)
		return fill->capture->command;
	/*
	 * If perf stat measured a running process or the whole machine, the input may have no
	 * command to start. "sleep 10" then sets the length of the recording. "-p PID" is not used,
	 * because a waker is visible only if all processes are recorded.
	 */
	if (str_starts(step, STR("perf sched record -- ")) && fill->of &&
	    fill_is_perf_stat(fill->of) && (fill->of->counters->is_attached || fill->of->command.v))
		return STR("sleep 10");
	pid = str_glob(STR(FILL_TAKES_PID), step) && !str_contains(step, STR(" -r ")) &&
			      (after.len == 0 || strchr(":;,", after.p[0]))
		      ? fill_pid(fill, step)
		      : STR_NONE;
	if (pid.len == 0)
		return pid;
	return str_of(finding_name(fill->all, "-p " STR_FMT "%s", STR_ARG(pid),
				   str_starts(step, STR("perf ")) ? " sleep 10" : ""));
}

/*
 * Whether the command ends after "-p PID", or after " sleep 60" that follows it. @after: the text
 * after PID. *@ret_n: length of " sleep 60", or 0.
 */
static bool fill_ends(struct str after, size_t *ret_n)
{
	struct str rest = after;
	uint64_t n;

	if (str_take(&rest, STR(" sleep ")) && !str_u64(&rest, &n))
		return false;
	*ret_n = after.len - rest.len;
	return rest.len == 0 || strchr(":;,", rest.p[0]);
}

/*
 * Return the command with which @step can start the program again, instead of attaching to its
 * process: "-- ./db --load" replaces "-p PID". Empty: unknown. @before: the text before PID; "-p "
 * is removed from its end. *@ret_n: length of the text after PID that is replaced, too ("sleep
 * 60").
 */
static struct str fill_again(const struct fill *fill, struct str step, struct str *before,
			     struct str after, size_t *ret_n)
{
	if (!fill->capture || fill->capture->command.len == 0 ||
	    !str_glob(STR("perf record *|perf trace *|strace *|assay record *"), step) ||
	    !str_ends(*before, STR("-p ")) || !fill_ends(after, ret_n))
		return STR_NONE;
	before->len -= 3;
	return str_of(finding_name(fill->all, "%s" STR_FMT,
				   str_starts(step, STR("strace ")) ? "" : "-- ",
				   STR_ARG(fill->capture->command)));
}

/* Return @step with its placeholders replaced by values. */
static struct str fill_step(const struct fill *fill, struct str step)
{
	const struct str words =
		STR("PID|TID|FUNCTION|CALLER|DEV|DEVICE|DISK|QUOTA|PROGRAM|COMMAND|MODULE|DATABASE|"
		    "UNIT|WAITER");
	struct out text = { .fd = -1 };
	size_t done = 0;
	struct str ret = step;

	for (size_t i = 0, n; i < step.len; i += n ? n : 1) {
		struct str before = str_sub(step, 0, i);
		struct str after, word, value;
		size_t more = 0;

		n = 0;
		while (i + n < step.len && char_is_word(step.p[i + n]))
			n++;
		word = str_sub(step, i, i + n);
		after = str_skip(step, i + n);
		if (n < 3 || !str_glob(words, word))
			continue;
		value = str_eq(word, STR("PID")) ? fill_again(fill, step, &before, after, &more)
						 : STR_NONE;
		if (value.len == 0)
			value = fill_value(fill, step, before, word, after);
		if (value.len == 0)
			continue;
		/* if an option replaces the command, remove "--" */
		if (value.p[0] == '-' && str_ends(before, STR("-- ")))
			before.len -= 3;
		out_str(&text, str_skip(before, done));
		out_str(&text, value);
		done = i + n + more;
	}
	if (text.len) {
		out_str(&text, str_skip(step, done));
		ret = arena_str(&fill->all->arena, out_view(&text));
	}
	out_fini(&text);
	return ret;
}

void fill_steps(const struct facts *facts, struct findings *f)
{
	struct fill fill = { .facts = facts, .all = f };
	size_t n = facts->dossier->captures.len;

	fill.captures = xcalloc(n + 1, sizeof(*fill.captures));
	VEC_FOREACH (row, &f->rows) {
		fill.finding = row;
		fill.of = row->capture < n ? facts->dossier->captures.data[row->capture] : NULL;
		fill.capture = row->capture < n ? fill_capture(&fill, row->capture) : NULL;
		VEC_FOREACH (next, &row->next)
			*next = fill_step(&fill, *next);
	}
	fill.finding = NULL;
	VEC_FOREACH (open, &f->not_assessed) {
		fill.of = open->capture < n ? facts->dossier->captures.data[open->capture] : NULL;
		fill.capture = open->capture < n ? fill_capture(&fill, open->capture) : NULL;
		open->to_find_out = fill_step(&fill, open->to_find_out);
	}
	free(fill.captures);
}
