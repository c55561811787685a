#!/bin/sh
# A header with a word that changes with the code of the metrics:
#
#   gen-metrics-version.sh OUTPUT LIBRARIES SOURCE...
set -eu
output=$1 libraries=$2
shift 2
hash=$(cat "$@" | sha256sum | cut -d ' ' -f 1)
printf '/* Generated. */\n#define METRICS_VERSION "%s, %s"\n' "$hash" "$libraries" >"$output"
