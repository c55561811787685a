/* SPDX-License-Identifier: MIT */
#include "core/names/redact.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/kinds/records.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>

#define REDACT_WORD_MAX   80u
#define REDACT_SUFFIX_MAX 32u

struct redact {
	struct strings *strings;
	const struct redact_key *key;
	unsigned int keep;
	/*
	 * number of strings before redaction; strings with this id or a higher one are replacements
	 */
	uint32_t n_old;
	/* for each string id, whether the string is public and must not be replaced */
	bool *is_kept;
};

static uint64_t redact_rotate(uint64_t v, unsigned int n)
{
	return v << n | v >> (64 - n);
}

static void redact_rounds(uint64_t v[4], int n)
{
	while (n--) {
		v[0] += v[1];
		v[1] = redact_rotate(v[1], 13) ^ v[0];
		v[0] = redact_rotate(v[0], 32);
		v[2] += v[3];
		v[3] = redact_rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = redact_rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = redact_rotate(v[1], 17) ^ v[2];
		v[2] = redact_rotate(v[2], 32);
	}
}

/* The algorithm of Aumasson and Bernstein, "SipHash: a fast short-input PRF". */
uint64_t redact_hash(const struct redact_key *key, struct str text)
{
	uint64_t v[4] = { key->k0 ^ UINT64_C(0x736f6d6570736575),
			  key->k1 ^ UINT64_C(0x646f72616e646f6d),
			  key->k0 ^ UINT64_C(0x6c7967656e657261),
			  key->k1 ^ UINT64_C(0x7465646279746573) };
	uint64_t last = (uint64_t)text.len << 56;
	size_t whole = text.len - text.len % 8;

	for (size_t at = 0; at <= whole; at += 8) {
		uint64_t m = at == whole ? last : 0;
		size_t n = at == whole ? text.len % 8 : 8;

		for (size_t i = 0; i < n; i++)
			m |= (uint64_t)(unsigned char)text.p[at + i] << 8 * i;
		v[3] ^= m;
		redact_rounds(v, 2);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	redact_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct redact_key redact_key_of(struct str secret)
{
	static const struct redact_key first = { 1, 2 };
	static const struct redact_key second = { 3, 4 };

	return (struct redact_key){ redact_hash(&first, secret), redact_hash(&second, secret) };
}

/* Write the hash of @text as 12 letters and digits. */
static void redact_digits(const struct redact *r, struct str text, char ret[13])
{
	static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint64_t h = redact_hash(r->key, text);

	for (size_t i = 0; i < 12; i++, h >>= 5)
		ret[i] = alphabet[h & 31];
	ret[12] = '\0';
}

static str_id redact_kept(struct redact *r, str_id id)
{
	if (id.v < r->n_old)
		r->is_kept[id.v] = true;
	return id;
}

/* Return the id of "@before<digits>@after", where digits are the hash of @text. */
static str_id redact_word(struct redact *r, const char *before, struct str text, const char *after)
{
	char word[REDACT_WORD_MAX];
	char digits[13];
	str_id id;

	redact_digits(r, text, digits);
	(void)snprintf(word, sizeof(word), "%s%s%s", before, digits, after);
	id = strings_add(r->strings, str_of(word));
	/*
	 * If the input already contains the new word, an earlier redaction made this word. Mark it
	 * as public, so that it is not replaced again.
	 */
	return redact_kept(r, id);
}

/* Whether @s is one of @words (NULL-terminated). */
static bool redact_is_one(struct str s, const char *const *words)
{
	for (; *words; words++) {
		if (str_eq(s, str_of(*words)))
			return true;
	}
	return false;
}

static struct str redact_base(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return slash < path.len && slash + 1 < path.len ? str_skip(path, slash + 1) : path;
}

/* Replace the text *@id by @before and the hash of the text: "host_3k9x0w7ds2mq". */
static void redact_text(struct redact *r, str_id *id, const char *before)
{
	if (id->v)
		*id = redact_word(r, before, strings_get(r->strings, *id), "");
}

/* Replace the text *@id by @before and the text's hash, unless it is one of the public @words. */
static void redact_vocabulary(struct redact *r, str_id *id, const char *before,
			      const char *const *words)
{
	if (redact_is_one(strings_get(r->strings, *id), words))
		(void)redact_kept(r, *id);
	else
		redact_text(r, id, before);
}

static const char *const redact_modules[] = {
	"[kernel.kallsyms]",
	"[kernel.vmlinux]",
	"[kernel]",
	"[k]",
	"kernel",
	"[unknown]",
	"[vdso]",
	"[vsyscall]",
	"[heap]",
	"[stack]",
	"//anon",
	"[guest.kernel.kallsyms]",
	"[guest.kernel]",
	NULL,
};

static bool redact_is_libc(struct str module)
{
	static const char *const starts[] = { "libc.so",      "libc-2",      "libm.so",
					      "ld-linux",     "ld-2",        "libpthread",
					      "libstdc++.so", "libgcc_s.so", "libdl.so",
					      "librt.so" };
	struct str base = redact_base(module);

	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		if (str_starts(base, str_of(starts[i])))
			return true;
	}
	return false;
}

/*
 * Replace the path of a module by a word with the hash of its file name. "/usr/lib/libx.so" and
 * "libx.so" then give the same word. Brackets, ".so" and ".ko" stay.
 */
static void redact_module(struct redact *r, str_id *id)
{
	struct str module = strings_get(r->strings, *id);
	struct str base = redact_base(module);

	if (module.len == 0)
		return;
	if (redact_is_one(module, redact_modules) ||
	    ((r->keep & REDACT_KEEP_LIBC) && redact_is_libc(module) && base.len == module.len))
		(void)redact_kept(r, *id);
	else if ((r->keep & REDACT_KEEP_LIBC) && redact_is_libc(module))
		*id = redact_kept(r, strings_add(r->strings, base));
	else if (module.p[0] == '[' && module.p[module.len - 1] == ']')
		*id = redact_word(r, "[mod_", module, "]");
	else if (str_contains(base, STR(".so")))
		*id = redact_word(r, "lib_", base, ".so");
	else if (str_contains(base, STR(".ko")))
		*id = redact_word(r, "mod_", base, ".ko");
	else
		*id = redact_word(r, "name_", base, "");
}

/*
 * Write to @ret those parts of @suffix that compilers add (.isra.0 .part.3 .constprop.0 .cold), and
 * drop its other parts.
 */
static void redact_suffix(const struct redact *r, struct str suffix, char ret[REDACT_SUFFIX_MAX])
{
	static const char *const parts[] = { "isra", "part", "constprop", "cold", "lto_priv" };
	struct str rest = suffix;
	char digits[13];

	ret[0] = '\0';
	if (suffix.len == 0)
		return;
	while (str_starts(rest, STR("."))) {
		bool is_part = false;
		uint64_t number;

		rest = str_skip(rest, 1);
		for (size_t i = 0; i < ARRAY_LEN(parts) && !is_part; i++)
			is_part = str_take(&rest, str_of(parts[i]));
		if (!is_part && !str_u64(&rest, &number))
			break;
	}
	if (rest.len == 0 && suffix.len < REDACT_SUFFIX_MAX) {
		memcpy(ret, suffix.p, suffix.len);
		ret[suffix.len] = '\0';
		return;
	}
	redact_digits(r, suffix, digits);
	(void)snprintf(ret, REDACT_SUFFIX_MAX, ".x%.4s", digits);
}

static bool redact_keeps_symbol(const struct redact *r, const struct symbol *s, struct str name)
{
	static const char *const names[] = { "[unknown]", "[limit]", "[...]", "[other]",
					     "(root)",    "all",     NULL };
	struct str module = strings_get(r->strings, s->module);

	if (redact_is_one(name, names))
		return true;
	if (s->flags & SYMBOL_ADDRESS || s->space == SPACE_COMM)
		return false;
	if ((r->keep & REDACT_KEEP_KERNEL) && s->space == SPACE_KERNEL &&
	    (module.len == 0 || redact_is_one(module, redact_modules)))
		return true;
	return (r->keep & REDACT_KEEP_LIBC) && redact_is_libc(module);
}

static void redact_symbol(struct redact *r, struct symbol *s)
{
	struct str name = strings_get(r->strings, s->name);
	struct str canonical = strings_get(r->strings, s->canonical);
	char suffix[REDACT_SUFFIX_MAX];

	if (name.len == 0) {
		;
	} else if (redact_keeps_symbol(r, s, name)) {
		(void)redact_kept(r, s->name);
		(void)redact_kept(r, s->canonical);
	} else if (s->space == SPACE_COMM) {
		/*
		 * s->name is the name of a command, which may be a path: hash it without its folder
		 */
		s->name = s->canonical = redact_word(r, "name_", redact_base(name), "");
	} else if (s->flags & SYMBOL_ADDRESS) {
		s->name = s->canonical = redact_word(r, "addr_", name, "");
		s->flags &= (uint8_t)~SYMBOL_ADDRESS;
	} else {
		redact_suffix(r, str_starts(name, canonical) ? str_skip(name, canonical.len) : name,
			      suffix);
		s->canonical = redact_word(r, "fn_", canonical, "");
		s->name = redact_word(r, "fn_", canonical, suffix);
	}
	s->address = 0;
	redact_module(r, &s->module);
	redact_text(r, &s->file, "file_");
}

/*
 * Whether @event is a public name: "cycles:u", "sched:sched_switch". Names of user-defined probes
 * are not public.
 */
static bool redact_is_event(struct str event)
{
	static const char *const events[] = { "cycles",
					      "cpu-cycles",
					      "instructions",
					      "cpu-clock",
					      "task-clock",
					      "page-faults",
					      "faults",
					      "minor-faults",
					      "major-faults",
					      "context-switches",
					      "cs",
					      "migrations",
					      "cpu-migrations",
					      "branches",
					      "branch-misses",
					      "branch-instructions",
					      "cache-misses",
					      "cache-references",
					      "bus-cycles",
					      "ref-cycles",
					      "dummy",
					      "stalled-cycles-frontend",
					      "stalled-cycles-backend",
					      "samples",
					      "weight",
					      "cpu",
					      "wall",
					      "alloc_space",
					      "inuse_space",
					      "alloc_objects",
					      "inuse_objects",
					      "contentions",
					      "delay",
					      "time",
					      "calls",
					      "count",
					      NULL };
	static const char *const systems[] = {
		"sched",      "block",     "net",          "irq",    "power",  "timer",
		"kmem",       "syscalls",  "raw_syscalls", "tcp",    "sock",   "skb",
		"napi",       "workqueue", "writeback",    "lock",   "signal", "task",
		"exceptions", "ext4",      "nvme",         "ftrace", NULL
	};
	size_t colon = str_find_char(event, ':');
	struct str first = str_sub(event, 0, colon);
	struct str rest = str_skip(event, colon + 1);
	bool is_modifier = true;

	for (size_t i = 0; i < rest.len; i++)
		is_modifier &= strchr("ukhGHpPSDWe", rest.p[i]) != NULL && rest.p[i];
	if (redact_is_one(first, events) && is_modifier)
		return true;
	return colon < event.len && redact_is_one(first, systems);
}

static void redact_event(struct redact *r, str_id *id)
{
	if (redact_is_event(strings_get(r->strings, *id)))
		(void)redact_kept(r, *id);
	else
		redact_text(r, id, "event_");
}

static const char *const redact_titles[] = { "Overhead",
					     "Children",
					     "Self",
					     "Command",
					     "Shared Object",
					     "Symbol",
					     "Samples",
					     "Period",
					     "Pid",
					     "Tid",
					     "CPU",
					     "Time",
					     "trace",
					     "comm",
					     "prev_comm",
					     "next_comm",
					     "prev_pid",
					     "next_pid",
					     "prev_state",
					     "pid",
					     "tid",
					     "cpu",
					     "prio",
					     "cgroup",
					     "count",
					     "calls",
					     "total",
					     "min",
					     "max",
					     "avg",
					     "mean",
					     "ns",
					     "us",
					     "µs",
					     "ms",
					     "s",
					     "%",
					     "bytes",
					     "kB",
					     "MB",
					     "lines",
					     "cyclomatic",
					     "cognitive",
					     "nesting",
					     "parameters",
					     "callers",
					     "function",
					     "name",
					     "file",
					     "line",
					     "score",
					     "rank",
					     "function_graph",
					     "function",
					     "nop",
					     NULL };

static const char *const redact_note_keys[] = { "hostname",
						"os release",
						"perf version",
						"arch",
						"nrcpus online",
						"nrcpus avail",
						"cpudesc",
						"cpuid",
						"total memory",
						"cmdline",
						"captured on",
						"event",
						"clock",
						"sibling cores",
						"sibling threads",
						"cache",
						"missing features",
						"trace-cmd version",
						NULL };

static void redact_note(struct redact *r, struct capture_note *n)
{
	static const char *const readable[] = { "arch", "os release", NULL };
	struct str key = strings_get(r->strings, n->key);
	struct str value = strings_get(r->strings, n->value);
	bool is_number = value.len > 0 && value.len <= 4;

	for (size_t i = 0; i < value.len && i < 4; i++)
		is_number &= char_is_digit(value.p[i]);
	if (is_number || ((r->keep & REDACT_KEEP_KERNEL) && redact_is_one(key, readable)))
		(void)redact_kept(r, n->value);
	else
		redact_text(r, &n->value, str_eq(key, STR("hostname")) ? "host_" : "text_");
	redact_vocabulary(r, &n->key, "key_", redact_note_keys);
}

static void redact_command(struct redact *r, str_id *id)
{
	if (id->v)
		*id = redact_word(r, "name_", redact_base(strings_get(r->strings, *id)), "");
}

static void redact_profile(struct redact *r, struct profile *p)
{
	redact_event(r, &p->event);
	VEC_FOREACH (t, &p->threads)
		redact_command(r, &t->comm);
	VEC_FOREACH (row, &p->table.rows) {
		redact_command(r, &row->comm);
		redact_module(r, &row->dso);
	}
	VEC_FOREACH (title, &p->table.extra_columns)
		redact_vocabulary(r, title, "column_", redact_titles);
	VEC_FOREACH (cell, &p->table.extra_cells)
		redact_text(r, cell, "text_");
	VEC_FOREACH (f, &p->samples.fields) {
		redact_vocabulary(r, &f->name, "field_", redact_titles);
		VEC_FOREACH (value, &f->values) {
			str_id id = { *value };

			redact_text(r, &id, "text_");
			*value = id.v;
		}
	}
}

static void redact_calls(struct redact *r, struct calls *c)
{
	VEC_FOREACH (lane, &c->lanes)
		redact_command(r, &lane->comm);
	VEC_FOREACH (args, &c->args)
		redact_text(r, args, "args_");
	VEC_FOREACH (caller, &c->retaddr)
		redact_text(r, caller, "caller_");
	VEC_FOREACH (mark, &c->marks)
		redact_text(r, &mark->text, "event_");
	/* drop return values, which may be addresses */
	VEC_FREE(&c->retval);
	VEC_FREE(&c->retval_kind);
	redact_vocabulary(r, &c->tracer, "text_", redact_titles);
	redact_text(r, &c->options, "text_");
}

static void redact_metrics(struct redact *r, struct metrics *m)
{
	VEC_FOREACH (column, &m->columns) {
		redact_vocabulary(r, &column->name, "column_", redact_titles);
		redact_vocabulary(r, &column->unit, "unit_", redact_titles);
	}
	VEC_FOREACH (text, &m->texts)
		redact_text(r, text, "text_");
	redact_vocabulary(r, &m->name_column, "column_", redact_titles);
}

static void redact_counters(struct redact *r, struct counters *c)
{
	static const char *const names[] = { "cycles",
					     "instructions",
					     "branches",
					     "branch-misses",
					     "cache-misses",
					     "cache-references",
					     "task-clock",
					     "page-faults",
					     "context-switches",
					     "cpu-migrations",
					     "seconds time elapsed",
					     "seconds user",
					     "seconds sys",
					     NULL };
	static const char *const units[] = { "msec", "seconds", "%", NULL };

	VEC_FOREACH (row, &c->rows) {
		redact_vocabulary(r, &row->name, "counter_", names);
		redact_vocabulary(r, &row->unit, "unit_", units);
		redact_text(r, &row->key, "key_");
		redact_text(r, &row->comment, "text_");
	}
	redact_text(r, &c->label, "text_");
	redact_text(r, &c->tool, "text_");
}

static void redact_records(struct redact *r, struct records *rs)
{
	static const char *const levels[] = { "EMER",  "ERR",   "WARN",    "INFO",    "DBG",
					      "error", "ERROR", "warning", "WARNING", "info",
					      "debug", "DEBUG", "notice",  NULL };

	VEC_FOREACH (s, &rs->streams) {
		redact_text(r, &s->title, "text_");
		redact_text(r, &s->process, "name_");
		redact_text(r, &s->node, "host_");
	}
	VEC_FOREACH (row, &rs->rows) {
		row->text = row->text.len ? strings_get(r->strings,
							redact_word(r, "message_", row->text, ""))
					  : row->text;
		redact_text(r, &row->module, "name_");
		redact_vocabulary(r, &row->level_text, "text_", levels);
	}
}

static void redact_code(struct redact *r, struct code *c)
{
	VEC_FOREACH (f, &c->functions)
		redact_text(r, &f->file, "file_");
	VEC_FOREACH (row, &c->rows) {
		redact_text(r, &row->text, "code_");
		redact_text(r, &row->file, "file_");
	}
	redact_text(r, &c->event, "event_");
}

static void redact_facts(struct redact *r, struct capture_fact *facts, size_t n)
{
	static const char *const words[] = { "requests", "request",    "seconds",
					     "calls",    "packets",    "transactions",
					     "queries",  "operations", NULL };

	for (size_t i = 0; i < n; i++)
		redact_vocabulary(r, &facts[i].name, "fact_", words);
}

static void redact_capture(struct redact *r, struct capture *c)
{
	redact_text(r, &c->path, "input_");
	redact_text(r, &c->command, "text_");
	VEC_FOREACH (note, &c->notes)
		redact_note(r, note);
	redact_facts(r, c->facts.data, c->facts.len);
	if (c->profile)
		redact_profile(r, c->profile);
	if (c->calls)
		redact_calls(r, c->calls);
	if (c->metrics)
		redact_metrics(r, c->metrics);
	if (c->counters)
		redact_counters(r, c->counters);
	if (c->records)
		redact_records(r, c->records);
	if (c->code)
		redact_code(r, c->code);
	if (c->instructions)
		redact_code(r, c->instructions);
}

void redact_dossier(struct dossier *d, const struct redact_key *key, unsigned int keep)
{
	struct redact r = { .strings = &d->strings,
			    .key = key,
			    .keep = keep,
			    .n_old = (uint32_t)d->strings.views.len };

	r.is_kept = xcalloc(r.n_old, sizeof(*r.is_kept));
	for (size_t i = 1; i < d->symbols.rows.len; i++)
		redact_symbol(&r, &d->symbols.rows.data[i]);
	VEC_FOREACH (c, &d->captures)
		redact_capture(&r, *c);
	redact_facts(&r, d->facts.data, d->facts.len);
	VEC_FOREACH (in, &d->inputs) {
		redact_text(&r, &in->path, "input_");
		(void)redact_kept(&r, in->encoding);
	}
	for (uint32_t i = 1; i < r.n_old; i++) {
		if (!r.is_kept[i])
			d->strings.views.data[i] = STR("redacted");
	}
	free(r.is_kept);
}
