/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_wire.h - records and settings shared by graph.bpf.c and its loader
 *
 * Each CPU has a ring buffer of records that start with a graph_record.
 */
#ifndef RECORD_GRAPH_BPF_WIRE_H
#define RECORD_GRAPH_BPF_WIRE_H

#define GRAPH_FRAMES    64 /* tracked open calls of a task, a power of two */
#define GRAPH_COMM      16
#define GRAPH_PREEMPTED 0x10000 /* replaces the state of a preempted task */

enum graph_type {
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_NAME, /* name of a task */
	GRAPH_SWITCH,
	GRAPH_WAKING,
	GRAPH_IRQ_ENTRY, /* graph_irq */
	GRAPH_IRQ_EXIT,  /* number: of the interrupt, also below */
	GRAPH_SOFTIRQ_ENTRY,
	GRAPH_SOFTIRQ_EXIT,
	GRAPH_TIMER_ENTRY,
	GRAPH_TIMER_EXIT,
	GRAPH_RESCHEDULE_ENTRY,
	GRAPH_RESCHEDULE_EXIT,
	GRAPH_CALL_ENTRY,
	GRAPH_CALL_EXIT,
	GRAPH_TYPES,
};

struct graph_record {
	unsigned long long time; /* CLOCK_MONOTONIC */
	unsigned long long ip;   /* address of the function */
	unsigned int tid;
	unsigned int lost; /* records lost on this CPU so far */
	unsigned char type;
	unsigned char depth;
	unsigned short unused;
	unsigned int number;
};

struct graph_exit {
	struct graph_record head;
	unsigned long long value; /* return value register */
	unsigned long long from;  /* time of the entry */
};

struct graph_name {
	struct graph_record head;
	char comm[GRAPH_COMM];
};

struct graph_switch {
	struct graph_record head;
	char prev_comm[GRAPH_COMM];
	int prev_pid;
	int prev_prio;
	int prev_state;
	char next_comm[GRAPH_COMM];
	int next_pid;
	int next_prio;
	unsigned int unused;
};

struct graph_waking {
	struct graph_record head;
	char comm[GRAPH_COMM];
	int pid;
	int prio;
};

struct graph_irq {
	struct graph_record head;
	char name[GRAPH_COMM];
};

struct graph_frame {
	unsigned long long ip;
	unsigned long long from;
	unsigned long long mark; /* equal at entry and exit of one call */
};

/* State of a task, or of the idle task of a CPU. */
struct graph_state {
	unsigned int open; /* frames in use */
	unsigned int unused;
	char comm[GRAPH_COMM]; /* name in the last GRAPH_NAME record */
	struct graph_frame frames[GRAPH_FRAMES];
};

/* Counters of a CPU. */
struct graph_counts {
	unsigned long long records;
	unsigned long long lost;
	unsigned long long deep;       /* calls nested deeper than GRAPH_FRAMES */
	unsigned long long no_room;    /* calls by tasks beyond the table's capacity */
	unsigned long long unfinished; /* calls without a recorded end */
	unsigned long long skipped;    /* calls within an active program */
	unsigned long long forgotten;  /* threads not followed for lack of capacity */
	unsigned long long is_busy;    /* a program is active */
};

struct graph_config {
	unsigned long long threshold_ns; /* 0: all calls */
	unsigned long long ring_bytes;
	unsigned int max_depth;         /* 0: unlimited */
	unsigned char is_filtered;      /* targets only */
	unsigned char has_inherit;      /* children of targets become targets */
	unsigned char has_marks;        /* kprobes: marks distinguish frames */
	unsigned char has_switch_state; /* the event has the state as its fourth argument */
};

#endif
