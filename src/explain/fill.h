/* SPDX-License-Identifier: MIT */
/* fill.h - values from the capture in the commands of next steps */
#ifndef EXPLAIN_FILL_H
#define EXPLAIN_FILL_H

struct facts;
struct findings;

/*
 * Replace placeholders in the next steps of @f, and in the recordings that checks ask for, by
 * values from the capture: "perf record -p PID" becomes "perf record -p $(pgrep -d, redis)". The
 * placeholders are PID, COMMAND, PROGRAM, FUNCTION, CALLER, DEV, DEVICE, DISK and QUOTA, and those
 * of finding_value(). A placeholder without a value stays.
 */
void fill_steps(const struct facts *facts, struct findings *f);

#endif
