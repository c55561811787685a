/* SPDX-License-Identifier: MIT */
/*
 * flame.c - `assay flame`: a flame graph as one SVG file
 */
#include "analyses/flame/flame.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/flame/flame_diff.h"
#include "cmds/flame/flame_risk.h"
#include "cmds/run/capture_pick.h"
#include "cmds/run/cmd.h"
#include "cmds/run/confine.h"
#include "cmds/run/outputs.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/strings.h"
#include "render/svg_flame.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"
#include "transform/wall_clock.h"

#include <math.h>

DECLARE_CMD(flame);

struct flame_command {
	struct session s;
	const char *title;
	unsigned int colours; /* enum flame_colours */
	uint64_t width;
	double min_width;
	struct capture_wish wish;
	bool is_icicle;
	bool is_diff;
	/* with --diff, the side whose shares are the widths of frames: 0 for B, 1 for A */
	unsigned int of;
	struct flame_diff_command diff;
	const char *risk_dir;
	struct flame_risk risk;
	struct out text;
};

static struct str flame_unit(const struct flame_command *c, const struct capture *one,
			     enum weight_unit unit)
{
	switch (unit) {
	case WEIGHT_SAMPLES:
		return STR("samples");
	case WEIGHT_EVENTS:
		if (one->profile && one->profile->event.v)
			return strings_get(&c->s.dossier->strings, one->profile->event);
		return STR("events");
	case WEIGHT_PERCENT:
		return STR("%");
	case WEIGHT_BYTES:
		return STR("bytes");
	default:
		return STR_NONE;
	}
}

/* Write the subtitle: "cpu-clock, 1 240 samples, 620 ms; g.data (perf-data)". */
static void flame_subtitle(struct flame_command *c, const struct capture *one,
			   const struct paths *p, const struct svg_flame_options *o)
{
	struct strings *s = &c->s.dossier->strings;
	struct svg_flame_options count = { .unit = WEIGHT_SAMPLES };
	struct out *t = &c->text;

	t->len = 0;
	if (p->from_calls) {
		count.unit_name = p->n_samples == 1 ? STR("call") : STR("calls");
		out_z(t, "time in functions, callees and tracer included, of ");
	} else if (one->profile->event.v) {
		out_str(t, strings_get(s, one->profile->event));
		out_z(t, ", ");
	}
	if (!p->from_calls) {
		bool is_known = one->profile->has_n_samples && one->profile->n_samples_err == 0;

		count.unit_name = STR("samples");
		if (is_known)
			svg_flame_amount(t, one->profile->n_samples, &count);
		if (is_known && p->unit != WEIGHT_SAMPLES)
			out_z(t, ", ");
	} else {
		svg_flame_amount(t, p->n_samples, &count);
		out_z(t, ", ");
	}
	if (p->from_calls || p->unit != WEIGHT_SAMPLES || !one->profile->has_n_samples ||
	    one->profile->n_samples_err) {
		svg_flame_amount(t, p->total, o);
		if (p->unit == WEIGHT_UNKNOWN)
			out_z(t, " in all");
	}
	if (wall_clock_is(one)) {
		const struct off_cpu *w = session_waits_of(&c->s, one);
		uint64_t off = w->runnable_ns + w->blocked_ns;

		out_printf(t, ": ran %.3f s, ready %.3f s, waited %.3f s",
			   (double)(p->total > off ? p->total - off : 0) / 1e9,
			   (double)w->runnable_ns / 1e9, (double)w->blocked_ns / 1e9);
	}
	if (!p->from_calls && one->profile->recovery == RECOVERY_PARTIAL)
		out_z(t, ", of a printed report as far as it shows chains");
	else if (!p->from_calls && one->profile->recovery == RECOVERY_EXACT)
		out_z(t, ", rebuilt from a printed report");
	out_z(t, "; ");
	out_str(t, strings_get(s, one->path));
	if (one->first_line)
		out_printf(t, " line %u", one->first_line);
	out_printf(t, " (%s)", one->format);
}

static int flame_draw(struct flame_command *c, const struct capture *one, const struct paths *p)
{
	struct svg_flame_options o = {
		.width = (unsigned int)c->width,
		.min_width = c->min_width,
		.is_icicle = c->is_icicle,
		.unit = p->unit,
		.decimals = p->decimals,
	};
	struct flame flame;
	struct out *out;
	double min_weight;
	uint64_t whole = p->total;
	uint64_t least;

	o.unit_name = flame_unit(c, one, p->unit);
	o.title = c->title ? str_of(c->title) : STR("Flame graph");
	flame_subtitle(c, one, p, &o);
	if (c->risk_dir)
		flame_risk_subtitle(&c->risk, &c->text);
	o.subtitle = out_view(&c->text);
	min_weight = c->min_width / svg_flame_inner_width(o.width) * (double)whole;
	out = session_open(&c->s);
	if (!out)
		return EXIT_FAILED;
	if (wall_clock_is(one) && c->colours == FLAME_BY_SPACE)
		c->colours = FLAME_BY_STATE;
	least = min_weight >= 1 ? (uint64_t)ceil(min_weight) : 1;
	if (c->risk_dir)
		flame_risk_build(&c->risk, one, p, least, &o, &flame);
	else
		flame_build(one, p, least, (enum flame_colours)c->colours, &c->s.cats, &flame);
	svg_flame(out, &flame, &c->s.dossier->symbols, &o);
	flame_fini(&flame);
	return EXIT_DONE;
}

static int flame_show_diff(struct flame_command *c)
{
	struct svg_flame_options o = {
		.title = c->title ? str_of(c->title) : STR("Difference of two recordings"),
		.width = (unsigned int)c->width,
		.min_width = c->min_width,
		.is_icicle = c->is_icicle,
	};

	c->diff.is_of_a = c->of == 1;
	c->diff.wish.event = str_of(c->wish.event);
	return flame_diff_draw(&c->s, &c->diff, &o);
}

static int flame_show(struct flame_command *c)
{
	const struct capture *one;
	struct error err = { "" };
	struct paths p;
	int status;

	if (!capture_wish_check(&c->s, &c->wish))
		return EXIT_USAGE;
	if (c->risk_dir &&
	    flame_risk_open(&c->risk, c->risk_dir, c->s.sources.has_cache, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return EXIT_FAILED;
	}
	one = capture_pick(&c->s, &c->wish, "draw");
	if (!one)
		return EXIT_USAGE;
	if (paths_of(one, &p, &err) < 0) {
		complain(NULL, "%s", err.msg);
		return EXIT_FAILED;
	}
	status = flame_draw(c, one, &p);
	paths_fini(&p);
	return status;
}

static bool flame_check(const struct flame_command *c)
{
	if (c->width < 200 || c->width > 20000) {
		complain(NULL, "--width takes 200 to 20000 pixels");
		return false;
	}
	if (!(c->min_width >= 0.001 && c->min_width <= 100)) {
		complain(NULL, "--min-width takes 0.001 to 100 pixels");
		return false;
	}
	if (c->is_diff && c->risk_dir) {
		complain(NULL, "--diff and --risk exclude each other: both set the colours");
		return false;
	}
	if (c->is_diff && c->s.change.is_off_cpu) {
		complain(NULL, "--diff and --off-cpu exclude each other");
		return false;
	}
	if (c->is_diff && c->wish.only) {
		complain(NULL, "with --diff, use --a and --b instead of --capture");
		return false;
	}
	if (!c->is_diff && (c->of || c->diff.wish.a || c->diff.wish.b)) {
		complain(NULL, "--of, --a and --b need --diff");
		return false;
	}
	return true;
}

/*
 * With --risk, give up rights here instead of in session_load(). Sources are read after the
 * samples, so their folder must stay readable.
 */
static bool flame_confine(struct flame_command *c, int *ret_status)
{
	const char *const trees[] = { c->risk_dir, NULL };

	return !c->risk_dir || session_confine(&c->s, trees, ret_status);
}

static int flame_run(int argc, char **argv)
{
	struct flame_command c = { .width = SVG_FLAME_WIDTH, .min_width = SVG_FLAME_MIN_WIDTH };
	struct args_option options[] = {
		OPT_FLAG("icicle", 0, &c.is_icicle, "draw callers on top"),
		OPT_DEFAULT(CHOICE, "colour", 0, "space|dso|category|comm", "space", &c.colours,
			    "colour by kind of code, object, kind of work, or command"),
		OPT(TEXT, "risk", 0, "DIR", &c.risk_dir,
		    "colour by the risk rank of functions in these C sources"),
		SESSION_CACHE(&c.s),
		OPT_DEFAULT(TEXT, "title", 0, "TEXT", "Flame graph", &c.title,
			    "title of the picture"),
		OPT_DEFAULT(COUNT, "width", 0, "PX", "1200", &c.width,
			    "width of the picture in pixels"),
		OPT_DEFAULT(NUMBER, "min-width", 0, "PX", "0.1", &c.min_width,
			    "count narrower frames instead of drawing them"),
		OPT_DEFAULT(COUNT, "capture", 0, "N", "the first with stacks", &c.wish.only,
			    "the Nth capture, in the order of assay info"),
		OPT(TEXT, "event", 'e', "EVENT", &c.wish.event,
		    "only this event of inputs with several"),
		SESSION_OFF_CPU(&c.s),
		SESSION_OPEN(&c.s),
		ARGS_HEADING("differences"),
		OPT_FLAG("diff", 0, &c.is_diff,
			 "compare two recordings like assay diff: red is more in B, blue less, "
			 "grey inconclusive"),
		OPT_DEFAULT(CHOICE, "of", 0, "b|a", "b", &c.of, "frame widths of B or A"),
		OPT(COUNT, "a", 0, "N", &c.diff.wish.a, "use the Nth capture of A's file"),
		OPT(COUNT, "b", 0, "N", &c.diff.wish.b, "use the Nth capture of B's file"),
		OPT_FLAG("force", 'f', &c.s.to.is_forced,
			 "compare in spite of different events or units; overwrite the file of -o, "
			 "even one of another kind"),
		SESSION_OPTIONS(&c.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay flame",
		.operands = "FILE... | --diff A B",
		.summary =
			"Draw stacks or calls as a flame graph: one SVG file with search and zoom.",
		.options = options,
		.tail = "examples:\n  assay flame -o cpu.svg perf.data\n"
			"  assay flame --off-cpu -o wall.svg waits.data\n"
			"  assay flame --diff -o diff.svg before.data after.data",
	};
	int status;

	out_init(&c.text);
	session_init(&c.s);
	c.s.to.has_pager = false;
	c.s.to.kind = &output_svg;
	c.s.change.wall = TRANSFORM_WALL_ONLY;
	if (session_parse(&c.s, &spec, argc, argv, &status)) {
		c.s.in.wanted.places = c.risk_dir != NULL;
		c.s.in.side_b = c.is_diff;
		c.s.change.drops_helpers = !c.wish.event && !c.wish.only;
		if (!flame_check(&c))
			status = EXIT_USAGE;
		else if (flame_confine(&c, &status) && session_load(&c.s, &spec, &status) &&
			 c.s.dossier->captures.len)
			status = c.is_diff ? flame_show_diff(&c) : flame_show(&c);
	}
	status = session_finish(&c.s, status);
	out_fini(&c.text);
	flame_risk_fini(&c.risk);
	return status;
}

const struct cmd cmd_flame = {
	.name = "flame",
	.summary = "draw stacks or calls as a flame graph (SVG)",
	.run = flame_run,
};
