/* SPDX-License-Identifier: MIT */
#include "symbols/demangle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

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

	/* the part of the name that is not mangled: "@plt", "@@VERSION" */
	struct str tail = str_skip(name, str_find_char(name, '@'));
	struct out o;
	struct str result;

	if (!demangle_is_mangled(name) || name.len > DEMANGLE_MAX_BYTES)
		return name;
	mangled = xmemdupz(name.p, name.len - tail.len);
	alloc_watch();
	plain = cplus_demangle(mangled, DMGL_NO_OPTS);
	alloc_watched();
	if (!plain)
		return name;
	out_init(&o);
	out_z(&o, plain);
	out_str(&o, tail);
	result = arena_str(arena, str_sub(out_view(&o), 0, LIMIT_NAME_BYTES));
	out_fini(&o);
	return result;
#else
	(void)arena;
	return name;
#endif
}
