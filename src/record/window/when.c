/* SPDX-License-Identifier: MIT */
#include "record/window/when.h"

#include "base/alloc.h"
#include "base/command/args.h"
#include "base/status.h"
#include "record/perf/rec.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* maximum number of processes that are counted as the target, including descendants */
#define WHEN_MAX_PROCESSES 4096u

static const char *const when_resources[] = { "cpu", "io", "memory", "irq" };

/* Parse the part after the colon in "cpu:12" or "rss:target": a process id, or "target". */
static bool when_take_who(struct str *s, struct when *w)
{
	uint64_t pid;

	if (str_take(s, STR("target")))
		return true;
	if (!str_u64(s, &pid) || pid == 0 || pid > INT32_MAX)
		return false;
	w->pid = (uint32_t)pid;
	return true;
}

/* Parse "memory:some", the resource and the kind of a stall (PSI). */
static bool when_take_psi(struct str *s, struct when *w)
{
	w->quantity = WHEN_PSI;
	for (size_t i = 0; i < ARRAY_LEN(when_resources); i++) {
		if (!str_take(s, str_of(when_resources[i])))
			continue;
		(void)snprintf(w->psi, sizeof(w->psi), "%s", when_resources[i]);
		if (!str_take(s, STR(":")))
			return false;
		w->is_full = str_take(s, STR("full"));
		return w->is_full || str_take(s, STR("some"));
	}
	return false;
}

static bool when_take_quantity(struct str *s, struct when *w)
{
	static const struct {
		const char *name;
		enum when_quantity quantity;
	} names[] = { { "cpu", WHEN_CPU },
		      { "memory", WHEN_MEMORY },
		      { "load", WHEN_LOAD },
		      { "runnable", WHEN_RUNNABLE } };

	if (str_take(s, STR("psi:")))
		return when_take_psi(s, w);
	if (str_take(s, STR("cpu:"))) {
		w->quantity = WHEN_CPU_OF;
		return when_take_who(s, w);
	}
	if (str_take(s, STR("rss:"))) {
		w->quantity = WHEN_RSS_OF;
		return when_take_who(s, w);
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_take(s, str_of(names[i].name))) {
			w->quantity = names[i].quantity;
			return true;
		}
	}
	return false;
}

static bool when_take_comparison(struct str *s, struct when *w)
{
	w->is_less = str_take(s, STR("<"));
	if (!w->is_less && !str_take(s, STR(">")))
		return false;
	w->is_equal = str_take(s, STR("="));
	return true;
}

static bool when_is_share(const struct when *w)
{
	return w->quantity == WHEN_CPU || w->quantity == WHEN_MEMORY || w->quantity == WHEN_PSI;
}

static bool when_take_unit(struct str *s, struct when *w)
{
	static const char units[] = "KMGT";

	if (when_is_share(w) || w->quantity == WHEN_CPU_OF) {
		(void)str_take(s, STR("%"));
		return true;
	}
	for (size_t i = 0; w->quantity == WHEN_RSS_OF && units[i] && s->len; i++) {
		if (s->p[0] != units[i])
			continue;
		*s = str_skip(*s, 1);
		w->limit *= (double)(UINT64_C(1) << 10 * (i + 1));
		break;
	}
	return true;
}

/*
 * Whether the condition can ever be true. An impossible condition, such as "cpu>100%", is a mistake
 * of the user.
 */
static bool when_is_possible(const struct when *w)
{
	if (when_is_share(w) && !w->is_less)
		return w->limit < 100 || (w->is_equal && w->limit <= 100);
	if (w->is_less)
		return w->limit > 0 || w->is_equal;
	return true;
}

int when_parse(struct str text, struct when *ret, struct error *err)
{
	struct str s = str_trim(text);
	struct when w = { .quantity = WHEN_CPU };

	*ret = w;
	if (!when_take_quantity(&s, &w) || (s = str_ltrim(s), !when_take_comparison(&s, &w)) ||
	    (s = str_ltrim(s), s.len == 0 || s.p[0] == '-' || !str_double(&s, &w.limit)) ||
	    (s = str_ltrim(s), !when_take_unit(&s, &w)))
		return fail(err, ERR_USAGE,
			    "a condition is given as in 'cpu>90%% for 2s', cpu:PID, cpu:target, "
			    "rss:PID, memory, load, runnable, psi:io:some; not '" STR_FMT "'",
			    STR_ARG(text));
	s = str_ltrim(s);
	if (str_take(&s, STR("for "))) {
		int status = args_time(str_trim(s), &w.hold_ns, err);

		if (status < 0)
			return status;
	} else if (s.len) {
		return fail(err, ERR_USAGE,
			    "condition '" STR_FMT "': '" STR_FMT "' is not understood; behind the "
			    "number there may be 'for 2s'",
			    STR_ARG(text), STR_ARG(s));
	}
	if (!(w.limit <= 1e18) || !when_is_possible(&w))
		return fail(err, ERR_USAGE, "condition '" STR_FMT "' can never hold",
			    STR_ARG(text));
	w.text = xmemdupz(text.p, text.len);
	*ret = w;
	return OK;
}

void when_fini(struct when *w)
{
	free(w->text);
	*w = (struct when){ .text = NULL };
}

static char *when_file(const struct when_place *place, const char *name)
{
	char path[320];

	(void)snprintf(path, sizeof(path), "%s/%s", place->proc, name);
	return rec_slurp(path, NULL);
}

/*
 * Read busy time (@ret) and total time (@whole) of all CPUs from the first line of /proc/stat: "cpu
 * user nice system idle iowait irq softirq steal ...".
 */
static bool when_read_cpu(const struct when_place *place, double *ret, double *whole)
{
	CLEANUP(freep) char *text = when_file(place, "stat");
	struct str s = text ? str_of(text) : STR_NONE;
	double sum = 0;
	double idle = 0;

	if (!str_take(&s, STR("cpu ")))
		return false;
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t v;

		s = str_ltrim(s);
		if (!str_u64(&s, &v))
			break;
		sum += (double)v;
		if (i == 3 || i == 4)
			idle += (double)v;
	}
	*ret = sum - idle;
	*whole = sum;
	return sum > 0;
}

/*
 * Find the line of @text that begins with @key. *@ret: the line after @key. Returns false if there
 * is no such line.
 */
static bool when_line(const char *text, const char *key, struct str *ret)
{
	struct str rest = text ? str_of(text) : STR_NONE;
	struct str line;

	while (str_line(&rest, &line)) {
		if (!str_take(&line, str_of(key)))
			continue;
		*ret = str_ltrim(line);
		return true;
	}
	return false;
}

static bool when_line_number(const char *text, const char *key, double *ret)
{
	struct str s;
	uint64_t v;

	if (!when_line(text, key, &s) || !str_u64(&s, &v))
		return false;
	*ret = (double)v;
	return true;
}

static bool when_read_memory(const struct when_place *place, double *ret)
{
	CLEANUP(freep) char *text = when_file(place, "meminfo");
	double all;
	double left;

	if (!when_line_number(text, "MemTotal:", &all) ||
	    !when_line_number(text, "MemAvailable:", &left) || all <= 0)
		return false;
	*ret = 100 * (all - left) / all;
	return true;
}

static bool when_read_load(const struct when_place *place, double *ret)
{
	CLEANUP(freep) char *text = when_file(place, "loadavg");
	struct str s = text ? str_of(text) : STR_NONE;

	return str_double(&s, ret);
}

static bool when_read_runnable(const struct when_place *place, double *ret)
{
	CLEANUP(freep) char *text = when_file(place, "stat");

	return when_line_number(text, "procs_running", ret);
}

/*
 * Read the total stall time in microseconds from a PSI file. It is the last number of a line "some
 * avg10=0.00 avg60=0.00 avg300=0.00 total=1234".
 */
static bool when_read_psi(const struct when *w, const struct when_place *place, double *ret)
{
	char name[32];
	CLEANUP(freep) char *text = NULL;
	struct str s;
	uint64_t v;

	(void)snprintf(name, sizeof(name), "pressure/%s", w->psi);
	text = when_file(place, name);
	if (!when_line(text, w->is_full ? "full " : "some ", &s))
		return false;
	s = str_skip(s, str_find(s, STR("total=")));
	if (!str_take(&s, STR("total=")) || !str_u64(&s, &v))
		return false;
	*ret = (double)v;
	return true;
}

/*
 * Add the CPU time of a process in clock ticks to @ret. Source: fields 14 to 17 of /proc/PID/stat.
 * @has_children: include its children that have ended and were reaped.
 */
static bool when_read_ticks(const struct when_place *place, uint32_t pid, bool has_children,
			    double *ret)
{
	char name[32];
	CLEANUP(freep) char *text = NULL;
	struct str s;
	struct str word;

	(void)snprintf(name, sizeof(name), "%" PRIu32 "/stat", pid);
	text = when_file(place, name);
	if (!text)
		return false;
	s = str_of(text);
	s = str_skip(s, str_rfind_char(s, ')') + 1);
	for (unsigned int i = 3; i <= 17 && str_word(&s, &word); i++) {
		uint64_t v;

		if (i >= 14 && (i < 16 || has_children) && str_u64(&word, &v))
			*ret += (double)v;
	}
	return true;
}

static bool when_read_pages(const struct when_place *place, uint32_t pid, double *ret)
{
	char name[32];
	CLEANUP(freep) char *text = NULL;
	struct str s;
	struct str word;
	uint64_t v;

	(void)snprintf(name, sizeof(name), "%" PRIu32 "/statm", pid);
	text = when_file(place, name);
	s = text ? str_of(text) : STR_NONE;
	if (!str_word(&s, &word) || !str_word(&s, &word) || !str_u64(&word, &v))
		return false;
	*ret += (double)v;
	return true;
}

static bool when_read_one(const struct when *w, const struct when_place *place, uint32_t pid,
			  double *ret)
{
	return w->quantity == WHEN_CPU_OF ? when_read_ticks(place, pid, !w->pid, ret)
					  : when_read_pages(place, pid, ret);
}

/* A list of processes: first the target's processes, then their descendants. */
struct when_tree {
	const struct when_place *place;
	uint32_t parent;
	size_t n;
	uint32_t pids[WHEN_MAX_PROCESSES];
};

/*
 * Append the child processes of the thread @tid to the list. The file /proc/PID/task/TID/children
 * has their pids, "17 18 "; it exists in kernels with CONFIG_PROC_CHILDREN.
 */
static void when_push_children(void *arg, uint32_t tid)
{
	struct when_tree *tree = arg;
	char name[64];
	CLEANUP(freep) char *text = NULL;
	struct str s;
	struct str word;

	(void)snprintf(name, sizeof(name), "%" PRIu32 "/task/%" PRIu32 "/children", tree->parent,
		       tid);
	text = when_file(tree->place, name);
	s = text ? str_of(text) : STR_NONE;
	while (tree->n < WHEN_MAX_PROCESSES && str_word(&s, &word)) {
		uint64_t child;

		if (str_u64(&word, &child) && child <= UINT32_MAX)
			tree->pids[tree->n++] = (uint32_t)child;
	}
}

/*
 * Read the quantity of the process that the condition names. If it names the target, compute the
 * sum over the target's processes and their descendants.
 */
static bool when_read_who(const struct when *w, const struct when_place *place, double *ret)
{
	CLEANUP(freep) struct when_tree *tree = NULL;
	bool has_any = false;

	*ret = 0;
	if (w->pid)
		return when_read_one(w, place, w->pid, ret);
	tree = xcalloc(1, sizeof(*tree));
	tree->place = place;
	for (size_t i = 0; i < place->n_target && tree->n < WHEN_MAX_PROCESSES; i++)
		tree->pids[tree->n++] = place->target[i];
	for (size_t i = 0; i < tree->n; i++) {
		tree->parent = tree->pids[i];
		has_any |= when_read_one(w, place, tree->parent, ret);
		(void)rec_threads(place->proc, tree->parent, when_push_children, tree);
	}
	return has_any;
}

/*
 * Read the current quantity into *@ret. For a rate, also read *@whole, such as elapsed time; the
 * rate is the increase of *@ret divided by the increase of *@whole. *@whole is 0 for quantities
 * that are no rate.
 */
static bool when_read(const struct when *w, const struct when_place *place, uint64_t now_ns,
		      double *ret, double *whole)
{
	*whole = 0;
	switch (w->quantity) {
	case WHEN_CPU:
		return when_read_cpu(place, ret, whole);
	case WHEN_CPU_OF:
		*whole = (double)now_ns / 1e9 * (double)sysconf(_SC_CLK_TCK);
		return when_read_who(w, place, ret);
	case WHEN_RSS_OF:
		if (!when_read_who(w, place, ret))
			return false;
		*ret *= (double)sysconf(_SC_PAGESIZE);
		return true;
	case WHEN_MEMORY:
		return when_read_memory(place, ret);
	case WHEN_LOAD:
		return when_read_load(place, ret);
	case WHEN_RUNNABLE:
		return when_read_runnable(place, ret);
	case WHEN_PSI:
		*whole = (double)now_ns / 1e3;
		return when_read_psi(w, place, ret);
	}
	return false;
}

int when_begin(struct when *w, const struct when_place *place, uint64_t now_ns, struct error *err)
{
	bool is_of = w->quantity == WHEN_CPU_OF || w->quantity == WHEN_RSS_OF;

	if (is_of && !w->pid && place->n_target == 0)
		return fail(
			err, ERR_USAGE,
			"condition '%s': the target is everything; name a process, as in cpu:123",
			w->text);
	w->has_before = when_read(w, place, now_ns, &w->before, &w->before_whole);
	if (w->has_before)
		return OK;
	if (is_of)
		return fail(err, ERR_NOTFOUND, "condition '%s': there is no such process", w->text);
	return fail(err, ERR_UNSUPPORTED,
		    "condition '%s': this kernel does not report it in %s%s%s", w->text,
		    place->proc, w->quantity == WHEN_PSI ? "/pressure/" : "", w->psi);
}

/* Set w->value to the current value of the quantity. Returns false if it is unknown. */
static bool when_measure(struct when *w, const struct when_place *place, uint64_t now_ns)
{
	double v;
	double whole;
	double part;

	if (!when_read(w, place, now_ns, &v, &whole)) {
		w->has_before = false;
		return false;
	}
	if (whole == 0) {
		w->value = v;
		return true;
	}
	part = whole - w->before_whole;
	if (!w->has_before || part <= 0) {
		w->has_before = true;
		w->before = v;
		w->before_whole = whole;
		return false;
	}
	/*
	 * the sum may decrease: if a process ends and its parent does not wait for it, its CPU time
	 * is lost
	 */
	w->value = v > w->before ? 100 * (v - w->before) / part : 0;
	w->before = v;
	w->before_whole = whole;
	return true;
}

static bool when_holds(const struct when *w)
{
	if (w->is_equal && w->value == w->limit)
		return true;
	return w->is_less ? w->value < w->limit : w->value > w->limit;
}

bool when_look(struct when *w, const struct when_place *place, uint64_t now_ns)
{
	w->has_value = when_measure(w, place, now_ns);
	if (!w->has_value || !when_holds(w)) {
		w->since_ns = 0;
		w->is_reported = false;
		return false;
	}
	if (!w->since_ns)
		w->since_ns = now_ns;
	if (w->is_reported || now_ns - w->since_ns < w->hold_ns)
		return false;
	w->is_reported = true;
	return true;
}

void when_describe(const struct when *w, char *ret, size_t size)
{
	if (w->quantity == WHEN_RSS_OF)
		(void)snprintf(ret, size, "%s (it is %.1f MiB)", w->text, w->value / 1048576);
	else if (w->quantity == WHEN_LOAD || w->quantity == WHEN_RUNNABLE)
		(void)snprintf(ret, size, "%s (it is %.4g)", w->text, w->value);
	else
		(void)snprintf(ret, size, "%s (it is %.1f %%)", w->text, w->value);
}
