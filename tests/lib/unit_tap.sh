#!/bin/sh
# Runs a unit test: tests/lib/unit_tap.sh PROGRAM [ARGS...]
# cmocka prints a skipped test as "not ok N # SKIP name", which meson counts as failed. Here it
# becomes "ok N - name # SKIP reason"; the reason is the line before (SKIP_TEST of tests/unit/unit.h).
set -u
{
	"$@"
	printf '\n# exit status %d\n' $?
} | awk '
	held != "" && !/^not ok [0-9]+ # SKIP / { print held; held = "" }
	/^# exit status [0-9]+$/ { status = $4; next }
	/^# SKIP / { held = $0; next }
	/^not ok [0-9]+ # SKIP / {
		n = $3
		sub(/^not ok [0-9]+ # SKIP */, "")
		print "ok " n " - " $0 " " (held != "" ? held : "# SKIP no reason given")
		held = ""
		next
	}
	$0 != "" { print; fflush() }
	END { exit status }'
