/* SPDX-License-Identifier: MIT */
#include "explain/words/wait_reasons.h"

#include "base/status.h"
#include "base/str.h"
#include "explain/wait_reasons_names.h"

static const struct wait_reason wait_reasons[] = { WAIT_REASONS };
static const struct self_wait self_waits[] = { SELF_WAITS };

const struct wait_reason *wait_reason_of(struct str name)
{
	for (size_t i = 0; name.len && i < ARRAY_LEN(wait_reasons); i++) {
		if (str_glob(str_of(wait_reasons[i].functions), name))
			return &wait_reasons[i];
	}
	return NULL;
}

bool wait_reason_is_general(const struct wait_reason *reason)
{
	return reason == &wait_reasons[ARRAY_LEN(wait_reasons) - 1];
}

const struct self_wait *wait_reason_self(struct str name, struct str caller)
{
	for (size_t i = 0; name.len && caller.len && i < ARRAY_LEN(self_waits); i++) {
		if (str_glob(str_of(self_waits[i].waits), name) &&
		    str_glob(str_of(self_waits[i].within), caller))
			return &self_waits[i];
	}
	return NULL;
}
