/* SPDX-License-Identifier: MIT */
#include "cmds/browse/browse_page.h"

#include "analyses/compare/compare.h"
#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/annotate.h"
#include "cmds/browse.h"
#include "cmds/browse/browse_flame.h"
#include "cmds/browse/browse_place.h"
#include "cmds/browse/browse_time.h"
#include "cmds/diff/diff_pick.h"
#include "cmds/diff/diff_show.h"
#include "cmds/explain.h"
#include "cmds/run/session.h"
#include "cmds/screen/profile_pages.h"
#include "cmds/screen/screen_keys.h"
#include "cmds/screen/screen_pager.h"
#include "cmds/show/profile/show_profile.h"
#include "cmds/show/show.h"
#include "cmds/show/show_front.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/findings.h"
#include "render/view.h"
#include "transform/select.h"

#include <string.h>

/* nodes with a smaller share, in percent, are left out of the tree, as in `report -g` */
#define PAGE_TREE_LIMIT 0.5
/* when the tree is first shown, nodes with at least this share, in percent, show their children */
#define PAGE_TREE_OPEN 10.0

static const char *const page_titles[BROWSE_VIEWS] = {
	[BROWSE_FINDINGS] = "findings", [BROWSE_TABLE] = "table",     [BROWSE_CALLERS] = "callers",
	[BROWSE_TREE] = "tree",         [BROWSE_THREADS] = "threads", [BROWSE_ANNOTATE] = "code",
	[BROWSE_REPORT] = "all",        [BROWSE_FLAME] = "flame",     [BROWSE_DIFF] = "diff",
	[BROWSE_TIME] = "time",         [BROWSE_HELP] = NULL,         [BROWSE_COMMAND] = NULL,
};

void browse_page_init(struct browse_page *p, struct browse_data *data)
{
	*p = (struct browse_page){ .data = data, .head = { .fd = -1 }, .body = { .fd = -1 } };
}

void browse_page_fini(struct browse_page *p)
{
	out_fini(&p->head);
	out_fini(&p->body);
	pages_fini(&p->pages);
	tree_fini(&p->tree.tree);
	VEC_FREE(&p->tree.is_open);
}

static struct session *page_session(const struct browse_page *p)
{
	int status;

	return browse_data_get(p->data, p->place, BROWSE_AS_REPORT, &status);
}

const struct capture *browse_page_capture(const struct browse_page *p)
{
	struct session *s = page_session(p);

	if (!s)
		return NULL;
	return s->dossier->captures
		.data[p->place->capture < s->dossier->captures.len ? p->place->capture : 0];
}

/* Whether @c has the thread ids that a table of threads needs. */
static bool page_has_tids(const struct capture *c)
{
	const struct top_spec spec = { .keys = { { .key = TOP_TID } }, .n_keys = 1 };
	struct error err;

	return c->profile && top_check(c, &spec, &err) >= 0;
}

bool browse_page_has(struct browse_page *p, enum browse_view_id view)
{
	const struct capture *c = browse_page_capture(p);

	if (!c)
		return false;
	switch (view) {
	case BROWSE_TABLE:
		return c->profile;
	case BROWSE_CALLERS:
		return c->profile;
	case BROWSE_TREE:
		return c->profile && (c->profile->samples.n || c->profile->table.nodes.len);
	case BROWSE_FLAME:
		return c->profile && c->profile->samples.n;
	case BROWSE_DIFF:
		return p->data->o->session->in.paths.items.len == 2;
	case BROWSE_TIME:
		return browse_time_has(c);
	case BROWSE_THREADS:
		return c->threads || page_has_tids(c);
	case BROWSE_ANNOTATE:
		return c->code || str_eq(str_of(c->format), STR("perf-data"));
	default:
		return true;
	}
}

enum browse_view_id browse_page_first(struct browse_page *p)
{
	const struct capture *c = browse_page_capture(p);

	if (!c)
		return BROWSE_HELP;
	return c->threads   ? BROWSE_THREADS
	       : c->profile ? BROWSE_TABLE
	       : c->code    ? BROWSE_ANNOTATE
			    : BROWSE_REPORT;
}

struct browse_tree *browse_page_tree(struct browse_page *p)
{
	const struct tree_spec spec = { .direction = TREE_CALLEES,
					.percent_limit = PAGE_TREE_LIMIT,
					.max_nodes = PAGE_ROWS_MAX };
	const struct capture *c = browse_page_capture(p);
	struct browse_tree *t = &p->tree;
	struct error err;

	if (!c)
		return NULL;
	if (t->of == c && t->generation == p->data->generation)
		return t;
	tree_fini(&t->tree);
	memset(&t->tree, 0, sizeof(t->tree));
	t->is_open.len = 0;
	t->of = NULL;
	if (!c->profile || tree_build(c, &spec, &t->tree, &err) < 0)
		return NULL;
	t->of = c;
	t->generation = p->data->generation;
	VEC_FOREACH (node, &t->tree.nodes)
		*VEC_PUSH(&t->is_open) = tree_pct(&t->tree, node->weight) >= PAGE_TREE_OPEN;
	return t;
}

void browse_page_open(struct browse_page *p, uint32_t node, bool is_deep)
{
	struct browse_tree *t = browse_page_tree(p);
	uint32_t end;
	uint8_t is_open;

	if (!t || node >= t->tree.nodes.len)
		return;
	is_open = !t->is_open.data[node];
	end = is_deep ? t->tree.nodes.data[node].end : node + 1;
	for (uint32_t i = node; i < end; i++)
		t->is_open.data[i] = is_open;
}

static void page_keys(const struct capture *c, enum browse_by by, struct top_spec *spec)
{
	static const struct {
		enum top_key keys[3];
		size_t n;
	} keys[BROWSE_BYS] = {
		[BROWSE_BY_SYMBOL] = { { TOP_COMM, TOP_DSO, TOP_SYM }, 3 },
		[BROWSE_BY_FUNCTION] = { { TOP_DSO, TOP_SYM }, 2 },
		[BROWSE_BY_COMM] = { { TOP_COMM }, 1 },
		[BROWSE_BY_DSO] = { { TOP_DSO }, 1 },
		[BROWSE_BY_CATEGORY] = { { TOP_CATEGORY }, 1 },
		[BROWSE_BY_CPU] = { { TOP_CPU }, 1 },
	};

	spec->n_keys = 0;
	for (size_t i = 0; i < keys[by].n; i++) {
		const struct top_spec one = { .keys = { { .key = keys[by].keys[i] } },
					      .n_keys = 1 };
		struct error err;

		/*
		 * leave out a sort key for which @c has no data: some reports have no commands or
		 * no files
		 */
		if (keys[by].n == 1 || top_check(c, &one, &err) >= 0)
			spec->keys[spec->n_keys++].key = keys[by].keys[i];
	}
}

static void page_table(struct browse_page *p, struct view *v)
{
	struct top_spec spec = { .sort_by_self = p->place->is_by_self };
	const struct page_table table = {
		.spec = &spec,
		.is_by_children = !p->place->is_by_self,
		.filter = p->place->filter,
	};

	page_keys(p->pages.capture, p->place->by, &spec);
	pages_table(&p->pages, v, &table);
	p->n_titles = p->pages.rows.len ? 1 : 0;
	p->has_filter = true;
	if (p->pages.n_hidden)
		view_line(v, NULL, "%llu more rows: / finds them",
			  (unsigned long long)p->pages.n_hidden);
}

static void page_threads(struct browse_page *p, struct view *v)
{
	struct top_spec spec = { .keys = { { .key = TOP_TID }, { .key = TOP_COMM } },
				 .n_keys = 2,
				 .sort_by_self = true,
				 .no_children = true };
	const struct page_table table = { .spec = &spec, .filter = p->place->filter };
	struct show show = { .session = p->pages.session, .v = v };

	if (p->pages.capture->threads) {
		show_threads(&show, p->pages.capture);
	} else {
		pages_table(&p->pages, v, &table);
		p->n_titles = p->pages.rows.len ? 1 : 0;
		p->has_filter = true;
	}
	show_fini(&show);
}

/*
 * Write the call tree of an input that has a printed tree but no samples, as `report -g` does.
 * @function: only the tree of this function; may be empty.
 */
static void page_printed_tree(struct browse_page *p, struct view *v, struct str function,
			      bool is_callers)
{
	const struct show_profile_options options = {
		.spec = { .symbols = { &function, function.len > 0 } },
		.has_tree = true,
		.is_callers = is_callers,
	};
	struct show show = { .session = p->pages.session, .v = v, .profile = &options };
	struct error err = { "" };
	struct top top;

	if (top_compute(p->pages.capture, &p->pages.session->cats, &options.spec, &top, &err) < 0) {
		view_line(v, NULL, "%s", err.msg);
		return;
	}
	if (show_profile_trees(&show, p->pages.capture, &top, &err) < 0)
		view_line(v, NULL, "%s", err.msg);
	top_fini(&top);
	show_fini(&show);
}

static void page_callers(struct browse_page *p, struct view *v)
{
	sym_id sym = browse_place_symbol(p->place, p->pages.session);

	if (!sym.v)
		view_line(v, NULL, "no sample of " STR_FMT, STR_ARG(p->place->function));
	else if (p->pages.capture->profile->samples.n)
		pages_callers(&p->pages, v, sym);
	else
		page_printed_tree(p, v, p->place->function, true);
}

static void page_tree(struct browse_page *p, struct view *v)
{
	struct browse_tree *t = browse_page_tree(p);

	if (!t) {
		page_printed_tree(p, v, STR_NONE, false);
		return;
	}
	pages_tree(&p->pages, v, &t->tree, t->is_open.data);
	p->n_titles = 1;
}

static void page_flame(struct browse_page *p, struct view *v)
{
	struct browse_tree *t = browse_page_tree(p);

	if (!t) {
		view_line(v, NULL, "there are no samples with call stacks");
		return;
	}
	p->has_frames = true;
	browse_flame_draw(p->pages.capture, &t->tree, p->place, &p->text, v->out);
}

static void page_time(struct browse_page *p, struct view *v)
{
	if (!browse_time_has(p->pages.capture)) {
		view_line(v, NULL, "the samples have no times or no threads");
		return;
	}
	p->n_titles = 1;
	browse_time_draw(&p->pages, &p->text, v->out);
}

static void page_compared(struct browse_page *p, struct show *show, const struct diff_side sides[2])
{
	const struct diff_show_options options = { .limit = PAGE_ROWS_MAX };
	struct compare_spec spec = { .margin = COMPARE_MARGIN };
	struct compare_side *to[] = { &spec.a, &spec.b };
	struct compare c = { .scale = 0 };
	struct error err = { "" };
	bool is_trace = !sides[0].captures[0]->profile && !sides[1].captures[0]->profile;
	int r;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < sides[side].n && i < COMPARE_RUNS_MAX; i++)
			to[side]->captures[to[side]->n++] = sides[side].captures[i];
	}
	r = is_trace ? compare_calls(&spec, &c, &err)
		     : compare_profiles(&spec, &p->pages.session->cats, &c, &err);
	if (r == OK)
		(void)diff_show(show, sides, &c, &options);
	else if (r == ERR_UNSUPPORTED)
		diff_show_refusal(show, sides, &c);
	else
		view_line(show->v, NULL, "%s", err.msg);
	compare_fini(&c);
}

static void page_diff(struct browse_page *p, struct view *v)
{
	struct show show = { .session = p->pages.session, .v = v };
	const struct diff_wish wish = { .event = STR_NONE };
	struct diff_side sides[2];
	struct error err = { "" };
	uint32_t list;

	if (diff_pick(p->pages.session, 1, &wish, sides, &list, &err) < 0)
		view_line(v, NULL, "%s", err.msg);
	else if (sides[0].captures[0]->counters || sides[1].captures[0]->counters ||
		 sides[0].captures[0]->distribution || sides[1].captures[0]->distribution)
		view_line(v, NULL, "counters and distributions are compared by the command below");
	else
		page_compared(p, &show, sides);
	show_fini(&show);
}

static void page_annotate(struct browse_page *p, struct view *v)
{
	int status;
	struct session *s = browse_data_get(p->data, p->place, BROWSE_AS_ANNOTATE, &status);
	struct show show = { .session = s, .v = v };

	if (!s) {
		view_line(v, NULL, "the input cannot be read again");
		return;
	}
	if (!annotate_page(&show, p->place->function, p->place->is_whole))
		view_line(v, NULL,
			  "no instructions or source lines%s" STR_FMT
			  ": perf.data has them, and the text of perf annotate, pprof -list and "
			  "callgrind_annotate",
			  p->place->function.len ? " of " : "", STR_ARG(p->place->function));
	show_fini(&show);
}

static void page_findings(struct browse_page *p, struct view *v)
{
	const struct findings *f = browse_data_findings(p->data, p->place);
	struct show show = { .session = &p->data->sources[BROWSE_AS_EXPLAIN].session, .v = v };

	if (!f) {
		view_line(v, NULL, "the input cannot be read again");
		return;
	}
	explain_page(&show, f, false);
	show_fini(&show);
}

static void page_report(struct browse_page *p, struct view *v)
{
	struct show show = { .session = p->pages.session, .v = v };
	struct error err = { "" };

	if (show_capture(&show, p->place->capture, &err) < 0)
		view_line(v, NULL, "%s", err.msg);
	show_fini(&show);
}

static void page_help(struct browse_page *p, struct view *v)
{
	view_heading(v, STR("Keys"), "%s", "");
	screen_command_help(p->commands, p->n_commands, v);
	screen_command_help(screen_pager_moves, screen_pager_n_moves, v);
	view_heading(v, STR("What is shown"), "%s", "");
	view_line(v, "Last line", "the command that prints the same view");
	view_line(v, "Shares", "in percent of all samples, as in report; assay help words");
	view_line(v, "Only",
		  "t and d limit all views to a thread or command, or to a file; "
		  "Escape takes this back");
}

static void page_command(struct browse_page *p, struct view *v)
{
	struct out command = { .fd = -1 };

	if (p->previous)
		browse_command(p->data, p->previous, &command);
	view_heading(v, STR("The command that prints the previous view"), "%s", "");
	view_line(v, NULL, STR_FMT, STR_ARG(out_view(&command)));
	view_heading(v, STR("Further"), "%s", "");
	view_line(v, NULL, "--json prints an object for programs, -o FILE writes to a file");
	out_fini(&command);
}

/* The title of a view in the first line of the page; NULL: the view is not listed there. */
static const char *head_title(const struct capture *c, enum browse_view_id view)
{
	if (view != BROWSE_REPORT)
		return page_titles[view];
	return c->kinds & KIND_CALLS      ? "calls"
	       : c->kinds & KIND_LOG      ? "log"
	       : c->kinds & KIND_COUNTERS ? "counters"
	       : c->distribution          ? "distribution"
	       : c->kinds & KIND_METRICS  ? "metrics"
					  : page_titles[view];
}

/*
 * Write the list of views for the first line. @is_short: write only the numbers of the views,
 * except for the current view.
 */
static void head_views(struct browse_page *p, bool is_short, struct out *out)
{
	const struct capture *c = browse_page_capture(p);

	unsigned int n = 0;

	for (unsigned int i = 0; i < BROWSE_VIEWS; i++) {
		const char *title = head_title(c, (enum browse_view_id)i);
		bool is_current = i == p->place->view;

		n += title != NULL;
		if (!title || !(is_current || browse_page_has(p, (enum browse_view_id)i)))
			continue;
		if (is_current && p->text.has_colour)
			out_printf(out, " \033[1m[%u %s]\033[0m", n % 10, title);
		else if (is_current)
			out_printf(out, " [%u %s]", n % 10, title);
		else
			out_printf(out, is_short ? " %u" : " %u %s", n % 10, title);
	}
}

static void head_tabs(struct browse_page *p, struct out *out)
{
	size_t before = out->len;

	head_views(p, false, out);
	/*
	 * with colours, the line has up to eight bytes of escape sequences, which take no columns
	 */
	if (out->len - before > p->text.width + (p->text.has_colour ? 8 : 0)) {
		out->len = before;
		head_views(p, true, out);
	}
	out_char(out, '\n');
}

static void head_what(struct browse_page *p, struct out *out)
{
	const struct capture *c = browse_page_capture(p);
	struct session *s = page_session(p);
	struct show show = { .session = s };
	size_t n = s->dossier->captures.len;

	struct str path = strings_get(&s->dossier->strings, c->path);
	size_t slash = str_rfind_char(path, '/');

	/*
	 * write only the last component of the path; the last line of the screen has the whole path
	 */
	out_str(out, slash < path.len ? str_skip(path, slash + 1) : path);
	if (c->first_line)
		out_printf(out, ":%u", c->first_line);
	if (n > 1)
		out_printf(out, " (%u of %zu, Tab: next)", p->place->capture + 1, n);
	out_printf(out, "  " STR_FMT, STR_ARG(show_size(&show, c)));
	for (unsigned int k = 0; k < SELECT_KINDS; k++) {
		if (p->place->only[k].len)
			out_printf(out, "  only %s " STR_FMT, select_kind_name((enum select_kind)k),
				   STR_ARG(p->place->only[k]));
	}
	if (p->place->filter.len && p->has_filter)
		out_printf(out, "  rows with '" STR_FMT "'", STR_ARG(p->place->filter));
	out_char(out, '\n');
	show_fini(&show);
}

/* Write shares, function and module of the frame under the cursor of a flame graph. */
static void head_frame(struct browse_page *p, struct out *out)
{
	const struct browse_tree *t = browse_page_tree(p);
	const struct symbols *symbols = capture_symbols(p->pages.capture);
	const struct tree_node *node;

	if (!t || p->place->at >= t->tree.nodes.len)
		return;
	node = &t->tree.nodes.data[p->place->at];
	out_printf(out, "%.2f %% (self %.2f %%) " STR_FMT "  " STR_FMT,
		   tree_pct(&t->tree, node->weight), tree_pct(&t->tree, node->self),
		   STR_ARG(symbols_name(symbols, node->sym)),
		   STR_ARG(symbols_module(symbols, node->sym)));
}

static void head_finding(struct browse_page *p, struct out *out)
{
	const struct findings *f = &p->data->findings;

	if (p->has_frames && p->place->at != INDEX_NONE) {
		head_frame(p, out);
		out_char(out, '\n');
		return;
	}
	if (!p->data->has_findings)
		out_z(out, "looking for findings");
	else if (f->rows.len == 0)
		out_printf(out, "no finding; %zu checks passed", f->clean.len);
	else
		out_printf(out, "%s: " STR_FMT, finding_severity_name(f->rows.data[0].severity),
			   STR_ARG(f->rows.data[0].claim));
	if (p->data->has_findings && f->rows.len > 1)
		out_printf(out, " (and %zu more: f)", f->rows.len - 1);
	out_char(out, '\n');
}

void browse_page_head(struct browse_page *p)
{
	p->head.len = 0;
	if (!browse_page_capture(p))
		return;
	head_tabs(p, &p->head);
	head_what(p, &p->head);
	head_finding(p, &p->head);
}

void browse_page_compose(struct browse_page *p)
{
	static void (*const parts[BROWSE_VIEWS])(struct browse_page * p, struct view * v) = {
		[BROWSE_FINDINGS] = page_findings, [BROWSE_TABLE] = page_table,
		[BROWSE_CALLERS] = page_callers,   [BROWSE_TREE] = page_tree,
		[BROWSE_THREADS] = page_threads,   [BROWSE_ANNOTATE] = page_annotate,
		[BROWSE_REPORT] = page_report,     [BROWSE_HELP] = page_help,
		[BROWSE_COMMAND] = page_command,   [BROWSE_FLAME] = page_flame,
		[BROWSE_DIFF] = page_diff,         [BROWSE_TIME] = page_time,
	};
	struct error err;
	struct view *v;

	pages_clear(&p->pages);
	p->body.len = 0;
	p->n_titles = 0;
	p->has_filter = false;
	p->has_frames = false;
	p->pages.session = page_session(p);
	p->pages.capture = browse_page_capture(p);
	p->pages.width = p->text.width;
	v = view_text(&p->body, &p->text);
	view_begin(v, "assay-browse-1");
	if (p->pages.capture)
		parts[p->place->view](p, v);
	else
		view_line(v, NULL, "no sample is left; Escape goes back");
	if (view_end(v, &err) < 0)
		p->body.len = 0;
	view_free(v);
	browse_page_head(p);
}
