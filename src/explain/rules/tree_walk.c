/* SPDX-License-Identifier: MIT */
/*
 * Trees, chains and skip lists: each step follows a pointer and waits for memory. Their
 * cost is the depth times a cache miss. Look-ups are left to linear-scan, what is done
 * with page tables and the page cache to others.
 *
 * Thresholds, of the time that is not idle: indexes of a program in good health have 3
 * to 10 %; a database that does nothing but search has more, and it may be its work.
 */
#include "explain/signature.h"

#define TREE_WALK_NOTE_PCT 12.0
#define TREE_WALK_LEAD_PCT 35.0

static const struct signature tree_walk = {
	.functions = "ebst_*|ebmb_*|ebis_*|eb32_*|eb64_*|ebpt_*|ceb_*|cebs_*|cebu*_*|"
		     "rb_insert*|__rb_insert*|rb_erase*|__rb_erase*|*_Rb_tree*|avl_*|"
		     "*_avl_*|*btree_insert*|*btree_search*|*BTree*|bpt_*|*skiplist*|"
		     "*SkipList*|zslInsert*|zslDelete*|radix_tree_insert|mas_*walk*|"
		     "mas_store*|mas_wr_*|mtree_*|*trie_insert*|*_trie_*|art_insert*|"
		     "art_search*|*hash_table_insert*|*hashtable_insert*|*_Hashtable*|"
		     "*unordered_map*|*_hash_insert*|dictAdd*|dictRehash*|dictFind*|"
		     "_bt_compare|_bt_binsrch*|_bt_search*|btr_cur_*|page_cur_*|"
		     "cmp_dtuple_rec*|*KeyComparator*|*::Comparator*|"
		     "sqlite3BtreeMoveto*|sqlite3VdbeRecordCompare*|tree_insert*|"
		     "*_tree_insert*|*_tree_add*|*_tree_delete*|*_insert_prefix|"
		     "*_list_insert*|*_insert_sorted*|*_sorted_insert*",
	.note_pct = TREE_WALK_NOTE_PCT,
	.lead_pct = TREE_WALK_LEAD_PCT,
	.sure_note = 55,
	.sure_lead = 65,
	.is_user = true,
	.what = "goes into trees, chains and sorted lists",
	.name = "trees, chains and sorted lists",
	.cause = "each element costs a walk from the root or the head, and each "
		 "step of it waits for memory that is not in a cache",
	.because = "the names say what is walked; how deep it is and whether it is "
		   "the work itself a profile does not show",
	.next = { "perf stat -e cache-misses,instructions on the run: few "
		  "instructions a cycle is waiting for memory; how many elements are "
		  "there",
		  "insert in bulk or sorted, a hash where order is not needed, keys "
		  "beside the links, fewer elements" },
};

const struct rule rule_tree_walk = {
	.id = "tree-walk",
	.title = "trees and chains are walked, and each step waits for memory",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &tree_walk,
};
