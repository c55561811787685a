/* SPDX-License-Identifier: MIT */
/*
 * listing_owner.h - whose instructions a listing without a name shows
 *
 * People paste one row of a report and, below it, the annotated instructions without their title.
 * If the capture before a listing in the same input is a printed profile of a single function, the
 * listing is of that function.
 */
#ifndef TRANSFORM_LISTING_OWNER_H
#define TRANSFORM_LISTING_OWNER_H

#include "base/status.h"

struct dossier;
struct transform;

/* A step of transform.h, before printed rows become samples. Errors: none. Cost: O(captures +
 * rows). */
int listing_owner_step(struct dossier *d, struct transform *t, struct error *err);

#endif
