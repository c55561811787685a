/* SPDX-License-Identifier: MIT */
/*
 * Say here which kind of problem this is.
 *
 * Thresholds, of the time that is not idle: say here why these, with a source.
 */
#include "explain/signature.h"

#define @UPPER@_NOTE_PCT 10.0
#define @UPPER@_LEAD_PCT 30.0

static const struct signature @SNAKE@ = {
	.functions = "@SNAKE@_*",
	.note_pct = @UPPER@_NOTE_PCT,
	.lead_pct = @UPPER@_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 75,
	.what = "goes into @SNAKE@",
	.name = "@SNAKE@",
	.cause = "say here why these functions are hot, in one clause",
	.because = "say here why the cause is that certain",
	.next = { "perf record -a -g: who calls them" },
};

const struct rule rule_@SNAKE@ = {
	.id = "@NAME@",
	.title = "say here the problem as an engineer would search for it",
	.needs = RULE_PROFILE,
	.signature = &@SNAKE@,
};
