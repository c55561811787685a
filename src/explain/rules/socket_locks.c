/* SPDX-License-Identifier: MIT */
/*
 * Sockets locked and released several times for one call.
 * Thresholds: three pairs a topmost call; from 10 % of the trace, always a note.
 */
#include "explain/call_signature.h"

static const struct call_signature socket_locks = {
	.marker = "lock_sock_nested|lock_sock_fast|__lock_sock_fast",
	.cost = "lock_sock_nested|lock_sock_fast|__lock_sock_fast|release_sock",
	.scope = "lock_sock_nested|lock_sock_fast|__lock_sock_fast",
	.min_per_root = 3,
	.note_pct = 10,
	.lead_pct = 101,
	.sure = 95,
	.what = "the sockets are locked and released several times in one call",
	.name = "taking and releasing socket locks",
	.cause = "each layer, and the socket on the other side, takes the lock for itself",
	.because = "lock_sock and release_sock are in the trace; waiting for them would be sleep",
	.next = "send more in one call (larger messages, MSG_ZEROCOPY, sendmmsg)",
};

const struct rule rule_socket_locks = {
	.id = "socket-locks",
	.title = "socket locks taken again and again",
	.needs = RULE_CALLS,
	.call_signature = &socket_locks,
};
