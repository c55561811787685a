/* SPDX-License-Identifier: MIT */
/*
 * counter_halves.h - the two halves of one output of top: its head, and the list of tasks below it
 *
 * They are two captures, because the head has figures of the machine, and the list one row a task.
 * Each may answer a question about the other.
 */
#ifndef EXPLAIN_SIGNATURES_COUNTER_HALVES_H
#define EXPLAIN_SIGNATURES_COUNTER_HALVES_H

struct counter_metric;
struct rule_input;

/* The metric @ids of the capture, or of the other half; NULL: in neither. */
const struct counter_metric *counter_halves_metric(const struct rule_input *in, const char *ids);
/*
 * For the head of an output of top: share of the CPU time of the machine, in percent, that the
 * kernel's threads in the list of tasks use; 0: unknown. The rows and the busy share of the head
 * give the number of CPUs. A list that was cut gives too few, and so too large a share.
 */
double counter_halves_threads(const struct rule_input *in);

#endif
