/* SPDX-License-Identifier: MIT */
#include "symbols/demangle.h"

#include "base/alloc.h"
#include "base/limits.h"

#include "config.h"

#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#endif

#define DEMANGLE_MAX_BYTES 4096u

bool demangle_is_mangled(struct str name)
{
	return str_starts(name, STR("_Z")) || str_starts(name, STR("_R")) ||
	       str_starts(name, STR("__Z"));
}

struct str demangle(struct arena *arena, struct str name)
{
#if HAVE_LIBIBERTY
	CLEANUP(freep) char *mangled = NULL;
	CLEANUP(freep) char *plain = NULL;

	if (!demangle_is_mangled(name) || name.len > DEMANGLE_MAX_BYTES)
		return name;
	mangled = xmemdupz(name.p, name.len);
	plain = cplus_demangle(mangled, DMGL_NO_OPTS);
	if (!plain)
		return name;
	return arena_str(arena, str_sub(str_of(plain), 0, LIMIT_NAME_BYTES));
#else
	(void)arena;
	return name;
#endif
}
