/* SPDX-License-Identifier: MIT */
#include "render/svg_flame.h"

#include "analyses/flame/flame.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/escape.h"

#include <math.h>

#define SVG_PAD 10u
#define SVG_ROW 16u /* height of a frame in px, including the gap above it */
#define SVG_TOP 88u /* height in px of title, subtitle and legend together */
/* height in px of the details and of the note about hidden frames */
#define SVG_BOTTOM       46u
#define SVG_CHAR         7.3 /* width in px of a character, in a font of 12 px */
#define SVG_NAME_COLUMNS 1024u
/* minimum width in px of a frame with a dashed outline; svg_script.c contains the same number */
#define SVG_THIN 4

struct svg_writer {
	struct out *out;
	struct out text; /* reused buffer: builds a text before svg_xml() escapes it */
	/* reused buffer: a text whose control characters were replaced by escape_text() */
	struct out escaped;
	const struct flame *flame;
	const struct symbols *symbols;
	const struct svg_flame_options *o;
	double inner; /* width of the outermost frame in px */
	double scale; /* width in px of one unit of weight */
	unsigned int width;
	unsigned int height;
};

static const char svg_style[] =
	"svg{--bg:#fff;--fg:#1b1b1b;--dim:#595959;--hit:#c026d3;--s0:#d9d9d9;--s1:#f2c261;"
	"--s2:#9fd4c0;--s3:#8fc4ea;--s4:#f6e58d;--s5:#e0a9c9;--s6:#eaa583;--s7:#bfbfbf;"
	"--s8:#bdaee6;--s9:#c9d28b;--s10:#4f94d4;--s11:#86b8e6;--s12:#c3dcf2;--s13:#cfcfcf;"
	"--s14:#fbd0b5;--s15:#f3a26f;--s16:#e2763a;--s17:#ebe4d0;--s18:#fff;background:var(--bg)}\n"
	"@media (prefers-color-scheme:dark){svg{--bg:#161616;--fg:#f2f2f2;--dim:#ababab;"
	"--hit:#f0abfc;--s0:#4a4a4a;--s1:#80570c;--s2:#1f6350;--s3:#1d5683;--s4:#6b6210;"
	"--s5:#7a3a60;--s6:#8a4320;--s7:#3a3a3a;--s8:#554391;--s9:#566019;--s10:#2368ab;"
	"--s11:#1f4f7c;--s12:#213a52;--s13:#444;--s14:#573623;--s15:#854720;--s16:#b4561c;"
	"--s17:#37332a;--s18:#161616}}\n"
	"text{font:12px \"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;"
	"fill:var(--fg);white-space:pre}\n"
	"#title{font-size:17px;font-weight:bold}.dim{fill:var(--dim)}\n"
	"#frames g.gone rect,.k18 rect{stroke:var(--dim);stroke-width:.8}"
	"#frames g.gone rect,.k18 rect{stroke-dasharray:3 2}"
	"#frames g.thin rect{stroke:none}#frames g.k18.thin rect{fill:var(--s17)}\n"
	"#frames g{cursor:pointer;outline:none}#frames g:hover rect,#frames g:focus rect{"
	"stroke:var(--fg);stroke-width:1.5}#frames text{pointer-events:none}\n"
	"#frames g.up{opacity:.55}#frames g.hit rect{fill:var(--hit)}#frames g.hit text{"
	"fill:var(--bg)}#reset{cursor:pointer;text-decoration:underline}\n"
	"input{font:12px monospace;width:100%;box-sizing:border-box;background:var(--bg);"
	"color:var(--fg);border:1px solid var(--dim);border-radius:3px;padding:1px 4px}\n";

double svg_flame_inner_width(unsigned int width)
{
	width = width ? width : SVG_FLAME_WIDTH;
	return width > 2 * SVG_PAD ? width - 2.0 * SVG_PAD : 1;
}

static void svg_xml(struct svg_writer *w, struct str s)
{
	size_t plain = 0;

	w->escaped.len = 0;
	escape_text(&w->escaped, s);
	s = out_view(&w->escaped);
	for (size_t i = 0; i < s.len; i++) {
		const char *entity = s.p[i] == '&'   ? "&amp;"
				     : s.p[i] == '<' ? "&lt;"
				     : s.p[i] == '>' ? "&gt;"
				     : s.p[i] == '"' ? "&quot;"
						     : NULL;

		if (!entity)
			continue;
		out_bytes(w->out, s.p + plain, i - plain);
		out_z(w->out, entity);
		plain = i + 1;
	}
	out_bytes(w->out, s.p + plain, s.len - plain);
}

/* Print a count with grouped digits: "1 240". */
static void svg_count(struct out *out, uint64_t v)
{
	char digits[32];
	size_t n = 0;

	do {
		if (n % 4 == 3)
			digits[n++] = ' ';
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		out_char(out, digits[--n]);
}

static void svg_pct(struct out *out, uint64_t part, uint64_t whole)
{
	double pct = whole ? 100 * (double)part / (double)whole : 0;

	out_fixed(out, (int64_t)round(pct * 100), 2);
	out_z(out, " %");
}

static void svg_time(struct out *out, uint64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		double v = (double)ns / units[i].ns;

		if (v < 1)
			continue;
		out_printf(out, "%.*f %s",
			   v < 10     ? 3
			   : v < 100  ? 2
			   : v < 1000 ? 1
				      : 0,
			   v, units[i].name);
		return;
	}
	out_printf(out, "%llu ns", (unsigned long long)ns);
}

void svg_flame_amount(struct out *out, uint64_t weight, const struct svg_flame_options *o)
{
	uint64_t scale = 1;

	for (unsigned int i = 0; i < o->decimals; i++)
		scale *= 10;
	if (o->unit == WEIGHT_NS) {
		svg_time(out, weight / scale);
		return;
	}
	svg_count(out, weight / scale);
	if (o->decimals) {
		out_char(out, '.');
		for (uint64_t s = scale / 10; s; s /= 10)
			out_char(out, (char)('0' + weight / s % 10));
	}
	if (o->unit_name.len) {
		out_char(out, ' ');
		out_str(out, o->unit_name);
	}
}

static double svg_x(const struct svg_writer *w, uint64_t weight)
{
	return SVG_PAD + (double)weight * w->scale;
}

/* Print a number with up to two decimals, without trailing zeros. */
static void svg_px(struct out *out, double v)
{
	int64_t i = (int64_t)round(v * 100);
	unsigned int decimals = i % 100 == 0 ? 0 : i % 10 == 0 ? 1 : 2;

	out_fixed(out, decimals == 0 ? i / 100 : decimals == 1 ? i / 10 : i, decimals);
}

/* Print @name. If it is wider than @px, truncate it and append "…". */
static void svg_fit(struct svg_writer *w, struct str name, double px)
{
	size_t room = px > 0 ? (size_t)(px / SVG_CHAR) : 0;
	size_t columns = 0;
	size_t i = 0;
	/* number of bytes of the name that fit together with "…" */
	size_t cut = 0;

	while (i < name.len) {
		size_t n = utf8_length(str_skip(name, i));
		size_t wide;

		n = n ? n : 1;
		wide = utf8_width(str_sub(name, i, i + n));
		if (columns + wide > room)
			break;
		columns += wide;
		i += n;
		if (columns + 1 <= room)
			cut = i;
	}
	if (i == name.len) {
		svg_xml(w, name);
		return;
	}
	svg_xml(w, str_sub(name, 0, cut));
	out_z(w->out, "…");
}

static struct str svg_name(const struct svg_writer *w, const struct flame_frame *f)
{
	if (f->sym.v)
		return symbols_name(w->symbols, f->sym);
	return f->is_gone ? str_of(w->flame->gone_name) : STR("all");
}

static void svg_figures(struct svg_writer *w, const struct flame_frame *f)
{
	svg_pct(&w->text, f->weight, w->flame->whole);
	if (w->o->unit != WEIGHT_PERCENT) {
		out_z(&w->text, ", ");
		svg_flame_amount(&w->text, f->weight, w->o);
	}
	if (f->self && f->self != f->weight) {
		out_z(&w->text, "; itself ");
		svg_pct(&w->text, f->self, w->flame->whole);
	}
}

static void svg_tooltip(struct svg_writer *w, uint32_t i)
{
	const struct flame_frame *f = &w->flame->frames.data[i];
	struct str name = svg_name(w, f);
	struct str module = f->sym.v ? symbols_module(w->symbols, f->sym) : STR_NONE;
	bool is_cut = name.len > SVG_NAME_COLUMNS;

	w->text.len = 0;
	out_str(&w->text, str_sub(name, 0, SVG_NAME_COLUMNS));
	if (is_cut)
		out_z(&w->text, "…");
	out_z(w->out, "<title>");
	svg_xml(w, out_view(&w->text));
	out_char(w->out, '\n');
	if (module.len) {
		out_z(w->out, "in ");
		svg_xml(w, str_sub(module, 0, SVG_NAME_COLUMNS));
		out_char(w->out, '\n');
	}
	if (f->sym.v && symbols_get(w->symbols, f->sym)->flags & SYMBOL_INLINED)
		out_z(w->out, "inlined\n");
	w->text.len = 0;
	if (!w->o->note_is_all)
		svg_figures(w, f);
	if (w->o->note_of)
		w->o->note_of(w->flame, i, w->o->note_data, &w->text);
	svg_xml(w, out_view(&w->text));
	out_z(w->out, "</title>");
}

static void svg_frame(struct svg_writer *w, uint32_t i)
{
	const struct flame_frame *f = &w->flame->frames.data[i];
	unsigned int row = w->o->is_icicle ? f->depth : w->flame->max_depth - f->depth;
	unsigned int y = SVG_TOP + row * SVG_ROW;
	double px = (double)f->weight * w->scale;
	double x = svg_x(w, f->start);

	out_printf(w->out, "<g class=\"k%u%s\" data-s=\"%llu\" data-w=\"%llu\"%s>",
		   w->flame->labels[f->colour].shade,
		   !f->is_gone     ? ""
		   : px < SVG_THIN ? " gone thin"
				   : " gone",
		   (unsigned long long)f->start, (unsigned long long)f->weight,
		   i ? "" : " tabindex=\"0\"");
	svg_tooltip(w, i);
	out_z(w->out, "<rect x=\"");
	svg_px(w->out, x);
	out_printf(w->out, "\" y=\"%u\" width=\"", y);
	svg_px(w->out, px > 2 ? px - 0.5 : px);
	out_printf(w->out, "\" height=\"%u\"/>", SVG_ROW - 1);
	if (px > 3 * SVG_CHAR) {
		out_z(w->out, "<text x=\"");
		svg_px(w->out, x + 3);
		out_printf(w->out, "\" y=\"%u\">", y + 12);
		svg_fit(w, svg_name(w, f), px - 5);
		out_z(w->out, "</text>");
	}
	out_z(w->out, "</g>\n");
}

/* Print the legend: for each label, a square of its colour, its name and its self weight. */
static void svg_legend(struct svg_writer *w)
{
	double x = SVG_PAD;
	struct strings *strings = w->symbols->strings;

	out_z(w->out, "<g id=\"legend\">\n");
	for (unsigned int i = 0; i < w->flame->n_labels; i++) {
		const struct flame_label *l = &w->flame->labels[i];
		struct str name = l->text ? str_of(l->text) : strings_get(strings, l->name);
		double need;

		if (l->self == 0 && !(l->is_used && i))
			continue;
		w->text.len = 0;
		if (name.len > 40) {
			out_z(&w->text, "…");
			name = str_skip(name, name.len - 39);
		}
		out_str(&w->text, name);
		if (l->self) {
			out_char(&w->text, ' ');
			svg_pct(&w->text, l->self, w->flame->whole);
		}
		need = 16 + (double)utf8_width(out_view(&w->text)) * SVG_CHAR + 12;
		if (x + need > w->width - SVG_PAD && x > SVG_PAD)
			break;
		out_printf(w->out,
			   "<g class=\"k%u\"><rect x=\"%.1f\" y=\"64\" width=\"11\" "
			   "height=\"11\"/></g><text x=\"%.1f\" y=\"74\">",
			   l->shade, x, x + 15);
		svg_xml(w, out_view(&w->text));
		out_z(w->out, "</text>\n");
		x += need;
	}
	out_z(w->out, "</g>\n");
}

/* If frames are hidden, print a note with their number. */
static void svg_hidden(struct svg_writer *w)
{
	const struct flame *f = w->flame;

	if (f->hidden_frames == 0)
		return;
	w->text.len = 0;
	svg_count(&w->text, f->hidden_frames);
	out_printf(&w->text,
		   f->hidden_frames == 1
			   ? " frame narrower than %g px is not drawn; stacks with "
			   : " frames narrower than %g px are not drawn; stacks with ",
		   w->o->min_width);
	svg_pct(&w->text, f->hidden_weight, f->whole);
	out_z(&w->text, f->hidden_frames == 1 ? " end in it" : " end in them");
	out_printf(w->out, "<text id=\"hidden\" class=\"dim\" x=\"%u\" y=\"%u\">", SVG_PAD,
		   w->height - 10);
	svg_xml(w, out_view(&w->text));
	out_z(w->out, "</text>\n");
}

static void svg_head(struct svg_writer *w)
{
	unsigned int search = w->width > 700 ? 260 : w->width / 3;

	out_printf(w->out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		   "height=\"%u\" viewBox=\"0 0 %u %u\">\n",
		   w->width, w->height, w->width, w->height);
	out_z(w->out, "<title>");
	svg_xml(w, w->o->title);
	out_z(w->out, "</title>\n<style>\n");
	out_z(w->out, svg_style);
	for (unsigned int i = 0; i <= SVG_FLAME_SHADE_LAST; i++)
		out_printf(w->out, ".k%u rect{fill:var(--s%u)}", i, i);
	out_z(w->out, "\n</style>\n");
	out_printf(w->out, "<text id=\"title\" x=\"%u\" y=\"26\">", SVG_PAD);
	svg_fit(w, w->o->title, (w->width - search - 130.0) * 12 / 17);
	out_printf(w->out, "</text>\n<text id=\"subtitle\" class=\"dim\" x=\"%u\" y=\"48\">",
		   SVG_PAD);
	svg_fit(w, w->o->subtitle, w->width - 2.0 * SVG_PAD);
	out_z(w->out, "</text>\n");
	out_printf(w->out,
		   "<text id=\"reset\" x=\"%u\" y=\"24\" tabindex=\"0\" role=\"button\" "
		   "visibility=\"hidden\">reset zoom</text>\n",
		   w->width - search - 90 - SVG_PAD);
	out_printf(w->out,
		   "<foreignObject x=\"%u\" y=\"9\" width=\"%u\" height=\"24\"><input "
		   "xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" type=\"search\" "
		   "placeholder=\"search: text or /regex/\" aria-label=\"search frames\"/>"
		   "</foreignObject>\n",
		   w->width - search - SVG_PAD, search);
}

void svg_flame(struct out *out, const struct flame *f, const struct symbols *symbols,
	       const struct svg_flame_options *o)
{
	struct svg_writer w = { .out = out, .flame = f, .symbols = symbols, .o = o };

	out_init(&w.text);
	out_init(&w.escaped);
	w.width = o->width ? o->width : SVG_FLAME_WIDTH;
	w.inner = svg_flame_inner_width(o->width);
	w.height = SVG_TOP + (f->max_depth + 1) * SVG_ROW + SVG_BOTTOM;
	w.scale = f->span ? w.inner / (double)f->span : 0;
	svg_head(&w);
	svg_legend(&w);
	out_z(out, "<g id=\"frames\">\n");
	for (uint32_t i = 0; i < f->frames.len; i++)
		svg_frame(&w, i);
	out_z(out, "</g>\n");
	out_printf(out, "<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n", SVG_PAD,
		   w.height - 28);
	out_printf(out,
		   "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\" "
		   "aria-live=\"polite\"> </text>\n",
		   w.width - SVG_PAD, w.height - 10);
	svg_hidden(&w);
	out_printf(out,
		   "<script><![CDATA[\nvar flame={pad:%u,row:%u,top:%u,width:%u,inner:%.0f,"
		   "whole:%llu,span:%llu,chr:%g,icicle:%s};\n",
		   SVG_PAD, SVG_ROW, SVG_TOP, w.width, w.inner, (unsigned long long)f->whole,
		   (unsigned long long)f->span, SVG_CHAR, o->is_icicle ? "true" : "false");
	out_z(out, svg_flame_script);
	out_z(out, "]]></script>\n</svg>\n");
	out_fini(&w.text);
	out_fini(&w.escaped);
}
