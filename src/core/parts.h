/* SPDX-License-Identifier: MIT */
/*
 * parts.h - names of the notes that say whether a capture is whole
 *
 * Readers write these notes of a capture (capture_note()); the verdict on the data reads them.
 */
#ifndef CORE_PARTS_H
#define CORE_PARTS_H

/* A part of the output that is not in the text; the value is a phrase: "no SUMMARY line". */
#define CAPTURE_MISSING_PART "missing part"
/* The output has all its parts: a total that it prints agrees with the sum of the parts. */
#define CAPTURE_WHOLE "whole"
/* The first and the last line of the output are in the text. Lines between them may be missing. */
#define CAPTURE_ENDS "ends"
/* A sentence right above stacks that says that the program hangs. */
#define CAPTURE_HANGS "said to hang"

#endif
