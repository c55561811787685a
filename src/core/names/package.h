/* SPDX-License-Identifier: MIT */
/* package.h - names of Java classes and methods without their packages */
#ifndef CORE_PACKAGE_H
#define CORE_PACKAGE_H

#include "base/str.h"

/*
 * @name without the packages before its class: "KafkaStreams.close" for
 * "org.apache.KafkaStreams.close". Names without packages are returned unchanged. Cost: O(length of
 * @name).
 */
struct str package_strip(struct str name);

#endif
