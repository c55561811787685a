/* SPDX-License-Identifier: MIT */
/*
 * counter_halves.h - the two halves of one output of top: its head, and the list of tasks below it
 *
 * The two halves are two captures: the head has figures of the machine, and the list has one row
 * per task. A rule about one half may need a value of the other.
 */
#ifndef EXPLAIN_SIGNATURES_COUNTER_HALVES_H
#define EXPLAIN_SIGNATURES_COUNTER_HALVES_H

struct counter_metric;
struct rule_input;

/*
 * The metric @ids of this capture, or else of the other half of the output; NULL: neither has it.
 */
const struct counter_metric *counter_halves_metric(const struct rule_input *in, const char *ids);
/*
 * For the head of an output of top: the share of kernel threads in the machine's CPU time, percent;
 * 0: unknown. The head prints the share of time in which the CPUs are busy. This share is
 * multiplied by the part of all %CPU in the list of tasks that belongs to kernel threads. If rows
 * of the list were cut off, the result is too large.
 */
double counter_halves_threads(const struct rule_input *in);

#endif
