/* SPDX-License-Identifier: MIT */
/* lab_list.h - the situations of the labs, as tools/gen-labs.py finds them at build */
#ifndef CMDS_LAB_LIST_H
#define CMDS_LAB_LIST_H

struct lab_entry {
	const char *name; /* NULL: the end of the table */
	/* a case: what its user complains about, "" for a healthy program; a system: its title */
	const char *symptom;
	const char *language; /* "" for a system */
};

extern const struct lab_entry lab_cases[];   /* small programs, by symptom */
extern const struct lab_entry lab_systems[]; /* larger systems, by name */

#endif
