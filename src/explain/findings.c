/* SPDX-License-Identifier: MIT */
#include "explain/findings.h"

#include "base/out.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/shell.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/arguments.h"
#include "core/profile.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

/* from these durations on, minutes or hours are printed */
#define FINDING_MINUTES_NS UINT64_C(600000000000)
#define FINDING_HOURS_NS   UINT64_C(7200000000000)

PRINTF(2, 0)
static struct str findings_format(struct findings *f, const char *fmt, va_list ap)
{
	char buf[1024];
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);
	size_t len = n < 0 ? 0 : (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1;

	return arena_str(&f->arena, (struct str){ buf, len });
}

#define FINDINGS_FORMAT(out, fmt, ret)                      \
	do {                                                \
		va_list ap_;                                \
		va_start(ap_, fmt);                         \
		(ret) = findings_format((out), (fmt), ap_); \
		va_end(ap_);                                \
	} while (0)

void finding_fini(struct finding *f)
{
	VEC_FREE(&f->figures);
	VEC_FREE(&f->subjects);
	VEC_FREE(&f->evidence);
	VEC_FREE(&f->causes);
	VEC_FREE(&f->next);
	VEC_FREE(&f->values);
	VEC_FREE(&f->also);
}

void findings_fini(struct findings *f)
{
	VEC_FOREACH (row, &f->rows)
		finding_fini(row);
	VEC_FREE(&f->rows);
	VEC_FREE(&f->clean);
	VEC_FREE(&f->not_assessed);
	VEC_FREE(&f->accounts);
	VEC_FREE(&f->latest);
	arena_fini(&f->arena);
}

struct finding *finding_add(struct findings *out, const struct rule_input *in,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure)
{
	struct finding *f = VEC_PUSH(&out->rows);

	memset(f, 0, sizeof(*f));
	f->rule = rule;
	f->capture = in->capture ? in->number : INDEX_NONE;
	f->severity = severity;
	f->sure = sure > 100 ? 100 : sure;
	f->overruled_by = INDEX_NONE;
	f->is_general = rule->is_general;
	if (f->capture != INDEX_NONE) {
		while (out->latest.len <= f->capture)
			*VEC_PUSH(&out->latest) = 0;
		f->before = out->latest.data[f->capture];
		out->latest.data[f->capture] = (uint32_t)out->rows.len;
	}
	return f;
}

const struct finding *findings_of(const struct findings *f, uint32_t capture,
				  const struct finding *row)
{
	uint32_t number = row ? row->before : capture < f->latest.len ? f->latest.data[capture] : 0;

	/*
	 * skip findings about several captures: their rule added them for this capture, and changed
	 * finding.capture later
	 */
	while (number && f->rows.data[number - 1].capture != capture)
		number = f->rows.data[number - 1].before;
	return number ? &f->rows.data[number - 1] : NULL;
}

/*
 * Make the first letter a capital, except if the first word looks like a name, as in
 * "init_conntrack is".
 */
static struct str findings_sentence(struct findings *f, struct str s)
{
	char first;
	size_t n = 0;

	while (n < s.len && char_is_lower(s.p[n]))
		n++;
	if (n == 0 || (n < s.len && s.p[n] != ' ' && s.p[n] != ','))
		return s;
	first = (char)(s.p[0] - 'a' + 'A');
	return str_of(finding_name(f, "%c" STR_FMT, first, STR_ARG(str_skip(s, 1))));
}

/* Return @text without argument lists of C++ functions, in the arena of @out. */
static struct str finding_short(struct findings *out, struct str text)
{
	struct out brief = { .fd = -1 };

	if (arguments_shorten(text, /* is_name= */ false, "", &brief))
		text = arena_str(&out->arena, out_view(&brief));
	out_fini(&brief);
	return text;
}

void finding_claim(struct findings *out, struct finding *f, const char *fmt, ...)
{
	/*
	 * a claim with one of these beginnings does not begin with the name of a function or
	 * program
	 */
	static const char *const words = "the *|thread *|goroutine *|session *|task *";

	FINDINGS_FORMAT(out, fmt, f->claim);
	f->claim = finding_short(out, f->claim);
	if (str_glob(str_of(words), f->claim))
		f->claim = findings_sentence(out, f->claim);
}

void finding_claim_of_code(struct findings *out, struct finding *f, const char *fmt, ...)
{
	FINDINGS_FORMAT(out, fmt, f->claim);
}

void finding_cause(struct findings *out, struct finding *f, const char *fmt, ...)
{
	FINDINGS_FORMAT(out, fmt, f->cause);
	f->cause = findings_sentence(out, f->cause);
	f->cause_is_usual = false;
}

/* Split @f->cause into one cause a line, and join the causes without their signs: "A; b". */
static void findings_split(struct findings *out, struct finding *f)
{
	static const struct str if_ = STR(", if ");
	struct out all = { .fd = -1 };
	struct str rest = f->cause;
	struct str line;

	while (str_line(&rest, &line)) {
		size_t at = str_find(line, if_);
		struct str cause = str_sub(line, 0, at);

		*VEC_PUSH(&f->causes) = (struct finding_choice){ findings_sentence(out, cause),
								 str_skip(line, at + if_.len) };
		out_printf(&all, "%s" STR_FMT, all.len ? "; " : "", STR_ARG(cause));
	}
	f->cause = arena_str(&out->arena, out_view(&all));
	out_fini(&all);
}

void finding_usual_cause(struct findings *out, struct finding *f, const char *fmt, ...)
{
	FINDINGS_FORMAT(out, fmt, f->cause);
	VEC_FREE(&f->causes);
	if (str_find(f->cause, STR("\n")) < f->cause.len)
		findings_split(out, f);
	f->cause = findings_sentence(out, f->cause);
	f->cause_is_usual = true;
}

void finding_cause_if(struct findings *out, struct finding *f, bool is_shown, const char *fmt, ...)
{
	FINDINGS_FORMAT(out, fmt, f->cause);
	f->cause = findings_sentence(out, f->cause);
	f->cause_is_usual = !is_shown;
}

void finding_causes(struct findings *out, struct finding *f, const char *cause, const char *usual)
{
	if (cause)
		finding_cause(out, f, "%s", cause);
	else
		finding_usual_cause(out, f, "%s", usual);
}

const char *finding_cause_label(const struct finding *f)
{
	return f->causes.len ? "Usual causes" : f->cause_is_usual ? "Usual cause" : "Cause";
}

void finding_because(struct findings *out, struct finding *f, const char *fmt, ...)
{
	struct str text;

	FINDINGS_FORMAT(out, fmt, text);
	f->sure_because = STR_NONE;
	(void)str_line(&text, &f->sure_because);
	f->unknown = text;
}

void finding_unknown(struct findings *out, struct finding *f, const char *text)
{
	f->unknown = text ? arena_str(&out->arena, str_of(text)) : STR_NONE;
}

void finding_next(struct findings *out, struct finding *f, const char *fmt, ...)
{
	struct str s;

	FINDINGS_FORMAT(out, fmt, s);
	*VEC_PUSH(&f->next) = s;
}

void finding_about(struct findings *out, struct finding *f, bool is_part, const char *fmt, ...)
{
	FINDINGS_FORMAT(out, fmt, f->about);
	f->is_part = is_part;
}

void finding_value(struct findings *out, struct finding *f, const char *word, struct str text)
{
	bool is_plain = text.len > 0 && text.p[0] != '-';

	for (size_t i = 0; i < text.len; i++)
		is_plain &= shell_is_plain(text.p[i]);
	if (is_plain)
		*VEC_PUSH(&f->values) =
			(struct finding_value){ word, arena_str(&out->arena, text) };
}

struct str finding_quoted(struct arena *a, struct str name, bool is_quoted)
{
	struct out text = { .fd = -1 };
	struct out word = { .fd = -1 };
	struct str result;

	for (size_t i = 0; i < name.len; i++)
		out_char(&text,
			 (unsigned char)name.p[i] < 32 || name.p[i] == 127 ? '?' : name.p[i]);
	shell_word(&word, out_view(&text), is_quoted);
	result = arena_str(a, out_view(&word));
	out_fini(&text);
	out_fini(&word);
	return result;
}

const char *finding_word(struct findings *out, struct str name, bool is_quoted)
{
	return finding_quoted(&out->arena, name, is_quoted).p;
}

void finding_name_input(struct findings *out, struct finding *f, struct str path)
{
	static const struct str word = STR(" FILE");
	struct str name = finding_quoted(&out->arena, path, false);

	VEC_FOREACH (next, &f->next) {
		struct out text = { .fd = -1 };
		struct str rest = *next;

		while (str_starts(*next, STR("assay ")) && rest.len) {
			size_t at = str_find(rest, word);
			struct str after;

			if (at >= rest.len)
				break;
			after = str_skip(rest, at + word.len);
			out_str(&text, str_sub(rest, 0, at + 1));
			out_str(&text, after.len == 0 || strchr(":;, ", after.p[0])
					       ? name
					       : str_skip(word, 1));
			rest = after;
		}
		if (text.len) {
			out_str(&text, rest);
			*next = arena_str(&out->arena, out_view(&text));
		}
		out_fini(&text);
	}
}

const char *finding_name(struct findings *out, const char *fmt, ...)
{
	struct str s;

	FINDINGS_FORMAT(out, fmt, s);
	return s.p;
}

struct str finding_time(struct arena *a, uint64_t ns)
{
	char buf[32];

	if (ns < 1000000)
		(void)snprintf(buf, sizeof(buf), "%.4g \xc2\xb5s", (double)ns / 1e3);
	else if (ns < UINT64_C(1000000000))
		(void)snprintf(buf, sizeof(buf), "%.4g ms", (double)ns / 1e6);
	else if (ns < FINDING_MINUTES_NS)
		(void)snprintf(buf, sizeof(buf), "%.4g s", (double)ns / 1e9);
	else if (ns < FINDING_HOURS_NS)
		(void)snprintf(buf, sizeof(buf), "%.3g min", (double)ns / 60e9);
	else
		(void)snprintf(buf, sizeof(buf), "%.1f h", (double)ns / 3600e9);
	return arena_str(a, str_of(buf));
}

const char *finding_amount(struct findings *out, int digits, double v)
{
	return v < pow(10, digits) - 0.5 ? finding_name(out, "%.*g", digits, v)
					 : finding_name(out, "%.0f", v);
}

const char *finding_bytes(struct findings *out, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t i = 0;

	while (bytes >= 1024 && i + 1 < ARRAY_LEN(units)) {
		bytes /= 1024;
		i++;
	}
	return finding_name(out, "%s %s", finding_amount(out, 3, bytes), units[i]);
}

const char *finding_count(struct findings *out, double n)
{
	if (n < 999500)
		return finding_name(out, "%.0f", n);
	return n < 999.5e6 ? finding_name(out, "%.3g million", n / 1e6)
			   : finding_name(out, "%s billion", finding_amount(out, 3, n / 1e9));
}

const char *finding_duration(struct findings *out, uint64_t ns)
{
	return finding_time(&out->arena, ns).p;
}

void finding_figure(struct finding *f, const char *name, double value, double err, const char *unit)
{
	*VEC_PUSH(&f->figures) =
		(struct finding_figure){ .name = name, .value = value, .err = err, .unit = unit };
}

void finding_share(struct finding *f, const struct rule_input *in, const char *name, double pct,
		   double err)
{
	double n = in->profile->effective;
	struct interval i;

	if (!(n > 0) || pct > 100) {
		finding_figure(f, name, pct, err, "%");
		return;
	}
	i = stats_wilson(pct / 100 * n, n, STATS_Z95);
	finding_figure_interval(f, name, pct, fmin(i.low, fmax(0, pct - err)),
				fmax(i.high, fmin(100, pct + err)), "%");
}

void finding_figure_text(struct finding *f, const char *text)
{
	f->figures.data[f->figures.len - 1].text = text;
}

void finding_figure_interval(struct finding *f, const char *name, double value, double low,
			     double high, const char *unit)
{
	*VEC_PUSH(&f->figures) = (struct finding_figure){
		.name = name, .value = value, .low = low, .high = high, .unit = unit
	};
}

void finding_figure_part(struct finding *f, const char *name, uint64_t k, uint64_t n)
{
	finding_figure(f, name, n ? (double)k / (double)n * 100 : 0, 0, "%");
	f->figures.data[f->figures.len - 1].of = n;
}

/* Remove the last evidence of @f if an earlier one cites the same line of the input. */
static void finding_evidence_once(struct finding *f)
{
	const struct finding_evidence *last = &f->evidence.data[f->evidence.len - 1];

	for (size_t i = 0; last->line && i + 1 < f->evidence.len; i++) {
		struct finding_evidence *e = &f->evidence.data[i];

		if (e->path.v != last->path.v || e->line != last->line)
			continue;
		e->text = e->text.len ? e->text : last->text;
		f->evidence.len--;
		return;
	}
}

void finding_evidence(struct findings *out, struct finding *f, const struct rule_input *in,
		      uint32_t line, const char *fmt, ...)
{
	struct finding_evidence *e = VEC_PUSH(&f->evidence);

	memset(e, 0, sizeof(*e));
	if (in->capture) {
		const struct profile *p = in->capture->profile;

		e->path = in->capture->path;
		/* a sum over samples has no line in the input */
		e->line = line || (p && p->table.rows.len == 0 && p->samples.n)
				  ? line
				  : in->capture->first_line;
	}
	FINDINGS_FORMAT(out, fmt, e->text);
	finding_evidence_once(f);
}

void finding_subject(struct finding *f, sym_id sym, enum finding_role role)
{
	*VEC_PUSH(&f->subjects) = (struct finding_subject){ .sym = sym, .role = role, .share = -1 };
}

/* Set the share of the subject that was added last, in percent of the profile. */
static void finding_subject_share(struct finding *f, double pct)
{
	f->subjects.data[f->subjects.len - 1].share = pct;
}

static void finding_row(struct findings *out, struct finding *f, const struct rule_input *in,
			const struct fact_function *fn, enum finding_role role)
{
	finding_subject(f, fn->sym, role);
	finding_subject_share(f, fn->self);
	finding_evidence(out, f, in, fn->line, STR_FMT " %.2f %%",
			 STR_ARG(facts_name(in->facts, fn->sym)), fn->self);
}

void finding_function(struct findings *out, struct finding *f, const struct rule_input *in,
		      const struct fact_function *fn)
{
	finding_row(out, f, in, fn, SUBJECT_EXPLAINED);
}

void finding_inclusive(struct findings *out, struct finding *f, const struct rule_input *in,
		       const struct fact_function *fn)
{
	finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
	finding_subject_share(f, fn->children);
	finding_evidence(out, f, in, fn->line, STR_FMT " %.2f %% with its callees",
			 STR_ARG(facts_name(in->facts, fn->sym)), fn->children);
}

void finding_listed(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_function *fn)
{
	finding_row(out, f, in, fn, SUBJECT_LISTED);
}

void finding_caller(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_caller *caller)
{
	finding_subject(f, caller->sym, SUBJECT_CALLER);
	finding_subject_share(f, caller->pct);
	finding_evidence(out, f, in, caller->line, "called by " STR_FMT " %.2f %%",
			 STR_ARG(facts_name(in->facts, caller->sym)), caller->pct);
}

void finding_call(struct findings *out, struct finding *f, const struct rule_input *in,
		  uint32_t line, sym_id sym, uint64_t ns)
{
	finding_subject(f, sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, line, STR_FMT " %s", STR_ARG(facts_name(in->facts, sym)),
			 finding_duration(out, ns));
}

bool finding_is_evidence(const struct finding *f)
{
	return f->is_evidence && f->overruled_by != INDEX_NONE;
}

bool finding_explains(const struct finding *f, sym_id sym)
{
	VEC_FOREACH (s, &f->subjects) {
		if (s->sym.v == sym.v && s->role == SUBJECT_EXPLAINED)
			return true;
	}
	return false;
}

bool finding_names(const struct finding *f, sym_id sym)
{
	VEC_FOREACH (s, &f->subjects) {
		if (s->sym.v == sym.v)
			return true;
	}
	return false;
}

void finding_clean(struct findings *out, const struct rule_input *in, const struct rule *rule,
		   const char *fmt, ...)
{
	struct finding_clean c = { .rule = rule, .capture = in->capture ? in->number : INDEX_NONE };

	FINDINGS_FORMAT(out, fmt, c.sentence);
	*VEC_PUSH(&out->clean) = c;
}

void finding_not_assessed(struct findings *out, const struct rule_input *in,
			  const struct rule *rule, const char *to_find_out, const char *fmt, ...)
{
	struct finding_not_assessed n = { .rule = rule,
					  .capture = in->capture ? in->number : INDEX_NONE };

	FINDINGS_FORMAT(out, fmt, n.sentence);
	n.to_find_out = arena_str(&out->arena, str_of(to_find_out));
	*VEC_PUSH(&out->not_assessed) = n;
}

bool finding_is_certain(const struct finding *f)
{
	return f->is_place || f->sure >= FINDING_CERTAIN;
}

const char *finding_sure_word(const struct finding *f)
{
	return finding_is_certain(f)       ? "certain"
	       : f->sure >= FINDING_LIKELY ? "likely"
					   : "possible";
}

const char *finding_severity_name(enum finding_severity severity)
{
	return severity == FINDING_NOTE      ? "note"
	       : severity == FINDING_WARNING ? "warning"
					     : "error";
}

const char *findings_check(const struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->claim.len == 0)
			return "a finding without a claim";
		if (row->figures.len == 0)
			return "a finding without a figure";
		if (row->evidence.len == 0)
			return "a finding without a place";
		if (row->next.len == 0)
			return "a finding without a next step";
	}
	return NULL;
}
