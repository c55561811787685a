/* SPDX-License-Identifier: MIT */
/*
 * show_model.h - a capture with all its data, as tables
 *
 * JSON has all tables. CSV has only the table of the capture's records: printed rows or samples,
 * calls, log records, or metric rows.
 */
#ifndef CMDS_SHOW_MODEL_H
#define CMDS_SHOW_MODEL_H

#include <stdint.h>

struct show;

/* Show a capture as an element of captures[]. Cost: O(size of the capture), streamed. */
void show_model(struct show *s, uint32_t capture);

#endif
