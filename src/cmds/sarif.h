/* SPDX-License-Identifier: MIT */
/*
 * sarif.h - findings as SARIF 2.1.0, which CI systems and editors show
 *
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/: one run, the rules that said
 * something, one result a finding; severities are SARIF's levels by name, what
 * another finding explains away is suppressed.
 */
#ifndef CMDS_SARIF_H
#define CMDS_SARIF_H

#include "base/out.h"
#include "core/dossier.h"
#include "explain/findings.h"

void sarif_write(const struct dossier *d, const struct findings *f, struct out *out);

#endif
