/* SPDX-License-Identifier: MIT */
/*
 * sockmap.h - keys of the socket map, shared by sockmap.c and sockmap.bpf.c
 */
#ifndef LABS_SOCKMAP_SOCKMAP_H
#define LABS_SOCKMAP_SOCKMAP_H

/*
 * The client's port identifies a pair. Its key maps to the server's end, where the client's
 * messages go; with this bit, to the client's end.
 */
#define SOCKMAP_TO_CLIENT 0x10000u
#define SOCKMAP_PORT      7200u

#endif
