/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_wire.h - records and settings shared by graph.bpf.c and its loader
 *
 * Each CPU has a ring buffer of records. Each record starts with a struct graph_record.
 */
#ifndef RECORD_GRAPH_BPF_WIRE_H
#define RECORD_GRAPH_BPF_WIRE_H

/* maximum number of open calls that are recorded per task; a power of two */
#define GRAPH_FRAMES    64
#define GRAPH_COMM      16
#define GRAPH_PREEMPTED 0x10000 /* value of graph_switch.prev_state if the task was preempted */

enum graph_type {
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_NAME, /* struct graph_name: the name of a task */
	GRAPH_SWITCH,
	GRAPH_WAKING,
	GRAPH_IRQ_ENTRY, /* struct graph_irq */
	/*
	 * in records of type GRAPH_IRQ_EXIT and all types below, graph_record.number is the number
	 * of the interrupt
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
	unsigned long long time; /* time in ns by CLOCK_MONOTONIC */
	unsigned long long ip;   /* address of the function */
	unsigned int tid;
	unsigned int lost; /* total number of records lost on this CPU before this record */
	unsigned char type;
	unsigned char depth;
	unsigned short unused;
	unsigned int number;
};

struct graph_exit {
	struct graph_record head;
	unsigned long long value; /* content of the return value register */
	unsigned long long from;  /* time of the entry of this call */
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
	 * value that identifies an open call, such as the stack pointer: it is the same at entry
	 * and exit of the call, and other open calls have other values
	 */
	unsigned long long mark;
};

/* State of a task. Each CPU's idle task has its own state. */
struct graph_state {
	unsigned int open; /* number of open calls */
	unsigned int unused;
	char comm[GRAPH_COMM]; /* task name that was sent in the last GRAPH_NAME record */
	struct graph_frame frames[GRAPH_FRAMES];
};

/* Counters of a CPU. */
struct graph_counts {
	unsigned long long records;
	unsigned long long lost;
	/* number of calls not recorded because they were nested deeper than GRAPH_FRAMES */
	unsigned long long deep;
	/* number of calls not recorded because the map `states` was full */
	unsigned long long no_room;
	unsigned long long unfinished; /* number of calls whose exit was not recorded */
	/* number of calls not recorded because another BPF program was running on the CPU */
	unsigned long long skipped;
	/* number of threads not followed because the map `targets` was full */
	unsigned long long forgotten;
	unsigned long long is_busy; /* nonzero while a BPF program is running on the CPU */
};

struct graph_config {
	/* calls shorter than this are not recorded; 0: record all calls */
	unsigned long long threshold_ns;
	unsigned long long ring_bytes;
	unsigned int max_depth;    /* maximum depth of recorded calls; 0: unlimited */
	unsigned char is_filtered; /* record only tasks in the map `targets` */
	unsigned char has_inherit; /* also record children of these tasks */
	/* graph_frame.mark is valid: compare it to find the entry that belongs to an exit */
	unsigned char has_marks;
	/*
	 * the tracepoint sched_switch has a fourth argument, the state of the task that stops
	 * running
	 */
	unsigned char has_switch_state;
};

#endif
