/* SPDX-License-Identifier: MIT */
/*
 * User pages are looked up and pinned for direct I/O, network or devices, page by page
 * and again for each operation.
 *
 * Thresholds, of the time that is not idle: below 5 % with large pages or registered
 * buffers.
 */
#include "explain/signature.h"

#define PAGE_PINNING_NOTE_PCT 10.0
#define PAGE_PINNING_LEAD_PCT 24.0

static const struct signature page_pinning = {
	.functions = "gup_*|__gup_*|get_user_pages*|__get_user_pages*|"
		     "internal_get_user_pages*|pin_user_pages*|unpin_user_page*|"
		     "follow_page_*|follow_hugetlb*|iov_iter_get_pages*|"
		     "__iov_iter_get_pages*|iov_iter_extract_pages*|"
		     "bio_iov_iter_get_pages*|__bio_iov_iter_get_pages|"
		     "bio_release_pages|__bio_release_pages|bio_set_pages_dirty|"
		     "bio_check_pages_dirty|bio_check_dirty_fn|set_page_dirty_lock|"
		     "try_grab_*|put_user_pages*|ib_umem_get*|__ib_umem_*|"
		     "io_sqe_buffer_register|sg_alloc_append_table_from_pages|"
		     "pages_are_mergeable",
	.note_pct = PAGE_PINNING_NOTE_PCT,
	.lead_pct = PAGE_PINNING_LEAD_PCT,
	.sure_note = 62,
	.sure_lead = 74,
	.what = "looks up and pins user pages",
	.name = "pinning user pages",
	.cause = "direct I/O, RDMA or device memory of user pages: each operation "
		 "looks each page up again and takes a reference of it",
	.because = "these functions run for nothing else",
	.next = { "perf record -g: which operation; perf stat -e dTLB-load-misses: "
		  "would huge pages help",
		  "register buffers once (io_uring fixed buffers, RDMA memory "
		  "regions kept), huge pages, larger operations" },
};

const struct rule rule_page_pinning = {
	.id = "page-pinning",
	.title = "user pages are pinned for each operation",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &page_pinning,
};
