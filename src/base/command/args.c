/* SPDX-License-Identifier: MIT */
#include "base/command/args.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/text/utf8.h"

#include <getopt.h>
#include <stdlib.h>

#define ARGS_HELP_CODE     0x10000
#define ARGS_LIST_CODE     0x10001
#define ARGS_DESCRIBE_CODE 0x10002
/* getopt_long() returns this number plus the option's index in the table for --name */
#define ARGS_LONG_CODE 0x20000
/* getopt_long() returns this number plus the option's index in the table for --no-name */
#define ARGS_NO_CODE   0x40000
#define ARGS_TITLE_MAX 26u /* width in columns of the option names on the help page */

/* The arguments of getopt_long(), made from a table of options. */
struct args_tables {
	VEC(struct option) longs;
	struct out letters;
	VEC(char *) names; /* the names "no-x" of flags; allocated */
};

static void args_tables_fini(struct args_tables *t)
{
	VEC_FOREACH (name, &t->names)
		free(*name);
	VEC_FREE(&t->names);
	VEC_FREE(&t->longs);
	out_fini(&t->letters);
}

static void args_long(struct args_tables *t, const char *name, int has_arg, int code)
{
	*VEC_PUSH(&t->longs) = (struct option){ name, has_arg, NULL, code };
}

static void args_tables_build(struct args_tables *t, const struct args_option *options,
			      bool has_command)
{
	out_z(&t->letters, has_command ? "+:h" : ":h");
	for (int i = 0; options[i].name; i++) {
		const struct args_option *o = &options[i];
		bool takes = o->kind != ARGS_FLAG;

		if (o->kind == ARGS_GROUP)
			continue;
		args_long(t, o->name,
			  o->kind == ARGS_MAYBE ? optional_argument
			  : takes               ? required_argument
						: no_argument,
			  ARGS_LONG_CODE + i);
		if (o->letter) {
			out_char(&t->letters, o->letter);
			out_z(&t->letters, takes ? ":" : "");
		}
		if (!takes) {
			size_t len = strlen(o->name);
			char *no = xmalloc(len + 4);

			memcpy(no, "no-", 3);
			memcpy(no + 3, o->name, len + 1);
			*VEC_PUSH(&t->names) = no;
			args_long(t, no, no_argument, ARGS_NO_CODE + i);
		}
	}
	args_long(t, "help", no_argument, ARGS_HELP_CODE);
	args_long(t, "list-opts", no_argument, ARGS_LIST_CODE);
	args_long(t, "describe", no_argument, ARGS_DESCRIBE_CODE);
	args_long(t, NULL, 0, 0);
	out_char(&t->letters, '\0');
}

static int args_choice(const struct args_option *o, const char *value, struct error *err)
{
	struct str rest = str_of(o->arg);
	struct str want = str_of(value);
	unsigned int found = UINT32_MAX;
	unsigned int n = 0;

	while (rest.len) {
		size_t bar = str_find_char(rest, '|');
		struct str word = str_sub(rest, 0, bar);

		if (str_eq(word, want) ||
		    (want.len && str_starts(word, want) && found == UINT32_MAX))
			found = n;
		n++;
		rest = str_skip(rest, bar + 1);
	}
	if (found == UINT32_MAX)
		return fail(err, ERR_USAGE, "--%s knows %s, not '%s'", o->name, o->arg, value);
	*(unsigned int *)o->target = found;
	return OK;
}

static int args_set(const struct args_option *o, const char *value, struct error *err)
{
	struct str s;

	if (!value) /* a flag, or an ARGS_MAYBE option whose value is left out */
		value = "";
	s = str_of(value);
	switch (o->kind) {
	case ARGS_TEXT:
	case ARGS_MAYBE:
		*(const char **)o->target = value;
		return OK;
	case ARGS_LIST:
		*VEC_PUSH(&((struct args_list *)o->target)->items) = value;
		return OK;
	case ARGS_COUNT:
		if (!str_u64(&s, o->target) || s.len)
			return fail(err, ERR_USAGE, "--%s wants a whole number, not '%s'", o->name,
				    value);
		return OK;
	case ARGS_NUMBER:
		if (!char_is_digit(*value) || !str_double(&s, o->target) || s.len)
			return fail(err, ERR_USAGE, "--%s wants a number, not '%s'", o->name,
				    value);
		return OK;
	case ARGS_CHOICE:
		return args_choice(o, value, err);
	default:
		*(bool *)o->target = true;
		return OK;
	}
}

/* Fill @err with the reason why getopt_long() refused the argument @word. */
static int args_refuse(const struct args_tables *t, const char *word, struct error *err)
{
	struct str name = str_of(word);
	const char *first = NULL;
	struct suggest like;
	size_t n = 0;

	if (!str_take(&name, STR("--")))
		return fail(err, ERR_USAGE, "unknown option '-%c'", optopt);
	name = str_sub(name, 0, str_find_char(name, '='));
	VEC_FOREACH (o, &t->longs) {
		if (!o->name || !str_starts(str_of(o->name), name))
			continue;
		if (n == 0)
			first = o->name;
		else if (str_starts(str_of(o->name), str_of(first)))
			/*
			 * an option and its plural are aliases, such as --limit and --limits: count
			 * them once
			 */
			continue;
		n++;
		if (n > 1)
			return fail(err, ERR_USAGE, "'--" STR_FMT "' could be --%s or --%s",
				    STR_ARG(name), first, o->name);
	}
	if (first)
		return fail(err, ERR_USAGE, "--%s takes no argument", first);
	suggest_init(&like, name);
	VEC_FOREACH (o, &t->longs) {
		if (o->name)
			suggest_try(&like, str_of(o->name));
	}
	return fail(err, ERR_USAGE, "unknown option '--" STR_FMT "'%s%s", STR_ARG(name),
		    like.best[0] ? "; did you mean --" : "", like.best);
}

/*
 * The placeholder of the argument of the long option @word ("--output"), such as "FILE". NULL:
 * there is no such option.
 */
static const char *args_placeholder(const struct args_spec *spec, const char *word)
{
	for (const struct args_option *o = spec->options; o->name; o++) {
		if (o->kind != ARGS_GROUP && strncmp(word, "--", 2) == 0 &&
		    strcmp(word + 2, o->name) == 0)
			return o->arg;
	}
	return NULL;
}

static int args_one(const struct args_spec *spec, const struct args_tables *t, int code,
		    const char *word, struct error *err)
{
	const struct args_option *o = spec->options;

	if (code == '?')
		return args_refuse(t, word, err);
	if (code == ':') {
		const char *arg = args_placeholder(spec, word);

		return fail(err, ERR_USAGE, "'%s' wants an argument%s%s", word, arg ? ": " : "",
			    arg ? arg : "");
	}
	if (code >= ARGS_NO_CODE) {
		*(bool *)o[code - ARGS_NO_CODE].target = false;
		return OK;
	}
	if (code >= ARGS_LONG_CODE)
		return args_set(&o[code - ARGS_LONG_CODE], optarg, err);
	while (o->name && (o->kind == ARGS_GROUP || o->letter != code))
		o++;
	return o->name ? args_set(o, optarg, err) : OK;
}

int args_parse(const struct args_spec *spec, int argc, char **argv, int *ret_first,
	       struct error *err)
{
	struct args_tables t = { .letters = { .fd = -1 } };
	int r = ARGS_RUN;

	args_tables_build(&t, spec->options, spec->has_command);
	optind = 0; /* glibc: start a new scan of the arguments */
	opterr = 0;
	while (r == ARGS_RUN) {
		int at = optind ? optind : 1;
		int code = getopt_long(argc, argv, t.letters.data, t.longs.data, NULL);

		if (code == -1)
			break;
		if (code == 'h' || code == ARGS_HELP_CODE)
			r = ARGS_HELP;
		else if (code == ARGS_LIST_CODE)
			r = ARGS_LIST_OPTIONS;
		else if (code == ARGS_DESCRIBE_CODE)
			r = ARGS_DESCRIBE;
		else
			r = args_one(spec, &t, code, argv[optind > at ? optind - 1 : at], err);
	}
	*ret_first = optind;
	args_tables_fini(&t);
	return r;
}

static void args_help_option(const struct args_option *o, struct out *out, size_t width)
{
	struct out text = { .fd = -1 };
	size_t start = out->len;
	size_t used;

	if (o->letter)
		out_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		out_printf(out, "      --%s", o->name);
	if (o->arg)
		out_printf(out, o->kind == ARGS_MAYBE ? "[=%s]" : " %s", o->arg);
	used = out->len - start;
	if (used > ARGS_TITLE_MAX) {
		out_char(out, '\n');
		used = 0;
	}
	out_repeat(out, ' ', ARGS_TITLE_MAX + 2 - used);
	if (o->standard)
		out_printf(&text, "%s [%s]", o->help, o->standard);
	utf8_fill(out, o->standard ? out_view(&text) : str_of(o->help), ARGS_TITLE_MAX + 2, width);
	out_char(out, '\n');
	out_fini(&text);
}

void args_help(const struct args_spec *spec, struct out *out, unsigned int width)
{
	static const struct args_option help = { "help",      'h',  ARGS_FLAG, NULL,
						 "this page", NULL, NULL };
	size_t columns = width ? width : 80;
	struct str tail = str_of(spec->tail ? spec->tail : "");
	struct str line;

	out_printf(out, "usage: %s [options] %s\n\n", spec->command, spec->operands);
	utf8_fill(out, str_of(spec->summary), 0, columns);
	out_char(out, '\n');
	if (spec->options->name && spec->options->kind != ARGS_GROUP)
		out_z(out, "\noptions:\n");
	for (const struct args_option *o = spec->options; o->name; o++) {
		if (o->kind == ARGS_GROUP)
			out_printf(out, "\n%s:\n", o->help);
		else if (o->help)
			args_help_option(o, out, columns);
	}
	args_help_option(&help, out, columns);
	if (spec->tail)
		out_char(out, '\n');
	while (str_line(&tail, &line)) {
		if (line.len && line.p[0] == ' ') /* an example command: do not wrap it */
			out_printf(out, STR_FMT, STR_ARG(line));
		else
			utf8_fill(out, line, 0, columns);
		out_char(out, '\n');
	}
}

static void args_describe_option(const struct args_option *o, struct out *out)
{
	static const char *const kinds[] = {
		[ARGS_FLAG] = "flag",   [ARGS_TEXT] = "text",     [ARGS_LIST] = "list",
		[ARGS_COUNT] = "count", [ARGS_NUMBER] = "number", [ARGS_CHOICE] = "choice",
	};

	out_printf(out, "option\t%s\t", o->name);
	if (o->letter)
		out_char(out, o->letter);
	out_printf(out, "\t%s\t%s\t%s\t%s\n", kinds[o->kind], o->arg ? o->arg : "",
		   o->standard ? o->standard : "", o->help);
}

void args_describe(const struct args_spec *spec, struct out *out)
{
	struct str tail = str_of(spec->tail ? spec->tail : "");
	struct str line;

	out_printf(out, "usage\t%s\t%s\t%s\n", spec->command, spec->operands, spec->summary);
	for (const struct args_option *o = spec->options; o->name; o++) {
		if (o->kind == ARGS_GROUP)
			out_printf(out, "group\t%s\n", o->help);
		else if (o->help)
			args_describe_option(o, out);
	}
	while (str_line(&tail, &line))
		out_printf(out, "tail\t" STR_FMT "\n", STR_ARG(line));
}

void args_list(const struct args_spec *spec, struct out *out)
{
	for (const struct args_option *o = spec->options; o->name; o++) {
		if (o->kind != ARGS_GROUP && o->help)
			out_printf(out, "--%s%s\n", o->name, o->kind == ARGS_FLAG ? "" : "=");
	}
	out_z(out, "--help\n");
}

static int args_word(struct str piece, const char *const *words, unsigned int *ret,
		     struct error *err)
{
	struct out known = { .fd = -1 };
	unsigned int found = UINT32_MAX;
	unsigned int n = 0;
	int r = OK;

	for (; words[n]; n++) {
		if (str_eq(piece, str_of(words[n]))) {
			*ret = n;
			return OK;
		}
		if (piece.len && str_starts(str_of(words[n]), piece))
			found = found == UINT32_MAX ? n : n + UINT16_MAX;
	}
	if (found < n) {
		*ret = found;
		return OK;
	}
	for (n = 0; words[n]; n++)
		out_printf(&known, "%s%s", n ? ", " : "", words[n]);
	r = fail(err, ERR_USAGE, "'" STR_FMT "' is none of " STR_FMT, STR_ARG(piece),
		 STR_ARG(out_view(&known)));
	out_fini(&known);
	return r;
}

int args_words(const char *list, const char *const *words, unsigned int *ret, size_t max,
	       size_t *ret_n, struct error *err)
{
	struct str rest = str_of(list);
	size_t n = 0;

	do {
		size_t comma = str_find_char(rest, ',');
		struct str piece = str_trim(str_sub(rest, 0, comma));
		int r;

		if (n == max)
			return fail(err, ERR_USAGE, "more than %zu words in '%s'", max, list);
		r = args_word(piece, words, &ret[n], err);
		if (r < 0)
			return r;
		n++;
		rest = str_skip(rest, comma + 1);
	} while (rest.len);
	*ret_n = n;
	return OK;
}

int args_time(struct str text, uint64_t *ret_ns, struct error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 },   { "s", 1e9 },    { "ms", 1e6 },  { "us", 1e3 },
		      { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 } };
	struct str s = text;
	double v;

	for (size_t i = 0; str_double(&s, &v) && v > 0 && i < ARRAY_LEN(units); i++) {
		if (str_eq(s, str_of(units[i].unit)) && v * units[i].ns <= 1e18 &&
		    v * units[i].ns >= 1) {
			*ret_ns = (uint64_t)(v * units[i].ns);
			return OK;
		}
		s = text;
	}
	return fail(err, ERR_USAGE, "a time is given as in 10s, 500ms or 2m, not '" STR_FMT "'",
		    STR_ARG(text));
}

int args_size(struct str text, uint64_t *ret, struct error *err)
{
	static const char units[] = "bkmgt";
	struct str s = text;
	const char *unit = units;
	uint64_t v;

	if (str_u64(&s, &v) && v && s.len <= 1) {
		unsigned int shift;

		if (s.len)
			unit = strchr(units, s.p[0] | 0x20);
		shift = unit ? 10 * (unsigned int)(unit - units) : 64;
		if (shift < 64 && v < UINT64_MAX >> (shift + 1)) {
			*ret = v << shift;
			return OK;
		}
	}
	return fail(err, ERR_USAGE, "a size is given as in 512K, 64M or 2G, not '" STR_FMT "'",
		    STR_ARG(text));
}
