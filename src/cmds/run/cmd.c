/* SPDX-License-Identifier: MIT */
#include "cmds/run/cmd.h"

#include <stddef.h>

/* clang-format off */
#define CMD(id) DECLARE_CMD(id);
#include "cmds.def"
#undef CMD
#define CMD(id) &cmd_##id,
const struct cmd *const cmds[] = {
#include "cmds.def"
	NULL,
};
#undef CMD
/* clang-format on */
