/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf.h - function graphs by BPF programs, for kernels without a graph tracer in tracefs
 *
 * graph_bpf_names.c chooses the functions to trace. graph_bpf_attach.c loads the programs of
 * graph.bpf.c and attaches them to functions. graph_bpf_file.c converts their records to pages of a
 * trace.dat file. graph_bpf.c implements graph_bpf_source, which the recorder's loop in ftrace.c
 * calls.
 *
 * Programs, and their links to functions, are file descriptors. So the kernel detaches the programs
 * when the process ends, for whatever reason.
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

/* Kinds of probes; the best kind is first. */
enum graph_method { GRAPH_SESSION, GRAPH_MULTI, GRAPH_FENTRY, GRAPH_METHODS };

struct graph_function {
	/*
	 * address of the function; 0: unknown, so that a program must be attached by the function's
	 * name
	 */
	uint64_t address;
	struct str name; /* name of the function; borrowed from graph_names.text */
	bool is_root;
	bool is_module;
	bool is_refused; /* the kernel refused to attach a program to this function */
};

/* Functions to trace. */
struct graph_names {
	char *text;    /* the kernel's list of functions, as text; owns the names in `functions` */
	char *symbols; /* the kernel's symbol table, as text, from which addresses were read */
	VEC(struct graph_function) functions;
	bool is_all; /* all functions are traced, not only the functions that the user named */
};

/* A CPU's BPF ring buffer, and the trace.dat page to which its records are being converted. */
struct graph_cpu {
	/* descriptor of the BPF map that is the ring buffer; -1: the CPU is offline */
	int map;
	uint8_t *consumer; /* mapped page with the reader's position, which this process updates */
	/*
	 * mapped page with the writer's position; after it, the ring buffer's data are mapped twice
	 * in a row
	 */
	uint8_t *producer;
	uint32_t lost;      /* graph_record.lost of the last record that was read */
	uint64_t first_ns;  /* time of the first record in the page */
	uint64_t last_ns;   /* time of the last record in the page */
	uint64_t page_lost; /* number of records lost between the previous page and this page */
	size_t used;        /* number of bytes of records in the page */
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
	VEC(int) links;     /* descriptors of links; a link attaches a program to functions */
	VEC(int) event_links;
	/* for fentry only: descriptors of the loaded programs, two for each function */
	VEC(int) programs;
	/* number of functions to which the kernel refused to attach a program */
	uint32_t n_refused;
	uint32_t n_tries;
	VEC(struct graph_cpu) cpus; /* indexed by CPU number */
	VEC(struct graph_task) tasks;
	struct idmap task_ids;
	uint64_t ring_bytes;
	struct graph_counts counts; /* sums over all CPUs of the counters of the BPF programs */
	VEC(struct graph_counts) cpu_counts;
	uint64_t n_records; /* number of records in the file */
	/*
	 * number of calls, in all processes, at which the kernel's probes should have run a BPF
	 * program, but had no room for another call
	 */
	uint64_t missed;
	/*
	 * number of calls, in all processes, for which no BPF program was run, because one was
	 * already running on the CPU
	 */
	uint64_t nested;
};

extern const struct ftrace_source graph_bpf_source;

/*
 * Check without much work whether this machine supports BPF tracing. Errors: ERR_UNSUPPORTED,
 * ERR_PERM, with the reason in @err.
 */
MUST_CHECK int graph_bpf_find(const struct ftrace *t, struct error *err);
const char *graph_bpf_method_name(enum graph_method m);

/* the functions below are in graph_bpf_names.c */
/*
 * Choose the functions to trace. @is_single: a BPF program can be attached only to one function at
 * a time (fentry). In this case, choose only callees that the user named, not all. Errors:
 * ERR_NOTFOUND if a name matches no function, ERR_PERM, ERR_IO.
 */
MUST_CHECK int graph_names_choose(struct graph_names *n, const struct ftrace *t, bool is_single,
				  struct error *err);
void graph_names_fini(struct graph_names *n);

/* the functions below are in graph_bpf_attach.c */
/* Load the programs and attach them; recording does not start yet. */
MUST_CHECK int graph_attach(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_follow(struct graph_bpf *g, struct error *err);
MUST_CHECK int graph_turn(struct graph_bpf *g, bool on, struct error *err);
/* Read the number of missed calls, then close the links, which detaches the programs. */
void graph_detach(struct graph_bpf *g);

/* the functions below are in graph_bpf_file.c */
/*
 * Read the records from the ring buffers, convert them to pages, and append full pages to the
 * temporary files. @is_last: also append partly filled pages.
 */
void graph_file_drain(struct graph_bpf *g, bool is_last);
void graph_file_header(const struct graph_bpf *g, struct out *o);

#endif
