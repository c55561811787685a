/* SPDX-License-Identifier: MIT */
/* go_package.h - names of Go without the paths of their packages */
#ifndef CORE_GO_PACKAGE_H
#define CORE_GO_PACKAGE_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

struct out;

struct go_package {
	struct str path; /* "example.org/mill/loom/v2", as it precedes the name of a function */
	struct str name; /* "loom" */
};

/* The packages of the functions of some captures. A zeroed struct has none. */
struct go_packages {
	VEC(struct go_package) rows; /* after go_packages_finish(): sorted by path */
};

/*
 * Add the package of the function @name, "example.org/mill/loom.(*Shed).weave". Other names are
 * ignored. @name is borrowed.
 */
void go_packages_add(struct go_packages *g, struct str name);
/*
 * Sort the packages. Only those with a path stay, and of these only those whose name no other
 * package has: "k8s.io/a/labels" and "example.org/b/labels" both keep their path. Cost:
 * O(n * log(n)).
 */
void go_packages_finish(struct go_packages *g);
/*
 * Append @text to @out with the names of packages instead of their paths: "loom.(*Shed).weave".
 * Returns whether this changed the text. Cost: O(length of @text * log(packages)).
 */
bool go_packages_shorten(const struct go_packages *g, struct str text, struct out *out);
void go_packages_fini(struct go_packages *g);

#endif
