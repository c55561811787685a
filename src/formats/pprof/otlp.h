/* SPDX-License-Identifier: MIT */
/* otlp.h - read messages with OTLP profiles; used for protobuf and for JSON */
#ifndef FORMATS_PPROF_OTLP_H
#define FORMATS_PPROF_OTLP_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"
#include "formats/pprof/otlp_layout.h"

struct dossier;

/*
 * Read @message, a complete ProfilesData in protobuf, into captures of format @f. @message must
 * stay valid during the call. Errors: see format.read.
 */
MUST_CHECK int otlp_read_message(const struct format *f, const struct region *in,
				 struct str message, enum otlp_layout layout, struct dossier *d,
				 struct error *err);

#endif
