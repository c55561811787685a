/* SPDX-License-Identifier: MIT */
/* sockmap.h - keys of the map of sockets, shared by sockmap.c and sockmap.bpf.c */
#ifndef LABS_SOCKMAP_SOCKMAP_H
#define LABS_SOCKMAP_SOCKMAP_H

/*
 * A pair of sockets is identified by the client's port. The port alone is the key of the server's
 * socket. The port with this bit set is the key of the client's socket.
 */
#define SOCKMAP_TO_CLIENT 0x10000u
#define SOCKMAP_PORT      7200u

#endif
