/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf.h - function graphs by BPF programs, where tracefs has no graph tracer
 *
 * graph_bpf_names.c chooses functions, graph_bpf_attach.c loads and attaches graph.bpf.c,
 * graph_bpf_file.c converts its records to trace.dat pages, graph_bpf.c is the source for the
 * recorder's loop in ftrace.c.
 *
 * Programs and links are file descriptors: the kernel detaches them whenever the process ends.
 *
 * Private to src/record.
 */
#ifndef RECORD_GRAPH_BPF_H
#define RECORD_GRAPH_BPF_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace_parts.h"
#include "record/graph/graph_bpf_wire.h"

struct out;

/* Kinds of probes. */
enum graph_method { GRAPH_SESSION, GRAPH_MULTI, GRAPH_FENTRY, GRAPH_METHODS };

struct graph_function {
	uint64_t address; /* 0: unknown, attach by name */
	struct str name;  /* in graph_names.text */
	bool is_root;
	bool is_module;
	bool is_refused; /* by the kernel */
};

/* Functions to trace. */
struct graph_names {
	char *text;    /* the kernel's function list, which holds the names */
	char *symbols; /* the kernel's symbol table, source of addresses */
	VEC(struct graph_function) functions;
	bool is_all; /* trace every traceable function below the roots */
};

/* A ring buffer and the trace.dat page being filled. */
struct graph_cpu {
	int map;           /* -1: offline */
	uint8_t *consumer; /* page with the reader's position, writable */
	/* page with the writers' position, followed by the data, mapped twice */
	uint8_t *producer;
	uint32_t lost;      /* count in the last record */
	uint64_t first_ns;  /* time of the page's first record */
	uint64_t last_ns;   /* time of the page's last record */
	uint64_t page_lost; /* records lost before the page */
	size_t used;        /* bytes of records in the page */
	uint8_t *page;
};

struct graph_task {
	uint32_t tid;
	char comm[GRAPH_COMM];
};

struct bpf_object;
struct btf;

struct graph_bpf {
	struct ftrace *ftrace;
	enum graph_method method;
	struct graph_names names;
	struct bpf_object *object;
	struct btf *kernel; /* the kernel's BTF */
	VEC(int) links;     /* links to functions */
	VEC(int) event_links;
	VEC(int) programs;  /* fentry: two programs per function */
	uint32_t n_refused; /* refused functions */
	uint32_t n_tries;
	VEC(struct graph_cpu) cpus; /* by CPU number */
	VEC(struct graph_task) tasks;
	struct idmap task_ids;
	uint64_t ring_bytes;
	struct graph_counts counts; /* sum over all CPUs */
	VEC(struct graph_counts) cpu_counts;
	uint64_t n_records; /* in the file */
	/* calls missed by the kernel's probes for lack of space, of all processes */
	uint64_t missed;
	uint64_t nested; /* calls within the BPF programs, of all processes */
};

extern const struct ftrace_source graph_bpf_source;

/*
 * Cheap check whether this machine supports it. Errors: ERR_UNSUPPORTED, ERR_PERM, with a
 * sentence.
 */
MUST_CHECK int graph_bpf_find(const struct ftrace *t, struct error *err);
const char *graph_bpf_method_name(enum graph_method m);

/* graph_bpf_names.c */
/*
 * Choose functions. @is_single: callees only if named. Errors: ERR_NOTFOUND if a name has no
 * function, ERR_PERM, ERR_IO.
 */
MUST_CHECK int graph_names_choose(struct graph_names *n, const struct ftrace *t, bool is_single,
				  struct error *err);
void graph_names_fini(struct graph_names *n);

/* graph_bpf_attach.c */
/* Load and attach; recording does not start yet. */
MUST_CHECK int graph_attach(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_follow(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_turn(struct graph_bpf *g, bool on, struct error *err);
/* Collect loss counts and close the links. */
void graph_detach(struct graph_bpf *g);

/* graph_bpf_file.c */
/* Move the buffered records to the files of the CPUs. @is_last: flush partial pages too. */
void graph_file_drain(struct graph_bpf *g, bool is_last);
void graph_file_header(const struct graph_bpf *g, struct out *o);

#endif
