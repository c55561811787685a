/* SPDX-License-Identifier: MIT */
/*
 * Load the programs of graph.bpf.c with libbpf, and attach them to functions: to many at once by
 * address (kprobe.multi, kprobe.session), or one by one (fentry).
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"
#include "record/graph/ftrace_parts.h"
#include "record/graph/graph_bpf.h"
#include "record/graph/graph_bpf_object.h"
#include "record/graph/graph_bpf_wire.h"
#include "record/perf/rec.h"
#include "record/perf/record.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Kernel constants that the oldest supported headers lack. */
#define ATTACH_TYPE_MULTI   42u
#define ATTACH_TYPE_SESSION 56u
#define ATTACH_RETURN       1u
#define ATTACH_LINK_CREATE  28
/* maximum number of functions with fentry; each function needs two programs and two links */
#define ATTACH_SINGLE_MAX 1000u
/*
 * maximum number of attempts to attach; more are needed if the kernel refuses some functions,
 * because these are searched by bisection
 */
#define ATTACH_TRIES     4000u
#define ATTACH_TASKS     8192u
#define ATTACH_TASKS_MAX 65536u

/* The members of the kernel's union bpf_attr that BPF_LINK_CREATE reads for kprobe.multi. */
struct attach_multi {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t multi_flags, count;
	uint64_t symbols, addresses, cookies;
};

/* The first members of the kernel's struct bpf_link_info, for a kprobe.multi link. */
struct attach_info {
	uint32_t type, id, prog_id, pad;
	uint64_t addresses;
	uint32_t count, flags;
	/* number of calls for which no program was run; available from Linux 6.7 on */
	uint64_t missed;
};

struct attach_programs {
	/*
	 * Names of three programs in graph.bpf.c. `root` runs at the entry of root functions,
	 * `below` at the entry of all other functions, and `leave` at the exit of all functions.
	 * NULL: `root` and `below` also run at the exit.
	 */
	const char *root, *below, *leave;
};

static const struct attach_programs attach_programs[GRAPH_METHODS] = {
	[GRAPH_SESSION] = { "session_root", "session_below", NULL },
	[GRAPH_MULTI] = { "multi_root", "multi_below", "multi_leave" },
	[GRAPH_FENTRY] = { "fentry_root", "fentry_below", "fentry_leave" },
};

static __attribute__((format(printf, 2, 0))) int attach_silent(enum libbpf_print_level level,
							       const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

/* Number of parameters of the kernel function @name; -1: no such function. */
static int attach_parameters(const struct btf *kernel, const char *name)
{
	int id = btf__find_by_name_kind(kernel, name, BTF_KIND_FUNC);
	const struct btf_type *type = id > 0 ? btf__type_by_id(kernel, (uint32_t)id) : NULL;
	const struct btf_type *proto = type ? btf__type_by_id(kernel, type->type) : NULL;

	return proto && btf_is_func_proto(proto) ? (int)btf_vlen(proto) : -1;
}

/*
 * Set g->method to the kind of probe that the user requested, or else to the best kind that this
 * kernel supports.
 */
static int attach_method(struct graph_bpf *g, struct error *err)
{
	enum ftrace_by by = g->ftrace->options->by;
	bool has_multi =
		btf__find_by_name_kind(g->kernel, "bpf_kprobe_multi_link", BTF_KIND_STRUCT) > 0;
	/*
	 * since Linux 7.0, bpf_session_is_return() has a parameter; graph.bpf.c can only call the
	 * version without parameters
	 */
	bool has_session = has_multi && attach_parameters(g->kernel, "bpf_session_is_return") == 0;

	if (by == FTRACE_BY_SESSION && !has_session)
		return fail(err, ERR_UNSUPPORTED,
			    "this kernel has no kprobe.session that assay knows (6.10 to 6.19)");
	if (by == FTRACE_BY_MULTI && !has_multi)
		return fail(err, ERR_UNSUPPORTED,
			    "this kernel has no kprobe.multi (CONFIG_FPROBE)");
	if (by == FTRACE_BY_SESSION || (has_session && by <= FTRACE_BY_BPF))
		g->method = GRAPH_SESSION;
	else if (by == FTRACE_BY_MULTI || (has_multi && by <= FTRACE_BY_BPF))
		g->method = GRAPH_MULTI;
	else
		g->method = GRAPH_FENTRY;
	return OK;
}

static int attach_refused(int error, struct error *err)
{
	if (error == EPERM || error == EACCES)
		return fail(
			err, ERR_PERM,
			"the kernel refuses BPF programs that trace (locked down, or no CAP_BPF "
			"and CAP_PERFMON)");
	return fail(err, ERR_UNSUPPORTED, "the kernel rejects the BPF programs: %s",
		    strerror(error));
}

static bool attach_is_tracepoint(const char *section, const char **ret_name)
{
	*ret_name = section + strlen("tp_btf/");
	return strncmp(section, "tp_btf/", strlen("tp_btf/")) == 0;
}

/*
 * Select the programs to load: those of the chosen kind of probe, and those whose tracepoint exists
 * in this kernel.
 */
static void attach_choose(struct graph_bpf *g)
{
	const struct attach_programs *names = &attach_programs[g->method];
	struct bpf_program *p;

	bpf_object__for_each_program(p, g->object)
	{
		const char *name = bpf_program__name(p);
		const char *event;
		bool is_wanted;

		if (attach_is_tracepoint(bpf_program__section_name(p), &event)) {
			char type[64];

			(void)snprintf(type, sizeof(type), "btf_trace_%s", event);
			is_wanted = btf__find_by_name_kind(g->kernel, type, BTF_KIND_TYPEDEF) > 0;
		} else {
			is_wanted = !strcmp(name, names->root) || !strcmp(name, names->below) ||
				    (names->leave && !strcmp(name, names->leave));
		}
		(void)bpf_program__set_autoload(p, is_wanted);
		if (is_wanted && g->method == GRAPH_SESSION && !strncmp(name, "session_", 8))
			(void)bpf_program__set_expected_attach_type(
				p, (enum bpf_attach_type)ATTACH_TYPE_SESSION);
		/*
		 * to load a program, libbpf needs the name of an existing function; attach_copy()
		 * later loads a copy for each traced function
		 */
		if (is_wanted && g->method == GRAPH_FENTRY && !strncmp(name, "fentry_", 7))
			(void)bpf_program__set_attach_target(p, 0, "vfs_read");
	}
}

/*
 * Return the maximum size of the map `states`: the number of tasks that may be inside of traced
 * functions at the same time. If the whole system is recorded, this is twice the current number of
 * threads, but at least ATTACH_TASKS and at most ATTACH_TASKS_MAX; otherwise it is ATTACH_TASKS.
 */
static uint32_t attach_tasks(const struct graph_bpf *g)
{
	CLEANUP(freep) char *text = rec_slurp("/proc/loadavg", NULL);
	struct str s = text ? str_of(text) : STR_NONE;
	uint64_t threads = 0;

	if (!g->ftrace->rec.spec->is_system_wide)
		return ATTACH_TASKS;
	s = str_skip(s, str_find_char(s, '/') + 1);
	if (!str_u64(&s, &threads) || threads * 2 < ATTACH_TASKS)
		return ATTACH_TASKS;
	return threads * 2 < ATTACH_TASKS_MAX ? (uint32_t)threads * 2 : ATTACH_TASKS_MAX;
}

/*
 * Whether an exit probe sees the same stack pointer as the entry probe of the call, so that it can
 * serve as graph_frame.mark. From Linux 6.14 on, an exit probe sees the stack pointer of the tracer
 * instead.
 */
static bool attach_has_stack_marks(void)
{
	struct utsname name;
	struct str s;
	uint64_t major;
	uint64_t minor;

	if (uname(&name) < 0)
		return false;
	s = str_of(name.release);
	return str_u64(&s, &major) && str_take(&s, STR(".")) && str_u64(&s, &minor) &&
	       (major < 6 || (major == 6 && minor < 14));
}

static int attach_configure(struct graph_bpf *g, struct error *err)
{
	const struct record_spec *spec = g->ftrace->rec.spec;
	const struct ftrace_options *o = g->ftrace->options;
	struct bpf_map *constants = bpf_object__find_map_by_name(g->object, ".rodata");
	struct bpf_map *rings = bpf_object__find_map_by_name(g->object, "rings");
	struct bpf_map *states = bpf_object__find_map_by_name(g->object, "states");
	int id = btf__find_by_name_kind(g->kernel, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(g->kernel, (uint32_t)id) : NULL;
	struct graph_config config = {
		.threshold_ns = o->threshold_us * 1000,
		.ring_bytes = g->ring_bytes,
		.max_depth = o->depth,
		.is_filtered = !spec->is_system_wide,
		.has_inherit = !spec->has_no_inherit,
		.has_marks = g->method == GRAPH_FENTRY ||
			     (g->method == GRAPH_MULTI && attach_has_stack_marks()),
	};

	/*
	 * `type` is a typedef: a pointer to the function type of the tracepoint's programs. Its
	 * parameters are a void * and the arguments of the tracepoint.
	 */
	type = type ? btf__type_by_id(g->kernel, type->type) : NULL;
	type = type ? btf__type_by_id(g->kernel, type->type) : NULL;
	config.has_switch_state = type && btf_is_func_proto(type) && btf_vlen(type) >= 5;
	if (!constants || !rings || !states ||
	    bpf_map__set_initial_value(constants, &config, sizeof(config)) != 0 ||
	    bpf_map__set_max_entries(rings, (uint32_t)g->cpus.len) != 0 ||
	    bpf_map__set_max_entries(states, attach_tasks(g)) != 0)
		return fail(err, ERR_UNSUPPORTED, "the BPF object in this program is damaged");
	return OK;
}

static int attach_load(struct graph_bpf *g, struct error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "assay_graph");
	int status;
	int error;

	g->object = bpf_object__open_mem(graph_bpf_object, graph_bpf_object_size, &options);
	if (!g->object)
		return fail(err, ERR_UNSUPPORTED, "the BPF object in this program is damaged: %s",
			    strerror(errno));
	attach_choose(g);
	status = attach_configure(g, err);
	if (status < 0)
		return status;
	error = -bpf_object__load(g->object);
	return error ? attach_refused(error, err) : OK;
}

static int attach_program(const struct graph_bpf *g, const char *name)
{
	struct bpf_program *p = name ? bpf_object__find_program_by_name(g->object, name) : NULL;

	return p ? bpf_program__fd(p) : -1;
}

static void attach_events(struct graph_bpf *g)
{
	struct bpf_program *p;
	unsigned int n_failed = 0;

	bpf_object__for_each_program(p, g->object)
	{
		const char *event;
		int fd;

		if (!bpf_program__autoload(p) ||
		    !attach_is_tracepoint(bpf_program__section_name(p), &event))
			continue;
		fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(p));
		if (fd < 0)
			n_failed++;
		else
			*VEC_PUSH(&g->event_links) = fd;
	}
	if (n_failed)
		rec_note(&g->ftrace->rec,
			 "%u further events are not available: work may include sleep and "
			 "interrupts",
			 n_failed);
}

/*
 * A BPF program, and the kernel functions to which it is attached by kprobe.multi or
 * kprobe.session. @functions: indices in names.functions.
 */
struct attach_job {
	int program;
	uint32_t type, flags;
	uint64_t *addresses;
	uint32_t *functions;
};

static int attach_link(struct graph_bpf *g, const struct attach_job *job, size_t from, size_t n)
{
	struct attach_multi attr = {
		.prog_fd = (uint32_t)job->program,
		.attach_type = job->type,
		.multi_flags = job->flags,
		.count = (uint32_t)n,
		.addresses = (uint64_t)(uintptr_t)(job->addresses + from),
	};
	int fd;

	g->n_tries++;
	do {
		fd = (int)syscall(SYS_bpf, ATTACH_LINK_CREATE, &attr, sizeof(attr));
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return errno;
	*VEC_PUSH(&g->links) = fd;
	return 0;
}

/*
 * Attach @n functions of @job, from index @from. If the kernel refuses some of them, find these by
 * bisection, and attach the others. Returns 0 or an errno.
 */
static int attach_range(struct graph_bpf *g, const struct attach_job *job, size_t from, size_t n)
{
	int error = n ? attach_link(g, job, from, n) : 0;

	switch (error) {
	case 0:
	case EPERM:
	case EACCES:
	case EOPNOTSUPP:
	case ENOMEM:
	case EMFILE:
	case E2BIG:
		return error;
	default:
		break;
	}
	if (n == 1) {
		g->names.functions.data[job->functions[from]].is_refused = true;
		g->n_refused++;
		return 0;
	}
	if (g->n_tries > ATTACH_TRIES)
		return error;
	error = attach_range(g, job, from, n / 2);
	return error ? error : attach_range(g, job, from + n / 2, n - n / 2);
}

enum attach_set { ATTACH_ROOTS, ATTACH_BELOW, ATTACH_ALL };

static int attach_multi(struct graph_bpf *g, const char *program, uint32_t flags,
			enum attach_set which)
{
	size_t most = g->names.functions.len;
	struct attach_job job = {
		.program = attach_program(g, program),
		.type = g->method == GRAPH_SESSION ? ATTACH_TYPE_SESSION : ATTACH_TYPE_MULTI,
		.flags = flags,
		.addresses = xcalloc(most + 1, sizeof(*job.addresses)),
		.functions = xcalloc(most + 1, sizeof(*job.functions)),
	};
	size_t n = 0;
	int error;

	for (size_t i = 0; i < most; i++) {
		const struct graph_function *f = &g->names.functions.data[i];

		if (f->is_refused || (which == ATTACH_ROOTS && !f->is_root) ||
		    (which == ATTACH_BELOW && f->is_root))
			continue;
		job.addresses[n] = f->address;
		job.functions[n++] = (uint32_t)i;
	}
	error = attach_range(g, &job, 0, n);
	free(job.addresses);
	free(job.functions);
	return error;
}

/*
 * Load a copy of @program for the function with BTF id @btf_id, and attach it. Returns 0 or -errno.
 */
static int attach_copy(struct graph_bpf *g, const char *program, uint32_t type, int btf_id)
{
	struct bpf_program *p = bpf_object__find_program_by_name(g->object, program);
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = (enum bpf_attach_type)type,
		    .attach_btf_id = (uint32_t)btf_id);
	int link;
	int fd;

	if (!p)
		return -ENOENT;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, program, "Dual MIT/GPL", bpf_program__insns(p),
			   bpf_program__insn_cnt(p), &options);
	if (fd < 0)
		return -errno;
	link = bpf_raw_tracepoint_open(NULL, fd);
	if (link < 0) {
		int error = errno;

		(void)close(fd);
		return -error;
	}
	*VEC_PUSH(&g->programs) = fd;
	*VEC_PUSH(&g->links) = link;
	return 0;
}

static int attach_single(struct graph_bpf *g)
{
	const struct attach_programs *names = &attach_programs[GRAPH_FENTRY];
	struct rlimit files;

	/* each function needs four descriptors: raise the limit of open files to its maximum */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	VEC_FOREACH (f, &g->names.functions) {
		char name[256];
		int id;
		int error;

		(void)snprintf(name, sizeof(name), "%.*s", (int)f->name.len, f->name.p);
		id = f->is_module ? -1 : btf__find_by_name_kind(g->kernel, name, BTF_KIND_FUNC);
		/*
		 * attach the exit program first: if the kernel refuses it, the entry program is not
		 * attached, so that no call is recorded without its end
		 */
		error = id > 0 ? -attach_copy(g, names->leave, BPF_TRACE_FEXIT, id) : ENOENT;
		if (!error)
			error = -attach_copy(g, f->is_root ? names->root : names->below,
					     BPF_TRACE_FENTRY, id);
		if (error == EPERM || error == EMFILE || error == ENOMEM)
			return error;
		if (error) {
			f->is_refused = true;
			g->n_refused++;
		}
	}
	return 0;
}

static int attach_functions(struct graph_bpf *g, struct error *err)
{
	const struct attach_programs *names = &attach_programs[g->method];
	size_t n = g->names.functions.len;
	int error;

	if (g->method == GRAPH_FENTRY && n > ATTACH_SINGLE_MAX)
		return fail(err, ERR_LIMIT,
			    "this kernel attaches BPF to one function at a time, and %zu are asked "
			    "for: %u at most",
			    n, ATTACH_SINGLE_MAX);
	if (g->method == GRAPH_FENTRY) {
		error = attach_single(g);
	} else {
		error = attach_multi(g, names->root, 0, ATTACH_ROOTS);
		if (!error)
			error = attach_multi(g, names->below, 0, ATTACH_BELOW);
		if (!error && names->leave)
			error = attach_multi(g, names->leave, ATTACH_RETURN, ATTACH_ALL);
	}
	if (error)
		return attach_refused(error, err);
	VEC_FOREACH (f, &g->names.functions) {
		if (f->is_root && !f->is_refused)
			return OK;
	}
	return fail(err, ERR_UNSUPPORTED, "the kernel refuses BPF at %s, and offers no alternative",
		    g->ftrace->options->functions.data[0]);
}

/* Add notes for the user about functions that could not be traced. */
static void attach_note_missing(struct graph_bpf *g)
{
	struct out names = { .fd = -1 };
	unsigned int n = 0;

	VEC_FOREACH (f, &g->names.functions) {
		if (!f->is_refused || ++n > 8)
			continue;
		out_printf(&names, "%s%.*s", n > 1 ? ", " : "", (int)f->name.len, f->name.p);
	}
	if (n)
		rec_note(&g->ftrace->rec,
			 "the kernel refuses BPF at %u of %zu functions, which are not in the "
			 "recording: %.*s%s",
			 n, g->names.functions.len, (int)names.len, names.data,
			 n > 8 ? " ..." : "");
	if (!g->names.is_all && !g->ftrace->options->only.len)
		rec_note(
			&g->ftrace->rec,
			"only calls of the functions that are named are recorded: %s; --graph-only "
			"names some of what they call",
			g->method == GRAPH_FENTRY
				? "this kernel attaches to one function at a time"
				: "what else can be traced is in tracefs, which is not here");
	out_fini(&names);
}

static int attach_rings(struct graph_bpf *g, struct error *err)
{
	struct bpf_map *rings = bpf_object__find_map_by_name(g->object, "rings");

	for (uint32_t cpu = 0; cpu < g->cpus.len; cpu++) {
		int map = g->cpus.data[cpu].map;
		int error =
			map < 0 ? 0 : -bpf_map_update_elem(bpf_map__fd(rings), &cpu, &map, BPF_ANY);

		if (error)
			return attach_refused(error, err);
	}
	return OK;
}

int graph_attach(struct graph_bpf *g, struct error *err)
{
	int status;

	(void)libbpf_set_print(attach_silent);
	g->kernel = btf__load_vmlinux_btf();
	if (!g->kernel)
		return fail(err, ERR_UNSUPPORTED,
			    "the kernel's types cannot be read (/sys/kernel/btf/vmlinux): %s",
			    strerror(errno));
	status = attach_method(g, err);
	if (status == OK)
		status = graph_names_choose(&g->names, g->ftrace, g->method == GRAPH_FENTRY, err);
	if (status == OK)
		status = attach_load(g, err);
	if (status == OK)
		status = attach_rings(g, err);
	if (status < 0)
		return status;
	attach_events(g);
	status = attach_functions(g, err);
	if (status == OK)
		attach_note_missing(g);
	btf__free(g->kernel);
	g->kernel = NULL;
	return status;
}

int graph_follow(struct graph_bpf *g, struct error *err)
{
	struct bpf_map *targets = bpf_object__find_map_by_name(g->object, "targets");
	uint32_t one = 1;

	VEC_FOREACH (tid, &g->ftrace->rec.tids) {
		if (bpf_map_update_elem(bpf_map__fd(targets), tid, &one, BPF_ANY) != 0)
			return fail(err, ERR_LIMIT, "more than %" PRIu32 " threads: -a takes all",
				    bpf_map__max_entries(targets));
	}
	return OK;
}

int graph_turn(struct graph_bpf *g, bool on, struct error *err)
{
	struct bpf_map *map = g->object ? bpf_object__find_map_by_name(g->object, ".bss") : NULL;
	uint32_t value = on;
	uint32_t zero = 0;

	if (!map || bpf_map__value_size(map) != sizeof(value) ||
	    bpf_map_update_elem(bpf_map__fd(map), &zero, &value, BPF_ANY) != 0)
		return fail(err, ERR_UNSUPPORTED, "the BPF programs cannot be turned on: %s",
			    strerror(errno));
	return OK;
}

/*
 * Add the numbers of calls for which the kernel ran no BPF program: to g->nested if a BPF program
 * was already running on the CPU, otherwise to g->missed.
 */
static void attach_count_missed(struct graph_bpf *g)
{
	const struct attach_programs *names = &attach_programs[g->method];
	const char *const of_method[] = { names->root, names->below, names->leave };

	VEC_FOREACH (link, &g->links) {
		struct attach_info info = { .type = 0 };
		uint32_t size = sizeof(info);

		if (g->method != GRAPH_FENTRY && bpf_obj_get_info_by_fd(*link, &info, &size) == 0 &&
		    size >= sizeof(info))
			g->missed += info.missed;
	}
	for (size_t i = 0; i < ARRAY_LEN(of_method) && g->method != GRAPH_FENTRY; i++) {
		struct bpf_prog_info info = { .type = 0 };
		uint32_t size = sizeof(info);
		int fd = attach_program(g, of_method[i]);

		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0)
			g->nested += info.recursion_misses;
	}
}

static void attach_count(struct graph_bpf *g)
{
	struct bpf_map *map = bpf_object__find_map_by_name(g->object, "counts");
	int n = libbpf_num_possible_cpus();
	uint32_t zero = 0;

	if (!map || n <= 0)
		return;
	VEC_RESERVE(&g->cpu_counts, (size_t)n);
	if (bpf_map_lookup_elem(bpf_map__fd(map), &zero, g->cpu_counts.data) != 0)
		return;
	g->cpu_counts.len = (size_t)n;
	VEC_FOREACH (c, &g->cpu_counts) {
		g->counts.records += c->records;
		g->counts.lost += c->lost;
		g->counts.deep += c->deep;
		g->counts.no_room += c->no_room;
		g->counts.unfinished += c->unfinished;
		g->counts.skipped += c->skipped;
		g->counts.forgotten += c->forgotten;
	}
}

static void attach_close(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)close(fds[i]);
}

void graph_detach(struct graph_bpf *g)
{
	if (g->object)
		attach_count_missed(g);
	attach_close(g->links.data, g->links.len);
	attach_close(g->event_links.data, g->event_links.len);
	attach_close(g->programs.data, g->programs.len);
	VEC_FREE(&g->links);
	VEC_FREE(&g->event_links);
	VEC_FREE(&g->programs);
	if (g->object)
		attach_count(g);
	bpf_object__close(g->object);
	g->object = NULL;
	btf__free(g->kernel);
	g->kernel = NULL;
}
