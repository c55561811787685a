/* SPDX-License-Identifier: MIT */
/*
 * capabilities.h - drop root's capabilities(7), for a while or for good
 *
 * Applies to the calling thread only; threads and child processes that already run keep their
 * capabilities. Sets are bit masks, 1 << CAP_*.
 */
#ifndef BASE_CAPABILITIES_H
#define BASE_CAPABILITIES_H

#include "base/status.h"

#include <stdint.h>

/*
 * Drop all effective capabilities except @kept. With @for_good they cannot come back; otherwise
 * capabilities_raise() restores them. False: the kernel refused.
 */
bool capabilities_drop(uint64_t kept, bool for_good);
/* Restore those of @wanted that were not dropped for good. False: the kernel refused. */
bool capabilities_raise(uint64_t wanted);

/*
 * Give up all capabilities except @kept, in every set and the bounding set. Also set securebits, so
 * that user id 0 cannot regain capabilities. Call before no_new_privs or a filter. Without
 * CAP_SETPCAP, sets that need it to change keep their value. False: the kernel refused.
 */
bool capabilities_drop_all(uint64_t kept);

#endif
