/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_wire.h - what graph.bpf.c and the program that loads it share
 *
 * Records in the ring buffer of each CPU, each with a graph_record in front.
 */
#ifndef RECORD_GRAPH_BPF_WIRE_H
#define RECORD_GRAPH_BPF_WIRE_H

#define GRAPH_FRAMES    64 /* open calls of a task, a power of two */
#define GRAPH_COMM      16
#define GRAPH_PREEMPTED 0x10000 /* in place of the state */

enum graph_type {
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_NAME, /* of a task */
	GRAPH_SWITCH,
	GRAPH_WAKING,
	GRAPH_IRQ_ENTRY, /* graph_irq */
	GRAPH_IRQ_EXIT,  /* number: of the interrupt, here and below */
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
	unsigned long long ip;   /* of the function */
	unsigned int tid;
	unsigned int lost; /* records that found no room on this CPU so far */
	unsigned char type;
	unsigned char depth;
	unsigned short unused;
	unsigned int number;
};

struct graph_exit {
	struct graph_record head;
	unsigned long long value; /* of the register of return values */
	unsigned long long from;  /* time of its entry */
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
	unsigned long long mark; /* the same at entry and exit of one call */
};

/* A task, or the idle task of a CPU. */
struct graph_state {
	unsigned int open; /* frames in use */
	unsigned int unused;
	char comm[GRAPH_COMM]; /* as told last */
	struct graph_frame frames[GRAPH_FRAMES];
};

/* Of each CPU. */
struct graph_counts {
	unsigned long long records;
	unsigned long long lost;
	unsigned long long deep;       /* calls below GRAPH_FRAMES open ones */
	unsigned long long no_room;    /* calls of tasks of which there are too many */
	unsigned long long unfinished; /* calls whose end was not seen */
	unsigned long long skipped;    /* calls made while one is being recorded */
	unsigned long long forgotten;  /* threads that are not followed: too many */
	unsigned long long is_busy;    /* one of the programs is at work */
};

struct graph_config {
	unsigned long long threshold_ns; /* 0: all calls */
	unsigned long long ring_bytes;
	unsigned int max_depth;         /* 0: any */
	unsigned char is_filtered;      /* only targets */
	unsigned char has_inherit;      /* targets' children are targets */
	unsigned char has_marks;        /* of kprobes: frames are told apart by them */
	unsigned char has_switch_state; /* the event has it as its fourth argument */
};

#endif
