/* SPDX-License-Identifier: MIT */
/* sockmap.h - keys of the map of sockets, shared by sockmap.c and sockmap.bpf.c */
#ifndef LABS_SOCKMAP_SOCKMAP_H
#define LABS_SOCKMAP_SOCKMAP_H

/*
 * A pair is identified by the client's port. The key with this port is for the server's socket,
 * which receives the client's messages. The same key with this bit set is for the client's socket.
 */
#define SOCKMAP_TO_CLIENT 0x10000u
#define SOCKMAP_PORT      7200u

#endif
