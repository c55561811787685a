/* SPDX-License-Identifier: MIT */
/*
 * The dynamic linker has a large part of the time: a program with many libraries starts, or binds
 * symbols at their first call. Where the recording holds little but a start it stays a note.
 *
 * Thresholds, of the time that is not idle: A program that runs for a minute has below
 * 0.5 %.
 */
#include "explain/signature.h"

#define PROGRAM_START_NOTE_PCT 5.0
#define PROGRAM_START_LEAD_PCT 20.0

static const struct signature program_start = {
	.functions = "do_lookup_x|_dl_lookup_symbol_x|_dl_relocate_object*|"
		     "_dl_map_object*|_dl_fixup|_dl_runtime_resolve*|check_match|"
		     "_dl_new_hash|_dl_start*|dl_main|_dl_check_map_versions|"
		     "_dl_load_cache_lookup|_dl_name_match_p|elf_machine_rela*|"
		     "elf_dynamic_do_*|_dl_protect_relro|dl_open_worker*|"
		     "_dl_open*|_dl_init*|match_symbol|_dl_sort_maps*",
	.needs = "do_lookup_x|_dl_*|dl_main|elf_dynamic_do_*",
	.note_pct = PROGRAM_START_NOTE_PCT,
	.lead_pct = PROGRAM_START_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.is_minor = true,
	.is_user = true,
	.what = "loads libraries and binds symbols",
	.name = "the dynamic linker",
	.cause = "many libraries and symbols are bound by name when a program starts, or the "
		 "recording holds little but the start",
	.because = "these functions run when a program or a library is loaded; how often that is, "
		   "a profile of CPU time does not say",
	.next = { "LD_DEBUG=statistics PROGRAM: relocations, and the time of them",
		  "-Wl,-z,now moves it to the start, -Bsymbolic and -fvisibility=hidden make it "
		  "less; fewer libraries, or static linking, where programs are started often",
		  "record longer, where only the start was recorded" },
};

const struct rule rule_program_start = {
	.id = "program-start",
	.title = "loading of libraries and binding of symbols is hot",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &program_start,
};
