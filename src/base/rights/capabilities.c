/* SPDX-License-Identifier: MIT */
#include "base/rights/capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITIES_WORDS 2u /* length of capabilities.data for _LINUX_CAPABILITY_VERSION_3 */

struct capabilities {
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[CAPABILITIES_WORDS];
};

static bool capabilities_get(struct capabilities *c)
{
	memset(c, 0, sizeof(*c));
	c->head.version = _LINUX_CAPABILITY_VERSION_3;
	return syscall(SYS_capget, &c->head, c->data) == 0;
}

static bool capabilities_set(struct capabilities *c)
{
	c->head.pid = 0;
	return syscall(SYS_capset, &c->head, c->data) == 0;
}

bool capabilities_drop(uint64_t kept, bool for_good)
{
	struct capabilities c;

	if (!capabilities_get(&c))
		return false;
	for (unsigned int i = 0; i < CAPABILITIES_WORDS; i++) {
		c.data[i].effective &= (uint32_t)(kept >> 32 * i);
		if (!for_good)
			continue;
		c.data[i].permitted &= (uint32_t)(kept >> 32 * i);
		c.data[i].inheritable = 0;
	}
	if (for_good)
		(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return capabilities_set(&c);
}

bool capabilities_drop_all(uint64_t kept)
{
	(void)prctl(PR_SET_SECUREBITS,
		    SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
			    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
	for (unsigned int i = 0; i < 32 * CAPABILITIES_WORDS; i++) {
		if (!(kept >> i & 1) && prctl(PR_CAPBSET_READ, i) > 0)
			(void)prctl(PR_CAPBSET_DROP, i);
	}
	return capabilities_drop(kept, true);
}

bool capabilities_raise(uint64_t wanted)
{
	struct capabilities c;

	if (!capabilities_get(&c))
		return false;
	for (unsigned int i = 0; i < CAPABILITIES_WORDS; i++)
		c.data[i].effective |= c.data[i].permitted & (uint32_t)(wanted >> 32 * i);
	return capabilities_set(&c);
}
