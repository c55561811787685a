/* SPDX-License-Identifier: MIT */
/*
 * capabilities.h - what root may, given up in parts: capabilities(7)
 *
 * Of this thread; children started before keep theirs. Sets are bits, 1 << CAP_*.
 */
#ifndef BASE_CAPABILITIES_H
#define BASE_CAPABILITIES_H

#include "base/status.h"

#include <stdint.h>

/*
 * Only @kept stay in effect, as far as they are. With @for_good the others cannot come
 * back; else capabilities_raise() brings them. False: the kernel refuses.
 */
bool capabilities_drop(uint64_t kept, bool for_good);
/* Those of @wanted that were not given up for good are in effect again. False: refused. */
bool capabilities_raise(uint64_t wanted);

#endif
