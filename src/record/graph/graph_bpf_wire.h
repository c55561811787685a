/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_wire.h - records and settings shared by graph.bpf.c and its loader
 *
 * Each CPU has a ring buffer of records. Each record starts with a struct graph_record.
 */
#ifndef RECORD_GRAPH_BPF_WIRE_H
#define RECORD_GRAPH_BPF_WIRE_H

/* maximum depth of the recorded calls of a task; a power of two */
#define GRAPH_FRAMES    64
#define GRAPH_COMM      16
#define GRAPH_PREEMPTED 0x10000 /* value of prev_state for a task that was preempted */

enum graph_type {
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_NAME, /* struct graph_name: the name of a task */
	GRAPH_SWITCH,
	GRAPH_WAKING,
	GRAPH_IRQ_ENTRY, /* struct graph_irq */
	/*
	 * in this type and the following types, graph_record.number is the number of the interrupt
	 */
	GRAPH_IRQ_EXIT,
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
	unsigned long long time; /* time by CLOCK_MONOTONIC */
	unsigned long long ip;   /* address of the function */
	unsigned int tid;
	unsigned int lost; /* number of records that were lost on this CPU so far */
	unsigned char type;
	unsigned char depth;
	unsigned short unused;
	unsigned int number;
};

struct graph_exit {
	struct graph_record head;
	unsigned long long value; /* content of the return value register */
	unsigned long long from;  /* time of the call's entry */
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
	/*
	 * a value that identifies the call, such as the stack pointer: equal at entry and exit of
	 * the call, and different for other open calls
	 */
	unsigned long long mark;
};

/* State of a task, or of the idle task of one CPU. */
struct graph_state {
	unsigned int open; /* number of open calls */
	unsigned int unused;
	char comm[GRAPH_COMM]; /* the task's name in the last GRAPH_NAME record */
	struct graph_frame frames[GRAPH_FRAMES];
};

/* Counters of a CPU. */
struct graph_counts {
	unsigned long long records;
	unsigned long long lost;
	/* calls not recorded because they were nested deeper than GRAPH_FRAMES */
	unsigned long long deep;
	unsigned long long no_room;    /* calls not recorded because the map of states was full */
	unsigned long long unfinished; /* calls whose exit was not recorded */
	/* calls not recorded because another BPF program was running on the CPU */
	unsigned long long skipped;
	/* threads not followed because the map of targets was full */
	unsigned long long forgotten;
	unsigned long long is_busy; /* not 0: a BPF program is running on the CPU */
};

struct graph_config {
	unsigned long long threshold_ns; /* minimum duration of recorded calls; 0: all calls */
	unsigned long long ring_bytes;
	unsigned int max_depth;    /* maximum depth of calls; 0: unlimited */
	unsigned char is_filtered; /* record only tasks that are in the map of targets */
	unsigned char has_inherit; /* children of target tasks become targets */
	unsigned char has_marks;   /* compare graph_frame.mark to find the entry of a call */
	/* the tracepoint sched_switch has the task's state as its fourth argument */
	unsigned char has_switch_state;
};

#endif
