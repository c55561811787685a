/* SPDX-License-Identifier: MIT */
/*
 * One NUMA node has next to no free memory, while another one has much: numactl --hardware.
 *
 * Thresholds: a node has at most 2 % free, which is about its watermarks on a large machine, and
 * another one 10 % or more. Nodes below 1 GiB do not count: memory that a device adds. Always a
 * note: a node full of page cache is normal where its pages are free at once.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(numa_node_full);

#define NODE_FULL_PCT 2.0
#define NODE_FREE_PCT 10.0
#define NODE_LEAST_MB 1024.0
#define NODE_SURE     75u
#define NODES_MOST    64u

struct numa_node {
	str_id key;
	double size, free; /* MB; negative: not printed */
	uint32_t line;     /* line of the free memory */
};

struct numa_nodes {
	struct numa_node nodes[NODES_MOST];
	size_t n;
};

static struct numa_node *node_of(struct numa_nodes *all, str_id key)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->nodes[i].key.v == key.v)
			return &all->nodes[i];
	}
	if (all->n == NODES_MOST)
		return NULL;
	all->nodes[all->n] = (struct numa_node){ .key = key, .size = -1, .free = -1 };
	return &all->nodes[all->n++];
}

static void node_collect(const struct capture *c, struct numa_nodes *all)
{
	VEC_FOREACH (row, &c->counters->rows) {
		struct str name = strings_get(capture_strings(c), row->name);
		struct numa_node *node = row->key.v ? node_of(all, row->key) : NULL;

		if (node && str_eq(name, STR("size")))
			node->size = counter_value(row);
		if (node && str_eq(name, STR("free"))) {
			node->free = counter_value(row);
			node->line = row->line;
		}
	}
}

static double node_pct(const struct numa_node *node)
{
	return node->free / node->size * 100;
}

static bool node_counts(const struct numa_node *node)
{
	return node->free >= 0 && node->size >= NODE_LEAST_MB;
}

static void node_finding(const struct rule_input *in, struct findings *out,
			 const struct numa_node *full, const struct numa_node *other)
{
	const struct strings *strings = capture_strings(in->capture);
	struct finding *f = finding_add(out, in, &rule_numa_node_full, FINDING_NOTE, NODE_SURE);

	finding_claim(out, f,
		      "NUMA node " STR_FMT " has nearly no free memory: %.0f of %.0f MB (%.1f %%), "
		      "while %.0f %% of node " STR_FMT " is free",
		      STR_ARG(strings_get(strings, full->key)), full->free, full->size,
		      node_pct(full), node_pct(other), STR_ARG(strings_get(strings, other->key)));
	finding_figure(f, "free memory of the node", node_pct(full), 0, "%");
	finding_figure(f, "free memory of the other node", node_pct(other), 0, "%");
	finding_evidence(out, f, in, full->line, "node " STR_FMT,
			 STR_ARG(strings_get(strings, full->key)));
	finding_evidence(out, f, in, other->line, "node " STR_FMT,
			 STR_ARG(strings_get(strings, other->key)));
	finding_usual_cause(
		out, f,
		"Page cache fills the node, or a program that is bound to it. A thread of this "
		"node "
		"that allocates must reclaim pages or wait, or gets memory of the other node");
	finding_because(out, f,
			"the sizes are printed\n"
			"whether the memory is page cache");
	finding_next(out, f,
		     "numastat -m: FilePages, AnonPages and MemFree of each node; numastat -p PID: "
		     "where the memory of the program is");
	finding_next(out, f,
		     "numactl --interleave=all COMMAND, or mpol=interleave of a tmpfs; "
		     "vm.zone_reclaim_mode should be 0");
}

static void node_check(const struct rule_input *in, struct findings *out)
{
	struct numa_nodes all = { .n = 0 };
	const struct numa_node *full = NULL, *other = NULL;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("numactl --hardware")))
		return;
	node_collect(in->capture, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct numa_node *node = &all.nodes[i];

		if (!node_counts(node))
			continue;
		if (!full || node_pct(node) < node_pct(full))
			full = node;
		if (!other || node_pct(node) > node_pct(other))
			other = node;
	}
	if (!full || full == other)
		finding_not_assessed(out, in, &rule_numa_node_full, "numactl --hardware",
				     "fewer than two nodes with their size and free memory");
	else if (node_pct(full) <= NODE_FULL_PCT && node_pct(other) >= NODE_FREE_PCT)
		node_finding(in, out, full, other);
	else
		finding_clean(out, in, &rule_numa_node_full,
			      "no node is full while another one has free memory");
}

const struct rule rule_numa_node_full = {
	.id = "numa-node-full",
	.title = "One NUMA node is full",
	.needs = RULE_COUNTERS,
	.check = node_check,
	.is_measured = true,
};
