#!/bin/sh
# Fails on writable file-scope variables outside the allow list.
# By section, not by nm's letters: const tables of pointers are 'D' in a PIE.
set -u
cd "$(dirname "$0")/.." || exit 1
[ -d build/libassaylib.a.p ] || { echo "check-globals: build first" >&2; exit 1; }
bad=$(find build/libassaylib.a.p build/libassayprogram.a.p build/assay.p -name '*.o' -exec objdump -t {} + |
	grep -P ' O \.(data|bss)(\s|\.(?!rel\.ro))' | awk '{ print $NF }' |
	grep -vxFf tools/globals-allowed)
[ -z "$bad" ] || { echo "writable globals:"; echo "$bad"; exit 1; }
