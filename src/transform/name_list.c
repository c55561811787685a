/* SPDX-License-Identifier: MIT */
#include "transform/name_list.h"

bool name_list_has(struct name_list list, struct str name)
{
	for (size_t i = 0; i < list.n; i++) {
		if (str_eq(list.names[i], name) || str_glob(list.names[i], name))
			return true;
	}
	return false;
}

bool name_list_has_module(struct name_list list, struct str module)
{
	size_t slash = str_rfind_char(module, '/');

	return name_list_has(list, module) ||
	       (slash < module.len && name_list_has(list, str_skip(module, slash + 1)));
}
