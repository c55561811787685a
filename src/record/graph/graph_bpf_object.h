/* SPDX-License-Identifier: MIT */
/*
 * graph_bpf_object.h - the compiled graph.bpf.c as an array of bytes, made by tools/pack-object.py
 */
#ifndef RECORD_GRAPH_BPF_OBJECT_H
#define RECORD_GRAPH_BPF_OBJECT_H

extern const unsigned char graph_bpf_object[];
extern const unsigned long graph_bpf_object_size;

#endif
