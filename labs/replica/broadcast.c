/* SPDX-License-Identifier: MIT */
/*
 * broadcast - attach broadcast.bpf.o to the egress hook of an interface
 *
 *   lab-replica-broadcast OBJECT INTERFACE PORT N_REPLICAS
 */
#include "replica/broadcast.h"
#include "lib/work.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

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

static int broadcast_attach(struct bpf_object *object, int ifindex,
			    const struct broadcast_ports *ports)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, "broadcast");
	struct bpf_map *map = bpf_object__find_map_by_name(object, "ports");
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex, .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, options);
	unsigned int zero = 0;
	int r;

	if (!program || !map)
		return broadcast_fail("the object has no program 'broadcast'", 2);
	r = bpf_map_update_elem(bpf_map__fd(map), &zero, ports, BPF_ANY);
	if (r)
		return broadcast_fail("map", r);
	r = bpf_tc_hook_create(&hook);
	if (r && r != -17) /* EEXIST: the hook already exists */
		return broadcast_fail("clsact", r);
	options.prog_fd = bpf_program__fd(program);
	r = bpf_tc_attach(&hook, &options);
	return r ? broadcast_fail("attaching", r) : 0;
}

int main(int argc, char **argv)
{
	struct broadcast_ports ports;
	struct bpf_object *object;
	int ifindex;
	int r;

	if (argc != 5) {
		fprintf(stderr, "usage: lab-replica-broadcast OBJECT INTERFACE PORT N_REPLICAS\n");
		return 2;
	}
	ports = (struct broadcast_ports){
		.marker = (unsigned short)(work_number(argv[3]) + BROADCAST_MARKER),
		.first = (unsigned short)work_number(argv[3]),
		.n_replicas = (unsigned int)work_number(argv[4]),
	};
	libbpf_set_print(broadcast_quiet);
	ifindex = (int)if_nametoindex(argv[2]);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object)
		return broadcast_fail(argv[1], 2);
	r = bpf_object__load(object);
	r = r ? broadcast_fail("loading", r) : broadcast_attach(object, ifindex, &ports);
	bpf_object__close(object);
	return r;
}
