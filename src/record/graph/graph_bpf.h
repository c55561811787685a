/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf.h - function graphs by BPF programs, where tracefs has no such tracer
 *
 * The parts: graph_bpf_names.c chooses functions, graph_bpf_attach.c loads
 * graph.bpf.c and attaches it, graph_bpf_file.c turns its records into pages of a
 * trace.dat, graph_bpf.c is the source of the recorder's loop in ftrace.c.
 *
 * Programs and links are file descriptors: the kernel detaches them when we end,
 * however that is.
 *
 * Private to src/record.
 */
#ifndef RECORD_GRAPH_BPF_H
#define RECORD_GRAPH_BPF_H

#include "base/idmap.h"
#include "record/graph/ftrace_parts.h"
#include "record/graph/graph_bpf_wire.h"

/* How one function is attached to. */
enum graph_method { GRAPH_SESSION, GRAPH_MULTI, GRAPH_FENTRY, GRAPH_METHODS };

struct graph_function {
	uint64_t address; /* 0: not known, by name only */
	struct str name;  /* in graph_names.text */
	bool is_root;
	bool is_module;
	bool is_refused; /* by the kernel */
};

/* What is to be traced. */
struct graph_names {
	char *text;    /* the list of the kernel's that names stand in */
	char *symbols; /* its symbol table, where addresses come from */
	VEC(struct graph_function) functions;
	bool is_all; /* all that can be traced, below the roots */
};

/* A ring buffer of the kernel's and the page of the file that is being filled. */
struct graph_cpu {
	int map;            /* -1: offline */
	uint8_t *consumer;  /* its page of the reader's place, ours to write */
	uint8_t *producer;  /* that of the writers', and the data behind it, twice */
	uint32_t lost;      /* as the last record said */
	uint64_t first_ns;  /* time of the page */
	uint64_t last_ns;   /* of its last record */
	uint64_t page_lost; /* records lost in front of it */
	size_t used;        /* bytes of records in it */
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
	struct btf *kernel; /* its types */
	VEC(int) links;     /* to functions */
	VEC(int) event_links;
	VEC(int) programs;  /* of fentry, two a function */
	uint32_t n_refused; /* functions */
	uint32_t n_tries;
	VEC(struct graph_cpu) cpus; /* by number */
	VEC(struct graph_task) tasks;
	struct idmap task_ids;
	uint64_t ring_bytes;
	struct graph_counts counts; /* sum of all CPUs */
	VEC(struct graph_counts) cpu_counts;
	uint64_t n_records; /* in the file */
	uint64_t missed;    /* calls that the kernel's probes had no room for, of all processes */
	uint64_t nested;    /* that ran inside of our programs, of all processes */
};

extern const struct ftrace_source graph_bpf_source;

/* Whether it can be tried here, cheaply. Errors: ERR_UNSUPPORTED, ERR_PERM, with a sentence. */
MUST_CHECK int graph_bpf_find(const struct ftrace *t, struct error *err);
const char *graph_bpf_method_name(enum graph_method m);

/* graph_bpf_names.c */
/* Errors: ERR_NOTFOUND where no function of a name is there, ERR_PERM, ERR_IO. */
/* @is_single: below the roots only what is named. */
MUST_CHECK int graph_names_choose(struct graph_names *n, const struct ftrace *t, bool is_single,
				  struct error *err);
void graph_names_fini(struct graph_names *n);

/* graph_bpf_attach.c */
/* Load and attach; nothing is recorded yet. */
MUST_CHECK int graph_attach(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_follow(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_turn(struct graph_bpf *g, bool on, struct error *err);
/* What was lost is counted, and links are closed. */
void graph_detach(struct graph_bpf *g);

/* graph_bpf_file.c */
/* What is in the buffers, into the files of CPUs. @is_last: their last pages too. */
void graph_file_drain(struct graph_bpf *g, bool is_last);
void graph_file_header(const struct graph_bpf *g, struct out *o);

#endif
