/* SPDX-License-Identifier: MIT */
/*
 * Marking, sweeping or copying of a managed heap is hot.
 *
 * Thresholds, of the time that is not idle: Services in health have 1 to 5 % there.
 */
#include "explain/signature.h"

#define GARBAGE_COLLECTION_NOTE_PCT 5.0
#define GARBAGE_COLLECTION_LEAD_PCT 20.0

static const struct signature garbage_collection = {
	.functions = "runtime.gcDrain*|runtime.scanobject*|runtime.greyobject|"
		     "runtime.markroot*|runtime.gcBgMarkWorker*|"
		     "runtime.gcAssistAlloc*|runtime.findObject|runtime.heapBits*|"
		     "runtime.wbBufFlush*|runtime.bulkBarrier*|runtime.sweepone|"
		     "runtime.bgsweep|runtime.(*mspan).sweep|"
		     "runtime.(*sweepLocked).sweep|runtime.scanblock|"
		     "runtime.scanstack*|runtime.scanframe*|runtime.gcMark*|"
		     "runtime.typePointers*|runtime.(*gcWork)*|runtime.(*gcBits*|"
		     "runtime.(*lfstack)*|G1ParScan*|G1ParCopy*|G1CM*|"
		     "G1Concurrent*|G1RootProcessor*|G1FullGC*|"
		     "PSPromotionManager*|PSParallelCompact*|ParMarkBitMap*|"
		     "MarkSweep::*|GCTaskThread::*|ConcurrentMarkSweep*|"
		     "ShenandoahMark*|ShenandoahConcurrent*|ShenandoahHeap*|"
		     "ZMark::*|ZRelocate*|ZBarrier::*|OopMapSet::*|GC_mark*|"
		     "GC_push*|GC_reclaim*|gc_collect_main*|collect_with_callback|"
		     "visit_decref|visit_reachable|subtract_refs|update_refs|"
		     "deduce_unreachable|move_unreachable|untrack_tuples|"
		     "untrack_dicts|gc_mark_*|gc_marks_*|gc_sweep*|rgengc_*|"
		     "rb_gc_*|v8::internal::Scavenge*|v8::internal::Mark*|"
		     "v8::internal::Sweep*|v8::internal::Concurrent*Mark*|"
		     "v8::internal::MainMark*|v8::internal::*Evacuat*|"
		     "propagatemark|sweeplist|sweepstep|traversetable|gc_sweep|"
		     "gc_propagate*|sgen_*|simple_nursery_*|major_scan_*|"
		     "caml_major_collection*|caml_minor_collection*|"
		     "caml_empty_minor*|mark_slice*|sweep_slice*|caml_oldify*|"
		     "WKS::gc_heap::*|SVR::gc_heap::*",
	.note_pct = GARBAGE_COLLECTION_NOTE_PCT,
	.lead_pct = GARBAGE_COLLECTION_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 80,
	.is_user = true,
	.what = "goes into collecting garbage",
	.name = "collecting garbage",
	.cause = "much is allocated for the size of the heap, or much lives: marking goes through "
		 "all that lives, each time",
	.because = "the names are of collectors",
	.next = { "GODEBUG=gctrace=1, -Xlog:gc, gc.set_debug(): how often, how long, how "
		  "much lives",
		  "allocate less in the hot loop (pools, buffers that are used again), or give a "
		  "larger heap (GOGC, GOMEMLIMIT, -Xmx)" },
};

const struct rule rule_garbage_collection = {
	.id = "garbage-collection",
	.title = "the garbage collector of the language has a large part of the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &garbage_collection,
};
