/* SPDX-License-Identifier: MIT */
/*
 * listing_owner.h - find the function of an annotated listing that does not name it
 *
 * People paste one row of a report and, below it, the annotated instructions of its function, but
 * not the line with the function's name. So if the previous capture in the input is a printed
 * profile with a single function, the listing belongs to that function.
 */
#ifndef TRANSFORM_LISTING_OWNER_H
#define TRANSFORM_LISTING_OWNER_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. It must run before recover_step(), which drops rows of printed profiles. It
 * always succeeds. Cost: O(captures + rows).
 */
int listing_owner_step(struct dossier *d, struct transform *t, struct error *err);

#endif
