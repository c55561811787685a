/* SPDX-License-Identifier: MIT */
/* @SNAKE@.h - say here what it reads and returns, and why */
#ifndef ANALYSES_@UPPER@_H
#define ANALYSES_@UPPER@_H

struct capture;

struct @SNAKE@ {
	double pct; /* self share of the heaviest function, percent; 0: no profile */
	double err; /* half of its rounding range; 0: exact */
};

/* Compute @ret of a capture of any kind, from samples or printed rows. Cost: top_compute(). */
void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret);

#endif
