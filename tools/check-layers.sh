#!/bin/sh
# Fails when a folder includes a header of a folder it must not know.
# One line a folder: name, then the folders it may include besides itself.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
while read -r dir allowed; do
	[ -d "src/$dir" ] || continue
	# shellcheck disable=SC2013 # folder names have no spaces
	for inc in $(grep -rhoE '^#include "[a-z]+/' "src/$dir" | sed 's/.*"//; s,/,,' | sort -u); do
		case " $dir $allowed " in
		*" $inc "*) ;;
		*) echo "src/$dir must not include $inc/"; grep -rln "#include \"$inc/" "src/$dir"; bad=1 ;;
		esac
	done
done <<'T'
base
core base
document base core
symbols base core
formats base core document symbols
analyses base core
metrics base core
explain base core analyses metrics
render base core analyses metrics explain
record base core symbols
cmds base core document symbols formats analyses metrics explain render record
T
# The process that reads cannot open files by name: base/files.h is the door.
if grep -nE '(^|[^a-z_>.])(f?open|openat|opendir|mkstemp|popen)\(' \
	src/document/*.c src/symbols/*.c src/formats/*.c src/analyses/*.c src/explain/*.c src/render/*.c; then
	echo "these must use files_open()"
	bad=1
fi
# Files are written by one door: base/newfile.h, which knows what must not be overwritten.
if grep -rnE 'O_(CREAT|TRUNC|WRONLY|RDWR|APPEND|TMPFILE)\b|\b(creat|mkostemps?|mkstemps?|tmpfile|mkdtemp|freopen)\(|\bfopen\([^)]*"[wa+]|\b(rename|renameat2?|link|linkat|symlink|truncate)\(' \
	src --include='*.c' --include='*.h' |
	grep -vE '^src/base/(newfile|rights_filter|standard)\.c:'; then
	echo "these must use base/newfile.h"
	bad=1
fi
exit $bad
