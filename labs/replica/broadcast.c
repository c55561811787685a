/* SPDX-License-Identifier: MIT */
/*
 * broadcast - attach broadcast.bpf.o to tc's egress hook of an interface, or broadcast_xdp.bpf.o to
 * the veth pairs "port<I>" and "node<I>" of all replicas
 *
 *   lab-replica-broadcast OBJECT INTERFACE PORT N_REPLICAS
 *   lab-replica-broadcast OBJECT --xdp PORT N_REPLICAS
 */
#include "replica/broadcast.h"
#include "lib/work.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The marker port is this number plus the port of replica 0; the same number as in node.h. */
#define BROADCAST_MARKER 50u

static __attribute__((format(printf, 2, 0))) int broadcast_quiet(enum libbpf_print_level level,
								 const char *format, va_list args)
{
	if (level > LIBBPF_WARN)
		return 0;
	return vfprintf(stderr, format, args);
}

static int broadcast_fail(const char *what, int error)
{
	fprintf(stderr, "broadcast: %s: %s\n", what, strerror(error < 0 ? -error : error));
	return 1;
}

/* The descriptor of the program @name, or a negative error. */
static int broadcast_program(struct bpf_object *object, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);

	return program ? bpf_program__fd(program) : -ENOENT;
}

static int broadcast_attach_tc(struct bpf_object *object, const char *interface)
{
	int program = broadcast_program(object, "broadcast");
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)if_nametoindex(interface),
		    .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, options, .prog_fd = program);
	int r;

	if (program < 0)
		return broadcast_fail("program", program);
	r = bpf_tc_hook_create(&hook);
	if (r && r != -EEXIST)
		return broadcast_fail("clsact", r);
	r = bpf_tc_attach(&hook, &options);
	return r ? broadcast_fail("attaching", r) : 0;
}

/* Attach to the two ends of the pair of replica @i. */
static int broadcast_attach_pair(struct bpf_object *object, unsigned int i, unsigned short port)
{
	int devices = bpf_object__find_map_fd_by_name(object, "devices");
	int nodes = bpf_object__find_map_fd_by_name(object, "nodes");
	char name[IF_NAMESIZE];
	struct bpf_devmap_val device;
	unsigned int node;
	int r;

	snprintf(name, sizeof(name), "node%u", i);
	node = if_nametoindex(name);
	snprintf(name, sizeof(name), "port%u", i);
	device = (struct bpf_devmap_val){ .ifindex = if_nametoindex(name) };
	if (!node || !device.ifindex)
		return broadcast_fail(name, ENODEV);
	r = bpf_map_update_elem(devices, &i, &device, BPF_ANY);
	if (r)
		return broadcast_fail("map of devices", r);
	r = bpf_map_update_elem(nodes, &node, &port, BPF_ANY);
	if (r)
		return broadcast_fail("map of nodes", r);
	r = bpf_xdp_attach((int)device.ifindex, broadcast_program(object, "copy"),
			   XDP_FLAGS_SKB_MODE, NULL);
	if (r)
		return broadcast_fail("attaching 'copy' by generic XDP", r);
	r = bpf_xdp_attach((int)node, broadcast_program(object, "deliver"), XDP_FLAGS_SKB_MODE,
			   NULL);
	return r ? broadcast_fail("attaching 'deliver' by generic XDP", r) : 0;
}

static int broadcast_attach(struct bpf_object *object, const char *interface,
			    const struct broadcast_ports *ports)
{
	int map = bpf_object__find_map_fd_by_name(object, "ports");
	unsigned int zero = 0;
	int r = bpf_map_update_elem(map, &zero, ports, BPF_ANY);

	if (r)
		return broadcast_fail("map of ports", r);
	if (strcmp(interface, "--xdp") != 0)
		return broadcast_attach_tc(object, interface);
	for (unsigned int i = 0; i < ports->n_replicas && r == 0; i++)
		r = broadcast_attach_pair(object, i, (unsigned short)(ports->first + i));
	return r;
}

int main(int argc, char **argv)
{
	struct broadcast_ports ports;
	struct bpf_object *object;
	int r;

	if (argc != 5) {
		fprintf(stderr, "usage: lab-replica-broadcast OBJECT INTERFACE|--xdp PORT "
				"N_REPLICAS\n");
		return 2;
	}
	ports = (struct broadcast_ports){
		.marker = (unsigned short)(work_number(argv[3]) + BROADCAST_MARKER),
		.first = (unsigned short)work_number(argv[3]),
		.n_replicas = (unsigned int)work_number(argv[4]),
	};
	libbpf_set_print(broadcast_quiet);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object)
		return broadcast_fail(argv[1], errno);
	r = bpf_object__load(object);
	r = r ? broadcast_fail("loading", r) : broadcast_attach(object, argv[2], &ports);
	bpf_object__close(object);
	return r;
}
