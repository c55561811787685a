/* SPDX-License-Identifier: MIT */
/*
 * vec.h - arrays that grow, typed by macro
 *
 *     VEC(uint32_t) ids = VEC_INIT;
 *     *VEC_PUSH(&ids) = 7;
 *     VEC_FREE(&ids);
 *
 * When a vec is full, its capacity grows by half. The overhead for large arrays is small: realloc()
 * moves them with mremap(), and pages that are not written yet need no memory. A zeroed vec is
 * empty and valid. Elements move when the vec grows, so keep indices, not pointers.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/status.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VEC(type)           \
	struct {            \
		type *data; \
		size_t len; \
		size_t cap; \
	}

#define VEC_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Make the capacity large enough for @n elements, counting those that the vec already has. */
#define VEC_RESERVE(v, n)                                                                      \
	((n) > (v)->cap                                                                        \
		 ? (void)((v)->data = vec_grow((v)->data, &(v)->cap, (n), sizeof(*(v)->data))) \
		 : (void)0)

/* VEC_HAS_DATA() tells clang's analyzer that a vec with a capacity has an array. */
#ifdef __clang_analyzer__
#define VEC_HAS_DATA(v) ((v)->data ? (void)0 : __builtin_unreachable())
#else
#define VEC_HAS_DATA(v) ((void)0)
#endif

/* Append one element and return its address. The element is not initialised. */
#define VEC_PUSH(v)                                   \
	({                                            \
		__typeof__(v) v_ = (v);               \
		if (UNLIKELY(v_->len == v_->cap))     \
			VEC_RESERVE(v_, v_->len + 1); \
		VEC_HAS_DATA(v_);                     \
		&v_->data[v_->len++];                 \
	})

/* Copy @n elements from @from to the end. */
#define VEC_APPEND(v, from, n)                                                      \
	({                                                                          \
		__typeof__(v) v_ = (v);                                             \
		size_t n_ = (n);                                                    \
		VEC_RESERVE(v_, v_->len + n_);                                      \
		if (n_)                                                             \
			memcpy(v_->data + v_->len, (from), n_ * sizeof(*v_->data)); \
		v_->len += n_;                                                      \
	})

/*
 * Sort with qsort(). An empty vec is skipped, because its data is NULL, which qsort() must not get.
 */
#define VEC_SORT(v, compare)                                                  \
	({                                                                    \
		__typeof__(v) v_ = (v);                                       \
		if (v_->len)                                                  \
			qsort(v_->data, v_->len, sizeof(*v_->data), compare); \
	})

#define VEC_FREE(v)                         \
	({                                  \
		__typeof__(v) v_ = (v);     \
		free(v_->data);             \
		memset(v_, 0, sizeof(*v_)); \
	})

#define VEC_FOREACH(it, v) \
	for (__typeof__((v)->data[0]) *it = (v)->data; it && it < (v)->data + (v)->len; it++)

/*
 * The elements of @v that meet @condition must be its first elements. Returns their number, found
 * by binary search. @condition is an expression that tests the element at the pointer @it.
 */
#define VEC_PARTITION(v, it, condition)                                \
	({                                                             \
		__typeof__(v) v_ = (v);                                \
		size_t low_ = 0;                                       \
		size_t high_ = v_->len;                                \
		while (low_ < high_) {                                 \
			size_t mid_ = low_ + (high_ - low_) / 2;       \
			__typeof__(&v_->data[0]) it = &v_->data[mid_]; \
			if (condition)                                 \
				low_ = mid_ + 1;                       \
			else                                           \
				high_ = mid_;                          \
		}                                                      \
		low_;                                                  \
	})

/*
 * Grow @data to a capacity of at least @need elements of @size bytes, and update *@cap. For the
 * macros above only.
 */
void *vec_grow(void *data, size_t *cap, size_t need, size_t size);

#endif
