/* SPDX-License-Identifier: MIT */
/* secret.h - the key of the option --redact[=KEYFILE] */
#ifndef CMDS_SECRET_H
#define CMDS_SECRET_H

#include "base/status.h"

struct redact_key;

/*
 * Read the key from the file @path; if @path is "", make a random key. Errors: ERR_IO; ERR_USAGE if
 * the key is too short.
 */
MUST_CHECK int secret_read(const char *path, struct redact_key *ret, struct error *err);

#endif
