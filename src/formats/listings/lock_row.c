/* SPDX-License-Identifier: MIT */
/*
 * Sources: Linux, fs/locks.c, lock_get_status(); proc_locks(5).
 */
#include "formats/listings/lock_row.h"

#define LOCK_BYTES 160u /* maximum length of a row */

/* Whether @word is a device and an inode, "fd:00:131": two hex numbers and a decimal number. */
static bool lock_is_inode(struct str word)
{
	size_t colons = 0;
	size_t digits = 0;

	for (size_t i = 0; i < word.len; i++) {
		char c = word.p[i];

		if (c == ':') {
			if (digits == 0)
				return false;
			colons++;
			digits = 0;
		} else if (char_is_digit(c) || (colons < 2 && c >= 'a' && c <= 'f')) {
			digits++;
		} else {
			return false;
		}
	}
	return colons == 2 && digits > 0;
}

bool lock_row_parse(struct str line, struct lock_row *ret)
{
	struct str rest = str_trim(line);
	struct str strict, start, end;

	*ret = (struct lock_row){ .number = 0 };
	if (line.len > LOCK_BYTES || !str_u64(&rest, &ret->number) || !str_take(&rest, STR(": ")))
		return false;
	rest = str_ltrim(rest);
	ret->is_waiting = str_take(&rest, STR("-> "));
	if (!str_word(&rest, &ret->type) || !str_word(&rest, &strict) ||
	    !str_word(&rest, &ret->mode) || !str_word(&rest, &ret->pid) ||
	    !str_word(&rest, &ret->inode) || !str_word(&rest, &start) || !str_word(&rest, &end))
		return false;
	if (str_glob(STR("-1|0"), ret->pid))
		ret->pid = STR_NONE;
	return str_glob(STR("POSIX|FLOCK|OFDLCK|ACCESS|LEASE|DELEG"), ret->type) &&
	       str_glob(STR("ADVISORY|MANDATORY|MSNFS|ACTIVE|BREAKING|BREAKER"), strict) &&
	       str_glob(STR("READ|WRITE|RW|UNLCK|NONE"), ret->mode) && lock_is_inode(ret->inode) &&
	       char_is_digit(start.p[0]) && str_trim(rest).len == 0;
}
