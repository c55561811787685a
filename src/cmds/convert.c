/* SPDX-License-Identifier: MIT */
/*
 * convert.c - `assay convert`: write captures in another format
 *
 * Each output format has a function that writes it. Folded text holds only one capture, because its
 * lines have no unit. The formats of viewers hold all captures in one document. The formats json
 * and csv have all data of the captures, as tables.
 */
#include "base/command/args.h"
#include "base/files.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/capture_pick.h"
#include "cmds/run/cmd.h"
#include "cmds/run/outputs.h"
#include "cmds/run/secret.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "cmds/show/show_model.h"
#include "core/capture.h"
#include "core/names/redact.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/registry.h"
#include "render/view.h"
#include "transform/transform.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

DECLARE_CMD(convert);

struct convert {
	struct session s;
	const char *to;
	struct capture_wish wish;
	/* value of --redact: file with the key; "": a random key; NULL: do not redact */
	const char *redact;
	/* value of --redact-keep, such as "kernel,libc": public names that are not replaced */
	const char *redact_keep;
	/*
	 * the output, if it is written while the recordings are read; NULL: the output is written
	 * when all recordings have been read
	 */
	struct out *out;
};

static int convert_model(struct convert *c)
{
	CLEANUP(view_freep) struct view *v = session_view(&c->s);
	struct show s = { .session = &c->s, .v = v };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-convert-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < c->s.dossier->captures.len; i++) {
		if (capture_wish_takes(&c->s, &c->wish, i))
			show_model(&s, i);
	}
	view_list_end(v);
	return show_end(&s, status);
}

static bool convert_can_write(const struct format *f)
{
	return f->write || f->write_all;
}

static void convert_refuse(const struct convert *c, const struct capture *one,
			   const struct error *err)
{
	const char *path = strings_get(&c->s.dossier->strings, one->path).p;

	if (one->first_line)
		complain(path, "%s of line %u: %s", one->format, one->first_line, err->msg);
	else
		complain(path, "%s", err->msg);
}

static bool convert_is_joined(const struct format *format, const struct capture *a,
			      const struct capture *b)
{
	return format->holds_one_of_event && a->profile && b->profile &&
	       a->profile->event.v == b->profile->event.v;
}

/*
 * Whether the capture @one must be left out: @good already contains a capture of the same event,
 * and programs that read @format would add the two captures together. If so, print a message that
 * names the option --capture: it can write @one alone.
 */
static bool convert_would_join(const struct convert *c, const struct format *format,
			       const struct capture *const *good, size_t n,
			       const struct capture *one, uint32_t number)
{
	struct error err;

	for (size_t i = 0; i < n; i++) {
		if (!convert_is_joined(format, good[i], one))
			continue;
		(void)fail(
			&err, ERR_UNSUPPORTED,
			"left out: %s would add it to the capture before; --capture %u writes it",
			format->name, number + 1);
		convert_refuse(c, one, &err);
		return true;
	}
	return false;
}

/* Write one capture, in a format that can hold only one capture, such as folded text. */
static int convert_one(const struct convert *c, const struct format *format, struct out *out,
		       struct error *err)
{
	const struct capture *one = capture_pick(&c->s, &c->wish, "write");

	if (!one)
		return ERR_UNSUPPORTED;
	if (format->write(one, out, err) == OK)
		return OK;
	convert_refuse(c, one, err);
	return ERR_UNSUPPORTED;
}

/*
 * Write the selected captures in @format. A capture that the format cannot represent is left out,
 * with a message.
 */
static int convert_format(struct convert *c, const struct format *format)
{
	struct out *out;
	struct error err = { "" };
	VEC(const struct capture *) good = VEC_INIT;
	unsigned int written = 0;

	if (format->is_write_binary && !c->s.to.path && isatty(STDOUT_FILENO)) {
		complain(NULL, "%s is binary and not for a terminal; use -o FILE", format->name);
		return EXIT_USAGE;
	}
	out = c->out ? c->out : session_open(&c->s);
	for (uint32_t i = 0; out && i < c->s.dossier->captures.len; i++) {
		const struct capture *one = c->s.dossier->captures.data[i];

		if (!capture_wish_takes(&c->s, &c->wish, i))
			continue;
		if (c->out && strcmp(one->format, "perf-data") == 0) {
			/* this capture was already written while the recording was read */
			written++;
			continue;
		}
		if (convert_would_join(c, format, good.data, good.len, one, i))
			continue;
		if (format->check(one, &err) < 0) {
			convert_refuse(c, one, &err);
			continue;
		}
		written++;
		*VEC_PUSH(&good) = one;
	}
	if (written && format->write && convert_one(c, format, out, &err) < 0) {
		written = 0;
	} else if (written && format->write_all &&
		   format->write_all(good.data, good.len, out, &err) < 0) {
		complain(NULL, "%s", err.msg);
		written = 0;
	}
	VEC_FREE(&good);
	return written ? EXIT_DONE : EXIT_FAILED;
}

static void convert_unknown(const struct convert *c)
{
	struct out known = { .fd = -1 };

	for (const struct format *const *f = formats; *f; f++) {
		if (convert_can_write(*f))
			out_printf(&known, "%s, ", (*f)->name);
	}
	if (!c->to)
		complain(NULL, "--to says what to write: " STR_FMT "json or csv",
			 STR_ARG(out_view(&known)));
	else
		complain(NULL, "--to knows " STR_FMT "json and csv, not '%s'",
			 STR_ARG(out_view(&known)), c->to);
	out_fini(&known);
}

/*
 * Find the format with the name @name. Otherwise, find the only format whose name begins with
 * @name: "chrome" finds "chrome-trace". NULL: no format or several formats match.
 */
static const struct format *convert_find(struct str name)
{
	const struct format *found = format_find(name);

	if (found && convert_can_write(found))
		return found;
	found = NULL;
	for (const struct format *const *f = formats; *f && name.len; f++) {
		if (!convert_can_write(*f) || !str_starts(str_of((*f)->name), name))
			continue;
		if (found)
			return NULL;
		found = *f;
	}
	return found;
}

/* Parse the value of --to. False: a message was printed. */
static bool convert_target(struct convert *c, const struct format **ret)
{
	struct str to = str_of(c->to);

	c->s.to.is_json = str_eq(to, STR("json"));
	c->s.to.is_csv = str_eq(to, STR("csv"));
	*ret = c->to ? convert_find(to) : NULL;
	if (c->s.to.is_json || c->s.to.is_csv || *ret)
		return true;
	convert_unknown(c);
	return false;
}

static int convert_redact(struct convert *c)
{
	static const char *const words[] = { "kernel", "libc", NULL };
	unsigned int kept[2];
	unsigned int keep = 0;
	struct redact_key key;
	struct error err = { "" };
	size_t n = 0;
	int r = OK;

	if (c->redact_keep)
		r = args_words(c->redact_keep, words, kept, ARRAY_LEN(kept), &n, &err);
	if (r < 0) {
		complain("--redact-keep", "%s", err.msg);
		return r;
	}
	while (n--)
		keep |= 1u << kept[n];
	r = secret_read(c->redact, &key, &err);
	if (r == OK)
		redact_dossier(c->s.dossier, &key, keep);
	else
		complain(c->redact[0] ? c->redact : NULL, "%s", err.msg);
	return r;
}

/* Whether an option selects or changes samples. If so, the recording cannot be copied unchanged. */
static bool convert_is_chosen(const struct convert *c)
{
	bool ret = c->wish.only || c->wish.event || c->redact || c->s.change.is_off_cpu;

	for (size_t i = 0; i < ARRAY_LEN(c->s.in.chosen); i++)
		ret |= c->s.in.chosen[i].items.len != 0;
	return ret;
}

/*
 * Check that the command line asks for a copy of one whole recording. The copy also has the symbol
 * names. False: a message was printed.
 */
static bool convert_takes_all(const struct convert *c)
{
	if (convert_is_chosen(c) || c->s.in.paths.items.len != 1) {
		complain(NULL, "--to perf-data copies one whole recording with its names; it takes "
			       "no choice of samples and no --redact");
		return false;
	}
	if (!c->s.to.path && isatty(STDOUT_FILENO)) {
		complain(NULL, "perf-data is binary and not for a terminal; use -o FILE");
		return false;
	}
	return true;
}

static int convert_run(int argc, char **argv)
{
	struct convert c = { .to = NULL };
	const struct format *format = NULL;
	struct args_option options[] = {
		OPT(TEXT, "to", 't', "FORMAT", &c.to,
		    "output format: folded, perf-script, pprof, speedscope, firefox, chrome-trace, "
		    "perf-data (a recording with its names), json (all data) or csv (rows)"),
		OPT(COUNT, "capture", 0, "N", &c.wish.only,
		    "only the Nth capture, in the order of assay info"),
		OPT(TEXT, "event", 'e', "EVENT", &c.wish.event,
		    "only this event of inputs with several"),
		ARGS_HEADING("anonymize"),
		OPT(MAYBE, "redact", 0, "KEYFILE", &c.redact,
		    "replace names, addresses, hosts and paths by keyed hashes; one key gives "
		    "equal hashes for equal names; without KEYFILE the key is random"),
		OPT(TEXT, "redact-keep", 0, "WHAT", &c.redact_keep,
		    "keep public names readable: kernel, libc"),
		SESSION_SAMPLES(&c.s),
		SESSION_SYMBOLS(&c.s),
		SESSION_OPTIONS(&c.s),
		SESSION_FORCE(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay convert",
		.operands = "--to FORMAT FILE...",
		.summary = "Convert a capture to another format.",
		.options = options,
		.tail = "examples:\n"
			"  assay convert --to folded mail.txt | sort\n"
			"  assay convert --to pprof -o cpu.pb.gz perf.data; go tool pprof -top "
			"cpu.pb.gz\n"
			"  assay convert --to folded --redact=my.key --redact-keep kernel "
			"perf.data\n"
			"  assay convert --to chrome -o calls.json trace.txt   (open in Perfetto)",
	};
	int status;

	session_init(&c.s);
	c.s.change.select.is_relative = true;
	c.s.change.wall = TRANSFORM_WALL_ONLY;
	if (!session_parse(&c.s, &spec, argc, argv, &status))
		return session_finish(&c.s, status);
	if (!convert_target(&c, &format))
		return session_finish(&c.s, EXIT_USAGE);
	c.s.to.kind = output_kind_of(format ? format->name : c.s.to.is_csv ? "csv" : "json");
	/*
	 * the format has addresses, which captures do not store, so write the output while the
	 * recording is read
	 */
	if (format && strcmp(format->name, "perf-script") == 0 && !convert_is_chosen(&c)) {
		c.out = session_open(&c.s);
		if (!c.out)
			return session_finish(&c.s, EXIT_FAILED);
		c.s.in.wanted.script = c.out;
	}
	if (format && str_eq(str_of(format->name), STR("perf-data"))) {
		if (!convert_takes_all(&c))
			return session_finish(&c.s, EXIT_USAGE);
		c.out = session_open(&c.s);
		if (!c.out)
			return session_finish(&c.s, EXIT_FAILED);
		c.s.in.wanted.named = c.out;
	}
	if (format && str_eq(str_of(format->name), STR("folded")))
		c.s.in.read.without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD;
	if (!session_load(&c.s, &spec, &status) || c.s.dossier->captures.len == 0)
		return session_finish(&c.s, status);
	if (!capture_wish_check(&c.s, &c.wish))
		return session_finish(&c.s, EXIT_USAGE);
	if (c.redact && convert_redact(&c) < 0)
		return session_finish(&c.s, EXIT_USAGE);
	status = format && !c.s.to.is_json && !c.s.to.is_csv ? convert_format(&c, format)
							     : convert_model(&c);
	return session_finish(&c.s, status);
}

const struct cmd cmd_convert = {
	.name = "convert",
	.summary = "convert a capture: folded, pprof, speedscope, Firefox, JSON, …",
	.run = convert_run,
};
