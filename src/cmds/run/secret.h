/* SPDX-License-Identifier: MIT */
/* secret.h - the key of --redact[=KEYFILE] */
#ifndef CMDS_SECRET_H
#define CMDS_SECRET_H

#include "base/status.h"

struct redact_key;

/* Read the key in the file @path; "": a random key. Errors: ERR_IO, ERR_USAGE: too short. */
MUST_CHECK int secret_read(const char *path, struct redact_key *ret, struct error *err);

#endif
