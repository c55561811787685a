/* SPDX-License-Identifier: MIT */
/* go_package.h - names of Go without the paths of their packages */
#ifndef CORE_GO_PACKAGE_H
#define CORE_GO_PACKAGE_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

struct out;

struct go_package {
	struct str path; /* path in a symbol: "example.org/mill/loom/v2" */
	struct str name; /* name in source code: "loom" */
};

/* The packages of functions. A zeroed struct is empty. */
struct go_packages {
	VEC(struct go_package) rows; /* after go_packages_finish(): sorted by path */
};

/*
 * Add the package of the function @name, "example.org/mill/loom.(*Shed).weave". Other names are
 * ignored. @name is borrowed.
 */
void go_packages_add(struct go_packages *g, struct str name);
/*
 * Sort the packages. Remove packages without a path. Also remove packages with the same name, such
 * as "k8s.io/a/labels" and "example.org/b/labels": only their paths distinguish them in text. Cost:
 * O(n * log(n)).
 */
void go_packages_finish(struct go_packages *g);
/*
 * Append @text to @out, with paths of packages replaced by their names: "loom.(*Shed).weave".
 * Returns whether the text changed. Cost: O(length of @text * log(packages)).
 */
bool go_packages_shorten(const struct go_packages *g, struct str text, struct out *out);
void go_packages_fini(struct go_packages *g);

#endif
