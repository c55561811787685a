# shellcheck shell=dash disable=SC2154
cd "$OUT" || exit 1
[ -e "$VM/expected" ] || exit 1
"$ASSAY" record --graph __sys_sendto -o one.dat -- true
"$ASSAY" record --graph __sys_sendto -o two.dat -- true
