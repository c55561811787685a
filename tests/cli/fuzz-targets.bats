#!/usr/bin/env bats
# All code that reads untrusted input has a fuzz target with initial inputs.
load assay.bash

formats() {
	sed -n "/^format_files = \[/,/^\]/s/^ *'[a-z_]*\/\([a-z0-9_]*\)',.*/\1/p" "$ASSAY_SOURCE/src/formats/meson.build"
}

@test "every format has a fuzz target with a corpus" {
	[ "$(formats | wc -l)" -gt 20 ]
	for name in $(formats) document load elf c_source calls explain trace_frame \
		graph_ring window words broker symbols risk_pack; do
		[ -x "${ASSAY%/*}/tests/fuzz_$name" ] || { echo "no target fuzz_$name"; return 1; }
		[ -n "$(ls "$ASSAY_SOURCE/tests/fuzz/corpus/$name" 2>/dev/null)" ] || { echo "no corpus of $name"; return 1; }
	done
}

@test "every corpus belongs to a target" {
	for folder in "$ASSAY_SOURCE"/tests/fuzz/corpus/*; do
		[ -x "${ASSAY%/*}/tests/fuzz_${folder##*/}" ] || { echo "no target of $folder"; return 1; }
	done
}

# What foreign marks is not read, and whole files of trace-cmd are in tests/data/trace-dat.
@test "inputs of the corpus of a format are that format, at least one" {
	for name in $(formats); do
		n=0
		for file in "$ASSAY_SOURCE/tests/fuzz/corpus/$name"/*; do
			as=${name//_/-}
			[ "$as" = vlog ] && as=ovs-vlog
			if "$ASSAY" info --as "$as" "$file" >/dev/null 2>said || grep -q "this build" said; then
				n=1
				break
			fi
		done
		[ $n -eq 1 ] || case $name in foreign* | trace_dat) ;; *) echo "none of $name is read"; false ;; esac
	done
}
