#!/usr/bin/env bats
# Recordings stay apart: nothing is added up over captures unless somebody asks for it.

bats_require_minimum_version 1.5.0
load assay

@test "a converter writes one recording where its format would add up two" {
	printf 'main;a 3\n' >one.folded
	printf 'main;a 5\n' >two.folded
	run --separate-stderr "$ASSAY" convert --to folded one.folded two.folded
	[ "$status" -eq 0 ]
	[ "$output" = "main;a 3" ]
	[[ "$stderr" == *"this is 1 (folded), without 2 (folded of two.folded); --event NAME or --capture N chooses"* ]]
	[ "$("$ASSAY" convert --to folded --capture 2 one.folded two.folded)" = "main;a 5" ]
	"$ASSAY" convert --to pprof one.folded two.folded -o both.pprof
	[ "$("$ASSAY" info both.pprof | grep -c 'pprof (profile)')" -eq 2 ]
}
