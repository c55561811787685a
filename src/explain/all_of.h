/* SPDX-License-Identifier: MIT */
/* all_of.h - "all system calls" instead of "100.0 % of system calls" */
#ifndef EXPLAIN_ALL_OF_H
#define EXPLAIN_ALL_OF_H

struct findings;

/*
 * Say "all" in each claim that prints a share of exactly 100 %. A share that is only rounded to
 * 100.0 % stays.
 */
void all_of_claims(struct findings *f);

#endif
