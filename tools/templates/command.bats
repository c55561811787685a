#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load assay.bash

@test "the format of each capture is shown, for people and as JSON" {
	run -0 "$ASSAY" @NAME@ small.folded
	[[ $output == *folded* ]]
	[[ $output =~ folded\ +- ]] # the number of samples is unknown, not 0
	"$ASSAY" @NAME@ --json small.folded | is_json
}

@test "an input that is missing is one sentence and status 1" {
	fails 1 @NAME@ missing.folded
	[[ $stderr == *missing.folded* ]]
}

@test "an option that does not exist is one sentence and status 2" {
	fails 2 @NAME@ --no-such-option small.folded
}
