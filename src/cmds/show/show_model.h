/* SPDX-License-Identifier: MIT */
/*
 * show_model.h - a capture with all its data, as tables
 *
 * JSON has all tables. CSV has only the table with the capture's records: printed rows, samples,
 * calls, log records or metrics.
 */
#ifndef CMDS_SHOW_MODEL_H
#define CMDS_SHOW_MODEL_H

#include <stdint.h>

struct show;

/*
 * Show a capture as an element of `captures`. Rows are written one by one, without a copy of the
 * data. Cost: O(size of the capture).
 */
void show_model(struct show *s, uint32_t capture);

#endif
