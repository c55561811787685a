#!/usr/bin/env bats
# assay browse: where it cannot run, and how it leaves. Its screens: browse_screen.py.
bats_require_minimum_version 1.5.0
load assay.bash

setup() {
	assay_setup
}

# Run browse on a terminal of 80 x 24, with a file of Python statements about the screen s.
on_terminal() {
	python3 - "$@" <<'EOF'
import os, sys
sys.path.insert(0, os.environ["ASSAY_SOURCE"] + "/tools")
from pty_screen import Screen
first, keys, want, *command = sys.argv[1:]
s = Screen(command, 80, 24)
assert s.until(first), "no '%s' in:\n%s\n%s" % (first, s.text(), s.plain)
for key in keys.encode().decode("unicode_escape").split(" "):
    s.settle(0.1)
    s.send(key)
assert s.until(want), "no '%s' in:\n%s\n%s" % (want, s.text(), s.plain)
s.settle(0.1)
print("status", s.end())
if s.clipboard:
    print("clipboard", s.clipboard)
EOF
}

@test "browse without a terminal says so, status 2" {
	fails 2 browse small.folded
	[[ $stderr == *"needs a terminal"* ]]
}

@test "browse without an input, of a missing one and of a bad option" {
	fails 2 browse --no-such-option small.folded
	[ "$(on_terminal "did you mean" "" "small.folded" "$ASSAY" browse smal.folded)" = "status 1" ]
	[ "$(on_terminal "no input" "" "no input" "$ASSAY" browse)" = "status 2" ]
}

@test "browse: q leaves, with status 0; a signal ends it" {
	[ "$(on_terminal "q quit" "q" "" "$ASSAY" browse small.folded)" = "status 0" ]
	[ "$(on_terminal "q quit" "j" "" "$ASSAY" browse small.folded)" = "status -15" ]
	[ "$(on_terminal "q quit" "\\x03" "" "$ASSAY" browse small.folded)" = "status -2" ]
}

@test "browse: callers of a row, filter, back" {
	on_terminal "q quit" "\r" "Callees of main" "$ASSAY" browse small.folded
	on_terminal "q quit" "/ b \r" "rows with 'b'" "$ASSAY" browse small.folded
	on_terminal "q quit" "\r w" "assay report -g callee,0.1 -S main small.folded" "$ASSAY" browse small.folded
}

@test "browse reads standard input, and reads it again for other views" {
	on_terminal "q quit" "f" "assay explain -" sh -c "\"\$0\" browse - <small.folded" "$ASSAY"
}

@test "browse: only a file; the filter is in the command and is taken back" {
	printf '%s\n' 'app;main;f (libx.so) 3' 'app;main;g (liby.so) 5' >two.folded
	on_terminal "q quit" "s t" "--comm app" "$ASSAY" browse two.folded
}

@test "browse: y copies the call stack of a row or frame, outermost caller first" {
	printf '%s\n' $'app;main;evil\u202ename 3' 'app;main;f;g 5' >deep.folded
	on_terminal "q quit" "4 E G y" "in the clipboard" "$ASSAY" browse deep.folded >said
	grep -q -F 'clipboard main;evil\u202ename' said
	on_terminal "q quit" "8 j j y" "in the clipboard" "$ASSAY" browse deep.folded >said
	grep -q '^clipboard .*main;f$' said
	on_terminal "q quit" "f y" "choose a row" "$ASSAY" browse deep.folded >said
	fails_to grep -q clipboard said
}
