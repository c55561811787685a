/* SPDX-License-Identifier: MIT */
/*
 * capabilities.h - give up root's capabilities(7), temporarily or permanently
 *
 * The functions change only the calling thread. Threads and child processes that already run keep
 * their capabilities. A set of capabilities is a bit mask of 1 << CAP_*.
 */
#ifndef BASE_CAPABILITIES_H
#define BASE_CAPABILITIES_H

#include "base/status.h"

#include <stdint.h>

/*
 * Drop all effective capabilities except @kept. @for_good: also drop them from the other sets, so
 * that they cannot be restored. Without @for_good, capabilities_raise() can restore them. False:
 * the kernel refused.
 */
bool capabilities_drop(uint64_t kept, bool for_good);
/*
 * Make the capabilities @wanted effective again. Capabilities that were dropped for good stay
 * dropped. False: the kernel refused.
 */
bool capabilities_raise(uint64_t wanted);

/*
 * Drop all capabilities except @kept from every set, the bounding set included. Also set
 * securebits, so that user id 0 cannot get capabilities back. Call this before rights_no_new() and
 * before a seccomp filter is installed. Without CAP_SETPCAP, the securebits and the bounding set do
 * not change. False: the kernel refused.
 */
bool capabilities_drop_all(uint64_t kept);

#endif
