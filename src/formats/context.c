/* SPDX-License-Identifier: MIT */
#include "formats/context.h"

#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/line_filter.h"
#include "core/names/record_scope.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/detect.h"

/* a line longer than this is prose, without facts */
#define CONTEXT_LINE_BYTES 200u
/* maximum number of lines from a fact to its capture, if the fact precedes the capture */
#define CONTEXT_ABOVE_LINES   12u
#define CONTEXT_BELOW_LINES   3u
#define CONTEXT_COMMAND_LINES 5u
/* maximum number of lines from a title to the capture that follows */
#define CONTEXT_TITLE_LINES 2u
#define CONTEXT_TITLE_BYTES 72u
#define CONTEXT_LINE_FACTS  8u
#define CONTEXT_MAX_FACTS   1024u /* maximum number of facts of one input */

/*
 * A number with one of these nouns is no fact about the workload, and is ignored: "5 minutes", "3
 * files".
 */
static const char context_no_noun[] =
	"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|"
	"august|september|october|november|december|utc|gmt|cet|cest|est|edt|pst|pdt|am|pm|ms|us|"
	"ns|s|sec|secs|kb|mb|gb|tb|kib|mib|gib|b|bytes|byte|hz|khz|mhz|ghz|percent|x|times|"
	"samples|sample|events|event|line|lines|date|pid|tid|tgid|uid|gid|port|version|id|index|"
	"part|column|msgid|insertions|deletions|files|file|patches|patch|warnings|errors|of|to|"
	"and|or|in|at|the|a|is|was|by|for|from|with|on|per|as|so|more|less|length|lost|years|year|"
	"months|month|weeks|week|days|day|ago|content|priority|score|status|sort|bug|issue|page|"
	"done|counting|chapter|section|figure|table|rev|revision|release|commit|comments|comment|"
	"thresholds|threshold";

static const char context_tools[] =
	"perf|trace-cmd|bpftrace|strace|ltrace|gdb|uftrace|funcgraph|funccount|functrace|kprobe|"
	"tpoint|cat|grep|head|tail|less|more|zcat|dmesg|journalctl|echo|sudo|taskset|numactl|time|"
	"sysctl|ethtool|iperf|iperf3|netperf|fio|dd|pprof|valgrind|retsnoop|bcc|turbostat|mpstat|"
	"iostat|vmstat|sar|top|cd|make|ovs-appctl|ovs-vsctl|ovn-nbctl|ovn-sbctl|ovs-ofctl|ip|tc|"
	"stress|stress-ng|sysbench|pgbench|redis-benchmark|wrk|ab|hackbench|flamegraph.pl|"
	"stackcollapse-perf.pl|ms_print|callgrind_annotate|docker|kubectl|ssh|bash|sh|python|"
	"python3|./*|/*|~/*";

static bool context_in(const char *list, struct str word)
{
	char low[32];

	if (word.len == 0 || word.len >= sizeof(low))
		return false;
	for (size_t i = 0; i < word.len; i++)
		low[i] =
			(char)(word.p[i] >= 'A' && word.p[i] <= 'Z' ? word.p[i] | 0x20 : word.p[i]);
	return str_glob(str_of(list), (struct str){ low, word.len });
}

static bool context_is_letter(char c)
{
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z';
}

/* Take a word that can be the name of counted objects. It has only letters, '-' and '_'. */
static bool context_noun_word(struct str *s, struct str *ret)
{
	size_t n = 0;

	while (n < s->len &&
	       (context_is_letter(s->p[n]) || (n && (s->p[n] == '-' || s->p[n] == '_'))))
		n++;
	if (n < 2 || n > 24)
		return false;
	*ret = str_sub(*s, 0, n);
	*s = str_skip(*s, n);
	return true;
}

static bool context_number(struct str *s, uint64_t *ret)
{
	struct str t = *s;
	uint64_t factor = 1;
	uint64_t v;

	if (!str_u64(&t, &v))
		return false;
	/* grouped digits: "10,000" or "10_000" */
	while (t.len >= 4 && (t.p[0] == ',' || t.p[0] == '_') && char_is_digit(t.p[1]) &&
	       char_is_digit(t.p[2]) && char_is_digit(t.p[3]) &&
	       (t.len == 4 || !char_is_digit(t.p[4]))) {
		uint64_t group = (uint64_t)(t.p[1] - '0') * 100 + (uint64_t)(t.p[2] - '0') * 10 +
				 (uint64_t)(t.p[3] - '0');

		if (__builtin_mul_overflow(v, 1000, &v) || __builtin_add_overflow(v, group, &v))
			return false;
		t = str_skip(t, 4);
	}
	if (t.len && (t.p[0] == 'k' || t.p[0] == 'K'))
		factor = 1000;
	else if (t.len && t.p[0] == 'M')
		factor = 1000000;
	t = str_skip(t, factor > 1);
	if (__builtin_mul_overflow(v, factor, &v))
		return false;
	if (t.len && !char_is_blank(t.p[0]) && t.p[0] != ',' && t.p[0] != ';')
		return false;
	*ret = v;
	*s = t;
	return true;
}

/* Parse a number, then one or two words: "10000 requests", "10k client connections". */
static bool context_count(struct str item, uint64_t *ret_value, struct str *ret_name)
{
	struct str word;
	const char *start;

	if (!context_number(&item, ret_value))
		return false;
	item = str_ltrim(item);
	start = item.p;
	if (!context_noun_word(&item, &word) || context_in(context_no_noun, word))
		return false;
	if (item.len && char_is_blank(item.p[0])) {
		item = str_ltrim(item);
		if (!context_noun_word(&item, &word) || context_in(context_no_noun, word))
			return false;
	}
	if (item.len)
		return false;
	*ret_name = (struct str){ start, (size_t)(word.p + word.len - start) };
	return true;
}

/* Parse "clients: 16" or "queue depth = 32". */
static bool context_setting(struct str item, uint64_t *ret_value, struct str *ret_name)
{
	struct str word;
	const char *start = item.p;

	if (str_find_char(item, ':') == item.len && str_find_char(item, '=') == item.len)
		return false;
	if (!context_noun_word(&item, &word) || context_in(context_no_noun, word))
		return false;
	if (str_find_char(word, '-') < word.len && word.p[0] < 'a')
		/* a name with a capital letter and a '-' is a mail header: "X-Spam-Score: 3" */
		return false;
	if (item.len && char_is_blank(item.p[0])) {
		struct str second = str_ltrim(item);

		if (context_noun_word(&second, &word)) {
			if (context_in(context_no_noun, word))
				return false;
			item = second;
		}
	}
	*ret_name = (struct str){ start, (size_t)(word.p + word.len - start) };
	item = str_ltrim(item);
	if (!item.len || (item.p[0] != ':' && item.p[0] != '='))
		return false;
	item = str_ltrim(str_skip(item, 1));
	return context_number(&item, ret_value) && item.len == 0;
}

/* Take one item of a line of facts: the text up to ", " or ';'. */
static struct str context_item(struct str *line)
{
	struct str s = *line;
	size_t n = 0;

	while (n < s.len && s.p[n] != ';' &&
	       !(s.p[n] == ',' && (n + 1 == s.len || char_is_blank(s.p[n + 1]))))
		n++;
	*line = str_skip(s, n + 1);
	s = str_trim(str_sub(s, 0, n));
	if (s.len > 2 && (s.p[0] == '-' || s.p[0] == '*') && char_is_blank(s.p[1]))
		s = str_ltrim(str_skip(s, 2)); /* remove the mark of a list item: "- " or "* " */
	if (s.len && s.p[s.len - 1] == '.')
		s.len--;
	return s;
}

/* Take the next fact, such as "10000 requests", from a line of facts. */
static bool context_fact(struct str *line, uint64_t *ret_value, struct str *ret_name)
{
	while (line->len) {
		struct str item = context_item(line);

		if (context_count(item, ret_value, ret_name) ||
		    context_setting(item, ret_value, ret_name))
			return true;
	}
	return false;
}

static bool context_is_word(struct str s)
{
	size_t n = 0;

	while (n < s.len && (context_is_letter(s.p[n]) ||
			     (n && (char_is_digit(s.p[n]) || strchr("_+-./", s.p[n])))))
		n++;
	return n == s.len && n >= 2 && n <= 32;
}

/* Does @line have a digit? Most lines of prose have none, so they contain no fact. */
static bool context_has_digit(struct str line)
{
	for (size_t i = 0; i < line.len; i++) {
		if (char_is_digit(line.p[i]))
			return true;
	}
	return false;
}

/* Is every item of @line a fact or a single word, with at least one fact? */
static bool context_is_facts(struct str line)
{
	bool has_fact = false;

	if (line.len > CONTEXT_LINE_BYTES || !context_has_digit(line))
		return false;
	while (line.len) {
		struct str item = context_item(&line);
		struct str name;
		uint64_t value;

		if (context_count(item, &value, &name) || context_setting(item, &value, &name))
			has_fact = true;
		else if (!context_is_word(item) || context_in(context_no_noun, item))
			return false;
	}
	return has_fact;
}

/*
 * Offset of the command after a shell prompt: "$ ", "# ", "user@host:~# ", "[root@host dir]# ",
 * "sh-4.2$ ", "sh # ", "(container)$ ". 0: no prompt. @ret_is_bare: the prompt is only "#", which
 * may also begin a comment, or "$" and no name follows it.
 */
static size_t context_prompt(struct str s, bool *ret_is_bare)
{
	struct str head;
	size_t n = 0;
	size_t last;

	head = str_sub(s, 0, 80);
	if (str_find_char(head, '$') == head.len && str_find_char(head, '#') == head.len &&
	    str_find_char(head, '%') == head.len)
		return 0;
	if (s.p[0] == '[')
		n = str_find_char(s, ']');
	for (; n < s.len && n < 80; n++) {
		if ((s.p[n] == '$' || s.p[n] == '#' || s.p[n] == '%') && n + 1 < s.len &&
		    s.p[n + 1] == ' ')
			break;
	}
	if (n >= s.len || n >= 80)
		return 0;
	*ret_is_bare = n == 0 && (s.p[0] == '#' || !context_is_letter(s.p[2]));
	if (n == 0)
		return s.p[0] == '%' ? 0 : 2;
	head = str_rtrim(str_sub(s, 0, n));
	last = str_find_char(head, ' ');
	if (head.p[0] == '[')
		return str_find_char(head, '@') < head.len || head.p[head.len - 1] == ']' ? n + 2
											  : 0;
	if (last == head.len && head.p[0] == '(' && head.p[head.len - 1] == ')')
		return n + 2;
	if (last < head.len && str_find_char(head, '@') > last)
		/* two words may be a prompt, "user@host dir"; more words are a sentence */
		return 0;
	if (str_find_char(head, '@') < head.len || str_find_char(head, '~') < head.len ||
	    str_starts(head, STR("sh")) || str_starts(head, STR("bash")) ||
	    head.p[head.len - 1] == ':')
		return n + 2;
	return 0;
}

bool context_command(struct str line, struct str *ret_command)
{
	struct str s = str_trim(line);
	struct str rest;
	struct str word;
	bool is_bare = false;
	size_t n;

	if (s.len < 3)
		return false;
	n = context_prompt(s, &is_bare);
	rest = str_trim(str_skip(s, n));
	s = rest;
	if (!str_word(&rest, &word))
		return false;
	if (n == 0 && !str_eq(word, STR("perf")) && !str_eq(word, STR("sudo")) &&
	    !str_eq(word, STR("trace-cmd")))
		return false;
	if (n == 0) {
		/*
		 * without a prompt, "perf report --stdio" is a command, but "perf shows that …" is
		 * prose
		 */
		struct str next;

		if (str_eq(word, STR("sudo")) && !str_word(&rest, &word))
			return false;
		if (!str_word(&rest, &next) ||
		    !context_in("record|report|top|ftrace|script|stat|annotate|lock|sched|trace|"
				"mem|c2c|diff|-*",
				next) ||
		    (rest.len && str_find(rest, STR(" -")) == rest.len))
			return false;
	} else if (is_bare && !str_glob(str_of(context_tools), word)) {
		return false;
	}
	*ret_command = s;
	return true;
}

static enum context_kind context_of(struct str line)
{
	struct str command;

	line = str_trim(line);
	if (line.len == 0)
		return CONTEXT_BLANK;
	if (line.len > LIMIT_NAME_BYTES)
		return CONTEXT_PROSE;
	if (context_command(line, &command))
		return CONTEXT_COMMAND;
	if (context_is_facts(line))
		return CONTEXT_FACTS;
	return context_is_word(line) ? CONTEXT_WORD : CONTEXT_PROSE;
}

bool context_next(struct context_walk *w, struct str *ret_line, enum context_kind *ret_kind)
{
	enum context_kind kind;
	struct str peek;
	struct str next;

	if (!str_line(&w->text, ret_line))
		return false;
	kind = context_of(*ret_line);
	if (kind == CONTEXT_WORD && w->before != CONTEXT_FACTS) {
		peek = w->text;
		if (!str_line(&peek, &next) || context_of(next) != CONTEXT_FACTS)
			kind = CONTEXT_PROSE;
	}
	w->before = kind;
	w->n++;
	*ret_kind = kind;
	return true;
}

/* State while the lines of an input are read in order. */
struct context_state {
	struct dossier *d;
	/* index in d->captures of the first capture that begins after the current line */
	size_t next;
	size_t first;
	size_t n_facts;
	/* the capture whose command was set last, by a line before the capture */
	const struct capture *commanded;
};

/*
 * The capture that a fact or command in line @line (of the original input) describes: the next
 * capture, if it begins at most @above lines later; otherwise the previous capture, if it ends at
 * most CONTEXT_BELOW_LINES earlier. NULL: none.
 */
static struct capture *context_owner(struct context_state *s, uint32_t line, uint32_t above)
{
	struct capture **all = s->d->captures.data;
	size_t n = s->d->captures.len;

	while (s->next < n && all[s->next]->first_line <= line)
		s->next++;
	if (s->next < n && all[s->next]->first_line - line <= above)
		return all[s->next];
	if (s->next > s->first && line > all[s->next - 1]->last_line &&
	    line - all[s->next - 1]->last_line <= CONTEXT_BELOW_LINES)
		return all[s->next - 1];
	return NULL;
}

/*
 * The whole command, if it continues on the next lines: as long as a line ends in a backslash,
 * append the next line of @rest to @command.
 */
static str_id context_whole(struct dossier *d, struct str command, struct str rest)
{
	struct out text = { .fd = -1 };
	struct str line;
	str_id ret;

	out_str(&text, command);
	while (text.len && text.data[text.len - 1] == '\\' && text.len <= LIMIT_NAME_BYTES &&
	       str_line(&rest, &line)) {
		text.len--;
		out_str(&text, str_trim(line));
	}
	ret = strings_add(&d->strings, str_sub(out_view(&text), 0, LIMIT_NAME_BYTES));
	out_fini(&text);
	return ret;
}

/* Does @command print the recording that the previous command @before made? */
static bool context_is_report_of(const struct dossier *d, str_id before, struct str command)
{
	return str_glob(STR("perf record *|sudo perf record *"),
			strings_get(&d->strings, before)) &&
	       str_glob(STR("perf report*|perf script*|perf annotate*|sudo perf report*|sudo perf "
			    "script*|sudo perf annotate*"),
			command);
}

/*
 * If @command, the nearest command before @c, removes lines from its output (grep, head), store in
 * @c which program does this.
 */
static void context_filter(struct capture *c, str_id command)
{
	struct strings *strings = capture_strings(c);
	struct line_filter filter = line_filter_of(strings_get(strings, command));

	c->filtered_by = filter.by.len ? strings_add(strings, filter.by) : STR_ID_NONE;
	c->is_cut = filter.is_cut;
}

/*
 * If @line precedes a capture, and contains a `perf record` of all CPUs (option -a), mark the
 * capture as system-wide.
 */
static void context_scope(struct context_state *s, struct str line, uint32_t number)
{
	struct capture *c;

	if (!record_scope_is_all(line))
		return;
	c = context_owner(s, number, CONTEXT_ABOVE_LINES);
	if (c && number < c->first_line)
		c->is_system_wide = true;
}

/*
 * In "count=1024, size=204800, total=200M", "M" is either a million or 1024 * 1024. If the product
 * of two other facts of the line shows that it is 1024 * 1024, correct the value. @from: index of
 * the first fact of the line.
 */
static void context_binary(struct capture *c, size_t from)
{
	static const uint64_t decimal[] = { 1000, 1000000 };

	for (size_t i = from; i < c->facts.len && c->facts.len - from <= CONTEXT_LINE_FACTS; i++) {
		for (size_t k = 0; k < ARRAY_LEN(decimal); k++) {
			uint64_t value = c->facts.data[i].value / decimal[k] << (10 * (k + 1));

			for (size_t a = from; a < c->facts.len; a++) {
				for (size_t b = from; b < a; b++) {
					if (a != i && b != i && value &&
					    c->facts.data[i].value % decimal[k] == 0 &&
					    (double)c->facts.data[a].value *
							    (double)c->facts.data[b].value ==
						    (double)value)
						c->facts.data[i].value = value;
				}
			}
		}
	}
}

static void context_take(struct context_state *s, struct str text, enum context_kind kind,
			 uint32_t line, struct str rest)
{
	struct capture *c;
	struct str name;
	str_id whole;
	uint64_t value;
	size_t from;

	if (kind == CONTEXT_COMMAND) {
		c = context_owner(s, line, CONTEXT_COMMAND_LINES);
		if (s->next > s->first && s->d->captures.data[s->next - 1]->first_line == line &&
		    s->d->captures.data[s->next - 1]->records)
			c = s->d->captures.data[s->next - 1];
		/*
		 * Use the last of several commands before a capture. But a perf report does not
		 * replace the perf record before it. The first line of a log may also be its
		 * command. A command that the capture itself prints is never replaced.
		 */
		if (!c || line > c->first_line || !context_command(text, &name))
			return;
		whole = context_whole(s->d, name, rest);
		context_filter(c, whole);
		if (!c->command.v ||
		    (s->commanded == c && !context_is_report_of(s->d, c->command, name))) {
			c->command = whole;
			s->commanded = c;
		}
		return;
	}
	c = context_owner(s, line, CONTEXT_ABOVE_LINES);
	if (!c || s->n_facts >= CONTEXT_MAX_FACTS)
		return;
	text = str_trim(text);
	if (kind == CONTEXT_WORD) {
		capture_note(c, STR("workload"), text, line);
		return;
	}
	from = c->facts.len;
	while (context_fact(&text, &value, &name)) {
		*VEC_PUSH(&c->facts) =
			(struct capture_fact){ strings_add(&s->d->strings, name), value, line };
		s->n_facts++;
	}
	context_binary(c, from);
	for (size_t i = from; i < c->facts.len; i++)
		*VEC_PUSH(&s->d->facts) = c->facts.data[i];
}

/* Is @text, a line alone between two captures, a heading? A heading is no sentence and no mark. */
static bool context_is_heading(struct str text)
{
	return text.len && (context_is_letter(text.p[0]) || char_is_digit(text.p[0])) &&
	       !strchr(".,;!?", text.p[text.len - 1]);
}

/*
 * Is there exactly one line in @text, a region of no capture, and is it apart from what precedes
 * it? A line directly below a capture is often its end, such as "2 rows in set". @is_first: @text
 * is the beginning of the document.
 */
static bool context_is_one_line(struct str text, bool is_first)
{
	struct str line;
	bool is_apart = is_first;
	size_t n = 0;

	while (n < 2 && str_line(&text, &line)) {
		if (str_trim(line).len == 0) {
			is_apart |= n == 0;
			continue;
		}
		n++;
	}
	return n == 1 && is_apart;
}

/*
 * If @line introduces the next capture, store the last sentence of the line as the title of the
 * capture: "With the cache:". @is_alone: @line is the only text between two captures; then a short
 * line is a heading, also without ':'.
 */
static void context_title(struct context_state *s, struct str line, uint32_t number, bool is_alone)
{
	struct capture *c = context_owner(s, number, CONTEXT_TITLE_LINES);
	struct str text = str_trim(line);
	size_t dot;

	while (str_ends(text, STR("*"))) /* remove the end of bold text in Markdown, "**" */
		text.len--;
	if (!c || number >= c->first_line ||
	    (!str_ends(text, STR(":")) && !(is_alone && context_is_heading(text))))
		return;
	text.len -= str_ends(text, STR(":"));
	while ((dot = str_find(text, STR(". "))) < text.len)
		text = str_ltrim(str_skip(text, dot + 2));
	while (str_take(&text, STR("*")) || str_take(&text, STR("#")) || str_take(&text, STR(">")))
		text = str_ltrim(text);
	while (str_ends(text, STR("*")))
		text.len--;
	/*
	 * Text with another ':' is no title, but a heading of columns, or a name and its value.
	 * Lines with "==12==" are no titles, but output of valgrind or nvprof. Two blanks in a row
	 * are in tables and listings: "307        else:".
	 */
	if (text.len && !str_starts(text, STR("==")) && text.len <= CONTEXT_TITLE_BYTES &&
	    !str_contains(text, STR(":")) && !str_contains(text, STR("  "))) {
		c->title = strings_add(&s->d->strings, text);
		c->title_line = number;
	}
}

/*
 * If @s begins with one of @words, skip this word. The words are separated by '|', the longest
 * first.
 */
static bool context_take_word(struct str *s, struct str words)
{
	while (words.len) {
		struct str one = str_sub(words, 0, str_find_char(words, '|'));

		if (str_starts_nocase(*s, one) &&
		    (s->len == one.len || !char_is_word(s->p[one.len]))) {
			*s = str_skip(*s, one.len);
			return true;
		}
		words = str_skip(words, one.len + 1);
	}
	return false;
}

/* The number of CPUs in prose: "on a 64-core machine". 0: none. */
static uint64_t context_prose_cpus(struct str line)
{
	uint64_t n;

	if (line.len > CONTEXT_LINE_BYTES)
		return 0;
	for (size_t i = 0; i < line.len; i++) {
		struct str rest = str_skip(line, i);

		if (!char_is_digit(line.p[i]) ||
		    (i && (char_is_word(line.p[i - 1]) || strchr(".-,", line.p[i - 1]))))
			continue;
		if (str_u64(&rest, &n) && n && rest.len && strchr("- ", rest.p[0])) {
			rest = str_skip(rest, 1);
			if (context_take_word(&rest, STR("cores|core|cpus|cpu|vcpus|vcpu")) &&
			    str_take(&rest, STR(" ")) &&
			    context_take_word(&rest, STR("machine|server|system|box|host|instance|"
							 "vm|workstation|laptop|desktop")))
				return n;
		}
	}
	return 0;
}

/*
 * The number of CPUs that @line states: the heading of sysstat, a line of lscpu(1), the output of
 * nproc(1), or prose. @is_below: the previous line is the command nproc. 0: none.
 */
static uint64_t context_cpus(struct str line, bool is_below)
{
	struct str text = str_trim(line);
	size_t open = str_rfind_char(text, '(');
	uint64_t n;

	if (str_starts(text, STR("Linux ")) && open < text.len) {
		text = str_skip(text, open + 1);
		return str_u64(&text, &n) && str_eq(text, STR(" CPU)")) ? n : 0;
	}
	if (str_starts(text, STR("CPU(s):")))
		text = str_trim(str_skip(text, strlen("CPU(s):")));
	else if (!is_below)
		return context_prose_cpus(text);
	return str_u64(&text, &n) && text.len == 0 ? n : 0;
}

/* Is @line the command nproc, with or without a prompt? */
static bool context_is_nproc(struct str line)
{
	struct str text = str_trim(line);
	struct str before;

	if (!str_ends(text, STR("nproc")))
		return false;
	before = str_trim(str_sub(text, 0, text.len - strlen("nproc")));
	return before.len == 0 || str_find_char(STR("$#>%"), before.p[before.len - 1]) < 4;
}

/*
 * Store the number of CPUs in all captures of the document that lack it, because it is a property
 * of the machine. Nothing is stored if two places of the document state different numbers: then
 * there are two machines.
 */
static void context_share_cpus(struct context_state *s, const struct document *doc)
{
	struct str text = doc->text;
	uint64_t cpus = 0, n;
	uint32_t at = 0;
	bool is_below = false;
	struct str line;

	for (uint32_t i = 0; str_line(&text, &line); i++) {
		n = context_cpus(line, is_below);
		is_below = context_is_nproc(line);
		if (!n)
			continue;
		if (cpus && n != cpus)
			return;
		at = cpus ? at : document_line(doc, i + 1);
		cpus = n;
	}
	for (size_t i = s->first; cpus && i < s->d->captures.len; i++) {
		struct capture *c = s->d->captures.data[i];
		str_id name = strings_add(&s->d->strings, STR("CPUs"));
		bool has = false;

		VEC_FOREACH (fact, &c->facts)
			has |= fact->name.v == name.v;
		if (!has)
			*VEC_PUSH(&c->facts) = (struct capture_fact){ name, cpus, at };
	}
}

void context_read(struct dossier *d, const struct document *doc, const struct detection *found,
		  size_t first_capture)
{
	struct context_state s = { .d = d, .next = first_capture };

	s.first = first_capture;
	if (doc->is_binary || d->captures.len == first_capture)
		return;
	VEC_FOREACH (r, &found->regions) {
		struct context_walk w = { .text = str_sub(doc->text, r->extent.from,
							  r->extent.to) };
		bool is_alone = !r->format && context_is_one_line(w.text, r->extent.from == 0);
		enum context_kind kind;
		struct str line, command;

		if (r->format) {
			/* the first line of a log may be the command that printed it */
			if (str_glob(STR("*log"), str_of(r->format->name)) &&
			    str_line(&w.text, &line) && context_command(line, &command))
				context_take(&s, line, CONTEXT_COMMAND,
					     document_line(doc, r->first_line), w.text);
			continue;
		}
		while (context_next(&w, &line, &kind)) {
			context_scope(&s, line, document_line(doc, r->first_line + w.n - 1));
			if (kind == CONTEXT_PROSE)
				context_title(&s, line, document_line(doc, r->first_line + w.n - 1),
					      is_alone);
			if (kind >= CONTEXT_FACTS)
				context_take(&s, line, kind,
					     document_line(doc, r->first_line + w.n - 1), w.text);
		}
	}
	context_share_cpus(&s, doc);
}
