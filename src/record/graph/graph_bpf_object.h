/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_object.h - graph.bpf.c, compiled, as tools/pack-object.py packs it
 */
#ifndef RECORD_GRAPH_BPF_OBJECT_H
#define RECORD_GRAPH_BPF_OBJECT_H

extern const unsigned char graph_bpf_object[];
extern const unsigned long graph_bpf_object_size;

#endif
